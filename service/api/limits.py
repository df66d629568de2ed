"""Limits of requests by API key and by address, told in the ``RateLimit`` fields of every answer.

Fields as in draft-ietf-httpapi-ratelimit-headers-11; units instead of requests, since calls differ.
"""

import ipaddress
import logging
import math
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from flask import Flask, Response, current_app, g, request

from service.api.calls import CALLS
from service.api.problems import Problem
from service.config import Config
from service.limit_table import LimitTable, Rate, Use, shared_or_own
from service.messages import _

log = logging.getLogger(__name__)

#: Units of a request, and of one that is sent with an unknown key, whoever sends it.
READING, STORING, GUESSING = 1, 5, 100
#: Units of calls that compute for long: as many as scoring in that time.
COMPUTING = {"suggest_arrangements": 50}
#: What those ask that decide whether this service lives.
FREE = ("system.livez", "system.readyz")

_WARN_SECONDS = 60
_FAULTS = (OSError, ValueError, struct.error)


@dataclass(slots=True)
class Limits:
    """The table, and how much keys and addresses may use; None where that is not limited."""

    table: LimitTable | None
    rates: Mapping[str, Rate]
    policy: str
    warned_at: float = field(default=-math.inf)


@dataclass(slots=True)
class _Charge:
    """What a request has been charged: the units, to whom, and what those have left."""

    units: int
    clients: dict[str, bytes]
    uses: dict[str, Use]


def register(app: Flask, config: Config) -> None:
    """Limit the requests of an app, unless its configuration says that nothing is limited."""
    asked = {
        "address": (config.address_rate, config.address_burst),
        "key": (config.key_rate, config.key_burst),
    }
    rates = {name: Rate(rate, burst) for name, (rate, burst) in asked.items() if rate is not None}
    if not rates:
        return
    policy = ", ".join(
        f'"{name}";q={rate.burst};w={max(math.ceil(rate.window), 1)}' for name, rate in rates.items()
    )
    app.extensions["susun_limits"] = Limits(shared_or_own(), rates, policy)
    costs = {call.name: STORING for call in CALLS if call.stores} | COMPUTING
    app.before_request(lambda: _charge(costs))
    app.after_request(_settle)


def meter() -> Callable[[float], None]:
    """What charges a request for more units than it was let in for, while it is worked on.

    Nothing is broken off for want of units: what cannot be paid now is waited for before the next.
    """
    charge: _Charge | None = g.get("charge")
    if charge is None:
        return lambda units: None
    limits: Limits = current_app.extensions["susun_limits"]

    def take(units: float) -> None:
        _take(limits, charge, list(charge.clients), units, force=True)

    return take


def _charge(costs: Mapping[str, int]) -> None:
    """Charge a request to its address and its key; a 429 problem where either has too little left."""
    if request.endpoint in FREE:
        return
    limits: Limits = current_app.extensions["susun_limits"]
    # By the whole key, so that who does not have it cannot use up what it may.
    token = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")[2].strip()
    # The table keeps digests of them alone.
    clients = {"address": _network(request.remote_addr or ""), "key": token.encode()}
    known = {name: clients[name] for name in limits.rates if name == "address" or token}
    units = READING
    if request.method == "POST":
        units = costs.get((request.endpoint or "").rpartition(".")[2], READING)
    g.charge = charge = _Charge(units, known, {})
    _take(limits, charge, list(known), units)
    for name, use in charge.uses.items():
        if use.wait > 0:
            charge.clients = {earlier: known[earlier] for earlier in charge.uses if earlier != name}
            seconds = max(math.ceil(use.wait), 1)
            text = _("too many requests: wait {seconds} seconds")
            headers = {"Retry-After": str(seconds)}
            raise Problem("too-many-requests", text, headers=headers, seconds=seconds, policy=name)


def _settle(response: Response) -> Response:
    """Charge less for what was refused, more for an unknown key, and tell what is left."""
    charge: _Charge | None = g.pop("charge", None)
    if charge is None:
        return response
    limits: Limits = current_app.extensions["susun_limits"]
    if response.status_code == 401:
        charge.clients.pop("key", None)
        charge.uses.pop("key", None)
        if request.environ.get("HTTP_AUTHORIZATION"):
            _take(limits, charge, ["address"], GUESSING, force=True)
    elif charge.units > READING and (
        400 <= response.status_code < 500 or "Idempotency-Replayed" in response.headers
    ):
        _take(limits, charge, list(charge.clients), READING - charge.units)
    retry = response.headers.get("Retry-After", type=int) if response.status_code == 429 else None
    told = [f'"{name}";r={use.left};t={_seconds(use, retry)}' for name, use in charge.uses.items()]
    if told:
        response.headers.add("RateLimit-Policy", limits.policy)
        response.headers.add("RateLimit", ", ".join(told))
    return response


def _seconds(use: Use, retry: int | None) -> int:
    # Who is to come again then must not be told here that it takes longer.
    return math.ceil(use.whole_in) if retry is None else min(math.ceil(use.whole_in), retry)


def _take(
    limits: Limits, charge: _Charge, names: Sequence[str], units: float, *, force: bool = False
) -> None:
    """Charge clients, as far as they have enough left, and note what they have then.

    Where nothing can be counted nothing is limited, and nobody is refused.
    """
    names = [name for name in names if name in charge.clients]
    if limits.table is None or not names:
        return
    clients = [(name.encode() + b" " + charge.clients[name], limits.rates[name]) for name in names]
    try:
        uses = limits.table.take_each(clients, units, force=force)
    except _FAULTS as error:
        if time.monotonic() - limits.warned_at > _WARN_SECONDS:
            limits.warned_at = time.monotonic()
            log.warning("requests are not limited, since they cannot be counted: %s", error)
        return
    charge.uses.update(zip(names, uses, strict=False))


@lru_cache(1024)
def _network(text: str) -> bytes:
    """The address of who sends; of IPv6 the network, of which one household has all addresses."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text.encode()
    address = getattr(address, "ipv4_mapped", None) or address
    return address.packed if address.version == 4 else address.packed[:8]
