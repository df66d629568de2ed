"""Whether a server answers: ``python -m service.healthcheck /livez`` for the one of HOST and PORT.

Imports little, since containers call it every few seconds.
"""

import http.client
import os
import sys

_SECONDS = 4


def answers(host: str, port: int, path: str) -> bool:
    """Whether a GET there is answered with 200."""
    connection = http.client.HTTPConnection(reachable(host), port, timeout=_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def reachable(host: str) -> str:
    """The address to call a server at that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)


if __name__ == "__main__":
    host, port = os.environ.get("HOST", ""), os.environ.get("PORT") or "8000"
    sys.exit(not answers(host, int(port), sys.argv[1]))
