"""All arrangements of 13 cards, against a plain count over all 72,072 that shares no code with it."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import pytest

from service.rules.arrangements import Arrangement, Layouts
from service.rules.cards import NAMES, RANKS, parse
from service.rules.opponents import Player
from service.rules.ruleset import BUILT_IN, RuleSet
from tests.independent.hands import read_cards, read_hand, steps
from tests.rules.rounds import house_rules

Key = tuple[tuple[Any, ...], ...]

HANDS = {
    "any": [NAMES[card] for card in random.Random(5).sample(range(52), 13)],
    "pairs and a four": ["As", "Ah", "Ac", "Ad", "Ks", "Kh", "9d", "9c", "5s", "5h", "3d", "3c", "2s"],
    "a long suit": ["As", "Ks", "9s", "8s", "7s", "6s", "5s", "4s", "3h", "3d", "3c", "Kd", "Kc"],
}
# Bonuses for flushes and pairs, and none for what is higher: a stronger row may be worth less.
UNEVEN = house_rules(
    "bsfyi",
    comparison={"suits": list("hsdc"), "wheel": "second_highest"},
    points={"bonuses": "added", "middle": {"flush": 4, "pair": {"9": 2}}, "bottom": {"straight": 3}},
)


def by_the_plain_way(cards: Sequence[str], ruleset: str) -> Iterator[tuple[list[list[str]], list[Key]]]:
    """Rows and what is compared of them, of everything that is no foul."""
    known = {
        chosen: read_hand(read_cards(list(chosen)))
        for size in (3, 5)
        for chosen in combinations(sorted(cards), size)
    }
    # Of three or four of a kind nobody else has the same, so that their suits never decide.
    by = {
        chosen: tuple(
            what
            for part, what in steps(hand, ruleset)
            if part != "suit" or hand.name not in ("three_of_a_kind", "full_house", "four_of_a_kind")
        )
        for chosen, hand in known.items()
    }
    judged = by
    if ruleset == "bsfyi":
        judged = {
            chosen: tuple(what for _, what in steps(hand, "gratis")) for chosen, hand in known.items()
        }
    for top in combinations(sorted(cards), 3):
        rest = [card for card in sorted(cards) if card not in top]
        for middle in combinations(rest, 5):
            bottom = tuple(card for card in rest if card not in middle)
            if judged[top] <= judged[middle] <= judged[bottom]:
                yield [list(top), list(middle), list(bottom)], [by[top], by[middle], by[bottom]]


def undominated(merits: set[Any], no_less: Callable[[Any, Any], bool]) -> set[Any]:
    kept: list[Any] = []
    for one in sorted(merits, reverse=True):
        if not any(no_less(other, one) for other in kept):
            kept = [other for other in kept if not no_less(one, other)] + [one]
    return set(kept)


def every_part(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True))


def rows_of(arrangement: Arrangement) -> list[list[str]]:
    names = [NAMES[card] for card in arrangement.cards]
    return [sorted(names[:3]), sorted(names[3:8]), sorted(names[8:])]


@pytest.mark.parametrize("name", ["bsfyi", "panduan", "gratis"])
@pytest.mark.parametrize("cards", HANDS.values(), ids=HANDS)
def test_every_arrangement_in_order_is_found_and_the_best_are_those_that_none_beats(
    cards: list[str], name: str
) -> None:
    layouts = Layouts(BUILT_IN[name].tables, parse(cards))
    plain = {str(rows): tuple(keys) for rows, keys in by_the_plain_way(cards, name)}
    every = [str(rows_of(one)) for one in layouts.every()]
    assert len(every) == len(set(every))
    assert set(every) == set(plain)
    best = [plain[str(rows_of(one))] for one in layouts.best(Player(BUILT_IN[name]).by_kind)]
    assert len(best) == len(set(best))
    assert set(best) == undominated(set(plain.values()), every_part)


def merits(ruleset: RuleSet, one: Arrangement) -> tuple[int, ...]:
    """Strengths, and what the rows are worth, of rows looked up one by one."""
    tables = ruleset.tables
    rows = (one.cards[:3], one.cards[3:8], one.cards[8:])
    found = [tables.look_up(row) for row in rows]
    assert tuple(strength for strength, _ in found) == one.strengths
    assert tuple(kind for _, kind in found) == one.kinds
    worth = [of[kind] for of, (_, kind) in zip(tables.worth, found, strict=True)]
    return (*one.strengths, *worth)


@pytest.mark.parametrize("cards", HANDS.values(), ids=HANDS)
def test_a_weaker_row_that_is_worth_more_is_among_the_best(cards: list[str]) -> None:
    layouts = Layouts(UNEVEN.tables, parse(cards))
    best = [merits(UNEVEN, one) for one in layouts.best(Player(UNEVEN).by_kind)]
    assert len(best) == len(set(best))
    assert set(best) == undominated({merits(UNEVEN, one) for one in layouts.every()}, every_part)


def falling_rules(**changes: Any) -> RuleSet:
    """House rules under which every row has a worth of its own, the less the stronger it is."""
    falling = {rank: 1000 - 70 * at for at, rank in enumerate(RANKS)}
    hands = ("high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house")
    paid = {
        hand: {rank: worth - 9 * at for rank, worth in falling.items()} for at, hand in enumerate(hands)
    }
    top = {hand: paid[hand] for hand in ("high_card", "pair", "three_of_a_kind")}
    return house_rules("bsfyi", points={"top": top, "middle": paid, "bottom": paid, **changes})


@pytest.mark.parametrize("bonuses", ["instead", "always"])
@pytest.mark.parametrize(
    "text", ["7h Tc Jc Ks 2d Kd 8s 4d 9s 8c As Qh 5c", "3c 7c 9d 5c 8s Td 3d Js As 2s 5h 8d 6h"]
)
def test_where_bonuses_fall_with_every_rank_the_most_valuable_are_tried(text: str, bonuses: str) -> None:
    house = falling_rules(bonuses=bonuses)
    player, layouts = Player(house), Layouts(house.tables, parse(text))
    began = time.perf_counter()
    best = layouts.best(player.by_kind)
    assert time.perf_counter() - began < 5
    every = {one.kinds: player.worth(one.kinds) for one in layouts.every()}
    assert len({one.kinds for one in best}) == len(best) == min(200, len(every))
    least = min(player.worth(one.kinds) for one in best)
    assert sum(worth > least for worth in every.values()) <= 200
    assert {kinds for kinds, worth in every.items() if worth > least} <= {one.kinds for one in best}
    (first,) = layouts.most_valuable(player.by_kind, 1)
    assert player.worth(first.kinds) == pytest.approx(max(every.values()))


def test_house_rules_pay_for_a_flush_and_not_for_more() -> None:
    """A flush in the middle takes 5, a full house 1: both are worth a look."""
    cards = parse("Ah Kh 9h 8h 7h 2c 2d 2s 3c 3d As Ac Ad")
    middles = {
        UNEVEN.tables.look_up(one.cards[3:8])[1]
        for one in Layouts(UNEVEN.tables, cards).best(Player(UNEVEN).by_kind)
    }
    kinds = {UNEVEN.tables.look_up(parse(text))[1] for text in ("Ah Kh 9h 8h 7h", "2c 2d 2s 3c 3d")}
    assert kinds <= middles


def test_suits_that_make_no_foul_let_either_of_two_equal_rows_lie_below() -> None:
    """Straights that differ in suits alone: under bsfyi they may lie either way, under panduan not."""
    cards = parse("Ts 9h 8d 7c 6s Th 9s 8c 7d 6h 2s 3d 4c")
    ways = {}
    for name in ("bsfyi", "panduan"):
        rows = [rows_of(one) for one in Layouts(BUILT_IN[name].tables, cards).every()]
        one, other = sorted(["Ts", "9h", "8d", "7c", "6s"]), sorted(["Th", "9s", "8c", "7d", "6h"])
        ways[name] = sum({str(row) for row in of[1:]} == {str(one), str(other)} for of in rows)
    assert ways == {"bsfyi": 2, "panduan": 1}
