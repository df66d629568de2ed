"""How far a request has come in, told from its bytes alone.

Nothing is judged here: whatever looks odd is handed on as it is, and gunicorn's parser refuses it.
"""

import re
from enum import Enum, auto

HEAD_BYTES = 32 * 1024
"""A request line and header fields have no more, all together."""
BODY_BYTES = 64 * 1024
"""A body is waited for to its end if it has no more; of a longer one, so much."""

_BARE_LF = re.compile(rb"(?<!\r)\n")
_LENGTH = re.compile(rb"\r\ncontent-length:([^\r\n]*)", re.IGNORECASE)
_CODING = re.compile(rb"\r\ntransfer-encoding:([^\r\n]*)", re.IGNORECASE)
_EXPECT = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*(?=\r\n)", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;|\Z)")
_MOST_DIGITS = 18


class State(Enum):
    """What to do with a request that is coming in."""

    #: Wait for more.
    MORE = auto()
    #: It can be answered without waiting for the client.
    WHOLE = auto()
    #: Its body is long, or has no end that can be told here: it is read while it comes.
    STREAM = auto()
    #: Its head is too long already.
    TOO_LONG = auto()


class Arrival:
    """What has come of a request, and by when it has to be here.

    ``data`` may go on behind the end of the request. ``expects`` says, once, that the client waits for
    ``100 Continue``; it has been taken out of the head, so that it is sent only once.
    """

    def __init__(self, deadline: float, line_bytes: int) -> None:
        self.data = bytearray()
        self.deadline = deadline
        self.expects = False
        self._line_bytes = line_bytes
        self._body_at = 0
        self._chunk_at = 0
        self._trailers = False
        #: How many bytes make it whole; None where only its chunks tell.
        self._wanted: int | None = 0

    def add(self, some: bytes) -> State:
        """Take in what has come."""
        before = len(self.data)
        self.data += some
        if not self._body_at:
            state = self._look_for_head(before)
            if state is not None:
                return state
        state = self._state()
        if state is not State.MORE:
            self.expects = False
        return state

    def _look_for_head(self, before: int) -> State | None:
        """Find the end of the head; None once it is there and the body is to be looked at."""
        data = self.data
        if data[:2] == b"\r\n":
            del data[:2]
            before = 0
        most = self._line_bytes + 2
        if len(data) > most and data.find(b"\r\n", 0, most) < 0:
            return State.WHOLE  # to be refused for its first line
        end = data.find(b"\r\n\r\n", max(0, before - 3))
        if end > HEAD_BYTES or (end < 0 and len(data) > HEAD_BYTES):
            return State.TOO_LONG
        if end < 0:
            return State.WHOLE if _BARE_LF.search(data, before) else State.MORE
        self._body_at = end + 4
        return self._read_head(bytes(data[: end + 2]))

    def _read_head(self, head: bytes) -> State | None:
        lengths, codings = _LENGTH.findall(head), _CODING.findall(head)
        if len(lengths) + len(codings) > 1:
            return State.STREAM
        length = 0
        if codings:
            if codings[0].strip(b" \t").lower() != b"chunked":
                return State.STREAM
            self._wanted, self._chunk_at = None, self._body_at
        elif lengths:
            digits = lengths[0].strip(b" \t")
            if not digits.isdigit() or len(digits) > _MOST_DIGITS:
                return State.STREAM
            length = int(digits)
            self._wanted = self._body_at + length
        else:
            self._wanted = self._body_at
        if (length or codings) and b"HTTP/1.1\r\n" in head:
            self._take_out_expectation(head)
        return None

    def _take_out_expectation(self, head: bytes) -> None:
        found = _EXPECT.search(head)
        if found is None:
            return
        self.expects = True
        start, end = found.span()
        del self.data[start:end]
        self._body_at -= end - start
        if self._wanted is None:
            self._chunk_at = self._body_at
        else:
            self._wanted -= end - start

    def _state(self) -> State:
        enough = len(self.data) - self._body_at >= BODY_BYTES
        if self._wanted is None:
            state = self._look_for_last_chunk()
            return State.STREAM if state is State.MORE and enough else state
        if self._wanted - self._body_at > BODY_BYTES:
            return State.STREAM if enough else State.MORE
        return State.WHOLE if len(self.data) >= self._wanted else State.MORE

    def _look_for_last_chunk(self) -> State:
        """Go from chunk to chunk as far as they are here."""
        data = self.data
        while (end := data.find(b"\r\n", self._chunk_at)) >= 0:
            if self._trailers:
                if end == self._chunk_at:
                    return State.WHOLE
                self._chunk_at = end + 2
                continue
            size = _CHUNK_SIZE.match(data[self._chunk_at : end])
            if size is None:
                return State.STREAM
            count = int(size[1], 16)
            self._trailers = not count
            self._chunk_at = end + 2 + (count + 2 if count else 0)
        return State.MORE
