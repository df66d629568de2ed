"""Specials: hands of thirteen cards that win whatever the rows.

Each is decided exactly, from the summed weight of the thirteen cards: how often each rank and each
suit occurs, and which cards they are. Where a special is a partition (three straights, three
flushes), every partition that exists has been enumerated beforehand, so none is missed.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement, permutations, product

from service.rules.cards import (
    CARD_SHIFT,
    RANK_BITS,
    RANK_COUNTS,
    RANKS,
    SUIT_BITS,
    SUIT_SHIFT,
    SUITS,
)
from service.rules.hands import ACE, pack

_ONE_OF_EACH = pack(tuple(range(len(RANKS))))
_EIGHT = RANKS.index("8")
_JACK = RANKS.index("J")
_RED = (SUITS.index("d"), SUITS.index("h"))
_BLACK = (SUITS.index("c"), SUITS.index("s"))


def _runs(length: int, *, wheel: bool) -> list[tuple[int, ...]]:
    """The straights of a length, as ranks; with ``wheel`` also the one that starts with a low ace."""
    runs = [tuple(range(low, low + length)) for low in range(len(RANKS) - length + 1)]
    if wheel:
        runs.append((ACE, *range(length - 1)))
    return runs


def _straight_partitions(*, wheel: bool) -> frozenset[int]:
    fives = [pack(run) for run in _runs(5, wheel=wheel)]
    threes = [pack(run) for run in _runs(3, wheel=wheel)]
    return frozenset(
        first + second + third
        for first, second in combinations_with_replacement(fives, 2)
        for third in threes
    )


# 13 cards fall into flushes of 5, 5 and 3 when their suits number one of these.
_FLUSH_COUNTS = ((5, 5, 3, 0), (8, 5, 0, 0), (10, 3, 0, 0), (13, 0, 0, 0))
_FLUSH_PARTITIONS = frozenset(counts for shape in _FLUSH_COUNTS for counts in permutations(shape))
# So many of each suit are all red, or all black.
_ONE_COLOURS = frozenset(
    tuple({one: count, other: 13 - count}.get(suit, 0) for suit in range(len(SUITS)))
    for one, other in (_RED, _BLACK)
    for count in range(14)
)
_STRAIGHT_PARTITIONS = {wheel: _straight_partitions(wheel=wheel) for wheel in (True, False)}


def _suit_run_shapes(*, wheel: bool) -> dict[int, set[tuple[int, ...]]]:
    """Every set of ranks (a bit each) that falls into straights of 5 and 3, and the lengths used."""
    shapes: dict[int, set[tuple[int, ...]]] = {0: {()}}
    for lengths in ((5,), (3,), (5, 5), (5, 3), (5, 5, 3)):
        for runs in product(*(_runs(length, wheel=wheel) for length in lengths)):
            ranks = sum(1 << rank for run in runs for rank in run)
            if ranks.bit_count() == sum(lengths) and len(set().union(*runs)) == sum(lengths):
                shapes.setdefault(ranks, set()).add(lengths)
    return shapes


_SUIT_RUN_SHAPES = {wheel: _suit_run_shapes(wheel=wheel) for wheel in (True, False)}


def _counts(weight: int) -> list[int]:
    """How often each rank occurs, from the 2 up."""
    return [(weight >> (RANK_BITS * rank)) & 7 for rank in range(len(RANKS))]


def _suit_ranks(weight: int) -> list[int]:
    """For each suit the ranks held in it, a bit each."""
    return [
        sum(
            1 << rank
            for rank in range(len(RANKS))
            if weight >> (CARD_SHIFT + len(SUITS) * rank + suit) & 1
        )
        for suit in range(len(SUITS))
    ]


_ONE_RANK = frozenset(1 << rank for rank in range(len(RANKS)))


def is_dragon(weight: int) -> bool:
    """Thirteen different ranks."""
    return weight & RANK_COUNTS == _ONE_OF_EACH


def is_one_suit_dragon(weight: int) -> bool:
    """All thirteen ranks in one suit."""
    return 13 in _suit_counts(weight)


def is_twelve_courts(weight: int) -> bool:
    """At least twelve jacks, queens, kings and aces."""
    return sum(_counts(weight)[_JACK:]) >= 12


def is_three_straight_flushes(weight: int) -> bool:
    """Straight flushes of 5, 5 and 3 cards; the ace plays high or low."""
    return _three_straight_flushes(weight, wheel=True)


def is_three_straight_flushes_without_wheel(weight: int) -> bool:
    """Straight flushes of 5, 5 and 3 cards; the ace plays only high."""
    return _three_straight_flushes(weight, wheel=False)


def _three_straight_flushes(weight: int, *, wheel: bool) -> bool:
    shapes = _SUIT_RUN_SHAPES[wheel]
    of_suits = [shapes.get(ranks, set()) for ranks in _suit_ranks(weight)]
    return any(
        sorted(length for lengths in chosen for length in lengths) == [3, 5, 5]
        for chosen in product(*of_suits)
    )


def is_three_quads(weight: int) -> bool:
    """Three fours of a kind and one card."""
    return _counts(weight).count(4) == 3


def is_all_high(weight: int) -> bool:
    """Every card an 8 or above."""
    return not any(_counts(weight)[:_EIGHT])


def is_all_low(weight: int) -> bool:
    """Every card an 8 or below."""
    return not any(_counts(weight)[_EIGHT + 1 :])


def is_one_colour(weight: int) -> bool:
    """All red (hearts, diamonds) or all black (spades, clubs)."""
    return _suit_counts(weight) in _ONE_COLOURS


def is_four_trips(weight: int) -> bool:
    """Four threes of a kind and one card; the card may make one of them a four of a kind."""
    return sum(count >= 3 for count in _counts(weight)) == 4


def is_five_pairs_and_trips(weight: int) -> bool:
    """Five pairs and a three of a kind; four of a kind is two pairs."""
    return [count for count in _counts(weight) if count % 2] == [3]


def is_six_pairs(weight: int) -> bool:
    """Six pairs and one card: exactly one rank is held an odd number of times."""
    return (weight & _ONE_OF_EACH).bit_count() == 1


def is_three_straights(weight: int) -> bool:
    """Straights of 5, 5 and 3 cards; the ace plays high or low."""
    return weight & RANK_COUNTS in _STRAIGHT_PARTITIONS[True]


def is_three_straights_without_wheel(weight: int) -> bool:
    """Straights of 5, 5 and 3 cards; the ace plays only high."""
    return weight & RANK_COUNTS in _STRAIGHT_PARTITIONS[False]


def is_three_flushes(weight: int) -> bool:
    """5, 5 and 3 cards, each of one suit; 8 + 5, 10 + 3 and 13 of a suit do it too."""
    return _suit_counts(weight) in _FLUSH_PARTITIONS


def _suit_counts(weight: int) -> tuple[int, ...]:
    return tuple([(weight >> (SUIT_SHIFT + SUIT_BITS * suit)) & 15 for suit in range(len(SUITS))])


#: Every special that a rule set can name, and how it is told from the summed weight of 13 cards.
SPECIALS: dict[str, Callable[[int], bool]] = {
    "dragon": is_dragon,
    "one_suit_dragon": is_one_suit_dragon,
    "twelve_courts": is_twelve_courts,
    "three_straight_flushes": is_three_straight_flushes,
    "three_quads": is_three_quads,
    "all_high": is_all_high,
    "all_low": is_all_low,
    "one_colour": is_one_colour,
    "four_trips": is_four_trips,
    "five_pairs_and_trips": is_five_pairs_and_trips,
    "six_pairs": is_six_pairs,
    "three_straights": is_three_straights,
    "three_flushes": is_three_flushes,
}

_WITHOUT_WHEEL: dict[str, Callable[[int], bool]] = {
    "three_straight_flushes": is_three_straight_flushes_without_wheel,
    "three_straights": is_three_straights_without_wheel,
}


def rank_counts(name: str, wheel: str) -> frozenset[int]:
    """The rank counts without which a special is not formed; empty where they are too many to list."""
    if name in ("three_straights", "three_straight_flushes"):
        return _STRAIGHT_PARTITIONS[wheel != "none"]
    return frozenset({_ONE_OF_EACH}) if name in ("dragon", "one_suit_dragon") else frozenset()


def odd_counts(name: str) -> frozenset[int]:
    """Which ranks are odd, a bit each, where a special is formed that can be told like this."""
    return _ONE_RANK if name in ("six_pairs", "five_pairs_and_trips") else frozenset()


def suit_counts(name: str) -> frozenset[tuple[int, ...]]:
    """How many of each suit form a special that is told by this alone; empty for other specials."""
    if name == "three_flushes":
        return _FLUSH_PARTITIONS
    return _ONE_COLOURS if name == "one_colour" else frozenset()


def predicate(name: str, wheel: str) -> Callable[[int], bool]:
    """How a special is told where A-2-3-4-5 has the place ``wheel``; ``KeyError`` if unknown."""
    if wheel == "none" and name in _WITHOUT_WHEEL:
        return _WITHOUT_WHEEL[name]
    return SPECIALS[name]
