"""Money: points times a stake, less the room's fee. Whole units only, no floats."""

from msgspec import Struct

_BASIS_POINTS = 10_000


class Money(Struct, gc=False):
    """What a player won (or lost), pays as a fee, and is left with; whole units."""

    won: int
    fee: int
    net: int


def settle(points: int, stake: int, fee_basis_points: int) -> Money:
    """Turn a player's points of a round into money.

    The fee is taken from a positive total only, and rounded down to a whole unit. Since points add up
    to zero over a round, net amounts and fees together do too.
    """
    won = points * stake
    fee = won * fee_basis_points // _BASIS_POINTS if won > 0 else 0
    return Money(won, fee, won - fee)
