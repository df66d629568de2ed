"""The page for directors explains all that the wire names; tests/api plays its evening."""

from pathlib import Path

from service.tournaments.standings import RANK_BY, TIE_BREAKS
from service.tournaments.store import STATUSES

PAGE = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text("utf-8")


def test_every_state_and_tie_break_is_explained() -> None:
    for word in (*STATUSES, *RANK_BY, *TIE_BREAKS):
        assert f"`{word}`" in PAGE, word
