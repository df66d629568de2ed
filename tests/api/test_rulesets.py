"""The published rule sets, listed and shown whole."""

import hashlib
import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.rules.ruleset import BUILT_IN, from_document


def show(client: FlaskClient, path: str) -> dict[str, Any]:
    response = client.get(f"/v1/rulesets{path}")
    assert response.status_code == 200, response.text
    shown: dict[str, Any] = response.get_json()
    return shown


def test_every_rule_set_is_listed_once(client: FlaskClient) -> None:
    items = show(client, "")["items"]
    listed = [item["id"] for item in items]
    # Posted ones may be there besides: versions never go.
    assert {"bsfyi", "panduan", "gratis"} <= {r.id for r in BUILT_IN.values()} <= set(listed)
    assert len(set(listed)) == len(listed)


def test_the_list_says_what_each_shows(client: FlaskClient) -> None:
    for item in show(client, "")["items"]:
        whole = show(client, f"/{item['id']}")
        assert {name: whole[name] for name in item} == item
        assert set(whole) - set(item) == {"base", "differs", "rules"}


@pytest.mark.parametrize("path", ["/toto", "/panduan", "/panduan?version=1", "/toto?version=1"])
def test_an_alias_shows_what_it_stands_for(client: FlaskClient, path: str) -> None:
    shown = show(client, path)
    assert (shown["id"], shown["version"], shown["aliases"]) == ("panduan", 1, ["toto"])


@pytest.mark.parametrize("name", ["bsfyi", "panduan", "gratis"])
def test_the_rules_are_whole_and_sealed(client: FlaskClient, name: str) -> None:
    shown = show(client, f"/{name}")
    assert shown["base"] is shown["differs"] is None
    names = ("id", "version", "title", "aliases")
    document = {**{key: shown[key] for key in names if shown[key] != []}, **shown["rules"]}
    assert from_document(document) == BUILT_IN[name]
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert shown["digest"] == hashlib.sha256(text.encode()).hexdigest()


def test_the_rules_hold_the_published_values(client: FlaskClient) -> None:
    bsfyi, panduan = show(client, "/bsfyi")["rules"], show(client, "/panduan")["rules"]
    assert bsfyi["points"]["middle"] == panduan["points"]["middle"]
    assert bsfyi["points"]["middle"] == {
        "full_house": 3,
        "four_of_a_kind": 14,
        "straight_flush": 18,
        "royal_flush": 22,
    }
    assert (bsfyi["money"]["fee"], panduan["money"]["fee"]) == (0, 300)
    assert bsfyi["rounds"] == [10, 5]
    assert "points" not in show(client, "/gratis")["rules"]
