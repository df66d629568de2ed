"""Clients that send and read slowly, on purpose or not, hold up nobody else, and are ended in time."""

import json
import re
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import requests

from service.database import Database
from service.example import ROUND
from service.record import keys
from tests.bulk import copy_rounds
from tests.gunicorns import Gunicorn, serving

SECONDS = 3
"""The time limits of these tests; those of the service are longer."""
TWEAKS = (
    "from service import slow_clients",
    "from service.api import streams",
    f"slow_clients.REQUEST_SECONDS = slow_clients.STREAM_SECONDS = {SECONDS}",
    f"slow_clients.ANSWER_SECONDS = streams._PIECE_SECONDS = {SECONDS}",
    # Or else the system takes in whole answers.
    "from socket import SO_SNDBUF, SOL_SOCKET",
    "for listener in worker.sockets: listener.setsockopt(SOL_SOCKET, SO_SNDBUF, 16384)",
)
MARGIN = 4
PAGE = "/v1/rounds?limit=500"
BODY = json.dumps(ROUND).encode()


@pytest.fixture
def token(database: Database) -> str:
    with database.transaction() as connection:
        return keys.create(connection, "slow", keys.SCOPES)


@pytest.fixture(scope="module")
def service(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    with serving(database_url, tmp_path_factory.mktemp("slow"), tweaks=TWEAKS) as running:
        yield running


def head(token: str, line: str = "POST /v1/score HTTP/1.1", *fields: str) -> bytes:
    lines = [line, "Host: localhost", f"Authorization: Bearer {token}", "Content-Type: application/json"]
    return "\r\n".join([*lines, *fields, "", ""]).encode()


def read_answer(connection: socket.socket, before: bytes = b"") -> tuple[int, bytes, bytes]:
    """The status and body of the next answer, and what came behind it."""
    came = before
    while (end := came.find(b"\r\n\r\n")) < 0:
        some = connection.recv(65536)
        assert some, came
        came += some
    length = re.search(rb"(?i)content-length: *(\d+)", came[:end])
    whole = end + 4 + (int(length[1]) if length else 0)
    while len(came) < whole:
        some = connection.recv(65536)
        assert some, came
        came += some
    return int(came.split(b" ")[1]), came[end + 4 : whole], came[whole:]


def read_to_the_end(connection: socket.socket) -> bytes:
    came = b""
    try:
        while some := connection.recv(65536):
            came += some
    except ConnectionResetError:
        pass
    return came


def fill(service: Gunicorn, database: Database, token: str, rounds: int) -> None:
    answer = requests.post(
        f"{service.base}/v1/rounds", json=ROUND, headers={"Authorization": f"Bearer {token}"}, timeout=5
    )
    copy_rounds(database, [answer.json()["id"]], rounds - 1)


class Drippers:
    """Clients that send a byte now and then, or read nothing, and when they were ended."""

    def __init__(self, connections: list[tuple[socket.socket, bytes]]) -> None:
        self.began = time.monotonic()
        self.left = dict(connections)
        self.ended: list[tuple[float, bytes]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while self.left and not self._stop.wait(0.2):
            for connection, some in list(self.left.items()):
                if some:
                    self._drip(connection, some)

    def _drip(self, connection: socket.socket, some: bytes) -> None:
        came = b""
        try:
            if select.select([connection], [], [], 0)[0]:
                came = read_to_the_end(connection)
            else:
                connection.send(some[:1])
                self.left[connection] = some[1:] or b"x"
                return
        except OSError:
            pass
        del self.left[connection]
        self.ended.append((time.monotonic() - self.began, came))

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


def test_fifty_slow_clients_hold_up_nobody_and_are_ended(
    service: Gunicorn, database: Database, token: str
) -> None:
    fill(service, database, token, 2_000)
    long = [f"Content-Length: {10**9}"]
    kinds = {
        "heads": (25, b"", head(token)),
        "bodies": (15, head(token, "POST /v1/score HTTP/1.1", f"Content-Length: {len(BODY)}"), BODY),
        "chunks": (
            4,
            head(token, "POST /v1/score HTTP/1.1", "Transfer-Encoding: chunked"),
            b"5\r\n     " * 99,
        ),
        "uploads": (2, head(token, "POST /v1/score HTTP/1.1", *long) + b" " * 70_000, b" " * 99),
        "pages": (2, head(token, f"GET {PAGE} HTTP/1.1"), b""),
        "streams": (2, head(token, "GET /v1/rounds HTTP/1.1", "Accept: application/x-ndjson"), b""),
    }
    with ExitStack() as open_ones:
        connections = []
        for count, at_once, slowly in kinds.values():
            for _ in range(count):
                connection = open_ones.enter_context(closing(service.connect(4096)))
                connection.sendall(at_once)
                connections.append((connection, slowly))
        assert len(connections) == 50
        drippers = Drippers(connections)
        open_ones.callback(drippers.stop)
        slowest = 0.0
        headers = {"Authorization": f"Bearer {token}"}
        while time.monotonic() < drippers.began + SECONDS + MARGIN:
            began = time.monotonic()
            answer = requests.post(f"{service.base}/v1/rounds", json=ROUND, headers=headers, timeout=10)
            assert answer.status_code == 201
            assert requests.get(f"{service.base}/livez", timeout=10).status_code == 200
            slowest = max(slowest, time.monotonic() - began)
        assert slowest < 2
        drippers.stop()
        # Left are those that read nothing, whose answers are broken off where the buffers end.
        assert [some for some in drippers.left.values() if some] == []
        for _when, came in drippers.ended:
            assert came == b"" or came.startswith((b"HTTP/1.1 408 ", b"HTTP/1.1 413 ")), came
        assert sum(came.startswith(b"HTTP/1.1 408 ") for _, came in drippers.ended) >= 40
        for connection in drippers.left:
            came = read_to_the_end(connection)
            assert came.startswith(b"HTTP/1.1 200 ")
            assert b'"end":' not in came[-4096:] and not came.endswith(b'"}')
    # No thread and no snapshot is held any more.
    asking = {**headers, "Accept": "application/x-ndjson"}
    for _ in range(4):
        assert (
            requests.get(f"{service.base}/v1/rounds?limit=1", headers=asking, timeout=5).status_code
            == 200
        )
    assert "Traceback" not in service.text(), service.text()


def test_a_request_that_takes_too_long_is_a_problem(service: Gunicorn, token: str) -> None:
    with closing(service.connect()) as connection:
        connection.sendall(head(token)[:-2])
        came = read_to_the_end(connection)
    status, members = came.split(b" ")[1], json.loads(came.partition(b"\r\n\r\n")[2])
    assert (status, members["type"], members["status"]) == (b"408", "/problems/request-timeout", 408)
    assert b"\r\nContent-Type: application/problem+json\r\n" in came
    assert b"\r\nConnection: close\r\n" in came


def test_whoever_says_nothing_is_told_nothing(service: Gunicorn) -> None:
    with closing(service.connect()) as connection:
        assert connection.recv(100) == b""


def test_a_request_in_pieces_is_served(service: Gunicorn, token: str) -> None:
    whole = head(token, "POST /v1/score HTTP/1.1", f"Content-Length: {len(BODY)}") + BODY
    with closing(service.connect()) as connection:
        for place in range(0, len(whole), 97):
            connection.sendall(whole[place : place + 97])
            time.sleep(0.01)
        assert read_answer(connection)[0] == 200


def test_requests_on_one_connection_are_answered_in_order(service: Gunicorn, token: str) -> None:
    """Kept alive, one after the other and all at once, the last in two halves."""
    score = head(token, "POST /v1/score HTTP/1.1", f"Content-Length: {len(BODY)}") + BODY
    wrong = head(token, "GET /nowhere HTTP/1.1")
    with closing(service.connect()) as connection:
        for _ in range(3):
            connection.sendall(score)
            assert read_answer(connection)[0] == 200
        connection.sendall(score + wrong + score + wrong[:20])
        rest = b""
        for expected in (200, 404, 200):
            status, _body, rest = read_answer(connection, rest)
            assert status == expected
        time.sleep(0.2)
        connection.sendall(wrong[20:])
        assert read_answer(connection, rest)[0] == 404


@pytest.mark.parametrize("body", [BODY, b" " * 70_000 + BODY], ids=["small", "large"])
def test_a_client_that_waits_for_100_continue_gets_it_once(
    service: Gunicorn, token: str, body: bytes
) -> None:
    fields = (f"Content-Length: {len(body)}", "Expect: 100-continue")
    with closing(service.connect()) as connection:
        connection.sendall(head(token, "POST /v1/score HTTP/1.1", *fields))
        status, _body, rest = read_answer(connection)
        assert (status, rest) == (100, b"")
        connection.sendall(body)
        assert read_answer(connection)[0] == (200 if body == BODY else 413)


def test_whoever_does_not_wait_for_100_continue_does_not_get_it(service: Gunicorn, token: str) -> None:
    fields = (f"Content-Length: {len(BODY)}", "Expect: 100-continue")
    with closing(service.connect()) as connection:
        connection.sendall(head(token, "POST /v1/score HTTP/1.1", *fields) + BODY)
        assert read_answer(connection)[0] == 200


@pytest.mark.parametrize("pieces", [1, 9])
def test_chunked_bodies_are_read(service: Gunicorn, token: str, pieces: int) -> None:
    size = -(-len(BODY) // pieces)
    parts = [BODY[place : place + size] for place in range(0, len(BODY), size)]
    with closing(service.connect()) as connection:
        for _ in range(2):
            connection.sendall(head(token, "POST /v1/score HTTP/1.1", "Transfer-Encoding: chunked"))
            for part in [*parts, b""]:
                time.sleep(0.02)
                connection.sendall(b"%x;note=1\r\n%b\r\n" % (len(part), part))
            assert read_answer(connection)[0] == 200


def test_head_has_no_body(service: Gunicorn) -> None:
    with closing(service.connect()) as connection:
        connection.sendall(b"HEAD /livez HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
        time.sleep(0.3)
        came = connection.recv(65536)
    assert came.count(b"HTTP/1.1 200 ") == 2 and came.endswith(b"\r\n\r\n") and b"{" not in came


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /livez HTTP/1.1\nHost: localhost\n\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /" + b"a" * 40_000, 414),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + b"X: aaaaaaaa\r\n" * 4_000, 431),
        (b"POST /v1/score HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
        (b"POST /v1/score HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", 400),
        (b"POST /v1/score HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n", 400),
        (b"\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
    ],
)
def test_what_is_no_request_is_refused_at_once(
    service: Gunicorn, request_bytes: bytes, status: int
) -> None:
    began = time.monotonic()
    with closing(service.connect()) as connection:
        connection.sendall(request_bytes)
        assert read_answer(connection)[0] == status
    assert time.monotonic() - began < SECONDS


def test_a_slow_reader_gets_the_whole_answer(service: Gunicorn, database: Database, token: str) -> None:
    fill(service, database, token, 500)
    with closing(service.connect(4096)) as connection:
        connection.sendall(head(token, f"GET {PAGE} HTTP/1.1"))
        time.sleep(SECONDS / 2)
        status, body, rest = read_answer(connection)
        assert (status, rest, len(json.loads(body)["items"])) == (200, b"", 500)
        connection.sendall(head(token, "GET /nowhere HTTP/1.1"))
        assert read_answer(connection)[0] == 404


def test_sync_workers_serve_as_well(database_url: str, token: str, tmp_path: Path) -> None:
    with serving(database_url, tmp_path, WORKER_CLASS="sync") as running:
        headers = {"Authorization": f"Bearer {token}"}
        assert requests.post(f"{running.base}/v1/score", json=ROUND, headers=headers, timeout=5).ok
        # With several threads gunicorn would take another class.
        assert "Using worker: sync" in running.text()
