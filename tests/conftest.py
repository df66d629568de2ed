"""A real Postgres for every test that wants one: started once a run, emptied before each test."""

import gc
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app import create_app
from service import last_use
from service.database import Database
from service.embedded_postgres import EmbeddedPostgres
from service.record import keys, rulesets
from service.setup import prepare_database
from tests.servers import forget, in_memory, new_data

pytest_plugins = ["tests.spreading"]

# Where the tests run in the background the interrupt may be ignored, and children inherit that; the
# tests of Ctrl-C need it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# As in a worker that serves (service/warm_up.py): a fifth of the time would go into looking through
# modules and tests, none of which will ever be garbage.
gc.set_threshold(50_000, 20, 50)


# Nothing of the application is to use the database by itself, in the middle of some test.
last_use.SECONDS = 24 * 3600


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    forget()


# What the database itself refuses to delete goes while its triggers are off.
_EMPTY = """
    SET LOCAL session_replication_role = replica;
    DELETE FROM imports; DELETE FROM idempotency_keys; DELETE FROM player_totals;
    DELETE FROM adjustments;
    DELETE FROM duels; DELETE FROM seats; DELETE FROM rounds;
    DELETE FROM match_players; DELETE FROM matches; DELETE FROM api_keys;
    DELETE FROM tournament_totals; DELETE FROM tournament_events; DELETE FROM tournament_stages;
    DELETE FROM tournament_players; DELETE FROM tournaments;
    DELETE FROM rulesets WHERE created_by IS NOT NULL;
"""


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    """A migrated database of this run's own, in memory where there is room, without fsync."""
    if os.environ.get("SUSUN_TEST_DATABASE_URL"):
        url = os.environ["SUSUN_TEST_DATABASE_URL"]
        prepare_database(url)
        yield url
        return
    with (
        in_memory() as home,
        EmbeddedPostgres(new_data(home / "postgres"), durable=False) as server,
    ):
        prepare_database(server.url)
        yield server.url


@pytest.fixture(scope="session")
def shared_database(database_url: str) -> Iterator[Database]:
    database = Database(database_url, pool_size=8)
    yield database
    database.close()


@pytest.fixture
def database(shared_database: Database) -> Database:
    """The database, empty but for the published rule sets."""
    with shared_database.transaction() as connection:
        connection.execute(text(_EMPTY))
    rulesets._known.clear()
    return shared_database


@pytest.fixture(scope="session")
def shared_app(database_url: str) -> Iterator[Flask]:
    # Tests send more than any client would; those of limits set their own.
    unlimited = {"key_rate": None, "address_rate": None}
    app = create_app({"database_url": database_url, "pool_size": 8, **unlimited})
    # Nothing that happens by itself, every second, between a test's own requests. That keys are
    # remembered has tests of its own (tests/system/test_known_keys.py).
    app.extensions["susun_known_keys"].stop()
    yield app
    app.extensions["susun_database"].close()


@pytest.fixture
def app(database: Database, shared_app: Flask) -> Flask:
    """The application on the empty database."""
    return shared_app


@pytest.fixture
def make_key(database: Database) -> Any:
    """Make an API key with some scopes; gives the token."""

    def make(*scopes: str, name: str = "test") -> str:
        with database.transaction() as connection:
            return keys.create(connection, name, scopes)

    return make


@pytest.fixture
def client(app: Flask, make_key: Any) -> FlaskClient:
    """A client that sends a key with all scopes."""
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {make_key(*keys.SCOPES)}"
    return client


@pytest.fixture
def stored(database: Database) -> Any:
    """How many rounds, matches and so on are stored."""

    def count(*tables: str) -> int:
        names = tables or ("rounds", "seats", "duels", "matches", "match_players")
        counts = " + ".join(f"(SELECT count(*) FROM {name})" for name in names)
        with database.transaction() as connection:
            return connection.scalar(text(f"SELECT {counts}")) or 0

    return count
