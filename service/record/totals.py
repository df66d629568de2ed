"""Totals kept with every round: of players in their match, and of players over all."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from service.record.tables import PLAYER_COUNTS
from service.rules.results import RoundResult, SeatResult

_IN_MATCH = ("points", "net", "fees", "rounds")

_ADD_IN_MATCH = text("""
    UPDATE match_players AS kept
    SET points = kept.points + added.points,
        net = kept.net + added.net,
        fees = kept.fees + added.fees,
        rounds = kept.rounds + added.rounds
    FROM unnest(CAST(:player AS text[]), CAST(:points AS bigint[]), CAST(:net AS bigint[]),
                CAST(:fees AS bigint[]), CAST(:rounds AS integer[]))
        AS added (player, points, net, fees, rounds)
    WHERE kept.match_id = :match_id AND kept.player = added.player
""")

_ADD_OVER_ALL = text("""
    INSERT INTO player_totals AS kept
        (player, rounds, points, wins, fouls, sweeps, clean_sweeps, specials)
    SELECT * FROM unnest(CAST(:player AS text[]), CAST(:rounds AS bigint[]), CAST(:points AS bigint[]),
        CAST(:wins AS bigint[]), CAST(:fouls AS bigint[]), CAST(:sweeps AS bigint[]),
        CAST(:clean_sweeps AS bigint[]), CAST(:specials AS bigint[]))
    ON CONFLICT (player) DO UPDATE
    SET rounds = kept.rounds + excluded.rounds,
        points = kept.points + excluded.points,
        wins = kept.wins + excluded.wins,
        fouls = kept.fouls + excluded.fouls,
        sweeps = kept.sweeps + excluded.sweeps,
        clean_sweeps = kept.clean_sweeps + excluded.clean_sweeps,
        specials = kept.specials + excluded.specials,
        version = kept.version + 1
""")

_ADD_MATCH = text("""
    INSERT INTO player_totals AS kept (player, matches)
    SELECT player, 1 FROM unnest(CAST(:player AS text[])) AS player
    ON CONFLICT (player) DO UPDATE SET matches = kept.matches + 1, version = kept.version + 1
""")


_OVER_ALL = ("matches", *PLAYER_COUNTS, "version")
_ADD_MATCHES = text(f"""
    INSERT INTO player_totals AS kept (player, {", ".join(_OVER_ALL)})
    SELECT * FROM unnest(CAST(:player AS text[]),
        {", ".join(f"CAST(:{name} AS bigint[])" for name in _OVER_ALL)})
    ON CONFLICT (player) DO UPDATE
    SET {", ".join(f"{name} = kept.{name} + excluded.{name}" for name in _OVER_ALL)}
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
    connection: Connection,
    match_id: UUID | None,
    *,
    counts: RoundResult | Mapping[str, Any] | None,
    no_longer: RoundResult | Mapping[str, Any] | None = None,
) -> None:
    """Let a result count, and another no longer; None for none.

    Rows are locked in the order of players' names, so that rounds with the same players wait for each
    other instead of blocking each other.
    """
    changes: dict[str, dict[str, int]] = {}
    for result, sign in ((counts, 1), (no_longer, -1)):
        for seat in result["seats"] if result else ():
            change = changes.setdefault(seat["player"], {})
            for name, count in counts_of(seat).items():
                change[name] = change.get(name, 0) + sign * count
    players = sorted(changes)
    if match_id is not None:
        columns = _columns(players, changes, _IN_MATCH)
        connection.execute(_ADD_IN_MATCH, {**columns, "match_id": match_id})
    connection.execute(_ADD_OVER_ALL, _columns(players, changes, PLAYER_COUNTS))


def add_matches(connection: Connection, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Count whole matches: what they add to each player, by the names of the columns.

    ``version`` among them is how many times that would have changed the player's totals one by one.
    """
    players = sorted(counts)
    connection.execute(_ADD_MATCHES, _columns(players, counts, _OVER_ALL))


def add_match(connection: Connection, players: Iterable[str]) -> None:
    """Count a match for each of its players."""
    connection.execute(_ADD_MATCH, {"player": sorted(players)})


def _columns(
    players: Sequence[str], changes: Mapping[str, Mapping[str, int]], names: Iterable[str]
) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"player": list(players)}
    return columns | {name: [changes[player][name] for player in players] for name in names}
