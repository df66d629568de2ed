"""Whether the service lives and is ready."""

from typing import Any

from flask import Blueprint

from schemas.answers import StatusAnswer
from service.api.calls import call, database
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
    """Says nothing of the database."""
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
    """The database is there and migrated."""
    if not database().answers():
        raise DatabaseAway("not ready")
    return {"status": "ok"}
