"""Statements sent to Postgres in one message: one round trip, one way through SQLAlchemy, for all."""

from typing import Any

from sqlalchemy import Connection

from service.prepared import Statement, message, statement


class Batch:
    """Statements in the order in which they are added; nothing comes back from them.

    They are the driver's own: parameters as ``%(name)s``, ids as text, whole rows as JSON, which
    Postgres takes apart faster than a driver puts it together value by value. A name means the same
    value in all statements of a batch.
    """

    def __init__(self) -> None:
        self._statements: list[Statement] = []
        self._values: dict[str, Any] = {}

    def add(self, sql: str, **values: Any) -> None:
        """Add a statement with its parameters."""
        assert not self._values.keys() & values.keys()
        self._statements.append(statement(sql))
        self._values |= values

    def send(self, connection: Connection) -> None:
        """Send them; the first that fails undoes them all, being in one transaction."""
        say = connection.exec_driver_sql
        say(message(self._statements, connection.info, say), self._values)
