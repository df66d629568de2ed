"""As few repeated meetings as a search finds, against a bound that no seating can be under."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournaments.seating import Tables, check_tables, meetings, seat_random, table_sizes
from service.tournaments.spread import burden, least_burden, seat_spread
from tests.tournaments.seatings import all_seatings


def event(count: int, table_size: int, stages: int, seed: int | str) -> list[Tables]:
    players = [f"p{number:05}" for number in range(count)]
    earlier: list[Tables] = []
    for stage in range(1, stages + 1):
        earlier.append(seat_spread(players, table_size, meetings(earlier), seed, stage))
    return earlier


def burdens(tables: list[Tables]) -> list[int]:
    return [burden(now, meetings(tables[:stage])) for stage, now in enumerate(tables)]


def bounds(tables: list[Tables], table_size: int) -> list[int]:
    players = sorted(player for table in tables[0] for player in table)
    return [least_burden(players, table_size, tables[:stage]) for stage in range(len(tables))]


# The largest numbers of stages that can be without a repeat at all, where that is known.
@pytest.mark.parametrize(
    ("count", "table_size", "stages"),
    [
        (16, 4, 5),
        (20, 4, 5),
        (28, 4, 7),
        (32, 4, 9),
        (64, 4, 15),
        (9, 3, 4),
        (6, 2, 5),
        (8, 2, 7),
        (12, 2, 11),
    ],
)
def test_perfect_events_are_found(count: int, table_size: int, stages: int) -> None:
    for seed in (1, "evening"):
        assert burdens(event(count, table_size, stages, seed)) == [0] * stages


@pytest.mark.parametrize(("count", "stages"), [(100, 8), (1000, 5), (1000, 12), (1001, 5)])
def test_larger_fields_have_no_repeat(count: int, stages: int) -> None:
    assert burdens(event(count, 4, stages, 3)) == [0] * stages


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 9), st.sampled_from((2, 3, 4)), st.integers(1, 5))
def test_few_players_get_a_seating_of_which_there_is_none_better(
    seed: int, count: int, table_size: int, stages: int
) -> None:
    players = [f"p{number:02}" for number in range(count)]
    met = meetings(seat_random(players, table_size, seed, stage) for stage in range(stages))
    seatings = all_seatings(players, table_sizes(count, table_size))
    least = min(burden(tables, met) for tables in seatings)
    assert burden(seat_spread(players, table_size, met, seed, 9), met) == least


@pytest.mark.parametrize(("count", "stages"), [(5, 4), (6, 5), (7, 5), (8, 6), (9, 5), (12, 5), (16, 7)])
def test_small_fields_reach_the_bound(count: int, stages: int) -> None:
    tables = event(count, 4, stages, 1)
    assert burdens(tables) == bounds(tables, 4)


@pytest.mark.parametrize(("count", "stages", "over"), [(10, 5, 2), (14, 5, 4), (18, 6, 10), (24, 6, 8)])
def test_others_come_near_the_bound_and_far_under_chance(count: int, stages: int, over: int) -> None:
    tables = event(count, 4, stages, 1)
    players = [player for table in tables[0] for player in table]
    found, bound = sum(burdens(tables)), sum(bounds(tables, 4))
    by_chance = sum(burdens([seat_random(players, 4, 1, stage) for stage in range(stages)]))
    assert bound <= found <= min(bound + over, by_chance * 2 / 3)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.sampled_from((2, 3, 4)), st.integers(1, 4))
def test_no_seating_is_under_the_bound(seed: int, count: int, table_size: int, stages: int) -> None:
    players = [f"p{number:02}" for number in range(count)]
    chance = random.Random(seed)
    # Some come late and some leave.
    earlier = [
        seat_random(
            players[chance.randint(0, count // 3) :] if count > 5 else players, table_size, seed, stage
        )
        for stage in range(stages)
    ]
    met = meetings(earlier)
    bound = least_burden(players, table_size, earlier)
    assert burden(seat_spread(players, table_size, met, seed, 9), met) >= bound
    for stage in range(10, 60):
        assert burden(seat_random(players, table_size, seed, stage), met) >= bound


def test_late_entries_and_withdrawals_leave_the_plan_usable() -> None:
    tables = event(16, 4, 2, 1)
    players = sorted(player for table in tables[0] for player in table)
    players = [*players[2:], "late", "later"]
    tables.append(seat_spread(players, 4, meetings(tables), 1, 3))
    assert not check_tables(tables[-1], players, 4)
    assert burdens(tables)[-1] == 0


def test_third_meetings_are_avoided_before_second_ones() -> None:
    players = list("abcdefgh")
    met = {("a", "b"): 2, ("c", "d"): 2, ("e", "f"): 2, ("g", "h"): 2}
    assert burden(seat_spread(players, 2, met, 1, 3), met) == 0


def test_a_large_field_takes_seconds_at_most_whatever_was_played() -> None:
    """1,000 players after five stages, 10,000 after one; the limits are generous for slow machines."""
    tables = event(1000, 4, 5, 1)
    players = [player for table in tables[0] for player in table]
    start = time.monotonic()
    seat_spread(players, 4, meetings(tables), 1, 6)
    assert time.monotonic() - start < 2
    many = [f"p{number}" for number in range(10_000)]
    first = seat_random(many, 4, 1, 1)
    start = time.monotonic()
    assert burden(seat_spread(many, 4, meetings([first]), 1, 1), meetings([first])) == 0
    assert time.monotonic() - start < 10


def test_a_search_that_cannot_succeed_ends() -> None:
    """1,000 players of whom half have all met each other: most tables must have repeats."""
    players = [f"p{number:03}" for number in range(500)]
    met = {(one, other): 1 for one in players for other in players if one < other}
    start = time.monotonic()
    tables = seat_spread([*players, "a", "b"], 4, met, 1, 1)
    assert time.monotonic() - start < 5
    assert not check_tables(tables, [*players, "a", "b"], 4)
