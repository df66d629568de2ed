"""Rounds scored for tests of house rules, and every sum in them added up again."""

from collections.abc import Mapping

from service.rules.ruleset import RuleSet
from tests.rules.rounds import Document, score_text


def settle(
    ruleset: RuleSet | str, texts: Mapping[str, str], stake: int | None = None, **declared: str
) -> Document:
    """Score rows given as text by player, and redo every sum of the answer."""
    hands = [text.replace("/", " ").split() for text in texts.values()]
    assert {len(hand) for hand in hands} == {13}
    assert len({card for hand in hands for card in hand}) == 13 * len(hands)
    result = score_text(ruleset, texts, stake, **declared)
    add_up_again(result)
    return result


def add_up_again(result: Document) -> None:
    """Redo every duel from its rows, and every seat's points from the duels."""
    totals = dict.fromkeys((seat["player"] for seat in result["seats"]), 0)
    for duel in result["duels"]:
        _redo(duel)
        for player, points in zip(duel["players"], duel["points"] or (), strict=True):
            totals[player] += points
    assert totals == {seat["player"]: seat["points"] for seat in result["seats"]}
    assert sum(totals.values()) == 0


def _redo(duel: Document) -> None:
    """The winner's points are factor x (row points won - lost) + bonus."""
    assert duel["points"] is not None
    assert duel["factor"] is not None
    assert duel["bonus"] is not None
    first, second = duel["points"]
    assert first == -second
    assert duel["winner"] == (duel["players"][first < 0] if first else None)
    if duel["rows"] is None:
        assert duel["outcome"] in ("special", "special_tie", "both_foul")
        assert (first != 0) == (duel["outcome"] == "special")
        return
    gainer, won = duel["winner"] or duel["players"][0], 0
    for row in duel["rows"].values():
        if row["winner"] is None:
            assert (row["points"], row["decided_by"]) == (0, "draw")
        else:
            won += (row["points"] or 0) * (1 if row["winner"] == gainer else -1)
    assert abs(first) == duel["factor"] * won + duel["bonus"]
