"""How gunicorn serves Susun; `susun run` and the container both use this file.

Read from the environment: HOST and PORT (default 127.0.0.1 and 8000), WEB_CONCURRENCY (number of
worker processes, default one per core), WORKER_CLASS (default our own, see service.slow_clients) and
GUNICORN_LOG_LEVEL.
"""

import os
from pathlib import Path
from typing import Any

from service.warm_up import warm_up


def _cores() -> int:
    # Fewer than the machine has, where this process may only use some of them.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


_host = os.environ.get("HOST") or "127.0.0.1"
_port = os.environ.get("PORT") or "8000"
bind = [f"[{_host}]:{_port}" if ":" in _host else f"{_host}:{_port}"]

workers = int(os.environ.get("WEB_CONCURRENCY") or _cores())
worker_class = os.environ.get("WORKER_CLASS") or "service.slow_clients.Worker"
threads = 4
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

# Workers touch a file there to show that they live; on a slow disk that alone can block them.
worker_tmp_dir = "/dev/shm" if os.access(Path("/dev/shm"), os.W_OK | os.X_OK) else None
# Nobody steers the server through a socket.
control_socket_disable = True

loglevel = os.environ.get("GUNICORN_LOG_LEVEL") or "info"


def post_worker_init(worker: Any) -> None:
    """Called by gunicorn in every worker, once the application is loaded."""
    warm_up()
