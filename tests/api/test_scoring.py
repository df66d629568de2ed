"""Scoring and checking over HTTP: nothing is stored, and the sums can be redone from the answer."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.example import POINTS
from service.example import ROUND as EXAMPLE
from tests.api.requests import ANDI, BUDI, DRAGON, ROUND, SIX_PAIRS, change, score
from tests.rules.rounds import without_texts

VECTORS = Path(__file__).parents[1] / "vectors"
RULESETS = ("bsfyi", "panduan", "toto", "gratis")
ROWS = ("top", "middle", "bottom")
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "dchs"]


def table(**rows: str) -> dict[str, Any]:
    """A round of players and their rows, ``"top / middle / bottom"``."""
    seats = []
    for player, text in rows.items():
        seats.append({"player": player, **dict(zip(ROWS, text.split(" / "), strict=True))})
    return {"seats": seats}


def test_the_answer_in_full(client: FlaskClient, stored: Any) -> None:
    """The example of the contract: rows against a dragon, with a stake."""
    document = {
        "ruleset": "bsfyi",
        "stake": 100,
        "seats": [
            {
                "player": "andi",
                "top": ["Qs", "9d", "3c"],
                "middle": ["Ks", "Kh", "5c", "4d", "2c"],
                "bottom": "8s 8h 8d 6s 6h",
            },
            {"player": "budi", "declare": "dragon", "cards": DRAGON},
        ],
    }
    assert score(client, document) == {
        "ruleset": {"id": "bsfyi", "version": 1},
        "stake": 100,
        "seats": [
            {
                "player": "andi",
                "rows": {
                    "top": {"cards": ["Qs", "9d", "3c"], "hand": "high_card", "label": "queen high"},
                    "middle": {
                        "cards": ["Ks", "Kh", "5c", "4d", "2c"],
                        "hand": "pair",
                        "label": "pair of kings",
                    },
                    "bottom": {
                        "cards": ["8s", "8h", "8d", "6s", "6h"],
                        "hand": "full_house",
                        "label": "full house, eights over sixes",
                    },
                },
                "foul": None,
                "special": None,
                "could_declare": [],
                "sweeps": 0,
                "clean_sweep": False,
                "points": -13,
                "money": {"won": -1300, "fee": 0, "net": -1300},
            },
            {
                "player": "budi",
                "rows": None,
                "foul": None,
                "special": {"name": "dragon", "points": 13, "declared": True},
                # Thirteen ranks always fall into three straights, too.
                "could_declare": ["three_straights"],
                "sweeps": 0,
                "clean_sweep": False,
                "points": 13,
                "money": {"won": 1300, "fee": 0, "net": 1300},
            },
        ],
        "duels": [
            {
                "players": ["andi", "budi"],
                "outcome": "special",
                "winner": "budi",
                "rows": None,
                "factor": 1,
                "bonus": 0,
                "points": [-13, 13],
            }
        ],
    }
    assert stored() == 0


@pytest.mark.parametrize("ruleset", ["bsfyi", "panduan", "gratis"])
def test_rounds_worked_out_by_hand(client: FlaskClient, ruleset: str) -> None:
    lines = (VECTORS / f"{ruleset}.jsonl").read_text("utf-8").splitlines()
    vectors = [json.loads(line) for line in lines]
    assert len(vectors) >= 40
    for vector in vectors:
        result = without_texts(score(client, vector["request"]))  # type: ignore[arg-type]
        expected = {"seats": vector["result"]["seats"], "duels": vector["result"]["duels"]}
        assert result == expected, vector["why"]


def test_the_example_of_the_documents(client: FlaskClient) -> None:
    result = score(client, EXAMPLE)
    assert {seat["player"]: seat["points"] for seat in result["seats"]} == POINTS


@pytest.mark.parametrize(
    ("ruleset", "points", "factor", "bonus"), [("bsfyi", 22, 2, 0), ("panduan", 16, 2, 10)]
)
def test_a_sweep_with_bonuses(
    client: FlaskClient, ruleset: str, points: int, factor: int, bonus: int
) -> None:
    result = score(client, {**ROUND, "ruleset": ruleset})
    assert [seat["points"] for seat in result["seats"]] == [points, -points]
    duel = result["duels"][0]
    assert (duel["outcome"], duel["winner"]) == ("sweep", "andi")
    assert (duel["factor"], duel["bonus"], duel["points"]) == (factor, bonus, [points, -points])
    assert [seat["sweeps"] for seat in result["seats"]] == [1, 0]


def test_a_clean_sweep_of_two_fouls(client: FlaskClient) -> None:
    document = table(
        andi="Ks Qd 2d / 9s 9h 4d 3c 5s / As Ac Jd 7h 6c",
        budi="Ah Ad 5d / 8s 7d 6d 4c 3s / Qs Jc 9c 2c Th",
        cici="Kh Kd 5h / 8h 7c 6h 4h 3d / Qh Js 9d 2s Tc",
    )
    result = score(client, document)
    assert [seat["points"] for seat in result["seats"]] == [24, -12, -12]
    assert [seat["clean_sweep"] for seat in result["seats"]] == [True, False, False]
    assert [seat["foul"] and seat["foul"]["code"] for seat in result["seats"]] == [
        None,
        "top_over_middle",
        "top_over_middle",
    ]
    assert result["seats"][1]["foul"]["detail"] == "the top row is stronger than the middle row"
    assert [duel["outcome"] for duel in result["duels"]] == ["foul", "foul", "both_foul"]


def test_specials_meet(client: FlaskClient) -> None:
    """Six pairs take 3 from three flushes and from rows; three flushes take 3 from rows."""
    flushes = "2c 4c 6c 8c Tc Qc Kc Ac 3d 5d 7d 9d Jd"
    rows = {"top": "9s 9h Qd", "middle": "Ts Th Td Js Jh", "bottom": "As Ah Ad Ks Kh"}
    document = {
        "seats": [
            {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS},
            {"player": "budi", "declare": "three_flushes", "cards": flushes},
            {"player": "cici", **rows},
        ]
    }
    result = score(client, document)
    assert [seat["points"] for seat in result["seats"]] == [6, 0, -6]
    assert [duel["outcome"] for duel in result["duels"]] == ["special"] * 3


def test_a_special_that_was_not_declared_is_mentioned(client: FlaskClient) -> None:
    seat = {"player": "andi", "top": "2s 2h 8s", "middle": "3s 3h 4s 4h 5s", "bottom": "6s 6h 7s 7h 5h"}
    budi = {**BUDI, "middle": ["8c", "8h", "8d", "7c", "7d"]}
    result = score(client, {"seats": [seat, budi]})
    assert result["seats"][0]["special"] is None
    assert result["seats"][0]["could_declare"] == ["six_pairs"]
    assert result["seats"][1]["could_declare"] == []


def test_a_dragon_is_found_under_panduan(client: FlaskClient) -> None:
    andi = {"player": "andi", "top": "2s 3h 4h", "middle": "5s 6d 7h 9c Kc", "bottom": "8c Ts Jh Qd Ah"}
    result = score(
        client, {"ruleset": "panduan", "stake": 5, "seats": [andi, change(BUDI, {"/top/2": "5d"})]}
    )
    assert result["seats"][0]["special"] == {"name": "dragon", "points": 208, "declared": False}
    assert [seat["points"] for seat in result["seats"]] == [208, -208]
    # 3 % of 1040, rounded down, goes to the room.
    assert result["seats"][0]["money"] == {"won": 1040, "fee": 31, "net": 1009}
    assert result["seats"][1]["money"] == {"won": -1040, "fee": 0, "net": -1040}


def test_without_points_rows_are_compared_and_nothing_is_paid(client: FlaskClient) -> None:
    result = score(client, {**ROUND, "ruleset": "gratis"})
    assert [seat["points"] for seat in result["seats"]] == [None, None]
    duel = result["duels"][0]
    assert duel["points"] is duel["factor"] is duel["bonus"] is duel["winner"] is None
    assert [duel["rows"][row]["winner"] for row in ROWS] == ["andi"] * 3
    assert [duel["rows"][row]["points"] for row in ROWS] == [None] * 3


def test_without_a_stake_there_is_no_money(client: FlaskClient) -> None:
    result = score(client)
    assert "stake" not in result
    assert all("money" not in seat for seat in result["seats"])


@pytest.mark.parametrize(
    ("ruleset", "found"),
    [
        (None, {"id": "bsfyi", "version": 1}),
        ("bsfyi", {"id": "bsfyi", "version": 1}),
        ("toto", {"id": "panduan", "version": 1}),
        ({"id": "toto", "version": 1}, {"id": "panduan", "version": 1}),
        ({"id": "gratis"}, {"id": "gratis", "version": 1}),
    ],
    ids=str,
)
def test_which_rule_set_is_meant(client: FlaskClient, ruleset: Any, found: dict[str, Any]) -> None:
    document = ROUND if ruleset is None else {**ROUND, "ruleset": ruleset}
    assert score(client, document)["ruleset"] == found


SPELLINGS: dict[str, Callable[[list[str]], Any]] = {
    "a list": list,
    "a string with spaces": " ".join,
    "a string without spaces": "".join,
    "capitals": lambda cards: "".join(cards).upper(),
    "small letters": lambda cards: "".join(cards).lower(),
    "tabs and line breaks": lambda cards: "\t" + "\r\n".join(cards) + " ",
    "10 for T": lambda cards: "".join(cards).replace("T", "10"),
    "suit symbols": lambda cards: " ".join(cards).translate(str.maketrans("shcd", "♠♥♣♦")),
    "emoji suits": lambda cards: [
        card.replace("s", "♠️").replace("h", "♥️").replace("c", "♣️").replace("d", "♦️") for card in cards
    ],
    "some spaces": lambda cards: cards[0] + " " + "".join(cards[1:]),
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_rows_are_the_same_however_they_are_spelt(client: FlaskClient, spell: Any) -> None:
    seats = [{"player": s["player"], **{row: spell(list(s[row])) for row in ROWS}} for s in (ANDI, BUDI)]
    assert score(client, {"seats": seats}) == score(client)


def test_accept_is_not_asked_for_what_there_is_one_of(client: FlaskClient) -> None:
    response = client.post("/v1/score", json=ROUND, headers={"Accept": "*/*"})
    assert response.content_type == "application/json"


@st.composite
def deals(draw: st.DrawFn) -> dict[str, Any]:
    """Two to four players with cards of one deck, in any arrangement, under any rule set."""
    ruleset = draw(st.sampled_from(RULESETS))
    players = draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=4, unique=True))
    cards = draw(st.permutations(DECK))
    seats = []
    for place, player in enumerate(players):
        hand = cards[place * 13 : place * 13 + 13]
        seats.append({"player": player, "top": hand[:3], "middle": hand[3:8], "bottom": hand[8:]})
    document: dict[str, Any] = {"ruleset": ruleset, "seats": seats}
    if ruleset != "gratis" and draw(st.booleans()):
        document["stake"] = draw(st.integers(1, 10**12))
    return document


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=deals())
def test_any_deal_is_scored_and_adds_up(client: FlaskClient, document: dict[str, Any]) -> None:
    result = score(client, document)
    players = [seat["player"] for seat in document["seats"]]
    assert [seat["player"] for seat in result["seats"]] == players
    assert [tuple(duel["players"]) for duel in result["duels"]] == list(
        itertools.combinations(players, 2)
    )
    if document["ruleset"] == "gratis":
        return
    points = {seat["player"]: seat["points"] for seat in result["seats"]}
    assert sum(points.values()) == 0
    for duel in result["duels"]:
        check_duel(duel)
        for player, got in zip(duel["players"], duel["points"], strict=True):
            points[player] -= got
    assert not any(points.values())
    if "stake" in document:
        money = [seat["money"] for seat in result["seats"]]
        assert [m["won"] for m in money] == [s["points"] * document["stake"] for s in result["seats"]]
        assert sum(m["net"] + m["fee"] for m in money) == 0


def check_duel(duel: dict[str, Any]) -> None:
    """Redo a duel's sum from its own members, as a reader would."""
    first, second = duel["points"]
    assert first == -second
    winner = None if first == 0 else duel["players"][0 if first > 0 else 1]
    assert duel["winner"] == winner
    if duel["rows"] is None or winner is None:
        return
    rows = sum(
        row["points"] if row["winner"] == winner else -row["points"]
        for row in duel["rows"].values()
        if row["winner"] is not None
    )
    assert abs(first) == duel["factor"] * rows + duel["bonus"]


# --- checking an arrangement -------------------------------------------------------------------------


def check(client: FlaskClient, document: Any) -> dict[str, Any]:
    response = client.post("/v1/arrangements/check", json=document)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.get_json()
    return answer


def test_an_arrangement_in_order(client: FlaskClient, stored: Any) -> None:
    answer = check(client, {"seat": ANDI})
    assert answer["ruleset"] == {"id": "bsfyi", "version": 1}
    assert (answer["in_order"], answer["foul"], answer["specials"]) == (True, None, [])
    assert [answer["rows"][row]["hand"] for row in ROWS] == ["pair", "full_house", "four_of_a_kind"]
    assert [answer["rows"][row]["cards"] for row in ROWS] == [ANDI[row] for row in ROWS]
    assert stored() == 0


FOULS = {
    "top over middle": ("As Ah 2d / Ks Kh 5c 4d 2c / 8s 8h 8d 6s 6h", "top_over_middle"),
    "middle over bottom": ("Qs 9d 3c / 8s 8h 8d 6s 6h / Ks Kh 5c 4d 2c", "middle_over_bottom"),
    "both": ("As Ah 2d / Ks Kh 5c 4d 2c / Qs Jd 8d 6s 4h", "both"),
}


@pytest.mark.parametrize(("rows", "code"), FOULS.values(), ids=FOULS)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_an_arrangement_out_of_order(client: FlaskClient, ruleset: str, rows: str, code: str) -> None:
    seat = {key: value for key, value in table(x=rows)["seats"][0].items() if key != "player"}
    answer = check(client, {"ruleset": ruleset, "seat": seat})
    assert answer["in_order"] is False
    assert answer["foul"]["code"] == code and answer["foul"]["detail"]


def test_suits_make_a_foul_under_panduan_alone(client: FlaskClient) -> None:
    seat = {"top": "2d 3c 5d", "middle": "As Qs 9s 7s 5s", "bottom": "Ah Qh 9h 7h 6h"}
    for ruleset, in_order in [("bsfyi", True), ("gratis", True), ("panduan", False)]:
        assert check(client, {"ruleset": ruleset, "seat": seat})["in_order"] is in_order


def test_bare_cards_have_no_order_but_may_form_specials(client: FlaskClient) -> None:
    answer = check(client, {"seat": {"cards": DRAGON}})
    assert answer["rows"] is answer["in_order"] is answer["foul"] is None
    assert answer["specials"] == [
        {"name": "dragon", "points": 13},
        {"name": "three_straights", "points": 3},
    ]
    assert check(client, {"ruleset": "gratis", "seat": {"cards": DRAGON}})["specials"] == []


def test_specials_are_named_high_to_low_declared_or_not(client: FlaskClient) -> None:
    seat = {"top": "2s 2h 8s", "middle": "3s 3h 4s 4h 5s", "bottom": "6s 6h 7s 7h 5h"}
    for extra in ({}, {"declare": "six_pairs"}, {"player": "andi"}):
        answer = check(client, {"seat": {**seat, **extra}})
        assert answer["specials"] == [{"name": "six_pairs", "points": 3}]
        assert answer["in_order"] is True


def test_a_disorder_counts_though_a_special_would_be_declared(client: FlaskClient) -> None:
    """Checked is the arrangement; in a round, a declared special would outdo its foul."""
    seat = {"top": "8s 7s 7h", "middle": "6s 6h 5s 5h 4s", "bottom": "2s 2h 3s 3h 4h"}
    answer = check(client, {"seat": {**seat, "declare": "six_pairs"}})
    assert answer["foul"]["code"] == "middle_over_bottom"
