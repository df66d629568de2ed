"""Statements are prepared once a connection, and nobody notices, whatever becomes of the connection."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from app import create_app
from service.database import Database
from service.prepared import Prepared, Preparing, message, statement
from service.record import keys
from service.setup import prepare_database
from tests.api.requests import ROUND
from tests.servers import Server, fresh_server

PREPARED = (
    "SELECT name, statement, generic_plans + custom_plans FROM pg_prepared_statements ORDER BY name"
)


class Place:
    """A service with a single connection, and what has been prepared on it."""

    def __init__(self, server: Server, app: Flask, token: str) -> None:
        self.server, self.app = server, app
        self.client: FlaskClient = app.test_client()
        self.client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        self.database: Database = app.extensions["susun_database"]

    def on_connection(self, *statements: str) -> list[Any]:
        """What the connection of the pool says to some statements of ours."""
        with self.database.engine.connect() as connection:
            for one in statements[:-1]:
                connection.exec_driver_sql(one)
            result = connection.exec_driver_sql(statements[-1])
            return list(result) if result.returns_rows else []

    def post(self, key: str | None = None) -> Any:
        answer = self.client.post(
            "/v1/rounds", json=ROUND, headers={"Idempotency-Key": key} if key else {}
        )
        assert answer.status_code == 201, answer.text
        return answer

    def every_kind(self) -> None:
        """Store, replay, read, list, compare: what is said most, each right."""
        stored = self.post("first")
        assert self.post("first").get_json() == stored.get_json()
        path = stored.headers["Location"]
        read = self.client.get(path)
        assert read.get_json() == stored.get_json()
        known = {"If-None-Match": read.headers["ETag"]}
        assert self.client.get(path, headers=known).status_code == 304
        newest = self.client.get("/v1/rounds?player=andi").get_json()["items"]
        assert stored.get_json() in newest
        assert self.client.get("/v1/players/andi").get_json()["rounds"] >= 1


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with fresh_server() as server:
        prepare_database(server.url)
        yield server


@pytest.fixture
def place(server: Server) -> Iterator[Place]:
    server.run("SET session_replication_role = replica; DELETE FROM idempotency_keys")
    store = Database(server.url)
    with store.transaction() as connection:
        token = keys.create(connection, "prepared", keys.SCOPES)
    store.close()
    limits = {"key_rate": None, "address_rate": None, "pool_size": 1}
    app = create_app({"database_url": server.url, **limits})
    yield Place(server, app, token)
    app.extensions["susun_database"].close()


def test_each_connection_prepares_once_what_it_is_told_again_and_again(place: Place) -> None:
    place.every_kind()
    before = place.on_connection(PREPARED)
    for number in range(3):
        place.post(f"more-{number}")
        assert place.client.get("/v1/rounds?player=budi&limit=2").status_code == 200
    after = place.on_connection(PREPARED)
    assert [name for name, *_ in after] == [name for name, *_ in before]
    assert len({text for _, text, _ in after}) == len(after) >= 8
    used = {text: times for (_, text, times) in after}
    assert [times for text, times in used.items() if "INSERT INTO rounds" in text] == [4]
    assert all(name.startswith("susun_") for name, *_ in after)


@pytest.mark.parametrize(
    "meanwhile",
    [
        "DEALLOCATE ALL",
        "DISCARD ALL",
        # Columns of other types: what was planned for them is of no use.
        "ALTER TABLE rounds ALTER COLUMN submitted_by TYPE varchar",
        "ALTER TABLE player_totals ADD COLUMN later integer",
        "SELECT pg_terminate_backend(pg_backend_pid())",
    ],
)
def test_nobody_notices_what_happens_to_the_connection(place: Place, meanwhile: str) -> None:
    place.every_kind()
    place.server.run("SET session_replication_role = replica; DELETE FROM idempotency_keys")
    if meanwhile.startswith("ALTER"):
        # Views keep columns from being changed; nothing here reads them.
        place.server.run("DROP SCHEMA IF EXISTS history CASCADE", meanwhile)
    else:
        with suppress(OperationalError):
            place.on_connection(meanwhile)
    place.every_kind()
    place.every_kind()


KINDS: dict[str, Callable[[Place, str], Any]] = {
    "stored": lambda place, path: place.post("another"),
    "replayed": lambda place, path: place.post("first"),
    "read": lambda place, path: place.client.get(path),
    "listed": lambda place, path: place.client.get("/v1/rounds?player=andi"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_behind_a_pooler_each_call_succeeds_and_then_nothing_is_prepared_any_more(
    place: Place, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Another connection is behind ours: without what we prepared, or with what somebody else did."""
    caplog.set_level("INFO", "service.prepared")
    path = place.post("first").headers["Location"]
    place.every_kind()
    place.on_connection("DEALLOCATE ALL")
    assert KINDS[kind](place, path).status_code in (200, 201)
    assert not place.database.preparing.on
    place.every_kind()
    assert place.on_connection(PREPARED) == []
    assert caplog.text.count("a pooler shares connections") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_others_have_prepared_on_a_shared_connection_is_no_fault(place: Place, kind: str) -> None:
    path = place.post("first").headers["Location"]
    place.every_kind()
    prepared = [
        f"PREPARE {name} AS {text.partition(' AS ')[2]}"
        for name, text, _ in place.on_connection(PREPARED)
    ]
    place.database.engine.dispose()
    place.on_connection(*prepared, "SELECT 1")
    assert KINDS[kind](place, path).status_code in (200, 201)
    place.every_kind()


def test_who_reads_along_sees_what_is_asked_and_not_its_name(place: Place) -> None:
    seen: list[str] = []

    def read(_connection: Any, _cursor: Any, text: str, *_rest: Any) -> None:
        seen.append(text)

    place.every_kind()
    event.listen(place.database.engine, "before_cursor_execute", read)
    place.post("seen")
    event.remove(place.database.engine, "before_cursor_execute", read)
    assert not [text for text in seen if "EXECUTE" in text or "PREPARE" in text]
    assert [text for text in seen if "INSERT INTO rounds" in text]


def test_lists_whose_best_plan_hangs_on_their_values_are_planned_each_time(place: Place) -> None:
    place.every_kind()
    for query in (
        "status=void",
        "ruleset=bsfyi",
        "since=2026-01-01T00:00:00Z",
        "player=andi&status=void",
        "limit=1",
    ):
        assert place.client.get(f"/v1/rounds?{query}").status_code == 200
    prepared = [text for _, text, _ in place.on_connection(PREPARED)]
    lists = [text for text in prepared if "LIMIT $" in text]
    assert lists and all("seats.player = $" in text for text in lists)
    assert not [text for text in lists if "status = $" in text or "ruleset_id = $" in text]


def test_values_go_where_they_stand_however_often(server: Server) -> None:
    connection = psycopg2.connect(server.address())
    both = statement("SELECT %(a)s::text || %(b)s || %(a)s, %(n)s::bigint + 1")
    info = {"prepared": Prepared(Preparing())}
    with connection, connection.cursor() as cursor:
        for a, b, n in (("it's", "%(a)s", 1), ("$1", "\\", 2**40)):
            cursor.execute(message([both], info, cursor.execute), {"a": a, "b": b, "n": n})
            assert cursor.fetchall() == [(a + b + a, n + 1)]
    connection.close()


def test_a_name_belongs_to_one_text_and_other_signs_of_percent_to_none() -> None:
    texts = ["SELECT 1", "SELECT 2", "SELECT %(a)s::int", "SELECT %(b)s::int"]
    assert len({statement(text).name for text in texts}) == len(texts)
    assert statement(texts[0]) is statement("SELECT 1")
    with pytest.raises(ValueError, match="%"):
        statement("SELECT 7 %% 2")
