"""Lists in pages: the part that a request asks for, and the link to the next."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

import orjson
from flask import Response, g, request

from schemas.mistakes import Invalid, Mistake
from service.api.addresses import path_to_send
from service.language import retold
from service.messages import _
from service.record.pages import Page, Window, WrongCursor, window
from service.record.rounds import StoredRound


def filters_of(query: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The filters that a query names, None where it names none."""
    return {name: query.get(name) for name in names}


def window_of(query: Mapping[str, Any], of: str, filters: Mapping[str, Any]) -> Window:
    """The part of a list that a query asks for; a cursor of another list or other filters is refused."""
    try:
        return window(query["limit"], query.get("cursor"), {"of": of, **filters})
    except WrongCursor:
        text = _("this cursor belongs to no such list: keep the filters that it came with")
        mistake = Mistake("field_invalid", text, "", {"parameter": "cursor"})
        raise Invalid([mistake]) from None


def page_of(page: Page[Any], query: Mapping[str, Any]) -> Response:
    """The answer that a page makes, with a link to the next."""
    response = Response(orjson.dumps(page), content_type="application/json")
    if page["next_cursor"] is not None:
        following = {**request.args, "limit": query["limit"], "cursor": page["next_cursor"]}
        response.headers["Link"] = f'<{path_to_send()}?{urlencode(following)}>; rel="next"'
    return response


def page_of_rounds(page: Page[StoredRound], query: Mapping[str, Any]) -> Response:
    """The same for rounds, told in the language of the request."""
    language = g.language
    items = [orjson.Fragment(retold(stored.json, language)) for stored in page["items"]]
    return page_of({**page, "items": items}, query)
