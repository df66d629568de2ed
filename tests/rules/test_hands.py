"""What rows are, and which is stronger: tables by hand, and every row there is."""

import hashlib
from array import array
from itertools import combinations, pairwise

import pytest

from service.rules.cards import parse
from service.rules.hands import HANDS, KIND_HANDS, KINDS
from service.rules.ruleset import BUILT_IN
from service.rules.tables import DECIDED_BY
from tests.rules.rounds import house_rules


def look_up(row: str, ruleset: str = "bsfyi") -> tuple[int, int]:
    return BUILT_IN[ruleset].tables.look_up(parse(row))


@pytest.mark.parametrize(
    ("row", "hand"),
    [
        ("As Ks Qs Js Ts", "royal_flush"),
        ("Ks Qs Js Ts 9s", "straight_flush"),
        ("As 2s 3s 4s 5s", "straight_flush"),
        ("9s 9h 9c 9d 2s", "four_of_a_kind"),
        ("Qs Qh Qd 5c 5s", "full_house"),
        ("As Ks Qs Js 9s", "flush"),
        ("Ks As 2s 3s 4s", "flush"),
        ("As Kh Qd Jc Ts", "straight"),
        ("7s 8h 9d Tc Js", "straight"),
        ("As 2h 3d 4c 5s", "straight"),
        ("Ks As 2h 3d 4c", "high_card"),
        ("Qs Ks Ah 2d 3c", "high_card"),
        ("3s 3h 3d 9c 2s", "three_of_a_kind"),
        ("Js Jh 4d 4c As", "two_pair"),
        ("8s 8h Ad Kc 2s", "pair"),
        ("As Kh 9d 4c 2s", "high_card"),
        ("As Ah Ad", "three_of_a_kind"),
        ("As Ah 2d", "pair"),
        ("Qs Js Ts", "high_card"),
        ("As 2s 3s", "high_card"),
        ("Qs Jh Td", "high_card"),
    ],
)
def test_a_row_is_the_hand_it_is(row: str, hand: str) -> None:
    assert KIND_HANDS[look_up(row)[1]] == hand


# Each list is strictly falling under the rule set, and says what decides between neighbours.
FALLING = {
    "bsfyi": [
        ("As Ks Qs Js Ts", "suit"),
        ("Ah Kh Qh Jh Th", "suit"),
        ("Ac Kc Qc Jc Tc", "suit"),
        ("Ad Kd Qd Jd Td", "hand"),
        ("Kd Qd Jd Td 9d", "ranks"),
        ("6d 5d 4d 3d 2d", "ranks"),
        ("As 2s 3s 4s 5s", "suit"),
        ("Ah 2h 3h 4h 5h", "hand"),
        ("Ks Kh Kd Kc 2s", "ranks"),
        ("Qs Qh Qd Qc As", "hand"),
        ("Ks Kh Kd 2c 2s", "ranks"),
        ("Qs Qh Qd As Ah", "hand"),
        ("Ad Qd 9d 4d 2d", "ranks"),
        ("As Js 9s 4s 3s", "ranks"),
        ("As Js 9s 4s 2s", "suit"),
        ("Ah Jh 9h 4h 2h", "hand"),
        ("As Kd Qd Jd Td", "suit"),
        ("Ah Ks Qs Js Ts", "ranks"),
        ("Kd Qd Jd Td 9c", "ranks"),
        ("5h 4d 3d 2d As", "suit"),
        ("5c 4s 3s 2s Ah", "hand"),
        ("As Ah Ad 3c 2s", "ranks"),
        ("Ks Kh Kd As Qc", "hand"),
        ("As Ah 2d 2c 3s", "ranks"),
        ("Ks Kd Jd Jc 5s", "ranks"),
        ("Ks Kd Jd Jc 4s", "suit"),
        ("Kh Kc Js Jh 4d", "ranks"),
        ("Ks Kd Ts Th Ad", "hand"),
        ("8h 8d As Kc 3s", "ranks"),
        ("8s 8c As Kc 2h", "suit"),
        ("8h 8d Ad Kd 2c", "ranks"),
        ("8s 8h Ad Qs Js", "hand"),
        ("Ad Ks 9s 4s 3h", "ranks"),
        ("As Kd 9d 4d 2c", "suit"),
        ("Ah Ks 9s 4s 2d", "ranks"),
        ("Ks Qs Js 9s 8d", None),
    ],
    "panduan": [
        ("5s 3s 4s 2s 7s", "suit"),
        ("Ah Kh Qh Jh 9h", "suit"),
        ("Ac Kc Qc Jc 9c", "ranks"),
        ("Ac 8c 4c 3c 2c", "ranks"),
        ("Kc Qc Tc 9c 5c", "suit"),
        ("Ad Kd Qd Jd 9d", "hand"),
        ("Js Td 9d 8d 7d", "suit"),
        ("Jh Ts 9s 8s 7s", "hand"),
        ("Js Jd 7s 7h 5s", "suit"),
        ("Jh Jc Ts Th Ad", None),
    ],
    "gratis": [
        ("Kd Qd Jd Td 9d", "hand"),
        ("8s 8h 8d 6s 6h", "hand"),
        ("Ks Kh 5c 4d 2c", "ranks"),
        ("Ks Kh 5c 3d 2c", None),
    ],
}


@pytest.mark.parametrize("ruleset", FALLING)
def test_stronger_rows_come_first_and_what_decides_is_known(ruleset: str) -> None:
    rows = FALLING[ruleset]
    for (higher, decided_by), (lower, _) in pairwise(rows):
        difference = look_up(higher, ruleset)[0] ^ look_up(lower, ruleset)[0]
        assert look_up(higher, ruleset)[0] > look_up(lower, ruleset)[0], (higher, lower)
        assert DECIDED_BY[difference.bit_length()] == decided_by, (higher, lower)


@pytest.mark.parametrize(
    ("ruleset", "one", "other"),
    [
        ("gratis", "As Kh 9d 4c 2s", "Ad Kc 9s 4h 2c"),
        ("gratis", "As Ks 9s 4s 2s", "Ah Kh 9h 4h 2h"),
        ("gratis", "Ks Kh 2d", "Kd Kc 2s"),
    ],
)
def test_equal_rows_draw_where_suits_play_no_part(ruleset: str, one: str, other: str) -> None:
    assert look_up(one, ruleset)[0] == look_up(other, ruleset)[0]


@pytest.mark.parametrize("row", ["8s 8h Ad Kd Qd", "8s 8h 4d 3d 2d", "8s 8h 2c"])
def test_panduan_never_consults_kickers_of_a_pair(row: str) -> None:
    assert look_up(row, "panduan")[0] == look_up("8s 8c 9s", "panduan")[0]


WHEEL, SIX_HIGH, KING_HIGH, ACE_HIGH = (
    "5s 4h 3d 2c As",
    "6s 5h 4d 3c 2s",
    "Ks Qh Jd Tc 9s",
    "As Kh Qd Jc Ts",
)


@pytest.mark.parametrize(
    ("place", "falling", "hand"),
    [
        ("lowest", [ACE_HIGH, KING_HIGH, SIX_HIGH, WHEEL], "straight"),
        ("second_highest", [ACE_HIGH, WHEEL, KING_HIGH, SIX_HIGH], "straight"),
        ("none", [ACE_HIGH, KING_HIGH, SIX_HIGH, WHEEL], "high_card"),
    ],
)
def test_ace_to_five_has_the_place_that_the_rule_set_gives_it(
    place: str, falling: list[str], hand: str
) -> None:
    tables = house_rules(comparison={"wheel": place}).tables
    strengths = [tables.look_up(parse(row))[0] for row in falling]
    assert strengths == sorted(set(strengths), reverse=True)
    assert KIND_HANDS[tables.look_up(parse(WHEEL))[1]] == hand


# How many five-card rows make each hand, as any book on poker has it.
FIVE_CARD_COUNTS = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
    "two_pair": 123_552,
    "pair": 1_098_240,
    "high_card": 1_302_540,
}
# 13 ranks x 4 threes of a kind; 13 x 6 pairs x 48 others; the rest of 22,100.
THREE_CARD_COUNTS = {"three_of_a_kind": 52, "pair": 3_744, "high_card": 18_304}

# Without suits poker knows 7,462 different five-card rows, and 455 of three cards.
DIFFERENT = {"gratis": (7_462, 455)}
# Of the place of every row among all, weakest first: a change of any comparison changes them.
DIGESTS = {
    "bsfyi": "006ffd8725bfffbc41f66e5e48045d74c4c2a3e8c202913e5cee8a07b225f140",
    "panduan": "8367a451f2ee8d7970160845ea913f0073f1711c7404a2e18fb2f706c124a7bf",
    "gratis": "e1beb48fb4fa562a7f88d3a0856280a01e9503dc3fff5b7920702bcea375df43",
}


@pytest.mark.parametrize("ruleset", DIGESTS)
def test_every_row_there_is_counts_right_and_keeps_its_strength(ruleset: str) -> None:
    look_up_row = BUILT_IN[ruleset].tables.look_up
    digest = hashlib.sha256()
    for size, counts in ((3, THREE_CARD_COUNTS), (5, FIVE_CARD_COUNTS)):
        found = [look_up_row(row) for row in combinations(range(52), size)]
        by_kind = [0] * len(KINDS)
        for _, kind in found:
            by_kind[kind] += 1
        by_hand = dict.fromkeys(HANDS, 0)
        for hand, count in zip(KIND_HANDS, by_kind, strict=True):
            by_hand[hand] += count
        assert {hand: count for hand, count in by_hand.items() if count} == counts
        if ruleset in DIFFERENT:
            assert len({strength for strength, _ in found}) == DIFFERENT[ruleset][size == 3]
        places = {s: place for place, s in enumerate(sorted({strength for strength, _ in found}))}
        digest.update(array("I", [places[strength] for strength, _ in found]).tobytes())
    assert digest.hexdigest() == DIGESTS[ruleset]
