"""Suggestions over HTTP: 13 cards in, the best arrangements and the specials out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from schemas.suggestions import MOST_SEED, MOST_SUGGESTIONS
from service.api.examples import EXAMPLES
from service.rules.cards import NAMES, names, parse
from service.rules.opponents import deal
from service.rules.suggestions import HANDS, MOST_OPPONENTS
from tests.api.requests import (
    DRAGON,
    GONE,
    assert_invalid,
    change,
    error,
    invalid,
    missing,
    unknown,
)

ROWS = ("top", "middle", "bottom")
CARDS = ["Kd", "Jh", "Jc", "9s", "9d", "8s", "8d", "7d", "6c", "5h", "3h", "2c", "2d"]

PAIRS = "As Ad Qc Qh Td Tc 8s 8d 5h 5c 2c 2d 3h"


def suggest(client: FlaskClient, document: Any, **headers: str) -> dict[str, Any]:
    response = client.post("/v1/arrangements/suggest", json=document, headers=headers)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.get_json()
    return answer


def test_the_best_arrangements_come_best_first(client: FlaskClient, stored: Any) -> None:
    answer = suggest(client, {"cards": CARDS})
    assert answer["ruleset"] == {"id": "bsfyi", "version": 1}
    assert answer["cards"] == CARDS
    assert (answer["opponents"], answer["seed"], answer["deals"]) == (3, 0, 120)
    assert (answer["ranked_by"], answer["best"], answer["declare"]) == ("points", "arrangement", None)
    assert len(answer["arrangements"]) == 5
    points = [one["expected_points"] for one in answer["arrangements"]]
    assert points == sorted(points, reverse=True)
    rows = answer["arrangements"][0]["rows"]
    assert [rows[row]["hand"] for row in ROWS] == ["high_card", "two_pair", "straight"]
    assert stored() == 0


def test_what_is_suggested_can_be_checked_and_played_as_it_stands(client: FlaskClient) -> None:
    for ruleset in ("bsfyi", "panduan", "gratis"):
        for one in suggest(client, {"cards": CARDS, "ruleset": ruleset})["arrangements"]:
            seat = {row: one["rows"][row]["cards"] for row in ROWS}
            document = {"ruleset": ruleset, "seat": seat}
            checked = client.post("/v1/arrangements/check", json=document).get_json()
            assert checked["in_order"] is True
            assert checked["rows"] == one["rows"]


@pytest.mark.parametrize(
    "cards",
    [CARDS[::-1], " ".join(CARDS), "".join(CARDS).lower(), "K♦ J♥ J♣ 9♠ 9♦ 8♠ 8♦ 7♦ 6♣ 5♥ 3♥ 2♦ 2♣"],
    ids=["another order", "a string", "small letters", "symbols"],
)
def test_cards_are_taken_in_any_order_and_spelling(client: FlaskClient, cards: Any) -> None:
    assert suggest(client, {"cards": cards}) == suggest(client, {"cards": CARDS})


def test_defaults_are_those_that_are_documented(client: FlaskClient) -> None:
    told = {"ruleset": {"id": "bsfyi", "version": 1}, "limit": 5, "opponents": 3, "seed": 0}
    assert suggest(client, {"cards": CARDS, **told}) == suggest(client, {"cards": CARDS})


def test_a_larger_limit_makes_the_list_longer(client: FlaskClient) -> None:
    one, many = (suggest(client, {"cards": CARDS, "limit": limit}) for limit in (1, 20))
    assert len(one["arrangements"]) == 1 < len(many["arrangements"]) <= 20
    assert many["arrangements"][:1] == one["arrangements"]


@pytest.mark.parametrize(("opponents", "deals"), [(1, 360), (2, 180), (3, 120)])
def test_fewer_opponents_take_more_deals(client: FlaskClient, opponents: int, deals: int) -> None:
    answer = suggest(client, {"cards": CARDS, "opponents": opponents, "seed": 2**53 - 1})
    assert (answer["opponents"], answer["deals"], answer["seed"]) == (opponents, deals, 2**53 - 1)


def test_labels_come_in_the_language_asked_for(client: FlaskClient) -> None:
    document = {"cards": CARDS, "limit": 1}
    english, indonesian = (
        suggest(client, document, **{"Accept-Language": language})["arrangements"][0]
        for language in ("en", "id")
    )
    assert english["rows"]["middle"]["label"] == "two pair, jacks and twos"
    assert indonesian["rows"]["middle"]["label"] == "double pair, jack dan 2"
    assert english["expected_points"] == indonesian["expected_points"]


def test_specials_come_with_the_advice_to_declare_or_not(client: FlaskClient) -> None:
    answer = suggest(client, {"cards": PAIRS, "limit": 1})
    assert [special["name"] for special in answer["specials"]] == ["six_pairs"]
    assert (answer["best"], answer["declare"]) == ("special", "six_pairs")
    seat = {"player": "andi", "cards": PAIRS, "declare": answer["declare"]}
    left = [card for card in NAMES if card not in PAIRS.split()]
    other = {"player": "budi", "top": left[:3], "middle": left[3:8], "bottom": left[8:13]}
    response = client.post("/v1/score", json={"seats": [seat, other]})
    assert response.get_json()["seats"][0]["special"]["name"] == "six_pairs"


def test_a_special_that_counts_by_itself_is_all_there_is(client: FlaskClient) -> None:
    answer = suggest(client, {"cards": DRAGON, "ruleset": "toto"})
    assert answer["ruleset"]["id"] == "panduan"
    assert (answer["best"], answer["declare"], answer["arrangements"]) == ("special", None, [])


def test_house_rules_are_taken_in_any_version(client: FlaskClient) -> None:
    house = {"id": "paid-tops", "title": "Paid tops", "base": "bsfyi"}
    for points in (0, 400):
        changes = {"points": {"top": {"pair": {"2": points}}}}
        assert client.post("/v1/rulesets", json={**house, **changes}).status_code == 201
    for version, best in ((1, False), (2, True)):
        ruleset = {"id": "paid-tops", "version": version}
        answer = suggest(client, {"cards": CARDS, "ruleset": ruleset, "limit": 1})
        assert answer["ruleset"] == ruleset
        assert (answer["arrangements"][0]["expected_points"] > 100) is best
    assert suggest(client, {"cards": CARDS, "ruleset": "paid-tops"})["ruleset"]["version"] == 2


def test_the_example_of_the_documentation_works(client: FlaskClient) -> None:
    example = EXAMPLES["suggest_arrangements"]
    assert len(suggest(client, example)["arrangements"]) == example["limit"]


CASES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "no document": ({"": []}, [invalid("")]),
    "no cards": ({"/cards": GONE}, [missing("/cards")]),
    "null": ({"/cards": None}, [invalid("/cards")]),
    "a number for the cards": ({"/cards": 13}, [invalid("/cards")]),
    "twelve cards": ({"/cards": CARDS[1:]}, [error("hand_size", "/cards", expected=13, got=12)]),
    "fourteen": ({"/cards/13": "Ad"}, [error("hand_size", "/cards", expected=13, got=14)]),
    "none": ({"/cards": ""}, [error("hand_size", "/cards", expected=13, got=0)]),
    "hundreds": ({"/cards": CARDS * 40}, [error("hand_size", "/cards", expected=13, got=520)]),
    "a card twice": (
        {"/cards/12": "kd"},
        [error("card_duplicate", "/cards/12", card="Kd", other="/cards/0")],
    ),
    "a card twice in a string": (
        {"/cards": " ".join([*CARDS[:12], "Kd"])},
        [error("card_duplicate", "/cards", card="Kd", other="/cards")],
    ),
    "what is no card": (
        {"/cards/2": "1s", "/cards/4": 7},
        [
            error("card_unknown", "/cards/2", card="1s", character="“1”", position=2),
            error("card_unknown", "/cards/4", position=4),
        ],
    ),
    "a limit of none": ({"/limit": 0}, [invalid("/limit", least=1, most=20)]),
    "too high a limit": ({"/limit": 21}, [invalid("/limit", least=1, most=20)]),
    "a limit that is no number": ({"/limit": "5"}, [invalid("/limit")]),
    "true for a limit": ({"/limit": True}, [invalid("/limit")]),
    "nobody else": ({"/opponents": 0}, [invalid("/opponents", least=1, most=3)]),
    "a fifth player": ({"/opponents": 4}, [invalid("/opponents", least=1, most=3)]),
    "a seed below nothing": ({"/seed": -1}, [invalid("/seed", least=0, most=2**53 - 1)]),
    "half a seed": ({"/seed": 0.5}, [invalid("/seed")]),
    "an unknown rule set": ({"/ruleset": "no"}, [error("ruleset_unknown", "/ruleset", ruleset="no")]),
    "an unknown version": (
        {"/ruleset": {"id": "bsfyi", "version": 9}},
        [error("ruleset_unknown", "/ruleset", ruleset="bsfyi", version=9)],
    ),
    "a stake": ({"/stake": 5}, [unknown("/stake")]),
    "a player": ({"/player": "andi"}, [unknown("/player")]),
}


@pytest.mark.parametrize(("changes", "errors"), CASES.values(), ids=CASES)
def test_what_is_wrong_is_reported(
    client: FlaskClient, changes: dict[str, Any], errors: list[dict[str, Any]]
) -> None:
    document = change({"cards": CARDS}, changes)
    assert_invalid(client.post("/v1/arrangements/suggest", json=document), "invalid-round", *errors)


def test_everything_wrong_is_reported_at_once(client: FlaskClient) -> None:
    document = {
        "ruleset": {"id": 5, "versions": 1},
        "cards": ["As", "As", "Zz"],
        "limit": 100,
        "opponents": "3",
        "seed": None,
        "rows": {},
    }
    assert_invalid(
        client.post("/v1/arrangements/suggest", json=document),
        "invalid-round",
        invalid("/ruleset/id"),
        unknown("/ruleset/versions"),
        error("hand_size", "/cards", expected=13, got=3),
        error("card_duplicate", "/cards/1", card="As", other="/cards/0"),
        error("card_unknown", "/cards/2", card="Zz", character="“Z”", position=2),
        invalid("/limit", least=1, most=20),
        invalid("/opponents"),
        invalid("/seed"),
        unknown("/rows"),
    )


# --- the page ----------------------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "suggest.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def commands() -> list[Any]:
    """What the page's commands send."""
    return [
        json.loads(text)
        for command in blocks("sh")
        for text in re.findall(r"-d '(.*?)'", command, re.DOTALL)
    ]


def test_the_request_of_the_page_is_answered_as_it_says(client: FlaskClient) -> None:
    asked, answered = commands()[0], json.loads(blocks("json")[0])
    assert suggest(client, asked) == answered


def test_the_page_leads_from_a_suggestion_to_a_seat_and_checks_one(client: FlaskClient) -> None:
    suggested, checked = (json.loads(text) for text in blocks("json"))
    _, to_score, to_check = commands()
    rows = {row: told["cards"] for row, told in suggested["arrangements"][0]["rows"].items()}
    assert to_score["seats"][0] == {"player": "andi", **rows}
    assert client.post("/v1/score", json=to_score).status_code == 200
    assert client.post("/v1/arrangements/check", json=to_check).get_json() == checked


def test_the_deals_of_the_page_are_ours() -> None:
    (code,) = blocks("python")
    found: dict[str, Any] = {}
    exec(code, found)
    theirs, ours = found["deals"](CARDS, 3, 5), deal(parse(CARDS), 3, 5)
    for _ in range(3):
        assert next(theirs) == [names(hand) for hand in next(ours)]


def test_the_page_names_the_bounds_that_hold() -> None:
    for line in ("| `limit` | 1 to 20 |", "| `opponents` | 1 to 3 |", "| `seed` | 0 to 2^53 − 1 |"):
        assert line in PAGE
    assert (MOST_SUGGESTIONS, MOST_OPPONENTS, MOST_SEED) == (20, 3, 2**53 - 1)
    assert f"average of {HANDS} hands" in PAGE
