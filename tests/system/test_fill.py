"""What ``bench.fill`` makes is a record like one that was played."""

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from bench.fill import fill
from service.cli import main
from service.database import Database
from service.setup import prepare_database
from tests.servers import fresh_server


def test_a_filled_record_passes_the_audit() -> None:
    with fresh_server() as server:
        prepare_database(server.url)
        fill(server.url, 2_505)
        database = Database(server.url)
        with database.transaction() as connection:
            assert connection.scalar(text("SELECT count(DISTINCT id) FROM rounds")) == 2_505
            assert connection.scalar(text("SELECT count(*) FROM matches WHERE status = 'open'")) == 1
            statuses = connection.scalars(text("SELECT DISTINCT status FROM rounds ORDER BY 1"))
            assert statuses.all() == ["corrected", "valid", "void"]
            for_nothing = text("SELECT sum(points) FROM history.players")
            assert connection.scalar(for_nothing) == 0
        database.close()
        audited = CliRunner().invoke(main, ["audit"], env={"DATABASE_URL": server.url})
        assert audited.exit_code == 0, audited.output
        with pytest.raises(SystemExit, match="has rounds already"):
            fill(server.url, 10)
