"""A director of tournaments, for the tests of what can be done and what cannot."""

from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.requests import ANDI, BUDI

SIX = ["andi", "budi", "cici", "dewi", "eka", "fajar"]
PATH = "/v1/tournaments"

Answer = dict[str, Any]


class Director:
    """Runs a tournament."""

    def __init__(self, client: FlaskClient, **document: Any) -> None:
        self.client = client
        sent = {"name": "Jumat", "players": SIX, "stages": 3, "rounds": 1, "seed": 7, **document}
        response = client.post(PATH, json=sent)
        assert response.status_code == 201, response.text
        self.opened: Answer = response.get_json()
        self.path = response.headers["Location"]

    def post(self, below: str, **document: Any) -> TestResponse:
        return self.client.post(f"{self.path}/{below}", json=document)

    def get(self, below: str = "", **headers: str) -> Any:
        response = self.client.get(f"{self.path}{below}", headers=headers)
        assert response.status_code == 200, response.text
        return response.get_json()

    def seat(self, *tables: list[str]) -> Answer:
        response = self.post("stages", **({"tables": list(tables)} if tables else {}))
        assert response.status_code == 201, response.text
        stage: Answer = response.get_json()
        return stage

    def end(self, stage: Answer) -> None:
        """Finish all matches of a stage."""
        for table in stage["tables"]:
            path = f"/v1/matches/{table['match']}/finish"
            self.client.post(path, json={"reason": "closing time"})

    def standings(self, query: str = "") -> dict[str, Answer]:
        return {item["player"]: item for item in self.get(f"/standings{query}")["items"]}

    def events(self, query: str = "") -> list[Answer]:
        found: list[Answer] = self.get(f"/events{query}")["items"]
        return found


def seats_of(*players: str) -> list[Answer]:
    """A round in which the first has the cards of andi, the second those of budi, and so on."""
    third = {"top": "Ts 5h 4d", "middle": "7h 7d 6s 5s 3s", "bottom": "6c 5c 4h 3h 2h"}
    cards = [ANDI, BUDI, third]
    return [{**rows, "player": player} for rows, player in zip(cards, players, strict=False)]
