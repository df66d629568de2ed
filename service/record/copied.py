"""The rows of ``seats`` and ``duels`` as COPY writes them: so many are held against results quickly.

``keeping.seat_rows`` and ``duel_rows`` are the definition; a test compares the two.
"""

import io
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from service.rules.results import Duel, RoundResult, RowDuels

COLUMNS = {
    "seats": "round_id, revision, seat, match_id, player, top_hand, middle_hand, bottom_hand, foul, "
    "special, sweeps, clean_sweep, points, won, fee, net",
    "duels": "round_id, revision, duel, match_id, player, opponent, outcome, winner, factor, bonus, "
    "points, top_winner, middle_winner, bottom_winner",
}
_NULL = "\\N"
_NULLS = f"{_NULL}\t{_NULL}\t{_NULL}"


def copy(connection: Connection, table: str, ids: Sequence[str]) -> str:
    """The rows of ``seats`` or ``duels`` of some rounds, in the order of their keys."""
    cursor: Any = connection.connection.cursor()
    try:
        query = cursor.mogrify(
            f"COPY (SELECT {COLUMNS[table]} FROM {table} "
            "WHERE round_id = ANY(CAST(%s AS uuid[])) ORDER BY 1, 2, 3) TO STDOUT",
            (list(ids),),
        )
        buffer = io.BytesIO()
        cursor.copy_expert(query, buffer)
    finally:
        cursor.close()
    return buffer.getvalue().decode()


def seat_lines(key: str, match: str | None, result: RoundResult) -> str:
    """The same as a result makes it; ``key`` is the id and the revision, with a tab after each."""
    match, lines = match or _NULL, []
    for place, seat in enumerate(result.seats):
        rows, special, foul = seat.rows, seat.special, seat.foul
        hands = money = _NULLS
        if rows:
            hands = f"{rows.top.hand}\t{rows.middle.hand}\t{rows.bottom.hand}"
        if seat.money:
            money = f"{seat.money.won}\t{seat.money.fee}\t{seat.money.net}"
        lines.append(
            f"{key}{place}\t{match}\t{_escape(seat.player)}\t{hands}\t"
            f"{foul.code if foul else _NULL}\t{special.name if special else _NULL}\t"
            f"{seat.sweeps}\t{'t' if seat.clean_sweep else 'f'}\t{seat.points}\t{money}\n"
        )
    return "".join(lines)


def duel_lines(key: str, match: str | None, result: RoundResult) -> str:
    """As :func:`seat_lines`, of duels."""
    match, lines, null = match or _NULL, [], _NULL
    for place, each in enumerate(result.duels):
        player, opponent = each.players
        duel = each if "\\" not in player + opponent else _escape_names(each)
        rows, points, winners = duel.rows, duel.points, _NULLS
        if rows:
            top, middle, bottom = rows.top.winner, rows.middle.winner, rows.bottom.winner
            winners = f"{top or null}\t{middle or null}\t{bottom or null}"
        player, opponent = duel.players
        lines.append(
            f"{key}{place}\t{match}\t{player}\t{opponent}\t{duel.outcome}\t"
            f"{duel.winner or null}\t{duel.factor}\t{duel.bonus}\t"
            f"{points[0] if points else 0}\t{winners}\n"
        )
    return "".join(lines)


def _escape(player: str) -> str:
    return player.replace("\\", "\\\\") if "\\" in player else player


def _escape_names(duel: Duel) -> Duel:
    """The same duel with names as COPY has them."""
    rows = duel.rows
    if rows is not None:
        compared = (rows.top, rows.middle, rows.bottom)
        rows = RowDuels(*[replace(row, winner=_escape(row.winner or "")) for row in compared])
    first, second = duel.players
    players, winner = (_escape(first), _escape(second)), _escape(duel.winner or "")
    return replace(duel, players=players, winner=winner, rows=rows)
