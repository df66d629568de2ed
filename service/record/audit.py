"""The audit: everything stored of matches and rounds, held against itself and against the rules.

Nothing is compared with itself: results with those of scoring again, digests with those of sealing
again, links with the digests that they stand for, typed rows and totals with the results.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, select

from service.record import chains, findings, intact, typed_rows
from service.record.chains import Head
from service.record.errors import Missing
from service.record.findings import Finding
from service.record.missing import MatchGaps, name_missing
from service.record.rescoring import SELECT, Rescorer, Revision
from service.record.tables import adjustments, match_players, matches, rounds, seats

_BATCH = 250
# What concerns every round of a match.
_OF_ALL = ("ruleset_differs", "match_missing")
_IN_MATCH = ("points", "net", "fees", "rounds")

Counts = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the record: matches, or rounds on their own.

    ``ids``: exactly these; otherwise all after one id and up to another, None for no bound.
    """

    of_matches: bool
    ids: Sequence[str] | None = None
    after: str | None = None
    upto: str | None = None
    size: int = 0

    def where(self, column: str) -> tuple[str, dict[str, Any]]:
        """The condition on ids, and its parameters."""
        if self.ids is not None:
            return f"{column} = ANY(CAST(%(ids)s AS uuid[]))", {"ids": list(self.ids)}
        bounds = {"after": (">", self.after), "upto": ("<=", self.upto)}
        parts = [f"{column} {sign} %({name})s" for name, (sign, bound) in bounds.items() if bound]
        return " AND ".join(parts) or "true", {"after": self.after, "upto": self.upto}


@dataclass(slots=True)
class Report:
    """What an audit of a part showed.

    ``rounds``: how many revisions were looked at. For the totals of players over all: ``amends``, by
    how much the rows of ``seats`` are wrong, and ``unknown``, of whom something is missing.
    """

    rounds: int = 0
    findings: list[Finding] = field(default_factory=list)
    amends: Counts = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


def audit_match(connection: Connection, match_id: UUID) -> Report:
    """Audit one match; :class:`Missing` if there is none. Everything must be read in one snapshot."""
    if connection.scalar(select(matches.c.id).where(matches.c.id == match_id)) is None:
        raise Missing
    return audit(connection, Part(True, [str(match_id)]))


def audit_round(connection: Connection, round_id: UUID) -> Report:
    """Audit one round with its place in its match; :class:`Missing` if there is none.

    A link can be judged only within its chain, so the match is followed and what is said of others
    is left out.
    """
    known = connection.execute(select(rounds.c.match_id).where(rounds.c.id == round_id)).all()
    if not known:
        raise Missing
    match_id = known[0].match_id
    report = audit(connection, Part(match_id is not None, [str(match_id or round_id)]))
    report.rounds = len(known)
    report.findings = [
        finding
        for finding in report.findings
        if finding.round == str(round_id) or (finding.round is None and finding.code in _OF_ALL)
    ]
    return report


def audit(connection: Connection, part: Part) -> Report:
    """Audit a part of the record; memory does not grow with it, only with its longest match."""
    report, rescorer = Report(), Rescorer(connection)
    revisions = _revisions(connection, rescorer, part, report)
    if part.of_matches:
        _audit_matches(connection, part, revisions, report)
    else:
        for _, group in groupby(revisions, key=lambda revision: revision.id):
            _audit_alone(list(group), report)
    report.findings = once([*rescorer.findings, *report.findings])
    return report


def once(found: Iterable[Finding]) -> list[Finding]:
    """The findings without those that say the same again."""
    told: dict[tuple[str | None, ...], Finding] = {}
    for finding in found:
        told.setdefault(finding.place, finding)
    return list(told.values())


def query_of(part: Part) -> tuple[str, dict[str, Any]]:
    """The query for the revisions of a part, in the order of their chains, and its parameters."""
    column, place = ("match_id", "link") if part.of_matches else ("id", "revision")
    condition, parameters = part.where(column)
    alone = "match_id IS NOT NULL" if part.of_matches else "match_id IS NULL"
    # Not by the column that is selected: that is text, which no index is sorted by.
    order = f"rounds.{column}, {place}"
    return f"SELECT {SELECT} FROM rounds WHERE {alone} AND {condition} ORDER BY {order}", parameters


def _revisions(
    connection: Connection, rescorer: Rescorer, part: Part, report: Report
) -> Iterator[Revision]:
    """All revisions of a part, checked: match by match in the order of links."""
    query, parameters = query_of(part)
    # SQLAlchemy's rows and types would take as long as scoring.
    cursor: Any = connection.connection.cursor(name="audited")
    try:
        cursor.itersize = _BATCH
        cursor.execute(query, parameters)
        while rows := cursor.fetchmany(_BATCH):
            report.rounds += len(rows)
            checked = intact.check(rescorer, rows)
            strays = typed_rows.compare(connection, rescorer, checked)
            report.findings += strays
            report.unknown.update(_players_of(connection, strays))
            for revision in checked:
                report.findings += revision.findings
                revision.row = revision.scored = revision.stored = None
                revision.seat_lines = revision.duel_lines = ""
            yield from checked
    finally:
        cursor.close()


def _audit_alone(revisions: list[Revision], report: Report) -> None:
    """A round on its own: a chain of its revisions, whose links are their numbers."""
    links = _give_places(revisions)
    revisions.sort(key=lambda revision: revision.link)
    faults = chains.follow(revisions, None)
    faults.revisions = [*links, *faults.revisions]
    _note_faults(faults, report)
    first, last = revisions[0], max(revisions, key=lambda revision: revision.revision)
    _amend(report, last)
    for place in faults.missing:
        words, named = findings.REVISION_MISSING, {"revision": place}
        report.findings.append(Finding("round_missing", words, None, first.id, None, place, named))


def _give_places(revisions: list[Revision]) -> list[tuple[Revision, str, dict[str, Any]]]:
    """Let links of a round on its own say what they should; returns what is wrong with the others.

    Of a revision that was altered it may be the number that was: then the link still says which it is.
    """
    sealed = {revision.revision for revision in revisions if revision.computed == revision.digest}
    numbers = {revision.revision for revision in revisions}
    faults = []
    for revision in revisions:
        place, link = revision.revision, revision.link
        if place in sealed:
            if link != place:
                faults.append((revision, findings.LINK, {"link": link, "place": place}))
        elif place > len(revisions) and link not in numbers:
            place = link
        revision.link = place
    return faults


def _note_faults(faults: chains.Faults, report: Report) -> None:
    for revision, words, parameters in faults.revisions:
        place = (revision.match, revision.id, revision.number, revision.revision)
        report.findings.append(Finding("chain_broken", words, *place, parameters))


def _audit_matches(
    connection: Connection, part: Part, revisions: Iterable[Revision], report: Report
) -> None:
    of_match = groupby(revisions, key=lambda revision: revision.match)
    played = next(of_match, None)
    for match in _matches(connection, part):
        while played is not None and str(played[0]) < match.id:
            _note_lost_match(str(played[0]), played[1], report)
            played = next(of_match, None)
        chain: list[Revision] = []
        if played is not None and played[0] == match.id:
            chain = list(played[1])
            played = next(of_match, None)
        _audit_match(connection, match, chain, report)
    while played is not None:
        _note_lost_match(str(played[0]), played[1], report)
        played = next(of_match, None)


def _note_lost_match(match: str, revisions: Iterable[Revision], report: Report) -> None:
    count = len(list(revisions))
    words = findings.MATCH_MISSING
    report.findings.append(Finding("match_missing", words, match, parameters={"count": count}))


@dataclass(frozen=True, slots=True)
class _Match:
    """What is kept of a match; players' totals with the sum of their adjustments, ``given``."""

    id: str
    row: Row[Any]
    players: Mapping[str, Mapping[str, int]]
    given: Mapping[str, int]


def _matches(connection: Connection, part: Part) -> list[_Match]:
    """The matches of a part, by id."""
    found = {}
    for table in (matches, match_players, adjustments):
        column = "id" if table is matches else "match_id"
        condition, parameters = part.where(column)
        query = f"SELECT * FROM {table.name} WHERE {condition} ORDER BY {column}"
        found[table.name] = connection.exec_driver_sql(query, parameters).all()
    players: dict[UUID, dict[str, Any]] = defaultdict(dict)
    given: dict[UUID, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in found["match_players"]:
        players[row.match_id][row.player] = row._mapping
    for row in found["adjustments"]:
        given[row.match_id][row.player] += row.points
    return [_Match(str(row.id), row, players[row.id], given[row.id]) for row in found["matches"]]


def _audit_match(connection: Connection, match: _Match, chain: list[Revision], report: Report) -> None:
    faults = chains.follow(chain, Head(match.row.chain_length, match.row.chain_digest))
    _note_faults(faults, report)

    def note(code: str, words: str, **parameters: Any) -> None:
        report.findings.append(Finding(code, words, match.id, parameters=parameters))

    if faults.length is not None:
        note("match_differs", findings.LENGTH, counted=faults.length, kept=match.row.chain_length)
    known = True
    if faults.missing:
        of_match = MatchGaps(match.id, list(match.players), match.row.rounds_played, faults.missing)
        said, known = name_missing(connection, of_match, chain)
        report.findings += said
    played = len({revision.id for revision in chain})
    if played != match.row.rounds_played and (not faults.missing or played > match.row.rounds_played):
        note("match_differs", findings.PLAYED, counted=played, kept=match.row.rounds_played)
    if not _ended_rightly(match.row):
        told = {"kept": match.row.status, "rounds": match.row.rounds, "reason": match.row.finish_reason}
        note("match_differs", findings.STATUS, played=match.row.rounds_played, **told)
    for name, kept, counted in _pinned(match, chain):
        note("match_differs", findings.PINNED, name=name, kept=kept, counted=counted)
    newest = _newest(chain)
    for revision in newest:
        _amend(report, revision)
    if not known:
        report.unknown.update(match.players)
    sums = _sums(newest) if known else None
    for player, name, kept, counted in _totals(match, sums):
        if kept != counted:
            told = {"name": name, "player": player, "kept": kept, "counted": counted}
            note("totals_differ", findings.TOTAL, **told)


def _ended_rightly(match: Any) -> bool:
    """Whether a match is finished exactly if all its rounds have been played or somebody ended it."""
    all_played, ended = match.rounds_played >= match.rounds, match.finish_reason is not None
    fits = (match.status == "finished") == (all_played or ended)
    return bool(fits and match.rounds_played <= match.rounds)


def _pinned(match: _Match, chain: list[Revision]) -> Iterator[tuple[str, Any, Any]]:
    """What a match pins: what it is called, as kept, and as all of its rounds have it instead."""
    sealed = [revision for revision in chain if revision.sealed]
    ruleset, stake = (match.row.ruleset_id, match.row.ruleset_version), match.row.stake
    if sealed and all(revision.ruleset != ruleset for revision in sealed):
        yield "ruleset", "{} {}".format(*ruleset), "{} {}".format(*sealed[0].ruleset)
    if sealed and all(revision.stake != stake for revision in sealed):
        yield "stake", stake, sealed[0].stake


def _totals(match: _Match, sums: dict[str, list[int]] | None) -> Iterator[tuple[str, str, int, int]]:
    """Player, name of the total, as kept, as counted; without ``sums`` only adjustments are known."""
    for player in sorted({*match.players, *match.given, *(sums or {})}):
        kept = match.players.get(player, {})
        if sums is not None:
            for name, counted in zip(_IN_MATCH, sums.get(player, (0,) * len(_IN_MATCH)), strict=True):
                yield player, name, kept.get(name, 0), counted
        yield player, "adjustments", kept.get("adjustments", 0), match.given.get(player, 0)


def _newest(chain: list[Revision]) -> list[Revision]:
    newest: dict[str, Revision] = {}
    for revision in chain:
        if revision.id not in newest or newest[revision.id].revision < revision.revision:
            newest[revision.id] = revision
    return list(newest.values())


def _sums(newest: list[Revision]) -> dict[str, list[int]]:
    """What revisions make together of ``_IN_MATCH``, by player, unless they are void."""
    sums: dict[str, list[int]] = {}
    for revision in newest:
        if not revision.counts:
            continue
        for player, points, net, fees in revision.counted:
            total = sums.get(player)
            if total is None:
                total = sums[player] = [0] * len(_IN_MATCH)
            total[0] += points
            total[1] += net
            total[2] += fees
            total[3] += 1
    return sums


def _amend(report: Report, newest: Revision) -> None:
    for player, counts in newest.amends.items():
        amends = report.amends.setdefault(player, {})
        for name, count in counts.items():
            amends[name] = amends.get(name, 0) + count


def _players_of(connection: Connection, strays: list[Finding]) -> list[str]:
    if not strays:
        return []
    ids = [stray.round for stray in strays]
    return list(connection.scalars(select(seats.c.player).where(seats.c.round_id.in_(ids))))
