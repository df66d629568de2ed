"""What was changed behind the service's back can be read as far as it goes, and hides nothing else."""

import csv
import io
import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.record import rulesets
from tests.api.test_names_in_addresses import plain_client
from tests.record.tampering import FOUL, Record

DEEP = '{"seats":' + "[" * 1500 + "]" * 1500 + "}"
RESULTS = ["null", "{}", "{ }", "[[[]]]", '"x"', "1" * 400, '{"seats": 5}', '{"seats": [{}]}']
REQUESTS = ["null", "{}", "[]", '"x"', '{"seats": null}', '{"seats": [{}]}', '{"seats": [1, 2]}']
SHIFTED = [(" ", ""), ("", "\n"), ("\t ", " \n")]


@pytest.fixture
def client(client: FlaskClient) -> FlaskClient:
    """The same, not held to the document, which promises nothing of what was tampered with."""
    return plain_client(client)


@pytest.fixture
def kept(record: Record) -> dict[str, Any]:
    """The second of three rounds of a match."""
    return record.play(record.open_match(stake=10), FOUL, FOUL, FOUL)[1]


def assert_readable(client: FlaskClient, kept: dict[str, Any]) -> list[dict[str, Any]]:
    """All that shows a round; what each says of it in JSON."""
    found = []
    of_round, of_match = f"/v1/rounds/{kept['id']}", f"/v1/matches/{kept['match']}/rounds"
    for language in ("en", "id"):
        headers = {"Accept-Language": language}
        found.append(client.get(of_round, headers=headers).get_json())
        found += client.get(f"{of_round}/revisions", headers=headers).get_json()["items"]
        found.append(client.get(f"{of_round}/revisions/1", headers=headers).get_json())
        for path in ("/v1/rounds", of_match, "/v1/players/andi/rounds"):
            items = client.get(path, headers=headers).get_json()["items"]
            lines = client.get(path, headers={**headers, "Accept": "application/x-ndjson"}).text
            table = client.get(path, headers={**headers, "Accept": "text/csv"}).text
            *shown, end = map(json.loads, lines.splitlines())
            rows = list(csv.reader(io.StringIO(table)))
            assert end == {"end": True, "count": 3} and rows[-1][:2] == ["end", "3"]
            assert {len(row) for row in rows} == {len(rows[0])}
            assert [item["id"] for item in items] == [line["id"] for line in shown]
            assert len(items) == 3 and len({row[0] for row in rows}) >= 4
            found += [items[1], shown[1]]
    return found


@pytest.mark.parametrize("column", ["request", "result"])
@pytest.mark.parametrize("value", sorted({*RESULTS, *REQUESTS}), ids=lambda value: value[:20])
def test_a_round_whose_request_or_result_is_none_can_be_read(
    record: Record, client: FlaskClient, kept: dict[str, Any], column: str, value: str
) -> None:
    kind = "jsonb" if column == "request" else "json"
    change = f"UPDATE rounds SET {column} = CAST(:value AS {kind}) WHERE id = :id"
    record.tamper(change, value=value, id=kept["id"])
    for shown in assert_readable(client, kept):
        assert (shown["id"], shown["digest"]) == (kept["id"], kept["digest"])
    assert {(code, identifier) for code, identifier, *_ in record.named()} >= {
        ("digest_differs", kept["id"])
    }


@pytest.mark.parametrize("language", ["en", "id"])
def test_a_result_nested_too_deep_for_most_readers_ends_no_list(
    record: Record, client: FlaskClient, kept: dict[str, Any], language: str
) -> None:
    change = "UPDATE rounds SET result = CAST(:value AS json) WHERE id = :id"
    record.tamper(change, value=DEEP, id=kept["id"])
    for path in (f"/v1/rounds/{kept['id']}", f"/v1/rounds/{kept['id']}/revisions", "/v1/rounds"):
        answer = client.get(path, headers={"Accept-Language": language})
        assert answer.status_code == 200 and DEEP[1:-1] in answer.text
    for media_type, end in (("text/csv", "end,3,"), ("application/x-ndjson", '{"end":true,"count":3}')):
        headers = {"Accept": media_type, "Accept-Language": language}
        assert client.get("/v1/rounds", headers=headers).text.splitlines()[-1].startswith(end)


def test_a_round_can_be_read_whatever_member_of_its_result_has_another_name(
    record: Record, client: FlaskClient, kept: dict[str, Any]
) -> None:
    change = "UPDATE rounds SET result = CAST(:value AS json) WHERE id = :id"
    written = json.dumps({name: kept[name] for name in ("ruleset", "stake", "seats", "duels")})
    for name in sorted(set(re.findall(r'"(\w+)":', written))):
        value = written.replace(f'"{name}":', f'"{name}_":')
        record.tamper(change, value=value, id=kept["id"])
        assert_readable(client, kept)


@pytest.mark.parametrize(("before", "after"), SHIFTED)
def test_blanks_around_a_result_say_nothing(
    record: Record, client: FlaskClient, kept: dict[str, Any], before: str, after: str
) -> None:
    change = "UPDATE rounds SET result = CAST(:before || CAST(result AS text) || :after AS json)"
    record.tamper(change, before=before, after=after)
    english, *_ = assert_readable(client, kept)
    assert english == {**kept, "request": english["request"]}
    assert record.named() == []


def test_a_rule_set_that_was_tampered_with_hides_no_other(record: Record, client: FlaskClient) -> None:
    house = {"id": "meja-9", "title": "Meja 9", "base": "panduan", "points": {"row": 2}}
    assert client.post("/v1/rulesets", json=house).status_code == 201
    before = [item["id"] for item in client.get("/v1/rulesets").get_json()["items"]]
    for document in ("{}", "[]", "null", '{"id": "meja-9"}'):
        change = "UPDATE rulesets SET document = CAST(:document AS jsonb) WHERE id = :id"
        for identifier, shown in (("panduan", True), ("meja-9", False)):
            with record.database.transaction() as connection:
                kept = connection.exec_driver_sql("SELECT id, document FROM rulesets").all()
            record.tamper(change, document=document, id=identifier)
            rulesets._known.clear()
            after = [item["id"] for item in client.get("/v1/rulesets").get_json()["items"]]
            assert after == [name for name in before if name != identifier or shown]
            for row in kept:
                record.tamper(change, document=json.dumps(row.document), id=row.id)
