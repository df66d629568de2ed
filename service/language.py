"""Languages: English as it stands in the code, the others from gettext catalogs in ``locale/``.

A catalog is compiled when it is first wanted, so that no compiled file can be out of date.
"""

import gettext
from functools import cache
from io import BytesIO
from pathlib import Path

import orjson
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from schemas.mistakes import Translate
from service.rules.labels import ENGLISH, Words, make_words

DEFAULT = "en"
LANGUAGES = (DEFAULT, "id")

LOCALE = Path(__file__).parent / "locale"


@cache
def translator(language: str) -> Translate:
    """The function that translates a message into a language; what is not known stays English."""
    if language == DEFAULT:
        return str
    compiled = BytesIO()
    with (LOCALE / f"{language}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled).gettext


@cache
def words(language: str) -> Words:
    """The texts of results in a language."""
    return ENGLISH if language == DEFAULT else make_words(language, translator(language))


@cache
def _translated_labels(language: str) -> dict[str, str]:
    return dict(zip(ENGLISH.labels, words(language).labels, strict=True))


def retold(json: bytes, language: str) -> bytes:
    """The JSON of a stored round, in English, with its texts in a language."""
    if language == DEFAULT:
        return json
    labels, fouls = _translated_labels(language), words(language).fouls
    try:
        document = orjson.loads(json)
        for seat in document["seats"]:
            for row in (seat["rows"] or {}).values():
                row["label"] = labels.get(row["label"], row["label"])
            if seat["foul"]:
                seat["foul"]["detail"] = fouls[seat["foul"]["code"]]
    except (AttributeError, LookupError, TypeError, ValueError):
        return json  # what somebody has changed in the database is for the audit to tell
    return orjson.dumps(document)
