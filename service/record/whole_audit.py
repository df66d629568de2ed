"""The audit of everything, or of much: cut into parts, on all cores, with a connection for each.

Every part is read in a snapshot of its own, so that what is posted meanwhile is no fault.
"""

import gc
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine, create_engine, select, text

from service.faults import understood
from service.interrupts import Processes
from service.postgres_address import driver_url
from service.record import findings
from service.record.audit import Part, Report, audit, once
from service.record.errors import Missing
from service.record.findings import Finding
from service.record.pages import since_id
from service.record.rescoring import Rescorer
from service.record.tables import PLAYER_COUNTS, matches, rounds, rulesets
from service.record.tournament_audit import audit_tournaments

#: About as many revisions as a part should have: some tenths of a second.
PART_SIZE = 2_000
_MOST_MATCHES = 500
_PAGE = 10_000

#: Told after each part how many revisions it was thought to have.
Progress = Callable[[int], None]

_COUNTED = """
    WITH replaced AS (SELECT id, revision, status FROM rounds WHERE status <> 'valid'),
    counted AS (
        SELECT player, count(*) AS rounds, sum(points) AS points,
            count(*) FILTER (WHERE points > 0) AS wins, count(foul) AS fouls, sum(sweeps) AS sweeps,
            count(*) FILTER (WHERE clean_sweep) AS clean_sweeps, count(special) AS specials
        FROM seats
        WHERE NOT EXISTS (
            SELECT FROM replaced WHERE replaced.id = seats.round_id AND (
                replaced.revision > seats.revision
                OR (replaced.revision = seats.revision AND replaced.status = 'void')))
        GROUP BY player
    ),
    played AS (SELECT player, count(*) AS matches FROM match_players GROUP BY player)
"""
_UNLIKE = " OR ".join(
    f"coalesce(kept.{name}, 0) <> coalesce({table}.{name}, 0)"
    for name, table in (("matches", "played"), *((name, "counted") for name in PLAYER_COUNTS))
)
_SHOWN = ", ".join(
    f"coalesce(kept.{name}, 0), coalesce({table}.{name}, 0)"
    for name, table in (("matches", "played"), *((name, "counted") for name in PLAYER_COUNTS))
)
_DIFFERING_PLAYERS = text(f"""
    {_COUNTED}
    SELECT player, {_SHOWN}
    FROM player_totals AS kept FULL JOIN counted USING (player) FULL JOIN played USING (player)
    WHERE {_UNLIKE} ORDER BY player
""")

_STRAYS = text("""
    SELECT CAST(lost.round_id AS text), lost.revision, CAST(lost.match_id AS text), lost.player
    FROM (
        SELECT round_id, revision, match_id, player FROM seats WHERE NOT EXISTS (
            SELECT FROM rounds WHERE rounds.id = round_id AND rounds.revision = seats.revision)
        UNION
        SELECT round_id, revision, match_id, player FROM duels WHERE NOT EXISTS (
            SELECT FROM rounds WHERE rounds.id = round_id AND rounds.revision = duels.revision)
    ) AS lost ORDER BY 1, 2, 4
""")

_ANYTHING = text("""
    SELECT EXISTS (SELECT FROM matches WHERE id = :match)
        OR EXISTS (SELECT FROM rounds WHERE match_id = :match)
""")

_CHANGED = text("""
    SELECT CAST(match_id AS text), CAST(id AS text) FROM rounds WHERE id >= :first
    UNION SELECT CAST(match_id AS text), CAST(id AS text) FROM rounds
        WHERE status <> 'valid' AND submitted_at >= :since
    UNION SELECT CAST(id AS text), NULL FROM matches WHERE id >= :first
""")


def audit_everything(
    url: str,
    *,
    match: UUID | None = None,
    since: datetime | None = None,
    workers: int | None = None,
    start: Callable[[int], Progress] = lambda size: lambda done: None,
) -> Report:
    """Audit the whole record, or one match, or what was posted or changed since a time.

    ``start`` is told how much there is to do, and gives what is told of progress. Players' totals over
    all, and rule sets that no round refers to, belong to the whole only. :class:`Missing` if there is
    nothing of that match.
    """
    whole = match is None and since is None
    with understood(), _snapshot(url) as connection:
        if match is not None and not connection.scalar(_ANYTHING, {"match": match}):
            raise Missing
        parts = list(_parts(connection, match, since))
    done = start(sum(part.size for part in parts))
    report = Report()
    count = min(len(parts), workers or _cores())
    with understood(), _ask_beside(url) if whole else nullcontext() as asked:
        for part, found in _each(url, parts, count):
            report.rounds += found.rounds
            report.findings += found.findings
            report.unknown |= found.unknown
            _merge(report.amends, found.amends)
            done(part.size)
        if asked is not None:
            strays, differing = asked()
            with _snapshot(url) as connection:
                report.findings += _whole(connection, report, strays, differing)
    _engine(url, os.getpid()).dispose()
    report.findings = once(report.findings)
    return report


#: Rows that belong to no revision, and players whose totals are not what their rows add up to.
_OfWhole = tuple[Sequence[Any], Sequence[Any]]


@contextmanager
def _ask_beside(url: str) -> Iterator[Callable[[], _OfWhole]]:
    """Ask what takes Postgres long, while the parts are gone through; gives what waits for it."""
    with _snapshot(url) as connection, ThreadPoolExecutor(1) as thread:
        asked = thread.submit(_ask_of_whole, connection)
        try:
            yield asked.result
        finally:
            while not asked.done():  # somebody has had enough
                connection.connection.cancel()
                wait([asked], timeout=0.1)


def _ask_of_whole(connection: Connection) -> _OfWhole:
    return connection.execute(_STRAYS).all(), connection.execute(_DIFFERING_PLAYERS).all()


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _merge(amends: dict[str, dict[str, int]], more: dict[str, dict[str, int]]) -> None:
    for player, counts in more.items():
        of_player = amends.setdefault(player, {})
        for name, count in counts.items():
            of_player[name] = of_player.get(name, 0) + count


@cache
def _engine(url: str, process: int) -> Engine:
    return create_engine(
        driver_url(url), pool_size=1, isolation_level="REPEATABLE READ", hide_parameters=True
    )


@contextmanager
def _snapshot(url: str) -> Iterator[Connection]:
    """A connection that sees everything as it is at its first query; each process keeps one."""
    with _engine(url, os.getpid()).connect() as connection:
        yield connection.execution_options(postgresql_readonly=True)


def _each(url: str, parts: Sequence[Part], workers: int) -> Iterator[tuple[Part, Report]]:
    """The reports of all parts as they come in: in this process, or in as many others."""
    if workers <= 1:
        for part in parts:
            yield part, _audit_part(url, part)
        return
    with Processes(workers, _begin_worker) as pool:
        running: deque[tuple[Part, Future[Report]]] = deque()
        try:
            for part in parts:
                running.append((part, pool.submit(_audit_part, url, part)))
                if len(running) >= 2 * workers:
                    first, report = running.popleft()
                    yield first, report.result()
            while running:
                first, report = running.popleft()
                yield first, report.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    # What scoring makes holds no circles, and looking for some would take as long as scoring.
    gc.freeze()
    gc.disable()


def _audit_part(url: str, part: Part) -> Report:
    with _snapshot(url) as connection:
        return audit(connection, part)


def _parts(connection: Connection, match: UUID | None, since: datetime | None) -> Iterator[Part]:
    if match is not None:
        yield Part(True, [str(match)])
    elif since is not None:
        yield from _changed_parts(connection, since)
    else:
        yield from _parts_of_matches(connection)
        yield from _parts_of_rounds(connection)


def _parts_of_matches(connection: Connection) -> Iterator[Part]:
    """All ids cut into ranges; the last has no end, for whatever is there without a match."""
    after, last, size, count = None, None, 0, 0
    while True:
        query = select(matches.c.id, matches.c.chain_length).order_by(matches.c.id).limit(_PAGE)
        if last is not None:
            query = query.where(matches.c.id > last)
        page = connection.execute(query).all()
        for last, length in page:
            size, count = size + max(length, 0), count + 1
            if size >= PART_SIZE or count >= _MOST_MATCHES:
                yield Part(True, None, after, str(last), size)
                after, size, count = str(last), 0, 0
        if len(page) < _PAGE:
            yield Part(True, None, after, None, size)
            return


def _parts_of_rounds(connection: Connection) -> Iterator[Part]:
    after = None
    while True:
        query = select(rounds.c.id).where(rounds.c.match_id.is_(None)).order_by(rounds.c.id)
        if after is not None:
            query = query.where(rounds.c.id > UUID(after))
        last = connection.scalar(query.offset(PART_SIZE - 1).limit(1))
        if last is None:
            yield Part(False, None, after, None, PART_SIZE // 2)
            return
        yield Part(False, None, after, str(last), PART_SIZE)
        after = str(last)


def _changed_parts(connection: Connection, since: datetime) -> Iterator[Part]:
    """Matches and rounds on their own that were posted, or had a round posted or changed, since."""
    found = connection.execute(_CHANGED, {"first": since_id(since), "since": since})
    of_matches: dict[str, int] = {}
    alone = set()
    for match_id, round_id in found:
        if match_id is None:
            alone.add(round_id)
        else:
            of_matches[match_id] = of_matches.get(match_id, 0) + 1
    for is_match, ids, most in ((True, sorted(of_matches), 50), (False, sorted(alone), PART_SIZE)):
        for begin in range(0, len(ids), most):
            chosen = ids[begin : begin + most]
            size = sum(of_matches.get(identifier, 1) for identifier in chosen)
            yield Part(is_match, chosen, size=size)


def _whole(
    connection: Connection, report: Report, strays: Sequence[Any], differing: Sequence[Any]
) -> Iterator[Finding]:
    """What can only be seen of the record as a whole."""
    rescorer = Rescorer(connection)
    for identifier, version in connection.execute(select(rulesets.c.id, rulesets.c.version)).all():
        rescorer.ruleset(identifier, version)
    yield from rescorer.findings
    told = {(finding.round, finding.revision) for finding in report.findings if finding.round}
    for identifier, revision, match_id, player in strays:
        report.unknown.add(player)
        if (identifier, revision) not in told:
            told.add((identifier, revision))
            words, named = findings.REVISION_MISSING, {"revision": revision}
            yield Finding("round_missing", words, match_id, identifier, None, revision, named)
    for row in differing:
        yield from _differing(row, report)
    doubtful = {player for player, counts in report.amends.items() if any(counts.values())}
    doubtful |= {told.parameters["player"] for told in report.findings if "player" in told.parameters}
    yield from audit_tournaments(connection, doubtful=report.unknown | doubtful)


def _differing(row: Any, report: Report) -> Iterator[Finding]:
    player, *pairs = row
    amends = report.amends.get(player, {})
    for place, name in enumerate(("matches", *PLAYER_COUNTS)):
        kept, counted = int(pairs[2 * place]), int(pairs[2 * place + 1]) + amends.get(name, 0)
        if kept != counted and (name == "matches" or player not in report.unknown):
            told = {"name": name, "player": player, "kept": kept, "counted": counted}
            yield Finding("totals_differ", findings.TOTAL, parameters=told)
