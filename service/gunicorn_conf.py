"""How gunicorn serves Susun; `susun run` and the container both use this file.

What can be set is in `service.config`; where anything there is wrong, nothing is started.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

# By name: gunicorn takes what is called as its settings are for one, `config` among them.
from service.config import ConfigError, read_config, read_server
from service.limit_table import make_shared
from service.refusals import install
from service.warm_up import warm_up

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
threads = 4
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

# Workers touch a file there to show that they live; on a slow disk that alone can block them.
worker_tmp_dir = "/dev/shm" if os.access(Path("/dev/shm"), os.W_OK | os.X_OK) else None
# Nobody steers the server through a socket.
control_socket_disable = True

loglevel = _server.log_level


def on_starting(server: Any) -> None:
    """Called by gunicorn before it starts any worker, which it would start again and again."""
    _or_stop(read_config)
    # Before the fork, so that all workers count in the same one.
    make_shared()


def post_worker_init(worker: Any) -> None:
    """Called by gunicorn in every worker, once the application is loaded."""
    warm_up()


def worker_exit(server: Any, worker: Any) -> None:
    """Called by gunicorn in a worker that ends in order."""
    application = getattr(worker, "wsgi", None)
    if application is not None and "susun_last_use" in getattr(application, "extensions", ()):
        application.extensions["susun_last_use"].stop()
