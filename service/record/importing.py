"""Whole matches brought in from elsewhere, many at a time, as if they had been posted one by one.

Each is scored and sealed like any other; rows go in by COPY, and players' totals by one statement. What
each row holds is defined where single rounds are kept, and a test compares the two.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
import psycopg2
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DBAPIError

from service.record import totals
from service.record.copied import COLUMNS, duel_lines, seat_lines
from service.record.digests import seal_scored
from service.record.ids import new_id, now
from service.record.keeping import first_revision, sealed_content
from service.record.tables import PLAYER_COUNTS, imports, matches, metadata
from service.rules import results
from service.rules.reading import Seat
from service.rules.ruleset import RuleSet

#: In the order in which they refer to each other.
TABLES = ("matches", "match_players", "rounds", "seats", "duels")
_IN_MATCH = ("points", "net", "fees", "rounds")
_COLUMNS = {
    name: [column.name for column in metadata.tables[name].columns]
    for name in ("matches", "match_players", "rounds")
}
_COPIED = {**COLUMNS, **{name: ", ".join(columns) for name, columns in _COLUMNS.items()}}

#: Others who bring in the same are waited for longer than is usual.
_WAIT = text("SET LOCAL lock_timeout = '4s'")
_CLAIM = text("""
    INSERT INTO imports (source, key, match_id, content_digest, imported_at, imported_by)
    SELECT :source, key, match_id, content_digest, :at, :by
    FROM unnest(CAST(:keys AS text[]), CAST(:ids AS uuid[]), CAST(:digests AS text[]))
        AS claimed (key, match_id, content_digest)
    ORDER BY key
    ON CONFLICT (source, key) DO NOTHING
    RETURNING key
""")


@dataclass(frozen=True, slots=True)
class Played:
    """A valid match with all that was played of it.

    ``key`` and ``digest`` tell it from others of its source, and whether it is what was brought in
    before. ``planned``: its rounds, of which all, some or none have been played. ``finish``: why it
    ended with fewer, if it did.
    """

    key: str
    digest: str
    ruleset: RuleSet
    players: Sequence[str]
    planned: int
    stake: int | None
    label: str | None
    rounds: Sequence[Sequence[Seat]]
    finish: str | None


@dataclass(frozen=True, slots=True)
class Ready:
    """A match scored and sealed: its rows as COPY takes them, and what it adds to players' totals."""

    id: str
    played: Played
    rows: Mapping[str, str]
    counts: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Known:
    """A match that was brought in before."""

    id: UUID
    digest: str
    rounds: int


def known(connection: Connection, source: str, keys: Sequence[str]) -> dict[str, Known]:
    """Those of a source that were brought in before, by their keys."""
    query = (
        select(imports.c.key, imports.c.match_id, imports.c.content_digest, matches.c.rounds_played)
        .join(matches, matches.c.id == imports.c.match_id)
        .where(imports.c.source == source, imports.c.key.in_(keys))
    )
    return {key: Known(*rest) for key, *rest in connection.execute(query)}


def prepare(played: Played, by: str) -> Ready:
    """Score and seal a match; asks no database. ``by``: who brings it in."""
    match_id, created = str(new_id()), now()
    counts = {
        player: dict.fromkeys(("matches", "version", "net", "fees", *PLAYER_COUNTS), 0)
        for player in played.players
    }
    rows: dict[str, list[str]] = {name: [] for name in TABLES}
    last: dict[str, Any] = {"digest": None, "submitted_at": None}
    for number, seated in enumerate(played.rounds, 1):
        last = _round(played, match_id, number, seated, last["digest"], by)
        result, key = last["result"], f"{last['id']}\t1\t"
        rows["rounds"].append(_line("rounds", {**last, "result": results.write(result).decode()}))
        rows["seats"].append(seat_lines(key, match_id, result))
        rows["duels"].append(duel_lines(key, match_id, result))
        for seat in result.seats:
            of_player = counts[seat.player]
            for name, count in totals.counts_of(seat).items():
                if count:
                    of_player[name] += count
    rows["matches"].append(_line("matches", _match(played, match_id, created, last, by)))
    for place, player in enumerate(played.players):
        of_player = counts[player]
        of_player |= {"matches": 1, "version": 1 + len(played.rounds)}
        member: dict[str, Any] = {"match_id": match_id, "seat": place, "player": player}
        member |= {name: of_player[name] for name in _IN_MATCH}
        rows["match_players"].append(
            _line("match_players", {**member, "adjustments": 0, "withdrawn": "f"})
        )
    return Ready(match_id, played, {name: "".join(lines) for name, lines in rows.items()}, counts)


def store(connection: Connection, source: str, ready: Sequence[Ready], by: str) -> set[str]:
    """Keep matches, all or (where this raises) none; the keys of those that nobody has kept meanwhile.

    Keys must be different. Waits for whoever is keeping the same.
    """
    claim = {
        "keys": [each.played.key for each in ready],
        "ids": [each.id for each in ready],
        "digests": [each.played.digest for each in ready],
    }
    connection.execute(_WAIT)
    claimed = set(connection.scalars(_CLAIM, {**claim, "source": source, "at": now(), "by": by}))
    mine = [each for each in ready if each.played.key in claimed]
    if not mine:
        return claimed
    for table in TABLES:
        _copy(connection, table, "".join([each.rows[table] for each in mine]))
    # Last, since others wait for these rows.
    counts: dict[str, dict[str, int]] = {}
    for each in mine:
        for player, added in each.counts.items():
            of_player = counts.setdefault(player, dict.fromkeys(added, 0))
            for name, count in added.items():
                of_player[name] += count
    totals.add_matches(connection, counts)
    return claimed


def _round(
    played: Played, match_id: str, number: int, seated: Sequence[Seat], previous: str | None, by: str
) -> dict[str, Any]:
    row = first_revision(played.ruleset, seated, played.stake, by)
    place = {"match_id": match_id, "number": number, "link": number, "previous_digest": previous}
    row |= place
    row["digest"] = seal_scored(sealed_content(row, played.ruleset.digest))
    return row


def _match(
    played: Played, match_id: str, created: datetime, last: Mapping[str, Any], by: str
) -> dict[str, Any]:
    count, finished = len(played.rounds), None
    if played.finish is not None:
        finished = now()
    elif count == played.planned:
        finished = last["submitted_at"]
    return {
        "id": match_id,
        "label": played.label,
        "ruleset_id": played.ruleset.id,
        "ruleset_version": played.ruleset.version,
        "stake": played.stake,
        "rounds": played.planned,
        "rounds_played": count,
        "status": "open" if finished is None else "finished",
        "created_at": created,
        "created_by": by,
        "finished_at": finished,
        "finish_reason": played.finish,
        "tournament_id": None,
        "stage": None,
        "table_number": None,
        "version": 1 + count + (played.finish is not None),
        "chain_length": count,
        "chain_digest": last["digest"],
    }


def _line(table: str, row: Mapping[str, Any]) -> str:
    return "\t".join([_cell(row[name]) for name in _COLUMNS[table]]) + "\n"


def _cell(value: Any) -> str:
    """A value as COPY takes it; no text of ours has control characters."""
    if value is None:
        return "\\N"
    shown = orjson.dumps(value).decode() if type(value) is dict else str(value)
    return shown.replace("\\", "\\\\") if "\\" in shown else shown


def _copy(connection: Connection, table: str, lines: str) -> None:
    driver: Any = connection.connection
    try:
        with driver.cursor() as cursor:
            cursor.copy_expert(f"COPY {table} ({_COPIED[table]}) FROM STDIN", io.BytesIO(lines.encode()))
    except psycopg2.Error as error:
        # As SQLAlchemy would have it, which knows no COPY.
        lost = bool(driver.dbapi_connection and driver.dbapi_connection.closed)
        raise DBAPIError.instance(
            f"COPY {table}",
            None,
            error,
            psycopg2.Error,
            hide_parameters=True,
            connection_invalidated=lost,
        ) from error
