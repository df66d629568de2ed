"""Memory of a worker: resident size after 1,000 requests and after 10,000."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.timing import table
from service.embedded_postgres import EmbeddedPostgres
from service.example import ROUND
from service.setup import prepare

FEW, MANY = 1_000, 10_000
START_SECONDS = 20


@contextmanager
def serving(*, workers: int = 1, worker_class: str | None = "sync") -> Iterator[tuple[int, str, int]]:
    """A gunicorn on an embedded Postgres: its port, an API key, the first worker's pid."""
    with tempfile.TemporaryDirectory(prefix="susun-bench-") as directory:
        home = Path(directory)
        home.chmod(0o755)  # Postgres may run as another user
        with EmbeddedPostgres(home / "postgres") as postgres:
            key = prepare(postgres.url, home)
            port = free_port()
            environment = {
                **os.environ,
                "DATABASE_URL": postgres.url,
                "PORT": str(port),
                "WEB_CONCURRENCY": str(workers),
                "WORKER_CLASS": worker_class or "",
                "SUSUN_KEY_RATE": "off",
                "SUSUN_ADDRESS_RATE": "off",
                "SUSUN_LOG_LEVEL": "warning",
            }
            command = [
                sys.executable,
                "-m",
                "gunicorn",
                "-c",
                "service/gunicorn_conf.py",
                "app:create_app()",
            ]
            server = subprocess.Popen(command, env=environment)
            try:
                wait_for(port)
                yield port, key, worker_of(server.pid)
            finally:
                server.terminate()
                server.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("gunicorn does not answer")


def worker_of(master: int) -> int:
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return int(children[0])


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def send(port: int, key: str, count: int) -> None:
    """Score, store and read rounds, one after the other."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps(ROUND)
    requests = [
        ("POST", "/v1/score", body),
        ("POST", "/v1/rounds", body),
        ("GET", "/v1/rounds?limit=5", None),
        ("POST", "/v1/score", body.replace("Ks", "Xs")),
    ]
    for number in range(count):
        method, path, sent = requests[number % len(requests)]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request(method, path, sent, headers)
        connection.getresponse().read()
        connection.close()


def measure() -> dict[str, float]:
    with serving() as (port, key, worker):
        send(port, key, FEW)
        few = resident_megabytes(worker)
        send(port, key, MANY - FEW)
        many = resident_megabytes(worker)
    table(
        "Memory of a worker (MB)",
        {
            f"after {FEW:,} requests": f"{few:6.1f}",
            f"after {MANY:,} requests": f"{many:6.1f}   {100 * (many / few - 1):+.1f} %",
        },
    )
    return {"after_1000": round(few, 1), "after_10000": round(many, 1)}
