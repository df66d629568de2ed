"""JSON as this service takes it: RFC 8259, without what parsers make different things of."""

import json
import math
import re
from typing import Any, NoReturn

from service.messages import _

_MOST_DIGITS = 20
_DEEPEST = 32
_SHOWN = 40
_BRACKETS = re.compile(rb"[\[{]")
_ESCAPED_NUL_OR_SURROGATE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class NotJson(ValueError):
    """The body is no acceptable JSON; the text (with ``{parameters}``) says why."""

    def __init__(self, text: str, /, **parameters: Any) -> None:
        super().__init__(text.format_map(parameters))
        self.text, self.parameters = text, parameters


def parse(body: bytes) -> Any:
    """Parse a JSON body.

    :class:`NotJson` for what is not UTF-8 or not JSON, and for duplicate keys, NaN and infinities,
    numbers of more than 20 digits, nesting deeper than 32, NUL characters and lone surrogates.
    """
    if not body:
        raise NotJson(_("the body is empty"))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(_("the body is not UTF-8 at byte {position}"), position=error.start) from None
    if len(_BRACKETS.findall(body)) > _DEEPEST:
        _check_depth(text)
    try:
        document = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(
            _("not JSON at line {line}, column {column}"), line=error.lineno, column=error.colno
        ) from None
    if _ESCAPED_NUL_OR_SURROGATE.search(text):
        _check_strings(document)
    return document


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the parser recurses into it."""
    depth = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            if depth > _DEEPEST:
                raise NotJson(_("nested deeper than {most} levels"), most=_DEEPEST)
        elif character in "]}":
            depth -= 1


def _check_strings(value: Any) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise NotJson(_("a string holds a NUL character"))
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise NotJson(_("a string holds half of a surrogate pair"))
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_strings(key)
            _check_strings(item)
    elif isinstance(value, list):
        for item in value:
            _check_strings(item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen = set()
        for key, _value in pairs:
            if key in seen:
                raise NotJson(_("the key “{key}” is there twice in an object"), key=_shorten(key))
            seen.add(key)
    return found


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise NotJson(_("a number has more than {most} digits"), most=_MOST_DIGITS)
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotJson(_("the number {number} is out of bounds"), number=_shorten(digits))
    return number


def _constant(name: str) -> NoReturn:
    raise NotJson(_("{name} is not JSON"), name=name)


def _shorten(text: str) -> str:
    # A key may hold half a surrogate pair, which must not reach the answer.
    return text[:_SHOWN].encode("utf-8", "replace").decode()


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_constant,
)
