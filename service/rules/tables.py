"""A rule set compiled into look-ups, so that scoring a round asks no questions of it.

The strength of a row is one whole number, from the top bits down: hand, suit where suits are compared
first, ranks, suit where suits are compared last. Two rows differ at the highest bit in which their
strengths do, and that bit tells what decided between them (``DECIDED_BY``). Which suits a key rank is
held in is only asked where all else is equal, which is seldom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from service.rules.cards import (
    CODES,
    RANK_CODES,
    RANKS,
    ROW_SIZES,
    SUITS,
    encode_ranks,
    encode_suits,
    odd_ranks,
)
from service.rules.hands import (
    ACE,
    HAND,
    HANDS,
    KIND,
    KIND_HANDS,
    KINDS,
    ONE_SUIT_HANDS,
    SHAPES,
    WHEEL,
    Kind,
    Shape,
    unpack,
)
from service.rules.labels import Words
from service.rules.specials import odd_counts, predicate, rank_counts, suit_counts

if TYPE_CHECKING:
    from service.rules.ruleset import Bonus, RuleSet, Special, Sweep

_LAST_SUIT_BITS = 2
_RANKS_BITS = 20
_FIRST_SUIT_SHIFT = _LAST_SUIT_BITS + _RANKS_BITS
_HAND_SHIFT = _FIRST_SUIT_SHIFT + 2
HAND_BIT = 1 << _HAND_SHIFT
_FIVE = RANKS.index("5")
_NO_SUITS = (0,) * 16
_RANK_BASE = len(RANKS) + 1
_MOST_RANKS = 5
_PLACES = [int(_RANK_BASE**place) for place in range(_MOST_RANKS + 1)]
_WITHOUT_SUITS = ~(0b11 | 0b11 << _FIRST_SUIT_SHIFT)

#: What decided between two strengths, by the length in bits of their exclusive or.
DECIDED_BY: tuple[str, ...] = (
    "draw",
    *["suit"] * _LAST_SUIT_BITS,
    *["ranks"] * _RANKS_BITS,
    *["suit"] * 2,
    *["hand"] * 8,
)

#: What a hand can be compared by, in the only order that makes sense, but for ``suit``, which may
#: also come first.
PARTS: Mapping[str, tuple[str, ...]] = {
    "high_card": ("ranks", "key_suit"),
    "pair": ("pair", "kickers", "key_suit"),
    "two_pair": ("high_pair", "low_pair", "kickers", "key_suit"),
    "three_of_a_kind": ("trips", "kickers", "key_suit"),
    "straight": ("top_card", "key_suit"),
    "flush": ("ranks", "suit"),
    "full_house": ("trips", "pair", "key_suit"),
    "four_of_a_kind": ("quads", "kickers", "key_suit"),
    "straight_flush": ("top_card", "suit"),
    "royal_flush": ("suit",),
}
_SUIT_PARTS = ("suit", "key_suit")

# Which of a shape's ranks a part looks at: from, to (None: the rest).
_PART_RANKS: Mapping[tuple[str, str], tuple[int, int | None]] = {
    ("high_card", "ranks"): (0, None),
    ("pair", "pair"): (0, 1),
    ("pair", "kickers"): (1, None),
    ("two_pair", "high_pair"): (0, 1),
    ("two_pair", "low_pair"): (1, 2),
    ("two_pair", "kickers"): (2, None),
    ("three_of_a_kind", "trips"): (0, 1),
    ("three_of_a_kind", "kickers"): (1, None),
    ("flush", "ranks"): (0, None),
    ("full_house", "trips"): (0, 1),
    ("full_house", "pair"): (1, 2),
    ("four_of_a_kind", "quads"): (0, 1),
    ("four_of_a_kind", "kickers"): (1, None),
}

# A row as it is looked up: strength but for the suit of a key rank, kind, and which ranks are odd.
_Entry = tuple[int, int, int]
_Three = tuple[int, int, int]
_AtOnce = tuple[str, int]
#: For each kind of a top, middle and bottom row: its worth, its hand and its label.
Told = tuple[tuple[tuple[int, str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """What scoring looks up, under one rule set.

    ``tops`` and ``fives``: rows of three and five by the ranks in their code; ``flushes``: fives of one
    suit by their whole code. ``keys[kind]``: the key rank, and for each set of suits (a bit each) what
    the best of them adds to a strength. ``worth[row][kind]``: points of an ordinarily won row;
    ``bonus[row][kind]``: its bonus or 0; ``swept``: the same as ``worth`` for a row that takes part in a
    sweep. ``order_mask``: the bits of a strength that the order of rows goes by; ``quick_order_mask``:
    None where rows that rise in all bits are in order, too. ``specials``: place in the ranking, and the
    predicate. ``special_ranks`` and ``special_suits``, by the code of 13 cards, and ``special_odds``, by
    which ranks are odd, tell quickly that none is formed, where there are no ``other_specials``.
    ``row_adds``: whether ordinary duels have anything added to the points of their rows;
    ``sweep_adds``: whether swept ones do, or have rows of another worth. ``at_once``: the outcome
    and factor of an ordinary duel, about which nothing remains to be done once its rows are compared,
    else None; ``sweep_at_once``: the same of a sweep that is no clean one.
    ``told``: what was made by :meth:`tell`.
    """

    tops: dict[int, _Entry]
    fives: dict[int, _Entry]
    flushes: dict[int, _Entry]
    keys: tuple[tuple[int, tuple[int, ...]], ...]
    order_mask: int
    quick_order_mask: int | None
    worth: tuple[tuple[int, ...], ...]
    bonus: tuple[tuple[int, ...], ...]
    swept: tuple[tuple[int, ...], ...]
    specials: tuple[tuple[int, Callable[[int], bool]], ...]
    special_ranks: frozenset[int]
    special_suits: frozenset[int]
    special_odds: frozenset[int]
    other_specials: bool
    declared: bool
    ranking: tuple[Special, ...]
    row_adds: bool
    sweep_adds: bool
    at_once: _AtOnce | None
    sweep_at_once: _AtOnce | None
    has_points: bool
    sweep: Sweep | None
    clean_sweep: Sweep | None
    told: dict[Words, Told] = field(default_factory=dict)

    def swept_worth_of(self, kinds: _Three) -> _Three:
        """What the rows of these kinds are worth, each, to a player who wins all three."""
        (worth_top, worth_middle, worth_bottom), (top, middle, bottom) = self.swept, kinds
        return worth_top[top], worth_middle[middle], worth_bottom[bottom]

    def look_up(self, cards: Sequence[int]) -> tuple[int, int]:
        """Strength and kind of a row of 3 or 5 cards."""
        code = sum([CODES[card] for card in cards])
        if len(cards) == ROW_SIZES[0]:
            strength, kind, _ = self.tops[code & RANK_CODES]
        else:
            strength, kind, _ = self.flushes.get(code) or self.fives[code & RANK_CODES]
        return strength + self.key_suit(kind, cards), kind

    def key_suit(self, kind: int, cards: Sequence[int]) -> int:
        """What the suits that a row of this kind holds its key rank in add to its strength."""
        key, suits = self.keys[kind]
        return suits[sum([1 << card % 4 for card in cards if card // 4 == key])]

    def tell(self, words: Words) -> Told:
        """What rows are worth, and what they are called in a language."""
        if words not in self.told:
            self.told[words] = tuple(
                tuple(zip(worth, KIND_HANDS, words.labels, strict=True)) for worth in self.worth
            )
        return self.told[words]


def compile_tables(ruleset: RuleSet) -> Tables:
    """Compile a rule set; takes some 20 ms and 3 MB, so it is done once for each."""
    worth, bonus, swept = _points(ruleset)
    row_adds = bool(ruleset.most_rows) or ruleset.bonuses == "always"
    sweeps = (ruleset.sweep, ruleset.clean_sweep)
    sweep_adds = row_adds or ruleset.factors == "rows" or any(sweep.points for sweep in sweeps if sweep)
    swept_at_once = ("sweep", ruleset.sweep.factor) if ruleset.sweep else ("rows", 1)
    order_mask = -1 if ruleset.order_by_suits else _WITHOUT_SUITS
    suits_first = any("suit" in parts[:1] for parts in ruleset.compare.values())
    names, wheel = [special.name for special in ruleset.specials], ruleset.wheel
    return Tables(
        tops=dict(_by_ranks(ruleset, ROW_SIZES[0])),
        fives=dict(_by_ranks(ruleset, ROW_SIZES[1])),
        flushes=dict(_of_one_suit(ruleset)),
        keys=tuple(_keys(ruleset)),
        order_mask=order_mask,
        quick_order_mask=order_mask if suits_first else None,
        worth=worth,
        bonus=bonus,
        swept=swept,
        special_ranks=frozenset(
            encode_ranks(unpack(counts)) for name in names for counts in rank_counts(name, wheel)
        ),
        special_odds=frozenset(odd for name in names for odd in odd_counts(name)),
        special_suits=frozenset(encode_suits(held) for name in names for held in suit_counts(name)),
        other_specials=not all(
            rank_counts(name, wheel) or suit_counts(name) or odd_counts(name) for name in names
        ),
        declared=ruleset.declared,
        ranking=ruleset.specials,
        has_points=ruleset.has_points,
        sweep=ruleset.sweep,
        clean_sweep=ruleset.clean_sweep,
        row_adds=row_adds,
        sweep_adds=sweep_adds,
        at_once=("rows", 1) if ruleset.has_points and not row_adds else None,
        sweep_at_once=swept_at_once if ruleset.has_points and not sweep_adds else None,
        specials=tuple(
            (index, predicate(special.name, ruleset.wheel))
            for index, special in enumerate(ruleset.specials)
        ),
    )


def _straight(ranks: tuple[int, ...], wheel: str) -> tuple[int, int] | None:
    """For five different ranks, high to low: the straight's height and its top card, if it is one."""
    if ranks[0] - ranks[-1] == 4:
        return 2 * ranks[0], ranks[0]
    if frozenset(ranks) != WHEEL or wheel == "none":
        return None
    if wheel == "lowest":
        return 2 * _FIVE, _FIVE
    return 2 * ACE - 1, _FIVE  # just below the straight to the ace


def _digits(ranks: tuple[int, ...]) -> int:
    """Ranks as one number that compares like them; a missing card is less than any card."""
    value = 0
    for rank in ranks:
        value = value * _RANK_BASE + rank + 1
    return value * _PLACES[_MOST_RANKS - len(ranks)]


def _looked_at(ruleset: RuleSet, hand: str) -> tuple[slice, ...]:
    """Which of a shape's ranks a hand is compared by, in turn."""
    return tuple(
        slice(*_PART_RANKS[hand, part]) for part in ruleset.compare[hand] if (hand, part) in _PART_RANKS
    )


def _ranks_value(looked_at: tuple[slice, ...], ranks: tuple[int, ...]) -> int:
    if len(looked_at) == 1:
        return _digits(ranks[looked_at[0]])
    return _digits(tuple([rank for part in looked_at for rank in ranks[part]]))


def _suit_value(ruleset: RuleSet, hand: str, suit: int) -> int:
    """What a suit adds to the strength of a hand: nothing where the rule set does not compare suits."""
    parts = ruleset.compare[hand]
    if not ruleset.suits or not any(part in parts for part in _SUIT_PARTS):
        return 0
    better_than = len(ruleset.suits) - 1 - ruleset.suits.index(SUITS[suit])
    return better_than << (_FIRST_SUIT_SHIFT if parts[0] == "suit" else 0)


def _best_suits(ruleset: RuleSet, hand: str) -> tuple[int, ...]:
    """For each set of suits (a bit each) what the best of them adds to the strength of a hand."""
    values = [_suit_value(ruleset, hand, suit) for suit in range(4)]
    return tuple(
        max([values[suit] for suit in range(4) if held >> suit & 1], default=0) for held in range(16)
    )


def _kind_of(hand: str, shape: Shape) -> int:
    second = shape.ranks[1] if hand in ("two_pair", "full_house") else None
    return KIND[Kind(hand, shape.ranks[0], second)]


def _keys(ruleset: RuleSet) -> Iterator[tuple[int, tuple[int, ...]]]:
    """For each kind its key rank, and what sets of suits add; hands of one suit have theirs already."""
    best = {hand: _best_suits(ruleset, hand) for hand in ruleset.compare}
    for kind in KINDS:
        if kind.hand in ONE_SUIT_HANDS:
            yield kind.lead, _NO_SUITS
        else:
            wheel = kind.hand == "straight" and kind.lead == _FIVE and ruleset.wheel == "second_highest"
            yield ACE if wheel else kind.lead, best[kind.hand]


@cache
def _rows(size: int) -> tuple[tuple[int, int, Shape, int], ...]:
    """What all rule sets know of rows of so many cards, not all of one suit.

    The ranks in their code, which ranks are odd, their shape, and their kind if they are no straight.
    """
    every = [(unpack(packed), shape) for packed, shape in SHAPES.items()]
    return tuple(
        (encode_ranks(ranks), odd_ranks(ranks), shape, _kind_of(HANDS[shape.hand], shape))
        for ranks, shape in every
        if len(ranks) == size
    )


@cache
def _suited() -> tuple[tuple[tuple[int, ...], int, tuple[int, ...]], ...]:
    """Of five different ranks: the ranks, which of them are odd, and their code in each suit."""
    every = [shape.ranks for shape in SHAPES.values() if len(shape.ranks) == _MOST_RANKS]
    suits = range(len(SUITS))
    return tuple(
        (
            ranks,
            odd_ranks(ranks),
            tuple(sum([CODES[rank * 4 + suit] for rank in ranks]) for suit in suits),
        )
        for ranks in every
    )


def _by_ranks(ruleset: RuleSet, size: int) -> Iterator[tuple[int, _Entry]]:
    """Rows of so many cards, not all of one suit, by the ranks in their code."""
    looked_at = [_looked_at(ruleset, hand) for hand in HANDS]
    top_card = "top_card" in ruleset.compare["straight"]
    for code, odd, shape, kind in _rows(size):
        straight = _straight(shape.ranks, ruleset.wheel) if len(shape.ranks) == _MOST_RANKS else None
        if straight:
            height, top = straight
            strength = HAND["straight"] << _HAND_SHIFT | (height if top_card else 0) << _LAST_SUIT_BITS
            yield code, (strength, KIND[Kind("straight", top)], odd)
        else:
            value = _ranks_value(looked_at[shape.hand], shape.ranks)
            yield code, (shape.hand << _HAND_SHIFT | value << _LAST_SUIT_BITS, kind, odd)


def _of_one_suit(ruleset: RuleSet) -> Iterator[tuple[int, _Entry]]:
    """Flushes and straight flushes, by their code."""
    looked_at = _looked_at(ruleset, "flush")
    in_suit = {
        hand: [_suit_value(ruleset, hand, suit) for suit in range(len(SUITS))] for hand in ONE_SUIT_HANDS
    }
    for ranks, odd, codes in _suited():
        straight = _straight(ranks, ruleset.wheel)
        if straight is None:
            hand, ranks_value, top = "flush", _ranks_value(looked_at, ranks), ranks[0]
        else:
            height, top = straight
            hand = "royal_flush" if height == 2 * ACE else "straight_flush"
            ranks_value = height if "top_card" in ruleset.compare[hand] else 0
        base = HAND[hand] << _HAND_SHIFT | ranks_value << _LAST_SUIT_BITS
        for suit, (code, value) in enumerate(zip(codes, in_suit[hand], strict=True)):
            yield code, (base + value, KIND[Kind(hand, top, None, suit)], odd)


def _bonus(bonuses: Mapping[str, Bonus], kind: Kind) -> int:
    bonus = bonuses.get(kind.hand, 0)
    return bonus if isinstance(bonus, int) else bonus.get(RANKS[kind.lead], 0)


def _points(ruleset: RuleSet) -> tuple[tuple[tuple[int, ...], ...], ...]:
    row = ruleset.row_points or 0
    bonus = tuple(tuple(_bonus(bonuses, kind) for kind in KINDS) for bonuses in ruleset.row_bonuses)
    plain = tuple((row,) * len(KINDS) for _ in bonus)
    if ruleset.bonuses == "always":
        worth = plain
    elif ruleset.bonuses == "added":
        worth = tuple(tuple(row + points for points in of_row) for of_row in bonus)
    else:
        worth = tuple(tuple(points or row for points in of_row) for of_row in bonus)
    return worth, bonus, worth if ruleset.factors == "all" else plain
