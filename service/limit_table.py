"""How much each client has used of what it may, counted over all workers of a host together.

A table in shared memory, without a file that anybody could see or would have to clear away. Each client
has one number, its *due*: when all that it has used will have been made up for (the generic cell rate
algorithm, a leaky bucket without a timer). A due in the past is as good as none, so that places free
themselves.
"""

import contextlib
import logging
import math
import mmap
import multiprocessing
import os
import struct
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

log = logging.getLogger(__name__)

_SETS = 4096
_PLACES = 8
_PLACE = struct.Struct("=Qd")  # whose it is, and its due
_SET = struct.Struct("=" + "Qd" * _PLACES)
_LOCK_SECONDS, _DEAD_SECONDS = 0.005, 1.0
#: What is charged by force may have to be made up for later: for so long at most.
MOST_DEBT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Rate:
    """``a_second`` units a second, and ``burst`` units at once."""

    a_second: float
    burst: int

    @property
    def window(self) -> float:
        """The seconds in which a burst that was used up is made up for."""
        return self.burst / self.a_second


@dataclass(frozen=True, slots=True)
class Use:
    """What a client has left: whole units, and the seconds until it has all.

    ``wait``: 0 where it was let in, or the seconds until it will be.
    """

    left: int
    whole_in: float
    wait: float


class LimitTable:
    """32,768 places of 16 bytes, in sets of 8: a client has one place in the set that its name leads to.

    Of a full set the client who is the first to be whole again is forgotten, which favours it. Names
    are hashed under a secret of this table, so that nobody can choose whose set theirs is.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises OSError where there is no room for it."""
        self._clock = clock
        self._secret = os.urandom(16)
        self._file = _nameless_file(_SETS * _SET.size)
        weakref.finalize(self, os.close, self._file)
        self._memory = mmap.mmap(self._file, _SETS * _SET.size)
        # A semaphore in shared memory, which to take is no system call as long as nobody else has it.
        self._lock = multiprocessing.get_context("fork").Lock()
        self._missed_since: float | None = None

    def take(self, client: bytes, rate: Rate, units: float, *, force: bool = False) -> Use:
        """Let a client use some units, unless it has too few left; ``force`` charges it
        all the same, and leaves it a debt.

        Negative units are given back.
        """
        return self.take_each([(client, rate)], units, force=force)[0]

    def take_each(
        self, clients: Sequence[tuple[bytes, Rate]], units: float, *, force: bool = False
    ) -> list[Use]:
        """The same for each of some clients, up to the first that has too few left."""
        named = [
            (blake2b(client, digest_size=16, key=self._secret).digest(), rate)
            for client, rate in clients
        ]
        uses: list[Use] = []
        held = self._acquire()
        try:
            now = self._clock()
            for digest, rate in named:
                uses.append(self._take(digest, rate, units, now, force))
                if uses[-1].wait > 0:
                    break
        finally:
            if held:
                self._release()
        return uses

    def _take(self, digest: bytes, rate: Rate, units: float, now: float, force: bool) -> Use:
        offset = int.from_bytes(digest[:8], "little") % _SETS * _SET.size
        # Nobody has the name 0, which is that of an empty place.
        name = int.from_bytes(digest[8:], "little") | 1
        place, due = self._find(offset, name, now)
        latest = now + rate.window
        # Later than it can be, or NaN: of other limits than these, or overwritten.
        due = max(due, now) if due <= latest + MOST_DEBT_SECONDS else now
        after = max(due + units / rate.a_second, now)
        wait = max(after - latest, 0.0)
        if wait > 0 and not force:
            return _use(rate, due - now, wait)
        after = min(after, latest + MOST_DEBT_SECONDS)
        _PLACE.pack_into(self._memory, place, name, after)
        return _use(rate, after - now, 0.0)

    def _find(self, offset: int, name: int, now: float) -> tuple[int, float]:
        """Where the client's place is, or the one that it can have, and its due."""
        places = _SET.unpack_from(self._memory, offset)
        names, dues = places[::2], places[1::2]
        if name in names:
            number = names.index(name)
            return offset + number * _PLACE.size, dues[number]
        number = min(range(_PLACES), key=lambda place: dues[place])
        return offset + number * _PLACE.size, now

    def _acquire(self) -> bool:
        """Lock the table, but wait no longer than some milliseconds for who was stopped in it.

        Without the lock, what two count at once may be counted once. If it is not to be had for a whole
        second, whoever had it has been killed, and it is freed.
        """
        if self._lock.acquire(timeout=_LOCK_SECONDS):
            self._missed_since = None
            return True
        now = time.monotonic()
        self._missed_since = self._missed_since or now
        if now - self._missed_since > _DEAD_SECONDS:
            self._missed_since = None
            self._release()
        return False

    def _release(self) -> None:
        # Somebody may have taken us for dead.
        with contextlib.suppress(ValueError):
            self._lock.release()


class _Shared:
    """The table that the master process made for all its workers."""

    table: LimitTable | None = None


def make_shared() -> None:
    """Make the table that all processes share which are forked from this one."""
    _Shared.table = make_table()


def shared_or_own() -> LimitTable | None:
    """The table of this host's workers; one of this process's own where nobody has made that."""
    return _Shared.table or make_table()


def make_table() -> LimitTable | None:
    """A table, or None where it cannot be made: then there are no limits, and the log says so."""
    try:
        return LimitTable()
    except OSError as error:
        log.error("requests are not limited, since there is no room to count them: %s", error.strerror)
        return None


def _use(rate: Rate, used_seconds: float, wait: float) -> Use:
    # A hair more than what rounding may have taken away.
    left = math.floor((rate.window - used_seconds) * rate.a_second + 1e-6)
    return Use(max(left, 0), used_seconds, wait)


def _nameless_file(size: int) -> int:
    """A descriptor of a file that goes with the last process that has it open."""
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryFile(prefix="susun-limits-", dir=where) as file:
        if hasattr(os, "posix_fallocate"):
            # Room that is missing is to be missed now, and not when a request comes.
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)
        return os.dup(file.fileno())
