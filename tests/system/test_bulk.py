"""Bodies of many lines at a real gunicorn: constant memory, no deadlock, no work for who has left."""

import json
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import requests

from service.database import Database
from service.example import ROUND
from service.record import keys
from tests.gunicorns import Gunicorn, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

NDJSON = "application/x-ndjson"
MOST_GROWTH_KB = 40_000
SECONDS = 2
TWEAKS = (
    "from service import slow_clients",
    "from service.api import streams",
    f"slow_clients.ANSWER_SECONDS = streams._PIECE_SECONDS = {SECONDS}",
)
LINE = json.dumps(ROUND).encode() + b"\n"
HAND = {"top": "Ks Kh 2d", "middle": "9s 9h 9d 4c 4s", "bottom": "As Ac Ad Ah 3c"}


@pytest.fixture
def token(database: Database) -> str:
    with database.transaction() as connection:
        return keys.create(connection, "bulk", keys.SCOPES)


@pytest.fixture(scope="module")
def service(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    with serving(database_url, tmp_path_factory.mktemp("bulk"), workers=1, tweaks=TWEAKS) as running:
        yield running


def peak_kb(service: Gunicorn) -> int:
    """The most memory that the worker has ever had."""
    (worker,) = service.workers()
    match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{worker}/status").read_text())
    assert match
    return int(match[1])


def post(service: Gunicorn, token: str, body: object) -> requests.Response:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": NDJSON}
    address = f"{service.base}/v1/score"
    return requests.post(address, data=body, headers=headers, timeout=60, stream=True)  # type: ignore[arg-type]


def lines_of(response: requests.Response) -> Iterator[bytes]:
    """The lines of an answer; requests itself takes a hundred times as long to tell them."""
    left = b""
    for some in response.iter_content(1 << 18):
        *lines, left = (left + some).split(b"\n")
        yield from lines
    assert not left


def open_request(service: Gunicorn, token: str, size: int) -> socket.socket:
    """A connection on which the head of a bulk request has been sent; it takes in little."""
    connection = service.connect(receive_bytes=4096)
    head = [
        "POST /v1/score HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {token}",
        f"Content-Type: {NDJSON}",
        f"Content-Length: {size}",
    ]
    connection.sendall("\r\n".join([*head, "", ""]).encode())
    return connection


def test_a_hundred_thousand_rounds_take_no_memory_and_keep_their_order(
    service: Gunicorn, token: str
) -> None:
    assert post(service, token, LINE * 1000).text.count("\n") == 1000
    before = peak_kb(service)

    def rounds() -> Iterator[bytes]:
        # In chunks, of unknown length, which is how much is not known beforehand.
        for start in range(1, 100_001, 500):
            stakes = range(start, start + 500)
            yield b"".join(b'{"stake":%d,"ruleset":"panduan",%b' % (stake, SEATS) for stake in stakes)

    with post(service, token, rounds()) as response:
        stakes = [line[line.rindex(b":") + 1 : -1] for line in lines_of(response)]
    assert stakes == [b"%d" % stake for stake in range(1, 100_001)]
    assert peak_kb(service) - before < MOST_GROWTH_KB


SEATS = json.dumps({"seats": ROUND["seats"]}).encode()[1:] + b"\n"


def test_a_client_that_reads_nothing_while_it_writes_is_no_deadlock(
    service: Gunicorn, token: str
) -> None:
    lines = 20_000  # answers of 25 MB, far more than buffers on the way hold
    with closing(open_request(service, token, len(LINE) * lines)) as connection:
        connection.sendall(LINE * lines)
        came = 0
        last = b""
        while not last.endswith(b"\r\n0\r\n\r\n"):
            some = connection.recv(1 << 20)
            assert some, last
            came += some.count(b'"duels"')
            last = (last + some)[-200:]
    assert came > lines * 0.99  # some are torn by the chunks


@pytest.mark.parametrize("leaves", [True, False], ids=["leaves", "stops reading"])
def test_whoever_stops_reading_stops_the_work(service: Gunicorn, token: str, leaves: bool) -> None:
    lines = 50_000  # answers of 65 MB; what is on the way holds a few
    before = len(service.lines("the reader of a stream has left"))
    with closing(open_request(service, token, len(LINE) * lines)) as connection:
        connection.sendall(LINE * lines)
        assert connection.recv(1024).startswith(b"HTTP/1.1 200")
        if leaves:
            connection.close()
        service.until(lambda: len(service.lines("the reader of a stream has left")) > before)
    told = service.lines("the reader of a stream has left")[-1]
    assert told["bytes"] < 20_000_000
    # The place is free again.
    assert post(service, token, LINE * 1000).text.count("\n") == 1000


def test_a_body_that_breaks_off_does_nothing(service: Gunicorn, token: str) -> None:
    with closing(open_request(service, token, len(LINE) * 2_000)) as connection:
        connection.sendall(LINE * 1_500)
        connection.shutdown(socket.SHUT_WR)
        assert not connection.recv(1024).startswith(b"HTTP/1.1 200")


def test_others_are_served_while_one_sends_many(service: Gunicorn, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    with post(service, token, LINE * 30_000) as response:
        for _ in range(5):
            began = time.monotonic()
            answer = requests.post(f"{service.base}/v1/score", json=ROUND, headers=headers, timeout=5)
            assert answer.status_code == 200
            assert time.monotonic() - began < 4
        assert sum(1 for _ in lines_of(response)) == 30_000
