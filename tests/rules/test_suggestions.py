"""Suggestions: the best arrangements are the best by scoring itself, and specials are weighed."""

import random
from collections.abc import Sequence
from itertools import islice
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from schemas.rulesets import rules_mistakes, rules_of
from service.rules.arrangements import Layouts
from service.rules.cards import NAMES, parse, weigh
from service.rules.chances import CHANCES, PLACE_OF_KIND
from service.rules.expectation import Prices, Sample, special_points
from service.rules.labels import ENGLISH
from service.rules.opponents import Opponent, Player, deal
from service.rules.reading import Seat, formed, take_up
from service.rules.results import show
from service.rules.ruleset import BUILT_IN, RuleSet
from service.rules.suggestions import rank, suggest
from tests.rules.rounds import Document, house_rules
from tests.rules.rounds import scored as scored_round
from tests.rules.test_properties import DECKS, HOUSES, PUBLISHED

SEEDS = st.integers(0, 2**53 - 1)
OPPONENTS = st.integers(1, 3)
ANY_RULES = PUBLISHED | HOUSES

DRAGON = "2s 3h 4h 5s 6d 7h 8c 9c Ts Jh Qd Kc Ah"
SIX_PAIRS = "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8s"
# Three flushes, of which two are straight flushes.
FLUSHES = "As Ks Qs Js Ts 9h 8h 7h 6h 5h 2d 4d 6d"


def seat_of(name: str, ruleset: RuleSet, opponent: Opponent) -> Seat:
    declares = ruleset.declared and opponent.special is not None
    declare = ruleset.specials[opponent.special or 0].name if declares else None
    return Seat(name, opponent.cards, True, declare)


def scored(ruleset: RuleSet, own: Seat, deal: Sequence[Opponent]) -> Document:
    """The round that a deal makes, settled by scoring itself."""
    others = [seat_of(f"opponent {number}", ruleset, one) for number, one in enumerate(deal)]
    return scored_round(ruleset, [own, *others])


def asked(ruleset: RuleSet, cards: Any, **given: Any) -> dict[str, Any]:
    cards = parse(cards) if isinstance(cards, str) else cards
    wanted = {"limit": 5, "opponents": 3, "seed": 0, "words": ENGLISH, **given}
    return suggest(ruleset, cards, **wanted)


def labels(answer: dict[str, Any]) -> list[list[str]]:
    return [[row["label"] for row in one["rows"].values()] for one in answer["arrangements"]]


# --- the sums are those of scoring -------------------------------------------------------------------


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(ANY_RULES, DECKS, OPPONENTS, st.randoms(use_true_random=False))
def test_what_an_arrangement_brings_is_what_scoring_gives(
    ruleset: RuleSet, deck: list[int], opponents: int, chance: random.Random
) -> None:
    assume(ruleset.id != "house" or not rules_mistakes(rules_of(ruleset)))
    own, *others = [deck[start : start + 13] for start in range(0, 13 * (opponents + 1), 13)]
    player = Player(ruleset)
    dealt = [player.play(cards) for cards in others]
    one = chance.choice(Layouts(ruleset.tables, own).best(Player(ruleset).by_kind))
    result = scored(ruleset, Seat("me", one.cards), dealt)
    me = result["seats"][0]
    assert [seat["foul"] for seat in result["seats"]] == [None] * (opponents + 1)
    places = formed(ruleset.tables, weigh(own))
    for place in places if ruleset.declared else places[:1]:
        declare = ruleset.specials[place].name if ruleset.declared else None
        declared = scored(ruleset, Seat("me", one.cards, True, declare), dealt)
        assert special_points(ruleset, place, own, dealt) == declared["seats"][0]["points"]
    if me["special"]:
        return
    outcome = Sample(Prices(ruleset), [dealt]).try_out(one)
    if ruleset.has_points:
        assert outcome.points == me["points"]
    rows = [duel["rows"] or {} for duel in result["duels"][:opponents]]
    winners = [[of[row]["winner"] if of else None for of in rows] for row in ("top", "middle", "bottom")]
    assert outcome.won == tuple(of_row.count("me") for of_row in winners)
    lost = sum(winner not in ("me", None) for of_row in winners for winner in of_row)
    assert outcome.balance == sum(outcome.won) - lost
    assert (outcome.sweeps, bool(outcome.clean_sweeps)) == (me["sweeps"], me["clean_sweep"])


@pytest.mark.parametrize("name", BUILT_IN)
def test_many_deals_together_are_the_sum_of_each(name: str) -> None:
    ruleset = BUILT_IN[name]
    cards = random.Random(3).sample(range(52), 13)
    player = Player(ruleset)
    deals = [[player.play(hand) for hand in hands] for hands in islice(deal(cards, 3, 1), 40)]
    whole = Sample(Prices(ruleset), deals)
    each = [Sample(Prices(ruleset), [one]) for one in deals]
    for one in Layouts(ruleset.tables, cards).best(Player(ruleset).by_kind):
        found, parts = whole.try_out(one), [sample.try_out(one) for sample in each]
        assert found.points == sum(part.points for part in parts)
        assert found.sweeps == sum(part.sweeps for part in parts)
        assert found.clean_sweeps == sum(part.clean_sweeps for part in parts)


ALWAYS = house_rules(
    "bsfyi",
    points={
        "most_rows": 1,
        "bonuses": "always",
        "top": {"pair": {"Q": 3, "K": 4, "A": 5}, "three_of_a_kind": 9},
        "bottom": {"flush": 1, "full_house": 2, "four_of_a_kind": 7},
    },
    sweep={"factor": 1, "points": 3},
    clean_sweep=None,
)


@pytest.mark.parametrize(
    ("ruleset", "opponents", "seed"),
    [(BUILT_IN["bsfyi"], 2, 11), (BUILT_IN["panduan"], 3, 12), (ALWAYS, 1, 13)],
    ids=["bsfyi", "panduan", "house"],
)
def test_the_best_one_is_the_best_of_all_arrangements_scored_one_by_one(
    ruleset: RuleSet, opponents: int, seed: int
) -> None:
    cards = random.Random(seed).sample(range(52), 13)
    player = Player(ruleset)
    dealt = islice(deal(cards, opponents, seed), 6 // opponents)
    deals = [[player.play(hand) for hand in hands] for hands in dealt]
    # Every arrangement that differs in what counts.
    every = {one.strengths: one for one in Layouts(ruleset.tables, cards).every()}
    most = max(
        sum(scored(ruleset, Seat("me", one.cards), hands)["seats"][0]["points"] or 0 for hands in deals)
        for one in every.values()
    )
    first, outcome = rank(
        Prices(ruleset), Layouts(ruleset.tables, cards).best(Player(ruleset).by_kind), deals
    )[0]
    assert outcome.points == most
    own = [scored(ruleset, Seat("me", first.cards), hands)["seats"][0]["points"] for hands in deals]
    assert sum(points or 0 for points in own) == most


# --- what is listed ----------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(ANY_RULES, DECKS, OPPONENTS, SEEDS, st.integers(1, 20))
def test_suggestions_are_in_order_and_the_same_from_the_same_seed(
    ruleset: RuleSet, deck: list[int], opponents: int, seed: int, limit: int
) -> None:
    assume(ruleset.id != "house" or not rules_mistakes(rules_of(ruleset)))
    cards = deck[:13]
    given = {"opponents": opponents, "seed": seed}
    answer = asked(ruleset, cards, limit=limit, **given)
    assert answer == asked(ruleset, cards[::-1], limit=limit, **given)
    more = asked(ruleset, cards, limit=20, **given)
    assert answer["arrangements"] == more["arrangements"][:limit]
    assert {**answer, "arrangements": []} == {**more, "arrangements": []}
    by = "expected_points" if ruleset.has_points else "expected_rows"
    brought = [one[by] for one in more["arrangements"]]
    assert brought == sorted(brought, reverse=True)
    assert len({str(of) for of in labels(more)}) == len(brought)
    for one in more["arrangements"]:
        laid_out = [card for row in one["rows"].values() for card in row["cards"]]
        assert sorted(laid_out) == sorted(answer["cards"]) == sorted(NAMES[card] for card in cards)
        (hand,) = take_up(ruleset.tables, [Seat("", parse(laid_out))], ENGLISH)
        assert hand.disorder is None
        assert show(hand.shown.rows) == one["rows"]
        assert all(0 <= chance <= 1 for chance in one["chances"].values())
    rows_count = ruleset.declared or not answer["specials"]
    assert bool(answer["arrangements"]) == rows_count


def test_another_seed_deals_other_hands() -> None:
    cards = random.Random(1).sample(range(52), 13)
    one, other = (asked(BUILT_IN["bsfyi"], cards, seed=seed) for seed in (1, 2))
    assert one["arrangements"] != other["arrangements"]


def test_a_hand_that_plays_itself() -> None:
    """Four aces cannot be bettered at the bottom, and kings over nines not in the middle."""
    answer = asked(BUILT_IN["bsfyi"], "As Ah Ac Ad 2d Ks Kh Kc 9s 9h Qs Qd 3c", limit=1)
    (best,) = answer["arrangements"]
    assert [row["cards"] for row in best["rows"].values()] == [
        ["Qs", "Qd", "3c"],
        ["Ks", "Kh", "Kc", "9s", "9h"],
        ["As", "Ah", "Ac", "Ad", "2d"],
    ]
    assert best["chances"]["middle"] > 0.9 and best["chances"]["bottom"] > 0.95
    assert best["expected_points"] > 20


def test_bonuses_change_the_advice() -> None:
    """A pair of sevens on top is nothing to look for, until it pays."""
    cards = "7s 7h Kc Kd 2c Js 9s 8s 4s 3s Ah Qd 5d"
    paid = house_rules("bsfyi", points={"top": {"pair": {"7": 500}}})
    tops = [labels(asked(ruleset, cards))[0][0] for ruleset in (BUILT_IN["bsfyi"], paid)]
    assert tops[0] != "pair of sevens" == tops[1]


def test_the_standard_error_is_that_of_the_deals() -> None:
    """It is told from twenty parts of the sample; here it is counted from each deal."""
    ruleset, cards = BUILT_IN["bsfyi"], random.Random(2).sample(range(52), 13)
    (best,) = asked(ruleset, cards, limit=1)["arrangements"]
    laid_out = parse([card for row in best["rows"].values() for card in row["cards"]])
    player = Player(ruleset)
    points = [
        scored(ruleset, Seat("me", laid_out), [player.play(hand) for hand in hands])["seats"][0][
            "points"
        ]
        for hands in islice(deal(cards, 3, 0), 120)
    ]
    assert best["expected_points"] == round(mean(points), 3)
    assert 0.5 < best["standard_error"] / (stdev(points) / len(points) ** 0.5) < 1.7


def test_without_points_rows_are_what_is_counted() -> None:
    answer = asked(BUILT_IN["gratis"], SIX_PAIRS, limit=3)
    assert (answer["ranked_by"], answer["best"], answer["specials"]) == ("rows", "arrangement", [])
    for one in answer["arrangements"]:
        assert one["expected_points"] is None
        assert one["standard_error"] > 0
        chances = one["chances"]
        assert chances["sweep"] == chances["clean_sweep"] == 0
        won = sum(chances[row] for row in ("top", "middle", "bottom"))
        # Of three rows against three opponents what is not won is mostly lost, seldom drawn.
        assert 3 * (2 * won - 3) - 0.01 <= one["expected_rows"] <= 3 * (2 * won - 3) + 0.5


# --- specials ----------------------------------------------------------------------------------------


def test_a_special_that_pays_more_is_to_be_declared() -> None:
    answer = asked(BUILT_IN["bsfyi"], DRAGON)
    assert (answer["best"], answer["declare"]) == ("special", "dragon")
    names = [special["name"] for special in answer["specials"]]
    assert names[0] == "dragon"
    # Three opponents pay 13 each, unless one of them holds a dragon too.
    assert 38 < answer["specials"][0]["expected_points"] <= 39
    assert answer["arrangements"][0]["expected_points"] < 38


def test_a_special_that_pays_less_than_the_rows_is_not() -> None:
    answer = asked(BUILT_IN["bsfyi"], FLUSHES)
    assert [special["name"] for special in answer["specials"]] == ["three_flushes"]
    assert (answer["best"], answer["declare"]) == ("arrangement", None)
    assert answer["arrangements"][0]["expected_points"] > answer["specials"][0]["expected_points"]


def test_of_several_specials_the_one_that_brings_most_is_to_be_declared() -> None:
    """The order ranks specials, whatever they pay: the lower one brings more here."""
    ranking = [{"name": "one_colour", "points": 1}, {"name": "six_pairs", "points": 50}]
    house = house_rules("bsfyi", specials={"ranking": ranking})
    answer = asked(house, "2s 2c 3s 3c 4s 4c 5s 5c 6s 6c 7s 7c 9s")
    assert [special["name"] for special in answer["specials"]] == ["one_colour", "six_pairs"]
    assert (answer["best"], answer["declare"]) == ("special", "six_pairs")


def test_a_special_that_counts_undeclared_leaves_nothing_to_arrange() -> None:
    answer = asked(BUILT_IN["panduan"], DRAGON)
    assert (answer["best"], answer["declare"], answer["arrangements"]) == ("special", None, [])
    assert [special["name"] for special in answer["specials"]] == ["dragon"]
    assert answer["specials"][0]["expected_points"] > 600


# --- opponents ---------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(DECKS, OPPONENTS, SEEDS)
def test_opponents_are_dealt_from_the_other_cards(deck: list[int], opponents: int, seed: int) -> None:
    cards = deck[:13]
    for hands in islice(deal(cards, opponents, seed), 5):
        dealt = [card for hand in hands for card in hand]
        assert len(set(dealt)) == len(dealt) == 13 * opponents
        assert not set(dealt) & set(cards)


def test_the_deals_of_a_seed_are_these_for_good() -> None:
    """The generator is named in the documentation, so that anybody can deal the same hands."""
    (first,) = next(deal(range(13), 1, 7))
    assert " ".join(NAMES[card] for card in first) == "7c Th 6s Ks Kh 7s 6d 8d Jh 8s Jc 5h Qc"


def test_opponents_play_what_is_nearly_always_the_best() -> None:
    ruleset, chance = BUILT_IN["bsfyi"], random.Random(4)
    player = Player(ruleset)
    missed = []
    for _ in range(60):
        cards = chance.sample(range(52), 13)
        best = max(
            player.worth(one.kinds)
            for one in Layouts(ruleset.tables, cards).best(Player(ruleset).by_kind)
        )
        missed.append(best - player.worth(player.arrange(cards).kinds))
    assert min(missed) > -1e-9
    assert sum(loss < 1e-9 for loss in missed) >= 50
    assert mean(missed) < 0.1


@settings(max_examples=40, deadline=None)
@given(DECKS, st.lists(st.lists(st.floats(0, 1), min_size=130, max_size=130), min_size=3, max_size=3))
def test_opponents_never_foul_whatever_they_think_of_hands(
    deck: list[int], chances: list[list[float]]
) -> None:
    ruleset = BUILT_IN["panduan"]
    played = Player(ruleset, chances).arrange(deck[:13])
    assert sorted(played.cards) == sorted(deck[:13])
    (hand,) = take_up(ruleset.tables, [Seat("", played.cards)], ENGLISH)
    assert hand.disorder is None


def test_the_chances_that_opponents_go_by_are_those_that_come_of_it() -> None:
    """Hands dealt and arranged by the table win about as often as it says."""
    chance, player = random.Random(6), Player(BUILT_IN["bsfyi"])
    played = [player.arrange(chance.sample(range(52), 13)) for _ in range(600)]
    for row in range(3):
        strengths = sorted((one.strengths[row], PLACE_OF_KIND[one.kinds[row]]) for one in played)
        for rank_in_row in range(0, 600, 25):
            told = CHANCES[row][strengths[rank_in_row][1]]
            assert abs(told - rank_in_row / 600) < 0.2
