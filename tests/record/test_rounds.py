"""What is kept of a round: the whole of it as JSON, seats and duels in columns, and a seal."""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from service.rules.ruleset import BUILT_IN
from tests.api.requests import ANDI, BUDI, ROUND, SIX_PAIRS, change, post_round

Rows = Callable[..., list[dict[str, Any]]]

CICI = {"player": "cici", "top": "Ts 5h 4d", "middle": "7h 7d 6s 5s 3s", "bottom": "6c 5c 4h 3h 2h"}
SPECIAL = {"player": "dewi", "declare": "six_pairs", "cards": SIX_PAIRS}
# A foul at a table of three, with money.
WITH_FOUL = {
    "ruleset": "panduan",
    "stake": 10,
    "seats": [ANDI, {**BUDI, "top": "Qs Qh Qd", "middle": "8s 8h 5d 7c 7s"}, CICI],
}
DOCUMENTS: dict[str, dict[str, Any]] = {
    "rows": ROUND,
    "a foul and money": WITH_FOUL,
    "a special": {"seats": [SPECIAL, {**BUDI, "middle": "8c 8h 8d 7c 7d"}]},
    "names beyond ASCII": change(ROUND, {"/seats/0/player": "安迪 🂡 é \u00ad\u200f"}),
}


def seal_by_hand(kept: dict[str, Any], ruleset_digest: str) -> str:
    """The digest of a stored round, from its answer, with nothing but json and hashlib."""
    about = (
        "round",
        "match",
        "number",
        "revision",
        "status",
        "submitted_at",
        "submitted_by",
        "reason",
        "previous_digest",
    )
    content = {name: kept["id" if name == "round" else name] for name in about}
    content["ruleset_digest"] = ruleset_digest
    content["request"] = kept["request"]
    content["result"] = {
        name: kept[name] for name in ("ruleset", "stake", "seats", "duels") if name in kept
    }
    # Texts are no part of the seal.
    bare = json.loads(json.dumps(content), object_pairs_hook=_without_texts)
    text = json.dumps(bare, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _without_texts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in pairs if name not in ("label", "detail")}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_what_is_stored_is_what_was_answered(client: FlaskClient, rows: Rows, document: Any) -> None:
    kept = post_round(client, document=document)
    (row,) = rows("SELECT * FROM rounds")
    assert row["id"] == UUID(kept["id"])
    assert (row["revision"], row["status"], row["link"]) == (1, "valid", 1)
    assert row["match_id"] is row["number"] is row["previous_digest"] is None
    assert {"id": row["ruleset_id"], "version": row["ruleset_version"]} == kept["ruleset"]
    assert row["request"] == kept["request"]
    assert row["result"] == {name: kept[name] for name in row["result"]}
    assert set(row["result"]) == {"ruleset", "seats", "duels"} | ({"stake"} & set(document))
    assert row["submitted_at"] == datetime.fromisoformat(kept["submitted_at"])
    assert (row["submitted_by"], row["digest"]) == (kept["submitted_by"], kept["digest"])


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_seats_are_in_columns(client: FlaskClient, rows: Rows, document: Any) -> None:
    kept = post_round(client, document=document)
    found = rows("SELECT * FROM seats ORDER BY seat")
    assert len(found) == len(kept["seats"])
    for place, (row, seat) in enumerate(zip(found, kept["seats"], strict=True)):
        hands, money = seat["rows"] or {}, seat.get("money", {})
        assert row == {
            "round_id": UUID(kept["id"]),
            "revision": 1,
            "seat": place,
            "match_id": None,
            "player": seat["player"],
            "foul": seat["foul"] and seat["foul"]["code"],
            "special": seat["special"] and seat["special"]["name"],
            "sweeps": seat["sweeps"],
            "clean_sweep": seat["clean_sweep"],
            "points": seat["points"],
            **{
                f"{name}_hand": hands[name]["hand"] if hands else None
                for name in ("top", "middle", "bottom")
            },
            **{name: money.get(name) for name in ("won", "fee", "net")},
        }


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_duels_are_in_columns(client: FlaskClient, rows: Rows, document: Any) -> None:
    kept = post_round(client, document=document)
    found = rows("SELECT * FROM duels ORDER BY duel")
    assert len(found) == len(kept["duels"])
    for place, (row, duel) in enumerate(zip(found, kept["duels"], strict=True)):
        compared = duel["rows"] or {}
        assert row == {
            "round_id": UUID(kept["id"]),
            "revision": 1,
            "duel": place,
            "match_id": None,
            "player": duel["players"][0],
            "opponent": duel["players"][1],
            "outcome": duel["outcome"],
            "winner": duel["winner"],
            "factor": duel["factor"],
            "bonus": duel["bonus"],
            "points": duel["points"][0],
            **{
                f"{name}_winner": compared[name]["winner"] if compared else None
                for name in ("top", "middle", "bottom")
            },
        }


def test_the_columns_of_a_foul_hold_what_happened(client: FlaskClient, rows: Rows) -> None:
    post_round(client, document=WITH_FOUL)
    assert [row["foul"] for row in rows("SELECT foul FROM seats ORDER BY seat")] == [
        None,
        "top_over_middle",
        None,
    ]
    outcomes = [row["outcome"] for row in rows("SELECT outcome FROM duels ORDER BY duel")]
    assert outcomes[0] == outcomes[2] == "foul" and outcomes[1] in ("rows", "sweep", "clean_sweep")
    (sums,) = rows("SELECT sum(points) AS points, sum(net + fee) AS money FROM seats")
    assert sums == {"points": 0, "money": 0}


def test_rounds_of_a_match_carry_its_id_everywhere(client: FlaskClient, rows: Rows) -> None:
    match = client.post("/v1/matches", json={"players": ["andi", "budi"]}).get_json()
    post_round(client, f"/v1/matches/{match['id']}/rounds")
    for table in ("rounds", "seats", "duels"):
        assert {row["match_id"] for row in rows(f"SELECT match_id FROM {table}")} == {UUID(match["id"])}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_digest_can_be_made_by_hand(client: FlaskClient, document: Any) -> None:
    kept = post_round(client, document=document)
    ruleset_digest = client.get(f"/v1/rulesets/{kept['ruleset']['id']}").get_json()["digest"]
    assert kept["digest"] == seal_by_hand(kept, ruleset_digest)
    assert re.fullmatch("[0-9a-f]{64}", kept["digest"])


def test_each_round_of_a_match_seals_the_one_before(client: FlaskClient, rows: Rows) -> None:
    document = {"players": ["andi", "budi"], "ruleset": "panduan", "stake": 3, "rounds": 3}
    match = client.post("/v1/matches", json=document).get_json()
    kept = [post_round(client, f"/v1/matches/{match['id']}/rounds") for _ in range(3)]
    assert [round_["previous_digest"] for round_ in kept] == [None, kept[0]["digest"], kept[1]["digest"]]
    for round_ in kept:
        assert round_["digest"] == seal_by_hand(round_, match["ruleset"]["digest"])
    assert rows("SELECT chain_length, chain_digest FROM matches") == [
        {"chain_length": 3, "chain_digest": kept[2]["digest"]}
    ]
    assert [row["link"] for row in rows("SELECT link FROM rounds ORDER BY number")] == [1, 2, 3]


@pytest.mark.parametrize(
    "pointer",
    [
        "/id",
        "/number",
        "/status",
        "/submitted_at",
        "/submitted_by",
        "/reason",
        "/request/seats/0/player",
        "/request/seats/0/top/0",
        "/seats/0/points",
        "/seats/0/rows/top/hand",
        "/duels/0/points/0",
        "/previous_digest",
    ],
)
def test_the_seal_breaks_when_anything_is_changed(client: FlaskClient, pointer: str) -> None:
    kept = post_round(client)
    changed = change(kept, {pointer: "another"})
    assert seal_by_hand(changed, BUILT_IN["bsfyi"].digest) != kept["digest"]


def test_better_wording_does_not_break_the_seal(client: FlaskClient) -> None:
    kept = post_round(client, document=WITH_FOUL)
    reworded = change(kept, {"/seats/0/rows/top/label": "raja", "/seats/1/foul/detail": "salah susun"})
    assert seal_by_hand(reworded, BUILT_IN["panduan"].digest) == kept["digest"]


def test_a_round_keeps_a_reference_to_its_exact_rule_set(client: FlaskClient, rows: Rows) -> None:
    post_round(client, document={**ROUND, "ruleset": "toto"})
    found = rows("""
        SELECT rulesets.digest, rulesets.document FROM rounds
        JOIN rulesets ON rulesets.id = ruleset_id AND rulesets.version = ruleset_version
    """)
    assert found == [{"digest": BUILT_IN["panduan"].digest, "document": BUILT_IN["panduan"].document}]
