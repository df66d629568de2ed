"""Revisions checked by definition: scored again, sealed again, and what differs put into words.

The definitions are ``digests.seal`` and ``keeping.sealed_content``, ``seat_rows`` and ``duel_rows``. Of
revisions that are as they should be, ``service.record.intact`` says so in a hundredth of the time.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import Connection, Text, cast, select

from service.record import findings
from service.record.digests import seal, without_texts
from service.record.errors import WRONG
from service.record.findings import Finding
from service.record.keeping import sealed_content
from service.record.rounds import SUBMITTED
from service.record.rulesets import content_digest
from service.record.tables import rulesets
from service.rules import results
from service.rules import ruleset as rules
from service.rules.cards import CANONICAL, HAND_SIZE, ROW_SIZES, take_hand
from service.rules.labels import ENGLISH
from service.rules.reading import Seat, formed_names
from service.rules.ruleset import BUILT_IN, RuleSet, from_document
from service.rules.scoring import score

#: The columns of a revision in the order in which it is fetched; ids, JSON and the time come as text.
COLUMNS = (
    "id",
    "revision",
    "match_id",
    "number",
    "link",
    "status",
    "ruleset_id",
    "ruleset_version",
    "request",
    "result",
    "submitted_at",
    "submitted_by",
    "reason",
    "previous_digest",
    "digest",
)
_AS_TEXT = ("id", "match_id", "request", "result")
SELECT = ", ".join(
    f"{name}::text" if name in _AS_TEXT else SUBMITTED if name == "submitted_at" else name
    for name in COLUMNS
)

_TOP, _MIDDLE, _BOTTOM = ROW_SIZES
#: What is stored is nested five deep, rule sets a little more.
_DEEPEST = 32


class Unreadable(Exception):
    """A stored request that cannot be scored."""


class Revision(Struct, gc=False, eq=False):
    """A stored revision, checked. ``computed``: the digest of its content.

    ``seat_lines`` and ``duel_lines``: its typed rows as they should be; None where anything is wrong.
    ``counted``: points, net and fees of each player. ``void``: it is marked so; ``counts``: it should
    count, which is something else only where the mark was changed; ``sealed``: its digest is right.
    ``amends``: what its rows of ``seats`` lack. ``scored`` and ``stored``: the results, where needed.
    """

    id: str
    revision: int
    match: str | None
    number: int | None
    link: int
    previous_digest: str | None
    digest: str
    computed: str
    void: bool
    counts: bool
    ruleset: tuple[str, int]
    key: str
    row: tuple[Any, ...] | None
    stake: Any = None
    seat_lines: str = ""
    duel_lines: str = ""
    counted: Sequence[tuple[str, int, int, int]] = ()
    intact: bool = False
    sealed: bool = True
    scored: Any = None
    stored: Any = None
    amends: dict[str, dict[str, int]] = {}
    findings: list[Finding] = []

    def add(self, code: str, text: str, **parameters: Any) -> None:
        """Note something that is wrong with it."""
        place = (self.match, self.id, self.number, self.revision)
        self.findings.append(Finding(code, text, *place, parameters))


@dataclass(frozen=True, slots=True)
class KnownRuleSet:
    """A rule set of the record: digests that rounds may be sealed with, and what to score under.

    ``doubtful``: only for rounds that are sealed with the digest of this very document, ``written``.
    """

    digests: tuple[str, ...]
    ruleset: RuleSet | None
    doubtful: bool = False
    written: str = ""
    #: Neither kept nor published.
    missing: bool = False


class Rescorer:
    """Checks revisions; keeps the rule sets that they need, and ``findings`` about those."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[str, int], KnownRuleSet] = {}
        self.findings: list[Finding] = []

    def known(self, identifier: str, version: int) -> KnownRuleSet:
        """A rule set of the record, checked once."""
        return self._known.get((identifier, version)) or self.ruleset(identifier, version)

    def explain(self, revision: Revision) -> None:
        """Check a revision by definition, slowly, and note everything that is wrong with it."""
        assert revision.row is not None
        values = dict(zip(COLUMNS, revision.row, strict=True))
        known = self._known[revision.ruleset]
        request, result = _loads(values["request"]), _loads(values["result"])
        values |= {"request": request, "result": result}
        ruleset, stored = known.ruleset, without_texts(result)
        if known.missing:
            revision.stored = stored
            self._explain_missing(revision, request)
            return
        _seal_again(revision, values, known)
        # Sealed, but with the digest of another document than this: under which rules, nobody knows.
        lost = known.doubtful and revision.sealed and revision.digest != _sealed(values, known.written)
        if ruleset is None or lost:
            revision.stored = stored
            return
        try:
            revision.stake = request.get("stake")
            scored = results.show(score(ruleset, read_seats(ruleset, request), revision.stake, ENGLISH))
        except (*WRONG, Unreadable):
            revision.stored = stored
            if not known.doubtful or revision.sealed:
                revision.add("request_unreadable", findings.REQUEST)
            return
        revision.scored = without_texts(scored)
        for pointer, one, other in _differences(stored, revision.scored):
            revision.stored = stored
            told = {"pointer": pointer, "stored": _tell(one), "scored": _tell(other)}
            if not known.doubtful or revision.sealed:
                revision.add("result_differs", findings.RESULT, **told)
            break

    def _explain_missing(self, revision: Revision, request: Any) -> None:
        """Whether the rule set of a revision is gone, or never was that of this revision."""
        identifier, version = revision.ruleset
        told = {"ruleset": identifier, "version": version}
        named = request.get("ruleset") if isinstance(request, dict) else None
        if isinstance(named, dict) and (named.get("id"), named.get("version")) != revision.ruleset:
            revision.sealed = False
            revision.add("ruleset_differs", findings.RULESET_NAMED, **told)
        else:
            self.findings.append(Finding("ruleset_differs", findings.RULESET_MISSING, parameters=told))

    def ruleset(self, identifier: str, version: int) -> KnownRuleSet:
        """A rule set of the record, checked; of one that is missing is told where it is asked for."""
        named = {"ruleset": identifier, "version": version}
        kept = (rulesets.c.digest, rulesets.c.content_digest, cast(rulesets.c.document, Text))
        row = self._connection.execute(
            select(*kept).where(rulesets.c.id == identifier, rulesets.c.version == version)
        ).one_or_none()
        published: RuleSet | None = BUILT_IN.get(identifier)
        if published is not None and (published.id, published.version) != (identifier, version):
            published = None
        wrong, written, computed, digests = None, None, "", []
        if published is not None:
            digests.append(published.digest)
        if row is None:
            wrong = findings.RULESET_MISSING
        else:
            document, content = _loads(row.document), ""
            digests.append(row.digest)
            if isinstance(document, dict):
                computed = hashlib.sha256(rules.canonical(document)).hexdigest()
                content = content_digest(document)
                digests.append(computed)
                written = _build(document, computed)
            if not content or (computed, content) != (row.digest, row.content_digest):
                wrong = findings.RULESET
            elif published is not None and computed != published.digest:
                wrong = findings.PUBLISHED
        missing = row is None and published is None
        if wrong is not None and not missing:
            self.findings.append(Finding("ruleset_differs", wrong, parameters=named))
        found = KnownRuleSet(
            tuple(dict.fromkeys(digests)) or ("",),
            published or written,
            doubtful=wrong is not None and published is None,
            written=computed,
            missing=missing,
        )
        self._known[identifier, version] = found
        return found


def _seal_again(revision: Revision, values: dict[str, Any], known: KnownRuleSet) -> None:
    """Compute the digest by definition; note it if it is not the stored one."""
    computed = [_sealed(values, digest) for digest in known.digests]
    revision.computed = revision.digest if revision.digest in computed else computed[0]
    if revision.digest in computed or known.digests == ("",):
        return
    revision.sealed = False
    told = {"computed": revision.computed, "stored": revision.digest}
    revision.add("digest_differs", findings.DIGEST, **told)
    if revision.revision > 1:  # was it the status that was changed?
        other = "corrected" if values["status"] == "void" else "void"
        if revision.digest in [_sealed({**values, "status": other}, d) for d in known.digests]:
            revision.counts = other != "void"


def _sealed(values: dict[str, Any], ruleset_digest: str) -> str:
    try:
        return seal(sealed_content(values, ruleset_digest))
    except (orjson.JSONEncodeError, TypeError, ValueError):
        return ""  # nothing that could ever have been sealed


def _loads(text: str) -> Any:
    """What JSON says, or the text itself where that is nothing of ours: no JSON, or nested too deep."""
    try:
        value = loads_strictly(text)
    except (ValueError, RecursionError):
        return text
    return value if _is_shallow(value) else text


def _is_shallow(value: Any) -> bool:
    """Whether nothing is nested deeper than whatever goes through it will bear."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            part
            for held in level
            if isinstance(held, dict | list)
            for part in (held.values() if isinstance(held, dict) else held)
        ]
    return not level


def loads_strictly(text: str) -> Any:
    """What JSON says; ``ValueError`` where a member is there twice, which readers take differently."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a member is there twice")
        return found

    orjson.loads(text)  # refuses what the standard library lets pass
    return json.loads(text, object_pairs_hook=members)


# By the digest of their document: compiling one takes as long as some hundred rounds.
_built: dict[str, RuleSet | None] = {}
_MOST_BUILT = 32


def _build(document: Any, digest: str) -> RuleSet | None:
    if digest not in _built:
        while len(_built) >= _MOST_BUILT:
            _built.pop(next(iter(_built)), None)
        try:
            ruleset = from_document(document)
            _built[digest] = ruleset if ruleset.tables else None
        except WRONG:
            _built[digest] = None
    return _built[digest]


def read_seats(ruleset: RuleSet, request: Any) -> list[Seat]:
    """The seats of a stored request; :class:`Unreadable`, or whatever else, if it is none."""
    seats: list[Seat] = []
    cards: list[int] = []
    for shown in request["seats"]:
        player, declare = shown["player"], shown.get("declare")
        arranged = "cards" not in shown
        if arranged:
            top, middle, bottom = shown["top"], shown["middle"], shown["bottom"]
            if len(top) != _TOP or len(middle) != _MIDDLE or len(bottom) != _BOTTOM:
                raise Unreadable
            of_seat = take_hand(CANONICAL, [*top, *middle, *bottom])
        else:
            of_seat = tuple([CANONICAL[name] for name in shown["cards"]])
            if len(of_seat) != HAND_SIZE:
                raise Unreadable
        if declare is not None and declare not in formed_names(ruleset, of_seat):
            raise Unreadable
        cards += of_seat
        seats.append(Seat(player, of_seat, arranged, declare))
    count, players = len(seats), [seat.player for seat in seats]
    if not 2 <= count <= 4 or len(set(cards)) != HAND_SIZE * count:
        raise Unreadable
    if set(map(type, players)) != {str} or len(set(players)) != count:
        raise Unreadable
    return seats


def _differences(stored: Any, scored: Any, pointer: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ."""
    if type(stored) is not type(scored):
        yield pointer, stored, scored
    elif isinstance(stored, Mapping):
        for name in sorted(stored.keys() | scored.keys()):
            parts = stored.get(name, _ABSENT), scored.get(name, _ABSENT)
            yield from _differences(*parts, f"{pointer}/{name}")
    elif isinstance(stored, list) and len(stored) == len(scored):
        for place, parts in enumerate(zip(stored, scored, strict=True)):
            yield from _differences(*parts, f"{pointer}/{place}")
    elif stored != scored:
        yield pointer, stored, scored


class _Absent:
    """What is not there."""


_ABSENT = _Absent()
_MOST_TOLD = 80


def _tell(value: Any) -> str:
    # Not by orjson, which knows no number of more than 64 bits.
    text = "-" if value is _ABSENT else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= _MOST_TOLD else text[:_MOST_TOLD] + "..."
