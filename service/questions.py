"""What Postgres is told first, and questions that are one message with it."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select
from sqlalchemy.dialects.postgresql.psycopg2 import dialect as driver_dialect

# Transactions are begun in the same message as what is said first, for which the driver must not begin
# any itself: that would be a message of its own.
BEGIN, COMMIT, ROLLBACK = "BEGIN", "COMMIT", "ROLLBACK"
BEGIN_MOMENT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# SET LOCAL, not session settings: they also hold behind a pooler that shares connections.
LIMITS = (
    "SET LOCAL statement_timeout = '5s';"
    "SET LOCAL lock_timeout = '2s';"
    "SET LOCAL idle_in_transaction_session_timeout = '10s'"
)
_DRIVER: Any = driver_dialect()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Question:
    """A SELECT in the driver's own words (``sql``), and with its time limits in the same message.

    ``alone``: Postgres takes a message of several statements for a transaction, so that the limits
    hold, and end, with it; poolers pass it on in one piece. ``first``: the same where a transaction
    begins with it, for which it needs no round trip of its own.
    """

    sql: str
    alone: str
    first: str


def question(sql: str) -> Question:
    """A question; its parameters are ``%(name)s``."""
    return Question(sql, f"{LIMITS};{sql}", f"{BEGIN};{LIMITS};{sql}")


def question_of(query: Select[Any]) -> Question:
    """The question that a query of SQLAlchemy's is; with the same parameters, ids as text."""
    compiled = query.compile(dialect=_DRIVER)
    if any(value is not None for value in compiled.params.values()):
        raise ValueError("all values of a question are parameters with names")
    return question(str(compiled))
