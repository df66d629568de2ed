"""Which revisions of a match are missing, told from what is left of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text

from service.record import findings
from service.record.findings import Finding
from service.record.rescoring import Revision


@dataclass(frozen=True, slots=True)
class MatchGaps:
    """A match, and the ``places`` in its chain that nobody has."""

    match: str
    players: Sequence[str]
    rounds_played: int
    places: Sequence[int]


_STRAYS = text("""
    SELECT DISTINCT CAST(round_id AS text), revision FROM seats
    WHERE match_id = :match AND player = ANY(:players) AND NOT EXISTS (
        SELECT FROM rounds WHERE rounds.id = seats.round_id AND rounds.revision = seats.revision)
    ORDER BY 1, 2
""")


def name_missing(
    connection: Connection, gaps: MatchGaps, chain: Sequence[Revision]
) -> tuple[list[Finding], bool]:
    """Say which revisions are missing, as far as their neighbours, their seats and numbers tell.

    The second is whether totals can be known nevertheless, for all that is missing was replaced.
    """
    said: list[Finding] = []
    places = gaps.places
    # Numbers may have been tampered with, too; there are no more than this.
    bound = len(chain) + len(places) + 1
    numbers = {revision.id: revision.number for revision in chain}
    there = {(revision.id, revision.revision) for revision in chain}
    newest: dict[str, int] = {}
    for identifier, revision in there:
        newest[identifier] = max(revision, newest.get(identifier, 0))
    gone = {
        (identifier, revision): numbers[identifier]
        for identifier, last in newest.items()
        for revision in range(1, min(last, bound))
        if (identifier, revision) not in there
    }
    replaced = len(gone)
    strays = connection.execute(_STRAYS, {"match": gaps.match, "players": gaps.players})
    rest = [tuple(row) for row in strays if tuple(row) not in gone]
    gone |= {(identifier, n): numbers[identifier] for identifier, n in rest if identifier in numbers}
    lost = [(identifier, revision) for identifier, revision in rest if identifier not in numbers]
    absent = sorted(set(range(1, min(gaps.rounds_played + 1, bound))) - set(numbers.values()))
    numbered = _number(sorted({identifier for identifier, _ in lost}), absent, numbers)
    told: list[tuple[str | None, int | None, int]] = [
        (identifier, number, revision) for (identifier, revision), number in gone.items()
    ]
    told += [
        (identifier, numbered[identifier], revision)
        for identifier, revision in lost
        if identifier in numbered
    ]
    told += [(None, number, 1) for number in absent if number not in numbered.values()]
    told = told[: len(places)]
    for lost_id, number, revision in sorted(told, key=lambda entry: (entry[1] or 0, entry[2])):
        parameters = {"revision": revision}
        lost_place = (gaps.match, lost_id, number, revision)
        words = findings.REVISION_MISSING
        said.append(Finding("round_missing", words, *lost_place, parameters))
    if told and len(told) < len(places):
        named = {"count": len(places) - len(told), "links": ", ".join(map(str, places))}
        words = findings.LINKS_MISSING
        said.append(Finding("round_missing", words, gaps.match, parameters=named))
    elif not told:
        for place in places:
            words = findings.LINK_MISSING
            said.append(Finding("round_missing", words, gaps.match, parameters={"link": place}))
    return said, len(told) == len(places) == replaced


def _number(
    lost: list[str], absent: list[int], numbers: Mapping[str, int | None]
) -> dict[str, int | None]:
    """The numbers that lost rounds must have had: ids are in the order in which rounds were posted."""
    if len(lost) == len(absent):
        return dict(zip(lost, absent, strict=True))
    numbered: dict[str, int | None] = {}
    for identifier in lost:
        before = [number for known, number in numbers.items() if number and known < identifier]
        after = [number for known, number in numbers.items() if number and known > identifier]
        low, high = max(before, default=0), min(after, default=absent[-1] + 1 if absent else 0)
        between = [number for number in absent if low < number < high]
        if len(between) == 1:
            numbered[identifier] = between[0]
    return numbered
