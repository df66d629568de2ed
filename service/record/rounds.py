"""Rounds read: one, its revisions, lists of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    exists,
    literal_column,
    select,
)

from service.database import Database
from service.questions import Question, question_of
from service.record.errors import Missing, there
from service.record.pages import Page, Window, since_id
from service.record.tables import matches, rounds, seats

#: What a list of rounds can be narrowed by.
FILTERS = ("player", "match", "tournament", "ruleset", "since", "until", "status")


# What is shown of a revision; as texts what is sent on as it is, and need not be taken apart.
_NAMES = (
    *("id", "match_id", "number", "revision", "status", "result", "request"),
    *("submitted_at", "submitted_by", "reason", "digest", "previous_digest"),
)
_AS_TEXT = ("id", "match_id", "result", "request")
#: A list by one of these is best read in the same way whatever the values are, those of ``_PART`` too.
_BY_INDEX, _PART = frozenset(("player", "match")), frozenset(("after", "limit"))
#: When a revision was submitted, as ``ids.show_time`` shows it, and quicker; where Postgres holds what
#: no such time can say, the nearest.
SUBMITTED = """to_char(
    least(greatest(rounds.submitted_at, '0001-01-01Z'), '9999-12-31 23:59:59.999999Z')
        AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""


def _shown(name: str) -> ColumnElement[Any]:
    if name == "submitted_at":
        return literal_column(SUBMITTED).label(name)
    return cast(rounds.c[name], Text).label(name) if name in _AS_TEXT else rounds.c[name]


_SHOWN = tuple(map(_shown, _NAMES))


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A stored revision: its id, its digest, and the JSON that shows it, in English."""

    id: str
    digest: str
    json: bytes


# Queries are made once, with parameters: to make one takes longer than Postgres takes to answer it.
_OF_ROUND = select(rounds).where(rounds.c.id == bindparam("id"))
NEWEST = _OF_ROUND.order_by(rounds.c.revision.desc()).limit(literal_column("1"))
"""The newest revision of a round, by its ``id``."""
_NEWEST_DIGEST = question_of(NEWEST.with_only_columns(rounds.c.digest))
_NEWEST_SHOWN = question_of(NEWEST.with_only_columns(*_SHOWN))
_OF_REVISION = _OF_ROUND.where(rounds.c.revision == bindparam("revision"))
_REVISION_DIGEST = question_of(_OF_REVISION.with_only_columns(rounds.c.digest))
_REVISION_SHOWN = question_of(_OF_REVISION.with_only_columns(*_SHOWN))
_REVISIONS_SHOWN = question_of(_OF_ROUND.order_by(rounds.c.revision).with_only_columns(*_SHOWN))


def get_round(database: Database, round_id: UUID) -> StoredRound:
    """The newest revision of a round; :class:`Missing` if there is none."""
    return _some(database, _NEWEST_SHOWN, id=str(round_id))[0]


def get_digest(database: Database, round_id: UUID, revision: int | None = None) -> str:
    """The digest of a revision, or the newest, without reading it; :class:`Missing` if there is none."""
    if revision is None:
        found = database.rows(_NEWEST_DIGEST, id=str(round_id))
    else:
        found = database.rows(_REVISION_DIGEST, id=str(round_id), revision=revision)
    return str(there(found)[0][0])


def get_revision(database: Database, round_id: UUID, revision: int) -> StoredRound:
    """One revision of a round; :class:`Missing` if there is none."""
    return _some(database, _REVISION_SHOWN, id=str(round_id), revision=revision)[0]


def list_revisions(database: Database, round_id: UUID) -> list[StoredRound]:
    """All revisions of a round, oldest first; :class:`Missing` if there is no such round."""
    return _some(database, _REVISIONS_SHOWN, id=str(round_id))


def check_there(connection: Connection, round_id: UUID) -> None:
    """:class:`Missing` if there is no such round."""
    if connection.scalar(select(rounds.c.id).where(rounds.c.id == round_id).limit(1)) is None:
        raise Missing


def _some(database: Database, what: Question, **values: Any) -> list[StoredRound]:
    return [_show_row(row) for row in there(database.rows(what, **values))]


def _show_row(row: Sequence[Any]) -> StoredRound:
    return show_round(dict(zip(_NAMES, row, strict=True)))


def list_rounds(database: Database, window: Window, filters: Mapping[str, Any]) -> Page[StoredRound]:
    """A page of rounds, newest first, each in its newest revision; ``filters`` as in ``FILTERS``."""
    values = _values(window, filters, window.limit + 1)
    as_text = {name: str(value) if isinstance(value, UUID) else value for name, value in values.items()}
    rows = database.rows(_question_by(frozenset(values)), **as_text)
    return window.page([_show_row(row) for row in rows], lambda stored: stored.id)


def select_rounds(
    window: Window, filters: Mapping[str, Any], limit: int | None
) -> tuple[Select[Any], dict[str, Any]]:
    """The query for rounds in their newest revision, as a window and filters want, and its values."""
    values = _values(window, filters, limit)
    return _select_by(frozenset(values)), values


def _values(window: Window, filters: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
    values = {name: filters[name] for name in FILTERS if filters.get(name) is not None}
    values |= {name: since_id(values[name]) for name in ("since", "until") if name in values}
    if window.after is not None:
        values["after"] = window.after
    if limit is not None:
        values["limit"] = limit
    return values


@lru_cache
def _question_by(names: frozenset[str]) -> Question:
    # The best plan for some statuses, rule sets or times is a very bad one for others.
    return question_of(
        _select_by(names), prepared=bool(names & _BY_INDEX) and names <= _BY_INDEX | _PART
    )


@lru_cache
def _select_by(names: frozenset[str]) -> Select[Any]:
    """The query with these parameters, each of which narrows it."""
    newer = rounds.alias("newer")
    query = select(*_SHOWN).where(
        ~exists().where(newer.c.id == rounds.c.id, newer.c.revision > rounds.c.revision)
    )
    key: Any = rounds.c.id
    if "player" in names:
        same = (seats.c.round_id == rounds.c.id) & (seats.c.revision == rounds.c.revision)
        query, key = query.join(seats, same), seats.c.round_id
    of_tournament = select(matches.c.id).where(matches.c.tournament_id == bindparam("tournament"))
    narrows = {
        "player": seats.c.player == bindparam("player"),
        "match": rounds.c.match_id == bindparam("match"),
        "tournament": rounds.c.match_id.in_(of_tournament),
        "ruleset": rounds.c.ruleset_id == bindparam("ruleset"),
        "status": rounds.c.status == bindparam("status"),
        "since": key >= bindparam("since"),
        "until": key < bindparam("until"),
        "after": key < bindparam("after"),
    }
    query = query.where(*(condition for name, condition in narrows.items() if name in names))
    query = query.order_by(key.desc())
    return query.limit(bindparam("limit")) if "limit" in names else query


def show_round(values: Mapping[Any, Any]) -> StoredRound:
    """A revision from its values by column; ids, time, ``result`` and ``request`` are texts already."""
    head = {
        "id": values["id"],
        "match": values["match_id"],
        "number": values["number"],
        "revision": values["revision"],
        "status": values["status"],
    }
    tail = {
        "submitted_at": values["submitted_at"],
        "submitted_by": values["submitted_by"],
        "reason": values["reason"],
        "digest": values["digest"],
        "previous_digest": values["previous_digest"],
    }
    text = b'%b,%b"request":%b,%b' % (
        orjson.dumps(head)[:-1],
        _members(values["result"]).encode(),
        values["request"].encode(),
        orjson.dumps(tail)[1:],
    )
    return StoredRound(head["id"], values["digest"], text)


def _members(result: str) -> str:
    """The members of a result, each with a comma after it; none where it was made to be no object."""
    if result[:2] == '{"' and result[-1] == "}":  # as it is written
        return result[1:-1] + ","
    members = result.strip()[1:-1].strip() if result.lstrip()[:1] == "{" else ""
    return members and members + ","
