"""What can be set from outside, read from the environment (or handed over, in tests)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from environs import Env


@dataclass(frozen=True, slots=True)
class Config:
    """``database_url``: any ``postgresql://`` address. ``pool_size``: connections a worker keeps."""

    database_url: str
    pool_size: int = 4


def read_config(given: Mapping[str, Any] | None = None) -> Config:
    """The configuration from ``DATABASE_URL`` and ``SUSUN_POOL_SIZE``, or from what is given."""
    if given is not None:
        return Config(**given)
    env = Env()
    return Config(database_url=env.str("DATABASE_URL"), pool_size=env.int("SUSUN_POOL_SIZE", 4))
