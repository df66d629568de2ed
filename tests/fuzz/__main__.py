"""``python -m tests.fuzz --requests 100000``: ends with 1 if anything is wrong."""

import argparse
import copy
import http.client
import random
import re
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click

from service.auditing import audit_everything
from service.database import Database
from service.record import keys
from service.setup import prepare
from tests.api.requests import PLAYERS, ROUND
from tests.fuzz.mutations import encoded, head_of, mutate
from tests.fuzz.samples import QUERIES, Sample, templates
from tests.gunicorns import serving
from tests.servers import fresh_server

_TIMEOUT = 20
_MOST_GROWTH = 1.25
_SHOWN = 5


class Fuzzer:
    """Sends mutated requests over one connection after another, and counts what comes back."""

    def __init__(self, port: int, key: str, seed: int) -> None:
        self.port, self.key, self.chance = port, key, random.Random(seed)
        self.templates = templates()
        self.line: socket.socket | None = None
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.unanswered = 0
        self.known: dict[str, list[str]] = {}

    def learn(self) -> None:
        """Ids of what there is, for paths."""
        match = self.ask("POST", "/v1/matches", {"players": list(PLAYERS), "rounds": 1000})
        kept = self.ask("POST", f"/v1/matches/{match['id']}/rounds", ROUND)
        alone = self.ask("POST", "/v1/rounds", ROUND)
        plan = {"name": "fuzz", "stages": 20, "players": [f"player {n}" for n in range(9)]}
        event = self.ask("POST", "/v1/tournaments", plan)
        self.known = {
            "match_id": [match["id"]],
            "round_id": [kept["id"], alone["id"]],
            "ruleset": ["panduan", "bsfyi", "fuzz-house"],
            "player": ["andi", "nobody", "%00", "a/b"],
            "revision": ["1", "2", "0", "x"],
            "tournament_id": [event["id"]],
            "stage": ["1", "2", "0", "x"],
        }

    def ask(self, method: str, path: str, document: Any) -> Any:
        """Send a good request; returns what its answer says."""
        import requests  # noqa: PLC0415

        headers = {"Authorization": f"Bearer {self.key}"}
        answer = requests.request(
            method, f"http://127.0.0.1:{self.port}{path}", json=document, headers=headers, timeout=10
        )
        answer.raise_for_status()
        return answer.json()

    def sample(self) -> Sample:
        """A request of some call, as it should be but for its ids."""
        method, path, bodies, in_lines = self.chance.choice(self.templates)

        def put(found: re.Match[str]) -> str:
            return self.chance.choice(self.known.get(found[1], ["00000000-0000-7000-8000-000000000000"]))

        query = self.chance.choice(QUERIES) if method == "GET" and self.chance.random() < 0.3 else ""
        headers = {"Authorization": f"Bearer {self.key}"}
        sample = Sample(method, re.sub(r"<(?:\w+:)?(\w+)>", put, path), query, headers)
        if bodies:
            sample.document = copy.deepcopy(self.chance.choice(bodies))
            sample.in_lines = in_lines
            headers["Content-Type"] = "application/x-ndjson" if in_lines else "application/json"
        return sample

    def send(self) -> None:
        """Send one request and look at its answer."""
        sample = self.sample()
        mutate(sample, self.chance)
        body = encoded(sample)
        head = sample.head if sample.head is not None else head_of(sample, body)
        plain = sample.head is None and not {"Content-Length", "Transfer-Encoding", "Expect"} & set(
            sample.headers
        )
        try:
            status, kind, text = self._exchange(head + body, sample.method, keep=plain)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            self.unanswered += 1
            if plain:
                self.wrong.append(f"no answer ({error!r}) to {head + body!r}")
            return
        self.statuses[status] += 1
        problem = kind.startswith("application/problem+json") or sample.method == "HEAD"
        # Among lines, too.
        fault = status >= 500 or b"/problems/internal-error" in text
        if fault or (status >= 400 and not problem):
            self.wrong.append(f"{status} {kind} {text[:300]!r} to {head + body!r}")

    def close(self) -> None:
        """Hang up."""
        if self.line is not None:
            self.line.close()
            self.line = None

    def _exchange(self, sent: bytes, method: str, *, keep: bool) -> tuple[int, str, bytes]:
        if self.line is None:
            self.line = socket.create_connection(("127.0.0.1", self.port), timeout=_TIMEOUT)
        self.line.sendall(sent)
        if not keep:
            # Else what is announced and never comes would be waited for.
            self.line.shutdown(socket.SHUT_WR)
        response = http.client.HTTPResponse(self.line, method=method)
        response.begin()
        text = response.read()
        kind = response.getheader("Content-Type", "")
        if not keep or response.will_close:
            self.close()
        return response.status, kind, text


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    (pages,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(pages) * 1024


def fuzz(count: int, seed: int) -> bool:
    """Send so many; prints the figures, and returns whether all is right."""
    with tempfile.TemporaryDirectory(prefix="susun-fuzz-") as directory, fresh_server() as server:
        prepare(server.url, Path(directory))
        database = Database(server.url)
        with database.transaction() as connection:
            key = keys.create(connection, "fuzz", keys.SCOPES)
        settings = {"SUSUN_KEY_RATE": "off", "SUSUN_ADDRESS_RATE": "off", "SUSUN_LOG_LEVEL": "error"}
        with serving(server.url, Path(directory), workers=1, **settings) as gunicorn:
            (worker,) = gunicorn.workers()
            fuzzer = Fuzzer(int(gunicorn.base.rpartition(":")[2]), key, seed)
            fuzzer.learn()
            began, early = time.monotonic(), 0
            with click.progressbar(range(count), label="fuzzing", file=sys.stderr) as bar:
                for number in bar:
                    fuzzer.send()
                    if number == count // 5:
                        early = resident(worker)
            fuzzer.close()
            late = resident(worker)
            same = gunicorn.workers() == {worker}
            logged = gunicorn.text()
        report = audit_everything(server.url)
        database.close()
    for line in fuzzer.wrong[:_SHOWN]:
        print(line, file=sys.stderr)
    if logged:
        print(logged[:2000], file=sys.stderr)
    growth, findings = late / early, len(report.findings)
    print(f"seed {seed}: {count} requests in {time.monotonic() - began:.0f} s")
    print("statuses", dict(sorted(fuzzer.statuses.items())), "unanswered", fuzzer.unanswered)
    print(f"wrong {len(fuzzer.wrong)}, logged {len(logged.splitlines())}, worker died: {not same}")
    print(f"memory after a fifth {early / 2**20:.1f} MB, in the end {late / 2**20:.1f} MB: {growth:.2f}")
    print(f"audit of {report.rounds} rounds: {findings} findings")
    return not fuzzer.wrong and not logged and same and growth < _MOST_GROWTH and not findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    return 0 if fuzz(arguments.requests, arguments.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
