"""How often a hand wins its row against one sensible player, in thousandths, from twos up to aces.

Measured on 60,000 hands, arranged under `bsfyi` by players who go by this table themselves: it was made
over and over until it stayed as it was (``python -m bench.suggest chances``). Draws count half. Under
other rule sets, which order the same hands a little differently, it serves as well.
"""

from collections.abc import Iterable, Mapping

from service.rules.cards import RANKS, ROWS
from service.rules.hands import HAND, HANDS, KINDS

_TABLE: Mapping[str, Mapping[str, str]] = {
    "top": {
        "high_card": "1 1 1 2 4 8 13 20 31 53 90 168 360",
        "pair": "507 525 542 561 585 615 648 683 721 766 823 889 958",
        "three_of_a_kind": "993 994 995 996 997 997 998 998 999 999 999 999 999",
    },
    "middle": {
        "high_card": "1 1 1 1 1 1 1 1 1 1 1 3 11",
        "pair": "19 24 32 41 52 65 82 102 127 156 192 245 323",
        "two_pair": "370 373 382 396 416 440 468 500 535 573 609 636 648",
        "three_of_a_kind": "654 664 674 683 691 700 708 715 722 729 735 740 745",
        "straight": "746 746 746 756 776 796 815 831 846 861 875 889 902",
        "flush": "908 908 908 908 908 908 909 911 915 923 936 951 966",
        "full_house": "974 978 981 984 987 989 991 994 996 997 998 999 999",
        "four_of_a_kind": "999 999 999 999 999 999 999 999 999 999 999 999 999",
        "straight_flush": "999 999 999 999 999 999 999 999 999 999 999 999 999",
        "royal_flush": "999 999 999 999 999 999 999 999 999 999 999 999 999",
    },
    "bottom": {
        "high_card": "1 1 1 1 1 1 1 1 1 1 1 1 1",
        "pair": "1 1 1 1 1 2 3 5 6 9 12 15 20",
        "two_pair": "23 24 28 34 40 49 59 73 88 105 123 138 145",
        "three_of_a_kind": "145 146 147 148 149 150 150 151 152 153 155 156 157",
        "straight": "158 158 158 165 182 201 220 240 261 283 307 334 362",
        "flush": "375 375 375 375 375 376 377 382 391 407 437 490 584",
        "full_house": "653 673 693 713 735 757 779 802 827 852 879 907 935",
        "four_of_a_kind": "951 953 956 958 961 963 966 968 971 973 976 979 981",
        "straight_flush": "983 983 983 984 985 987 989 991 992 994 996 997 998",
        "royal_flush": "999 999 999 999 999 999 999 999 999 999 999 999 999",
    },
}


def place(hand: str, lead: int = 0) -> int:
    """Where the chance of a hand stands, of the rank that it is named after."""
    return HAND[hand] * len(RANKS) + lead


#: The place of each kind of row.
PLACE_OF_KIND: tuple[int, ...] = tuple(place(kind.hand, kind.lead) for kind in KINDS)


def _chances(of_hands: Mapping[str, str]) -> Iterable[float]:
    for hand in HANDS:
        # On top there are no five cards.
        told = of_hands.get(hand, "1000 " * len(RANKS)).split()
        yield from (int(thousandths) / 1000 for thousandths in told)


#: For top, middle and bottom the chance at each place.
CHANCES: tuple[tuple[float, ...], ...] = tuple(tuple(_chances(_TABLE[row])) for row in ROWS)
