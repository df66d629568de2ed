"""Prizes by place, in whole units, of which nothing is lost."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter


def share(placed: Iterable[tuple[int, str]], prizes: Sequence[int], seed: int) -> dict[str, int]:
    """Who gets what, from places (best first, shared ones repeated) with their players.

    Those who share a place share the prizes of all places that they take up, in equal whole parts.
    The units that are left over have no better claimant, so they are drawn: one each to those whose
    SHA-256 of the text ``seed:prize:player`` is lowest. Prizes of places that nobody has are not given.
    """
    won: dict[str, int] = {}
    for place, sharing in groupby(placed, key=itemgetter(0)):
        if place > len(prizes):
            break
        players = sorted((player for _, player in sharing), key=lambda player: _drawn(seed, player))
        each, left = divmod(sum(prizes[place - 1 : place - 1 + len(players)]), len(players))
        for number, player in enumerate(players):
            won[player] = each + (number < left)
    return won


def _drawn(seed: int, player: str) -> bytes:
    return sha256(f"{seed}:prize:{player}".encode()).digest()
