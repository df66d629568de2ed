"""A whole tournament played through the HTTP calls and counted again: a client, not the server."""

from contextlib import closing
from typing import Any

import click

from service.simulation.client import Client, Refused, Stopped, Unreachable
from service.simulation.command import play_and_check
from service.simulation.event import Plan


def run(url: str, token: str, **plan: Any) -> int:
    """Play and check an event of a `Plan`; the exit status: 0, or 1 on any difference or failure."""
    try:
        with closing(Client(url, token)) as client:
            return 0 if play_and_check(client, Plan(**plan)) else 1
    except (ValueError, Refused, Stopped, Unreachable) as error:
        raise click.ClickException(str(error)) from None
