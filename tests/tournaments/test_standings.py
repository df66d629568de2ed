"""Places, shared ones, and everything that decides them: answers written by hand."""

import csv
from io import StringIO
from typing import Any

import pytest

from service.record.tournament_totals import counts_of, place
from service.rules.results import read
from service.tournaments.prizes import share
from service.tournaments.standings import Kept, Rules, as_csv, rank, show
from tests.rules.rounds import score_text


def placed(rank_by: str, *lines: Kept) -> list[tuple[int, str, bool]]:
    return [(line.place, line.kept.player, line.tied) for line in rank(lines, rank_by)]


# --- who is where ------------------------------------------------------------------------------------

#: Two players of equal points, of whom the first is better by one thing alone.
DECIDED = {
    "wins": ({"wins": 1}, {}),
    "rows won": ({"wins": 1, "rows_won": 9}, {"wins": 1, "rows_won": 8}),
    "sweeps": ({"rows_won": 9, "sweeps": 2}, {"rows_won": 9, "sweeps": 1}),
    "fewest fouls": ({"sweeps": 2, "fouls": 1}, {"sweeps": 2, "fouls": 2}),
    "wins before rows": ({"wins": 1}, {"rows_won": 50, "sweeps": 9}),
    "rows before sweeps": ({"rows_won": 2}, {"rows_won": 1, "sweeps": 9}),
    "sweeps before fouls": ({"sweeps": 1, "fouls": 7}, {}),
}


@pytest.mark.parametrize(("better", "worse"), DECIDED.values(), ids=DECIDED)
@pytest.mark.parametrize("rank_by", ["points", "points_per_opponent", "placings"])
def test_ties_are_broken_in_the_published_order(rank_by: str, better: Any, worse: Any) -> None:
    same = {"points": 6, "opponents": 3, "half_placings": 5}
    lines = [Kept("a", **same | worse), Kept("z", **same | better)]
    assert placed(rank_by, *lines) == [(1, "z", False), (2, "a", False)]


def test_who_is_equal_in_everything_shares_the_place_and_the_next_counts_them_all() -> None:
    lines = [Kept("d", 5), Kept("b", 9), Kept("c", 5), Kept("a", 5), Kept("e", -19)]
    assert placed("points", *lines) == [
        (1, "b", False),
        (2, "a", True),
        (2, "c", True),
        (2, "d", True),
        (5, "e", False),
    ]


def test_what_breaks_no_tie_does_not_separate() -> None:
    other = {"specials": 4, "clean_sweeps": 3, "matches": 9, "rounds": 9, "net": 100, "fees": 5}
    assert placed("points", Kept("a", 5), Kept("b", 5, **other)) == [(1, "a", True), (1, "b", True)]


def test_adjustments_count_as_points() -> None:
    assert placed("points", Kept("a", 5, adjustments=-6), Kept("b", 0)) == [
        (1, "b", False),
        (2, "a", False),
    ]


def test_points_per_opponent_are_compared_exactly() -> None:
    # 1/3 and its nearest decimals; equal fractions of different size are equal.
    close = [
        Kept("third", 333_333_333, opponents=1_000_000_000),
        Kept("more", 1, opponents=3),
        Kept("same", 7, opponents=21),
        Kept("below", -1, opponents=3),
    ]
    assert placed("points_per_opponent", *close) == [
        (1, "more", True),
        (1, "same", True),
        (3, "third", False),
        (4, "below", False),
    ]


def test_who_has_met_nobody_comes_after_all_who_have() -> None:
    lines = [Kept("late", 0, adjustments=9), Kept("lost", -40, opponents=3), Kept("later")]
    assert placed("points_per_opponent", *lines) == [
        (1, "lost", False),
        (2, "late", True),
        (2, "later", True),
    ]


def test_placings_rank_by_their_sum_whatever_the_points() -> None:
    lines = [Kept("a", 90, half_placings=11), Kept("b", -90, half_placings=12)]
    assert placed("placings", *lines) == [(1, "b", False), (2, "a", False)]


def test_nobody_makes_no_standings() -> None:
    assert rank([], "points_per_opponent") == []


# --- what a match gives ------------------------------------------------------------------------------

#: Points and rounds of the members of a match; what each gets: wins, placings.
PLACED: dict[str, tuple[dict[str, tuple[int, int]], dict[str, tuple[int, float]]]] = {
    "four": (
        {"a": (9, 1), "b": (3, 1), "c": (-2, 1), "d": (-10, 1)},
        {"a": (1, 4), "b": (0, 3), "c": (0, 2), "d": (0, 1)},
    ),
    "three": ({"a": (-5, 1), "b": (5, 1), "c": (0, 1)}, {"b": (1, 3), "c": (0, 2), "a": (0, 1)}),
    "two": ({"a": (1, 1), "b": (-1, 1)}, {"a": (1, 2), "b": (0, 1)}),
    "shared first": (
        {"a": (4, 1), "b": (4, 1), "c": (-3, 1), "d": (-5, 1)},
        {"a": (0, 3.5), "b": (0, 3.5), "c": (0, 2), "d": (0, 1)},
    ),
    "shared last": (
        {"a": (6, 1), "b": (-2, 1), "c": (-2, 1), "d": (-2, 1)},
        {"a": (1, 4), "b": (0, 2), "c": (0, 2), "d": (0, 2)},
    ),
    "all the same": (dict.fromkeys("abcd", (0, 1)), dict.fromkeys("abcd", (0, 2.5))),
    "one never came": (
        {"a": (2, 3), "b": (0, 3), "gone": (50, 0), "c": (-2, 3)},
        {"a": (1, 3), "b": (0, 2), "c": (0, 1)},
    ),
    "one left early": (
        {"a": (2, 3), "b": (1, 1), "c": (-3, 3)},
        {"a": (1, 3), "b": (0, 2), "c": (0, 1)},
    ),
    "nothing was played": ({"a": (0, 0), "b": (0, 0)}, {}),
}


@pytest.mark.parametrize(("members", "expected"), PLACED.values(), ids=PLACED)
def test_a_match_places_those_who_have_played(members: Any, expected: Any) -> None:
    found = place((player, *counts) for player, counts in members.items())
    given = {player: (got["wins"], got["half_placings"] / 2) for player, got in found.items()}
    assert given == expected
    assert all(got["matches"] == 1 for got in found.values())


def test_a_round_counts_rows_opponents_fouls_and_money() -> None:
    result = score_text(
        "panduan",
        {
            "andi": "Ks Kh 2d / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c",
            "budi": "Qs Qh Qd / 8s 8h 5d 7c 7s / Tc Td Th Jc Js",
            "cici": "Ts 5h 4d / 7h 7d 6s 5s 3s / 6c 5c 4h 3h 2h",
        },
        stake=10,
    )
    counts = counts_of(read(result))
    assert {player: counted["rows_won"] for player, counted in counts.items()} == {
        "andi": 6,
        "budi": 0,
        "cici": 3,
    }
    assert [counted["opponents"] for counted in counts.values()] == [2, 2, 2]
    assert [counted["rounds"] for counted in counts.values()] == [1, 1, 1]
    assert [counted["fouls"] for counted in counts.values()] == [0, 1, 0]
    assert sum(counted["points"] for counted in counts.values()) == 0
    for counted, seat in zip(counts.values(), result["seats"], strict=True):
        assert (counted["points"], counted["sweeps"]) == (seat["points"], seat["sweeps"])
        assert (counted["net"], counted["fees"]) == (seat["money"]["net"], seat["money"]["fee"])


# --- as they are told --------------------------------------------------------------------------------


def test_each_line_tells_everything_that_decided_it() -> None:
    kept = Kept("a", 7, -2, 9, 2, 1, 7, 3, 12, 1, 0, 1, 2, 63, 7, True)
    (item,) = show(rank([kept], "points"), Rules("points", 10))
    assert item == {
        "place": 1,
        "player": "a",
        "points": 5,
        "opponents": 9,
        "points_per_opponent": 0.5556,
        "placings": 3.5,
        "matches": 2,
        "wins": 1,
        "rounds": 3,
        "rows_won": 12,
        "sweeps": 1,
        "clean_sweeps": 0,
        "fouls": 1,
        "specials": 2,
        "adjustments": -2,
        "tied": False,
        "withdrawn": True,
        "money": {"won": 70, "fee": 7, "net": 63},
    }
    assert Rules("placings").tie_breaks == ["placings", "wins", "rows_won", "sweeps", "fouls"]


def test_csv_has_a_line_a_player_and_no_formulas() -> None:
    lines = [Kept("=1+1", 3, opponents=2), Kept('Renée, "R"', -3)]
    text = as_csv(show(rank(lines, "points"), Rules("points", None, [100]))).decode("utf-8-sig")
    first, second = csv.DictReader(StringIO(text))
    assert (first["place"], first["player"], first["prize"]) == ("1", "'=1+1", "100")
    assert (first["points_per_opponent"], first["tied"], first["won"]) == ("1.5", "false", "")
    assert (second["player"], second["points"], second["points_per_opponent"]) == (
        'Renée, "R"',
        "-3",
        "",
    )


# --- prizes ------------------------------------------------------------------------------------------


def test_prizes_go_by_place() -> None:
    assert share([(1, "a"), (2, "b"), (3, "c")], [50, 30], 7) == {"a": 50, "b": 30}


def test_shared_places_share_the_prizes_of_all_their_places() -> None:
    assert share([(1, "a"), (2, "b"), (2, "c"), (4, "d")], [50, 30, 20, 1], 7) == {
        "a": 50,
        "b": 25,
        "c": 25,
        "d": 1,
    }
    # The second of them is beyond the list: what there is is shared nevertheless.
    assert share([(1, "a"), (1, "b")], [50], 7) == {"a": 25, "b": 25}


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost_where_prizes_do_not_divide_and_the_rest_is_drawn(seed: int) -> None:
    players = [f"p{number}" for number in range(7)]
    won = share([(1, player) for player in players], [100, 0, 0, 0, 0, 0, 5], seed)
    assert sum(won.values()) == 105
    assert set(won.values()) == {15}
    uneven = share([(1, player) for player in players], [101], seed)
    assert sum(uneven.values()) == 101 and set(uneven.values()) == {14, 15}
    assert uneven == share([(1, player) for player in reversed(players)], [101], seed)


def test_the_draw_favours_nobody_by_name() -> None:
    lucky = {
        max(share([(1, "a"), (1, "b")], [1], seed).items(), key=lambda item: item[1])[0]
        for seed in range(20)
    }
    assert lucky == {"a", "b"}
