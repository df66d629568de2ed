"""Players, seats and fields that are wrong: missing, unknown, of another type, out of bounds."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.requests import (
    ANDI,
    BUDI,
    GONE,
    ROUND,
    SEATS,
    SIX_PAIRS,
    assert_invalid,
    change,
    error,
    invalid,
    missing,
    score,
    unknown,
)

Refuse = Callable[[Any], TestResponse]


def full_table() -> list[dict[str, Any]]:
    """Four seats that hold the whole deck."""
    deck = [rank + suit for suit in "shdc" for rank in "AKQJT98765432"]
    hands = [deck[start : start + 13] for start in range(0, 52, 13)]
    rows = [{"bottom": hand[:5], "middle": hand[5:10], "top": hand[10:]} for hand in hands]
    return [{"player": f"player {place}", **row} for place, row in enumerate(rows)]


# Of a seat, wherever seats are taken.
SEAT_CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "no seat at all": ({"": GONE}, [missing("/seats")]),
    "seats null": ({"": None}, [invalid("/seats")]),
    "seats an object": ({"": {}}, [invalid("/seats")]),
    "seats a string": ({"": "andi"}, [invalid("/seats")]),
    "seats a number": ({"": 2}, [invalid("/seats")]),
    "a seat null": ({"/0": None}, [invalid("/seats/0")]),
    "a seat a list": ({"/1": []}, [invalid("/seats/1")]),
    "a seat a string": ({"/1": "budi"}, [invalid("/seats/1")]),
    "an unknown field": ({"/0/atas": "Ks Kh 2d"}, [unknown("/seats/0/atas")]),
    "an unknown field with slash and tilde": ({"/0/a~1b~0c": 1}, [unknown("/seats/0/a~1b~0c")]),
    "an empty field name": ({"/0/": 1}, [unknown("/seats/0/")]),
    "no top": ({"/0/top": GONE}, [missing("/seats/0/top")]),
    "no rows": (
        {"/1": {"player": "budi"}},
        [missing("/seats/1/top"), missing("/seats/1/middle"), missing("/seats/1/bottom")],
    ),
    "cards without declare": (
        {"/0": {"player": "andi", "cards": "2c 3c 4h 5s 6d 9c Ah Ad Kh Kc 6h 2d 3h"}},
        [missing("/seats/0/declare")],
    ),
    "both cards and rows": (
        {"/0/cards": SIX_PAIRS, "/0/declare": "six_pairs", "/1/middle": "9s 9h 9c 9d Kh"},
        [invalid("/seats/0/top"), invalid("/seats/0/middle"), invalid("/seats/0/bottom")],
    ),
    "a row null": ({"/0/top": None}, [invalid("/seats/0/top")]),
    "a row a number": ({"/0/middle": 5}, [invalid("/seats/0/middle")]),
    "a row an object": ({"/0/bottom": {}}, [invalid("/seats/0/bottom")]),
    "a row true": ({"/0/bottom": True}, [invalid("/seats/0/bottom")]),
    "cards null": (
        {"/0": {"player": "andi", "cards": None, "declare": "dragon"}},
        [invalid("/seats/0/cards")],
    ),
    "declare null": ({"/0/declare": None}, [invalid("/seats/0/declare")]),
    "declare true": ({"/0/declare": True}, [invalid("/seats/0/declare")]),
    "declare a list": ({"/0/declare": ["dragon"]}, [invalid("/seats/0/declare")]),
}


@pytest.mark.parametrize(("changes", "errors"), SEAT_CASES.values(), ids=SEAT_CASES)
def test_wrong_seats_are_reported(
    refuse_seats: Refuse, changes: dict[str, Any], errors: list[dict[str, Any]]
) -> None:
    assert_invalid(refuse_seats(change(SEATS, changes)), "invalid-round", *errors)


# Of players, and of the round: in no match, whose own players and rule set would be wrong as well.
ROUND_CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "a player named twice": (
        {"/seats/1/player": "andi"},
        [error("player_duplicate", "/seats/1/player", other="/seats/0/player")],
    ),
    "no player": ({"/seats/0/player": GONE}, [missing("/seats/0/player")]),
    "a player of no characters": ({"/seats/0/player": ""}, [invalid("/seats/0/player")]),
    "a player of spaces": ({"/seats/0/player": " \u2003"}, [invalid("/seats/0/player")]),
    "a player of 65 characters": ({"/seats/0/player": "é" * 65}, [invalid("/seats/0/player", most=64)]),
    "a player with a bell": (
        {"/seats/0/player": "an\x07di"},
        [invalid("/seats/0/player", character="U+0007")],
    ),
    "a player with a line break": (
        {"/seats/0/player": "andi\n"},
        [invalid("/seats/0/player", character="U+000A")],
    ),
    "a player with DEL": (
        {"/seats/0/player": "an\x7fdi"},
        [invalid("/seats/0/player", character="U+007F")],
    ),
    "a player with a C1 control": (
        {"/seats/0/player": "an\x85di"},
        [invalid("/seats/0/player", character="U+0085")],
    ),
    "a player with a line separator": (
        {"/seats/0/player": "an\u2028di"},
        [invalid("/seats/0/player", character="U+2028")],
    ),
    "a player null": ({"/seats/0/player": None}, [invalid("/seats/0/player")]),
    "a player a number": ({"/seats/0/player": 7}, [invalid("/seats/0/player")]),
    "a player an object": ({"/seats/0/player": {}}, [invalid("/seats/0/player")]),
    "one seat": ({"/seats/1": GONE}, [error("seat_count", "/seats", least=2, most=4, got=1)]),
    "no seats": ({"/seats": []}, [error("seat_count", "/seats", least=2, most=4, got=0)]),
    "five seats": (
        {"/seats": [*full_table(), None]},
        [error("seat_count", "/seats", least=2, most=4, got=5), invalid("/seats/4")],
    ),
    "many seats, which nobody reads": (
        {"/seats": [ANDI] * 17},
        [error("seat_count", "/seats", least=2, most=4, got=17)],
    ),
    "an unknown field": ({"/player": "andi"}, [unknown("/player")]),
    "number, which only matches have": ({"/number": 1}, [unknown("/number")]),
    "an unknown field with slash and tilde": ({"/a~1b~0c": 1}, [unknown("/a~1b~0c")]),
    "an unknown field named like marshmallow's own": ({"/_schema": 1}, [unknown("/_schema")]),
    "a list for the document": ({"": [ROUND]}, [invalid("")]),
    "a string for the document": ({"": "round"}, [invalid("")]),
    "a number for the document": ({"": 1}, [invalid("")]),
    "an empty object": ({"": {}}, [missing("/seats")]),
    "stake 0": ({"/stake": 0}, [invalid("/stake", least=1, most=10**12)]),
    "stake negative": ({"/stake": -100}, [invalid("/stake", least=1, most=10**12)]),
    "stake too high": ({"/stake": 10**12 + 1}, [invalid("/stake", least=1, most=10**12)]),
    "stake of 20 digits": ({"/stake": 10**19}, [invalid("/stake", least=1, most=10**12)]),
    "stake 1.0": ({"/stake": 1.0}, [invalid("/stake")]),
    "stake 1.5": ({"/stake": 1.5}, [invalid("/stake")]),
    "stake a string": ({"/stake": "100"}, [invalid("/stake")]),
    "stake true": ({"/stake": True}, [invalid("/stake")]),
    "stake null": ({"/stake": None}, [invalid("/stake")]),
    "stake a list": ({"/stake": [100]}, [invalid("/stake")]),
    "an unknown rule set": (
        {"/ruleset": "nope"},
        [error("ruleset_unknown", "/ruleset", ruleset="nope")],
    ),
    "a rule set of no name": ({"/ruleset": ""}, [error("ruleset_unknown", "/ruleset", ruleset="")]),
    "a rule set in capitals": (
        {"/ruleset": "BSFYI"},
        [error("ruleset_unknown", "/ruleset", ruleset="BSFYI")],
    ),
    "a long rule set, shown cut": (
        {"/ruleset": "x" * 1000},
        [error("ruleset_unknown", "/ruleset", ruleset="x" * 64)],
    ),
    "an unknown version": (
        {"/ruleset": {"id": "bsfyi", "version": 999}},
        [error("ruleset_unknown", "/ruleset", ruleset="bsfyi", version=999)],
    ),
    "a version of an unknown rule set": (
        {"/ruleset": {"id": "nope", "version": 1}},
        [error("ruleset_unknown", "/ruleset", ruleset="nope")],
    ),
    "rule set null": ({"/ruleset": None}, [invalid("/ruleset")]),
    "rule set a number": ({"/ruleset": 1}, [invalid("/ruleset")]),
    "rule set a list": ({"/ruleset": ["bsfyi"]}, [invalid("/ruleset")]),
    "rule set without id": ({"/ruleset": {"version": 1}}, [missing("/ruleset/id")]),
    "rule set id null": ({"/ruleset": {"id": None}}, [invalid("/ruleset/id")]),
    "rule set id a number": ({"/ruleset": {"id": 1}}, [invalid("/ruleset/id")]),
    "rule set with an unknown field": (
        {"/ruleset": {"id": "bsfyi", "v/1": 1}},
        [unknown("/ruleset/v~11")],
    ),
    "version a string": ({"/ruleset": {"id": "bsfyi", "version": "1"}}, [invalid("/ruleset/version")]),
    "version 1.0": ({"/ruleset": {"id": "bsfyi", "version": 1.0}}, [invalid("/ruleset/version")]),
    "version true": ({"/ruleset": {"id": "bsfyi", "version": True}}, [invalid("/ruleset/version")]),
    "version null": ({"/ruleset": {"id": "bsfyi", "version": None}}, [invalid("/ruleset/version")]),
    "version 0": ({"/ruleset": {"id": "bsfyi", "version": 0}}, [invalid("/ruleset/version")]),
    "version too high": ({"/ruleset": {"id": "bsfyi", "version": 10**9}}, [invalid("/ruleset/version")]),
    "a stake under a rule set without points": (
        {"/ruleset": "gratis", "/stake": 100},
        [error("ruleset_without_points", "/ruleset", ruleset="gratis")],
    ),
}


@pytest.mark.parametrize(("changes", "errors"), ROUND_CASES.values(), ids=ROUND_CASES)
def test_wrong_rounds_are_reported(
    refuse_round: Refuse, changes: dict[str, Any], errors: list[dict[str, Any]]
) -> None:
    assert_invalid(refuse_round(change(ROUND, changes)), "invalid-round", *errors)


def test_nothing_is_kept_under_a_rule_set_without_points(client: FlaskClient, stored: Any) -> None:
    response = client.post("/v1/rounds", json={**ROUND, "ruleset": "gratis"})
    assert_invalid(
        response, "invalid-round", error("ruleset_without_points", "/ruleset", ruleset="gratis")
    )
    assert stored() == 0


@pytest.mark.parametrize(
    "player",
    [
        "a",
        "é" * 64,
        "Ibu Sri",
        "0",
        "null",
        "安迪",
        "🂡" * 64,
        "%00",
        "a/b?c#d",
        "'; DROP TABLE seats;--",
    ],
)
def test_any_printable_player_is_taken(client: FlaskClient, player: str) -> None:
    assert score(client, change(ROUND, {"/seats/0/player": player}))["seats"][0]["player"] == player


def test_the_dearest_stake_is_taken(client: FlaskClient) -> None:
    assert score(client, {**ROUND, "stake": 10**12})["seats"][0]["money"]["won"] == 22 * 10**12


ARRANGEMENT_CASES: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "no seat": ({"": {}}, [missing("/seat")]),
    "seat null": ({"/seat": None}, [invalid("/seat")]),
    "seat a list": ({"/seat": [ANDI]}, [invalid("/seat")]),
    "seats instead": ({"/seats": SEATS}, [unknown("/seats")]),
    "an unknown field in the seat": ({"/seat/x": 1}, [unknown("/seat/x")]),
    "a player null": ({"/seat/player": None}, [invalid("/seat/player")]),
    "no top": ({"/seat/top": GONE}, [missing("/seat/top")]),
    "a card twice": (
        {"/seat/top/1": "Ks"},
        [error("card_duplicate", "/seat/top/1", card="Ks", other="/seat/top/0")],
    ),
    "an unknown card": (
        {"/seat/top/1": "Kx"},
        [error("card_unknown", "/seat/top/1", card="Kx", character="“x”", position=1)],
    ),
    "a fourth card on top": ({"/seat/top/3": "6c"}, [error("row_size", "/seat/top", expected=3, got=4)]),
    "12 cards": (
        {"/seat": {"cards": SIX_PAIRS[3:]}},
        [error("hand_size", "/seat/cards", expected=13, got=12)],
    ),
    "an unknown special": (
        {"/ruleset": "panduan", "/seat/declare": "six_pairs"},
        [error("special_unknown", "/seat/declare", ruleset="panduan", known=["dragon"])],
    ),
    "a false declaration": (
        {"/seat/declare": "dragon"},
        [error("special_not_formed", "/seat/declare", special="dragon", forms=[])],
    ),
    "an unknown rule set": (
        {"/ruleset": "nope"},
        [error("ruleset_unknown", "/ruleset", ruleset="nope")],
    ),
    "a stake": ({"/stake": 1}, [unknown("/stake")]),
    "a list for the document": ({"": []}, [invalid("")]),
}


@pytest.mark.parametrize(("changes", "errors"), ARRANGEMENT_CASES.values(), ids=ARRANGEMENT_CASES)
def test_wrong_arrangements_are_reported(
    client: FlaskClient, changes: dict[str, Any], errors: list[dict[str, Any]]
) -> None:
    document = change({"seat": ANDI}, changes)
    assert_invalid(client.post("/v1/arrangements/check", json=document), "invalid-round", *errors)


def test_everything_wrong_in_a_round_is_reported_at_once(refuse_round: Refuse) -> None:
    document = {
        "ruleset": {"id": "bsfyi", "version": 0, "name": "x"},
        "stake": -1,
        "extra": None,
        "seats": [
            {**ANDI, "top": ["Ks", "Kh", "2x"], "bottom": ["As", "Ac", "Ad", "Ah"], "note": "hi"},
            {**BUDI, "player": "andi", "middle": "8s 8h 8d 7c Ks", "declare": 3},
            {"player": "\x1b", "cards": ["Ks"]},
            [],
        ],
    }
    assert_invalid(
        refuse_round(document),
        "invalid-round",
        invalid("/ruleset/version"),
        unknown("/ruleset/name"),
        invalid("/stake", least=1, most=10**12),
        unknown("/extra"),
        error("card_unknown", "/seats/0/top/2", card="2x", character="“x”", position=2),
        error("row_size", "/seats/0/bottom", expected=5, got=4),
        unknown("/seats/0/note"),
        error("player_duplicate", "/seats/1/player", other="/seats/0/player"),
        error("card_duplicate", "/seats/1/middle", card="Ks", other="/seats/0/top/0"),
        invalid("/seats/1/declare"),
        invalid("/seats/2/player", character="U+001B"),
        missing("/seats/2/declare"),
        error("hand_size", "/seats/2/cards", expected=13, got=1),
        error("card_duplicate", "/seats/2/cards/0", card="Ks", other="/seats/0/top/0"),
        invalid("/seats/3"),
    )


def test_a_flood_of_errors_is_cut_and_counted(client: FlaskClient) -> None:
    rows = {"top": ["?"] * 52, "middle": ["?"] * 52, "bottom": ["?"] * 52}
    seats = [{"player": player, **rows} for player in "abcd"]
    answer = client.post("/v1/score", json={"seats": seats}).get_json()
    # Each row is too long, and each card in it unknown.
    assert answer["count"] == 4 * 3 * 53
    assert len(answer["errors"]) == 200
    assert answer["errors_left_out"] == 4 * 3 * 53 - 200
