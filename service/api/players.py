"""Players: their totals and their rounds."""

from typing import Any

from flask import Blueprint, Response

from schemas.answers import PlayerAnswer, RoundsAnswer
from schemas.queries import PlayerRoundsQuery
from service.api.calls import Afterwards, call
from service.api.conditional import unless_known
from service.api.lists import filters_of
from service.api.streams import STREAM_PROBLEMS, STREAMS, list_of_rounds
from service.database import Database
from service.record import players, rounds

blueprint = Blueprint("players", __name__, url_prefix="/v1/players")


@call(
    blueprint,
    "GET",
    "/<player>",
    asks=True,
    scope="read",
    summary="Read a player's totals",
    answer=PlayerAnswer(),
    problems=["not-found"],
    conditional=True,
)
def get_player(database: Database, player: str) -> Response:
    """Rounds, matches, points, wins, fouls, sweeps, specials, over matches and rounds on their own.

    Void rounds do not count, nor do adjustments. The player is looked for exactly as written.
    """
    return unless_known(
        lambda: players.get_version(database, player),
        lambda: players.get_player(database, player),
    )


@call(
    blueprint,
    "GET",
    "/<player>/rounds",
    asks=True,
    scope="read",
    summary="List a player's rounds, newest first",
    query=PlayerRoundsQuery(),
    answer=RoundsAnswer(),
    also=STREAMS,
    problems=STREAM_PROBLEMS,
)
def list_player_rounds(database: Database, player: str, query: dict[str, Any]) -> Response | Afterwards:
    """Each in its newest revision, void ones too: `status` leaves them out.

    As JSON in pages, as NDJSON or CSV whole.
    """
    filters = {**filters_of(query, rounds.FILTERS), "player": player}
    return list_of_rounds(database, query, filters)
