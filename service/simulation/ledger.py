"""The simulation's own book: standings counted from the answers to posted rounds and nothing else."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

TIE_BREAKS = ("wins", "rows_won", "sweeps", "fouls")
# What is counted in each round and added up.
_SUMS = ("points", "opponents", "rounds", "rows_won", "sweeps", "clean_sweeps", "fouls", "specials")
_MONEY = ("won", "fee", "net")


@dataclass(slots=True)
class _Match:
    stage: int
    players: Sequence[str]
    finished: bool = False
    # The newest revision of each round: what it counts for each player, nothing if it is void.
    rounds: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    given: Counter[str] = field(default_factory=Counter)


class Ledger:
    """What happened in the event; any thread may write."""

    def __init__(self, rank_by: str, stake: int | None) -> None:
        self._rank_by, self._stake = rank_by, stake
        self._lock = threading.Lock()
        self._entered: set[str] = set()
        self._left: set[str] = set()
        self._given: Counter[str] = Counter()
        self._matches: dict[str, _Match] = {}
        #: Whatever is wrong with the answer to a round in itself.
        self.wrong: list[str] = []

    def enter(self, players: Iterable[str]) -> None:
        """Players have entered."""
        with self._lock:
            self._entered.update(players)

    def leave(self, player: str) -> None:
        """A player has left."""
        with self._lock:
            self._left.add(player)

    def seat(self, match: str, stage: int, players: Sequence[str]) -> None:
        """A match has been opened."""
        with self._lock:
            self._matches[match] = _Match(stage, players)

    def finish(self, match: str) -> None:
        """A match is over."""
        with self._lock:
            self._matches[match].finished = True

    def give(self, player: str, points: int, match: str | None = None) -> None:
        """A player was given points, in a match or in the tournament."""
        with self._lock:
            (self._matches[match].given if match else self._given)[player] += points

    def write(self, played: Mapping[str, Any]) -> None:
        """A round was posted, corrected or voided: its newest revision as the service answered."""
        counted = {} if played["status"] == "void" else _count(played)
        total = sum(seat["points"] for seat in played["seats"])
        with self._lock:
            self._matches[played["match"]].rounds[played["id"]] = counted
            if total:
                self.wrong.append(f"points of round {played['id']} add up to {total}, not to 0")

    @property
    def matches(self) -> list[str]:
        """All matches of the event."""
        with self._lock:
            return list(self._matches)

    def still_in(self) -> list[str]:
        """Who would be seated now."""
        with self._lock:
            return sorted(self._entered - self._left)

    def met(self, before: int) -> list[list[Sequence[str]]]:
        """The tables of each stage before one."""
        with self._lock:
            stages: dict[int, list[Sequence[str]]] = defaultdict(list)
            for match in self._matches.values():
                if match.stage < before:
                    stages[match.stage].append(match.players)
            return list(stages.values())

    def standings(self, stage: int | None = None) -> dict[str, dict[str, Any]]:
        """Every player's line as it should be, over all or in a stage."""
        with self._lock:
            counts: dict[str, Counter[str]] = {}
            if stage is None:
                counts = {player: Counter(adjustments=self._given[player]) for player in self._entered}
            halves: Counter[str] = Counter()
            for match in self._matches.values():
                if stage in (None, match.stage):
                    _add_match(match, counts, halves)
            lines = {player: self._line(player, counts[player], halves[player]) for player in counts}
        return _placed(lines, self._rank_by)

    def _line(self, player: str, count: Counter[str], halves: int) -> dict[str, Any]:
        line: dict[str, Any] = {name: count[name] for name in (*_SUMS, "matches", "wins", "adjustments")}
        line["points"] += count["adjustments"]
        opponents = count["opponents"]
        line["points_per_opponent"] = Fraction(line["points"], opponents) if opponents else None
        line["placings"] = Fraction(halves, 2)
        line["withdrawn"] = player in self._left
        if self._stake is not None:
            line["money"] = {name: count[name] for name in _MONEY}
        return line


def _count(played: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """What a round counts for each of its players."""
    counted = {}
    for seat in played["seats"]:
        player = seat["player"]
        duels = [duel for duel in played["duels"] if player in duel["players"]]
        rows = [row for duel in duels if duel["rows"] for row in duel["rows"].values()]
        counted[player] = Counter(
            points=seat["points"],
            opponents=len(duels),
            rounds=1,
            rows_won=sum(row["winner"] == player for row in rows),
            sweeps=seat["sweeps"],
            clean_sweeps=int(seat["clean_sweep"]),
            fouls=int(seat["foul"] is not None),
            specials=int(seat["special"] is not None),
        )
        counted[player].update(seat.get("money", {}))
    return counted


def _add_match(match: _Match, counts: dict[str, Counter[str]], halves: Counter[str]) -> None:
    """Add a match to the counts, and to twice the placings."""
    scores = dict(match.given)
    played = set()
    for player in match.players:
        counts.setdefault(player, Counter())["adjustments"] += match.given[player]
    for counted in match.rounds.values():
        for player, count in counted.items():
            counts[player].update(count)
            scores[player] = scores.get(player, 0) + count["points"]
            played.add(player)
    if not match.finished:
        return
    for player in played:
        worse = sum(scores[other] < scores[player] for other in played)
        equal = sum(scores[other] == scores[player] for other in played)
        # The average of worse + 1 ... worse + equal, twice.
        halves[player] += 2 * worse + 1 + equal
        counts[player]["matches"] += 1
        counts[player]["wins"] += int(worse == len(played) - 1)


def _placed(lines: dict[str, dict[str, Any]], rank_by: str) -> dict[str, dict[str, Any]]:
    """The lines with place and tied: one more than there are better ones."""

    def merit(line: Mapping[str, Any]) -> tuple[Any, ...]:
        first = line[rank_by]
        rest = (line["wins"], line["rows_won"], line["sweeps"], -line["fouls"])
        return (first is not None, first or 0, *rest)

    ranked = sorted((merit(line) for line in lines.values()), reverse=True)
    many = Counter(ranked)
    place: dict[tuple[Any, ...], int] = {}
    for index, value in enumerate(ranked):
        place.setdefault(value, index + 1)
    for line in lines.values():
        value = merit(line)
        line["place"], line["tied"] = place[value], many[value] > 1
    return lines


def differences(
    shown: Mapping[str, Any], expected: Mapping[str, Mapping[str, Any]], rank_by: str
) -> list[str]:
    """Where standings that the service shows differ from those that should be."""
    found = []
    if shown["rank_by"] != rank_by or shown["tie_breaks"] != [rank_by, *TIE_BREAKS]:
        found.append(f"ranked by {shown['rank_by']}, ties broken by {shown['tie_breaks']}")
    items = {item["player"]: item for item in shown["items"]}
    for player in sorted(expected.keys() ^ items.keys()):
        found.append(f"{player} should{'' if player in expected else ' not'} be in the standings")
    if len(items) != len(shown["items"]):
        found.append("a player has two lines")
    places = [item["place"] for item in shown["items"]]
    if places != sorted(places):
        found.append("the lines are not in the order of their places")
    for player in sorted(expected.keys() & items.keys()):
        for name, value in expected[player].items():
            if not _equal(items[player].get(name), value, name):
                found.append(f"{player}: {name} should be {value}, is {items[player].get(name)}")
    return found


def _equal(shown: Any, value: Any, name: str) -> bool:
    if name == "points_per_opponent" and value is not None and shown is not None:
        off: Fraction = abs(Fraction(shown) - value)
        return off < Fraction(1, 10_000)  # rounded
    return bool(shown == value)
