"""How gunicorn serves Susun; `susun run` and the container both use this file.

What can be set is in `service.config`; where anything there is wrong, nothing is started. Also read:
PROMETHEUS_MULTIPROC_DIR, where workers count what they do (default: a new directory, in memory where
there is room).
"""

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from service import forking, logs

# By name: gunicorn takes what is called as its settings are for one, `config` among them.
from service.config import ConfigError, read_config, read_server
from service.limit_table import make_shared
from service.refusals import install
from service.warm_up import compile_published, warm_up

_Read = TypeVar("_Read")


def _cores() -> int:
    # Fewer than the machine has, where this process may only use some of them.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _or_stop(read: Callable[[], _Read]) -> _Read:
    """What is read; where settings are wrong, all of them are told and the start ends."""
    try:
        return read()
    except ConfigError as error:
        print(f"susun: {error}", file=sys.stderr, flush=True)
        sys.exit(1)


_server = _or_stop(read_server)
bind = [f"[{_server.host}]:{_server.port}" if ":" in _server.host else f"{_server.host}:{_server.port}"]

workers = _server.workers or _cores()
worker_class = _server.worker_class
# gunicorn takes a "sync" with several threads for its "gthread".
threads = 1 if worker_class == "sync" else 4
# Each may hold a head and a body that are still coming in: about 50 MB in all.
worker_connections = 512
# It would wait for slow readers, past the worker class.
sendfile = False
# No connection to the database may be made before the fork.
preload_app = False

timeout = 30
graceful_timeout = 25
keepalive = 5

limit_request_line = 4094
limit_request_fields = 50
limit_request_field_size = 8190

# What is longer is answered as a problem, as the application answers.
install()

# Workers touch a file there to show that they live; on a slow disk that alone can block them. Both this
# and the counts need no more than /dev/shm, or else /tmp, to be writable.
_in_memory = "/dev/shm" if os.access(Path("/dev/shm"), os.W_OK | os.X_OK) else None
worker_tmp_dir = _in_memory
# Nobody steers the server through a socket.
control_socket_disable = True

loglevel = _server.log_level
logconfig_dict = logs.settings(loglevel)
# The application logs each request itself, with what only it knows.
accesslog = None

_COUNTS = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX = "susun-counts-"


def on_starting(server: Any) -> None:
    """Called by gunicorn before it has any worker: let the counts begin anew, where all will find them.

    A gunicorn that takes over from a running one (USR2) clears no directory that both were given. Wrong
    settings end the start here, before there are workers that would be started again and again.
    """
    _or_stop(read_config)
    # Before the fork, so that all workers count in the same one.
    make_shared()
    # And so that they share what it takes to score, and each is there the sooner.
    compile_published()
    forking.let_go_after_forks()
    given = os.environ.get(_COUNTS)
    if not given:
        clear_counts()
        os.environ[_COUNTS] = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_in_memory)
        # Kept with the server: this module is another one after a reload.
        server.susun_counts = os.environ[_COUNTS]
    elif not server.master_pid:
        directory = Path(given)
        directory.mkdir(parents=True, exist_ok=True)
        # Only what prometheus_client writes: somebody may have named a directory with more in it.
        for kind in ("counter", "gauge", "histogram", "summary"):
            for old in directory.glob(f"{kind}_*.db"):
                old.unlink()


def clear_counts() -> None:
    """Remove what servers of ours have left that were killed."""
    for left in Path(_in_memory or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        number = left.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            if left.stat().st_uid == os.geteuid() and not Path(f"/proc/{number}").exists():
                shutil.rmtree(left, ignore_errors=True)


def on_exit(server: Any) -> None:
    """Called by gunicorn when all workers have ended."""
    made = getattr(server, "susun_counts", None)
    if made is not None:
        shutil.rmtree(made, ignore_errors=True)


def child_exit(server: Any, worker: Any) -> None:
    """Called by gunicorn when a worker has ended: what it held open is open no more."""
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415 (reads _COUNTS)

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def post_request(worker: Any, request: Any, environ: Any, response: Any) -> None:
    """Called by gunicorn when a request is over, its answer sent."""
    logs.end_request()


def pre_fork(server: Any, worker: Any) -> None:
    """Called by gunicorn before it forks a worker."""
    forking.hold()


def post_worker_init(worker: Any) -> None:
    """Called by gunicorn in every worker, once the application is loaded."""
    warm_up()
    forking.let_go()


def worker_exit(server: Any, worker: Any) -> None:
    """Called by gunicorn in a worker that ends in order."""
    application = getattr(worker, "wsgi", None)
    if application is not None and "susun_last_use" in getattr(application, "extensions", ()):
        application.extensions["susun_known_keys"].stop()
        application.extensions["susun_last_use"].stop()
