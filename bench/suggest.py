"""What a suggestion takes: its exact part, the opponents, all of it; and beside them a scored round.

``python -m bench.suggest chances`` makes the table of service/rules/chances.py anew.
"""

import random
import sys
from collections.abc import Sequence
from itertools import islice

from bench.timing import side_by_side, table
from service.rules.arrangements import Layouts
from service.rules.cards import ROWS
from service.rules.chances import CHANCES, PLACE_OF_KIND, place
from service.rules.hands import HANDS, THREE_CARD_HANDS
from service.rules.labels import ENGLISH
from service.rules.opponents import Player, deal
from service.rules.reading import Seat
from service.rules.ruleset import BUILT_IN
from service.rules.scoring import score
from service.rules.suggestions import HANDS as SAMPLED
from service.rules.suggestions import suggest

_HANDS = 20
_MANY_ROUNDS = 100
_TIMES = 8


def measure() -> dict[str, float]:
    """Milliseconds, of a hand each."""
    ruleset, chance = BUILT_IN["bsfyi"], random.Random(1)
    hands = [chance.sample(range(52), 13) for _ in range(_HANDS)]
    decks = [chance.sample(range(52), 52) for _ in range(_MANY_ROUNDS)]
    rounds = [
        [Seat(str(at), tuple(sorted(deck[at : at + 13]))) for at in (0, 13, 26, 39)] for deck in decks
    ]
    player = Player(ruleset)

    def exactly() -> None:
        for cards in hands:
            Layouts(ruleset.tables, cards).best(player.by_kind)

    def opponents() -> None:
        for cards in hands[:2]:
            for dealt in islice(deal(cards, 3, 0), SAMPLED // 3):
                for hand in dealt:
                    player.play(hand)

    def whole(limit: int = 5) -> None:
        for cards in hands:
            suggest(ruleset, cards, limit=limit, opponents=3, seed=0, words=ENGLISH)

    def scoring() -> None:
        for seats in rounds:
            score(ruleset, seats, None, ENGLISH)

    contestants = {
        "all arrangements, exactly": (exactly, _HANDS),
        "opponents dealt and arranged": (opponents, 2),
        "a suggestion, 5 listed": (whole, _HANDS),
        "a suggestion, 20 listed": (lambda: whole(20), _HANDS),
        "a round of four scored": (scoring, _MANY_ROUNDS),
    }
    seconds = side_by_side({name: run for name, (run, _) in contestants.items()}, rounds=7)
    figures = {name: seconds[name] / count * 1000 for name, (_, count) in contestants.items()}
    table("Suggestions (ms)", {name: f"{ms:8.3f}" for name, ms in figures.items()})
    return figures


def chances(hands: int, start: Sequence[Sequence[float]], seed: int) -> list[list[float]]:
    """How often each hand wins its row when so many hands are arranged by such chances."""
    player, chance = Player(BUILT_IN["bsfyi"], start), random.Random(seed)
    counts = [[0] * len(of_row) for of_row in start]
    for _ in range(hands):
        kinds = player.arrange(chance.sample(range(52), 13)).kinds
        for row, kind in enumerate(kinds):
            counts[row][PLACE_OF_KIND[kind]] += 1
    found = []
    for of_row in counts:
        below = [sum(of_row[:at]) + count / 2 for at, count in enumerate(of_row)]
        found.append([won / hands for won in below])
    return found


def print_chances() -> None:
    """Begin with next to no idea, and go by what comes of it until that is what comes of it."""
    found: list[list[float]] = [[at / len(of_row) for at in range(len(of_row))] for of_row in CHANCES]
    for seed in range(_TIMES):
        new = chances(8_000, found, seed)
        found = [
            [(a + b) / 2 for a, b in zip(*rows, strict=True)] for rows in zip(found, new, strict=True)
        ]
    for row, of_row in zip(ROWS, chances(60_000, found, _TIMES), strict=True):
        print(f'    "{row}": {{')
        for hand in THREE_CARD_HANDS if row == ROWS[0] else HANDS:
            told = (min(max(round(of * 1000), 1), 999) for of in of_row[place(hand) :][:13])
            print(f'        "{hand}": "{" ".join(map(str, told))}",')
        print("    },")


if __name__ == "__main__":
    sys.exit(print_chances() if sys.argv[1:] == ["chances"] else measure() and None)
