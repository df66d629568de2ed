"""Opponents to try an arrangement on: hands dealt from the cards that are left, arranged sensibly.

A sensible player knows how often each hand wins in each row (``service/rules/chances.py``) and what the
rows are worth, and looks for the highest sum. They look at what their cards hold (pairs, threes,
straights, flushes and so on), not at all 72,072 arrangements, so that a hand takes 70 µs. In 95 of 100
hands nothing better can be found.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from service.rules.arrangements import Layouts
from service.rules.cards import HAND_SIZE, RANKS, ROW_SIZES, SUITS, weigh
from service.rules.chances import CHANCES, PLACE_OF_KIND, place
from service.rules.hands import ACE, WHEEL
from service.rules.reading import Three, formed
from service.rules.ruleset import RuleSet

_DECK = 52
_FIVE_CARDS = 5
# Of so many cards of a suit all fives are looked at.
_LONG_SUIT = 7
_TOP, _MIDDLE, _BOTTOM = range(3)

_PAIR, _TWO_PAIR, _TRIPS = place("pair"), place("two_pair"), place("three_of_a_kind")
_STRAIGHT, _FLUSH, _FULL_HOUSE = place("straight"), place("flush"), place("full_house")
_QUADS, _STRAIGHT_FLUSH = place("four_of_a_kind"), place("straight_flush")
_ROYAL_FLUSH = place("royal_flush")

#: What makes a row what it is: its hand and leading rank as a place among the chances, and its cards.
_Part = tuple[int, int]

# Five ranks in sequence (a bit each), and the one that they are named after; the ace low comes first.
_RANKS_OF = {sum(1 << rank for rank in WHEEL): tuple(sorted(WHEEL))} | {
    0b11111 << low: tuple(range(low, low + _FIVE_CARDS)) for low in range(len(RANKS) - _FIVE_CARDS + 1)
}
_RUNS = tuple(
    (run, ranks[-1] if ranks[-1] - ranks[0] == 4 else ranks[-2]) for run, ranks in _RANKS_OF.items()
)


@dataclass(frozen=True, slots=True)
class Opponent:
    """A hand as an opponent plays it: three rows in order, or a special, by its place in the ranking."""

    cards: tuple[int, ...]
    strengths: Three
    kinds: Three
    special: int | None


def deal(cards: Sequence[int], opponents: int, seed: int) -> Iterator[list[tuple[int, ...]]]:
    """Hands of so many opponents, again and again, from all cards but some; the same from the same seed.

    The cards that are left, from the 2 of diamonds up, each get a number from Python's Mersenne Twister
    (``random()``, seeded with a whole number, is the same in every version), and are put in its order;
    the first 13 are the first opponent's, and so on.
    """
    draw = random.Random(seed).random
    left = sorted(set(range(_DECK)) - set(cards))
    while True:
        deck = sorted(left, key=lambda _: draw())
        yield [
            tuple(deck[start : start + HAND_SIZE])
            for start in range(0, opponents * HAND_SIZE, HAND_SIZE)
        ]


class Player:
    """Somebody who arranges hands sensibly under a rule set, and declares what is worth declaring."""

    def __init__(self, ruleset: RuleSet, chances: Sequence[Sequence[float]] = CHANCES) -> None:
        self.ruleset, self.tables = ruleset, ruleset.tables
        self.values = _values(ruleset, chances)
        self._wheel = ruleset.wheel != "none"
        self._most = [max(of_row) for of_row in self.values]
        #: The same values by kind.
        self.by_kind = [[of_row[at] for at in PLACE_OF_KIND] for of_row in self.values]

    def play(self, cards: Sequence[int]) -> Opponent:
        """What becomes of 13 cards in this player's hands."""
        places = formed(self.tables, weigh(cards)) if self.tables.specials else ()
        if places and not self.ruleset.declared:
            return Opponent(tuple(cards), (0, 0, 0), (0, 0, 0), places[0])
        hand = self.arrange(cards)
        if places:
            # What three won rows bring in the ordinary way is what a special has to pay at least.
            pays = sum(of[kind] for of, kind in zip(self.tables.worth, hand.kinds, strict=True))
            best = max(places, key=lambda at: self.ruleset.specials[at].points)
            if self.ruleset.specials[best].points >= pays:
                return Opponent(hand.cards, hand.strengths, hand.kinds, best)
        return hand

    def arrange(self, cards: Sequence[int]) -> Opponent:
        """Arrange 13 cards."""
        sets, held = self._choose(cards)
        rows = _fill(sets, held)
        look_up, mask = self.tables.look_up, self.tables.order_mask
        top, middle, bottom = (look_up(row) for row in rows)
        if middle[0] & mask > bottom[0] & mask:
            rows[_MIDDLE], rows[_BOTTOM], middle, bottom = rows[_BOTTOM], rows[_MIDDLE], bottom, middle
        if top[0] & mask > middle[0] & mask:
            return self._arrange_by_all(cards)
        strengths, kinds = zip(top, middle, bottom, strict=True)
        return Opponent((*rows[_TOP], *rows[_MIDDLE], *rows[_BOTTOM]), strengths, kinds, None)

    def _arrange_by_all(self, cards: Sequence[int]) -> Opponent:
        """Arrange the few hands whose parts do not fit together, by looking at everything."""
        (best,) = Layouts(self.tables, cards).most_valuable(self.by_kind, 1)
        return Opponent(best.cards, best.strengths, best.kinds, None)

    def worth(self, kinds: Three) -> float:
        """What rows of these kinds are worth to this player, together."""
        return sum(of[PLACE_OF_KIND[kind]] for of, kind in zip(self.values, kinds, strict=True))

    def _choose(self, cards: Sequence[int]) -> tuple[list[int], int]:
        """The cards (a bit each) that make the three rows what they are, and all cards.

        Written out, since it runs hundreds of times a request.
        """
        of_top, of_middle, of_bottom = self.values
        most_top, most_middle, _ = self._most
        parts, tops, held = _parts(cards, wheel=self._wheel)
        best, chosen = float("-inf"), [0, 0, 0]
        for at, (low, bottom) in enumerate(parts, 1):
            value = of_bottom[low]
            if value + most_middle + most_top <= best:
                continue
            alone = True
            for mid, middle in parts[at:]:
                if middle & bottom:
                    continue
                alone = False
                both = value + of_middle[mid]
                if both + most_top <= best:
                    continue
                used = middle | bottom
                last = (held ^ used).bit_length() - 1
                top, worth = 1 << last, of_top[last >> 2]
                for high, cards_of_top in tops:
                    if high <= mid and not cards_of_top & used:
                        if of_top[high] > worth:
                            top, worth = cards_of_top, of_top[high]
                        break
                if both + worth > best:
                    best, chosen = both + worth, [top, middle, bottom]
            if alone:
                rest = held ^ bottom
                last = rest.bit_length() - 1
                second = (rest & (1 << (last & ~3)) - 1).bit_length() - 1
                both = value + of_middle[last >> 2] + of_top[second >> 2]
                if both > best:
                    best, chosen = both, [1 << second, 1 << last, bottom]
        return chosen, held


def _parts(cards: Sequence[int], *, wheel: bool) -> tuple[list[_Part], list[_Part], int]:
    """What 13 cards hold for rows of five, the strongest first, what for a top, and all of them."""
    ranks, suits, present = [0] * len(RANKS), [0] * len(SUITS), 0
    for card in cards:
        ranks[card >> 2] |= 1 << card
        suits[card & 3] |= 1 << card
        present |= 1 << (card >> 2)
    parts, tops = _groups(ranks)
    long = 0
    for of_suit in suits:
        if of_suit.bit_count() >= _FIVE_CARDS:
            long |= of_suit
            _add_flushes(parts, of_suit, wheel=wheel)
    for run, lead in _RUNS if wheel else _RUNS[1:]:
        if present & run == run:
            _add_straights(parts, [ranks[rank] for rank in _RANKS_OF[run]], lead, long)
    parts.sort(reverse=True)
    return parts, tops, sum(suits)


def _groups(ranks: list[int]) -> tuple[list[_Part], list[_Part]]:
    """What is made of equal ranks, in no order; and what of it a top can be, the best first."""
    pairs, threes, parts = [], [], []
    for rank in range(ACE, -1, -1):
        two = of_rank = ranks[rank]
        count = of_rank.bit_count()
        if count < 2:
            continue
        if count == 4:
            parts.append((_QUADS + rank, of_rank))
            two &= two - 1
        if count > 2:
            threes.append((_TRIPS + rank, two))
            two &= two - 1
        pairs.append((_PAIR + rank, two))
    for at, (high, two) in enumerate(pairs, 1):
        for _, other in pairs[at:]:
            parts.append((high + _TWO_PAIR - _PAIR, two | other))
    for of_trips, three in threes:
        for of_pair, two in pairs:
            if of_pair - _PAIR != of_trips - _TRIPS:
                parts.append((of_trips + _FULL_HOUSE - _TRIPS, three | two))
    return parts + pairs + threes, threes + pairs


def _add_straights(parts: list[_Part], ranks: list[int], lead: int, long: int) -> None:
    """Two straights at most: one of cards that make no flush, and one of what that one leaves."""
    one = other = 0
    for of_rank in ranks:
        free = of_rank & ~long or of_rank
        first = free & -free
        one |= first
        other |= (of_rank ^ first) or of_rank
    parts.append((_STRAIGHT + lead, one))
    if other.bit_count() != _FIVE_CARDS:
        other = sum(1 << (other & of_rank).bit_length() - 1 for of_rank in ranks)
    if other != one:
        parts.append((_STRAIGHT + lead, other))


def _add_flushes(parts: list[_Part], of_suit: int, *, wheel: bool) -> None:
    """Of a long suit any five, of a very long one the highest five and the lowest; and what runs."""
    held = [card for card in range(_DECK - 1, -1, -1) if of_suit >> card & 1]
    chosen = (
        combinations(held, _FIVE_CARDS)
        if len(held) <= _LONG_SUIT
        else ((*held[:_FIVE_CARDS],), (*held[-_FIVE_CARDS:],))
    )
    for five in chosen:
        parts.append((_FLUSH + (five[0] >> 2), sum(1 << card for card in five)))
    present = {card >> 2: 1 << card for card in held}
    for run, lead in _RUNS if wheel else _RUNS[1:]:
        if all(rank in present for rank in _RANKS_OF[run]):
            hand = _ROYAL_FLUSH if run == _RUNS[-1][0] else _STRAIGHT_FLUSH
            parts.append((hand + lead, sum(present[rank] for rank in _RANKS_OF[run])))


def _fill(sets: Sequence[int], held: int) -> list[list[int]]:
    """Rows from what makes them, filled up with what is left: the highest on top, the lowest below."""
    rows: list[list[int]] = [[], [], []]
    left = []
    top, middle, bottom = sets
    for card in range(held.bit_length() - 1, -1, -1):
        bit = 1 << card
        if not held & bit:
            continue
        if top & bit:
            rows[_TOP].append(card)
        elif middle & bit:
            rows[_MIDDLE].append(card)
        elif bottom & bit:
            rows[_BOTTOM].append(card)
        else:
            left.append(card)
    taken = {card >> 2 for card in rows[_TOP]}
    for card in left[:]:
        if len(rows[_TOP]) == ROW_SIZES[_TOP]:
            break
        if card >> 2 not in taken:
            taken.add(card >> 2)
            rows[_TOP].append(card)
            left.remove(card)
    for row, size in zip(rows, ROW_SIZES, strict=True):
        while len(row) < size:
            row.append(left.pop(0))
    return rows


def _values(ruleset: RuleSet, chances: Sequence[Sequence[float]]) -> list[list[float]]:
    """What hands are worth in each row: the chance to win times what is at stake, and bonuses."""
    tables, row_points = ruleset.tables, (ruleset.row_points or 0) if ruleset.has_points else 1
    always = ruleset.bonuses == "always"
    found = []
    for row, of_row in enumerate(chances):
        values = [0.0] * len(of_row)
        for kind, at in enumerate(PLACE_OF_KIND):
            # The row is won instead of lost.
            stake = row_points + (tables.worth[row][kind] if ruleset.has_points else 1)
            values[at] = of_row[at] * stake + (tables.bonus[row][kind] if always else 0)
        found.append(values)
    return found
