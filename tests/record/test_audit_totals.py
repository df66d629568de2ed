"""The audit of totals, and of what else is kept of a match."""

from typing import Any

import pytest

from service.record.tables import PLAYER_COUNTS
from tests.api.requests import BUDI
from tests.record.tampering import FOUL, Record, drop

TOTALS = {
    "points": "UPDATE match_players SET points = points + 1 WHERE match_id = :id AND player = 'andi'",
    "net": "UPDATE match_players SET net = net + 1 WHERE match_id = :id AND player = 'andi'",
    "fees": "UPDATE match_players SET fees = fees + 1 WHERE match_id = :id AND player = 'andi'",
    "adjustments": "UPDATE match_players SET adjustments = 0 WHERE match_id = :id AND player = 'andi'",
    "an adjustment": "UPDATE adjustments SET points = -2 WHERE match_id = :id",
    "no adjustment": "DELETE FROM adjustments WHERE match_id = :id",
}


@pytest.mark.parametrize("change", TOTALS.values(), ids=TOTALS)
def test_changed_totals_name_their_match_and_player(
    record: Record, match: str, played: Any, change: str
) -> None:
    record.play(record.open_match(), BUDI)
    record.tamper(change, id=match)
    (finding,) = record.whole().findings
    assert (finding.code, finding.match, finding.round) == ("totals_differ", match, None)
    assert finding.parameters["player"] == "andi"
    assert record.asked(f"/matches/{match}") == [("totals_differ", None)]
    assert record.asked(f"/rounds/{played[0]['id']}") == []


KEPT = {
    "chain_digest = repeat('a', 64)": "chain_broken",
    "chain_length = 1": "match_differs",
    "chain_length = 1000": "match_differs",
    "rounds_played = 5": "match_differs",
    "stake = 11": "match_differs",
    "ruleset_id = 'bsfyi'": "match_differs",
}


@pytest.mark.parametrize(("change", "code"), KEPT.items(), ids=KEPT)
def test_what_is_kept_of_a_match_is_checked(
    record: Record, match: str, played: Any, change: str, code: str
) -> None:
    record.tamper(f"UPDATE matches SET {change} WHERE id = :id", id=match)
    (finding,) = record.whole().findings
    assert (finding.code, finding.match) == (code, match)
    # Whether the head or the last revision was replaced, nobody can tell: both are named.
    assert (finding.round is not None) == (code == "chain_broken")


def test_a_chain_cut_short_and_its_head_with_it_shows_in_the_rest(record: Record, match: str) -> None:
    *_, before, last = record.play(match, BUDI, FOUL, BUDI)
    drop(record, last["id"], 1, rows=True)
    change = (
        "UPDATE matches SET chain_length = 2, chain_digest = :digest, rounds_played = 2 WHERE id = :id"
    )
    record.tamper(change, digest=before["digest"], id=match)
    assert {code for code, *_ in record.named()} == {"totals_differ"}


@pytest.mark.parametrize("name", ["matches", *PLAYER_COUNTS])
def test_changed_totals_over_all_name_their_player(
    record: Record, played: Any, alone: Any, name: str
) -> None:
    record.tamper(f"UPDATE player_totals SET {name} = {name} + 1 WHERE player = 'budi'")
    (finding,) = record.whole().findings
    assert (finding.code, finding.match, finding.round) == ("totals_differ", None, None)
    assert (finding.parameters["player"], finding.parameters["name"]) == ("budi", name)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM player_totals WHERE player = 'dewi'",
        "UPDATE player_totals SET player = 'dewa' WHERE player = 'dewi'",
    ],
)
def test_totals_of_nobody_are_found(record: Record, alone: Any, change: str) -> None:
    record.tamper(change)
    found = record.whole().findings
    assert {finding.code for finding in found} == {"totals_differ"}
    assert {finding.parameters["player"] for finding in found} <= {"dewi", "dewa"}
