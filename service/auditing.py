"""The command ``susun audit``: the whole record, or a part of it, on all cores."""

import sys
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

import click
import orjson

from service.record.findings import Finding
from service.record.whole_audit import audit_everything


def run(
    url: str, match: UUID | None, since: datetime | None, *, as_json: bool, workers: int | None
) -> int:
    """Audit and print what was found, one finding a line; returns the exit status."""
    bar = None

    def start(size: int) -> Callable[[int], None]:
        nonlocal bar
        if not on_terminal():
            return lambda done: None
        bar = click.progressbar(length=size, label="auditing", file=sys.stderr)
        bar.__enter__()
        return bar.update

    try:
        report = audit_everything(url, match=match, since=since, workers=workers, start=start)
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)
    for finding in report.findings:
        click.echo(orjson.dumps(finding.show()) if as_json else told(finding))
    if not as_json:
        found = _count(len(report.findings), "finding")
        click.echo(f"{_count(report.rounds, 'revision')} audited, {found}", err=True)
    return 1 if report.findings else 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def on_terminal() -> bool:
    """Whether somebody watches."""
    return sys.stderr.isatty()


def told(finding: Finding) -> str:
    """A finding as a line of text: its code, what it is about, what is wrong."""
    about = [
        f"{name} {value}"
        for name, value in (
            ("tournament", finding.tournament),
            ("match", finding.match),
            ("number", finding.number),
            ("round", finding.round),
            ("revision", finding.revision),
        )
        if value is not None
    ]
    return ": ".join([finding.code, *([", ".join(about)] if about else []), finding.show()["detail"]])
