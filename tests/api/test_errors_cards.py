"""Wrong cards are refused wherever seats are taken, each with its code and place."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.requests import (
    DRAGON,
    GONE,
    ROUND,
    SEATS,
    SIX_PAIRS,
    assert_invalid,
    change,
    error,
    score,
)

CYRILLIC_ES = "“с” (U+0441 CYRILLIC SMALL LETTER ES)"


def unknown(pointer: str, card: str, position: int, character: str | None = None) -> dict[str, Any]:
    blamed = {} if character is None else {"character": character}
    return error("card_unknown", pointer, card=card, position=position, **blamed)


def twice(pointer: str, card: str, other: str) -> dict[str, Any]:
    return error("card_duplicate", pointer, card=card, other=other)


# What is changed in the seats, and the errors that follow.
CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "a card twice in a row": (
        {"/0/top/1": "Ks"},
        [twice("/seats/0/top/1", "Ks", "/seats/0/top/0")],
    ),
    "a card twice in a seat": (
        {"/0/bottom/4": "Ks"},
        [twice("/seats/0/bottom/4", "Ks", "/seats/0/top/0")],
    ),
    "a card twice across seats": (
        {"/1/middle/3": "Ks"},
        [twice("/seats/1/middle/3", "Ks", "/seats/0/top/0")],
    ),
    "a card twice, spelt differently": (
        {"/1/middle/3": "k♠"},
        [twice("/seats/1/middle/3", "Ks", "/seats/0/top/0")],
    ),
    "a card three times": (
        {"/0/top/1": "Ks", "/1/top/0": "Ks"},
        [
            twice("/seats/0/top/1", "Ks", "/seats/0/top/0"),
            twice("/seats/1/top/0", "Ks", "/seats/0/top/0"),
        ],
    ),
    "a card twice within a string": (
        {"/0/top": "Ks Kh Ks"},
        [twice("/seats/0/top", "Ks", "/seats/0/top")],
    ),
    "a card in a list and in a string": (
        {"/1/top": "KsQh5d"},
        [twice("/seats/1/top", "Ks", "/seats/0/top/0")],
    ),
    "a card twice in the cards of a declarer": (
        {
            "/0": {
                "player": "andi",
                "declare": "dragon",
                "cards": "2s 2s 4h 5s 6d 7h 9c 9d Ts Kh Kc Ah Ad",
            }
        },
        [twice("/seats/0/cards", "2s", "/seats/0/cards")],
    ),
    "a card both in a declarer's cards and in a row": (
        {
            "/0": {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS},
            "/1/middle": "9s 9h 9c 9d 2h",
        },
        # 8s and 7s are in six pairs already; the row that held them is another one now.
        [twice("/seats/1/middle", "2h", "/seats/0/cards")],
    ),
    "a fourth card on top": (
        {"/0/top/3": "6c"},
        [error("row_size", "/seats/0/top", expected=3, got=4)],
    ),
    "two cards on top": (
        {"/0/top/2": GONE},
        [error("row_size", "/seats/0/top", expected=3, got=2)],
    ),
    "no cards on top": (
        {"/0/top": []},
        [error("row_size", "/seats/0/top", expected=3, got=0)],
    ),
    "an empty string on top": (
        {"/0/top": ""},
        [error("row_size", "/seats/0/top", expected=3, got=0)],
    ),
    "a blank string on top": (
        {"/0/top": "  "},
        [error("row_size", "/seats/0/top", expected=3, got=0)],
    ),
    "12 cards in rows": (
        {"/0/bottom": "As Ac Ad Ah"},
        [error("row_size", "/seats/0/bottom", expected=5, got=4)],
    ),
    "14 cards in rows": (
        {"/0/middle": "9s9h9d4c4s4d"},
        [error("row_size", "/seats/0/middle", expected=5, got=6)],
    ),
    "12 cards to declare": (
        {"/0": {"player": "andi", "declare": "dragon", "cards": "2s 3h 4h 5s 6d 9c 4d 2d Kd 5c Kc Ah"}},
        [error("hand_size", "/seats/0/cards", expected=13, got=12)],
    ),
    "14 cards to declare": (
        {
            "/0": {
                "player": "andi",
                "declare": "dragon",
                "cards": ["2s", "3h", "4h", "5s", "6d", "9c", "Ah"] * 2,
            }
        },
        [
            error("hand_size", "/seats/0/cards", expected=13, got=14),
            *(
                twice(f"/seats/0/cards/{place + 7}", card, f"/seats/0/cards/{place}")
                for place, card in enumerate(["2s", "3h", "4h", "5s", "6d", "9c", "Ah"])
            ),
        ],
    ),
    "more cards than the deck has": (
        {"/0/top": ["Ks"] * 53},
        [
            error("row_size", "/seats/0/top", expected=3, got=53),
        ],
    ),
    "no such rank": ({"/0/top/2": "1d"}, [unknown("/seats/0/top/2", "1d", 2, "“1”")]),
    "no such suit": ({"/0/top/2": "2x"}, [unknown("/seats/0/top/2", "2x", 2, "“x”")]),
    "ten as 0": ({"/1/bottom/0": "0c"}, [unknown("/seats/1/bottom/0", "0c", 0, "“0”")]),
    "a Cyrillic suit": ({"/0/middle/3": "4с"}, [unknown("/seats/0/middle/3", "4с", 3, CYRILLIC_ES)]),
    "a Cyrillic suit in a string": (
        {"/0/middle": "9s 9h 9d 4с 4s"},
        [unknown("/seats/0/middle", "4с", 3, CYRILLIC_ES)],
    ),
    "a Greek rank": (
        {"/0/bottom/0": "Αs"},
        [unknown("/seats/0/bottom/0", "Αs", 0, "“Α” (U+0391 GREEK CAPITAL LETTER ALPHA)")],
    ),
    "a full-width digit": (
        {"/0/top/2": "２d"},
        [unknown("/seats/0/top/2", "２d", 2, "“２” (U+FF12 FULLWIDTH DIGIT TWO)")],
    ),
    "an invisible character": (
        {"/0/top/2": "2\u200bd"},
        [unknown("/seats/0/top/2", "2\u200bd", 2, "(U+200B ZERO WIDTH SPACE)")],
    ),
    "suit before rank": ({"/0/top/2": "d2"}, [unknown("/seats/0/top/2", "d2", 2, "“d”")]),
    "a rank alone": ({"/0/top/2": "2"}, [unknown("/seats/0/top/2", "2", 2)]),
    "two cards in one": ({"/0/top/2": "2d3d"}, [unknown("/seats/0/top/2", "2d3d", 2)]),
    "a joker": ({"/0/top/2": "Joker"}, [unknown("/seats/0/top/2", "Joker", 2, "“o”")]),
    "an empty card": ({"/0/top/2": ""}, [unknown("/seats/0/top/2", "", 2)]),
    "a long card, shown cut": ({"/0/top/2": "2d" * 50}, [unknown("/seats/0/top/2", "2d" * 8, 2)]),
    "a number for a card": ({"/0/top/2": 7}, [error("card_unknown", "/seats/0/top/2", position=2)]),
    "null for a card": ({"/0/top/2": None}, [error("card_unknown", "/seats/0/top/2", position=2)]),
    "true for a card": ({"/0/top/2": True}, [error("card_unknown", "/seats/0/top/2", position=2)]),
    "a list for a card": ({"/0/top/2": ["2d"]}, [error("card_unknown", "/seats/0/top/2", position=2)]),
    "an object for a card": ({"/0/top/2": {}}, [error("card_unknown", "/seats/0/top/2", position=2)]),
    "nothing but wrong cards": (
        {"/0/top": "?? ?? ??"},
        [unknown("/seats/0/top", "??", place, "“?”") for place in range(3)],
    ),
    "a special that the rule set does not have": (
        {"/0/declare": "straight_flush"},
        [
            error(
                "special_unknown",
                "/seats/0/declare",
                ruleset="bsfyi",
                known=["dragon", "six_pairs", "three_straights", "three_flushes"],
            )
        ],
    ),
    "a special that the cards do not form": (
        {
            "/0": {"player": "andi", "declare": "dragon", "cards": SIX_PAIRS},
            "/1/middle": "9s 9h 9c 9d Kh",
        },
        [error("special_not_formed", "/seats/0/declare", special="dragon", forms=["six_pairs"])],
    ),
    "a special where rows form none": (
        {"/0/declare": "dragon"},
        [error("special_not_formed", "/seats/0/declare", special="dragon", forms=[])],
    ),
}


@pytest.mark.parametrize(("changes", "errors"), CASES.values(), ids=CASES)
def test_wrong_cards_are_reported(
    refuse_seats: Callable[[Any], TestResponse], changes: dict[str, Any], errors: list[dict[str, Any]]
) -> None:
    assert_invalid(refuse_seats(change(SEATS, changes)), "invalid-round", *errors)


def test_the_detail_names_a_look_alike(client: FlaskClient) -> None:
    answer = client.post("/v1/score", json=change(ROUND, {"/seats/0/middle/3": "4с"})).get_json()
    assert answer["errors"][0]["detail"] == (
        f"“4с” is not a card: {CYRILLIC_ES} is not a suit (s, h, c, d or ♠ ♥ ♣ ♦)"
    )


def test_the_detail_of_a_false_declaration_names_what_the_cards_form(client: FlaskClient) -> None:
    seat = {"player": "andi", "declare": "dragon", "cards": SIX_PAIRS}
    round_ = change(ROUND, {"/seats/0": seat, "/seats/1/middle": "9s 9h 9c 9d Kh"})
    answer = client.post("/v1/score", json=round_).get_json()
    assert answer["errors"][0]["detail"] == "the cards do not form a dragon; they form: six pairs"


def test_a_special_of_another_rule_set_is_unknown(refuse_round: Callable[[Any], TestResponse]) -> None:
    seat = {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS}
    round_ = change(
        ROUND, {"/ruleset": "panduan", "/seats/0": seat, "/seats/1/middle": "9s 9h 9c 9d Kh"}
    )
    assert_invalid(
        refuse_round(round_),
        "invalid-round",
        error("special_unknown", "/seats/0/declare", ruleset="panduan", known=["dragon"]),
    )


@pytest.mark.parametrize("ten", ["Ts", "ts", "10s", "10S", "T♠", "10♠", "10♠\ufe0f"])
@pytest.mark.parametrize("as_string", [False, True], ids=["in a list", "in a string"])
def test_ten_is_t_or_10(client: FlaskClient, ten: str, as_string: bool) -> None:
    row = [ten, "Td", "Th", "Jc", "Js"]
    result = score(client, change(ROUND, {"/seats/1/bottom": " ".join(row) if as_string else row}))
    assert result["seats"][1]["rows"]["bottom"]["cards"] == ["Ts", "Td", "Th", "Jc", "Js"]


def test_order_and_spelling_of_a_declarers_cards_mean_nothing(client: FlaskClient) -> None:
    cards = DRAGON.split()
    spelt = ["".join(reversed(cards)), list(reversed(cards)), DRAGON.upper().replace("T", "10")]
    budi = {"player": "budi", "top": "Qs Qh 5d", "middle": "8s 8h 8d 7c 7s", "bottom": "Tc Td Th Jc Js"}
    results = [
        score(client, {"seats": [{"player": "andi", "declare": "dragon", "cards": given}, budi]})
        for given in [DRAGON, *spelt]
    ]
    assert all(result == results[0] for result in results)
