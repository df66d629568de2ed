"""The shape of results, as the wire has it: what :func:`service.rules.scoring.score` answers."""

from typing import Any, NotRequired, TypedDict

from service.rules.money import Money


class RowRead(TypedDict):
    """A row as it was read: canonical cards, the hand they make and its label."""

    cards: list[str]
    hand: str
    label: str


class FoulFound(TypedDict):
    """Why an arrangement is not in order."""

    code: str
    detail: str


class SpecialTaken(TypedDict):
    """A special that counts, what each opponent pays for it, and whether it had been declared."""

    name: str
    points: int
    declared: bool


class SeatResult(TypedDict):
    """One player's round. ``points`` is null under a rule set without points."""

    player: str
    rows: dict[str, RowRead] | None
    foul: FoulFound | None
    special: SpecialTaken | None
    could_declare: list[str]
    sweeps: int
    clean_sweep: bool
    points: int | None
    money: NotRequired[Money]


class RowDuel(TypedDict):
    """One row of a duel; ``points`` are what its winner gets before the duel's factor."""

    winner: str | None
    points: int | None
    decided_by: str


class Duel(TypedDict):
    """Two players settled; the winner's points are factor x (row points won - lost) + bonus."""

    players: list[str]
    outcome: str
    winner: str | None
    rows: dict[str, RowDuel] | None
    factor: int | None
    bonus: int | None
    points: list[int] | None


class RoundResult(TypedDict):
    """A scored round."""

    ruleset: dict[str, Any]
    stake: NotRequired[int]
    seats: list[SeatResult]
    duels: list[Duel]
