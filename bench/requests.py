"""Requests a second, and what one costs, against bare Flask under the same gunicorn settings.

``python -m bench.requests`` starts a Postgres that keeps what it says it keeps, fills it, and serves
it with one worker; all of that on one core, while this process asks from another. Kinds of requests
take turns, round after round, and ratios are those of the same round.

``--profile stored`` shows instead where the time of a kind goes, within one process.
"""

import argparse
import http.client
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import cores, wrk
from bench.baselines import TABLE
from bench.client import Request, run
from bench.fill import fill
from bench.kinds import KINDS, Scene
from service.config import Server
from service.database import Database
from service.embedded_postgres import EmbeddedPostgres
from service.record import keys
from service.setup import prepare_database
from tests.gunicorns import serving

FILLED = 5_000
ROUNDS, SECONDS = 5, 1
WARMING = 0.3
SHIPPED = Server().worker_class
#: Worker classes: how many workers, and of how many rounds the medians are. Four simple ones do as much
#: at once as the four threads of one that is shipped, so that the core is never without work.
CLASSES = {SHIPPED: (1, ROUNDS), "sync": (4, 3)}
#: Never reached, but counted.
LIMITS = {
    "SUSUN_KEY_RATE": "1000000",
    "SUSUN_KEY_BURST": "100000000",
    "SUSUN_ADDRESS_RATE": "1000000",
    "SUSUN_ADDRESS_BURST": "100000000",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """Of one kind in one round: requests a second, and seconds that each was computed for.

    ``computed``: by gunicorn and Postgres; ``postgres``: of that, by Postgres; 0 where it is not known.
    ``busy``: which share of the time the client computed; near 1 it would be what is measured.
    """

    a_second: float
    computed: float
    postgres: float
    busy: float


Turns = Mapping[str, Sequence[Turn]]


@dataclass(frozen=True, slots=True)
class Filled:
    """A database with rounds: its address, an API key, the player with the most rounds."""

    url: str
    token: str
    busiest: str
    #: Of the server, whose processes compute; None where that is not known.
    pid: int | None


def fill_anew(url: str, rounds: int, pid: int | None = None) -> Filled:
    """Prepare an empty database, and fill it with so many rounds."""
    prepare_database(url)
    fill(url, rounds)
    database = Database(url, pool_size=1)
    with database.transaction() as connection:
        token = keys.create(connection, "bench.requests", keys.SCOPES)
        query = "SELECT player FROM player_totals ORDER BY rounds DESC LIMIT 1"
        busiest = connection.exec_driver_sql(query).scalar_one()
        connection.exec_driver_sql(TABLE)
    database.close()
    return Filled(url, token, busiest, pid)


@contextmanager
def filled(rounds: int) -> Iterator[Filled]:
    """A Postgres on the core of all that serves; what it has committed is on the disk."""
    server_core, _ = cores.server_and_client()
    with tempfile.TemporaryDirectory(prefix="susun-bench-") as directory, ExitStack() as stack:
        home = Path(directory)
        home.chmod(0o755)  # Postgres may run as another user
        postgres = EmbeddedPostgres(home / "postgres")
        with cores.on_core(server_core):
            postgres.start()
        stack.callback(postgres.stop)
        yield fill_anew(postgres.url, rounds, postgres.pid)


def ask_over_http(port: int, request: Request) -> tuple[int, Mapping[str, str], bytes]:
    """Ask once, to prepare something."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        headers = {"Content-Type": "application/json"} if request.body else {}
        connection.request(request.method, request.path, request.body, {**request.headers, **headers})
        answer = connection.getresponse()
        body = answer.read()
    if answer.status >= 400:
        raise RuntimeError(f"{request.method} {request.path}: {body[:600]!r}")
    return answer.status, answer.headers, body  # type: ignore[return-value]


def take_turns(
    base: Filled,
    *,
    worker_class: str = SHIPPED,
    kinds: Sequence[str] = tuple(KINDS),
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
    workers: int = 1,
    with_wrk: bool = False,
) -> Turns:
    """Measure kinds of requests; first each once, which does not count."""
    server_core, client_core = cores.server_and_client()
    found: dict[str, list[Turn]] = {name: [] for name in kinds}
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="susun-bench-")))
        with cores.on_core(server_core):
            start = partial(
                serving, base.url, directory, workers=workers, WORKER_CLASS=worker_class, **LIMITS
            )
            ours = stack.enter_context(start())
            baseline = stack.enter_context(start(APP="bench.baselines:create_app()"))
        stack.enter_context(cores.on_core(client_core))
        scene = Scene(partial(ask_over_http, ours.port), base.token, base.busiest)
        for number in range(rounds + 1):
            for name in kinds:
                kind = KINDS[name]
                server = baseline if kind.baseline else ours
                lines = [map(Request.encode, line) for line in kind.lines(scene)]
                served_by, stored_by = cores.computed(server.process.pid), cores.computed(base.pid)
                if number and with_wrk:
                    how = partial(wrk.run, seconds=int(seconds), once=kind.once)
                    took = how(server.port, lines, kind.expected)
                else:
                    lasting = seconds if number else WARMING
                    took = run(server.port, lines, kind.expected, seconds=lasting)
                served = took.answers + took.left
                postgres = cores.seconds_since(stored_by, base.pid) / served
                python = cores.seconds_since(served_by, server.process.pid) / served
                if number:
                    a_second = took.answers / took.seconds
                    found[name].append(Turn(a_second, python + postgres, postgres, took.busy))
    return found


# --- what comes of it ----------------------------------------------------------------------------------


def summary(turns: Turns) -> dict[str, Any]:
    """Medians: of each kind, and of its ratios to others in the same round.

    ``ratio`` is of requests a second, ``cpu_ratio`` of requests a second of computing: both are the
    larger, the better.
    """
    found: dict[str, Any] = {}
    for name, own in turns.items():
        against = {}
        for other, wanted in KINDS[name].wanted.items():
            if other in turns:
                pairs = list(zip(own, turns[other], strict=True))
                against[other] = {
                    "wanted": wanted,
                    "ratio": _median([us.a_second / them.a_second for us, them in pairs], 3),
                    "cpu_ratio": _median([them.computed / (us.computed or 1) for us, them in pairs], 3),
                }
        found[name] = {
            "a_second": _median([turn.a_second for turn in own], 1),
            "cpu_us": _median([1e6 * turn.computed for turn in own], 1),
            "postgres_us": _median([1e6 * turn.postgres for turn in own], 1),
            "client_busy": _median([turn.busy for turn in own], 2),
            "against": against,
        }
    return found


def _median(figures: Sequence[float], digits: int) -> float:
    return round(statistics.median(figures), digits)


def show(title: str, found: Mapping[str, Any]) -> None:
    """Print a summary, each ratio beside what is wanted."""
    width = max(len(KINDS[name].title) for name in found)
    print(f"\n{title}")
    print(f"  {'':{width}}  a second   CPU µs  Postgres   ratio  by CPU  wanted")
    for name, figures in found.items():
        line = f"{KINDS[name].title:{width}}  {figures['a_second']:8.0f}"
        line += f"  {figures['cpu_us']:7.0f}  {figures['postgres_us']:8.0f}"
        if not figures["against"]:
            print(f"  {line}")
        for other, ratios in figures["against"].items():
            print(
                f"  {line}  {ratios['ratio']:6.2f}  {ratios['cpu_ratio']:6.2f}  {ratios['wanted']:6.2f}"
                f"  of {KINDS[other].title}",
                flush=True,
            )
            line = " " * len(line)
    busiest = max(figures["client_busy"] for figures in found.values())
    if busiest > 0.8:
        print(f"  The client computed {100 * busiest:.0f} % of the time: part of this is its own speed.")


def measure(
    classes: Mapping[str, tuple[int, int]] = CLASSES,
    kinds: Sequence[str] = tuple(KINDS),
    seconds: int = SECONDS,
    with_wrk: bool | None = None,
) -> dict[str, Any]:
    """Figures of each worker class: the one that is shipped, and the simplest.

    ``with_wrk``: whether wrk asks, or else a client of ours; None: where it is installed.
    """
    with_wrk = wrk.installed() if with_wrk is None else with_wrk
    found: dict[str, Any] = {"client": "wrk" if with_wrk else "bench.client"}
    with filled(FILLED) as base:
        for worker_class, (workers, rounds) in classes.items():
            turns = take_turns(
                base,
                worker_class=worker_class,
                kinds=kinds,
                rounds=rounds,
                seconds=seconds,
                workers=workers,
                with_wrk=with_wrk,
            )
            found[worker_class] = summary(turns)
            title = f"Requests, all under {workers} × {worker_class}, asked by {found['client']}"
            show(title, found[worker_class])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--own", action="store_true", help="ask by our own client, not by wrk")
    parser.add_argument("--rounds", type=int, help="in place of those of each class")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each turn")
    ours = [name for name, kind in KINDS.items() if not kind.baseline]
    parser.add_argument("--profile", choices=ours)
    parser.add_argument("--lines", type=int, default=40, help="of each profile")
    options = parser.parse_args()
    if options.profile:
        from bench.profiling import profile  # noqa: PLC0415 (sets what the application reads)

        profile(options.profile, lines=options.lines)
        return
    classes = {name: CLASSES[name] for name in options.classes}
    if options.rounds:
        classes = {name: (workers, options.rounds) for name, (workers, _) in classes.items()}
    measure(classes, options.kinds, options.seconds, False if options.own else None)


if __name__ == "__main__":
    main()
