"""Tournaments opened, entered, left, adjusted, finished: who may do what in which state.

Directors come one after the other, by an advisory lock of the tournament. Its row is locked last, since
every round that is posted wants it, too.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, Select, func, insert, select, text, update

from service.messages import _
from service.record import tournament_totals
from service.record.errors import Conflict, Missing
from service.record.ids import new_id, now, show_time
from service.record.matches import lock_match
from service.record.pages import Page, Window, since_id
from service.record.tables import (
    match_players,
    matches,
    rulesets,
    tournament_events,
    tournament_players,
    tournaments,
)
from service.record.tournament_totals import OVER_ALL
from service.rules.ruleset import RuleSet
from service.tournaments.errors import NotSeated, ReasonNeeded, WrongPlayer, WrongPlayers

#: What a list of tournaments can be narrowed by.
FILTERS = ("status", "since", "until")
STATUSES = ("registering", "stage_open", "stage_done", "finished")
SEATINGS = ("random", "standings", "spread")
MOST_PLAYERS = 20_000
# Of a seed that nobody has chosen: short enough to be read out.
_SEEDS = 10**9
_MOST_SHOWN = 50

_FINISHED = _("the tournament is finished")
_STAGE_OPEN = _("stage {stage} is open: {count} of its matches are not finished")
_ALL_SEATED = _("stage {stages} is the last, and has been seated; none follows")
_GONE = _("the player has left the tournament already")
_TOO_MANY = _("a tournament has at most {most} players")

_ENTER = text("""
    INSERT INTO tournament_players (tournament_id, player, id, first_stage, entered_at, entered_by)
    SELECT :tournament_id, player, id, :stage, :at, :by
    FROM unnest(CAST(:player AS text[]), CAST(:id AS uuid[])) AS entered (player, id)
    ON CONFLICT (tournament_id, player) DO UPDATE
    SET withdrawn_at = NULL, withdrawn_by = NULL, withdraw_reason = NULL,
        first_stage = least(tournament_players.first_stage, excluded.first_stage)
""")
_NOTE = text("""
    INSERT INTO tournament_events
        (id, tournament_id, kind, stage, player, reason, created_at, created_by)
    SELECT id, :tournament_id, 'entered', :stage, player, :reason, :at, :by
    FROM unnest(CAST(:player AS text[]), CAST(:id AS uuid[])) AS entered (player, id)
""")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a tournament is to be. ``seed``: None for any; ``prizes``: by place, none if empty."""

    name: str
    ruleset: RuleSet
    stake: int | None
    table_size: int
    stages: int
    rounds: int
    seating: str
    seed: int | None
    rank_by: str
    prizes: Sequence[int] = ()


def open_tournament(
    connection: Connection, plan: Plan, players: Sequence[str], *, by: str
) -> dict[str, Any]:
    """Open a tournament, enter its first players, and return it as the wire has it."""
    tournament_id = new_id()
    connection.execute(
        insert(tournaments).values(
            id=tournament_id,
            name=plan.name,
            ruleset_id=plan.ruleset.id,
            ruleset_version=plan.ruleset.version,
            stake=plan.stake,
            table_size=plan.table_size,
            stages=plan.stages,
            rounds=plan.rounds,
            seating=plan.seating,
            seed=secrets.randbelow(_SEEDS) if plan.seed is None else plan.seed,
            rank_by=plan.rank_by,
            prizes=list(plan.prizes),
            created_at=now(),
            created_by=by,
        )
    )
    note(connection, tournament_id, "opened", 0, by=by)
    if players:
        _enter(connection, tournament_id, 0, players, returning=0, reason=None, by=by)
    return get_tournament(connection, tournament_id)


def enter(
    connection: Connection, tournament_id: UUID, players: Sequence[str], *, reason: str | None, by: str
) -> dict[str, Any]:
    """Enter players, who are seated from the next stage on; returns the tournament.

    Who has left may come back. :class:`WrongPlayers` with all who are entered already;
    :class:`Conflict` where no stage follows; :class:`Missing` if there is no such tournament.
    """
    row = lock(connection, tournament_id)
    _refuse_finished(row)
    known = {
        found.player: found
        for found in connection.execute(
            select(tournament_players).where(
                tournament_players.c.tournament_id == tournament_id,
                tournament_players.c.player.in_(players),
            )
        )
    }
    # Who comes back may sit in the last stage already.
    if row.stage == row.stages and known.keys() != set(players):
        raise Conflict("no-stage-left", _ALL_SEATED, stages=row.stages)
    wrong = [
        WrongPlayer("player_entered", place)
        for place, player in enumerate(players)
        if player in known and known[player].withdrawn_at is None
    ]
    if wrong:
        raise WrongPlayers(wrong)
    if row.players + len(players) - len(known) > MOST_PLAYERS:
        raise Conflict("too-many-players", _TOO_MANY, most=MOST_PLAYERS)
    for match_id in _open_matches_of(connection, row, list(known)):
        _leave(connection, match_id, list(known), withdrawn=False)
    _enter(connection, tournament_id, row.stage, players, returning=len(known), reason=reason, by=by)
    return get_tournament(connection, tournament_id)


def withdraw(
    connection: Connection, tournament_id: UUID, player: str, *, reason: str, by: str
) -> dict[str, Any]:
    """Let a player go, who is seated no more; returns the tournament.

    In an open match, rounds may do without the player from now on. :class:`WrongPlayers` for a stranger;
    :class:`Conflict` for who has left already.
    """
    row = lock(connection, tournament_id)
    _refuse_finished(row)
    found = _player(connection, tournament_id, player)
    if found.withdrawn_at is not None:
        raise Conflict("player-withdrawn", _GONE)
    for match_id in _open_matches_of(connection, row, [player]):
        _leave(connection, match_id, [player], withdrawn=True)
    connection.execute(
        update(tournament_players)
        .where(
            tournament_players.c.tournament_id == tournament_id, tournament_players.c.player == player
        )
        .values(withdrawn_at=now(), withdrawn_by=by, withdraw_reason=reason)
    )
    note(connection, tournament_id, "withdrawn", row.stage, player=player, reason=reason, by=by)
    _change(connection, tournament_id, withdrawn=tournaments.c.withdrawn + 1)
    return get_tournament(connection, tournament_id)


def adjust(
    connection: Connection, tournament_id: UUID, player: str, points: int, *, reason: str, by: str
) -> dict[str, Any]:
    """Give points to a player or take them away; returns the tournament.

    They count over all, in no stage; a finished tournament can be adjusted. :class:`WrongPlayers` for a
    stranger.
    """
    row = lock(connection, tournament_id)
    _player(connection, tournament_id, player)
    told = partial(note, player=player, points=points, reason=reason, by=by)
    told(connection, tournament_id, "adjusted", row.stage)
    tournament_totals.change(connection, tournament_id, {OVER_ALL: {player: {"adjustments": points}}})
    _change(connection, tournament_id)
    return get_tournament(connection, tournament_id)


def finish(
    connection: Connection, tournament_id: UUID, *, reason: str | None, by: str
) -> dict[str, Any]:
    """End a tournament; returns it. Before its last planned stage it takes a reason
    (:class:`ReasonNeeded`); :class:`Conflict` while a match is open.
    """
    row = lock(connection, tournament_id)
    _refuse_finished(row)
    refuse_open(connection, row)
    if row.stage < row.stages and reason is None:
        raise ReasonNeeded
    note(connection, tournament_id, "finished", row.stage, reason=reason, by=by)
    values = {"status": "finished", "finished_at": now(), "finished_by": by, "finish_reason": reason}
    _change(connection, tournament_id, **values)
    return get_tournament(connection, tournament_id)


def get_tournament(connection: Connection, tournament_id: UUID) -> dict[str, Any]:
    """A tournament as the wire has it; :class:`Missing` if there is none."""
    row = connection.execute(_shown().where(tournaments.c.id == tournament_id)).one_or_none()
    if row is None:
        raise Missing
    return show(row)


def get_version(connection: Connection, tournament_id: UUID, stage: int | None = None) -> int:
    """How often a tournament or its standings have changed, by one look-up of the primary key.

    :class:`Missing` if there is none; :class:`NotSeated` if ``stage`` has not been seated.
    """
    query = select(tournaments.c.version, tournaments.c.stage).where(tournaments.c.id == tournament_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise Missing
    if (stage or 0) > row.stage:
        raise NotSeated(stage or 0, row.stage)
    version: int = row.version
    return version


def list_tournaments(
    connection: Connection, window: Window, filters: Mapping[str, Any]
) -> Page[dict[str, Any]]:
    """A page of tournaments, newest first; ``filters`` as in ``FILTERS``."""
    query = _shown()
    if filters.get("status") is not None:
        query = query.where(tournaments.c.status == filters["status"])
    if filters.get("since") is not None:
        query = query.where(tournaments.c.id >= since_id(filters["since"]))
    if filters.get("until") is not None:
        query = query.where(tournaments.c.id < since_id(filters["until"]))
    found = connection.execute(window.limit_query(query, tournaments.c.id))
    return window.page([show(row) for row in found], lambda shown: str(shown["id"]))


def lock(connection: Connection, tournament_id: UUID, *, wait: bool = True) -> Row[Any]:
    """The tournament's row, while no other director does anything to the end of the transaction.

    Rounds can still be posted: its matches can be finished meanwhile, and its version goes up.
    :class:`Missing` if there is none; :class:`Conflict` if another director is at it and ``wait`` is no.
    """
    key = func.hashtextextended(f"tournament {tournament_id}", 0)
    if wait:
        connection.execute(select(func.pg_advisory_xact_lock(key)))
    elif not connection.scalar(select(func.pg_try_advisory_xact_lock(key))):
        raise Conflict("tournament-busy", _("another director is changing the tournament just now"))
    row = connection.execute(select(tournaments).where(tournaments.c.id == tournament_id)).one_or_none()
    if row is None:
        raise Missing
    return row


def refuse_seated(connection: Connection, row: Row[Any]) -> None:
    """:class:`Conflict` unless a next stage can be seated."""
    _refuse_finished(row)
    refuse_open(connection, row)
    if row.stage == row.stages:
        raise Conflict("no-stage-left", _ALL_SEATED, stages=row.stages)


def refuse_open(connection: Connection, row: Row[Any]) -> None:
    """:class:`Conflict` while a match of the tournament is open, with the tables that are."""
    if row.status != "stage_open":
        return
    found = connection.execute(
        select(matches.c.table_number, matches.c.id)
        .where(
            matches.c.tournament_id == row.id,
            matches.c.stage == row.stage,
            matches.c.status == "open",
        )
        .order_by(matches.c.table_number)
    ).all()
    shown = [{"table": table, "match": str(match)} for table, match in found[:_MOST_SHOWN]]
    raise Conflict("stage-open", _STAGE_OPEN, stage=row.stage, count=len(found), open=shown)


def note(
    connection: Connection,
    tournament_id: UUID,
    kind: str,
    stage: int,
    *,
    by: str,
    player: str | None = None,
    points: int | None = None,
    reason: str | None = None,
) -> None:
    """Write down who did what, when and why."""
    connection.execute(
        insert(tournament_events).values(
            id=new_id(),
            tournament_id=tournament_id,
            kind=kind,
            stage=stage,
            player=player,
            points=points,
            reason=reason,
            created_at=now(),
            created_by=by,
        )
    )


def show(row: Row[Any]) -> dict[str, Any]:
    """A tournament from a row with its rule set's ``digest``."""
    return {
        "id": str(row.id),
        "name": row.name,
        "ruleset": {"id": row.ruleset_id, "version": row.ruleset_version, "digest": row.digest},
        "stake": row.stake,
        "table_size": row.table_size,
        "stages": row.stages,
        "rounds": row.rounds,
        "seating": row.seating,
        "seed": row.seed,
        "rank_by": row.rank_by,
        "prizes": row.prizes,
        "status": row.status,
        "stage": row.stage,
        "open_matches": row.open_matches,
        "entered": row.players,
        "withdrawn": row.withdrawn,
        "created_at": show_time(row.created_at),
        "created_by": row.created_by,
        "finished_at": show_time(row.finished_at) if row.finished_at else None,
        "finished_by": row.finished_by,
        "finish_reason": row.finish_reason,
        "version": row.version,
    }


def _shown() -> Select[Any]:
    return select(tournaments, rulesets.c.digest).join(rulesets)


def _refuse_finished(row: Row[Any]) -> None:
    if row.status == "finished":
        raise Conflict("tournament-finished", _FINISHED)


def _player(connection: Connection, tournament_id: UUID, player: str) -> Row[Any]:
    of_player = (tournament_players.c.tournament_id == tournament_id) & (
        tournament_players.c.player == player
    )
    found = connection.execute(select(tournament_players).where(of_player)).one_or_none()
    if found is None:
        raise WrongPlayers([WrongPlayer("player_not_in_tournament")])
    return found


def _enter(
    connection: Connection,
    tournament_id: UUID,
    stage: int,
    players: Sequence[str],
    *,
    returning: int,
    reason: str | None,
    by: str,
) -> None:
    values = {
        "tournament_id": tournament_id,
        "player": list(players),
        "id": [str(new_id()) for _ in players],
        "at": now(),
        "by": by,
    }
    connection.execute(_ENTER, values | {"stage": stage + 1})
    connection.execute(_NOTE, values | {"stage": stage, "reason": reason})
    tournament_totals.begin(connection, tournament_id, OVER_ALL, players)
    counts = {
        "players": tournaments.c.players + len(players) - returning,
        "withdrawn": tournaments.c.withdrawn - returning,
    }
    _change(connection, tournament_id, **counts)


def _open_matches_of(connection: Connection, row: Row[Any], players: Sequence[str]) -> Sequence[UUID]:
    """The open matches of some players of a tournament, by id."""
    if row.status != "stage_open" or not players:
        return []
    query = select(matches.c.id).join(match_players, match_players.c.match_id == matches.c.id)
    query = query.where(
        matches.c.tournament_id == row.id,
        matches.c.stage == row.stage,
        matches.c.status == "open",
        match_players.c.player.in_(players),
    )
    return connection.scalars(query.distinct().order_by(matches.c.id)).all()


def _leave(connection: Connection, match_id: UUID, players: Sequence[str], *, withdrawn: bool) -> None:
    """Let rounds of a match do without some players, or no longer."""
    if lock_match(connection, match_id).status != "open":
        return
    of_players = (match_players.c.match_id == match_id) & match_players.c.player.in_(players)
    connection.execute(update(match_players).where(of_players).values(withdrawn=withdrawn))
    touched = update(matches).where(matches.c.id == match_id)
    connection.execute(touched.values(version=matches.c.version + 1))


def _change(connection: Connection, tournament_id: UUID, **values: Any) -> None:
    """Change the tournament's row, as the last thing before its answer is read."""
    connection.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament_id)
        .values(version=tournaments.c.version + 1, **values)
    )
