"""Chains are followed by digests: who was moved, replaced or removed is named, and nobody after."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import pytest

from service.record import findings
from service.record.chains import Faults, Head, follow


@dataclass
class Link:
    """A revision, as far as chains know it."""

    link: int
    previous_digest: str | None
    digest: str
    computed: str = ""


def chain(length: int) -> list[Link]:
    return [
        Link(place, f"d{place - 1}" if place > 1 else None, f"d{place}", f"d{place}")
        for place in range(1, length + 1)
    ]


def named(faults: Faults) -> set[tuple[int, str]]:
    return {(int(link.computed[1:]), words) for link, words, _ in faults.revisions}


@pytest.mark.parametrize("length", [0, 1, 2, 9])
def test_a_whole_chain_is_whole(length: int) -> None:
    head = Head(length, f"d{length}" if length else None)
    for known in (head, None):
        faults = follow(chain(length), known)
        assert (faults.revisions, faults.missing, faults.length) == ([], [], None)


@pytest.mark.parametrize("first", range(1, 8))
@pytest.mark.parametrize("second", range(1, 8))
def test_two_swapped_links_name_two(first: int, second: int) -> None:
    links = chain(7)
    links[first - 1].link, links[second - 1].link = second, first
    faults = follow(sorted(links, key=lambda link: link.link), Head(7, "d7"))
    moved = {first, second} if first != second else set()
    assert (named(faults), faults.missing) == ({(place, findings.LINK) for place in moved}, [])


#: What two revisions may have exchanged; all but the link is sealed.
COLUMNS = ("number", "content", "previous_digest", "digest", "link")


@dataclass
class Sealed:
    """A revision whose digest is that of what it says."""

    link: int
    number: int
    content: str
    previous_digest: str | None
    digest: str = ""

    @property
    def computed(self) -> str:
        return repr((self.number, self.content, self.previous_digest))


def sealed_chain(length: int) -> list[Sealed]:
    links: list[Sealed] = []
    for place in range(1, length + 1):
        links.append(Sealed(place, place, f"content {place}", links[-1].digest if links else None))
        links[-1].digest = links[-1].computed
    return links


@pytest.mark.parametrize(
    "columns", [some for count in range(1, 6) for some in combinations(COLUMNS, count)], ids="+".join
)
def test_whatever_two_revisions_have_exchanged_names_these_two(columns: tuple[str, ...]) -> None:
    for pair in combinations(range(6), 2):
        links, whole = sealed_chain(6), sealed_chain(6)
        for place, other in (pair, pair[::-1]):
            got = {name: getattr(whole[other], name) for name in columns}
            links[place] = replace(whole[place], **got)
        faults = follow(sorted(links, key=lambda link: link.link), Head(6, whole[-1].digest))
        altered = [place for place, link in enumerate(links) if link.digest != link.computed]
        blamed = [links.index(link) for link, *_ in faults.revisions]
        # Nothing has happened where all of a revision was exchanged.
        assert {*altered, *blamed} == (set() if columns == COLUMNS else set(pair))
        assert (faults.missing, faults.length) == ([], None)


def dropped(links: list[Sealed], place: int) -> None:
    del links[place]


def forged(links: list[Sealed], place: int) -> None:
    links[place].previous_digest = "nobody's"


def changed(links: list[Sealed], place: int) -> None:
    links[place].content = "other"


def gone_from_the_start(links: list[Sealed], place: int) -> None:
    links[place].previous_digest = None


@pytest.mark.parametrize("more", [dropped, forged, changed, gone_from_the_start])
@pytest.mark.parametrize(
    "columns", [some for count in range(1, 5) for some in combinations(COLUMNS, count)], ids="+".join
)
def test_what_happens_to_a_third_is_told_apart(
    columns: tuple[str, ...], more: Callable[[list[Sealed], int], None]
) -> None:
    for first, second, third in permutations(range(6), 3):
        links, whole = sealed_chain(6), sealed_chain(6)
        for place, other in ((first, second), (second, first)):
            got = {name: getattr(whole[other], name) for name in columns}
            links[place] = replace(whole[place], **got)
        by_place = list(links)
        more(links, third)
        faults = follow(sorted(links, key=lambda link: link.link), Head(6, whole[-1].digest))
        altered = {by_place.index(link) for link in links if link.digest != link.computed}
        blamed = {by_place.index(link) for link, *_ in faults.revisions}
        assert faults.missing == ([third + 1] if more is dropped else [])
        untouched = more is dropped or (more is gone_from_the_start and third == 0)
        assert blamed | altered == {first, second} | (set() if untouched else {third})


@pytest.mark.parametrize("length", [3, 4, 5])
@pytest.mark.parametrize(
    "columns", [some for count in range(1, 5) for some in combinations(COLUMNS, count)], ids="+".join
)
def test_what_three_revisions_have_handed_round_names_these_three(
    columns: tuple[str, ...], length: int
) -> None:
    for trio in permutations(range(length), 3):
        for gone in {None, *range(length)} - {*trio}:
            links, whole = sealed_chain(length), sealed_chain(length)
            for place, other in zip(trio, (*trio[1:], trio[0]), strict=True):
                got = {name: getattr(whole[other], name) for name in columns}
                links[place] = replace(whole[place], **got)
            by_place = list(links)
            if gone is not None:
                dropped(links, gone)
            faults = follow(sorted(links, key=lambda link: link.link), Head(length, whole[-1].digest))
            altered = {by_place.index(link) for link in links if link.digest != link.computed}
            blamed = {by_place.index(link) for link, *_ in faults.revisions}
            assert blamed | altered == {*trio}
            assert (faults.missing, faults.length) == ([] if gone is None else [gone + 1], None)


@pytest.mark.parametrize("length", [1, 2, 3, 6])
@pytest.mark.parametrize("link", [-98992, 0, 1, 2, 5, 100, 2**31 - 1])
@pytest.mark.parametrize("column", ["content", "previous_digest", "digest", "number"])
def test_a_revision_is_named_alone_whatever_its_link_says_beside_another_change(
    column: str, link: int, length: int
) -> None:
    for place in range(length):
        links, whole = sealed_chain(length), sealed_chain(length)
        links[place] = replace(links[place], link=link, **{column: "other"})
        faults = follow(sorted(links, key=lambda each: each.link), Head(length, whole[-1].digest))
        assert [each for each in links if each.digest != each.computed] == [links[place]]
        assert all(each is links[place] for each, *_ in faults.revisions)
        assert (faults.missing, faults.length) == ([], None)


@pytest.mark.parametrize("gone", [{1}, {4}, {7}, {1, 2}, {3, 5}, {6, 7}, {1, 4, 7}, set(range(1, 8))])
def test_missing_places_are_named_and_nobody_else(gone: set[int]) -> None:
    links = [link for link in chain(7) if link.link not in gone]
    faults = follow(links, Head(7, "d7"))
    assert (faults.revisions, faults.missing, faults.length) == ([], sorted(gone), None)


@pytest.mark.parametrize("place", range(1, 8))
def test_a_replaced_revision_is_named_and_not_who_follows(place: int) -> None:
    links = chain(7)
    links[place - 1].digest = "other"
    # Its content makes that digest: it was sealed anew.
    links[place - 1].computed = "other"
    faults = follow(links, Head(7, "d7"))
    words = findings.END if place == 7 else findings.NOT_FOLLOWED
    assert [(link.link, told) for link, told, _ in faults.revisions] == [(place, words)]


@pytest.mark.parametrize("place", range(1, 8))
def test_a_changed_digest_alone_breaks_no_chain(place: int) -> None:
    """That the digest is not that of the content is said elsewhere."""
    links = chain(7)
    links[place - 1].digest = "other"
    assert follow(links, Head(7, "d7")).revisions == []


def test_a_chain_in_a_circle_is_named_where_it_closes() -> None:
    links = chain(5)
    links[0].previous_digest = "d5"
    assert named(follow(links, Head(5, "d5"))) == {(1, findings.NOT_FOLLOWING)}


def test_revisions_after_the_end_are_named() -> None:
    faults = follow(chain(5), Head(3, "d3"))
    assert named(faults) == {(4, findings.UNKNOWN_TO_MATCH), (5, findings.UNKNOWN_TO_MATCH)}


def test_a_second_revision_after_the_same_is_named() -> None:
    forged = Link(8, "d3", "forged", "d99")
    assert named(follow([*chain(7), forged], Head(7, "d7"))) >= {(99, findings.NOT_FOLLOWING)}
    assert {place for place, _ in named(follow([*chain(7), forged], Head(7, "d7")))} == {99}


def test_a_length_out_of_all_bounds_makes_no_endless_list() -> None:
    assert len(follow(chain(3), Head(2**31 - 1, "other")).missing) <= 1000
    assert follow(chain(3), Head(2**31 - 1, "d3")).length == 3
