"""When API keys were last used: collected in memory, written once a minute, apart from requests."""

import logging
import threading
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from service.database import Database, DatabaseAway
from service.record import keys
from service.record.ids import now

log = logging.getLogger(__name__)

SECONDS = 60
"""How long a use waits to be written; as much is lost with a worker that is killed."""


class LastUse:
    """The keys that were used in this process since they were last written, and when.

    A thread of its own writes them, and begins with the first use: after the fork, that is.
    """

    def __init__(self, database: Database, seconds: float | None = None) -> None:
        self._database, self._seconds = database, SECONDS if seconds is None else seconds
        self._used: dict[UUID, datetime] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def note(self, key_id: UUID) -> None:
        """A key has just been used. Asks nothing of the database."""
        with self._lock:
            self._used[key_id] = now()
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_on, name="last-use", daemon=True)
                self._thread.start()

    def flush(self) -> None:
        """Write what has been collected; what cannot be written now is kept for the next time."""
        with self._lock:
            used, self._used = self._used, {}
        if not used:
            return
        try:
            with self._database.transaction() as connection:
                keys.mark_used(connection, used)
        except (DatabaseAway, SQLAlchemyError) as error:
            log.warning("when keys were last used could not be written: %s", type(error).__name__)
            with self._lock:
                self._used = {**used, **self._used}

    def stop(self) -> None:
        """Write the rest, and no more."""
        self._stopped.set()
        self.flush()

    def _write_on(self) -> None:
        while not self._stopped.wait(self._seconds):
            self.flush()
