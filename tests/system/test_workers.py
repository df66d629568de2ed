"""A real gunicorn with several workers: one count of what clients use, keys shut out at once."""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from sqlalchemy import text

from service.api.problems import MEDIA_TYPE, PROBLEMS
from service.database import Database
from service.record import keys
from tests.gunicorns import Gunicorn, serving

WORKERS = 3
# So slow that nothing comes back while a test runs.
LIMITS = {"SUSUN_KEY_RATE": "1", "SUSUN_KEY_BURST": "100", "SUSUN_ADDRESS_RATE": "off"}


def get(service: Gunicorn, path: str, token: str) -> requests.Response:
    """On a connection of its own, so that any worker may get it."""
    headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
    return requests.get(service.base + path, headers=headers, timeout=20)


def send(service: Gunicorn, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Bytes as they are; status, header fields and body of the answer."""
    with service.connect() as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


@contextmanager
def served(database_url: str, directory: Path, **settings: str) -> Iterator[Gunicorn]:
    """With all its workers there."""
    with serving(database_url, directory, workers=WORKERS, **settings) as service:
        service.until(lambda: service.text().count("Booting worker") == WORKERS)
        yield service


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_count_together_shut_out_together_and_note_the_last_use(
    database: Database, database_url: str, make_key: Callable[..., str], tmp_path: Path
) -> None:
    token, other = make_key("read", name="one"), make_key("read", name="other")
    with served(database_url, tmp_path, **LIMITS) as service:
        assert len(service.workers()) == WORKERS
        start = time.monotonic()
        answers = [get(service, "/v1/rounds", token) for _ in range(110)]
        allowed = sum(answer.status_code == 200 for answer in answers)
        # Each for itself, three workers would have let in all of them.
        assert 100 <= allowed <= 101 + time.monotonic() - start
        assert {answer.status_code for answer in answers} == {200, 429}
        left = [int(re.findall(r'"key";r=(\d+)', a.headers["RateLimit"])[0]) for a in answers[:50]]
        assert left[0] == 99 and left[49] < 60

        assert {get(service, "/v1/rounds", other).status_code for _ in range(10)} == {200}
        with database.transaction() as connection:
            keys.revoke(connection, "other")
        assert {get(service, "/v1/rounds", other).status_code for _ in range(20)} == {401}
    with database.transaction() as connection:
        rows = connection.execute(text("SELECT name, last_used_at FROM api_keys"))
        used = {row.name: row.last_used_at for row in rows}
    assert used["one"] is not None and used["other"] is not None
    for secret in (token, other):
        assert secret.split("_", 2)[2] not in service.text()


REFUSED = {
    "a long address": (b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "uri-too-long"),
    "a long field": (
        b"GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 9000 + b"\r\n\r\n",
        431,
        "header-fields-too-large",
    ),
    "many fields": (
        b"GET /livez HTTP/1.1\r\nHost: x\r\n" + b"X-A: b\r\n" * 60 + b"\r\n",
        431,
        "header-fields-too-large",
    ),
    "no HTTP": (b"<script>alert(1)</script>\r\n\r\n", 400, "malformed-request"),
    "a field without a name": (
        b"GET /livez HTTP/1.1\r\nHost: x\r\n: <b>\r\n\r\n",
        400,
        "malformed-request",
    ),
    "another encoding": (
        b"POST /v1/score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nothing, chunked\r\n\r\n",
        None,
        "malformed-request",
    ),
}


@pytest.fixture(scope="module", params=["gthread", "sync"])
def service(
    request: pytest.FixtureRequest, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gunicorn]:
    with served(database_url, tmp_path_factory.mktemp("workers"), WORKER_CLASS=request.param) as found:
        yield found


@pytest.mark.parametrize("name", REFUSED)
def test_what_gunicorn_itself_refuses_is_a_problem(service: Gunicorn, name: str) -> None:
    sent, status, problem = REFUSED[name]
    got, fields, body = send(service, sent)
    if status is None:
        assert 400 <= got < 600 and got != 500
    else:
        assert got == status
    assert fields["Content-Type"] == MEDIA_TYPE
    assert fields["X-Content-Type-Options"] == "nosniff"
    assert int(fields["Content-Length"]) == len(body)
    document = json.loads(body)
    assert document["type"] == f"/problems/{problem}"
    assert document["status"] == got
    assert document["title"] == PROBLEMS[problem][1]
    assert document["request_id"] == fields["X-Request-ID"]
    assert b"<" not in body and b"xxxx" not in body


def test_what_is_as_long_as_may_be_is_taken(service: Gunicorn) -> None:
    line = b"GET /" + b"x" * (4094 - len(b"GET / HTTP/1.1")) + b" HTTP/1.1\r\n"
    field = b"X-Long: " + b"x" * 8000 + b"\r\n"
    status, _, _ = send(service, line + b"Host: x\r\nConnection: close\r\n" + field + b"\r\n")
    assert status == 404
