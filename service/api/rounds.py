"""Rounds: posted on their own, listed, read, corrected, voided."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

import orjson
from flask import Blueprint, Response, g
from sqlalchemy import Connection

from schemas.answers import RevisionsAnswer, RoundsAnswer, StoredRoundAnswer
from schemas.mistakes import Invalid
from schemas.queries import RoundsQuery
from schemas.rounds import (
    CorrectionDocument,
    ReasonDocument,
    RoundDocument,
    read_correction,
    read_reason,
)
from service.api import observing
from service.api.calls import Afterwards, call
from service.api.conditional import contradicts, has_seen, kept_round, unless_known
from service.api.lists import filters_of
from service.api.problems import invalid
from service.api.scoring import round_of
from service.api.streams import STREAM_PROBLEMS, STREAMS, list_of_rounds
from service.database import Database
from service.language import retold
from service.record import keeping, rounds
from service.record.rulesets import find_ruleset
from service.rules.reading import Seat
from service.rules.ruleset import RuleSet

blueprint = Blueprint("rounds", __name__, url_prefix="/v1/rounds")


@call(
    blueprint,
    "POST",
    "",
    scope="write",
    summary="Post a round on its own",
    body=RoundDocument(),
    answer=StoredRoundAnswer(),
    status=201,
    problems=["invalid-round"],
    etag=True,
)
def post_round(connection: Connection, document: Any) -> Response:
    """Scored and kept, in no match.

    It counts in its players' totals. The rule set must give points.
    """
    asked = round_of(document, partial(find_ruleset, connection), to_keep=True)
    kept = keeping.keep_round(connection, asked.ruleset, asked.seats, stake=asked.stake, by=g.key.name)
    observing.scored(asked.ruleset, kept=True)
    return kept_round(kept)


@call(
    blueprint,
    "GET",
    "",
    asks=True,
    scope="read",
    summary="List rounds, newest first",
    query=RoundsQuery(),
    answer=RoundsAnswer(),
    also=STREAMS,
    problems=STREAM_PROBLEMS,
)
def list_rounds(database: Database, query: dict[str, Any]) -> Response | Afterwards:
    """Those of a player, a match, a rule set, a time, a status, or all; each in its newest revision.

    Void rounds are listed too: `status` leaves them out. As JSON in pages, as NDJSON or CSV whole.
    """
    return list_of_rounds(database, query, filters_of(query, rounds.FILTERS))


@call(
    blueprint,
    "GET",
    "/<round_id>",
    asks=True,
    scope="read",
    summary="Read a stored round",
    answer=StoredRoundAnswer(),
    problems=["not-found"],
    conditional=True,
)
def get_round(database: Database, round_id: UUID) -> Response:
    """Its newest revision: request, result, and all about its keeping.

    Of a void round the request and the points that it had are shown; they count nowhere.
    """

    def read() -> tuple[bytes, object]:
        found = rounds.get_round(database, round_id)
        return retold(found.json, g.language), found.digest

    return unless_known(lambda: rounds.get_digest(database, round_id), read)


@call(
    blueprint,
    "GET",
    "/<round_id>/revisions",
    asks=True,
    scope="read",
    summary="Read all revisions of a round",
    answer=RevisionsAnswer(),
    problems=["not-found"],
    conditional=True,
)
def list_revisions(database: Database, round_id: UUID) -> Response:
    """Oldest first; the last is the one that counts, unless it is void."""

    def read() -> tuple[dict[str, Any], object]:
        found = rounds.list_revisions(database, round_id)
        items = [orjson.Fragment(retold(revision.json, g.language)) for revision in found]
        return {"items": items}, found[-1].digest

    return unless_known(lambda: rounds.get_digest(database, round_id), read)


@call(
    blueprint,
    "GET",
    "/<round_id>/revisions/<revision>",
    asks=True,
    scope="read",
    summary="Read one revision of a round",
    answer=StoredRoundAnswer(),
    problems=["not-found"],
    conditional=True,
)
def get_revision(database: Database, round_id: UUID, revision: str) -> Response:
    """As it was stored. It never changes, and may be cached for good."""
    number = int(revision) if revision.isascii() and revision.isdigit() and len(revision) < 10 else 0

    def read() -> tuple[bytes, object]:
        found = rounds.get_revision(database, round_id, number)
        return retold(found.json, g.language), found.digest

    response = unless_known(lambda: rounds.get_digest(database, round_id, number), read)
    response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


@call(
    blueprint,
    "POST",
    "/<round_id>/corrections",
    scope="write",
    summary="Correct a round",
    body=CorrectionDocument(),
    answer=StoredRoundAnswer(),
    status=201,
    problems=["invalid-round", "not-found", "stale", "precondition-required"],
    etag=True,
)
def correct_round(connection: Connection, round_id: UUID, document: Any) -> Response:
    """A new revision counts from now on, the old ones stay readable; needs If-Match.

    All seats are sent anew. Rule set and stake stay. In a match, who has left its tournament, or had no
    seat in the newest revision, may have one or not; all others must. A void round can be corrected
    back, and a round of a finished match corrected. A correction that changes nothing is a new revision
    too.
    """

    def read(ruleset: RuleSet, players: Sequence[str] | None, absent: Sequence[str]) -> Sequence[Seat]:
        observing.scored(ruleset, kept=True)
        try:
            return read_correction(document, ruleset, players, absent)
        except Invalid as error:
            raise invalid("invalid-round", error.mistakes) from None

    reason = document.get("reason", "") if isinstance(document, dict) else ""
    kept = keeping.correct_round(connection, round_id, read, reason=reason, by=g.key.name, seen=has_seen)
    return kept_round(kept)


@call(
    blueprint,
    "POST",
    "/<round_id>/void",
    scope="write",
    summary="Let a round count no more",
    body=ReasonDocument(),
    answer=StoredRoundAnswer(),
    status=201,
    problems=["invalid-request", "not-found", "round-void", "stale"],
    etag=True,
)
def void_round(connection: Connection, round_id: UUID, document: Any) -> Response:
    """Its revisions stay readable; If-Match is honoured if it is sent.

    In a match it keeps its number, and no other round takes its place; a correction brings it back.
    """
    rounds.check_there(connection, round_id)  # that there is no such round comes before what is wrong
    kept = keeping.void_round(
        connection,
        round_id,
        reason=read_reason(document),
        by=g.key.name,
        seen=lambda digest: not contradicts(digest),
    )
    return kept_round(kept)
