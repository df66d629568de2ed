"""House rules on rows, sweeps and fouls: changes of data alone, with answers added up by hand."""

from typing import Any

import pytest

from service.rules.ruleset import RuleSet
from tests.rules.rounds import Document, house_rules, points
from tests.rules.settling import settle

# a sweeps b: pair of kings, a full house (bonus 3) and four of a kind (7), over a pair of queens, a
# full house (3) and a full house (no bonus at the bottom).
SWEPT = {
    "a": "Ks Kh 2d / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c",
    "b": "Qs Qh 5d / 8s 8h 8d 7c 7s / Tc Td Th Jc Js",
}
# a sweeps b with rows that have no bonus.
PLAINLY_SWEPT = {
    "a": "Ks Qh 9d / Ts Th 4c 3s 2d / As Ac Kd 7h 6c",
    "b": "Jh 8d 7c / 8s 8h 6s 5c 2s / Jc Js Td 9c 4h",
}
# a wins the top with trips (5) and the middle with a full house (3) over another (3); b wins the bottom
# with a straight flush (9) over a full house.
TWO_TO_ONE = {
    "a": "5s 5h 5d / Ks Kh Kd 2c 2d / As Ac Ad 3h 3c",
    "b": "Qs Qh 9d / 8h 8c 8s Ts Td / 9c Tc Jc Qc Kc",
}
# b fouls (trips over a pair); a is in order, with bonuses of 3 and 7.
FOULED = {"a": SWEPT["a"], "b": "Qs Qh Qd / 8s 8d Jh 7c 2s / Tc Th 7d 6s 3d"}
# b and c foul; a has no bonus.
TWO_FOULS = {
    "a": "Ks Ah 2d / 9s 9h Kd 4c 3s / As Ac Kc Kh 3d",
    "b": "Qs Qh 5d / 8s Jh 8d 7c 2s / Tc 7d Th 3c 4s",
    "c": "Js Jd 5h / 6s 6h 9c 8c 2h / Ts 9d 4d 5c 2c",
}
# a sweeps everybody, with rows that have no bonus.
ALL_SWEPT = {
    "a": "As Kh Jd / 9s 9h Ad 4c 3s / Ks Kc Qd Qs 3c",
    "b": "Qh 8d 7c / 8s 8h 7d 6s 2s / Tc Ts 6d 5c 4h",
    "c": "Qc 7s 6h / Kd 9d 8c 7h 2h / 3h 3d Ah Jc 5s",
    "d": "9c 5d 4d / 2d 2c Ac Th 6c / Js Jh Td 5h 4s",
}


def duel_of_two(ruleset: RuleSet, texts: dict[str, str]) -> tuple[Any, ...]:
    """Outcome, factor, bonus and a's points of a round of two."""
    duel: Any = settle(ruleset, texts)["duels"][0]
    return duel["outcome"], duel["factor"], duel["bonus"], duel["points"][0]


def rows_of(result: Document) -> Any:
    return result["duels"][0]["rows"]


@pytest.mark.parametrize(
    ("changes", "texts", "expected"),
    [
        # 1 + 1 + 1, + 3
        ({}, PLAINLY_SWEPT, ("sweep", 1, 3, 6)),
        # 1 + 3 + 7, + 3
        ({}, SWEPT, ("sweep", 1, 3, 14)),
        # 1 + 1 + 1, + the sweep's 3 and the bonuses of 3 + 7
        ({"points": {"factors": "rows"}}, SWEPT, ("sweep", 1, 13, 16)),
        # no sweep, so nothing but the rows: 5 + 3 - 9
        ({}, TWO_TO_ONE, ("rows", 1, 0, -1)),
        # the foul is swept: 1 + 3 + 7, + 3
        ({}, FOULED, ("foul", 1, 3, 14)),
    ],
)
def test_a_sweep_can_add_points_instead_of_multiplying(
    changes: dict[str, Any], texts: dict[str, str], expected: tuple[Any, ...]
) -> None:
    house = house_rules(sweep={"factor": 1, "points": 3}, **changes)
    assert duel_of_two(house, texts) == expected


def test_a_sweep_can_multiply_and_add() -> None:
    # (1 + 3 + 7) x 2 + 5
    assert duel_of_two(house_rules(sweep={"points": 5}), SWEPT) == ("sweep", 2, 5, 27)


def test_a_clean_sweep_can_add_points_too() -> None:
    house = house_rules(clean_sweep={"factor": 1, "points": 6})
    result = settle(house, ALL_SWEPT)
    # from each of three: 1 + 1 + 1, + 6
    assert result["seats"][0]["points"] == 3 * 9
    assert {duel["outcome"] for duel in result["duels"][:3]} == {"clean_sweep"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        # 5 + 3 - 9, + 1 for two rows of three: nobody gains
        (TWO_TO_ONE, ("rows", 1, 1, 0)),
        # (1 + 3 + 7) x 2, + 1 for all three rows
        (SWEPT, ("sweep", 2, 1, 23)),
        # the same for the rows that a foul loses
        (FOULED, ("foul", 2, 1, 23)),
    ],
)
def test_the_most_rows_of_a_duel_can_earn_a_point(
    texts: dict[str, str], expected: tuple[Any, ...]
) -> None:
    assert duel_of_two(house_rules(points={"most_rows": 1}), texts) == expected


def test_the_point_for_the_most_rows_goes_to_their_winner_even_if_others_gain() -> None:
    turned = {"b": TWO_TO_ONE["b"], "a": TWO_TO_ONE["a"]}
    duel = settle(house_rules(points={"bonuses": "always", "most_rows": 2}), turned)["duels"][0]
    # b: 1 - 1 - 1, bonuses 3 + 9 against 5 + 3, and 2 for a's rows
    assert (duel["winner"], duel["bonus"], duel["points"]) == ("b", 12 - 8 - 2, [1, -1])


def test_the_most_rows_earn_the_same_point_however_many_they_are() -> None:
    house = house_rules(points={"most_rows": 1}, sweep=None, clean_sweep=None)
    # 1 + 3 + 7, + 1
    assert duel_of_two(house, SWEPT) == ("rows", 1, 1, 12)


def test_equal_numbers_of_rows_earn_no_point() -> None:
    house = house_rules(
        "gratis", points={"row": 1, "most_rows": 1, "bonuses": "instead", "factors": "all"}
    )
    drawn_middle = {
        "a": "Ks Qd 9c / 8s 8d 6c 5d 3c / As Ad Jc 7d 4c",
        "b": "Qh Jh 9d / 8h 8c 6d 5c 3d / Ah Ac Jd 7c 5h",
    }
    # a wins the top, b the bottom, the middle draws
    assert duel_of_two(house, drawn_middle) == ("rows", 1, 0, 0)


RANKED_TOPS = {
    "pair": {"6": 1, "7": 2, "8": 3, "9": 4, "T": 5, "J": 6, "Q": 7, "K": 8, "A": 9},
    "three_of_a_kind": {rank: number for number, rank in enumerate("23456789TJQKA", 10)},
}


@pytest.mark.parametrize(
    ("top", "worth"),
    [
        ("5s 5h 2d", 1),
        ("6s 6h 2d", 1),
        ("Qs Qh 2d", 7),
        ("As Ah 2d", 9),
        ("2s 2h 2d", 10),
        ("8s 8h 8d", 16),
        ("As Ah Ad", 22),
    ],
)
def test_a_row_can_be_worth_more_for_higher_ranks(top: str, worth: int) -> None:
    house = house_rules(points={"top": RANKED_TOPS})
    result = settle(
        house,
        {
            "a": f"{top} / 3c 4c 5c 6c 7d / 8c 9c Tc Jc Qd",
            "b": "Kd 9d 4d / 3h 7h 9h Jh Kh / Ts Th Td 3s 3d",
        },
    )
    assert rows_of(result)["top"] == {"winner": "a", "points": worth, "decided_by": "hand"}
    # b wins the middle and the bottom, 1 each
    assert points(result) == [worth - 2, 2 - worth]


@pytest.mark.parametrize(
    ("bonuses", "factors", "texts", "expected"),
    [
        # the won rows' values: 5 + 3 - 9
        ("instead", "all", TWO_TO_ONE, ("rows", 1, 0, -1)),
        # (1 + 5) + (1 + 3) - (1 + 9)
        ("added", "all", TWO_TO_ONE, ("rows", 1, 0, 0)),
        # 1 + 1 - 1, and 5 + 3 against 3 + 9, the lost full house included
        ("always", "all", TWO_TO_ONE, ("rows", 1, 4, -3)),
        ("always", "rows", TWO_TO_ONE, ("rows", 1, 4, -3)),
        # (1 + 3 + 7) x 2
        ("instead", "all", SWEPT, ("sweep", 2, 0, 22)),
        # (1 + 1 + 1) x 2 + 3 + 7
        ("instead", "rows", SWEPT, ("sweep", 2, 10, 16)),
        # (1 + 4 + 8) x 2
        ("added", "all", SWEPT, ("sweep", 2, 0, 26)),
        # (1 + 1 + 1) x 2 + 3 + 7
        ("added", "rows", SWEPT, ("sweep", 2, 10, 16)),
        # (1 + 1 + 1) x 2, and 3 + 7 against 3, x 2
        ("always", "all", SWEPT, ("sweep", 2, 14, 20)),
        # (1 + 1 + 1) x 2, and 3 + 7 against 3
        ("always", "rows", SWEPT, ("sweep", 2, 7, 13)),
        # as the sweeps, but the foul player's trips on top earn nothing
        ("always", "all", FOULED, ("foul", 2, 20, 26)),
        ("always", "rows", FOULED, ("foul", 2, 10, 16)),
        ("added", "all", FOULED, ("foul", 2, 0, 26)),
    ],
)
def test_bonuses_replace_the_point_or_come_with_it_or_are_always_paid(
    bonuses: str, factors: str, texts: dict[str, str], expected: tuple[Any, ...]
) -> None:
    assert duel_of_two(house_rules(points={"bonuses": bonuses, "factors": factors}), texts) == expected


def test_a_row_can_be_worth_more_than_one_point() -> None:
    # (2 + 3 + 7) x 2
    assert duel_of_two(house_rules(points={"row": 2}), SWEPT) == ("sweep", 2, 0, 24)


@pytest.mark.parametrize(
    ("foul", "expected"),
    [
        # 6 and no more
        ({"pays": "points", "points": 6}, ("foul", 1, 6, 6)),
        # 6 and the bonuses of 3 + 7
        ({"pays": "points", "points": 6, "bonuses": True}, ("foul", 1, 16, 16)),
        # (1 + 3 + 7) x 2
        ({"pays": "sweep"}, ("foul", 2, 0, 22)),
        # (1 + 3 + 7) x 4, though two players make no clean sweep
        ({"pays": "clean_sweep"}, ("foul", 4, 0, 44)),
    ],
)
def test_a_foul_can_pay_a_flat_number_or_as_if_swept(
    foul: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    assert duel_of_two(house_rules(foul=foul), FOULED) == expected


def test_each_foul_pays_a_flat_number_to_each_player_in_order() -> None:
    result = settle(house_rules(foul={"pays": "points", "points": 6}), TWO_FOULS)
    # 6 from each, and nothing between the fouls
    assert points(result) == [12, -6, -6]
    assert rows_of(result)["top"] == {"winner": "a", "points": 0, "decided_by": "foul"}


@pytest.mark.parametrize("base", ["bsfyi", "panduan"])
def test_without_a_price_a_foul_pays_nothing(base: str) -> None:
    house = house_rules(base, foul=None)
    assert points(settle(house, FOULED)) == [0, 0]
    assert settle(house, FOULED)["duels"][0]["outcome"] == "foul"
    # Nor do the fouls pay when the third player sweeps them.
    assert points(settle(house, TWO_FOULS)) == [0, 0, 0]


@pytest.mark.parametrize("base", ["bsfyi", "panduan"])
def test_without_sweeps_three_rows_are_only_three_rows(base: str) -> None:
    house = house_rules(base, sweep=None, clean_sweep=None)
    # 1 + 3 + 7
    assert duel_of_two(house, SWEPT) == ("rows", 1, 0, 11)
    # and so for the three rows that a foul loses
    assert duel_of_two(house, FOULED) == ("foul", 1, 0, 11)
    assert [seat["sweeps"] for seat in settle(house, ALL_SWEPT)["seats"]] == [0, 0, 0, 0]


def test_without_a_clean_sweep_sweeping_all_is_only_sweeping_each() -> None:
    house = house_rules(clean_sweep=None)
    result = settle(house, ALL_SWEPT)
    # 3 x 2 from each of three
    assert (result["seats"][0]["points"], result["seats"][0]["clean_sweep"]) == (18, False)
    assert points(settle(house, TWO_FOULS)) == [12, -6, -6]


def test_without_a_clean_sweep_a_foul_that_pays_one_pays_a_sweep() -> None:
    # (1 + 1 + 1) x 2 + 3 + 7
    assert duel_of_two(house_rules("panduan", clean_sweep=None), FOULED) == ("foul", 2, 10, 16)


@pytest.mark.parametrize("least", [1, 2, 3])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_clean_sweep_takes_enough_opponents(least: int, players: int) -> None:
    house = house_rules(clean_sweep={"opponents": least})
    result = settle(house, dict(list(ALL_SWEPT.items())[:players]))
    opponents = players - 1
    factor = 4 if opponents >= least else 2
    # 3 rows x 4 (or x 2) from each
    assert result["seats"][0]["points"] == 3 * factor * opponents
    assert result["seats"][0]["clean_sweep"] is (factor == 4)


def test_sweeping_a_foul_counts_towards_a_clean_sweep_whatever_it_pays() -> None:
    house = house_rules(foul={"pays": "points", "points": 6})
    texts = {"a": ALL_SWEPT["a"], "b": ALL_SWEPT["b"], "c": "3h 3d Ah / Kd 9d 8c 7h 2h / Qc 7s 6h Jc 5s"}
    result = settle(house, texts)
    # 3 x 4 from b, 6 from c; b takes 6 from c
    assert points(result) == [12 + 6, -12 + 6, -12]


def test_the_fee_is_a_share_of_each_positive_total_rounded_down() -> None:
    house = house_rules(money={"fee": 250})
    # 22 points of 100 are 2200; 2.5 % of that are 55
    won, lost = (seat["money"] for seat in settle(house, SWEPT, stake=100)["seats"])
    assert won == {"won": 2200, "fee": 55, "net": 2145}
    assert lost == {"won": -2200, "fee": 0, "net": -2200}
    # 22 of 3 are 66; 2.5 % of that are 1.65
    assert settle(house, SWEPT, stake=3)["seats"][0]["money"]["fee"] == 1
