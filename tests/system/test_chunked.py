"""Bodies of unknown length: whole or refused, never cut off."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.database import Database
from service.example import ROUND
from service.record import keys
from tests.gunicorns import Gunicorn, serving

MOST = 64 * 1024


def post(running: Gunicorn, token: str, body: bytes) -> bytes:
    """The answer to a round that is sent in pieces, after which the connection may be closed."""
    head = (
        "POST /v1/rounds HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", running.port), timeout=20) as line:
        line.sendall(head.encode())
        for start in range(0, len(body), 4096):
            piece = body[start : start + 4096]
            line.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        line.sendall(b"0\r\n\r\n")
        came = b""
        while some := line.recv(65536):
            came += some
    return came


@pytest.mark.parametrize("worker_class", ["", "sync"])
def test_a_body_in_chunks_is_taken_whole_or_refused(
    database: Database, database_url: str, worker_class: str, tmp_path: Path
) -> None:
    with database.transaction() as connection:
        token = keys.create(connection, "chunks", keys.SCOPES)
    whole = json.dumps(ROUND).encode().ljust(MOST)
    with serving(database_url, tmp_path, workers=1, WORKER_CLASS=worker_class) as running:
        assert post(running, token, whole).startswith(b"HTTP/1.1 201")
        for tail in (b" ", b"rubbish"):
            answer = post(running, token, whole + tail)
            assert answer.startswith(b"HTTP/1.1 413") and b"/problems/payload-too-large" in answer
        assert post(running, token, b"").startswith(b"HTTP/1.1 400")


@pytest.fixture(scope="module")
def running(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    with serving(database_url, tmp_path_factory.mktemp("chunks"), workers=1) as running:
        (worker,) = running.workers()
        yield running
        assert running.workers() == {worker}


@pytest.mark.parametrize(
    "body", [b"", b"5\r\nabc", b"zz\r\nabc\r\n0\r\n\r\n", b"3\r\nabcd\r\n0\r\n\r\n", b'{"seats": []}']
)
@pytest.mark.parametrize("coding", ["chunked", "gzip, chunked"])
def test_chunks_that_end_early_or_are_none_are_the_callers_mistake(
    database: Database, running: Gunicorn, body: bytes, coding: str
) -> None:
    with database.transaction() as connection:
        token = keys.create(connection, "broken chunks", keys.SCOPES)
    head = (
        "POST /v1/rounds HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nTransfer-Encoding: {coding}\r\n\r\n"
    )
    with running.connect() as line:
        line.sendall(head.encode() + body)
        line.shutdown(socket.SHUT_WR)
        came = b""
        while some := line.recv(65536):
            came += some
    assert not came or came.split()[1] in (b"400", b"408"), came
