"""Every seating there is, for comparison with the ones that are found."""

from collections.abc import Iterator
from itertools import combinations

from service.tournaments.seating import Tables


def all_seatings(row: list[str], sizes: list[int], *, largest_first: bool = False) -> Iterator[Tables]:
    """Every way to fill the tables; the first without a seat sits at the largest, or at any."""
    if not sizes:
        yield []
        return
    for size in sizes[:1] if largest_first else sorted(set(sizes)):
        rest = list(sizes)
        rest.remove(size)
        for others in combinations(row[1:], size - 1):
            left = [player for player in row[1:] if player not in others]
            for more in all_seatings(left, rest, largest_first=largest_first):
                yield [[row[0], *others], *more]
