"""Run all measurements, print a table, write ``bench/results.json``."""

import json
import os
import platform
import sys
from pathlib import Path

from bench import imports, memory, scorers

RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    results = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "scorer": scorers.measure(),
        "memory": memory.measure(),
        "bulk": imports.measure(),
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"\nwritten to {RESULTS}")


if __name__ == "__main__":
    sys.exit(main())
