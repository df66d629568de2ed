"""Totals kept with every round: of players in their match, and of players over all."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import Connection, text

from service.record.batch import Batch
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

_ADD_OVER_ALL = """
    INSERT INTO player_totals AS kept
        (player, rounds, points, wins, fouls, sweeps, clean_sweeps, specials)
    SELECT * FROM json_to_recordset(%(over_all)s) AS added (player text, rounds bigint, points bigint,
        wins bigint, fouls bigint, sweeps bigint, clean_sweeps bigint, specials bigint)
    ON CONFLICT (player) DO UPDATE
    SET rounds = kept.rounds + excluded.rounds,
        points = kept.points + excluded.points,
        wins = kept.wins + excluded.wins,
        fouls = kept.fouls + excluded.fouls,
        sweeps = kept.sweeps + excluded.sweeps,
        clean_sweeps = kept.clean_sweeps + excluded.clean_sweeps,
        specials = kept.specials + excluded.specials,
        version = kept.version + 1
"""

_ADD_MATCH = text("""
    INSERT INTO player_totals AS kept (player, matches)
    SELECT player, 1 FROM unnest(CAST(:player AS text[])) AS player
    ON CONFLICT (player) DO UPDATE SET matches = kept.matches + 1, version = kept.version + 1
""")


def counts_of(seat: SeatResult | Mapping[str, Any]) -> dict[str, int]:
    """What one player's seat in a round adds to totals. A win is a round with points gained."""
    money = seat.get("money")
    return {
        "rounds": 1,
        "points": seat["points"] or 0,
        "net": money["net"] if money else 0,
        "fees": money["fee"] if money else 0,
        "wins": int((seat["points"] or 0) > 0),
        "fouls": int(seat["foul"] is not None),
        "sweeps": seat["sweeps"],
        "clean_sweeps": int(seat["clean_sweep"]),
        "specials": int(seat["special"] is not None),
    }


def add_round(
    batch: Batch,
    match_id: UUID | None,
    *,
    counts: RoundResult | Mapping[str, Any] | None,
    no_longer: RoundResult | Mapping[str, Any] | None = None,
) -> None:
    """Let a result count with what a batch does, and another no longer; None for none.

    Rows are locked in the order of players' names, so that rounds with the same players wait for each
    other instead of blocking each other.
    """
    changes: dict[str, dict[str, int]] = {}
    for result, sign in ((counts, 1), (no_longer, -1)):
        for seat in result["seats"] if result else ():
            change = changes.setdefault(seat["player"], {})
            for name, count in counts_of(seat).items():
                change[name] = change.get(name, 0) + sign * count
    rows = orjson.dumps([{"player": player, **changes[player]} for player in sorted(changes)]).decode()
    if match_id is not None:
        batch.add(_ADD_IN_MATCH, of_match=str(match_id), changes=rows)
    batch.add(_ADD_OVER_ALL, over_all=rows)


def add_match(connection: Connection, players: Iterable[str]) -> None:
    """Count a match for each of its players."""
    connection.execute(_ADD_MATCH, {"player": sorted(players)})
