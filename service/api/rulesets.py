"""Rule sets: the published ones, whole."""

from typing import Any

from flask import Blueprint

from schemas.answers import RuleSetAnswer, RuleSetsAnswer
from schemas.queries import RuleSetQuery
from service.api.calls import call
from service.api.scoring import find
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
def list_rulesets() -> Any:
    """Every rule set, in its newest version."""
    # By id, since an alias names the same rule set again.
    by_id = {ruleset.id: ruleset for ruleset in BUILT_IN.values()}
    return {"items": [_summary(ruleset) for ruleset in by_id.values()]}


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
def get_ruleset(ruleset: str, query: dict[str, Any]) -> Any:
    """A rule set by id or alias, in its newest or a given version."""
    found = find(ruleset, query.get("version"))
    if found is None:
        raise Missing
    return {**_summary(found), "rules": found.document}


def _summary(ruleset: RuleSet) -> dict[str, Any]:
    return {
        **ruleset.reference,
        "title": ruleset.title,
        "aliases": list(ruleset.aliases),
        "digest": ruleset.digest,
    }
