"""The rows of ``seats`` and ``duels`` held against results: as text, then by definition."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET
from sqlalchemy import Connection, Table, select, text

from service.record import findings, keeping, totals
from service.record.copied import copy
from service.record.errors import WRONG
from service.record.findings import Finding
from service.record.rescoring import Rescorer, Revision
from service.record.tables import duels, seats
from service.rules import results
from service.rules.money import Money
from service.rules.results import FoulFound, SeatResult, SpecialTaken

_ID_CHARACTERS = 36


def compare(connection: Connection, rescorer: Rescorer, revisions: Sequence[Revision]) -> list[Finding]:
    """Compare the rows of some revisions, adding to the findings of each.

    Returns findings about revisions of these rounds that have rows but are no longer there.
    """
    ids = list({revision.id for revision in revisions})
    in_seats, in_duels = copy(connection, "seats", ids), copy(connection, "duels", ids)
    ordered = sorted(revisions, key=lambda revision: (revision.id, revision.revision))
    if (
        all(revision.intact for revision in revisions)
        and in_seats == "".join([revision.seat_lines for revision in ordered])
        and in_duels == "".join([revision.duel_lines for revision in ordered])
    ):
        return []
    seats_of, duels_of = _by_key(in_seats), _by_key(in_duels)
    for revision in revisions:
        kept = seats_of.pop(revision.key, ""), duels_of.pop(revision.key, "")
        if not revision.intact or kept != (revision.seat_lines, revision.duel_lines):
            rescorer.explain(revision)
            _compare_rows(connection, revision)
    return list(_strays(connection, revisions, seats_of.keys() | duels_of.keys()))


def _by_key(copied: str) -> dict[str, str]:
    """What was copied, by revision."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in copied.split("\n")[:-1]:
        found[line[: line.index("\t", _ID_CHARACTERS + 1) + 1]].append(line + "\n")
    return {key: "".join(lines) for key, lines in found.items()}


def _compare_rows(connection: Connection, revision: Revision) -> None:
    """By definition; and note what the revision counts, where its content cannot be trusted.

    Rows may follow either result where the scored and the stored one differ: one fault is not two.
    """
    doubtful = bool(revision.findings) or revision.scored is None
    found = [result for result in (revision.scored, revision.stored) if result is not None]
    in_seats, in_duels = _rows(connection, seats, revision), _rows(connection, duels, revision)
    if not any(in_seats == _expected(keeping.seat_rows, revision, result) for result in found):
        revision.add("seats_differ", findings.SEATS)
    if not any(in_duels == _expected(keeping.duel_rows, revision, result) for result in found):
        revision.add("duels_differ", findings.DUELS)
    kept = {row["player"]: totals.counts_of(_seat_of(row)) for row in in_seats}
    true = kept
    if not doubtful:
        true = {seat.player: totals.counts_of(seat) for seat in results.read(revision.scored).seats}
    revision.counted = [
        (player, counts["points"], counts["net"], counts["fees"]) for player, counts in true.items()
    ]
    for added, sign in ((true if revision.counts else {}, 1), ({} if revision.void else kept, -1)):
        for player, counts in added.items():
            amends = revision.amends.setdefault(player, {})
            for name, count in counts.items():
                amends[name] = amends.get(name, 0) + sign * count


def _rows(connection: Connection, table: Table, revision: Revision) -> list[dict[str, Any]]:
    query = (
        select(table)
        .where(table.c.round_id == UUID(revision.id), table.c.revision == revision.revision)
        .order_by(table.primary_key.columns.values()[-1])
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def _expected(rows_of: Any, revision: Revision, result: Any) -> Any:
    key = {
        "round_id": UUID(revision.id),
        "revision": revision.revision,
        "match_id": UUID(revision.match) if revision.match else None,
    }
    try:
        return rows_of(key, results.read(result))
    except WRONG:
        return None


def _seat_of(row: Mapping[str, Any]) -> SeatResult:
    """As much of a seat as counts, from its row, in which anything may be missing."""
    money = [row[name] for name in ("won", "fee", "net")]
    return SeatResult(
        row["player"],
        None,
        foul=FoulFound(row["foul"]) if row["foul"] is not None else None,
        special=SpecialTaken(row["special"], 0, True) if row["special"] is not None else None,
        sweeps=row["sweeps"],
        clean_sweep=row["clean_sweep"],
        points=row["points"],
        money=UNSET if money == [None] * 3 else Money(*[part or 0 for part in money]),
    )


_THERE = text("""
    SELECT CAST(id AS text), revision FROM rounds WHERE id = ANY(CAST(:ids AS uuid[]))
""")


def _strays(connection: Connection, revisions: Sequence[Revision], keys: set[str]) -> Iterator[Finding]:
    """Rows that belong neither to some revisions nor to any other of the same rounds."""
    left = {(key[:_ID_CHARACTERS], int(key[_ID_CHARACTERS:])) for key in keys}
    if not left:
        return
    there = connection.execute(_THERE, {"ids": sorted({identifier for identifier, _ in left})})
    left -= {(identifier, revision) for identifier, revision in there}
    known = {revision.id: revision for revision in revisions}
    for identifier, number in sorted(left):
        revision = known[identifier]
        place = (revision.match, identifier, revision.number, number)
        words = findings.REVISION_MISSING
        yield Finding("round_missing", words, *place, {"revision": number})
