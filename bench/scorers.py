"""A whole four-player round against what others need to rank its twelve rows.

All start from the same strings and end with theirs: ours with the full itemised result, theirs with
a rank for each row. Each has a process of its own. Their evaluators take at least five cards, so a top
row is ranked as the middle row once more: twelve rows of five. The naive counter counts ranks and suits
anew for every row.
"""

import random
from collections import Counter
from collections.abc import Callable

import phevaluator
import treys

from bench.timing import side_by_side_apart, table
from schemas.rulesets import read_house_rules
from service.rules.cards import names, parse
from service.rules.labels import ENGLISH
from service.rules.reading import Seat, take_up
from service.rules.ruleset import BUILT_IN, RuleSet, from_document
from service.rules.scoring import score
from service.warm_up import warm_up

# Few deals, many times: what is scored in a request has just been parsed, and is at hand.
DEALS = 200
PASSES = 10
TRIES = 30
PLAYERS = ("andi", "budi", "cinta", "dita")
RULES = BUILT_IN["bsfyi"]

Rows = tuple[list[str], list[str], list[str]]


def deals() -> list[list[Rows]]:
    """Four arrangements in order, each, as players make them: the best of some shuffles."""
    chance = random.Random(13)
    found = []
    for _ in range(DEALS):
        deck = list(range(52))
        chance.shuffle(deck)
        found.append([arranged(deck[13 * seat : 13 * seat + 13], chance) for seat in range(4)])
    return found


def arranged(cards: list[int], chance: random.Random) -> Rows:
    best, best_strength = sorted(cards), -1
    for _ in range(TRIES):
        chance.shuffle(cards)
        (hand,) = take_up(RULES.tables, [Seat("", tuple(cards))], ENGLISH)
        if hand.disorder is None and sum(hand.strengths) > best_strength:
            best, best_strength = list(cards), sum(hand.strengths)
    return names(best[:3]), names(best[3:8]), names(best[8:])


def house_rules() -> RuleSet:
    """Rules as a club might post them, from the same base and with other sweeps and bonuses."""
    document = {
        "id": "bench",
        "title": "Bench",
        "base": "bsfyi",
        "sweep": {"factor": 3},
        "points": {"top": {"pair": {"Q": 2, "K": 3, "A": 4}}, "middle": {"flush": 2}},
    }
    complete = read_house_rules(document, lambda name, _version: BUILT_IN.get(name), frozenset(BUILT_IN))
    return from_document({**complete, "version": 1})


def naive(row: list[str]) -> tuple[list[tuple[int, int]], bool, bool]:
    ranks = sorted(("23456789TJQKA".index(card[0]) for card in row), reverse=True)
    counts = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    straight = len(counts) == 5 and (ranks[0] - ranks[4] == 4 or ranks == [12, 3, 2, 1, 0])
    return counts, straight, len({card[1] for card in row}) == 1


def ours(rules: RuleSet = RULES) -> Callable[[], None]:
    warm_up()  # as every worker does
    rounds = deals()

    def run() -> None:
        for players in rounds * PASSES:
            seats = [
                Seat(player, parse(rows[0] + rows[1] + rows[2]))
                for player, rows in zip(PLAYERS, players, strict=True)
            ]
            score(rules, seats, None, ENGLISH)

    return run


def ours_by_house_rules() -> Callable[[], None]:
    return ours(house_rules())


def with_phevaluator() -> Callable[[], None]:
    rounds, rank = deals(), phevaluator.evaluate_cards

    def run() -> None:
        for players in rounds * PASSES:
            for _, middle, bottom in players:
                rank(*middle)
                rank(*middle)
                rank(*bottom)

    return run


def with_treys() -> Callable[[], None]:
    rounds, new, rank = deals(), treys.Card.new, treys.Evaluator().evaluate

    def run() -> None:
        for players in rounds * PASSES:
            for _, middle, bottom in players:
                for row in (middle, middle, bottom):
                    rank([], [new(card) for card in row])

    return run


def naively() -> Callable[[], None]:
    rounds = deals()

    def run() -> None:
        for players in rounds * PASSES:
            for rows in players:
                for row in rows:
                    naive(row)

    return run


CONTESTANTS = {
    "ours": ours,
    "house rules": ours_by_house_rules,
    "phevaluator": with_phevaluator,
    "treys": with_treys,
    "naive": naively,
}


def measure() -> dict[str, float]:
    seconds = side_by_side_apart(CONTESTANTS)
    each = {name: 1e6 * value / DEALS / PASSES for name, value in seconds.items()}
    rows = {"susun: scored, itemised": f"{each['ours']:6.1f}"}
    times = each["house rules"] / each["ours"]
    rows["susun: under posted house rules"] = f"{each['house rules']:6.1f}   {times:.2f} x"
    for name in ("phevaluator", "treys", "naive"):
        times = each[name] / each["ours"]
        rows[f"{name}: 12 rows ranked"] = f"{each[name]:6.1f}   {times:.2f} x"
    table("A four-player round, from strings (µs; how many times as fast ours is)", rows)
    return {name: round(value, 2) for name, value in each.items()}
