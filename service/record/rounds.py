"""Rounds read: one, its revisions, lists of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import Connection, Row, Select, Text, cast, exists, select

from service.record.errors import Missing
from service.record.ids import show_time
from service.record.pages import Page, Window, since_id
from service.record.tables import matches, rounds, seats

#: What a list of rounds can be narrowed by.
FILTERS = ("player", "match", "tournament", "ruleset", "since", "until", "status")


# What is shown of a revision; as texts what is sent on as it is, and need not be taken apart.
_AS_TEXT = ("id", "match_id", "result", "request")
_SHOWN = tuple(
    cast(rounds.c[name], Text).label(name) if name in _AS_TEXT else rounds.c[name]
    for name in (
        *("id", "match_id", "number", "revision", "status", "result", "request"),
        *("submitted_at", "submitted_by", "reason", "digest", "previous_digest"),
    )
)


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A stored revision: its id, its digest, and the JSON that shows it, in English."""

    id: str
    digest: str
    json: bytes


def newest(round_id: UUID) -> Select[Any]:
    """The query for the newest revision of a round."""
    return select(rounds).where(rounds.c.id == round_id).order_by(rounds.c.revision.desc()).limit(1)


def get_round(connection: Connection, round_id: UUID) -> StoredRound:
    """The newest revision of a round; :class:`Missing` if there is none."""
    return _one(connection, newest(round_id))


def get_digest(connection: Connection, round_id: UUID) -> str:
    """The digest of the newest revision, without reading it; :class:`Missing` if there is none."""
    query = newest(round_id).with_only_columns(rounds.c.digest)
    digest: str | None = connection.scalar(query)
    if digest is None:
        raise Missing
    return digest


def get_revision(connection: Connection, round_id: UUID, revision: int) -> StoredRound:
    """One revision of a round; :class:`Missing` if there is none."""
    return _one(connection, select(rounds).where(rounds.c.id == round_id, rounds.c.revision == revision))


def list_revisions(connection: Connection, round_id: UUID) -> list[StoredRound]:
    """All revisions of a round, oldest first; :class:`Missing` if there is no such round."""
    query = select(*_SHOWN).where(rounds.c.id == round_id).order_by(rounds.c.revision)
    found = [stored_round(row) for row in connection.execute(query)]
    if not found:
        raise Missing
    return found


def _one(connection: Connection, query: Select[Any]) -> StoredRound:
    row = connection.execute(query.with_only_columns(*_SHOWN)).one_or_none()
    if row is None:
        raise Missing
    return stored_round(row)


def list_rounds(connection: Connection, window: Window, filters: Mapping[str, Any]) -> Page[StoredRound]:
    """A page of rounds, newest first, each in its newest revision; ``filters`` as in ``FILTERS``."""
    query, key = select_rounds(filters)
    rows = connection.execute(window.limit_query(query, key))
    return window.page([stored_round(row) for row in rows], lambda stored: stored.id)


def select_rounds(filters: Mapping[str, Any]) -> tuple[Select[Any], Any]:
    """The query for rounds in their newest revision, and the column of ids to page by."""
    newer = rounds.alias("newer")
    query = select(*_SHOWN).where(
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


def stored_round(row: Row[Any]) -> StoredRound:
    """A revision from a row of what :func:`select_rounds` asks for."""
    values = row._mapping
    head, tail = _around(values)
    text = b'%b,%b,"request":%b,%b' % (
        orjson.dumps(head)[:-1],
        values["result"][1:-1].encode(),
        values["request"].encode(),
        orjson.dumps(tail)[1:],
    )
    return StoredRound(head["id"], tail["digest"], text)


def show_round(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a document, from the values of a revision."""
    head, tail = _around(values)
    return {**head, **values["result"], "request": values["request"], **tail}


def _around(values: Mapping[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is shown of a revision before and after its result and request."""
    head = {
        "id": str(values["id"]),
        "match": str(values["match_id"]) if values["match_id"] else None,
        "number": values["number"],
        "revision": values["revision"],
        "status": values["status"],
    }
    tail = {
        "submitted_at": show_time(values["submitted_at"]),
        "submitted_by": values["submitted_by"],
        "reason": values["reason"],
        "digest": values["digest"],
        "previous_digest": values["previous_digest"],
    }
    return head, tail
