"""Rounds kept: insert only, numbered without gaps in their match, sealed, and read back."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, RowMapping, bindparam, exists, insert, select, update

from service.messages import _
from service.record.digests import seal
from service.record.errors import Conflict, Missing
from service.record.ids import new_id, now, show_time
from service.record.matches import Frame
from service.record.pages import Page, Window
from service.record.tables import duels, match_players, matches, rounds, seats
from service.rules.cards import ROWS, names
from service.rules.labels import ENGLISH
from service.rules.reading import Seat
from service.rules.results import RoundResult
from service.rules.ruleset import RuleSet
from service.rules.scoring import score

_MATCH_FINISHED = _("the match is finished: all {rounds} rounds have been played")
_NUMBER_TAKEN = _("the next round of the match is number {next}, not {number}")


def keep_round(
    connection: Connection,
    ruleset: RuleSet,
    seated: Sequence[Seat],
    *,
    stake: int | None,
    by: str,
) -> dict[str, Any]:
    """Score a round on its own and keep it; returns it as the wire has it."""
    row = _round_row(ruleset, seated, stake, by)
    return _insert(connection, {**row, "match_id": None, "number": None, "link": 1}, ruleset)


def keep_match_round(
    connection: Connection, frame: Frame, seated: Sequence[Seat], *, number: int | None, by: str
) -> dict[str, Any]:
    """Score the next round of a match, keep it, and bring the match up to date.

    The match is locked meanwhile, so that rounds posted at once get a number each. ``number``: which
    one it should be, if the caller says. :class:`Conflict` if the match is finished or the number is
    not the next; :class:`Missing` if there is no such match.
    """
    match = connection.execute(
        select(matches).where(matches.c.id == frame.id).with_for_update()
    ).one_or_none()
    if match is None:
        raise Missing
    upcoming = match.rounds_played + 1
    if match.status != "open":
        raise Conflict("match-finished", _MATCH_FINISHED, rounds=match.rounds_played)
    if number not in (None, upcoming):
        raise Conflict("round-number-taken", _NUMBER_TAKEN, next=upcoming, number=number)
    row = {
        **_round_row(frame.ruleset, seated, frame.stake, by),
        "match_id": frame.id,
        "number": upcoming,
        "link": match.chain_length + 1,
        "previous_digest": match.chain_digest,
    }
    kept = _insert(connection, row, frame.ruleset)
    finished = upcoming == match.rounds
    connection.execute(
        update(matches)
        .where(matches.c.id == frame.id)
        .values(
            rounds_played=upcoming,
            chain_length=row["link"],
            chain_digest=kept["digest"],
            status="finished" if finished else "open",
            finished_at=row["submitted_at"] if finished else None,
        )
    )
    _add_totals(connection, frame.id, row["result"])
    return kept


def get_round(connection: Connection, round_id: UUID, *, match_id: UUID | None = None) -> dict[str, Any]:
    """The newest revision of a round (of a match, if given); :class:`Missing` if there is none."""
    query = select(rounds).where(rounds.c.id == round_id)
    if match_id is not None:
        query = query.where(rounds.c.match_id == match_id)
    row = connection.execute(query.order_by(rounds.c.revision.desc()).limit(1)).mappings().one_or_none()
    if row is None:
        raise Missing
    return show_round(row)


def list_rounds(
    connection: Connection, window: Window, *, player: str | None, match_id: UUID | None
) -> Page:
    """A page of rounds, newest first, each in its newest revision."""
    newer = rounds.alias("newer")
    query = select(rounds).where(
        ~exists().where(newer.c.id == rounds.c.id, newer.c.revision > rounds.c.revision)
    )
    if match_id is not None:
        query = query.where(rounds.c.match_id == match_id)
    if player is not None:
        query = query.join(
            seats, (seats.c.round_id == rounds.c.id) & (seats.c.revision == rounds.c.revision)
        ).where(seats.c.player == player)
        query = window.limit_query(query, seats.c.round_id)
    else:
        query = window.limit_query(query, rounds.c.id)
    return window.page([show_round(row) for row in connection.execute(query).mappings()])


def show_round(row: RowMapping | dict[str, Any]) -> dict[str, Any]:
    """A stored revision as the wire has it: the result, and all about its keeping."""
    return {
        "id": str(row["id"]),
        "match": str(row["match_id"]) if row["match_id"] else None,
        "number": row["number"],
        "revision": row["revision"],
        "status": row["status"],
        **row["result"],
        "request": row["request"],
        "submitted_at": show_time(row["submitted_at"]),
        "submitted_by": row["submitted_by"],
        "digest": row["digest"],
        "previous_digest": row["previous_digest"],
    }


def canonical_request(ruleset: RuleSet, seated: Sequence[Seat], stake: int | None) -> dict[str, Any]:
    """The request that a round is stored with: canonical cards, the rule set's exact version."""
    request: dict[str, Any] = {"ruleset": ruleset.reference, "seats": []}
    if stake is not None:
        request["stake"] = stake
    for seat in seated:
        shown: dict[str, Any] = {"player": seat.player}
        if seat.arranged:
            in_rows = (seat.cards[:3], seat.cards[3:8], seat.cards[8:])
            shown |= {row: names(cards) for row, cards in zip(ROWS, in_rows, strict=True)}
        else:
            shown["cards"] = names(seat.cards)
        if seat.declare is not None:
            shown["declare"] = seat.declare
        request["seats"].append(shown)
    return request


def _round_row(ruleset: RuleSet, seated: Sequence[Seat], stake: int | None, by: str) -> dict[str, Any]:
    return {
        "id": new_id(),
        "revision": 1,
        "status": "valid",
        "ruleset_id": ruleset.id,
        "ruleset_version": ruleset.version,
        "request": canonical_request(ruleset, seated, stake),
        "result": score(ruleset, seated, stake, ENGLISH),
        "submitted_at": now(),
        "submitted_by": by,
        "previous_digest": None,
    }


def _insert(connection: Connection, row: dict[str, Any], ruleset: RuleSet) -> dict[str, Any]:
    """Seal and insert a revision with its seats and duels; returns it as the wire has it."""
    row["digest"] = seal(sealed_content(row, ruleset.digest))
    connection.execute(insert(rounds).values(row))
    key = {"round_id": row["id"], "revision": row["revision"], "match_id": row["match_id"]}
    connection.execute(insert(seats).values(_seat_rows(key, row["result"])))
    connection.execute(insert(duels).values(_duel_rows(key, row["result"])))
    return show_round(row)


def sealed_content(row: dict[str, Any], ruleset_digest: str) -> dict[str, Any]:
    """What a revision's digest is made of."""
    return {
        "round": str(row["id"]),
        "match": str(row["match_id"]) if row["match_id"] else None,
        "number": row["number"],
        "revision": row["revision"],
        "status": row["status"],
        "ruleset_digest": ruleset_digest,
        "request": row["request"],
        "result": row["result"],
        "submitted_at": show_time(row["submitted_at"]),
        "submitted_by": row["submitted_by"],
        "previous_digest": row["previous_digest"],
    }


def _seat_rows(key: dict[str, Any], result: RoundResult) -> list[dict[str, Any]]:
    rows = []
    for place, seat in enumerate(result["seats"]):
        hands = seat["rows"] or {}
        money = seat.get("money")
        row = {
            **key,
            "seat": place,
            "player": seat["player"],
            "foul": seat["foul"]["code"] if seat["foul"] else None,
            "special": seat["special"]["name"] if seat["special"] else None,
            "sweeps": seat["sweeps"],
            "clean_sweep": seat["clean_sweep"],
            "points": seat["points"],
        }
        row |= {f"{name}_hand": hands[name]["hand"] if hands else None for name in ROWS}
        row |= {name: money[name] if money else None for name in ("won", "fee", "net")}
        rows.append(row)
    return rows


def _duel_rows(key: dict[str, Any], result: RoundResult) -> list[dict[str, Any]]:
    rows = []
    for place, duel in enumerate(result["duels"]):
        compared, points = duel["rows"] or {}, duel["points"] or [0]
        row = {
            **key,
            "duel": place,
            "player": duel["players"][0],
            "opponent": duel["players"][1],
            "outcome": duel["outcome"],
            "winner": duel["winner"],
            "factor": duel["factor"],
            "bonus": duel["bonus"],
            "points": points[0],
        }
        row |= {f"{name}_winner": compared[name]["winner"] if compared else None for name in ROWS}
        rows.append(row)
    return rows


def _add_totals(connection: Connection, match_id: UUID, result: RoundResult) -> None:
    """Add a round to the kept totals of a match's players."""
    statement = (
        update(match_players)
        .where(match_players.c.match_id == match_id, match_players.c.player == bindparam("of"))
        .values(
            points=match_players.c.points + bindparam("add_points"),
            net=match_players.c.net + bindparam("add_net"),
            fees=match_players.c.fees + bindparam("add_fee"),
        )
    )
    added = []
    for seat in result["seats"]:
        money = seat.get("money")
        added.append(
            {
                "of": seat["player"],
                "add_points": seat["points"],
                "add_net": money["net"] if money else 0,
                "add_fee": money["fee"] if money else 0,
            }
        )
    connection.execute(statement, added)
