"""What can be wrong about a request that is valid in itself."""

from typing import Any


class Missing(Exception):
    """There is nothing with this id."""


class Conflict(Exception):
    """The request does not fit what is stored; ``problem`` is its code, the text says why."""

    def __init__(self, problem: str, text: str, /, **parameters: Any) -> None:
        super().__init__(text)
        self.problem, self.text, self.parameters = problem, text, parameters
