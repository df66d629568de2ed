"""Chains: revisions that refer each to the digest of the one before, and where that fails.

A chain is followed by digests, not by the links that are stored: so whoever was moved, replaced or
removed is named, and not everybody who comes after.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, KeysView, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from service.record import findings

# A number that was tampered with must not make an endless list.
_MOST_MISSING = 1_000


class Sealed(Protocol):
    """What a chain needs to know of a revision; ``computed`` is what its digest should be."""

    link: int
    previous_digest: str | None
    digest: str
    computed: str


@dataclass(slots=True)
class Faults:
    """What is wrong with a chain.

    ``revisions``: those that are not what the chain says, each with a text and its parameters.
    ``missing``: the places that nobody has. ``length``: how long it is, where its head says otherwise.
    """

    revisions: list[tuple[Any, str, dict[str, Any]]] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """What is kept of a chain's end apart from it."""

    length: int
    digest: str | None


def follow(revisions: Sequence[Sealed], head: Head | None) -> Faults:
    """What is wrong with a chain, given by links; ``head`` is None where nothing is kept of its end."""
    faults = Faults()
    if _unbroken(revisions, head):
        return faults
    altered = _altered_that_explain(revisions, head)
    if altered is not None:
        faults.revisions = [(revision, findings.NOT_FOLLOWING, {}) for revision in altered]
        faults.missing = _gaps({revision.link for revision in revisions}, _length(revisions, head))
        return faults
    places = _place(_segments(revisions), head, faults)
    for place, revision in sorted(places.items()):
        if revision.link != place:
            faults.revisions.append((revision, findings.LINK, {"link": revision.link, "place": place}))
        _check_previous(places, place, head, faults)
    last = max(places, default=0)
    if head is not None:
        last = _check_end(places, last, head, faults)
    faults.missing = _gaps(places.keys(), last)
    return faults


def _gaps(places: Collection[int], length: int) -> list[int]:
    gaps = (place for place in range(1, length + 1) if place not in places)
    return [place for place, _ in zip(gaps, range(_MOST_MISSING), strict=False)]


def _length(revisions: Sequence[Sealed], head: Head | None) -> int:
    return head.length if head is not None else max([revision.link for revision in revisions], default=0)


def _digests(revision: Sealed) -> tuple[str, str]:
    """A revision may be referred to by either, so that a changed digest is one fault, not two."""
    return revision.digest, revision.computed


def _unbroken(revisions: Sequence[Sealed], head: Head | None) -> bool:
    known: tuple[str | None, ...] = (None,)
    for place, revision in enumerate(revisions, 1):
        if revision.link != place or revision.previous_digest not in known:
            return False
        known = _digests(revision)
    return head is None or (head.length == len(revisions) and head.digest in known)


def _altered_that_explain(revisions: Sequence[Sealed], head: Head | None) -> list[Sealed] | None:
    """Who follows nobody, if in the order of links only what was altered, or is gone, breaks the chain.

    Revisions that do not have the digest of their content are named for that, and gaps are, too. Where
    those explain all that is broken nobody else is to blame, wherever their digests lead; else None.
    """
    links, length = [revision.link for revision in revisions], _length(revisions, head)
    if links != sorted({*links}) or not 1 <= min(links, default=0) <= max(links) <= length:
        return None
    known: dict[int, tuple[str | None, ...]] = {0: (None,)}
    altered = {revision.link for revision in revisions if revision.digest != revision.computed}
    follow_nobody = []
    for revision in revisions:
        before = revision.link - 1
        if before in known and revision.previous_digest not in known[before]:
            if revision.link in altered:
                follow_nobody.append(revision)
            elif before not in altered:
                return None
        known[revision.link] = _digests(revision)
    if head is None or length in altered:
        return follow_nobody
    if length in known:
        return follow_nobody if head.digest in known[length] else None
    # The end is missing, unless it is the length that was changed.
    return follow_nobody if head.digest not in known[links[-1]] else None


def _segments(revisions: Sequence[Sealed]) -> list[list[Sealed]]:
    """Stretches in which each revision refers to the one before it."""
    referring = defaultdict(list)
    for revision in revisions:
        if revision.previous_digest is not None:
            referring[revision.previous_digest].append(revision)
    following: dict[int, Sealed] = {}
    followers: set[int] = set()
    for revision in revisions:
        distance = {
            abs(other.link - revision.link - 1): other
            for digest in _digests(revision)
            for other in referring.get(digest, ())
            if id(other) not in followers and other is not revision
        }
        if distance:
            nearest = distance[min(distance)]
            following[id(revision)] = nearest
            followers.add(id(nearest))
    segments, done = [], set()
    # Whoever follows nobody begins a segment; then what is left, which goes round in circles.
    for begin in sorted(revisions, key=lambda revision: id(revision) in followers):
        segment: list[Sealed] = []
        here: Sealed | None = begin
        while here is not None and id(here) not in done:
            done.add(id(here))
            segment.append(here)
            here = following.get(id(here))
        if segment:
            segments.append(segment)
    return segments


def _place(segments: list[list[Sealed]], head: Head | None, faults: Faults) -> dict[int, Sealed]:
    """Where in the chain each revision belongs.

    Links are not sealed. So the segment that begins the chain and the one that its end names have their
    places; others have those that most of their links say.
    """
    places: dict[int, Sealed] = {}
    count = sum(map(len, segments))
    bound = max(count, head.length if head is not None else 0)
    start = _start(segments)
    ordered = sorted(segments, key=lambda segment: (segment is not start, -len(segment)))
    for segment in ordered:
        begin = 1 if segment is start else _begin(segment, head, bound, places.keys())
        for place, revision in enumerate(segment, begin):
            if place in places or place < 1:
                faults.revisions.append((revision, findings.PLACE_TAKEN, {"place": place}))
            else:
                places[place] = revision
    return places


def _votes(segment: list[Sealed]) -> Counter[int]:
    """Where a segment begins, as each of its links has it."""
    return Counter(revision.link - index for index, revision in enumerate(segment))


def _start(segments: list[list[Sealed]]) -> list[Sealed] | None:
    """The segment that begins the chain: of those that are sealed as following nobody."""
    starts = [
        segment
        for segment in segments
        if segment[0].previous_digest is None and segment[0].digest == segment[0].computed
    ]
    return max(starts, key=lambda segment: (_votes(segment)[1], len(segment)), default=None)


def _begin(segment: list[Sealed], head: Head | None, bound: int, places: KeysView[int]) -> int:
    """Where a segment begins that does not begin the chain.

    All of its links say so, or the end of the chain, or two links, or what links there are together.
    """
    votes, size = _votes(segment), len(segment)
    most = max(votes.values())
    begins = sorted(begin for begin, count in votes.items() if count == most)
    if most == size > 1:
        return begins[0]
    if head is not None and segment[-1].digest == head.digest:
        return head.length - size + 1
    if most > 1:
        return begins[0]
    links = {revision.link for revision in segment}
    if len(links) == size == max(links) - min(links) + 1:
        begins = [min(links)]
    room = range(1, bound - size + 2)
    free = (begin for begin in room if places.isdisjoint(range(begin, begin + size)))
    return next((begin for begin in begins if begin in room), next(free, begins[0]))


def _check_previous(places: dict[int, Sealed], place: int, head: Head | None, faults: Faults) -> None:
    """Whether a revision refers to the one before; if not, which of the two is to blame.

    It is the earlier, replaced and sealed anew, if the later is what the rest of the chain expects.
    """
    revision, before = places[place], places.get(place - 1)
    if place > 1 and before is None:
        return  # missing, which is said of the place
    expected = _digests(before) if before else (None,)
    if revision.previous_digest in expected:
        return
    after = places.get(place + 1)
    if after is not None:
        vouched = after.previous_digest == revision.digest
    else:
        vouched = head is None or head.digest == revision.digest
    if before is not None and vouched and revision.digest == revision.computed:
        faults.revisions.append((before, findings.NOT_FOLLOWED, {}))
    else:
        faults.revisions.append((revision, findings.NOT_FOLLOWING, {}))


def _check_end(places: dict[int, Sealed], last: int, head: Head, faults: Faults) -> int:
    """Compare a chain's end with what is kept of it; returns where the chain should end."""
    at_end = _digests(places[last]) if last else (None,)
    if head.digest in at_end:
        if head.length != last:
            faults.length = last
        return last
    if head.length > last:
        return head.length  # the end is missing
    known = _digests(places[head.length]) if head.length in places else (None,)
    if head.length < last and head.digest in known:
        for place in range(head.length + 1, last + 1):
            if place in places:
                parameters = {"length": head.length}
                faults.revisions.append((places[place], findings.UNKNOWN_TO_MATCH, parameters))
        return head.length
    if last:
        faults.revisions.append((places[last], findings.END, {"kept": head.digest}))
    else:
        faults.length = 0
    return last
