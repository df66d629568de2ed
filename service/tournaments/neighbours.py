"""Seating by standings: who is close together in the standings meets."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from service.tournaments.seating import Meetings, Tables, pair, table_sizes

# The best player without a seat is joined by some of the next eleven, if that fails of the next 23.
WINDOWS = (12, 24)
# Tables weighed before more is put up with: a number, and some for each player. Enough for every way to
# seat twelve players. A matter of steps and not of seconds, so that all machines find the same.
MOST_WEIGHED = 200_000
WEIGHED_EACH = 200
# Over one of the six pairs of a table of four.
_MOST_EXCESS = 5

Combination = tuple[int, ...]


def seat_by_standings(ranked: Sequence[str], table_size: int, met: Meetings) -> Tables:
    """Fill tables from the top of the standings, with at most one repeated meeting each if possible.

    ``ranked`` is everybody, best first. Table after table takes the best player without a seat and
    those right behind, or, where more than one pair of them has met before (at a table of two: where
    they have), the nearest others among the next eleven; where that leaves later tables no choice,
    earlier ones are made up anew. If there is no such seating, others among the next 23 are taken,
    and only then may tables have one repeated meeting more (then two ...). So nobody moves up by more
    than 23 places, and the best without a seat always sits at the next table, the larger ones first.
    Up to twelve players every such seating is tried before more is put up with; among more, as many as
    `MOST_WEIGHED` allows.

    Raises ValueError as `table_sizes` does.
    """
    sizes = table_sizes(len(ranked), table_size)
    for excess in range(_MOST_EXCESS + 1):
        for window in WINDOWS if len(ranked) > WINDOWS[0] else WINDOWS[:1]:
            tables = _Filling(ranked, sizes, met, excess, window).tables()
            if tables is not None:
                return tables
    raise AssertionError("no table has more repeated meetings than pairs")


def repeats(table: Sequence[str], met: Meetings) -> int:
    """How many pairs of a table have met before."""
    return sum(1 for one, other in combinations(table, 2) if met.get(pair(one, other)))


def put_up_with(size: int) -> int:
    """How many repeated meetings a table may have before others are looked for."""
    return 0 if size == 2 else 1


class _Filling:
    """One attempt to fill all tables, with no more repeats over what is put up with than ``excess``."""

    def __init__(
        self, ranked: Sequence[str], sizes: list[int], met: Meetings, excess: int, window: int
    ) -> None:
        self._waiting = list(ranked)
        self._sizes, self._met, self._excess, self._window = sizes, met, excess, window
        self._left = MOST_WEIGHED + WEIGHED_EACH * len(ranked)

    def tables(self) -> Tables | None:
        """Depth first: the nearest choice for each; where one has none, the one before takes another."""
        waiting = self._waiting
        tables: Tables = []
        taken: list[Combination] = []
        choices = [self._choices(self._sizes[0])]
        while len(tables) < len(self._sizes):
            choice = next(choices[-1], None)
            if choice is not None:
                tables.append([waiting[index] for index in choice])
                taken.append(choice)
                for index in reversed(choice):
                    del waiting[index]
                choices.extend(self._choices(size) for size in self._sizes[len(tables) :][:1])
                continue
            choices.pop()
            if not choices or self._left <= 0:
                return None
            for index, player in zip(taken.pop(), tables.pop(), strict=True):
                waiting.insert(index, player)
        return tables

    def _choices(self, size: int) -> Iterator[Combination]:
        """Tables of those in front: least excess first, of these the nearest first."""
        front = self._waiting[: self._window]
        again = [[bool(self._met.get(pair(one, other))) for other in front] for one in front]
        for allowed in range(self._excess + 1):
            for choice in _nearest(size, len(front)):
                self._left -= 1
                count = sum([again[one][other] for one, other in combinations(choice, 2)])
                if max(count - put_up_with(size), 0) == allowed:
                    yield choice
                if self._left <= 0:
                    return


@cache
def _nearest(size: int, count: int) -> list[Combination]:
    """The first of ``count`` with each choice of others, the nearest first."""
    others = sorted(combinations(range(1, count), size - 1), key=lambda choice: (sum(choice), choice))
    return [(0, *choice) for choice in others]
