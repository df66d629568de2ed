"""gunicorn told to stop: what has come in is answered, and nothing new is begun."""

import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import requests
from sqlalchemy import text

from service.database import Database
from service.example import ROUND
from service.record import keys
from tests.gunicorns import serving

MATCH = {"players": [seat["player"] for seat in ROUND["seats"]], "rounds": 5}
SEATS = {"seats": ROUND["seats"]}


@pytest.mark.parametrize("worker_class", ["", "sync"], ids=["ours", "sync"])
def test_a_call_in_flight_is_finished(
    database: Database, database_url: str, worker_class: str, tmp_path: Path
) -> None:
    with database.transaction() as connection:
        headers = {"Authorization": f"Bearer {keys.create(connection, 'stop', keys.SCOPES)}"}
    with serving(database_url, tmp_path, WORKER_CLASS=worker_class) as service:
        opened = requests.post(f"{service.base}/v1/matches", json=MATCH, headers=headers, timeout=5)
        rounds = f"{service.base}/v1/matches/{opened.json()['id']}/rounds"
        with ThreadPoolExecutor() as threads:
            with database.transaction() as holding:
                holding.execute(text("SELECT FROM matches FOR UPDATE"))
                posting = threads.submit(requests.post, rounds, json=SEATS, headers=headers, timeout=20)
                time.sleep(0.5)
                service.process.send_signal(signal.SIGTERM)
                time.sleep(0.7)
                assert service.process.poll() is None and not posting.done()
            assert posting.result().status_code == 201
        assert service.process.wait(20) == 0
        assert "Traceback" not in service.text(), service.text()


def test_a_request_that_is_coming_in_is_answered_and_silence_is_not_waited_for(
    database_url: str, tmp_path: Path
) -> None:
    with serving(database_url, tmp_path) as service, closing(service.connect()) as half:
        half.sendall(b"GET /livez HTTP/1.1\r\n")
        silent = [service.connect() for _ in range(4)]
        time.sleep(0.3)
        began = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        threading.Timer(1, half.sendall, [b"Host: localhost\r\n\r\n"]).start()
        came = b""
        while some := half.recv(65536):
            came += some
        assert came.startswith(b"HTTP/1.1 200 ") and b"\r\nConnection: close\r\n" in came
        for connection in silent:
            assert connection.recv(1) == b""
            connection.close()
        assert service.process.wait(20) == 0
        assert time.monotonic() - began < 10


def test_workers_without_their_master_make_room_at_once(database_url: str, tmp_path: Path) -> None:
    """Even for a client that keeps its connection, since another gunicorn may want the address."""
    with serving(database_url, tmp_path) as service, requests.Session() as session:
        for _ in range(10):
            assert session.get(f"{service.base}/livez", timeout=5).status_code == 200
        service.process.kill()
        began = time.monotonic()
        while not free(service.port):
            assert time.monotonic() - began < 4
            time.sleep(0.05)


def free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("worker_class", ["", "sync"], ids=["ours", "sync"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGQUIT", "SIGINT"])
def test_a_worker_that_is_told_to_stop_the_moment_it_is_forked_stops(
    database_url: str, tmp_path: Path, worker_class: str, name: str
) -> None:
    hooks = f"""
def post_fork(server, worker):
    import signal
    if worker.age == 1:
        Path({str(tmp_path / "first")!r}).write_text(str(worker.pid))
        os.kill(worker.pid, signal.{name})
"""
    with serving(database_url, tmp_path, hooks=hooks, WORKER_CLASS=worker_class) as service:
        first = int((tmp_path / "first").read_text())
        service.until(lambda: first not in service.workers())
        service.until(lambda: len(service.workers()) == 2)
