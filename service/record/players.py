"""Players over all: read from kept totals."""

from typing import Any

from sqlalchemy import Connection, select

from service.record.errors import Missing
from service.record.tables import PLAYER_COUNTS, player_totals


def get_version(connection: Connection, player: str) -> int:
    """How often a player's totals have changed; :class:`Missing` if there is no such player."""
    version: int | None = connection.scalar(
        select(player_totals.c.version).where(player_totals.c.player == player)
    )
    if version is None:
        raise Missing
    return version


def get_player(connection: Connection, player: str) -> tuple[dict[str, Any], int]:
    """A player's totals and their version; :class:`Missing` if there is no such player."""
    query = select(player_totals).where(player_totals.c.player == player)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise Missing
    shown = {name: row[name] for name in ("player", "matches", *PLAYER_COUNTS)}
    return shown, row["version"]
