"""Rounds read: one, its revisions, lists of them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, RowMapping, Select, exists, select

from service.record.errors import Missing
from service.record.ids import show_time
from service.record.pages import Page, Window, since_id
from service.record.tables import matches, rounds, seats

#: What a list of rounds can be narrowed by.
FILTERS = ("player", "match", "tournament", "ruleset", "since", "until", "status")


def newest(round_id: UUID) -> Select[Any]:
    """The query for the newest revision of a round."""
    return select(rounds).where(rounds.c.id == round_id).order_by(rounds.c.revision.desc()).limit(1)


def get_round(connection: Connection, round_id: UUID) -> dict[str, Any]:
    """The newest revision of a round; :class:`Missing` if there is none."""
    row = connection.execute(newest(round_id)).mappings().one_or_none()
    if row is None:
        raise Missing
    return show_round(row)


def get_digest(connection: Connection, round_id: UUID) -> str:
    """The digest of the newest revision, without reading it; :class:`Missing` if there is none."""
    query = newest(round_id).with_only_columns(rounds.c.digest)
    digest: str | None = connection.scalar(query)
    if digest is None:
        raise Missing
    return digest


def get_revision(connection: Connection, round_id: UUID, revision: int) -> dict[str, Any]:
    """One revision of a round; :class:`Missing` if there is none."""
    query = select(rounds).where(rounds.c.id == round_id, rounds.c.revision == revision)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise Missing
    return show_round(row)


def list_revisions(connection: Connection, round_id: UUID) -> list[dict[str, Any]]:
    """All revisions of a round, oldest first; :class:`Missing` if there is no such round."""
    query = select(rounds).where(rounds.c.id == round_id).order_by(rounds.c.revision)
    found = [show_round(row) for row in connection.execute(query).mappings()]
    if not found:
        raise Missing
    return found


def list_rounds(connection: Connection, window: Window, filters: Mapping[str, Any]) -> Page:
    """A page of rounds, newest first, each in its newest revision; ``filters`` as in ``FILTERS``."""
    query, key = select_rounds(filters)
    rows = connection.execute(window.limit_query(query, key)).mappings()
    return window.page([show_round(row) for row in rows])


def select_rounds(filters: Mapping[str, Any]) -> tuple[Select[Any], Any]:
    """The query for rounds in their newest revision, and the column of ids to page by."""
    newer = rounds.alias("newer")
    query = select(rounds).where(
        ~exists().where(newer.c.id == rounds.c.id, newer.c.revision > rounds.c.revision)
    )
    key: Any = rounds.c.id
    if filters.get("player") is not None:
        same = (seats.c.round_id == rounds.c.id) & (seats.c.revision == rounds.c.revision)
        query = query.join(seats, same).where(seats.c.player == filters["player"])
        key = seats.c.round_id
    if filters.get("match") is not None:
        query = query.where(rounds.c.match_id == filters["match"])
    if filters.get("tournament") is not None:
        of_tournament = select(matches.c.id).where(matches.c.tournament_id == filters["tournament"])
        query = query.where(rounds.c.match_id.in_(of_tournament))
    if filters.get("ruleset") is not None:
        query = query.where(rounds.c.ruleset_id == filters["ruleset"])
    if filters.get("status") is not None:
        query = query.where(rounds.c.status == filters["status"])
    if filters.get("since") is not None:
        query = query.where(key >= since_id(filters["since"]))
    if filters.get("until") is not None:
        query = query.where(key < since_id(filters["until"]))
    return query, key


def show_round(row: RowMapping | dict[str, Any]) -> dict[str, Any]:
    """A stored revision as the wire has it: the result, and all about its keeping."""
    return {
        "id": str(row["id"]),
        "match": str(row["match_id"]) if row["match_id"] else None,
        "number": row["number"],
        "revision": row["revision"],
        "status": row["status"],
        **row["result"],
        "request": row["request"],
        "submitted_at": show_time(row["submitted_at"]),
        "submitted_by": row["submitted_by"],
        "reason": row["reason"],
        "digest": row["digest"],
        "previous_digest": row["previous_digest"],
    }
