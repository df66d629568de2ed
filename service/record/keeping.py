"""Rounds kept: insert only, numbered without gaps in their match, each revision sealed."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import Connection, Row, select

from service.batch import Batch
from service.messages import _
from service.record import totals, tournament_totals
from service.record.digests import seal_scored
from service.record.errors import Conflict, Missing, Stale
from service.record.ids import new_id, now, show_time
from service.record.matches import MATCH_FINISHED, Frame, get_members, lock_match
from service.record.rounds import NEWEST, StoredRound, show_round
from service.record.rulesets import find_ruleset
from service.record.tables import rounds
from service.rules import results
from service.rules.cards import ROWS, names
from service.rules.labels import ENGLISH
from service.rules.reading import Seat
from service.rules.results import RoundResult
from service.rules.ruleset import RuleSet
from service.rules.scoring import score

_NUMBER_TAKEN = _("the next round of the match is number {next}, not {number}")
_ROUND_VOID = _("the round is void already")

_COLUMNS = tuple(column.name for column in rounds.c)
_INSERT_ROUND = "INSERT INTO rounds ({}) VALUES ({})".format(
    ", ".join(_COLUMNS), ", ".join(f"%({name})s" for name in _COLUMNS)
)
_INSERT_SEATS, _INSERT_DUELS = (
    f"INSERT INTO {name} SELECT * FROM json_populate_recordset(NULL::{name}, %({name})s)"
    for name in ("seats", "duels")
)
#: Let the match's chain end with the revision that is inserted, and its version go up.
_EXTEND = """
    UPDATE matches SET chain_length = %(link)s, chain_digest = %(digest)s, version = version + 1
    WHERE id = %(match_id)s
"""
#: The same with the next round of a match.
_ADVANCE = """
    UPDATE matches SET chain_length = %(link)s, chain_digest = %(digest)s, version = version + 1,
        rounds_played = %(played)s, status = %(state)s, finished_at = %(finished_at)s
    WHERE id = %(match_id)s
"""

#: Reads the seats of a correction, given the round's rule set, the players of its match, if it has one,
#: and those of them who need no seat.
ReadSeats = Callable[[RuleSet, Sequence[str] | None, Sequence[str]], Sequence[Seat]]


def keep_round(
    connection: Connection, ruleset: RuleSet, seated: Sequence[Seat], *, stake: int | None, by: str
) -> StoredRound:
    """Score a round on its own and keep it, with what ends the transaction."""
    row = first_revision(ruleset, seated, stake, by)
    row |= {"match_id": None, "number": None, "link": 1, "previous_digest": None}
    batch, kept = _insertion(row, ruleset)
    totals.add_round(batch, None, counts=row["result"])
    batch.leave(connection)
    return kept


def keep_match_round(
    connection: Connection, frame: Frame, seated: Sequence[Seat], *, number: int | None, by: str
) -> StoredRound:
    """Score the next round of a match that is locked, keep it, and bring the match up to date.

    All of it is left for the end of the transaction, unless the match is finished by it.
    ``number``: which one it should be, if the caller says. :class:`Conflict` if the match is finished
    or the number is not the next.
    """
    match = frame.match
    upcoming = match.rounds_played + 1
    if match.status != "open":
        raise Conflict("match-finished", MATCH_FINISHED, rounds=match.rounds_played)
    if number not in (None, upcoming):
        raise Conflict("round-number-taken", _NUMBER_TAKEN, next=upcoming, number=number)
    row = first_revision(frame.ruleset, seated, frame.stake, by)
    row |= {"match_id": match.id, "number": upcoming, **_next_link(match)}
    finished = upcoming == match.rounds
    batch, kept = _insertion(row, frame.ruleset)
    batch.add(
        _ADVANCE,
        played=upcoming,
        state="finished" if finished else "open",
        finished_at=row["submitted_at"] if finished else None,
    )
    totals.add_round(batch, match.id, counts=row["result"])
    if not finished:
        tournament_totals.add_round(batch, match, row["result"])
        batch.leave(connection)
        return kept
    batch.send(connection)
    tournament_totals.follow(connection, match, counts=row["result"], closes=True)
    return kept


def correct_round(
    connection: Connection,
    round_id: UUID,
    read: ReadSeats,
    *,
    reason: str,
    by: str,
    seen: Callable[[str], bool],
) -> StoredRound:
    """Keep a new revision of a round with other seats, in place of the newest, which may be void.

    ``seen`` says whether the caller has seen the newest revision, by its digest; :class:`Stale` if
    not. Rule set and stake stay. In a match its players may have a seat: all must but those who have
    left since, or had none in the newest revision. Match and players' totals follow.
    """
    last, match = _lock_round(connection, round_id, seen)
    ruleset = find_ruleset(connection, last.ruleset_id, last.ruleset_version)
    assert ruleset is not None  # the table refers to it
    stake = last.request.get("stake")
    players, absent = (None, []) if match is None else _roster(connection, match.id, last.request)
    seated = read(ruleset, players, absent)
    content = {
        "status": "corrected",
        "request": canonical_request(ruleset, seated, stake),
        "result": score(ruleset, seated, stake, ENGLISH),
    }
    return _revise(connection, last, match, ruleset, content, reason, by)


def void_round(
    connection: Connection, round_id: UUID, *, reason: str, by: str, seen: Callable[[str], bool]
) -> StoredRound:
    """Let a round count no more: a revision that says so, with the request and result of the last.

    :class:`Conflict` if it is void already; :class:`Stale` as with corrections.
    """
    last, match = _lock_round(connection, round_id, seen)
    if last.status == "void":
        raise Conflict("round-void", _ROUND_VOID)
    ruleset = find_ruleset(connection, last.ruleset_id, last.ruleset_version)
    assert ruleset is not None
    return _revise(connection, last, match, ruleset, {"status": "void"}, reason, by)


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


def sealed_content(row: Any, ruleset_digest: str) -> dict[str, Any]:
    """What a revision's digest is made of, from its row as a mapping; its time may be shown already."""
    time = row["submitted_at"]
    return {
        "round": str(row["id"]),
        "match": str(row["match_id"]) if row["match_id"] else None,
        "number": row["number"],
        "revision": row["revision"],
        "status": row["status"],
        "ruleset_digest": ruleset_digest,
        "request": row["request"],
        "result": row["result"],
        "submitted_at": time if isinstance(time, str) else show_time(time),
        "submitted_by": row["submitted_by"],
        "reason": row["reason"],
        "previous_digest": row["previous_digest"],
    }


def first_revision(
    ruleset: RuleSet, seated: Sequence[Seat], stake: int | None, by: str
) -> dict[str, Any]:
    """The row of a round to be kept, scored, but for its place in match and chain, and its digest."""
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
        "reason": None,
    }


def _lock_round(
    connection: Connection, round_id: UUID, seen: Callable[[str], bool]
) -> tuple[Row[Any], Row[Any] | None]:
    """The newest revision of a round and its match, safe from others to the end of the transaction."""
    first = select(rounds.c.match_id).where(rounds.c.id == round_id, rounds.c.revision == 1)
    found = connection.execute(first).one_or_none()
    if found is None:
        raise Missing
    match = None
    if found.match_id is None:
        connection.execute(first.with_for_update())
    else:
        match = lock_match(connection, found.match_id)
    last = connection.execute(NEWEST, {"id": round_id}).one()
    if not seen(last.digest):
        raise Stale
    return last, match


def _roster(
    connection: Connection, match_id: UUID, request: dict[str, Any]
) -> tuple[list[str], list[str]]:
    """The players of a match, and those of them whom a correction of a round of it may leave out."""
    seated = {seat["player"] for seat in request["seats"]}
    members = get_members(connection, match_id)
    absent = [member.player for member in members if member.withdrawn or member.player not in seated]
    return [member.player for member in members], absent


def _next_link(match: Row[Any]) -> dict[str, Any]:
    return {"link": match.chain_length + 1, "previous_digest": match.chain_digest}


def _revise(
    connection: Connection,
    last: Row[Any],
    match: Row[Any] | None,
    ruleset: RuleSet,
    content: dict[str, Any],
    reason: str,
    by: str,
) -> StoredRound:
    """Keep a revision after the last, which has the same content but for what is given."""
    own_chain = {"link": last.link + 1, "previous_digest": last.digest}
    no_longer = None if last.status == "void" else results.read(last.result)
    row = {
        **last._mapping,
        "result": no_longer,
        **content,
        "revision": last.revision + 1,
        "reason": reason,
        "submitted_at": now(),
        "submitted_by": by,
        **(own_chain if match is None else _next_link(match)),
    }
    counts = None if row["status"] == "void" else row["result"]
    batch, kept = _insertion(row, ruleset)
    if match is None:
        totals.add_round(batch, None, counts=counts, no_longer=no_longer)
        batch.send(connection)
        return kept
    before = tournament_totals.results(connection, match)
    batch.add(_EXTEND)
    totals.add_round(batch, match.id, counts=counts, no_longer=no_longer)
    batch.send(connection)
    tournament_totals.follow(connection, match, before=before, counts=counts, no_longer=no_longer)
    return kept


def _insertion(row: dict[str, Any], ruleset: RuleSet) -> tuple[Batch, StoredRound]:
    """What inserts a revision, which is sealed, with its seats and duels; and how it is read then."""
    row["digest"] = seal_scored(sealed_content(row, ruleset.digest))
    batch, match_id = Batch(), row["match_id"]
    key = {"round_id": row["id"], "revision": row["revision"], "match_id": match_id}
    as_text = {
        "request": orjson.dumps(row["request"]).decode(),
        "result": results.write(row["result"]).decode(),
    }
    ids = {"id": str(row["id"]), "match_id": None if match_id is None else str(match_id)}
    stored = {**row, **as_text, **ids, "submitted_at": show_time(row["submitted_at"])}
    batch.add(_INSERT_ROUND, **stored)
    batch.add(_INSERT_SEATS, seats=orjson.dumps(seat_rows(key, row["result"])).decode())
    batch.add(_INSERT_DUELS, duels=orjson.dumps(duel_rows(key, row["result"])).decode())
    return batch, show_round(stored)


def seat_rows(key: dict[str, Any], result: RoundResult) -> list[dict[str, Any]]:
    """The rows of ``seats`` that a result makes; ``key`` says of which revision."""
    rows = []
    for place, seat in enumerate(result.seats):
        hands, money = seat.rows, seat.money
        row = {
            **key,
            "seat": place,
            "player": seat.player,
            "foul": seat.foul.code if seat.foul else None,
            "special": seat.special.name if seat.special else None,
            "sweeps": seat.sweeps,
            "clean_sweep": seat.clean_sweep,
            "points": seat.points,
            "top_hand": hands.top.hand if hands else None,
            "middle_hand": hands.middle.hand if hands else None,
            "bottom_hand": hands.bottom.hand if hands else None,
            "won": money.won if money else None,
            "fee": money.fee if money else None,
            "net": money.net if money else None,
        }
        rows.append(row)
    return rows


def duel_rows(key: dict[str, Any], result: RoundResult) -> list[dict[str, Any]]:
    """The rows of ``duels`` that a result makes; ``key`` says of which revision."""
    rows = []
    for place, duel in enumerate(result.duels):
        compared = duel.rows
        row = {
            **key,
            "duel": place,
            "player": duel.players[0],
            "opponent": duel.players[1],
            "outcome": duel.outcome,
            "winner": duel.winner,
            "factor": duel.factor,
            "bonus": duel.bonus,
            "points": duel.points[0] if duel.points else 0,
            "top_winner": compared.top.winner if compared else None,
            "middle_winner": compared.middle.winner if compared else None,
            "bottom_winner": compared.bottom.winner if compared else None,
        }
        rows.append(row)
    return rows
