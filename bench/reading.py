"""Measure reads of a large record, and look at the plans of their queries.

``python -m bench.reading`` reads the database that ``python -m bench.fill`` has filled: that of
DATABASE_URL, or the one in ``--home``. The service runs in this process, without a network.
Ends with an error where a goal is missed or a large table is scanned.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Engine, event, text

from app import create_app
from bench.fill import database
from service.database import Database
from service.record import keys
from service.warm_up import warm_up

MEDIAN, P99 = 5.0, 20.0
REPEATS = 400
#: Smaller tables may be read whole.
LARGE = 50_000


class Samples:
    """Players, matches and rounds to ask for; some players have played much, most have not."""

    def __init__(self, connection: Any, chance: random.Random) -> None:
        self.chance = chance
        self.lists = {
            name: list(connection.scalars(text(query)))
            for name, query in {
                "player": "SELECT player FROM player_totals ORDER BY random() LIMIT 500",
                "busiest": "SELECT player FROM player_totals ORDER BY rounds DESC LIMIT 20",
                "match": "SELECT id FROM matches ORDER BY random() LIMIT 500",
                "round": "SELECT id FROM rounds TABLESAMPLE system (0.1) ORDER BY random() LIMIT 500",
                "since": "SELECT date(created_at) FROM matches ORDER BY random() LIMIT 100",
            }.items()
        }

    def __call__(self, name: str) -> str:
        return str(self.chance.choice(self.lists[name]))


#: What is asked, and whether it has to reach the goals: those that people wait for do.
ASKED: dict[str, tuple[str, bool]] = {
    "newest 50 rounds of a player": ("/v1/rounds?limit=50&player={player}", True),
    "the same, of the busiest": ("/v1/rounds?limit=50&player={busiest}", True),
    "a round": ("/v1/rounds/{round}", True),
    "a match with standings": ("/v1/matches/{match}", True),
    "a player's totals": ("/v1/players/{player}", True),
    "newest 50 rounds": ("/v1/rounds?limit=50", False),
    "rounds of a match": ("/v1/rounds?match={match}", False),
    "rounds of a rule set": ("/v1/rounds?ruleset=panduan", False),
    "rounds of a rule set of none": ("/v1/rounds?ruleset=gratis", False),
    "rounds since": ("/v1/rounds?since={since}T00:00:00Z", False),
    "rounds until": ("/v1/rounds?until={since}T00:00:00Z", False),
    "rounds corrected": ("/v1/rounds?status=corrected", False),
    "rounds void": ("/v1/rounds?status=void", False),
    "rounds void until": ("/v1/rounds?status=void&until={since}T00:00:00Z", False),
    "rounds void of a rule set": ("/v1/rounds?status=void&ruleset=panduan", False),
    "rounds of a player until": ("/v1/rounds?player={player}&until={since}T00:00:00Z", False),
    "rounds of a player since": ("/v1/rounds?player={player}&since={since}T00:00:00Z", False),
    "rounds void of a player": ("/v1/rounds?player={player}&status=void", False),
    "rounds void of the busiest": ("/v1/rounds?player={busiest}&status=void", False),
    "rounds of a player by rule set": ("/v1/rounds?player={busiest}&ruleset=gratis", False),
    "revisions of a round": ("/v1/rounds/{round}/revisions", False),
    "matches": ("/v1/matches", False),
    "matches of a player": ("/v1/matches?player={player}", False),
    "matches of the busiest": ("/v1/matches?player={busiest}", False),
    "matches open of the busiest": ("/v1/matches?player={busiest}&status=open", False),
    "matches open": ("/v1/matches?status=open", False),
    "matches of a rule set": ("/v1/matches?ruleset=panduan", False),
    "matches until": ("/v1/matches?until={since}T00:00:00Z", False),
}


@contextmanager
def _noted(engine: Engine) -> Iterator[list[tuple[str, Any]]]:
    """The queries that run meanwhile, and their parameters."""
    found: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, query: str, values: Any, *_: Any) -> None:
        if query.startswith("SELECT"):
            found.append((query, values))

    event.listen(engine, "before_cursor_execute", note)
    yield found
    event.remove(engine, "before_cursor_execute", note)


def _times(client: FlaskClient, address: Callable[[], str], repeats: int) -> tuple[list[float], float]:
    """What requests took, in order, and what the service computed for each; Postgres not included."""
    milliseconds, computed = [], 0.0
    for number in range(repeats + 20):
        if number == 20:
            computed = time.process_time()
        path = address()
        begun = time.perf_counter()
        answer = client.get(path)
        taken = 1000 * (time.perf_counter() - begun)
        assert answer.status_code == 200, (path, answer.text)
        if number >= 20:
            milliseconds.append(taken)
    return sorted(milliseconds), 1000 * (time.process_time() - computed) / repeats


def _plans(store: Database, client: FlaskClient, path: str) -> tuple[list[str], list[str]]:
    """How the queries of a request run, and which large tables they read whole."""
    with _noted(store.engine) as queries:
        client.get(path)
    lines, scanned = [], []
    with store.transaction() as connection:
        large = connection.scalars(
            text("SELECT relname FROM pg_class WHERE reltuples > :large AND relkind = 'r'"),
            {"large": LARGE},
        ).all()
        for query, values in queries:
            plan = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS OFF) {query}", values)
            for (line,) in plan:
                lines.append(line)
                if any(f"Seq Scan on {table}" in line for table in large):
                    scanned.append(line.strip())
    return lines, scanned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=Path(".local/bench"))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--plans", action="store_true", help="print every plan")
    options = parser.parse_args()
    missed = []
    with database(options.home) as url:
        app = create_app({"database_url": url, "key_rate": None, "address_rate": None})
        store: Database = app.extensions["susun_database"]
        with store.transaction() as connection:
            token = keys.create(connection, "bench.reading", keys.SCOPES)
            samples = Samples(connection, random.Random(1))
        warm_up()
        client = app.test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        print(f"{'':34}  median     p99     CPU   (ms, {options.repeats} each)")
        for name, (pattern, has_goal) in ASKED.items():

            def address(pattern: str = pattern) -> str:
                return pattern.format_map(_Chosen(samples))

            lines, scanned = _plans(store, client, address())
            repeats = options.repeats if has_goal else options.repeats // 10
            found, computed = _times(client, address, repeats)
            median, p99 = statistics.median(found), found[int(len(found) * 0.99)]
            print(
                f"{name:34}  {median:6.2f}  {p99:6.2f}  {computed:6.2f}  {' '.join(scanned)}", flush=True
            )
            if options.plans:
                print(*lines, sep="\n")
            if scanned or (has_goal and (median > MEDIAN or p99 > P99)):
                missed.append(name)
        with store.transaction() as connection:
            keys.revoke(connection, "bench.reading")
        store.close()
    if missed:
        sys.exit(f"missed: {', '.join(missed)}")


class _Chosen(dict[str, str]):
    """Fills a pattern with samples."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples

    def __missing__(self, name: str) -> str:
        return self.samples(name)


if __name__ == "__main__":
    main()
