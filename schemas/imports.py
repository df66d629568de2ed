"""Matches with all their rounds, as lines of an import."""

import hashlib
import json
from typing import Any

from marshmallow import ValidationError, fields

from schemas.fields import MOST_STAKE, Document, Text, WholeNumber
from schemas.mistakes import NOT_A_LIST, Invalid, Mistake
from schemas.rounds import (
    MOST_ROUNDS,
    FindRuleSet,
    Players,
    ReasonDocument,
    RuleSetReference,
    check_players,
    check_points,
    find_named,
    load,
    load_match_round,
)
from service.messages import _
from service.record.digests import canonical
from service.record.importing import Played
from service.rules.cards import ROWS, SPELLINGS, names, split
from service.rules.ruleset import DEFAULT

LONGEST_KEY = 255
LONGEST_SOURCE = 64
DEFAULT_SOURCE = "default"


class Rounds(fields.Field[list[Any]]):
    """A list of rounds, each of which is read when the match's rule set and players are known."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[Any]:
        if type(value) is not list:
            raise ValidationError([NOT_A_LIST])
        if len(value) > MOST_ROUNDS:
            text = _("a match has at most {most} rounds, not {got}")
            counts = {"most": MOST_ROUNDS, "got": len(value)}
            raise ValidationError([Mistake("field_invalid", text, "", counts)])
        return value


class ImportDocument(Document):
    """A match with its rounds; a line of an import."""

    key = Text(LONGEST_KEY)
    players = Players(required=True)
    ruleset = RuleSetReference()
    planned = WholeNumber(1, MOST_ROUNDS)
    stake = WholeNumber(1, MOST_STAKE)
    label = Text(200)
    rounds = Rounds(required=True)
    finish = fields.Nested(ReasonDocument)


class ImportsQuery(Document):
    """Where the matches come from; keys are unique within a source."""

    source = Text(
        LONGEST_SOURCE,
        metadata={"description": f"What the keys belong to; `{DEFAULT_SOURCE}` if absent."},
    )


_IMPORT = ImportDocument()


def identity_of(document: Any) -> tuple[str, str]:
    """What a line is known by: its key, and the digest of all else. Without a key, the digest is it.

    The digest is of what the line means, however it is written. Neither is of use where it turns out to
    be invalid.
    """
    keyed = type(document) is dict and type(document.get("key")) is str
    content = _plain_match(document) if type(document) is dict else document
    try:
        text = canonical(content)
    except TypeError:  # a number of more than 64 bits, which makes it invalid in any case
        text = json.dumps(content, sort_keys=True).encode()
    digest = hashlib.sha256(text).hexdigest()
    return (document["key"] if keyed else f"sha256:{digest}"), digest


def _plain_match(document: dict[str, Any]) -> dict[str, Any]:
    """A match without its key, and without what says no more than if it were left out."""
    content = {name: value for name, value in document.items() if name != "key"}
    ruleset, rounds = content.get("ruleset"), content.get("rounds")
    if type(ruleset) is dict and ruleset.keys() == {"id"}:
        content["ruleset"] = ruleset = ruleset["id"]
    if ruleset == DEFAULT:
        del content["ruleset"]
    if type(rounds) is list:
        content["rounds"] = [_plain_round(round_, number) for number, round_ in enumerate(rounds, 1)]
        if content.get("planned") == len(rounds) and "finish" not in content:
            del content["planned"]
    return content


def _plain_round(round_: Any, number: int) -> Any:
    if type(round_) is not dict or type(round_.get("seats")) is not list:
        return round_
    plain = {name: value for name, value in round_.items() if (name, value) != ("number", number)}
    return {**plain, "seats": [_plain_seat(seat) for seat in round_["seats"]]}


def _plain_seat(seat: Any) -> Any:
    """A seat with its cards by their canonical names, in rows; of cards without rows no order counts."""
    if type(seat) is not dict:
        return seat
    plain = dict(seat)
    for name in ("cards",) if "cards" in seat else ROWS:
        cards = plain.get(name)
        try:
            found = [SPELLINGS[piece] for piece in (split(cards) if type(cards) is str else cards or ())]
        except (KeyError, TypeError):
            continue
        plain[name] = names(sorted(found) if name == "cards" else found)
    return plain


def read_import(document: Any, identity: tuple[str, str], find: FindRuleSet) -> Played:
    """Read a match that was played elsewhere; :class:`Invalid` with everything that is wrong.

    ``identity``: as :func:`identity_of` tells it.
    """
    loaded, mistakes = load(_IMPORT, document)
    ruleset = find_named(loaded, find, mistakes)
    rounds = loaded.get("rounds", [])
    planned = loaded.get("planned")
    if planned is None:
        # What is brought in is over, unless it says otherwise: then as many are meant as usual.
        usual = ruleset.rounds[0] if ruleset is not None else len(rounds)
        planned = usual if "finish" in loaded else len(rounds) or usual
    if ruleset is not None:
        check_points(ruleset, loaded.get("stake"), mistakes, planned)
    given = document.get("players") if type(document) is dict else None
    before = len(mistakes)
    if type(given) is list:
        check_players(given, mistakes)
    known = loaded.get("players") == given and len(mistakes) == before and given is not None
    played = []
    for place, one in enumerate(rounds):
        round_, wrong = load_match_round(one, ruleset, loaded["players"] if known else None)
        if round_.get("number", place + 1) != place + 1:
            text = _("rounds come in order: this is number {number}")
            wrong.append(Mistake("field_invalid", text, "/number", {"number": place + 1}))
        mistakes += [mistake.below(f"/rounds/{place}") for mistake in wrong]
        played.append(round_.get("seats", ()))
    mistakes += _of_the_end(loaded, len(rounds), planned)
    if mistakes or ruleset is None:
        raise Invalid(mistakes)
    finish = loaded["finish"]["reason"] if "finish" in loaded else None
    key, digest = identity
    return Played(
        key=key,
        digest=digest,
        ruleset=ruleset,
        players=loaded["players"],
        planned=planned,
        stake=loaded.get("stake"),
        label=loaded.get("label"),
        rounds=played,
        finish=finish,
    )


def _of_the_end(loaded: dict[str, Any], count: int, planned: int) -> list[Mistake]:
    """Whether a match has no more rounds than planned, and ends early only with fewer."""
    if count > planned:
        text = _("there are more rounds than planned: at most {most}")
        return [Mistake("field_invalid", text, f"/rounds/{planned}", {"most": planned})]
    if count == planned and "finish" in loaded:
        text = _("all planned rounds are there, so that the match has ended by itself")
        return [Mistake("field_invalid", text, "/finish")]
    return []
