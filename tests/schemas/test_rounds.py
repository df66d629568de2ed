"""Requests read: whatever JSON comes, it is read or refused with pointers that lead to what is wrong."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError

from schemas import rounds, seats, suggestions
from schemas.mistakes import CODES, Invalid, Mistake, collect, escape
from schemas.rounds import read_arrangement, read_match, read_match_round, read_round
from service.rules.ruleset import BUILT_IN, RuleSet
from tests.schemas.strategies import ANY, DOCUMENT, ROUNDS, SEATS

ABSENT = object()


def find(identifier: str, version: int | None) -> RuleSet | None:
    found = BUILT_IN.get(identifier)
    return found if found and version in (None, found.version) else None


READERS: dict[str, Callable[[Any], Any]] = {
    "a round to score": lambda document: read_round(document, find),
    "a round to keep": lambda document: read_round(document, find, to_keep=True),
    "a round of a match": lambda document: read_match_round(
        document, BUILT_IN["bsfyi"], None, ["andi", "budi"]
    ),
    "an arrangement": lambda document: read_arrangement(document, find),
    "a match": lambda document: read_match(document, find),
}


def resolve(document: Any, pointer: str) -> Any:
    """What an RFC 6901 pointer points at; ABSENT if only its last step leads nowhere; else fails."""
    assert pointer == "" or pointer.startswith("/"), pointer
    steps = pointer.split("/")[1:]
    for place, step in enumerate(steps):
        assert "~" not in step.replace("~0", "").replace("~1", ""), pointer
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list):
            assert name.isascii() and name.isdigit() and str(int(name)) == name, pointer
            assert int(name) < len(document), pointer
            document = document[int(name)]
        else:
            assert isinstance(document, dict), pointer
            if name not in document:
                assert place == len(steps) - 1, pointer
                return ABSENT
            document = document[name]
    return document


def check(mistake: Mistake, document: Any) -> None:
    """A mistake can be shown, and points at what it speaks of."""
    shown = mistake.show(str)
    assert shown["code"] in CODES and shown["detail"]
    found = resolve(document, shown["pointer"])
    if found is ABSENT:
        # Rule set and stake may be left out, and the default be what is wrong.
        assert shown["code"] in (
            "field_missing",
            "ruleset_without_points",
            "ruleset_unknown",
            "player_absent",
        )
    else:
        assert shown["code"] != "field_missing"
    if "other" in shown:
        assert resolve(document, shown["other"]) is not ABSENT
    if shown["code"] == "player_duplicate":
        assert found == resolve(document, shown["other"])


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@settings(max_examples=200, deadline=None)
@given(document=DOCUMENT)
def test_any_json_is_read_or_refused(read: Callable[[Any], Any], document: Any) -> None:
    try:
        read(document)
    except Invalid as error:
        assert error.mistakes
        for mistake in error.mistakes:
            check(mistake, document)


@settings(max_examples=100, deadline=None)
@given(seats=ANY)
def test_any_json_for_seats_is_refused(seats: Any) -> None:
    with pytest.raises(Invalid):
        read_round({"seats": seats}, find)


@given(steps=st.lists(st.text(max_size=5) | st.integers(0, 99), max_size=6))
def test_pointers_are_built_from_any_names(steps: list[str | int]) -> None:
    messages: Any = [Mistake("field_unknown", "there is no such field")]
    document: Any = 1
    for step in reversed(steps):
        messages = {step: messages}
        document = {str(step): document}
    (mistake,) = collect(messages)
    assert mistake.pointer == "".join(f"/{escape(step)}" for step in steps)
    assert resolve(document, mistake.pointer) == 1


@pytest.mark.parametrize(
    ("name", "step"),
    [("a", "a"), ("a/b", "a~1b"), ("a~b", "a~0b"), ("~1", "~01"), ("/~", "~1~0"), ("", ""), (0, "0")],
)
def test_steps_are_escaped_as_rfc_6901_has_it(name: str | int, step: str) -> None:
    assert escape(name) == step


def test_a_mistake_below_moves_its_other_pointer_along() -> None:
    mistake = Mistake("player_duplicate", "twice", "/1", {"other": "/0"}).below("/seats")
    assert (mistake.pointer, mistake.parameters) == ("/seats/1", {"other": "/seats/0"})


def test_parameters_are_shown_and_filled_in() -> None:
    mistake = Mistake("field_invalid", "one of: {choices}", "/x", {"choices": ["a", "b"]})

    def translate(message: str) -> str:
        return {"one of: {choices}": "salah satu: {choices}"}.get(message, message)

    assert mistake.show(translate) == {
        "code": "field_invalid",
        "pointer": "/x",
        "detail": "salah satu: a, b",
        "choices": ["a", "b"],
    }


SCHEMAS = (
    *(rounds._ROUND, rounds._MATCH_ROUND, rounds._ARRANGEMENT, rounds._MATCH),
    suggestions._SUGGESTION,
)


@given(DOCUMENT | ROUNDS, st.sampled_from(SCHEMAS))
@example({"cards": "2s 3h 4h 5s 6d 7h 8c 9c Ts Jh Qd Kc Ah", "limit": 3}, suggestions._SUGGESTION)
def test_what_is_read_the_plain_way_is_what_marshmallow_reads(document: Any, schema: Any) -> None:
    plain = schema.load_plain(document)
    try:
        loaded = schema.load(document)
    except ValidationError:
        assert plain is None
    else:
        assert plain == loaded


@given(SEATS | ROUNDS.map(lambda document: document["seats"]))
def test_seats_are_read_alike_both_ways(value: Any) -> None:
    plain, mistakes = seats._read_plain_seats(value), []
    read = seats.read_seats(value, mistakes)
    assert plain is None or (plain == read and not mistakes)
