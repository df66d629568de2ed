"""Players' names in addresses: whatever a name may hold leads to that player, and to no other."""

import re
from urllib.parse import quote

import pytest
from flask import Response
from flask.testing import FlaskClient

from tests.api.requests import ANDI, BUDI, assert_problem, post_round

NAMES = [
    "a/b",
    "a/rounds",
    "/x",
    "x/",
    "//",
    "../x",
    ".",
    "a%2Fb",
    "a%b",
    "a?b#c",
    "é/ü",
    "🂡/🂮",
    "a+b c",
    "\\",
]


def plain_client(client: FlaskClient) -> FlaskClient:
    """The same, not held to the document, which cannot tell from an address what in it is a name."""
    plain = FlaskClient(client.application, Response)
    plain.environ_base |= client.environ_base
    return plain


def read(client: FlaskClient, name: str, below: str = "") -> object:
    answer = plain_client(client).get(f"/v1/players/{quote(name, safe='')}{below}")
    assert answer.status_code == 200, (name, answer.text)
    return answer.get_json()


@pytest.mark.parametrize("name", NAMES)
def test_a_player_is_found_by_the_name_that_was_sent(client: FlaskClient, name: str) -> None:
    others = {"a", "x", "b"}
    for other in sorted(others):
        seats = [{**ANDI, "player": other}, {**BUDI, "player": f"{other} too"}]
        post_round(client, document={"seats": seats})
    kept = post_round(client, document={"seats": [{**ANDI, "player": name}, BUDI]})
    told: dict[str, object] = read(client, name)  # type: ignore[assignment]
    assert (told["player"], told["rounds"]) == (name, 1)
    listed: dict[str, list[dict[str, object]]] = read(client, name, "/rounds")  # type: ignore[assignment]
    assert [item["id"] for item in listed["items"]] == [kept["id"]]


@pytest.mark.parametrize("name", [*NAMES, "Renée", "%41", "\u2067abc", "x" * 64, "<y>; rel=next"])
def test_the_link_to_a_players_next_page_leads_there(client: FlaskClient, name: str) -> None:
    kept = [post_round(client, document={"seats": [{**ANDI, "player": name}, BUDI]}) for _ in range(2)]
    plain = plain_client(client)
    first = plain.get(f"/v1/players/{quote(name, safe='')}/rounds?limit=1")
    link = re.fullmatch(r"<([!-;=?-~]+)>; rel=\"next\"", first.headers["Link"])
    assert link, first.headers["Link"]
    second = plain.get(link[1])
    ids = [item["id"] for page in (first, second) for item in page.get_json()["items"]]
    assert ids == [kept[1]["id"], kept[0]["id"]]
    # The same goes for what a problem says of its address.
    wrong = plain.get(f"/v1/players/{quote(name, safe='')}/rounds?limit=0").get_json()
    assert wrong["instance"] == f"/v1/players/{quote(name, safe='')}/rounds"


@pytest.mark.parametrize(
    "path", ["//v1/players/x", "/v1//players/x", "/v1/players//x", "/v1/players/x//rounds"]
)
def test_slashes_between_names_lead_nowhere_else(client: FlaskClient, path: str) -> None:
    answer = client.get(path, follow_redirects=False)
    assert_problem(answer, 404, "not-found")
