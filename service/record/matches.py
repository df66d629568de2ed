"""Matches: a rule set, a stake and players pinned, rounds counted, totals kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Connection,
    Row,
    Select,
    Text,
    Uuid,
    bindparam,
    column,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY

from service.database import Database
from service.messages import _
from service.questions import question_of
from service.record import totals, tournament_totals
from service.record.errors import Conflict, Missing, NotInMatch, there
from service.record.ids import new_id, now, show_time
from service.record.pages import Page, Window, since_id
from service.record.rulesets import find_ruleset
from service.record.tables import adjustments, match_players, matches, rulesets
from service.rules.ruleset import RuleSet

#: What a list of matches can be narrowed by.
FILTERS = ("player", "status", "ruleset", "tournament", "since", "until")

_VERSION = question_of(select(matches.c.version).where(matches.c.id == bindparam("id")))

MATCH_FINISHED = _("the match is finished; {rounds} rounds have been played")


@dataclass(frozen=True, slots=True)
class Frame:
    """A match for its next round: under which rules and for whom it is scored; ``match`` is its row."""

    match: Row[Any]
    ruleset: RuleSet
    stake: int | None
    players: Sequence[str]
    #: Those of them who have left their tournament: rounds may do without them.
    withdrawn: Sequence[str]


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
    totals.add_match(connection, players)
    return get_match(connection, match_id)


def get_match(connection: Connection, match_id: UUID) -> dict[str, Any]:
    """A match with its standings, as the wire has it; :class:`Missing` if there is none."""
    found = _show_matches(connection, select(matches).where(matches.c.id == match_id))
    if not found:
        raise Missing
    return found[0]


def get_version(connection: Connection, match_id: UUID) -> int:
    """How often a match has changed, without reading it; :class:`Missing` if there is none."""
    found = connection.exec_driver_sql(_VERSION.sql, {"id": str(match_id)}).all()
    return int(there(found)[0][0])


def ask_version(database: Database, match_id: UUID) -> int:
    """The same, asked for on its own."""
    return int(there(database.rows(_VERSION, id=str(match_id)))[0][0])


def list_matches(
    connection: Connection, window: Window, filters: Mapping[str, Any]
) -> Page[dict[str, Any]]:
    """A page of matches, newest first; ``filters`` as in ``FILTERS``."""
    query: Select[Any] = select(matches)
    key: Any = matches.c.id
    if filters.get("player") is not None:
        query = query.join(match_players).where(match_players.c.player == filters["player"])
        key = match_players.c.match_id
    for name in ("status", "ruleset_id", "tournament_id"):
        wanted = filters.get(name.removesuffix("_id"))
        if wanted is not None:
            query = query.where(matches.c[name] == wanted)
    if filters.get("since") is not None:
        query = query.where(key >= since_id(filters["since"]))
    if filters.get("until") is not None:
        query = query.where(key < since_id(filters["until"]))
    found = _show_matches(connection, window.limit_query(query, key))
    return window.page(found, lambda match: str(match["id"]))


def finish_match(connection: Connection, match_id: UUID, *, reason: str) -> dict[str, Any]:
    """End a match before its last planned round; :class:`Conflict` if it has ended already."""
    match = lock_match(connection, match_id)
    if match.status != "open":
        raise Conflict("match-finished", MATCH_FINISHED, rounds=match.rounds_played)
    connection.execute(
        update(matches)
        .where(matches.c.id == match_id)
        .values(
            status="finished",
            finished_at=now(),
            finish_reason=reason,
            version=matches.c.version + 1,
        )
    )
    tournament_totals.follow(connection, match, closes=True)
    return get_match(connection, match_id)


def adjust(
    connection: Connection, match_id: UUID, player: str, points: int, *, reason: str, by: str
) -> dict[str, Any]:
    """Give points to a player of a match or take them away; returns the match.

    Listed apart from the rounds, whose points still add up to zero. A finished match can be adjusted.
    """
    match = lock_match(connection, match_id)
    before = tournament_totals.results(connection, match)
    of_player = (match_players.c.match_id == match_id) & (match_players.c.player == player)
    changed = connection.execute(
        update(match_players).where(of_player).values(adjustments=match_players.c.adjustments + points)
    )
    if not changed.rowcount:
        raise NotInMatch
    connection.execute(
        insert(adjustments).values(
            id=new_id(),
            match_id=match_id,
            player=player,
            points=points,
            reason=reason,
            created_at=now(),
            created_by=by,
        )
    )
    connection.execute(
        update(matches).where(matches.c.id == match_id).values(version=matches.c.version + 1)
    )
    tournament_totals.follow(connection, match, before=before, adjusted={player: points})
    return get_match(connection, match_id)


def lock_match(connection: Connection, match_id: UUID) -> Row[Any]:
    """The match's row, locked to the end of the transaction; :class:`Missing` if there is none."""
    query = select(matches).where(matches.c.id == match_id).with_for_update()
    match = connection.execute(query).one_or_none()
    if match is None:
        raise Missing
    return match


# Written out, since to put it together would take longer than Postgres does.
_LOCK_FRAME = (
    text(f"""
        SELECT {", ".join(matches.c.keys())},
            ARRAY(SELECT player FROM match_players WHERE match_id = matches.id ORDER BY seat),
            ARRAY(SELECT player FROM match_players WHERE match_id = matches.id AND withdrawn)
        FROM matches WHERE id = :id FOR UPDATE
    """)
    .bindparams(bindparam("id", type_=Uuid))
    .columns(*matches.c, column("players", ARRAY(Text)), column("withdrawn", ARRAY(Text)))
)


def lock_frame(connection: Connection, match_id: UUID) -> Frame:
    """A match for its next round, locked as by :func:`lock_match`; :class:`Missing` if there is none.

    So rounds that are posted at once wait for each other, and get a number each.
    """
    match = connection.execute(_LOCK_FRAME, {"id": match_id}).one_or_none()
    if match is None:
        raise Missing
    ruleset = find_ruleset(connection, match.ruleset_id, match.ruleset_version)
    assert ruleset is not None  # the table refers to it
    return Frame(match, ruleset, match.stake, match.players, match.withdrawn)


def get_members(connection: Connection, match_id: UUID) -> Sequence[Row[str, bool]]:
    """The players of a match by seat, each with ``withdrawn``: whether they have left its tournament."""
    query = (
        select(match_players.c.player, match_players.c.withdrawn)
        .where(match_players.c.match_id == match_id)
        .order_by(match_players.c.seat)
    )
    return connection.execute(query).all()


def _show_matches(connection: Connection, query: Select[Any]) -> list[dict[str, Any]]:
    rows = connection.execute(query.add_columns(rulesets.c.digest).join(rulesets)).all()
    ids = [row.id for row in rows]
    members = connection.execute(
        select(match_players)
        .where(match_players.c.match_id.in_(ids))
        .order_by(match_players.c.match_id, match_players.c.seat)
    )
    given = connection.execute(
        select(adjustments)
        .where(adjustments.c.match_id.in_(ids))
        .order_by(adjustments.c.match_id, adjustments.c.id)
    )
    members_of, given_in = (
        {key: list(group) for key, group in groupby(found, key=lambda row: row.match_id)}
        for found in (members, given)
    )
    return [_show_match(row, members_of[row.id], given_in.get(row.id, ())) for row in rows]


def _show_match(row: Any, members: Sequence[Any], given: Sequence[Any]) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "label": row.label,
        "ruleset": {"id": row.ruleset_id, "version": row.ruleset_version, "digest": row.digest},
        "stake": row.stake,
        "tournament": str(row.tournament_id) if row.tournament_id else None,
        "stage": row.stage,
        "table": row.table_number,
        "players": [member.player for member in members],
        "withdrawn": [member.player for member in members if member.withdrawn],
        "rounds": row.rounds,
        "rounds_played": row.rounds_played,
        "status": row.status,
        "standings": _standings(members, row.stake),
        "adjustments": [_show_adjustment(adjustment) for adjustment in given],
        "created_at": show_time(row.created_at),
        "created_by": row.created_by,
        "finished_at": show_time(row.finished_at) if row.finished_at else None,
        "finish_reason": row.finish_reason,
        "version": row.version,
        "digest": row.chain_digest,
    }


def _show_adjustment(row: Any) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "player": row.player,
        "points": row.points,
        "reason": row.reason,
        "created_at": show_time(row.created_at),
        "created_by": row.created_by,
    }


def _standings(members: Sequence[Any], stake: int | None) -> list[dict[str, Any]]:
    """Most points first; equal points share the place, and the next place counts them all.

    ``points`` are those of the rounds and the adjustments together; money is that of the rounds.
    """
    ordered = sorted(members, key=lambda member: -(member.points + member.adjustments))
    standings: list[dict[str, Any]] = []
    for place, member in enumerate(ordered, 1):
        points = member.points + member.adjustments
        shared = standings and standings[-1]["points"] == points
        line = {
            "place": standings[-1]["place"] if shared else place,
            "player": member.player,
            "points": points,
            "adjustments": member.adjustments,
        }
        if stake is not None:
            won = member.points * stake
            line["money"] = {"won": won, "fee": member.fees, "net": member.net}
        standings.append(line)
    return standings
