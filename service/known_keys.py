"""API keys that this process remembers, as long as it would hear of any change to them."""

import hmac

from service.database import Database
from service.hearing import Hearing
from service.record.keys import Claimed, Key

MOST_KEYS = 10_000

#: Of each key by its prefix: the digest of its secret, and what it may do.
Memory = dict[str, tuple[bytes, Key]]


class KnownKeys:
    """The keys that were let in by this process and have not changed since.

    They are asked for anew after any change to any key, and while it is not certain that changes are
    heard of (see ``service.hearing``), each time.
    """

    def __init__(self, database: Database) -> None:
        self._memory: Memory = {}
        self._hearing = Hearing(
            database,
            self._forget,
            channel="susun_keys",
            table="api_keys",
            teller="tell_of_keys",
            triggers=2,
        )
        self.stop = self._hearing.stop

    def find(self, claimed: Claimed) -> Key | None:
        """The key that is claimed, if it is remembered, unchanged and live; None: the database knows.

        So whoever claims a key with another secret learns nothing from how long it takes.
        """
        if not self._hearing.is_certain():
            return None
        secret_sha256, key = self._memory.get(claimed.prefix, _NOBODY)
        if not hmac.compare_digest(claimed.secret_sha256, secret_sha256) or key is None:
            return None
        return key if key.live else None

    def memory(self) -> Memory:
        """What is remembered now: to be had before the database is asked, and given to `remember`."""
        return self._memory

    def remember(self, memory: Memory, claimed: Claimed, key: Key) -> None:
        """Remember a key that was let in.

        If any key has changed since the memory was taken, it is another one's by now, and nobody looks
        into this one any more.
        """
        if len(memory) >= MOST_KEYS:
            memory.clear()
        memory[claimed.prefix] = (claimed.secret_sha256, key)

    def _forget(self) -> None:
        self._memory = {}


_NOBODY = (bytes(32), None)
