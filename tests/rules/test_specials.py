"""Specials, each against a search that knows nothing of the tables."""

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest

from service.rules.cards import NAMES, parse, weigh
from service.rules.specials import SPECIALS, predicate

# One that forms it and one that just does not, for each special.
EXAMPLES = {
    "dragon": ("2s 3h 4h 5s 6d 7h 8c 9c Ts Jh Qd Kc Ah", "2s 2h 4h 5s 6d 7h 8c 9c Ts Jh Qd Kc Ah"),
    "one_suit_dragon": (
        "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah",
        "2s 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah",
    ),
    "twelve_courts": (
        "As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd Jc 2s",
        "As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd 3c 2s",
    ),
    "three_straight_flushes": (
        "As 2s 3s 4s 5s 6h 7h 8h 9h Th Qd Kd Ad",
        "As 2s 3s 4s 5s 6h 7h 8h 9h Th Qd Kd Jc",
    ),
    "three_quads": (
        "2s 2h 2d 2c 7s 7h 7d 7c As Ah Ad Ac 3s",
        "2s 2h 2d 2c 7s 7h 7d 7c As Ah Ad 3c 3s",
    ),
    "all_high": (
        "8s 8h 9d 9c Ts Th Jd Jc Qs Kh Kd Ac As",
        "7s 8h 9d 9c Ts Th Jd Jc Qs Kh Kd Ac As",
    ),
    "all_low": (
        "2s 2h 3d 3c 4s 5h 5d 6c 6s 7h 7d 8c 8s",
        "2s 2h 3d 3c 4s 5h 5d 6c 6s 7h 7d 8c 9s",
    ),
    "one_colour": (
        "2s 3s 4c 5c 7s 9s 9c Js Jc Qs Kc As Ac",
        "2s 3s 4c 5c 7s 9s 9c Js Jc Qs Kc As Ah",
    ),
    "four_trips": (
        "2s 2h 2d 5s 5h 5d 9s 9h 9d Ks Kh Kd As",
        "2s 2h 2d 5s 5h 5d 9s 9h 9d Ks Kh Qd As",
    ),
    "five_pairs_and_trips": (
        "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 7d",
        "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8d",
    ),
    "six_pairs": (
        "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8d",
        "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 9h 8d",
    ),
    "three_straights": (
        "As 2h 3d 4c 5s 5h 6d 7c 8s 9h Qd Kc Ah",
        "As 2h 3d 4c 5s 5h 6d 7c 8s 9h Kc Ah 2s",
    ),
    "three_flushes": (
        "As 2s 3s 4s 5s 6s 7s 8s 2h 4h 6h 8h Th",
        "As 2s 3s 4s 5s 6s 7s 8s 9s 4h 6h 8h Th",
    ),
}

FURTHER = {
    "three_flushes": [
        "As 2s 3s 4s 5s 6s 7s 8s 9s Ts 2h 4h 6h",
        "As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks",
        "As 2s 3s 4s 5s 6h 7h 8h 9h Th Jd Qd Kd",
    ],
    "six_pairs": [
        "2s 2h 2d 2c 3s 3h 4s 4h 5s 5h 6s 6h 8d",
        "2s 2h 2d 2c 3s 3h 3d 3c 5s 5h 5d 5c 8d",
        "2s 2h 2d 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h",
    ],
    "three_straights": [
        "As 2h 3d 4c 5s Ad 2c 3h 4d 5c Ac 2d 3s",
        "2s 3h 4d 5c 6s 7h 8d 9c Ts Jh Qd Kc Ah",
        "Ts Jh Qd Kc As Th Jd Qc Ks Ah Qh Kh Ad",
    ],
    "five_pairs_and_trips": ["2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 7s 7h 7d"],
    "four_trips": ["2s 2h 2d 2c 5s 5h 5d 9s 9h 9d Ks Kh Kd"],
    "twelve_courts": ["As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd Jc Js"],
    "three_straight_flushes": [
        "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah",
        "2h 3h 4h 5h 6h 7h 8h 9h 2c 3c 4c 5c 6c",
    ],
}


@pytest.mark.parametrize("name", SPECIALS)
def test_cards_form_the_special_or_just_do_not(name: str) -> None:
    formed, not_formed = EXAMPLES[name]
    assert SPECIALS[name](weigh(parse(formed)))
    assert not SPECIALS[name](weigh(parse(not_formed)))


@pytest.mark.parametrize(("name", "text"), [(n, text) for n, texts in FURTHER.items() for text in texts])
def test_unusual_shapes_are_found_too(name: str, text: str) -> None:
    cards = parse(text)
    assert len(set(cards)) == 13
    assert SPECIALS[name](weigh(cards))


def test_without_a_low_ace_straights_must_do_without_it() -> None:
    low_ace = weigh(parse(EXAMPLES["three_straights"][0]))
    assert not predicate("three_straights", "none")(low_ace)
    assert predicate("three_straights", "none")(weigh(parse(FURTHER["three_straights"][1])))
    low_ace = weigh(parse(EXAMPLES["three_straight_flushes"][0]))
    assert not predicate("three_straight_flushes", "none")(low_ace)


def _is_run(ranks: list[int]) -> bool:
    low = sorted(ranks)
    as_low_ace = sorted(-1 if rank == 12 else rank for rank in ranks)
    return any(all(b - a == 1 for a, b in pairwise(order)) for order in (low, as_low_ace))


def _splits(cards: tuple[int, ...], good: object) -> bool:
    """Search for 3 + 5 + 5 cards, each of them good, by trying every way."""
    assert callable(good)
    for three in combinations(cards, 3):
        if not good(three):
            continue
        rest = [card for card in cards if card not in three]
        for others in combinations(rest[1:], 4):
            five = (rest[0], *others)
            if good(five) and good(tuple(card for card in rest if card not in five)):
                return True
    return False


SEARCHES = {
    "three_straights": lambda cards: _is_run([c // 4 for c in cards]),
    "three_flushes": lambda cards: len({c % 4 for c in cards}) == 1,
    "three_straight_flushes": lambda cards: (
        len({c % 4 for c in cards}) == 1 and _is_run([c // 4 for c in cards])
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_partitions_are_exactly_those_that_a_search_finds(name: str) -> None:
    random_deals = random.Random(20_260)
    verdicts: Counter[bool] = Counter()
    for deal in range(150):
        cards = _nearly(name, random_deals) if deal % 3 else tuple(random_deals.sample(range(52), 13))
        expected = _splits(cards, SEARCHES[name])
        verdicts[expected] += 1
        assert SPECIALS[name](weigh(cards)) == expected, [NAMES[card] for card in cards]
    assert min(verdicts.values()) >= 20


def _nearly(name: str, random_deals: random.Random) -> tuple[int, ...]:
    """13 cards that fall into runs or suits of 5, 5 and 3, with at times one card exchanged."""
    while True:
        cards: list[int] = []
        for size in (5, 5, 3):
            low, suit = random_deals.randrange(-1, 13 - size + 1), random_deals.randrange(4)
            for rank in range(low, low + size):
                if name == "three_straights":
                    suit = random_deals.randrange(4)
                elif name == "three_flushes":
                    rank = random_deals.randrange(13)  # noqa: PLW2901
                cards.append(rank % 13 * 4 + suit)
        if len(set(cards)) == 13:
            break
    if random_deals.random() < 0.5:
        others = [card for card in range(52) if card not in cards]
        cards[random_deals.randrange(13)] = random_deals.choice(others)
    random_deals.shuffle(cards)
    return tuple(cards)
