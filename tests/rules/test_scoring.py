"""Points of rounds: worked examples whose answers were added up by hand."""

from typing import Any

import pytest

from tests.rules.rounds import points, score_text

SWEPT = {
    "a": "Ks Kh 2d / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c",
    "b": "Qs Qh 5d / 8s 8h 8d 7c 7s / Tc Td Th Jc Js",
}


@pytest.mark.parametrize(
    ("ruleset", "won", "bonus"), [("bsfyi", 22, 0), ("panduan", 16, 10), ("toto", 16, 10)]
)
def test_a_sweep_multiplies_bonuses_or_adds_them_after_it(ruleset: str, won: int, bonus: int) -> None:
    result = score_text(ruleset, SWEPT)
    assert points(result) == [won, -won]
    duel = result["duels"][0]
    assert (duel["outcome"], duel["winner"], duel["factor"], duel["bonus"]) == ("sweep", "a", 2, bonus)


def test_quads_that_lose_earn_nothing_and_pay_for_the_straight_flush() -> None:
    result = score_text(
        "bsfyi",
        {
            "a": "2s 3h 8d / 5s 5h 8c Jd Qc / Ks Kh Kd Kc 2d",
            "b": "3s 4h 6d / 4s 4c Jc Qd 9c / Th 9h 8h 7h 6h",
        },
    )
    bottom = result["duels"][0]["rows"]["bottom"]  # type: ignore[index]
    assert bottom == {"winner": "b", "points": 9, "decided_by": "hand"}
    assert points(result) == [1 + 1 - 9, 9 - 1 - 1]


def test_sweeping_all_but_one_is_no_clean_sweep() -> None:
    result = score_text(
        "bsfyi",
        {
            "a": "As Kh Jd / 9s 9h Ad 4c 3s / Ks Kc Qd Qs 3c",
            "b": "Qh 8d 7c / 8s 8h 7d 6s 2s / Tc Ts 6d 5c 4h",
            "c": "Qc 7s 6h / Kd 9d 8c 7h 2h / 3h 3d Ah Jc 5s",
            "d": "Ac 9c 4d / Th Td 2d 2c 4s / Js Jh 5d 5h 6c",
        },
    )
    seat, duels = result["seats"][0], result["duels"]
    assert (seat["sweeps"], seat["clean_sweep"], seat["points"]) == (2, False, 6 + 6 + 1)
    settled = [(duel["outcome"], duel["factor"], duel["points"]) for duel in duels[:3]]
    assert settled == [
        ("sweep", 2, [6, -6]),
        ("sweep", 2, [6, -6]),
        ("rows", 1, [1, -1]),
    ]


@pytest.mark.parametrize(("ruleset", "clean_sweep"), [("bsfyi", True), ("panduan", False)])
def test_two_fouls_pay_the_third_player_four_times(ruleset: str, clean_sweep: bool) -> None:
    result = score_text(
        ruleset,
        {
            "a": "Ks Ah 2d / 9s 9h Kd 4c 3s / As Ac Kc Kh 3d",
            "b": "Qs Qh 5d / 8s Jh 8d 7c 2s / Tc 7d Th 3c 4s",
            "c": "Js Jd 5h / 6s 6h 9c 8c 2h / Ts 9d 4d 5c 2c",
        },
    )
    fouls = [seat["foul"] and seat["foul"]["code"] for seat in result["seats"]]
    assert fouls == [None, "top_over_middle", "both"]
    assert points(result) == [24, -12, -12]
    assert [duel["outcome"] for duel in result["duels"]] == ["foul", "foul", "both_foul"]
    assert [duel["factor"] for duel in result["duels"]] == [4, 4, 1]
    assert result["seats"][0]["clean_sweep"] is clean_sweep


def test_declared_specials_take_from_fouls_too_and_no_row_is_compared() -> None:
    result = score_text(
        "bsfyi",
        {
            "a": "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8d",
            "b": "As Ks Qs Js 9s Ah Kh Qh Jh 9h 2d 3d 4d",
            "c": "Ad Ac Kd / 7c 8c Tc Jc 2c / 9d 9c Td Th 3c",
        },
        a="six_pairs",
        b="three_flushes",
    )
    assert points(result) == [6, -3 + 3, -3 - 3]
    assert [(duel["outcome"], duel["rows"]) for duel in result["duels"]] == [("special", None)] * 3
    assert result["seats"][2]["foul"] is not None


def test_one_row_of_four_players_settled_in_money() -> None:
    """Full house over flush over straight over pair: +300, +100, -100, -300 at a stake of 100."""
    players = {
        "andi": "2s 4h 6d / 7s 8h Td Qc 3h / Js Jh Jd 3c 3s",
        "budi": "2h 4d 6c / 8s Tc Jc Qd 3d / Ah Qh 9h 7h 6h",
        "cinta": "2d 5s 7c / 4s 8c Ks Qs Ts / 9s 8d 7d 6s 5h",
        "dita": "Kh 9c 2c / 5c 5d Ad Kc 4c / As Ac Kd Th 9d",
    }
    result = score_text("panduan", players, stake=100)
    won = dict.fromkeys(players, 0)
    for duel in result["duels"]:
        row: Any = duel["rows"]["bottom"] if duel["rows"] else None
        for player in duel["players"]:
            won[player] += 100 * row["points"] * (1 if row["winner"] == player else -1)
    assert won == {"andi": 300, "budi": 100, "cinta": -100, "dita": -300}


@pytest.mark.parametrize("ruleset", ["bsfyi", "panduan", "gratis"])
def test_the_sum_of_every_duel_can_be_redone_from_its_rows(ruleset: str) -> None:
    result = score_text(ruleset, SWEPT)
    for duel in result["duels"]:
        rows = duel["rows"] or {}
        if duel["points"] is None:
            assert all(row["points"] is None for row in rows.values())
            continue
        won = sum(
            (row["points"] or 0) * (1 if row["winner"] == duel["winner"] else -1)
            for row in rows.values()
        )
        assert max(duel["points"]) == (duel["factor"] or 0) * won + (duel["bonus"] or 0)
