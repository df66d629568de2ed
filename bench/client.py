"""A client that costs little: several connections at once in one thread, each for one request.

``Connection: close``, so that no worker keeps a connection, and with it all the load, to itself. Every
answer is read to its end and looked at.
"""

import selectors
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

TIMEOUT = 20.0
_PIECE_BYTES = 256 * 1024


class Unexpected(Exception):
    """An answer is another than it should be, or not whole."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def encode(self) -> bytes:
        """The bytes of it, the last of its connection."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(self.body)}"]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + self.body


@dataclass(frozen=True, slots=True)
class Expected:
    """What an answer has to be: its status, something that stands in its head, and bytes of body."""

    status: int
    header: bytes = b""
    least_bytes: int = 0

    def check(self, answer: bytes) -> None:
        """Raises :class:`Unexpected`."""
        head, _, body = answer.partition(b"\r\n\r\n")
        whole, least = len(body), self.least_bytes
        length = head.lower().partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0]
        if (
            not head.startswith(b"HTTP/1.1 %d " % self.status)
            or self.header not in head
            or (length and self.status != 304 and int(length) != whole)
            or whole < least
        ):
            raise Unexpected(f"expected {self}, got {whole} bytes: {answer[:600]!r}")


@dataclass(frozen=True, slots=True)
class Run:
    """Answers, the seconds that they took in all, and how much of those the client itself computed.

    ``left``: requests that were sent and served, and whose answers were not waited for.
    """

    answers: int
    seconds: float
    busy: float
    left: int = 0


def run(
    port: int,
    lines: Sequence[Iterator[bytes]],
    expected: Expected,
    *,
    seconds: float = 0.0,
    at_least: int = 1,
) -> Run:
    """Send what each of ``lines`` gives, one request after the other, all lines at once.

    For some seconds and until there are so many answers; or until a line gives nothing more. Raises
    :class:`Unexpected` at the first answer that is not what it should be, or not there in time.
    """
    began, computed = time.perf_counter(), time.thread_time()
    until, count = began + seconds, 0
    with selectors.DefaultSelector() as selector:

        def send(line: Iterator[bytes]) -> None:
            data = next(line, None)
            if data is None:
                return
            connection = socket.create_connection(("127.0.0.1", port), TIMEOUT)
            connection.sendall(data)
            connection.setblocking(False)
            selector.register(connection, selectors.EVENT_READ, (line, bytearray()))

        try:
            for line in lines:
                send(line)
            while selector.get_map():
                ready = selector.select(TIMEOUT)
                if not ready:
                    raise Unexpected(f"no answer within {TIMEOUT:g} seconds")
                for key, _ in ready:
                    connection, (line, answer) = key.fileobj, key.data
                    assert isinstance(connection, socket.socket)
                    if _receive(connection, answer):
                        selector.unregister(connection)
                        connection.close()
                        expected.check(answer)
                        count += 1
                        if count < at_least or time.perf_counter() < until:
                            send(line)
        finally:
            for key in list(selector.get_map().values()):
                assert isinstance(key.fileobj, socket.socket)
                key.fileobj.close()
    taken = time.perf_counter() - began
    return Run(count, taken, (time.thread_time() - computed) / taken)


def _receive(connection: socket.socket, answer: bytearray) -> bool:
    """Take in what is there; says whether that was the end."""
    while True:
        try:
            some = connection.recv(_PIECE_BYTES)
        except BlockingIOError:
            return False
        except ConnectionResetError as error:
            raise Unexpected(f"cut off after {bytes(answer[:200])!r}") from error
        if not some:
            return True
        answer += some
