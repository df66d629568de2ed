"""JSON as this service takes it: RFC 8259, without what parsers make different things of."""

import json
import math
import re
from typing import Any, NoReturn

import orjson

from service.messages import _

_MOST_DIGITS = 20
_DEEPEST = 32
_SHOWN = 40
#: All digits as one, to look for long numbers by a plain search.
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * (_MOST_DIGITS - 1)
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
    found = _parse_plain(body)
    return _parse_strictly(body) if found is _DOUBTFUL else found


#: In place of what has to be read strictly, to be taken or refused.
_DOUBTFUL = object()


def _parse_plain(body: bytes) -> Any:
    """The same in half the time, by a parser that is less strict; ``_DOUBTFUL`` where that could matter.

    It takes four things that are to be refused, each of which leaves a trace. A key that is there twice
    is read once: so what was read has fewer colons than the text, where nothing is escaped. Numbers too
    long have a run of digits. NUL has to be escaped. Deep nesting takes many brackets, and is then
    counted.
    """
    if b"\\" in body or _LONG_NUMBER in body.translate(_DIGITS_ALIKE):
        return _DOUBTFUL
    try:
        found = orjson.loads(body)
        if orjson.dumps(found).count(b":") != body.count(b":"):
            return _DOUBTFUL
    except (ValueError, TypeError):  # no JSON; more levels than are written
        return _DOUBTFUL
    if body.count(b"[") + body.count(b"{") > _DEEPEST and _is_deep(found):
        return _DOUBTFUL
    return found


def _is_deep(document: Any) -> bool:
    """Whether objects and lists are nested deeper than is taken."""
    level = [document]
    for _depth in range(_DEEPEST):
        level = [
            item
            for holder in level
            for item in (holder.values() if type(holder) is dict else holder)
            if type(item) is dict or type(item) is list
        ]
        if not level:
            return False
    return True


def _parse_strictly(body: bytes) -> Any:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(_("the body is not UTF-8 at byte {position}"), position=error.start) from None
    if body.count(b"[") + body.count(b"{") > _DEEPEST:
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
