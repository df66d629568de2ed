"""What Postgres is told first, and questions that are one message with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select
from sqlalchemy.dialects.postgresql.psycopg2 import dialect as driver_dialect

from service.prepared import Statement, message, statement

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


#: What a transaction begins with. A question that stands for itself has ``LIMITS`` alone before it:
#: Postgres takes a message of several statements for a transaction, so that the limits hold, and end,
#: with it; poolers pass it on in one piece.
FIRST = f"{BEGIN};{LIMITS}"


@dataclass(frozen=True, slots=True)
class Question:
    """A SELECT in the driver's own words, or several of which the last is to be answered.

    ``prepared``: whether each connection prepares them, for which one plan has to suit all values.
    """

    statements: tuple[Statement, ...]
    prepared: bool

    @property
    def sql(self) -> str:
        """All of it, as it is said where nothing was prepared."""
        return ";".join(one.sql for one in self.statements)

    def message(self, before: str, info: Mapping[Any, Any], say: Callable[[str], object]) -> str:
        """All of it after what is to be said ``before``, for the connection of :func:`prepared.message`.

        What prepares it is said in messages of their own, outside of the transaction.
        """
        if not self.prepared:
            return f"{before};{self.sql}"
        return f"{before};{message(self.statements, info, lambda words: say(f'{LIMITS};{words}'))}"


def question(*statements: str, prepared: bool = True) -> Question:
    """A question; its parameters are ``%(name)s``."""
    return Question(tuple(map(statement, statements)), prepared)


def question_of(query: Select[Any], *, prepared: bool = True) -> Question:
    """The question that a query of SQLAlchemy's is; with the same parameters, ids as text."""
    compiled = query.compile(dialect=_DRIVER)
    if any(value is not None for value in compiled.params.values()):
        raise ValueError("all values of a question are parameters with names")
    return question(str(compiled), prepared=prepared)


# --- what a connection is told first -------------------------------------------------------------------


def saying(*statements: str) -> Callable[[Connection], Any]:
    """Tells a connection some statements in one message, or nothing."""
    words = ";".join(statements)
    return lambda connection: connection.exec_driver_sql(words) if words else None


def asking(
    before: str, what: Question, parameters: Mapping[str, Any]
) -> Callable[[Connection], Sequence[Any] | None]:
    """Asks a connection a question after what is said ``before``; gives the only row, or None."""

    def ask(connection: Connection) -> Sequence[Any] | None:
        say = connection.exec_driver_sql
        return say(what.message(before, connection.info, say), parameters).one_or_none()

    return ask


def limited(
    _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
) -> tuple[str, Any]:
    """A statement of SQLAlchemy's in one message with its time limits (``before_cursor_execute``)."""
    return f"{LIMITS};{statement}", parameters
