"""Random and stacked rounds for checking a scorer: valid requests with all the awkward cases."""

import random
from collections.abc import Iterator
from typing import Any

from .hands import Card
from .scorer import ROWS, ruleset_of
from .specials import POINTS, formed
from .stacks import (
    STACKS,
    Deck,
    NotEnoughError,
    Rows,
    Stack,
    arrange,
    arranged_rows,
    cut,
    half_random_rows,
    random_rows,
    special_cards,
)

NAMES = ("andi", "budi", "cinta", "dita")
STAKES = (1, 3, 7, 33, 100, 250, 5000)
SIGNS = "♦♣♥♠"


def spell(cards: list[Card], rng: random.Random) -> list[str] | str:
    """Write cards down in one of the ways a request may."""
    texts = [str(card) for card in cards]
    way = rng.randrange(8)
    if way < 3:
        return texts
    if way == 3:
        return [text.replace("T", "10") for text in texts]
    if way == 4:
        return "".join(texts)
    if way == 5:
        return " ".join(text.lower() for text in texts)
    if way == 6:
        return [text[0] + SIGNS[card.suit - 1] for text, card in zip(texts, cards, strict=True)]
    return " ".join(texts)


def seat_of(player: str, rows: Rows, rng: random.Random) -> dict[str, Any]:
    """A seat that gives its rows."""
    return {"player": player, **{row: spell(rows[row], rng) for row in ROWS}}


def special_seats(deck: Deck, count: int, ruleset: str) -> list[dict[str, Any]]:
    """Seats of which one or more hold a special, declared or not, with rows or without."""
    rng = deck.rng
    names = ["dragon", "six_pairs", "three_straights", "three_flushes"]
    holders = rng.choice([1, 1, 1, 2, 2, min(3, count)])
    seats = []
    for at in range(count):
        cards = special_cards(deck, rng.choice(names)) if at < holders else deck.some(13)
        rng.shuffle(cards)
        rows = arrange(cards, ruleset, rng) if rng.random() < 0.7 else cut(cards)
        seat = seat_of(NAMES[at], rows, rng)
        may_declare = formed(cards, ruleset) if POINTS[ruleset] else []
        if may_declare and rng.random() < 0.65:
            seat["declare"] = rng.choice(may_declare)
            if rng.random() < 0.5:
                for row in ROWS:
                    del seat[row]
                seat["cards"] = spell(cards, rng)
        seats.append(seat)
    rng.shuffle(seats)
    return seats


def one_deal(ruleset: str, rng: random.Random) -> dict[str, Any]:
    """One valid request under the rule set."""
    own = ruleset_of({"ruleset": ruleset})
    while True:
        deck = Deck(rng)
        count = rng.choice([2, 3, 4, 4])
        kind = rng.random()
        try:
            if kind < 0.13:
                seats = special_seats(deck, count, own)
            else:
                make: Stack
                if kind < 0.25:
                    make = half_random_rows
                elif kind < 0.43:
                    make = random_rows
                elif kind < 0.68:
                    make = arranged_rows
                else:
                    make = rng.choice(STACKS)
                all_rows = make(deck, count, own)
                seats = [seat_of(name, rows, rng) for name, rows in zip(NAMES, all_rows, strict=False)]
        except NotEnoughError:
            continue
        request: dict[str, Any] = {"ruleset": ruleset, "seats": seats}
        if own == "bsfyi" and rng.random() < 0.1:
            del request["ruleset"]
        if own == "panduan" and rng.random() < 0.1:
            request["ruleset"] = "toto"
        if own != "gratis" and rng.random() < 0.4:
            request["stake"] = rng.choice(STAKES)
        return request


def deals(ruleset: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Give `count` valid requests under a rule set, the same again for the same seed."""
    rng = random.Random(f"{ruleset} {seed}")
    for _ in range(count):
        yield one_deal(ruleset, rng)
