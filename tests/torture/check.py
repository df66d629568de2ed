"""What must be true in the end, counted from the database and from what clients were told."""

from collections import Counter
from typing import Any

import psycopg2

from tests.torture.clients import Ledger, fingerprint

_NEWEST = """
    SELECT DISTINCT ON (id) CAST(id AS text), CAST(match_id AS text), status, CAST(result AS jsonb)
    FROM rounds ORDER BY id, revision DESC
"""
_FIRST = "SELECT CAST(id AS text), request FROM rounds WHERE revision = 1"
_DIGESTS = "SELECT CAST(id AS text), digest FROM rounds"
_NUMBERS = """
    SELECT CAST(match_id AS text), array_agg(number ORDER BY number) FROM rounds
    WHERE match_id IS NOT NULL AND revision = 1 GROUP BY match_id
"""
_KEPT = "SELECT CAST(match_id AS text), player, points FROM match_players"
_TOTALS = "SELECT player, rounds, points FROM player_totals"
_TYPED = """
    SELECT count(*) FROM rounds r WHERE
        (SELECT count(*) FROM seats s WHERE s.round_id = r.id AND s.revision = r.revision) <> 4
        OR (SELECT count(*) FROM duels d WHERE d.round_id = r.id AND d.revision = r.revision) <> 6
"""


def figures(ledger: Ledger, url: str) -> dict[str, int]:
    """How much was kept, lost, doubled, or is of unknown origin; all but the first must be 0."""
    connection = psycopg2.connect(url)
    try:
        return _figures(ledger, connection)
    finally:
        connection.close()


def _rows(connection: Any, query: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _figures(ledger: Ledger, connection: Any) -> dict[str, int]:
    stored = {identifier: fingerprint(request) for identifier, request in _rows(connection, _FIRST)}
    times = Counter(stored.values())
    digests: dict[str, set[str]] = {}
    for identifier, digest in _rows(connection, _DIGESTS):
        digests.setdefault(identifier, set()).add(digest)
    told = ledger.acknowledged.items()
    revisions = [(name, digest) for name, made in ledger.digests.items() for digest in made]
    return {
        "rounds stored": len(stored),
        "rounds acknowledged": len(ledger.acknowledged),
        "lost": sum(stored.get(name) != mark for name, mark in told)
        + sum(digest not in digests.get(name, ()) for name, digest in revisions),
        "doubled": sum(count - 1 for count in times.values()),
        "sent by nobody": sum(mark not in ledger.sent for mark in times),
        "half stored": _rows(connection, _TYPED)[0][0],
        "numbers missing or twice": sum(
            numbers != list(range(1, len(numbers) + 1)) for _, numbers in _rows(connection, _NUMBERS)
        ),
        "totals wrong": _wrong_totals(connection),
    }


def _wrong_totals(connection: Any) -> int:
    """How many totals differ from the sum over the newest revisions that are valid."""
    of_match: Counter[tuple[str, str]] = Counter()
    points: Counter[str] = Counter()
    played: Counter[str] = Counter()
    for _, match, status, result in _rows(connection, _NEWEST):
        for seat in result["seats"] if status != "void" else ():
            points[seat["player"]] += seat["points"]
            played[seat["player"]] += 1
            if match is not None:
                of_match[match, seat["player"]] += seat["points"]
    kept = {(match, player): value for match, player, value in _rows(connection, _KEPT)}
    totals = {player: (rounds, value) for player, rounds, value in _rows(connection, _TOTALS)}
    players = points.keys() | totals.keys()
    return sum(kept.get(name, 0) != of_match[name] for name in kept.keys() | of_match.keys()) + sum(
        totals.get(player, (0, 0)) != (played[player], points[player]) for player in players
    )
