"""What people read: the OpenAPI document, the page made from it, and a page for each problem."""

import hashlib
from base64 import b64encode
from importlib.util import find_spec
from pathlib import Path

import orjson
from flask import Blueprint, Response, g, render_template_string, send_from_directory

from schemas.mistakes import CODES
from service.api import openapi
from service.api.problems import PROBLEMS, Problem
from service.messages import _

blueprint = Blueprint("documents", __name__)

_OURS = Path(__file__).parent / "static"
_OUR_FILES = ("start.js",)
# Scripts and styles are files of ours. Swagger UI shows pictures from data addresses.
_DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
dt { font-family: ui-monospace, monospace; margin-top: 0.8rem }
"""
# This style and no other.
_STYLE_DIGEST = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_PAGE_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

_PAGE = """\
<!doctype html>
<html lang="{{ language }}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ translate(title) }} · Susun</title>
<style>{{ style|safe }}</style>
</head>
<body>
<h1>{{ translate(title) }}</h1>
{% if status %}<p>HTTP {{ status }}</p>{% endif %}
<p>{{ translate(about) }}</p>
{% if entries %}
<dl>
{% for name, text in entries %}<dt{% if not linked %} id="{{ name }}"{% endif %}>
{%- if linked %}<a href="/problems/{{ name }}">{{ name }}</a>{% else %}{{ name }}{% endif %}</dt>
<dd>{{ translate(text) }}</dd>
{% endfor %}
</dl>
{% endif %}
<p><a href="/problems">/problems</a> · <a href="/docs">/docs</a></p>
</body>
</html>
"""
_WITH_CODES = ("invalid-round", "invalid-request")


def _swagger_ui() -> Path:
    # The package's files, without importing it: it holds nothing else that is wanted.
    spec = find_spec("flask_swagger_ui")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "dist"


@blueprint.get("/")
def start() -> Response:
    """Whoever opens the address in a browser wants to know what is here."""
    return Response(status=302, headers={"Location": "/docs"})


@blueprint.get("/openapi.json")
def openapi_json() -> Response:
    """The OpenAPI 3.1 document."""
    return Response(orjson.dumps(openapi.document()), content_type="application/json")


@blueprint.get("/docs", strict_slashes=False)
def docs() -> Response:
    """The calls, to read and to try; everything that the page loads comes from here."""
    page = send_from_directory(_OURS, "docs.html")
    page.headers["Content-Security-Policy"] = _DOCS_POLICY
    return page


@blueprint.get("/docs/<path:name>")
def docs_file(name: str) -> Response:
    """A script, style or picture of the page."""
    return send_from_directory(_OURS if name in _OUR_FILES else _swagger_ui(), name)


@blueprint.get("/problems", strict_slashes=False)
def problem_pages() -> Response:
    """All problems, each with a link to its page."""
    entries = [(name, about) for name, (_, _, about) in PROBLEMS.items()]
    about = _("What the type of an error answer can be.")
    return _page(title=_("Problems"), about=about, entries=entries, linked=True)


@blueprint.get("/problems/<name>")
def problem_page(name: str) -> Response:
    """What a problem means; a code of ``errors`` in its place works too."""
    if name in PROBLEMS:
        status, title, about = PROBLEMS[name]
        entries = list(CODES.items()) if name in _WITH_CODES else []
        return _page(title=title, about=about, status=status, entries=entries)
    code = name.replace("-", "_")
    if code in CODES:
        return _page(title=code, about=CODES[code])
    raise Problem("not-found", _("there is no such problem"))


def _page(**values: object) -> Response:
    page = render_template_string(
        _PAGE, translate=g.translate, language=g.language, style=_STYLE, **values
    )
    response = Response(page, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _PAGE_POLICY
    return response
