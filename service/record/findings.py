"""What an audit can find, each in words, with the place that it is about."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.messages import _

#: Every code that a finding can have; docs/audit.md says what each means.
CODES = (
    "request_unreadable",
    "result_differs",
    "digest_differs",
    "chain_broken",
    "round_missing",
    "match_missing",
    "match_differs",
    "seats_differ",
    "duels_differ",
    "totals_differ",
    "tournament_differs",
    "ruleset_differs",
)

RESULT = _("the result differs at “{pointer}”: {stored} is stored, {scored} is scored")
REQUEST = _("the stored request cannot be scored")
DIGEST = _("the content has the digest {computed}, not the stored {stored}")
NOT_FOLLOWED = _("what follows refers to another digest than this revision's; it was replaced")
NOT_FOLLOWING = _("the previous digest is not that of the revision before")
LINK = _("the revision has link {link}, but its place in the chain is {place}")
PLACE_TAKEN = _("another revision has the place {place} in the chain")
UNKNOWN_TO_MATCH = _("the match's chain ends before this revision, with link {length}")
END = _("the match's chain should end with the digest {kept}, but this last revision has another")
LENGTH = _("the match's chain has {counted} links, not {kept}")
REVISION_MISSING = _("revision {revision} of the round is missing")
LINK_MISSING = _("the link {link} of the match's chain is missing")
LINKS_MISSING = _("{count} more of the links {links} of the match's chain are missing")
PLAYED = _("{counted} rounds are stored, but the match says {kept}")
STATUS = _(
    "the match is {kept}, but {played} of {rounds} rounds were played, and why it ended is {reason}"
)
MATCH_MISSING = _("{count} revisions belong to this match, which is missing")
PINNED = _("the match's {name} is {kept}, but its rounds were scored with {counted}")
SEATS = _("the rows of seats are not those of the result")
DUELS = _("the rows of duels are not those of the result")
TOTAL = _("the kept {name} of {player} is {kept}, but should be {counted}")
STAGE_TOTAL = _(
    "the kept {name} of {player} in stage {stage} of the tournament is {kept}, but should be {counted}"
)
TOURNAMENT_TOTAL = _(
    "the kept {name} of {player} in the whole tournament is {kept}, but should be {counted}"
)
TOURNAMENT = _("the tournament’s {name} is kept as {kept}, but should be {counted}")
RULESET = _("the document of the rule set “{ruleset}”, version {version}, does not have its digest")
PUBLISHED = _("the rule set “{ruleset}”, version {version}, is not the published one")
RULESET_MISSING = _("the rule set “{ruleset}”, version {version}, is missing")
RULESET_NAMED = _(
    "the revision's rule set, “{ruleset}”, version {version}, is missing, and its request names another"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: its code, a text (with ``{parameters}``), and what it is about."""

    code: str
    text: str
    match: str | None = None
    round: str | None = None
    number: int | None = None
    revision: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tournament: str | None = None

    @property
    def place(self) -> tuple[str | None, ...]:
        """What the finding is about, so that the same is said only once."""
        told = None if self.round else str((self.number, sorted(self.parameters.items())))
        return (self.code, self.tournament, self.match, self.round, str(self.revision), told)

    def show(self, translate: Callable[[str], str] = str) -> dict[str, Any]:
        """The finding as the wire has it."""
        return {
            "code": self.code,
            "detail": translate(self.text).format_map(self.parameters),
            "match": self.match,
            "round": self.round,
            "number": self.number,
            "revision": self.revision,
            "tournament": self.tournament,
        }
