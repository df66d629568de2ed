"""What JSON can hold and nobody reckons with: the audit names it, and everything else that is wrong."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.language import retold
from tests.record.tampering import Record

HUGE = ["18446744073709551616", "-1" + "0" * 30]
DEPTHS = [33, 480, 900, 3000]
ODD = [
    *HUGE,
    *("[" * depth + "]" * depth for depth in DEPTHS),
    *('{"x":' * depth + "1" + "}" * depth for depth in DEPTHS),
]
IDS = [*HUGE, *(f"{depth} lists" for depth in DEPTHS), *(f"{depth} objects" for depth in DEPTHS)]


@pytest.mark.parametrize("column", ["request", "result"])
@pytest.mark.parametrize("value", ODD, ids=IDS)
def test_a_member_that_is_added_names_its_round_only(
    record: Record, match: str, played: Any, column: str, value: str
) -> None:
    kind = {"request": "jsonb", "result": "json"}[column]
    changed = f"CAST(left(CAST({column} AS text), -1) || CAST(:more AS text) AS {kind})"
    record.tamper(
        f"UPDATE rounds SET {column} = {changed} WHERE id = :id AND revision = 1",
        id=played[1]["id"],
        more=f',"x":{value}}}',
    )
    record.tamper("UPDATE match_players SET points = points + 1 WHERE player = 'andi'")
    found = {(code, identifier) for code, identifier, *_ in record.named()}
    assert ("digest_differs", played[1]["id"]) in found
    assert ("totals_differ", None) in found
    assert {identifier for _, identifier in found} == {played[1]["id"], None}
    assert record.client.get(f"/v1/matches/{match}/audit").status_code == 200


@pytest.mark.parametrize("value", ODD, ids=IDS)
def test_a_label_may_be_anything(record: Record, played: Any, value: str) -> None:
    label = json.dumps(played[1]["seats"][0]["rows"]["top"]["label"])
    record.tamper(
        "UPDATE rounds SET result = CAST(replace(CAST(result AS text), :label, :value) AS json)"
        " WHERE id = :id AND revision = 1",
        id=played[1]["id"],
        label=f'"label":{label}',
        value=f'"label":{value}',
    )
    assert {identifier for _, identifier, *_ in record.named()} <= {played[1]["id"]}


@pytest.mark.parametrize("value", ODD, ids=IDS)
def test_a_rule_set_is_named(record: Record, client: FlaskClient, value: str) -> None:
    assert (
        client.post("/v1/rulesets", json={"id": "odd", "title": "Odd", "base": "bsfyi"}).status_code
        == 201
    )
    record.tamper(
        "UPDATE rulesets SET document = CAST(left(CAST(document AS text), -1) || :more AS jsonb)"
        " WHERE id = 'odd'",
        more=f',"x":{value}}}',
    )
    assert [code for code, *_ in record.named()] == ["ruleset_differs"]
    record.tamper("UPDATE rulesets SET digest = '' WHERE id = 'odd'")
    assert [code for code, *_ in record.named()] == ["ruleset_differs"]


@pytest.mark.parametrize(
    "changed",
    [
        b"[]",
        b'{"seats":1}',
        b'{"seats":[{"rows":{"top":1},"foul":null}]}',
        b'{"seats":[{"rows":{"top":{"hand":"pair"}},"foul":null}]}',
        b'{"seats":[{"rows":null,"foul":{"code":"tired"}}]}',
    ],
)
def test_what_was_changed_is_shown_as_it_is_in_every_language(changed: bytes) -> None:
    assert retold(changed, "id") == changed
