"""Fill an empty database with rounds of matches, scored and sealed like real ones.

``python -m bench.fill --rounds 1000000`` fills the database of DATABASE_URL, which must be migrated or
empty, or a Postgres of its own in ``--home``. All cores make rows, and COPY takes them in.
"""

import argparse
import gc
import os
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import psycopg2
from sqlalchemy import make_url

from service.embedded_postgres import EmbeddedPostgres
from service.record.digests import seal_scored
from service.record.keeping import canonical_request, duel_rows, sealed_content, seat_rows
from service.record.tables import PLAYER_COUNTS, metadata
from service.record.totals import counts_of
from service.rules import results
from service.rules.labels import ENGLISH
from service.rules.reading import Seat, formed_names
from service.rules.results import RoundResult
from service.rules.ruleset import BUILT_IN, RuleSet
from service.rules.scoring import score
from service.setup import prepare_database

START = datetime(2024, 1, 1, tzinfo=UTC)
BETWEEN_MATCHES = timedelta(minutes=10)
BETWEEN_ROUNDS = timedelta(minutes=4)
PLAYERS = 20_000
ROUNDS_A_MATCH = 10
MATCHES_A_CHUNK = 250
ROOMS = [f"room {number}" for number in range(1, 41)]
#: Rule set and stake of a match, and how many of ten are played like that.
TABLES = (("bsfyi", None, 5), ("bsfyi", 500, 2), ("panduan", 1000, 3))
CORRECTED, VOIDED, ADJUSTED, CARELESS = 0.02, 0.005, 0.01, 0.01

Row = dict[str, Any]


class Chunk:
    """Matches in a row, with all that the database keeps of them."""

    def __init__(self, first: int, rounds: int) -> None:
        self.chance = random.Random(first)
        self.rows: dict[str, list[Row]] = {
            name: [] for name in ("matches", "match_players", "rounds", "seats", "duels", "adjustments")
        }
        self.totals: dict[str, Counter[str]] = {}
        for number in range(first, first - (-rounds // ROUNDS_A_MATCH)):
            left = rounds - (number - first) * ROUNDS_A_MATCH
            self.play(START + number * BETWEEN_MATCHES, min(left, ROUNDS_A_MATCH))

    def new_id(self, at: datetime) -> UUID:
        milliseconds = int(at.timestamp() * 1000)
        return UUID(
            int=milliseconds << 80
            | 7 << 76
            | self.chance.getrandbits(12) << 64
            | 2 << 62
            | self.chance.getrandbits(62)
        )

    def play(self, at: datetime, rounds: int) -> None:
        """A match; unfinished if it has fewer rounds than it should."""
        name, stake, _ = self.chance.choices(TABLES, [table[2] for table in TABLES])[0]
        room = self.chance.choice(ROOMS)
        ruleset, players = BUILT_IN[name], self.players()
        match = {
            "id": self.new_id(at),
            "label": None,
            "ruleset_id": ruleset.id,
            "ruleset_version": ruleset.version,
            "stake": stake,
            "rounds": ROUNDS_A_MATCH,
            "rounds_played": 0,
            "status": "open",
            "created_at": at,
            "created_by": room,
            "finished_at": None,
            "finish_reason": None,
            "tournament_id": None,
            "stage": None,
            "table_number": None,
            "version": 1,
            "chain_length": 0,
            "chain_digest": None,
        }
        standing = {player: Counter[str]() for player in players}
        for player in players:
            self.total(player)["matches"] += 1
        last: Row = {}
        for number in range(1, rounds + 1):
            at += BETWEEN_ROUNDS
            last = self.deal(ruleset, players, stake) | {
                "id": self.new_id(at),
                "revision": 1,
                "status": "valid",
                "number": number,
                "reason": None,
            }
            self.keep(match, ruleset, last, at)
            match["rounds_played"] = number
            if self.chance.random() < CORRECTED:
                again = self.deal(ruleset, players, stake)
                last = last | again | {"revision": 2, "status": "corrected", "reason": "misread cards"}
                self.keep(match, ruleset, last, at + timedelta(minutes=1))
            if self.chance.random() < VOIDED:
                more = {"revision": last["revision"] + 1, "status": "void", "reason": "misdeal"}
                last = last | more
                self.keep(match, ruleset, last, at + timedelta(minutes=2))
            self.count(last, standing)
        if rounds == ROUNDS_A_MATCH:
            match |= {"status": "finished", "finished_at": at}
        if self.chance.random() < ADJUSTED:
            self.adjust(match, standing, at + timedelta(minutes=3))
        self.rows["matches"].append(match)
        for seat, player in enumerate(players):
            kept = {
                name: standing[player][name]
                for name in ("points", "net", "fees", "adjustments", "rounds")
            }
            self.rows["match_players"].append(
                {"match_id": match["id"], "seat": seat, "player": player, "withdrawn": False, **kept}
            )

    def players(self) -> list[str]:
        """Some come every day, most now and then."""
        found: dict[str, None] = {}
        while len(found) < 4:
            found[f"player {int(PLAYERS * self.chance.random() ** 2) + 1}"] = None
        return list(found)

    def deal(self, ruleset: RuleSet, players: Sequence[str], stake: int | None) -> Row:
        deck = list(range(52))
        self.chance.shuffle(deck)
        seated = []
        for place, player in enumerate(players):
            cards = deck[13 * place : 13 * place + 13]
            if self.chance.random() >= CARELESS:
                cards = arranged(cards)
            declare = None
            if ruleset.declared:
                declare = next(iter(formed_names(ruleset, cards)), None)
            seated.append(Seat(player, tuple(cards), declare=declare))
        return {
            "request": canonical_request(ruleset, seated, stake),
            "result": score(ruleset, seated, stake, ENGLISH),
        }

    def keep(self, match: Row, ruleset: RuleSet, row: Row, at: datetime) -> None:
        """Seal a revision as the next link of its match's chain, and keep it."""
        row |= {
            "match_id": match["id"],
            "link": match["chain_length"] + 1,
            "ruleset_id": ruleset.id,
            "ruleset_version": ruleset.version,
            "submitted_at": at,
            "submitted_by": match["created_by"],
            "previous_digest": match["chain_digest"],
        }
        row["digest"] = seal_scored(sealed_content(row, ruleset.digest))
        match |= {"chain_length": row["link"], "chain_digest": row["digest"]}
        match["version"] += 1
        self.rows["rounds"].append(row)
        key = {"round_id": row["id"], "revision": row["revision"], "match_id": row["match_id"]}
        self.rows["seats"] += seat_rows(key, row["result"])
        self.rows["duels"] += duel_rows(key, row["result"])

    def count(self, last: Row, standing: Mapping[str, Counter[str]]) -> None:
        """Add the newest revision of a round to totals, unless it is void."""
        for seat in last["result"].seats:
            total = self.total(seat.player)
            total["version"] += last["revision"]
            if last["status"] != "void":
                counts = counts_of(seat)
                total.update({name: counts[name] for name in PLAYER_COUNTS})
                standing[seat.player].update(
                    {name: counts[name] for name in ("points", "net", "fees", "rounds")}
                )

    def adjust(self, match: Row, standing: Mapping[str, Counter[str]], at: datetime) -> None:
        player = self.chance.choice(list(standing))
        standing[player]["adjustments"] -= 5
        match["version"] += 1
        self.rows["adjustments"].append(
            {
                "id": self.new_id(at),
                "match_id": match["id"],
                "player": player,
                "points": -5,
                "reason": "late",
                "created_at": at,
                "created_by": match["created_by"],
            }
        )

    def total(self, player: str) -> Counter[str]:
        return self.totals.setdefault(player, Counter())


def arranged(cards: Sequence[int]) -> list[int]:
    """Cards in rows as a quick player would lay them: a flush or the best groups at the bottom."""
    ranks = Counter(card // 4 for card in cards)
    left = sorted(cards, key=lambda card: (ranks[card // 4], card // 4), reverse=True)
    bottom: list[int] = []
    if ranks[left[0] // 4] < 3:
        suit, count = Counter(card % 4 for card in cards).most_common(1)[0]
        if count >= 5:
            bottom = [card for card in left if card % 4 == suit][-5:]
    bottom = bottom or left[:5]
    rest = [card for card in left if card not in bottom]
    ranks = Counter(card // 4 for card in rest)
    rest.sort(key=lambda card: (ranks[card // 4], card // 4), reverse=True)
    return rest[5:] + rest[:5] + bottom


def copy(cursor: Any, table: str, rows: Sequence[Row]) -> None:
    columns = [column.name for column in metadata.tables[table].columns]
    lines = StringIO("".join("\t".join([_cell(row[name]) for name in columns]) + "\n" for row in rows))
    cursor.copy_expert(f"COPY {table} ({', '.join(columns)}) FROM STDIN", lines)


def _cell(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, RoundResult):
        return results.write(value).decode().replace("\\", "\\\\")
    if isinstance(value, dict):
        return orjson.dumps(value).decode().replace("\\", "\\\\")
    return str(value)


def _fill_chunk(task: tuple[str, int, int]) -> tuple[int, dict[str, Counter[str]]]:
    url, first, rounds = task
    chunk = Chunk(first, rounds)
    with closing(psycopg2.connect(url)) as connection, connection, connection.cursor() as cursor:
        for table, rows in chunk.rows.items():
            copy(cursor, table, rows)
    return rounds, chunk.totals


def fill(url: str, rounds: int) -> None:
    """Fill a prepared database that has no rounds yet."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with closing(psycopg2.connect(plain)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM rounds LIMIT 1")
        if cursor.fetchone():
            raise SystemExit("the database has rounds already")
    each = MATCHES_A_CHUNK * ROUNDS_A_MATCH
    tasks = [
        (plain, start // ROUNDS_A_MATCH, min(each, rounds - start)) for start in range(0, rounds, each)
    ]
    totals: dict[str, Counter[str]] = {}
    begun, done = time.monotonic(), 0
    # Nothing here refers to itself, and a collector that looks for that takes half of the time.
    with get_context("spawn").Pool(initializer=gc.disable) as pool:
        for count, added in pool.imap_unordered(_fill_chunk, tasks):
            for player, counts in added.items():
                totals.setdefault(player, Counter()).update(counts)
            done += count
            print(f"\r{done:,} rounds, {done / (time.monotonic() - begun):,.0f} a second", end="")
    print()
    names = [column.name for column in metadata.tables["player_totals"].columns]
    with closing(psycopg2.connect(plain)) as connection:
        with connection, connection.cursor() as cursor:
            # The first entry of a player is the match; every match and revision counts up from it.
            rows = [
                {**{name: counts[name] for name in names}, "player": player}
                | {"version": counts["version"] + counts["matches"]}
                for player, counts in totals.items()
            ]
            copy(cursor, "player_totals", rows)
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
            cursor.execute("SELECT pg_size_pretty(pg_database_size(current_database()))")
            (size,) = cursor.fetchone() or ("?",)
    print(f"filled in {time.monotonic() - begun:.0f} s; the database has {size}")


@contextmanager
def database(home: Path) -> Iterator[str]:
    """The address of a prepared database: that of DATABASE_URL, or a Postgres of ours in ``home``."""
    given = os.environ.get("DATABASE_URL")
    if given:
        prepare_database(given)
        yield given
        return
    with EmbeddedPostgres(home / "postgres", durable=False) as server:
        prepare_database(server.url)
        yield server.url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path, default=Path(".local/bench"))
    options = parser.parse_args()
    with database(options.home) as url:
        fill(url, options.rounds)


if __name__ == "__main__":
    main()
