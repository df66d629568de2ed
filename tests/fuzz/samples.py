"""A request of every call as it should be; what is done to them is in `mutations`."""

from dataclasses import dataclass
from typing import Any

import app  # noqa: F401 (fills CALLS)
from service.api.calls import CALLS
from service.api.examples import EXAMPLE_LINES, EXAMPLES
from tests.api.requests import ANDI, DRAGON, PLAYERS, ROUND, SIX_PAIRS

_HOUSE = {
    "id": "fuzz-house",
    "title": "Fuzz",
    "base": "bsfyi",
    "sweep": {"factor": 3},
    "points": {"top": {"pair": {"Q": 2, "K": 3, "A": 4}}},
}
_DECLARED = {
    "seats": [
        {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS},
        {"player": "budi", "declare": "dragon", "cards": DRAGON.replace("2s", "2d").replace("8c", "8d")},
    ],
    "stake": 100,
    "ruleset": {"id": "bsfyi", "version": 1},
}
_REASON = {"reason": "misdeal"}

#: Bodies that a call of this method and path may be sent, besides its example.
BODIES: dict[str, list[Any]] = {
    "POST /v1/score": [ROUND, _DECLARED],
    "POST /v1/arrangements/suggest": [
        {"cards": DRAGON, "ruleset": "panduan"},
        {"cards": SIX_PAIRS, "limit": 2},
    ],
    "POST /v1/arrangements/check": [{"seat": ANDI}, {"seat": {"cards": DRAGON}, "ruleset": "panduan"}],
    "POST /v1/rulesets": [_HOUSE],
    "POST /v1/matches": [
        {"players": list(PLAYERS), "rounds": 5},
        {"players": list(PLAYERS), "ruleset": "panduan", "stake": 10, "label": "final"},
    ],
    "POST /v1/matches/<match_id>/rounds": [ROUND, {**ROUND, "number": 2}],
    "POST /v1/matches/<match_id>/finish": [_REASON],
    "POST /v1/matches/<match_id>/adjustments": [{"player": "andi", "points": -5, "reason": "late"}],
    "POST /v1/rounds": [ROUND, _DECLARED],
    "POST /v1/rounds/<round_id>/corrections": [{**ROUND, "reason": "wrong row"}],
    "POST /v1/rounds/<round_id>/void": [_REASON],
}
QUERIES = (
    "limit=2",
    "limit=501&player=andi",
    "status=valid&ruleset=bsfyi",
    "since=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z",
    "cursor=bm90aGluZw",
    "version=1",
)


@dataclass
class Sample:
    """A request before it is sent."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    document: Any = None
    body: bytes | None = None
    head: bytes | None = None
    #: The document is a list, of which each item is a line.
    in_lines: bool = False


def templates() -> list[tuple[str, str, list[Any], bool]]:
    """Method, path and bodies of every call; and whether those are lists of lines."""
    found = []
    for call in CALLS:
        name = f"{call.method} {call.path}"
        bodies = BODIES.get(name, [])
        if call.body is not None:
            bodies = [*bodies, EXAMPLES[call.name]]
        if call.body is not None or call.lines is None:
            found.append((call.method, call.path, bodies, False))
        if call.lines is not None:
            found.append((call.method, call.path, [EXAMPLE_LINES[call.name]], True))
    return found
