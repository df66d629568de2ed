"""Matches: opened, played, adjusted, finished, read."""

from functools import partial
from typing import Any
from uuid import UUID

from flask import Blueprint, Response, g
from sqlalchemy import Connection

from schemas.answers import MatchAnswer, MatchesAnswer, RoundsAnswer, StoredRoundAnswer
from schemas.mistakes import Invalid
from schemas.queries import MatchesQuery, MatchRoundsQuery
from schemas.rounds import (
    AdjustmentDocument,
    MatchDocument,
    MatchRoundDocument,
    ReasonDocument,
    read_adjustment,
    read_match,
    read_match_round,
    read_reason,
)
from service.api import observing
from service.api.calls import Afterwards, call
from service.api.conditional import kept_round, tagged, unless_known
from service.api.lists import filters_of, page_of, window_of
from service.api.problems import invalid
from service.api.streams import STREAM_PROBLEMS, STREAMS, list_of_rounds
from service.database import Database
from service.record import keeping, matches, rounds
from service.record.rulesets import find_ruleset

blueprint = Blueprint("matches", __name__, url_prefix="/v1/matches")


@call(
    blueprint,
    "POST",
    "",
    scope="write",
    summary="Open a match",
    body=MatchDocument(),
    answer=MatchAnswer(),
    status=201,
    problems=["invalid-request"],
    etag=True,
)
def open_match(connection: Connection, document: Any) -> Response:
    """Rule set (in its version of now), stake and players stay as they are from now on.

    Players are the caller's own ids, compared exactly as sent. Without `rounds` there are as many as the
    rule set plays.
    """
    asked = read_match(document, partial(find_ruleset, connection))
    match = matches.open_match(
        connection,
        asked.ruleset,
        asked.players,
        rounds=asked.rounds,
        stake=asked.stake,
        label=asked.label,
        by=g.key.name,
    )
    return tagged(match, match["version"], 201, f"/v1/matches/{match['id']}")


@call(
    blueprint,
    "GET",
    "",
    moment=True,
    scope="read",
    summary="List matches, newest first",
    query=MatchesQuery(),
    answer=MatchesAnswer(),
)
def list_matches(connection: Connection, query: dict[str, Any]) -> Response:
    """Those of a player, a status, a rule set, a time, or all; each with its standings."""
    filters = filters_of(query, matches.FILTERS)
    part = window_of(query, "matches", filters)
    return page_of(matches.list_matches(connection, part, filters), query)


@call(
    blueprint,
    "GET",
    "/<match_id>",
    moment=True,
    scope="read",
    summary="Read a match with its standings",
    answer=MatchAnswer(),
    problems=["not-found"],
    conditional=True,
)
def get_match(connection: Connection, match_id: UUID) -> Response:
    """State, standings, adjustments, rounds played of planned.

    Void rounds are among those played, and count nothing in the standings.
    """

    def read() -> tuple[dict[str, Any], object]:
        match = matches.get_match(connection, match_id)
        return match, match["version"]

    return unless_known(lambda: matches.get_version(connection, match_id), read)


@call(
    blueprint,
    "POST",
    "/<match_id>/rounds",
    scope="write",
    summary="Post the next round of a match",
    body=MatchRoundDocument(),
    answer=StoredRoundAnswer(),
    status=201,
    problems=["invalid-round", "not-found", "match-finished", "round-number-taken"],
    etag=True,
)
def post_match_round(connection: Connection, match_id: UUID, document: Any) -> Response:
    """Scored under the match's rule set and stake; the last planned round finishes the match.

    All players of the match take part, in any order of seats. `number` may be left out; where it is
    sent, it must be that of the next round, so that two who keep count do not post one round twice.
    """
    frame = matches.lock_frame(connection, match_id)
    try:
        asked = read_match_round(document, frame.ruleset, frame.stake, frame.players, frame.withdrawn)
    except Invalid as error:
        raise invalid("invalid-round", error.mistakes) from None
    kept = keeping.keep_match_round(connection, frame, asked.seats, number=asked.number, by=g.key.name)
    observing.scored(frame.ruleset, kept=True)
    return kept_round(kept)


@call(
    blueprint,
    "GET",
    "/<match_id>/rounds",
    asks=True,
    scope="read",
    summary="List the rounds of a match, newest first",
    query=MatchRoundsQuery(),
    answer=RoundsAnswer(),
    also=STREAMS,
    problems=["not-found", *STREAM_PROBLEMS],
)
def list_match_rounds(
    database: Database, match_id: UUID, query: dict[str, Any]
) -> Response | Afterwards:
    """Each in its newest revision, void ones too: `status` leaves them out.

    As JSON in pages, as NDJSON or CSV whole.
    """
    matches.ask_version(database, match_id)
    filters = {**filters_of(query, rounds.FILTERS), "match": match_id}
    return list_of_rounds(database, query, filters)


@call(
    blueprint,
    "POST",
    "/<match_id>/finish",
    scope="write",
    summary="End a match early",
    body=ReasonDocument(),
    answer=MatchAnswer(),
    problems=["invalid-request", "not-found", "match-finished"],
    etag=True,
)
def finish_match(connection: Connection, match_id: UUID, document: Any) -> Response:
    """The rounds played so far stand, and can still be corrected; no more are taken."""
    matches.get_version(connection, match_id)  # that there is no such match comes before what is wrong
    match = matches.finish_match(connection, match_id, reason=read_reason(document))
    return tagged(match, match["version"])


@call(
    blueprint,
    "POST",
    "/<match_id>/adjustments",
    scope="write",
    summary="Give points to a player, or take them away",
    body=AdjustmentDocument(),
    answer=MatchAnswer(),
    status=201,
    problems=["invalid-request", "not-found"],
    etag=True,
)
def adjust_match(connection: Connection, match_id: UUID, document: Any) -> Response:
    """Listed apart from the rounds; they move points and places in the standings, and never money.

    A finished match can be adjusted, too. The totals of a player over all matches do not change.
    """
    matches.get_version(connection, match_id)
    players = [member.player for member in matches.get_members(connection, match_id)]
    player, points, reason = read_adjustment(document, players)
    match = matches.adjust(connection, match_id, player, points, reason=reason, by=g.key.name)
    return tagged(match, match["version"], 201, f"/v1/matches/{match_id}")
