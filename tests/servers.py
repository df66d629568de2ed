"""Postgres servers of a test's own, for what the shared one cannot show."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
from sqlalchemy import make_url

from service.embedded_postgres import EmbeddedPostgres


class Server:
    """An empty server, and what its superuser wants done there."""

    def __init__(self, url: str) -> None:
        self.url = url

    def address(self, **parts: Any) -> str:
        """The address as libpq wants it, with another ``database``, ``username`` or ``password``."""
        changed = make_url(self.url).set(drivername="postgresql", **parts)
        return changed.render_as_string(hide_password=False)

    def run(self, *statements: str, **parts: Any) -> None:
        """Run statements, each in a transaction of its own."""
        connection = psycopg2.connect(self.address(**parts))
        connection.autocommit = True
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        connection.close()


@contextmanager
def fresh_server() -> Iterator[Server]:
    """A server that nothing has touched yet, in memory where there is room."""
    shared_memory = Path("/dev/shm")
    where = shared_memory if os.access(shared_memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="susun-test-", dir=where) as home:
        # Postgres may have to run as another user, who must get there.
        Path(home).chmod(0o755)
        with EmbeddedPostgres(Path(home) / "postgres", durable=False) as server:
            yield Server(server.url)
