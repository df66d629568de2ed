"""Seats read: the hands of their rows, fouls, and the specials that their cards form."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.rules.cards import CARD_SHIFT, NAMES, RANK_COUNTS, WEIGHTS, weigh
from service.rules.hands import KIND_HANDS
from service.rules.labels import Words
from service.rules.results import RowRead
from service.rules.ruleset import RuleSet
from service.rules.tables import FIVE_OF_A_SUIT, SUIT_MASK, Tables

_NO_ROWS = (0, 0, 0)


@dataclass(slots=True)
class Seat:
    """One player's 13 cards: top (3), middle (5) and bottom (5) in turn, if they are ``arranged``.

    ``declare`` names a special that the player declares, and the cards are known to form it.
    """

    player: str
    cards: tuple[int, ...]
    arranged: bool = True
    declare: str | None = None


class Hand:
    """A seat taken up: its rows looked up, their order judged, its specials found.

    ``rows``: as results show them, None without an arrangement. ``strengths``, ``kinds`` and
    ``worth``: of top, middle and bottom. ``disorder``: the code of what is wrong with the order of
    rows, if anything; ``foul``: the same where the rows count. ``formed``: the places in the rule
    set's ranking of all specials formed, high to low; ``special``: the one that counts, if any does.
    ``plain``: neither a foul nor a special counts.
    """

    __slots__ = (
        *("seat", "player", "rows", "strengths", "kinds", "worth", "disorder", "foul", "formed"),
        *("special", "plain", "sweeps", "clean_sweep", "points"),
    )
    rows: dict[str, RowRead] | None
    disorder: str | None
    foul: str | None
    special: int | None

    def __init__(self, tables: Tables, seat: Seat, words: Words) -> None:
        self.seat = seat
        self.player = seat.player
        self.sweeps = self.points = 0
        self.clean_sweep = False
        self.disorder = self.special = None
        weight = self._read_rows(tables, words) if seat.arranged else self._read_no_rows()
        self.foul = self.disorder
        self.formed = formed(tables, weight)
        if self.formed:
            self._count_special(tables)
        self.plain = self.foul is None and self.special is None

    def _read_rows(self, tables: Tables, words: Words) -> int:
        """Look the three rows up and judge their order; returns the summed weight of all cards.

        Written out, not looped: every round goes through here four times.
        """
        a, b, c, d, e, f, g, h, i, j, k, l, m = self.seat.cards
        w, n, hands, labels = WEIGHTS, NAMES, KIND_HANDS, words.labels
        top = w[a] + w[b] + w[c]
        middle = w[d] + w[e] + w[f] + w[g] + w[h]
        bottom = w[i] + w[j] + w[k] + w[l] + w[m]
        by_ranks = tables.by_ranks
        base, shift, suits, top_kind = by_ranks[top & RANK_COUNTS]
        top_strength = base + suits[top >> shift & 15]
        if middle & SUIT_MASK in FIVE_OF_A_SUIT:
            middle_strength, middle_kind = tables.by_cards[middle >> CARD_SHIFT]
        else:
            base, shift, suits, middle_kind = by_ranks[middle & RANK_COUNTS]
            middle_strength = base + suits[middle >> shift & 15]
        if bottom & SUIT_MASK in FIVE_OF_A_SUIT:
            bottom_strength, bottom_kind = tables.by_cards[bottom >> CARD_SHIFT]
        else:
            base, shift, suits, bottom_kind = by_ranks[bottom & RANK_COUNTS]
            bottom_strength = base + suits[bottom >> shift & 15]
        self.strengths = top_strength, middle_strength, bottom_strength
        self.kinds = top_kind, middle_kind, bottom_kind
        top_worth, middle_worth, bottom_worth = tables.worth
        self.worth = top_worth[top_kind], middle_worth[middle_kind], bottom_worth[bottom_kind]
        mask = tables.order_mask
        middle_order = middle_strength & mask
        if top_strength & mask > middle_order:
            self.disorder = "both" if middle_order > bottom_strength & mask else "top_over_middle"
        elif middle_order > bottom_strength & mask:
            self.disorder = "middle_over_bottom"
        self.rows = {
            "top": {
                "cards": [n[a], n[b], n[c]],
                "hand": hands[top_kind],
                "label": labels[top_kind],
            },
            "middle": {
                "cards": [n[d], n[e], n[f], n[g], n[h]],
                "hand": hands[middle_kind],
                "label": labels[middle_kind],
            },
            "bottom": {
                "cards": [n[i], n[j], n[k], n[l], n[m]],
                "hand": hands[bottom_kind],
                "label": labels[bottom_kind],
            },
        }
        return top + middle + bottom

    def _read_no_rows(self) -> int:
        self.rows = None
        self.strengths = self.kinds = self.worth = _NO_ROWS
        return weigh(self.seat.cards)

    def _count_special(self, tables: Tables) -> None:
        """Decide which of the specials formed counts: the declared one, or the highest found."""
        if not tables.declared:
            self.special = self.formed[0]
        elif self.seat.declare is not None:
            names = [tables.ranking[place].name for place in self.formed]
            self.special = self.formed[names.index(self.seat.declare)]
        if self.special is not None:
            self.foul = None


def formed(tables: Tables, weight: int) -> list[int]:
    """Which specials of a rule set 13 cards form: their places in its ranking, high to low."""
    places = []
    for place, forms in tables.specials:
        if forms(weight):
            places.append(place)
    return places


def formed_names(ruleset: RuleSet, cards: Sequence[int]) -> list[str]:
    """The names of the specials of a rule set that 13 cards form, high to low."""
    return [ruleset.specials[place].name for place in formed(ruleset.tables, weigh(cards))]
