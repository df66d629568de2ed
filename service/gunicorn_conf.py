"""How gunicorn serves Susun; `susun run` and the container both use this file.

Read from the environment: HOST and PORT (default 127.0.0.1 and 8000), WEB_CONCURRENCY (number of
worker processes, default one per core), WORKER_CLASS (default gthread), SUSUN_LOG_LEVEL (default info),
and PROMETHEUS_MULTIPROC_DIR, where workers count what they do (default: a new directory, in memory
where there is room).
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from service import logs
from service.warm_up import warm_up


def _cores() -> int:
    # Fewer than the machine has, where this process may only use some of them.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


_host = os.environ.get("HOST") or "127.0.0.1"
_port = os.environ.get("PORT") or "8000"
bind = [f"[{_host}]:{_port}" if ":" in _host else f"{_host}:{_port}"]

workers = int(os.environ.get("WEB_CONCURRENCY") or _cores())
worker_class = os.environ.get("WORKER_CLASS") or "gthread"
threads = 4
# No connection to the database may be made before the fork.
preload_app = False

timeout = 30
graceful_timeout = 25
keepalive = 5

limit_request_line = 4094
limit_request_fields = 50
limit_request_field_size = 8190

# Workers touch a file there to show that they live; on a slow disk that alone can block them. Both this
# and the counts need no more than /dev/shm, or else /tmp, to be writable.
_in_memory = "/dev/shm" if os.access(Path("/dev/shm"), os.W_OK | os.X_OK) else None
worker_tmp_dir = _in_memory
# Nobody steers the server through a socket.
control_socket_disable = True

loglevel = os.environ.get("SUSUN_LOG_LEVEL") or "info"
logconfig_dict = logs.settings(loglevel)
# The application logs each request itself, with what only it knows.
accesslog = None

_COUNTS = "PROMETHEUS_MULTIPROC_DIR"


def on_starting(server: Any) -> None:
    """Called by gunicorn before it has any worker: let the counts begin anew, where all will find them.

    A gunicorn that takes over from a running one (USR2) clears no directory that both were given.
    """
    given = os.environ.get(_COUNTS)
    if not given:
        os.environ[_COUNTS] = tempfile.mkdtemp(prefix="susun-counts-", dir=_in_memory)
        # Kept with the server: this module is another one after a reload.
        server.susun_counts = os.environ[_COUNTS]
    elif not server.master_pid:
        directory = Path(given)
        directory.mkdir(parents=True, exist_ok=True)
        # Only what prometheus_client writes: somebody may have named a directory with more in it.
        for kind in ("counter", "gauge", "histogram", "summary"):
            for old in directory.glob(f"{kind}_*.db"):
                old.unlink()


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


def post_worker_init(worker: Any) -> None:
    """Called by gunicorn in every worker, once the application is loaded."""
    warm_up()
