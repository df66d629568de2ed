"""Scores a round, literally as the rules are written: slow, obvious, and on its own."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from .hands import Card, Hand, compare, out_of_order, read_cards, read_hand
from .specials import POINTS, SPECIALS, formed

ROWS = ("top", "middle", "bottom")
BONUS = {
    "top": {"three_of_a_kind": 5},
    "middle": {"full_house": 3, "four_of_a_kind": 14, "straight_flush": 18, "royal_flush": 22},
    "bottom": {"four_of_a_kind": 7, "straight_flush": 9, "royal_flush": 11},
}
# The least number of opponents that a clean sweep takes.
CLEAN_SWEEP_FROM = {"bsfyi": 2, "panduan": 3}
FEE_BASIS_POINTS = {"bsfyi": 0, "panduan": 300}


@dataclass
class Seat:
    """One player's cards, as read."""

    player: str
    cards: list[Card]
    rows: dict[str, list[Card]] | None
    hands: dict[str, Hand]
    special: str | None
    declared: bool
    could_declare: list[str]
    foul: str | None


def ruleset_of(request: dict[str, Any]) -> str:
    """The rule set's own name, whatever way the request calls it."""
    given = request.get("ruleset", "bsfyi")
    name = given["id"] if isinstance(given, dict) else given
    return "panduan" if name == "toto" else name


def foul_of(hands: dict[str, Hand], ruleset: str) -> str | None:
    """The code of the foul that three rows make, or None when they are in order."""
    middle_over_bottom = out_of_order(hands["bottom"], hands["middle"], ruleset)
    top_over_middle = out_of_order(hands["middle"], hands["top"], ruleset)
    if middle_over_bottom and top_over_middle:
        return "both"
    if middle_over_bottom:
        return "middle_over_bottom"
    if top_over_middle:
        return "top_over_middle"
    return None


def read_seat(given: dict[str, Any], ruleset: str) -> Seat:
    """Read one seat of a request."""
    rows = None
    if given.get("top") is not None:
        rows = {row: read_cards(given[row]) for row in ROWS}
        cards = [card for row in ROWS for card in rows[row]]
    else:
        cards = read_cards(given["cards"])
    hands = {row: read_hand(rows[row]) for row in ROWS} if rows else {}
    specials = formed(cards, ruleset)
    declared = given.get("declare")
    special = declared
    if ruleset == "panduan" and "dragon" in specials:
        special = "dragon"  # found whether declared or not
    return Seat(
        player=given["player"],
        cards=cards,
        rows=rows,
        hands=hands,
        special=special,
        declared=declared is not None,
        could_declare=[name for name in specials if name != special],
        foul=None if special else foul_of(hands, ruleset),
    )


def swept(one: Seat, other: Seat, ruleset: str) -> bool:
    """Whether `one` has swept `other`."""
    if one.special or other.special or one.foul:
        return False
    if other.foul:
        return True
    return all(compare(one.hands[row], other.hands[row], ruleset)[0] > 0 for row in ROWS)


def row_value(seat: Seat, row: str) -> int:
    """What a won row is worth: its bonus instead of the 1."""
    return BONUS[row].get(seat.hands[row].name, 1)


def row_bonuses(seat: Seat) -> int:
    """The sum of the bonuses of a player's three rows."""
    return sum(BONUS[row].get(seat.hands[row].name, 0) for row in ROWS)


def compare_rows(one: Seat, other: Seat, ruleset: str) -> dict[str, dict[str, Any]]:
    """Who wins each row, at its full value, and by what."""
    rows = {}
    for row in ROWS:
        sign, decided_by = compare(one.hands[row], other.hands[row], ruleset)
        winner = one if sign > 0 else other if sign < 0 else None
        rows[row] = {
            "winner": winner.player if winner else None,
            "points": row_value(winner, row) if winner else 0,
            "decided_by": decided_by,
        }
    return rows


def foul_rows(winner: Seat, points: dict[str, int | None]) -> dict[str, dict[str, Any]]:
    """All three rows, lost by foul."""
    return {row: {"winner": winner.player, "points": points[row], "decided_by": "foul"} for row in ROWS}


def answer(
    one: Seat,
    other: Seat,
    outcome: str,
    rows: dict[str, dict[str, Any]] | None,
    factor: int,
    bonus: int,
    gain: int,
) -> dict[str, Any]:
    """A duel's result; `gain` is what `one` got."""
    winner = one.player if gain > 0 else other.player if gain < 0 else None
    return {
        "players": [one.player, other.player],
        "outcome": outcome,
        "winner": winner,
        "rows": rows,
        "factor": factor,
        "bonus": bonus,
        "points": [gain, -gain],
    }


def special_duel(one: Seat, other: Seat, ruleset: str) -> dict[str, Any]:
    """A duel in which at least one player has a special that counts."""

    def height(seat: Seat) -> int:
        return len(SPECIALS) - SPECIALS.index(seat.special) if seat.special else 0

    if height(one) == height(other):
        return answer(one, other, "special_tie", None, 1, 0, 0)
    if height(one) > height(other):
        gain = POINTS[ruleset][str(one.special)]
    else:
        gain = -POINTS[ruleset][str(other.special)]
    return answer(one, other, "special", None, 1, 0, gain)


def bsfyi_duel(one: Seat, other: Seat, clean: list[str]) -> dict[str, Any]:
    """A duel without specials under bsfyi; `clean` names who has a clean sweep."""
    if one.foul and other.foul:
        return answer(one, other, "both_foul", None, 1, 0, 0)
    if one.foul or other.foul:
        winner = other if one.foul else one
        rows = foul_rows(winner, {row: row_value(winner, row) for row in ROWS})
        factor = 4 if winner.player in clean else 2
        gain = factor * sum(row_value(winner, row) for row in ROWS)
        return answer(one, other, "foul", rows, factor, 0, gain if winner is one else -gain)
    rows = compare_rows(one, other, "bsfyi")
    gain = 0
    for row in rows.values():
        gain += row["points"] if row["winner"] == one.player else -row["points"]
    outcome, factor = "rows", 1
    for seat, against in ((one, other), (other, one)):
        if swept(seat, against, "bsfyi"):
            clean_one = seat.player in clean
            outcome, factor = ("clean_sweep", 4) if clean_one else ("sweep", 2)
    return answer(one, other, outcome, rows, factor, 0, gain * factor)


def panduan_duel(one: Seat, other: Seat, clean: list[str]) -> dict[str, Any]:
    """A duel without specials under panduan; `clean` names who has a clean sweep."""
    if one.foul and other.foul:
        return answer(one, other, "both_foul", None, 1, 0, 0)
    if one.foul or other.foul:
        winner = other if one.foul else one
        rows = foul_rows(winner, dict.fromkeys(ROWS, 1))
        bonus = row_bonuses(winner)
        gain = 3 * 4 + bonus
        return answer(one, other, "foul", rows, 4, bonus, gain if winner is one else -gain)
    rows = compare_rows(one, other, "panduan")
    for winner, loser, sign in ((one, other, 1), (other, one, -1)):
        if swept(winner, loser, "panduan"):
            for row in rows.values():
                row["points"] = 1
            clean_one = winner.player in clean
            outcome, factor = ("clean_sweep", 4) if clean_one else ("sweep", 2)
            bonus = row_bonuses(winner)
            return answer(one, other, outcome, rows, factor, bonus, sign * (3 * factor + bonus))
    gain = 0
    for row in rows.values():
        gain += row["points"] if row["winner"] == one.player else -row["points"]
    return answer(one, other, "rows", rows, 1, 0, gain)


def gratis_duel(one: Seat, other: Seat) -> dict[str, Any]:
    """A duel under gratis: who wins what, and no points anywhere."""
    if one.foul and other.foul:
        outcome, rows = "both_foul", None
    elif one.foul or other.foul:
        outcome = "foul"
        rows = foul_rows(other if one.foul else one, dict.fromkeys(ROWS))
    else:
        outcome, rows = "rows", compare_rows(one, other, "gratis")
        for row in rows.values():
            row["points"] = None
    return {
        "players": [one.player, other.player],
        "outcome": outcome,
        "winner": None,
        "rows": rows,
        "factor": None,
        "bonus": None,
        "points": None,
    }


def money_of(points: int, stake: int, ruleset: str) -> dict[str, int]:
    """What a seat won or lost in money, the room's fee, and what is left."""
    won = points * stake
    fee = won * FEE_BASIS_POINTS[ruleset] // 10_000 if won > 0 else 0
    return {"won": won, "fee": fee, "net": won - fee}


def duel_of(one: Seat, other: Seat, ruleset: str, clean: list[str]) -> dict[str, Any]:
    """The result of one duel; `clean` names who has a clean sweep."""
    if ruleset == "gratis":
        return gratis_duel(one, other)
    if one.special or other.special:
        return special_duel(one, other, ruleset)
    if ruleset == "bsfyi":
        return bsfyi_duel(one, other, clean)
    return panduan_duel(one, other, clean)


def points_of(player: str, duels: list[dict[str, Any]]) -> int:
    """What a player got from all duels together."""
    total = 0
    for duel in duels:
        if player in duel["players"]:
            total += duel["points"][duel["players"].index(player)]
    return total


def rows_of(seat: Seat) -> dict[str, dict[str, Any]] | None:
    """A seat's rows as shown, or None if it gave none."""
    if not seat.rows:
        return None
    return {
        row: {"cards": [str(card) for card in seat.rows[row]], "hand": seat.hands[row].name}
        for row in ROWS
    }


def special_of(seat: Seat, ruleset: str) -> dict[str, Any] | None:
    """A seat's special that counts, as shown."""
    if not seat.special:
        return None
    points = POINTS[ruleset][seat.special]
    return {"name": seat.special, "points": points, "declared": seat.declared}


def score(request: dict[str, Any]) -> dict[str, Any]:
    """Score a valid round: its seats and its duels, in the shape of the wire, without texts."""
    ruleset = ruleset_of(request)
    seats = [read_seat(given, ruleset) for given in request["seats"]]

    sweeps = {seat.player: 0 for seat in seats}
    clean: list[str] = []
    if ruleset != "gratis":
        for seat in seats:
            others = [other for other in seats if other is not seat]
            sweeps[seat.player] = sum(swept(seat, other, ruleset) for other in others)
            if sweeps[seat.player] == len(others) >= CLEAN_SWEEP_FROM[ruleset]:
                clean.append(seat.player)

    duels = [duel_of(one, other, ruleset, clean) for one, other in combinations(seats, 2)]

    results = []
    for seat in seats:
        points = None if ruleset == "gratis" else points_of(seat.player, duels)
        result = {
            "player": seat.player,
            "rows": rows_of(seat),
            "foul": {"code": seat.foul} if seat.foul else None,
            "special": special_of(seat, ruleset),
            "could_declare": seat.could_declare,
            "sweeps": sweeps[seat.player],
            "clean_sweep": seat.player in clean,
            "points": points,
        }
        if request.get("stake") is not None and points is not None:
            result["money"] = money_of(points, request["stake"], ruleset)
        results.append(result)
    return {"seats": results, "duels": duels}
