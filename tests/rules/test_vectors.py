"""Rounds whose answers were stated by hand before they were scored (tests/independent/cases*)."""

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.rounds import read_round
from service.rules.ruleset import BUILT_IN
from tests.rules.rounds import scored, without_texts

VECTORS = [
    pytest.param(json.loads(line), id=f"{path.stem}-{number}")
    for path in sorted((Path(__file__).parents[1] / "vectors").glob("*.jsonl"))
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
]


def find(identifier: str, version: int | None) -> Any:
    return BUILT_IN.get(identifier)


@pytest.mark.parametrize("vector", VECTORS)
def test_a_round_is_settled_as_worked_out_by_hand(vector: dict[str, Any]) -> None:
    asked = read_round(vector["request"], find)
    result = without_texts(scored(asked.ruleset, asked.seats, asked.stake))
    expected = {"seats": vector["result"]["seats"], "duels": vector["result"]["duels"]}
    assert result == expected, vector["why"]


def test_there_are_vectors_enough_for_every_rule_set() -> None:
    counts = [
        sum(str(v.id).startswith(name) for v in VECTORS) for name in ("bsfyi", "panduan", "gratis")
    ]
    assert counts[0] >= 60
    assert min(counts) >= 40
