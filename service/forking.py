"""A worker hears every request to stop, from its first moment on.

Between the fork and the moment in which gunicorn has a new worker take signals itself, they go to the
master's handlers in the worker, who forget them: a service that is told to stop just then would wait for
that worker as long as requests are given.
"""

import os
import signal

_TO_STOP = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)


def let_go_after_forks() -> None:
    """Have the master take signals again after each fork; called in it once."""
    os.register_at_fork(after_in_parent=let_go)


def hold() -> None:
    """Keep signals waiting: before the fork of a worker, which inherits that."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _TO_STOP)


def let_go() -> None:
    """Take those that wait, and all to come: once whoever should take them does."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _TO_STOP)
