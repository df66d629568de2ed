"""What a gunicorn writes to standard error: objects, one a line, and nothing that people have sent."""

import os
import pty
import re
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import requests

from tests.api.requests import ROUND
from tests.gunicorns import Gunicorn, serving

FAULTY = """
from flask import request
from sqlalchemy import text
from app import create_app as create

def create_app():
    app = create()
    database = app.extensions["susun_database"]

    @app.post("/fault/<kind>")
    def fault(kind):
        sent = request.get_json()
        if kind == "text":
            raise RuntimeError("the tables are out of step")
        if kind == "value":
            int(sent["player"])
        if kind == "key":
            {}[sent["player"]]
        with database.transaction() as connection:
            connection.execute(text("INSERT INTO api_keys (name) VALUES (:player)"), sent)

    @app.after_request
    def late(response):
        if request.path == "/livez" and request.args.get("late"):
            raise RuntimeError("too late")
        return response

    return app
"""
PLAYER = "a-player-whom-no-log-may-name"


@pytest.fixture
def token(make_key: Callable[..., str]) -> str:
    token: str = make_key("score", "read", "write", name="club")
    return token


@pytest.fixture(scope="module")
def running(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    directory = tmp_path_factory.mktemp("logs")
    (directory / "faulty.py").write_text(FAULTY)
    with serving(database_url, directory, workers=1, APP="faulty:create_app()") as running:
        yield running


@pytest.fixture
def gunicorn(running: Gunicorn, token: str) -> Gunicorn:
    """One for all tests, in each without what it wrote before, as soon as all of that is there."""
    mark = uuid4().hex
    requests.get(f"{running.base}/v1/rounds", headers={"X-Request-ID": mark}, timeout=20)
    running.line("request", request_id=mark)
    running.forget()
    return running


def test_a_request_is_one_line(gunicorn: Gunicorn, token: str) -> None:
    seats = [{**seat, "player": f"{PLAYER}-{n}"} for n, seat in enumerate(ROUND["seats"])]
    headers = {"Authorization": f"Bearer {token}", "X-Request-ID": "mine-1"}
    posted = requests.post(
        f"{gunicorn.base}/v1/rounds", json={"seats": seats}, headers=headers, timeout=20
    )
    assert posted.status_code == 201
    line = gunicorn.line("request", request_id="mine-1")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert 0 < line.pop("ms") < 20_000
    assert line == {
        "level": "info",
        "event": "request",
        "request_id": "mine-1",
        "key": "club",
        "method": "POST",
        "route": "/v1/rounds",
        "status": 201,
        "bytes": len(posted.content),
    }
    read = {"Authorization": f"Bearer {token}", "X-Request-ID": "mine-2", "Accept": "text/csv"}
    streamed = requests.get(f"{gunicorn.base}/v1/rounds?player={PLAYER}-0", headers=read, timeout=20)
    line = gunicorn.line("request", request_id="mine-2")
    assert (line["route"], line["bytes"]) == ("/v1/rounds", len(streamed.content))
    requests.get(f"{gunicorn.base}/v1/players/{PLAYER}-0", headers=read, timeout=20)
    requests.get(f"{gunicorn.base}/{PLAYER}", headers={"X-Request-ID": "mine-3"}, timeout=20)
    line = gunicorn.line("request", request_id="mine-3")
    assert (line["route"], line["status"], line["key"]) == ("none", 404, None)
    refused = requests.get(
        f"{gunicorn.base}/v1/rounds",
        headers={"Authorization": "Bearer susun_0_x", "X-Request-ID": "mine-4"},
        timeout=20,
    )
    assert (refused.status_code, gunicorn.line("request", request_id="mine-4")["key"]) == (401, None)
    text = gunicorn.text()
    assert PLAYER not in text and token not in text and token.split("_")[1] not in text
    assert "Ks" not in text


def test_a_key_that_may_not_is_named(gunicorn: Gunicorn, make_key: Callable[..., str]) -> None:
    headers = {"Authorization": f"Bearer {make_key(name='poor')}", "X-Request-ID": "poor-1"}
    assert requests.get(f"{gunicorn.base}/v1/rounds", headers=headers, timeout=20).status_code == 403
    assert gunicorn.line("request", request_id="poor-1")["key"] == "poor"


def test_probes_are_quiet_and_gunicorn_speaks_the_same_way(
    database_url: str, tmp_path: Path, token: str
) -> None:
    with serving(database_url, tmp_path, workers=1) as gunicorn:
        for path in ("/livez", "/readyz", "/metrics"):
            headers = {"Authorization": f"Bearer {token}"}
            assert requests.get(gunicorn.base + path, headers=headers, timeout=20).status_code == 200
    lines = gunicorn.lines()
    assert not [line for line in lines if line["event"] == "request"]
    assert [line for line in lines if line["event"].startswith("Starting gunicorn")]
    assert all(list(line)[:3] == ["time", "level", "event"] for line in lines)


FAULTS = {
    "text": "RuntimeError: the tables are out of step",
    "value": "ValueError (its text may quote what was sent, and is left out)",
    "key": "KeyError (its text may quote what was sent, and is left out)",
    "sql": "sqlalchemy.exc.IntegrityError: SQLSTATE 23502",
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_told_once_and_without_what_was_sent(
    gunicorn: Gunicorn, token: str, kind: str
) -> None:
    response = requests.post(
        f"{gunicorn.base}/fault/{kind}",
        json={"player": PLAYER},
        headers={"X-Request-ID": "fault-1", "Authorization": f"Bearer {token}"},
        timeout=20,
    )
    assert response.status_code == 500
    line = gunicorn.line("unexpected error", request_id="fault-1")
    assert line["level"] == "error"
    assert line["exception"].startswith("Traceback (most recent call last):")
    assert line["exception"].splitlines()[-1] == FAULTS[kind]
    assert gunicorn.line("request", request_id="fault-1")["status"] == 500
    text = gunicorn.text()
    assert PLAYER not in text and token not in text
    assert text.count("Traceback (most recent call last)") == (2 if kind == "sql" else 1)


def test_a_fault_after_the_call_is_told_once_and_under_its_request(gunicorn: Gunicorn) -> None:
    headers = {"X-Request-ID": "late-1"}
    response = requests.get(f"{gunicorn.base}/livez?late=1", headers=headers, timeout=20)
    assert response.status_code == 500
    line = gunicorn.line("unexpected error", request_id="late-1")
    assert line["exception"].endswith("RuntimeError: too late")
    assert "late=1" not in gunicorn.text()


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /" + PLAYER.encode() + b" HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n" + PLAYER.encode() + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n" + PLAYER.encode() + b" : x\r\n\r\n",
    ],
    ids=["request line", "header without colon", "header name"],
)
def test_what_gunicorn_refuses_is_told_without_it_and_under_no_request(
    gunicorn: Gunicorn, request_bytes: bytes
) -> None:
    requests.get(f"{gunicorn.base}/v1/rounds", headers={"X-Request-ID": "before"}, timeout=20)
    host, port = gunicorn.base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 10) as connection:
        connection.sendall(request_bytes)
        assert connection.recv(4096).startswith(b"HTTP/1.1 4")
    (line,) = [line for line in gunicorn.lines() if line["event"].startswith("request refused: ")]
    assert line["level"] == "warning" and "request_id" not in line
    assert PLAYER not in gunicorn.text()


def test_that_the_database_is_away_is_told_under_the_request(token: str, tmp_path: Path) -> None:
    nowhere = "postgresql://susun:hidden-secret@127.0.0.1:1/susun"
    with serving(nowhere, tmp_path, workers=1) as gunicorn:
        headers = {"Authorization": f"Bearer {token}", "X-Request-ID": "away-1"}
        assert requests.get(f"{gunicorn.base}/v1/rounds", headers=headers, timeout=20).status_code == 503
        line = gunicorn.line("database away", request_id="away-1")
        assert line["level"] == "warning" and "refused" in line["why"]
        assert "hidden-secret" not in gunicorn.text()


@pytest.mark.parametrize(("level", "told"), [("debug", 2), ("info", 1), ("warning", 0)])
def test_the_level_is_a_setting(database_url: str, tmp_path: Path, level: str, told: int) -> None:
    with serving(database_url, tmp_path, workers=1, SUSUN_LOG_LEVEL=level) as gunicorn:
        for path in ("/livez", "/v1/nothing"):
            headers = {"X-Request-ID": "level-1"}
            requests.get(gunicorn.base + path, headers=headers, timeout=20)
    lines = gunicorn.lines("request")
    assert len([line for line in lines if line["request_id"] == "level-1"]) == told


def test_another_level_is_refused(database_url: str, tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match="SUSUN_LOG_LEVEL: must be one of debug, info, warning"),
        serving(database_url, tmp_path, workers=1, SUSUN_LOG_LEVEL="loud"),
    ):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="terminals differ")
def test_on_a_terminal_lines_are_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    import logging  # noqa: PLC0415

    from service import logs  # noqa: PLC0415

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        formatter = logs.formatter()
        try:
            secret = "Ks Kh 2d"
            raise RuntimeError("out of step")
        except RuntimeError:
            record = logging.LogRecord("app", logging.ERROR, "", 0, "it failed", (), sys.exc_info())
        text = formatter.format(record)
    os.close(ours)
    assert not text.startswith("{") and "it failed" in text and "out of step" in text
    # The line of code, but not what its variables hold in other frames' boxes.
    assert text.count(secret) == 0
