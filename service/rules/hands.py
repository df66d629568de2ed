"""Hands: what the ranks of a row make, apart from any rule set.

``SHAPES`` knows every multiset of 3 or 5 ranks by its packed counts (the low bits of a summed card
weight). Straights and flushes are added by :mod:`service.rules.tables`, since the place of
A-2-3-4-5 is a matter of the rule set.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import NamedTuple

from service.rules.cards import RANK_BITS, RANKS

HANDS = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
HAND = {name: index for index, name in enumerate(HANDS)}

#: The hands that a row of three cards can be; three in sequence or of one suit stay high card.
THREE_CARD_HANDS = ("high_card", "pair", "three_of_a_kind")

#: The hands whose cards are all of one suit.
ONE_SUIT_HANDS = ("flush", "straight_flush", "royal_flush")

ACE = len(RANKS) - 1
WHEEL = frozenset({ACE, 0, 1, 2, 3})

# Hands told by how often the ranks occur, most often first.
_BY_COUNTS = {
    (4, 1): "four_of_a_kind",
    (3, 2): "full_house",
    (3, 1, 1): "three_of_a_kind",
    (3,): "three_of_a_kind",
    (2, 2, 1): "two_pair",
    (2, 1, 1, 1): "pair",
    (2, 1): "pair",
    (1, 1, 1, 1, 1): "high_card",
    (1, 1, 1): "high_card",
}


class Shape(NamedTuple):
    """A hand by counts alone, and its different ranks: most frequent first, then high to low."""

    hand: int
    ranks: tuple[int, ...]


def pack(ranks: tuple[int, ...]) -> int:
    """The packed counts of some ranks, as the low bits of summed card weights hold them."""
    return sum(1 << (RANK_BITS * rank) for rank in ranks)


def unpack(counts: int) -> list[int]:
    """The ranks, low to high, that packed counts count."""
    mask = (1 << RANK_BITS) - 1
    return [rank for rank in range(len(RANKS)) for _ in range(counts >> RANK_BITS * rank & mask)]


def _shapes() -> Iterator[tuple[int, Shape]]:
    for size in (3, 5):
        for ranks in combinations_with_replacement(range(len(RANKS)), size):
            counts = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
            if counts[0][0] <= 4:
                hand = HAND[_BY_COUNTS[tuple(count for count, _ in counts)]]
                yield pack(ranks), Shape(hand, tuple(rank for _, rank in counts))


SHAPES: dict[int, Shape] = dict(_shapes())


class Kind(NamedTuple):
    """What a row is called: its hand, the ranks that name it, and the suit of a flush.

    ``lead`` is the rank of the pair, trips or quads, or the highest card; ``second`` the lower pair
    or the pair of a full house. Two rows of one kind may still differ in kickers and suits.
    """

    hand: str
    lead: int
    second: int | None = None
    suit: int | None = None


def _kinds() -> Iterator[Kind]:
    everything = range(len(RANKS))
    for hand in HANDS:
        for lead in everything:
            if hand in ("two_pair", "full_house"):
                yield from (Kind(hand, lead, second) for second in everything if second != lead)
            elif hand in ONE_SUIT_HANDS:
                yield from (Kind(hand, lead, None, suit) for suit in range(4))
            else:
                yield Kind(hand, lead)


#: Every kind of row; elsewhere a kind is its index here.
KINDS: tuple[Kind, ...] = tuple(_kinds())
KIND = {kind: index for index, kind in enumerate(KINDS)}
KIND_HANDS: tuple[str, ...] = tuple(kind.hand for kind in KINDS)
