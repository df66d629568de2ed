"""gunicorn as it is deployed, for tests of what only a real server shows."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

ROOT = Path(__file__).resolve().parents[1]
CONFIGURATION = """
from service.gunicorn_conf import *
from service.gunicorn_conf import post_worker_init as _whole

def post_worker_init(worker):
    _whole(worker)
"""


class Served:
    """A running gunicorn, where it is and what it has said."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
        self.process, self.port, self._log = process, port, log
        self.url = f"http://127.0.0.1:{port}"

    @property
    def said(self) -> str:
        return self._log.read_text()

    def connect(self, receive_bytes: int | None = None) -> socket.socket:
        """A connection, which takes in as little as it can where a number of bytes is given."""
        connection = socket.socket()
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def workers(self) -> list[int]:
        """The process ids of the workers."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in path.read_text().split()]


@contextmanager
def served(
    database_url: str,
    *,
    workers: int = 2,
    tweaks: tuple[str, ...] = (),
    ready: str = "/readyz",
    **settings: str,
) -> Iterator[Served]:
    """Serve; ``tweaks`` are statements for each worker, such as shorter time limits."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with tempfile.TemporaryDirectory() as directory:
        configuration, log = Path(directory, "conf.py"), Path(directory, "log")
        configuration.write_text(CONFIGURATION + "".join(f"    {line}\n" for line in tweaks))
        environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "HOST": "127.0.0.1",
            "PORT": str(port),
            "WEB_CONCURRENCY": str(workers),
            **settings,
        }
        command = [sys.executable, "-m", "gunicorn", "--config", str(configuration), "app:create_app()"]
        with (
            log.open("wb") as told,
            subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=told, stderr=told, start_new_session=True
            ) as process,
        ):
            try:
                until = time.monotonic() + 20
                while not _answers(f"http://127.0.0.1:{port}{ready}"):
                    assert time.monotonic() < until and process.poll() is None, log.read_text()
                    time.sleep(0.1)
                yield Served(process, port, log)
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                try:
                    process.wait(40)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)


def _answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=5).status_code == 200
    except requests.RequestException:
        return False
