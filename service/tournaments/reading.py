"""Standings, events and players of a tournament, read."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select

from service.record.errors import Missing
from service.record.ids import show_time
from service.record.pages import Page, Window
from service.record.tables import (
    TOURNAMENT_COUNTS,
    tournament_events,
    tournament_players,
    tournament_totals,
    tournaments,
)
from service.record.tournament_totals import OVER_ALL
from service.tournaments.errors import NotSeated
from service.tournaments.standings import Kept, Rules, rank, show

EVENTS = ("opened", "entered", "withdrawn", "seated", "adjusted", "finished")
#: What lists of events and of players can be narrowed by.
EVENT_FILTERS, PLAYER_FILTERS = ("kind", "player"), ("withdrawn",)

_KEPT = (
    tournament_totals.c.player,
    *(tournament_totals.c[name] for name in TOURNAMENT_COUNTS),
    tournament_players.c.withdrawn_at.is_not(None),
    tournaments.c.version,
)
assert Kept._fields == ("player", *TOURNAMENT_COUNTS, "withdrawn")


def standings(
    connection: Connection, tournament_id: UUID, stage: int | None
) -> tuple[dict[str, Any], int]:
    """The standings over all or of a stage, as the wire has them, and their version.

    :class:`Missing` if there is no such tournament; :class:`NotSeated` if the stage has not been seated.
    """
    query = select(tournaments).where(tournaments.c.id == tournament_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise Missing
    if (stage or 0) > row.stage:
        raise NotSeated(stage or 0, row.stage)
    rules = Rules(row.rank_by, row.stake, row.prizes if stage is None else (), row.seed)
    lines, version = kept(connection, tournament_id, OVER_ALL if stage is None else stage)
    version = version or row.version
    document = {
        "tournament": str(tournament_id),
        "stage": stage,
        "rank_by": rules.rank_by,
        "tie_breaks": rules.tie_breaks,
        "items": show(rank(lines, rules.rank_by), rules),
        "version": version,
    }
    return document, version


def kept(connection: Connection, tournament_id: UUID, stage: int) -> tuple[list[Kept], int]:
    """What is kept of all players in a stage, and the tournament's version of the same moment.

    The version is 0 where there is nobody.
    """
    query = (
        select(*_KEPT)
        .join(tournaments, tournaments.c.id == tournament_totals.c.tournament_id)
        .join(
            tournament_players,
            (tournament_players.c.tournament_id == tournament_totals.c.tournament_id)
            & (tournament_players.c.player == tournament_totals.c.player),
        )
        .where(tournament_totals.c.tournament_id == tournament_id, tournament_totals.c.stage == stage)
    )
    rows = connection.execute(query).all()
    return [Kept._make(row[:-1]) for row in rows], rows[0][-1] if rows else 0


def list_events(
    connection: Connection, tournament_id: UUID, window: Window, filters: Mapping[str, Any]
) -> Page[dict[str, Any]]:
    """A page of what was done in a tournament, newest first; ``filters`` as in ``EVENT_FILTERS``."""
    query = select(tournament_events).where(tournament_events.c.tournament_id == tournament_id)
    for name in EVENT_FILTERS:
        if filters.get(name) is not None:
            query = query.where(tournament_events.c[name] == filters[name])
    found = [
        {
            "id": str(row.id),
            "kind": row.kind,
            "stage": row.stage,
            "player": row.player,
            "points": row.points,
            "reason": row.reason,
            "created_at": show_time(row.created_at),
            "created_by": row.created_by,
        }
        for row in connection.execute(window.limit_query(query, tournament_events.c.id))
    ]
    return window.page(found, lambda event: str(event["id"]))


def list_players(
    connection: Connection, tournament_id: UUID, window: Window, filters: Mapping[str, Any]
) -> Page[dict[str, Any]]:
    """A page of its players, last entered first; ``filters`` as in ``PLAYER_FILTERS``."""
    columns = tournament_players.c
    query = select(tournament_players).where(columns.tournament_id == tournament_id)
    if filters.get("withdrawn") is not None:
        query = query.where(columns.withdrawn_at.is_not(None) == (filters["withdrawn"] == "true"))
    found = [
        {
            "id": str(row.id),
            "player": row.player,
            "first_stage": row.first_stage,
            "entered_at": show_time(row.entered_at),
            "entered_by": row.entered_by,
            "withdrawn_at": show_time(row.withdrawn_at) if row.withdrawn_at else None,
            "withdrawn_by": row.withdrawn_by,
            "withdraw_reason": row.withdraw_reason,
        }
        for row in connection.execute(window.limit_query(query, columns.id))
    ]
    return window.page(found, lambda player: str(player["id"]))
