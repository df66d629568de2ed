"""Two languages, whole: nothing that people read is left in English where they ask for Indonesian."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from flask.testing import FlaskClient

from schemas.mistakes import CODES
from service.api.problems import PROBLEMS
from service.example import ROUND
from service.language import DEFAULT, LANGUAGES, LOCALE, translator, words

ROOT = Path(__file__).parents[1]
RULES = ROOT / "docs" / "rules.md"
OTHERS = [language for language in LANGUAGES if language != DEFAULT]
INDONESIAN = {"Accept-Language": "id-ID,id;q=0.9,en;q=0.5"}


def messages() -> set[str]:
    """Every message that is marked in the code."""
    found = set()
    for package in ("service", "schemas"):
        for _, _, message, _, _ in extract_from_dir(str(ROOT / package), keywords={"_": None}):
            found.add(message)
    return found


def catalog(language: str) -> Catalog:
    return read_po(BytesIO((LOCALE / f"{language}.po").read_bytes()), locale=language)


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"{(\w+)}", text))


@pytest.mark.parametrize("language", OTHERS)
def test_every_marked_message_is_translated_and_no_other(language: str) -> None:
    translated = {entry.id: entry.string for entry in catalog(language) if entry.id}
    assert set(translated) == messages()
    assert [message for message, text in translated.items() if not text.strip()] == []


@pytest.mark.parametrize("language", OTHERS)
def test_translations_keep_every_parameter(language: str) -> None:
    for entry in catalog(language):
        assert placeholders(str(entry.id)) == placeholders(str(entry.string)), entry.id


@pytest.mark.parametrize("language", OTHERS)
def test_what_the_tables_hold_is_marked(language: str) -> None:
    """A text in a table that was not marked would stay English in silence."""
    known = {entry.id for entry in catalog(language)}
    for _, title, about in PROBLEMS.values():
        assert {title, about} <= known
    assert set(CODES.values()) <= known


def test_texts_that_are_raised_are_marked_where_they_stand() -> None:
    """Problems, conflicts and mistakes take a message, never a bare string."""
    bare = re.compile(r"(?:Problem|Conflict|Mistake|NotJson)\(\s*(?:\"[a-z_-]+\",\s*)?\"[^\"]* [^\"]*\"")
    for package in ("service", "schemas"):
        for path in (ROOT / package).rglob("*.py"):
            assert bare.findall(path.read_text("utf-8")) == [], path


def test_labels_use_the_words_that_players_use() -> None:
    """Hands by the names of docs/rules.md, ranks as they stand on the cards."""
    told = dict(zip(words("en").labels, words("id").labels, strict=True))
    for english, indonesian in {
        "ace high": "kartu tertinggi as",
        "pair of fours": "pair 4",
        "two pair, jacks and nines": "double pair, jack dan 9",
        "three of a kind, tens": "threes 10",
        "straight, nine high": "straight, tertinggi 9",
        "flush in spades, king high": "flush sekop, tertinggi king",
        "full house, nines over fours": "full house, threes 9 dan pair 4",
        "four of a kind, aces": "piting as",
        "straight flush in hearts, ten high": "straight flush hati, tertinggi 10",
        "royal flush in clubs": "royal flush keriting",
    }.items():
        assert told[english] == indonesian
    listed = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", RULES.read_text("utf-8"), re.MULTILINE))
    for word in ("piting", "threes", "double pair"):
        assert any(label.startswith(word) for label in told.values())
        assert listed[word] in " ".join(told)
    english_words = {"two", "three", "four", "pairs", "of", "high", "over", "and", "in"}
    assert not english_words & set(re.findall(r"\w+", " ".join(told.values())))
    assert words("id").fouls["both"].startswith("salah susun")
    assert len(set(words("id").labels)) == len(set(words("en").labels))


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("en-GB", "en"),
        ("id", "id"),
        ("id-ID,id;q=0.9,en;q=0.5", "id"),
        ("fr, id;q=0.3", "id"),
        ("fr", "en"),
        ("*", "en"),
        ("id;q=0", "en"),
        ("%%%", "en"),
    ],
)
def test_the_language_is_the_best_of_those_accepted(
    header: str | None, language: str, client: FlaskClient
) -> None:
    answer = client.post("/v1/score", json=ROUND, headers={"Accept-Language": header} if header else {})
    assert answer.headers["Content-Language"] == language
    assert "Accept-Language" in answer.headers["Vary"]
    label = answer.get_json()["seats"][0]["rows"]["top"]["label"]
    assert label == {"en": "pair of kings", "id": "pair king"}[language]


def test_answers_are_told_in_indonesian_and_codes_stay(client: FlaskClient) -> None:
    seats = [
        {"player": "andi", "declare": "dragon", "cards": "2s 2h 3s 3h 4s 4h 5s 5h 6s 6h 7s 7h 8d"},
        {"player": "budi", "top": "As Ah Kс", "middle": "9s 9h 9d 4c 4d", "bottom": "Qs Qh Qd Jc Js"},
    ]
    answer = client.post("/v1/score", json={"seats": seats}, headers=INDONESIAN).get_json()
    assert (answer["title"], answer["detail"]) == ("Ronde tidak sah", "ada 2 kesalahan")
    unknown, special = answer["errors"]
    assert (unknown["code"], special["code"]) == ("card_unknown", "special_not_formed")
    assert "bukan jenis kartu" in unknown["detail"]
    assert special["detail"] == "kartunya tidak membentuk naga; yang terbentuk: enam pasang"
    assert special["forms"] == ["six_pairs"]


def test_stored_rounds_are_told_in_the_language_of_who_reads(client: FlaskClient) -> None:
    foul = {"player": "citra", "top": "Js Jd 5h", "middle": "6s 6h 9c 8c 2h", "bottom": "Ts 3h 4d 5c 2c"}
    sent = {**ROUND, "seats": [ROUND["seats"][0], foul]}
    kept = client.post("/v1/rounds", json=sent, headers=INDONESIAN).get_json()
    in_english = client.get(f"/v1/rounds/{kept['id']}").get_json()
    in_indonesian = client.get(f"/v1/rounds/{kept['id']}", headers=INDONESIAN).get_json()
    listed = client.get("/v1/rounds", headers=INDONESIAN).get_json()["items"][0]
    assert kept == in_indonesian == listed
    assert in_english["seats"][1]["foul"]["detail"].startswith("the top row")
    assert in_indonesian["seats"][1]["foul"]["detail"].startswith("salah susun")
    assert in_indonesian["digest"] == in_english["digest"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/nowhere"), ("PUT", "/v1/score"), ("GET", "/v1/rounds?limit=x"), ("GET", "/v1/rounds/x")],
)
def test_every_kind_of_problem_is_translated(method: str, path: str, client: FlaskClient) -> None:
    english = client.open(path, method=method).get_json()
    indonesian = client.open(path, method=method, headers=INDONESIAN).get_json()
    assert english["type"] == indonesian["type"]
    assert english["title"] != indonesian["title"]
    assert english["detail"] != indonesian["detail"]


def test_problem_pages_are_translated(client: FlaskClient) -> None:
    page = client.get("/problems/invalid-round", headers=INDONESIAN).get_data(as_text=True)
    assert 'lang="id"' in page
    assert "Ronde tidak sah" in page


def test_an_unknown_message_stays_as_it_is() -> None:
    translate: Callable[[str], str] = translator("id")
    assert translate("nobody has translated this") == "nobody has translated this"
