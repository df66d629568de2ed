"""Suggestions: the best arrangements of 13 cards, and whether a special pays more."""

import math
from collections.abc import Sequence
from itertools import islice
from typing import Any

from service.rules import results
from service.rules.arrangements import Arrangement, Layouts
from service.rules.cards import names, weigh
from service.rules.expectation import Outcome, Prices, Sample, special_points
from service.rules.labels import Words
from service.rules.opponents import Opponent, Player, deal
from service.rules.reading import Seat, formed, take_up
from service.rules.ruleset import RuleSet

#: Opponents' hands in a sample, over all deals: some 25 ms of work.
HANDS = 360
# Parts that a sample is cut into, by whose averages its error is estimated.
_PARTS = 20

MOST_OPPONENTS = 3


def suggest(
    ruleset: RuleSet, cards: Sequence[int], *, limit: int, opponents: int, seed: int, words: Words
) -> dict[str, Any]:
    """The best arrangements of 13 different cards, best first, and the specials that they form.

    At most ``limit`` arrangements, by what they bring on the average of deals of so many ``opponents``
    (1 to 3): points, or rows under a rule set without points. The same from the same cards in any order
    and the same ``seed`` (0 or more). Labels are in the language of ``words``.
    """
    layouts, player = Layouts(ruleset.tables, cards), Player(ruleset)
    dealt = islice(deal(cards, opponents, seed), HANDS // opponents)
    deals = [[player.play(hand) for hand in hands] for hands in dealt]
    specials = _specials(ruleset, layouts.cards, deals)
    counts_anyway = bool(specials) and not ruleset.declared
    prices = Prices(ruleset)
    ranked = [] if counts_anyway else rank(prices, layouts.best(player.by_kind), deals)[:limit]
    shown = _show(prices, ranked, deals, words)
    special = max(specials, key=lambda of: of["expected_points"], default=None)
    declares = special is not None and (
        counts_anyway or special["expected_points"] > shown[0]["expected_points"]
    )
    return {
        "ruleset": ruleset.reference,
        "cards": names(reversed(layouts.cards)),
        "opponents": opponents,
        "seed": seed,
        "deals": len(deals),
        "ranked_by": "points" if ruleset.has_points else "rows",
        "best": "special" if declares else "arrangement",
        "declare": special["name"] if special and declares and ruleset.declared else None,
        "arrangements": shown,
        "specials": specials,
    }


def rank(
    prices: Prices, arrangements: Sequence[Arrangement], deals: Sequence[Sequence[Opponent]]
) -> list[tuple[Arrangement, Outcome]]:
    """Arrangements with what they bring, best first; of those with the same three hands the best one."""
    sample = Sample(prices, deals)
    tried = [(one, sample.try_out(one)) for one in arrangements]
    tried.sort(key=lambda pair: (pair[1].points, pair[1].balance, pair[0].strengths), reverse=True)
    of_hands: dict[tuple[int, ...], tuple[Arrangement, Outcome]] = {}
    for one, outcome in tried:
        of_hands.setdefault(one.kinds, (one, outcome))
    return list(of_hands.values())


def _show(
    prices: Prices,
    ranked: Sequence[tuple[Arrangement, Outcome]],
    deals: Sequence[Sequence[Opponent]],
    words: Words,
) -> list[dict[str, Any]]:
    """Arrangements as the answer has them."""
    ruleset = prices.ruleset
    seats = [Seat("", _laid_out(one.cards)) for one, _ in ranked]
    hands = take_up(ruleset.tables, seats, words)
    size = len(deals) // _PARTS
    parts = [Sample(prices, deals[at : at + size]) for at in range(0, len(deals), size)]
    met = len(deals) * len(deals[0])
    shown = []
    for (one, outcome), hand in zip(ranked, hands, strict=True):
        means = [part.try_out(one).points / part.count for part in parts]
        points = outcome.points / len(deals) if ruleset.has_points else None
        shown.append(
            {
                "rows": results.show(hand.shown.rows),
                "expected_points": _rounded(points),
                "expected_rows": _rounded(outcome.balance / len(deals)),
                "standard_error": _rounded(_error(means)),
                "chances": {
                    "top": _rounded(outcome.won[0] / met),
                    "middle": _rounded(outcome.won[1] / met),
                    "bottom": _rounded(outcome.won[2] / met),
                    "sweep": _rounded(outcome.sweeps / met),
                    "clean_sweep": _rounded(outcome.clean_sweeps / len(deals)),
                },
            }
        )
    return shown


def _specials(
    ruleset: RuleSet, cards: Sequence[int], deals: Sequence[Sequence[Opponent]]
) -> list[dict[str, Any]]:
    """The specials that 13 cards form, high to low, and what each would bring.

    Where they need no declaration only the highest counts, so that it is the only one.
    """
    places = formed(ruleset.tables, weigh(cards))
    found = []
    for place in places if ruleset.declared else places[:1]:
        brought = [special_points(ruleset, place, cards, hands) for hands in deals]
        found.append(
            {
                "name": ruleset.specials[place].name,
                "points": ruleset.specials[place].points,
                "expected_points": _rounded(sum(brought) / len(deals)),
                "standard_error": _rounded(_error(brought)),
            }
        )
    return found


def _laid_out(cards: Sequence[int]) -> tuple[int, ...]:
    """Rows as people lay them out: what there is most of first, and then from the highest down."""
    found: list[int] = []
    for start, end in ((0, 3), (3, 8), (8, 13)):
        ranks = [card // 4 for card in cards[start:end]]
        found += sorted(cards[start:end], key=lambda card: (ranks.count(card // 4), card), reverse=True)
    return tuple(found)


def _error(means: Sequence[float]) -> float:
    """The standard error of the mean of some means."""
    mean = sum(means) / len(means)
    squares = sum((one - mean) ** 2 for one in means)
    return math.sqrt(squares / (len(means) - 1) / len(means))


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)
