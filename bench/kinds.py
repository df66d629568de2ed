"""Kinds of requests that are measured, what is wanted of each, and how they are made."""

import itertools
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench.client import Expected, Request
from bench.scorers import PLAYERS, deals

#: Requests at once; more than the four threads of a worker, so that none of those waits for a client.
LINES = 8
BODIES_A_LINE = 25
REPLAYED_A_LINE = 125
MATCHES_A_LINE = 4
ROUNDS_A_MATCH = 1000
ROUNDS_ASKED = 200
_NEWEST = 50

#: Sends a request; says what came back: the status, header fields, the body.
Ask = Callable[[Request], tuple[int, Mapping[str, str], bytes]]
#: Requests of each line, one after the other.
Lines = Sequence[Iterator[Request]]


class Scene:
    """What there is to ask for, in a service that has rounds, under an API key."""

    def __init__(self, ask: Ask, token: str, busiest: str) -> None:
        self.ask, self.busiest = ask, busiest
        self.key = {"Authorization": f"Bearer {token}"}
        self._names = (f"{uuid.uuid4().hex[:12]}-{number}" for number in itertools.count())
        self._seats = itertools.cycle(
            [
                [dict(zip(("top", "middle", "bottom"), rows, strict=True)) for rows in deal]
                for deal in deals()
            ]
        )
        # Players of their own for each line: rounds of the same player wait for each other.
        self.bodies = [
            [self.body(f"{line}.{number}") for number in range(BODIES_A_LINE)] for line in range(LINES)
        ]
        answer = self._get(f"/v1/rounds?limit={ROUNDS_ASKED}")
        self.tags = {item["id"]: self._tag(item["id"]) for item in answer["items"]}
        # Many: to whoever comes while another of the same key is served, the answer is a 409.
        self.sent_before = [
            [
                self.post("/v1/rounds", body, fresh=True)
                for body in itertools.islice(itertools.cycle(bodies), REPLAYED_A_LINE)
            ]
            for bodies in self.bodies
        ]
        for sent in itertools.chain.from_iterable(self.sent_before):
            self.ask(sent)

    def body(self, suffix: str) -> bytes:
        """The next deal as a round of four players."""
        seats = [
            {"player": f"{name} {suffix}", **rows}
            for name, rows in zip(PLAYERS, next(self._seats), strict=True)
        ]
        return json.dumps({"seats": seats}).encode()

    def post(self, path: str, body: bytes, *, fresh: bool = False) -> Request:
        """A POST under the API key, ``fresh`` with an Idempotency-Key of its own."""
        once = {"Idempotency-Key": next(self._names)} if fresh else {}
        return Request("POST", path, {**self.key, **once}, body)

    def match(self) -> tuple[str, str]:
        """Open a match; gives its id, and what its players' names end with."""
        suffix = next(self._names)
        players = [f"{name} {suffix}" for name in PLAYERS]
        asked = {"players": players, "rounds": ROUNDS_A_MATCH}
        _, _, body = self.ask(self.post("/v1/matches", json.dumps(asked).encode()))
        return json.loads(body)["id"], suffix

    def _get(self, path: str) -> Any:
        _, _, body = self.ask(Request("GET", path, self.key))
        return json.loads(body)

    def _tag(self, identifier: str) -> str:
        _, headers, _ = self.ask(Request("GET", f"/v1/rounds/{identifier}", self.key))
        return headers["ETag"]


# --- how requests are made -----------------------------------------------------------------------------


def _same(method: str, path: str) -> Callable[[Scene], Lines]:
    """The same address each time; a POST has a round's body."""

    def lines(scene: Scene) -> Lines:
        if method == "GET":
            return [itertools.repeat(Request("GET", path, scene.key)) for _ in range(LINES)]
        return [itertools.cycle([scene.post(path, body) for body in bodies]) for bodies in scene.bodies]

    return lines


def _fresh(scene: Scene, path: str, bodies: Iterable[bytes]) -> Iterator[Request]:
    return (scene.post(path, body, fresh=True) for body in bodies)


def _stored(scene: Scene) -> Lines:
    return [_fresh(scene, "/v1/rounds", itertools.cycle(bodies)) for bodies in scene.bodies]


def _alone(lines: Callable[[Scene], Lines], where: str) -> Callable[[Scene], Lines]:
    """The same requests at the address where only their work is done."""

    def moved(asked: Request) -> Request:
        return replace(asked, path=asked.path.replace("/v1/", where))

    return lambda scene: [map(moved, line) for line in lines(scene)]


def _match_rounds(scene: Scene) -> Lines:
    """Matches for each line, in turns, since rounds of the same one wait for each other."""

    def line() -> Iterator[Request]:
        rounds = []
        for _ in range(MATCHES_A_LINE):
            match, suffix = scene.match()
            bodies = itertools.cycle([scene.body(suffix) for _ in range(BODIES_A_LINE)])
            all_planned = itertools.islice(bodies, ROUNDS_A_MATCH)
            rounds.append(_fresh(scene, f"/v1/matches/{match}/rounds", all_planned))
        return itertools.chain.from_iterable(zip(*rounds, strict=True))

    return [line() for _ in range(LINES)]


def _replayed(scene: Scene) -> Lines:
    return [itertools.cycle(sent) for sent in scene.sent_before]


def _rounds(*, known: bool) -> Callable[[Scene], Lines]:
    """Rounds, one after the other; with their ETags where those are ``known``."""

    def lines(scene: Scene) -> Lines:
        asked = [
            Request(
                "GET",
                f"/v1/rounds/{identifier}",
                {**scene.key, "If-None-Match": tag} if known else scene.key,
            )
            for identifier, tag in scene.tags.items()
        ]
        return [itertools.cycle(asked[start::LINES]) for start in range(LINES)]

    return lines


def _newest(scene: Scene) -> Lines:
    path = f"/v1/rounds?player={scene.busiest.replace(' ', '%20')}&limit={_NEWEST}"
    return [itertools.repeat(Request("GET", path, scene.key)) for _ in range(LINES)]


# --- the kinds -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """Requests of a kind: how they are made, what has to come back.

    ``wanted``: which share of the requests a second of other kinds there should be.
    """

    title: str
    lines: Callable[[Scene], Lines]
    expected: Expected
    wanted: Mapping[str, float] = field(default_factory=dict)
    #: Served by the baselines, not by us.
    baseline: bool = False
    #: Each of the requests can be sent once only.
    once: bool = False


_KEPT = {"bare-post": 0.25, "insert": 0.80}
# A whole round as JSON has more bytes than that, and a page of fifty has fifty times as many.
_ROUND_BYTES = 1_000

_OURS: dict[str, Kind] = {
    "score": Kind(
        "POST /v1/score",
        _same("POST", "/v1/score"),
        Expected(200, least_bytes=_ROUND_BYTES),
        {"bare-post": 0.70},
    ),
    "stored": Kind(
        "POST /v1/rounds", _stored, Expected(201, least_bytes=_ROUND_BYTES), _KEPT, once=True
    ),
    "match-round": Kind(
        "POST /v1/matches/{id}/rounds",
        _match_rounds,
        Expected(201, least_bytes=_ROUND_BYTES),
        _KEPT,
        once=True,
    ),
    "replay": Kind(
        "the same key again",
        _replayed,
        Expected(201, b"Idempotency-Replayed: true", _ROUND_BYTES),
        {"bare-post": 0.40},
    ),
    "get": Kind(
        "GET /v1/rounds/{id}",
        _rounds(known=False),
        Expected(200, least_bytes=_ROUND_BYTES),
        {"bare-get": 0.45},
    ),
    "304": Kind("the same, 304", _rounds(known=True), Expected(304), {"bare-get": 0.60}),
    "newest": Kind(
        "newest 50 of a player",
        _newest,
        Expected(200, least_bytes=_NEWEST * _ROUND_BYTES),
        {"bare-get": 0.33},
    ),
}

#: Of these the baselines do the work alone, and where: how near to the goals Flask can come with it.
_ALONE = {
    **dict.fromkeys(("score", "stored", "get", "304", "newest"), "/alone/"),
    "replay": "/alone/replayed/",
}


def _kinds() -> Iterator[tuple[str, Kind]]:
    yield "bare-get", Kind("bare Flask, GET", _same("GET", "/bare"), Expected(200), baseline=True)
    yield "bare-post", Kind("bare Flask, POST", _same("POST", "/bare"), Expected(200), baseline=True)
    insert = _same("POST", "/insert")
    yield "insert", Kind("Flask + one insert", insert, Expected(201), baseline=True)
    for name, kind in _OURS.items():
        yield name, kind
        if name in _ALONE:
            title, lines = "  its work alone, in Flask", _alone(kind.lines, _ALONE[name])
            yield f"{name}-alone", replace(kind, title=title, lines=lines, baseline=True)


KINDS: dict[str, Kind] = dict(_kinds())
