"""The run of a simulation as its command shows it."""

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from service.simulation import checks
from service.simulation.client import Client
from service.simulation.event import Event, Plan

_TOP, _BOTTOM, _MOST_SHOWN = 10, 3, 20
_COLUMNS = ("place", "player", "points", "placings", "wins", "rows_won", "sweeps", "fouls", "rounds")


def play_and_check(client: Client, plan: Plan) -> bool:
    """Play and check an event, and print what came of it; whether all was as it should be."""
    event = Event(client, plan)
    start = time.perf_counter()
    opened = event.register()
    click.echo(f"Tournament {opened['id']}: {plan.players} players, {plan.stages} stages")
    playing = 0.0
    screens = []
    for stage in range(1, plan.stages + 1):
        players = event.ledger.still_in()
        tables = event.seat(stage)
        checks.check_seating(event, stage, [table["players"] for table in tables], players)
        began = time.perf_counter()
        with (
            _bar(len(tables) * plan.rounds, f"Stage {stage}, {len(tables)} tables") as bar,
            checks.Screen(event) as screen,
        ):
            event.play(stage, tables, bar.update)
        playing += time.perf_counter() - began
        screens.append(screen)
        if stage > 1:
            event.correct_earlier(stage)
            checks.check_standings(event, stage - 1)
        event.adjust(stage)
        checks.check_standings(event, stage)
        checks.check_standings(event)
    event.finish()
    checks.check_standings(event)
    checks.check_forms(event)
    with _bar(len(event.ledger.matches), "Audits of all matches") as bar:
        checks.check_audits(event, bar.update)
    _show(event.client.read(f"{event.path}/standings")["items"])
    _figures(event, screens, playing, time.perf_counter() - start)
    return _verdict(event.ledger.wrong)


@contextmanager
def _bar(length: int, label: str) -> Iterator[Any]:
    """A progress bar on a terminal; elsewhere the label alone."""
    with click.progressbar(length=length, label=f"{label:24}", show_pos=True) as bar:
        yield bar


def _show(items: Sequence[dict[str, Any]]) -> None:
    top, bottom = items[:_TOP], items[max(_TOP, len(items) - _BOTTOM) :]
    lines: list[list[str]] = [[name.replace("_", " ") for name in _COLUMNS]]
    lines += [_cells(item) for item in top]
    if len(top) + len(bottom) < len(items):
        lines.append(["..."] + [""] * (len(_COLUMNS) - 1))
    lines += [_cells(item) for item in bottom]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_COLUMNS))]
    click.echo()
    for line in lines:
        cells = [
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def _cells(item: dict[str, Any]) -> list[str]:
    cells = [str(item[name]) for name in _COLUMNS]
    return [f"{cells[0]}=" if item["tied"] else cells[0], *cells[1:]]


def _figures(event: Event, screens: Sequence[checks.Screen], playing: float, seconds: float) -> None:
    posted, client = len(event.latencies), event.client
    done = ", ".join(f"{what} {count}" for what, count in event.done.items())
    looks, unchanged = sum(s.looks for s in screens), sum(s.unchanged for s in screens)
    click.echo(f"\n{posted} rounds in {playing:.1f} s: {posted / playing:.0f} a second")
    click.echo(f"With them: {done}")
    if posted > 1:
        steps = statistics.quantiles(event.latencies, n=20)
        median, most = (f"{1000 * steps[step]:.0f} ms" for step in (9, 18))
        click.echo(f"A round took {median} in the median, 95 % of them no more than {most}")
    click.echo(f"Standings were read {looks} times meanwhile, {unchanged} times unchanged")
    click.echo(f"{client.retries} requests were sent again, {client.limited} of them because of a limit")
    click.echo(f"{seconds:.1f} s in all")


def _verdict(wrong: Sequence[str]) -> bool:
    if not wrong:
        click.secho("Everything is as the simulation's own count has it.", fg="green")
        return True
    for difference in wrong[:_MOST_SHOWN]:
        click.secho(difference, fg="red", err=True)
    if len(wrong) > _MOST_SHOWN:
        click.echo(f"... and {len(wrong) - _MOST_SHOWN} more", err=True)
    click.secho(f"{len(wrong)} differences from the simulation's own count", fg="red", err=True)
    return False
