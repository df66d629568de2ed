"""The database brought to the newest schema; and the wait for one that has not started yet."""

import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.exc import OperationalError

from service.faults import DatabaseAway, understood
from service.postgres_address import CONNECT, driver_url

_MIGRATIONS = Path(__file__).parent / "record" / "migrations"
# Any number will do, as long as every instance that migrates uses the same.
_MIGRATION_LOCK = 7_310_501
_RETRY_SECONDS = 1


def wait_for(url: str, seconds: float, say: Callable[[str], object]) -> None:
    """Wait until a database takes connections; ``say`` is told, once, if it does not do so at once.

    Raises :class:`DatabaseAway` if it still does not after so many seconds.
    """
    deadline = time.monotonic() + seconds
    engine = create_engine(
        driver_url(url), poolclass=NullPool, connect_args=CONNECT, hide_parameters=True
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
    # No worker migrates, and a tenth of what they load at their start would be this.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    engine = create_engine(driver_url(url), connect_args=CONNECT, hide_parameters=True)
    try:
        with understood(), engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            config = Config()
            config.set_main_option("script_location", str(_MIGRATIONS))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()
