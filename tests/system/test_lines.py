"""A client's socket that holds what the client has not read yet."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from service import slow_clients
from service.slow_clients import Line

SOME = bytes(range(256)) * 4096


@pytest.fixture
def ends() -> Iterator[tuple[Line, socket.socket]]:
    ours, theirs = socket.socketpair()
    theirs.settimeout(10)
    with closing(Line(ours)) as line, closing(theirs):
        yield line, theirs
    assert Line._held_in_all == 0


def read(client: socket.socket, count: int) -> bytes:
    came = b""
    while len(came) < count:
        some = client.recv(65536)
        assert some
        came += some
    return came


def test_an_answer_is_taken_in_at_once_and_sent_as_it_is_read(ends: tuple[Line, socket.socket]) -> None:
    line, client = ends
    for _ in range(3):
        line.sendall(SOME)
    assert 0 < Line._held_in_all < 3 * len(SOME)
    assert line.push() is False
    came = b""
    while not line.push():
        came += client.recv(65536)
    line.close()
    while some := client.recv(65536):
        came += some
    assert came == 3 * SOME


def test_beyond_what_may_be_held_to_send_is_to_wait(
    ends: tuple[Line, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_clients, "_HELD_BYTES", len(SOME))
    line, client = ends
    came: list[bytes] = []
    reading = threading.Thread(target=lambda: came.append(read(client, 3 * len(SOME))))
    line.sendall(SOME)
    reading.start()
    line.sendall(SOME)
    line.sendall(SOME)
    while not line.push():
        pass
    reading.join()
    assert came == [3 * SOME]


@pytest.mark.parametrize("limit", ["_HELD_BYTES", "_ALL_HELD_BYTES"])
def test_who_does_not_read_is_not_waited_for_long(
    ends: tuple[Line, socket.socket], monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(slow_clients, limit, len(SOME))
    monkeypatch.setattr(slow_clients, "ANSWER_SECONDS", 0.2)
    line, _client = ends
    line.sendall(SOME)
    with pytest.raises(BrokenPipeError):
        line.sendall(SOME)
    # The poller does not wait at all.
    line.setblocking(False)
    with pytest.raises(BlockingIOError):
        line.sendall(SOME)


def test_with_a_timeout_nothing_is_held(ends: tuple[Line, socket.socket]) -> None:
    line, _client = ends
    line.settimeout(0.2)
    with pytest.raises(BrokenPipeError):
        line.sendall(SOME)
    assert Line._held_in_all == 0
