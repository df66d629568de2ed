"""House rules on comparing rows: suits, A-2-3-4-5, and what is looked at in turn."""

from typing import Any

import pytest

from service.rules.ruleset import RuleSet
from tests.rules.rounds import house_rules, points
from tests.rules.settling import settle

# The same ranks in every row; the key cards are spades and diamonds for a, hearts and clubs for b.
SAME_RANKS = {
    "a": "Ks Qd 9c / 8s 8d 6c 5d 3c / As Ad Jc 7d 4c",
    "b": "Kh Qc 9d / 8h 8c 6d 5c 3d / Ah Ac Jd 7c 4d",
}
LOW_STRAIGHT = "9d 8c 6h / Kd Qs 7s 4c 2d / Ah 2c 3d 4s 5h"


def bottom_of(ruleset: RuleSet, texts: dict[str, str]) -> tuple[Any, Any]:
    """Who wins the bottom row of a round of two, and by what."""
    rows: Any = settle(ruleset, texts)["duels"][0]["rows"]
    return rows["bottom"]["winner"], rows["bottom"]["decided_by"]


@pytest.mark.parametrize(
    ("suits", "gain"),
    [
        # spades win all three rows: 3 x 2
        ("shcd", 6),
        # hearts do
        ("hscd", -6),
        # a's diamond pairs beat clubs, but b's heart king the spade one: 1 + 1 - 1
        ("dchs", 1),
        # all three rows draw
        ("", 0),
    ],
)
def test_suits_can_be_ordered_otherwise_or_not_at_all(suits: str, gain: int) -> None:
    house = house_rules(comparison={"suits": list(suits)})
    result = settle(house, SAME_RANKS)
    assert points(result) == [gain, -gain]
    assert result["seats"][0]["sweeps"] == (gain == 6)


def test_a_drawn_row_gives_nothing_and_prevents_a_sweep() -> None:
    house = house_rules(comparison={"suits": []})
    result = settle(house, {**SAME_RANKS, "b": "Kh Qc 9d / 7h 7c 6d 5c 3d / Qh Qs Jd Th 4d"})
    rows: Any = result["duels"][0]["rows"]
    assert rows["top"] == {"winner": None, "points": 0, "decided_by": "draw"}
    # 1 + 1, without a factor
    assert points(result) == [2, -2]
    assert result["duels"][0]["outcome"] == "rows"


def test_suits_make_a_foul_where_the_order_of_rows_goes_by_them() -> None:
    texts = {
        "a": "3s 3d 2c / 9s 8d 7c 6s 5h / 9h 8c 7d 6c 5d",  # a spade nine over a heart nine
        "b": "4s 6d 7h / Qs Qh Jc Td 2d / Kh Kd Kc 4c 4h",
    }

    def is_foul(base: str, by_suits: bool) -> bool:
        house = house_rules(base, order={"suits": by_suits})
        return settle(house, texts)["seats"][0]["foul"] is not None

    assert [is_foul("bsfyi", False), is_foul("bsfyi", True)] == [False, True]
    assert [is_foul("panduan", False), is_foul("panduan", True)] == [False, True]


@pytest.mark.parametrize(
    ("wheel", "winner", "decided_by", "gain"),
    [
        # b wins top and bottom, a the middle
        ("lowest", "b", "ranks", -1),
        # A-2-3-4-5 beats 9-T-J-Q-K
        ("second_highest", "a", "ranks", 1),
        # A-2-3-4-5 is ace high
        ("none", "b", "hand", -1),
    ],
)
def test_ace_to_five_has_the_place_it_is_given(
    wheel: str, winner: str, decided_by: str, gain: int
) -> None:
    house = house_rules(comparison={"wheel": wheel})
    texts = {"a": LOW_STRAIGHT, "b": "Td 7c 6s / Jh 8s 5c 3c 2s / 9s Th Jd Qc Kh"}
    assert bottom_of(house, texts) == (winner, decided_by)
    assert points(settle(house, texts)) == [gain, -gain]


def test_the_second_highest_straight_loses_to_the_highest() -> None:
    house = house_rules(comparison={"wheel": "second_highest"})
    texts = {"a": LOW_STRAIGHT, "b": "9c 7c 6s / Jh 8s 5c 3c 2s / As Th Jd Qc Kh"}
    assert bottom_of(house, texts) == ("b", "ranks")


@pytest.mark.parametrize(("wheel", "winner"), [("lowest", "b"), ("second_highest", "a")])
def test_two_straights_to_the_five_are_told_apart_by_the_card_that_leads_them(
    wheel: str, winner: str
) -> None:
    """By the five where the ace is low (clubs over diamonds), by the ace where it is high."""
    texts = {
        "a": "9d 8c 6h / Kd Qs 7s 4c 2h / As 2c 3d 4s 5d",
        "b": "Td 7c 6s / Jh 8s 5h 3h 2s / Ah 2d 3c 4h 5c",
    }
    assert bottom_of(house_rules(comparison={"wheel": wheel}), texts) == (winner, "suit")


def test_without_ace_to_five_a_pair_above_it_is_a_foul() -> None:
    texts = {
        "a": "9d 8c 6h / Kd Ks 7s 4c 2d / Ah 2c 3d 4s 5h",
        "b": "Td 7c 6s / Jh 8s 5c 3c 2s / 9s Th Jd Qc Kh",
    }
    for wheel, foul in (("lowest", False), ("second_highest", False), ("none", True)):
        result = settle(house_rules(comparison={"wheel": wheel}), texts)
        assert (result["seats"][0]["foul"] is not None) is foul


def compare(suits: str = "shcd", **hands: list[str]) -> RuleSet:
    """House rules that look at other things in turn for some hands."""
    in_turn = {**house_rules().document["comparison"]["hands"], **hands}
    return house_rules(comparison={"hands": in_turn, "suits": list(suits)})


TOPS_AND_MIDDLES = ("Qd 8c 6h / Kd Qs 7d 4c 2d", "Jd 7c 6d / Jc 8d 5c 3c 2c")


@pytest.mark.parametrize(
    ("ruleset", "a", "b", "expected"),
    [
        # The better kicker, or else the better suit of the pair.
        (compare(), "Th Tc 9s 5h 3d", "Ts Td 9h 4h 3s", ("a", "ranks")),
        (compare(pair=["pair", "key_suit"]), "Th Tc 9s 5h 3d", "Ts Td 9h 4h 3s", ("b", "suit")),
        (compare(pair=["pair"]), "Th Tc 9s 5h 3d", "Ts Td 9h 4h 3s", (None, "draw")),
        # The lower pair, or else the suit of the higher.
        (compare(), "Th Tc 9s 9h 3d", "Ts Td 4d 4h 3s", ("a", "ranks")),
        (compare(two_pair=["high_pair", "key_suit"]), "Th Tc 9s 9h 3d", "Ts Td 4d 4h 3s", ("b", "suit")),
        # The higher card of the flush, or the better suit first.
        (compare(), "Ah 9h 5h 4h 3h", "As Ts 6s 4s 3s", ("b", "ranks")),
        (compare(flush=["suit", "ranks"]), "Ah Kh 5h 4h 3h", "As Ts 6s 4s 3s", ("b", "suit")),
        (compare(flush=["ranks", "suit"]), "Ah Kh 5h 4h 3h", "As Ts 6s 4s 3s", ("a", "ranks")),
        # The higher straight, or the better suit, or neither.
        (compare(), "6c 7h 8h 9h Th", "5d 6s 7s 8s 9s", ("a", "ranks")),
        (compare(straight=["key_suit"]), "6c 7h 8h 9h Th", "5d 6s 7s 8s 9s", ("b", "suit")),
        (compare(straight=[]), "6c 7h 8h 9h Th", "5d 6s 7s 8s 9s", (None, "draw")),
        (compare(), "7h 8h 9h Th Jh", "2s 3s 4s 5s 6s", ("a", "ranks")),
        (
            compare(straight_flush=["suit", "top_card"]),
            "7h 8h 9h Th Jh",
            "2s 3s 4s 5s 6s",
            ("b", "suit"),
        ),
        (compare(straight_flush=[]), "7h 8h 9h Th Jh", "2s 3s 4s 5s 6s", (None, "draw")),
        (compare(straight_flush=[]), "Th Jh Qh Kh Ah", "2s 3s 4s 5s 6s", ("a", "hand")),
    ],
)
def test_a_hand_is_compared_by_what_is_listed(
    ruleset: RuleSet, a: str, b: str, expected: tuple[Any, Any]
) -> None:
    top_and_middle_a, top_and_middle_b = TOPS_AND_MIDDLES
    texts = {"a": f"{top_and_middle_a} / {a}", "b": f"{top_and_middle_b} / {b}"}
    assert bottom_of(ruleset, texts) == expected
