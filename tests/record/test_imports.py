"""Matches brought in from elsewhere: as if posted one by one, each once, all or nothing."""

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from schemas.rounds import read_round
from service.api import importing as api
from service.api.bulk import Refusals
from service.api.problems import Occasion
from service.auditing import audit_everything
from service.database import Database, DatabaseAway
from service.record import importing
from service.record.digests import canonical, without_texts
from service.rules import results
from service.rules.cards import NAMES
from service.rules.labels import ENGLISH
from service.rules.ruleset import BUILT_IN
from service.rules.scoring import score
from tests.api.requests import ANDI, BUDI, SEATS, SIX_PAIRS, change

NDJSON = "application/x-ndjson"
HOUSE = {
    "id": "meja-9",
    "title": "Meja 9",
    "base": "bsfyi",
    "points": {"row": 2},
    "clean_sweep": None,
}
DECLARED = [
    {"player": "andi", "declare": "six_pairs", "cards": SIX_PAIRS},
    {"player": "budi", "declare": "dragon", "cards": "2d 3d 4d 5d 6d 7d 8c 9c Ts Jh Qd Kc Ah"},
]


def deal(players: list[str], seed: int) -> dict[str, Any]:
    """A round by chance: mostly fouls, now and then a special."""
    deck = list(NAMES)
    random.Random(seed).shuffle(deck)
    hands = [deck[13 * place : 13 * place + 13] for place in range(len(players))]
    return {
        "seats": [
            {"player": player, "top": hand[:3], "middle": hand[3:8], "bottom": hand[8:]}
            for player, hand in zip(players, hands, strict=True)
        ]
    }


FOUR = ["andi", "budi", r"c\N", "d|é"]
#: Matches of all kinds, as lines.
MATCHES: list[dict[str, Any]] = [
    {"key": "1", "players": ["andi", "budi"], "rounds": [{"seats": SEATS}]},
    {"key": "2", "players": FOUR, "rounds": [deal(FOUR, seed) for seed in range(5)], "label": "a \\ b"},
    {
        "key": "3",
        "players": FOUR[:3],
        "ruleset": "panduan",
        "stake": 500,
        "rounds": [deal(FOUR[:3], seed) for seed in range(9)],
    },
    {
        "key": "4",
        "players": ["andi", "budi"],
        "planned": 3,
        "rounds": [{"seats": DECLARED, "number": 1}],
    },
    {
        "key": "5",
        "players": ["budi", "andi"],
        "ruleset": {"id": "meja-9", "version": 1},
        "stake": 7,
        "planned": 10,
        "rounds": [{"seats": SEATS}, {"seats": DECLARED}, deal(["andi", "budi"], 7)],
        "finish": {"reason": "closing \\ time"},
    },
    {"key": "6", "players": ["eka", "fajar"], "rounds": []},
    {"key": "7", "players": ["eka", "fajar"], "planned": 2, "rounds": [], "finish": {"reason": "rain"}},
    {
        "key": "8",
        "players": FOUR,
        "ruleset": "meja-9",
        "rounds": [deal(FOUR, seed) for seed in range(3)],
    },
]


def bring_in(client: FlaskClient, lines: Any, query: str = "") -> list[dict[str, Any]]:
    body = (
        lines if type(lines) is bytes else b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    )
    response = client.post(f"/v1/imports{query}", data=body, content_type=NDJSON)
    assert response.status_code == 200, response.text
    return [json.loads(line) for line in response.data.splitlines()]


def statuses(answers: list[dict[str, Any]]) -> list[str]:
    assert answers[-1]["end"] is True and answers[-1]["count"] == len(answers) - 1
    return [answer["status"] for answer in answers[:-1]]


def post(client: FlaskClient, line: dict[str, Any]) -> str:
    """The same by the calls for single matches and rounds; the match's id."""
    count = len(line["rounds"])
    opened = {name: line[name] for name in ("players", "ruleset", "stake", "label") if name in line}
    if "planned" in line or count:
        opened["rounds"] = line.get("planned", count)
    match = client.post("/v1/matches", json=opened)
    assert match.status_code == 201, match.text
    path = f"/v1/matches/{match.get_json()['id']}"
    for round_ in line["rounds"]:
        assert client.post(f"{path}/rounds", json=round_).status_code == 201
    if "finish" in line:
        assert client.post(f"{path}/finish", json=line["finish"]).status_code == 200
    return str(match.get_json()["id"])


#: What must be the same, with ids and times as places in order.
QUERIES = (
    """SELECT label, ruleset_id, ruleset_version, stake, rounds, rounds_played, status, created_by,
        finished_at IS NULL, finish_reason, tournament_id, version, chain_length, chain_digest IS NULL,
        finished_at >= created_at, chain_digest = (SELECT digest FROM rounds WHERE match_id = matches.id
            ORDER BY link DESC LIMIT 1)
        FROM matches ORDER BY id""",
    "SELECT seat, player, points, net, fees, adjustments, rounds, withdrawn FROM match_players "
    "ORDER BY match_id, seat",
    """SELECT number, revision, link, status, ruleset_id, ruleset_version, request, result::text,
        submitted_by, reason, previous_digest IS NULL FROM rounds ORDER BY id""",
    """SELECT seat, player, top_hand, middle_hand, bottom_hand, foul, special, sweeps, clean_sweep,
        points, won, fee, net FROM seats ORDER BY round_id, seat""",
    """SELECT duel, player, opponent, outcome, winner, factor, bonus, points, top_winner, middle_winner,
        bottom_winner FROM duels ORDER BY round_id, duel""",
    "SELECT * FROM player_totals ORDER BY player",
)


def record(database: Database) -> list[Any]:
    with database.transaction() as connection:
        return [connection.execute(text(query)).all() for query in QUERIES]


def views(database: Database) -> list[Any]:
    with database.transaction() as connection:
        names = connection.scalars(
            text(
                "SELECT table_name FROM information_schema.views "
                "WHERE table_schema = 'history' ORDER BY 1"
            )
        ).all()
        counts = [connection.scalar(text(f"SELECT count(*) FROM history.{name}")) for name in names]
        return list(zip(names, counts, strict=True))


def empty(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(
            text("""SET LOCAL session_replication_role = replica; DELETE FROM imports;
            DELETE FROM player_totals; DELETE FROM duels; DELETE FROM seats; DELETE FROM rounds;
            DELETE FROM match_players; DELETE FROM matches""")
        )


@pytest.mark.parametrize("batch", [1_000, 1])
def test_what_is_brought_in_is_what_posting_would_have_stored(
    client: FlaskClient,
    database: Database,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    batch: int,
) -> None:
    monkeypatch.setattr(api, "BATCH_ROUNDS", batch)
    assert client.post("/v1/rulesets", json=HOUSE).status_code == 201
    ids = [post(client, line) for line in MATCHES]
    posted, seen, shown = record(database), views(database), [read(client, match) for match in ids]
    empty(database)
    answers = bring_in(client, MATCHES)
    assert statuses(answers) == ["imported"] * len(MATCHES)
    assert [answer["rounds"] for answer in answers[:-1]] == [len(line["rounds"]) for line in MATCHES]
    assert answers[-1]["rounds"] == sum(len(line["rounds"]) for line in MATCHES)
    for brought, by_posting in zip(record(database), posted, strict=True):
        assert brought == by_posting
    assert views(database) == seen
    assert [read(client, answer["match"]) for answer in answers[:-1]] == shown
    report = audit_everything(database_url, workers=1)
    assert (report.findings, report.rounds) == ([], len(posted[2]))


def read(client: FlaskClient, match: str) -> Any:
    """A match and its rounds as the calls show them, but for ids, times and digests."""
    shown = client.get(f"/v1/matches/{match}").get_json()
    rounds = client.get(f"/v1/matches/{match}/rounds?limit=500").get_json()["items"]
    for each in (shown, *rounds):
        for name in (
            "id",
            "match",
            "created_at",
            "finished_at",
            "submitted_at",
            "digest",
            "previous_digest",
        ):
            each.pop(name, None)
    return shown, rounds


def test_what_was_brought_in_can_be_gone_on_with(client: FlaskClient, database_url: str) -> None:
    (answer, _) = bring_in(client, [MATCHES[3]])
    path = f"/v1/matches/{answer['match']}"
    kept = client.post(f"{path}/rounds", json={"seats": SEATS, "number": 2})
    assert kept.status_code == 201
    headers = {"If-Match": "*"}
    document = {"seats": DECLARED, "reason": "misread"}
    corrected = client.post(
        f"/v1/rounds/{kept.get_json()['id']}/corrections", json=document, headers=headers
    )
    assert corrected.status_code == 201
    assert audit_everything(database_url, workers=1).findings == []


# --- once --------------------------------------------------------------------------------------------


def test_the_same_lines_change_nothing(client: FlaskClient, database: Database) -> None:
    client.post("/v1/rulesets", json=HOUSE)
    first = bring_in(client, MATCHES)
    before = record(database)
    reordered = [dict(reversed(line.items())) for line in MATCHES]
    for lines in (MATCHES, reordered, reversed(MATCHES)):
        answers = bring_in(client, list(lines))
        assert statuses(answers) == ["unchanged"] * len(MATCHES)
        assert {answer["match"] for answer in answers[:-1]} == {answer["match"] for answer in first[:-1]}
    assert record(database) == before


def test_lines_without_a_key_are_told_by_their_content(client: FlaskClient, stored: Any) -> None:
    line = {name: value for name, value in MATCHES[0].items() if name != "key"}
    other = {**line, "label": "another evening"}
    assert statuses(bring_in(client, [line, other, line])) == ["imported", "imported", "unchanged"]
    assert statuses(bring_in(client, [other, line])) == ["unchanged"] * 2
    assert stored("matches") == 2


WRITTEN: dict[str, Any] = {
    "with the default rule set": {"/ruleset": "bsfyi"},
    "with it as an object": {"/ruleset": {"id": "bsfyi"}},
    "with as many planned as there are": {"/planned": 1},
    "with numbers": {"/rounds/0/number": 1},
    "with tens in two digits": {"/rounds/0/seats/1/bottom": ["10c", "10d", "10h", "Jc", "Js"]},
    "with rows as strings": {"/rounds/0/seats/0/top": "ks kh 2♦", "/rounds/0/seats/1/top": "QsQh5d"},
}


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("way", WRITTEN)
def test_a_match_is_the_same_however_it_is_written(
    client: FlaskClient, stored: Any, way: str, keyed: bool
) -> None:
    line = {"players": ["andi", "budi"], "rounds": [{"seats": SEATS}], **({"key": "a"} if keyed else {})}
    assert statuses(bring_in(client, [line])) == ["imported"]
    assert statuses(bring_in(client, [change(line, WRITTEN[way])])) == ["unchanged"]
    assert stored("matches") == 1


def test_of_cards_without_rows_no_order_counts(client: FlaskClient) -> None:
    line = {"players": ["andi", "budi"], "rounds": [{"seats": DECLARED}]}
    cards = list(reversed(SIX_PAIRS.split()))
    assert statuses(bring_in(client, [line])) == ["imported"]
    assert statuses(bring_in(client, [change(line, {"/rounds/0/seats/0/cards": cards})])) == [
        "unchanged"
    ]


@pytest.mark.parametrize(
    "differs",
    [
        {"/ruleset": {"id": "bsfyi", "version": 1}},
        {"/ruleset": "panduan"},
        {"/planned": 2},
        {"/stake": 1},
        {"/players": ["budi", "andi"]},
        {"/rounds/0/seats/0/middle": ["9h", "9s", "9d", "4c", "4s"]},
    ],
    ids=str,
)
def test_a_match_that_says_anything_else_is_another(client: FlaskClient, differs: Any) -> None:
    line = {"key": "a", "players": ["andi", "budi"], "rounds": [{"seats": SEATS}]}
    assert statuses(bring_in(client, [line])) == ["imported"]
    assert statuses(bring_in(client, [change(line, differs)])) == ["rejected"]


def test_a_key_that_is_none_is_told_as_none(client: FlaskClient) -> None:
    (refused, _end) = bring_in(client, [{**MATCHES[0], "key": 5}])
    assert (refused["status"], refused["key"]) == ("rejected", None)
    assert [error["pointer"] for error in refused["problem"]["errors"]] == ["/key"]


def test_a_key_stands_for_one_match_of_its_source(client: FlaskClient, stored: Any) -> None:
    line, other = MATCHES[0], {**MATCHES[0], "label": "another"}
    kept, refused, end = bring_in(client, [line, other])
    assert (kept["status"], refused["status"], end["rejected"]) == ("imported", "rejected", 1)
    (mistake,) = refused["problem"]["errors"]
    assert mistake["code"] == "import_key_reused"
    assert (mistake["pointer"], mistake["match"]) == ("/key", kept["match"])
    assert refused["match"] is None and refused["problem"]["line"] == refused["line"] == 2
    assert statuses(bring_in(client, [other], "?source=old-app")) == ["imported"]
    assert statuses(bring_in(client, [line], "?source=default")) == ["unchanged"]
    assert stored("matches") == stored("imports") == 2


def test_two_who_bring_in_the_same_at_once_bring_it_in_once(
    app: Flask, make_key: Callable[..., str], stored: Any, database_url: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(api, "BATCH_ROUNDS", 10)
    lines = [
        {"key": str(number), "players": FOUR, "rounds": [deal(FOUR, number), deal(FOUR, number + 1)]}
        for number in range(60)
    ]
    authorization = {"Authorization": f"Bearer {make_key('admin')}"}
    app.test_client_class = FlaskClient
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    turned = b"".join(json.dumps(line).encode() + b"\n" for line in reversed(lines))

    def send(lines: bytes) -> list[dict[str, Any]]:
        response = app.test_client().post(
            "/v1/imports", data=lines, content_type=NDJSON, headers=authorization
        )
        return [json.loads(line) for line in response.data.splitlines()]

    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(send, [body, turned, body]))
    assert all(answers[-1].get("end") for answers in found)
    assert sum(answers[-1]["imported"] for answers in found) == 60
    assert sum(answers[-1]["unchanged"] for answers in found) == 120
    assert stored("matches") == 60 and stored("rounds") == 120
    assert audit_everything(database_url, workers=1).findings == []


# --- all or nothing ----------------------------------------------------------------------------------


def wrong(pointer: str, **changes: Any) -> tuple[dict[str, Any], list[str]]:
    return {**MATCHES[0], **changes}, [pointer]


WRONG: dict[str, tuple[Any, list[str]]] = {
    "no players": ({"rounds": []}, ["/players"]),
    "no rounds": ({"players": ["a", "b"]}, ["/rounds"]),
    "one player": wrong("/players", players=["andi"]),
    "a player twice": wrong("/players/1", players=["andi", "andi"]),
    "rounds that are none": wrong("/rounds", rounds={}),
    "more rounds than planned": wrong("/rounds/1", planned=1, rounds=[{"seats": SEATS}] * 2),
    "too many rounds": wrong("/rounds", rounds=[{}] * 1001),
    "a round out of order": wrong("/rounds/0/number", rounds=[{"seats": SEATS, "number": 2}]),
    "finished twice": wrong("/finish", finish={"reason": "x"}, planned=1),
    "finished for no reason": wrong("/finish/reason", planned=2, finish={}),
    "an unknown field": wrong("/a~1b", **{"a/b": 1}),
    "a round of somebody else": wrong("/rounds/0/seats/0/player", players=["eka", "budi"]),
    "no such rules": wrong("/ruleset", ruleset="nope"),
    "rules without points": wrong("/ruleset", ruleset="gratis"),
    "a blank key": wrong("/key", key=" "),
    "a long key": wrong("/key", key="x" * 256),
    "a number for a key": wrong("/key", key=1),
    "cards": (
        {
            **MATCHES[0],
            "rounds": [
                {"seats": [ANDI, change(BUDI, {"/top/0": "Xx"})]},
                7,
                {"seats": [ANDI, change(BUDI, {"/top/0": "Ks"})], "x": 1},
            ],
        },
        ["/rounds/0/seats/1/top/0", "/rounds/1", "/rounds/2/seats/1/top/0", "/rounds/2/x"],
    ),
}


@pytest.mark.parametrize(("line", "pointers"), WRONG.values(), ids=WRONG)
def test_a_match_with_anything_wrong_is_rejected_whole_with_all_that_is(
    client: FlaskClient, stored: Any, line: Any, pointers: list[str]
) -> None:
    answers = bring_in(client, [MATCHES[5], line, MATCHES[6]])
    assert statuses(answers) == ["imported", "rejected", "imported"]
    problem = answers[1]["problem"]
    assert (problem["type"], problem["status"]) == ("/problems/invalid-request", 422)
    found = sorted(mistake["pointer"] for mistake in problem["errors"])
    assert set(pointers) <= set(found)
    assert stored("rounds") == 0 and stored("matches") == 2


@pytest.mark.parametrize(
    "bad",
    [b"{", b"", b"[1, 1]", b'"x"', b"1" * 20, b"7" * 99, b"x" * (api.MOST_LINE_BYTES + 1), b"\xff"],
)
def test_lines_that_are_no_match_are_told_by_their_number(client: FlaskClient, bad: bytes) -> None:
    good = json.dumps(MATCHES[0]).encode()
    first, second, end = bring_in(client, bad + b"\n" + good)
    assert (first["line"], first["status"]) == (1, "rejected")
    assert (second["line"], second["status"]) == (2, "imported")
    assert (end["imported"], end["rejected"]) == (1, 1)


def test_a_match_that_the_database_refuses_takes_no_other_with_it(
    client: FlaskClient, stored: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil(played: Any, by: str) -> Any:
        ready = prepare(played, by)
        if played.key == "2":
            ready = importing.Ready(
                ready.id, ready.played, {**ready.rows, "seats": "nonsense\n"}, ready.counts
            )
        return ready

    prepare = importing.prepare
    monkeypatch.setattr(importing, "prepare", spoil)
    answers = bring_in(client, MATCHES[:4])
    assert statuses(answers) == ["imported", "rejected", "imported", "imported"]
    assert answers[1]["problem"]["type"] == "/problems/internal-error"
    assert "nonsense" not in json.dumps(answers)
    assert stored("matches") == stored("imports") == 3
    monkeypatch.undo()
    assert statuses(bring_in(client, MATCHES[:4])) == ["unchanged", "imported", "unchanged", "unchanged"]


def test_where_the_database_goes_the_answer_breaks_off_and_the_same_again_completes_it(
    client: FlaskClient, stored: Any, monkeypatch: pytest.MonkeyPatch, app: Flask
) -> None:
    monkeypatch.setattr(api, "BATCH_LINES", 2)
    kept = importing.store
    calls = []

    def fail(*of: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise DatabaseAway("gone")
        return kept(*of)

    monkeypatch.setattr(importing, "store", fail)
    app.test_client_class = FlaskClient
    body = b"".join(json.dumps(line).encode() + b"\n" for line in MATCHES[:4])
    headers = {"Authorization": client.environ_base["HTTP_AUTHORIZATION"]}
    response = app.test_client().post("/v1/imports", data=body, content_type=NDJSON, headers=headers)
    came = []
    with pytest.raises(Exception, match="gone"):
        for piece in response.response:
            came += [json.loads(line) for line in piece.splitlines()]
    response.close()
    assert [answer["status"] for answer in came] == ["imported", "imported", "failed", "failed"]
    assert came[2]["problem"]["type"] == "/problems/database-away"
    assert stored("matches") == 2
    monkeypatch.undo()
    assert statuses(bring_in(client, MATCHES[:4])) == ["unchanged"] * 2 + ["imported"] * 2
    assert stored("matches") == stored("imports") == 4


def test_imports_stay(client: FlaskClient, database: Database) -> None:
    bring_in(client, MATCHES[:1])
    for statement in ("UPDATE imports SET key = 'x'", "DELETE FROM imports", "TRUNCATE imports"):
        with pytest.raises(DBAPIError, match="never changed"), database.transaction() as connection:
            connection.execute(text(statement))


@pytest.mark.parametrize("ruleset", ["bsfyi", "panduan"])
def test_texts_are_left_out_of_results_as_they_are_of_anything(ruleset: str) -> None:
    documents = [{**deal(FOUR, seed), "ruleset": ruleset} for seed in range(30)]
    documents += [{"seats": SEATS, "ruleset": ruleset, "stake": 5}]
    if ruleset == "bsfyi":
        documents.append({"seats": DECLARED})
    for document in documents:
        asked = read_round(document, lambda name, _version: BUILT_IN.get(name))
        result = score(asked.ruleset, asked.seats, asked.stake, ENGLISH)
        bare = results.write_canonical(results.without_texts(result))
        assert bare == canonical(without_texts(results.show(result)))


def test_a_batch_has_no_more_than_so_many_bytes(database: Database) -> None:
    """Whatever lines hold that is none of a match, no more of them than that is in memory at a time."""
    players = b",".join([b"[]"] * 100_000)
    lines = [b'{"key": "%d", "rounds": [], "players": [%b]}' % (number, players) for number in range(7)]
    importer = api.Importer(database, "x", "x", Refusals(Occasion(str, "", None)))
    batches = list(importer.outcomes(enumerate(lines, 1)))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert importer.spent() > 7 * len(players) / 1000
    assert importer.spent() == 0
    for outcome in batches[0]:
        assert [error["pointer"] for error in outcome["problem"]["errors"]] == ["/players"]


@pytest.mark.parametrize("count", [5, 16, 17, 1_000])
def test_too_many_players_are_one_mistake(client: FlaskClient, count: int) -> None:
    players = [f"player {number}" for number in range(count)]
    alone = client.post("/v1/matches", json={"players": players})
    refused, _end = bring_in(client, [{"players": players, "rounds": []}])
    for problem in (alone.get_json(), refused["problem"]):
        (mistake,) = problem["errors"]
        assert (mistake["code"], mistake["pointer"], mistake["got"]) == ("seat_count", "/players", count)
