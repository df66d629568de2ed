"""Clients that post, correct and void rounds, each under an Idempotency-Key, until they are answered."""

import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import requests

from service.rules.cards import NAMES

#: Answers after which the same request is sent again, as a client should.
AGAIN = (429, 503)
IN_FLIGHT = "/problems/idempotency-key-in-flight"
PLAYERS = ("andi", "budi", "cici", "dewi")
ROUNDS_A_MATCH = 100
_TIMEOUT = 15
_GIVES_UP = 0.02


def fingerprint(request: dict[str, Any]) -> str:
    """What tells a round from every other: all its cards, as they lie."""
    rows = [" ".join(seat[row]) for seat in request["seats"] for row in ("top", "middle", "bottom")]
    return "/".join(rows)


def deal(chance: random.Random, players: tuple[str, ...] = PLAYERS) -> dict[str, Any]:
    """A round as nobody has played it yet."""
    deck = list(NAMES)
    chance.shuffle(deck)
    hands = [deck[13 * place : 13 * place + 13] for place in range(len(players))]
    return {
        "seats": [
            {"player": player, "top": cards[:3], "middle": cards[3:8], "bottom": cards[8:]}
            for player, cards in zip(players, hands, strict=True)
        ]
    }


@dataclass
class Ledger:
    """What all clients know in the end.

    ``sent``: fingerprints of the rounds that were posted. ``acknowledged``: the fingerprint of each
    round that a client was told is kept. ``digests``: of the revisions that corrections and voids were
    told to have made, by round. ``faults``: answers that should never be.
    """

    sent: set[str] = field(default_factory=set)
    acknowledged: dict[str, str] = field(default_factory=dict)
    digests: dict[str, list[str]] = field(default_factory=dict)
    matches: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    requests: int = 0
    retries: int = 0
    given_up: int = 0
    replays: int = 0
    longest_wait: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, name: str, more: int = 1) -> None:
        """Add to one of the figures."""
        with self.lock:
            setattr(self, name, getattr(self, name) + more)


class GivenUp(Exception):
    """The client will never learn what became of its request."""


class Client(threading.Thread):
    """One app: a match of its own after the other, rounds on their own, and a match that all share."""

    def __init__(self, base: str, key: str, ledger: Ledger, shared: str, seed: int) -> None:
        super().__init__(name=f"client-{seed}", daemon=True)
        self.base, self.ledger, self.shared = base, ledger, shared
        self.chance = random.Random(seed)
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {key}"
        self.over = threading.Event()
        self.match, self.left = "", 0
        self.mine: list[str] = []

    def run(self) -> None:
        """Play until it is over; what was begun is brought to an end."""
        try:
            while not self.over.is_set():
                try:
                    self.play()
                except GivenUp:
                    self.ledger.count("given_up")
        except Exception as error:
            self.ledger.faults.append(f"{self.name}: {error!r}")

    def play(self) -> None:
        """One thing that clients do."""
        number = self.chance.random()
        if number < 0.15 and self.mine:
            self.revise(self.chance.choice(self.mine))
        elif number < 0.35:
            self.post_round("/v1/rounds", tuple(f"{self.name}-{player}" for player in PLAYERS))
        elif number < 0.38:
            self.post_round(f"/v1/matches/{self.shared}/rounds")
        else:
            if not self.left:
                document = {"players": list(PLAYERS), "rounds": ROUNDS_A_MATCH, "stake": 100}
                self.match = self.post("/v1/matches", document, gives_up=False).json()["id"]
                with self.ledger.lock:
                    self.ledger.matches.append(self.match)
                self.left = ROUNDS_A_MATCH
            self.left -= 1
            self.post_round(f"/v1/matches/{self.match}/rounds")

    def post_round(self, path: str, players: tuple[str, ...] = PLAYERS) -> None:
        """Post a round; now and then the answer is asked for once more."""
        document = deal(self.chance, players)
        mark, key = fingerprint(document), str(uuid4())
        with self.ledger.lock:
            self.ledger.sent.add(mark)
        answer = self.post(path, document, key)
        identifier = answer.json()["id"]
        with self.ledger.lock:
            self.ledger.acknowledged[identifier] = mark
        self.mine.append(identifier)
        if self.chance.random() < 0.1:
            again = self.post(path, document, key, gives_up=False)
            self.ledger.count("replays")
            if (again.content, again.status_code) != (answer.content, answer.status_code):
                self.ledger.faults.append(f"{key} was answered twice, differently")

    def revise(self, identifier: str) -> None:
        """Correct a round or void it."""
        path = f"/v1/rounds/{identifier}"
        seen = self.send("GET", path)
        players = tuple(seat["player"] for seat in seen.json()["seats"])
        if self.chance.random() < 0.3:
            answer = self.post(f"{path}/void", {"reason": "misdeal"}, allowed=(201, 409))
        else:
            document = {"reason": "wrong row", **deal(self.chance, players)}
            answer = self.post(f"{path}/corrections", document, tag=seen.headers["ETag"])
        if answer.status_code == 201:
            with self.ledger.lock:
                self.ledger.digests.setdefault(identifier, []).append(answer.json()["digest"])

    def post(
        self,
        path: str,
        document: dict[str, Any],
        key: str | None = None,
        *,
        tag: str | None = None,
        allowed: tuple[int, ...] = (200, 201),
        gives_up: bool = True,
    ) -> requests.Response:
        """Post under an Idempotency-Key."""
        headers = {"Idempotency-Key": key or str(uuid4())}
        if tag is not None:
            headers["If-Match"] = tag
        return self.send("POST", path, document, headers, allowed=allowed, gives_up=gives_up)

    def send(
        self,
        method: str,
        path: str,
        document: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        *,
        allowed: tuple[int, ...] = (200,),
        gives_up: bool = False,
    ) -> requests.Response:
        """Send a request until it is answered; some clients lose their patience."""
        began = time.monotonic()
        while True:
            self.ledger.count("requests")
            pause = 0.1 + 0.2 * self.chance.random()
            try:
                answer = self.session.request(
                    method, self.base + path, json=document, headers=headers, timeout=_TIMEOUT
                )
            except requests.RequestException:
                pass  # perhaps it was done, perhaps not: exactly what the key is for
            else:
                in_flight = answer.status_code == 409 and answer.json()["type"] == IN_FLIGHT
                if answer.status_code in allowed and not in_flight:
                    self._waited(time.monotonic() - began)
                    return answer
                if answer.status_code not in AGAIN and not in_flight:
                    raise AssertionError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
                pause = max(pause, min(float(answer.headers.get("Retry-After", 0)), 2.0))
            if gives_up and self.chance.random() < _GIVES_UP:
                raise GivenUp
            self.ledger.count("retries")
            time.sleep(pause)

    def _waited(self, seconds: float) -> None:
        with self.ledger.lock:
            self.ledger.longest_wait = max(self.ledger.longest_wait, seconds)
