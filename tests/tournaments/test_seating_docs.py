"""What docs/seating.md shows is what happens."""

import re
from pathlib import Path

from service.tournaments.seating import Draws, shuffled, table_sizes

PAGE = (Path(__file__).resolve().parents[2] / "docs/seating.md").read_text("utf-8")


def test_the_table_sizes_are_those_made() -> None:
    rows = re.findall(r"^\| (\d+) \| ([\d +]+) \| ([\d +]+) \| ([\d +]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    for players, *shown in rows:
        made = [" + ".join(map(str, table_sizes(int(players), size))) for size in (4, 3, 2)]
        assert made == shown


def test_the_published_program_gives_our_seating() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    published: dict[str, object] = {}
    exec(program, published)
    players = [f"Ayu {number} ♠" for number in range(50)]
    outside = published["shuffled"](players, "malam", 3)  # type: ignore[operator]
    assert outside == shuffled(players, Draws("malam", 3))
