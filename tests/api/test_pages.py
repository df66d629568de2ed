"""Pages of lists: limit, cursor, Link; nothing twice, nothing skipped."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from tests.api.requests import ROUND, change, post_round

MOST_PAGES = 100

Get = Callable[[str], Any]


def walk(
    client: FlaskClient, path: str, between: Callable[[], Any] | None = None
) -> Iterator[list[str]]:
    """The ids of each page in turn, by following Link."""
    for _ in range(MOST_PAGES):
        response = client.get(path)
        assert response.status_code == 200, response.text
        page = response.get_json()
        yield [item["id"] for item in page["items"]]
        link = response.headers.get("Link")
        if link is None:
            assert page["next_cursor"] is None
            return
        path, relation = link.split("; ")
        assert relation == 'rel="next"'
        path = path.removeprefix("<").removesuffix(">")
        assert parse_qs(urlsplit(path).query)["cursor"] == [page["next_cursor"]]
        if between:
            between()
    pytest.fail(f"more than {MOST_PAGES} pages: the list goes round")


LISTS: dict[str, str] = {
    "rounds": "/v1/rounds?",
    "rounds of a player": "/v1/rounds?player=andi%26co%20é",
    "rounds of a match": "/v1/rounds?match={match}",
    "rounds of a player in a match": "/v1/rounds?match={match}&player=budi",
    "a match's rounds": "/v1/matches/{match}/rounds?",
    "matches": "/v1/matches?",
    "matches of a player": "/v1/matches?player=budi",
}


class TestEveryList:
    """Seven items in every list, made here; other items that do not belong there besides."""

    @pytest.fixture
    def more(self, client: FlaskClient, open_match: Callable[..., Any]) -> Callable[[], Any]:
        """Make one more item for every list."""
        self.match = open_match(players=["andi&co é", "budi"], rounds=1000)
        document = change(ROUND, {"/seats/0/player": "andi&co é"})

        def more() -> None:
            post_round(client, f"/v1/matches/{self.match['id']}/rounds", document)
            open_match()
            post_round(client)

        return more

    @pytest.fixture(params=LISTS)
    def path(self, request: pytest.FixtureRequest, more: Callable[[], Any]) -> str:
        for _ in range(7):
            more()
        return LISTS[request.param].format(match=self.match["id"])

    def test_pages_join_up_to_the_whole(self, client: FlaskClient, path: str) -> None:
        (whole,) = walk(client, path)
        assert len(whole) >= 7
        assert whole == sorted(whole, reverse=True)
        for limit in (1, 3, len(whole) - 1, len(whole), len(whole) + 1):
            pages = list(walk(client, f"{path}&limit={limit}"))
            assert [identifier for page in pages for identifier in page] == whole
            assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
            assert 0 < len(pages[-1]) <= limit

    def test_nothing_is_twice_or_skipped_while_others_write(
        self, client: FlaskClient, path: str, more: Callable[[], Any]
    ) -> None:
        (before,) = walk(client, path)
        pages = list(walk(client, f"{path}&limit=2", between=more))
        assert [identifier for page in pages for identifier in page] == before
        (after,) = walk(client, path)
        assert len(after) > len(before) and after[-len(before) :] == before


def test_the_cursor_alone_goes_on_where_the_page_ended(client: FlaskClient) -> None:
    ids = [post_round(client)["id"] for _ in range(3)][::-1]
    first = client.get("/v1/rounds?limit=1").get_json()
    assert [item["id"] for item in first["items"]] == ids[:1]
    rest = client.get(f"/v1/rounds?cursor={first['next_cursor']}").get_json()
    assert [item["id"] for item in rest["items"]] == ids[1:]
    assert rest["next_cursor"] is None


def test_a_cursor_stays_good(client: FlaskClient) -> None:
    for _ in range(3):
        post_round(client)
    cursor = client.get("/v1/rounds?limit=1").get_json()["next_cursor"]
    answers = [client.get(f"/v1/rounds?limit=1&cursor={cursor}").get_json() for _ in range(2)]
    assert answers[0] == answers[1]


def test_an_empty_list_has_no_next(client: FlaskClient) -> None:
    for path in ("/v1/rounds", "/v1/matches"):
        response = client.get(path)
        assert response.get_json() == {"items": [], "next_cursor": None}
        assert "Link" not in response.headers


class TestMoreThan500:
    """501 rounds, copied within the database from one that was posted."""

    @pytest.fixture
    def get(self, client: FlaskClient, database: Database) -> Get:
        kept = post_round(client)
        copied = (
            "status, ruleset_id, ruleset_version, request, result, submitted_at, submitted_by, digest"
        )
        copies = text(f"""
            INSERT INTO rounds (id, revision, link, {copied})
            SELECT gen_random_uuid(), revision, link, {copied}
            FROM rounds, generate_series(1, 500) WHERE id = :id
        """)
        with database.transaction() as connection:
            connection.execute(copies, {"id": kept["id"]})
        return lambda query: client.get(f"/v1/rounds{query}")

    def test_limit_is_50_unless_it_is_given(self, get: Get) -> None:
        response = get("")
        assert len(response.get_json()["items"]) == 50
        assert "limit=50" in response.headers["Link"]

    @pytest.mark.parametrize("limit", ["500", "501", "99999999999999999999"])
    def test_a_limit_above_500_is_lowered_to_500(self, get: Get, limit: str) -> None:
        response = get(f"?limit={limit}")
        assert len(response.get_json()["items"]) == 500
        assert "limit=500&" in response.headers["Link"]
        cursor = response.get_json()["next_cursor"]
        assert len(get(f"?limit={limit}&cursor={cursor}").get_json()["items"]) == 1
