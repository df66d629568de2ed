"""Digests: each stored revision of a round is sealed, and refers to the one before it.

The digest is the SHA-256 (hex) of canonical JSON (RFC 8785) of everything that the revision says.
Texts (``label``, ``detail``) are left out, so that better wording never breaks a seal.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from service.rules import results

_TEXTS = ("label", "detail")
_HOLDERS = (dict, list)


def seal(content: Mapping[str, Any]) -> str:
    """The digest of a revision's content, without its texts."""
    return hashlib.sha256(canonical(without_texts(content))).hexdigest()


def seal_scored(content: Mapping[str, Any]) -> str:
    """The same of a content whose ``result`` is as scoring has made it, in a third of the time.

    What is a text is defined by :func:`without_texts`, which takes any value; a test compares the two.
    """
    bare = results.write_canonical(results.without_texts(content["result"]))
    return hashlib.sha256(canonical({**content, "result": orjson.Fragment(bare)})).hexdigest()


def canonical(value: Any) -> bytes:
    """Canonical JSON (RFC 8785), for ASCII keys, strings, integers within 2^53, booleans and null."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def without_texts(value: Any) -> Any:
    """The same value without members that are only words.

    Asks for the type itself, and only of what may hold others: it is half of the time of sealing.
    """
    if type(value) is dict:
        return {
            key: without_texts(item) if type(item) in _HOLDERS else item
            for key, item in value.items()
            if key not in _TEXTS
        }
    if type(value) is list:
        return [without_texts(item) if type(item) in _HOLDERS else item for item in value]
    return value
