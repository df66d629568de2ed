"""API keys: shown once, kept as a hash, found until they are revoked."""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.database import Database
from service.record import keys

Rows = Callable[..., list[dict[str, Any]]]


def find(database: Database, token: str) -> keys.Key | None:
    with database.transaction() as connection:
        return keys.find(connection, token)


def revoke(database: Database, name_or_prefix: str) -> int:
    with database.transaction() as connection:
        return keys.revoke(connection, name_or_prefix)


def test_a_key_is_a_mark_a_prefix_and_a_secret(make_key: Callable[..., str]) -> None:
    assert re.fullmatch(r"susun_[0-9a-f]{12}_[\w-]{43}", make_key("read"))


def test_keys_differ(make_key: Callable[..., str]) -> None:
    tokens = [make_key("read") for _ in range(50)]
    prefixes, secrets = zip(*(token.split("_", 2)[1:] for token in tokens), strict=True)
    assert len(set(prefixes)) == len(set(secrets)) == 50


def test_only_the_hash_of_the_secret_is_kept(make_key: Callable[..., str], rows: Rows) -> None:
    token = make_key("read", "write", name="Meja 7")
    _, prefix, secret = token.split("_", 2)
    (row,) = rows("SELECT * FROM api_keys")
    assert bytes(row["secret_sha256"]) == hashlib.sha256(secret.encode()).digest()
    assert (row["prefix"], row["name"], row["scopes"]) == (prefix, "Meja 7", ["read", "write"])
    (dump,) = rows("SELECT to_jsonb(api_keys)::text AS text FROM api_keys")
    assert secret not in dump["text"] and secret.encode().hex() not in dump["text"]
    assert json.loads(dump["text"])["revoked_at"] is None


def test_a_key_is_found_with_what_it_may_do(database: Database, make_key: Callable[..., str]) -> None:
    make_key("admin", name="another")
    token = make_key("score", "read", name="Meja 7")
    found = find(database, token)
    assert found is not None
    assert (found.name, found.prefix, found.scopes) == ("Meja 7", token.split("_")[1], ("score", "read"))
    assert abs(datetime.now(UTC) - found.created_at) < timedelta(minutes=1)
    assert found.revoked_at is None


WRONG: dict[str, Callable[[str], str]] = {
    "nothing": lambda token: "",
    "the mark alone": lambda token: "susun",
    "no secret": lambda token: token.rsplit("_", 1)[0],
    "an empty secret": lambda token: "_".join([*token.split("_")[:2], ""]),
    "a character less": lambda token: token[:-1],
    "a character more": lambda token: token + "A",
    "capitals": str.upper,
    "another mark": lambda token: "sk" + token,
    "another prefix": lambda token: "susun_000000000000_" + token.split("_", 2)[2],
    "the hash for the secret": lambda token: (
        "_".join(token.split("_")[:2])
        + "_"
        + hashlib.sha256(token.split("_", 2)[2].encode()).hexdigest()
    ),
    "NUL": lambda token: token + "\0",
    "NUL in the prefix": lambda token: token.replace("_", "_\0", 1),
    "no ASCII": lambda token: token + "é",
    "a surrogate": lambda token: token + "\ud800",
    "SQL": lambda token: "susun_' OR '1'='1_x",
    "a long one": lambda token: token * 1000,
}


@pytest.mark.parametrize("spoil", WRONG.values(), ids=WRONG)
def test_what_is_no_key_is_not_found(
    database: Database, make_key: Callable[..., str], spoil: Callable[[str], str]
) -> None:
    token = make_key("read")
    assert find(database, spoil(token)) is None
    assert find(database, token) is not None


def test_a_revoked_key_is_not_found(database: Database, make_key: Callable[..., str]) -> None:
    gone, left = make_key("read", name="gone"), make_key("read", name="left")
    assert revoke(database, "gone") == 1
    assert find(database, gone) is None
    assert find(database, left) is not None


def test_a_name_revokes_all_its_live_keys_and_a_prefix_one(
    database: Database, make_key: Callable[..., str]
) -> None:
    tokens = [make_key("read", name="meja") for _ in range(3)]
    assert revoke(database, tokens[0].split("_")[1]) == 1
    assert [find(database, token) is not None for token in tokens] == [False, True, True]
    assert revoke(database, "meja") == 2
    assert [find(database, token) for token in tokens] == [None] * 3


@pytest.mark.parametrize("name", ["nothing", "", "%", "mej_", "susun"])
def test_what_names_no_key_revokes_none(
    database: Database, make_key: Callable[..., str], name: str
) -> None:
    token = make_key("read", name="meja")
    assert revoke(database, name) == 0
    assert find(database, token) is not None


def test_revoking_again_keeps_the_first_time(
    database: Database, make_key: Callable[..., str], rows: Rows
) -> None:
    make_key("read", name="gone")
    revoke(database, "gone")
    before = rows("SELECT revoked_at FROM api_keys")
    assert revoke(database, "gone") == 0
    assert rows("SELECT revoked_at FROM api_keys") == before


def test_keys_are_listed_oldest_first_without_secrets(
    database: Database, make_key: Callable[..., str]
) -> None:
    tokens = [make_key("read", name=name) for name in ("c", "a", "b")]
    revoke(database, "a")
    with database.transaction() as connection:
        listed = keys.list_all(connection)
    assert [key.name for key in listed] == ["c", "a", "b"]
    assert [key.revoked_at is not None for key in listed] == [False, True, False]
    for token in tokens:
        assert token.split("_", 2)[2] not in repr(listed)
