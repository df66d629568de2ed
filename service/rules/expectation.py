"""What an arrangement brings on the average of many deals, by counting instead of settling each duel.

Opponents are bits of one number: with their rows sorted by strength, those whose row loses to a given
one are a mask that is there beforehand, and whom it sweeps is three masks and-ed. The sums are those
of :mod:`service.rules.scoring`, to which the tests hold them deal by deal.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from service.rules.arrangements import Arrangement
from service.rules.opponents import Opponent
from service.rules.reading import Three
from service.rules.ruleset import RuleSet, Sweep

#: Values, and the opponents (a bit each) who have them.
_Sums = dict[int, int]


@dataclass(frozen=True, slots=True)
class Price:
    """What rows of some kinds bring: each when it wins, as bonuses that are always paid, in sweeps."""

    worth: Three
    bonus: int
    sweep: int
    clean_sweep: int


class Prices:
    """The prices of a rule set; without points a row is worth 1, so that rows won are counted."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.sweep, self.clean_sweep = ruleset.sweep, ruleset.clean_sweep
        self.most_rows = ruleset.most_rows
        self._always = ruleset.bonuses == "always"
        self._known: dict[Three, Price] = {}

    def of(self, kinds: Three) -> Price:
        """The price of an arrangement with rows of these kinds."""
        price = self._known.get(kinds)
        if price is None:
            self._known[kinds] = price = self._make(kinds)
        return price

    def factor(self, sweep: Sweep) -> int:
        """What the bonuses of who is swept are multiplied by, where these are always paid."""
        return sweep.factor if self.ruleset.factors == "all" else 1

    def _make(self, kinds: Three) -> Price:
        if not self.ruleset.has_points:
            return Price((1, 1, 1), 0, 0, 0)
        tables = self.ruleset.tables
        top, middle, bottom = (of[kind] for of, kind in zip(tables.worth, kinds, strict=True))
        bonus = sum(of[kind] for of, kind in zip(tables.bonus, kinds, strict=True))
        swept = sum(tables.swept_worth_of(kinds))

        def of_sweep(sweep: Sweep | None) -> int:
            if sweep is None:
                return 0
            added = sweep.points + self.most_rows
            if self._always:
                added += bonus * self.factor(sweep)
            elif self.ruleset.factors == "rows":
                added += bonus
            return sweep.factor * swept + added

        always = bonus if self._always else 0
        return Price((top, middle, bottom), always, of_sweep(self.sweep), of_sweep(self.clean_sweep))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Sums over a sample: points, rows won less rows lost, rows won by row, sweeps, clean sweeps."""

    points: int
    balance: int
    won: Three
    sweeps: int
    clean_sweeps: int


class Sample:
    """Deals of the same number of opponents, ready to be tried arrangements on."""

    def __init__(self, prices: Prices, deals: Sequence[Sequence[Opponent]]) -> None:
        self.prices = prices
        self.count, self.opponents = len(deals), len(deals[0])
        #: The opponents whose rows count, and what the specials of the others cost.
        self.plain = self.paid = 0
        self._bonus: _Sums = {}
        self._sweep: _Sums = {}
        self._clean_sweep: _Sums = {}
        self._sweep_others = 0
        rows: list[list[tuple[int, int, int]]] = [[], [], []]
        for number, deal in enumerate(deals):
            for place, opponent in enumerate(deal):
                bit = 1 << place * self.count + number
                if opponent.special is not None:
                    self.paid += prices.ruleset.specials[opponent.special].points
                    continue
                self.plain |= bit
                price = prices.of(opponent.kinds)
                for row, strength, worth in zip(rows, opponent.strengths, price.worth, strict=True):
                    row.append((strength, bit, worth))
                self._note(bit, price)
                if self._can_be_clean and _sweeps_all(opponent, deal):
                    self._sweep_others |= bit
        self._rows = [_Row(row) for row in rows]

    @property
    def _can_be_clean(self) -> bool:
        clean = self.prices.clean_sweep
        return clean is not None and self.opponents >= clean.opponents

    def _note(self, bit: int, price: Price) -> None:
        """Note what an opponent takes in a sweep beyond what the rows bring that they win in it."""
        if price.bonus:
            self._bonus[price.bonus] = self._bonus.get(price.bonus, 0) | bit
        if self.prices.sweep is not None:
            more = price.sweep - sum(price.worth) - self.prices.most_rows - price.bonus
            self._sweep[more] = self._sweep.get(more, 0) | bit
            more = price.clean_sweep - price.sweep
            self._clean_sweep[more] = self._clean_sweep.get(more, 0) | bit

    def try_out(self, arrangement: Arrangement) -> Outcome:
        """What an arrangement brings over all deals, where nobody fouls and it is no special."""
        prices, price = self.prices, self.prices.of(arrangement.kinds)
        met = [row.meet(of) for row, of in zip(self._rows, arrangement.strengths, strict=True)]
        (top, _, _), (middle, _, _), (bottom, _, _) = met
        won = (top.bit_count(), middle.bit_count(), bottom.bit_count())
        balance = sum(won) - sum(lost.bit_count() for _, lost, _ in met)
        points = sum(a * b for a, b in zip(won, price.worth, strict=True)) - sum(
            loss for *_, loss in met
        )
        points -= self.paid
        if prices.most_rows:
            points += prices.most_rows * (_most(met, 0).bit_count() - _most(met, 1).bit_count())
        if price.bonus or self._bonus:
            points += price.bonus * self.plain.bit_count() - _sum(self._bonus, self.plain)
        swept = top & middle & bottom
        if prices.sweep is None or not prices.ruleset.has_points:
            return Outcome(points, balance, won, 0, 0)
        lost_top, lost_middle, lost_bottom = (lost for _, lost, _ in met)
        clean = self._all_of(swept) if self._can_be_clean else 0
        points += self._sweeping(price, swept, clean) - self._swept(
            price, lost_top & lost_middle & lost_bottom
        )
        return Outcome(points, balance, won, swept.bit_count(), clean.bit_count() // self.opponents)

    def _sweeping(self, price: Price, swept: int, clean: int) -> int:
        """What sweeping some opponents brings beyond their rows, and sweeping everybody in a deal."""
        prices = self.prices
        assert prices.sweep is not None
        more = price.sweep - sum(price.worth) - prices.most_rows - price.bonus
        factor = prices.factor(prices.sweep)
        points = more * swept.bit_count() - (factor - 1) * _sum(self._bonus, swept)
        if clean and prices.clean_sweep is not None:
            points += (price.clean_sweep - price.sweep) * clean.bit_count()
            points -= (prices.factor(prices.clean_sweep) - factor) * _sum(self._bonus, clean)
        return points

    def _swept(self, price: Price, by: int) -> int:
        """What being swept by some opponents costs beyond the rows."""
        prices = self.prices
        assert prices.sweep is not None
        factor = prices.factor(prices.sweep)
        points = _sum(self._sweep, by) - (factor - 1) * price.bonus * by.bit_count()
        by &= self._sweep_others
        if by and prices.clean_sweep is not None:
            more = prices.factor(prices.clean_sweep) - factor
            points += _sum(self._clean_sweep, by) - more * price.bonus * by.bit_count()
        return points

    @cached_property
    def _one_each(self) -> int:
        return (1 << self.count) - 1

    def _all_of(self, swept: int) -> int:
        """Of some opponents those in whose deal everybody is among them."""
        found = self._one_each
        for place in range(self.opponents):
            found &= swept >> place * self.count
        return sum(found << place * self.count for place in range(self.opponents))


class _Row:
    """One row of all opponents."""

    def __init__(self, rows: list[tuple[int, int, int]]) -> None:
        rows.sort()
        self.strengths = [strength for strength, _, _ in rows]
        mask, loss = 0, sum(worth for _, _, worth in rows)
        #: Of the so many weakest: who they are; and what the rest take who are stronger.
        self.weakest, self.loss = [mask], [loss]
        for _, bit, worth in rows:
            mask |= bit
            loss -= worth
            self.weakest.append(mask)
            self.loss.append(loss)

    def meet(self, strength: int) -> tuple[int, int, int]:
        """Who loses to a row, who beats it, and what those take for it."""
        below, upto = bisect_left(self.strengths, strength), bisect_right(self.strengths, strength)
        return self.weakest[below], self.weakest[-1] ^ self.weakest[upto], self.loss[upto]


def _most(met: Sequence[tuple[int, int, int]], side: int) -> int:
    """Against whom more rows are won than lost (side 0), or lost than won (side 1)."""
    a, b, c = (of[side] for of in met)
    x, y, z = (of[1 - side] for of in met)
    return a & b | a & c | b & c | a & ~(y | z) | b & ~(x | z) | c & ~(x | y)


def _sum(values: Mapping[int, int], who: int) -> int:
    return sum(value * (who & having).bit_count() for value, having in values.items())


def _sweeps_all(one: Opponent, deal: Sequence[Opponent]) -> bool:
    return all(
        other is one
        or (
            other.special is None
            and all(a > b for a, b in zip(one.strengths, other.strengths, strict=True))
        )
        for other in deal
    )


def special_points(ruleset: RuleSet, place: int, cards: Sequence[int], deal: Sequence[Opponent]) -> int:
    """What a special of 13 cards, at a place in the ranking, brings against the opponents of a deal."""
    points = 0
    for other in deal:
        theirs = other.special
        if theirs is None or place < theirs:
            points += ruleset.specials[place].points
        elif theirs < place:
            points -= ruleset.specials[theirs].points
        elif ruleset.equal_specials == "ranks":
            ours, of_other = (
                sorted((card // 4 for card in of), reverse=True) for of in (cards, other.cards)
            )
            points += ruleset.specials[place].points * ((ours > of_other) - (ours < of_other))
    return points
