"""What a database can do to a call: the client is told to try again, or does not notice; never a 500."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg2.errors import DeadlockDetected
from psycopg2.extensions import TRANSACTION_STATUS_IDLE
from sqlalchemy import bindparam, column, event, literal_column, select
from werkzeug.test import TestResponse

from app import create_app
from service import database as database_module
from service.api.problems import PROBLEMS, RETRY_SECONDS
from service.batch import Batch
from service.database import Database
from service.faults import FAULTS, DatabaseAway
from service.questions import question, question_of
from service.record import keeping, keys
from service.setup import prepare_database
from tests.api.requests import ROUND
from tests.servers import Server, fresh_server

# Raises an error at the first so many rounds that are inserted; what a sequence counts is not undone.
FAIL = """
    CREATE SEQUENCE IF NOT EXISTS attempts;
    CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF nextval('attempts') <= {times} THEN {what}; END IF;
        RETURN NEW;
    END $$;
    SELECT setval('attempts', 1, false);
"""
# The same of a question.
FAIL_ASKED = """
    CREATE SEQUENCE IF NOT EXISTS asked;
    CREATE OR REPLACE FUNCTION fail_asked() RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM nextval('asked');
        RAISE EXCEPTION 'a fault' USING ERRCODE = '{state}';
    END $$;
"""
AT_INSERT = "CREATE TRIGGER fail BEFORE INSERT ON rounds FOR EACH ROW EXECUTE FUNCTION fail()"
AT_COMMIT = """
    CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON rounds DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fail()
"""
KEPT_AT_COMMIT = AT_COMMIT.replace("rounds", "idempotency_keys")
DIE = "PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(1)"
ALWAYS = 1_000

#: What the client is told, and how often it is tried.
TOLD = {
    "08006": ("database-away", 3),
    "0A000": ("database-away", 3),
    "25006": ("database-away", 3),
    "25P03": ("busy", 1),
    "25P04": ("busy", 1),
    "26000": ("database-away", 3),
    "40001": ("busy", 3),
    "40P01": ("busy", 3),
    "3F000": ("database-away", 1),
    "42703": ("database-away", 1),
    "42P05": ("database-away", 3),
    "42P01": ("database-away", 1),
    "53100": ("storage-full", 1),
    "53200": ("busy", 1),
    "53300": ("busy", 1),
    "55P03": ("busy", 1),
    "57014": ("busy", 1),
    "57P01": ("database-away", 3),
    "57P02": ("database-away", 3),
    "57P03": ("database-away", 1),
    "57P05": ("database-away", 3),
    "58030": ("database-away", 1),
}


class Place:
    """A service on a database of its own, and what is stored there."""

    def __init__(self, server: Server, app: Flask, token: str) -> None:
        self.server, self.app = server, app
        self.client: FlaskClient = app.test_client()
        self.client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"

    def post(self, key: str | None = None, path: str = "/v1/rounds") -> TestResponse:
        headers = {"Idempotency-Key": key} if key else {}
        return self.client.post(path, json=ROUND, headers=headers)

    def ask(self, query: str, *, keep: bool = False) -> Any:
        connection = psycopg2.connect(self.server.address())
        connection.autocommit = keep
        with connection.cursor() as cursor:
            cursor.execute(query)
            found = cursor.fetchone()
        connection.close()
        assert found
        return found[0]

    def stored(self) -> tuple[int, ...]:
        tables = ("rounds", "seats", "duels", "idempotency_keys")
        return tuple(self.ask(f"SELECT count(*) FROM {table}") for table in tables)

    @contextmanager
    def failing(self, what: str, times: int = ALWAYS, trigger: str = AT_INSERT) -> Iterator[None]:
        self.server.run(FAIL.format(times=times, what=what), trigger)
        try:
            yield
        finally:
            self.server.run(f"DROP TRIGGER fail ON {trigger.split(' ON ')[1].split(maxsplit=1)[0]}")


@pytest.fixture(scope="module")
def shared_place() -> Iterator[Place]:
    with fresh_server() as server, open_place(server) as place:
        yield place


@contextmanager
def open_place(server: Server, url: str | None = None) -> Iterator[Place]:
    prepare_database(server.url)
    store = Database(server.url)
    with store.transaction() as connection:
        token = keys.create(connection, "faults", keys.SCOPES)
    store.close()
    app = create_app({"database_url": url or server.url})
    try:
        yield Place(server, app, token)
    finally:
        app.extensions["susun_database"].close()


@pytest.fixture
def place(shared_place: Place) -> Iterator[Place]:
    """A place where everything works, before and after."""
    assert shared_place.post().status_code == 201
    yield shared_place
    assert shared_place.post().status_code == 201


def assert_refused(answer: TestResponse, problem: str) -> None:
    assert answer.status_code == 503, answer.text
    assert answer.get_json()["type"] == f"/problems/{problem}"
    assert answer.headers["Retry-After"] == str(RETRY_SECONDS)
    assert answer.mimetype == "application/problem+json"


def test_the_table_names_only_what_is_tested_here() -> None:
    assert {state[: len(known)] for known in FAULTS for state in TOLD if state.startswith(known)} == set(
        FAULTS
    )
    assert {kind.problem for kind in (fault.kind for fault in FAULTS.values())} <= set(PROBLEMS)


@pytest.mark.parametrize("state", TOLD)
def test_a_fault_is_told_and_leaves_nothing(place: Place, state: str) -> None:
    problem, attempts = TOLD[state]
    before = place.stored()
    with place.failing(f"RAISE EXCEPTION 'a fault' USING ERRCODE = '{state}'"):
        assert_refused(place.post(key=state), problem)
        assert place.ask("SELECT last_value FROM attempts") == attempts
    assert place.stored() == before
    # The same key, which is not used up.
    again = place.post(key=state)
    assert (again.status_code, again.headers.get("Idempotency-Replayed")) == (201, None)
    assert place.post(key=state).headers["Idempotency-Replayed"] == "true"
    assert place.stored()[0] == before[0] + 1


@pytest.mark.parametrize("state", [state for state, (_, attempts) in TOLD.items() if attempts > 1])
def test_what_may_succeed_at_once_is_tried_again_unnoticed(place: Place, state: str) -> None:
    rounds, *_ = place.stored()
    with place.failing(f"RAISE EXCEPTION 'a fault' USING ERRCODE = '{state}'", times=2):
        assert place.post(key=f"{state}-again").status_code == 201
    assert place.stored()[0] == rounds + 1


@pytest.mark.parametrize("state", TOLD)
def test_a_question_that_fails_is_asked_once_more_only_where_that_may_help(
    place: Place, state: str
) -> None:
    problem, _ = TOLD[state]
    place.server.run(FAIL_ASKED.format(state=state), "SELECT setval('asked', 1, false)")
    database: Database = place.app.extensions["susun_database"]
    for ask in (database.rows, database.ask):
        before = place.ask("SELECT nextval('asked')")
        with pytest.raises(DatabaseAway) as failed:
            ask(question("SELECT fail_asked()"))
        assert failed.value.problem == problem
        fault = FAULTS.get(state) or FAULTS[state[:2]]
        times = place.ask("SELECT nextval('asked')") - before - 1
        assert times in ((2, 3) if fault.again or fault.drop else (1,))
        assert database.rows(question("SELECT 1")) == [(1,)]


def test_a_question_that_takes_too_long_is_not_asked_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_TRANSACTION_SECONDS", 0.5)
    began = time.monotonic()
    with pytest.raises(DatabaseAway, match=r"more than 0\.5 seconds"):
        place.app.extensions["susun_database"].rows(question("SELECT pg_sleep(20)"))
    assert time.monotonic() - began < 5


def test_a_question_leaves_no_value_out_of_its_parameters() -> None:
    by_name = select(literal_column("1")).where(column("id") == bindparam("id"))
    assert question_of(by_name).sql.endswith("WHERE id = %(id)s")
    with pytest.raises(ValueError, match="parameters"):
        question_of(by_name.where(column("revision") == 1))


def test_other_errors_are_ours(place: Place) -> None:
    with place.failing("RAISE EXCEPTION 'a mistake'"):
        assert place.post().status_code == 500


def test_a_session_that_is_ended_in_the_middle_is_not_noticed(place: Place) -> None:
    rounds, *_ = place.stored()
    with place.failing(DIE, times=1):
        assert place.post(key="ended").status_code == 201
    assert place.stored()[0] == rounds + 1


def test_pooled_connections_that_have_died_are_not_noticed(place: Place) -> None:
    pool = place.app.extensions["susun_database"].engine.pool
    held = [pool.connect() for _ in range(4)]
    for connection in held:
        connection.close()
    killed = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'susun'"
    )
    for path in ("/v1/rounds", "/v1/players/andi"):
        assert place.ask(killed) >= 1
        assert place.client.get(path).status_code == 200
    assert place.ask(killed) >= 1
    assert place.post().status_code == 201


@pytest.mark.parametrize(("key", "attempts"), [(None, 1), ("lost", 3)])
def test_a_commit_whose_connection_was_lost_is_tried_again_under_a_key_only(
    place: Place, key: str | None, attempts: int
) -> None:
    before = place.stored()
    with place.failing(DIE, trigger=AT_COMMIT):
        assert_refused(place.post(key), "outcome-unknown")
        assert place.ask("SELECT last_value FROM attempts") == attempts
    assert place.stored() == before
    assert place.post(key).status_code == 201


@contextmanager
def unheard(place: Place, then: Callable[[], None] = lambda: None) -> Iterator[None]:
    """The next COMMIT is done, but its answer is lost, and ``then`` something happens."""
    engine = place.app.extensions["susun_database"].engine
    heard = [False]

    def commit_and_lose(_connection: Any, cursor: Any, said: str, values: Any, *_rest: Any) -> None:
        if said.endswith("COMMIT") and heard:
            heard.pop()
            cursor.execute(said, values)
            driver = cursor.connection
            assert driver.info.transaction_status == TRANSACTION_STATUS_IDLE
            driver.close()
            then()

    event.listen(engine, "before_cursor_execute", commit_and_lose)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", commit_and_lose)
    assert not heard


def test_a_commit_that_went_through_unheard_is_found_and_answered_under_a_key(place: Place) -> None:
    rounds, *_ = place.stored()
    with unheard(place):
        answer = place.post(key="unheard")
    assert (answer.status_code, answer.headers["Idempotency-Replayed"]) == (201, "true")
    assert place.stored()[0] == rounds + 1
    assert place.post(key="unheard").get_json() == answer.get_json()
    assert place.stored()[0] == rounds + 1


def test_a_commit_that_went_through_unheard_is_done_once_and_told_as_unknown_without_a_key(
    place: Place,
) -> None:
    rounds, *_ = place.stored()
    with unheard(place):
        assert_refused(place.post(), "outcome-unknown")
    assert place.stored()[0] == rounds + 1


def test_what_could_not_be_found_out_any_more_is_unknown(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The COMMIT was lost, and since then the database cannot be reached, or refuses."""
    rounds, *_ = place.stored()
    database = place.app.extensions["susun_database"]

    def away(*_arguments: Any) -> Any:
        raise DatabaseAway("away since then")

    with unheard(place, then=lambda: monkeypatch.setattr(database, "_begin", away)):
        assert_refused(place.post(key="in-doubt"), "outcome-unknown")
    monkeypatch.undo()
    assert place.stored()[0] == rounds + 1
    assert place.post(key="in-doubt").headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("trigger", [KEPT_AT_COMMIT, AT_INSERT.replace("rounds", "idempotency_keys")])
def test_a_refusal_is_kept_though_the_connection_was_lost_meanwhile(place: Place, trigger: str) -> None:
    key = {"Idempotency-Key": f"refused-{len(trigger)}", "If-Match": "*"}
    path = f"/v1/rounds/{place.post().get_json()['id']}/void"
    assert (
        place.client.post(path, json={"reason": "misdeal"}, headers={"If-Match": "*"}).status_code == 201
    )
    with place.failing(DIE, times=1, trigger=trigger):
        refused = place.client.post(path, json={"reason": "misdeal"}, headers=key)
    again = place.client.post(path, json={"reason": "misdeal"}, headers=key)
    assert (refused.status_code, again.status_code, again.data) == (409, 409, refused.data)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_nothing_that_was_left_for_the_end_outlives_its_transaction(place: Place) -> None:
    before = place.stored()
    database: Database = place.app.extensions["susun_database"]
    with suppress(RuntimeError), database.transaction() as connection:
        batch = Batch()
        batch.add("DELETE FROM idempotency_keys WHERE %(all)s", all=True)
        batch.leave(connection)
        raise RuntimeError
    assert place.post(key="after").status_code == 201
    assert place.stored()[3] == before[3] + 1


def test_a_statement_that_takes_too_long(place: Place, short_limits: None) -> None:
    with place.failing("PERFORM pg_sleep(5)"):
        assert_refused(place.post(), "busy")


def test_a_lock_that_others_hold_for_too_long(place: Place, short_limits: None) -> None:
    match = new_match(place)
    with locked(place, f"SELECT FROM matches WHERE id = '{match}' FOR UPDATE"):
        assert_refused(place.post(path=f"/v1/matches/{match}/rounds"), "busy")
        assert place.client.get(f"/v1/matches/{match}").status_code == 200


def test_a_transaction_in_which_we_are_too_slow(
    place: Place, short_limits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keeping.keep_round

    def slow(*arguments: Any, **named: Any) -> Any:
        time.sleep(1)
        return kept(*arguments, **named)

    monkeypatch.setattr(keeping, "keep_round", slow)
    # The driver only tells that the connection is gone, not why.
    assert_refused(place.post(), "database-away")


def test_a_key_that_no_connection_is_left_for_is_no_fault_of_ours(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others have taken the last one in the moment after it was seen to be free."""
    with small(place, place.server.url) as app, ExitStack() as others:
        store: Database = app.extensions["susun_database"]
        for _ in range(store.most_connections):
            others.enter_context(store.transaction())
        monkeypatch.setattr(store.pool(), "checkedin", lambda: 1)
        client = app.test_client()
        client.environ_base |= place.client.environ_base
        assert_refused(client.get("/v1/rounds"), "busy")


def test_of_two_that_wait_for_each_other_both_get_done(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "service.database")
    match = new_match(place)
    path = f"/v1/matches/{match}/rounds"
    assert place.post(path=path).status_code == 201
    for _ in range(10):
        with (
            ThreadPoolExecutor() as threads,
            locked(place, "SELECT FROM player_totals FOR UPDATE") as cursor,
        ):
            posting = threads.submit(place.post, path=path)
            wait_until(lambda: place.ask("SELECT count(*) FROM pg_locks WHERE NOT granted") == 1)
            # Now both wait. Postgres ends who has waited for a second first: ours, unless we are late.
            with suppress(DeadlockDetected):
                cursor.execute(f"SELECT FROM matches WHERE id = '{match}' FOR UPDATE")
            cursor.connection.rollback()
            assert posting.result().status_code == 201
        if "DeadlockDetected" in caplog.text:
            return
    pytest.fail("the service's own transaction was never the one to be ended")


def test_every_call_that_stores_can_be_done_again(place: Place) -> None:
    """Each is undone once, at its very end; what it leaves is as if it had been done once."""
    swapped = {"reason": "swapped", "seats": [{**ROUND["seats"][0]}, {**ROUND["seats"][1]}]}
    house = {"id": "meja-again", "title": "Meja", "base": "panduan", "sweep": {"factor": 3}}
    match = f"/v1/matches/{new_match(place)}"
    with place.failing("RAISE EXCEPTION USING ERRCODE = '40001'", 1, KEPT_AT_COMMIT):

        def post(path: str, document: dict[str, Any], **headers: str) -> Any:
            place.ask("SELECT setval('attempts', 1, false)", keep=True)
            key = {"Idempotency-Key": f"again{path.replace('/', '-')}"}
            answer = place.client.post(path, json=document, headers={**key, **headers})
            assert (answer.status_code, place.ask("SELECT last_value FROM attempts")) == (201, 2), (
                answer.text
            )
            return answer.get_json()

        post("/v1/rulesets", house)
        assert post(f"{match}/rounds", ROUND)["number"] == 1
        round_ = post("/v1/rounds", ROUND)
        path = f"/v1/rounds/{round_['id']}"
        assert post(f"{path}/corrections", swapped, **{"If-Match": "*"})["revision"] == 2
        assert post(f"{path}/void", {"reason": "misdeal"})["revision"] == 3
        post(f"{match}/adjustments", {"player": "andi", "points": -5, "reason": "late"})
        post("/v1/matches", {"players": ["andi", "budi"], "rounds": 5})
    state = place.client.get(match).get_json()
    assert (state["rounds_played"], len(state["adjustments"])) == (1, 1)
    revisions = place.client.get(f"{path}/revisions").get_json()["items"]
    assert [revision["revision"] for revision in revisions] == [1, 2, 3]
    for audited in (match, path):
        assert place.client.get(f"{audited}/audit").get_json()["ok"] is True


def test_under_repeatable_read_nothing_is_lost_either(place: Place) -> None:
    """Where the administrator has made that the default, who posts at once cannot be serialized."""
    place.server.run("ALTER DATABASE susun SET default_transaction_isolation = 'repeatable read'")
    try:
        place.app.extensions["susun_database"].engine.dispose()
        match = new_match(place)
        with ThreadPoolExecutor(4) as threads:
            answers = list(
                threads.map(lambda _: place.post(path=f"/v1/matches/{match}/rounds"), range(24))
            )
    finally:
        place.server.run("ALTER DATABASE susun RESET default_transaction_isolation")
        place.app.extensions["susun_database"].engine.dispose()
    assert {answer.status_code for answer in answers} <= {201, 503}
    numbers = sorted(answer.get_json()["number"] for answer in answers if answer.status_code == 201)
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 6
    assert place.ask(f"SELECT rounds_played FROM matches WHERE id = '{match}'") == len(numbers)


def test_no_connection_is_left_in_the_pool(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_POOL_SECONDS", 0.5)
    with small(place, place.server.url) as app:
        pool = app.extensions["susun_database"].engine.pool
        held = [pool.connect() for _ in range(3)]
        assert_refused(client_of(app, place).get("/v1/rounds"), "busy")
        began = time.monotonic()
        assert client_of(app, place).get("/readyz").status_code == 200
        assert time.monotonic() - began < 1
        for connection in held:
            connection.close()
        assert client_of(app, place).get("/v1/rounds").status_code == 200


def test_no_connection_is_left_in_postgres(place: Place) -> None:
    place.server.run(
        "CREATE ROLE limited LOGIN PASSWORD 'secret' CONNECTION LIMIT 3",
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO limited",
    )
    address = place.server.address(username="limited", password="secret")
    taken = [psycopg2.connect(address) for _ in range(3)]
    with small(place, address) as app:
        assert_refused(client_of(app, place).get("/v1/rounds"), "database-away")
        for connection in taken:
            connection.close()
        wait_until(lambda: client_of(app, place).get("/v1/rounds").status_code == 200)
    place.server.run("DROP OWNED BY limited", "DROP ROLE limited")


def test_a_disk_that_is_full(place: Place, tmp_path: Path) -> None:
    with small_disk(place, tmp_path) as room:
        place.server.run(f"CREATE TABLESPACE small LOCATION '{room}'")
        place.server.run("ALTER TABLE seats SET TABLESPACE small")
        for number in range(20_000):
            answer = place.post(key=f"disk-{number}")
            if answer.status_code != 201:
                break
        rounds = place.ask("SELECT count(DISTINCT id) FROM rounds")
        assert_refused(answer, "storage-full")
        assert place.ask("SELECT count(DISTINCT round_id) FROM seats") == rounds
        # What is stored can still be read.
        assert place.client.get("/v1/rounds?limit=500").status_code == 200
        place.server.run("ALTER TABLE seats SET TABLESPACE pg_default")
        assert place.post(key=f"disk-{number}").status_code == 201
        place.server.run("DROP TABLESPACE small")


@contextmanager
def small_disk(place: Place, tmp_path: Path) -> Iterator[Path]:
    """A file system with next to no room, where the server may write."""
    base = place.server.embedded.data_dir.parent
    mounted = base / "small"
    mounted.mkdir()
    room = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(mounted)],
        check=False,
        capture_output=True,
    )
    if room.returncode:
        mounted.rmdir()
        pytest.skip("only root can make a small file system")
    try:
        inside = mounted / "inside"
        inside.mkdir(mode=0o700)
        owner = place.server.embedded.data_dir.stat()
        os.chown(inside, owner.st_uid, owner.st_gid)
        yield inside
    finally:
        subprocess.run(["umount", "--lazy", str(mounted)], check=True)
        mounted.rmdir()


def test_a_server_that_dies_and_comes_back() -> None:
    with fresh_server(durable=True) as server, open_place(server) as place:
        assert place.post().status_code == 201
        server.signal(signal.SIGKILL)
        wait_until(lambda: server.embedded.failure() is not None)
        assert_refused(place.post(key="dead"), "database-away")
        assert_refused(place.client.get("/v1/rounds"), "database-away")
        began = time.monotonic()
        assert place.client.get("/readyz").status_code == 503
        assert time.monotonic() - began < 1
        assert place.client.get("/livez").status_code == 200
        server.embedded.restart()
        assert place.post(key="dead").status_code == 201
        assert place.client.get("/readyz").status_code == 200


def test_a_server_that_is_frozen() -> None:
    with fresh_server() as server, open_place(server) as place:
        pool = place.app.extensions["susun_database"].engine.pool
        for connection in [pool.connect() for _ in range(3)]:
            connection.close()
        server.signal(signal.SIGSTOP)
        try:
            for _ in range(2):
                began = time.monotonic()
                assert place.client.get("/readyz").status_code == 503
                assert time.monotonic() - began < 1
                began = time.monotonic()
                assert_refused(place.post(key="frozen"), "database-away")
                assert time.monotonic() - began < 7
            with ThreadPoolExecutor(8) as threads:
                waited = sorted(threads.map(lambda _: seconds_until_refused(place), range(8)))
            # One finds out whether it is still so; the others need not wait for that.
            assert waited[6] < 1
        finally:
            server.signal(signal.SIGCONT)
        wait_until(lambda: place.client.get("/readyz").status_code == 200)
        assert place.post(key="frozen").status_code == 201


def seconds_until_refused(place: Place) -> float:
    began = time.monotonic()
    assert_refused(client_of(place.app, place).get("/v1/rounds"), "database-away")
    return time.monotonic() - began


def test_a_server_that_freezes_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_TRANSACTION_SECONDS", 1.5)
    kept = keeping.keep_round
    with fresh_server() as server, open_place(server) as place:
        assert place.post().status_code == 201

        def freeze(*arguments: Any, **named: Any) -> Any:
            server.signal(signal.SIGSTOP)
            return kept(*arguments, **named)

        monkeypatch.setattr(keeping, "keep_round", freeze)
        began = time.monotonic()
        try:
            assert_refused(place.post(key="half"), "outcome-unknown")
            assert_refused(place.post(), "database-away")
        finally:
            server.signal(signal.SIGCONT)
        assert time.monotonic() - began < 10
        monkeypatch.undo()
        wait_until(lambda: place.post(key="half").status_code == 201)
        assert place.stored()[0] == 2


def test_what_takes_too_long_in_all_is_not_done_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_TRANSACTION_SECONDS", 0.5)
    with place.failing("PERFORM pg_sleep(2)"):
        assert_refused(place.post(key="long"), "outcome-unknown")
        assert place.ask("SELECT last_value FROM attempts") == 1
    monkeypatch.undo()
    # Until the server has noticed, the claim of the first is still held.
    wait_until(lambda: place.post(key="long").status_code == 201)


def test_a_frozen_server_holds_no_snapshot_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_STEP_SECONDS", 1)
    with fresh_server() as server:
        store = Database(server.url)

        def steps() -> Iterator[int]:
            yield 1
            server.signal(signal.SIGSTOP)
            connection.exec_driver_sql("SELECT 1")
            yield 2

        began = time.monotonic()
        try:
            with pytest.raises(DatabaseAway), store.snapshot() as connection:
                list(store.step_by_step(connection, steps()))
        finally:
            server.signal(signal.SIGCONT)
        assert time.monotonic() - began < 5
        store.close()


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter limits than those with which transactions begin."""
    sent = database_module.FIRST
    for limit, shorter in (("5s", "400ms"), ("2s", "200ms"), ("10s", "300ms")):
        assert f"'{limit}'" in sent
        sent = sent.replace(f"'{limit}'", f"'{shorter}'")
    monkeypatch.setattr(database_module, "FIRST", sent)


def new_match(place: Place) -> str:
    document = {"players": [seat["player"] for seat in ROUND["seats"]], "rounds": 50}
    answer = place.client.post("/v1/matches", json=document)
    assert answer.status_code == 201, answer.text
    return str(answer.get_json()["id"])


@contextmanager
def locked(place: Place, query: str) -> Iterator[Any]:
    connection = psycopg2.connect(place.server.address())
    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            yield cursor
    finally:
        connection.close()


@contextmanager
def small(place: Place, url: str) -> Iterator[Flask]:
    """Another application on the same database, with one connection and two more for a while."""
    app = create_app({"database_url": url, "pool_size": 1})
    try:
        yield app
    finally:
        app.extensions["susun_database"].close()


def client_of(app: Flask, place: Place) -> FlaskClient:
    client = app.test_client()
    client.environ_base.update(place.client.environ_base)
    return client


def wait_until(there: Callable[[], bool], seconds: float = 15) -> None:
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until
        time.sleep(0.05)
