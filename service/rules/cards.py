"""Cards: whole numbers 0..51 inside, two characters outside.

A card is ``rank * 4 + suit``; ``RANKS`` and ``SUITS`` name both by index. The order of ``SUITS`` here
only numbers them: which suit is better is a matter of the rule set.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import xor

RANKS = "23456789TJQKA"
SUITS = "dchs"
ROWS = ("top", "middle", "bottom")
ROW_SIZES = (3, 5, 5)
HAND_SIZE = 13

NAMES: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)

#: The cards by the names that they have in answers and in the record.
CANONICAL: dict[str, int] = {name: card for card, name in enumerate(NAMES)}

_RANK_SPELLINGS = {
    spelling: index
    for index, rank in enumerate(RANKS)
    for spelling in {rank, rank.lower()} | ({"10"} if rank == "T" else set())
}
_EMOJI_SELECTOR = "\ufe0f"
_SUIT_SYMBOLS = dict(zip(SUITS, "♦♣♥♠", strict=True))
_SUIT_SPELLINGS = {
    spelling: index
    for index, suit in enumerate(SUITS)
    for spelling in (
        suit,
        suit.upper(),
        _SUIT_SYMBOLS[suit],
        _SUIT_SYMBOLS[suit] + _EMOJI_SELECTOR,
    )
}

#: Every accepted way to write a card, and the card it is.
SPELLINGS: dict[str, int] = {
    rank + suit: rank_index * 4 + suit_index
    for rank, rank_index in _RANK_SPELLINGS.items()
    for suit, suit_index in _SUIT_SPELLINGS.items()
}

_CARD = re.compile(
    "(?:10|[{}])[{}]{}?".format(
        "".join(s for s in _RANK_SPELLINGS if len(s) == 1),
        "".join(s for s in _SUIT_SPELLINGS if len(s) == 1),
        _EMOJI_SELECTOR,
    )
)
_SPACE = re.compile("[ \t\r\n]*")
_NOT_SPACE = re.compile("[^ \t\r\n]+")

# What a card weighs, so that the sum over a row (or a whole hand) tells three things at once:
# how often each rank is there (3 bits a rank), how often each suit is (4 bits a suit), and which
# cards they are (1 bit a card).
RANK_BITS = 3
SUIT_SHIFT = RANK_BITS * len(RANKS)
SUIT_BITS = 4
CARD_SHIFT = SUIT_SHIFT + SUIT_BITS * len(SUITS)
RANK_COUNTS = (1 << SUIT_SHIFT) - 1
SUIT_COUNTS = (1 << (SUIT_BITS * len(SUITS))) - 1

WEIGHTS: tuple[int, ...] = tuple(
    1 << (RANK_BITS * (card // 4))
    | 1 << (SUIT_SHIFT + SUIT_BITS * (card % 4))
    | 1 << (CARD_SHIFT + card)
    for card in range(52)
)

# The code of a row, summed over its cards, tells which ranks and how many of each suit it has, like
# its weight, but in less than 30 bits: whole numbers up to there are added fastest. No two rows of
# three ranks, or of five, have the same sum of rank codes; the suits above them are counted in base
# 14, but for the first suit, of which the rest is.
_RANK_CODES = (0, 1, 5, 22, 94, 312, 992, 2_422, 5_624, 12_522, 19_998, 43_258, 79_415)
_SUIT_CODES = (0, 1, 14, 196)
SUIT_CODE_SHIFT = 20
RANK_CODES = (1 << SUIT_CODE_SHIFT) - 1

CODES: tuple[int, ...] = tuple(
    _RANK_CODES[card // 4] + (_SUIT_CODES[card % 4] << SUIT_CODE_SHIFT) for card in range(52)
)


def encode_ranks(ranks: Iterable[int]) -> int:
    """What cards of these ranks have in their code below the suits."""
    return sum([_RANK_CODES[rank] for rank in ranks])


def odd_ranks(ranks: Iterable[int]) -> int:
    """A bit for each rank that is there an odd number of times."""
    return reduce(xor, [1 << rank for rank in ranks])


def encode_suits(counts: Iterable[int]) -> int:
    """What cards that are so many of each suit, 13 at most, have in their code above the ranks."""
    return sum([count * code for count, code in zip(counts, _SUIT_CODES, strict=True)])


def split(text: str) -> list[str]:
    """Cut a row written as one string (``"As Kd Qc"``, ``"AsKdQc"``) into the cards it names.

    A stretch that is no card is kept as it is, up to the next space, so that it can be reported.
    """
    pieces = text.split(" ")
    if all(piece in SPELLINGS for piece in pieces):
        return pieces
    pieces = []
    position = _end(_SPACE, text, 0)
    while position < len(text):
        end = _end(_CARD, text, position)
        if end == position:
            end = _end(_NOT_SPACE, text, position)
        pieces.append(text[position:end])
        position = _end(_SPACE, text, end)
    return pieces


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def parse(text: str | Sequence[str]) -> tuple[int, ...]:
    """Read cards from a list of strings or from one string; ``KeyError`` at the first that is none."""
    pieces = split(text) if isinstance(text, str) else text
    if len(pieces) != HAND_SIZE:
        return tuple([SPELLINGS[piece] for piece in pieces])
    return take_hand(SPELLINGS, pieces)


def take_hand(known: Mapping[str, int], names: Sequence[str]) -> tuple[int, ...]:
    """The cards of 13 names by a table; ``KeyError`` at the first that is not in it.

    Written out, it takes half the time of a loop.
    """
    n = known
    a, b, c, d, e, f, g, h, i, j, k, l, m = names
    return n[a], n[b], n[c], n[d], n[e], n[f], n[g], n[h], n[i], n[j], n[k], n[l], n[m]


def names(cards: Iterable[int]) -> list[str]:
    """The canonical two-character names of cards, in the order given."""
    return [NAMES[card] for card in cards]


def weigh(cards: Iterable[int]) -> int:
    """The sum of the cards' ``WEIGHTS``."""
    return sum([WEIGHTS[card] for card in cards])


def wrong_character(text: str) -> tuple[str, str] | None:
    """For a string that is no card: the character to blame, described, and the part it spoils.

    Returns ``("“с” (U+0441 CYRILLIC SMALL LETTER ES)", "suit")``-like pairs; the part is ``"rank"``
    or ``"suit"``. ``None`` when no single character is to blame (too short, too long).
    """
    length = 2 if text.startswith("10") else 1
    if not text:
        return None
    if text[:length] not in _RANK_SPELLINGS:
        return describe(text[0]), "rank"
    if len(text) == length:
        return None
    if text[length] not in _SUIT_SPELLINGS:
        return describe(text[length]), "suit"
    return None


def describe(character: str) -> str:
    """A character in quotes; with its code point and Unicode name unless it is plain ASCII."""
    if " " < character <= "~":
        return f"“{character}”"
    name = unicodedata.name(character, "unnamed")
    shown = f"“{character}” " if character.isprintable() else ""
    return f"{shown}(U+{ord(character):04X} {name})"
