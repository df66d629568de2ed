"""Table sizes, seating by chance, and the check of a seating that somebody gave."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournaments.neighbours import seat_by_standings
from service.tournaments.seating import (
    Draws,
    SeatingProblem,
    check_tables,
    meetings,
    seat_random,
    table_sizes,
)
from service.tournaments.spread import seat_spread

FIVE = ["andi", "budi", "cinta", "dita", "eka"]

names = st.text(st.characters(exclude_categories=("C",)), min_size=1, max_size=8)
fields = st.lists(names, min_size=2, max_size=30, unique=True)
sizes = st.sampled_from((2, 3, 4))
seeds = st.integers() | st.text(st.characters(exclude_categories=("C",)), max_size=9)


@pytest.mark.parametrize(
    ("table_size", "players", "expected"),
    [
        (4, 2, [2]),
        (4, 3, [3]),
        (4, 4, [4]),
        (4, 5, [3, 2]),
        (4, 6, [3, 3]),
        (4, 7, [4, 3]),
        (4, 8, [4, 4]),
        (4, 9, [3, 3, 3]),
        (4, 10, [4, 3, 3]),
        (4, 11, [4, 4, 3]),
        (4, 13, [4, 3, 3, 3]),
        (3, 2, [2]),
        (3, 3, [3]),
        (3, 4, [2, 2]),
        (3, 5, [3, 2]),
        (3, 7, [3, 2, 2]),
        (2, 2, [2]),
        (2, 3, [3]),
        (2, 4, [2, 2]),
        (2, 7, [3, 2, 2]),
    ],
)
def test_table_sizes(table_size: int, players: int, expected: list[int]) -> None:
    assert table_sizes(players, table_size) == expected


@pytest.mark.parametrize("players", range(6, 400))
def test_tables_of_four_are_full_unless_that_leaves_one_under_three(players: int) -> None:
    found = table_sizes(players, 4)
    most = max(full for full in range(players // 4 + 1) if (players - 4 * full) % 3 == 0)
    assert found == [4] * most + [3] * ((players - 4 * most) // 3)


@pytest.mark.parametrize(("players", "table_size"), [(1, 4), (0, 4), (-3, 4), (6, 1), (6, 5)])
def test_no_tables_for_one_player_or_of_another_size(players: int, table_size: int) -> None:
    with pytest.raises(ValueError, match=r"player|places"):
        table_sizes(players, table_size)


@settings(deadline=None)
@given(fields, sizes, seeds, st.integers(1, 99), st.randoms())
def test_everybody_sits_once_whoever_seats_them_and_in_whatever_order_they_came(
    players: list[str], table_size: int, seed: int | str, stage: int, chance: object
) -> None:
    again = list(players)
    chance.shuffle(again)  # type: ignore[attr-defined]
    first = seat_random(players, table_size, seed, stage)
    met = meetings([first])
    spread = seat_spread(players, table_size, met, seed, stage + 1)
    ranked = seat_by_standings(players, table_size, met)
    for tables in (first, spread, ranked):
        assert check_tables(tables, players, table_size) == []
        assert [len(table) for table in tables] == table_sizes(len(players), table_size)
    assert seat_random(again, table_size, seed, stage) == first
    shuffled_met = dict(reversed(met.items()))
    assert seat_spread(again, table_size, shuffled_met, seed, stage + 1) == spread
    assert seat_by_standings(players, table_size, shuffled_met) == ranked


def test_another_seed_or_stage_seats_otherwise_and_text_is_as_good_as_a_number() -> None:
    players = [f"p{number:03}" for number in range(100)]
    first = seat_random(players, 4, 7, 1)
    assert first == seat_random(players, 4, "7", 1)
    others = [
        seat_random(players, 4, 7, 2),
        seat_random(players, 4, 8, 1),
        seat_random(players, 4, "", 1),
    ]
    assert first not in others and others[0] != others[1]


def test_the_seating_that_is_published_never_changes() -> None:
    assert seat_random(FIVE, 4, 2024, 1) == [["budi", "andi", "dita"], ["cinta", "eka"]]


@settings(deadline=None)
@given(st.lists(names, min_size=2, unique=True), sizes, seeds, st.integers(1, 9))
def test_an_outsider_gets_the_same_from_the_description(
    players: list[str], table_size: int, seed: int | str, stage: int
) -> None:
    row, count = sorted(players), 0
    for last in range(len(row) - 1, 0, -1):
        while True:
            block = sha256(f"{seed}:{stage}:{count}".encode()).digest()
            number, count = int.from_bytes(block[:8], "big"), count + 1
            if number < 2**64 - 2**64 % (last + 1):
                break
        other = number % (last + 1)
        row[last], row[other] = row[other], row[last]
    assert [player for table in seat_random(players, table_size, seed, stage) for player in table] == row


def test_what_would_favour_some_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter([2**64 - 1, 2**64 - 2, 5])

    class Fixed:
        def copy(self) -> "Fixed":
            return self

        def update(self, _: bytes) -> None: ...

        def digest(self) -> bytes:
            return next(numbers).to_bytes(8, "big") + bytes(24)

    draws = Draws(1, 1)
    monkeypatch.setattr(draws, "_start", Fixed())
    # 2^64 - 2 is the largest multiple of 3 under 2^64 but one: both first numbers are over the last one.
    assert draws.below(2**63 + 1) == 5


def test_every_place_is_as_likely() -> None:
    counts = dict.fromkeys(FIVE, 0)
    for stage in range(5000):
        counts[seat_random(FIVE, 4, "even", stage)[0][0]] += 1
    # Expected 1000 with a deviation of 28.
    assert all(850 < count < 1150 for count in counts.values()), counts


def test_a_given_seating_may_differ_from_ours() -> None:
    assert check_tables([["andi", "budi"], ["cinta", "dita", "eka"]], FIVE, 4) == []
    assert check_tables([["andi", "budi"], ["cinta", "dita", "eka"]], FIVE, 2) == []


def test_all_that_is_wrong_with_a_given_seating_is_found() -> None:
    tables = [["andi", "zara", "budi", "andi"], [], ["eka"], ["budi", "zara"]]
    assert check_tables(tables, FIVE, 3) == [
        SeatingProblem("table_size", 0),
        SeatingProblem("player_unknown", 0, 1, "zara"),
        SeatingProblem("player_duplicate", 0, 3, "andi", (0, 0)),
        SeatingProblem("table_size", 1),
        SeatingProblem("table_size", 2),
        SeatingProblem("player_duplicate", 3, 0, "budi", (0, 2)),
        SeatingProblem("player_duplicate", 3, 1, "zara", (0, 1)),
        SeatingProblem("player_missing", player="cinta"),
        SeatingProblem("player_missing", player="dita"),
    ]


@pytest.mark.parametrize(("table_size", "largest"), [(2, 3), (3, 3), (4, 4)])
def test_no_given_table_is_larger_than_was_announced(table_size: int, largest: int) -> None:
    players = [f"p{number}" for number in range(largest + 1)]
    assert check_tables([players], players, table_size) == [SeatingProblem("table_size", 0)]
    assert check_tables([players[1:]], players[1:], table_size) == []


def test_meetings_count_every_table_that_two_shared() -> None:
    met = meetings([[["b", "a", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]])
    assert met == {
        ("a", "b"): 2,
        ("a", "c"): 1,
        ("b", "c"): 1,
        ("d", "e"): 2,
        ("c", "d"): 1,
        ("c", "e"): 1,
    }
