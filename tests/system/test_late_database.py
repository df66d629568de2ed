"""A database that comes up after Susun, goes away, and comes back."""

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app import create_app
from service.database import DatabaseAway
from service.setup import prepare_database
from tests.gunicorns import free_port

SUSUN = str(Path(sys.executable).with_name("susun"))


class Line:
    """A port that leads to the real database, while it is up."""

    def __init__(self, url: str) -> None:
        real = make_url(url)
        self._target = (real.host, real.port)
        self._port = free_port()
        self.url = real.set(host="127.0.0.1", port=self._port).render_as_string(hide_password=False)
        self._server: socket.socket | None = None
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    def up(self) -> None:
        self._server = socket.create_server(("127.0.0.1", self._port))
        self._start(self._accept, self._server)

    def down(self) -> None:
        for each in [self._server, *self._open]:
            if each is not None:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        for thread in self._threads:
            thread.join(10)
        self._server, self._open, self._threads = None, [], []

    def _start(self, work: object, *arguments: socket.socket) -> None:
        thread = threading.Thread(target=work, args=arguments)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near = server.accept()[0]
                far = socket.create_connection(self._target)
                self._open += [near, far]
                self._start(self._pass_on, near, far)
                self._start(self._pass_on, far, near)

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while some := source.recv(65536):
                target.sendall(some)
            target.shutdown(socket.SHUT_WR)


@pytest.fixture
def line(database_url: str) -> Iterator[Line]:
    line = Line(database_url)
    yield line
    line.down()


def test_migrate_waits_for_the_database(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", line.url)
    with subprocess.Popen(
        [SUSUN, "migrate"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as command:
        assert command.stderr is not None
        said = command.stderr.readline()
        assert said.startswith("susun: waiting up to 60 seconds for the database: connection to server")
        line.up()
        told, errors = command.communicate(timeout=20)
    assert (command.returncode, told, errors) == (0, "The database has the newest schema.\n", "")


def test_migrate_says_why_it_waits_no_longer(line: Line) -> None:
    with pytest.raises(
        DatabaseAway, match=r"not answered within 1 seconds: .*Connection refused"
    ) as away:
        prepare_database(line.url, wait_seconds=1)
    assert str(make_url(line.url).password) not in str(away.value)


def test_the_service_lives_without_its_database_and_is_ready_once_it_is_there(line: Line) -> None:
    app = create_app({"database_url": line.url})
    client = app.test_client()
    try:
        for _ in range(2):
            assert client.get("/livez").status_code == 200
            away = client.get("/readyz")
            assert (away.status_code, away.headers["Retry-After"]) == (503, "2")
            line.up()
            assert client.get("/readyz").status_code == 200
            line.down()
    finally:
        app.extensions["susun_database"].close()
