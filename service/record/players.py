"""Players over all: read from kept totals."""

from typing import Any

from sqlalchemy import bindparam, select

from service.database import Database
from service.questions import question_of
from service.record.errors import there
from service.record.tables import PLAYER_COUNTS, player_totals

_SHOWN = ("player", "matches", *PLAYER_COUNTS)
_VERSION = select(player_totals.c.version).where(player_totals.c.player == bindparam("player"))
_ASK_VERSION = question_of(_VERSION)
_ASK_TOTALS = question_of(_VERSION.add_columns(*[player_totals.c[name] for name in _SHOWN]))


def get_version(database: Database, player: str) -> int:
    """How often a player's totals have changed; :class:`Missing` if there is no such player."""
    return int(there(database.rows(_ASK_VERSION, player=player))[0][0])


def get_player(database: Database, player: str) -> tuple[dict[str, Any], int]:
    """A player's totals and their version; :class:`Missing` if there is no such player."""
    version, *totals = there(database.rows(_ASK_TOTALS, player=player))[0]
    return dict(zip(_SHOWN, totals, strict=True)), version
