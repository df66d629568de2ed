"""Seats read: the hands of their rows, fouls, and the specials that their cards form."""

from collections.abc import Sequence

from msgspec import Struct

from service.rules.cards import CODES, NAMES, RANK_CODES, SUIT_CODE_SHIFT, weigh
from service.rules.labels import Words
from service.rules.results import FoulFound, RowRead, RowsRead, SeatResult, SpecialTaken
from service.rules.ruleset import RuleSet
from service.rules.tables import Tables

Three = tuple[int, int, int]

_NO_LINE = (0, 0, 0, 0, 0, 0)


class Seat(Struct, gc=False):
    """One player's 13 cards: top (3), middle (5) and bottom (5) in turn, if they are ``arranged``.

    ``declare`` names a special that the player declares, and the cards are known to form it.
    """

    player: str
    cards: tuple[int, ...]
    arranged: bool = True
    declare: str | None = None


class Hand(Struct, gc=False):
    """A seat taken up: its rows looked up, their order judged, its specials found.

    ``shown``: the seat as a result shows it, but for what scoring adds. ``line``: the player, the
    strengths of top, middle and bottom but for the suits of their key ranks, and what they are worth.
    ``kinds``: of the three rows. ``disorder``: the code of what is wrong with the order of rows, if
    anything; ``foul``: the same where the rows count. ``formed``: the places in the rule set's ranking
    of all specials formed, high to low; ``special``: the one that counts, if any does. ``plain``:
    neither a foul nor a special counts. The rest is filled in by scoring.
    """

    seat: Seat
    shown: SeatResult
    line: tuple[str, int, int, int, int, int, int]
    kinds: Three = (0, 0, 0)
    disorder: str | None = None
    foul: str | None = None
    formed: Sequence[int] = ()
    special: int | None = None
    plain: bool = True
    sweeps: int = 0
    clean_sweep: bool = False
    points: int = 0

    @property
    def player(self) -> str:
        """Whose hand it is."""
        return self.line[0]

    @property
    def strengths(self) -> Three:
        """Of top, middle and bottom, but for the suits of their key ranks."""
        return self.line[1:4]

    @property
    def worth(self) -> Three:
        """What top, middle and bottom bring where they win in the ordinary way."""
        return self.line[4:]

    def row(self, place: int) -> tuple[int, ...]:
        """The cards of the top (0), middle (1) or bottom row (2)."""
        start, end = ((0, 3), (3, 8), (8, 13))[place]
        return self.seat.cards[start:end]


def take_up(tables: Tables, seats: Sequence[Seat], words: Words) -> list[Hand]:
    """Read the seats of a round under a rule set's tables, with texts in a language.

    All in one function and written out, not looped: a third of the time of scoring is spent here.
    """
    hands = []
    w, n = CODES, NAMES
    tops, fives, flushes, mask = tables.tops, tables.fives, tables.flushes, tables.quick_order_mask
    special_ranks, special_suits = tables.special_ranks, tables.special_suits
    special_odds, other_specials = tables.special_odds, tables.other_specials
    tell_top, tell_middle, tell_bottom = tables.tell(words)
    for seat in seats:
        player = seat.player
        if not seat.arranged:
            hand = Hand(seat, SeatResult(player, None), (player, *_NO_LINE))
            hands.append(hand)
            _find_specials(tables, hand)
            continue
        a, b, c, d, e, f, g, h, i, j, k, l, m = seat.cards
        code = w[a] + w[b] + w[c]
        top, kind, odd = tops[code & RANK_CODES]
        whole = code
        top_worth, top_hand, top_label = tell_top[kind]
        code = w[d] + w[e] + w[f] + w[g] + w[h]
        if d & 3 == e & 3 == f & 3 == g & 3 == h & 3:
            middle, middle_kind, middle_odd = flushes[code]
        else:
            middle, middle_kind, middle_odd = fives[code & RANK_CODES]
        whole += code
        middle_worth, middle_hand, middle_label = tell_middle[middle_kind]
        code = w[i] + w[j] + w[k] + w[l] + w[m]
        if i & 3 == j & 3 == k & 3 == l & 3 == m & 3:
            bottom, bottom_kind, bottom_odd = flushes[code]
        else:
            bottom, bottom_kind, bottom_odd = fives[code & RANK_CODES]
        whole += code
        bottom_worth, bottom_hand, bottom_label = tell_bottom[bottom_kind]
        rows = RowsRead(
            RowRead((n[a], n[b], n[c]), top_hand, top_label),
            RowRead((n[d], n[e], n[f], n[g], n[h]), middle_hand, middle_label),
            RowRead((n[i], n[j], n[k], n[l], n[m]), bottom_hand, bottom_label),
        )
        line = player, top, middle, bottom, top_worth, middle_worth, bottom_worth
        hand = Hand(seat, SeatResult(player, rows), line, (kind, middle_kind, bottom_kind))
        hands.append(hand)
        if not top < middle < bottom if mask is None else not top & mask < middle & mask < bottom & mask:
            _judge_order(tables, hand, words)
        if (
            odd ^ middle_odd ^ bottom_odd in special_odds
            or whole >> SUIT_CODE_SHIFT in special_suits
            or whole & RANK_CODES in special_ranks
            or other_specials
        ):
            _find_specials(tables, hand)
    return hands


def _judge_order(tables: Tables, hand: Hand, words: Words) -> None:
    """Note a foul where a row is stronger than the one below it."""
    rows = zip(hand.strengths, hand.kinds, range(3), strict=True)
    top, middle, bottom = (
        strength + tables.key_suit(kind, hand.row(place)) & tables.order_mask
        for strength, kind, place in rows
    )
    if top <= middle <= bottom:
        return
    code = "top_over_middle" if middle <= bottom else "both" if top > middle else "middle_over_bottom"
    hand.disorder = hand.foul = code
    hand.shown.foul = FoulFound(code, words.fouls[code])
    hand.plain = False


def _find_specials(tables: Tables, hand: Hand) -> None:
    """Find the specials formed, and which of them counts: the declared one, or the highest found."""
    hand.formed = places = formed(tables, weigh(hand.seat.cards))
    declare, ranking = hand.seat.declare, tables.ranking
    if not places:
        return
    if not tables.declared:
        hand.special = places[0]
    else:
        names = [ranking[place].name for place in places]
        if declare is not None:
            hand.special = places[names.index(declare)]
        hand.shown.could_declare = tuple([name for name in names if name != declare])
    if hand.special is not None:
        special = ranking[hand.special]
        declared = special.name == declare
        hand.shown.special = SpecialTaken(special.name, special.points, declared)
        hand.foul = hand.shown.foul = None
        hand.plain = False


def formed(tables: Tables, weight: int) -> list[int]:
    """Which specials of a rule set 13 cards form: their places in its ranking, high to low."""
    return [place for place, forms in tables.specials if forms(weight)]


def formed_names(ruleset: RuleSet, cards: Sequence[int]) -> list[str]:
    """The names of the specials of a rule set that 13 cards form, high to low."""
    return [ruleset.specials[place].name for place in formed(ruleset.tables, weigh(cards))]
