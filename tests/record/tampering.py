"""A record to be tampered with: matches and rounds posted, then changed behind the service's back."""

import re
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from service.record.audit import Report
from service.record.digests import seal
from service.record.keeping import sealed_content
from service.record.whole_audit import audit_everything
from service.rules.ruleset import BUILT_IN
from tests.api.requests import ANDI, BUDI, post_round

FOUL = {**BUDI, "top": "Qs Qh 5d", "middle": "8s 7h 6d 4h 3s", "bottom": "Tc Td Th Jc Js"}
WON = {**BUDI, "top": "Qs Qh Qd", "middle": "8s 8h 8d 7c 7s", "bottom": "Tc Td Th Jc Js"}

Named = list[tuple[str, str | None, int | None, int | None]]


class Record:
    """What is stored, with ways to change it that the database refuses to everybody else."""

    def __init__(self, database: Database, client: FlaskClient) -> None:
        self.database, self.client = database, client

    def tamper(self, *statements: str, **values: Any) -> None:
        with self.database.transaction() as connection:
            connection.execute(text("SET LOCAL session_replication_role = replica"))
            for statement in statements:
                assert connection.execute(text(statement), values).rowcount

    def whole(self) -> Report:
        return audit_everything(self.url, workers=1)

    @property
    def url(self) -> str:
        return self.database.engine.url.render_as_string(hide_password=False)

    def named(self) -> Named:
        """What the audit of everything names: codes with round, number and revision."""
        return [(f.code, f.round, f.number, f.revision) for f in self.whole().findings]

    def asked(self, path: str) -> list[tuple[str, str | None]]:
        """What the API names: codes with rounds."""
        answer = self.client.get(f"/v1{path}/audit").get_json()
        assert answer["ok"] == (not answer["findings"])
        assert not any(re.search(r"{\w+}|^$", finding["detail"]) for finding in answer["findings"])
        return [(finding["code"], finding["round"]) for finding in answer["findings"]]

    def open_match(self, **document: Any) -> str:
        sent = {"players": ["andi", "budi"], "rounds": 20, **document}
        response = self.client.post("/v1/matches", json=sent)
        assert response.status_code == 201
        return str(response.get_json()["id"])

    def play(self, match: str, *seconds: Any) -> list[dict[str, Any]]:
        path = f"/v1/matches/{match}/rounds"
        return [post_round(self.client, path, {"seats": [ANDI, second]}) for second in seconds]

    def revise(self, kept: dict[str, Any], seats: Any = None) -> dict[str, Any]:
        document: dict[str, Any] = {"reason": "checked"} | ({"seats": seats} if seats else {})
        path = f"/v1/rounds/{kept['id']}/{'corrections' if seats else 'void'}"
        answer = self.client.post(path, json=document, headers={"If-Match": "*"})
        assert answer.status_code == 201, answer.text
        revised: dict[str, Any] = answer.get_json()
        return revised

    def reseal(self, identifier: str, revision: int = 1) -> None:
        """Give a changed revision the digest of its content, as somebody who knows the code can."""
        with self.database.transaction() as connection:
            query = text("SELECT * FROM rounds WHERE id = :id AND revision = :revision")
            row = connection.execute(query, {"id": identifier, "revision": revision}).mappings().one()
            digest = seal(sealed_content(row, BUILT_IN[row["ruleset_id"]].digest))
        change = "UPDATE rounds SET digest = :digest WHERE id = :id AND revision = :revision"
        self.tamper(change, digest=digest, id=identifier, revision=revision)


def play_corrected(record: Record, match: str) -> list[dict[str, Any]]:
    """Six rounds: the second was corrected, the third voided, the fourth both; and a penalty."""
    played = record.play(match, BUDI, FOUL, WON, BUDI, FOUL, BUDI)
    record.revise(played[1], [ANDI, BUDI])
    record.revise(played[2])
    record.revise(played[3])
    record.revise(played[3], [ANDI, FOUL])
    document = {"player": "andi", "points": -3, "reason": "late"}
    assert record.client.post(f"/v1/matches/{match}/adjustments", json=document).status_code == 201
    return played


def drop(record: Record, identifier: str, revision: int, *, rows: bool) -> None:
    """Delete a revision, with its typed rows or without."""
    tables = ["rounds"] + (["seats", "duels"] if rows else [])
    for table in tables:
        column = "id" if table == "rounds" else "round_id"
        change = f"DELETE FROM {table} WHERE {column} = :id AND revision = :revision"
        record.tamper(change, id=identifier, revision=revision)
