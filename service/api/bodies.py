"""Bodies of lines (NDJSON), taken in whole, on disk, and read line by line in constant memory.

Clients mostly read nothing while they write, and proxies send on no more of a body once an answer has
begun; so whoever answered before he had it all would wait for a client that waits for him.
"""

import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator
from io import BytesIO
from typing import IO

from flask import request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from service.api.problems import Problem
from service.api.reading import too_large
from service.messages import _

NDJSON = "application/x-ndjson"
#: Of a body: 100,000 rounds of four have about 50 MiB.
MOST_BYTES = 128 * 1024 * 1024
_IN_MEMORY = 64 * 1024
# Of JSON; to Python there are others.
_BLANKS = b" \t\r\n"
_PIECE_BYTES = 64 * 1024


def take_in() -> IO[bytes]:
    """The body, as a file to read from the beginning; a 413 problem if there is too much of it."""
    length = request.content_length
    if (length or 0) > MOST_BYTES:
        raise too_large(MOST_BYTES)
    request.max_content_length = MOST_BYTES
    # Of unknown length: werkzeug would read as far as the limit, and not tell that there is more.
    chunked = length is None and request.environ.get("wsgi.input_terminated")
    source = request.environ["wsgi.input"] if chunked else request.stream
    small = length is not None and length <= _IN_MEMORY
    body: IO[bytes] = BytesIO() if small else tempfile.TemporaryFile(prefix="susun-body-")  # noqa: SIM115
    try:
        if _copy(source, body) < (length or 0):
            raise ClientDisconnected
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body


def _copy(source: IO[bytes], body: IO[bytes]) -> int:
    count = 0
    while some := _read(source):
        count += len(some)
        if count > MOST_BYTES:
            raise too_large(MOST_BYTES)
        try:
            body.write(some)
        except OSError as error:
            text = _("there is no room here to take the body in")
            raise Problem("storage-full", text, headers={"Connection": "close"}) from error
    return count


def _read(source: IO[bytes]) -> bytes:
    try:
        return source.read(_PIECE_BYTES)
    except RequestEntityTooLarge:
        raise too_large(MOST_BYTES) from None
    except OSError as error:
        raise ClientDisconnected from error


def lines(body: IO[bytes], most: int) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a body with their numbers, from 1; None in place of one of more than ``most`` bytes.

    Without their ends; a blank line is empty. Blank lines at the end are none, and so is the mark that
    some programs begin UTF-8 with.
    """
    number = blank = 0
    while some := body.readline(most + 2):
        number += 1
        if number == 1:
            some = some.removeprefix(BOM_UTF8) or b"\n"
        line: bytes | None = some
        if len(some) > most and len(some.rstrip(b"\r\n")) > most:
            line = None
            while some and not some.endswith(b"\n"):
                some = body.readline(_PIECE_BYTES)
        elif not some.strip(_BLANKS):
            blank += 1
            continue
        for earlier in range(number - blank, number):
            yield earlier, b""
        blank = 0
        yield number, line and line.rstrip(b"\r\n")
