"""Statements sent to Postgres in one message: one round trip, one way through SQLAlchemy, for all."""

from typing import Any

from sqlalchemy import Connection

from service.prepared import Statement, message, statement

_LEFT = "left"


class Batch:
    """Statements in the order in which they are added; nothing comes back from them.

    They are the driver's own: parameters as ``%(name)s``, ids as text, whole rows as JSON, which
    Postgres takes apart faster than a driver puts it together value by value. A name means the same
    value in all statements of a message.
    """

    def __init__(self) -> None:
        self._statements: list[Statement] = []
        self._values: dict[str, Any] = {}

    def add(self, sql: str, **values: Any) -> None:
        """Add a statement with its parameters."""
        assert not self._values.keys() & values.keys()
        self._statements.append(statement(sql))
        self._values |= values

    def send(self, connection: Connection, *then: str) -> None:
        """Send them, and then plain statements; the first that fails undoes all, in one transaction."""
        say = connection.exec_driver_sql
        said = message(self._statements, connection.info, say)
        say(";".join((said, *then)), self._values)

    def leave(self, connection: Connection) -> None:
        """Have them sent when the transaction ends, in one message with all else that is left for then.

        Until then nothing of them is seen, and what is sent meanwhile comes before them.
        """
        left = connection.info.setdefault(_LEFT, Batch())
        left._take_in(self)

    def _take_in(self, other: "Batch") -> None:
        assert not self._values.keys() & other._values.keys()
        self._statements += other._statements
        self._values |= other._values


def leave_nothing(connection: Connection) -> None:
    """Forget what was left by a transaction that came to no end."""
    connection.info.pop(_LEFT, None)


def send_left(connection: Connection, *then: str) -> None:
    """Send what is left, if anything, and then plain statements in the same message."""
    left: Batch | None = connection.info.pop(_LEFT, None)
    if left is not None:
        left.send(connection, *then)
    elif then:
        connection.exec_driver_sql(";".join(then))
