"""More than can be served: what is over is refused at once, the rest is served soon, and it passes."""

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from service.database import Database
from service.example import ROUND
from service.record import keys
from tests.gunicorns import serving

AT_ONCE = 300
LIMITLESS = {"SUSUN_KEY_RATE": "off", "SUSUN_ADDRESS_RATE": "off"}


def test_what_is_too_much_is_refused_and_the_rest_stored(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    with database.transaction() as connection:
        token = keys.create(connection, "many", keys.SCOPES)
    headers = {"Authorization": f"Bearer {token}"}

    with serving(database_url, tmp_path, workers=1, **LIMITLESS) as running:

        def post(_: int) -> tuple[int, str, str]:
            answer = requests.post(f"{running.base}/v1/rounds", json=ROUND, headers=headers, timeout=30)
            return (
                answer.status_code,
                answer.headers.get("Retry-After", ""),
                answer.json().get("type", ""),
            )

        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = Counter(pool.map(post, range(AT_ONCE)))
            probe = requests.get(f"{running.base}/livez", timeout=30)
        assert set(answers) == {(201, "", ""), (503, "2", "/problems/busy")}
        assert probe.status_code == 200
        kept = requests.get(f"{running.base}/v1/rounds?limit=500", headers=headers, timeout=30).json()
        assert len(kept["items"]) == answers[201, "", ""]
        # As soon as it has passed, everybody is served again.
        assert {post(number)[0] for number in range(20)} == {201}
        counted = requests.get(f"{running.base}/metrics", headers=headers, timeout=30).text
        refused = answers[503, "2", "/problems/busy"]
        assert f'susun_requests_total{{method="other",route="none",status="503"}} {refused}.0' in counted


def test_probes_are_answered_while_others_are_refused(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    with database.transaction() as connection:
        token = keys.create(connection, "probing", keys.SCOPES)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = json.dumps(ROUND)
    tweaks = ("from service import slow_clients", "slow_clients.MOST_QUEUED = 0")
    with serving(database_url, tmp_path, workers=1, tweaks=tweaks, **LIMITLESS) as running:
        for path in ("/livez", "/readyz"):
            assert requests.get(running.base + path, timeout=30).status_code == 200
        began = time.monotonic()
        answer = requests.post(f"{running.base}/v1/score", body, headers=headers, timeout=30)
        assert answer.status_code == 503 and answer.json()["type"] == "/problems/busy"
        assert time.monotonic() - began < 2
