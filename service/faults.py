"""What a database can do to a call, and what comes of it: one table from SQLSTATE to the answer."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg2
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout


class DatabaseAway(Exception):
    """Postgres cannot be reached, or cannot answer in time; trying again later may help.

    ``problem`` names what the client is told. ``again``: nothing was kept, and the whole transaction
    may well succeed if it is tried once more at once.
    """

    problem = "database-away"

    def __init__(self, why: str, *, again: bool = False) -> None:
        super().__init__(why)
        self.again = again


class DatabaseBusy(DatabaseAway):
    """Postgres is there, but could not do it in time."""

    problem = "busy"


class StorageFull(DatabaseAway):
    """Postgres has no room left."""

    problem = "storage-full"


class NotMigrated(DatabaseAway):
    """The database does not have the newest schema, or not yet."""


class OutcomeUnknown(DatabaseAway):
    """The connection was lost during the COMMIT, which may have been done.

    ``again``: the same call finds out whether it was, and does nothing twice.
    """

    problem = "outcome-unknown"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is raised; whether the transaction is tried again; whether all connections are made anew."""

    kind: type[DatabaseAway]
    again: bool = False
    drop: bool = False


_LOST = Fault(DatabaseAway, again=True, drop=True)
_BUSY = Fault(DatabaseBusy)
_NOT_MIGRATED = Fault(NotMigrated)
#: A pooler has given us another connection than before (see :mod:`service.prepared`).
_ELSEWHERE = Fault(DatabaseAway, again=True)

#: By SQLSTATE, or by its first two characters for the rest of a class. Other errors are ours: 500.
FAULTS: Mapping[str, Fault] = {
    "08": _LOST,  # connection exception
    "25006": _LOST,  # read-only transaction: another server has taken over
    "0A000": _LOST,  # what was prepared answers in other columns than before the schema was changed
    "25P03": Fault(DatabaseBusy, drop=True),  # idle in transaction for too long: we were too slow
    "25P04": Fault(DatabaseBusy, drop=True),  # transaction timeout
    "40001": Fault(DatabaseBusy, again=True),  # serialization failure
    "40P01": Fault(DatabaseBusy, again=True),  # deadlock
    "26000": _ELSEWHERE,  # what was prepared is not there
    "42P05": _ELSEWHERE,  # what is to be prepared is there
    "3F000": _NOT_MIGRATED,  # no such schema
    "42703": _NOT_MIGRATED,  # no such column
    "42P01": _NOT_MIGRATED,  # no such table
    "53": _BUSY,  # out of memory, or of something else
    "53100": Fault(StorageFull),  # disk full
    "53300": _BUSY,  # too many connections
    "55P03": _BUSY,  # lock timeout
    "57014": _BUSY,  # statement timeout
    "57P01": _LOST,  # shut down by its administrator
    "57P02": _LOST,  # another session has crashed, and all were ended
    "57P03": Fault(DatabaseAway, drop=True),  # starting up or shutting down
    "57P05": _LOST,  # idle session timeout
    "58": Fault(DatabaseAway, drop=True),  # the disk or the system fails
}


def fault_of(error: DBAPIError) -> Fault | None:
    """What is to be done about an error; None if it is none of the database's faults."""
    found = listed(error.orig)
    if found is not None:
        return found
    if error.connection_invalidated:
        return _LOST
    # A connection that could not be made has no SQLSTATE.
    return Fault(DatabaseAway) if isinstance(error, OperationalError | InterfaceError) else None


def listed(error: BaseException | None) -> Fault | None:
    """What the table says of the driver's error, by its SQLSTATE; None if it says nothing."""
    state = getattr(error, "pgcode", None) or ""
    return FAULTS.get(state) or FAULTS.get(state[:2])


def final(error: psycopg2.Error) -> DatabaseAway | None:
    """What to raise for an error of the driver that neither another connection nor another try helps."""
    found = listed(error)
    if found is None or found.again or found.drop:
        return None
    return found.kind(_first_line(error))


@contextmanager
def understood() -> Iterator[None]:
    """Raise :class:`DatabaseAway`, or one of its kind, for what the table says."""
    try:
        yield
    except PoolTimeout as error:
        raise DatabaseBusy(_first_line(error)) from error
    except DBAPIError as error:
        fault = fault_of(error)
        if fault is None:
            raise
        raise fault.kind(_first_line(error), again=fault.again) from error


@contextmanager
def committing(*, again: bool) -> Iterator[None]:
    """Raise :class:`OutcomeUnknown` where the connection is lost before the COMMIT is answered.

    An error that Postgres reports itself, and lives on, has undone the transaction for certain.
    """
    try:
        yield
    except DBAPIError as error:
        diagnostics = getattr(error.orig, "diag", None)
        lives_on = getattr(diagnostics, "severity_nonlocalized", None) == "ERROR"  # and not FATAL
        if lives_on or not error.connection_invalidated:
            raise
        raise OutcomeUnknown(_first_line(error), again=again) from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
