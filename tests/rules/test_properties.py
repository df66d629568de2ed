"""What holds for every round and every rule set."""

from itertools import combinations
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from schemas.rulesets import rules_mistakes, rules_of
from service.rules.reading import Seat
from service.rules.ruleset import BUILT_IN, RuleSet
from service.rules.specials import SPECIALS
from tests.rules.rounds import house_rules, scored

DECKS = st.permutations(range(52))
PLAYERS = st.integers(2, 4)
PUBLISHED = st.sampled_from([BUILT_IN["bsfyi"], BUILT_IN["panduan"], BUILT_IN["gratis"]])
WITH_POINTS = st.sampled_from([BUILT_IN["bsfyi"], BUILT_IN["panduan"]])
ROW_INDEX = {3: range(3), 5: range(5)}


def deal(deck: list[int], players: int, *, sort: bool) -> list[Seat]:
    """Seats off the top of a deck; sorted by rank, most arrangements are in order."""
    hands = [deck[13 * seat : 13 * seat + 13] for seat in range(players)]
    return [
        Seat(f"player {seat}", tuple(sorted(hand) if sort else hand)) for seat, hand in enumerate(hands)
    ]


@given(PUBLISHED, DECKS, PLAYERS, st.booleans(), st.none() | st.integers(1, 10**12))
def test_points_add_up_to_zero_and_so_does_money_with_its_fees(
    ruleset: RuleSet, deck: list[int], players: int, sort: bool, stake: int | None
) -> None:
    result = scored(ruleset, deal(deck, players, sort=sort), stake if ruleset.has_points else None)
    if not ruleset.has_points:
        assert all(seat["points"] is None for seat in result["seats"])
        return
    assert sum(seat["points"] or 0 for seat in result["seats"]) == 0
    if stake is not None:
        money = [seat["money"] for seat in result["seats"]]
        assert sum(m["net"] + m["fee"] for m in money) == 0
        assert all(m["fee"] == max(m["won"], 0) * ruleset.fee // 10_000 for m in money)


@given(PUBLISHED, DECKS, PLAYERS, st.booleans(), st.randoms(use_true_random=False))
def test_seat_order_changes_nothing_but_order(
    ruleset: RuleSet, deck: list[int], players: int, sort: bool, random: Any
) -> None:
    seats = deal(deck, players, sort=sort)
    shuffled = random.sample(seats, len(seats))
    one, other = (scored(ruleset, order) for order in (seats, shuffled))
    assert sorted(one["seats"], key=str) == sorted(other["seats"], key=str)
    for duel in one["duels"]:
        match = next(d for d in other["duels"] if set(d["players"]) == set(duel["players"]))
        assert (match["winner"], match["rows"]) == (duel["winner"], duel["rows"])


@given(PUBLISHED, DECKS)
def test_comparison_is_a_strict_order_of_rows(ruleset: RuleSet, deck: list[int]) -> None:
    """Strengths are whole numbers, so it is antisymmetric and transitive; suits leave no ties."""
    look_up = ruleset.tables.look_up
    rows = [deck[start : start + 5] for start in range(0, 50, 5)]
    strengths = [look_up(row)[0] for row in rows]
    if ruleset.suits:
        assert len(set(strengths)) == len(strengths)
    for row, strength in zip(rows, strengths, strict=True):
        assert look_up(row[::-1])[0] == strength


@given(DECKS, PLAYERS, st.booleans(), st.permutations(range(4)))
def test_suits_relabelled_change_nothing_where_suits_do_not_count(
    deck: list[int], players: int, sort: bool, suits: list[int]
) -> None:
    seats = deal(deck, players, sort=sort)
    relabelled = [
        Seat(seat.player, tuple(card - card % 4 + suits[card % 4] for card in seat.cards))
        for seat in seats
    ]
    one, other = (scored(BUILT_IN["gratis"], given) for given in (seats, relabelled))
    assert one["duels"] == other["duels"]
    assert [seat["foul"] for seat in one["seats"]] == [seat["foul"] for seat in other["seats"]]


@given(WITH_POINTS, DECKS, PLAYERS, st.booleans())
def test_every_duel_can_be_redone_from_its_rows(
    ruleset: RuleSet, deck: list[int], players: int, sort: bool
) -> None:
    result = scored(ruleset, deal(deck, players, sort=sort))
    totals = {seat["player"]: 0 for seat in result["seats"]}
    assert [tuple(duel["players"]) for duel in result["duels"]] == list(combinations(totals, 2))
    for duel in result["duels"]:
        assert duel["points"] is not None
        for player, points in zip(duel["players"], duel["points"], strict=True):
            totals[player] += points
        if duel["rows"] is not None and duel["winner"] is not None:
            won = sum(
                (row["points"] or 0) * (1 if row["winner"] == duel["winner"] else -1)
                for row in duel["rows"].values()
            )
            assert max(duel["points"]) == (duel["factor"] or 0) * won + (duel["bonus"] or 0)
    assert totals == {seat["player"]: seat["points"] for seat in result["seats"]}


BONUSES = st.dictionaries(st.sampled_from(["full_house", "four_of_a_kind", "flush"]), st.integers(0, 99))
HOUSES = st.builds(
    house_rules,
    st.sampled_from(["bsfyi", "panduan"]),
    comparison=st.fixed_dictionaries(
        {
            "suits": st.permutations("shcd") | st.just([]),
            "wheel": st.sampled_from(["lowest", "second_highest", "none"]),
        }
    ),
    order=st.fixed_dictionaries({"suits": st.booleans()}),
    points=st.fixed_dictionaries(
        {
            "row": st.integers(0, 9),
            "most_rows": st.integers(0, 9),
            "bonuses": st.sampled_from(["instead", "added", "always"]),
            "factors": st.sampled_from(["all", "rows"]),
            "middle": BONUSES,
            "bottom": BONUSES,
            "top": st.fixed_dictionaries({"pair": st.fixed_dictionaries({"6": st.integers(0, 9)})}),
        }
    ),
    sweep=st.none() | st.fixed_dictionaries({"factor": st.integers(1, 9), "points": st.integers(0, 9)}),
    clean_sweep=st.none()
    | st.fixed_dictionaries({"factor": st.integers(1, 9), "opponents": st.integers(1, 3)}),
    specials=st.fixed_dictionaries(
        {
            "declared": st.booleans(),
            "equal": st.sampled_from(["tie", "ranks"]),
            "ranking": st.lists(
                st.fixed_dictionaries(
                    {"name": st.sampled_from(sorted(SPECIALS)), "points": st.integers(0, 99)}
                ),
                unique_by=lambda special: special["name"],
            ),
        }
    ),
    foul=st.fixed_dictionaries(
        {
            "pays": st.sampled_from(["sweep", "clean_sweep", "points"]),
            "points": st.integers(0, 9),
            "bonuses": st.booleans(),
        }
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(HOUSES, DECKS, PLAYERS, st.booleans())
def test_any_house_rules_that_are_accepted_settle_any_round_to_zero(
    ruleset: RuleSet, deck: list[int], players: int, sort: bool
) -> None:
    assume(not rules_mistakes(rules_of(ruleset)))
    result = scored(ruleset, deal(deck, players, sort=sort), 7)
    assert sum(seat["points"] or 0 for seat in result["seats"]) == 0
    assert sum(seat["money"]["net"] + seat["money"]["fee"] for seat in result["seats"]) == 0
