"""The audit names exactly what was changed behind the service's back, and nothing else."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from service.database import Database
from service.record.audit import Part, query_of
from service.record.copied import copy, duel_lines, seat_lines
from service.rules import results
from tests.api.contract import check_answer
from tests.api.requests import ANDI, BUDI, post_round
from tests.record.tampering import FOUL, WON, Record, drop
from tests.record.test_rounds import DOCUMENTS


def test_a_clean_record_is_clean(record: Record, match: str, played: Any, alone: Any) -> None:
    report = record.whole()
    assert (report.findings, report.rounds) == ([], 10 + len(DOCUMENTS) + 2)
    answer = record.client.get(f"/v1/matches/{match}/audit").get_json()
    assert answer == {"ok": True, "rounds": 10, "findings": []}
    for kept, revisions in ((played[0], 1), (played[3], 3), (alone[0], 1), (alone[1], 3)):
        answer = record.client.get(f"/v1/rounds/{kept['id']}/audit").get_json()
        assert answer == {"ok": True, "rounds": revisions, "findings": []}


def test_nothing_is_clean(record: Record) -> None:
    record.open_match()
    assert (record.whole().findings, record.whole().rounds) == ([], 0)


@pytest.mark.parametrize("of_matches", [True, False])
def test_revisions_come_in_the_order_of_an_index(record: Record, of_matches: bool) -> None:
    """Whole results, which are large, would be sorted on the disk."""
    zero, last = (f"{digit * 8}-0000-7000-8000-000000000000" for digit in "0f")
    query, parameters = query_of(Part(of_matches, None, zero, last))
    with record.database.transaction() as connection:
        for other_way in ("seqscan", "bitmapscan", "sort"):
            connection.execute(text(f"SET LOCAL enable_{other_way} = off"))
        plan = [row[0] for row in connection.exec_driver_sql(f"EXPLAIN {query}", parameters)]
    assert any("Index Scan" in line for line in plan), plan
    assert not any("Sort" in line for line in plan), plan


@pytest.mark.parametrize("path", ["rounds", "matches"])
def test_what_is_not_there_cannot_be_audited(record: Record, path: str) -> None:
    missing = "0198d2f0-0000-7000-8000-000000000000"
    assert record.client.get(f"/v1/{path}/{missing}/audit").status_code == 404


# A change of one stored revision, and the codes that it should give.
CHANGES: dict[str, tuple[str, list[str]]] = {
    "a card in the request": (
        "request = jsonb_set(request, '{seats,0,top,2}', '\"2c\"')",
        ["digest_differs", "result_differs"],
    ),
    "a card twice in the request": (
        "request = jsonb_set(request, '{seats,0,top,2}', '\"Ks\"')",
        ["digest_differs", "request_unreadable"],
    ),
    "no card in the request": (
        "request = jsonb_set(request, '{seats,0,top,2}', '\"2x\"')",
        ["digest_differs", "request_unreadable"],
    ),
    "a request of another kind": ("request = '[]'", ["digest_differs", "request_unreadable"]),
    "a player's name in the request": (
        "request = jsonb_set(request, '{seats,0,player}', '\"anda\"')",
        ["digest_differs", "result_differs"],
    ),
    "the stake in the request": (
        "request = jsonb_set(request, '{stake}', '11')",
        ["digest_differs", "result_differs"],
    ),
    "points in the result": (
        "result = jsonb_set(result::jsonb, '{seats,0,points}', '99')::json",
        ["digest_differs", "result_differs"],
    ),
    "a whole number made a fraction": (
        "result = jsonb_set(result::jsonb, '{seats,0,sweeps}', "
        "(result #>> '{seats,0,sweeps}' || '.0')::jsonb)::json",
        ["digest_differs", "result_differs"],
    ),
    "a number that is none": (
        "result = jsonb_set(result::jsonb, '{seats,0,points}', '1e999')::json",
        ["digest_differs", "result_differs"],
    ),
    "a hand in the result": (
        "result = jsonb_set(result::jsonb, '{seats,1,rows,top,hand}', '\"flush\"')::json",
        ["digest_differs", "result_differs"],
    ),
    "no result": ("result = '{}'", ["digest_differs", "result_differs"]),
    "the digest": ("digest = 'f' || substr(digest, 2, 62) || 'g'", ["digest_differs"]),
    "a time before our era": ("submitted_at = '0044-03-15 BC'", ["digest_differs"]),
    "a time without end": ("submitted_at = 'infinity'", ["digest_differs"]),
    "a time without beginning": ("submitted_at = '-infinity'", ["digest_differs"]),
    "the first time of all": ("submitted_at = '0001-01-01 00:00+00'", ["digest_differs"]),
    "a time in the year 10000": ("submitted_at = '10000-01-01'", ["digest_differs"]),
    "the last time of all": ("submitted_at = '294276-12-31'", ["digest_differs"]),
    "points told twice": (
        r"result = regexp_replace(result::text, '(.points.:)', '\1 2200,\1')::json",
        ["digest_differs", "result_differs"],
    ),
    "the time": ("submitted_at = submitted_at + interval '1 microsecond'", ["digest_differs"]),
    "who sent it": ("submitted_by = 'nobody'", ["digest_differs"]),
    "the number": ("number = number + 100", ["digest_differs"]),
}


@pytest.mark.parametrize("which", [0, 3, 5])
@pytest.mark.parametrize(("change", "codes"), CHANGES.values(), ids=CHANGES)
def test_a_change_names_its_round_only(
    record: Record, match: str, played: Any, which: int, change: str, codes: list[str]
) -> None:
    kept = played[which]
    record.tamper(f"UPDATE rounds SET {change} WHERE id = :id AND revision = 1", id=kept["id"])
    found = record.named()
    assert sorted(code for code, *_ in found) == codes
    assert {(identifier, revision) for _, identifier, _, revision in found} == {(kept["id"], 1)}
    assert record.asked(f"/matches/{match}") == [(code, kept["id"]) for code, *_ in found]
    assert record.asked(f"/rounds/{kept['id']}") == [(code, kept["id"]) for code, *_ in found]
    assert record.asked(f"/rounds/{played[which - 1]['id']}") == []


@pytest.mark.parametrize(("change", "codes"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_a_round_on_its_own_names_it_only(
    record: Record, alone: Any, change: str, codes: list[str]
) -> None:
    if "number" in change:
        pytest.skip("it has none")
    record.tamper(f"UPDATE rounds SET {change} WHERE id = :id AND revision = 1", id=alone[1]["id"])
    found = record.named()
    assert sorted(code for code, *_ in found) == codes
    assert {(identifier, revision) for _, identifier, _, revision in found} == {(alone[1]["id"], 1)}
    assert record.asked(f"/rounds/{alone[1]['id']}") == [(code, alone[1]["id"]) for code, *_ in found]


@pytest.mark.parametrize("time", ["0044-03-15 BC", "-infinity", "infinity", "10000-01-01"])
def test_what_has_a_time_that_never_was_can_be_read(
    record: Record, match: str, played: Any, time: str
) -> None:
    record.tamper("UPDATE rounds SET submitted_at = :time", time=time)
    record.tamper("UPDATE matches SET created_at = :time", time=time)
    paths = (f"/rounds/{played[0]['id']}", f"/matches/{match}", f"/matches/{match}/rounds", "/matches")
    for path in paths:
        answer = record.client.get(f"/v1{path}")
        assert answer.status_code == 200
        check_answer(answer)


@pytest.mark.parametrize("revision", [2, 3])
def test_a_change_of_status_names_its_revision_only(record: Record, played: Any, revision: int) -> None:
    status = "CASE status WHEN 'void' THEN 'corrected' ELSE 'void' END"
    record.tamper(
        f"UPDATE rounds SET status = {status} WHERE id = :id AND revision = :revision",
        id=played[3]["id"],
        revision=revision,
    )
    assert record.named() == [("digest_differs", played[3]["id"], 4, revision)]


def test_another_previous_digest_names_its_round_only(record: Record, played: Any) -> None:
    change = "UPDATE rounds SET previous_digest = repeat('a', 64) WHERE id = :id"
    record.tamper(change, id=played[4]["id"])
    assert record.named() == [
        ("digest_differs", played[4]["id"], 5, 1),
        ("chain_broken", played[4]["id"], 5, 1),
    ]


def test_texts_are_not_sealed(record: Record, played: Any) -> None:
    change = "result = jsonb_set(result::jsonb, '{seats,0,rows,top,label}', '\"raja\"')::json"
    record.tamper(f"UPDATE rounds SET {change}")
    assert record.named() == []


@pytest.mark.parametrize("which", range(6))
def test_a_change_that_was_sealed_anew_names_its_round(record: Record, played: Any, which: int) -> None:
    """Whoever follows still refers to the digest that was."""
    kept = played[which]
    record.tamper(
        "UPDATE rounds SET submitted_by = 'nobody' WHERE id = :id AND revision = 1", id=kept["id"]
    )
    record.reseal(kept["id"])
    assert record.named() == [("chain_broken", kept["id"], kept["number"], 1)]


def test_the_last_round_sealed_anew_is_named(record: Record, match: str) -> None:
    kept = record.play(match, BUDI, BUDI)[-1]
    record.tamper("UPDATE rounds SET submitted_by = 'nobody' WHERE id = :id", id=kept["id"])
    record.reseal(kept["id"])
    assert record.named() == [("chain_broken", kept["id"], 2, 1)]


ROWS = {
    "seats": [
        "points = points + 1",
        "foul = 'both'",
        "player = 'anda'",
        "match_id = NULL",
        "net = NULL",
        "fee = NULL",
        "won = NULL",
        "won = NULL, fee = NULL, net = NULL",
    ],
    "duels": [
        "points = points + 1",
        "winner = NULL",
        "factor = 7",
        "top_winner = 'x'",
        "match_id = NULL",
    ],
}


@pytest.mark.parametrize(("which", "revision"), [(4, 1), (3, 1), (3, 3)])
@pytest.mark.parametrize(
    ("table", "change"), [(table, change) for table, changes in ROWS.items() for change in changes]
)
def test_a_changed_row_names_its_round_only(
    record: Record, played: Any, table: str, change: str, which: int, revision: int
) -> None:
    place, kept = table.removesuffix("s"), played[which]
    where = f"round_id = :id AND revision = :revision AND {place} = 0"
    record.tamper(f"UPDATE {table} SET {change} WHERE {where}", id=kept["id"], revision=revision)
    assert record.named() == [(f"{table}_differ", kept["id"], which + 1, revision)]


@pytest.mark.parametrize("column", ["won", "fee", "net"])
def test_money_where_there_was_none_names_its_round_only(record: Record, column: str) -> None:
    (kept,) = record.play(record.open_match(), BUDI)
    record.tamper(f"UPDATE seats SET {column} = 5 WHERE round_id = :id AND seat = 0", id=kept["id"])
    assert record.named() == [("seats_differ", kept["id"], 1, 1)]


@pytest.mark.parametrize("table", ["seats", "duels"])
@pytest.mark.parametrize("where", ["", " AND {} = 0"])
def test_rows_that_are_gone_name_their_round_only(
    record: Record, played: Any, alone: Any, table: str, where: str
) -> None:
    where = where.format(table.removesuffix("s"))
    for kept in (played[1], alone[0]):
        record.tamper(f"DELETE FROM {table} WHERE round_id = :id AND revision = 1{where}", id=kept["id"])
    found = {(code, identifier) for code, identifier, *_ in record.named()}
    assert found == {(f"{table}_differ", kept["id"]) for kept in (played[1], alone[0])}


SWAPS = {
    "requests and results": ("request", "result"),
    "requests": ("request",),
    "results": ("result",),
    "numbers": ("number",),
    "links": ("link",),
    "numbers and links": ("number", "link"),
    "digests": ("digest",),
    "previous digests": ("previous_digest",),
    "numbers, links and previous digests": ("number", "link", "previous_digest"),
    "requests, results and digests": ("request", "result", "digest"),
    "places in the chain": ("link", "previous_digest", "digest"),
    "everything but ids": (
        "number", "link", "request", "result", "submitted_at", "previous_digest", "digest"
    ),
}  # fmt: skip


@pytest.mark.parametrize("pair", [(0, 1), (1, 4), (4, 5), (0, 5)], ids=str)
@pytest.mark.parametrize("columns", SWAPS.values(), ids=SWAPS)
def test_two_rounds_swapped_name_these_two(
    record: Record, match: str, columns: tuple[str, ...], pair: tuple[int, int]
) -> None:
    played = record.play(match, BUDI, FOUL, WON, WON, BUDI, FOUL, BUDI)
    first, second = (played[place]["id"] for place in pair)
    swap(record, columns, first, second)
    assert {identifier for _, identifier, *_ in record.named()} == {first, second}
    assert {identifier for _, identifier in record.asked(f"/matches/{match}")} == {first, second}
    assert record.asked(f"/rounds/{second}") and not record.asked(f"/rounds/{played[2]['id']}")


def test_links_of_a_round_on_its_own_are_its_numbers(record: Record, alone: Any) -> None:
    kept, other = alone[1]["id"], alone[0]["id"]
    copied = "jsonb_populate_record(r, CAST('{\"revision\": 4}' AS jsonb)) AS row FROM rounds r"
    changes = {
        f"UPDATE rounds SET link = 1000 WHERE id = '{other}'": {(other, 1)},
        f"UPDATE rounds SET link = 9 WHERE id = '{kept}' AND revision = 3": {(kept, 3)},
        # Its seats still say that there was a third.
        f"UPDATE rounds SET revision = 50 WHERE id = '{kept}' AND revision = 3": {(kept, 50), (kept, 3)},
        "INSERT INTO rounds SELECT (row).* FROM ("
        f"SELECT {copied} WHERE id = '{kept}' AND revision = 3) AS copied": {(kept, 4)},
    }
    read = "jsonb_populate_record(CAST(NULL AS rounds), CAST(:row AS jsonb))"
    with record.database.engine.connect() as before:
        rows = before.scalars(text("SELECT CAST(to_jsonb(r) AS text) FROM rounds r")).all()
    for change, named in changes.items():
        record.tamper(change)
        found = {(identifier, revision) for _, identifier, _, revision in record.named() if identifier}
        assert found == named
        record.tamper("DELETE FROM rounds")
        for row in rows:
            record.tamper(f"INSERT INTO rounds SELECT ({read}).*", row=row)


def test_a_copy_far_after_the_end_makes_no_gap(record: Record, match: str, played: Any) -> None:
    record.tamper(
        "INSERT INTO rounds SELECT (row).* FROM (SELECT jsonb_populate_record(r, "
        """CAST('{"id": "0198d2f0-0000-7000-8000-000000000000", "link": 200, "number": 9}' AS jsonb))"""
        " AS row FROM rounds r WHERE id = :id AND revision = 1) AS copied",
        id=played[0]["id"],
    )
    assert {identifier for _, identifier, *_ in record.named() if identifier} == {
        "0198d2f0-0000-7000-8000-000000000000"
    }


def swap(record: Record, columns: tuple[str, ...], first: str, second: str) -> None:
    """Swap columns of two rounds; links and numbers are unique, so these go out of the way first."""
    with record.database.engine.connect() as connection:
        query = text(
            f"SELECT {', '.join(f'CAST({name} AS text)' for name in columns)} FROM rounds WHERE id = :id"
        )
        of_first, of_second = (connection.execute(query, {"id": i}).one() for i in (first, second))
    kinds = {"request": "jsonb", "result": "json", "submitted_at": "timestamptz"}
    kinds |= {"link": "integer", "number": "integer"}
    assigned = ", ".join(f"{name} = CAST(:{name} AS {kinds.get(name, 'text')})" for name in columns)
    away = [
        f"UPDATE rounds SET {name} = {name} + 1000 WHERE id = :id"
        for name in columns
        if name in ("link", "number")
    ]
    with record.database.transaction() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        for statement in away:
            connection.execute(text(statement), {"id": first})
        for identifier, values in ((second, of_first), (first, of_second)):
            named = dict(zip(columns, values, strict=True))
            change = text(f"UPDATE rounds SET {assigned} WHERE id = :id")
            connection.execute(change, {**named, "id": identifier})


@pytest.mark.parametrize("rows", [False, True], ids=["without rows", "with rows"])
@pytest.mark.parametrize("which", [0, 4, 5])
def test_a_dropped_round_is_named_by_its_number(
    record: Record, match: str, played: Any, which: int, rows: bool
) -> None:
    identifier = played[which]["id"]
    drop(record, identifier, 1, rows=rows)
    named = None if rows else identifier
    assert record.named() == [("round_missing", named, which + 1, 1)]
    assert record.asked(f"/matches/{match}") == [("round_missing", named)]
    assert record.client.get(f"/v1/rounds/{identifier}/audit").status_code == 404


@pytest.mark.parametrize("rows", [False, True], ids=["without rows", "with rows"])
@pytest.mark.parametrize(("which", "revision"), [(1, 1), (3, 1), (3, 2)])
def test_a_dropped_revision_is_named(
    record: Record, played: Any, which: int, revision: int, rows: bool
) -> None:
    drop(record, played[which]["id"], revision, rows=rows)
    assert record.named() == [("round_missing", played[which]["id"], which + 1, revision)]
    assert record.asked(f"/rounds/{played[which]['id']}") == [("round_missing", played[which]["id"])]


@pytest.mark.parametrize("rows", [False, True], ids=["without rows", "with rows"])
@pytest.mark.parametrize(("which", "newest"), [(1, 2), (2, 2), (3, 3)])
def test_a_dropped_newest_revision_is_named_as_far_as_is_known(
    record: Record, match: str, played: Any, which: int, newest: int, rows: bool
) -> None:
    """Without its rows, only its link tells that it was there."""
    drop(record, played[which]["id"], newest, rows=rows)
    if not rows:
        assert record.named() == [("round_missing", played[which]["id"], which + 1, newest)]
        return
    (finding,) = record.whole().findings
    link = {1: 7, 2: 8, 3: 10}[which]
    assert (finding.code, finding.match, finding.parameters) == ("round_missing", match, {"link": link})


def test_dropped_rounds_are_all_named(record: Record, match: str) -> None:
    played = record.play(match, *[BUDI] * 9)
    for which in (1, 3, 6, 8):
        drop(record, played[which]["id"], 1, rows=which > 3)
    assert record.named() == [
        ("round_missing", played[1]["id"], 2, 1),
        ("round_missing", played[3]["id"], 4, 1),
        ("round_missing", None, 7, 1),
        ("round_missing", None, 9, 1),
    ]


def test_dropped_neighbours_are_named_by_their_numbers(record: Record, match: str) -> None:
    played = record.play(match, *[BUDI] * 6)
    for which in (2, 3):
        drop(record, played[which]["id"], 1, rows=which == 3)
    assert [number for _, _, number, _ in record.named() if number] == [3, 4]


@pytest.mark.parametrize("rows", [False, True], ids=["without rows", "with rows"])
@pytest.mark.parametrize("revision", [1, 2])
def test_a_dropped_revision_of_a_round_on_its_own_is_named(
    record: Record, alone: Any, revision: int, rows: bool
) -> None:
    drop(record, alone[1]["id"], revision, rows=rows)
    assert record.named() == [("round_missing", alone[1]["id"], None, revision)]
    assert record.asked(f"/rounds/{alone[1]['id']}") == [("round_missing", alone[1]["id"])]


@pytest.mark.parametrize(
    ("count", "gone", "pair", "columns"),
    [
        (4, 2, (1, 4), ("link", "digest")),
        (3, 2, (1, 3), ("link", "request")),
        (3, 2, (1, 3), ("link",)),
        (5, 3, (2, 5), ("link", "digest")),
        (5, 3, (2, 5), ("request", "result", "previous_digest", "link")),
        (5, 1, (3, 4), ("link", "submitted_by")),
    ],
)
def test_an_exchange_beside_a_dropped_revision_of_a_round_on_its_own_names_these_three(
    record: Record, count: int, gone: int, pair: tuple[int, int], columns: tuple[str, ...]
) -> None:
    kept = post_round(record.client)
    for number in range(2, count + 1):
        record.revise(kept, [ANDI, WON if number % 2 else FOUL])
    if "submitted_by" in columns:
        record.tamper("UPDATE rounds SET submitted_by = 'x' WHERE revision = :number", number=pair[0])
    changes = ", ".join(f"{name} = other.{name}" for name in columns)
    record.tamper(
        f"UPDATE rounds AS mine SET {changes} FROM rounds AS other "
        "WHERE (mine.revision, other.revision) IN ((:one, :two), (:two, :one))",
        one=pair[0],
        two=pair[1],
    )
    drop(record, kept["id"], gone, rows=True)
    named = [(revision, code) for code, _, _, revision in record.named()]
    assert {revision for revision, _ in named} == {*pair, gone}
    assert [revision for revision, code in named if code == "round_missing"] == [gone]


def test_a_dropped_round_on_its_own_is_named_by_its_rows(record: Record, alone: Any) -> None:
    drop(record, alone[2]["id"], 1, rows=False)
    assert record.named() == [("round_missing", alone[2]["id"], None, 1)]


def test_a_round_on_its_own_that_is_gone_with_its_rows_shows_in_totals(
    record: Record, alone: Any
) -> None:
    drop(record, alone[2]["id"], 1, rows=True)
    found = record.whole().findings
    assert {finding.code for finding in found} == {"totals_differ"}
    assert {finding.parameters["player"] for finding in found} == {"budi", "dewi"}


def test_a_dropped_match_is_named(record: Record, match: str, played: Any) -> None:
    other = record.open_match()
    record.play(other, BUDI)
    record.tamper("DELETE FROM matches WHERE id = :id", id=match)
    found = {(finding.code, finding.match) for finding in record.whole().findings}
    assert ("match_missing", match) in found
    assert {named for code, named in found if code != "totals_differ"} == {match}
    assert ("match_missing", None) in record.asked(f"/rounds/{played[0]['id']}")


def test_several_changes_at_once_are_each_named(record: Record, match: str, played: Any) -> None:
    record.tamper(
        "UPDATE rounds SET result = jsonb_set(result::jsonb, '{seats,0,points}', '0')::json "
        "WHERE id = :first",
        "UPDATE seats SET points = 77 WHERE round_id = :last AND seat = 0",
        "UPDATE match_players SET points = points + 5 WHERE match_id = :match AND player = 'budi'",
        "UPDATE player_totals SET wins = wins + 1 WHERE player = 'andi'",
        first=played[0]["id"],
        last=played[5]["id"],
        match=match,
    )
    drop(record, played[3]["id"], 1, rows=True)
    found = {(f.code, f.round, f.parameters.get("name")) for f in record.whole().findings}
    assert found == {
        ("digest_differs", played[0]["id"], None),
        ("result_differs", played[0]["id"], None),
        ("seats_differ", played[5]["id"], None),
        ("round_missing", played[3]["id"], None),
        ("totals_differ", None, "points"),
        ("totals_differ", None, "wins"),
    }


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_rows_as_text_are_those_that_are_inserted(
    database: Database, client: FlaskClient, document: Any
) -> None:
    """The quick way and the definition are the same, for names that COPY escapes, too."""
    seats = [{**seat, "player": seat["player"] + "\\N \\"} for seat in document["seats"]]
    kept = post_round(client, document={**document, "seats": seats})
    key, result = f"{kept['id']}\t1\t", results.read(kept)
    with database.transaction() as connection:
        assert copy(connection, "seats", [kept["id"]]) == seat_lines(key, None, result)
        assert copy(connection, "duels", [kept["id"]]) == duel_lines(key, None, result)


@pytest.mark.parametrize(
    ("change", "rounds"),
    [
        ("status = 'open', finished_at = NULL", 2),
        ("rounds = 3", 2),
        ("finish_reason = NULL", 20),
    ],
)
def test_a_match_that_has_not_ended_as_it_says_is_named(
    record: Record, change: str, rounds: int
) -> None:
    match = record.open_match(rounds=rounds)
    record.play(match, BUDI, BUDI)
    record.client.post(f"/v1/matches/{match}/finish", json={"reason": "late"})
    assert record.named() == []
    record.tamper(f"UPDATE matches SET {change} WHERE id = :id", id=match)
    assert [code for code, *_ in record.named()] == ["match_differs"]
