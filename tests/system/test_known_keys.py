"""Keys that a worker remembers: no change of theirs goes unnoticed, whatever fails."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import requests
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, make_url, text

from app import create_app
from service import hearing, known_keys
from service.database import Database
from service.known_keys import KnownKeys
from service.record import keys
from service.record.ids import now
from service.setup import prepare_database
from tests.api.requests import ROUND, assert_problem
from tests.gunicorns import Gunicorn, serving
from tests.servers import Server, fresh_server

MakeKey = Callable[..., str]
WORKERS = 3
SECONDS = 15
#: Milliseconds, but on a machine that is busy with other tests.
AT_ONCE = 1.5


def wait_until(there: Callable[[], Any], seconds: float = SECONDS) -> None:
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until
        time.sleep(0.01)


class Place:
    """An application that soon remembers keys; a key that it has let in; a way to Postgres."""

    def __init__(self, app: Flask, store: Database, token: str) -> None:
        self.app, self.store, self.token = app, store, token
        self.known: KnownKeys = app.extensions["susun_known_keys"]
        self.client: FlaskClient = app.test_client()
        self.client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        self.asked: list[str] = []
        event.listen(app.extensions["susun_database"].engine, "before_cursor_execute", self._note)

    def _note(self, _connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "FROM api_keys" in statement:
            self.asked.append(statement)

    def score(self) -> int:
        return self.client.post("/v1/score", json=ROUND).status_code

    def remembers(self) -> bool:
        """Whether the key lets in without being asked for."""
        before = len(self.asked)
        assert self.score() == 200
        return len(self.asked) == before

    def run(self, *statements: str) -> None:
        with self.store.transaction() as connection:
            for statement in statements:
                connection.execute(text(statement))

    def end_session(self) -> None:
        """End the session of whoever listens, as an administrator would."""
        self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE application_name = '{hearing.APPLICATION}'"
        )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes seconds takes tenths of them."""
    monkeypatch.setattr(hearing, "SEND_SECONDS", 0.05)
    monkeypatch.setattr(hearing, "DEAF_SECONDS", 0.5)
    monkeypatch.setattr(hearing, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(hearing, "LONGEST_PAUSE", 0.2)


@pytest.fixture
def make_place(
    quick: None, database: Database, database_url: str, make_key: MakeKey
) -> Iterator[Callable[[], Place]]:
    made: list[Flask] = []

    def make() -> Place:
        made.append(create_app({"database_url": database_url, "key_rate": None, "address_rate": None}))
        return Place(made[-1], database, make_key("score", "read", name="meja"))

    yield make
    for app in made:
        app.extensions["susun_database"].close()


@pytest.fixture
def place(make_place: Callable[[], Place]) -> Place:
    """Where the key is remembered."""
    place = make_place()
    wait_until(place.remembers)
    return place


# --- remembered ----------------------------------------------------------------------------------------


def test_a_remembered_key_is_asked_for_no_more_and_its_uses_are_noted(place: Place) -> None:
    place.asked.clear()
    place.app.extensions["susun_last_use"].flush()
    place.run("UPDATE api_keys SET last_used_at = NULL")
    for _ in range(20):
        assert place.score() == 200
        assert place.client.get("/v1/rounds").status_code == 200
    assert place.asked == []
    place.app.extensions["susun_last_use"].flush()
    with place.store.transaction() as connection:
        used = connection.scalar(text("SELECT last_used_at FROM api_keys"))
    assert used is not None and used > now() - timedelta(minutes=1)
    # That it was noted is no change that anybody would have to hear of.
    assert place.remembers()


def test_scopes_are_looked_at_each_time(place: Place) -> None:
    assert_problem(place.client.post("/v1/rounds", json=ROUND), 403, "forbidden")


@pytest.mark.parametrize("call", ["/v1/score", "/v1/rounds"])
def test_another_secret_and_an_unknown_key_are_asked_for_and_never_remembered(
    place: Place, call: str
) -> None:
    for token in (f"{place.token}x", "susun_000000000000_nobody"):
        for _ in range(3):
            place.asked.clear()
            answer = place.client.post(call, json=ROUND, headers={"Authorization": f"Bearer {token}"})
            assert_problem(answer, 401, "unauthorized")
            assert len(place.asked) == 1
    assert place.remembers()


def test_a_remembered_key_expires_when_its_time_has_come(place: Place) -> None:
    place.run("UPDATE api_keys SET expires_at = now() + interval '1.5 seconds'")
    wait_until(place.remembers, 1.4)
    time.sleep(1.5)
    assert place.score() == 401


def test_no_more_keys_are_remembered_than_there_is_room_for(
    place: Place, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_keys, "MOST_KEYS", 3)
    tokens = [make_key("score", name=f"meja {number}") for number in range(8)]
    for token in tokens:
        headers = {"Authorization": f"Bearer {token}"}
        assert place.client.post("/v1/score", json=ROUND, headers=headers).status_code == 200
        assert len(place.known.memory()) <= 3


# --- changed -------------------------------------------------------------------------------------------

CHANGES = {
    "revoked": "UPDATE api_keys SET revoked_at = now()",
    "expired": "UPDATE api_keys SET expires_at = now()",
    "of another secret": "UPDATE api_keys SET secret_sha256 = ''",
    "of another prefix": "UPDATE api_keys SET prefix = 'other'",
    "without scopes": "UPDATE api_keys SET scopes = '{}'",
    "used and revoked at once": "UPDATE api_keys SET revoked_at = now(), last_used_at = now()",
    "deleted": "DELETE FROM api_keys",
    "deleted with all": "TRUNCATE api_keys CASCADE",
}


@pytest.mark.parametrize("switched_off", [False, True], ids=["", "with triggers switched off"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_key_that_is_changed_by_hand_is_shut_out_at_once(
    place: Place, change: str, switched_off: bool
) -> None:
    # As replication does, and programs that load dumps.
    off = ["SET LOCAL session_replication_role = replica"] if switched_off else []
    place.run(*off, change)
    wait_until(lambda: place.score() in (401, 403), AT_ONCE)
    assert place.client.get("/v1/rounds").status_code in (401, 403)


def test_a_change_that_is_taken_back_shuts_nobody_out(place: Place) -> None:
    with pytest.raises(ZeroDivisionError), place.store.transaction() as connection:
        keys.revoke(connection, "meja")
        raise ZeroDivisionError
    assert place.score() == 200


def test_another_name_is_what_rounds_are_kept_under_at_once(
    make_place: Callable[[], Place], make_key: MakeKey
) -> None:
    place = make_place()
    headers = {"Authorization": f"Bearer {make_key('write', name='kasir')}"}
    wait_until(place.remembers)
    assert place.client.post("/v1/rounds", json=ROUND, headers=headers).status_code == 201
    place.run("UPDATE api_keys SET name = 'kasir baru' WHERE name = 'kasir'")
    time.sleep(0.5)
    kept = place.client.post("/v1/rounds", json=ROUND, headers=headers).get_json()
    assert kept["submitted_by"] == "kasir baru"


def test_what_was_read_before_a_change_and_comes_after_it_is_not_remembered(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row has been read; then the key is revoked, and that heard of; then it would be remembered."""
    database = place.app.extensions["susun_database"]
    ask, read, go_on = database.ask, threading.Event(), threading.Event()

    def slow(what: Any, **parameters: Any) -> Any:
        row = ask(what, **parameters)
        if what is keys.LOOK_UP:
            read.set()
            assert go_on.wait(SECONDS)
        return row

    place.run("UPDATE api_keys SET name = 'other'")
    wait_until(lambda: not place.known.memory())
    monkeypatch.setattr(database, "ask", slow)
    with ThreadPoolExecutor() as threads:
        late = threads.submit(place.score)
        assert read.wait(SECONDS)
        before = place.known.memory()
        place.run("UPDATE api_keys SET revoked_at = now()")
        wait_until(lambda: place.known.memory() is not before)
        go_on.set()
        assert late.result() == 200  # it was let in before
    assert place.known.memory() == {}
    assert place.score() == 401


# --- when changes cannot be heard of -------------------------------------------------------------------


def test_a_listener_whose_session_is_ended_knows_nothing_until_it_listens_again(place: Place) -> None:
    for _ in range(3):
        place.end_session()
        place.run("UPDATE api_keys SET revoked_at = now()")
        wait_until(lambda: place.score() == 401, AT_ONCE)
        place.run("UPDATE api_keys SET revoked_at = NULL")
        wait_until(place.remembers)


def test_without_its_triggers_nothing_is_remembered(
    make_place: Callable[[], Place], caplog: pytest.LogCaptureFixture
) -> None:
    place = make_place()
    off = "ALTER TABLE api_keys DISABLE TRIGGER api_keys_tell"
    place.run(off)
    try:
        until = time.monotonic() + 1
        while time.monotonic() < until:
            assert not place.remembers()
            time.sleep(0.05)
    finally:
        place.run("ALTER TABLE api_keys ENABLE ALWAYS TRIGGER api_keys_tell")
    wait_until(place.remembers)
    told = [record for record in caplog.records if "triggers" in record.getMessage()]
    assert [record.levelname for record in told] == ["WARNING"]


def test_where_messages_are_not_passed_on_nothing_is_remembered(
    make_place: Callable[[], Place], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As behind a pooler: who listens is connected, and may ask, but messages come to somebody else."""
    place = make_place()
    elsewhere = make_url(place.app.extensions["susun_database"].engine.url).set(
        drivername="postgresql", database="template1"
    )
    made = []

    def connect(_application: str) -> Any:
        made.append(psycopg2.connect(elsewhere.render_as_string(hide_password=False)))
        return made[-1]

    monkeypatch.setattr(place.app.extensions["susun_database"], "connect_alone", connect)
    until = time.monotonic() + 2.5
    while time.monotonic() < until:
        assert not place.remembers()
        time.sleep(0.05)
    assert len(made) > 1  # it tries again
    assert "Deaf" in caplog.text
    assert len([record for record in caplog.records if record.name == hearing.__name__]) == 1
    monkeypatch.undo()
    wait_until(place.remembers)


@pytest.fixture
def own_server(quick: None) -> Iterator[tuple[Server, Place]]:
    """A server of the test's own, which loses nothing, and a place where the key is remembered."""
    with fresh_server(durable=True) as server:
        prepare_database(server.url)
        store = Database(server.url)
        with store.transaction() as connection:
            token = keys.create(connection, "meja", keys.SCOPES)
        app = create_app({"database_url": server.url, "key_rate": None, "address_rate": None})
        place = Place(app, store, token)
        wait_until(place.remembers)
        yield server, place
        app.extensions["susun_database"].close()
        store.close()


def test_a_server_that_is_restarted_is_asked_and_then_listened_to_again(
    own_server: tuple[Server, Place],
) -> None:
    server, place = own_server
    server.signal(signal.SIGKILL)
    wait_until(lambda: place.score() == 503)
    assert server.embedded._process is not None
    server.embedded._process.wait(SECONDS)
    server.embedded.restart()
    # By somebody else, before this process has heard that the server is there again.
    server.run("UPDATE api_keys SET revoked_at = now()")
    assert place.score() == 401
    server.run("UPDATE api_keys SET revoked_at = NULL")
    wait_until(lambda: place.score() == 200)
    wait_until(place.remembers)


def test_a_server_that_is_frozen_is_trusted_for_two_seconds_and_no_longer(
    own_server: tuple[Server, Place],
) -> None:
    server, place = own_server
    server.signal(signal.SIGSTOP)
    try:
        frozen = time.monotonic()
        wait_until(lambda: place.score() == 503)
        assert time.monotonic() - frozen > hearing.CERTAIN_SECONDS / 2
        assert place.known.find(keys.read(place.token) or pytest.fail()) is None
    finally:
        server.signal(signal.SIGCONT)
    wait_until(lambda: place.score() == 200)
    wait_until(place.remembers)


# --- all workers ---------------------------------------------------------------------------------------


def ask(service: Gunicorn, token: str, times: int) -> set[int]:
    """Each on a connection of its own, many at once, so that every worker gets some."""

    def one(_: int) -> int:
        headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
        return requests.post(
            f"{service.base}/v1/score", json=ROUND, headers=headers, timeout=20
        ).status_code

    with ThreadPoolExecutor(8) as threads:
        return set(threads.map(one, range(times)))


def test_all_workers_remember_and_all_shut_out_at_once(
    database: Database, database_url: str, make_key: MakeKey, tmp_path: Path
) -> None:
    token = make_key("score", name="meja")
    with serving(database_url, tmp_path, workers=WORKERS) as service:
        listening = (
            "SELECT count(*) FROM pg_stat_activity"
            f" WHERE application_name = '{hearing.APPLICATION}' AND datname = current_database()"
        )

        def all_listen() -> bool:
            assert ask(service, token, 24) == {200}
            with database.transaction() as connection:
                return connection.scalar(text(listening)) >= WORKERS

        wait_until(all_listen)
        time.sleep(hearing.CERTAIN_SECONDS)
        assert ask(service, token, 48) == {200}
        locked = psycopg2.connect(
            make_url(database_url).set(drivername="postgresql").render_as_string(False)
        )
        with locked, locked.cursor() as cursor:
            # Who asked for a key now would wait, and give up.
            cursor.execute("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE")
            assert ask(service, token, 48) == {200}
        locked.close()
        with database.transaction() as connection:
            new, _ = keys.rotate(connection, "meja", timedelta())
        wait_until(lambda: ask(service, token, 48) == {401}, AT_ONCE)
        assert ask(service, new, 48) == {200}
        with database.transaction() as connection:
            keys.revoke(connection, "meja")
        wait_until(lambda: ask(service, new, 48) == {401}, AT_ONCE)
        assert ask(service, new, 48) == {401}
