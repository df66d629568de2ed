"""The special hands of 13 cards, found by trying, not by counting."""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from .hands import ACE, Card, straight_top

# High to low.
SPECIALS = ("dragon", "six_pairs", "three_straights", "three_flushes")
POINTS = {
    "bsfyi": {"dragon": 13, "six_pairs": 3, "three_straights": 3, "three_flushes": 3},
    "panduan": {"dragon": 208},
    "gratis": {},
}


def is_dragon(cards: list[Card]) -> bool:
    """Whether there is a card of every rank."""
    return {card.rank for card in cards} == set(range(2, ACE + 1))


def is_six_pairs(cards: list[Card]) -> bool:
    """Whether, with some one card set aside, the others pair off."""

    # In rank order mates are neighbours.
    ranks = sorted([card.rank for card in cards])
    for odd in range(len(ranks)):
        left = ranks[:odd] + ranks[odd + 1 :]
        if left[0::2] == left[1::2]:
            return True
    return False


def splits(
    cards: list[Card],
    sizes: tuple[int, ...],
    companies: Callable[[Card, list[Card], int], Iterable[tuple[Card, ...]]],
) -> bool:
    """Whether the cards split into good groups of the sizes, by trying every way.

    ``companies`` are those that a card could have among others in a good group of a size.
    """
    if not cards:
        return True
    first, rest = cards[0], cards[1:]
    # The first card must be in some group: try each size, and every company it could have.
    for size in set(sizes):
        left_sizes = list(sizes)
        left_sizes.remove(size)
        for others in companies(first, rest, size - 1):
            left = [card for card in rest if card not in others]
            if splits(left, tuple(left_sizes), companies):
                return True
    return False


def is_three_straights(cards: list[Card]) -> bool:
    """Whether the cards split into straights of five, five and three."""

    def companies(first: Card, rest: list[Card], count: int) -> Iterator[tuple[Card, ...]]:
        # Cards lie in rank order, so the first is its group's lowest, but for an ace played low.
        ways = [range(first.rank + 1, first.rank + count + 1)]
        if first.rank == 2:
            ways.append([*range(3, count + 2), ACE])
        # Of cards of one rank any will do, since a straight knows no suits.
        of_rank = {card.rank: card for card in rest}
        for ranks in ways:
            if all(rank in of_rank for rank in ranks):
                others = tuple([of_rank[rank] for rank in ranks])
                assert straight_top([first, *others]) is not None
                yield others

    return splits(sorted(cards), (5, 5, 3), companies)


def is_three_flushes(cards: list[Card]) -> bool:
    """Whether the cards split into five, five and three of one suit each."""

    def companies(first: Card, rest: list[Card], count: int) -> Iterator[tuple[Card, ...]]:
        return combinations([card for card in rest if card.suit == first.suit], count)

    # The rarest suit first, so that a hand that cannot do it fails at once.
    suits = [card.suit for card in cards]
    in_order = sorted(cards, key=lambda card: (suits.count(card.suit), card.suit))
    return splits(in_order, (5, 5, 3), companies)


def formed(cards: list[Card], ruleset: str) -> list[str]:
    """Names of the rule set's specials that the 13 cards form, high to low."""
    tests = {
        "dragon": is_dragon,
        "six_pairs": is_six_pairs,
        "three_straights": is_three_straights,
        "three_flushes": is_three_flushes,
    }
    return [name for name in SPECIALS if name in POINTS[ruleset] and tests[name](cards)]
