import unicodedata
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.rules import cards

RANK_SPELLINGS = {**{r: r for r in "23456789TJQKA"}, **{r: r.upper() for r in "tjqka"}, "10": "T"}
SUIT_SPELLINGS = {
    **dict(zip("shcdSHCD", "shcdshcd", strict=True)),
    **dict(zip("♠♥♣♦", "shcd", strict=True)),
    **{symbol + "\ufe0f": suit for symbol, suit in zip("♠♥♣♦", "shcd", strict=True)},
}


def test_every_documented_spelling_is_the_card_it_says_and_no_other_is_taken() -> None:
    expected = {
        r + s: RANK_SPELLINGS[r] + SUIT_SPELLINGS[s] for r, s in product(RANK_SPELLINGS, SUIT_SPELLINGS)
    }
    assert {text: cards.NAMES[card] for text, card in cards.SPELLINGS.items()} == expected


@given(st.lists(st.integers(0, 51), max_size=13))
def test_reading_what_was_printed_gives_the_same_cards(given_cards: list[int]) -> None:
    printed = cards.names(given_cards)
    assert cards.parse(printed) == tuple(given_cards)
    assert cards.split("".join(printed)) == printed
    if printed:
        assert cards.parse(" ".join(printed)) == tuple(given_cards)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("As Kd Qc", ["As", "Kd", "Qc"]),
        ("AsKdQc", ["As", "Kd", "Qc"]),
        ("10s10h10d", ["10s", "10h", "10d"]),
        ("  As\tKd\n Qc ", ["As", "Kd", "Qc"]),
        ("A♠K♦️Q♣", ["A♠", "K♦️", "Q♣"]),
        ("As 0s Qc", ["As", "0s", "Qc"]),
        ("AsKxQc", ["As", "KxQc"]),
        ("", []),
        ("As,Kd", ["As", ",Kd"]),
    ],
)
def test_a_row_in_one_string_is_cut_into_cards_and_what_is_none_stays_whole(
    text: str, pieces: list[str]
) -> None:
    assert cards.split(text) == pieces


@pytest.mark.parametrize(
    ("text", "part", "character"),
    [
        ("0s", "rank", "“0”"),
        ("1s", "rank", "“1”"),
        ("Xs", "rank", "“X”"),
        ("Ax", "suit", "“x”"),
        ("10x", "suit", "“x”"),
        ("Kс", "suit", "CYRILLIC SMALL LETTER ES"),
        ("Кs", "rank", "CYRILLIC CAPITAL LETTER KA"),
        ("A♤", "suit", "WHITE SPADE SUIT"),
        ("\u200bAs", "rank", "ZERO WIDTH SPACE"),
    ],
)
def test_the_character_to_blame_is_named(text: str, part: str, character: str) -> None:
    blame = cards.wrong_character(text)
    assert blame is not None
    assert (character in blame[0], blame[1]) == (True, part)


@pytest.mark.parametrize("text", ["", "A", "10", "Ass"])
def test_no_character_is_blamed_where_one_is_missing_or_too_many(text: str) -> None:
    assert cards.wrong_character(text) is None


def test_look_alikes_of_ascii_letters_are_refused() -> None:
    for letter in "AKQJTshcd":
        for code in range(0x80, 0x3000):
            other = chr(code)
            if unicodedata.normalize("NFKD", other) == letter:
                assert other + "s" not in cards.SPELLINGS
                assert "A" + other not in cards.SPELLINGS


def test_a_summed_weight_tells_ranks_suits_and_cards() -> None:
    weight = cards.weigh(cards.parse("As Ah Ks 2d 2s"))
    ranks = weight & cards.RANK_COUNTS
    assert [ranks >> 3 * r & 7 for r in range(13)] == [2, *[0] * 10, 1, 2]
    suits = weight >> cards.SUIT_SHIFT & cards.SUIT_COUNTS
    assert [suits >> 4 * s & 15 for s in range(4)] == [1, 0, 1, 3]
    assert (weight >> cards.CARD_SHIFT).bit_count() == 5


@pytest.mark.parametrize("size", [3, 5])
def test_codes_tell_all_rows_of_different_ranks_apart(size: int) -> None:
    ranks = [r for r in combinations_with_replacement(range(13), size) if max(map(r.count, r)) <= 4]
    assert len({cards.encode_ranks(row) for row in ranks}) == len(ranks)
    assert sum(sorted(cards.CODES)[-size:]) < 2**30


def test_codes_of_thirteen_cards_tell_how_many_of_each_suit_there_are() -> None:
    counts = [c for c in product(range(14), repeat=4) if sum(c) == 13]
    assert len({cards.encode_suits(held) for held in counts}) == len(counts)
    four_suits = cards.parse("2d 3d 4d 5d 6d 2c 3c 4c 5c 2h 3h 4h 2s")
    code = sum(cards.CODES[card] for card in four_suits)
    assert code >> cards.SUIT_CODE_SHIFT == cards.encode_suits((5, 4, 3, 1))
