"""Rule sets in the record: what one database knows says nothing about another."""

from typing import Any

from service.database import Database
from service.record.rulesets import find_ruleset, record_house_rules
from service.rules.ruleset import BUILT_IN
from service.setup import prepare_database
from tests.servers import fresh_server


def post(database: Database, fee: int) -> None:
    rules = {name: value for name, value in BUILT_IN["bsfyi"].document.items() if name != "version"}
    document = {**rules, "id": "same-name", "title": "Same name", "money": {"fee": fee}}
    with database.transaction() as connection:
        record_house_rules(connection, document, "test")


def fee_of(database: Database) -> Any:
    with database.transaction() as connection:
        found = find_ruleset(connection, "same-name", 1)
        return found and found.fee


def test_two_databases_in_one_process_keep_their_rule_sets_apart(database: Database) -> None:
    post(database, 100)
    assert fee_of(database) == 100
    with fresh_server() as server:
        prepare_database(server.url)
        other = Database(server.url)
        assert fee_of(other) is None
        post(other, 200)
        assert (fee_of(other), fee_of(database)) == (200, 100)
        other.close()
