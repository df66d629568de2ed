"""What is told of every request: one line in the log, and counts for Prometheus."""

import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any

from flask import Response, g, request

from service import logs, metrics
from service.rules.ruleset import RuleSet

#: Asked every few seconds by machines; their lines would bury the others.
PROBES = frozenset(("/livez", "/readyz", "/metrics"))


def begin(request_id: str) -> None:
    """The request has its id, and begins."""
    g.began = time.perf_counter()
    logs.begin_request(request_id)


def scored(ruleset: RuleSet, *, kept: bool) -> None:
    """A round has been scored; it counts if the request succeeds."""
    g.setdefault("scored", []).append((ruleset, kept))


def finish(response: Response) -> Response:
    """The answer is complete, but for the pieces of a stream: tell of it now, or when those are sent."""
    if response.status_code < 400:
        for ruleset, kept in g.get("scored", ()):
            metrics.count_round(ruleset, kept=kept)
    if "Idempotency-Replayed" in response.headers:
        metrics.REPLAYS.inc()
    size = response.content_length
    told = _Told(response, size or 0)
    if size is None and response.is_streamed:
        response.response = told.count(response.response)
        response.call_on_close(told.tell)
    else:
        told.tell()
    return response


class _Told:
    """What is to be told of an answer, also when the request's own context is gone."""

    def __init__(self, response: Response, size: int) -> None:
        key = g.get("key")
        self.key: str | None = key.name if key is not None else None
        self.method = request.method
        rule = request.url_rule
        self.route = rule.rule if rule is not None else None
        self.status = response.status_code
        self.bytes = 0 if self.method == "HEAD" else size
        self.began: float = g.began
        self.request_id: str = g.request_id

    def count(self, pieces: Iterable[Any]) -> Iterator[Any]:
        """The pieces of a stream, their bytes counted as they pass."""
        try:
            for piece in pieces:
                self.bytes += len(piece)
                yield piece
        finally:
            close = getattr(pieces, "close", None)
            if close is not None:
                close()

    def tell(self) -> None:
        """Log the line and count the request."""
        seconds = time.perf_counter() - self.began
        metrics.count_request(self.route, self.method, self.status, seconds)
        line = {
            "key": self.key,
            "method": self.method if self.method in metrics.METHODS else metrics.OTHER_METHOD,
            "route": self.route or metrics.NO_ROUTE,
            "status": self.status,
            "ms": round(seconds * 1000, 2),
            "bytes": self.bytes,
            "request_id": self.request_id,
        }
        logs.tell_request(logging.DEBUG if self.route in PROBES else logging.INFO, line)
