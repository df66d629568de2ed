"""Run measurements, print their tables, write ``bench/results.json``.

``python -m bench requests memory`` runs some parts; without names, all of them.
"""

import argparse
import json
import os
import platform
import time
from importlib import import_module
from pathlib import Path

RESULTS = Path(__file__).with_name("results.json")
#: Parts, each the module whose ``measure()`` prints a table and gives its figures.
PARTS = {
    "scorers": "bench.scorers",
    "suggest": "bench.suggest",
    "memory": "bench.memory",
    "bulk": "bench.imports",
    "requests": "bench.requests",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parts = parser.parse_args().parts or list(PARTS)
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    results: dict[str, object] = {"python": platform.python_version(), "cores": os.cpu_count()}
    began = time.monotonic()
    for part in parts:
        results[part] = import_module(PARTS[part]).measure()
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"\nwritten to {RESULTS} after {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
