"""``python -m tests.torture --seconds 180``: prints the figures; ends with 1 if anything is wrong."""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests
from sqlalchemy import make_url

from service.embedded_postgres import running_url
from tests.gunicorns import free_port
from tests.torture.check import figures
from tests.torture.clients import PLAYERS, Client, Ledger
from tests.torture.faults import PAUSE, Killer, below, wait_for

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = 8
RECOVERY_SECONDS = 60
_MOST_ROUNDS = 1000


@contextmanager
def running(home: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """`susun run` with a database of its own, which is durable."""
    port = free_port()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SUSUN_", "PG", "DATABASE_"))
    }
    environment = {
        **kept,
        "SUSUN_HOME": str(home),
        "PORT": str(port),
        "WEB_CONCURRENCY": "2",
        "SUSUN_KEY_RATE": "off",
        "SUSUN_ADDRESS_RATE": "off",
        "SUSUN_LOG_LEVEL": "error",
    }
    command = [sys.executable, "-m", "service.cli", "run"]
    log = home / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    base = f"http://127.0.0.1:{port}"
    try:
        if not wait_for(lambda: _ready(base) or process.poll() is not None, RECOVERY_SECONDS):
            raise SystemExit(f"the service has not started:\n{log.read_text()}")
        yield process, base
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(RECOVERY_SECONDS)


def _ready(base: str) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(f"{base}/readyz", timeout=5).ok
    return False


def torture(
    seconds: float, seed: int, pause: tuple[float, float] = PAUSE
) -> tuple[dict[str, object], bool]:
    """Let clients play for so long under faults; the figures, and whether all is right."""
    with tempfile.TemporaryDirectory(prefix="susun-torture-") as directory:
        Path(directory).chmod(0o755)  # Postgres may have to run as another user
        home = Path(directory)
        with running(home) as (process, base):
            key = (home / "api-key").read_text().strip()
            ledger = Ledger()
            shared = _open_match(base, key)
            clients = [Client(base, key, ledger, shared, seed + number) for number in range(CLIENTS)]
            killer = Killer(process.pid, seed, pause)
            began = time.monotonic()
            for thread in (*clients, killer):
                thread.start()
            while time.monotonic() - began < seconds and not ledger.faults and process.poll() is None:
                time.sleep(0.2)
            killer.over.set()
            killer.join()
            recovered = wait_for(lambda: _ready(base), RECOVERY_SECONDS)
            for client in clients:
                client.over.set()
            until = time.monotonic() + (RECOVERY_SECONDS if recovered else 0)
            for client in clients:
                client.join(max(0.0, until - time.monotonic()))
            if not recovered or any(client.is_alive() for client in clients):
                ledger.faults.append(
                    f"not recovered: {below(process.pid)}\n{(home / 'log').read_text()}"
                )
            return _report(ledger, killer, home, time.monotonic() - began)


def _open_match(base: str, key: str) -> str:
    document = {"players": list(PLAYERS), "rounds": _MOST_ROUNDS}
    headers = {"Authorization": f"Bearer {key}"}
    answer = requests.post(f"{base}/v1/matches", json=document, headers=headers, timeout=10)
    answer.raise_for_status()
    identifier: str = answer.json()["id"]
    return identifier


def _report(
    ledger: Ledger, killer: Killer, home: Path, seconds: float
) -> tuple[dict[str, object], bool]:
    url = running_url(home / "postgres")
    counted = figures(ledger, make_url(url).set(drivername="postgresql").render_as_string(False))
    audit = subprocess.run(
        [sys.executable, "-m", "service.cli", "audit"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    shown: dict[str, object] = {
        "seconds": round(seconds),
        "requests sent": ledger.requests,
        "sent again": ledger.retries,
        "given up by their client": ledger.given_up,
        "asked for again": ledger.replays,
        **{f"killed: {kind}": count for kind, count in sorted(killer.done.items())},
        **counted,
        "longest wait for an answer (s)": round(ledger.longest_wait, 1),
        "audit": "ok" if audit.returncode == 0 else audit.stdout + audit.stderr,
        "answers that should not be": len(ledger.faults),
    }
    kept = ("rounds stored", "rounds acknowledged")
    wrong = [name for name, count in counted.items() if name not in kept and count]
    for fault in ledger.faults:
        print(fault, file=sys.stderr)
    played = counted["rounds acknowledged"] > 0 and sum(killer.done.values()) > 0
    return shown, played and not wrong and not ledger.faults and audit.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    shown, right = torture(arguments.seconds, arguments.seed)
    print(f"seed {arguments.seed}")
    for name, value in shown.items():
        print(f"{name:32}{value}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
