"""Who sits where: pure functions from names, a seed and earlier meetings to tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

SMALLEST_TABLE = 2
TABLE_SIZES = (2, 3, 4)

Tables = list[list[str]]
Meetings = Mapping[tuple[str, str], int]
"""How often two players have sat at one table; the key is their two names in order (see `pair`)."""


def pair(one: str, other: str) -> tuple[str, str]:
    """The key of two players in `Meetings`."""
    return (one, other) if one < other else (other, one)


def meetings(earlier: Iterable[Iterable[Sequence[str]]]) -> Counter[tuple[str, str]]:
    """Count who has met whom how often, from the tables of all earlier stages."""
    met: Counter[tuple[str, str]] = Counter()
    for tables in earlier:
        for table in tables:
            met.update(combinations(sorted(table), 2))
    return met


def table_sizes(players: int, table_size: int) -> list[int]:
    """How many sit at each table, largest tables first; nobody sits out or alone.

    As few tables as hold everybody, filled as evenly as can be. At tables of four that makes as many
    full ones as leave none under 3: 6 are 3 + 3, 9 are 3 + 3 + 3, 10 are 4 + 3 + 3; only 5 have to be
    3 + 2. At tables of three, 4 are 2 + 2 and 7 are 3 + 2 + 2. At tables of two, one of an odd number
    joins the first table: 5 are 3 + 2. Two or three players always share one table, if it holds them.

    Raises ValueError for fewer than 2 players, and for tables of other than 2 to 4.
    """
    if table_size not in TABLE_SIZES:
        raise ValueError(f"tables of {table_size}: they have 2 to 4 places")
    if players < SMALLEST_TABLE:
        raise ValueError(f"{players} players: it takes at least {SMALLEST_TABLE}")
    count = players // 2 if table_size == SMALLEST_TABLE else -(-players // table_size)
    each, larger = divmod(players, count)
    return [each + 1] * larger + [each] * (count - larger)


class Draws:
    """Numbers by chance that anybody can make again, in any language.

    Number c (from 0) is the first 8 bytes of SHA-256 of the UTF-8 text ``seed:stage:c``, read as an
    integer with the highest byte first.
    """

    def __init__(self, seed: int | str, stage: int) -> None:
        self._start = sha256(f"{seed}:{stage}:".encode())
        self._count = 0

    def below(self, bound: int) -> int:
        """The next number, modulo ``bound``; those that would favour small remainders are left out."""
        fair = 2**64 - 2**64 % bound
        while True:
            block = self._start.copy()
            block.update(b"%d" % self._count)
            self._count += 1
            number = int.from_bytes(block.digest()[:8], "big")
            if number < fair:
                return number % bound


def shuffled(players: Iterable[str], draws: Draws) -> list[str]:
    """The players, sorted by code points and then shuffled (Fisher-Yates, from the last place down)."""
    row = sorted(players)
    for last in range(len(row) - 1, 0, -1):
        other = draws.below(last + 1)
        row[last], row[other] = row[other], row[last]
    return row


def cut(row: Sequence[str], sizes: Iterable[int]) -> Tables:
    """Fill tables of these sizes one after the other."""
    tables, start = [], 0
    for size in sizes:
        tables.append(list(row[start : start + size]))
        start += size
    return tables


def seat_random(players: Sequence[str], table_size: int, seed: int | str, stage: int) -> Tables:
    """Shuffle the players by seed and stage and fill the tables; their order as given does not matter.

    Raises ValueError as `table_sizes` does.
    """
    sizes = table_sizes(len(players), table_size)
    return cut(shuffled(players, Draws(seed, stage)), sizes)


@dataclass(frozen=True)
class SeatingProblem:
    """What is wrong with a seating that somebody gave.

    ``code`` is ``table_size`` (too small or too large), ``player_unknown`` (not among the players),
    ``player_duplicate`` (sits already at ``other``, a table and a place) or ``player_missing`` (sits
    nowhere: no table). Tables and places count from 0; a problem of a whole table has no place.
    """

    code: str
    table: int | None = None
    place: int | None = None
    player: str | None = None
    other: tuple[int, int] | None = None


def largest_table(table_size: int) -> int:
    """How many a table may have in an event of this table size: an odd one joins a table of two."""
    return max(table_size, SMALLEST_TABLE + 1)


def check_tables(
    tables: Sequence[Sequence[str]], players: Iterable[str], table_size: int
) -> list[SeatingProblem]:
    """All that is wrong with a given seating, in order of the tables, who is missing last.

    Everybody must sit once, no stranger may, and a table has 2 players up to `largest_table`. How
    many tables there are, and whether more of them could be full, is the director's own choice.
    """
    expected, found = set(players), []
    seen: dict[str, tuple[int, int]] = {}
    for number, table in enumerate(tables):
        if not SMALLEST_TABLE <= len(table) <= largest_table(table_size):
            found.append(SeatingProblem("table_size", number))
        for place, player in enumerate(table):
            if player in seen:
                found.append(SeatingProblem("player_duplicate", number, place, player, seen[player]))
            elif player not in expected:
                found.append(SeatingProblem("player_unknown", number, place, player))
            seen.setdefault(player, (number, place))
    missing = sorted(expected - seen.keys())
    return found + [SeatingProblem("player_missing", player=player) for player in missing]
