"""gunicorn's threaded worker, for clients of any speed: a thread is for work, not for waiting.

A request gets a thread when it is here, and an answer leaves its thread when it is made; in between
the poller moves the bytes. Whoever is too slow is parted with. What cannot be kept whole, long bodies
and streams, is moved by threads while it comes, of which some are always left for others.
"""

import contextlib
import errno
import select
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders, NoMoreData
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, TConn, ThreadWorker

from service.arriving import HEAD_BYTES, Arrival, State

REQUEST_SECONDS = 10.0
"""By when a request must be here: its head, and its body or as much of it as is waited for."""
ANSWER_SECONDS = 30.0
"""By when an answer must have been read; also how long a piece of a stream may take."""
STREAM_SECONDS = 10.0
"""How long a long body waits for a thread."""
LEAST_RATE = 8 * 1024
"""Bytes a second of a long body, on average, after the first ``REQUEST_SECONDS``."""
MOST_QUEUED = 48
"""Requests of a worker that wait for a thread. More are refused at once, rather than served too late."""
MOST_BODY_SECONDS = 600.0
"""How long a long body may take, however fast it comes."""
PARTING_SECONDS = 2.0
"""How long a client may take to read the last answer and close, before we do."""

_PIECE_BYTES = 16 * 1024
_MOST_DRAINED_BYTES = 64 * 1024
#: Of answers that their clients have not read yet: one, and all of a worker.
_HELD_BYTES = 4 * 1024 * 1024
_ALL_HELD_BYTES = 64 * 1024 * 1024
_LOOK_SECONDS = 0.25
#: Asked by whoever would restart a service that does not answer.
_NEVER_REFUSED = (b"GET /livez ", b"GET /readyz ", b"GET /metrics ")
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class TooSlow(NoMoreData):  # type: ignore[misc]
    """A client has sent too little of a body for too long."""


class Line(socket.socket):
    """A client's socket that takes in an answer at once and holds what the client has not read yet.

    With a timeout (which streams set), or where it holds too much, it is an ordinary one: to send is to
    wait, as long as the timeout says.
    """

    _held_in_all = 0
    _counting = threading.Lock()

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self._held = bytearray()

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send or hold; waits only as the class says."""
        if self.gettimeout():
            self._send_waiting(data)
            return
        sent = 0 if self._held else self._send_some(data)
        if sent == len(data):
            return
        rest = bytes(memoryview(data)[sent:])
        with self._counting:
            fits = len(self._held) + len(rest) <= _HELD_BYTES
            fits = fits and Line._held_in_all + len(rest) <= _ALL_HELD_BYTES
            if fits:
                Line._held_in_all += len(rest)
        if fits:
            self._held += rest
            return
        if self.gettimeout() is not None:
            raise BlockingIOError("the poller does not wait")
        self.settimeout(ANSWER_SECONDS)
        try:
            self._send_waiting(rest)
        finally:
            self.settimeout(None)

    def push(self) -> bool:
        """Send what is held as far as it goes without waiting; says whether that was all."""
        if self._held:
            self._let_go(self._send_some(self._held))
        return not self._held

    def close(self) -> None:
        """Close, and hold nothing any longer."""
        self._let_go(len(self._held))
        super().close()

    def _send_waiting(self, data: Any) -> None:
        try:
            if self._held:
                super().sendall(self._held)
                self._let_go(len(self._held))
            super().sendall(data)
        except TimeoutError:
            # For gunicorn the same as a reader who has left: nothing to make a noise about.
            raise BrokenPipeError(errno.EPIPE, "the client does not read") from None

    def _send_some(self, data: Any) -> int:
        try:
            return self.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    def _let_go(self, count: int) -> None:
        if count:
            del self._held[:count]
            with self._counting:
                Line._held_in_all -= count


class PacedUnreader(SocketUnreader):  # type: ignore[misc]
    """Reads in a thread what the poller did not wait for, as long as it comes fast enough."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.begin()

    def begin(self) -> None:
        """A request is handed over: its time starts now."""
        self._began, self._count = time.monotonic(), 0

    def chunk(self, size_hint: int | None = None) -> bytes:
        """The next piece; :class:`TooSlow` if it is late."""
        until = self._began + REQUEST_SECONDS + self._count / LEAST_RATE
        until = min(until, self._began + MOST_BODY_SECONDS)
        left = min(until - time.monotonic(), REQUEST_SECONDS)
        readable = select.poll()
        readable.register(self.sock, select.POLLIN)
        if left <= 0 or not readable.poll(left * 1000):
            raise TooSlow
        some: bytes = super().chunk(size_hint)
        self._count += len(some)
        return some


class Worker(ThreadWorker):  # type: ignore[misc]
    """The worker. All methods but those of its base class run in the thread of the poller."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        #: Requests that are coming in.
        self.arriving: dict[TConn, Arrival] = {}
        #: Long bodies: those that wait for a thread, until when, and those that have one.
        self.waiting: deque[tuple[float, TConn, Arrival]] = deque()
        self.streaming: set[TConn] = set()
        #: Whole requests that wait for a thread.
        self.queued: set[TConn] = set()
        self.most_streaming = max(1, self.cfg.threads // 4)
        #: Answers that are still being read, and clients that we have told goodbye: until when.
        self.unread: dict[TConn, float] = {}
        self.parting: dict[TConn, float] = {}
        #: Those of all these that the poller looks after.
        self.polled: set[TConn] = set()
        self._next_look = 0.0
        self._stopping = False

    def accept(self, listener: socket.socket) -> None:
        """Take in a connection."""
        if self.cfg.is_ssl:
            super().accept(listener)
            return
        try:
            accepted, client = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        self.nr_conns += 1
        self.enqueue_req(TConn(self.cfg, Line(accepted), client, listener.getsockname()))

    def enqueue_req(self, conn: TConn) -> None:
        """Wait for the next request of a connection, and then give it a thread.

        The base class comes here for every request: on a new connection, on one that was kept alive, and
        where the last request was followed at once by another.
        """
        if self.cfg.is_ssl:
            super().enqueue_req(conn)
            return
        line_bytes = self.cfg.limit_request_line or HEAD_BYTES
        arrival = Arrival(time.monotonic() + REQUEST_SECONDS, line_bytes)
        self.arriving[conn] = arrival
        conn.sock.setblocking(False)
        already = conn.parser.unreader.take_buffered() if conn.initialized else b""
        self._receive(conn, arrival, arrival.add(already) if already else State.MORE)

    def _receive(self, conn: TConn, arrival: Arrival, state: State = State.MORE, _: Any = None) -> None:
        """Take in what is there of a request, and go on with it if that is enough."""
        try:
            while state is State.MORE:
                some = conn.sock.recv(_PIECE_BYTES)
                if not some:
                    self._drop(conn)
                    return
                state = arrival.add(some)
        except BlockingIOError:
            if arrival.expects:
                arrival.expects = False
                conn.sock.sendall(_CONTINUE)
            self._poll(conn, selectors.EVENT_READ, partial(self._receive, conn, arrival, State.MORE))
            return
        except OSError:
            self._drop(conn)
            return
        self._no_longer_poll(conn)
        del self.arriving[conn]
        if state is State.TOO_LONG:
            self.handle_error(None, conn.sock, conn.client, LimitRequestHeaders("max buffer headers"))
            self._send_rest(conn, None)
        elif state is State.STREAM and len(self.streaming) >= self.most_streaming:
            self.waiting.append((time.monotonic() + STREAM_SECONDS, conn, arrival))
        else:
            if state is State.STREAM:
                self.streaming.add(conn)
            self._hand_over(conn, arrival)

    def _hand_over(self, conn: TConn, arrival: Arrival) -> None:
        """Give a request a thread, unless too many others wait for one."""
        if len(self.queued) >= MOST_QUEUED and not arrival.data.startswith(_NEVER_REFUSED):
            self.streaming.discard(conn)
            self._refuse(conn, "busy")
            return
        self.queued.add(conn)
        if not conn.initialized:
            conn.init()
            conn.parser.unreader = PacedUnreader(conn.sock)
            conn.data_ready = True
        conn.parser.unreader.begin()
        conn.parser.unreader.unread(bytes(arrival.data))
        super().enqueue_req(conn)

    def handle(self, conn: TConn) -> Any:
        """Serve a request; called in its thread."""
        self.queued.discard(conn)
        return super().handle(conn)

    def finish_request(self, conn: TConn, fs: "Future[Any]") -> None:
        """A thread is through with a request: send the rest of the answer, then keep or part."""
        if self.cfg.is_ssl:
            super().finish_request(conn, fs)
            return
        if conn in self.streaming:
            self.streaming.remove(conn)
            if self.waiting:
                _until, first, arrival = self.waiting.popleft()
                self.streaming.add(first)
                self._hand_over(first, arrival)
        keep = not fs.cancelled() and fs.exception() is None and bool(fs.result())
        self._send_rest(conn, fs if keep else None)

    def _send_rest(self, conn: TConn, fs: "Future[Any] | None", _: Any = None) -> None:
        """Send what the client has not read yet; then keep the connection, or part without ``fs``."""
        try:
            conn.sock.setblocking(False)
            done = conn.sock.push()
        except OSError:
            self._drop(conn)
            return
        if not done:
            self.unread.setdefault(conn, time.monotonic() + ANSWER_SECONDS)
            self._poll(conn, selectors.EVENT_WRITE, partial(self._send_rest, conn, fs))
            return
        if self.unread.pop(conn, None) is not None:
            self._no_longer_poll(conn)
        if fs is not None:
            super().finish_request(conn, fs)
        else:
            self._part(conn)

    def _part(self, conn: TConn) -> None:
        """Say goodbye, and close when the client does, so that what it still reads is not cut off."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        self.parting[conn] = time.monotonic() + PARTING_SECONDS
        left = _MOST_DRAINED_BYTES

        def drain(_: Any) -> None:
            nonlocal left
            some = b""
            with contextlib.suppress(OSError):
                some = conn.sock.recv(_PIECE_BYTES)
            left -= len(some)
            if not some or left <= 0:
                self._drop(conn)

        self._poll(conn, selectors.EVENT_READ, drain)

    def _drop(self, conn: TConn) -> None:
        """Close a connection."""
        for kept in (self.arriving, self.unread, self.parting):
            kept.pop(conn, None)
        self._no_longer_poll(conn)
        self.nr_conns -= 1
        conn.close()

    def _poll(self, conn: TConn, events: int, callback: Callable[..., None]) -> None:
        if conn in self.polled:
            self.poller.modify(conn.sock, events, callback)
        else:
            self.polled.add(conn)
            self.poller.register(conn.sock, events, callback)

    def _no_longer_poll(self, conn: TConn) -> None:
        # Most have never been; a poller that is asked for those takes long to say so.
        if conn in self.polled:
            self.polled.remove(conn)
            with contextlib.suppress(OSError, KeyError, ValueError):
                self.poller.unregister(conn.sock)

    def is_parent_alive(self) -> bool:
        """Whether gunicorn's master lives; without it, go as soon as what is in flight is answered.

        Another one may be waiting for the address to become free.
        """
        alive: bool = super().is_parent_alive()
        if not alive:
            self.alive = False
            self.murder_keepalived(force=True)
        return alive

    def murder_pending(self) -> None:
        """Part with whoever is too slow; called by the base class at least every second."""
        super().murder_pending()
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_SECONDS
        if not self.alive and not self._stopping:
            self._stopping = True
            for arrival in self.arriving.values():
                if not arrival.data:
                    arrival.deadline = min(arrival.deadline, now + STOP_KEEPALIVE_LINGER)
        for conn in [conn for conn, arrival in self.arriving.items() if arrival.deadline <= now]:
            self._no_longer_poll(conn)
            # To somebody who has said nothing there is nothing to say.
            self._refuse(conn, "request-timeout" if self.arriving.pop(conn).data else None)
        while self.waiting and self.waiting[0][0] <= now:
            self._refuse(self.waiting.popleft()[1], "busy")
        late = [*self.unread.items(), *self.parting.items()]
        for conn in [conn for conn, until in late if until <= now]:
            self._drop(conn)

    def _refuse(self, conn: TConn, problem: str | None) -> None:
        if problem is None:
            self._drop(conn)
            return
        # Late, so that gunicorn's master does not load the application.
        from service.api.problems import PROBLEMS  # noqa: PLC0415
        from service.metrics import count_request  # noqa: PLC0415
        from service.refusals import message  # noqa: PLC0415

        count_request(None, "", PROBLEMS[problem][0], 0.0)
        with contextlib.suppress(OSError):
            conn.sock.sendall(message(problem))
        self._send_rest(conn, None)
