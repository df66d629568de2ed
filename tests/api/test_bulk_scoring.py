"""Many rounds in one request, a round a line: each line is answered as it would be alone, in order."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api import bodies, scoring
from tests.api.requests import ANDI, BUDI, DRAGON, ROUND, SEATS, SIX_PAIRS, assert_problem, change

NDJSON = "application/x-ndjson"
DECLARED = {
    "stake": 100,
    "seats": [
        {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS},
        {"player": "budi", "declare": "dragon", "cards": DRAGON.replace("2s", "2d").replace("8c", "8d")},
    ],
}
#: Lines of all kinds: bytes as they are, anything else as JSON.
LINES: dict[str, Any] = {
    "a round": ROUND,
    "another rule set": {**ROUND, "ruleset": "panduan", "stake": 7},
    "a version": {**ROUND, "ruleset": {"id": "bsfyi", "version": 1}},
    "specials": DECLARED,
    "a foul": {"seats": [change(ANDI, {"/top": BUDI["bottom"][:3], "/bottom/4": "Qd"}), BUDI]},
    "no rule set": {**ROUND, "ruleset": "nope"},
    "everything wrong": {"stake": 0, "ruleset": 1, "x": 1, "seats": [{"player": "", "top": "Kx"}, 7]},
    "a card twice": {"seats": [ANDI, change(BUDI, {"/top/0": "Ks"})]},
    "null": None,
    "a list": [],
    "no JSON": b"{",
    "nothing of JSON": b"hello",
    "a key twice": b'{"seats": [], "seats": []}',
    "NaN": b'{"stake": NaN}',
    "a long number": b'{"stake": %s}' % (b"1" * 30),
    "deep": b"[" * 40 + b"]" * 40,
    "NUL": b'{"ruleset": "\\u0000"}',
    "half a pair": b'{"ruleset": "\\ud800"}',
    "no UTF-8": b'{"ruleset": "\xff"}',
    "signs": {"seats": [ANDI, change(BUDI, {"/top": "Q♠ Q♥ 5♦", "/player": "Bu|di é"})]},
}


def encode(line: Any) -> bytes:
    return line if type(line) is bytes else json.dumps(line).encode()


def send(client: FlaskClient, lines: Any, **headers: str) -> TestResponse:
    body = lines if type(lines) is bytes else b"".join(encode(line) + b"\n" for line in lines)
    return client.post("/v1/score", data=body, content_type=NDJSON, headers=headers)


def answers(response: TestResponse) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.text
    assert response.mimetype == NDJSON
    return [json.loads(line) for line in response.data.splitlines()]


def bare(answer: dict[str, Any]) -> dict[str, Any]:
    """What must be the same for a line and a request of its own."""
    return {name: value for name, value in answer.items() if name not in ("request_id", "line")}


@pytest.mark.parametrize("language", ["en", "id"])
def test_every_line_is_answered_as_the_round_alone_would_be(client: FlaskClient, language: str) -> None:
    headers = {"Accept-Language": language}
    found = answers(send(client, LINES.values(), **headers))
    assert len(found) == len(LINES)
    for number, (line, answer) in enumerate(zip(LINES.values(), found, strict=True), 1):
        alone = client.post(
            "/v1/score", data=encode(line), content_type="application/json", headers=headers
        )
        expected = alone.get_json()
        assert list(answer) == list(expected) if alone.status_code == 200 else answer["line"] == number
        if "column" in expected:  # at which line of the body JSON ends to be JSON
            expected["detail"] = expected["detail"].replace(" 1,", f" {number},")
        assert bare(answer) == bare(expected)


def test_a_good_line_is_the_same_bytes_as_the_answer_alone(client: FlaskClient) -> None:
    (line,) = send(client, [ROUND]).data.splitlines()
    assert line == client.post("/v1/score", json=ROUND).data


def test_order_is_kept(client: FlaskClient) -> None:
    stakes = range(1, 2_000)
    found = answers(send(client, [{**ROUND, "stake": stake} for stake in stakes]))
    assert [answer["stake"] for answer in found] == list(stakes)


ENDS: dict[str, tuple[bytes, int]] = {
    "none": (b"", 1),
    "a line feed": (b"\n", 1),
    "both": (b"\r\n", 1),
    "blank lines": (b"\n\n \r\n\t\n", 1),
    "spaces without an end": (b"\n  ", 1),
}


@pytest.mark.parametrize(("end", "count"), ENDS.values(), ids=ENDS)
def test_lines_at_the_end_that_are_blank_are_none(client: FlaskClient, end: bytes, count: int) -> None:
    assert len(answers(send(client, encode(ROUND) + end))) == count


@pytest.mark.parametrize("body", [b"", b"\n", b"\r\n \n"])
def test_nothing_is_answered_by_nothing(client: FlaskClient, body: bytes) -> None:
    assert answers(send(client, body)) == []


def test_blank_lines_between_others_are_problems_so_that_lines_answer_to_lines(
    client: FlaskClient,
) -> None:
    found = answers(send(client, [b"", ROUND, b" \r", b"", ROUND]))
    assert [answer.get("line") for answer in found] == [1, None, 3, 4, None]
    assert {answer["type"] for answer in found if "line" in answer} == {"/problems/malformed-request"}


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("size", "fits"), [(-1, True), (0, True), (1, False), (2, False), (200_000, False)]
)
def test_a_line_that_is_too_long_is_a_problem_and_the_next_is_read(
    client: FlaskClient, end: bytes, size: int, fits: bool
) -> None:
    long = encode(ROUND).ljust(scoring.MOST_LINE_BYTES + size)
    first, second = answers(send(client, long + end + encode(ROUND) + end))
    assert "duels" in second
    assert ("duels" in first) is fits
    if not fits:
        assert (first["type"], first["status"]) == ("/problems/payload-too-large", 413)
        assert (first["line"], first["most"]) == (1, scoring.MOST_LINE_BYTES)


def test_a_body_that_is_too_long_is_refused_whole(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "MOST_BYTES", 1_000)
    assert answers(send(client, encode(ROUND)))
    response = send(client, [ROUND] * 10)
    assert_problem(response, 413, "payload-too-large")
    assert response.get_json()["most"] == 1_000


def test_house_rules_hold_and_are_looked_up_once(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = {"id": "meja", "title": "Meja", "base": "bsfyi", "points": {"row": 10}}
    assert client.post("/v1/rulesets", json=house).status_code == 201
    asked = []

    def find(*of: Any) -> Any:
        asked.append(of[1:])
        return found(*of)

    found = scoring.find_ruleset
    monkeypatch.setattr(scoring, "find_ruleset", find)
    lines = [{**ROUND, "ruleset": "meja"}, ROUND, {**ROUND, "ruleset": {"id": "meja", "version": 1}}]
    meja, bsfyi, exact = answers(send(client, lines * 20))[:3]
    assert meja == exact != bsfyi
    assert meja["ruleset"] == {"id": "meja", "version": 1}
    assert sorted(asked, key=str) == [("meja", 1), ("meja", None)]


def test_rounds_are_counted_for_prometheus(client: FlaskClient) -> None:
    def counted() -> float:
        wanted = 'susun_rounds_scored_total{kept="no",ruleset="bsfyi"}'
        lines = client.get("/metrics").text.splitlines()
        return sum(float(line.split(" ")[1]) for line in lines if line.startswith(wanted))

    before = counted()
    assert len(answers(send(client, [*([ROUND] * 50), {}]))) == 51
    assert counted() == before + 50


@pytest.mark.parametrize("media_type", ["application/json", NDJSON])
def test_other_media_types_are_told_both(client: FlaskClient, media_type: str) -> None:
    response = client.post("/v1/score", data=encode(ROUND), content_type="application/jsonl")
    assert_problem(response, 415, "unsupported-media-type")
    assert media_type in response.headers["Accept"]


@pytest.mark.parametrize("path", ["/v1/rounds", "/v1/arrangements/check", "/v1/matches"])
def test_other_calls_take_no_lines(client: FlaskClient, path: str) -> None:
    response = client.post(path, data=encode(ROUND), content_type=NDJSON)
    assert_problem(response, 415, "unsupported-media-type")


def test_a_key_is_needed_before_the_body_is_looked_at(
    client_with: Callable[..., FlaskClient], anonymous: FlaskClient
) -> None:
    assert_problem(send(anonymous, [ROUND]), 401, "unauthorized")
    assert_problem(send(client_with("read", "write", "admin"), [ROUND]), 403, "forbidden")
    assert len(answers(send(client_with("score"), [ROUND]))) == 1


def test_nobody_scores_on_when_the_reader_has_left(
    app: Flask, make_key: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = []

    def count(*of: Any) -> Any:
        scored.append(1)
        return score(*of)

    score = scoring.score_round
    monkeypatch.setattr(scoring, "score_round", count)
    lines = b"".join(encode({"seats": SEATS}) + b"\n" for _ in range(5_000))
    app.test_client_class = FlaskClient  # the checked one reads to the end
    response = send(app.test_client(), lines, Authorization=f"Bearer {make_key('score')}")
    next(iter(response.response))
    response.close()
    assert 0 < len(scored) < 500


def test_the_mark_that_some_programs_begin_with_is_passed_over(client: FlaskClient) -> None:
    found = answers(send(client, b"\xef\xbb\xbf" + encode(ROUND) + b"\n" + encode(ROUND)))
    assert [answer["seats"][0]["points"] for answer in found] == [22, 22]


@pytest.mark.parametrize(
    "line", [b"", b"x", b"x" * 70_000, b'{"seats": []}', encode(ROUND)], ids=lambda line: f"{line[:9]!r}"
)
def test_every_line_is_charged_whatever_it_holds(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    charged: list[float] = []
    monkeypatch.setattr(scoring.limits, "meter", lambda: charged.append)
    found = answers(send(client, (line + b"\n") * 40 + encode(ROUND)))
    assert len(found) == 41
    assert sum(charged) == pytest.approx(41 / scoring.ROUNDS_A_UNIT)


@pytest.mark.parametrize("blank", [b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xa0"])
def test_only_the_blanks_of_json_make_a_blank_line(client: FlaskClient, blank: bytes) -> None:
    (first, last) = answers(send(client, encode(ROUND) + b"\n" + blank + b"\n"))
    assert first["seats"] and last["line"] == 2
    assert "empty" not in last["detail"]
