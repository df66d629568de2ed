"""The simulation's own count, and that it sees every difference."""

from fractions import Fraction
from typing import Any

import pytest

from service.simulation.ledger import TIE_BREAKS, Ledger, differences


def seat(player: str, points: int, **more: Any) -> dict[str, Any]:
    nothing = {"sweeps": 0, "clean_sweep": False, "foul": None, "special": None}
    return {"player": player, "points": points, **nothing, **more}


def played(
    match: str,
    number: int,
    seats: list[dict[str, Any]],
    *,
    status: str = "valid",
    winner: str | None = None,
) -> dict[str, Any]:
    """A round in which, if somebody is the winner, that player wins two rows of each duel."""
    names = [one["player"] for one in seats]
    duels = []
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            won = winner if winner in (one, other) else None
            rows = {"top": {"winner": won}, "middle": {"winner": won}, "bottom": {"winner": None}}
            duels.append({"players": [one, other], "rows": rows if won else None})
    ids = {"id": f"{match}-{number}", "match": match, "status": status}
    return {**ids, "seats": seats, "duels": duels}


def book(rank_by: str = "points", stake: int | None = None) -> Ledger:
    """Two tables of three; at the second, two of three are equal."""
    ledger = Ledger(rank_by, stake)
    ledger.enter("abcdefg")
    ledger.seat("m1", 1, "abc")
    ledger.seat("m2", 1, "def")
    foul = {"code": "both"}
    ledger.write(played("m1", 1, [seat("a", 6, sweeps=2), seat("b", -2), seat("c", -4)], winner="a"))
    ledger.write(played("m1", 2, [seat("a", -1), seat("b", 1), seat("c", 0, foul=foul)]))
    ledger.write(played("m2", 1, [seat("d", 2), seat("e", 2), seat("f", -4)]))
    for match in ("m1", "m2"):
        ledger.finish(match)
    return ledger


def shown(ledger: Ledger, rank_by: str = "points") -> dict[str, Any]:
    """What a service that counts as we do would show."""
    lines = [{"player": player, **line} for player, line in ledger.standings().items()]
    for line in lines:
        each = line["points_per_opponent"]
        line["points_per_opponent"] = None if each is None else round(float(each), 4)
        line["placings"] = float(line["placings"])
    lines.sort(key=lambda line: line["place"])
    return {"rank_by": rank_by, "tie_breaks": [rank_by, *TIE_BREAKS], "items": lines}


def test_rounds_are_added_up() -> None:
    line = book().standings()["a"]
    counts = {
        "points": 5,
        "opponents": 4,
        "rounds": 2,
        "rows_won": 4,
        "sweeps": 2,
        "matches": 1,
        "wins": 1,
    }
    assert counts.items() <= line.items()
    assert line["points_per_opponent"] == Fraction(5, 4)
    assert book().standings()["c"]["fouls"] == 1


def test_placings_are_n_to_1_and_equal_ones_share_the_average() -> None:
    standings = book().standings()
    assert {player: float(line["placings"]) for player, line in standings.items()} == {
        **{"a": 3, "b": 2, "c": 1, "d": 2.5, "e": 2.5, "f": 1, "g": 0}
    }
    assert [standings[player]["wins"] for player in "ade"] == [1, 0, 0]


def test_equal_ones_share_the_place_and_the_next_place_counts_them() -> None:
    standings = book().standings()
    assert {player: line["place"] for player, line in standings.items()} == {
        **{"a": 1, "d": 2, "e": 2, "g": 4, "b": 5, "f": 6, "c": 7}
    }
    assert {player for player, line in standings.items() if line["tied"]} == {"d", "e"}


def test_who_has_met_nobody_comes_last_per_opponent() -> None:
    standings = book("points_per_opponent").standings()
    assert standings["g"]["place"] == 7
    assert standings["d"]["place"] == 2  # 1 a duel, before 5 in four of a's


def test_a_correction_replaces_a_round_and_a_void_takes_it_away() -> None:
    ledger = book()
    seats = [seat("d", 0), seat("e", 1), seat("f", -1)]
    ledger.write(played("m2", 1, seats, status="corrected"))
    assert [ledger.standings()[player]["points"] for player in "def"] == [0, 1, -1]
    ledger.write(played("m2", 1, seats, status="void"))
    line = ledger.standings()["e"]
    assert (line["points"], line["rounds"], line["matches"], line["placings"]) == (0, 0, 0, 0)


def test_an_open_match_places_nobody() -> None:
    ledger = book()
    ledger.seat("m3", 2, "ab")
    ledger.write(played("m3", 1, [seat("a", 1), seat("b", -1)]))
    assert ledger.standings()["a"]["matches"] == 1
    assert ledger.standings(2)["a"]["points"] == 1
    assert ledger.standings(2).keys() == set("ab")
    assert ledger.standings(1)["a"]["points"] == 5


def test_adjustments_of_a_match_decide_it_and_those_of_the_tournament_count_over_all() -> None:
    ledger = book()
    ledger.give("b", 10, "m1")
    ledger.give("g", 3)
    over_all, stage = ledger.standings(), ledger.standings(1)
    assert (over_all["b"]["points"], over_all["b"]["wins"], stage["b"]["points"]) == (9, 1, 9)
    assert (over_all["g"]["points"], over_all["g"]["adjustments"]) == (3, 3)
    assert "g" not in stage


def test_money_is_that_of_the_rounds() -> None:
    ledger = Ledger("points", 100)
    ledger.enter("ab")
    ledger.seat("m", 1, "ab")
    money = ({"won": 200, "fee": 10, "net": 190}, {"won": -200, "fee": 0, "net": -200})
    ledger.write(played("m", 1, [seat("a", 2, money=money[0]), seat("b", -2, money=money[1])]))
    ledger.give("b", 5)
    assert [ledger.standings()[player]["money"] for player in "ab"] == list(money)


def test_points_of_a_round_that_do_not_add_up_are_noted() -> None:
    ledger = book()
    ledger.write(played("m2", 2, [seat("d", 2), seat("e", 2), seat("f", -3)]))
    assert ledger.wrong == ["points of round m2-2 add up to 1, not to 0"]


@pytest.mark.parametrize("rank_by", ["points", "points_per_opponent", "placings"])
def test_equal_standings_have_no_difference(rank_by: str) -> None:
    ledger = book(rank_by)
    assert differences(shown(ledger, rank_by), ledger.standings(), rank_by) == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            "place",
            "points",
            "opponents",
            "points_per_opponent",
            "placings",
            "matches",
            "wins",
            "rounds",
        ),
        *("rows_won", "sweeps", "clean_sweeps", "fouls", "specials", "adjustments"),
    ],
)
def test_every_wrong_number_is_a_difference(name: str) -> None:
    ledger = book()
    answer = shown(ledger)
    answer["items"][-1][name] += 1
    (found,) = differences(answer, ledger.standings(), "points")
    assert found.startswith(f"c: {name} should be ")


def test_every_other_fault_is_a_difference() -> None:
    ledger = book()
    expected = ledger.standings()

    def of(**change: Any) -> list[str]:
        return differences({**shown(ledger), **change}, expected, "points")

    items = shown(ledger)["items"]
    assert of(items=items[:-1]) == ["c should be in the standings"]
    assert of(items=[*items, {**items[-1], "player": "z"}]) == ["z should not be in the standings"]
    assert of(items=[*items, items[-1]]) == ["a player has two lines"]
    assert of(items=items[::-1]) == ["the lines are not in the order of their places"]
    assert of(tie_breaks=["points", "name"]) == ["ranked by points, ties broken by ['points', 'name']"]
    assert of(items=[{**items[0], "tied": True}, *items[1:]]) == ["a: tied should be False, is True"]
    assert of(items=[{**items[0], "withdrawn": True}, *items[1:]]) == [
        "a: withdrawn should be False, is True"
    ]
