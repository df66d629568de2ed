"""Whether the service lives and is ready, and what it has counted."""

from typing import Any

from flask import Blueprint, Response
from sqlalchemy import Connection

from schemas.answers import StatusAnswer
from service import metrics as counted
from service.api.calls import Afterwards, call, database
from service.database import DatabaseAway

blueprint = Blueprint("system", __name__)


@call(
    blueprint,
    "GET",
    "/livez",
    scope=None,
    summary="Whether the process lives",
    answer=StatusAnswer(),
)
def livez() -> Any:
    """Says nothing of the database, so that nobody restarts a process that waits for it."""
    return {"status": "ok"}


@call(
    blueprint,
    "GET",
    "/readyz",
    scope=None,
    summary="Whether requests can be served",
    answer=StatusAnswer(),
    problems=["database-away"],
)
def readyz() -> Any:
    """The database is there and migrated; within a second, and free of limits."""
    if not database().answers():
        raise DatabaseAway("not ready")
    return {"status": "ok"}


@call(
    blueprint,
    "GET",
    "/metrics",
    scope="read",
    summary="What has been counted, for Prometheus",
    answer=None,
    also={
        counted.MEDIA_TYPE: {
            "schema": {
                "type": "string",
                "description": "Prometheus's text format, version 0.0.4; of all workers together.",
            }
        }
    },
)
def metrics(connection: Connection) -> Afterwards:
    """Counts and times only: no cards, no players, no keys."""
    return Afterwards(
        lambda: Response(
            counted.exposition(),
            content_type=counted.CONTENT_TYPE,
            headers={"Cache-Control": "no-store"},
        )
    )
