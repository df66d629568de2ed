"""Stages: seated, their matches opened all at once, read."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, insert, select, text, update

from service.messages import _
from service.record import totals, tournament_totals
from service.record.errors import Conflict, Missing
from service.record.ids import new_id, now, show_time
from service.record.tables import (
    match_players,
    matches,
    tournament_players,
    tournament_stages,
    tournaments,
)
from service.tournaments import reading, store
from service.tournaments.errors import WrongTables
from service.tournaments.neighbours import seat_by_standings
from service.tournaments.seating import (
    SMALLEST_TABLE,
    Draws,
    Meetings,
    Tables,
    check_tables,
    largest_table,
    meetings,
    seat_random,
    shuffled,
)
from service.tournaments.spread import burden, seat_spread
from service.tournaments.standings import rank

#: How a stage was seated whose tables the director has given.
GIVEN = "given"

_TOO_FEW = _("a stage takes at least {least} players, and there are {players}")

_OPEN_MATCHES = text("""
    INSERT INTO matches (id, label, ruleset_id, ruleset_version, stake, rounds, created_at, created_by,
        tournament_id, stage, table_number)
    SELECT opened.id, t.name, t.ruleset_id, t.ruleset_version, t.stake, t.rounds, :at, :by,
        t.id, :stage, opened.number
    FROM tournaments t,
        unnest(CAST(:match AS uuid[])) WITH ORDINALITY AS opened (id, number)
    WHERE t.id = :tournament_id
""")
_SEAT = text("""
    INSERT INTO match_players (match_id, seat, player)
    SELECT * FROM unnest(CAST(:match AS uuid[]), CAST(:seat AS smallint[]), CAST(:player AS text[]))
""")


def seat_stage(
    connection: Connection, tournament_id: UUID, tables: Sequence[Sequence[str]] | None, *, by: str
) -> dict[str, Any]:
    """Seat the next stage, open its matches, and return it as the wire has it.

    Everybody who has not left is seated: as the tournament says, or as ``tables`` do
    (:class:`WrongTables` with all that is wrong about them). :class:`Conflict` while a match is open,
    after the last stage, for too few players, or if another director is at it.
    """
    row = store.lock(connection, tournament_id, wait=False)
    store.refuse_seated(connection, row)
    players = connection.scalars(
        select(tournament_players.c.player).where(
            tournament_players.c.tournament_id == tournament_id,
            tournament_players.c.withdrawn_at.is_(None),
        )
    ).all()
    if len(players) < SMALLEST_TABLE:
        counts = {"least": SMALLEST_TABLE, "players": len(players)}
        raise Conflict("too-few-players", _TOO_FEW, **counts)
    met = meetings(_earlier(connection, tournament_id))
    stage, seating = row.stage + 1, row.seating if tables is None else GIVEN
    if tables is None:
        tables = _seat(connection, row, players, met)
    else:
        wrong = check_tables(tables, players, row.table_size)
        if wrong:
            raise WrongTables(wrong, largest_table(row.table_size))
    _open(connection, tournament_id, stage, tables, by)
    connection.execute(
        insert(tournament_stages).values(
            tournament_id=tournament_id,
            stage=stage,
            seating=seating,
            tables=len(tables),
            players=len(players),
            repeated_meetings=burden(tables, met),
            seated_at=now(),
            seated_by=by,
        )
    )
    store.note(connection, tournament_id, "seated", stage, by=by)
    connection.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament_id)
        .values(
            stage=stage,
            status="stage_open",
            open_matches=len(tables),
            version=tournaments.c.version + 1,
        )
    )
    return get_stage(connection, tournament_id, stage)


def get_stage(connection: Connection, tournament_id: UUID, stage: int) -> dict[str, Any]:
    """A stage with its tables, as the wire has it; :class:`Missing` if it has not been seated."""
    seated = connection.execute(
        select(tournament_stages).where(
            tournament_stages.c.tournament_id == tournament_id, tournament_stages.c.stage == stage
        )
    ).one_or_none()
    if seated is None:
        raise Missing
    found = connection.execute(
        select(
            matches.c.table_number,
            matches.c.id,
            matches.c.status,
            matches.c.rounds_played,
            match_players.c.player,
        )
        .join(match_players, match_players.c.match_id == matches.c.id)
        .where(matches.c.tournament_id == tournament_id, matches.c.stage == stage)
        .order_by(matches.c.table_number, match_players.c.seat)
    )
    tables: list[dict[str, Any]] = []
    for number, match, status, played, player in found:
        if not tables or tables[-1]["table"] != number:
            table = {"table": number, "players": [], "match": str(match), "status": status}
            tables.append(table | {"rounds_played": played})
        tables[-1]["players"].append(player)
    done = all(table["status"] == "finished" for table in tables)
    return {
        "tournament": str(tournament_id),
        "stage": stage,
        "status": "done" if done else "open",
        "seating": seated.seating,
        "repeated_meetings": seated.repeated_meetings,
        "seated_at": show_time(seated.seated_at),
        "seated_by": seated.seated_by,
        "tables": tables,
    }


def _earlier(connection: Connection, tournament_id: UUID) -> list[Tables]:
    """The tables of all stages so far."""
    found = connection.execute(
        select(matches.c.stage, matches.c.id, match_players.c.player)
        .join(match_players, match_players.c.match_id == matches.c.id)
        .where(matches.c.tournament_id == tournament_id)
    )
    stages: dict[int, dict[UUID, list[str]]] = {}
    for stage, match, player in found:
        stages.setdefault(stage, {}).setdefault(match, []).append(player)
    return [list(tables.values()) for tables in stages.values()]


def _seat(connection: Connection, row: Row[Any], players: Sequence[str], met: Meetings) -> Tables:
    """The tables of the next stage, by what the tournament has been set to."""
    stage = row.stage + 1
    if row.seating == "spread":
        return seat_spread(players, row.table_size, met, row.seed, stage)
    if row.seating == "standings" and row.stage:
        return seat_by_standings(_ranked(connection, row, players), row.table_size, met)
    return seat_random(players, row.table_size, row.seed, stage)


def _ranked(connection: Connection, row: Row[Any], players: Sequence[str]) -> list[str]:
    """The players by their places; who share one, in an order that is drawn."""
    drawn = {
        player: place for place, player in enumerate(shuffled(players, Draws(row.seed, row.stage + 1)))
    }
    lines, _version = reading.kept(connection, row.id, tournament_totals.OVER_ALL)
    placed = [entry for entry in rank(lines, row.rank_by) if entry.kept.player in drawn]
    placed.sort(key=lambda entry: (entry.place, drawn[entry.kept.player]))
    return [entry.kept.player for entry in placed]


def _open(
    connection: Connection, tournament_id: UUID, stage: int, tables: Sequence[Sequence[str]], by: str
) -> None:
    """Open a match for each table."""
    ids = [str(new_id()) for _ in tables]
    shared = {"tournament_id": tournament_id, "stage": stage, "at": now(), "by": by}
    connection.execute(_OPEN_MATCHES, shared | {"match": ids})
    seated = [
        (match, seat, player)
        for match, table in zip(ids, tables, strict=True)
        for seat, player in enumerate(table)
    ]
    match_ids, seats, names = (list(column) for column in zip(*seated, strict=True))
    connection.execute(_SEAT, {"match": match_ids, "seat": seats, "player": names})
    totals.add_match(connection, names)
    tournament_totals.begin(connection, tournament_id, stage, names)
