"""Revisions that are as they should be told from others, quickly and many together.

Some dozens take a step before any takes the next: so the tables and the code of each step stay at
hand, and what the last one made does, too. It takes a fifth less than one revision after the other.
Whatever differs in the least is left to :meth:`Rescorer.explain`, which goes by the definitions.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson

from service.record.copied import duel_lines, seat_lines
from service.record.digests import canonical, seal_scored, without_texts
from service.record.errors import WRONG
from service.record.keeping import sealed_content
from service.record.rescoring import (
    COLUMNS,
    KnownRuleSet,
    Rescorer,
    Revision,
    Unreadable,
    loads_strictly,
    read_seats,
)
from service.rules import results
from service.rules.labels import ENGLISH
from service.rules.reading import Seat
from service.rules.results import RoundResult
from service.rules.ruleset import RuleSet
from service.rules.scoring import score

#: How many take a step together.
_TOGETHER = 32
_DIFFERENT = (*WRONG, Unreadable, orjson.JSONEncodeError)


class _Check:
    """A revision on its way through the steps."""

    __slots__ = ("known", "revision", "ruleset", "scored", "seats", "values")

    def __init__(self, values: dict[str, Any], revision: Revision, known: KnownRuleSet) -> None:
        self.values, self.revision, self.known = values, revision, known
        self.ruleset: RuleSet
        self.seats: list[Seat]
        self.scored: RoundResult


def check(rescorer: Rescorer, rows: Sequence[tuple[Any, ...]]) -> list[Revision]:
    """Score, compare and seal revisions, each a row of ``COLUMNS``; which are ``intact`` is noted."""
    checks: list[_Check] = []
    for start in range(0, len(rows), _TOGETHER):
        begun = [_begin(rescorer, row) for row in rows[start : start + _TOGETHER]]
        checks += begun
        left: Iterable[_Check] = begun
        for step in _STEPS:
            left = _take(step, left)
    return [check.revision for check in checks]


def _take(step: Callable[[_Check], bool], checks: Iterable[_Check]) -> list[_Check]:
    """Those that a step finds nothing wrong with."""
    right = []
    for check in checks:
        try:
            if step(check):
                right.append(check)
        except _DIFFERENT:
            continue
    return right


def _begin(rescorer: Rescorer, row: tuple[Any, ...]) -> _Check:
    values = dict(zip(COLUMNS, row, strict=True))
    name = values["ruleset_id"], values["ruleset_version"]
    identifier, number, match = values["id"], values["revision"], values["match_id"]
    void = values["status"] == "void"
    previous, digest = values["previous_digest"], values["digest"]
    place = (identifier, number, match, values["number"], values["link"], previous, digest)
    revision = Revision(*place, "", void, not void, name, f"{identifier}\t{number}\t", row)
    return _Check(values, revision, rescorer.known(*name))


def _read(check: _Check) -> bool:
    if check.known.ruleset is None:
        return False
    check.ruleset = check.known.ruleset
    check.values["request"] = request = orjson.loads(check.values["request"])
    check.revision.stake = request.get("stake")
    check.seats = read_seats(check.ruleset, request)
    return True


def _score(check: _Check) -> bool:
    check.scored = score(check.ruleset, check.seats, check.revision.stake, ENGLISH)
    return True


def _compare(check: _Check) -> bool:
    """Whether the stored result is what was scored, apart from texts."""
    stored, scored = check.values["result"], check.scored
    if results.write(scored) == stored.encode():
        return True
    bare = results.write_canonical(results.without_texts(scored))
    return canonical(without_texts(loads_strictly(stored))) == bare


def _seal(check: _Check) -> bool:
    check.values["result"] = check.scored
    computed = seal_scored(sealed_content(check.values, check.known.digests[0]))
    check.revision.computed = computed
    return computed == check.revision.digest


def _shape(check: _Check) -> bool:
    """Its typed rows, and what it counts."""
    revision, scored = check.revision, check.scored
    revision.seat_lines = seat_lines(revision.key, revision.match, scored)
    revision.duel_lines = duel_lines(revision.key, revision.match, scored)
    revision.counted = [
        (seat.player, seat.points or 0, seat.money.net, seat.money.fee)
        if seat.money
        else (seat.player, seat.points or 0, 0, 0)
        for seat in scored.seats
    ]
    revision.intact = True
    return True


_STEPS = (_read, _score, _compare, _seal, _shape)
