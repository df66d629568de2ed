"""Whatever happens in a tournament, its standings are those that a recount of the rounds gives."""

from random import Random
from typing import Any

from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.database import Database
from service.record.whole_audit import audit_everything
from tests.tournaments.recount import deal, recount

NAMES = [f"player {number}" for number in range(1, 12)]
ACTIONS = ("play",) * 6 + (
    "correct",
    "void",
    "adjust_match",
    "adjust",
    "enter",
    "withdraw",
    "finish_match",
)


class Event:
    """A tournament, and what somebody may do next, well or badly."""

    def __init__(self, client: FlaskClient, chance: Random, rank_by: str) -> None:
        self.client, self.chance = client, chance
        document = {
            "name": "Jumat",
            "ruleset": "panduan",
            "players": NAMES[: chance.randint(2, 9)],
            "table_size": chance.choice([2, 3, 4, 4]),
            "stages": 4,
            "rounds": chance.randint(1, 3),
            "seating": chance.choice(["random", "standings", "spread"]),
            "rank_by": rank_by,
            "seed": chance.randrange(1000),
        }
        if chance.random() < 0.7:
            document["stake"] = 1000
        answer = self.post("/v1/tournaments", document)
        assert answer.status_code == 201, answer.text
        self.tournament = answer.get_json()
        self.path = f"/v1/tournaments/{self.tournament['id']}"
        self.rounds: list[str] = []

    def post(self, path: str, document: Any, **headers: str) -> Any:
        return self.client.post(path, json=document, headers=headers)

    def open_tables(self) -> list[dict[str, Any]]:
        stage = self.client.get(self.path).get_json()["stage"]
        if not stage:
            return []
        tables = self.client.get(f"{self.path}/stages/{stage}").get_json()["tables"]
        return [table for table in tables if table["status"] == "open"]

    def play(self) -> Any:
        """A round at some open table, or the next stage where there is none."""
        tables = self.open_tables()
        if not tables:
            return self.post(f"{self.path}/stages", {})
        match = self.client.get(f"/v1/matches/{self.chance.choice(tables)['match']}").get_json()
        there = [
            p for p in match["players"] if p not in match["withdrawn"] or self.chance.random() < 0.3
        ]
        if len(there) < 2:
            return self.post(f"/v1/matches/{match['id']}/finish", {"reason": "nobody left"})
        answer = self.post(f"/v1/matches/{match['id']}/rounds", {"seats": deal(self.chance, there)})
        assert answer.status_code == 201, answer.text
        self.rounds.append(answer.get_json()["id"])
        return answer

    def correct(self) -> Any:
        if not self.rounds:
            return self.play()
        path = f"/v1/rounds/{self.chance.choice(self.rounds)}"
        round_ = self.client.get(path).get_json()
        match = self.client.get(f"/v1/matches/{round_['match']}").get_json()
        before = {seat["player"] for seat in round_["seats"]}
        may_miss = {*match["withdrawn"], *match["players"]} - (before - {*match["withdrawn"]})
        seated = [p for p in match["players"] if p not in may_miss or self.chance.random() < 0.5]
        if len(seated) < 2:
            seated = match["players"]
        change = {"reason": "misread", "seats": deal(self.chance, seated)}
        return self.post(f"{path}/corrections", change, **{"If-Match": "*"})

    def void(self) -> Any:
        if not self.rounds:
            return self.play()
        return self.post(f"/v1/rounds/{self.chance.choice(self.rounds)}/void", {"reason": "misdeal"})

    def adjust_match(self) -> Any:
        if not self.rounds:
            return self.play()
        round_ = self.client.get(f"/v1/rounds/{self.chance.choice(self.rounds)}").get_json()
        player = round_["seats"][0]["player"]
        given = {"player": player, "points": self.chance.choice([-9, 4]), "reason": "late"}
        return self.post(f"/v1/matches/{round_['match']}/adjustments", given)

    def adjust(self) -> Any:
        given = {"player": self.chance.choice(NAMES), "points": -7, "reason": "rude"}
        return self.post(f"{self.path}/adjustments", given)

    def enter(self) -> Any:
        return self.post(f"{self.path}/players", {"players": [self.chance.choice(NAMES)]})

    def withdraw(self) -> Any:
        document = {"player": self.chance.choice(NAMES), "reason": "the last bus"}
        return self.post(f"{self.path}/withdrawals", document)

    def finish_match(self) -> Any:
        tables = self.open_tables()
        if not tables:
            return self.play()
        return self.post(f"/v1/matches/{tables[0]['match']}/finish", {"reason": "closing time"})

    def check(self) -> None:
        """The standings are those of a recount, over all and of every stage."""
        stages = self.client.get(self.path).get_json()["stage"]
        for stage in (None, *range(1, stages + 1)):
            query = f"?stage={stage}" if stage else ""
            told = self.client.get(f"{self.path}/standings{query}").get_json()["items"]
            assert told == recount(self.client, self.tournament, stage)
            assert sum(item["points"] - item["adjustments"] for item in told) == 0


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.randoms(use_true_random=False),
    st.sampled_from(["points", "points_per_opponent", "placings"]),
    st.lists(st.sampled_from(ACTIONS), min_size=10, max_size=40),
)
def test_any_sequence_leaves_standings_equal_to_a_recount(
    client: FlaskClient, database: Database, chance: Random, rank_by: str, actions: list[str]
) -> None:
    event = Event(client, Random(chance.randrange(10**6)), rank_by)
    for number, action in enumerate(actions):
        answer = getattr(event, action)()
        assert answer.status_code in (200, 201, 409, 422), answer.text
        if number % 5 == 4:
            event.check()
    event.check()
    audit = client.get(f"{event.path}/audit").get_json()
    assert (audit["ok"], audit["findings"]) == (True, [])
    url = database.engine.url.render_as_string(hide_password=False)
    assert audit_everything(url, workers=1).findings == []
