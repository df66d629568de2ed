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
        "high_card": "1 1 1 2 4 8 13 20 32 53 92 172 365",
        "pair": "512 530 549 568 591 620 652 686 723 767 823 889 957",
        "three_of_a_kind": "991 993 994 995 996 997 998 998 999 999 999 999 999",
    },
    "middle": {
        "high_card": "1 1 1 1 1 1 1 1 1 1 1 3 11",
        "pair": "19 24 32 41 52 66 84 106 131 159 193 244 320",
        "two_pair": "364 367 376 389 408 432 460 492 527 566 603 632 643",
        "three_of_a_kind": "649 660 671 680 689 696 704 710 717 723 729 735 740",
        "straight": "743 743 743 752 773 794 814 832 848 861 875 889 902",
        "flush": "908 908 908 908 908 908 909 911 916 923 935 951 966",
        "full_house": "974 977 981 984 987 989 992 994 996 997 998 999 999",
        "four_of_a_kind": "999 999 999 999 999 999 999 999 999 999 999 999 999",
        "straight_flush": "999 999 999 999 999 999 999 999 999 999 999 999 999",
        "royal_flush": "999 999 999 999 999 999 999 999 999 999 999 999 999",
    },
    "bottom": {
        "high_card": "1 1 1 1 1 1 1 1 1 1 1 1 1",
        "pair": "1 1 1 1 1 2 3 4 6 9 12 15 20",
        "two_pair": "23 24 28 34 40 49 60 72 88 105 123 139 146",
        "three_of_a_kind": "146 147 148 149 150 151 152 153 154 155 156 157 158",
        "straight": "159 159 159 166 183 202 222 242 263 286 309 336 364",
        "flush": "377 377 377 377 377 377 379 384 393 409 439 492 585",
        "full_house": "655 675 695 716 736 758 780 804 828 853 879 907 935",
        "four_of_a_kind": "951 954 956 959 962 964 967 970 973 975 978 980 983",
        "straight_flush": "984 984 984 985 986 988 989 991 993 994 996 997 998",
        "royal_flush": "998 998 998 998 998 998 998 998 998 998 998 998 999",
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
