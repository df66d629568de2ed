"""The pages on rules: current with the rule sets, complete, and right in every example."""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from marshmallow import Schema, fields

from docs import make_scopes
from docs.make_rules import PAGES, TABLES, fill
from schemas.fields import Choice, WholeNumber
from schemas.rulesets import Bonuses, HouseRulesDocument, RulesDocument, read_house_rules
from service.api.calls import CALLS
from service.rules import ruleset as ruleset_module
from service.rules.hands import HANDS
from service.rules.ruleset import BUILT_IN, RuleSet, from_document
from service.rules.specials import SPECIALS
from service.rules.tables import PARTS
from tests.rules.settling import settle

RULES, RULESETS = (page.read_text("utf-8") for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_current_with_the_rule_sets(page: Any) -> None:
    text = page.read_text("utf-8")
    assert fill(text) == text, "run make docs"


def test_the_table_of_scopes_is_current_with_the_calls() -> None:
    text = make_scopes.PAGE.read_text("utf-8")
    assert make_scopes.fill(text) == text, "run make docs"
    table = make_scopes.table()
    for call in CALLS:
        address = re.sub(r"<(?:\w+_)?(\w+)>", r"{\1}", call.path)
        lines = [line for line in table.splitlines() if f"`{call.method} {address}`" in line]
        assert [line.split()[1].strip("`:") for line in lines] == [call.scope or "none"], call.name


def test_every_table_is_shown_once_and_closed() -> None:
    shown = re.findall(r"<!-- table: ([a-z ]+) -->", RULES + RULESETS)
    assert sorted(shown) == sorted(TABLES)
    assert (RULES + RULESETS).count("<!-- end -->") == len(shown)


def test_a_changed_rule_set_changes_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(json.dumps(BUILT_IN["bsfyi"].document))
    document["points"]["middle"]["full_house"] = 4
    monkeypatch.setitem(BUILT_IN, "bsfyi", from_document(document))
    assert "| middle | full house | 4 | 3 |" in fill(RULES)


@pytest.mark.parametrize("page", [RULES, RULESETS], ids=["rules", "rulesets"])
def test_links_within_the_pages_lead_somewhere(page: str) -> None:
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors
    files = {page.name for page in PAGES}
    assert set(re.findall(r"\]\(([^)#]+)\)", page)) <= files


def fields_of(schema: Schema, path: str = "") -> Iterator[tuple[str, fields.Field[Any]]]:
    """Every field of a document with its path, those of nested documents included."""
    for name, field in schema.fields.items():
        inner = field.inner if isinstance(field, fields.List) else field
        yield f"{path}{name}", inner
        if isinstance(inner, fields.Nested):
            yield from fields_of(inner.schema, f"{path}{name}.")


FIELDS = {**dict(fields_of(HouseRulesDocument())), **dict(fields_of(RulesDocument()))}


@pytest.mark.parametrize("path", FIELDS)
def test_every_field_is_described_with_what_it_takes(path: str) -> None:
    field = FIELDS[path]
    if isinstance(field, fields.Nested):
        assert f"`{path}`" in RULESETS
        return
    lines = [line for line in RULESETS.splitlines() if line.startswith(f"| `{path}` |")]
    assert len(lines) == 1, f"{path} needs one line in a table"
    if isinstance(field, WholeNumber):
        assert f"{field.least} to {field.most}" in lines[0]
    elif isinstance(field, Choice):
        where = lines[0] if len(field.choices) <= 3 else RULESETS
        assert all(f"`{choice}`" in where for choice in field.choices)
    elif isinstance(field, Bonuses):
        named = all(f"`{hand}`" in lines[0] for hand in field.hands)
        assert named or (field.hands == HANDS and "any hand" in lines[0])


def test_every_name_that_the_loader_reads_is_described() -> None:
    tree = ast.parse(inspect.getsource(ruleset_module.from_document))
    names = {
        node.slice.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    }
    names |= {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
        and isinstance(node.args[0], ast.Constant)
    }
    assert len(names) > 15
    described = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([a-z_.]+)`", RULESETS))))
    assert names <= described
    parts = {part for parts in PARTS.values() for part in parts}
    assert {*parts, *HANDS, *SPECIALS} <= described


HOUSES: dict[str, Any] = {
    document["id"]: document
    for document in map(json.loads, re.findall(r"```json\n(.*?)```", RULESETS, re.DOTALL))
    if "base" in document
}


def find(name: str) -> RuleSet:
    """A published rule set, or one of the page's house rules."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    complete = read_house_rules(
        HOUSES[name], lambda identifier, _: BUILT_IN.get(identifier), frozenset(BUILT_IN)
    )
    return from_document({**complete, "version": 1})


ROWS = re.compile(r"(\w+) +((?:\w\w )+/(?: \w\w)+ /(?: \w\w)+)")
ANSWERS = [
    pytest.param(dict(ROWS.findall(block)), line, id=line.strip())
    for block in re.findall(r"```text\n(.*?)```", RULES + RULESETS, re.DOTALL)
    if ROWS.search(block)
    for line in block.splitlines()
    if not ROWS.fullmatch(line)
]


@pytest.mark.parametrize(("texts", "line"), ANSWERS)
def test_examples_come_out_as_the_page_says(texts: dict[str, str], line: str) -> None:
    heading, answer = line.split(": ")
    name, *stake = heading.split(", stake ")
    result = settle(find(name), texts, int(stake[0]) if stake else None)
    if stake:
        player, *amounts = re.fullmatch(r"(\w+) won (\d+), fee (\d+), net (-?\d+)", answer).groups()  # type: ignore[union-attr]
        (money,) = (seat["money"] for seat in result["seats"] if seat["player"] == player)
        assert money == dict(zip(("won", "fee", "net"), map(int, amounts), strict=True))
    elif "=" in answer:
        assert answer == _sum_of(result["duels"][0])
    else:
        shown = [f"{seat['player']} {seat['points']:+}" for seat in result["seats"]]
        assert answer == ", ".join(shown)


def _sum_of(duel: Any) -> str:
    """A duel's sum as its winner sees it: ``andi 2 x (1 + 3 - 7) + 0 = 22``."""
    rows = [
        row["points"] * (1 if row["winner"] == duel["winner"] else -1) for row in duel["rows"].values()
    ]
    terms = str(rows[0]) + "".join(f" {'-' if row < 0 else '+'} {abs(row)}" for row in rows[1:])
    return f"{duel['winner']} {duel['factor']} x ({terms}) + {duel['bonus']} = {max(duel['points'])}"


def test_the_page_has_two_complete_examples_of_house_rules() -> None:
    assert len(HOUSES) == 2
    for name in HOUSES:
        assert any(param.values[1].startswith(name) for param in ANSWERS)  # type: ignore[union-attr]
