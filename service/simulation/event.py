"""The event: registered, seated, played from many threads, with all that happens on a long evening."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from service.simulation.cards import deal
from service.simulation.client import Answer, Client
from service.simulation.ledger import Ledger

# Of posted rounds: how many are corrected, voided, or sent a second time because the answer got lost.
_CORRECTED, _VOIDED, _SENT_TWICE = 0.04, 0.02, 0.02
# Of matches: how many have an adjustment.
_ADJUSTED = 0.03
# Of players: how many come late, how many leave; from how many on anybody does.
_LATE, _LEAVING, _FEW = 0.05, 0.02, 6
# Of tables that somebody leaves: how many stop there, though they could play on.
_STOPPING = 0.25


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played. ``seed`` decides everything but which thread comes first."""

    players: int
    stages: int
    rounds: int
    table_size: int = 4
    seating: str = "random"
    rank_by: str = "points"
    ruleset: str = "bsfyi"
    seed: int = 1
    stake: int | None = None
    clients: int = 8


@dataclass(frozen=True, slots=True)
class Leaving:
    """When a player leaves: before a round of a stage; the first of them is a no-show."""

    stage: int
    before: int


class Event:
    """One tournament, from registration to the end; what it did is in the ledger."""

    def __init__(self, client: Client, plan: Plan) -> None:
        self.client, self.plan = client, plan
        self.ledger = Ledger(plan.rank_by, plan.stake)
        self.path = ""
        #: Seconds that each posted round took; appended from all threads.
        self.latencies: list[float] = []
        #: How often each thing was done.
        self.done = dict.fromkeys(
            ("corrections", "voids", "repeats", "withdrawals", "late entries", "adjustments"), 0
        )
        self._lock = threading.Lock()
        chance = random.Random(f"{plan.seed}:people")
        width = len(str(plan.players))
        names = [f"player-{number:0{width}}" for number in range(1, plan.players + 1)]
        late = 0
        self._leaving: dict[str, Leaving] = {}
        if plan.players >= _FEW:
            late = max(1, round(plan.players * _LATE)) if plan.stages > 1 else 0
            for player in chance.sample(names, max(1, round(plan.players * _LEAVING))):
                self._leaving[player] = Leaving(
                    chance.randint(1, plan.stages), chance.randint(1, plan.rounds)
                )
        chance.shuffle(names)
        self._early, self._late = names[late:], names[:late]

    def register(self) -> dict[str, Any]:
        """Open the tournament with all who are in time; returns it as the service shows it."""
        plan = self.plan
        body = {
            "name": f"Simulation of {plan.players} players",
            "ruleset": plan.ruleset,
            "players": self._early,
            "table_size": plan.table_size,
            "stages": plan.stages,
            "rounds": plan.rounds,
            "seating": plan.seating,
            "seed": plan.seed,
            "rank_by": plan.rank_by,
        }
        if plan.stake is not None:
            body["stake"] = plan.stake
        opened: dict[str, Any] = self.client.post("/v1/tournaments", body).json()
        self.path = f"/v1/tournaments/{opened['id']}"
        self.ledger.enter(self._early)
        return opened

    def seat(self, stage: int) -> list[dict[str, Any]]:
        """Two directors seat the stage at once; returns its tables. Late entries come right after."""
        with ThreadPoolExecutor(2) as directors:
            pressed = list(
                directors.map(lambda _: self.client.attempt(f"{self.path}/stages", {}), range(2))
            )
        statuses = sorted(answer.status for answer in pressed)
        self.expect(statuses == [201, 409], f"stage {stage}, seated by two at once, answered {statuses}")
        tables: list[dict[str, Any]] = self.client.read(f"{self.path}/stages/{stage}")["tables"]
        for table in tables:
            self.ledger.seat(table["match"], stage, table["players"])
        if stage == 1 and self._late:
            self.client.post(f"{self.path}/players", {"players": self._late})
            self.ledger.enter(self._late)
            self._count("late entries", len(self._late))
        return tables

    def play(
        self, stage: int, tables: Sequence[dict[str, Any]], progress: Callable[[int], None]
    ) -> None:
        """Play all matches of a stage from as many threads as there are clients.

        ``progress`` is called from here with the number of rounds that are over since the last time.
        """
        over = _Tally()
        with ThreadPoolExecutor(self.plan.clients) as clients:
            matches = [clients.submit(self._play, stage, table, over.add) for table in tables]
            try:
                while not all(match.done() for match in matches):
                    time.sleep(0.1)
                    progress(over.take())
                    failed = [match for match in matches if match.done() and match.exception()]
                    if failed:
                        break
                progress(over.take())
                for match in matches:
                    if match.done():
                        match.result()
            except BaseException:
                self.client.stop.set()
                clients.shutdown(cancel_futures=True)
                raise

    def adjust(self, stage: int) -> None:
        """A penalty and a gift after a stage, for somebody, in the tournament."""
        chance = random.Random(f"{self.plan.seed}:adjustments:{stage}")
        for points, reason in (
            (-chance.randint(1, 20), "came too late"),
            (chance.randint(1, 20), "gift"),
        ):
            player = chance.choice(self._early)
            entry = {"player": player, "points": points, "reason": reason}
            self.client.post(f"{self.path}/adjustments", entry)
            self.ledger.give(player, points)
            self._count("adjustments")

    def correct_earlier(self, stage: int) -> None:
        """Correct a round of the stage before, when this one has been seated; no seat may change."""
        seats = self.client.read(f"{self.path}/stages/{stage}")["tables"]
        earlier = self.client.read(f"{self.path}/stages/{stage - 1}")["tables"]
        listed = self.client.read(f"/v1/matches/{earlier[0]['match']}/rounds")["items"]
        valid = [played for played in listed if played["status"] != "void"]
        if valid:
            players = [seat["player"] for seat in valid[0]["seats"]]
            chance = random.Random(f"{self.plan.seed}:late correction:{stage}")
            current = self.client.get(f"/v1/rounds/{valid[0]['id']}")
            self._correct(current, players, chance)
        now = self.client.read(f"{self.path}/stages/{stage}")["tables"]
        same = [table["players"] for table in now] == [table["players"] for table in seats]
        self.expect(same, f"a correction of stage {stage - 1} changed seats of stage {stage}")

    def finish(self) -> None:
        """End it; nothing can be seated after that."""
        self.client.post(f"{self.path}/finish", {})
        status = self.client.attempt(f"{self.path}/stages", {}).status
        self.expect(status == 409, f"a stage after the end was answered with {status}")

    def expect(self, holds: bool, otherwise: str) -> None:
        """Note what is wrong, unless it holds."""
        if not holds:
            with self._lock:
                self.ledger.wrong.append(otherwise)

    def _count(self, what: str, times: int = 1) -> None:
        with self._lock:
            self.done[what] += times

    def _play(self, stage: int, table: dict[str, Any], over: Callable[[int], None]) -> None:
        """One match, as the app at its table plays it."""
        match, players = table["match"], list(table["players"])
        chance = random.Random(f"{self.plan.seed}:{stage}:{table['table']}")
        for number in range(1, self.plan.rounds + 1):
            for player in [p for p in players if self._leaving.get(p) == Leaving(stage, number)]:
                self._withdraw(player, number)
                players.remove(player)
            left = len(table["players"]) - len(players)
            if len(players) < 2 or (left and chance.random() < _STOPPING):
                body = {"reason": "a player has left the table"}
                self.client.post(f"/v1/matches/{match}/finish", body)
                over(self.plan.rounds - number + 1)
                break
            self._round(match, number, players, chance)
            over(1)
        if chance.random() < _ADJUSTED:
            player, points = chance.choice(table["players"]), chance.choice((-5, 5))
            entry = {"player": player, "points": points, "reason": "wrong deal"}
            self.client.post(f"/v1/matches/{match}/adjustments", entry)
            self.ledger.give(player, points, match)
            self._count("adjustments")
        status = self.client.read(f"/v1/matches/{match}")["status"]
        self.expect(status == "finished", f"match {match} is {status} after its last round")
        self.ledger.finish(match)

    def _round(self, match: str, number: int, players: list[str], chance: random.Random) -> None:
        body = {"number": number, "seats": deal(players, self.plan.ruleset, chance)}
        path, key = f"/v1/matches/{match}/rounds", str(uuid4())
        start = time.perf_counter()
        answer = self.client.post(path, body, key)
        self.latencies.append(time.perf_counter() - start)
        played = answer.json()
        self.ledger.write(played)
        if chance.random() < _SENT_TWICE:
            again = self.client.post(path, body, key)
            self.expect(again.json() == played, f"round {played['id']}, sent twice, had two answers")
            self._count("repeats")
        what = chance.random()
        if what < _CORRECTED:
            self._correct(answer, players, chance)
        elif what < _CORRECTED + _VOIDED:
            self._revise(answer, "void", {"reason": "a card was seen"})
            self._count("voids")

    def _correct(self, current: Answer, players: Sequence[str], chance: random.Random) -> None:
        seats = deal(players, self.plan.ruleset, chance)
        self._revise(current, "corrections", {"reason": "cards were entered wrongly", "seats": seats})
        self._count("corrections")

    def _revise(self, current: Answer, how: str, body: dict[str, Any]) -> None:
        """Replace a round's revision by another, if it is still the newest."""
        path = f"/v1/rounds/{current.json()['id']}/{how}"
        self.ledger.write(self.client.post(path, body, **{"If-Match": current.tag}).json())

    def _withdraw(self, player: str, number: int) -> None:
        reason = "did not come" if number == 1 else "had to go home"
        self.client.post(f"{self.path}/withdrawals", {"player": player, "reason": reason})
        self.ledger.leave(player)
        self._count("withdrawals")


class _Tally:
    """A count that many add to and one takes from."""

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0

    def add(self, count: int) -> None:
        with self._lock:
            self._count += count

    def take(self) -> int:
        with self._lock:
            count, self._count = self._count, 0
        return count
