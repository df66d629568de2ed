"""What is counted, for Prometheus: one place that names every metric, its labels and what it means.

Workers count in files under ``PROMETHEUS_MULTIPROC_DIR``, if that is set before this module is imported;
whichever worker is asked adds up all of them. Without it (in tests, say) this process is all there is.
Every label has few values: routes are rules and not paths, methods and rule sets are known ones.
"""

import os
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Protocol

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector

from service.rules.ruleset import BUILT_IN, RuleSet

MEDIA_TYPE = "text/plain"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

#: Of a request that no rule matches, and of a method that HTTP does not have.
NO_ROUTE, OTHER_METHOD = "none", "other"
#: Of every rule set that is not published.
HOUSE = "house"

#: Methods that are told by their names.
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
# Scoring takes single milliseconds, a page tens, an audit of a long match seconds.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_PUBLISHED = frozenset(ruleset.id for ruleset in BUILT_IN.values())

# Times of first counting, which several workers could not tell either.
disable_created_metrics()  # type: ignore[no-untyped-call]

registry = CollectorRegistry()

if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
    # Each count looks whose file it is in: by what is noted here at a fork, and not by a system call.
    _process = {"id": os.getpid()}
    os.register_at_fork(after_in_child=lambda: _process.update(id=os.getpid()))
    values.ValueClass = values.MultiProcessValue(lambda: _process["id"])  # type: ignore[no-untyped-call]


def _counter(name: str, about: str, *labels: str) -> Counter:
    return Counter(f"susun_{name}", about, labels, registry=registry)


def _gauge(name: str, about: str) -> Gauge:
    # Summed over the workers that live.
    return Gauge(f"susun_{name}", about, registry=registry, multiprocess_mode="livesum")


REQUESTS = _counter("requests", "Requests answered.", "route", "method", "status")
SECONDS = Histogram(
    "susun_request_seconds",
    "Time from the request's being read to its answer; of a stream, to its last piece.",
    ("route",),
    registry=registry,
    buckets=_SECONDS,
)
ROUNDS = _counter("rounds_scored", "Rounds scored, kept or only answered.", "ruleset", "kept")
REPLAYS = _counter(
    "idempotent_replays", "Requests sent again under their Idempotency-Key and not done again."
)
AUDITS = _counter("audits", "Audits asked for over HTTP.")
FINDINGS = _counter("audit_findings", "What these audits found.", "code")
STREAMS = _gauge("streams_open", "Lists of rounds that are being sent as streams.")
POOL_SIZE = _gauge("pool_size", "Connections to Postgres that the workers keep at most.")
POOL_IN_USE = _gauge("pool_checked_out", "Connections to Postgres in use.")
POOL_OVERFLOW = _gauge("pool_overflow", "Connections to Postgres open beyond those that are kept.")
POOL_WAITS = _counter(
    "pool_waits", "Times that all connections were in use, and one had to be waited for."
)
POOL_TIMEOUTS = _counter("pool_timeouts", "Times that none became free while it was waited for.")

# Looking up a child by its labels takes as long as counting does.
_requests: dict[tuple[str, str, int], Any] = {}
_seconds: dict[str, Any] = {}
_rounds: dict[tuple[str, bool], Any] = {}


def count_request(route: str | None, method: str, status: int, seconds: float) -> None:
    """Count an answer; ``route`` is the rule of its address, None where there is none."""
    route = route or NO_ROUTE
    method = method if method in METHODS else OTHER_METHOD
    key = (route, method, status)
    requests = _requests.get(key)
    if requests is None:
        requests = _requests[key] = REQUESTS.labels(route, method, str(status))
    requests.inc()
    histogram = _seconds.get(route)
    if histogram is None:
        histogram = _seconds[route] = SECONDS.labels(route)
    histogram.observe(seconds)


def count_round(ruleset: RuleSet, *, kept: bool, rounds: int = 1) -> None:
    """Count a scored round, or several; ``kept`` if they have been stored."""
    key = ruleset.id if ruleset.id in _PUBLISHED else HOUSE, kept
    counter = _rounds.get(key)
    if counter is None:
        counter = _rounds[key] = ROUNDS.labels(key[0], "yes" if kept else "no")
    counter.inc(rounds)


def count_audit(codes: Iterable[str]) -> None:
    """Count an audit and the codes of its findings."""
    AUDITS.inc()
    for code in codes:
        FINDINGS.labels(code).inc()


class Pool(Protocol):
    """What is to be known of a pool of connections."""

    def size(self) -> int:
        """How many connections it keeps at most."""

    def overflow(self) -> int:
        """How many there are beyond those that it keeps; below 0 as long as it could keep more."""


class PoolWatch:
    """Tells of one pool: a ``service.database.Watch``. Of several in a process the sum is shown."""

    def __init__(self, pool: Callable[[], Pool], most: int) -> None:
        """``most``: how many connections the pool makes before one must be waited for."""
        self._pool, self._most = pool, most
        self._lock = Lock()
        self._in_use = self._overflow = 0
        POOL_SIZE.inc(pool().size())

    def before(self) -> None:
        """A connection is about to be taken."""
        if self._in_use >= self._most:
            POOL_WAITS.inc()

    def changed(self, by: int) -> None:
        """A connection has been taken (1) or given back (-1)."""
        with self._lock:
            self._in_use += by
            POOL_IN_USE.inc(by)
            overflow = max(self._pool().overflow(), 0)
            if overflow != self._overflow:
                POOL_OVERFLOW.inc(overflow - self._overflow)
                self._overflow = overflow

    def timed_out(self) -> None:
        """None became free in time."""
        POOL_TIMEOUTS.inc()


def exposition() -> bytes:
    """All metrics of all workers, as Prometheus reads them."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(registry)
    everybody = CollectorRegistry()
    MultiProcessCollector(everybody)  # type: ignore[no-untyped-call]
    return generate_latest(everybody)
