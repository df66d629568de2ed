"""Side by side: everything takes turns, and medians of the turns are compared."""

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 15


def side_by_side(
    contestants: Mapping[str, Callable[[], object]], *, rounds: int = ROUNDS
) -> dict[str, float]:
    """Median seconds of each contestant; they take turns, so that noise meets all of them."""
    for run in contestants.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
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
