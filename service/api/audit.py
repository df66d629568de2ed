"""Audits: what is stored, held against itself and against the rules."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import orjson
from flask import Blueprint, Response, g
from sqlalchemy import Connection

from schemas.answers import AuditAnswer
from service import metrics
from service.api.calls import Afterwards, call, database
from service.record.audit import Report, audit_match, audit_round

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
