"""What the service shows of the event against the simulation's own book, meanwhile and at its end."""

import csv
import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from service.simulation.event import Event
from service.simulation.ledger import differences
from service.tournaments.neighbours import put_up_with, repeats
from service.tournaments.seating import check_tables, meetings, seat_random, table_sizes
from service.tournaments.spread import seat_spread

# Between two looks of a screen at the standings.
_LOOK_SECONDS = 0.5


def check_seating(event: Event, stage: int, tables: list[list[str]], players: list[str]) -> None:
    """Everybody sits once, at tables of the right sizes; by chance and spread, exactly where we say."""
    plan, where = event.plan, f"stage {stage}:"
    for problem in check_tables(tables, players, plan.table_size):
        event.expect(False, f"{where} {problem.code} {problem.player or ''} at table {problem.table}")
    sizes = [len(table) for table in tables]
    event.expect(sizes == table_sizes(len(players), plan.table_size), f"{where} tables of {sizes}")
    met = meetings(event.ledger.met(stage))
    if plan.seating == "random" or (plan.seating == "standings" and stage == 1):
        same = tables == seat_random(players, plan.table_size, plan.seed, stage)
        event.expect(same, f"{where} the seed gives other tables")
    elif plan.seating == "spread":
        same = tables == seat_spread(players, plan.table_size, met, plan.seed, stage)
        event.expect(same, f"{where} the search finds other tables")
    elif len(players) >= 5 * plan.table_size * stage:
        most = max(repeats(table, met) - put_up_with(len(table)) for table in tables)
        event.expect(most <= 0, f"{where} a table has {most} more repeated meetings than it should")


def check_standings(event: Event, stage: int | None = None) -> None:
    """The standings, over all or of a stage, are those of our book."""
    query = "" if stage is None else f"?stage={stage}"
    shown = event.client.read(f"{event.path}/standings{query}")
    expected = event.ledger.standings(stage)
    where = "over all" if stage is None else f"in stage {stage}"
    for difference in differences(shown, expected, event.plan.rank_by):
        event.expect(False, f"standings {where}: {difference}")
    total = sum(item["points"] - item["adjustments"] for item in shown["items"])
    event.expect(total == 0, f"standings {where}: points of rounds add up to {total}")


def check_forms(event: Event) -> None:
    """The standings as CSV say the same as the JSON, and who has them gets a 304."""
    path = f"{event.path}/standings"
    answer = event.client.get(path)
    items = answer.json()["items"]
    text = event.client.get(path, Accept="text/csv").body.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    for name in ("place", "player", "points", "rounds", "fouls"):
        same = [row[name] for row in rows] == [str(item[name]) for item in items]
        event.expect(same, f"the CSV has other values of {name}")
    again = event.client.get(path, **{"If-None-Match": answer.tag})
    event.expect(again.status == 304, f"unchanged standings were answered with {again.status}")


def check_audits(event: Event, progress: Callable[[int], None]) -> None:
    """The audits of all matches find nothing."""

    def audit(match: str) -> None:
        report = event.client.read(f"/v1/matches/{match}/audit")
        codes = [finding["code"] for finding in report["findings"]]
        event.expect(report["ok"] is True and not codes, f"the audit of match {match} found {codes}")

    with ThreadPoolExecutor(event.plan.clients) as clients:
        for _ in clients.map(audit, event.ledger.matches):
            progress(1)


class Screen:
    """A screen that shows the standings while rounds are posted: right at every moment it looks."""

    def __init__(self, event: Event) -> None:
        self._event, self._over = event, threading.Event()
        self._thread = threading.Thread(target=self._run, name="screen")
        #: How often it looked, and how often nothing had changed.
        self.looks = self.unchanged = 0

    def __enter__(self) -> "Screen":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._look()
        except Exception as error:  # a thread of its own, whose failure must be seen
            self._event.expect(False, f"the screen saw no standings: {error}")

    def _look(self) -> None:
        event, tag = self._event, ""
        while not self._over.wait(_LOOK_SECONDS) and not event.client.stop.is_set():
            answer = event.client.get(
                f"{event.path}/standings", **({"If-None-Match": tag} if tag else {})
            )
            self.looks += 1
            if answer.status == 304:
                self.unchanged += 1
                continue
            tag = answer.tag
            total = sum(item["points"] - item["adjustments"] for item in answer.json()["items"])
            event.expect(total == 0, f"while rounds were posted, points added up to {total}")
