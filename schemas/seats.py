"""Seats read from a request: one pass over the whole list, everything wrong reported at once."""

from collections.abc import Sequence
from typing import Any

from marshmallow import ValidationError, fields

from schemas.fields import LONGEST_PLAYER, text_mistake
from schemas.mistakes import (
    FIELD_MISSING,
    FIELD_UNKNOWN,
    NOT_A_LIST,
    NOT_A_STRING,
    NOT_AN_OBJECT,
    Mistake,
    escape,
)
from service.messages import _
from service.rules.cards import (
    HAND_SIZE,
    NAMES,
    ROW_SIZES,
    ROWS,
    SPELLINGS,
    parse,
    split,
    wrong_character,
)
from service.rules.reading import Seat

FEWEST_SEATS, MOST_SEATS = 2, 4

# A longer list is reported as too long, and what is in it is not looked at.
_MOST_SEATS_READ = 16
_MOST_CARDS_READ = 52

_SEAT_FIELDS = frozenset(("player", *ROWS, "cards", "declare"))
_CARD_SHOWN = 16


class Seats(fields.Field[list[Seat]]):
    """The seats of a round; what could be read of wrong ones is kept as the error's valid data."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[Seat]:
        plain = _read_plain_seats(value)
        if plain is not None:
            return plain
        mistakes: list[Mistake] = []
        seats = read_seats(value, mistakes)
        if mistakes:
            raise ValidationError(mistakes, valid_data=seats)
        return [seat for seat in seats if seat is not None]


class OneSeat(fields.Field[Seat]):
    """One seat on its own: ``player`` may be left out, and ``cards`` need no declaration."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Seat:
        mistakes: list[Mistake] = []
        seat = read_seat(value, "", mistakes, alone=True)
        if seat is not None:
            _check_cards([seat], [value], [""], mistakes)
        if mistakes or seat is None:
            raise ValidationError(mistakes, valid_data=seat)  # type: ignore[arg-type]
        return seat


class Hand(fields.Field[tuple[int, ...]]):
    """The 13 different cards of one player, in any order."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> tuple[int, ...]:
        mistakes: list[Mistake] = []
        cards = read_cards(value, HAND_SIZE, "hand_size", "", mistakes)
        if len(set(cards)) != len(cards):
            _report_twice(_cards_and_pointers(value, ""), mistakes)
        if mistakes:
            raise ValidationError(mistakes)
        return tuple(cards)


def read_seats(value: Any, mistakes: list[Mistake]) -> list[Seat | None]:
    """Read the list of seats, adding to ``mistakes``; None in place of a seat that can't be read."""
    if type(value) is not list:
        mistakes.append(NOT_A_LIST)
        return []
    if not FEWEST_SEATS <= len(value) <= MOST_SEATS:
        text = _("a round has {least} to {most} seats, not {got}")
        counts = {"least": FEWEST_SEATS, "most": MOST_SEATS, "got": len(value)}
        mistakes.append(Mistake("seat_count", text, "", counts))
        if len(value) > _MOST_SEATS_READ:
            return []
    pointers = [f"/{place}" for place in range(len(value))]
    seats = [read_seat(item, pointer, mistakes) for item, pointer in zip(value, pointers, strict=True)]
    _check_players(value, mistakes)
    _check_cards(seats, value, pointers, mistakes)
    return seats


def _read_plain_seats(value: Any) -> list[Seat] | None:
    """The seats where all give three rows and nothing is wrong, in half the time; None otherwise.

    It says nothing of what is wrong: whatever is not as expected is read by :func:`read_seats`.
    """
    if type(value) is not list or not FEWEST_SEATS <= len(value) <= MOST_SEATS:
        return None
    seats: list[Seat] = []
    players, cards = set[str](), set[int]()
    try:
        for item in value:
            if type(item) is not dict or len(item) != 4:
                return None
            player, top, middle, bottom = item["player"], item["top"], item["middle"], item["bottom"]
            if not type(top) is type(middle) is type(bottom) is list:
                top, middle, bottom = _pieces(top), _pieces(middle), _pieces(bottom)
            if len(top) != 3 or len(middle) != 5 or len(bottom) != 5:
                return None
            if text_mistake(player, LONGEST_PLAYER):
                return None
            hand = parse([*top, *middle, *bottom])
            seats.append(Seat(player, hand))
            players.add(player)
            cards.update(hand)
    except (KeyError, TypeError):
        return None
    if len(players) != len(value) or len(cards) != HAND_SIZE * len(value):
        return None
    return seats


def _pieces(row: Any) -> list[Any]:
    """The cards that a row names; empty if it is neither a list nor a text."""
    return row if type(row) is list else split(row) if type(row) is str else []


def read_seat(item: Any, pointer: str, mistakes: list[Mistake], *, alone: bool = False) -> Seat | None:
    """Read one seat: player, and three rows, or ``cards`` with ``declare``.

    None where there is nothing to go on with; otherwise the seat holds the cards that could be read.
    """
    if type(item) is not dict:
        mistakes.append(NOT_AN_OBJECT._replace(pointer=pointer))
        return None
    for name in sorted(item.keys() - _SEAT_FIELDS):
        mistakes.append(FIELD_UNKNOWN._replace(pointer=f"{pointer}/{escape(name)}"))
    player = item.get("player", "" if alone else None)
    wrong = text_mistake(player, LONGEST_PLAYER) if "player" in item or not alone else None
    if wrong:
        wrong = wrong if "player" in item else FIELD_MISSING
        mistakes.append(wrong._replace(pointer=f"{pointer}/player"))
    declare = item.get("declare")
    if "declare" in item and type(declare) is not str:
        mistakes.append(NOT_A_STRING._replace(pointer=f"{pointer}/declare"))
        declare = None
    if "cards" in item:
        _check_way(item, pointer, mistakes, alone=alone)
        cards = read_cards(item["cards"], HAND_SIZE, "hand_size", f"{pointer}/cards", mistakes)
        return Seat(player if type(player) is str else "", tuple(cards), False, declare)
    cards = []
    for row, size in zip(ROWS, ROW_SIZES, strict=True):
        if row in item:
            cards += read_cards(item[row], size, "row_size", f"{pointer}/{row}", mistakes)
        else:
            mistakes.append(FIELD_MISSING._replace(pointer=f"{pointer}/{row}"))
    return Seat(player if type(player) is str else "", tuple(cards), True, declare)


def _check_way(item: dict[str, Any], pointer: str, mistakes: list[Mistake], *, alone: bool) -> None:
    """A seat gives three rows, or ``cards`` with ``declare``, not both."""
    for row in ROWS:
        if row in item:
            text = _("a seat gives three rows, or cards with declare, not both")
            mistakes.append(Mistake("field_invalid", text, f"{pointer}/{row}"))
    if "declare" not in item and not alone:
        text = _("a seat that gives cards must declare a special; otherwise it gives three rows")
        mistakes.append(Mistake("field_missing", text, f"{pointer}/declare"))


def read_cards(value: Any, size: int, code: str, pointer: str, mistakes: list[Mistake]) -> list[int]:
    """Read a list of cards, or a string of them, that should be ``size`` long."""
    if type(value) is str:
        pieces: Sequence[Any] = split(value) if value else ()
    elif type(value) is list:
        pieces = value
    else:
        text = _("expected a list of cards, or a string of them")
        mistakes.append(Mistake("field_invalid", text, pointer))
        return []
    if len(pieces) != size:
        text = _("expected {expected} cards, got {got}")
        mistakes.append(Mistake(code, text, pointer, {"expected": size, "got": len(pieces)}))
        if len(pieces) > _MOST_CARDS_READ:
            return []
    try:
        return [SPELLINGS[piece] for piece in pieces]
    except (KeyError, TypeError):
        return _read_wrong_cards(pieces, pointer, mistakes, in_list=type(value) is list)


def _read_wrong_cards(
    pieces: Sequence[Any], pointer: str, mistakes: list[Mistake], *, in_list: bool
) -> list[int]:
    cards = []
    for place, piece in enumerate(pieces):
        card = SPELLINGS.get(piece) if type(piece) is str else None
        if card is not None:
            cards.append(card)
            continue
        mistake = _card_mistake(piece)
        where = f"{pointer}/{place}" if in_list else pointer
        parameters = {**mistake.parameters, "position": place}
        mistakes.append(mistake._replace(pointer=where, parameters=parameters))
    return cards


def _card_mistake(piece: Any) -> Mistake:
    if type(piece) is not str:
        return Mistake("card_unknown", _("a card is a string such as “As” or “10h”"))
    shown = {"card": piece[:_CARD_SHOWN]}
    blame = wrong_character(piece)
    if blame is None:
        return Mistake("card_unknown", _("“{card}” is not a card"), "", shown)
    character, part = blame
    if part == "rank":
        text = _("“{card}” is not a card: {character} is not a rank (2 to 9, 10 or T, J, Q, K, A)")
    else:
        text = _("“{card}” is not a card: {character} is not a suit (s, h, c, d or ♠ ♥ ♣ ♦)")
    return Mistake("card_unknown", text, "", {**shown, "character": character})


def _check_players(value: list[Any], mistakes: list[Mistake]) -> None:
    first: dict[str, int] = {}
    for place, item in enumerate(value):
        player = item.get("player") if type(item) is dict else None
        if type(player) is not str:
            continue
        if player in first:
            text = _("this player has a seat already")
            other = {"other": f"/{first[player]}/player"}
            mistakes.append(Mistake("player_duplicate", text, f"/{place}/player", other))
        else:
            first[player] = place


def _check_cards(
    seats: Sequence[Seat | None], items: list[Any], pointers: list[str], mistakes: list[Mistake]
) -> None:
    """No card twice, within a seat or across seats."""
    found = [card for seat in seats if seat is not None for card in seat.cards]
    if len(set(found)) == len(found):
        return
    placed: list[tuple[int, str]] = []
    for item, pointer in zip(items, pointers, strict=True):
        if type(item) is not dict:
            continue
        for name in ("cards",) if "cards" in item else ROWS:
            placed += _cards_and_pointers(item.get(name), f"{pointer}/{name}")
    _report_twice(placed, mistakes)


def _report_twice(placed: Sequence[tuple[int, str]], mistakes: list[Mistake]) -> None:
    """Report each card that comes a second time, of cards and where they stand."""
    first: dict[int, str] = {}
    for card, where in placed:
        if card in first:
            text = _("the card {card} is there twice")
            parameters = {"card": NAMES[card], "other": first[card]}
            mistakes.append(Mistake("card_duplicate", text, where, parameters))
        else:
            first[card] = where


def _cards_and_pointers(value: Any, pointer: str) -> list[tuple[int, str]]:
    in_list = type(value) is list
    pieces = value if in_list else split(value) if value and type(value) is str else []
    return [
        (SPELLINGS[piece], f"{pointer}/{place}" if in_list else pointer)
        for place, piece in enumerate(pieces[: _MOST_CARDS_READ + 1])
        if type(piece) is str and piece in SPELLINGS
    ]
