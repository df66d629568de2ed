"""JSON read strictly: what parsers make different things of is refused, the rest is as json has it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api import json_input
from service.api.json_input import NotJson, parse
from tests.schemas.strategies import ANY

REFUSED = {
    "nothing": b"",
    "NaN": b"[NaN]",
    "Infinity": b"[Infinity]",
    "minus Infinity": b"[-Infinity]",
    "nan": b"[nan]",
    "a key twice": b'{"a": 1, "a": 1}',
    "a key twice, escaped": b'{"a": 1, "\\u0061": 1}',
    "21 digits": b"1" * 21,
    "1e999": b"1e999",
    "a long fraction out of bounds": b"9" * 400 + b".0",
    "33 lists": b"[" * 33 + b"]" * 33,
    "33 objects": b'{"a":' * 33 + b"1" + b"}" * 33,
    "100,000 brackets": b"[" * 100_000,
    "100,000 braces": b'{"a":' * 100_000,
    "NUL": b'"\x00"',
    "NUL, escaped": b'"\\u0000"',
    "NUL in a key": b'{"\\u0000": 1}',
    "NUL deep down": b'[[{"a": ["\\u0000"]}]]',
    "half a pair, the first": b'"\\ud800"',
    "half a pair, the first, in capitals": b'"\\uDBFF"',
    "half a pair, the second": b'"\\udc00"',
    "half a pair, the second, in capitals": b'"\\uDFFF"',
    "half a pair in a key": b'{"\\udc00": 1}',
    "a pair the wrong way round": b'"\\udc00\\ud800"',
    "UTF-8 cut short": b'"\xc3"',
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "beyond Unicode": b'"\xf4\x90\x80\x80"',
    "UTF-16": "[]".encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf[]",
    "a number with a zero in front": b"01",
    "a number with a plus": b"+1",
    "a point without digits": b"1.",
    "hexadecimal": b"0x10",
    "a comma at the end": b"[1,]",
    "single quotes": b"['a']",
    "a bare word": b"abc",
    "a form feed for a space": b"\x0c[]",
    "a no-break space": "\u00a0[]".encode(),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_is_refused_and_says_why(body: bytes) -> None:
    with pytest.raises(NotJson) as caught:
        parse(body)
    assert str(caught.value) == caught.value.text.format_map(caught.value.parameters)
    str(caught.value).encode()  # it can be answered, that is


TAKEN = {
    "20 digits": (b"1" * 20, int("1" * 20)),
    "minus 19 digits": (b"-" + b"1" * 19, -int("1" * 19)),
    "32 lists": (b"[" * 32 + b"]" * 32, None),
    "32 lists, next to each other": (b"[" + b",".join([b"[" * 31 + b"]" * 31] * 3) + b"]", None),
    "brackets in a string": (b'["' + b"[{" * 40 + b'\\"[' * 40 + b'"]', None),
    "a surrogate pair": (b'"\\ud83c\\udca1"', "🂡"),
    "an escaped backslash before u0000": (b'"\\\\u0000"', "\\u0000"),
    "a small fraction": (b"1e-999", 0.0),
    "spaces of all kinds": (b" \t\r\n[ ]\n", []),
    "DEL": (b'"\x7f"', "\x7f"),
}


@pytest.mark.parametrize(("body", "value"), TAKEN.values(), ids=TAKEN)
def test_is_taken(body: bytes, value: object) -> None:
    assert parse(body) == (json.loads(body) if value is None else value)


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda items: st.lists(items, max_size=4) | st.dictionaries(TEXTS, items, max_size=4),
    max_leaves=20,
)


@given(value=VALUES, ascii_only=st.booleans())
def test_whatever_json_writes_is_read_back(value: object, ascii_only: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(
    body=st.binary(max_size=200)
    | st.text(alphabet='{}[]":,\\u0dDc8 1eE.-naNIfy\0', max_size=80).map(str.encode)
)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        value = parse(body)
    except NotJson:
        return
    assert value == json.loads(body)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


_TEXTS = """{ } [ ] , : "a" "b" "a":1 "a:" " 1 - .5 1e9 1e999 true null NaN é"""
_ODD = ["\\u0000", "\\u003a", '\\"', "\\ud800", "[" * 31, "]" * 31, "\x00", "\ufeff", " "]
PIECES = st.sampled_from([*_TEXTS.split(), *_ODD, *("9" * digits for digits in range(18, 22))])


def read(parser: Callable[[bytes], Any], body: bytes) -> Any:
    """What is read, in a form that tells 1 from 1.0 and True; or why nothing is."""
    try:
        return repr(parser(body))
    except NotJson as error:
        return error.text, error.parameters


@given(st.lists(PIECES, max_size=12).map("".join) | ANY.map(json.dumps), st.lists(PIECES), st.data())
def test_the_quick_way_of_reading_takes_and_refuses_what_the_strict_one_does(
    text: str, pieces: list[str], data: st.DataObject
) -> None:
    for piece in pieces[:2]:
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + piece + text[place:]
    body = text.encode()
    strictly = json_input._parse_strictly if body else parse
    assert read(parse, body) == read(strictly, body)


@pytest.mark.parametrize(
    "body", [*REFUSED.values(), b'{"a": ":", "b:": [1.0, 1e2, -0]}', b'{"a::": 1, "a::": 1}']
)
def test_the_quick_way_has_no_way_around(body: bytes) -> None:
    assert read(parse, body) == read(json_input._parse_strictly if body else parse, body)
