"""How far a request has come in, however it is cut into pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.arriving import BODY_BYTES, HEAD_BYTES, Arrival, State

LINE = b"POST /v1/score HTTP/1.1\r\n"
WHOLE = {
    "without a body": LINE + b"Host: a\r\n\r\n",
    "without any field": LINE + b"\r\n",
    "after an empty line": b"\r\n" + LINE + b"\r\n",
    "with a body": LINE + b"Content-Length: 5\r\n\r\n12345",
    "with an empty body": LINE + b"content-length:0\r\n\r\n",
    "in chunks": LINE
    + b"Transfer-Encoding: chunked\r\n\r\n5\r\n12\r\n3\r\n0A;a=b\r\n0\r\n\r\n45678\r\n0\r\n\r\n",
    "with trailers": LINE + b"Transfer-Encoding: Chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n",
    "expecting": LINE + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
    "with bare line feeds": b"GET / HTTP/1.1\nHost: a\n",
    "with too long a line": b"GET /" + b"a" * 100,
}
STREAMS = {
    "long": LINE + b"Content-Length: %d\r\n\r\n" % (BODY_BYTES + 1) + b"a" * BODY_BYTES,
    "long in chunks": LINE + b"Transfer-Encoding: chunked\r\n\r\nFFFFFF\r\n" + b"a" * (BODY_BYTES - 8),
    "two lengths": LINE + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "a length and chunks": LINE + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "another coding": LINE + b"Transfer-Encoding: gzip\r\n\r\n",
    "no number": LINE + b"Content-Length: +1\r\n\r\n",
    "no chunk": LINE + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n",
}
TOO_LONG = {"head": LINE + b"A: b\r\n" * (HEAD_BYTES // 6)}


def arrive(pieces: list[bytes]) -> tuple[State, Arrival]:
    """The first state other than MORE, and that only the last piece brings it about."""
    arrival = Arrival(0, 94)
    for piece in pieces[:-1]:
        assert arrival.add(piece) is State.MORE
    return arrival.add(pieces[-1]), arrival


@pytest.mark.parametrize(
    ("request_bytes", "state"),
    [
        *((data, State.WHOLE) for data in WHOLE.values()),
        *((data, State.STREAM) for data in STREAMS.values()),
        *((data, State.TOO_LONG) for data in TOO_LONG.values()),
    ],
    ids=[*WHOLE, *STREAMS, *TOO_LONG],
)
def test_it_is_told_at_the_last_byte_that_is_wanted(request_bytes: bytes, state: State) -> None:
    assert arrive([request_bytes])[0] is state
    start = request_bytes[: max(len(request_bytes) - 200, 0)]
    slowly = [bytes([byte]) for byte in request_bytes[len(start) :]]
    arrival = Arrival(0, 94)
    states = [arrival.add(piece) for piece in [start, *slowly]]
    first = next(place for place, found in enumerate(states) if found is not State.MORE)
    assert states[first] is state


@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_the_cuts_between_pieces_do_not_matter(name: str, data: st.DataObject) -> None:
    whole = WHOLE[name]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(whole) - 1))))
    arrival = Arrival(0, 94)
    state = State.MORE
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        if state is State.MORE:
            state = arrival.add(whole[start:end])
    assert state is State.WHOLE


def test_what_comes_behind_a_request_is_kept() -> None:
    state, arrival = arrive([WHOLE["with a body"][:-2], b"45" + WHOLE["without a body"]])
    assert state is State.WHOLE
    assert arrival.data.endswith(b"12345" + WHOLE["without a body"])


def test_only_who_waits_for_100_continue_expects_it() -> None:
    head, body = WHOLE["expecting"][:-2], WHOLE["expecting"][-2:]
    arrival = Arrival(0, 94)
    assert (arrival.add(head), arrival.expects) == (State.MORE, True)
    assert arrival.add(body) is State.WHOLE
    assert b"Expect" not in arrival.data and arrival.data.endswith(b"\r\nContent-Length: 2\r\n\r\n{}")
    assert not arrive([head + body])[1].expects


def test_the_longest_body_that_is_waited_for_is_the_longest_that_is_taken() -> None:
    from app import MOST_BODY_BYTES  # noqa: PLC0415

    assert BODY_BYTES == MOST_BODY_BYTES
