"""The simulation's client: what it sends again, under which key, and when it gives up."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from service.simulation import client as client_module
from service.simulation.client import Client, Refused, Stopped, Unreachable
from tests.gunicorns import free_port

Reply = tuple[int, dict[str, str], dict[str, Any]]
CUT_OFF: Reply = (0, {}, {})
IN_FLIGHT = {"type": "http://x/problems/idempotency-key-in-flight", "title": "In flight"}
TAKEN = {"type": "http://x/problems/round-number-taken", "title": "Taken", "detail": "the next is 3"}


class Service:
    """Answers in turn what it is told to, then always 201."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                service.seen.append((self.command, self.path, dict(self.headers), body))
                reply = service.replies.pop(0) if service.replies else (201, {}, {"ok": True})
                if reply is CUT_OFF:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                status, headers, document = reply
                raw = json.dumps(document).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, args=(0.01,))
    thread.start()
    yield service
    service.server.shutdown()
    thread.join()
    service.server.server_close()


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with closing(Client(service.url, "token")) as client:
        yield client


def test_a_post_is_json_with_the_key_of_the_caller(service: Service, client: Client) -> None:
    assert client.post("/v1/x", {"a": 1}, "mine").json() == {"ok": True}
    (method, path, headers, body), *_ = service.seen
    assert (method, path, json.loads(body)) == ("POST", "/v1/x", {"a": 1})
    assert headers["Idempotency-Key"] == "mine"
    assert headers["Authorization"] == "Bearer token"
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "passing",
    [
        (429, {"Retry-After": "0"}, {}),
        (503, {"Retry-After": "0"}, {}),
        (502, {}, {}),
        (409, {}, IN_FLIGHT),
        CUT_OFF,
    ],
    ids=lambda reply: str(reply[0]),
)
def test_what_passes_is_sent_again_as_it_was(service: Service, client: Client, passing: Reply) -> None:
    service.replies = [passing, passing]
    assert client.post("/v1/x", {"a": 1}).json() == {"ok": True}
    keys = {headers["Idempotency-Key"] for _, _, headers, _ in service.seen}
    assert len(service.seen) == 3
    assert len(keys) == 1
    assert len({body for *_, body in service.seen}) == 1
    assert client.retries == 2
    assert client.limited == (2 if passing[0] == 429 else 0)


def test_it_waits_as_long_as_it_is_told(service: Service, client: Client) -> None:
    waits: list[float] = []
    client.stop.wait = lambda seconds: waits.append(seconds) or False  # type: ignore[method-assign, func-returns-value, assignment]
    service.replies = [(429, {"Retry-After": "7"}, {}), (503, {}, {}), (503, {}, {})]
    client.post("/v1/x", {})
    assert waits == [7.0, 0.2, 0.4]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 500])
def test_other_refusals_are_told_at_once(service: Service, client: Client, status: int) -> None:
    service.replies = [(status, {}, TAKEN)]
    with pytest.raises(Refused, match=f"POST /v1/x: {status} Taken: the next is 3"):
        client.post("/v1/x", {})
    assert len(service.seen) == 1


def test_an_attempt_may_fail(service: Service, client: Client) -> None:
    service.replies = [(409, {}, TAKEN)]
    assert client.attempt("/v1/x", {}).status == 409


def test_it_gives_up_in_the_end(
    service: Service, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_MOST_WAITED", 0.2)
    service.replies = [(503, {}, {"title": "Away"})] * 50
    with pytest.raises(Refused, match="503 Away"):
        client.read("/v1/x")
    service.replies = [CUT_OFF] * 50
    with pytest.raises(Unreachable, match="does not answer"):
        client.read("/v1/x")


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_where_nobody_has_ever_answered_it_does_not_wait(host: str) -> None:
    with pytest.raises(Unreachable, match=r"does not answer.*--url"):
        Client(f"http://{host}:{free_port()}", "token").read("/v1/x")


def test_it_waits_for_a_service_that_has_answered_before(
    service: Service, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_MOST_WAITED", 0.5)
    service.replies = [(200, {}, {})]
    client.read("/v1/x")

    def refuse(*_: object) -> None:
        raise ConnectionRefusedError("refused")

    monkeypatch.setattr(client, "_once", refuse)
    with pytest.raises(Unreachable, match=r"refused$"):
        client.read("/v1/x")
    assert client.retries > 2


def test_it_stops_waiting_when_all_is_over(service: Service, client: Client) -> None:
    service.replies = [(429, {"Retry-After": "100"}, {})]
    client.stop.set()
    with pytest.raises(Stopped):
        client.post("/v1/x", {})


@pytest.mark.parametrize("url", ["ftp://127.0.0.1", "127.0.0.1:8000", "", "http://"])
def test_an_address_is_one_of_http(url: str) -> None:
    with pytest.raises(ValueError, match="no address like"):
        Client(url, "token")


def test_threads_have_connections_of_their_own(service: Service, client: Client) -> None:
    def post_some() -> None:
        for _ in range(20):
            client.post("/v1/x", {})

    threads: list[threading.Thread] = []
    run: Callable[[], None] = post_some
    for _ in range(4):
        threads.append(threading.Thread(target=run))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(service.seen) == 80
    assert len(client._connections) == 4
