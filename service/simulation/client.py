"""An HTTP client as an app at a table should be: keep-alive, retries, Idempotency-Keys, Retry-After."""

import http.client
import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

SECONDS = 60
# How long one request is tried again before its caller hears of it.
_MOST_WAITED = 120.0
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
# What passes by itself. A 409 does if it says that the first of two equal requests is still in flight.
_PASSING = (429, 502, 503, 504)
# Where nobody has ever answered these do not.
_NOBODY = (ConnectionRefusedError, socket.gaierror)
_IN_FLIGHT = "/problems/idempotency-key-in-flight"


class Stopped(Exception):
    """The simulation was given up while a request was waiting."""


class Unreachable(Exception):
    """Nobody answers at the address."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; ``headers`` by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def tag(self) -> str:
        """The ETag."""
        return self.headers.get("etag", "")


class Refused(Exception):
    """The service refused a request of the simulation that should have worked."""

    def __init__(self, method: str, path: str, answer: Answer) -> None:
        detail = answer.body.decode("utf-8", "replace")
        with suppress(ValueError, KeyError, TypeError):
            problem = answer.json()
            detail = f"{problem['title']}: {problem.get('detail')} {problem.get('errors', '')}".strip()
        super().__init__(f"{method} {path}: {answer.status} {detail}")
        self.answer = answer


class Client:
    """For any number of threads, each with its own connection."""

    def __init__(self, url: str, token: str) -> None:
        """Raises ValueError for an address that is not one of HTTP."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url} is no address like http://127.0.0.1:8000")
        secure = parts.scheme == "https"
        self._connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._host, self._port, self._base = parts.hostname, parts.port, parts.path.rstrip("/")
        self._authorization = f"Bearer {token}"
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[http.client.HTTPConnection] = []
        self.stop = threading.Event()
        self._answered = False
        #: How often a request was sent again, and how many of these times because of a limit (429).
        self.retries = self.limited = 0

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for connection in self._connections:
                connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """Read; :class:`Refused` for anything but 200 and 304."""
        return self._checked("GET", path, None, headers)

    def read(self, path: str) -> Any:
        """Read JSON."""
        return self.get(path).json()

    def post(self, path: str, body: Any, key: str | None = None, **headers: str) -> Answer:
        """Store, under a fresh Idempotency-Key unless one is given."""
        return self._checked("POST", path, body, {"Idempotency-Key": key or str(uuid4()), **headers})

    def attempt(self, path: str, body: Any) -> Answer:
        """Store, whatever comes of it."""
        return self._send("POST", path, body, {"Idempotency-Key": str(uuid4())})

    def _checked(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        answer = self._send(method, path, body, headers)
        if answer.status >= 400:
            raise Refused(method, path, answer)
        return answer

    def _send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        """Send until there is an answer that will not pass by itself.

        The headers stay the same, so that what was stored and whose answer was lost is not stored twice.
        """
        raw = None if body is None else json.dumps(body).encode()
        wait, waited = _FIRST_WAIT, 0.0
        while True:
            answer, trouble = None, None
            try:
                answer = self._once(method, path, raw, headers)
                self._answered = True
            except (OSError, http.client.HTTPException) as error:
                trouble = error
                if not self._answered and isinstance(error, _NOBODY):
                    break
            if answer is not None and not _passes(answer):
                return answer
            if waited >= _MOST_WAITED:
                break
            seconds = _retry_after(answer) or wait
            with self._lock:
                self.retries += 1
                self.limited += int(answer is not None and answer.status == 429)
            if self.stop.wait(seconds):
                raise Stopped
            wait, waited = min(2 * wait, _LONGEST_WAIT), waited + seconds
        if answer is not None:
            return answer
        where = f"{self._host}:{self._port}" if self._port else self._host
        advice = "" if self._answered else "; start it first, or say where it serves: --url, or PORT"
        raise Unreachable(f"{where} does not answer: {trouble}{advice}")

    def _once(self, method: str, path: str, raw: bytes | None, headers: Mapping[str, str]) -> Answer:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect(self._host, self._port, timeout=SECONDS)
            self._local.connection = connection
            with self._lock:
                self._connections.append(connection)
        sent = {"Authorization": self._authorization, **headers}
        if raw is not None:
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, self._base + path, raw, sent)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        except BaseException:
            connection.close()
            raise


def _passes(answer: Answer) -> bool:
    if answer.status == 409:
        with suppress(ValueError, AttributeError):
            return str(answer.json().get("type", "")).endswith(_IN_FLIGHT)
    return answer.status in _PASSING


def _retry_after(answer: Answer | None) -> float | None:
    if answer is None:
        return None
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None
