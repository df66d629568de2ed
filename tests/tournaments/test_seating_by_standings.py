"""Neighbours in the standings meet, with at most one repeated meeting where that can be avoided."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournaments.neighbours import WINDOWS, put_up_with, repeats, seat_by_standings
from service.tournaments.seating import Tables, meetings, seat_random, table_sizes
from tests.tournaments.seatings import all_seatings


def players(count: int) -> list[str]:
    return [f"p{number:05}" for number in range(count)]


def played(count: int, table_size: int, stages: int, seed: int) -> tuple[list[str], list[Tables]]:
    """Some stages seated by standings that move as in play; the standings after them."""
    chance = random.Random(seed)
    points = dict.fromkeys(players(count), 0.0)
    earlier: list[Tables] = []
    for _ in range(stages):
        ranked = sorted(points, key=lambda player: -points[player])
        earlier.append(seat_by_standings(ranked, table_size, meetings(earlier)))
        for player in points:
            points[player] += chance.gauss(0, 10)
    return sorted(points, key=lambda player: -points[player]), earlier


def test_who_has_met_nobody_sits_with_their_neighbours() -> None:
    assert seat_by_standings(list("hgfedcba"), 4, {}) == [list("hgfe"), list("dcba")]
    assert seat_by_standings(list("abcdefg"), 4, {}) == [list("abcd"), list("efg")]


def test_one_repeated_meeting_is_put_up_with_two_are_not() -> None:
    ranked = list("abcdefgh")
    assert seat_by_standings(ranked, 4, {("a", "c"): 3})[0] == list("abcd")
    assert seat_by_standings(ranked, 4, {("a", "c"): 1, ("b", "c"): 1})[0] == list("abde")


def test_at_tables_of_two_a_repeated_meeting_is_all_of_it() -> None:
    assert seat_by_standings(list("abcd"), 2, {("a", "b"): 1}) == [["a", "c"], ["b", "d"]]


def test_the_top_gives_way_where_the_last_would_have_no_choice() -> None:
    met = meetings([[["e", "f", "g", "h"]]])
    assert seat_by_standings(list("abcdefgh"), 4, met) == [list("abef"), list("cdgh")]
    met = meetings([[["d", "e", "f"]]])
    assert seat_by_standings(list("abcdef"), 3, met) == [list("abd"), list("cef")]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 9), st.sampled_from((3, 4)), st.integers(1, 4))
def test_few_players_meet_more_often_again_only_if_they_do_in_every_seating(
    seed: int, count: int, table_size: int, stages: int
) -> None:
    ranked = players(count)
    met = meetings(seat_random(ranked, table_size, seed, stage) for stage in range(stages))
    tables = seat_by_standings(ranked, table_size, met)

    def excess(found: Tables) -> int:
        return max(max(repeats(table, met) - put_up_with(len(table)), 0) for table in found)

    found = excess(tables)
    if found:
        sizes = table_sizes(count, table_size)
        seatings = all_seatings(ranked, sizes, largest_first=True)
        assert found == min(map(excess, seatings))


@pytest.mark.parametrize(
    ("count", "stages"), [(17, 5), (24, 5), (100, 8), (1000, 12), (1002, 5), (10000, 4)]
)
def test_no_table_has_a_second_repeat_after_usual_numbers_of_stages(count: int, stages: int) -> None:
    ranked, earlier = played(count, 4, stages - 1, seed=5)
    met = meetings(earlier)
    assert max(repeats(table, met) for table in seat_by_standings(ranked, 4, met)) <= 1


@pytest.mark.parametrize(("count", "stages"), [(12, 5), (32, 8), (100, 9), (1000, 12)])
def test_nobody_is_moved_far(count: int, stages: int) -> None:
    ranked, earlier = played(count, 4, stages, seed=9)
    tables = seat_by_standings(ranked, 4, meetings(earlier))
    up = down = seated = 0
    for table in tables:
        for place in map(ranked.index, table):
            up = max(up, place - seated - len(table) + 1)
            down = max(down, seated - place)
        seated += len(table)
    assert up <= WINDOWS[-1] - 1
    assert down <= 24


def test_rivals_who_sat_together_all_evening_are_seated_quickly() -> None:
    ranked = players(40)
    met = {(one, other): 1 for one in ranked for other in ranked if one < other}
    tables = seat_by_standings(ranked, 4, met)
    assert tables == [ranked[start : start + 4] for start in range(0, 40, 4)]
