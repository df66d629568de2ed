"""Totals kept of tournaments with every round: of each player, in the stage and over all.

Whatever changes a match of a tournament calls :func:`results` before the change and :func:`follow`
after it, in its own transaction and with the match locked. Rows are locked in the order of stages and
players' names, after those of the players over all, and the tournament's own row last, so that it is
held for the commit alone and nobody blocks anybody.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import Connection, Row, select, text

from service.batch import Batch
from service.record.tables import TOURNAMENT_COUNTS, match_players
from service.rules.results import RoundResult

#: The stage under which the totals of the whole tournament are kept.
OVER_ALL = 0

Counts = dict[str, Counter[str]]

_NAMES = ", ".join(TOURNAMENT_COUNTS)
_TYPED = ", ".join(f"{name} bigint" for name in TOURNAMENT_COUNTS)
_SUMS = ", ".join(f"{name} = kept.{name} + excluded.{name}" for name in TOURNAMENT_COUNTS)
_ADD = f"""
    INSERT INTO tournament_totals AS kept (tournament_id, stage, player, {_NAMES})
    SELECT CAST(%(tournament)s AS uuid), * FROM json_to_recordset(%(in_tournament)s)
        AS added (stage integer, player text, {_TYPED})
    ON CONFLICT (tournament_id, stage, player) DO UPDATE SET {_SUMS}
"""
_BEGIN = text("""
    INSERT INTO tournament_totals (tournament_id, stage, player)
    SELECT :tournament_id, :stage, player FROM unnest(CAST(:player AS text[])) AS player
    ON CONFLICT DO NOTHING
""")
_TOUCH = """
    UPDATE tournaments
    SET version = version + 1,
        open_matches = open_matches - %(closed)s,
        status = CASE
            WHEN %(closed)s > 0 AND open_matches = %(closed)s THEN 'stage_done' ELSE status END
    WHERE id = %(touched)s
"""


def results(connection: Connection, match: Row[Any]) -> Counts:
    """What a finished match of a tournament gives its players: matches, wins, half_placings.

    Nothing while the match is open, and outside of tournaments.
    """
    if match.tournament_id is None or match.status != "finished":
        return {}
    return _results(connection, match.id)


def follow(
    connection: Connection,
    match: Row[Any],
    *,
    before: Counts | None = None,
    counts: RoundResult | None = None,
    no_longer: RoundResult | None = None,
    adjusted: Mapping[str, int] | None = None,
    closes: bool = False,
) -> None:
    """Let the totals of a match's tournament follow a change; nothing outside of tournaments.

    ``match``: its row as it was locked; ``before``: the :func:`results` of then; ``counts`` and
    ``no_longer``: the result of a round that counts from now on, and of one that does no more;
    ``adjusted``: points given by player; ``closes``: the match is finished from now on.
    """
    if match.tournament_id is None:
        return
    changes: Counts = {}
    for result, sign in ((counts, 1), (no_longer, -1)):
        add(changes, counts_of(result) if result else {}, sign)
    add(changes, {player: Counter(adjustments=points) for player, points in (adjusted or {}).items()})
    if closes or match.status == "finished":
        add(changes, _results(connection, match.id))
    add(changes, before or {}, -1)
    change(connection, match.tournament_id, {OVER_ALL: changes, match.stage: changes})
    touch(connection, match.tournament_id, closed=int(closes))


def add_round(batch: Batch, match: Row[Any], result: RoundResult) -> None:
    """Let the totals follow a round that leaves its match open, with what a batch does; as its end."""
    if match.tournament_id is None:
        return
    counts = counts_of(result)
    _add_change(batch, match.tournament_id, {OVER_ALL: counts, match.stage: counts})
    _add_touch(batch, match.tournament_id, 0)


def counts_of(result: RoundResult) -> Counts:
    """What a round's result adds to the totals of each of its players.

    ``opponents`` is how many of them the player met in this round, so that points per opponent mean
    the same at tables of any size; ``rows_won`` counts each row against each of them.
    """
    found: Counts = {}
    for seat in result.seats:
        money = seat.money
        found[seat.player] = Counter(
            points=seat.points or 0,
            opponents=len(result.seats) - 1,
            rounds=1,
            sweeps=seat.sweeps,
            clean_sweeps=int(seat.clean_sweep),
            fouls=int(seat.foul is not None),
            specials=int(seat.special is not None),
            net=money.net if money else 0,
            fees=money.fee if money else 0,
        )
    for duel in result.duels:
        rows = duel.rows
        for row in (rows.top, rows.middle, rows.bottom) if rows else ():
            if row.winner is not None:
                found[row.winner]["rows_won"] += 1
    return found


def place(members: Iterable[tuple[str, int, int]]) -> Counts:
    """What a finished match gives its players, from their names, points and numbers of rounds.

    Who has played a round that counts is placed: n at a table of n such players down to 1, shared
    places share the average. The first place is a win if it is not shared. Where nothing counts,
    nobody is placed.
    """
    placed = [(player, points) for player, points, rounds in members if rounds]
    placed.sort(key=lambda member: -member[1])
    found: Counts = {}
    for _points, sharing in groupby(placed, key=lambda member: member[1]):
        together = list(sharing)
        best = len(placed) - len(found)
        worst = best - len(together) + 1
        wins = int(best == len(placed) and len(together) == 1)
        for player, _ in together:
            found[player] = Counter(matches=1, wins=wins, half_placings=best + worst)
    return found


def add(changes: Counts, more: Mapping[str, Mapping[str, int]], sign: int = 1) -> None:
    """Add counts by player to changes, or with ``sign`` -1 take them away."""
    for player, counts in more.items():
        of_player = changes.setdefault(player, Counter())
        for name, count in counts.items():
            of_player[name] += sign * count


def change(
    connection: Connection, tournament_id: UUID, stages: Mapping[int, Mapping[str, Mapping[str, int]]]
) -> None:
    """Add changes by stage and player to the kept totals."""
    batch = Batch()
    _add_change(batch, tournament_id, stages)
    batch.send(connection)


def begin(connection: Connection, tournament_id: UUID, stage: int, players: Sequence[str]) -> None:
    """Begin the totals of players at 0, unless they have some."""
    values = {"tournament_id": tournament_id, "stage": stage, "player": sorted(players)}
    connection.execute(_BEGIN, values)


def touch(connection: Connection, tournament_id: UUID, closed: int = 0) -> None:
    """Let the tournament's version go up, and so many of its matches be closed.

    To be the last thing in a transaction: from here on everybody else who changes something waits.
    """
    batch = Batch()
    _add_touch(batch, tournament_id, closed)
    batch.send(connection)


def _add_change(
    batch: Batch, tournament_id: UUID, stages: Mapping[int, Mapping[str, Mapping[str, int]]]
) -> None:
    none = dict.fromkeys(TOURNAMENT_COUNTS, 0)
    rows = [
        {**none, **stages[stage][player], "stage": stage, "player": player}
        for stage, player in sorted((stage, player) for stage in stages for player in stages[stage])
    ]
    batch.add(_ADD, tournament=str(tournament_id), in_tournament=orjson.dumps(rows).decode())


def _add_touch(batch: Batch, tournament_id: UUID, closed: int) -> None:
    batch.add(_TOUCH, touched=str(tournament_id), closed=closed)


def _results(connection: Connection, match_id: UUID) -> Counts:
    members = connection.execute(
        select(
            match_players.c.player,
            match_players.c.points + match_players.c.adjustments,
            match_players.c.rounds,
        ).where(match_players.c.match_id == match_id)
    )
    return place((player, points, rounds) for player, points, rounds in members)
