"""Words for what scoring finds: the labels of rows and the explanations of fouls.

The rules know no language: a :class:`Words` is made from a function that translates a message.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from service.rules.cards import SUITS
from service.rules.hands import KINDS, Kind

#: Marks a message for translation where it stands; the translation happens when words are made.
Translate = Callable[[str], str]


def _(message: str) -> str:
    return message


_ONE = (
    _("two"),
    _("three"),
    _("four"),
    _("five"),
    _("six"),
    _("seven"),
    _("eight"),
    _("nine"),
    _("ten"),
    _("jack"),
    _("queen"),
    _("king"),
    _("ace"),
)
_MANY = (
    _("twos"),
    _("threes"),
    _("fours"),
    _("fives"),
    _("sixes"),
    _("sevens"),
    _("eights"),
    _("nines"),
    _("tens"),
    _("jacks"),
    _("queens"),
    _("kings"),
    _("aces"),
)
_SUIT_WORDS = dict(zip(SUITS, (_("diamonds"), _("clubs"), _("hearts"), _("spades")), strict=True))

_HAND_LABELS: Mapping[str, str] = {
    "high_card": _("{one} high"),
    "pair": _("pair of {many}"),
    "two_pair": _("two pair, {many} and {second}"),
    "three_of_a_kind": _("three of a kind, {many}"),
    "straight": _("straight, {one} high"),
    "flush": _("flush in {suit}, {one} high"),
    "full_house": _("full house, {many} over {second}"),
    "four_of_a_kind": _("four of a kind, {many}"),
    "straight_flush": _("straight flush in {suit}, {one} high"),
    "royal_flush": _("royal flush in {suit}"),
}

#: The codes of fouls and what each means.
FOULS: Mapping[str, str] = {
    "middle_over_bottom": _("the middle row is stronger than the bottom row"),
    "top_over_middle": _("the top row is stronger than the middle row"),
    "both": _(
        "the top row is stronger than the middle row, and the middle row stronger than the bottom row"
    ),
}


#: What players call the specials.
SPECIAL_NAMES: Mapping[str, str] = {
    "dragon": _("a dragon"),
    "one_suit_dragon": _("a dragon of one suit"),
    "twelve_courts": _("twelve court cards and aces"),
    "three_straight_flushes": _("three straight flushes"),
    "three_quads": _("three fours of a kind"),
    "all_high": _("all cards 8 and above"),
    "all_low": _("all cards 8 and below"),
    "one_colour": _("one colour"),
    "four_trips": _("four threes of a kind"),
    "five_pairs_and_trips": _("five pairs and a three of a kind"),
    "six_pairs": _("six pairs"),
    "three_straights": _("three straights"),
    "three_flushes": _("three flushes"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """One language's texts for results: a label for each kind of row, a detail for each foul code."""

    language: str
    labels: tuple[str, ...]
    fouls: Mapping[str, str]


def make_words(language: str, translate: Translate) -> Words:
    """The words of a language, from its translations of the messages marked in this module."""

    def label(kind: Kind) -> str:
        return translate(_HAND_LABELS[kind.hand]).format(
            one=translate(_ONE[kind.lead]),
            many=translate(_MANY[kind.lead]),
            second="" if kind.second is None else translate(_MANY[kind.second]),
            suit="" if kind.suit is None else translate(_SUIT_WORDS[SUITS[kind.suit]]),
        )

    fouls = {code: translate(detail) for code, detail in FOULS.items()}
    return Words(language, tuple(label(kind) for kind in KINDS), fouls)


ENGLISH = make_words("en", lambda message: message)
