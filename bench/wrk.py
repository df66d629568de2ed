"""``wrk`` as the client: its requests come from a file, and its answers are checked."""

import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path

from bench.client import TIMEOUT, Expected, Run, Unexpected

SCRIPT = Path(__file__).with_suffix(".lua")
#: Requests that may be sent again, and those a second that may not: more than any service answers here.
SOME, MANY_A_SECOND = 1_000, 4_000
#: At its end it leaves requests alone that are being served: by then they are.
_SERVED_SECONDS = 0.3


def installed() -> bool:
    """Whether it can be used."""
    return shutil.which("wrk") is not None


def run(
    port: int,
    lines: Sequence[Iterator[bytes]],
    expected: Expected,
    *,
    seconds: int,
    once: bool = False,
) -> Run:
    """As :func:`bench.client.run` does; ``once``: no request may be sent again.

    wrk takes requests in their order, for whichever connection is free: those of a line come mostly, but
    not strictly, one after the other.
    """
    each = -(-(MANY_A_SECOND * seconds if once else SOME) // len(lines))
    requests = chain.from_iterable(zip_longest(*[islice(line, each) for line in lines]))
    with tempfile.NamedTemporaryFile(prefix="susun-bench-") as file:
        file.writelines(_records(requests))
        file.flush()
        command = ["wrk", "--threads=1", f"--connections={len(lines)}", f"--duration={seconds}s"]
        command += [f"--timeout={TIMEOUT:.0f}s", f"--script={SCRIPT}", f"http://127.0.0.1:{port}"]
        header = expected.header.partition(b":")[0].decode()
        command += ["--", file.name, str(expected.status), header or "-", str(expected.least_bytes)]
        command += ["once" if once else "again"]
        computed = _computed()
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        computed = _computed() - computed
    time.sleep(_SERVED_SECONDS)
    found = [line.removeprefix("SUSUN ") for line in told.stdout.splitlines() if "SUSUN " in line]
    if told.returncode or len(found) != 2:
        raise Unexpected(f"wrk ended with status {told.returncode}: {told.stdout}{told.stderr}")
    right, wrong, lost, ran_out, microseconds = map(int, found[0].split())
    if wrong or lost:
        raise Unexpected(
            f"expected {expected}; {wrong} others, {lost} not at all; the first: {found[1]}"
        )
    if ran_out:
        raise Unexpected(f"{right} requests were not enough for {seconds} seconds")
    return Run(right, microseconds / 1e6, computed / microseconds * 1e6, len(lines))


def _records(requests: Iterable[bytes | None]) -> Iterator[bytes]:
    for request in requests:
        if request is not None:
            yield b"%d\n%b" % (len(request), request)


def _computed() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
