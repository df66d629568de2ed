"""Writes the vectors: scores each case, and refuses it unless what was stated by hand comes out.

python -m tests.independent.write_vectors
"""

import json
from pathlib import Path
from typing import Any

from . import cases_bsfyi, cases_gratis, cases_panduan
from .cases import Case, request_of
from .hands import read_cards
from .scorer import ROWS, ruleset_of, score
from .specials import formed

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
CASES: dict[str, list[Case]] = {
    "bsfyi": cases_bsfyi.CASES,
    "panduan": cases_panduan.CASES,
    "gratis": cases_gratis.CASES,
}


def summary_of(duel: dict[str, Any]) -> str:
    """A duel in the notation in which cases state it."""
    if duel["rows"] is None:
        return str(duel["outcome"])
    if duel["outcome"] == "foul":
        winners = {row["winner"] for row in duel["rows"].values()}
        return "foul: " + ",".join(winner[0].upper() for winner in winners)
    parts = []
    for row in ROWS:
        winner = duel["rows"][row]["winner"]
        letter = winner[0].upper() if winner else "="
        parts.append(f"{letter}.{duel['rows'][row]['decided_by']}")
    text = " ".join(parts)
    return text if duel["outcome"] == "rows" else f"{duel['outcome']}: {text}"


def problems(case: Case) -> list[str]:
    """What a case states that the scorer does not give, and cards that are dealt twice."""
    request = request_of(case)
    found = []
    cards = []
    for seat in request["seats"]:
        given = [seat["cards"]] if "cards" in seat else [seat[row] for row in ROWS]
        own = [card for row in given for card in read_cards(row)]
        if len(own) != 13:
            found.append(f"{seat['player']} has {len(own)} cards")
        elif "declare" in seat and seat["declare"] not in formed(own, ruleset_of(request)):
            found.append(f"{seat['player']} declares what the cards do not form")
        cards += own
    twice = sorted({str(card) for card in cards if cards.count(card) > 1})
    if twice:
        found.append(f"dealt twice: {' '.join(twice)}")
    if found:
        return found

    result = score(request)

    def check(what: str, stated: Any, given: Any) -> None:
        if stated != given:
            found.append(f"{what}: stated {stated}, scored {given}")

    check("duels", case.duels, [summary_of(duel) for duel in result["duels"]])
    for duel in result["duels"]:
        if duel["points"] is not None and duel["rows"] is not None and duel["winner"]:
            # The sum that a reader can redo.
            rows = duel["rows"].values()
            won = sum(
                row["points"] if row["winner"] == duel["winner"] else -row["points"] for row in rows
            )
            check("sum", max(duel["points"]), duel["factor"] * won + duel["bonus"])
    declared = {seat["player"]: seat.get("declare") for seat in request["seats"]}
    for seat in result["seats"]:
        player = seat["player"]
        check(f"{player} points", case.expect[player] if case.expect else None, seat["points"])
        check(f"{player} foul", case.foul.get(player), seat["foul"] and seat["foul"]["code"])
        special = case.special.get(player, declared[player])
        check(f"{player} special", special, seat["special"] and seat["special"]["name"])
        check(f"{player} could declare", case.could.get(player, []), seat["could_declare"])
        check(f"{player} clean sweep", player in case.clean_sweep, seat["clean_sweep"])
        if player in case.hands:
            check(
                f"{player} hands",
                case.hands[player],
                "/".join(seat["rows"][row]["hand"] for row in ROWS),
            )
        if player in case.money:
            won, fee, net = case.money[player]
            check(f"{player} money", {"won": won, "fee": fee, "net": net}, seat["money"])
    return found


def line_of(case: Case) -> str:
    """The vector of a case, as it stands in the file."""
    request = request_of(case)
    vector = {"name": case.name, "why": case.why, "request": request, "result": score(request)}
    return json.dumps(vector, ensure_ascii=False) + "\n"


def main() -> int:
    """Write all vectors, or name the cases that do not hold."""
    bad = 0
    for ruleset, cases in CASES.items():
        names = [case.name for case in cases]
        for name in {name for name in names if names.count(name) > 1}:
            print(f"{ruleset}: two cases are called {name!r}")
            bad += 1
        for case in cases:
            for problem in problems(case):
                print(f"{ruleset}: {case.name}: {problem}")
                bad += 1
    if bad:
        return 1
    VECTORS.mkdir(exist_ok=True)
    for ruleset, cases in CASES.items():
        text = "".join(line_of(case) for case in cases)
        (VECTORS / f"{ruleset}.jsonl").write_text(text, encoding="utf-8")
        print(f"{ruleset}: {len(cases)} vectors")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
