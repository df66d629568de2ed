"""What can be wrong about a request that is valid in itself."""

from collections.abc import Sequence
from typing import Any, TypeVar

Rows = TypeVar("Rows", bound=Sequence[Any])

WRONG = (LookupError, TypeError, ValueError, AttributeError, RecursionError, OverflowError)
"""What it may raise to read something stored that was tampered with."""


class Missing(Exception):
    """There is nothing with this id."""


def there(rows: Rows) -> Rows:
    """The rows that were found; :class:`Missing` if none were."""
    if not rows:
        raise Missing
    return rows


class NotInMatch(Exception):
    """The player does not belong to the match."""


class Stale(Exception):
    """The caller has not seen the newest revision of what it wants to change."""


class Conflict(Exception):
    """The request does not fit what is stored; ``problem`` is its code, the text says why."""

    def __init__(self, problem: str, text: str, /, **parameters: Any) -> None:
        super().__init__(text)
        self.problem, self.text, self.parameters = problem, text, parameters
