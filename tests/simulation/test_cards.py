"""Cards as the simulation deals them: a whole deck's, each once, arranged as players would."""

import random
from collections import Counter

import pytest

from schemas.rounds import read_round
from service.rules.ruleset import BUILT_IN
from service.simulation.cards import deal
from tests.rules.rounds import scored

PLAYERS = ("andi", "budi", "cinta", "dita")


@pytest.mark.parametrize(
    ("ruleset", "outcomes"),
    [("bsfyi", {"rows", "sweep", "foul", "special"}), ("panduan", {"rows", "sweep", "foul"})],
)
def test_dealt_rounds_are_valid_and_have_something_of_everything(
    ruleset: str, outcomes: set[str]
) -> None:
    chance, found = random.Random(1), Counter[str]()
    for _ in range(400):
        seats = deal(PLAYERS, ruleset, chance)
        asked = read_round({"ruleset": ruleset, "seats": seats}, lambda name, _: BUILT_IN.get(name))
        result = scored(BUILT_IN[ruleset], asked.seats)
        found.update(duel["outcome"] for duel in result["duels"])
        found["fouled"] += sum(seat["foul"] is not None for seat in result["seats"])
    assert outcomes <= found.keys()
    assert found["fouled"] < 0.05 * 400 * 4


def test_house_rules_get_rows_and_no_declarations() -> None:
    for seed in range(50):
        for seat in deal(PLAYERS, "club", random.Random(seed)):
            assert seat.keys() == {"player", "top", "middle", "bottom"}


def test_the_same_chance_deals_the_same() -> None:
    assert deal(PLAYERS, "bsfyi", random.Random("x")) == deal(PLAYERS, "bsfyi", random.Random("x"))
