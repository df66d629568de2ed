"""Fill the tables of ``rules.md`` and ``rulesets.md`` from the rule sets themselves.

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``; what is between them is replaced.
``python -m docs.make_rules`` writes the pages anew.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from service.rules.cards import ROWS
from service.rules.hands import HANDS
from service.rules.ruleset import BUILT_IN, Bonus, RuleSet, Special
from service.rules.specials import SPECIALS
from service.rules.tables import PARTS

HERE = Path(__file__).parent
PAGES = (HERE / "rules.md", HERE / "rulesets.md")

_REGION = re.compile(r"(<!-- table: ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SHOWN = ("bsfyi", "panduan", "gratis")
_SYMBOLS = {"s": "♠", "h": "♥", "c": "♣", "d": "♦"}
_LOCAL_NAMES = {
    "dragon": "naga",
    "six_pairs": "enam pasang",
    "three_straights": "tiga straight",
    "three_flushes": "tiga flush",
}
_PART_WORDS = {
    "ranks": "card by card",
    "pair": "the pair",
    "kickers": "kickers, high to low",
    "high_pair": "the higher pair",
    "low_pair": "the lower pair",
    "trips": "the three",
    "quads": "the four",
    "top_card": "the top card",
    "suit": "the suit",
    "key_suit": "the key suit",
}
_WHEELS = {
    "lowest": "the lowest straight",
    "second_highest": "the second highest straight",
    "none": "no straight",
}


def fill(text: str) -> str:
    """A page with every marked table made anew; ``KeyError`` for a table that is not known."""
    return _REGION.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}", text)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _rulesets(*, with_points: bool = False) -> list[RuleSet]:
    found = [BUILT_IN[name] for name in _SHOWN]
    return [ruleset for ruleset in found if ruleset.has_points or not with_points]


def _head(ruleset: RuleSet) -> str:
    return ", ".join(f"`{name}`" for name in (ruleset.id, *ruleset.aliases))


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _suits(ruleset: RuleSet) -> str:
    if not ruleset.suits:
        return "play no part: equal rows draw"
    return " > ".join(_SYMBOLS[suit] for suit in ruleset.suits)


def _order(ruleset: RuleSet) -> str:
    by = "by the full comparison, suits included" if ruleset.order_by_suits else "by hand and ranks"
    return f"bottom ≥ middle ≥ top, {by}"


def _won_row(ruleset: RuleSet) -> str:
    if not ruleset.has_points:
        return "no points"
    how = {
        "instead": "or its bonus instead",
        "added": "and its bonus",
        "always": "and bonuses are paid for lost rows too",
    }
    return f"{ruleset.row_points}, {how[ruleset.bonuses]}"


def _sweep(ruleset: RuleSet) -> str:
    if ruleset.sweep is None:
        return "—"
    how = {"all": "all points of the duel × {}", "rows": "the rows' points × {}, then bonuses added"}
    added = f", + {ruleset.sweep.points}" if ruleset.sweep.points else ""
    return how[ruleset.factors].format(ruleset.sweep.factor) + added


def _clean_sweep(ruleset: RuleSet) -> str:
    if ruleset.clean_sweep is None:
        return "—"
    added = f", + {ruleset.clean_sweep.points}" if ruleset.clean_sweep.points else ""
    players = ruleset.clean_sweep.opponents + 1
    table = f"with {players} players" if players == 4 else f"with {players} players or more"
    return f"× {ruleset.clean_sweep.factor} instead{added}; {table}"


def _foul(ruleset: RuleSet) -> str:
    if ruleset.foul is None:
        return "nothing" if ruleset.has_points else "—"
    bonuses = " and the opponent's bonuses" if ruleset.foul.bonuses else ""
    return {
        "sweep": "as if swept, or clean swept, by each player without a foul",
        "clean_sweep": "as if clean swept, to each player without a foul, at any table",
        "points": f"{ruleset.foul.points}{bonuses} to each player without a foul",
    }[ruleset.foul.pays]


def _specials(ruleset: RuleSet) -> str:
    if not ruleset.specials:
        return "—"
    names = ", ".join(_plain(special.name) for special in ruleset.specials)
    return f"{names}: {'only when declared' if ruleset.declared else 'found without a declaration'}"


def _equal_specials(ruleset: RuleSet) -> str:
    if not ruleset.specials:
        return "—"
    return "tie" if ruleset.equal_specials == "tie" else "the higher cards win"


def _fee(ruleset: RuleSet) -> str:
    if not ruleset.has_points:
        return "—"
    return f"{ruleset.fee / 100:g} % of a positive total" if ruleset.fee else "none"


def _match(ruleset: RuleSet) -> str:
    if not ruleset.has_points:
        return "—"
    return " or ".join(map(str, ruleset.rounds)) + " rounds"


def differences() -> str:
    """What differs between the published rule sets."""
    aspects: dict[str, Callable[[RuleSet], str]] = {
        "Suits, high to low": _suits,
        "A-2-3-4-5 is": lambda ruleset: _WHEELS[ruleset.wheel],
        "Order of rows": _order,
        "A won row": _won_row,
        "Sweep": _sweep,
        "Clean sweep": _clean_sweep,
        "A foul pays": _foul,
        "Specials, high to low": _specials,
        "Equal specials": _equal_specials,
        "Fee of the room": _fee,
        "A match": _match,
    }
    rulesets = _rulesets()
    rows = [[name, *(tell(ruleset) for ruleset in rulesets)] for name, tell in aspects.items()]
    return _table(["", *map(_head, rulesets)], rows)


def _bonus(bonus: Bonus | None) -> str:
    if bonus is None:
        return "—"
    if isinstance(bonus, int):
        return str(bonus)
    return ", ".join(f"{rank}: {points}" for rank, points in bonus.items())


def bonuses() -> str:
    """Bonuses by row and hand."""
    rulesets = _rulesets(with_points=True)
    rows = []
    for place, row in enumerate(ROWS):
        for hand in HANDS:
            found = [ruleset.row_bonuses[place].get(hand) for ruleset in rulesets]
            if any(bonus is not None for bonus in found):
                rows.append([row, _plain(hand), *map(_bonus, found)])
    return _table(["row", "hand", *map(_head, rulesets)], rows)


def comparison() -> str:
    """What is compared in turn between two rows of the same hand."""
    rulesets = _rulesets()

    def tell(parts: Iterable[str]) -> str:
        return "; ".join(_PART_WORDS[part] for part in parts) or "always a draw"

    rows = [[_plain(hand), *(tell(r.compare[hand]) for r in rulesets)] for hand in reversed(HANDS)]
    return _table(["hand", *map(_head, rulesets)], rows)


def _formed_by(name: str) -> str:
    return (SPECIALS[name].__doc__ or "").strip().rstrip(".")


def specials() -> str:
    """The specials of the published rule sets, their places and points."""
    rulesets = [ruleset for ruleset in _rulesets() if ruleset.specials]
    by_name: list[Mapping[str, tuple[int, Special]]] = [
        {special.name: (place, special) for place, special in enumerate(ruleset.specials, 1)}
        for ruleset in rulesets
    ]
    rows = []
    for name in dict.fromkeys(name for known in by_name for name in known):
        cells = [
            f"no. {known[name][0]}: {known[name][1].points}" if name in known else "—"
            for known in by_name
        ]
        rows.append([f"`{name}`", _LOCAL_NAMES.get(name, ""), _formed_by(name), *cells])
    return _table(["special", "local name", "13 cards", *map(_head, rulesets)], rows)


def all_specials() -> str:
    """Every special that a rule set can name."""
    return _table(["`name`", "13 cards"], [[f"`{name}`", _formed_by(name)] for name in SPECIALS])


def parts() -> str:
    """What each hand can be compared by."""
    rows = [
        [f"`comparison.hands.{hand}`", ", ".join(f"`{part}`" for part in known)]
        for hand, known in PARTS.items()
    ]
    return _table(["field", "may list"], rows)


def whole_bsfyi() -> str:
    """The default rule set as JSON."""
    text = json.dumps(BUILT_IN["bsfyi"].document, indent=2, ensure_ascii=False)
    # Short lists and objects on one line.
    text = re.sub(r"\[\s+((?:[^][{}]|\n)*?)\s+\]", lambda found: f"[{_one_line(found[1])}]", text)
    text = re.sub(r"\{\s+(\"name\"[^{}]*?)\s+\}", lambda found: f"{{{_one_line(found[1])}}}", text)
    return f"```json\n{text}\n```"


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


TABLES: Mapping[str, Callable[[], str]] = {
    "differences": differences,
    "bonuses": bonuses,
    "comparison": comparison,
    "specials": specials,
    "all specials": all_specials,
    "parts": parts,
    "whole bsfyi": whole_bsfyi,
}


def main() -> None:
    """Write the pages anew."""
    for page in PAGES:
        page.write_text(fill(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
