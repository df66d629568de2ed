"""Seats read: the hands of their rows, fouls, and the specials that their cards form."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.rules.cards import CARD_SHIFT, NAMES, RANK_COUNTS, WEIGHTS, weigh
from service.rules.hands import KIND_HANDS
from service.rules.labels import Words
from service.rules.results import RowRead, SeatResult
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

    ``shown``: the seat as a result shows it, but for what scoring adds. ``strengths``, ``kinds`` and
    ``worth``: of top, middle and bottom. ``disorder``: the code of what is wrong with the order of
    rows, if anything; ``foul``: the same where the rows count. ``formed``: the places in the rule
    set's ranking of all specials formed, high to low; ``special``: the one that counts, if any does.
    ``plain``: neither a foul nor a special counts. The rest is filled in by scoring.
    """

    __slots__ = (
        *("seat", "player", "shown", "strengths", "kinds", "worth", "disorder", "foul", "formed"),
        *("special", "plain", "sweeps", "clean_sweep", "points"),
    )
    seat: Seat
    player: str
    shown: SeatResult
    strengths: Three
    kinds: Three
    worth: Three
    disorder: str | None
    foul: str | None
    formed: Sequence[int]
    special: int | None
    plain: bool
    sweeps: int
    clean_sweep: bool
    points: int


def take_up(tables: Tables, seats: Sequence[Seat], words: Words) -> list[Hand]:  # noqa: PLR0915
    """Read the seats of a round under a rule set's tables, with texts in a language.

    All in one function and written out, not looped: half of the time of scoring is spent here.
    """
    hands = []
    w, n, hand_names, labels = WEIGHTS, NAMES, KIND_HANDS, words.labels
    by_ranks, by_cards, mask = tables.by_ranks, tables.by_cards, tables.order_mask
    special_ranks, special_suits = tables.special_ranks, tables.special_suits
    top_worth, middle_worth, bottom_worth = tables.worth
    for seat in seats:
        hand = Hand()
        hands.append(hand)
        hand.seat = seat
        hand.player = seat.player
        hand.points = hand.sweeps = 0
        hand.plain, hand.clean_sweep = True, False
        hand.disorder = hand.foul = hand.special = None
        hand.formed = ()
        if not seat.arranged:
            hand.strengths = hand.kinds = hand.worth = _NO_ROWS
            hand.shown = _show(seat.player, None)
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
        cards, name, label = [n[a], n[b], n[c]], hand_names[top_kind], labels[top_kind]
        top_row: RowRead = {"cards": cards, "hand": name, "label": label}
        cards, name, label = [n[d], n[e], n[f], n[g], n[h]], hand_names[middle_kind], labels[middle_kind]
        middle_row: RowRead = {"cards": cards, "hand": name, "label": label}
        cards, name, label = [n[i], n[j], n[k], n[l], n[m]], hand_names[bottom_kind], labels[bottom_kind]
        bottom_row: RowRead = {"cards": cards, "hand": name, "label": label}
        hand.shown = _show(seat.player, {"top": top_row, "middle": middle_row, "bottom": bottom_row})
        order = middle_strength & mask
        if top_strength & mask > order or order > bottom_strength & mask:
            _note_disorder(hand, top_strength & mask > order, order > bottom_strength & mask, words)
        weight = top + middle + bottom
        if weight & RANK_COUNTS in special_ranks or weight & SUIT_MASK in special_suits:
            _find_specials(tables, hand, weight)
            continue
        for forms in tables.other_specials:
            if forms(weight):
                _find_specials(tables, hand, weight)
                break
    return hands


def _show(player: str, rows: dict[str, RowRead] | None) -> SeatResult:
    return {
        "player": player,
        "rows": rows,
        "foul": None,
        "special": None,
        "could_declare": [],
        "sweeps": 0,
        "clean_sweep": False,
        "points": None,
    }


def _note_disorder(hand: Hand, top_over_middle: bool, middle_over_bottom: bool, words: Words) -> None:
    if top_over_middle and middle_over_bottom:
        code = "both"
    else:
        code = "top_over_middle" if top_over_middle else "middle_over_bottom"
    hand.disorder = hand.foul = code
    hand.shown["foul"] = {"code": code, "detail": words.fouls[code]}
    hand.plain = False


def _find_specials(tables: Tables, hand: Hand, weight: int) -> None:
    """Find the specials formed, and which of them counts: the declared one, or the highest found."""
    hand.formed = places = formed(tables, weight)
    declare, ranking = hand.seat.declare, tables.ranking
    if not places:
        return
    if not tables.declared:
        hand.special = places[0]
    else:
        names = [ranking[place].name for place in places]
        if declare is not None:
            hand.special = places[names.index(declare)]
        hand.shown["could_declare"] = [name for name in names if name != declare]
    if hand.special is not None:
        special = ranking[hand.special]
        hand.shown["special"] = {
            "name": special.name,
            "points": special.points,
            "declared": special.name == declare,
        }
        hand.foul = hand.shown["foul"] = None
        hand.plain = False


def formed(tables: Tables, weight: int) -> list[int]:
    """Which specials of a rule set 13 cards form: their places in its ranking, high to low."""
    return [place for place, forms in tables.specials if forms(weight)]


def formed_names(ruleset: RuleSet, cards: Sequence[int]) -> list[str]:
    """The names of the specials of a rule set that 13 cards form, high to low."""
    return [ruleset.specials[place].name for place in formed(ruleset.tables, weigh(cards))]
