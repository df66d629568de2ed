"""Standings as they were last written out: made once a version, however many screens ask for them.

Each process keeps a few of them. Who asks while they are being made waits for them, instead of making
them, too.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

#: Of 10,000 players they have 3 MB.
MOST_KEPT = 8


@dataclass(slots=True)
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    version: int = -1
    made_at: float = 0.0
    body: bytes = b""


class Published:
    """The last of each, by key."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._lock, self._most = threading.Lock(), most
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()

    def get(
        self, key: Hashable, version: int, asked_at: float, make: Callable[[], tuple[bytes, int]]
    ) -> tuple[bytes, int]:
        """What is kept, if it has this version or was made since ``asked_at``, or else made anew.

        ``asked_at``: a time on the monotonic clock before the version was read.
        """
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with entry.lock:
            if entry.version != version and entry.made_at <= asked_at:
                made_at = time.monotonic()
                entry.body, entry.version = make()
                entry.made_at = made_at
            return entry.body, entry.version
