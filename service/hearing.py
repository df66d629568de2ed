"""Hearing of changes from the database as they are committed, and knowing whether we still do.

Postgres tells of a change by a message (``pg_notify`` in a trigger), which a thread with a connection of
its own listens for. Silence could mean anything; so every second a message is sent to ourselves, by a
connection of the pool, through the database, to the one that listens. Messages come in the order of
their commits: one that has come back proves that all changes before it have been heard of. It does not
where the database is away or frozen, where a pooler in between passes on no messages, where the pool
has gone over to another server, or where the triggers are missing.
"""

import logging
import os
import secrets
import select
import threading
import time
from collections.abc import Callable
from contextlib import closing

import psycopg2
from sqlalchemy.exc import SQLAlchemyError

from service.database import Database, DatabaseAway
from service.questions import question

log = logging.getLogger(__name__)

#: How often a message is sent to ourselves, and how long one that has come back is good for.
SEND_SECONDS, CERTAIN_SECONDS = 1.0, 2.0
#: While nobody wants to know, none is sent.
IDLE_SECONDS = 60.0
#: After so long without one that was sent, the connection is made anew;
DEAF_SECONDS = 5.0
#: each time after a longer pause, as long as that does not help.
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
_STOP_SECONDS = 5.0
_LOOK_MS = 1000

APPLICATION = "susun-hearing"
# Sent only by a database whose triggers would tell of changes too. Nobody need wait for its disk.
_SEND = question(
    "SET LOCAL synchronous_commit = off",
    "SELECT pg_notify(%(channel)s, %(number)s) FROM pg_trigger"
    " WHERE tgrelid = to_regclass(%(table)s) AND tgfoid = to_regproc(%(teller)s) AND tgenabled = 'A'"
    " HAVING count(*) = %(triggers)s",
    prepared=False,
)


class Deaf(Exception):
    """Messages are sent, and do not come."""


class Hearing:
    """Two threads, from the first use on (after the fork, that is): one listens, one sends.

    ``table``: whose changes are told, by how many ``triggers`` that call the function ``teller``, over
    the ``channel``. ``forget`` is called at every change, and whenever one may have been missed.
    """

    def __init__(
        self,
        database: Database,
        forget: Callable[[], None],
        *,
        channel: str,
        table: str,
        teller: str,
        triggers: int,
    ) -> None:
        self._database, self._forget, self._channel = database, forget, channel
        # Of this process alone, so that nobody is woken by what others send to themselves.
        self._own = f"susun_heard_{secrets.token_hex(8)}"
        self._table, self._teller, self._triggers = table, teller, triggers
        self._certain_until = self._wanted_until = 0.0
        #: What was sent last, and when; and since when nothing has come of what was sent.
        self._sent = ("0", 0.0)
        self._unheard_since: float | None = None
        self._listening = self._complained = False
        self._starting = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        self._waking, self._wake = os.pipe()

    def is_certain(self) -> bool:
        """Whether all changes of two seconds ago and earlier have certainly been heard of.

        Later ones are heard of within milliseconds. Whoever asks is told so from the next second on.
        """
        now = time.monotonic()
        self._wanted_until = now + IDLE_SECONDS
        if not self._threads:
            self._start()
        return now < self._certain_until

    def stop(self) -> None:
        """End the threads; nothing is certain any more."""
        with self._starting:
            if self._stopped.is_set():
                return
            self._stopped.set()
        os.write(self._wake, b"x")
        for thread in self._threads:
            thread.join(_STOP_SECONDS)
        self._certain_until = 0.0
        if not any(thread.is_alive() for thread in self._threads):
            os.close(self._wake)
            os.close(self._waking)

    def _start(self) -> None:
        with self._starting:
            if not self._threads and not self._stopped.is_set():
                works = {"hearing": self._listen_on, "sending": self._send_on}
                made = [
                    threading.Thread(target=work, name=name, daemon=True) for name, work in works.items()
                ]
                for thread in made:
                    thread.start()
                self._threads = made

    # --- the thread that listens -----------------------------------------------------------------------

    def _listen_on(self) -> None:
        pause = FIRST_PAUSE
        while not self._stopped.is_set():
            self._unheard_since = None
            try:
                with closing(self._database.connect_alone(APPLICATION)) as connection:
                    self._listen(connection)
            except (psycopg2.Error, OSError, Deaf) as error:
                self._complain(type(error).__name__)
            finally:
                self._listening = False
                heard, self._certain_until = self._certain_until > 0, 0.0
                self._forget()
            pause = FIRST_PAUSE if heard else min(2 * pause, LONGEST_PAUSE)
            self._stopped.wait(pause)

    def _listen(self, connection: "psycopg2.extensions.connection") -> None:
        """Listen until we are to stop; raises what has come between."""
        connection.autocommit = True
        with closing(connection.cursor()) as cursor:
            cursor.execute(f"LISTEN {self._channel};LISTEN {self._own}")
        # What was read before may have changed before we listened.
        self._forget()
        self._listening = True
        poller = select.poll()
        poller.register(connection.fileno(), select.POLLIN)
        poller.register(self._waking, select.POLLIN)
        while not self._stopped.is_set():
            poller.poll(_LOOK_MS)
            connection.poll()
            notifies, connection.notifies[:] = list(connection.notifies), []
            for told in notifies:
                self._hear(told.channel, told.payload)
            unheard = self._unheard_since
            if unheard is not None and time.monotonic() - unheard > DEAF_SECONDS:
                raise Deaf

    def _hear(self, channel: str, payload: str) -> None:
        if channel != self._own:
            self._forget()
            return
        number, sent = self._sent
        if payload == number:
            self._certain_until = sent + CERTAIN_SECONDS
            self._unheard_since = None
            self._complained = False

    # --- the thread that sends -------------------------------------------------------------------------

    def _send_on(self) -> None:
        while not self._stopped.wait(SEND_SECONDS):
            if self._listening and time.monotonic() < self._wanted_until:
                self._send()

    def _send(self) -> None:
        now = time.monotonic()
        self._sent = (str(int(self._sent[0]) + 1), now)
        if self._unheard_since is None:
            self._unheard_since = now
        try:
            sent = self._database.ask(
                _SEND,
                channel=self._own,
                number=self._sent[0],
                table=self._table,
                teller=self._teller,
                triggers=self._triggers,
            )
            if sent is not None:
                return
            why = "its triggers are not there"
        except (DatabaseAway, SQLAlchemyError) as error:
            why = type(error).__name__
        self._unheard_since = None  # nothing was sent
        self._complain(why)

    def _complain(self, why: str) -> None:
        """Say once, until it works again, why nothing is certain."""
        if not self._complained and not self._stopped.is_set():
            self._complained = True
            text = "changes of %s are not heard of, so that each request asks the database: %s"
            log.warning(text, self._table, why)
