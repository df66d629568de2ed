"""Seats read: every way to write cards, and what is read back from what is printed."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.mistakes import Invalid, Mistake
from schemas.rounds import read_round
from schemas.seats import read_cards, read_seat
from service.record.keeping import canonical_request
from service.rules.cards import NAMES, SPELLINGS, names, parse
from service.rules.ruleset import BUILT_IN

RANKS = {rank: {rank, rank.lower()} for rank in "23456789TJQKA"}
RANKS["T"] |= {"10"}
SYMBOLS = {"s": "♠", "h": "♥", "c": "♣", "d": "♦"}
SUITS = {s: {s, s.upper(), symbol, symbol + "\ufe0f"} for s, symbol in SYMBOLS.items()}
ACCEPTED = {
    (rank + suit): sorted(r + s for r in RANKS[rank] for s in SUITS[suit])
    for rank in RANKS
    for suit in SUITS
}


def read(value: Any, size: int = 1) -> list[int]:
    mistakes: list[Mistake] = []
    cards = read_cards(value, size, "row_size", "", mistakes)
    assert mistakes == []
    return cards


@pytest.mark.parametrize("card", NAMES)
def test_every_spelling_of_a_card_is_read(card: str) -> None:
    for spelling in ACCEPTED[card]:
        assert names(read([spelling])) == [card]
        assert names(read(spelling)) == [card]
        assert names(read(f" {spelling} ")) == [card]


def test_no_other_spelling_is_read() -> None:
    assert set(SPELLINGS) == {spelling for spellings in ACCEPTED.values() for spelling in spellings}


DECKS = st.permutations(NAMES)
SPELT = st.lists(st.sampled_from(sorted(SPELLINGS)), min_size=1, max_size=13)


@given(spellings=SPELT, data=st.data())
def test_strings_are_read_with_any_spaces_or_none(spellings: list[str], data: st.DataObject) -> None:
    spaces = st.sampled_from(["", " ", "  ", "\t", "\r\n"])
    gaps = data.draw(st.lists(spaces, min_size=len(spellings) + 1, max_size=len(spellings) + 1))
    text = gaps[0] + "".join(s + gap for s, gap in zip(spellings, gaps[1:], strict=True))
    assert read(text, len(spellings)) == [SPELLINGS[spelling] for spelling in spellings]


@given(spellings=SPELT)
def test_lists_and_strings_are_the_same(spellings: list[str]) -> None:
    count = len(spellings)
    assert read(spellings, count) == read(" ".join(spellings), count) == read("".join(spellings), count)


@given(cards=st.lists(st.integers(0, 51), max_size=13))
def test_what_is_printed_is_read_back(cards: Sequence[int]) -> None:
    printed = names(cards)
    assert parse(printed) == parse(" ".join(printed)) == parse("".join(printed)) == tuple(cards)


@given(deck=DECKS, players=st.integers(2, 4), ruleset=st.sampled_from(sorted(BUILT_IN)))
def test_a_round_is_read_back_from_its_canonical_request(
    deck: list[str], players: int, ruleset: str
) -> None:
    seats = []
    for place in range(players):
        hand = deck[place * 13 : place * 13 + 13]
        seats.append({"player": f"p{place}", "top": hand[:3], "middle": hand[3:8], "bottom": hand[8:]})
    document = {"ruleset": BUILT_IN[ruleset].reference, "seats": seats}
    asked = read_round(document, lambda identifier, version: BUILT_IN.get(identifier))
    assert canonical_request(asked.ruleset, asked.seats, asked.stake) == document


@pytest.mark.parametrize("value", [None, 1, True, 1.5, {}, {"0": "As"}], ids=repr)
def test_what_is_no_list_and_no_string_is_refused(value: Any) -> None:
    mistakes: list[Mistake] = []
    assert read_cards(value, 3, "row_size", "/top", mistakes) == []
    assert [(mistake.code, mistake.pointer) for mistake in mistakes] == [("field_invalid", "/top")]


@given(
    pieces=st.lists(
        st.none() | st.integers() | st.text(max_size=4) | st.sampled_from(NAMES), max_size=20
    )
)
def test_every_wrong_card_is_reported_in_its_place(pieces: list[Any]) -> None:
    mistakes: list[Mistake] = []
    cards = read_cards(pieces, 5, "row_size", "/middle", mistakes)
    wrong = [place for place, piece in enumerate(pieces) if piece not in SPELLINGS]
    assert [m.pointer for m in mistakes if m.code == "card_unknown"] == [f"/middle/{p}" for p in wrong]
    assert [m.parameters for m in mistakes if m.code == "row_size"] == (
        [] if len(pieces) == 5 else [{"expected": 5, "got": len(pieces)}]
    )
    assert cards == [SPELLINGS[piece] for piece in pieces if piece in SPELLINGS]


def test_a_seat_of_rows_and_one_of_cards() -> None:
    rows = {"top": "As Kd Qc", "middle": "2s 3s 4s 5s 7s", "bottom": "2h 3h 4h 5h 7h"}
    cards = "As Kd Qc 2s 3s 4s 5s 7s 2h 3h 4h 5h 7h"
    mistakes: list[Mistake] = []
    arranged = read_seat({"player": "a", **rows}, "", mistakes)
    bare = read_seat({"player": "a", "cards": cards, "declare": "dragon"}, "", mistakes)
    assert mistakes == [] and arranged is not None and bare is not None
    assert (arranged.player, arranged.arranged, arranged.declare) == ("a", True, None)
    assert (bare.player, bare.arranged, bare.declare) == ("a", False, "dragon")
    assert arranged.cards == bare.cards == parse(cards)


def test_a_declaration_is_judged_even_if_another_seat_is_wrong() -> None:
    good = {
        "player": "a",
        "declare": "dragon",
        "top": "As Kd Qc",
        "middle": "2s 3s 4s 5s 7s",
        "bottom": "2h 3h 4h 5h 7h",
    }
    with pytest.raises(Invalid) as caught:
        read_round({"seats": [good, 1]}, lambda identifier, version: BUILT_IN.get(identifier))
    assert {m.code for m in caught.value.mistakes} == {"special_not_formed", "field_invalid"}
