"""Totals kept with every round: of players in their match, and of players over all."""

from collections.abc import Iterable, Mapping
from uuid import UUID

import orjson
from sqlalchemy import Connection

from service.batch import Batch
from service.record.tables import PLAYER_COUNTS
from service.rules.results import RoundResult, SeatResult

_ADD_IN_MATCH = """
    UPDATE match_players AS kept
    SET points = kept.points + added.points,
        net = kept.net + added.net,
        fees = kept.fees + added.fees,
        rounds = kept.rounds + added.rounds
    FROM json_to_recordset(%(changes)s)
        AS added (player text, points bigint, net bigint, fees bigint, rounds integer)
    WHERE kept.match_id = %(of_match)s AND kept.player = added.player
"""

_OVER_ALL = ("matches", *PLAYER_COUNTS, "version")
_ADD_OVER_ALL = f"""
    INSERT INTO player_totals AS kept (player, {", ".join(_OVER_ALL)})
    SELECT * FROM json_to_recordset(%(over_all)s)
        AS added (player text, {", ".join(f"{name} bigint" for name in _OVER_ALL)})
    ON CONFLICT (player) DO UPDATE
    SET {", ".join(f"{name} = kept.{name} + excluded.{name}" for name in _OVER_ALL)}
"""


def counts_of(seat: SeatResult) -> dict[str, int]:
    """What one player's seat in a round adds to totals. A win is a round with points gained."""
    points, money = seat.points or 0, seat.money
    return {
        "rounds": 1,
        "points": points,
        "net": money.net if money else 0,
        "fees": money.fee if money else 0,
        "wins": int(points > 0),
        "fouls": int(seat.foul is not None),
        "sweeps": seat.sweeps,
        "clean_sweeps": int(seat.clean_sweep),
        "specials": int(seat.special is not None),
    }


def add_round(
    batch: Batch,
    match_id: UUID | None,
    *,
    counts: RoundResult | None,
    no_longer: RoundResult | None = None,
) -> None:
    """Let a result count with what a batch does, and another no longer; None for none.

    Rows are locked in the order of players' names, so that rounds with the same players wait for each
    other instead of blocking each other.
    """
    changes: dict[str, dict[str, int]] = {}
    for result, sign in ((counts, 1), (no_longer, -1)):
        for seat in result.seats if result else ():
            change = changes.setdefault(seat.player, {})
            for name, count in counts_of(seat).items():
                change[name] = change.get(name, 0) + sign * count
    if match_id is not None:
        batch.add(_ADD_IN_MATCH, of_match=str(match_id), changes=_rows(changes))
    batch.add(_ADD_OVER_ALL, over_all=_rows(changes, matches=0, version=1))


def add_matches(connection: Connection, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Count whole matches: what they add to each player, by the names of the columns.

    ``version`` among them is how many times that would have changed the player's totals one by one.
    """
    connection.exec_driver_sql(_ADD_OVER_ALL, {"over_all": _rows(counts)})


def add_match(connection: Connection, players: Iterable[str]) -> None:
    """Count a match for each of its players."""
    count = {**dict.fromkeys(PLAYER_COUNTS, 0), "matches": 1, "version": 1}
    add_matches(connection, dict.fromkeys(players, count))


def _rows(counts: Mapping[str, Mapping[str, int]], **more: int) -> str:
    """Counts by player as Postgres takes them, in the order of names."""
    rows = [{"player": player, **counts[player], **more} for player in sorted(counts)]
    return orjson.dumps(rows).decode()
