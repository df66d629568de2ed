"""Fouls: which arrangements are in order, under which rule set."""

import pytest

from service.rules.cards import parse
from service.rules.labels import ENGLISH
from service.rules.reading import Seat, take_up
from service.rules.ruleset import BUILT_IN

# top / middle / bottom, and the foul under bsfyi, panduan and gratis.
ARRANGEMENTS = {
    "the page's example": ("Qs 9d 3c / Ks Kh 5c 4d 2c / 8s 8h 8d 6s 6h", None, None, None),
    "kings moved to the top": (
        "Ks Kh 3c / Qs 9d 5c 4d 2c / 8s 8h 8d 6s 6h",
        *("top_over_middle",) * 3,
    ),
    "pair with equal kicker, and cards left": (
        "Qs Qh 9d / Qd Qc 9s 5c 2c / As Ah Ad 3c 3d",
        *(None, "top_over_middle", None),
    ),
    "pair with a better kicker": (
        "Qd Qc 9d / Qs Qh 8s 5c 2c / As Ah Ad 3c 3d",
        *("top_over_middle", None, "top_over_middle"),
    ),
    "pair of a better suit on top": (
        "8s 8d 2c / 8h 8c Ks 5d 3c / As Ah Ad 4c 4d",
        *(None, "top_over_middle", None),
    ),
    "high cards, all three matched": (
        "Ks 9d 4c / Kh 9c 4s 3d 2c / As Ah Ad 5c 5d",
        *(None, None, None),
    ),
    "high cards, the second higher on top": (
        "Ks Td 2c / Kh 9c 8s 7d 5c / As Ah Ad 5h 5d",
        *("top_over_middle",) * 3,
    ),
    "three of a kind over two pair": (
        "2s 2h 2d / Ks Kh Qd Qc 3s / As Ah Ad 5h 5d",
        *("top_over_middle",) * 3,
    ),
    "three of a kind under three of a kind": (
        "2s 2h 2d / 3s 3h 3d Qc Ks / As Ah Ad 5h 5d",
        *(None, None, None),
    ),
    "three in sequence on top stay high card": (
        "Qs Js Ts / 2s 2h 5d 6c 7s / As Ah Ad 5h 5c",
        *(None, None, None),
    ),
    "middle over bottom": (
        "Qs 9d 3c / 8s 8h 8d 6s 6h / Ks Kh 5c 4d 2c",
        *("middle_over_bottom",) * 3,
    ),
    "both": ("Ks Kh 3c / Qs Qh 5c 4d 2c / As 9h 8d 6s 7h", *("both",) * 3),
    "equal straights, better suit in the middle": (
        "3s 3d 2c / 9s 8d 7c 6s 5h / 9h 8c 7d 6c 5d",
        *(None, "middle_over_bottom", None),
    ),
    "flushes, better suit but lower ranks in the middle": (
        "3s 3d 2c / 9s 7s 6s 5s 2s / Ah Kh 7h 4h 3h",
        *(None, "middle_over_bottom", None),
    ),
    "flushes, worse suit but higher ranks in the middle": (
        "3s 3d 2c / Ah Kh 7h 4h 3h / 9s 7s 6s 5s 2s",
        *("middle_over_bottom", None, "middle_over_bottom"),
    ),
    "ace to five under six high": (
        "3s 3d Kc / 5s 4d 3c 2s Ah / 6h 5c 4h 3h 2d",
        *(None, None, None),
    ),
    "ace to five over six high": (
        "3s 3d Kc / 6h 5c 4h 3h 2d / 5s 4d 3c 2s Ah",
        *("middle_over_bottom",) * 3,
    ),
}


@pytest.mark.parametrize("ruleset", ["bsfyi", "panduan", "gratis"])
@pytest.mark.parametrize("name", ARRANGEMENTS)
def test_rows_are_in_order_or_foul(name: str, ruleset: str) -> None:
    text, *fouls = ARRANGEMENTS[name]
    seat = Seat("a", parse(text.replace("/", " ").split()))
    (hand,) = take_up(BUILT_IN[ruleset].tables, [seat], ENGLISH)
    assert hand.foul == fouls[("bsfyi", "panduan", "gratis").index(ruleset)]
