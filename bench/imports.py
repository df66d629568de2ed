"""Many at once: ``python -m bench.imports``.

Rounds scored over HTTP as lines, by one worker; and matches imported, by the call and by the command,
held against a COPY of the very rows that importing made, into the same database, emptied before. The
database is durable: it waits for its disk.
"""

import http.client
import io
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
import psycopg2
from sqlalchemy import make_url

from bench.fill import ROUNDS_A_MATCH, arranged
from bench.timing import table
from service.database import Database
from service.embedded_postgres import EmbeddedPostgres
from service.record import keys
from service.record.importing import TABLES
from service.rules.cards import NAMES
from service.setup import prepare_database
from tests.gunicorns import serving

SCORED = 100_000
MATCHES = 3_000
TURNS = 3
_NDJSON = "application/x-ndjson"
_DEALS = 2_000
_COPIED = (*TABLES, "player_totals", "imports")


def rounds(count: int) -> Iterator[dict[str, Any]]:
    """Rounds of four, arranged as a quick player would."""
    chance = random.Random(1)
    for _ in range(count):
        deck = list(range(52))
        chance.shuffle(deck)
        seats = []
        for place in range(4):
            cards = [NAMES[card] for card in arranged(deck[13 * place : 13 * place + 13])]
            rows = {"top": cards[:3], "middle": cards[3:8], "bottom": cards[8:]}
            seats.append({"player": f"player {place}", **rows})
        yield {"seats": seats}


def matches() -> Iterator[bytes]:
    """Lines of an import: matches of ten rounds among a hundred players."""
    chance, deals = random.Random(2), [round_["seats"] for round_ in rounds(_DEALS)]
    for number in range(MATCHES):
        players = [f"player {name}" for name in chance.sample(range(100), 4)]
        played = []
        for _ in range(ROUNDS_A_MATCH):
            seats = zip(players, chance.choice(deals), strict=True)
            played.append({"seats": [{**seat, "player": player} for player, seat in seats]})
        yield orjson.dumps({"key": str(number), "players": players, "stake": 500, "rounds": played})


class Answer:
    """What came back: its lines, the seconds it took, and those of the worker's processor."""

    def __init__(self, port: int, worker: int, path: str, token: str, body: bytes) -> None:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": _NDJSON}
        before, began = processor(worker), time.perf_counter()
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=600)) as line:
            line.request("POST", path, body, headers)
            answer = line.getresponse()
            assert answer.status == 200, answer.read()
            self.lines, self.last = 0, b""
            while some := answer.read(1 << 20):
                self.lines += some.count(b"\n")
                self.last = (self.last + some)[-500:]
        self.seconds = time.perf_counter() - began
        self.processor = processor(worker) - before


def processor(pid: int) -> float:
    """The seconds that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def empty(url: str) -> None:
    with closing(psycopg2.connect(url)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(f"TRUNCATE {', '.join(reversed(_COPIED))} CASCADE")


def take_out(url: str) -> dict[str, bytes]:
    """All rows that an import has made, as COPY writes them."""
    found = {}
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        for name in _COPIED:
            buffer = io.BytesIO()
            cursor.copy_expert(f"COPY {name} TO STDOUT", buffer)
            found[name] = buffer.getvalue()
    return found


def copy(url: str, rows: dict[str, bytes]) -> float:
    """Seconds that COPY takes for them, in one transaction."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        began = time.perf_counter()
        for name, lines in rows.items():
            cursor.copy_expert(f"COPY {name} FROM STDIN", io.BytesIO(lines))
        connection.commit()
        return time.perf_counter() - began


@contextmanager
def service() -> Iterator[tuple[str, str, int, int]]:
    """A durable database with a key, and one worker on it: address, key, port and process."""
    with tempfile.TemporaryDirectory(prefix="susun-bench-") as home:
        Path(home).chmod(0o755)  # Postgres may run as another user
        with EmbeddedPostgres(Path(home) / "postgres") as server:
            prepare_database(server.url)
            with closing(Database(server.url)) as database, database.transaction() as connection:
                token = keys.create(connection, "bench", keys.SCOPES)
            settings = {"SUSUN_KEY_RATE": "off", "SUSUN_ADDRESS_RATE": "off"}
            with serving(
                server.url, Path(home), workers=1, SUSUN_LOG_LEVEL="warning", **settings
            ) as gunicorn:
                (worker,) = gunicorn.workers()
                plain = make_url(server.url).set(drivername="postgresql")
                address = plain.render_as_string(hide_password=False)
                yield address, token, gunicorn.port, worker


def by_command(url: str, path: Path) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "service", "import", str(path)]
    subprocess.run(command, env={**os.environ, "DATABASE_URL": url}, check=True, capture_output=True)
    return time.perf_counter() - began


def score_many(port: int, worker: int, token: str) -> Iterator[tuple[float, float]]:
    """Rounds a second, and microseconds of the worker's processor a round; of each turn."""
    lines = [orjson.dumps(round_) for round_ in rounds(_DEALS)]
    body = b"\n".join(lines * (SCORED // _DEALS))
    for _ in range(TURNS):
        answer = Answer(port, worker, "/v1/score", token, body)
        assert answer.lines == SCORED
        yield SCORED / answer.seconds, answer.processor / SCORED * 1e6


def import_many(url: str, token: str, port: int, worker: int) -> dict[str, list[float]]:
    """Seconds of importing by call and by command, and of COPY; they take turns."""
    body = b"\n".join(matches())
    seconds: dict[str, list[float]] = {"call": [], "command": [], "copy": []}
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        for _ in range(TURNS):
            empty(url)
            answer = Answer(port, worker, "/v1/imports", token, body)
            assert f'"imported":{MATCHES}'.encode() in answer.last, answer.last
            seconds["call"].append(answer.seconds)
            rows = take_out(url)
            empty(url)
            seconds["copy"].append(copy(url, rows))
            empty(url)
            seconds["command"].append(by_command(url, Path(file.name)))
    return seconds


def measure() -> dict[str, Any]:
    """Print and return the figures: medians of turns."""
    with service() as (url, token, port, worker):
        scored = list(score_many(port, worker, token))
        seconds = import_many(url, token, port, worker)
    middle: Callable[[Sequence[float]], float] = statistics.median
    a_second, micros = (middle(values) for values in zip(*scored, strict=True))
    count = MATCHES * ROUNDS_A_MATCH
    found: dict[str, Any] = {
        "scored_a_second": round(a_second),
        "scored_processor_us": round(micros, 1),
        "scored_a_second_a_core": round(1e6 / micros),
    }
    shown = {
        "rounds scored a second over HTTP": f"{a_second:,.0f}",
        "... of the worker's processor": f"{micros:.1f} us each, {1e6 / micros:,.0f} a second a core",
        "COPY alone": f"{count / middle(seconds['copy']):,.0f} rounds a second",
    }
    for name in ("call", "command"):
        ratios = [copied / took for copied, took in zip(seconds["copy"], seconds[name], strict=True)]
        rate = count / middle(seconds[name])
        found[f"imported_a_second_by_{name}"], found[f"{name}_to_copy"] = round(rate), middle(ratios)
        shown[f"imported by {name}"] = f"{rate:,.0f} rounds a second, {middle(ratios):.2f} of COPY"
    table("Many at once", shown)
    return found


if __name__ == "__main__":
    measure()
