"""The way to Postgres: the pool, and transactions with time limits."""

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, Protocol, TypeVar

import orjson
import psycopg2
import structlog
from psycopg2.extensions import TRANSACTION_STATUS_IDLE
from sqlalchemy import (
    Connection,
    Engine,
    ExceptionContext,
    NullPool,
    QueuePool,
    create_engine,
    event,
    text,
)
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from service.batch import leave_nothing, send_left
from service.cutoff import Cutoff, Use, hold_lines
from service.faults import DatabaseAway, OutcomeUnknown, committing, final, listed, understood
from service.postgres_address import CONNECT, driver_url
from service.prepared import Prepared, Preparing
from service.probe import Probe
from service.questions import (
    BEGIN_MOMENT,
    COMMIT,
    FIRST,
    LIMITS,
    ROLLBACK,
    Question,
    asking,
    limited,
    saying,
)

__all__ = ["Database", "DatabaseAway"]

log = structlog.get_logger(__name__)

T = TypeVar("T")

_POOL_SECONDS = 3
_RECYCLE_SECONDS = 1800
_OVERFLOW = 2
#: Before each new attempt at a transaction, at most.
_PAUSES = (0.05, 0.2)
#: By when a connection must have begun to answer, and a transaction be over: by our clock, since a
#: server that is frozen keeps none of its own limits.
_BEGIN_SECONDS = 2
_QUICK_SECONDS = 0.5
_SILENT_SECONDS = 1.5
_TRANSACTION_SECONDS = 10
_SNAPSHOT_SECONDS = 120
_STEP_SECONDS = 35
#: How long `answers` takes at most.
_PROBE_SECONDS = 0.8

# For what is sent while it is read, at the pace of whoever receives it.
_SNAPSHOT = (
    "SET LOCAL statement_timeout = '30s';"
    "SET LOCAL lock_timeout = '2s';"
    "SET LOCAL idle_in_transaction_session_timeout = '60s'"
)


class Watch(Protocol):
    """Who wants to know of the pool's use."""

    def before(self) -> None:
        """A connection is about to be taken."""

    def changed(self, by: int) -> None:
        """A connection has been taken (1) or given back (-1)."""

    def timed_out(self) -> None:
        """None became free in time."""


class Database:
    """A pool of connections, made at first use (after a fork, that is), and transactions on it."""

    #: Who is told of the pool's use, if anybody.
    watch: Watch | None = None

    def __init__(self, url: str, *, pool_size: int = 4) -> None:
        self.most_connections = pool_size + _OVERFLOW
        self.engine: Engine = create_engine(
            driver_url(url),
            isolation_level="AUTOCOMMIT",
            pool_size=pool_size,
            max_overflow=_OVERFLOW,
            pool_timeout=_POOL_SECONDS,
            pool_recycle=_RECYCLE_SECONDS,
            pool_use_lifo=True,
            connect_args=CONNECT,
            json_deserializer=orjson.loads,
            json_serializer=lambda value: orjson.dumps(value).decode(),
            # Errors are logged, and the record is nothing for a log.
            hide_parameters=True,
        )
        # The driver begins these: a cursor of the server needs to know of its transaction.
        self._snapshots = self.engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        # Whoever only reads needs no transaction of several statements.
        self._readers = self.engine.execution_options()
        event.listen(self._readers, "before_cursor_execute", limited, retval=True)
        event.listen(self.engine, "handle_error", self._drop_what_is_of_no_use)
        self.preparing = Preparing(self._statements_are_read)
        event.listen(self.engine, "connect", self._note_nothing_prepared)
        # What is asked for readiness neither waits for the pool nor takes from it.
        self._outside: Engine = create_engine(
            driver_url(url), poolclass=NullPool, connect_args=CONNECT, hide_parameters=True
        )
        self._probe = Probe(self._is_migrated)
        self._cutoff = Cutoff()
        self._silent = False
        self._trying = threading.Lock()
        #: What ends with the use of this database.
        self.at_close: list[Callable[[], None]] = []
        for engine in (self.engine, self._outside):
            hold_lines(engine)

    def pool(self) -> QueuePool:
        """The pool as it is now; closing puts another in its place."""
        assert isinstance(self.engine.pool, QueuePool)
        return self.engine.pool

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction: committed at the end, rolled back on any exception.

        Raises :class:`DatabaseAway`, or one of its kind, where Postgres cannot be reached, or cannot do
        it in time.
        """
        begun = self._transaction(saying(FIRST), stores=True)
        with begun as (connection, _):
            yield connection

    @contextmanager
    def transaction_after(
        self, first: Question, parameters: Mapping[str, Any]
    ) -> Iterator[tuple[Connection, Sequence[Any] | None]]:
        """A transaction that begins with a :func:`question`, and the answer to it.

        The question is to be one that tells whether the same was committed before: the COMMIT is in the
        message of what was left for the end, and lost on the way it is a fault to try again after.
        """
        with self._transaction(asking(FIRST, first, parameters), stores=True, repeatable=True) as begun:
            yield begun

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read by: each statement sees what is there then, and is bounded by itself.

        Raises :class:`DatabaseAway` as transactions do.
        """
        # Where nothing was said for a while, that is found out first.
        first = saying(LIMITS) if self._silent else saying()
        with understood(), self._begun(first, _TRANSACTION_SECONDS, self._readers) as (connection, _):
            yield connection

    @contextmanager
    def moment(self) -> Iterator[Connection]:
        """The same for several statements that see everything as it is at the first of them.

        Raises :class:`DatabaseAway` as transactions do.
        """
        begun = self._transaction(saying(f"{BEGIN_MOMENT};{LIMITS}"), stores=False)
        with begun as (connection, _):
            yield connection

    def ask(self, what: Question, **parameters: Any) -> Sequence[Any] | None:
        """The only row that answers a :func:`question` of a moment, in a single round trip.

        Raises :class:`DatabaseAway` as transactions do.
        """
        if self._can_ask_driver():
            with understood(), self._or_once_more():
                rows = self._ask_driver(what, parameters, Use(), _QUICK_SECONDS)
                return rows[0] if rows else None
        first = asking(LIMITS, what, parameters)
        with understood(), self._begun(first, _TRANSACTION_SECONDS) as (_, row):
            return row

    def rows(self, what: Question, **parameters: Any) -> Sequence[Sequence[Any]]:
        """All rows that answer a :func:`question`, which may take as long as a transaction.

        Raises :class:`DatabaseAway` as transactions do.
        """
        if self._can_ask_driver():
            use = Use()
            with understood(), self._or_once_more():
                return self._ask_driver(what, parameters, use, _TRANSACTION_SECONDS)
            if use.cut:
                raise _taken_too_long(_TRANSACTION_SECONDS)
        with self.reading() as connection:
            return connection.exec_driver_sql(what.sql, parameters).all()

    def _can_ask_driver(self) -> bool:
        """Whether there is a connection, of which nothing bad is known, and nobody who reads along."""
        return not self._silent and not self._statements_are_read() and self.pool().checkedin() > 0

    def _statements_are_read(self) -> bool:
        """Whether somebody wants to see each statement that SQLAlchemy says, for traces, say."""
        return bool(self.engine.dispatch.before_cursor_execute)

    @contextmanager
    def _or_once_more(self) -> Iterator[None]:
        """What fails is to be asked once more, in the way that knows what to make of a lost connection.

        That there is no connection any more has been waited for already, and so has what took too long.
        """
        try:
            yield
        except psycopg2.Error as error:
            self.preparing.hear(error)
            found = final(error)
            if found is not None:
                raise found from error

    def _ask_driver(
        self, what: Question, parameters: dict[str, Any], use: Use, seconds: float
    ) -> Sequence[Sequence[Any]]:
        """Ask by a connection that is there, without SQLAlchemy, which takes longer than the answer."""
        line = self._take(self.engine.raw_connection)
        try:
            with self._cutoff.after(seconds, line, use), closing(line.cursor()) as cursor:
                cursor.execute(what.message(LIMITS, line.info, cursor.execute), parameters)
                rows: Sequence[Sequence[Any]] = cursor.fetchall()
                return rows
        except BaseException:
            line.invalidate()
            raise
        finally:
            line.close()
            if self.watch is not None:
                self.watch.changed(-1)

    @contextmanager
    def snapshot(self, seconds: float = _SNAPSHOT_SECONDS) -> Iterator[Connection]:
        """Everything as it is now, to be read at length; what others do meanwhile is not seen.

        Raises :class:`DatabaseAway` as transactions do.
        """
        begun = self._begun(saying(_SNAPSHOT), seconds, self._snapshots)
        with understood(), begun as (connection, _):
            yield connection

    def step_by_step(self, connection: Connection, steps: Iterator[T]) -> Iterator[T]:
        """The same steps; each may only take as long as Postgres itself should let it take."""
        while True:
            with self._cutoff.after(_STEP_SECONDS, connection):
                step = next(steps, None)
            if step is None:
                return
            yield step

    def whole(self, use_case: Callable[[], T]) -> T:
        """Do all of a use case, transaction and all; once more, or twice, where that may help.

        Only what has certainly not been kept is done again (it was refused, or the connection was lost
        before the COMMIT), or what finds out by itself whether it was. :class:`OutcomeUnknown` where
        that could not be found out any more.
        """
        doubt: OutcomeUnknown | None = None
        for pause in (*_PAUSES, None):
            try:
                return use_case()
            except DatabaseAway as fault:
                if isinstance(fault, OutcomeUnknown):
                    doubt = fault
                if pause is None or not fault.again:
                    if doubt is None or doubt is fault:
                        raise
                    raise doubt from fault
                log.info("once more", after=str(fault))
            time.sleep(random.uniform(pause / 4, pause))
        raise AssertionError  # the last attempt has returned or raised

    @contextmanager
    def _transaction(
        self, first: Callable[[Connection], T], *, stores: bool, repeatable: bool = False
    ) -> Iterator[tuple[Connection, T]]:
        """A transaction and what it first said, committed at the end if it stores anything.

        ``repeatable``: done again, it finds out whether it was committed.
        """
        with understood(), self._begun(first, _TRANSACTION_SECONDS) as (connection, said):
            leave_nothing(connection)
            yield connection, said
            if not stores:
                return
            if not repeatable:
                send_left(connection)
            with committing(again=repeatable):
                send_left(connection, COMMIT)

    @contextmanager
    def _begun(
        self, first: Callable[[Connection], T], seconds: float, engine: Engine | None = None
    ) -> Iterator[tuple[Connection, T]]:
        """A connection and what it first said; a transaction that has not been committed is undone."""
        connection, said = self._begin(first, engine or self.engine)
        with self._cutoff.after(seconds, connection) as use:
            try:
                yield connection, said
            except DBAPIError as error:
                if use.cut:  # to do it again would take as long again
                    raise _taken_too_long(seconds) from error
                raise
            except OutcomeUnknown as fault:
                fault.again = fault.again and not use.cut
                raise
            finally:
                self._give_back(connection)

    def _begin(self, first: Callable[[Connection], T], engine: Engine) -> tuple[Connection, T]:
        """Begin; while the database says nothing, one thread may find out, and no other waits."""
        if not self._silent:
            return self._begin_anew(first, engine)
        if not self._trying.acquire(blocking=False):
            raise DatabaseAway("the database has not said anything for a while")
        try:
            return self._begin_anew(first, engine)
        finally:
            self._trying.release()

    def _begin_anew(self, first: Callable[[Connection], T], engine: Engine) -> tuple[Connection, T]:
        began = time.monotonic()
        try:
            begun = self._begin_or_replace(first, engine)
        except DBAPIError:
            # That it refuses is told at once.
            self._silent = time.monotonic() - began > _SILENT_SECONDS
            raise
        self._silent = False
        return begun

    def _begin_or_replace(
        self, first: Callable[[Connection], T], engine: Engine
    ) -> tuple[Connection, T]:
        """Begin; where the pool's connection turns out to be dead, with a new one.

        That is why the pool need not ask each connection first whether it still lives.
        """
        for last in (False, True):
            connection = self._take(engine.connect)
            try:
                with self._cutoff.after(_BEGIN_SECONDS, connection):
                    return connection, first(connection)
            except BaseException as error:
                self._give_back(connection)
                if last or not getattr(error, "connection_invalidated", False):
                    raise
        raise AssertionError  # the last attempt has returned or raised

    def _take(self, connect: Callable[[], T]) -> T:
        """A connection of the pool; whoever watches the pool is told."""
        if self.watch is None:
            return connect()
        self.watch.before()
        try:
            taken = connect()
        except PoolTimeout:
            self.watch.timed_out()
            raise
        self.watch.changed(1)
        return taken

    def _give_back(self, connection: Connection) -> None:
        try:
            try:
                _undo(connection)
            finally:
                connection.close()
        finally:
            if self.watch is not None:
                self.watch.changed(-1)

    def _note_nothing_prepared(self, _driver: Any, record: Any) -> None:
        record.info["prepared"] = Prepared(self.preparing)

    def _drop_what_is_of_no_use(self, context: ExceptionContext) -> None:
        """After some faults all connections are made anew, as if they were lost."""
        self.preparing.hear(context.original_exception)
        fault = listed(context.original_exception)
        if fault is not None and fault.drop:
            context.is_disconnect = True

    def answers(self) -> bool:
        """Whether the database is there and migrated, told within a second."""
        return self._probe.says_yes(_PROBE_SECONDS)

    def _is_migrated(self) -> bool:
        try:
            with self._outside.connect() as connection, self._cutoff.after(_BEGIN_SECONDS, connection):
                return bool(connection.scalar(text("SELECT 1 FROM alembic_version")))
        except SQLAlchemyError:
            return False

    def connect_alone(self, application_name: str) -> "psycopg2.extensions.connection":
        """A connection of the driver's, for whoever keeps it: to the same server as those of the pool.

        Raises the driver's errors.
        """
        arguments, named = self.engine.dialect.create_connect_args(self.engine.url)
        named.update({**CONNECT, "application_name": application_name})
        made: psycopg2.extensions.connection = psycopg2.connect(*arguments, **named)
        return made

    def close(self) -> None:
        """Close the pool, after what depends on it."""
        while self.at_close:
            self.at_close.pop()()
        self.engine.dispose()
        self._cutoff.stop()


def _taken_too_long(seconds: float) -> DatabaseAway:
    return DatabaseAway(f"the database has taken more than {seconds:g} seconds")


def _undo(connection: Connection) -> None:
    """Undo a transaction that we have begun and not ended; whatever comes of it ends with the line."""
    if connection.closed or connection.invalidated:
        return
    driver: Any = connection.connection.dbapi_connection
    if not driver.autocommit or driver.get_transaction_status() == TRANSACTION_STATUS_IDLE:
        return
    with suppress(psycopg2.Error), closing(driver.cursor()) as cursor:
        cursor.execute(ROLLBACK)
    if driver.closed or driver.get_transaction_status() != TRANSACTION_STATUS_IDLE:
        connection.invalidate()
