"""An outsider verifies a whole match, with nothing but docs/audit.md and what the API answers."""

import hashlib
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.record.findings import CODES
from tests.api.requests import change, post_round
from tests.record.tampering import Record, play_corrected

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")

# The program of the page, which defines what is tested, and how it is used.
PROGRAM, USE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
_defined: dict[str, Any] = {}
exec(PROGRAM, _defined)
digest_of, content_of, document_of, verify, chain_of, revisions_of = (
    _defined[name]
    for name in ("digest_of", "content_of", "document_of", "verify", "chain_of", "revisions_of")
)


@pytest.fixture(params=["en", "id"])
def reader(client: FlaskClient, request: pytest.FixtureRequest) -> Any:
    """Reads an answer, in a language."""
    return lambda path: client.get(path, headers={"Accept-Language": request.param}).get_json()


@pytest.fixture
def revisions(database: Any, client: FlaskClient, reader: Any) -> Any:
    """All revisions of a match, corrections and voids with them, and its rule set."""
    record = Record(database, client)
    match = record.open_match(ruleset="panduan", stake=10)
    play_corrected(record, match)
    found = revisions_of(match, reader)
    named = reader(f"/v1/matches/{match}")["ruleset"]
    return found, reader(f"/v1/rulesets/{named['id']}?version={named['version']}")


def test_the_program_needs_no_more_than_it_says() -> None:
    assert re.findall(r"^(?:import|from) (\w+)", PROGRAM, re.MULTILINE) == [
        "hashlib",
        "json",
        "collections",
    ]


def test_an_outsider_verifies_a_whole_match(revisions: Any) -> None:
    found, ruleset = revisions
    assert len(found) == 10
    assert digest_of(document_of(ruleset)) == ruleset["digest"]
    assert verify(found, ruleset["digest"]) == []


def test_an_outsider_finds_every_round_of_a_long_match(
    client: FlaskClient, database: Any, reader: Any
) -> None:
    record = Record(database, client)
    match = record.open_match(rounds=60)
    for _ in range(53):  # more than a page
        post_round(client, f"/v1/matches/{match}/rounds")
    found = revisions_of(match, reader)
    assert sorted(revision["number"] for revision in found) == list(range(1, 54))
    shown = reader(f"/v1/matches/{match}")
    assert verify(found, shown["ruleset"]["digest"]) == []
    in_order = sorted(found, key=lambda revision: int(revision["number"]))
    assert chain_of(found) == [revision["digest"] for revision in in_order]
    assert chain_of(found)[-1] == shown["digest"]


@pytest.mark.parametrize(
    "pointer",
    [
        "/request/seats/0/top/0",
        "/seats/0/points",
        "/reason",
        "/submitted_at",
        "/number",
        "/previous_digest",
    ],
)
def test_an_outsider_finds_what_was_changed(revisions: Any, pointer: str) -> None:
    found, ruleset = revisions
    changed = [change(found[0], {pointer: "another"}), *found[1:]]
    assert found[0]["digest"] in verify(changed, ruleset["digest"])


def test_an_outsider_finds_what_is_missing(revisions: Any) -> None:
    found, ruleset = revisions
    for place in range(len(found)):
        rest = found[:place] + found[place + 1 :]
        followers = [r["digest"] for r in found if r["previous_digest"] == found[place]["digest"]]
        assert verify(rest, ruleset["digest"]) == followers


@pytest.mark.parametrize("place", [0, 4, 9])
def test_an_outsider_finds_a_chain_that_forks(revisions: Any, place: int) -> None:
    found, ruleset = revisions
    forged = {**found[place], "id": "0198d2f0-7c1e-7a53-9b1f-3f0c5d6e7a81", "number": 99}
    forged["digest"] = digest_of(content_of(forged, ruleset["digest"]))
    both = {found[place]["digest"], forged["digest"]}
    assert set(verify([*found, forged], ruleset["digest"])) == both
    # At the end, but as a round that there is already.
    chain = chain_of(found)
    again = {**found[place], "previous_digest": chain[-1]}
    again["digest"] = digest_of(content_of(again, ruleset["digest"]))
    assert again["digest"] in verify([*found, again], ruleset["digest"])


def test_a_kept_digest_is_found_as_the_page_says(
    revisions: Any, reader: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found, _ = revisions
    chain, match = chain_of(found), found[0]["match"]

    def answer(url: str, **_: Any) -> Any:
        read = reader(url.removeprefix("http://127.0.0.1:8000"))
        return SimpleNamespace(raise_for_status=lambda: None, json=lambda: read)

    monkeypatch.setitem(sys.modules, "requests", SimpleNamespace(get=answer))
    for kept, there in [(chain[0], True), (chain[-1], True), ("90fde121", False)]:
        use = re.sub(r"^MATCH = .*$", f'MATCH = "{match}"', USE, flags=re.MULTILINE)
        exec(re.sub(r"^KEPT = .*$", f'KEPT = "{kept}"', use, flags=re.MULTILINE), dict(_defined))
        assert capsys.readouterr().out.splitlines() == [
            "the rule set is as sealed: True",
            "revisions that are wrong: []",
            f"what was kept is there: {there}",
        ]


@pytest.mark.parametrize("name", ["bsfyi", "panduan", "gratis", "meja-9"])
def test_every_rule_set_can_be_rebuilt(client: FlaskClient, reader: Any, name: str) -> None:
    document = {"id": "meja-9", "title": "Meja é", "base": "panduan", "points": {"row": 2}}
    assert client.post("/v1/rulesets", json=document).status_code in (200, 201)
    ruleset = reader(f"/v1/rulesets/{name}?version=1")
    assert digest_of(document_of(ruleset)) == ruleset["digest"]


def test_the_example_of_the_page_is_right(client: FlaskClient) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    (digest,) = re.findall(r"SHA-256 `([0-9a-f]{64})`", PAGE)
    (size,) = re.findall(r"canonical form is ([\d,]+) bytes", PAGE)
    content = json.loads(example)
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert (len(text.encode()), hashlib.sha256(text.encode()).hexdigest()) == (
        int(size.replace(",", "")),
        digest,
    )
    # It is a round as the service scores it, sealed with the digest of the rule set it names.
    scored = client.post("/v1/score", json=content["request"]).get_json()
    assert content_of({**scored, **_as_answer(content)}, content["ruleset_digest"]) == content
    name = content["request"]["ruleset"]["id"]
    assert client.get(f"/v1/rulesets/{name}?version=1").get_json()["digest"] == content["ruleset_digest"]


def _as_answer(content: dict[str, Any]) -> dict[str, Any]:
    about = {name: value for name, value in content.items() if name not in ("round", "result")}
    return {**about, "id": content["round"]}


def test_the_page_explains_every_finding() -> None:
    for code in CODES:
        assert f"`{code}`" in PAGE.partition("| code |")[2]
