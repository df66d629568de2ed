"""Any JSON, and JSON that looks like a round but may not be one."""

from typing import Any

from hypothesis import strategies as st

from service.rules.cards import NAMES, SPELLINGS
from service.rules.specials import SPECIALS

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-5, 10**15) | st.floats(allow_nan=False) | TEXTS
ANY = st.recursive(
    SCALARS,
    lambda items: st.lists(items, max_size=5) | st.dictionaries(TEXTS, items, max_size=4),
    max_leaves=12,
)


def _or_any(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(strategy, strategy, strategy, ANY)


CARDS = st.sampled_from(NAMES) | st.sampled_from(sorted(SPELLINGS)) | TEXTS
_LISTS = st.lists(_or_any(CARDS), max_size=15)
_STRINGS = st.lists(CARDS, max_size=15).flatmap(
    lambda cards: st.sampled_from([" ".join(cards), "".join(cards)])
)
ROWS = _or_any(_LISTS | _STRINGS)
PLAYERS = _or_any(st.sampled_from(["andi", "budi", "", "a\tb"]))
_MEMBERS = {
    "player": PLAYERS,
    "top": ROWS,
    "middle": ROWS,
    "bottom": ROWS,
    "cards": ROWS,
    "declare": _or_any(st.sampled_from(sorted(SPECIALS))),
    "a/b~c": ANY,
    "_schema": ANY,
}
SEAT = _or_any(st.fixed_dictionaries({}, optional=_MEMBERS))
SEATS = _or_any(st.lists(SEAT, max_size=6))
RULESET = _or_any(
    st.sampled_from(["bsfyi", "toto", "gratis", "nope"])
    | st.fixed_dictionaries({}, optional={"id": _or_any(st.just("bsfyi")), "version": ANY, "x~y/z": ANY})
)
DOCUMENT = _or_any(
    st.fixed_dictionaries(
        {},
        optional={
            "ruleset": RULESET,
            "stake": _or_any(st.integers(-1, 10**13)),
            "number": _or_any(st.integers(-1, 1001)),
            "rounds": _or_any(st.integers(-1, 1001)),
            "label": _or_any(TEXTS),
            "players": _or_any(st.lists(PLAYERS, max_size=6)),
            "seats": SEATS,
            "seat": SEAT,
            "a/b~c": ANY,
            "_schema": ANY,
        },
    )
)


@st.composite
def _rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A round that is good, but for at most one value that is anything."""
    deck = draw(st.permutations(NAMES))
    seats: list[Any] = []
    for place in range(draw(st.integers(2, 4))):
        hand = deck[13 * place : 13 * place + 13]
        rows = [hand[:3], hand[3:8], hand[8:]]
        if draw(st.booleans()):
            rows = [draw(st.sampled_from([" ", ""])).join(row) for row in rows]
        seats.append(
            {"player": f"player {place}", **dict(zip(("top", "middle", "bottom"), rows, strict=True))}
        )
    if draw(st.booleans()):
        seat = draw(st.sampled_from(seats))
        seat[draw(st.sampled_from(["player", "top", "bottom", "declare"]))] = draw(ANY | ROWS | PLAYERS)
    return {"seats": seats}


ROUNDS = _rounds()
