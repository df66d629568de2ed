"""A request for every call with a body, for the OpenAPI document: to read, and to try as it stands."""

from collections.abc import Mapping
from typing import Any

from service.example import ROUND

_SEATS = ROUND["seats"]

#: By the name of the call. Those of matches and rounds fit a match of these two players, those of
#: tournaments the tournament that is opened here.
EXAMPLES: Mapping[str, Any] = {
    "score": ROUND,
    "check_arrangement": {
        "ruleset": "bsfyi",
        "seat": {"top": "Ks Kh 2d", "middle": "9s 9h 9d 4c 4s", "bottom": "As Ac Ad Ah 3c"},
    },
    "suggest_arrangements": {
        "ruleset": "bsfyi",
        "cards": "Kd Jh Jc 9s 9d 8s 8d 7d 6c 5h 3h 2d 2c",
        "limit": 3,
        "opponents": 3,
        "seed": 7,
    },
    "post_ruleset": {
        "id": "meja-9",
        "title": "Meja 9",
        "base": "bsfyi",
        "points": {"row": 2},
        "clean_sweep": None,
    },
    "open_match": {
        "players": [seat["player"] for seat in _SEATS],
        "ruleset": "panduan",
        "rounds": 10,
        "stake": 500,
        "label": "Jumat malam",
    },
    "post_match_round": {"number": 1, "seats": _SEATS},
    "finish_match": {"reason": "closing time"},
    "adjust_match": {"player": "budi", "points": -5, "reason": "late"},
    "post_round": {**ROUND, "stake": 500},
    "correct_round": {
        "reason": "the two had been swapped",
        "seats": [
            {**cards, "player": seat["player"]}
            for seat, cards in zip(_SEATS, reversed(_SEATS), strict=True)
        ],
    },
    "void_round": {"reason": "misdeal"},
    "open_tournament": {
        "name": "Piala Jumat",
        "ruleset": "bsfyi",
        "players": ["andi", "budi", "citra", "dewi"],
        "table_size": 4,
        "stages": 2,
        "rounds": 5,
        "seating": "random",
    },
    "enter_players": {"players": ["eka", "fajar"], "reason": "came late"},
    "withdraw_player": {"player": "budi", "reason": "went home"},
    "seat_stage": {"tables": [["andi", "budi", "citra", "dewi"]]},
    "adjust_tournament": {"player": "budi", "points": -5, "reason": "late"},
    "finish_tournament": {"reason": "closing time"},
}

#: The lines of bodies that have many, by the name of the call.
EXAMPLE_LINES: Mapping[str, list[Any]] = {
    "score": [ROUND, {**ROUND, "ruleset": "panduan", "stake": 500}],
    "import_matches": [
        {
            "key": "2019-12-31/1",
            "players": [seat["player"] for seat in _SEATS],
            "ruleset": "panduan",
            "stake": 500,
            "label": "31 December 2019",
            "rounds": [{"seats": _SEATS}, {"seats": _SEATS}],
        },
        {
            "key": "2020-01-03/1",
            "players": ["andi", "budi"],
            "planned": 10,
            "rounds": [{"seats": _SEATS}],
        },
    ],
}
