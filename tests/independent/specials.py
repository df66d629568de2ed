"""The special hands of 13 cards, found by trying, not by counting."""

from collections.abc import Callable
from itertools import combinations

from .hands import ACE, Card, one_suit, straight_top

# High to low.
SPECIALS = ("dragon", "six_pairs", "three_straights", "three_flushes")
POINTS = {
    "bsfyi": {"dragon": 13, "six_pairs": 3, "three_straights": 3, "three_flushes": 3},
    "panduan": {"dragon": 208},
    "gratis": {},
}


def is_dragon(cards: list[Card]) -> bool:
    """Whether there is a card of every rank."""
    return all(any(card.rank == rank for card in cards) for rank in range(2, ACE + 1))


def is_six_pairs(cards: list[Card]) -> bool:
    """Whether, with some one card set aside, the others pair off."""

    def pair_off(left: list[Card]) -> bool:
        if not left:
            return True
        first, rest = left[0], left[1:]
        for mate in rest:
            if mate.rank == first.rank:
                return pair_off([card for card in rest if card != mate])
        return False

    return any(pair_off([card for card in cards if card != odd]) for odd in cards)


def splits(
    cards: list[Card],
    sizes: tuple[int, ...],
    good: Callable[[list[Card]], bool],
    may_join: Callable[[Card, Card], bool],
) -> bool:
    """Whether the cards split into good groups of the sizes, by trying every way."""
    if not cards:
        return True
    first = cards[0]
    # The first card must be in some group: try each size, and every company it could have.
    company = [card for card in cards[1:] if may_join(first, card)]
    for size in set(sizes):
        left_sizes = list(sizes)
        left_sizes.remove(size)
        for others in combinations(company, size - 1):
            if good([first, *others]):
                left = [card for card in cards if card != first and card not in others]
                if splits(left, tuple(left_sizes), good, may_join):
                    return True
    return False


def is_three_straights(cards: list[Card]) -> bool:
    """Whether the cards split into straights of five, five and three."""

    def may_join(first: Card, card: Card) -> bool:
        # Cards lie in rank order, so the first is its group's lowest, but for an ace played low.
        return first.rank < card.rank <= first.rank + 4 or card.rank == ACE

    return splits(sorted(cards), (5, 5, 3), lambda group: straight_top(group) is not None, may_join)


def is_three_flushes(cards: list[Card]) -> bool:
    """Whether the cards split into five, five and three of one suit each."""

    def may_join(first: Card, card: Card) -> bool:
        return first.suit == card.suit

    # The rarest suit first, so that a hand that cannot do it fails at once.
    suits = [card.suit for card in cards]
    in_order = sorted(cards, key=lambda card: (suits.count(card.suit), card.suit))
    return splits(in_order, (5, 5, 3), one_suit, may_join)


def formed(cards: list[Card], ruleset: str) -> list[str]:
    """Names of the rule set's specials that the 13 cards form, high to low."""
    tests = {
        "dragon": is_dragon,
        "six_pairs": is_six_pairs,
        "three_straights": is_three_straights,
        "three_flushes": is_three_flushes,
    }
    return [name for name in SPECIALS if name in POINTS[ruleset] and tests[name](cards)]
