"""Results, as the wire has them: what :func:`service.rules.scoring.score` answers, and its JSON.

Structs take half the time of dictionaries to make. None is part of a cycle, so that the garbage
collector need not look at them.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from service.rules.money import Money


class RuleSetNamed(Struct, gc=False):
    """The rule set that a round was scored under."""

    id: str
    version: int


class RowRead(Struct, gc=False):
    """A row as it was read: canonical cards, the hand they make and its label."""

    cards: tuple[str, ...]
    hand: str
    label: str | UnsetType = UNSET


class RowsRead(Struct, gc=False):
    """The rows of a seat."""

    top: RowRead
    middle: RowRead
    bottom: RowRead


class FoulFound(Struct, gc=False):
    """Why an arrangement is not in order."""

    code: str
    detail: str | UnsetType = UNSET


class SpecialTaken(Struct, gc=False):
    """A special that counts, what each opponent pays for it, and whether it had been declared."""

    name: str
    points: int
    declared: bool


class SeatResult(Struct, gc=False):
    """One player's round. ``points`` is null under a rule set without points."""

    player: str
    rows: RowsRead | None
    foul: FoulFound | None = None
    special: SpecialTaken | None = None
    could_declare: tuple[str, ...] = ()
    sweeps: int = 0
    clean_sweep: bool = False
    points: int | None = None
    money: Money | UnsetType = UNSET


class RowDuel(Struct, gc=False):
    """One row of a duel; ``points`` are what its winner gets before the duel's factor."""

    winner: str | None
    points: int | None
    decided_by: str


class RowDuels(Struct, gc=False):
    """The rows of a duel."""

    top: RowDuel
    middle: RowDuel
    bottom: RowDuel


class Duel(Struct, gc=False):
    """Two players settled; the winner's points are factor x (row points won - lost) + bonus."""

    players: tuple[str, str]
    outcome: str
    winner: str | None
    rows: RowDuels | None
    factor: int | None
    bonus: int | None
    points: tuple[int, int] | None


class RoundResult(Struct, gc=False):
    """A scored round."""

    ruleset: RuleSetNamed
    seats: list[SeatResult]
    duels: list[Duel]
    stake: int | UnsetType = UNSET


#: A result, or a part of one, as JSON.
write = msgspec.json.Encoder().encode
#: The same as canonical JSON (RFC 8785).
write_canonical = msgspec.json.Encoder(order="sorted").encode


def read(document: Any) -> RoundResult:
    """A result from its document, with or without texts; ``ValueError`` if it is none."""
    try:
        return msgspec.convert(document, RoundResult)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def show(part: Struct | None) -> Any:
    """A result, or a part of one that may not be there, as the document that its JSON says."""
    return msgspec.json.decode(write(part))


def without_texts(result: RoundResult) -> RoundResult:
    """A result without the members that are only words."""
    seats = []
    for seat in result.seats:
        rows, foul = seat.rows, seat.foul
        if rows is not None:
            top, middle, bottom = rows.top, rows.middle, rows.bottom
            rows = RowsRead(
                RowRead(top.cards, top.hand),
                RowRead(middle.cards, middle.hand),
                RowRead(bottom.cards, bottom.hand),
            )
        bare = SeatResult(
            *(seat.player, rows, foul and FoulFound(foul.code), seat.special, seat.could_declare),
            *(seat.sweeps, seat.clean_sweep, seat.points, seat.money),
        )
        seats.append(bare)
    return RoundResult(result.ruleset, seats, result.duels, result.stake)
