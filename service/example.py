"""A whole round of two players, for the first request that a new user sends."""

from typing import Any

ROUND: dict[str, Any] = {
    "ruleset": "bsfyi",
    "seats": [
        {
            "player": "andi",
            "top": "Ks Kh 2d",
            "middle": "9s 9h 9d 4c 4s",
            "bottom": "As Ac Ad Ah 3c",
        },
        {
            "player": "budi",
            "top": "Qs Qh 5d",
            "middle": "8s 8h 8d 7c 7s",
            "bottom": "Tc Td Th Jc Js",
        },
    ],
}
"""andi wins all rows, a full house in the middle and four aces at the bottom: 2 × (1 + 3 + 7)."""

POINTS = {"andi": 22, "budi": -22}
"""What the round is worth to each player."""
