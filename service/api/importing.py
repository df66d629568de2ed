"""Lines of an import, each a match: read, kept in batches, answered one by one once they are kept."""

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import structlog
from sqlalchemy.exc import DBAPIError

from schemas.imports import identity_of, read_import
from schemas.mistakes import Invalid, Mistake
from service import metrics
from service.api import json_input
from service.api.bulk import Refusals, check
from service.api.problems import invalid
from service.database import Database, DatabaseAway
from service.messages import _
from service.record import importing
from service.record.importing import Known, Ready
from service.record.rulesets import find_ruleset, published
from service.rules.ruleset import RuleSet

log = structlog.get_logger(__name__)

MOST_LINE_BYTES = 1024 * 1024
#: Of a batch, which is one transaction: some tenths of a second.
BATCH_ROUNDS, BATCH_LINES, BATCH_BYTES = 1_000, 250, 1024 * 1024
# What a line costs at least, as rounds: so many bytes are one of two players.
_BYTES_A_ROUND = 256

Outcome = dict[str, Any]


class ImportStopped(Exception):
    """The database has gone; what was answered so far stands, and all can be sent again."""


@dataclass(slots=True)
class _Line:
    """A line, what it is known by, and what became of it."""

    number: int
    document: Any = None
    key: str | None = None
    digest: str = ""
    size: int = 0
    bytes: int = 0
    outcome: Outcome | None = None


@dataclass(slots=True)
class _Batch:
    """Lines that are kept in one transaction, which is being done or has failed."""

    lines: list[_Line]
    ready: list[tuple[_Line, Ready]] = field(default_factory=list)
    kept: "Future[None] | None" = None
    fault: DatabaseAway | None = None

    def outcomes(self) -> list[Outcome]:
        """What became of them, in order."""
        return [line.outcome for line in self.lines if line.outcome is not None]


class Importer:
    """Brings matches in under a source's keys, in the name of ``by``."""

    def __init__(self, database: Database, source: str, by: str, refusals: Refusals) -> None:
        self.database, self.source, self.by, self.refusals = database, source, by, refusals
        self._rulesets: dict[tuple[str, int | None], RuleSet | None] = {}
        self._spent = 0.0

    def spent(self) -> float:
        """What has been worked on since this was last asked, good or bad, in rounds."""
        spent, self._spent = self._spent, 0.0
        return spent

    def outcomes(self, lines: Iterable[tuple[int, bytes | None]]) -> Iterator[list[Outcome]]:
        """What became of each line, in order, by batches; each is told when it is kept.

        Raises :class:`ImportStopped`, after the last that can be told, where the database fails.
        """
        with ThreadPoolExecutor(1, "import") as keeper:
            before: _Batch | None = None
            for lines_ in self._batches(lines):
                # Postgres keeps one batch while the next is read and scored.
                batch = self._begin(lines_, keeper)
                if before is not None:
                    yield from self._finish(before)
                before = batch
            if before is not None:
                yield from self._finish(before)

    def _batches(self, lines: Iterable[tuple[int, bytes | None]]) -> Iterator[list[_Line]]:
        batch: list[_Line] = []
        keys: set[str | None] = set()
        rounds = bytes_ = 0
        for number, text in lines:
            line = self._read(number, text)
            full = rounds + line.size > BATCH_ROUNDS or bytes_ + line.bytes > BATCH_BYTES
            # One key twice in a batch would be for the database to tell apart.
            if batch and (full or len(batch) >= BATCH_LINES or line.key in keys):
                yield batch
                batch, keys, rounds, bytes_ = [], set(), 0, 0
            batch.append(line)
            rounds += line.size
            bytes_ += line.bytes
            if line.key is not None:
                keys.add(line.key)
        if batch:
            yield batch

    def _read(self, number: int, text: bytes | None) -> _Line:
        line = _Line(number, bytes=len(text or b""))
        self._spent += line.bytes / _BYTES_A_ROUND
        try:
            line.document = document = json_input.parse(check(text, MOST_LINE_BYTES))
            line.key, line.digest = identity_of(document)
            if type(document) is dict and type(document.get("key", "")) is not str:
                line.key = None  # which is wrong, and will be told
        except Exception as error:
            self._reject(line, error)
            return line
        rounds = document.get("rounds") if type(document) is dict else None
        line.size = len(rounds) if type(rounds) is list else 0
        return line

    def _begin(self, lines: list[_Line], keeper: ThreadPoolExecutor) -> _Batch:
        """Score a batch, and let it be kept."""
        batch = _Batch(lines)
        self._rulesets.clear()
        try:
            batch.ready = self._score(lines)
            batch.kept = keeper.submit(self._keep, batch.ready)
        except DatabaseAway as error:
            batch.fault = error
        return batch

    def _finish(self, batch: _Batch) -> Iterator[list[Outcome]]:
        """The outcomes of a batch, once it is kept."""
        try:
            if batch.fault is not None:
                raise batch.fault
            if batch.kept is not None:
                batch.kept.result()
            # Those that somebody else has kept meanwhile.
            while left := [line for line, _ in batch.ready if line.outcome is None]:
                batch.ready = self._score(left)
                self._keep(batch.ready)
        except DatabaseAway as error:
            for line in batch.lines:
                if line.outcome is None:
                    self._reject(line, error, "failed")
            yield batch.outcomes()
            raise ImportStopped(str(error)) from error
        yield batch.outcomes()

    def _score(self, lines: list[_Line]) -> list[tuple[_Line, Ready]]:
        """Those that are to be kept, scored; of the others it is told what became of them."""
        self._look_up([line for line in lines if line.outcome is None])
        return self._prepare(line for line in lines if line.outcome is None)

    def _look_up(self, lines: list[_Line]) -> None:
        """Tell of those that have been brought in before."""
        keys = [line.key for line in lines if line.key is not None]

        def look() -> dict[str, Known]:
            with self.database.reading() as connection:
                return importing.known(connection, self.source, keys)

        found = self.database.whole(look)
        for line in lines:
            before = found.get(line.key or "")
            if before is None:
                continue
            if before.digest == line.digest:
                line.outcome = _outcome(line, "unchanged", before.id, before.rounds)
                continue
            text = _("another match has been brought in under this key: {match}")
            mistake = Mistake("import_key_reused", text, "/key", {"match": str(before.id)})
            self._reject(line, Invalid([mistake]))

    def _prepare(self, lines: Iterable[_Line]) -> list[tuple[_Line, Ready]]:
        ready = []
        for line in lines:
            try:
                # Without a key the line is refused here.
                played = read_import(line.document, (line.key or "", line.digest), self._find)
                ready.append((line, importing.prepare(played, self.by)))
            except DatabaseAway:
                raise
            except Exception as error:
                self._reject(line, error)
        return ready

    def _keep(self, ready: list[tuple[_Line, Ready]]) -> None:
        """Keep matches in one transaction; in one each, where one of them makes the database refuse."""
        if not ready:
            return

        def keep() -> set[str]:
            with self.database.transaction() as connection:
                return importing.store(connection, self.source, [each for _, each in ready], self.by)

        try:
            kept = self.database.whole(keep)
        except DBAPIError as error:
            if len(ready) > 1:
                for one in ready:
                    self._keep([one])
                return
            self._reject(ready[0][0], error)
            return
        for line, each in ready:
            if each.played.key in kept:
                rounds = len(each.played.rounds)
                line.outcome = _outcome(line, "imported", each.id, rounds)
                metrics.count_round(each.played.ruleset, kept=True, rounds=rounds)

    def _reject(self, line: _Line, error: Exception, status: str = "rejected") -> None:
        if isinstance(error, Invalid):
            error = invalid("invalid-request", error.mistakes)
        line.outcome = _outcome(line, status, None, 0)
        line.outcome["problem"] = self.refusals.of(line.number, error)

    def _find(self, identifier: str, version: int | None) -> RuleSet | None:
        """A rule set; in each batch one is looked up once."""
        built_in = published(identifier, version)
        if built_in is not None:
            return built_in
        if (identifier, version) in self._rulesets:
            return self._rulesets[identifier, version]

        def look() -> RuleSet | None:
            with self.database.reading() as connection:
                return find_ruleset(connection, identifier, version)

        found = self._rulesets[identifier, version] = self.database.whole(look)
        return found


def _outcome(line: _Line, status: str, match: Any, rounds: int) -> Outcome:
    return {
        "line": line.number,
        "key": line.key,
        "status": status,
        "match": str(match) if match is not None else None,
        "rounds": rounds,
    }
