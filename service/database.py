"""The way to Postgres: addresses, the pool, transactions with time limits, migrations."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import orjson
from alembic import command
from alembic.config import Config
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    NullPool,
    QueuePool,
    Row,
    TextualSelect,
    create_engine,
    make_url,
    text,
)
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

DRIVER = "postgresql+psycopg2"

# A database whose machine or network has gone is noticed in seconds, not in a quarter of an hour.
_CONNECT = {
    "application_name": "susun",
    "connect_timeout": 3,
    "tcp_user_timeout": 5000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
}
_POOL_SECONDS = 3
_RECYCLE_SECONDS = 1800
_OVERFLOW = 2
_RETRY_SECONDS = 1

# SET LOCAL, not session settings: they also hold behind a pooler that shares connections.
_LIMITS = (
    "SET LOCAL statement_timeout = '5s';"
    "SET LOCAL lock_timeout = '2s';"
    "SET LOCAL idle_in_transaction_session_timeout = '10s'"
)
# For what is sent while it is read, at the pace of whoever receives it.
_SNAPSHOT = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
    "SET LOCAL statement_timeout = '30s';"
    "SET LOCAL idle_in_transaction_session_timeout = '60s'"
)

_HOST = re.compile(r"[A-Za-z0-9._:-]*")

_MIGRATIONS = Path(__file__).parent / "record" / "migrations"
# Any number will do, as long as every instance that migrates uses the same.
_MIGRATION_LOCK = 7_310_501


class DatabaseAway(Exception):
    """Postgres cannot be reached, or cannot answer in time; trying again later may help."""


def driver_url(url: str) -> str:
    """The address with our driver, whatever ``postgres://`` or ``postgresql://`` form was given.

    ``ValueError`` if it is no address of a Postgres.
    """
    try:
        parsed = make_url(url)
    except Exception:
        raise ValueError("the database URL cannot be read") from None
    if parsed.drivername.split("+")[0] not in ("postgres", "postgresql"):
        raise ValueError("the database URL must begin with postgresql://")
    # Otherwise Postgres would be asked for, and tell of, a host that is the rest of a password.
    if not _HOST.fullmatch(parsed.host or ""):
        raise ValueError(
            "the database URL cannot be read: in its password, write %40 for @, %2F for /, %3A for :"
        )
    return parsed.set(drivername=DRIVER).render_as_string(hide_password=False)


class Watch(Protocol):
    """Who wants to know of the pool's use."""

    def before(self) -> None:
        """A connection is about to be taken."""

    def changed(self) -> None:
        """A connection has been taken or given back."""

    def timed_out(self) -> None:
        """None became free in time."""


def question(sql: str, *columns: ColumnElement[Any]) -> TextualSelect:
    """A SELECT of one row at most, with its time limits in the same message to Postgres.

    It needs no round trip of its own where a transaction begins with it. Outside of transactions
    Postgres takes a message of several statements for a transaction, so that the limits hold, and end,
    with it; poolers pass it on in one piece.
    """
    return text(f"{_LIMITS};{sql}").columns(*columns)


class Database:
    """A pool of connections, made at first use (after a fork, that is), and transactions on it."""

    #: Who is told of the pool's use, if anybody.
    watch: Watch | None = None

    def __init__(self, url: str, *, pool_size: int = 4) -> None:
        self.most_connections = pool_size + _OVERFLOW
        self.engine: Engine = create_engine(
            driver_url(url),
            pool_size=pool_size,
            max_overflow=_OVERFLOW,
            pool_timeout=_POOL_SECONDS,
            pool_recycle=_RECYCLE_SECONDS,
            pool_pre_ping=True,
            pool_use_lifo=True,
            connect_args=_CONNECT,
            json_deserializer=orjson.loads,
            json_serializer=lambda value: orjson.dumps(value).decode(),
            # Errors are logged, and the record is nothing for a log.
            hide_parameters=True,
        )
        self._autocommit = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    def pool(self) -> QueuePool:
        """The pool as it is now; closing puts another in its place."""
        assert isinstance(self.engine.pool, QueuePool)
        return self.engine.pool

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction: committed at the end, rolled back on any exception.

        Raises :class:`DatabaseAway` where Postgres cannot be reached or does not answer in time.
        """
        with away_if_unreachable(), self._taken(self.engine.begin) as connection:
            connection.exec_driver_sql(_LIMITS)
            yield connection

    @contextmanager
    def transaction_after(
        self, first: TextualSelect, **parameters: Any
    ) -> Iterator[tuple[Connection, Row[Any] | None]]:
        """A transaction that begins with a :func:`question`, and the answer to it."""
        with away_if_unreachable(), self.engine.begin() as connection:
            yield connection, connection.execute(first, parameters).one_or_none()

    def ask(self, what: TextualSelect, **parameters: Any) -> Row[Any] | None:
        """The answer to a :func:`question`, in a single round trip.

        Raises :class:`DatabaseAway` as transactions do.
        """
        with away_if_unreachable(), self._autocommit.connect() as connection:
            return connection.execute(what, parameters).one_or_none()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Everything as it is now, to be read at length; what others do meanwhile is not seen.

        Raises :class:`DatabaseAway` as transactions do.
        """
        with away_if_unreachable(), self._taken(self.engine.connect) as connection:
            connection.exec_driver_sql(_SNAPSHOT)
            yield connection

    @contextmanager
    def _taken(self, take: Callable[[], AbstractContextManager[Connection]]) -> Iterator[Connection]:
        """A connection, taken and given back; whoever watches the pool is told."""
        watch = self.watch
        if watch is None:
            with take() as connection:
                yield connection
            return
        with ExitStack() as held:
            watch.before()
            held.callback(watch.changed)
            try:
                connection = held.enter_context(take())
            except PoolTimeout:
                watch.timed_out()
                raise
            watch.changed()
            yield connection

    def answers(self) -> bool:
        """Whether the database is there and migrated."""
        try:
            with self.transaction() as connection:
                connection.execute(text("SELECT 1 FROM alembic_version"))
        except (DatabaseAway, DBAPIError):
            return False
        return True

    def close(self) -> None:
        """Close the pool."""
        self.engine.dispose()


@contextmanager
def away_if_unreachable() -> Iterator[None]:
    """Raise :class:`DatabaseAway` where Postgres cannot be reached."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise DatabaseAway(str(error).splitlines()[0]) from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise DatabaseAway(str(error).splitlines()[0]) from error
        raise


def wait_for(url: str, seconds: float, say: Callable[[str], object]) -> None:
    """Wait until a database takes connections; ``say`` is told, once, if it does not do so at once.

    Raises :class:`DatabaseAway` if it still does not after so many seconds.
    """
    deadline = time.monotonic() + seconds
    engine = create_engine(
        driver_url(url), poolclass=NullPool, connect_args=_CONNECT, hide_parameters=True
    )
    said = False
    while True:
        try:
            engine.connect().close()
            return
        except OperationalError as error:
            why = str(error.orig).splitlines()[0]
        if time.monotonic() + _RETRY_SECONDS > deadline:
            raise DatabaseAway(f"the database has not answered within {seconds:g} seconds: {why}")
        if not said:
            say(f"waiting up to {seconds:g} seconds for the database: {why}")
            said = True
        time.sleep(_RETRY_SECONDS)


def migrate(url: str) -> None:
    """Bring the database to the newest schema; several at once wait for each other.

    Raises :class:`DatabaseAway` where Postgres cannot be reached.
    """
    engine = create_engine(driver_url(url), connect_args=_CONNECT, hide_parameters=True)
    try:
        with away_if_unreachable(), engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            config = Config()
            config.set_main_option("script_location", str(_MIGRATIONS))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()
