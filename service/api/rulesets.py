"""Rule sets: published and posted, listed and whole."""

from functools import partial
from typing import Any

from flask import Blueprint, g
from sqlalchemy import Connection

from schemas.answers import RuleSetAnswer, RuleSetsAnswer
from schemas.queries import RuleSetQuery
from schemas.rulesets import HouseRulesDocument, differences, read_house_rules, rules_of
from service.api.calls import Created, call
from service.record import rulesets
from service.record.errors import Missing
from service.rules.ruleset import BUILT_IN, RuleSet

blueprint = Blueprint("rulesets", __name__, url_prefix="/v1/rulesets")


@call(
    blueprint,
    "GET",
    "",
    scope="read",
    summary="List the rule sets",
    answer=RuleSetsAnswer(),
)
def list_rulesets(connection: Connection) -> Any:
    """Every rule set, published or posted, in its newest version."""
    return {"items": [_summary(ruleset) for ruleset in rulesets.list_rulesets(connection)]}


@call(
    blueprint,
    "GET",
    "/<ruleset>",
    scope="read",
    summary="Show a whole rule set",
    query=RuleSetQuery(),
    answer=RuleSetAnswer(),
    problems=["not-found"],
)
def get_ruleset(connection: Connection, ruleset: str, query: dict[str, Any]) -> Any:
    """A rule set by id or alias, in its newest or a given version, with every rule that varies."""
    found = rulesets.find_ruleset(connection, ruleset, query.get("version"))
    if found is None:
        raise Missing
    return _whole(connection, found)


@call(
    blueprint,
    "POST",
    "",
    scope="write",
    summary="Post house rules",
    body=HouseRulesDocument(),
    answer=RuleSetAnswer(),
    status=201,
    problems=["invalid-request"],
    again=200,
)
def post_ruleset(connection: Connection, document: Any) -> Any:
    """A base and what differs, as a JSON Merge Patch: beside `id`, `title` and `base`, fields of rules.

    The same content as the newest version of the id is that version again (200); anything else is the
    next version (201).
    """
    find = partial(rulesets.find_ruleset, connection)
    complete = read_house_rules(document, find, frozenset(BUILT_IN))
    ruleset, new = rulesets.record_house_rules(connection, complete, g.key.name)
    location = f"/v1/rulesets/{ruleset.id}?version={ruleset.version}"
    return Created(_whole(connection, ruleset), location, 201 if new else 200)


def _summary(ruleset: RuleSet) -> dict[str, Any]:
    return {
        **ruleset.reference,
        "title": ruleset.title,
        "aliases": list(ruleset.aliases),
        "digest": ruleset.digest,
    }


def _whole(connection: Connection, ruleset: RuleSet) -> dict[str, Any]:
    """The rule set with all its rules and, where it has a base, what differs from it."""
    rules = rules_of(ruleset)
    whole = {**_summary(ruleset), "base": None, "differs": None, "rules": rules}
    base = ruleset.document.get("base")
    if base is not None:
        of_base = rulesets.find_ruleset(connection, base["id"], base["version"])
        whole["base"] = base
        whole["differs"] = differences(rules_of(of_base), rules) if of_base else None
    return whole
