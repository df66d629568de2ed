"""Standings: pure functions from kept totals to places, JSON and CSV."""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple

from service.record.export import cell
from service.tournaments.prizes import share

RANK_BY = ("points", "points_per_opponent", "placings")

#: What decides where those are equal, in this order; of ``fouls`` fewer are better.
TIE_BREAKS = ("wins", "rows_won", "sweeps", "fouls")

_DECIMALS = 4


class Kept(NamedTuple):
    """What is kept of a player: ``points`` are those of rounds, ``half_placings`` twice the placings."""

    player: str
    points: int = 0
    adjustments: int = 0
    opponents: int = 0
    matches: int = 0
    wins: int = 0
    half_placings: int = 0
    rounds: int = 0
    rows_won: int = 0
    sweeps: int = 0
    clean_sweeps: int = 0
    fouls: int = 0
    specials: int = 0
    net: int = 0
    fees: int = 0
    withdrawn: bool = False


class Placed(NamedTuple):
    """A player's place; ``tied`` if others have it, too."""

    place: int
    tied: bool
    kept: Kept


@dataclass(frozen=True, slots=True)
class Rules:
    """What standings depend on besides totals. ``prizes``: for the first place, the second, ..."""

    rank_by: str
    stake: int | None = None
    prizes: Sequence[int] = ()
    seed: int = 0

    @property
    def tie_breaks(self) -> list[str]:
        """What decides, first things first."""
        return [self.rank_by, *TIE_BREAKS]


def rank(lines: Iterable[Kept], rank_by: str) -> list[Placed]:
    """Best first. Equal ones share the place, and the next place counts them all (1, 1, 3).

    The order of those who share a place means nothing: by player, so that a list stays as it is.
    Who has met no opponent yet has no points per opponent, and comes after all who have.
    """
    lines = list(lines)
    measure = _measure(lines, rank_by)
    keyed = [
        (measure(line), -line.wins, -line.rows_won, -line.sweeps, line.fouls, line.player, line)
        for line in lines
    ]
    keyed.sort()
    found: list[Placed] = []
    for _key, sharing in groupby(keyed, key=itemgetter(*range(len(TIE_BREAKS) + 1))):
        together = [entry[-1] for entry in sharing]
        place, tied = len(found) + 1, len(together) > 1
        found += [Placed(place, tied, line) for line in together]
    return found


def _measure(lines: Sequence[Kept], rank_by: str) -> Callable[[Kept], float]:
    """What a player is ranked by, in whole numbers or infinity, the lowest first."""
    if rank_by == "placings":
        return lambda line: -line.half_placings
    if rank_by == "points":
        return lambda line: -line.points - line.adjustments
    # Two different fractions whose denominators are at most n differ by more than 1 / n², so that this
    # keeps them apart, and equal ones equal.
    scale = max((line.opponents for line in lines), default=0) ** 2 + 1

    def per_opponent(line: Kept) -> float:
        if not line.opponents:
            return inf
        return -((line.points + line.adjustments) * scale // line.opponents)

    return per_opponent


def show(placed: Sequence[Placed], rules: Rules) -> list[dict[str, Any]]:
    """Lines as the wire has them; money with a stake, prizes where there are some."""
    won = share([(place, kept.player) for place, _, kept in placed], rules.prizes, rules.seed)
    items = []
    for place, tied, kept in placed:
        points = kept.points + kept.adjustments
        each = round(points / kept.opponents, _DECIMALS) if kept.opponents else None
        item = {
            "place": place,
            "player": kept.player,
            "points": points,
            "opponents": kept.opponents,
            "points_per_opponent": each,
            "placings": kept.half_placings / 2,
            "matches": kept.matches,
            "wins": kept.wins,
            "rounds": kept.rounds,
            "rows_won": kept.rows_won,
            "sweeps": kept.sweeps,
            "clean_sweeps": kept.clean_sweeps,
            "fouls": kept.fouls,
            "specials": kept.specials,
            "adjustments": kept.adjustments,
            "tied": tied,
            "withdrawn": kept.withdrawn,
        }
        if rules.stake is not None:
            item["money"] = {"won": kept.points * rules.stake, "fee": kept.fees, "net": kept.net}
        if rules.prizes:
            item["prize"] = won.get(kept.player, 0)
        items.append(item)
    return items


#: Of the standings as CSV: money and prize are empty where there are none.
COLUMNS = (
    *("place", "player", "points", "opponents", "points_per_opponent", "placings", "matches", "wins"),
    *("rounds", "rows_won", "sweeps", "clean_sweeps", "fouls", "specials", "adjustments"),
    *("tied", "withdrawn", "won", "fee", "net", "prize"),
)


def as_csv(items: Iterable[dict[str, Any]]) -> bytes:
    """Lines as CSV, as RFC 4180 has it, in UTF-8 with the mark by which Excel knows that."""
    buffer = StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for item in items:
        values = item | item.get("money", {})
        writer.writerow([cell(values.get(name)) for name in COLUMNS])
    return b"\xef\xbb\xbf" + buffer.getvalue().encode()
