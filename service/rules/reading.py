"""Seats read: the hands of their rows, fouls, and the specials that their cards form."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.rules.cards import CARD_SHIFT, NAMES, RANK_COUNTS, WEIGHTS, weigh
from service.rules.hands import KIND_HANDS
from service.rules.labels import Words
from service.rules.results import RowRead
from service.rules.ruleset import RuleSet
from service.rules.tables import FIVE_OF_A_SUIT, SUIT_MASK, Tables

Three = tuple[int, int, int]
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
    ``plain``: neither a foul nor a special counts. The rest is filled in by scoring.
    """

    seat: Seat
    player: str
    rows: dict[str, RowRead] | None = None
    strengths: Three = _NO_ROWS
    kinds: Three = _NO_ROWS
    worth: Three = _NO_ROWS
    disorder: str | None = None
    foul: str | None = None
    formed: Sequence[int] = ()
    special: int | None = None
    plain: bool = True
    sweeps: int = 0
    clean_sweep: bool = False
    points: int = 0


def take_up(tables: Tables, seats: Sequence[Seat], words: Words) -> list[Hand]:
    """Read the seats of a round under a rule set's tables, with labels in a language.

    All in one function and written out, not looped: half of the time of scoring is spent here.
    """
    hands = []
    w, n, hand_names, labels = WEIGHTS, NAMES, KIND_HANDS, words.labels
    by_ranks, by_cards, mask = tables.by_ranks, tables.by_cards, tables.order_mask
    top_worth, middle_worth, bottom_worth = tables.worth
    for seat in seats:
        hand = Hand()
        hands.append(hand)
        hand.seat, hand.player = seat, seat.player
        if not seat.arranged:
            _find_specials(tables, hand, weigh(seat.cards))
            continue
        a, b, c, d, e, f, g, h, i, j, k, l, m = seat.cards
        top = w[a] + w[b] + w[c]
        base, shift, suits, top_kind = by_ranks[top & RANK_COUNTS]
        top_strength = base + suits[top >> shift & 15]
        middle = w[d] + w[e] + w[f] + w[g] + w[h]
        if middle & SUIT_MASK in FIVE_OF_A_SUIT:
            middle_strength, middle_kind = by_cards[middle >> CARD_SHIFT]
        else:
            base, shift, suits, middle_kind = by_ranks[middle & RANK_COUNTS]
            middle_strength = base + suits[middle >> shift & 15]
        bottom = w[i] + w[j] + w[k] + w[l] + w[m]
        if bottom & SUIT_MASK in FIVE_OF_A_SUIT:
            bottom_strength, bottom_kind = by_cards[bottom >> CARD_SHIFT]
        else:
            base, shift, suits, bottom_kind = by_ranks[bottom & RANK_COUNTS]
            bottom_strength = base + suits[bottom >> shift & 15]
        hand.strengths = top_strength, middle_strength, bottom_strength
        hand.kinds = top_kind, middle_kind, bottom_kind
        hand.worth = top_worth[top_kind], middle_worth[middle_kind], bottom_worth[bottom_kind]
        order = middle_strength & mask
        if top_strength & mask > order or order > bottom_strength & mask:
            _note_disorder(hand, top_strength & mask > order, order > bottom_strength & mask)
        top_cards, middle_cards = [n[a], n[b], n[c]], [n[d], n[e], n[f], n[g], n[h]]
        bottom_cards = [n[i], n[j], n[k], n[l], n[m]]
        hand.rows = {
            "top": {"cards": top_cards, "hand": hand_names[top_kind], "label": labels[top_kind]},
            "middle": {
                "cards": middle_cards,
                "hand": hand_names[middle_kind],
                "label": labels[middle_kind],
            },
            "bottom": {
                "cards": bottom_cards,
                "hand": hand_names[bottom_kind],
                "label": labels[bottom_kind],
            },
        }
        _find_specials(tables, hand, top + middle + bottom)
    return hands


def _note_disorder(hand: Hand, top_over_middle: bool, middle_over_bottom: bool) -> None:
    if top_over_middle and middle_over_bottom:
        hand.disorder = "both"
    else:
        hand.disorder = "top_over_middle" if top_over_middle else "middle_over_bottom"
    hand.foul, hand.plain = hand.disorder, False


def _find_specials(tables: Tables, hand: Hand, weight: int) -> None:
    """Find the specials formed, and which of them counts: the declared one, or the highest found."""
    places = formed(tables, weight)
    if not places:
        return
    hand.formed = places
    if not tables.declared:
        hand.special = places[0]
    elif hand.seat.declare is not None:
        names = [tables.ranking[place].name for place in places]
        hand.special = places[names.index(hand.seat.declare)]
    if hand.special is not None:
        hand.foul, hand.plain = None, False


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
