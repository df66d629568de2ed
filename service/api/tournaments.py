"""Tournaments: opened, entered, seated, ranked, adjusted, finished."""

import gzip
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import orjson
from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from schemas.mistakes import FIELD_MISSING, Invalid, Mistake
from schemas.queries import (
    StandingsQuery,
    TournamentEventsQuery,
    TournamentPlayersQuery,
    TournamentsQuery,
)
from schemas.rounds import AdjustmentDocument, read_adjustment
from schemas.tournament_answers import (
    StageAnswer,
    StandingsAnswer,
    TournamentAnswer,
    TournamentEventsAnswer,
    TournamentPlayersAnswer,
    TournamentsAnswer,
)
from schemas.tournaments import (
    MOST_BYTES,
    EntriesDocument,
    FinishDocument,
    StageDocument,
    TournamentDocument,
    WithdrawalDocument,
    read_entries,
    read_finish,
    read_stage,
    read_tournament,
    read_withdrawal,
)
from service.api.calls import call
from service.api.conditional import tagged, unless_known
from service.api.lists import filters_of, page_of, window_of
from service.api.streams import CSV, JSON, wanted
from service.messages import _
from service.record.errors import Missing
from service.record.rulesets import find_ruleset
from service.tournaments import reading, stages, standings, store
from service.tournaments.errors import ReasonNeeded, WrongPlayers, WrongTables
from service.tournaments.published import Published
from service.tournaments.seating import SMALLEST_TABLE

blueprint = Blueprint("tournaments", __name__, url_prefix="/v1/tournaments")

_published = Published()

_WRONG_PLAYER = {
    "player_entered": _("this player has been entered already"),
    "player_not_in_tournament": _("this player does not belong to the tournament"),
}
_AS_CSV = {
    CSV: {
        "schema": {"type": "string", "description": f"A line a player: `{','.join(standings.COLUMNS)}`."}
    }
}

Result = TypeVar("Result")


@call(
    blueprint,
    "POST",
    "",
    scope="write",
    summary="Open a tournament",
    body=TournamentDocument(),
    answer=TournamentAnswer(),
    status=201,
    problems=["invalid-request"],
    most_bytes=MOST_BYTES,
    etag=True,
)
def open_tournament(connection: Connection, document: Any) -> Response:
    """It begins with registering; more players can be entered before each stage."""
    asked = read_tournament(document, partial(find_ruleset, connection))
    return _told(store.open_tournament(connection, asked.plan, asked.players, by=g.key.name), 201)


@call(
    blueprint,
    "GET",
    "",
    moment=True,
    scope="read",
    summary="List tournaments, newest first",
    query=TournamentsQuery(),
    answer=TournamentsAnswer(),
)
def list_tournaments(connection: Connection, query: dict[str, Any]) -> Response:
    """Those of a status, of a time, or all."""
    filters = filters_of(query, store.FILTERS)
    part = window_of(query, "tournaments", filters)
    return page_of(store.list_tournaments(connection, part, filters), query)


@call(
    blueprint,
    "GET",
    "/<tournament_id>",
    moment=True,
    scope="read",
    summary="Read a tournament and its state",
    answer=TournamentAnswer(),
    problems=["not-found"],
    conditional=True,
)
def get_tournament(connection: Connection, tournament_id: UUID) -> Response:
    """Its plan, which stage it is in, and how many matches are open."""

    def read() -> tuple[dict[str, Any], object]:
        tournament = store.get_tournament(connection, tournament_id)
        return tournament, tournament["version"]

    return unless_known(lambda: store.get_version(connection, tournament_id), read)


@call(
    blueprint,
    "POST",
    "/<tournament_id>/players",
    scope="write",
    summary="Enter players, who are seated from the next stage on",
    body=EntriesDocument(),
    answer=TournamentAnswer(),
    status=201,
    problems=[
        "invalid-request",
        "not-found",
        "tournament-finished",
        "no-stage-left",
        "too-many-players",
    ],
    most_bytes=MOST_BYTES,
    etag=True,
)
def enter_players(connection: Connection, tournament_id: UUID, document: Any) -> Response:
    """All or none; who has left may come back."""
    store.get_version(connection, tournament_id)  # that there is none comes before what is wrong
    players, reason = read_entries(document)
    work = partial(store.enter, connection, tournament_id, players, reason=reason, by=g.key.name)
    return _told(_checked(work, "/players/{place}"), 201)


@call(
    blueprint,
    "GET",
    "/<tournament_id>/players",
    scope="read",
    summary="List the players of a tournament, last entered first",
    query=TournamentPlayersQuery(),
    answer=TournamentPlayersAnswer(),
    problems=["not-found"],
)
def list_tournament_players(
    connection: Connection, tournament_id: UUID, query: dict[str, Any]
) -> Response:
    """When each entered and from which stage on, and when and why they left."""
    store.get_version(connection, tournament_id)
    filters = filters_of(query, reading.PLAYER_FILTERS)
    part = window_of(query, "tournament players", {**filters, "tournament": tournament_id})
    return page_of(reading.list_players(connection, tournament_id, part, filters), query)


@call(
    blueprint,
    "POST",
    "/<tournament_id>/withdrawals",
    scope="write",
    summary="Let a player leave, who is not seated any more",
    body=WithdrawalDocument(),
    answer=TournamentAnswer(),
    status=201,
    problems=["invalid-request", "not-found", "tournament-finished", "player-withdrawn"],
    etag=True,
)
def withdraw_player(connection: Connection, tournament_id: UUID, document: Any) -> Response:
    """What was played stands. Rounds of the match that is open may do without the player."""
    store.get_version(connection, tournament_id)
    player, reason = read_withdrawal(document)
    work = partial(store.withdraw, connection, tournament_id, player, reason=reason, by=g.key.name)
    return _told(_checked(work, "/player"), 201)


@call(
    blueprint,
    "POST",
    "/<tournament_id>/stages",
    scope="write",
    summary="Seat the next stage and open its matches",
    body=StageDocument(),
    answer=StageAnswer(),
    status=201,
    problems=[
        "invalid-request",
        "not-found",
        "stage-open",
        "no-stage-left",
        "too-few-players",
        "tournament-finished",
        "tournament-busy",
    ],
    most_bytes=MOST_BYTES,
    etag=True,
)
def seat_stage(connection: Connection, tournament_id: UUID, document: Any) -> Response:
    """As the tournament says, or as `tables` do; everybody who has not left is seated."""
    store.get_version(connection, tournament_id)
    tables = read_stage(document)
    try:
        stage = stages.seat_stage(connection, tournament_id, tables, by=g.key.name)
    except WrongTables as error:
        raise Invalid(list(_seating_mistakes(error, tables or []))) from None
    location = f"/v1/tournaments/{tournament_id}/stages/{stage['stage']}"
    return tagged(stage, store.get_version(connection, tournament_id), 201, location)


@call(
    blueprint,
    "GET",
    "/<tournament_id>/stages/<stage>",
    moment=True,
    scope="read",
    summary="Read a stage with its tables and matches",
    answer=StageAnswer(),
    problems=["not-found"],
    conditional=True,
)
def get_stage(connection: Connection, tournament_id: UUID, stage: str) -> Response:
    """Who sits where, and which matches are still open."""
    number = int(stage) if stage.isascii() and stage.isdigit() and len(stage) < 5 else 0
    if not number:
        raise Missing

    def state() -> int:
        return store.get_version(connection, tournament_id, number)

    def read() -> tuple[dict[str, Any], object]:
        version = state()
        return stages.get_stage(connection, tournament_id, number), version

    return unless_known(state, read)


@call(
    blueprint,
    "GET",
    "/<tournament_id>/standings",
    scope="read",
    summary="Read the standings, over all or of a stage",
    query=StandingsQuery(),
    answer=StandingsAnswer(),
    also=_AS_CSV,
    problems=["not-found", "not-acceptable"],
    conditional=True,
)
def get_standings(connection: Connection, tournament_id: UUID, query: dict[str, Any]) -> Response:
    """From kept totals, with everything that decides; as CSV, too. Compressed for who accepts `gzip`."""
    media_type, gzipped = wanted((JSON, CSV)), request.accept_encodings["gzip"] > 0
    stage, asked_at = query.get("stage"), time.monotonic()
    version = store.get_version(connection, tournament_id, stage)

    def make() -> tuple[bytes, int]:
        document, version = reading.standings(connection, tournament_id, stage)
        csv = media_type == CSV
        body = standings.as_csv(document["items"]) if csv else orjson.dumps(document)
        # Once a version, and a tenth to send to every screen; the fastest level is nearly the best.
        return gzip.compress(body, compresslevel=1, mtime=0) if gzipped else body, version

    def read() -> tuple[bytes, object]:
        key = (tournament_id, stage, media_type, gzipped)
        body, made = _published.get(key, version, asked_at, make)
        return body, _state(made, media_type, gzipped)

    response = unless_known(lambda: _state(version, media_type, gzipped), read)
    response.vary.update(("Accept", "Accept-Encoding"))
    if gzipped and response.status_code == 200:
        response.content_encoding = "gzip"
    if media_type == CSV and response.status_code == 200:
        response.content_type = "text/csv; charset=utf-8"
        response.headers["Content-Disposition"] = 'attachment; filename="standings.csv"'
    return response


@call(
    blueprint,
    "POST",
    "/<tournament_id>/adjustments",
    scope="write",
    summary="Give points to a player of a tournament, or take them away",
    body=AdjustmentDocument(),
    answer=TournamentAnswer(),
    status=201,
    problems=["invalid-request", "not-found"],
    etag=True,
)
def adjust_tournament(connection: Connection, tournament_id: UUID, document: Any) -> Response:
    """They count over all, in no stage; a finished tournament can be adjusted, too."""
    store.get_version(connection, tournament_id)
    player, points, reason = read_adjustment(document, None)
    by = g.key.name
    work = partial(store.adjust, connection, tournament_id, player, points, reason=reason, by=by)
    return _told(_checked(work, "/player"), 201)


@call(
    blueprint,
    "POST",
    "/<tournament_id>/finish",
    scope="write",
    summary="End a tournament",
    body=FinishDocument(),
    answer=TournamentAnswer(),
    problems=["invalid-request", "not-found", "stage-open", "tournament-finished"],
    etag=True,
)
def finish_tournament(connection: Connection, tournament_id: UUID, document: Any) -> Response:
    """Before the last planned stage it takes a reason. Corrections still change the standings."""
    store.get_version(connection, tournament_id)
    reason = read_finish(document)
    try:
        return _told(store.finish(connection, tournament_id, reason=reason, by=g.key.name))
    except ReasonNeeded:
        raise Invalid([FIELD_MISSING._replace(pointer="/reason")]) from None


@call(
    blueprint,
    "GET",
    "/<tournament_id>/events",
    scope="read",
    summary="List what was done in a tournament, newest first",
    query=TournamentEventsQuery(),
    answer=TournamentEventsAnswer(),
    problems=["not-found"],
)
def list_tournament_events(
    connection: Connection, tournament_id: UUID, query: dict[str, Any]
) -> Response:
    """Entries, withdrawals, stages, adjustments: who, when and why."""
    store.get_version(connection, tournament_id)
    filters = filters_of(query, reading.EVENT_FILTERS)
    part = window_of(query, "tournament events", {**filters, "tournament": tournament_id})
    return page_of(reading.list_events(connection, tournament_id, part, filters), query)


def _told(tournament: dict[str, Any], status: int = 200) -> Response:
    location = f"/v1/tournaments/{tournament['id']}" if status == 201 else None
    return tagged(tournament, tournament["version"], status, location)


def _state(version: int, media_type: str, gzipped: bool) -> str:
    """What an ETag stands for: each form has its own."""
    return f"{version}{'.csv' if media_type == CSV else ''}{'.gzip' if gzipped else ''}"


def _checked(work: Callable[[], Result], pointer: str) -> Result:
    """Do something to players; those whom it cannot be done to are mistakes at a pointer."""
    try:
        return work()
    except WrongPlayers as error:
        raise Invalid(
            [
                Mistake(wrong.code, _WRONG_PLAYER[wrong.code], pointer.format(place=wrong.place))
                for wrong in error.found
            ]
        ) from None


def _seating_mistakes(error: WrongTables, tables: list[list[str]]) -> Iterator[Mistake]:
    """What is wrong with a given seating, each at its table or its place."""
    for problem in error.problems:
        table = f"/tables/{problem.table}"
        place = f"{table}/{problem.place}"
        if problem.code == "table_size":
            text = _("a table has {least} to {most} players, not {got}")
            got = len(tables[problem.table or 0])
            bounds = {"least": SMALLEST_TABLE, "most": error.most, "got": got}
            yield Mistake("table_size", text, table, bounds)
        elif problem.code == "player_duplicate":
            text = _("this player has a seat already")
            other = "/tables/{}/{}".format(*(problem.other or ()))
            yield Mistake("player_duplicate", text, place, {"other": other})
        elif problem.code == "player_unknown":
            text = _("this player does not belong to the tournament, or has left it")
            yield Mistake("player_not_in_tournament", text, place)
        else:
            text = _("the player {player} sits at no table")
            yield Mistake("player_unseated", text, "/tables", {"player": problem.player})
