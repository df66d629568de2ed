"""What happens at twice the rate that can be served: ``python -m bench.overload``.

First as many rounds are posted as a few clients can get answered; then twice as many a second, whether
they are answered or not; then it is seen how soon a single client is served as before. Limits by key
are off, so that what is refused is refused for want of room.
"""

import http.client
import json
import queue
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from bench.memory import serving
from bench.timing import table
from service.example import ROUND

CLIENTS = 8
FULL_SECONDS = 5.0
TWICE_SECONDS = 15.0
PATIENT_CLIENTS = 400
TIMEOUT = 30
#: A client on its own counts as served as before when it has its answer by then.
SOON = 0.1


@dataclass
class Answers:
    """Of each status how many there were, and after how many seconds."""

    seconds: dict[int, list[float]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, status: int, seconds: float) -> None:
        with self.lock:
            self.seconds.setdefault(status, []).append(seconds)

    @property
    def counts(self) -> Counter[int]:
        return Counter({status: len(times) for status, times in self.seconds.items()})


class Caller:
    """Posts rounds on a connection of its own."""

    def __init__(self, port: int, key: str) -> None:
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.body = json.dumps(ROUND)
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)

    def post(self) -> int:
        """The status of the answer; 0 if there was none."""
        try:
            self.line.request("POST", "/v1/rounds", self.body, self.headers)
            answer = self.line.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            self.line.close()
            return 0
        return answer.status


def at_full(port: int, key: str) -> float:
    """Rounds a second that a few clients get stored."""
    until = time.monotonic() + FULL_SECONDS
    stored = Answers()

    def go_on() -> None:
        caller = Caller(port, key)
        while time.monotonic() < until:
            stored.add(caller.post(), 0)

    _together([threading.Thread(target=go_on) for _ in range(CLIENTS)])
    return stored.counts[201] / FULL_SECONDS


def at_rate(port: int, key: str, rate: float) -> Answers:
    """Send so many a second, each at its time; seconds are counted from then."""
    due: queue.SimpleQueue[float | None] = queue.SimpleQueue()
    answers = Answers()

    def go_on() -> None:
        caller = Caller(port, key)
        while (when := due.get()) is not None:
            answers.add(caller.post(), time.monotonic() - when)
            caller.line.close()

    threads = [threading.Thread(target=go_on) for _ in range(PATIENT_CLIENTS)]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    for number in range(int(rate * TWICE_SECONDS)):
        when = began + number / rate
        time.sleep(max(0.0, when - time.monotonic()))
        due.put(when)
    for _ in threads:
        due.put(None)
    for thread in threads:
        thread.join()
    return answers


def recovery(port: int, key: str) -> float:
    """Seconds until a client on its own is served as before, five times in a row."""
    began, good = time.monotonic(), 0
    caller = Caller(port, key)
    while good < 5:
        sent = time.monotonic()
        served = caller.post() == 201 and time.monotonic() - sent < SOON
        good = good + 1 if served else 0
    return time.monotonic() - began


def _together(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def p99(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=100)[98] if len(seconds) > 1 else seconds[0]


def measure() -> dict[str, float]:
    with serving(workers=2, worker_class=None) as (port, key, _):
        full = at_full(port, key)
        answers = at_rate(port, key, 2 * full)
        after = recovery(port, key)
    rows = {"stored a second at full load": f"{full:8.0f}", "sent a second": f"{2 * full:8.0f}"}
    for status, times in sorted(answers.seconds.items()):
        each = f"{len(times):8}   median {statistics.median(times):5.2f} s   p99 {p99(times):5.2f} s"
        rows[f"answered {status or 'not at all'}"] = each
    rows["served as before after"] = f"{after:8.2f} s"
    table(f"At twice the rate that can be served, for {TWICE_SECONDS:.0f} s", rows)
    kept = answers.seconds.get(201, [0.0])
    return {"full": full, "accepted p99": p99(kept), "recovery": after}


if __name__ == "__main__":
    measure()
