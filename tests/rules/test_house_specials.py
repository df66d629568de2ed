"""House rules on specials: which there are, how they are ranked and paid, and how they are found."""

from typing import Any

import pytest

from service.rules.cards import NAMES
from service.rules.ruleset import RuleSet
from service.rules.specials import SPECIALS
from tests.rules.rounds import house_rules, points
from tests.rules.settling import settle
from tests.rules.test_specials import EXAMPLES

DRAGON = "2s 3h 4h 5s 6d 7h 8c 9c Ts Jh Qd Kc Ah"
FLUSHES = "As Ks Qs Js 9s Kh Qh Th 9h 8h 2d 3d 4d"
ROWS = "Ac Ad 7d / 2c 3c 5c 6s 7c / Kd Jd Jc Tc Td"  # a foul
HIGH_PAIRS = "As Ah Ks Kh Qs Qh Js Jh 9s 9h 8s 8h 2c"
LOW_PAIRS = "Ad Ac Kd Kc Qd Qc Jd Jc 9d 9c 7s 7h 2d"
THREE_QUADS = "3s 3h 3d / 2s 2h 2d 2c 3c / As Ah Ad Ac 9s"
BESIDE_QUADS = "Ks Qh 8d / 9h 9d 7c 6s 4s / Kh Kd 7d 6c 5s"


def specials(*ranking: tuple[str, int], **changes: Any) -> RuleSet:
    """House rules with specials, high to low."""
    listed = [{"name": name, "points": points} for name, points in ranking]
    return house_rules(specials={"ranking": listed, **changes})


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("name", SPECIALS)
def test_every_special_can_be_played_for(name: str, declared: bool) -> None:
    house = specials((name, 17), declared=declared)
    mine = EXAMPLES[name][0]
    rest = [card for card in NAMES if card not in mine.split()]
    rows = rest[:6:2] + rest[-10:]  # these form no special
    texts = {"a": mine, "b": f"{' '.join(rows[:3])} / {' '.join(rows[3:])}"}
    result = settle(house, texts, None, **({"a": name} if declared else {}))
    assert points(result) == [17, -17]
    assert result["seats"][0]["special"] == {"name": name, "points": 17, "declared": declared}
    assert result["seats"][1]["special"] is None


@pytest.mark.parametrize("name", SPECIALS)
def test_cards_that_just_do_not_form_a_special_are_rows(name: str) -> None:
    cards = EXAMPLES[name][1].split()
    rest = [card for card in NAMES if card not in cards][::3]
    texts = {
        player: f"{' '.join(hand[:3])} / {' '.join(hand[3:])}"
        for player, hand in (("a", cards), ("b", rest))
    }
    result = settle(specials((name, 17), declared=False), texts)
    assert result["seats"][0]["special"] is None


def test_specials_can_be_ranked_against_what_they_pay() -> None:
    house = specials(("three_flushes", 3), ("dragon", 30))
    result = settle(house, {"a": DRAGON, "b": FLUSHES, "c": ROWS}, a="dragon", b="three_flushes")
    # The flushes take their 3 from the dragon; c pays 30 and 3.
    assert points(result) == [30 - 3, 3 + 3, -30 - 3]
    # Turned round, the dragon takes its 30 from the flushes.
    house = specials(("dragon", 30), ("three_flushes", 3))
    result = settle(house, {"a": DRAGON, "b": FLUSHES, "c": ROWS}, a="dragon", b="three_flushes")
    assert points(result) == [30 + 30, -30 + 3, -30 - 3]


@pytest.mark.parametrize(("equal", "gain"), [("tie", 0), ("ranks", 3)])
def test_equal_specials_tie_or_are_told_apart_by_ranks(equal: str, gain: int) -> None:
    house = specials(("six_pairs", 3), equal=equal)
    texts = {"a": HIGH_PAIRS, "b": LOW_PAIRS}
    result = settle(house, texts, a="six_pairs", b="six_pairs")
    # A K Q J 9 in pairs for both, then 8 against 7
    assert points(result) == [gain, -gain]
    assert result["duels"][0]["outcome"] == ("special" if gain else "special_tie")
    turned = settle(house, dict(reversed(texts.items())), a="six_pairs", b="six_pairs")
    assert points(turned) == [-gain, gain]


def test_two_dragons_have_the_same_ranks_and_always_tie() -> None:
    house = house_rules("panduan", specials={"equal": "ranks"})
    other = "2h 3s 4s 5h 6h 7s 8s 9s Th Js Qh Kh As"
    result = settle(house, {"a": DRAGON, "b": other, "c": ROWS})
    # 208 for each dragon from c
    assert points(result) == [208, 208, -416]
    assert result["duels"][0]["outcome"] == "special_tie"


def test_what_is_not_declared_counts_only_where_specials_are_found() -> None:
    texts = {"a": THREE_QUADS, "b": BESIDE_QUADS}
    ranking = (("three_quads", 30), ("six_pairs", 3))
    by_rows = settle(specials(*ranking), texts)
    # Trips on top (5) and quads in the middle (14) and at the bottom (7), a sweep: 26 x 2
    assert points(by_rows) == [52, -52]
    assert by_rows["seats"][0]["could_declare"] == ["three_quads", "six_pairs"]
    found = settle(specials(*ranking, declared=False), texts)
    # the highest that the cards form
    assert points(found) == [30, -30]
    assert found["seats"][0]["could_declare"] == []
    assert found["seats"][0]["special"] == {"name": "three_quads", "points": 30, "declared": False}


def test_a_player_who_must_declare_may_choose_the_lower_special() -> None:
    texts = {"a": THREE_QUADS, "b": BESIDE_QUADS}
    result = settle(specials(("three_quads", 30), ("six_pairs", 3)), texts, a="six_pairs")
    assert points(result) == [3, -3]
    assert result["seats"][0]["could_declare"] == ["three_quads"]


def test_without_specials_every_hand_is_rows() -> None:
    house = house_rules("panduan", specials=None)
    texts = {
        "a": "2s 3h 4h / 5s 6d 7h 8c Kc / 9c Ts Jh Qd Ah",
        "b": "2c 3c 5d / 5h 5c Kd Qs 9s / As Ad Th Td 4c",
    }
    result = settle(house, texts)
    assert (result["seats"][0]["special"], result["seats"][0]["could_declare"]) == (None, [])
    # Under panduan itself the same cards are a dragon.
    assert points(settle("panduan", texts)) == [208, -208]


def test_straights_without_a_low_ace_are_no_special_where_it_does_not_play_low() -> None:
    rows = "Kc Qd Ah / As 2h 3d 4c 5s / 5h 6d 7c 8s 9h"
    texts = {"a": rows, "b": "2c 3c 6c / 9s 9d Jc Js 2d / Tc Td Th 4s 4h"}
    for wheel, won in (("lowest", True), ("second_highest", True), ("none", False)):
        house = specials(("three_straights", 9), declared=False)
        house = house_rules(specials=house.document["specials"], comparison={"wheel": wheel})
        assert (settle(house, texts)["seats"][0]["special"] is not None) is won
