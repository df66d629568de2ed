"""Postgres servers of a test's own, for what the shared one cannot show."""

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
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
def in_memory() -> Iterator[Path]:
    """A directory for a server, in memory where there is room."""
    with tempfile.TemporaryDirectory(prefix="susun-test-", dir=_shared_memory()) as home:
        # Postgres may have to run as another user, who must get there.
        Path(home).chmod(0o755)
        yield Path(home)


def new_data(data_dir: Path) -> Path:
    """A data directory as initdb makes it, which it does once a process: a second of computing."""
    shutil.copytree(_made() / "postgres", data_dir)
    return data_dir


@contextmanager
def fresh_server(*, durable: bool = False) -> Iterator[Server]:
    """A server that nothing has touched yet, in memory where there is room.

    One that is ``durable`` loses nothing when it is killed.
    """
    with in_memory() as home, EmbeddedPostgres(new_data(home / "postgres"), durable=durable) as server:
        yield Server(server)


def forget() -> None:
    """Remove what new servers are copied from."""
    if _made.cache_info().currsize:
        shutil.rmtree(_made(), ignore_errors=True)
        _made.cache_clear()


@cache
def _made() -> Path:
    home = Path(tempfile.mkdtemp(prefix="susun-test-", dir=_shared_memory()))
    atexit.register(forget)
    home.chmod(0o755)
    embedded = EmbeddedPostgres(home / "postgres")
    version, programs, user = embedded._choose()
    postgres_data.create(embedded.data_dir, version, programs, user, durable=False)
    return home


def _shared_memory() -> Path | None:
    shared_memory = Path("/dev/shm")
    return shared_memory if os.access(shared_memory, os.W_OK) else None
