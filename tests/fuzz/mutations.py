"""What is done to good requests: values, structure, bytes, headers, addresses."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.samples import QUERIES, Sample

NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53, 2**53 + 1, -(2**63), 2**64, 10**30, 0.5, -0.0, 1e308),
    *("", " ", "\0", "\ud800", "a" * 65, "a" * 5000, "As", "10s", "0s", "Ас", "A♠", "A♠\ufe0f", "as"),
    *("=cmd()", "'; DROP TABLE rounds; --", "%s%n", "{0}", "{player}", "../..", "\u202e", "é", "𝔸"),
    *([], {}, [[]], [None], {"": ""}, {"a": {"b": []}}, ["As"] * 14, [["As"]], {"id": "bsfyi"}),
    *("dragon", "six_pairs", "bsfyi", "gratis", "2026-02-30T00:00:00Z", "andi", "budi"),
)
_CARDS = tuple(rank + suit for rank in "23456789TJQKA" for suit in "shcd")
_HEADERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Content-Type",
        ("text/plain", "application/x-ndjson", "application/json; charset=utf-16", "", "a/b/c"),
    ),
    ("Accept", ("text/csv", "application/x-ndjson", "image/*;q=0", "*/*", ",;q=,", "text/html")),
    ("Accept-Language", ("id", "xx", "id;q=0", "*", ";;;", "a" * 300)),
    ("Idempotency-Key", ("k", '"k"', "", "a" * 256, '"', "a b", "é", "fuzz-1", "fuzz-2")),
    ("If-Match", ("*", '"x"', "", "W/", '"a","b"', "\\")),
    ("If-None-Match", ("*", '"x"', "", 'W/"y"', ",,,")),
    ("Authorization", ("Bearer", "Bearer x", "Basic YTpi", "", "Bearer susun_0_0", "Bearer é")),
    ("X-Request-ID", ("mine", "a" * 100, "\t", "%0a")),
    ("Expect", ("100-continue", "200-ok")),
    ("Range", ("bytes=0-1", "x")),
    ("Content-Encoding", ("gzip", "identity")),
    ("Content-Length", ("0", "-1", "x", "99999999999", "1")),
    ("Transfer-Encoding", ("chunked", "gzip, chunked", "x")),
    ("X-Forwarded-For", ("1.2.3.4", "x, y", "::1")),
    ("Origin", ("https://a.example", "null", "")),
    ("Host", ("", "x y", "a" * 300)),
    ("Connection", ("close", "upgrade", "keep-alive, x")),
)


def places(document: Any, found: list[tuple[Any, Any]] | None = None) -> list[tuple[Any, Any]]:
    """Every container and key or index within a document."""
    found = [] if found is None else found
    items: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(document, dict):
        items = iter(document.items())
    elif isinstance(document, list):
        items = enumerate(document)
    for key, value in items:
        found.append((document, key))
        places(value, found)
    return found


def _other_value(sample: Sample, chance: random.Random) -> None:
    where = places(sample.document)
    if where:
        holder, key = chance.choice(where)
        holder[key] = copy.deepcopy(chance.choice(NASTY))
    else:
        sample.document = copy.deepcopy(chance.choice(NASTY))


def _other_card(sample: Sample, chance: random.Random) -> None:
    cards = [(holder, key) for holder, key in places(sample.document) if holder[key] in _CARDS]
    if cards:
        holder, key = chance.choice(cards)
        holder[key] = chance.choice(_CARDS)


def _without(sample: Sample, chance: random.Random) -> None:
    where = places(sample.document)
    if where:
        holder, key = chance.choice(where)
        del holder[key]


def _more(sample: Sample, chance: random.Random) -> None:
    holders = [holder[key] for holder, key in places(sample.document)] + [sample.document]
    holder = chance.choice(holders)
    value = copy.deepcopy(chance.choice([*NASTY, *holders]))
    if isinstance(holder, dict):
        holder[chance.choice(("player", "cards", "declare", "stake", "number", "x", "", "~/"))] = value
    elif isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), value)


def _deeper(sample: Sample, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 5, 40, 200))):
        sample.document = [sample.document] if chance.random() < 0.5 else {"seats": sample.document}


def _other_bytes(sample: Sample, chance: random.Random) -> None:
    body = bytearray(encoded(sample))
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(body) + 1)
        kind = chance.random()
        if kind < 0.4:
            body[place:place] = chance.choice(
                (b"\0", b"\xff", b"{", b"]", b",", b'"', b"NaN", b"9" * 400)
            )
        elif kind < 0.7:
            del body[place : place + chance.randrange(1, 20)]
        elif body:
            body[place % len(body)] = chance.randrange(256)
    sample.body = bytes(body)


def _other_header(sample: Sample, chance: random.Random) -> None:
    name, values = chance.choice(_HEADERS)
    sample.headers[name] = chance.choice(values)


def _other_query(sample: Sample, chance: random.Random) -> None:
    parts = list(chance.choice(QUERIES))
    for _ in range(chance.randrange(3)):
        parts.insert(
            chance.randrange(len(parts) + 1), chance.choice(("&", "=", "%00", "%ff", "+", "9", "%"))
        )
    sample.query = "".join(parts)


def _other_path(sample: Sample, chance: random.Random) -> None:
    place = chance.randrange(len(sample.path) + 1)
    piece = chance.choice(("/", "%2f", "%00", "..", "%ff", "x", "%F0%9F%82%A1", "'", ";"))
    sample.path = sample.path[:place] + piece + sample.path[place:]


def _other_method(sample: Sample, chance: random.Random) -> None:
    sample.method = chance.choice(
        ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "QUERY")
    )


def _other_head(sample: Sample, chance: random.Random) -> None:
    head = bytearray(head_of(sample, encoded(sample)))
    place = chance.randrange(len(head))
    if chance.random() < 0.5:
        head[place] = chance.randrange(256)
    else:
        head[place:place] = chance.choice((b"\r\n", b"\0", b" ", b":", b"\r", b"x" * 9000))
    sample.head = bytes(head)


#: What can be done, and how often it is.
MUTATIONS: dict[Callable[[Sample, random.Random], None], int] = {
    _other_value: 8,
    _other_card: 5,
    _without: 3,
    _more: 4,
    _deeper: 1,
    _other_bytes: 4,
    _other_header: 5,
    _other_query: 3,
    _other_path: 2,
    _other_method: 1,
    _other_head: 1,
}
_OF_BODIES = (_other_value, _other_card, _without, _more, _deeper)


def mutate(sample: Sample, chance: random.Random) -> None:
    """Do some things to a request; now and then nothing."""
    chosen = chance.choices(
        list(MUTATIONS), list(MUTATIONS.values()), k=chance.choice((0, 1, 1, 1, 2, 3))
    )
    # What is done to bytes comes after what is done to the document.
    for change in sorted(chosen, key=lambda change: (change is _other_head, change not in _OF_BODIES)):
        if sample.document is not None or change not in _OF_BODIES:
            change(sample, chance)


def encoded(sample: Sample) -> bytes:
    """The body as it is sent."""
    if sample.body is not None:
        return sample.body
    if sample.document is None:
        return b""
    if sample.in_lines and isinstance(sample.document, list):
        return b"".join(json.dumps(line).encode() + b"\n" for line in sample.document)
    return json.dumps(sample.document).encode()


def head_of(sample: Sample, body: bytes) -> bytes:
    """The request line and the headers as they are sent."""
    target = sample.path + ("?" + sample.query if sample.query else "")
    headers = {"Host": "localhost", **sample.headers}
    if body and "Content-Length" not in headers and "Transfer-Encoding" not in headers:
        headers["Content-Length"] = str(len(body))
    lines = [
        f"{sample.method} {target} HTTP/1.1",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogatepass")
