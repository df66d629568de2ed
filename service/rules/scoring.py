"""A round scored: duels settled and points added up, each so that it can be redone by hand."""

from collections.abc import Sequence

from msgspec import UNSET

from service.rules.labels import Words
from service.rules.money import settle
from service.rules.reading import Hand, Seat, take_up
from service.rules.results import Duel, RoundResult, RowDuel, RowDuels, RuleSetNamed
from service.rules.ruleset import RuleSet, Sweep
from service.rules.tables import DECIDED_BY, HAND_BIT, Tables

#: For three rows that a foul loses where the rule set knows no sweep.
_UNSWEPT = Sweep(factor=1)

#: In place of a duel that waits.
_TO_COME = Duel(("", ""), "", None, None, None, None, None)

#: A duel that waits until all sweeps are known: its place, the two hands, their rows if they were
#: compared and the points that the first leads by in them, and who sweeps.
_Waiting = tuple[int, Hand, Hand, RowDuels | None, int, Hand | None]

#: A sweep in rows that were compared: its place, the two hands, the points that the first leads by in
#: rows, and who sweeps.
_Swept = tuple[int, Hand, Hand, int, Hand]


def score(ruleset: RuleSet, seats: Sequence[Seat], stake: int | None, words: Words) -> RoundResult:
    """Score a round of 2 to 4 seats whose cards are all different and whose declarations are true.

    ``stake`` is in whole units a point, and needs a rule set with points. Labels and details are in
    the language of ``words``. Points add up to zero.
    """
    tables = ruleset.tables
    hands = take_up(tables, seats, words)
    duels, waiting, swept = _meet(tables, hands)
    if waiting or swept:
        _find_clean_sweeps(tables, hands)
        for place, a, b, rows, balance, sweeper in waiting:
            duels[place] = _settle(ruleset, a, b, rows, balance, sweeper)
        for place, a, b, balance, sweeper in swept if tables.sweep_at_once else ():
            if sweeper.clean_sweep:
                _make_clean(tables, duels[place], a, b, balance)
    for hand in hands:
        shown = hand.shown
        if hand.sweeps:
            shown.sweeps, shown.clean_sweep = hand.sweeps, hand.clean_sweep
        if tables.has_points:
            shown.points = hand.points
        if stake is not None:
            shown.money = settle(hand.points, stake, ruleset.fee)
    named = RuleSetNamed(ruleset.id, ruleset.version)
    seated = [hand.shown for hand in hands]
    return RoundResult(named, seated, duels, UNSET if stake is None else stake)


def _meet(  # noqa: PLR0912, PLR0915
    tables: Tables, hands: list[Hand]
) -> tuple[list[Duel], list[_Waiting], list[_Swept]]:
    """Let every hand meet every later one; what can be settled at once is, the rest waits.

    Written out rather than looped, which would take half as long again.
    """
    duels: list[Duel] = []
    waiting: list[_Waiting] = []
    swept: list[_Swept] = []
    by, hand_bit, at_once, sweep_at_once = DECIDED_BY, HAND_BIT, tables.at_once, tables.sweep_at_once
    top_winner: str | None
    middle_winner: str | None
    bottom_winner: str | None
    for place, a in enumerate(hands, 1):
        a_player, a_top, a_middle, a_bottom, a_top_worth, a_middle_worth, a_bottom_worth = a.line
        for b in hands[place:]:
            if not (a.plain and b.plain):
                waiting.append((len(duels), a, b, None, 0, _winner_over_foul(a, b)))
                duels.append(_TO_COME)
                continue
            b_player, b_top, b_middle, b_bottom, b_top_worth, b_middle_worth, b_bottom_worth = b.line
            x, y, z = a_top ^ b_top, a_middle ^ b_middle, a_bottom ^ b_bottom
            if a_top > b_top:
                top_winner, top, balance = a_player, a_top_worth, a_top_worth
            elif x:
                top_winner, top, balance = b_player, b_top_worth, -b_top_worth
            else:
                top_winner, top, balance, x = _break_tie(tables, a, b, 0)
            if a_middle > b_middle:
                middle_winner, middle, balance = a_player, a_middle_worth, balance + a_middle_worth
            elif y:
                middle_winner, middle, balance = b_player, b_middle_worth, balance - b_middle_worth
            else:
                middle_winner, middle, more, y = _break_tie(tables, a, b, 1)
                balance += more
            if a_bottom > b_bottom:
                bottom_winner, bottom, balance = a_player, a_bottom_worth, balance + a_bottom_worth
            elif z:
                bottom_winner, bottom, balance = b_player, b_bottom_worth, balance - b_bottom_worth
            else:
                bottom_winner, bottom, more, z = _break_tie(tables, a, b, 2)
                balance += more
            top_by = "hand" if x >= hand_bit else by[x.bit_length()]
            middle_by = "hand" if y >= hand_bit else by[y.bit_length()]
            bottom_by = "hand" if z >= hand_bit else by[z.bit_length()]
            rows = RowDuels(
                RowDuel(top_winner, top, top_by),
                RowDuel(middle_winner, middle, middle_by),
                RowDuel(bottom_winner, bottom, bottom_by),
            )
            sweeper, settled = None, at_once
            if top_winner is middle_winner is bottom_winner and top_winner is not None:
                sweeper, settled = a if top_winner is a_player else b, sweep_at_once
                sweeper.sweeps += 1
                swept.append((len(duels), a, b, balance, sweeper))
            if settled is None:
                waiting.append((len(duels), a, b, rows, balance, sweeper))
                duels.append(_TO_COME)
                continue
            outcome, factor = settled
            points = factor * balance
            a.points += points
            b.points -= points
            winner = (a_player if points > 0 else b_player) if points else None
            duel = Duel((a_player, b_player), outcome, winner, rows, factor, 0, (points, -points))
            duels.append(duel)
    return duels, waiting, swept


def _break_tie(tables: Tables, a: Hand, b: Hand, row: int) -> tuple[str | None, int, int, int]:
    """Compare two rows by the suits of their key ranks, where all else is equal.

    Returns the winner, if any, what the row is worth to them and to the first player, and in which bits
    the strengths differ.
    """
    a_suit = tables.key_suit(a.kinds[row], a.row(row))
    b_suit = tables.key_suit(b.kinds[row], b.row(row))
    if a_suit == b_suit:
        return None, 0, 0, 0
    winner, sign = (a, 1) if a_suit > b_suit else (b, -1)
    worth = winner.worth[row]
    return winner.player, worth, sign * worth, a_suit ^ b_suit


def _winner_over_foul(a: Hand, b: Hand) -> Hand | None:
    """Who sweeps because the other's rows are a foul; counts it."""
    if a.special is not None or b.special is not None or (a.foul and b.foul):
        return None
    winner = b if a.foul else a
    winner.sweeps += 1
    return winner


def _find_clean_sweeps(tables: Tables, hands: list[Hand]) -> None:
    if tables.sweep is None:
        for hand in hands:
            hand.sweeps = 0
    elif tables.clean_sweep is not None and len(hands) > tables.clean_sweep.opponents:
        opponents = len(hands) - 1
        for hand in hands:
            hand.clean_sweep = hand.sweeps == opponents


def _make_clean(tables: Tables, duel: Duel, a: Hand, b: Hand, balance: int) -> None:
    """Let a sweep that was settled at once pay as part of a clean sweep."""
    assert tables.clean_sweep is not None and duel.points is not None
    points = tables.clean_sweep.factor * balance
    more = points - duel.points[0]
    a.points += more
    b.points -= more
    duel.outcome, duel.factor = "clean_sweep", tables.clean_sweep.factor
    duel.points = points, -points


def _settle(
    ruleset: RuleSet,
    a: Hand,
    b: Hand,
    rows: RowDuels | None,
    balance: int,
    sweeper: Hand | None,
) -> Duel:
    """Settle a duel that has waited, or to which its rule set adds something."""
    tables = ruleset.tables
    outcome, factor, bonus = "rows", 1, 0
    if rows is None:
        outcome, rows, factor, balance, bonus = _settle_unplayed(ruleset, a, b)
    elif sweeper is not None and tables.sweep is not None:
        outcome, sweep = "sweep", tables.sweep
        if sweeper.clean_sweep and tables.clean_sweep is not None:
            outcome, sweep = "clean_sweep", tables.clean_sweep
        factor = sweep.factor
        if tables.sweep_adds:
            sign = 1 if sweeper is a else -1
            balance = sign * _put_swept_worth(tables, sweeper, rows)
            bonus = sign * _swept_bonus(ruleset, sweeper, b if sweeper is a else a, sweep)
    elif tables.row_adds:
        bonus = _extras(ruleset, a, b, rows)
    duel = _book(a, b, outcome, rows, factor, balance, bonus)
    return duel if tables.has_points else _without_points(duel)


def _book(
    a: Hand,
    b: Hand,
    outcome: str,
    rows: RowDuels | None,
    factor: int,
    balance: int,
    bonus: int,
) -> Duel:
    """Book a duel on both hands and shape it; ``balance`` and ``bonus`` are as the first sees them."""
    points = factor * balance + bonus
    a.points += points
    b.points -= points
    winner = (a.player if points > 0 else b.player) if points else None
    bonus = bonus if points >= 0 else -bonus
    return Duel((a.player, b.player), outcome, winner, rows, factor, bonus, (points, -points))


#: Outcome, rows, factor, row points and bonus; the latter two as the first player sees them.
_Settled = tuple[str, RowDuels | None, int, int, int]


def _settle_unplayed(ruleset: RuleSet, a: Hand, b: Hand) -> _Settled:
    """Settle a duel in which no row is compared: because of specials, or of fouls."""
    if a.special is not None or b.special is not None:
        return _settle_specials(ruleset, a, b)
    if a.foul and b.foul:
        return "both_foul", None, 1, 0, 0
    winner, sign = (b, -1) if a.foul else (a, 1)
    foul, factor, bonus = ruleset.foul, 1, 0
    worth: Sequence[int] = (0, 0, 0)
    if foul is not None and foul.pays == "points":
        bonus = foul.points + (_bonus(ruleset, winner) if foul.bonuses else 0)
    elif foul is not None:
        clean = foul.pays == "clean_sweep" or winner.clean_sweep
        sweep = (ruleset.clean_sweep if clean else None) or ruleset.sweep or _UNSWEPT
        factor, bonus = sweep.factor, _swept_bonus(ruleset, winner, None, sweep)
        swept = sweep is not _UNSWEPT
        worth = ruleset.tables.swept_worth_of(winner.kinds) if swept else winner.worth
    rows = RowDuels(*[RowDuel(winner.player, points, "foul") for points in worth])
    return "foul", rows, factor, sign * sum(worth), sign * bonus


def _settle_specials(ruleset: RuleSet, a: Hand, b: Hand) -> _Settled:
    sign = _special_order(ruleset, a, b)
    if sign == 0:
        return "special_tie", None, 1, 0, 0
    special = a.special if sign > 0 else b.special
    assert special is not None
    return "special", None, 1, sign * ruleset.specials[special].points, 0


def _put_swept_worth(tables: Tables, winner: Hand, rows: RowDuels) -> int:
    """Write what the rows of a sweep are worth into them; returns their sum."""
    worth = tables.swept_worth_of(winner.kinds)
    rows.top.points, rows.middle.points, rows.bottom.points = worth
    return sum(worth)


def _swept_bonus(ruleset: RuleSet, winner: Hand, loser: Hand | None, sweep: Sweep) -> int:
    """What is added after the factor of a swept duel; ``loser`` is None after a foul."""
    bonus = sweep.points + ruleset.most_rows
    if ruleset.bonuses == "always":
        difference = _bonus(ruleset, winner) - (_bonus(ruleset, loser) if loser else 0)
        return bonus + difference * (sweep.factor if ruleset.factors == "all" else 1)
    adds = ruleset.factors == "rows" and sweep is not _UNSWEPT
    return bonus + (_bonus(ruleset, winner) if adds else 0)


def _bonus(ruleset: RuleSet, hand: Hand) -> int:
    """The bonuses of a hand's three rows together, won or not."""
    return sum([of[kind] for of, kind in zip(ruleset.tables.bonus, hand.kinds, strict=True)])


def _extras(ruleset: RuleSet, a: Hand, b: Hand, rows: RowDuels) -> int:
    """What rule sets add to an ordinary duel: for the most rows, and bonuses that are always paid."""
    winners = [rows.top.winner, rows.middle.winner, rows.bottom.winner]
    won, lost = winners.count(a.player), winners.count(b.player)
    extras = ruleset.most_rows * ((won > lost) - (won < lost))
    if ruleset.bonuses == "always":
        extras += _bonus(ruleset, a) - _bonus(ruleset, b)
    return extras


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
    rows = duel.rows
    if rows is not None:
        rows.top.points = rows.middle.points = rows.bottom.points = None
    return Duel(duel.players, duel.outcome, None, rows, None, None, None)
