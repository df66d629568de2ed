"""The command ``susun import``: matches from files, straight into the database, on all cores."""

import gc
import multiprocessing
import os
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from functools import cache, partial
from typing import Any

import click
import orjson

from service import logs
from service.api.bodies import lines
from service.api.bulk import Refusals
from service.api.importing import BATCH_LINES, MOST_LINE_BYTES, Importer, ImportStopped
from service.api.problems import Occasion
from service.auditing import on_terminal
from service.database import Database, DatabaseAway
from service.interrupts import Processes
from service.warm_up import warm_up

#: Of a part that a process gets at a time: about a thousand rounds.
_PART_BYTES = 512 * 1024

#: So little is done by one process before others have begun.
_FEW_BYTES = 16 * 1024 * 1024

Line = tuple[int, bytes | None]


def run(
    url: str, paths: Sequence[str], *, source: str, by: str, as_json: bool, workers: int | None
) -> int:
    """Bring in what is in some files ("-" for standard input); returns the exit status.

    Raises :class:`DatabaseAway` where the database goes; what was told by then is kept.
    """
    logs.to_stderr()
    counts: Counter[str] = Counter()
    sizes = [0 if path == "-" else os.path.getsize(path) for path in paths]
    bar = None
    if on_terminal():
        bar = click.progressbar(length=sum(sizes), label="importing", file=sys.stderr)
        bar.__enter__()
    try:
        if workers is None:
            workers = 1 if "-" not in paths and sum(sizes) < _FEW_BYTES else _cores()
        each = _alone if workers == 1 else partial(_together, workers)
        for path, size, outcomes in each(url, source, by, paths):
            for outcome in outcomes:
                counts[outcome["status"]] += 1
                counts["rounds"] += outcome["rounds"] * (outcome["status"] == "imported")
                _tell(path, outcome, as_json=as_json)
            if bar is not None:
                bar.update(size)
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)
        named = ["imported", "unchanged", "rejected", *(["failed"] if counts["failed"] else [])]
        told = ", ".join(f"{counts[name]} {name}" for name in named)
        click.echo(f"matches: {told}; rounds imported: {counts['rounds']}", err=True)
    return 1 if counts["rejected"] else 0


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _tell(path: str, outcome: dict[str, Any], *, as_json: bool) -> None:
    """Every outcome as JSON, or those that are no good news in words."""
    if as_json:
        click.echo(orjson.dumps({"file": path, **outcome}))
    elif "problem" in outcome:
        problem = outcome["problem"]
        key = f" ({outcome['key']})" if outcome["key"] else ""
        click.echo(f"{path}:{outcome['line']}{key}: {problem['title']}: {problem['detail']}")
        for mistake in problem.get("errors", ()):
            click.echo(f"    {mistake['pointer'] or '/'}: {mistake['detail']}")


#: A file, how many bytes of it, and what became of the lines there.
_Told = tuple[str, int, list[dict[str, Any]]]
#: What became of a part's lines, and why it ends there, if it does.
_Part = tuple[list[dict[str, Any]], str | None]
_Running = deque[tuple[str, int, Future[_Part]]]


def _alone(url: str, source: str, by: str, paths: Sequence[str]) -> Iterator[_Told]:
    """What became of all lines, in their order, in this process."""
    size = 0

    def counted(numbered: Iterator[Line]) -> Iterator[Line]:
        nonlocal size
        for number, line in numbered:
            size += len(line or b"") + 1
            yield number, line

    with _warm(), _ending_well(), closing(Database(url, pool_size=2)) as database:
        importer = _importer(database, source, by)
        for path in paths:
            with click.open_file(path, "rb") as file:
                for outcomes in importer.outcomes(counted(lines(file, MOST_LINE_BYTES))):
                    yield path, size, outcomes
                    size = 0


def _together(workers: int, url: str, source: str, by: str, paths: Sequence[str]) -> Iterator[_Told]:
    """The same, in so many other processes."""
    parts = ((path, size, some) for path in paths for size, some in _parts(path))
    with Processes(workers, _begin_worker) as pool:
        running: _Running = deque()
        try:
            for path, size, some in parts:
                running.append((path, size, pool.submit(_bring_in, url, source, by, some)))
                if len(running) >= 2 * workers:
                    yield from _first(running)
            while running:
                yield from _first(running)
        finally:
            pool.shutdown(cancel_futures=True)


def _first(running: "_Running") -> Iterator[_Told]:
    path, size, part = running.popleft()
    outcomes, stopped = part.result()
    yield path, size, outcomes
    if stopped is not None:
        raise DatabaseAway(stopped)


def _parts(path: str) -> Iterator[tuple[int, list[Line]]]:
    """The lines of a file in parts, each with its size in bytes."""
    with click.open_file(path, "rb") as file:
        part: list[Line] = []
        size = 0
        for number, line in lines(file, MOST_LINE_BYTES):
            part.append((number, line))
            size += len(line or b"") + 1
            if size >= _PART_BYTES or len(part) >= BATCH_LINES:
                yield size, part
                part, size = [], 0
        if part:
            yield size, part


@contextmanager
def _warm() -> Iterator[None]:
    """As a worker is, above all with a collector of garbage that seldom looks."""
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    warm_up()
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        sys.setswitchinterval(interval)


def _begin_worker() -> None:
    logs.to_stderr()
    warm_up()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_too() -> None:
        # Nobody would tell it to end if its parent were killed.
        parent.join()
        os._exit(1)

    threading.Thread(target=end_too, daemon=True).start()


@cache
def _database(url: str) -> Database:
    """Of a process that imports parts, as long as it lives."""
    return Database(url, pool_size=2)


def _importer(database: Database, source: str, by: str) -> Importer:
    return Importer(database, source, by, Refusals(Occasion(str, "", None)))


@contextmanager
def _ending_well() -> Iterator[None]:
    """Tell what to do where the database has gone."""
    try:
        yield
    except ImportStopped as stopped:
        text = f"{stopped}; import the same again to bring in the rest"
        raise DatabaseAway(text) from None


def _bring_in(url: str, source: str, by: str, some: list[Line]) -> _Part:
    outcomes: list[dict[str, Any]] = []
    try:
        with _ending_well():
            for batch in _importer(_database(url), source, by).outcomes(some):
                outcomes += batch
    except DatabaseAway as stopped:
        return outcomes, str(stopped)
    return outcomes, None
