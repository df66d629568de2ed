"""The independent scorer by itself: what was worked out by hand, and what must hold always."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from .cases import Case, request_of
from .deals import deals
from .hands import HANDS, Card, compare, one_suit, read_cards, read_hand, straight_top
from .scorer import ROWS, score
from .specials import formed
from .stacks import DECK
from .write_vectors import CASES, VECTORS, line_of, problems

RULESETS = ("bsfyi", "panduan", "gratis")
ALL_CASES = [case for cases in CASES.values() for case in cases]


@pytest.mark.parametrize("case", ALL_CASES, ids=[f"{c.ruleset}: {c.name}" for c in ALL_CASES])
def test_a_case_comes_out_as_worked_out_by_hand(case: Case) -> None:
    assert problems(case) == []


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_vectors_are_the_cases_and_score_the_same(ruleset: str) -> None:
    text = (VECTORS / f"{ruleset}.jsonl").read_text(encoding="utf-8")
    assert text == "".join(line_of(case) for case in CASES[ruleset])
    for line in text.splitlines():
        vector = json.loads(line)
        assert score(vector["request"]) == vector["result"], vector["name"]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_card_is_dealt_twice_in_a_vector(ruleset: str) -> None:
    for case in CASES[ruleset]:
        cards = cards_of(request_of(case))
        assert len(cards) == len(set(cards)), case.name


# --- hands --------------------------------------------------------------------------------------


def test_five_cards_of_a_short_deck_make_as_many_of_each_hand_as_counted() -> None:
    deck = [card for card in DECK if card.rank <= 8]
    found = Counter(read_hand(list(cards)).name for cards in combinations(deck, 5))
    assert found == {
        "straight_flush": 3 * 4,
        "four_of_a_kind": 7 * 24,
        "full_house": 7 * 4 * 6 * 6,
        "flush": 4 * (21 - 3),
        "straight": 3 * (4**5 - 4),
        "three_of_a_kind": 7 * 4 * 15 * 16,
        "two_pair": 21 * 36 * 20,
        "pair": 7 * 6 * 20 * 64,
        "high_card": (21 - 3) * (4**5 - 4),
    }


def test_three_cards_make_high_cards_pairs_and_threes_alone() -> None:
    found = Counter(read_hand(list(cards)).name for cards in combinations(DECK, 3))
    assert found == {
        "high_card": 286 * 64,
        "pair": 13 * 6 * 48,
        "three_of_a_kind": 13 * 4,
    }


def test_ranks_compare_as_another_evaluator_has_it() -> None:
    phevaluator = pytest.importorskip("phevaluator")
    rng = random.Random(5)
    for _ in range(4000):
        cards = rng.sample(DECK, 10)
        values = [
            phevaluator.evaluate_cards(*(str(card) for card in part)) for part in (cards[:5], cards[5:])
        ]
        sign, _ = compare(read_hand(cards[:5]), read_hand(cards[5:]), "gratis")
        # That evaluator gives the best hand the lowest value.
        assert sign == (values[0] < values[1]) - (values[0] > values[1]), cards


@pytest.mark.parametrize("ruleset", ["bsfyi", "panduan"])
def test_two_players_rows_are_never_equal(ruleset: str) -> None:
    rng = random.Random(11)
    for size in (3, 5):
        for _ in range(4000):
            # Few ranks, so that equal hands are common.
            cards = rng.sample([card for card in DECK if card.rank in (2, 3, 4, 5, 13, 14)], 10)
            one, other = read_hand(cards[:size]), read_hand(cards[size : 2 * size])
            sign, _ = compare(one, other, ruleset)
            assert sign in (1, -1)
            assert compare(other, one, ruleset)[0] == -sign


@pytest.mark.parametrize("ruleset", RULESETS)
def test_better_than_better_is_better(ruleset: str) -> None:
    rng = random.Random(17)
    for _ in range(4000):
        cards = rng.sample(DECK[-28:], 15)
        a, b, c = (read_hand(cards[at : at + 5]) for at in (0, 5, 10))
        if compare(a, b, ruleset)[0] >= 0 and compare(b, c, ruleset)[0] >= 0:
            assert compare(a, c, ruleset)[0] >= 0


def test_cards_are_read_in_every_spelling() -> None:
    expected = [Card(10, 4), Card(9, 3), Card(14, 2), Card(2, 1)]
    for given in ("Ts 9h Ac 2d", "10s9hac2D", "T♠ 9♥️ A♣ 2♦", ["10♠", "9H", "aC", "2♦️"]):
        assert read_cards(given) == expected
    assert [str(card) for card in expected] == ["Ts", "9h", "Ac", "2d"]


def test_hands_stand_in_the_order_of_the_rules() -> None:
    assert HANDS[0] == "high_card"
    assert HANDS.index("flush") == HANDS.index("straight") + 1 == HANDS.index("full_house") - 1
    assert HANDS[-1] == "royal_flush"


# --- specials -----------------------------------------------------------------------------------


def all_splits(cards: list[Card]) -> Iterator[tuple[list[Card], list[Card], list[Card]]]:
    """Every split into three, five and five cards."""
    for three in combinations(cards, 3):
        ten = [card for card in cards if card not in three]
        for four in combinations(ten[1:], 4):
            five = [ten[0], *four]
            yield list(three), five, [card for card in ten if card not in five]


@pytest.mark.parametrize(
    ("cards", "straights", "flushes"),
    [
        ("2s 3d 4h 4c 5s 6d 6h 7c 7s 8d 8h 9c Ts", True, False),
        ("As 2d 3h 3s 4d 5h 6c 7s 8d 9h Tc Js Qd", True, False),
        ("Qs Kd Ah 2s 3d 4h 5c 6s 2d 3h 4c 5s 6d", True, False),
        ("Ks Ad 2h 4s 5d 6h 7c 8s 5s 6d 7h 8c 9s", False, False),
        ("6c 5c 4c 2h 3h 4h 5h 6h 8s 9s Ts Js Qs", True, True),
        ("2s 4s 6s 8s Ts 3h 5h 7h 9h Jh Qs Ks As", True, True),
        ("2h 3h 4h 5h 7h 8h 9h Th Qh Kh 2c 6c Jc", False, True),
        ("As Qs Ts 8s 6s Js 9s 5s 3s Kh Jh 7h 2h", False, False),
        ("As Qs Ts 8s 6s 4s 2s Kh Jh 9h 7h 4h 2h", False, False),
        ("3s 4s 5h 6h 7s 9h Ts Jh Qs Ks As 2s 3h", True, True),
    ],
)
def test_a_special_is_found_just_when_some_split_of_all_gives_it(
    cards: str, straights: bool, flushes: bool
) -> None:
    hand = read_cards(cards)
    some_straights = some_flushes = False
    for parts in all_splits(hand):
        some_flushes = some_flushes or all(one_suit(part) for part in parts)
        some_straights = some_straights or all(straight_top(part) is not None for part in parts)
    names = formed(hand, "bsfyi")
    assert ("three_straights" in names) == straights == some_straights
    assert ("three_flushes" in names) == flushes == some_flushes


def test_six_pairs_agree_with_a_count_of_the_pairs() -> None:
    rng = random.Random(23)
    found: Counter[int] = Counter()
    for _ in range(4000):
        ranks = rng.sample(range(2, 15), rng.choice([5, 6, 7]))
        cards = rng.sample([card for card in DECK if card.rank in ranks], 13)
        pairs = sum(count // 2 for count in Counter(card.rank for card in cards).values())
        assert ("six_pairs" in formed(cards, "bsfyi")) == (pairs == 6)
        found[pairs] += 1
    assert found[5] > 100 < found[6]


@pytest.mark.parametrize(
    ("ruleset", "names"),
    [
        ("bsfyi", ["dragon", "three_straights", "three_flushes"]),
        ("panduan", ["dragon"]),
        ("gratis", []),
    ],
)
def test_each_rule_set_has_specials_of_its_own(ruleset: str, names: list[str]) -> None:
    assert formed(read_cards("2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As"), ruleset) == names


# --- whole rounds -------------------------------------------------------------------------------


def cards_of(request: dict[str, Any]) -> list[Card]:
    """All the cards of a round."""
    cards = []
    for seat in request["seats"]:
        for field in ("cards", *ROWS):
            cards += read_cards(seat.get(field, []))
    return cards


@pytest.mark.parametrize("ruleset", RULESETS)
def test_deals_are_valid_and_repeat_from_their_seed(ruleset: str) -> None:
    requests = list(deals(ruleset, 500, seed=3))
    assert requests == list(deals(ruleset, 500, seed=3))
    assert requests != list(deals(ruleset, 500, seed=4))
    for request in requests:
        cards = cards_of(request)
        assert len(cards) == len(set(cards)) == 13 * len(request["seats"])
        assert 2 <= len(request["seats"]) <= 4
        for seat in request["seats"]:
            own = cards_of({"seats": [seat]})
            assert "declare" not in seat or seat["declare"] in formed(own, ruleset)
            assert "declare" in seat or "cards" not in seat


@pytest.mark.parametrize("ruleset", ["bsfyi", "panduan"])
def test_points_and_money_add_up_to_zero(ruleset: str) -> None:
    for request in deals(ruleset, 1000, seed=7):
        result = score(request)
        assert sum(seat["points"] for seat in result["seats"]) == 0
        for duel in result["duels"]:
            assert sum(duel["points"]) == 0
            if duel["rows"] and duel["winner"]:
                rows = duel["rows"].values()
                signs = [1 if row["winner"] == duel["winner"] else -1 for row in rows]
                won = sum(sign * row["points"] for sign, row in zip(signs, rows, strict=True))
                assert max(duel["points"]) == duel["factor"] * won + duel["bonus"]
        if "stake" in request:
            money = [seat["money"] for seat in result["seats"]]
            assert sum(one["won"] for one in money) == 0
            assert sum(one["net"] + one["fee"] for one in money) == 0


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_order_of_the_seats_changes_nothing(ruleset: str) -> None:
    for request in deals(ruleset, 500, seed=9):
        there = score(request)
        back = score({**request, "seats": request["seats"][::-1]})
        assert there["seats"] == back["seats"][::-1]
        outcomes = {frozenset(duel["players"]): duel["outcome"] for duel in there["duels"]}
        for duel in back["duels"]:
            assert outcomes[frozenset(duel["players"])] == duel["outcome"]


def test_deals_bring_every_outcome_and_every_bonus() -> None:
    outcomes: Counter[str] = Counter()
    won: Counter[tuple[str, int]] = Counter()
    fouls: Counter[str] = Counter()
    decided: Counter[str] = Counter()
    for request in deals("bsfyi", 2500, seed=1):
        result = score(request)
        fouls.update(seat["foul"]["code"] for seat in result["seats"] if seat["foul"])
        for duel in result["duels"]:
            outcomes[duel["outcome"]] += 1
            for name, row in (duel["rows"] or {}).items():
                won[name, row["points"]] += 1
                decided[row["decided_by"]] += 1
    assert set(outcomes) == {
        "rows", "sweep", "clean_sweep", "foul", "both_foul", "special", "special_tie",
    }  # fmt: skip
    assert set(fouls) == {"top_over_middle", "middle_over_bottom", "both"}
    assert set(decided) == {"hand", "ranks", "suit", "foul"}
    assert set(won) == {
        ("top", 1), ("top", 5),
        ("middle", 1), ("middle", 3), ("middle", 14), ("middle", 18), ("middle", 22),
        ("bottom", 1), ("bottom", 7), ("bottom", 9), ("bottom", 11),
    }  # fmt: skip
    assert min(outcomes.values()) >= 20


def test_gratis_gives_no_points_at_all() -> None:
    for request in deals("gratis", 500, seed=2):
        result = score(request)
        for seat in result["seats"]:
            assert seat["points"] is None
            assert (seat["sweeps"], seat["clean_sweep"], seat["could_declare"]) == (0, False, [])
        for duel in result["duels"]:
            assert duel["outcome"] in ("rows", "foul", "both_foul")
            assert [duel[name] for name in ("winner", "factor", "bonus", "points")] == [None] * 4
            assert all(row["points"] is None for row in (duel["rows"] or {}).values())
