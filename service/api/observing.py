"""What is told of every request: one line in the log, and counts for Prometheus."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

import structlog
from flask import Response, g, request

from service import logs, metrics
from service.rules.ruleset import RuleSet

log = structlog.get_logger(__name__)

#: Asked every few seconds by machines; their lines would bury the others.
PROBES = frozenset(("/livez", "/readyz", "/metrics"))


def begin() -> None:
    """The request has its id (``g.request_id``), and begins."""
    g.began = time.perf_counter()
    logs.begin_request(g.request_id)


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
    told = _Told(response)
    if response.is_streamed and response.content_length is None:
        response.response = told.count(response.response)
        response.call_on_close(told.tell)
    else:
        told.tell()
    return response


class _Told:
    """What is to be told of an answer, also when the request's own context is gone."""

    def __init__(self, response: Response) -> None:
        key = g.get("key")
        self.key: str | None = key.name if key is not None else None
        self.method = request.method
        self.route = request.url_rule.rule if request.url_rule is not None else None
        self.status = response.status_code
        self.bytes = 0 if self.method == "HEAD" else response.content_length or 0
        self.began: float = g.began

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
        tell = log.debug if self.route in PROBES else log.info
        tell(
            "request",
            key=self.key,
            method=self.method if self.method in metrics.METHODS else metrics.OTHER_METHOD,
            route=self.route or metrics.NO_ROUTE,
            status=self.status,
            ms=round(seconds * 1000, 2),
            bytes=self.bytes,
        )
