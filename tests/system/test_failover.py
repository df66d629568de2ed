"""Two servers in one address: when the first is gone, or takes no more writes, the second is used."""

import signal
import subprocess
import time
from collections.abc import Iterator

import psycopg2
import pytest
from flask.testing import FlaskClient
from sqlalchemy import make_url

from app import create_app
from service.database import Database
from service.embedded_postgres import EmbeddedPostgres, find_binary
from service.postgres_address import driver_url
from service.record import keys
from service.setup import prepare_database
from tests.api.requests import ROUND
from tests.servers import Server, fresh_server, in_memory

SECONDS = 15


@pytest.fixture
def first() -> Iterator[Server]:
    with fresh_server(durable=True) as server:
        prepare_database(server.url)
        yield server


@pytest.fixture
def second(first: Server) -> Iterator[Server]:
    """A standby of the first, which follows it."""
    with in_memory() as home:
        copy = home / "postgres"
        command = [find_binary("pg_basebackup"), "--write-recovery-conf", "--checkpoint=fast"]
        subprocess.run([*command, "--dbname", first.address(), "--pgdata", str(copy)], check=True)
        server = EmbeddedPostgres(copy)
        try:
            server.start()
            yield Server(server)
        finally:
            server.stop()


@pytest.fixture
def client(first: Server, second: Server) -> Iterator[FlaskClient]:
    """A client of a service that knows both servers."""
    store = Database(first.url)
    with store.transaction() as connection:
        token = keys.create(connection, "failover", keys.SCOPES)
    store.close()
    one, two = make_url(first.url), make_url(second.url)
    url = f"postgresql://{one.username}:{one.password}@127.0.0.1:{one.port},127.0.0.1:{two.port}/susun"
    app = create_app({"database_url": url})
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    yield client
    app.extensions["susun_database"].close()


def post(client: FlaskClient, key: str, *, trying: bool = False) -> str:
    """Post a round, if need be until it is taken; returns its id."""
    until = time.monotonic() + SECONDS
    while True:
        answer = client.post("/v1/rounds", json=ROUND, headers={"Idempotency-Key": key})
        assert answer.status_code == 201 or (trying and answer.status_code == 503), answer.text
        if answer.status_code == 201:
            return str(answer.get_json()["id"])
        assert time.monotonic() < until
        time.sleep(0.1)


def follow(first: Server, second: Server) -> None:
    """Wait until the second has all that the first has."""
    with psycopg2.connect(first.address()) as one, one.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_lsn()")
        (reached,) = cursor.fetchone() or (None,)
    one.close()
    until = time.monotonic() + SECONDS
    two = psycopg2.connect(second.address())
    two.autocommit = True
    with two.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (reached,))
            if cursor.fetchone() == (True,):
                break
            assert time.monotonic() < until
            time.sleep(0.05)
    two.close()


def test_the_first_dies_and_the_second_is_promoted(
    first: Server, second: Server, client: FlaskClient
) -> None:
    posted = [post(client, f"before-{number}") for number in range(3)]
    follow(first, second)
    first.signal(signal.SIGKILL)
    # The second is there, but may not be written to yet.
    answer = client.post("/v1/rounds", json=ROUND, headers={"Idempotency-Key": "between"})
    assert (answer.status_code, answer.get_json()["type"]) == (503, "/problems/database-away")
    assert client.get("/readyz").status_code == 503
    second.run("SELECT pg_promote()")
    posted.append(post(client, "between", trying=True))
    posted.append(post(client, "after"))
    assert client.get("/readyz").status_code == 200
    listed = [item["id"] for item in client.get("/v1/rounds").get_json()["items"]]
    assert listed == posted[::-1]


def test_the_first_becomes_read_only_under_our_connections(
    first: Server, second: Server, client: FlaskClient
) -> None:
    posted = post(client, "before")
    follow(first, second)
    second.run("SELECT pg_promote()")
    first.run("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
    time.sleep(0.5)
    after = post(client, "after")
    assert [item["id"] for item in client.get("/v1/rounds").get_json()["items"]] == [after, posted]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (
            "postgresql://a:b@h1:1,h2:2/d?target_session_attrs=any",
            "host=h1,h2&port=1,2&target_session_attrs=any",
        ),
        ("postgres://a@h1,h2:2/d", "host=h1,h2&port=,2&target_session_attrs=read-write"),
        ("postgresql://h1:1,[::1]:2/d", "host=h1,::1&port=1,2&target_session_attrs=read-write"),
    ],
)
def test_addresses_of_several_servers(given: str, meant: str) -> None:
    url = make_url(driver_url(given))
    assert "&".join(f"{name}={value}" for name, value in url.query.items()) == meant
    assert url.database == "d"


def test_an_address_of_one_server_stays_as_it_is() -> None:
    assert (
        driver_url("postgres://a:b@h:1/d?sslmode=require")
        == "postgresql+psycopg2://a:b@h:1/d?sslmode=require"
    )
    for wrong in ("postgresql://h1:x,h2/d", "postgresql://h1:1:1,h2/d", "mysql://h1,h2/d"):
        with pytest.raises(ValueError, match="the database URL"):
            Database(wrong)
