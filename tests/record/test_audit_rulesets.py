"""The audit of rule sets: rounds are scored under what is stored, and that is not taken on trust."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from service.record.rulesets import record_built_in
from tests.api.requests import BUDI
from tests.record.tampering import Record

HOUSE = {"id": "meja-7", "title": "Meja 7", "base": "bsfyi", "points": {"row": 2}}
OTHER = {"id": "meja-8", "title": "Meja 8", "base": "panduan", "points": {"row": 3}}


@pytest.fixture
def record(database: Database, client: FlaskClient) -> Any:
    """A record whose rule sets are put right in the end, for other tests read them."""
    yield Record(database, client)
    with database.transaction() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text("DELETE FROM rulesets"))
        record_built_in(connection)


@pytest.fixture
def matches(record: Record) -> dict[str, str]:
    """A match of two rounds under each rule set."""
    for document in (HOUSE, OTHER):
        assert record.client.post("/v1/rulesets", json=document).status_code == 201
    found = {}
    for ruleset in ("meja-7", "meja-8", "bsfyi", "panduan"):
        found[ruleset] = record.open_match(ruleset=ruleset)
        record.play(found[ruleset], BUDI, BUDI)
    assert record.named() == []
    return found


@pytest.mark.parametrize("change", ["ruleset_id = 'bsfyh'", "ruleset_version = 3"])
@pytest.mark.parametrize("ruleset", ["meja-7", "bsfyi"])
def test_a_revision_that_names_a_rule_set_which_never_was_is_named_alone(
    record: Record, matches: dict[str, str], ruleset: str, change: str
) -> None:
    path = f"/matches/{matches[ruleset]}"
    second, first = record.client.get(f"/v1{path}/rounds").get_json()["items"]
    record.tamper(f"UPDATE rounds SET {change} WHERE id = :id", id=first["id"])
    assert record.named() == [("ruleset_differs", first["id"], 1, 1)]
    assert record.asked(path) == [("ruleset_differs", first["id"])]
    assert record.asked(f"/rounds/{first['id']}") == [("ruleset_differs", first["id"])]
    assert record.asked(f"/rounds/{second['id']}") == []


CHANGES = {
    "what rows pay": "document = jsonb_set(document, '{points,row}', '5')",
    "the title": "document = jsonb_set(document, '{title}', '\"Meja\"')",
    "no points": "document = document - 'points'",
    "no comparison": "document = document - 'comparison'",
    "nothing": "document = '[]'",
    "the digest": "digest = repeat('a', 64)",
    "the digest of its content": "content_digest = repeat('a', 64)",
}


@pytest.mark.parametrize("ruleset", ["meja-7", "bsfyi"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_rule_set_is_named_and_no_round(
    record: Record, matches: dict[str, str], ruleset: str, change: str
) -> None:
    record.tamper(f"UPDATE rulesets SET {change} WHERE id = :id", id=ruleset)
    (finding,) = record.whole().findings
    assert (finding.code, finding.match, finding.round) == ("ruleset_differs", None, None)
    assert finding.parameters == {"ruleset": ruleset, "version": 1}
    assert [code for code, _ in record.asked(f"/matches/{matches[ruleset]}")] == ["ruleset_differs"]
    other = "meja-8" if ruleset == "meja-7" else "panduan"
    assert record.asked(f"/matches/{matches[other]}") == []


def test_a_published_rule_set_is_known_even_if_its_digests_were_changed_with_it(
    record: Record, matches: dict[str, str]
) -> None:
    change = "document = other.document, digest = other.digest, content_digest = other.content_digest"
    record.tamper(f"""
        UPDATE rulesets SET {change} FROM rulesets AS other
        WHERE rulesets.id = 'bsfyi' AND other.id = 'panduan'
    """)
    assert [code for code, *_ in record.named()] == ["ruleset_differs"]


def test_a_dropped_rule_set_is_named(record: Record, matches: dict[str, str]) -> None:
    record.tamper("DELETE FROM rulesets WHERE id IN ('meja-7', 'bsfyi')")
    assert [code for code, *_ in record.named()] == ["ruleset_differs"] * 2


def test_rounds_under_a_changed_rule_set_are_still_checked(
    record: Record, matches: dict[str, str]
) -> None:
    """Their seals hold; but what is sealed under no known document cannot be scored again."""
    change = (
        "UPDATE rounds SET result = jsonb_set(result::jsonb, '{seats,0,points}', '9')::json "
        "WHERE match_id = :id"
    )
    record.tamper(
        "UPDATE rulesets SET digest = repeat('a', 64) WHERE id = 'meja-7'",
        f"{change} AND number = 2",
        id=matches["meja-7"],
    )
    found = [(code, number) for code, _, number, _ in record.named()]
    assert found == [("ruleset_differs", None), ("digest_differs", 2)]


def test_a_round_under_another_rule_set_is_named(record: Record, matches: dict[str, str]) -> None:
    change = "UPDATE rounds SET ruleset_id = 'panduan' WHERE match_id = :id AND number = 1"
    record.tamper(change, id=matches["bsfyi"])
    assert {(code, number) for code, _, number, _ in record.named()} == {
        ("digest_differs", 1),
        ("result_differs", 1),
    }
