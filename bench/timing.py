"""Side by side: everything takes turns, and medians of the turns are compared."""

import random
import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 15


def side_by_side(
    contestants: Mapping[str, Callable[[], object]], *, rounds: int = ROUNDS
) -> dict[str, float]:
    """Median seconds of each contestant; they take turns, so that noise meets all of them.

    Each time in another order: what ran before is felt by who comes next.
    """
    for run in contestants.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    turns, chance = list(contestants.items()), random.Random(1)
    for _ in range(rounds):
        chance.shuffle(turns)
        for name, run in turns:
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def table(title: str, rows: Mapping[str, str]) -> None:
    """Print names and figures in two columns."""
    print(f"\n{title}")
    width = max(map(len, rows))
    for name, figure in rows.items():
        print(f"  {name:{width}}  {figure}")
