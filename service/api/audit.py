"""Audits: what is stored, held against itself and against the rules."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import orjson
from flask import Blueprint, Response, g
from sqlalchemy import Connection

from schemas.answers import AuditAnswer
from schemas.tournament_answers import TournamentAuditAnswer
from service import metrics
from service.api.calls import Afterwards, call, database
from service.record.audit import Report, audit_match, audit_round
from service.record.tournament_audit import audit_tournaments, count_matches
from service.tournaments import store

blueprint = Blueprint("audit", __name__, url_prefix="/v1")


@call(
    blueprint,
    "GET",
    "/rounds/<round_id>/audit",
    scope="read",
    summary="Audit a round",
    answer=AuditAnswer(),
    problems=["not-found"],
)
def get_round_audit(connection: Connection, round_id: UUID) -> Afterwards:
    """All its revisions scored and sealed again, with their links to their neighbours in the match."""
    return Afterwards(lambda: _answer(audit_round, round_id))


@call(
    blueprint,
    "GET",
    "/matches/<match_id>/audit",
    scope="read",
    summary="Audit a match",
    answer=AuditAnswer(),
    problems=["not-found"],
)
def get_match_audit(connection: Connection, match_id: UUID) -> Afterwards:
    """All revisions of its rounds scored and sealed again, the whole chain, and the totals."""
    return Afterwards(lambda: _answer(audit_match, match_id))


@call(
    blueprint,
    "GET",
    "/tournaments/<tournament_id>/audit",
    scope="read",
    summary="Audit what is kept of a tournament",
    answer=TournamentAuditAnswer(),
    problems=["not-found"],
)
def get_tournament_audit(connection: Connection, tournament_id: UUID) -> Afterwards:
    """Totals and state counted again from its matches, each of which has an audit of its own."""
    store.get_version(connection, tournament_id)
    return Afterwards(lambda: _tournament_answer(tournament_id))


def _tournament_answer(tournament_id: UUID) -> Response:
    with database().snapshot() as connection:
        found = list(audit_tournaments(connection, tournament_id))
        count = count_matches(connection, tournament_id)
    metrics.count_audit(finding.code for finding in found)
    body = {
        "ok": not found,
        "matches": count,
        "findings": [finding.show(g.translate) for finding in found],
    }
    return Response(orjson.dumps(body), content_type="application/json")


def _answer(audit: Callable[[Connection, UUID], Report], identifier: UUID) -> Response:
    """The audit in a snapshot of its own: rounds that are posted meanwhile are no fault."""
    with database().snapshot() as connection:
        report = audit(connection, identifier)
    metrics.count_audit(finding.code for finding in report.findings)
    body: dict[str, Any] = {
        "ok": not report.findings,
        "rounds": report.rounds,
        "findings": [finding.show(g.translate) for finding in report.findings],
    }
    return Response(orjson.dumps(body), content_type="application/json")
