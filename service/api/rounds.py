"""Matches and rounds: opened, posted, listed, read."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import orjson
from flask import Blueprint, Response, g, request

from schemas.answers import MatchAnswer, MatchesAnswer, RoundsAnswer, StoredRoundAnswer
from schemas.mistakes import Invalid, Mistake
from schemas.queries import ListQuery, MatchesQuery, RoundsQuery
from schemas.rounds import (
    MatchDocument,
    MatchRoundDocument,
    RoundDocument,
    read_match,
    read_match_round,
)
from service.api.calls import Created, call, database
from service.api.problems import invalid
from service.api.scoring import find, round_of
from service.language import retell
from service.messages import _
from service.record import matches, rounds
from service.record.pages import Page, Window, WrongCursor, window

blueprint = Blueprint("rounds", __name__, url_prefix="/v1")


@call(
    blueprint,
    "POST",
    "/matches",
    scope="write",
    summary="Open a match",
    body=MatchDocument(),
    answer=MatchAnswer(),
    status=201,
    problems=["invalid-request"],
)
def open_match(document: Any) -> Any:
    """Rule set, stake and players stay as they are from now on."""
    asked = read_match(document, find)
    with database().transaction() as connection:
        match = matches.open_match(
            connection,
            asked.ruleset,
            asked.players,
            rounds=asked.rounds,
            stake=asked.stake,
            label=asked.label,
            by=g.key_name,
        )
    return Created(match, f"/v1/matches/{match['id']}")


@call(
    blueprint,
    "GET",
    "/matches",
    scope="read",
    summary="List matches, newest first",
    query=MatchesQuery(),
    answer=MatchesAnswer(),
)
def list_matches(query: dict[str, Any]) -> Any:
    """Those of a player, or all."""
    filters = {"player": query.get("player")}
    part = _window(query, "matches", filters)
    with database().transaction() as connection:
        return _page(matches.list_matches(connection, part, **filters), query)


@call(
    blueprint,
    "GET",
    "/matches/<match_id>",
    scope="read",
    summary="Read a match with its standings",
    answer=MatchAnswer(),
    problems=["not-found"],
)
def get_match(match_id: UUID) -> Any:
    """State, standings, rounds played of planned."""
    with database().transaction() as connection:
        return matches.get_match(connection, match_id)


@call(
    blueprint,
    "POST",
    "/matches/<match_id>/rounds",
    scope="write",
    summary="Post the next round of a match",
    body=MatchRoundDocument(),
    answer=StoredRoundAnswer(),
    status=201,
    problems=["invalid-round", "not-found", "match-finished", "round-number-taken"],
)
def post_match_round(match_id: UUID, document: Any) -> Any:
    """Scored under the match's rule set; the last planned round finishes the match."""
    with database().transaction() as connection:
        frame = matches.get_frame(connection, match_id)
        try:
            asked = read_match_round(document, frame.ruleset, frame.stake, frame.players)
        except Invalid as error:
            raise invalid("invalid-round", error.mistakes) from None
        kept = rounds.keep_match_round(
            connection, frame, asked.seats, number=asked.number, by=g.key_name
        )
    retell(kept, g.language)
    return Created(kept, f"/v1/rounds/{kept['id']}")


@call(
    blueprint,
    "GET",
    "/matches/<match_id>/rounds",
    scope="read",
    summary="List the rounds of a match, newest first",
    query=ListQuery(),
    answer=RoundsAnswer(),
    problems=["not-found"],
)
def list_match_rounds(match_id: UUID, query: dict[str, Any]) -> Any:
    """Each in its newest revision."""
    part = _window(query, "rounds", {"match": match_id})
    with database().transaction() as connection:
        matches.get_frame(connection, match_id)
        page = rounds.list_rounds(connection, part, player=None, match_id=match_id)
    for item in page["items"]:
        retell(item, g.language)
    return _page(page, query)


@call(
    blueprint,
    "POST",
    "/rounds",
    scope="write",
    summary="Post a round on its own",
    body=RoundDocument(),
    answer=StoredRoundAnswer(),
    status=201,
    problems=["invalid-round"],
)
def post_round(document: Any) -> Any:
    """Scored and kept, in no match."""
    asked = round_of(document, find, to_keep=True)
    with database().transaction() as connection:
        kept = rounds.keep_round(
            connection, asked.ruleset, asked.seats, stake=asked.stake, by=g.key_name
        )
    retell(kept, g.language)
    return Created(kept, f"/v1/rounds/{kept['id']}")


@call(
    blueprint,
    "GET",
    "/rounds",
    scope="read",
    summary="List rounds, newest first",
    query=RoundsQuery(),
    answer=RoundsAnswer(),
)
def list_rounds(query: dict[str, Any]) -> Any:
    """Those of a player, of a match, or all; each in its newest revision."""
    part = _window(query, "rounds", {"player": query.get("player"), "match": query.get("match")})
    with database().transaction() as connection:
        page = rounds.list_rounds(
            connection, part, player=query.get("player"), match_id=query.get("match")
        )
    for item in page["items"]:
        retell(item, g.language)
    return _page(page, query)


@call(
    blueprint,
    "GET",
    "/rounds/<round_id>",
    scope="read",
    summary="Read a stored round",
    answer=StoredRoundAnswer(),
    problems=["not-found"],
)
def get_round(round_id: UUID) -> Any:
    """Its newest revision: request, result, and all about its keeping."""
    with database().transaction() as connection:
        found = rounds.get_round(connection, round_id)
    retell(found, g.language)
    return found


def _window(query: Mapping[str, Any], of: str, filters: Mapping[str, Any]) -> Window:
    try:
        return window(query["limit"], query.get("cursor"), {"of": of, **filters})
    except WrongCursor:
        text = _("this cursor belongs to no such list: keep the filters that it came with")
        mistake = Mistake("field_invalid", text, "", {"parameter": "cursor"})
        raise Invalid([mistake]) from None


def _page(page: Page, query: Mapping[str, Any]) -> Response:
    response = Response(orjson.dumps(page), content_type="application/json")
    if page["next_cursor"] is not None:
        following = {**request.args, "limit": query["limit"], "cursor": page["next_cursor"]}
        response.headers["Link"] = f'<{request.path}?{urlencode(following)}>; rel="next"'
    return response
