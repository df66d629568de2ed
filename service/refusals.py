"""What gunicorn itself refuses, answered as a problem like everything else: it would answer with HTML.

It does so before there is a request, so that no language and no address can be told, and the id is new.
Its own text, which may repeat what was sent, stays in the log.
"""

import socket
from http import HTTPStatus
from uuid import uuid4

import gunicorn.util
import orjson

from service.api.problems import MEDIA_TYPE, PROBLEMS, RETRY_SECONDS

_NAMES = {414: "uri-too-long", 431: "header-fields-too-large"}
# A Transfer-Encoding that nobody knows is the fault of who sent it, and no 5xx to be called out for.
_INSTEAD = {501: 400}


def install() -> None:
    """Let every worker of this process, and of those forked from it, answer so, of whatever class."""
    gunicorn.util.write_error = write_problem


def write_problem(sock: socket.socket, status: int, reason: str, detail: str) -> None:
    """Stands in for gunicorn.util.write_error: sends an answer, and never waits for its reader."""
    gunicorn.util.write_nonblock(sock, answer(status))


def answer(status: int) -> bytes:
    """The whole answer that a status makes."""
    status = _INSTEAD.get(status, status)
    return message(_NAMES.get(status, "malformed-request" if status < 500 else "internal-error"), status)


def message(name: str, status: int | None = None) -> bytes:
    """The whole answer that a problem makes, where no request can be read."""
    known, title, about = PROBLEMS[name]
    status = status or known
    request_id = uuid4().hex
    body = orjson.dumps(
        {
            "type": f"/problems/{name}",
            "title": title,
            "status": status,
            "detail": about,
            "request_id": request_id,
        }
    )
    head = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Connection: close",
        f"Content-Type: {MEDIA_TYPE}",
        f"Content-Length: {len(body)}",
        "Content-Language: en",
        f"X-Request-ID: {request_id}",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
    ]
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        head.append(f"Retry-After: {RETRY_SECONDS}")
    return "\r\n".join([*head, "", ""]).encode("ascii") + body
