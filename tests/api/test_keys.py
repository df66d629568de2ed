"""API keys at work: asked for cheaply, shut out at once, their use noted without holding up anybody."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, text

from service.database import Database, DatabaseAway
from service.last_use import LastUse
from service.questions import question
from service.record import keys
from service.record.ids import now
from tests.api.requests import ROUND, assert_problem

MakeKey = Callable[..., str]
Rows = Callable[..., list[dict[str, Any]]]


def headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def rows(database: Database) -> Rows:
    def rows(query: str) -> list[dict[str, Any]]:
        with database.transaction() as connection:
            return [dict(row) for row in connection.execute(text(query)).mappings()]

    return rows


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """What is sent to Postgres, a string each."""
    sent: list[str] = []

    def execute(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        assert cursor.connection.autocommit  # or else the driver sends a BEGIN of its own
        sent.append(statement)

    event.listen(database.engine, "before_cursor_execute", execute)
    yield sent
    event.remove(database.engine, "before_cursor_execute", execute)


# --- asked for ---------------------------------------------------------------------------------------


def test_a_call_that_stores_nothing_asks_the_database_once(app: Flask, make_key: MakeKey) -> None:
    database: Database = app.extensions["susun_database"]
    token = make_key("score")
    with statements(database) as sent:
        assert app.test_client().post("/v1/score", json=ROUND, headers=headers(token)).status_code == 200
    (asked,) = sent
    assert asked.startswith("SET LOCAL statement_timeout") and "FROM api_keys" in asked


def test_a_call_that_reads_sends_a_message_a_question_and_nothing_else(
    app: Flask, make_key: MakeKey
) -> None:
    token = make_key("read")
    with statements(app.extensions["susun_database"]) as sent:
        assert app.test_client().get("/v1/rounds", headers=headers(token)).status_code == 200
    assert all(statement.startswith("SET LOCAL statement_timeout") for statement in sent)
    assert ["FROM api_keys" in statement for statement in sent] == [True, False]


def test_what_stores_under_an_idempotency_key_takes_a_message_to_begin_and_one_to_keep_all(
    app: Flask, make_key: MakeKey
) -> None:
    sent_with = headers(make_key("write")) | {"Idempotency-Key": "one"}
    with statements(app.extensions["susun_database"]) as sent:
        assert app.test_client().post("/v1/rounds", json=ROUND, headers=sent_with).status_code == 201
    assert "FROM api_keys" in sent[0]
    assert sent[1].startswith("BEGIN;SET LOCAL statement_timeout") and "idempotency_keys" in sent[1]
    assert sent[2].endswith(";COMMIT") and len(sent) == 3
    assert not [statement for statement in sent[2:] if "SET LOCAL" in statement or "BEGIN" in statement]


def test_a_question_outside_of_transactions_has_time_limits_and_leaves_none(database: Database) -> None:
    shorter = "SET LOCAL statement_timeout = '50ms'"
    endless = question(shorter, "SELECT pg_sleep(60)::text AS slept", prepared=False)
    with pytest.raises(DatabaseAway, match="statement timeout"):
        database.ask(endless)
    with database.engine.connect() as connection:
        assert connection.scalar(text("SHOW statement_timeout")) == "0"


def test_a_key_of_another_make_is_refused_without_the_database(app: Flask) -> None:
    with statements(app.extensions["susun_database"]) as sent:
        answer = app.test_client().get("/v1/rounds", headers=headers("sk-0123456789"))
    assert_problem(answer, 401, "unauthorized")
    assert sent == []


@pytest.mark.parametrize("known", [True, False])
def test_secrets_are_compared_in_constant_time_whether_or_not_there_is_such_a_prefix(
    client: FlaskClient, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    compared = []

    def compare(mine: bytes, expected: bytes) -> bool:
        compared.append((len(mine), len(expected)))
        return False

    monkeypatch.setattr(keys.hmac, "compare_digest", compare)
    token = make_key("read") if known else "susun_000000000000_unknown"
    assert_problem(client.get("/v1/rounds", headers=headers(token)), 401, "unauthorized")
    assert compared == [(32, 32)]


def test_no_key_is_logged_or_told(
    client: FlaskClient, make_key: MakeKey, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = make_key("read")
    for sent in (token, token + "x", "susun_0_" + "s3cret" * 6, "s3cret" * 7):
        answer = client.post("/v1/rounds", json=ROUND, headers=headers(sent))
        for secret in (sent, sent.rsplit("_", 1)[-1]):
            assert secret not in answer.text + str(answer.headers)
            assert secret not in caplog.text
    claimed = keys.read(token)
    assert claimed is not None and token.split("_", 2)[2] not in repr(claimed)


# --- shut out ----------------------------------------------------------------------------------------


def test_a_key_is_shut_out_at_once_even_of_a_service_that_has_just_let_it_in(
    app: Flask, database: Database, make_key: MakeKey
) -> None:
    client, token = app.test_client(), make_key("read", "score", name="gone")
    assert client.get("/v1/rounds", headers=headers(token)).status_code == 200
    with database.transaction() as connection:
        keys.revoke(connection, "gone")
    assert_problem(client.get("/v1/rounds", headers=headers(token)), 401, "unauthorized")
    assert_problem(client.post("/v1/score", json=ROUND, headers=headers(token)), 401, "unauthorized")


def test_an_expired_key_is_refused_like_a_revoked_one(
    app: Flask, database: Database, make_key: MakeKey
) -> None:
    client, old = app.test_client(), make_key("read", name="meja")
    with database.transaction() as connection:
        new, replaced = keys.rotate(connection, "meja", timedelta(hours=1))
    assert replaced == 1
    assert [client.get("/v1/rounds", headers=headers(t)).status_code for t in (old, new)] == [200, 200]
    with database.transaction() as connection:
        connection.execute(text("UPDATE api_keys SET expires_at = now() WHERE expires_at IS NOT NULL"))
    answer = client.get("/v1/rounds", headers=headers(old))
    assert_problem(answer, 401, "unauthorized")
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
    assert client.get("/v1/rounds", headers=headers(new)).status_code == 200


# --- whose it is -------------------------------------------------------------------------------------


def test_what_is_stored_goes_under_the_name_of_the_key_and_is_read_by_all(
    app: Flask, make_key: MakeKey
) -> None:
    client = app.test_client()
    tokens = {name: make_key("write", name=name) for name in ("meja", "kasir")}
    made = {
        name: client.post("/v1/rounds", json=ROUND, headers=headers(token)).get_json()
        for name, token in tokens.items()
    }
    assert {name: made[name]["submitted_by"] for name in made} == {"meja": "meja", "kasir": "kasir"}
    reader = headers(make_key("read", name="papan"))
    listed = client.get("/v1/rounds", headers=reader).get_json()["items"]
    assert {item["submitted_by"] for item in listed} == {"meja", "kasir"}
    for item in made.values():
        assert client.get(f"/v1/rounds/{item['id']}", headers=reader).get_json() == item


def test_a_key_that_replaced_another_stores_under_the_same_name(
    app: Flask, database: Database, make_key: MakeKey
) -> None:
    make_key("write", name="meja")
    with database.transaction() as connection:
        token, _ = keys.rotate(connection, "meja", timedelta())
    answer = app.test_client().post("/v1/rounds", json=ROUND, headers=headers(token))
    assert answer.get_json()["submitted_by"] == "meja"


# --- when it was last used ---------------------------------------------------------------------------


@pytest.fixture
def last_use(app: Flask, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[LastUse]:
    """The app's, so slow that only the test itself writes."""
    found = LastUse(database, seconds=3600)
    monkeypatch.setitem(app.extensions, "susun_last_use", found)
    yield found
    found.stop()


def test_requests_write_nothing_of_their_use_and_a_flush_writes_all(
    app: Flask, make_key: MakeKey, rows: Rows, last_use: LastUse
) -> None:
    used, unused = make_key("score", name="used"), make_key("score", name="unused")
    before = now()
    for _ in range(3):
        app.test_client().post("/v1/score", json=ROUND, headers=headers(used))
    app.test_client().post("/v1/score", json=ROUND, headers=headers(unused + "x"))
    query = "SELECT name, last_used_at FROM api_keys ORDER BY name"
    assert [row["last_used_at"] for row in rows(query)] == [None, None]
    last_use.flush()
    idle, busy = rows(query)
    assert idle["last_used_at"] is None
    assert before <= busy["last_used_at"] <= now()


def test_an_older_use_replaces_no_newer_one(database: Database, make_key: MakeKey, rows: Rows) -> None:
    make_key("read")
    (key,) = rows("SELECT id FROM api_keys")
    newer = now()
    for used in (newer, newer - timedelta(minutes=1)):
        with database.transaction() as connection:
            keys.mark_used(connection, {key["id"]: used})
    assert rows("SELECT last_used_at FROM api_keys") == [{"last_used_at": newer}]


def test_a_use_is_written_after_a_while_by_itself(
    database: Database, make_key: MakeKey, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_key("read")
    (key,) = rows("SELECT id FROM api_keys")
    last_use = LastUse(database, seconds=0.05)
    written = threading.Event()
    monkeypatch.setattr(last_use, "flush", lambda: (LastUse.flush(last_use), written.set()))
    last_use.note(key["id"])
    assert written.wait(10)
    assert rows("SELECT last_used_at FROM api_keys")[0]["last_used_at"] is not None
    last_use.stop()


def test_what_cannot_be_written_is_kept_and_fails_nobody(
    database: Database, make_key: MakeKey, rows: Rows, caplog: pytest.LogCaptureFixture
) -> None:
    make_key("read")
    (key,) = rows("SELECT id FROM api_keys")
    away = Database("postgresql://susun:s3cret@127.0.0.1:1/susun")
    last_use = LastUse(away, seconds=3600)
    last_use.note(key["id"])
    last_use.flush()
    assert "could not be written" in caplog.text and "s3cret" not in caplog.text
    last_use._database = database
    last_use.stop()
    assert rows("SELECT last_used_at FROM api_keys")[0]["last_used_at"] is not None


def test_a_use_is_noted_only_of_who_is_let_in(
    app: Flask, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[Any] = []
    monkeypatch.setattr(LastUse, "note", lambda self, key_id: noted.append(key_id))
    client, token = app.test_client(), make_key("read")
    assert client.post("/v1/score", json=ROUND, headers=headers(token)).status_code == 403
    assert client.get("/v1/rounds", headers=headers(token + "x")).status_code == 401
    assert noted == []
    assert client.get("/v1/rounds", headers=headers(token)).status_code == 200
    assert len(noted) == 1
