"""Arrangements of all the awkward kinds: a deck to stack, and rounds stacked from it."""

import random
from collections.abc import Callable, Iterator

from .hands import Card, out_of_order, read_hand
from .scorer import ROWS

Rows = dict[str, list[Card]]
DECK = [Card(rank, suit) for rank in range(2, 15) for suit in range(1, 5)]
SIZES = {"top": 3, "middle": 5, "bottom": 5}


class NotEnoughError(Exception):
    """The deck no longer holds what a stacked deal asks for."""


class Deck:
    """What is left to deal, in shuffled order."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.left = DECK[:]
        rng.shuffle(self.left)

    def some(self, count: int) -> list[Card]:
        """Deal any cards."""
        if count > len(self.left):
            raise NotEnoughError
        dealt, self.left = self.left[:count], self.left[count:]
        return dealt

    def take(self, cards: list[Card]) -> list[Card]:
        """Deal these very cards."""
        taken = set(cards)
        if len(taken) < len(cards) or not taken.issubset(self.left):
            raise NotEnoughError
        self.left = [card for card in self.left if card not in taken]
        return cards

    def of_rank(self, rank: int, count: int = 1) -> list[Card]:
        """Deal cards of one rank."""
        found = [card for card in self.left if card.rank == rank]
        if len(found) < count:
            raise NotEnoughError
        return self.take(found[:count])

    def of_suit(self, suit: int, count: int) -> list[Card]:
        """Deal cards of one suit."""
        found = [card for card in self.left if card.suit == suit]
        if len(found) < count:
            raise NotEnoughError
        return self.take(found[:count])

    def straight(self, top: int, size: int = 5) -> list[Card]:
        """Deal a straight; a top below its size means the ace plays low."""
        cards = []
        for rank in range(top - size + 1, top + 1):
            cards += self.of_rank(14 if rank == 1 else rank)
        return cards

    def straight_flush(self, top: int, suit: int) -> list[Card]:
        """Deal a straight flush."""
        ranks = [14 if rank == 1 else rank for rank in range(top - 4, top + 1)]
        return self.take([Card(rank, suit) for rank in ranks])

    def hand(self, name: str, rank: int | None = None) -> list[Card]:
        """Deal the five cards of a named hand, of the rank if one is given."""
        rank = rank or self.rng.randint(2, 14)
        suit = self.rng.randint(1, 4)
        if name == "royal_flush":
            return self.straight_flush(14, suit)
        if name == "straight_flush":
            return self.straight_flush(min(max(rank, 5), 13), suit)
        if name == "straight":
            return self.straight(max(rank, 5))
        if name == "flush":
            return self.of_suit(suit, 5)
        other = self.rng.choice([value for value in range(2, 15) if value != rank])
        first = {
            "four_of_a_kind": [(rank, 4), (other, 1)],
            "full_house": [(rank, 3), (other, 2)],
            "three_of_a_kind": [(rank, 3)],
            "two_pair": [(rank, 2), (other, 2)],
            "pair": [(rank, 2)],
            "high_card": [(rank, 1)],
        }[name]
        cards: list[Card] = []
        for value, count in first:
            cards += self.of_rank(value, count)
        return cards + self.some(5 - len(cards))


Stack = Callable[[Deck, int, str], list[Rows]]


# --- arranging thirteen cards ---------------------------------------------------------------


def in_order(rows: Rows, ruleset: str) -> bool:
    """Whether the three rows are no foul."""
    top, middle, bottom = (read_hand(rows[row]) for row in ROWS)
    return not out_of_order(bottom, middle, ruleset) and not out_of_order(middle, top, ruleset)


def candidates(cards: list[Card]) -> Iterator[list[Card]]:
    """Some good five-card rows in the cards, best kinds first."""
    by_rank: dict[int, list[Card]] = {}
    by_suit: dict[int, list[Card]] = {}
    for card in sorted(cards, reverse=True):
        by_rank.setdefault(card.rank, []).append(card)
        by_suit.setdefault(card.suit, []).append(card)
    low_first = sorted(by_rank, key=lambda rank: (len(by_rank[rank]), rank))
    sets = sorted(by_rank.values(), key=lambda group: (len(group), group[0].rank), reverse=True)
    if len(sets[0]) == 4:
        yield [*sets[0], by_rank[low_first[0]][0]]
    if len(sets[0]) >= 3 and len(sets) > 1 and len(sets[1]) >= 2:
        yield [*sets[0][:3], *sets[-1][:2]] if len(sets[-1]) > 1 else sets[0][:3] + sets[1][:2]
    for flush in by_suit.values():
        if len(flush) >= 5:
            yield flush[:5]
    for top in range(14, 4, -1):
        ranks = [14 if rank == 1 else rank for rank in range(top - 4, top + 1)]
        if by_rank.keys() >= set(ranks):
            yield [by_rank[rank][-1] for rank in ranks]
    spare = [by_rank[rank][0] for rank in low_first if len(by_rank[rank]) == 1]
    if len(sets[0]) == 3 and len(spare) >= 2:
        yield sets[0] + spare[:2]
    pairs = [group for group in sets if len(group) == 2]
    if len(pairs) >= 2 and spare:
        yield pairs[0] + pairs[-1] + spare[:1]
    if pairs and len(spare) >= 3:
        yield pairs[0] + spare[:3]
    if len(spare) >= 5:
        yield [spare[-1], *spare[:4]]


def arrange(cards: list[Card], ruleset: str, rng: random.Random) -> Rows:
    """Arrange thirteen cards the way a player would, in order if that comes out readily."""
    bottoms = list(candidates(cards))[:3]
    rng.shuffle(bottoms)
    for bottom in bottoms:
        left = [card for card in cards if card not in bottom]
        for middle in list(candidates(left))[:4]:
            top = [card for card in left if card not in middle]
            rows = tidy({"top": top, "middle": middle, "bottom": bottom}, ruleset)
            if in_order(rows, ruleset):
                return rows
    return shuffle_until_in_order(cards, ruleset, rng)


def tidy(rows: Rows, ruleset: str) -> Rows:
    """Swap the middle and the bottom if that puts them in order."""
    if out_of_order(read_hand(rows["bottom"]), read_hand(rows["middle"]), ruleset):
        return {"top": rows["top"], "middle": rows["bottom"], "bottom": rows["middle"]}
    return rows


def cut(cards: list[Card]) -> Rows:
    """Lay thirteen cards down as they come."""
    return {"top": cards[:3], "middle": cards[3:8], "bottom": cards[8:]}


def shuffle_until_in_order(cards: list[Card], ruleset: str, rng: random.Random) -> Rows:
    """Try arrangements at random for one in order; give up after a few."""
    cards = cards[:]
    for _ in range(6):
        rng.shuffle(cards)
        rows = tidy(cut(cards), ruleset)
        if in_order(rows, ruleset):
            break
    return rows


def fill(deck: Deck, given: Rows, ruleset: str, lenient: bool = False) -> Rows:
    """Complete rows of which some cards are given, in order if a few tries allow it."""
    missing = {row: SIZES[row] - len(given.get(row, [])) for row in ROWS}
    extra = deck.some(sum(missing.values()))
    for _ in range(1 if lenient else 8):
        cards = extra[:]
        rows = {}
        for row in ROWS:
            rows[row] = [*given.get(row, []), *cards[: missing[row]]]
            cards = cards[missing[row] :]
        if in_order(rows, ruleset):
            break
        # Free cards may change places with each other; the given ones stay where they are.
        deck.rng.shuffle(extra)
    return rows


# --- stacked rounds: each gives one arrangement per seat ----------------------------------------


def stack_strong(deck: Deck, count: int, ruleset: str) -> list[Rows]:
    """Bonus hands in the middle, at the bottom and on top, of one or two of the players."""
    rng = deck.rng
    middles_and_bottoms = [
        ("full_house", "full_house"),
        ("full_house", "four_of_a_kind"),
        ("full_house", "straight_flush"),
        ("four_of_a_kind", "four_of_a_kind"),
        ("four_of_a_kind", "straight_flush"),
        ("four_of_a_kind", "royal_flush"),
        ("straight_flush", "straight_flush"),
        ("straight_flush", "royal_flush"),
        ("royal_flush", "royal_flush"),
        ("straight", "four_of_a_kind"),
        ("straight", "royal_flush"),
        ("two_pair", "straight_flush"),
    ]
    all_rows = []
    given: list[Rows] = []
    for _ in range(rng.choice([1, 2, 2])):
        middle, bottom = rng.choice(middles_and_bottoms)
        rows: Rows = {"middle": deck.hand(middle), "bottom": deck.hand(bottom), "top": []}
        if middle != "two_pair" and rng.random() < 0.4:
            rows["top"] = deck.of_rank(rng.randint(2, 14), 3)
        given.append(tidy(rows, ruleset))
    for rows in given:
        all_rows.append(fill(deck, rows, ruleset))
    while len(all_rows) < count:
        all_rows.append(arrange(deck.some(13), ruleset, rng))
    rng.shuffle(all_rows)
    return all_rows


CLASHES = (
    "straight",
    "straight",
    "flush",
    "flush_twins",
    "pair",
    "two_pair",
    "high_card",
    "top_pair",
    "straight_flush",
    "trips",
)


def clash_for_all(deck: Deck, theme: str, at: int, ranks: list[int], top: int) -> list[Card] | None:
    """The clashing row of the player at a seat, of a theme that any number can share."""
    if theme == "straight":
        return deck.straight(top)
    if theme == "flush":
        return deck.hand("flush")
    if theme == "flush_twins":
        # The same five ranks in each player's own suit.
        return deck.take([Card(rank, at + 1) for rank in sorted(ranks)])
    if theme == "straight_flush":
        return deck.straight_flush(top, at + 1)
    if theme == "trips":
        return deck.hand("three_of_a_kind")
    if theme == "high_card":
        return [deck.of_rank(rank)[0] for rank in ranks]
    return None


def clash_of_pairs(deck: Deck, theme: str, at: int, ranks: list[int], row: str) -> Rows:
    """The rows of one of two players who share a rank, two cards each."""
    rng = deck.rng
    low, *others = ranks
    pair = deck.of_rank(low, 2)
    if theme == "pair":
        kickers = others[:3] if rng.random() < 0.6 else others[at : at + 3]
        return {row: pair + [deck.of_rank(rank)[0] for rank in kickers]}
    if theme == "two_pair":
        second = others[0] if rng.random() < 0.7 else others[at]
        kicker = others[2] if rng.random() < 0.5 else others[2 + at]
        return {row: pair + deck.of_rank(second, 2) + deck.of_rank(kicker)}
    return {
        "top": pair + deck.of_rank(others[rng.randint(0, 1)]),
        "middle": deck.hand(rng.choice(["two_pair", "straight"])),
        "bottom": deck.hand("flush"),
    }


def stack_clash(deck: Deck, count: int, ruleset: str) -> list[Rows]:
    """The same hand of the same ranks in the same row of several players, suits apart."""
    rng = deck.rng
    top, theme = rng.randint(5, 14), rng.choice(CLASHES)
    ranks = rng.sample(range(2, 15), 5)
    row = "bottom" if theme == "straight_flush" else rng.choice(["middle", "bottom"])
    given: list[Rows] = []
    for at in range(count):
        cards = clash_for_all(deck, theme, at, ranks, top)
        if cards:
            given.append({row: cards})
        elif at < 2:
            given.append(clash_of_pairs(deck, theme, at, ranks, row))
        else:
            given.append({})
    for rows in given:
        if "middle" in rows and "bottom" not in rows and rng.random() < 0.7:
            rows["bottom"] = deck.hand(rng.choice(["flush", "full_house", "straight"]))
    return [fill(deck, rows, ruleset) for rows in given]


def stack_near_foul(deck: Deck, count: int, ruleset: str) -> list[Rows]:
    """Rows that are just in order, or just not."""
    rng = deck.rng
    given: list[Rows] = []
    for _ in range(count):
        low = rng.randint(2, 14)
        others = rng.sample([rank for rank in range(2, 15) if rank != low], 5)
        theme = rng.choice(["pair", "high", "flushes", "straights", "two_pair", "one_pair"])
        rows: Rows = {}
        if theme == "pair":
            # Kickers the same, or one apart.
            kicker = max(3, others[0]) if low != max(3, others[0]) else others[1]
            near = rng.choice([kicker, kicker, kicker - 1, min(14, kicker + 1)])
            rows["top"] = deck.of_rank(low, 2) + deck.of_rank(kicker)
            rows["middle"] = deck.of_rank(low, 2) + deck.of_rank(near)
            rows["bottom"] = deck.hand(rng.choice(["straight", "flush", "full_house"]))
        elif theme == "high":
            three = sorted(others[:3], reverse=True)
            rows["top"] = [deck.of_rank(rank)[0] for rank in three]
            rows["middle"] = [deck.of_rank(rank)[0] for rank in three]
            if rng.random() < 0.3:
                rows["middle"][2:] = []
            rows["bottom"] = deck.hand("pair")
        elif theme == "flushes":
            rows["middle"], rows["bottom"] = deck.hand("flush"), deck.hand("flush")
        elif theme == "straights":
            top = rng.randint(5, 14)
            rows["middle"] = deck.straight(top)
            rows["bottom"] = deck.straight(rng.choice([top, top, max(5, top - 1), min(14, top + 1)]))
        elif theme == "two_pair":
            rows["middle"] = deck.of_rank(low, 2) + deck.of_rank(others[0], 2)
            rows["bottom"] = deck.of_rank(low, 2) + deck.of_rank(others[1], 2)
        else:
            rows["middle"] = deck.of_rank(low, 2) + deck.of_rank(others[0])
            rows["bottom"] = deck.of_rank(low, 2) + deck.of_rank(others[rng.randint(0, 1)])
        given.append(rows)
    return [fill(deck, rows, ruleset, lenient=rng.random() < 0.3) for rows in given]


def stack_sweep(deck: Deck, count: int, ruleset: str) -> list[Rows]:
    """The first seat strong in every row, so that sweeps and clean sweeps happen."""
    rng = deck.rng
    best = {
        "top": deck.of_rank(rng.randint(11, 14), rng.choice([2, 3])),
        "middle": deck.hand(rng.choice(["flush", "full_house", "four_of_a_kind"])),
        "bottom": deck.hand(rng.choice(["four_of_a_kind", "straight_flush", "royal_flush"])),
    }
    all_rows = [fill(deck, best, ruleset)]
    for _ in range(count - 1):
        cards = deck.some(13)
        fouls = rng.random() < 0.2
        all_rows.append(cut(cards) if fouls else arrange(cards, ruleset, rng))
    rng.shuffle(all_rows)
    return all_rows


def special_cards(deck: Deck, name: str) -> list[Card]:
    """Thirteen cards that form the special, one way or another."""
    rng = deck.rng
    cards: list[Card] = []
    if name == "dragon":
        for rank in range(2, 15):
            cards += deck.of_rank(rank)
    elif name == "six_pairs":
        shape = rng.choice([[2] * 6, [2] * 6, [4, 2, 2, 2, 2], [4, 4, 2, 2], [3, 2, 2, 2, 2, 2]])
        shape = rng.choice([shape, [4, 3, 2, 2, 2], [4, 4, 3, 2]])
        for rank, size in zip(rng.sample(range(2, 15), len(shape)), shape, strict=True):
            cards += deck.of_rank(rank, size)
        cards += deck.some(13 - len(cards))
    elif name == "three_straights":
        cards += deck.straight(rng.choice([3, 14, rng.randint(3, 14)]), 3)
        cards += deck.straight(rng.choice([5, 14, rng.randint(5, 14)]))
        cards += deck.straight(rng.randint(5, 14))
    else:
        sizes = rng.choice([[8, 5], [10, 3], [13], [5, 5, 3], [5, 5, 3]])
        for suit, size in zip(rng.sample(range(1, 5), len(sizes)), sizes, strict=True):
            cards += deck.of_suit(suit, size)
    return cards


def random_rows(deck: Deck, count: int, ruleset: str) -> list[Rows]:
    """Thirteen cards each, laid down as they come."""
    return [cut(deck.some(13)) for _ in range(count)]


def half_random_rows(deck: Deck, count: int, ruleset: str) -> list[Rows]:
    """Random cards, arranged at random until they are in order."""
    return [shuffle_until_in_order(deck.some(13), ruleset, deck.rng) for _ in range(count)]


def arranged_rows(deck: Deck, count: int, ruleset: str) -> list[Rows]:
    """Random cards, arranged as players would; now and then one fouls."""
    rows = [arrange(deck.some(13), ruleset, deck.rng) for _ in range(count)]
    if deck.rng.random() < 0.1:
        loser = deck.rng.randrange(count)
        swapped = rows[loser]
        rows[loser] = {**swapped, "middle": swapped["bottom"], "bottom": swapped["middle"]}
    return rows


STACKS: tuple[Stack, ...] = (
    stack_strong,
    stack_clash,
    stack_near_foul,
    stack_sweep,
)
