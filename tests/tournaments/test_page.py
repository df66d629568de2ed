"""The page for directors: its evening can be played as it stands."""

import json
import re
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from service.tournaments.standings import RANK_BY, TIE_BREAKS
from service.tournaments.store import STATUSES

PAGE = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text("utf-8")
REQUESTS = re.findall(r"```http\n(GET|POST) (\S+)\n(.*?)```", PAGE, re.DOTALL)


def test_the_evening_can_be_played(client: FlaskClient) -> None:
    told: dict[str, Any] = {}
    assert len(REQUESTS) == 8
    for method, path, body in REQUESTS:
        if path.endswith("/finish"):
            for table in client.get(f"/v1/tournaments/{told['id']}/stages/1").get_json()["tables"]:
                end = {"reason": "closing time"}
                client.post(f"/v1/matches/{table['match']}/finish", json=end)
        document = json.loads(body) if body else None
        response = client.open(path.replace("{id}", told.get("id", "")), method=method, json=document)
        assert response.status_code in (200, 201), (path, response.text)
        if path == "/v1/tournaments":
            told = response.get_json()
    assert response.get_json()["status"] == "finished"


def test_every_state_and_tie_break_is_explained() -> None:
    for word in (*STATUSES, *RANK_BY, *TIE_BREAKS):
        assert f"`{word}`" in PAGE, word
