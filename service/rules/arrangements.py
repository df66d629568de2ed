"""Every way to lay out 13 cards, and those than which no other is better.

There are 72,072 of them. Their rows are 1,287 sets of five cards and 286 of three, and each of these is
looked up once. A set is a number of 13 bits here, one for each card of the hand; what is weaker stands
before what is stronger, and a place in that order is what is compared and kept.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate, combinations, groupby, product
from operator import itemgetter

from service.rules.cards import CODES, HAND_SIZE, RANK_CODES, RANKS, ROW_SIZES
from service.rules.reading import Three
from service.rules.tables import Tables

_ALL = (1 << HAND_SIZE) - 1

# Where stronger rows may be worth less in more ways than these, so many arrangements are looked at.
_MOST_CHAINS, _MOST_PROMISING = 12, 200

#: What a row is worth in the end to whoever plays it: of top, middle and bottom, by kind.
Values = Sequence[Sequence[float]]

# Of a kind in a row: its worth, its bonus, and its worth in a sweep.
_Price = tuple[int, int, int]


def _sets(size: int) -> tuple[int, ...]:
    """All sets of so many cards of a hand, in the order of :func:`itertools.combinations`."""
    return tuple(sum(1 << card for card in chosen) for chosen in combinations(range(HAND_SIZE), size))


_THREES, _FIVES = _sets(ROW_SIZES[0]), _sets(ROW_SIZES[1])
# For each card of the hand which fives hold it, a character each.
_MEMBERS = {three: tuple(at for at in range(HAND_SIZE) if three >> at & 1) for three in _THREES}
_ONES = tuple(1 << place for place in range(len(_FIVES)))
_HOLDS = tuple("".join("01"[five >> card & 1] for five in _FIVES) for card in range(HAND_SIZE))


@dataclass(frozen=True, slots=True)
class Arrangement:
    """13 cards, top, middle and bottom in turn, in order: how strong the rows are, suits and all, and
    of which kinds.
    """

    cards: tuple[int, ...]
    strengths: Three
    kinds: Three


@dataclass(frozen=True, slots=True)
class _Rows:
    """All rows of one size that a hand holds, the weakest first.

    ``orders``: of their strengths what the order of rows goes by. ``listed``: where each stands in the
    list of all sets of that size.
    """

    sets: Sequence[int]
    strengths: Sequence[int]
    orders: Sequence[int]
    kinds: Sequence[int]
    listed: Sequence[int]


class Layouts:
    """What can be made of a hand of 13 different cards under a rule set."""

    def __init__(self, tables: Tables, cards: Sequence[int]) -> None:
        self.tables = tables
        self.cards = tuple(sorted(cards))
        held, suits = _by_rank(self.cards)
        self.threes = self._look_up(_THREES, ROW_SIZES[0], held, suits)
        self.fives = self._look_up(_FIVES, ROW_SIZES[1], held, suits)
        self._place = dict(zip(self.fives.sets, range(len(_FIVES)), strict=True))

    def _look_up(self, sets: Sequence[int], size: int, held: list[int], suits: dict[int, int]) -> _Rows:
        tables = self.tables
        codes = map(sum, combinations([CODES[card] for card in self.cards], size))
        if size == ROW_SIZES[0]:
            found = [tables.tops[code & RANK_CODES] for code in codes]
        else:
            one_suit, fives = tables.flushes.get, tables.fives
            found = [one_suit(code) or fives[code & RANK_CODES] for code in codes]
        keys = [(held[key], adds) for key, adds in tables.keys]
        strengths = []
        for cards, (strength, kind, _) in zip(sets, found, strict=True):
            of_key, adds = keys[kind]
            strengths.append(strength + adds[suits[cards & of_key]])
        places = sorted(range(len(sets)), key=strengths.__getitem__)
        put = itemgetter(*places)
        strengths = put(strengths)
        orders = [strength & tables.order_mask for strength in strengths]
        return _Rows(put(sets), strengths, orders, [kind for _, kind, _ in put(found)], places)

    def arrangement(self, places: Three) -> Arrangement:
        """The arrangement of the rows at these places: top, middle, bottom."""
        rows = (self.threes, self.fives, self.fives)
        sets = [of.sets[place] for of, place in zip(rows, places, strict=True)]
        cards = [card for chosen in sets for at, card in enumerate(self.cards) if chosen >> at & 1]
        top, middle, bottom = zip(rows, places, strict=True)
        return Arrangement(
            tuple(cards),
            (top[0].strengths[top[1]], middle[0].strengths[middle[1]], bottom[0].strengths[bottom[1]]),
            (top[0].kinds[top[1]], middle[0].kinds[middle[1]], bottom[0].kinds[bottom[1]]),
        )

    def every(self) -> Iterator[Arrangement]:
        """Every arrangement that is no foul: tens of thousands."""
        fives = self.fives
        for three, cards in enumerate(self.threes.sets):
            least, rest = self.threes.orders[three], _ALL ^ cards
            for bottom, chosen in enumerate(fives.sets):
                if chosen & cards:
                    continue
                middle = self._place[rest ^ chosen]
                if least <= fives.orders[middle] <= fives.orders[bottom]:
                    yield self.arrangement((three, middle, bottom))

    def best(self, values: Values) -> list[Arrangement]:
        """The arrangements than which none is better; of those that are equal in all that counts one.

        Better is what is stronger or worth more in a row, and neither weaker nor worth less in any.
        Under house rules with bonuses that rise and fall with every rank that is nearly everything, and
        the 200 are given in its place that are most valuable.
        """
        rows = (self.threes, self.fives, self.fives)
        chains = [self._chains(row, of) for row, of in enumerate(rows)]
        if math.prod(map(len, chains)) > _MOST_CHAINS:
            return self.most_valuable(values, _MOST_PROMISING)
        found = [places for chosen in product(*chains) for places in self._strongest(*chosen)]
        arrangements = [self.arrangement(places) for places in found]
        if len(arrangements) == 1 or all(len(of_row) == 1 for of_row in chains):
            return arrangements
        return self._undominated(arrangements)

    def _strongest(self, tops: int, middles: int, bottoms: int) -> list[Three]:
        """The places of the arrangements than which none is stronger, of these rows (a bit a place).

        It goes through the tops from the strongest down, for each of them through the bottoms from the
        strongest down, and stops where no middle could be stronger than one that has been found already
        beside no weaker top and bottom.
        """
        fives, threes, place_of = self.fives, self.threes, self._place
        strengths, orders, sets = fives.strengths, fives.orders, fives.sets
        highest = list(accumulate(orders, max))
        lowest = list(accumulate(reversed(orders), min))[::-1]
        holding = [_bits(text, fives.listed) for text in _HOLDS]
        found: list[tuple[int, int, int, Three]] = []
        steps: list[tuple[int, int]] = []  # strength of the bottom, falling; place of the middle, rising
        for top in reversed(range(len(threes.sets))):
            if not tops >> top & 1:
                continue
            cards, least = threes.sets[top], threes.orders[top]
            rest, held = _ALL ^ cards, 0
            for at in _MEMBERS[cards]:
                held |= holding[at]
            left = bottoms & ~held
            floor = bisect_left(highest, least)
            beaten, best, step, new = -1, -1, 0, []
            while left:
                bottom = left.bit_length() - 1
                strength = strengths[bottom]
                if step < len(steps) and steps[step][0] >= strength:
                    while step < len(steps) and steps[step][0] >= strength:
                        step += 1
                    if steps[step - 1][1] > best:
                        best = steps[step - 1][1]
                        beaten, floor = strengths[best], max(floor, bisect_left(highest, lowest[best]))
                if bottom < floor:
                    break
                left ^= _ONES[bottom]
                middle = place_of[rest ^ sets[bottom]]
                if (
                    middle > best
                    and least <= orders[middle] <= orders[bottom]
                    and strengths[middle] > beaten
                    and middles >> middle & 1
                ):
                    new.append((strength, middle))
                    found.append((threes.strengths[top], strength, middle, (top, middle, bottom)))
                    best, beaten = middle, strengths[middle]
                    floor = max(floor, bisect_left(highest, lowest[best]))
            if new:
                steps = _rising(sorted(steps + new, reverse=True), strengths)
        return _strongest_of_equal_tops(found, strengths)

    def most_valuable(self, values: Values, count: int) -> list[Arrangement]:
        """The arrangements with the hands that are worth most together, in no order, each three hands
        once; of those that make the same ones, that with the strongest rows.

        From the most valuable rows down, so that it stops where the rest could not be worth as much.
        """
        fives, threes = self.fives, self.threes
        of_top, of_middle, of_bottom = (
            [of[kind] for kind in rows.kinds]
            for of, rows in zip(values, (threes, fives, fives), strict=True)
        )
        tops = sorted(range(len(threes.sets)), key=of_top.__getitem__, reverse=True)
        bottoms = sorted(range(len(fives.sets)), key=of_bottom.__getitem__, reverse=True)
        most_middle, most_bottom = max(of_middle), of_bottom[bottoms[0]]
        found: dict[Three, tuple[int, Three]] = {}
        worth: list[float] = []  # of the three hands that are worth most: a heap
        enough = -math.inf
        for top in tops:
            if of_top[top] + most_middle + most_bottom < enough:
                break
            cards, least = threes.sets[top], threes.orders[top]
            for bottom in bottoms:
                both = of_top[top] + of_bottom[bottom]
                if both + most_middle < enough:
                    break
                chosen = fives.sets[bottom]
                if chosen & cards:
                    continue
                middle = self._place[_ALL ^ cards ^ chosen]
                if not least <= fives.orders[middle] <= fives.orders[bottom]:
                    continue
                if both + of_middle[middle] < enough:
                    continue
                kinds = threes.kinds[top], fives.kinds[middle], fives.kinds[bottom]
                if kinds not in found:
                    heappush(worth, both + of_middle[middle])
                    if len(worth) > count:
                        heappop(worth)
                        enough = worth[0]
                # There are so many more fives than threes.
                strong = top * len(_FIVES) // len(_THREES) + middle + bottom
                if kinds not in found or strong > found[kinds][0]:
                    found[kinds] = strong, (top, middle, bottom)
        kept = [
            (of_top[top] + of_middle[middle] + of_bottom[bottom], (top, middle, bottom))
            for _, (top, middle, bottom) in found.values()
        ]
        kept.sort(reverse=True)
        return [self.arrangement(places) for _, places in kept[:count]]

    def _prices(self, row: int, rows: _Rows) -> list[_Price]:
        tables = self.tables
        of_kind = list(zip(tables.worth[row], tables.bonus[row], tables.swept[row], strict=True))
        return [of_kind[kind] for kind in rows.kinds]

    def _chains(self, row: int, rows: _Rows) -> list[int]:
        """Rows parted (a bit a place) so that in each part what is stronger is worth no less.

        One part, but where house rules pay for a hand and not for a higher one.
        """
        prices = self._prices(row, rows)
        if _never_falls(prices, rows.strengths):
            return [(1 << len(rows.sets)) - 1]
        chains: list[
            tuple[list[int], int, _Price]
        ] = []  # places; strength and price of the last of them
        for place, (strength, price) in enumerate(zip(rows.strengths, prices, strict=True)):
            for at, (places, last, least) in enumerate(chains):
                if price == least or (last < strength and _no_less(price, least)):
                    places.append(place)
                    chains[at] = places, strength, price
                    break
            else:
                chains.append(([place], strength, price))
        return [sum(1 << place for place in places) for places, _, _ in chains]

    def _undominated(self, found: Sequence[Arrangement]) -> list[Arrangement]:
        """Those of some arrangements than which none of them is better, each of equal ones once."""
        tables = self.tables
        kept: dict[tuple[int, ...], Arrangement] = {}
        for one in found:
            of_rows = zip(one.kinds, tables.worth, tables.bonus, tables.swept, strict=True)
            prices = (of[kind] for kind, *by_kind in of_rows for of in by_kind)
            merits = (*one.strengths, *prices)
            if not any(_no_less(other, merits) for other in kept):
                kept = {other: of for other, of in kept.items() if not _no_less(merits, other)}
                kept[merits] = one
        return list(kept.values())


def _by_rank(cards: Sequence[int]) -> tuple[list[int], dict[int, int]]:
    """The cards of a hand by rank, as sets, and of each set of one rank the suits, a bit each."""
    held = [0] * len(RANKS)
    for at, card in enumerate(cards):
        held[card // 4] |= 1 << at
    suits = {0: 0}
    for of_rank in filter(None, held):
        places = [at for at in range(HAND_SIZE) if of_rank >> at & 1]
        for size in range(1, len(places) + 1):
            for chosen in combinations(places, size):
                suits[sum(1 << at for at in chosen)] = sum(1 << cards[at] % 4 for at in chosen)
    return held, suits


def _bits(text: str, places: Sequence[int]) -> int:
    """Characters 0 and 1 as a number, the one for its first place as the lowest bit."""
    return int("".join(itemgetter(*reversed(places))(text)), 2)


def _rising(steps: Sequence[tuple[int, int]], strengths: Sequence[int]) -> list[tuple[int, int]]:
    """Of bottoms, the strongest first, and middles those whose middle is stronger than all before."""
    kept: list[tuple[int, int]] = []
    for bottom, middle in steps:
        if not kept or strengths[middle] > strengths[kept[-1][1]]:
            kept.append((bottom, middle))
    return kept


def _strongest_of_equal_tops(
    found: Sequence[tuple[int, int, int, Three]], strengths: Sequence[int]
) -> list[Three]:
    """Leave out what is weaker than something found later, which can only have an equal top."""
    kept = []
    for _, equal in groupby(found, key=itemgetter(0)):
        strongest = -1
        for _, _, middle, places in sorted(equal, key=itemgetter(1, 2), reverse=True):
            if strengths[middle] > strongest:
                strongest = strengths[middle]
                kept.append(places)
    return kept


def _never_falls(prices: Sequence[_Price], strengths: Sequence[int]) -> bool:
    """Whether of rows, the weakest first, a stronger is worth no less, and an equal one as much."""
    changes = [at for at in range(1, len(prices)) if prices[at] is not prices[at - 1]]
    return all(
        prices[at] == prices[at - 1]
        or (strengths[at - 1] < strengths[at] and _no_less(prices[at], prices[at - 1]))
        for at in changes
    )


def _no_less(one: Sequence[int], other: Sequence[int]) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True))
