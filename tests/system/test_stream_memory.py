"""Streams of a real gunicorn: constant memory, an end that breaks off audibly, nothing held up."""

import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import requests
from sqlalchemy import text

from service.database import Database
from service.record import keys
from service.rules.cards import NAMES
from tests.bulk import copy_rounds
from tests.gunicorns import serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 20_000
NDJSON, CSV = "application/x-ndjson", "text/csv"
MOST_GROWTH_KB = 40_000
TERMINATE = text("""
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'FETCH%'
""")


class Service:
    """gunicorn with one worker, as it is deployed."""

    def __init__(self, port: int, authorization: str, process: subprocess.Popen[bytes]) -> None:
        self.port, self.process = port, process
        self.url = f"http://127.0.0.1:{port}/v1/rounds"
        self.headers = {"Authorization": authorization}

    def asking(self, media_type: str) -> dict[str, str]:
        return {**self.headers, "Accept": media_type}

    def worker(self) -> Path:
        """Where the kernel tells of the worker."""
        (child,) = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return Path("/proc") / child

    def peak_kb(self) -> int:
        """The most memory that the worker has ever had."""
        match = re.search(r"VmHWM:\s+(\d+) kB", (self.worker() / "status").read_text())
        assert match
        return int(match[1])

    def connect(self) -> socket.socket:
        """Ask for a stream, and take in no more than one can't help taking in."""
        asking = socket.socket()
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asking.settimeout(20)
        asking.connect(("127.0.0.1", self.port))
        lines = ["GET /v1/rounds HTTP/1.1", "Host: localhost"]
        lines += [f"{name}: {value}" for name, value in self.asking(NDJSON).items()]
        asking.sendall("\r\n".join([*lines, "", ""]).encode())
        return asking


@pytest.fixture
def service(database: Database, database_url: str, tmp_path: Path) -> Iterator[Service]:
    with database.transaction() as connection:
        authorization = f"Bearer {keys.create(connection, 'streams', keys.SCOPES)}"
    settings = {"SUSUN_LOG_LEVEL": "warning"}
    with serving(database_url, tmp_path, workers=1, **settings) as gunicorn:
        yield Service(gunicorn.port, authorization, gunicorn.process)


@pytest.fixture
def fill(service: Service, database: Database) -> Callable[[int], None]:
    """Add so many rounds of four seats."""

    def fill(rounds: int) -> None:
        deck, posted = list(NAMES), []
        for seed in range(10):
            random.Random(seed).shuffle(deck)
            hands = [deck[place : place + 13] for place in range(0, 52, 13)]
            seats = [
                {"player": f"player {place}", "top": hand[:3], "middle": hand[3:8], "bottom": hand[8:]}
                for place, hand in enumerate(hands)
            ]
            document = {"stake": 100, "seats": seats}
            answer = requests.post(service.url, json=document, headers=service.headers, timeout=5)
            posted.append(answer.json()["id"])
        copy_rounds(database, posted, rounds - len(posted))

    return fill


def read(service: Service, media_type: str, query: str = "") -> tuple[int, bytes]:
    """How many lines a stream has, and the last bytes of it."""
    lines, last = 0, b""
    address, headers = service.url + query, service.asking(media_type)
    with requests.get(address, headers=headers, timeout=20, stream=True) as response:
        assert response.status_code == 200, response.text
        for some in response.iter_content(65536):
            lines += some.count(b"\n")
            last = (last + some)[-200:]
    return lines, last


def test_streams_take_no_memory(service: Service, fill: Callable[[int], None]) -> None:
    fill(ROUNDS)
    for media_type in (NDJSON, CSV):
        read(service, media_type, "?limit=500")
    before = service.peak_kb()
    with ThreadPoolExecutor() as threads:
        ndjson, csv = (threads.submit(read, service, media_type) for media_type in (NDJSON, CSV))
    assert service.peak_kb() - before < MOST_GROWTH_KB
    lines, last = ndjson.result()
    assert lines == ROUNDS + 1
    assert last.endswith(b'\n{"end":true,"count":%d}\n' % ROUNDS)
    lines, last = csv.result()
    assert lines == 4 * ROUNDS + 2
    assert b"\r\nend,%d," % ROUNDS in last


def test_a_stream_breaks_off_audibly_and_readers_who_leave_hold_nothing_up(
    service: Service, fill: Callable[[int], None], database: Database
) -> None:
    fill(5_000)  # more than buffers on the way can take in
    with closing(service.connect()) as broken:
        came = broken.recv(4096)
        assert came.startswith(b"HTTP/1.1 200")
        with database.transaction() as connection:
            assert connection.scalar(TERMINATE) == 1
        while some := broken.recv(65536):
            came = (came + some)[-4096:]
    # No end line, and no end as HTTP has it.
    assert b'"end":' not in came and not came.endswith(b"0\r\n\r\n")

    for _ in range(6):
        with closing(service.connect()) as leaving:
            status = leaving.recv(4096).split(b" ")[1]
            assert status in (b"200", b"503")
    until = time.monotonic() + 10
    while requests.head(service.url, headers=service.asking(NDJSON), timeout=5).status_code != 200:
        assert time.monotonic() < until
        time.sleep(0.1)
    lines, last = read(service, NDJSON)
    assert (lines, last.endswith(b'\n{"end":true,"count":5000}\n')) == (5_001, True)
