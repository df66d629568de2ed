"""Fill the table of scopes in ``deployment.md`` from the list of calls.

It stands between ``<!-- table: scopes -->`` and ``<!-- end -->``; what is between them is replaced.
``python -m docs.make_scopes`` writes the page anew.
"""

import re
from pathlib import Path

from service.api import openapi
from service.api.calls import CALLS
from service.record.keys import SCOPES

PAGE = Path(__file__).parent / "deployment.md"

_REGION = re.compile(r"(<!-- table: scopes -->\n).*?(<!-- end -->)", re.DOTALL)


def table() -> str:
    """The table: a line a scope, and one for what needs no key."""
    openapi.document()  # importing what it is made from fills the list of calls
    lines = ["| scope | opens |", "| --- | --- |"]
    for scope in (*SCOPES, None):
        calls = [f"`{call.method} {_shown(call.path)}`" for call in CALLS if call.scope == scope]
        if scope is None:
            calls += ["`GET /docs`, `/openapi.json`, `/problems`"]
        name = f"`{scope}`" if scope else "none: no key is asked for"
        lines.append(f"| {name} | {', '.join(calls) or 'nothing yet: it is kept for calls to come'} |")
    return "\n".join(lines)


def fill(page: str) -> str:
    """The page with its table made anew."""
    return _REGION.sub(lambda match: f"{match[1]}\n{table()}\n\n{match[2]}", page)


def _shown(path: str) -> str:
    """An address as people write it: ids by what they are of."""
    return re.sub(r"<(?:(\w+)_)?(\w+)>", lambda match: "{" + match[2] + "}", path)


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text("utf-8")), "utf-8")
