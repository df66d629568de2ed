"""Digests: each stored revision of a round is sealed, and refers to the one before it.

The digest is the SHA-256 (hex) of canonical JSON (RFC 8785) of everything that the revision says.
Texts (``label``, ``detail``) are left out, so that better wording never breaks a seal.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

_TEXTS = ("label", "detail")


def seal(content: Mapping[str, Any]) -> str:
    """The digest of a revision's content, without its texts."""
    return hashlib.sha256(canonical(without_texts(content))).hexdigest()


def canonical(value: Any) -> bytes:
    """Canonical JSON (RFC 8785), for ASCII keys, strings, integers within 2^53, booleans and null."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def without_texts(value: Any) -> Any:
    """The same value without members that are only words."""
    if isinstance(value, Mapping):
        return {key: without_texts(item) for key, item in value.items() if key not in _TEXTS}
    if isinstance(value, list):
        return [without_texts(item) for item in value]
    return value
