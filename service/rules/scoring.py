"""A round scored: duels settled and points added up, each so that it can be redone by hand."""

from collections.abc import Sequence

from service.rules.cards import ROWS
from service.rules.labels import Words
from service.rules.money import settle
from service.rules.reading import Hand, Seat
from service.rules.results import Duel, RoundResult, RowDuel, SeatResult, SpecialTaken
from service.rules.ruleset import CleanSweep, RuleSet, Sweep
from service.rules.tables import DECIDED_BY, Tables

_UNSWEPT = Sweep(factor=1)


def score(ruleset: RuleSet, seats: Sequence[Seat], stake: int | None, words: Words) -> RoundResult:
    """Score a round of 2 to 4 seats whose cards are all different and whose declarations are true.

    ``stake`` is in whole units a point, and needs a rule set with points. Labels and details are in
    the language of ``words``. Points add up to zero.
    """
    tables = ruleset.tables
    hands = [Hand(tables, seat, words) for seat in seats]
    if tables.sweep is not None:
        _count_sweeps(tables, hands)
    duels = []
    for place, a in enumerate(hands, 1):
        for b in hands[place:]:
            if a.plain and b.plain:
                duels.append(_rows_duel(ruleset, tables, a, b))
            else:
                duels.append(_irregular_duel(ruleset, a, b))
    result: RoundResult = {
        "ruleset": {"id": ruleset.id, "version": ruleset.version},
        "seats": [_show(ruleset, tables, hand, stake, words) for hand in hands],
        "duels": duels,
    }
    if stake is not None:
        result["stake"] = stake
    return result


def _count_sweeps(tables: Tables, hands: list[Hand]) -> None:
    """Note who swept whom: what sweeps and fouls pay depends on it."""
    for place, a in enumerate(hands, 1):
        for b in hands[place:]:
            if a.plain and b.plain:
                (a_top, a_middle, a_bottom), (top, middle, bottom) = a.strengths, b.strengths
                if a_top > top:
                    if a_middle > middle and a_bottom > bottom:
                        a.sweeps += 1
                elif a_top < top and a_middle < middle and a_bottom < bottom:
                    b.sweeps += 1
            elif a.plain and b.foul:
                a.sweeps += 1
            elif a.foul and b.plain:
                b.sweeps += 1
    opponents = len(hands) - 1
    if tables.clean_sweep is not None and opponents >= tables.clean_sweep.opponents:
        for hand in hands:
            hand.clean_sweep = hand.sweeps == opponents


def _irregular_duel(ruleset: RuleSet, a: Hand, b: Hand) -> Duel:
    """Settle a duel in which a foul or a special takes part."""
    if a.special is not None or b.special is not None:
        outcome, balance = _special(ruleset, a, b)
        return _book(ruleset.tables, a, b, outcome, None, 1, balance, 0)
    if a.foul and b.foul:
        return _book(ruleset.tables, a, b, "both_foul", None, 1, 0, 0)
    return _foul_duel(ruleset, a, b)


def _book(
    tables: Tables,
    a: Hand,
    b: Hand,
    outcome: str,
    rows: dict[str, RowDuel] | None,
    factor: int,
    balance: int,
    bonus: int,
) -> Duel:
    """Book a duel on both hands, and shape it.

    ``balance`` (the points of the rows) and ``bonus`` are as the first player sees them.
    """
    points = factor * balance + bonus
    a.points += points
    b.points -= points
    duel: Duel = {
        "players": [a.player, b.player],
        "outcome": outcome,
        "winner": (a.player if points > 0 else b.player) if points else None,
        "rows": rows,
        "factor": factor,
        "bonus": bonus if points >= 0 else -bonus,
        "points": [points, -points],
    }
    return duel if tables.has_points else _without_points(duel)


def _rows_duel(ruleset: RuleSet, tables: Tables, a: Hand, b: Hand) -> Duel:
    """Compare row by row; written out rather than looped, which would take half as long again."""
    (a_top, a_middle, a_bottom), (b_top, b_middle, b_bottom) = a.strengths, b.strengths
    (top, middle, bottom), (b_top_worth, b_middle_worth, b_bottom_worth) = a.worth, b.worth
    a_player, b_player = a.player, b.player
    top_winner: str | None
    middle_winner: str | None
    bottom_winner: str | None
    if a_top > b_top:
        top_winner, lead, balance = a_player, 1, top
    elif a_top < b_top:
        top_winner, top, lead, balance = b_player, b_top_worth, -1, -b_top_worth
    else:
        top_winner, top, lead, balance = None, 0, 0, 0
    if a_middle > b_middle:
        middle_winner, lead, balance = a_player, lead + 1, balance + middle
    elif a_middle < b_middle:
        middle_winner, middle, lead = b_player, b_middle_worth, lead - 1
        balance -= middle
    else:
        middle_winner, middle = None, 0
    if a_bottom > b_bottom:
        bottom_winner, lead, balance = a_player, lead + 1, balance + bottom
    elif a_bottom < b_bottom:
        bottom_winner, bottom, lead = b_player, b_bottom_worth, lead - 1
        balance -= bottom
    else:
        bottom_winner, bottom = None, 0
    by = DECIDED_BY
    top_by, middle_by = by[(a_top ^ b_top).bit_length()], by[(a_middle ^ b_middle).bit_length()]
    bottom_by = by[(a_bottom ^ b_bottom).bit_length()]
    rows: dict[str, RowDuel] = {
        "top": {"winner": top_winner, "points": top, "decided_by": top_by},
        "middle": {"winner": middle_winner, "points": middle, "decided_by": middle_by},
        "bottom": {"winner": bottom_winner, "points": bottom, "decided_by": bottom_by},
    }
    if tables.sweep is not None and (lead == 3 or lead == -3):  # noqa: PLR1714 (hot)
        return _sweep_duel(ruleset, a, b, rows, lead)
    if tables.extras or not tables.has_points:
        return _book(tables, a, b, "rows", rows, 1, balance, _extras(ruleset, a, b, lead))
    a.points += balance
    b.points -= balance
    return {
        "players": [a_player, b_player],
        "outcome": "rows",
        "winner": (a_player if balance > 0 else b_player) if balance else None,
        "rows": rows,
        "factor": 1,
        "bonus": 0,
        "points": [balance, -balance],
    }


def _sweep_duel(ruleset: RuleSet, a: Hand, b: Hand, rows: dict[str, RowDuel], lead: int) -> Duel:
    winner, loser, sign = (a, b, 1) if lead > 0 else (b, a, -1)
    worth = ruleset.tables.swept_worth_of(winner.kinds)
    for won, points in zip(rows.values(), worth, strict=True):
        won["points"] = points
    sweep = (ruleset.clean_sweep if winner.clean_sweep else ruleset.sweep) or _UNSWEPT
    bonus = _swept_bonus(ruleset, winner, loser, sweep)
    outcome = "clean_sweep" if winner.clean_sweep else "sweep"
    return _book(ruleset.tables, a, b, outcome, rows, sweep.factor, sign * sum(worth), sign * bonus)


def _foul_duel(ruleset: RuleSet, a: Hand, b: Hand) -> Duel:
    winner, sign = (b, -1) if a.foul else (a, 1)
    foul, factor, bonus = ruleset.foul, 1, 0
    worth: Sequence[int] = (0, 0, 0)
    if foul is not None and foul.pays == "points":
        bonus = foul.points + (_bonus(ruleset, winner) if foul.bonuses else 0)
    elif foul is not None:
        clean = foul.pays == "clean_sweep" or winner.clean_sweep
        sweep = (ruleset.clean_sweep if clean else ruleset.sweep) or _UNSWEPT
        factor, bonus = sweep.factor, _swept_bonus(ruleset, winner, None, sweep)
        worth = ruleset.tables.swept_worth_of(winner.kinds)
    rows: dict[str, RowDuel] = {
        row: {"winner": winner.player, "points": points, "decided_by": "foul"}
        for row, points in zip(ROWS, worth, strict=True)
    }
    return _book(ruleset.tables, a, b, "foul", rows, factor, sign * sum(worth), sign * bonus)


def _swept_bonus(ruleset: RuleSet, winner: Hand, loser: Hand | None, sweep: Sweep | CleanSweep) -> int:
    """What is added after the factor of a swept duel; ``loser`` is None after a foul."""
    bonus = sweep.points + ruleset.most_rows
    if ruleset.bonuses == "always":
        difference = _bonus(ruleset, winner) - (_bonus(ruleset, loser) if loser else 0)
        return bonus + difference * (sweep.factor if ruleset.factors == "all" else 1)
    return bonus + (_bonus(ruleset, winner) if ruleset.factors == "rows" else 0)


def _bonus(ruleset: RuleSet, hand: Hand) -> int:
    """The bonuses of a hand's three rows together, won or not."""
    return sum([of[kind] for of, kind in zip(ruleset.tables.bonus, hand.kinds, strict=True)])


def _extras(ruleset: RuleSet, a: Hand, b: Hand, lead: int) -> int:
    """What rule sets add to an ordinary duel: for the most rows, and bonuses that are always paid."""
    extras = ruleset.most_rows * ((lead > 0) - (lead < 0))
    if ruleset.bonuses == "always":
        extras += _bonus(ruleset, a) - _bonus(ruleset, b)
    return extras


def _special(ruleset: RuleSet, a: Hand, b: Hand) -> tuple[str, int]:
    """Outcome and points (as the first player sees them) where at least one special counts."""
    sign = _special_order(ruleset, a, b)
    if sign == 0:
        return "special_tie", 0
    special = a.special if sign > 0 else b.special
    assert special is not None
    return "special", sign * ruleset.specials[special].points


def _special_order(ruleset: RuleSet, a: Hand, b: Hand) -> int:
    """1 if the first player's special is the higher, -1 if the second's is, 0 if they tie."""
    if a.special is None or b.special is None:
        return 1 if b.special is None else -1
    if a.special != b.special:
        return 1 if a.special < b.special else -1
    if ruleset.equal_specials == "tie":
        return 0
    a_ranks, b_ranks = _ranks_high_to_low(a.seat), _ranks_high_to_low(b.seat)
    return (a_ranks > b_ranks) - (a_ranks < b_ranks)


def _ranks_high_to_low(seat: Seat) -> list[int]:
    return sorted((card // 4 for card in seat.cards), reverse=True)


def _without_points(duel: Duel) -> Duel:
    """A duel under a rule set that knows who wins a row but gives no points."""
    rows = duel["rows"] and {row: {**won, "points": None} for row, won in duel["rows"].items()}
    return {**duel, "winner": None, "rows": rows, "factor": None, "bonus": None, "points": None}


def _show(ruleset: RuleSet, tables: Tables, hand: Hand, stake: int | None, words: Words) -> SeatResult:
    """A seat's part of the result, once all duels are booked."""
    result: SeatResult = {
        "player": hand.player,
        "rows": hand.rows,
        "foul": {"code": hand.foul, "detail": words.fouls[hand.foul]} if hand.foul else None,
        "special": _show_special(ruleset, hand) if hand.special is not None else None,
        "could_declare": _could_declare(ruleset, hand) if hand.formed else [],
        "sweeps": hand.sweeps,
        "clean_sweep": hand.clean_sweep,
        "points": hand.points if tables.has_points else None,
    }
    if stake is not None:
        result["money"] = settle(hand.points, stake, ruleset.fee)
    return result


def _show_special(ruleset: RuleSet, hand: Hand) -> SpecialTaken:
    assert hand.special is not None
    special = ruleset.specials[hand.special]
    declared = special.name == hand.seat.declare
    return {"name": special.name, "points": special.points, "declared": declared}


def _could_declare(ruleset: RuleSet, hand: Hand) -> list[str]:
    """Specials that the cards form and that were not declared, where declaring is what counts."""
    if not ruleset.declared:
        return []
    return [ruleset.specials[place].name for place in hand.formed if place != hand.special]
