"""Postgres servers of a test's own, for what the shared one cannot show."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg2
from sqlalchemy import make_url

from service import postgres_data
from service.embedded_postgres import EmbeddedPostgres


class Server:
    """An empty server, and what its superuser wants done there."""

    def __init__(self, embedded: EmbeddedPostgres) -> None:
        self.embedded, self.url = embedded, embedded.url

    def address(self, **parts: Any) -> str:
        """The address as libpq wants it, with another ``database``, ``username`` or ``password``."""
        changed = make_url(self.url).set(drivername="postgresql", **parts)
        return changed.render_as_string(hide_password=False)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the server."""
        for pid in postgres_data.processes_on(self.embedded.data_dir):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def run(self, *statements: str, **parts: Any) -> None:
        """Run statements, each in a transaction of its own."""
        connection = psycopg2.connect(self.address(**parts))
        connection.autocommit = True
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        connection.close()


@contextmanager
def fresh_server(*, durable: bool = False) -> Iterator[Server]:
    """A server that nothing has touched yet, in memory where there is room.

    One that is ``durable`` loses nothing when it is killed.
    """
    shared_memory = Path("/dev/shm")
    where = shared_memory if os.access(shared_memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="susun-test-", dir=where) as home:
        # Postgres may have to run as another user, who must get there.
        Path(home).chmod(0o755)
        with EmbeddedPostgres(Path(home) / "postgres", durable=durable) as server:
            yield Server(server)
