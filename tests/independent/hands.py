"""Cards, and the hand that three or five of them make: the plain way."""

from functools import cache
from typing import NamedTuple

RANKS = "23456789TJQKA"
SUITS = "dchs"  # low to high: this game's order, not that of bridge
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
SIGNS = {"♠": "s", "♥": "h", "♣": "c", "♦": "d"}
PLACES = {name: place for place, name in enumerate(HANDS)}
ACE = 14


class Card(NamedTuple):
    """A card: rank 2 to 14, suit 1 (diamonds) to 4 (spades)."""

    rank: int
    suit: int

    def __str__(self) -> str:
        return RANKS[self.rank - 2] + SUITS[self.suit - 1]


class Hand(NamedTuple):
    """What a row is worth: its hand, its ranks in order of weight, its key card's suit."""

    name: str
    ranks: tuple[int, ...]
    suit: int

    @property
    def place(self) -> int:
        """Where the hand stands among all hands, 0 the lowest."""
        return PLACES[self.name]


# As they are spelled in capitals.
BY_NAME = {
    (rank + suit).upper(): Card(RANKS.index(rank) + 2, SUITS.index(suit) + 1)
    for rank in RANKS
    for suit in SUITS
}


def read_cards(given: str | list[str]) -> list[Card]:
    """Read a row from a list of cards or from one string."""
    text = given if isinstance(given, str) else "".join(given)
    if not text.isascii():
        text = text.replace("\ufe0f", "").replace("\ufe0e", "")
        for sign, letter in SIGNS.items():
            text = text.replace(sign, letter)
    text = "".join(text.upper().split()).replace("10", "T")
    return [BY_NAME[text[at : at + 2]] for at in range(0, len(text), 2)]


def straight_top(cards: list[Card]) -> int | None:
    """Top rank of the cards if they are in sequence (the ace may play low), else None."""
    return _sequence_top(tuple(sorted([card.rank for card in cards])))


# Asked of the same few thousand ranks again and again, where every way to split 13 cards is tried.
@cache
def _sequence_top(ranks: tuple[int, ...]) -> int | None:
    size = len(ranks)
    if ranks == tuple(range(ranks[0], ranks[0] + size)):
        return ranks[-1]
    # The ace below the two: A-2-3-4-5, or A-2-3 where three cards make a straight.
    if ranks[-1] == ACE and ranks[:-1] == tuple(range(2, size + 1)):
        return size
    return None


def one_suit(cards: list[Card]) -> bool:
    """Whether all the cards are of one suit."""
    return len({card.suit for card in cards}) == 1


def read_hand(cards: list[Card]) -> Hand:
    """Name the hand of a row of three or five cards."""
    ranks = [card.rank for card in cards]
    # Ranks that occur most come first, higher ranks first among those that occur as often.
    groups = sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    pattern = [ranks.count(rank) for rank in groups]

    def best_suit(rank: int) -> int:
        return max(card.suit for card in cards if card.rank == rank)

    # Straights and flushes are five ranks, each once.
    if len(groups) == 5:
        top = straight_top(cards)
        if top is not None and one_suit(cards):
            name = "royal_flush" if top == ACE else "straight_flush"
            return Hand(name, (top,), best_suit(top))
        if top is not None:
            return Hand("straight", (top,), best_suit(top))
        if one_suit(cards):
            return Hand("flush", tuple(groups), best_suit(groups[0]))
    if pattern[0] == 4:
        name = "four_of_a_kind"
    elif pattern == [3, 2]:
        name = "full_house"
    elif pattern[0] == 3:
        name = "three_of_a_kind"
    elif pattern[:2] == [2, 2]:
        name = "two_pair"
    elif pattern[0] == 2:
        name = "pair"
    else:
        name = "high_card"
    return Hand(name, tuple(groups), best_suit(groups[0]))


def steps(hand: Hand, ruleset: str) -> list[tuple[str, tuple[int, ...]]]:
    """What is compared, in order, when two rows meet under a rule set."""
    first = ("hand", (hand.place,))
    ranks = ("ranks", hand.ranks)
    suit = ("suit", (hand.suit,))
    if ruleset == "gratis":
        return [first, ranks]
    if ruleset == "bsfyi":
        return [first, ranks, suit]
    if hand.name == "flush":
        return [first, suit, ranks]
    if hand.name in ("pair", "two_pair"):
        # Only the (higher) pair counts: no kickers, no lower pair.
        return [first, ("ranks", hand.ranks[:1]), suit]
    return [first, ranks, suit]


def compare(one: Hand, other: Hand, ruleset: str) -> tuple[int, str]:
    """Return 1, -1 or 0 as `one` is better, worse or equal, and what decided it."""
    for (what, mine), (_, theirs) in zip(steps(one, ruleset), steps(other, ruleset), strict=False):
        # A shorter tuple that the longer one begins with is the lesser of the two, which is just
        # what is wanted when three cards are all matched by the first three of five.
        if mine != theirs:
            return (1 if mine > theirs else -1), what
    return 0, "draw"


def out_of_order(lower: Hand, upper: Hand, ruleset: str) -> bool:
    """Whether the upper row is stronger than the row below it, which makes a foul."""
    # Suits never make a foul except under panduan, where they belong to the comparison.
    sign, _ = compare(upper, lower, "gratis" if ruleset == "bsfyi" else ruleset)
    return sign > 0
