"""Side by side: everything takes turns, and medians of the turns are compared."""

import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection

ROUNDS = 15


def side_by_side(
    contestants: Mapping[str, Callable[[], object]], *, rounds: int = ROUNDS
) -> dict[str, float]:
    """Median seconds of each contestant; they take turns, so that noise meets all of them.

    Each time in another order: what ran before is felt by who comes next.
    """
    return _take_turns({name: lambda run=run: _timed(run) for name, run in contestants.items()}, rounds)


def side_by_side_apart(
    contestants: Mapping[str, Callable[[], Callable[[], object]]], *, rounds: int = ROUNDS
) -> dict[str, float]:
    """The same of contestants that have a process each, and make in it what they run: processor time.

    In one process they would push each other's tables out of the processor's caches.
    """
    context = multiprocessing.get_context("spawn")
    lines: dict[str, Connection] = {}
    processes = []
    for name, make in contestants.items():
        lines[name], theirs = context.Pipe()
        processes.append(context.Process(target=_contend, args=(make, theirs), daemon=True))
        processes[-1].start()
        theirs.close()
    try:
        return _take_turns({name: lambda line=line: _ask(line) for name, line in lines.items()}, rounds)
    finally:
        for line in lines.values():
            line.close()
        for process in processes:
            process.join()


def _take_turns(turns: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    for turn in turns.values():
        turn()
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    order, chance = list(turns.items()), random.Random(1)
    for _ in range(rounds):
        chance.shuffle(order)
        for name, turn in order:
            seconds[name].append(turn())
    return {name: statistics.median(times) for name, times in seconds.items()}


def _timed(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    run()
    return clock() - start


def _contend(make: Callable[[], Callable[[], object]], line: Connection) -> None:
    """Run and tell the time each time that one is asked to, until nobody asks any more."""
    run = make()
    while True:
        try:
            line.recv()
        except EOFError:
            return
        line.send(_timed(run, time.process_time))


def _ask(line: Connection) -> float:
    line.send(None)
    seconds: float = line.recv()
    return seconds


def table(title: str, rows: Mapping[str, str]) -> None:
    """Print names and figures in two columns."""
    print(f"\n{title}")
    width = max(map(len, rows))
    for name, figure in rows.items():
        print(f"  {name:{width}}  {figure}")
