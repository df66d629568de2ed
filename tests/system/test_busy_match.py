"""One match, sixteen writers, and readers who must never be told a thing twice or not at all."""

import json
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.record import keys

SECONDS = 20
WRITERS = 16
PLAYERS = ("andi", "budi", "cici", "dewi")


class Busy:
    """A match in which everybody writes at once, and what has been acknowledged so far."""

    def __init__(self, app: Flask, key: str) -> None:
        self.app, self.authorization = app, {"Authorization": f"Bearer {key}"}
        self.until = time.monotonic() + SECONDS
        self.acknowledged: set[str] = set()
        self.lock = threading.Lock()
        self.faults: list[str] = []
        self.counts = {"posted": 0, "corrected": 0, "voided": 0, "pages": 0, "streams": 0}
        document = {"players": list(PLAYERS), "rounds": 1000, "stake": 100, "ruleset": "panduan"}
        answer = self.client().post("/v1/matches", json=document, headers=self.authorization)
        self.match = f"/v1/matches/{answer.get_json()['id']}"

    def client(self) -> FlaskClient:
        return self.app.test_client()

    def run(self, work: Callable[[FlaskClient, random.Random], None], seed: int) -> None:
        client, chance = self.client(), random.Random(seed)
        try:
            while time.monotonic() < self.until and not self.faults:
                work(client, chance)
        except Exception as error:
            self.faults.append(repr(error))

    def send(self, client: FlaskClient, method: str, path: str, **parts: Any) -> TestResponse:
        """Send a request, and again where the service says that it had too much to do."""
        headers = {**self.authorization, **parts.pop("headers", {})}
        while True:
            answer = client.open(path, method=method, headers=headers, **parts)
            if answer.status_code != 503:
                return answer
            assert answer.get_json()["type"] == "/problems/busy", answer.text
            time.sleep(0.1)

    def count(self, name: str) -> None:
        with self.lock:
            self.counts[name] += 1

    def write(self, client: FlaskClient, chance: random.Random) -> None:
        with self.lock:
            known = sorted(self.acknowledged)
        if not known or chance.random() < 0.6:
            answer = self.send(client, "POST", f"{self.match}/rounds", json={"seats": seats(chance)})
            assert answer.status_code in (201, 409), answer.text
            if answer.status_code == 201:
                with self.lock:
                    self.acknowledged.add(answer.get_json()["id"])
                self.count("posted")
            return
        path = f"/v1/rounds/{chance.choice(known)}"
        if chance.random() < 0.3:
            answer = self.send(client, "POST", f"{path}/void", json={"reason": "misdeal"})
            assert answer.status_code in (201, 409), answer.text
            self.count("voided")
            return
        tag = self.send(client, "GET", path).headers["ETag"]
        answer = self.send(
            client,
            "POST",
            f"{path}/corrections",
            json={"reason": "wrong row", "seats": seats(chance)},
            headers={"If-Match": tag},
        )
        assert answer.status_code in (201, 412), answer.text
        self.count("corrected")

    def page(self, client: FlaskClient, chance: random.Random) -> None:
        with self.lock:
            before = set(self.acknowledged)
        seen: list[str] = []
        path: str | None = f"{self.match}/rounds?limit=17"
        while path:
            page = self.send(client, "GET", path).get_json()
            seen += [item["id"] for item in page["items"]]
            cursor = page["next_cursor"]
            path = f"{self.match}/rounds?limit=17&cursor={cursor}" if cursor else None
        self.check(seen, before)
        self.count("pages")

    def stream(self, client: FlaskClient, chance: random.Random) -> None:
        with self.lock:
            before = set(self.acknowledged)
        headers = {"Accept": "application/x-ndjson"}
        lines = self.send(client, "GET", f"{self.match}/rounds", headers=headers).text.splitlines()
        *items, end = map(json.loads, lines)
        assert end == {"end": True, "count": len(items)}
        self.check([item["id"] for item in items], before)
        self.count("streams")

    def check(self, seen: list[str], before: set[str]) -> None:
        assert len(set(seen)) == len(seen), "an item was there twice"
        assert before <= set(seen), "an acknowledged item was missing"


def seats(chance: random.Random) -> list[dict[str, Any]]:
    """A dealt round, each hand sorted by rank: mostly in order, at times a foul."""
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "dchs"]
    chance.shuffle(deck)
    dealt = []
    for place, player in enumerate(PLAYERS):
        hand = sorted(
            deck[13 * place : 13 * place + 13], key=lambda card: "23456789TJQKA".index(card[0])
        )
        dealt.append({"player": player, "top": hand[:3], "middle": hand[3:8], "bottom": hand[8:]})
    return dealt


def test_writers_and_readers_of_one_match_do_each_other_no_harm(app: Flask, make_key: Any) -> None:
    busy = Busy(app, make_key(*keys.SCOPES))
    works = [busy.write] * WRITERS + [busy.page, busy.stream]
    threads = [threading.Thread(target=busy.run, args=(work, n)) for n, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert busy.faults == []
    assert min(busy.counts.values()) > 0, busy.counts
    check_totals(busy)


def check_totals(busy: Busy) -> None:
    """At the end the match's standings are the sum of the newest revisions that are not void."""
    client = busy.client()
    items: list[dict[str, Any]] = []
    path: str | None = f"{busy.match}/rounds?limit=500"
    while path:
        page = client.get(path, headers=busy.authorization).get_json()
        items += page["items"]
        cursor = page["next_cursor"]
        path = f"{busy.match}/rounds?limit=500&cursor={cursor}" if cursor else None
    assert {item["id"] for item in items} == busy.acknowledged
    assert sorted(item["number"] for item in items) == list(range(1, len(items) + 1))
    expected = dict.fromkeys(PLAYERS, 0)
    net = dict.fromkeys(PLAYERS, 0)
    for item in items:
        for seat in item["seats"] if item["status"] != "void" else ():
            expected[seat["player"]] += seat["points"]
            net[seat["player"]] += seat["money"]["net"]
    match = client.get(busy.match, headers=busy.authorization).get_json()
    assert {line["player"]: line["points"] for line in match["standings"]} == expected
    assert {line["player"]: line["money"]["net"] for line in match["standings"]} == net
    for player in PLAYERS:
        total = client.get(f"/v1/players/{player}", headers=busy.authorization).get_json()
        assert total["points"] == expected[player]
    audit = client.get(f"{busy.match}/audit", headers=busy.authorization).get_json()
    assert (audit["ok"], audit["findings"]) == (True, [])
    assert audit["rounds"] >= len(items)
