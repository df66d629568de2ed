"""Measure a large tournament: standings, polling, and posting rounds while screens poll.

``python -m bench.tournament`` plays one of 10,000 players and 25,000 rounds through the functions that
the service uses, in the database of DATABASE_URL or in a Postgres of its own in ``--home``, then serves
it by gunicorn and asks. What has been played once is asked again the next time.
"""

import argparse
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import UUID

import requests
from sqlalchemy import select

from bench.fill import arranged, database
from service.database import Database
from service.record import keeping, keys, matches, tables
from service.rules.cards import NAMES
from service.rules.reading import Seat
from service.rules.ruleset import BUILT_IN
from service.tournaments import stages, store
from tests.gunicorns import serving

ROUNDS, STAGES, POLLERS, EVERY = 5, 3, 50, 1.0


def deal(chance: random.Random, players: Sequence[str]) -> list[Seat]:
    deck = list(range(52))
    chance.shuffle(deck)
    hands = (deck[13 * place : 13 * place + 13] for place in range(len(players)))
    return [Seat(player, tuple(arranged(hand))) for player, hand in zip(players, hands, strict=True)]


def _play(task: tuple[str, list[str], int]) -> None:
    """Play matches to their end, or to a number of rounds."""
    url, match_ids, rounds = task
    chance, base = random.Random(match_ids[0]), Database(url, pool_size=1)
    for match_id in match_ids:
        for _ in range(rounds):
            with base.transaction() as connection:
                frame = matches.lock_frame(connection, UUID(match_id))
                seats = deal(chance, frame.players)
                keeping.keep_match_round(connection, frame, seats, number=None, by="bench")
    base.close()


def play(url: str, players: int, rounds: int) -> str:
    """Open a tournament and play it, the last stage not at all; returns its id."""
    base = Database(url)
    with base.transaction() as connection:
        query = select(tables.tournaments.c.id).where(tables.tournaments.c.name == "bench")
        known = connection.scalars(query).first()
    if known is not None:
        return str(known)
    plan = store.Plan(
        name="bench",
        ruleset=BUILT_IN["panduan"],
        stake=100,
        table_size=4,
        stages=STAGES,
        rounds=ROUNDS,
        seating="spread",
        seed=1,
        rank_by="points_per_opponent",
        prizes=[1000, 500, 250],
    )
    names = [f"player {number:05}" for number in range(players)]
    with timed("opening with all players"), base.transaction() as connection:
        identifier = UUID(store.open_tournament(connection, plan, names, by="bench")["id"])
    left = rounds
    for stage in range(1, STAGES + 1):
        with timed(f"seating stage {stage}"), base.transaction() as connection:
            seated = stages.seat_stage(connection, identifier, None, by="bench")
        if stage == STAGES:
            break
        ids = [table["match"] for table in seated["tables"]]
        each = min(ROUNDS, left // len(ids))
        tasks = [(url, ids[start : start + 50], each) for start in range(0, len(ids), 50)]
        with timed(f"playing {each * len(ids):,} rounds"), get_context("spawn").Pool() as pool:
            for _ in pool.imap_unordered(_play, tasks):
                pass
        left -= each * len(ids)
        with base.transaction() as connection:
            query = select(tables.matches.c.id).where(
                tables.matches.c.tournament_id == identifier, tables.matches.c.status == "open"
            )
            for match_id in connection.scalars(query).all():
                matches.finish_match(connection, match_id, reason="bench")
    with base.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
    base.close()
    return str(identifier)


@contextmanager
def timed(what: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    print(f"{what:40}  {time.perf_counter() - begun:8.2f} s", flush=True)


def tell(what: str, milliseconds: list[float]) -> None:
    found = sorted(milliseconds)
    if found:
        median, p99 = statistics.median(found), found[int(len(found) * 0.99)]
        print(f"{what:40}  {median:8.1f} ms median  {p99:8.1f} ms p99  ({len(found)})", flush=True)


def measure(ask: Callable[[], requests.Response], repeats: int, status: int) -> list[float]:
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        answer = ask()
        taken.append(1000 * (time.perf_counter() - begun))
        assert answer.status_code == status, answer.text[:500]
    return taken


def poll(base: str, path: str, headers: dict[str, str], seconds: float, pipe: Any) -> None:
    """Screens that each ask once a second for what they have not; in a process of its own."""
    taken: dict[int, list[float]] = {200: [], 304: []}
    until = time.monotonic() + seconds

    def screen(number: int) -> None:
        session, tag = requests.Session(), ""
        time.sleep(EVERY * number / POLLERS)
        while time.monotonic() < until:
            begun = time.perf_counter()
            asked = {**headers, "If-None-Match": tag}
            answer = session.get(base + path, headers=asked, timeout=30, stream=True)
            answer.raw.read()  # not unpacked: each screen has a processor of its own
            spent = time.perf_counter() - begun
            taken[answer.status_code].append(1000 * spent)
            tag = answer.headers["ETag"]
            time.sleep(max(0.0, EVERY - spent))

    threads = [threading.Thread(target=screen, args=(number,)) for number in range(POLLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send(taken)


def ask(base: str, identifier: str, token: str, seconds: float) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    path, session = f"/v1/tournaments/{identifier}", requests.Session()
    session.headers.update(headers)

    def post(match: str, chance: random.Random) -> requests.Response:
        players = session.get(f"{base}/v1/matches/{match}").json()["players"]
        seats = [
            {
                "player": seat.player,
                "top": [NAMES[card] for card in seat.cards[:3]],
                "middle": [NAMES[card] for card in seat.cards[3:8]],
                "bottom": [NAMES[card] for card in seat.cards[8:]],
            }
            for seat in deal(chance, players)
        ]
        begun = time.perf_counter()
        answer = session.post(f"{base}/v1/matches/{match}/rounds", json={"seats": seats})
        posting.append(1000 * (time.perf_counter() - begun))
        assert answer.status_code == 201, answer.text
        return answer

    first = session.get(f"{base}{path}/standings")
    print(f"standings: {len(first.content) / 1e6:.1f} MB")
    tag = {"If-None-Match": first.headers["ETag"]}
    seated = session.get(f"{base}{path}/stages/{STAGES}").json()["tables"]
    seated = [table for table in seated if table["status"] == "open"]
    chance, posting = random.Random(2), []
    tell("304", measure(lambda: session.get(f"{base}{path}/standings", headers=tag), 300, 304))
    tell("standings again", measure(lambda: session.get(f"{base}{path}/standings"), 30, 200))
    fresh: list[float] = []
    for table in seated[:20]:
        post(table["match"], chance)
        fresh += measure(lambda: session.get(f"{base}{path}/standings"), 1, 200)
    tell("standings after a round", fresh)
    tell("a round posted, nobody polling", posting)
    as_csv = {"Accept": "text/csv"}
    tell("CSV", measure(lambda: session.get(f"{base}{path}/standings", headers=as_csv), 5, 200))
    tell("audit", measure(lambda: session.get(f"{base}{path}/audit"), 2, 200))
    for query in ("matches", "rounds"):
        address = f"{base}/v1/{query}?tournament={identifier}"
        found = measure(partial(session.get, address), 20, 200)
        tell(f"newest 50 {query} of the tournament", found)
    context, waiting = get_context("spawn"), iter(seated[20:])
    ours, theirs = context.Pipe()
    for pause, title in ((1.0, "a round a second"), (0.0, "round after round")):
        arguments = (base, f"{path}/standings", headers, seconds, theirs)
        screens = context.Process(target=poll, args=arguments)
        screens.start()
        time.sleep(3)
        posting, until = [], time.monotonic() + seconds - 4
        while time.monotonic() < until:
            post(next(waiting)["match"], chance)
            time.sleep(pause)
        taken = ours.recv()
        screens.join()
        tell(f"{title}, {POLLERS} polling", posting)
        tell("  their 304", taken[304])
        tell("  their standings", taken[200])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=25_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--home", type=Path, default=Path(".local/bench-tournament"))
    options = parser.parse_args()
    with database(options.home) as url, tempfile.TemporaryDirectory() as directory:
        identifier = play(url, options.players, options.rounds)
        base = Database(url)
        with base.transaction() as connection:
            token = keys.create(connection, "bench.tournament", keys.SCOPES)
        base.close()
        unlimited = {"SUSUN_KEY_RATE": "off", "SUSUN_ADDRESS_RATE": "off"}
        with serving(url, Path(directory), **unlimited) as server:
            ask(server.base, identifier, token, options.seconds)


if __name__ == "__main__":
    main()
