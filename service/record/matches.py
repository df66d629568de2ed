"""Matches: a rule set, a stake and players pinned, rounds counted, totals kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, select

from service.record.errors import Missing
from service.record.ids import new_id, now, show_time
from service.record.pages import Page, Window
from service.record.rulesets import find_ruleset
from service.record.tables import match_players, matches, rulesets
from service.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Frame:
    """What of a match never changes: under which rules and for whom its rounds are scored."""

    id: UUID
    ruleset: RuleSet
    stake: int | None
    players: Sequence[str]


def open_match(
    connection: Connection,
    ruleset: RuleSet,
    players: Sequence[str],
    *,
    rounds: int,
    stake: int | None,
    label: str | None,
    by: str,
) -> dict[str, Any]:
    """Open a match and return it as the wire has it."""
    match_id = new_id()
    connection.execute(
        insert(matches).values(
            id=match_id,
            label=label,
            ruleset_id=ruleset.id,
            ruleset_version=ruleset.version,
            stake=stake,
            rounds=rounds,
            created_at=now(),
            created_by=by,
        )
    )
    rows = [
        {"match_id": match_id, "seat": seat, "player": player} for seat, player in enumerate(players)
    ]
    connection.execute(insert(match_players).values(rows))
    return get_match(connection, match_id)


def get_match(connection: Connection, match_id: UUID) -> dict[str, Any]:
    """A match with its standings, as the wire has it; :class:`Missing` if there is none."""
    found = _show_matches(connection, matches.c.id == match_id, Window(1, None))
    if not found:
        raise Missing
    return found[0]


def list_matches(connection: Connection, window: Window, *, player: str | None) -> Page:
    """A page of matches, newest first."""
    condition: Any = True
    if player is not None:
        of_player = select(match_players.c.match_id).where(match_players.c.player == player)
        condition = matches.c.id.in_(of_player)
    return window.page(_show_matches(connection, condition, window))


def get_frame(connection: Connection, match_id: UUID) -> Frame:
    """What a round of the match is scored by; :class:`Missing` if there is no such match."""
    query = select(matches.c.stake, matches.c.ruleset_id, matches.c.ruleset_version).where(
        matches.c.id == match_id
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise Missing
    players = connection.scalars(
        select(match_players.c.player)
        .where(match_players.c.match_id == match_id)
        .order_by(match_players.c.seat)
    )
    ruleset = find_ruleset(connection, row.ruleset_id, row.ruleset_version)
    assert ruleset is not None  # the table refers to it
    return Frame(match_id, ruleset, row.stake, players.all())


def _show_matches(connection: Connection, condition: Any, window: Window) -> list[dict[str, Any]]:
    query = select(matches, rulesets.c.digest.label("ruleset_digest")).join(rulesets).where(condition)
    rows = connection.execute(window.limit_query(query, matches.c.id)).all()
    ids = [row.id for row in rows]
    members = connection.execute(
        select(match_players)
        .where(match_players.c.match_id.in_(ids))
        .order_by(match_players.c.match_id, match_players.c.seat)
    )
    by_match = {key: list(group) for key, group in groupby(members, key=lambda row: row.match_id)}
    return [_show_match(row, by_match[row.id]) for row in rows]


def _show_match(row: Any, members: Sequence[Any]) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "label": row.label,
        "ruleset": {
            "id": row.ruleset_id,
            "version": row.ruleset_version,
            "digest": row.ruleset_digest,
        },
        "stake": row.stake,
        "players": [member.player for member in members],
        "rounds": row.rounds,
        "rounds_played": row.rounds_played,
        "status": row.status,
        "standings": _standings(members, row.stake),
        "created_at": show_time(row.created_at),
        "created_by": row.created_by,
        "finished_at": show_time(row.finished_at) if row.finished_at else None,
    }


def _standings(members: Sequence[Any], stake: int | None) -> list[dict[str, Any]]:
    """Most points first; equal points share the place, and the next place counts them all."""
    ordered = sorted(members, key=lambda member: -member.points)
    standings: list[dict[str, Any]] = []
    for place, member in enumerate(ordered, 1):
        shared = standings and standings[-1]["points"] == member.points
        line = {
            "place": standings[-1]["place"] if shared else place,
            "player": member.player,
            "points": member.points,
        }
        if stake is not None:
            won = member.points * stake
            line["money"] = {"won": won, "fee": member.fees, "net": member.net}
        standings.append(line)
    return standings
