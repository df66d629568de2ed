"""docs/observing.md and the dashboard name exactly what there is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from ruamel.yaml import YAML

from service import logs, metrics
from service.api.observing import PROBES

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "observing.md").read_text("utf-8")
DASHBOARD = json.loads((DOCS / "grafana-dashboard.json").read_text("utf-8"))

#: Every metric by the name with which it is shown: kind, labels, meaning.
METRICS: dict[str, tuple[str, tuple[str, ...], str]] = {
    family.name + ("_total" if family.type == "counter" else ""): (
        family.type,
        metrics.registry._names_to_collectors[family.name]._labelnames,
        family.documentation,
    )
    for family in text_string_to_metric_families(generate_latest(metrics.registry).decode())
}


def expressions(part: Any) -> list[str]:
    """All PromQL in a document."""
    if isinstance(part, dict):
        found = [part["expr"]] if "expr" in part else []
        return found + [each for value in part.values() for each in expressions(value)]
    return [each for value in part for each in expressions(value)] if isinstance(part, list) else []


(ALERTS,) = (
    YAML(typ="safe").load(block) for block in re.findall(r"```yaml\n(groups:.*?)```", PAGE, re.DOTALL)
)
PANELS = DASHBOARD["panels"]
EXPRESSIONS = {"dashboard": expressions(DASHBOARD), "alerts": expressions(ALERTS)}


def named(texts: list[str]) -> set[str]:
    return {
        re.sub(r"_(bucket|sum|count)$", "", name)
        for text in texts
        for name in re.findall(r"\bsusun_\w+", text)
    }


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    assert named(EXPRESSIONS["dashboard"]) == set(METRICS)


def test_alerts_are_on_metrics_that_there_are() -> None:
    assert named(EXPRESSIONS["alerts"]) <= set(METRICS)
    assert all(rule["alert"] and rule["expr"] for rule in ALERTS["groups"][0]["rules"])


@pytest.mark.parametrize("expression", [each for group in EXPRESSIONS.values() for each in group])
def test_expressions_use_labels_that_their_metrics_have(expression: str) -> None:
    assert expression.count("(") == expression.count(")")
    have = {"job", "le", *(label for name in named([expression]) for label in METRICS[name][1])}
    used = set(re.findall(r"[{,] *(\w+) *[=!]", expression))
    for group in re.findall(r"by \(([^)]*)\)", expression):
        used |= {label.strip() for label in group.split(",")}
    assert used <= have


def test_legends_use_labels_that_are_left() -> None:
    for target in (target for panel in PANELS for target in panel["targets"]):
        kept = {
            label.strip()
            for group in re.findall(r"by \(([^)]*)\)", target["expr"])
            for label in group.split(",")
        }
        assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) == kept - {"le"}


def test_panels_have_their_own_places() -> None:
    places = {
        (x, y)
        for panel in PANELS
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    }
    assert len(places) == sum(panel["gridPos"]["w"] * panel["gridPos"]["h"] for panel in PANELS)
    assert all(0 <= x < 24 for x, _ in places)
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_the_page_describes_every_metric_as_the_code_does() -> None:
    rows = re.findall(r"^\| `(susun_\w+)` \| (\w+) \| ([^|]*)\| (.*) \|$", PAGE, re.MULTILINE)
    described = {
        name: (kind, tuple(re.findall(r"`(\w+)`", labels)), about) for name, kind, labels, about in rows
    }
    assert described == METRICS and len(rows) == len(METRICS)


def test_the_page_names_levels_probes_and_fields() -> None:
    for name in (*logs.LEVELS, *PROBES):
        assert f"`{name}`" in PAGE
    (example,) = map(json.loads, re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    fields = PAGE[PAGE.index("| field |") : PAGE.index("A request is one line")]
    assert all(f"`{name}`" in fields for name in example)
