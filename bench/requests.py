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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import cores
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
ROUNDS, SECONDS = 7, 0.8
WARMING = 0.3
SHIPPED = Server().worker_class
#: Worker classes: how many workers, and of how many rounds the medians are. Four simple ones do as much
#: at once as the four threads of one that is shipped, so that the core is never without work.
CLASSES = {SHIPPED: (1, ROUNDS), "sync": (4, 5)}
#: Never reached, but counted.
LIMITS = {
    "SUSUN_KEY_RATE": "1000000",
    "SUSUN_KEY_BURST": "100000000",
    "SUSUN_ADDRESS_RATE": "1000000",
    "SUSUN_ADDRESS_BURST": "100000000",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """Of one kind in one round: requests a second, and seconds computed for each (gunicorn, Postgres).

    ``busy``: which share of the time the client computed; near 1 it would be what is measured.
    """

    a_second: float
    computed: float | None
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
                parents = [pid for pid in (server.process.pid, base.pid) if pid is not None]
                before = cores.computed(parents)
                took = run(server.port, lines, kind.expected, seconds=seconds if number else WARMING)
                after = cores.computed(parents)
                if number:
                    each = None
                    if before is not None and after is not None:
                        each = (after - before) / took.answers
                    found[name].append(Turn(took.answers / took.seconds, each, took.busy))
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
                    "ratio": _median(pairs, lambda us, them: us.a_second / them.a_second, 3),
                    "cpu_ratio": _median(pairs, _cpu_ratio, 3),
                }
        found[name] = {
            "a_second": statistics.median(turn.a_second for turn in own),
            "cpu_us": _median([(turn, turn) for turn in own], _microseconds, 1),
            "client_busy": round(statistics.median(turn.busy for turn in own), 2),
            "against": against,
        }
        found[name]["a_second"] = round(found[name]["a_second"], 1)
    return found


def _cpu_ratio(us: Turn, them: Turn) -> float | None:
    return them.computed / us.computed if us.computed and them.computed else None


def _microseconds(turn: Turn, _: Turn) -> float | None:
    return turn.computed * 1e6 if turn.computed else None


def _median(
    pairs: Sequence[tuple[Turn, Turn]], figure: Callable[[Turn, Turn], float | None], digits: int
) -> float | None:
    figures = [value for pair in pairs if (value := figure(*pair)) is not None]
    return round(statistics.median(figures), digits) if figures else None


def show(title: str, found: Mapping[str, Any]) -> None:
    """Print a summary, each ratio beside what is wanted."""
    width = max(len(KINDS[name].title) for name in found)
    print(f"\n{title}")
    print(f"  {'':{width}}  a second   CPU µs   ratio  by CPU  wanted")
    for name, figures in found.items():
        line = (
            f"{KINDS[name].title:{width}}  {figures['a_second']:8.0f}  {_shown(figures['cpu_us'], 7, 0)}"
        )
        rows = list(figures["against"].items()) or [None]
        for row in rows:
            if row is not None:
                other, ratios = row
                line += f"  {ratios['ratio']:6.2f}  {_shown(ratios['cpu_ratio'], 6, 2)}"
                line += f"  {ratios['wanted']:6.2f}  of {KINDS[other].title}"
            print(f"  {line}", flush=True)
            line = " " * (width + 19)
    busiest = max(figures["client_busy"] for figures in found.values())
    if busiest > 0.8:
        print(f"  The client computed {100 * busiest:.0f} % of the time: part of this is its own speed.")


def _shown(figure: float | None, width: int, digits: int) -> str:
    return f"{'?':>{width}}" if figure is None else f"{figure:{width}.{digits}f}"


def measure(
    classes: Mapping[str, tuple[int, int]] = CLASSES,
    kinds: Sequence[str] = tuple(KINDS),
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Figures of each worker class: the one that is shipped, and the simplest."""
    found = {}
    with filled(FILLED) as base:
        for worker_class, (workers, rounds) in classes.items():
            turns = take_turns(
                base,
                worker_class=worker_class,
                kinds=kinds,
                rounds=rounds,
                seconds=seconds,
                workers=workers,
            )
            found[worker_class] = summary(turns)
            show(f"Requests, all under {workers} × {worker_class}", found[worker_class])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES))
    parser.add_argument("--rounds", type=int, help="in place of those of each class")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each turn")
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
    measure(classes, options.kinds, options.seconds)


if __name__ == "__main__":
    main()
