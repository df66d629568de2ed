"""What can be wrong about a request to a tournament that is valid in itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.record.errors import Missing
from service.tournaments.seating import SeatingProblem


@dataclass(frozen=True, slots=True)
class WrongPlayer:
    """A player whom a call cannot be about, and where the request names them.

    ``code``: ``player_entered`` (already) or ``player_not_in_tournament``.
    """

    code: str
    place: int = 0


class WrongPlayers(Exception):
    """Some players cannot be entered, withdrawn or adjusted."""

    def __init__(self, found: Sequence[WrongPlayer]) -> None:
        super().__init__(f"{len(found)} players")
        self.found = found


class WrongTables(Exception):
    """A given seating is none of the players who are to be seated, or has a table over ``most``."""

    def __init__(self, problems: Sequence[SeatingProblem], most: int) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems, self.most = problems, most


class ReasonNeeded(Exception):
    """A tournament that ends early ends for a reason."""


class NotSeated(Missing):
    """There is such a tournament, but it has not come to this stage."""

    def __init__(self, stage: int, seated: int) -> None:
        super().__init__(stage)
        self.stage, self.seated = stage, seated
