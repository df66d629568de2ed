"""Seating with as few repeated meetings as a search finds."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from service.tournaments.seating import (
    Draws,
    Meetings,
    Tables,
    cut,
    pair,
    shuffled,
    table_sizes,
)

# Swaps weighed before the search ends: for each player of a small field, and in a larger one all in all
# and for each player. Steps and not seconds, so that every machine finds the same.
WEIGHED_IN_SMALL = 2_000
MOST_WEIGHED = 120_000
WEIGHED_IN_LARGE = 20
# Of a large field only some are weighed for each swap.
SAMPLE = 64
# A player who was swapped stays for about so many steps, so that the search does not go in circles.
_REST = 4
# Fields in which one plan for all stages can matter; larger ones have no lack of new opponents.
_MOST_PLANNED = 128


def seat_spread(
    players: Sequence[str], table_size: int, met: Meetings, seed: int | str, stage: int
) -> Tables:
    """Seat the players so that few pairs meet again; their order as given does not matter.

    A second meeting counts 1, a third 2, and so on, so that repeats are shared out too. Starts from
    the shuffle of `seat_random`, or, up to 128 players, from a plan for all stages (see `_plans`) if
    that is no worse, and swaps players until there are no repeats or a number of swaps were weighed.
    The same players, meetings, seed and stage give the same tables everywhere.

    Raises ValueError as `table_sizes` does.
    """
    sizes = table_sizes(len(players), table_size)
    draws = Draws(seed, stage)
    start = shuffled(players, draws)
    candidates = []
    if len(players) <= _MOST_PLANNED:
        candidates += _plans(shuffled(players, Draws(seed, 0)), sizes, stage)
    # Of equals the first: once a plan has been left, its later stages are worth less.
    candidates.append(start)
    best = min(candidates, key=lambda row: burden(cut(row, sizes), met))
    search = _Search(cut(best, sizes), met, draws)
    search.run()
    return search.tables()


def burden(tables: Iterable[Sequence[str]], met: Meetings) -> int:
    """What a seating is judged by: for each pair at a table, how often they have met before."""
    return sum(met.get(pair(one, other), 0) for table in tables for one, other in combinations(table, 2))


def least_burden(
    players: Sequence[str], table_size: int, earlier: Sequence[Sequence[Sequence[str]]]
) -> int:
    """A bound that no seating's `burden` can be under, whether one reaches it or not.

    The larger of two: of a new table some come from the same table of an earlier stage, if that had
    fewer tables than the new one has places; and a player who has met nearly everybody has to meet
    some again.
    """
    sizes = table_sizes(len(players), table_size)
    shared = 0
    for tables in earlier:
        for size in sizes:
            # Newcomers come from no earlier table, so they are left out of the new table.
            known = size - sum(1 for player in players if all(player not in table for table in tables))
            each, more = divmod(max(known, 0), len(tables))
            shared += more * each + len(tables) * each * (each - 1) // 2
    counts: dict[str, list[int]] = {player: [0] * (len(players) - 1) for player in players}
    for player in players:
        others = {other: 0 for other in players if other != player}
        for table in (table for tables in earlier for table in tables if player in table):
            for other in table:
                if other in others:
                    others[other] += 1
        counts[player] = sorted(others.values())
    # Who has to meet most again is thought to sit at the smallest tables.
    forced = sorted((sum(row[: sizes[-1] - 1]) for row in counts.values()), reverse=True)
    return max(shared, -(-sum(forced) // 2))


def _plans(row: list[str], sizes: list[int], stage: int) -> list[list[str]]:
    """Rows of players, to be cut into tables, that follow plans made for many stages in advance.

    Of tables of two (an even number): everybody goes round one who stays, which makes n - 1 stages
    without a repeated meeting. Of full tables whose number k is a prime or a power of two: the players
    stand in a square of k rows, and table j of stage s takes from column c the one in row j + s c,
    computed modulo k (in the field of k elements for powers of two). This makes k stages without a
    repeated meeting; then the columns, whose players have not met, sit together. All stages of the
    plan are offered, this stage's own first, since after withdrawals another one may be better.
    """
    count, size = len(sizes), sizes[0]
    if sizes[-1] != size:
        return []
    if size == 2:
        turns, ring = 2 * count - 1, row[1:]
        plans = []
        for turn in range(turns):
            now = [row[0], *ring[turn:], *ring[:turn]]
            plans.append([p for at in range(count) for p in (now[at], now[-1 - at])])
    elif size <= count and _has_field(count):
        plans = [
            [
                row[c * count + _add(j, _times(s, c, count), count)]
                for j in range(count)
                for c in range(size)
            ]
            for s in range(count)
        ]
        plans.append(row)
    else:
        return []
    own = (stage - 1) % len(plans)
    return plans[own:] + plans[:own]


_IRREDUCIBLE = {4: 0b111, 8: 0b1011, 16: 0b10011, 32: 0b100101}


def _has_field(count: int) -> bool:
    return count in _IRREDUCIBLE or all(count % divisor for divisor in range(2, count))


def _add(one: int, other: int, count: int) -> int:
    return one ^ other if count in _IRREDUCIBLE else (one + other) % count


def _times(one: int, other: int, count: int) -> int:
    """The product of two elements of the field of ``count`` elements."""
    if count not in _IRREDUCIBLE:
        return one * other % count
    product = 0
    while other:
        if other & 1:
            product ^= one
        one <<= 1
        if one >= count:
            one ^= _IRREDUCIBLE[count]
        other >>= 1
    return product


class _Search:
    """Swaps players who meet again with others, always the best swap at hand; keeps the best seating."""

    def __init__(self, tables: Tables, met: Meetings, draws: Draws) -> None:
        self._draws = draws
        # In order, so that nothing depends on the order of a dictionary.
        self._names = sorted(player for table in tables for player in table)
        number = {name: index for index, name in enumerate(self._names)}
        self._seats = [[number[player] for player in table] for table in tables]
        self._table_of = [0] * len(number)
        for at, table in enumerate(self._seats):
            for player in table:
                self._table_of[player] = at
        self._met: list[dict[int, int]] = [{} for _ in number]
        for (one, other), times in met.items():
            if times and one in number and other in number:
                self._met[number[one]][number[other]] = times
                self._met[number[other]][number[one]] = times
        self._rests_until = [0] * len(number)

    def tables(self) -> Tables:
        """The best seating found."""
        return [[self._names[player] for player in table] for table in self._seats]

    def run(self) -> None:
        """Search until nobody meets again or enough was tried."""
        burdens = [self._burden(table) for table in self._seats]
        total = least = sum(burdens)
        bad = [at for at, value in enumerate(burdens) if value]
        everybody = len(self._names)
        most = min(MOST_WEIGHED, WEIGHED_IN_SMALL * everybody) + WEIGHED_IN_LARGE * everybody
        weighed = step = 0
        since: list[tuple[int, int]] = []  # swaps since the best seating
        while least and weighed < most and len(self._seats) > 1:
            step += 1
            mover = self._pick(bad)
            change, other, count = self._best_swap(mover, step, total, least)
            weighed += count
            if other < 0:
                continue
            self._swap(mover, other)
            since.append((mover, other))
            self._rests_until[mover] = step + _REST + self._draws.below(_REST)
            self._rests_until[other] = step + 1 + self._draws.below(_REST)
            total += change
            for at in (self._table_of[mover], self._table_of[other]):
                burdens[at] = self._burden(self._seats[at])
                if burdens[at] and at not in bad:
                    bad.append(at)
                elif not burdens[at] and at in bad:
                    bad.remove(at)
            if total < least:
                least = total
                since.clear()
        for mover, other in reversed(since):
            self._swap(mover, other)

    def _pick(self, bad: list[int]) -> int:
        """A player who meets somebody again."""
        table = self._seats[bad[self._draws.below(len(bad))]]
        moving = [player for player in table if self._with(player, table)]
        return moving[self._draws.below(len(moving))]

    def _best_swap(self, mover: int, step: int, total: int, least: int) -> tuple[int, int, int]:
        """What the best swap changes, with whom (-1: nobody may), and how many were weighed."""
        home = self._seats[self._table_of[mover]]
        leaves = self._with(mover, home)
        found, best, ties, count = -1, 0, 0, 0
        rests = self._rests_until
        for other in self._others(mover):
            away = self._seats[self._table_of[other]]
            if away is home:
                continue
            count += 1
            between = 2 * self._met[mover].get(other, 0)
            change = self._with(mover, away) + self._with(other, home) - between
            change -= leaves + self._with(other, away)
            resting = rests[mover] > step or rests[other] > step
            if resting and total + change >= least:
                continue
            if found < 0 or change < best:
                found, best, ties = other, change, 1
                if change == -leaves and len(self._names) > SAMPLE:
                    break  # nobody of either table meets again: good enough where there are many
            elif change == best:
                ties += 1
                if not self._draws.below(ties):
                    found = other
        return best, found, max(count, 1)

    def _others(self, mover: int) -> Iterable[int]:
        everybody = len(self._names)
        if everybody <= SAMPLE:
            return range(everybody)
        return [self._draws.below(everybody) for _ in range(SAMPLE)]

    def _swap(self, one: int, other: int) -> None:
        here, there = self._table_of[one], self._table_of[other]
        self._seats[here][self._seats[here].index(one)] = other
        self._seats[there][self._seats[there].index(other)] = one
        self._table_of[one], self._table_of[other] = there, here

    def _with(self, player: int, table: list[int]) -> int:
        """How often a player has met those of a table."""
        met = self._met[player]
        return sum([met[other] for other in table if other in met])

    def _burden(self, table: list[int]) -> int:
        return sum(self._with(player, table) for player in table) // 2
