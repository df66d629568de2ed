"""Cards dealt, and arranged as players might: mostly well, now and then as a foul, specials declared."""

import random
from collections.abc import Sequence
from typing import Any

from service.rules.cards import names
from service.rules.labels import ENGLISH
from service.rules.reading import Hand, Seat, take_up
from service.rules.ruleset import BUILT_IN, RuleSet

# Shuffles that a player looks at; the best one that is no foul is played.
_LOOKS = 24
_FOULS = 0.02
_OVERLOOKED = 0.3
_DEFAULT = "bsfyi"


def deal(players: Sequence[str], ruleset: str, chance: random.Random) -> list[dict[str, Any]]:
    """The seats of a round, as requests have them; the same from the same ``chance``."""
    rules = BUILT_IN.get(ruleset, BUILT_IN[_DEFAULT])
    declares = ruleset in BUILT_IN and rules.declared
    deck = list(range(52))
    chance.shuffle(deck)
    return [
        _seat(player, deck[13 * place : 13 * place + 13], rules, chance, declares=declares)
        for place, player in enumerate(players)
    ]


def _seat(
    player: str, cards: list[int], rules: RuleSet, chance: random.Random, *, declares: bool
) -> dict[str, Any]:
    best = _look(rules, cards)
    if declares and best.formed and chance.random() > _OVERLOOKED:
        special = rules.specials[best.formed[0]].name
        return {"player": player, "cards": names(sorted(cards)), "declare": special}
    for _ in range(_LOOKS if chance.random() > _FOULS else 0):
        chance.shuffle(cards)
        hand = _look(rules, cards)
        if hand.disorder is None and (best.disorder or sum(hand.strengths) > sum(best.strengths)):
            best = hand
    rows = ("top", "middle", "bottom")
    return {"player": player, **{row: names(best.row(place)) for place, row in enumerate(rows)}}


def _look(rules: RuleSet, cards: Sequence[int]) -> Hand:
    (hand,) = take_up(rules.tables, [Seat("", tuple(cards))], ENGLISH)
    return hand
