"""How the cases of the vectors are written down, and the cases that all rule sets share.

Every case states by hand what must come out. Seats are lines of `player: top / middle / bottom`;
`player declare dragon: ...` declares, followed by three rows or by thirteen cards. A duel is
written as `A.ranks B.hand A.suit`: who wins top, middle and bottom (by the first letter of the
name) and by what, after `sweep:` or `clean_sweep:` if it is one; or `foul: A` with the winner;
or `both_foul`, `special`, `special_tie`.
"""

from dataclasses import dataclass, field
from typing import Any, TypedDict


@dataclass
class Case:
    """A round, and what it must come to."""

    name: str
    ruleset: str | None
    seats: str
    duels: list[str]
    expect: dict[str, int] | None
    why: str
    stake: int | None = None
    foul: dict[str, str] = field(default_factory=dict)
    special: dict[str, str] = field(default_factory=dict)
    could: dict[str, list[str]] = field(default_factory=dict)
    hands: dict[str, str] = field(default_factory=dict)
    money: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    clean_sweep: list[str] = field(default_factory=list)
    as_strings: bool = False


def seat_of(line: str, as_strings: bool) -> dict[str, Any]:
    """Read one line of a case's seats."""
    head, _, cards = line.strip().partition(":")
    player, _, declare = head.partition(" declare ")
    seat: dict[str, Any] = {"player": player}
    if declare:
        seat["declare"] = declare
    parts = [part.strip() for part in cards.split("/")]
    fields = ["top", "middle", "bottom"] if len(parts) == 3 else ["cards"]
    for name, part in zip(fields, parts, strict=True):
        seat[name] = part if as_strings else part.split()
    return seat


def request_of(case: Case) -> dict[str, Any]:
    """The request that a case sends."""
    request: dict[str, Any] = {}
    if case.ruleset:
        request["ruleset"] = case.ruleset
    if case.stake:
        request["stake"] = case.stake
    lines = case.seats.strip().splitlines()
    request["seats"] = [seat_of(line, case.as_strings) for line in lines]
    return request


# --- one row at a time: the bottom decides, as top and middle cancel out ------------------------

# andi wins the top (king over queen), budi the middle (jacks over tens), each worth 1.
ANDI = "andi: Kd 8c 4d / Tc Td 7h 5s 2c"
BUDI = "budi: Qs 8h 3d / Jc Jd 7c 5h 2h"
BUDI_CLUB = "budi: Qc 8h 3d / Jc Jd 7c 5h 2h"


@dataclass
class Bottom:
    """Two bottom rows and who wins, under each rule set."""

    name: str
    andi: str
    budi: str
    bsfyi: str
    panduan: str
    gratis: str
    value: int = 1
    why: str = ""
    andi_frame: str = ANDI
    budi_frame: str = BUDI
    hands: tuple[str, str] | None = None

    def case(self, ruleset: str) -> Case:
        """The two rows as a whole round under a rule set."""
        result = {"bsfyi": self.bsfyi, "panduan": self.panduan, "gratis": self.gratis}[ruleset]
        expect = None
        reason = reason_for(self.why, ruleset)
        if result.startswith("="):
            reason = "all ranks alike, and suits play no part"
        why = f"bottom {result}: {reason}"
        if ruleset != "gratis":
            gain = self.value if result.startswith("A") else -self.value
            expect = {"andi": gain, "budi": -gain}
            why = f"andi {gain:+} = +1 top - 1 middle {gain:+} bottom; {why}"
        hands = {}
        if self.hands:
            hands = {
                "andi": f"high_card/pair/{self.hands[0]}",
                "budi": f"high_card/pair/{self.hands[1]}",
            }
        return Case(
            name=f"bottom: {self.name}",
            ruleset=ruleset,
            seats=f"{self.andi_frame} / {self.andi}\n{self.budi_frame} / {self.budi}",
            duels=[f"A.ranks B.ranks {result}"],
            expect=expect,
            why=why,
            hands=hands,
        )


def reason_for(why: str, ruleset: str) -> str:
    """The part of a reason that concerns the rule set."""
    usual, _, under_panduan = why.partition("; panduan: ")
    return under_panduan if under_panduan and ruleset == "panduan" else usual


class Results(TypedDict):
    """A result under each rule set."""

    bsfyi: str
    panduan: str
    gratis: str


def same(result: str) -> Results:
    """The same winner, decided by the same, under every rule set."""
    return {"bsfyi": result, "panduan": result, "gratis": result}


BOTTOMS = [
    # Each hand against its neighbour, the better hand of the lower cards.
    Bottom("two pair over a pair", "As Ah Kc Qc 9s", "3s 3c 9h 9c 6s", **same("B.hand"),
           why="threes and nines beat aces", hands=("pair", "two_pair")),
    Bottom("three of a kind over two pair", "4s 4h 4c 9s 6s", "As Ah Ks Kh 9h", **same("A.hand"),
           why="three fours beat aces and kings", hands=("three_of_a_kind", "two_pair")),
    Bottom("straight over three of a kind", "As Ah Ac Kh Qd", "6s 5c 4h 3s 2d", **same("B.hand"),
           why="a six-high straight beats three aces", hands=("three_of_a_kind", "straight")),
    Bottom("flush over straight", "Ah Kc Qd Jh Ts", "9s 7s 6s 4s 2s", **same("B.hand"),
           why="a nine-high flush beats the highest straight", hands=("straight", "flush")),
    Bottom("full house over flush, no bonus at the bottom", "Ah Kh Jh 9h 6h", "3s 3h 3c 2s 2d",
           **same("B.hand"), why="a full house at the bottom counts 1",
           hands=("flush", "full_house")),
    Bottom("four of a kind over full house", "As Ah Ac Kc Ks", "6s 6h 6c 6d 9s", **same("B.hand"),
           value=7, why="quads at the bottom 7", hands=("full_house", "four_of_a_kind")),
    Bottom("straight flush over four of a kind, whose bonus is lost", "As Ah Ac Ad Kc",
           "Ts 9s 8s 7s 6s", **same("B.hand"), value=9,
           why="worked example 2: the losing quads earn nothing, the winner 9",
           hands=("four_of_a_kind", "straight_flush")),
    Bottom("royal flush over straight flush, whose bonus is lost", "Kh Qh Jh Th 9h",
           "As Ks Qs Js Ts", **same("B.hand"), value=11, budi_frame=BUDI_CLUB,
           why="royal flush at the bottom 11", hands=("straight_flush", "royal_flush")),
    # The same hand, ranks.
    Bottom("pairs of different rank", "As Ah 6s 4h 3s", "Ks Kh Qh Js 9s", **same("A.ranks"),
           why="aces over kings, whatever the kickers"),
    Bottom("pairs alike, first kicker apart", "As Ad 9s 6s 3s", "Ah Ac Ts 4s 2s", "B.ranks",
           "A.suit", "B.ranks", why="ten over nine; panduan: no kickers, ace of spades"),
    Bottom("pairs alike, second kicker apart", "As Ad Ks 9s 4s", "Ah Ac Kh Ts 3h", "B.ranks",
           "A.suit", "B.ranks", why="kings, then ten over nine; panduan: no kickers, spade"),
    Bottom("pairs alike, last kicker apart", "As Ad Ks 9s 4s", "Ah Ac Kh 9h 6h", "B.ranks",
           "A.suit", "B.ranks", why="six over four; panduan: no kickers, ace of spades"),
    Bottom("pairs with all ranks alike", "As Ad 9h 6h 3h", "Ah Ac 9s 6s 3s", "A.suit", "A.suit",
           "=.draw", why="the pair's best suit, spade over heart, not the kickers' suits"),
    Bottom("pairs with all ranks alike, the spade second", "Ah Ac 9s 6s 3s", "Ad As 9h 6h 3h",
           "B.suit", "B.suit", "=.draw", why="the better suit of the pair, wherever it lies"),
    Bottom("two pair, higher pairs apart", "As Ah 2s 2d 3s", "Ks Kh Qh Qc 9s", **same("A.ranks"),
           why="aces over kings"),
    Bottom("two pair, lower pairs apart", "As Ah 4s 4h Ks", "Ac Ad 6s 6h 2s", "B.ranks", "A.suit",
           "B.ranks", why="sixes over fours; panduan looks at the aces' suits alone"),
    Bottom("two pair, kickers apart", "As Ah 6s 6h 9s", "Ac Ad 6c 6d Ts", "B.ranks", "A.suit",
           "B.ranks", why="ten over nine; panduan looks at the aces' suits alone"),
    Bottom("two pair with all ranks alike", "As Ad 6h 6c 9h", "Ah Ac 6s 6d 9s", "A.suit", "A.suit",
           "=.draw", why="the suit of the higher pair, not of the lower"),
    Bottom("threes of a kind", "4s 4h 4c As Ks", "6s 6h 6c 3s 2s", **same("B.ranks"),
           why="sixes over fours, whatever the kickers"),
    Bottom("straights with different top cards", "9s 8s 7s 6h 5c", "Th 9h 8d 7d 6c",
           **same("B.ranks"), why="ten over nine"),
    Bottom("straights alike", "9s 8d 7d 6h 5c", "9h 8s 7s 6s 5d", "A.suit", "A.suit", "=.draw",
           why="the top card's suit alone: nine of spades"),
    Bottom("straights of jacks, as on the page", "Jh Ts 9s 8s 7s", "Js Th 9h 8d 7d", "B.suit",
           "B.suit", "=.draw", why="jack of spades over jack of hearts"),
    Bottom("A-2-3-4-5 is the lowest straight", "As 2s 3s 4h 5c", "6s 5d 4s 3h 2d",
           **same("B.ranks"), why="the ace plays low, so six over five"),
    Bottom("A-2-3-4-5 twice: the five is the key card", "As 2s 3s 4s 5d", "Ad 2d 3h 4h 5c",
           "B.suit", "B.suit", "=.draw", why="five of clubs over five of diamonds, not the aces"),
    Bottom("T-J-Q-K-A is the highest straight", "Ks Qd Jh Ts 9c", "Ac Kh Qh Js Th",
           **same("B.ranks"), why="ace over king", hands=("straight", "straight")),
    Bottom("flushes of different suits, the lower suit with the higher cards", "Ks Js 9s 7s 6s",
           "Ad Qd 9d 7d 5d", "B.ranks", "A.suit", "B.ranks",
           why="ace over king; panduan: suit first, spades over diamonds"),
    Bottom("flushes that differ in the last card alone", "Ah Kh 9h 6h 4h", "As Ks 9s 6s 3s",
           "A.ranks", "B.suit", "A.ranks", why="four over three; panduan: spades over hearts"),
    Bottom("flushes with all ranks alike", "Ac Kc 9c 6c 4c", "Ah Kh 9h 6h 4h", "B.suit", "B.suit",
           "=.draw", why="hearts over clubs"),
    Bottom("clubs over diamonds", "Ad Qd 9d 7d 6d", "9c 6c 5c 4c 3c", "A.ranks", "B.suit",
           "A.ranks", why="ace over nine; panduan: suit first, clubs over diamonds"),
    Bottom("hearts over clubs", "Jh 9h 6h 4h 3h", "Ac Kc Qc 9c 6c", "B.ranks", "A.suit",
           "B.ranks", why="ace over jack; panduan: suit first, hearts over clubs"),
    Bottom("flushes of one suit, as on the page", "As Js 8s 4s 3s", "Ks Qs Ts 9s 5s",
           **same("A.ranks"), andi_frame="andi: Kd 8c 4d / Tc Td 7h 5c 2c", budi_frame=BUDI_CLUB,
           why="3-4-8-J-A over 5-9-10-Q-K: ace over king"),
    Bottom("full houses: the three decide", "Ks Kh Kc 6s 6h", "9s 9h 9c As Ah", **same("A.ranks"),
           why="kings over nines, whatever the pairs"),
    Bottom("fours of a kind", "9s 9h 9c 9d 2s", "6s 6h 6c 6d As", **same("A.ranks"), value=7,
           why="nines over sixes, whatever the kicker; 7 once, for the winner"),
    Bottom("straight flushes alike", "Kh Qh Jh Th 9h", "Ks Qs Js Ts 9s", "B.suit", "B.suit",
           "=.draw", value=9, budi_frame=BUDI_CLUB, why="king of spades over king of hearts"),
    Bottom("the lowest straight flush is A-2-3-4-5", "Ad 2d 3d 4d 5d", "6s 5s 4s 3s 2s",
           **same("B.ranks"), value=9, andi_frame="andi: Kd 8c 7d / Tc Td 7h 5c 2c",
           budi_frame="budi: Qs 8h 3c / Jc Jd 7c 5h 2h", why="six over five",
           hands=("straight_flush", "straight_flush")),
    Bottom("A-2-3-4-5 of one suit twice", "Ad 2d 3d 4d 5d", "Ac 2c 3c 4c 5c", "B.suit", "B.suit",
           "=.draw", value=9, andi_frame="andi: Kd 8c 7d / Tc Td 7h 5s 2s",
           budi_frame="budi: Qs 8h 3h / Jc Jd 7c 5h 2h", why="clubs over diamonds"),
    Bottom("royal flushes", "Ah Kh Qh Jh Th", "As Ks Qs Js Ts", "B.suit", "B.suit", "=.draw",
           value=11, budi_frame=BUDI_CLUB, why="spades over hearts",
           hands=("royal_flush", "royal_flush")),
]  # fmt: skip


@dataclass
class Duel:
    """A round of two in full, with what comes out under each rule set."""

    name: str
    andi: str
    budi: str
    bsfyi: str
    panduan: str
    gratis: str
    gain: int
    why: str

    def case(self, ruleset: str) -> Case:
        """The round under a rule set; `gain` holds where neither player is swept."""
        result = {"bsfyi": self.bsfyi, "panduan": self.panduan, "gratis": self.gratis}[ruleset]
        return Case(
            name=self.name,
            ruleset=ruleset,
            seats=f"andi: {self.andi}\nbudi: {self.budi}",
            duels=[result],
            expect=None if ruleset == "gratis" else {"andi": self.gain, "budi": -self.gain},
            # The sums stand for points, of which gratis has none.
            why="rows alone, no points" if ruleset == "gratis" else reason_for(self.why, ruleset),
        )


DUELS = [
    Duel("bottom: a pair over a high card",
         "9d 7c 3d / Qs Jh 8c 5d 2h / As Kd Tc 8h 4s", "Th 6c 2d / Jd 9s 7h 5c 3c / 4h 4d 8s 6h 2s",
         **same("B.ranks A.ranks B.hand"), gain=-1, why="-1 + 1 - 1: fours beat ace high"),
    Duel("bottom: Q-K-A-2-3 is no straight",
         "9d 7c 4d / Qs Jh 8c 5d 3h / As Kd Qh 3s 2c", "Th 6c 2d / Jd 9s 7h 5c 3c / 4h 4s 8s 6h 2s",
         **same("B.ranks A.ranks B.hand"), gain=-1, why="-1 + 1 - 1: a pair of fours beats it"),
    Duel("bottom: high cards that differ in the last card alone",
         "9d 7c 3d / Qs Jh 8c 5d 2h / Ah Kd Tc 8h 4s", "Th 6c 2d / Jd 9s 7h 5c 3c / As Kc Ts 8d 3s",
         **same("B.ranks A.ranks A.ranks"), gain=1, why="-1 + 1 + 1: four over three"),
    Duel("bottom: high cards with all ranks alike",
         "9d 7c 3d / Qs Jh 8c 5d 2h / As Kd Tc 8h 4d", "Th 6c 2d / Jd 9s 7h 5c 3c / Ah Ks Ts 8s 4s",
         "B.ranks A.ranks A.suit", "B.ranks A.ranks A.suit", "B.ranks A.ranks =.draw",
         gain=1, why="-1 + 1 + 1: the ace of spades over the ace of hearts"),
    Duel("top: high cards, the second card decides",
         "Ac Kd 3d / Tc Td 7h 5s 2c / 9s 9h 9c 6s 4s", "Ad Qc Jh / Jc Jd 7c 5h 2h / Kh Kc 8s 6h 4h",
         **same("A.ranks B.ranks A.hand"), gain=1, why="+1 - 1 + 1: king over queen"),
    Duel("top: high cards with all ranks alike",
         "As 8d 4c / Tc Td 7h 5s 2c / 9s 9h 9c 6s 4s", "Ah 8c 4d / Jc Jd 7c 5h 2h / Kh Kc 8s 6h 4h",
         "A.suit B.ranks A.hand", "A.suit B.ranks A.hand", "=.draw B.ranks A.hand",
         gain=1, why="+1 - 1 + 1: ace of spades over ace of hearts"),
    Duel("top: pairs with the same kicker",
         "Qs Qd 8c / Kd Kc 7h 5s 2c / 9s 9h 9c 6s 4s", "Qh Qc 8d / Ad Ac 7c 5h 2d / Jc Jd 6h 6c 4h",
         "A.suit B.ranks A.hand", "A.suit B.ranks A.hand", "=.draw B.ranks A.hand",
         gain=1, why="+1 - 1 + 1: the queen of spades is in andi's pair"),
    Duel("top: pairs whose kickers differ",
         "Qh Qd 8d / Kd Kc 7h 5s 2c / 9s 9h 9c 6s 4s", "Qs Qc 9d / Ad Ac 7c 5h 2h / Jc Jd 6h 6c 4h",
         "B.ranks B.ranks A.hand", "B.suit B.ranks A.hand", "B.ranks B.ranks A.hand",
         gain=-1, why="-1 - 1 + 1: nine over eight; panduan: -1 - 1 + 1: the queen of spades"),
    Duel("top: three in sequence and of one suit are a high card",
         "Kh Qh Jh / Ad Ac 9h 6s 3c / 8s 8h 8c 5d 2c", "2s 2d 4c / Kd Kc 9c 6h 3h / Ts Th Jd Js 7c",
         **same("B.hand A.ranks A.hand"), gain=1, why="-1 + 1 + 1: a pair of twos beats K-Q-J"),
    Duel("top: three of one suit lose to a higher card",
         "Qd 9d 4d / Tc Td 7h 5s 2c / 9s 9h 9c 6s 4s", "Kc 8h 2s / 8c 8d 7c 5h 2h / As Ah Jc 6h 4h",
         **same("B.ranks A.ranks A.hand"), gain=1, why="-1 + 1 + 1: king over queen"),
    Duel("middle: A-2-3-4-5 under a six-high straight is in order",
         "Kd 8c 4d / Tc Td 7h 5s 2h / 9s 9h 9c 6h 3c", "Qs 8h 3d / As 2s 3s 4s 5d / 6s 5h 4h 3h 2c",
         **same("A.ranks B.hand B.hand"), gain=-1, why="+1 - 1 - 1"),
    Duel("top: three of a kind wins its bonus",
         "4s 4h 4d / 9s 8d 7c 6h 5s / Ah Kh Jh 8h 2h", "As Kd Qc / Tc 9d 8c 7d 6s / 5c 5d 5h Js Jc",
         **same("A.hand B.ranks B.hand"), gain=3, why="+5 top - 1 - 1"),
    Duel("top: three of a kind beaten by a higher one earns nothing",
         "4s 4h 4d / 8d 7c 6h 5s 4c / Ks Kh Kd Kc 2h", "9h 9c 9d / Qc Jd Ts 9s 8c / 5c 5d 5h Js Jc",
         **same("B.ranks B.ranks A.hand"), gain=1, why="-5 top - 1 middle + 7 quads at the bottom"),
    Duel("middle: a full house wins its bonus",
         "Qs Jh 7c / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c", "Ks Qh 6c / Kd Jd 8d 5d 2d / 8h 7h 6h 5h 4h",
         **same("B.ranks A.hand B.hand"), gain=-7, why="-1 + 3 full house - 9 straight flush"),
    Duel("middle: a full house beaten by a higher one earns nothing",
         "Ks Jh 7h / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c", "Qs Jc 6h / Th Tc Td 2s 2h / 8d 7d 6d 5d 4d",
         **same("A.ranks B.ranks B.hand"), gain=-11, why="+1 - 3 full house - 9 straight flush"),
    Duel("middle: four of a kind wins its bonus over a full house",
         "Ks Jh 7h / 9s 9h 9c 9d 4s / As Ac Ad Ah 3c", "Qs Jc 6h / Th Tc Td 2s 2h / 8d 7d 6d 5d 4d",
         **same("A.ranks A.hand B.hand"), gain=6, why="+1 + 14 quads - 9 straight flush"),
    Duel("middle: four of a kind beaten by a straight flush earns nothing",
         "Ks Jc 7h / 3s 3h 3c 3d 4s / As Ac Ad Ah 2c", "Qs Jd 6h / 8d 7d 6d 5d 4d / Kh Qh Jh Th 9h",
         **same("A.ranks B.hand B.hand"), gain=-26, why="+1 - 18 middle - 9 bottom"),
    Duel("middle: four of a kind against a higher four",
         "Ks Jc 7h / 3s 3h 3c 3d 4s / As Ac Ad Ah 2c", "Qs Jd 7d / 6s 6h 6c 6d 8s / Kh Qh Jh Th 9h",
         **same("A.ranks B.ranks B.hand"), gain=-22, why="+1 - 14 middle - 9 bottom"),
    Duel("middle: a straight flush wins its bonus over a full house",
         "Qs Jd 6h / 8d 7d 6d 5d 4d / Kh Qh Jh Th 9h", "Ks Jc 7h / 3s 3h 3c 2c 2d / As Ac Ad Ah 4s",
         **same("B.ranks A.hand A.hand"), gain=26, why="-1 + 18 middle + 9 bottom"),
    Duel("middle: a royal flush wins its bonus over a straight flush",
         "Qd Jd 6h / Ah Kh Qh Jh Th / As Ks Qs Js Ts", "Kd Jc 7h / 8d 7d 6d 5d 4d / 9c 8c 7c 6c 5c",
         **same("B.ranks A.hand A.hand"), gain=32, why="-1 + 22 middle + 11 bottom"),
    Duel("three of a kind earns its bonus on top only",
         "Kd 8c 4d / 6s 6h 6c 5s 2c / 9s 9h 9c As Js", "Qs 8h 3d / Jc Jd 7c 5h 2h / Ah Kc Qh Jh Ts",
         **same("A.ranks A.hand B.hand"), gain=1, why="+1 + 1 - 1: threes in the middle count 1"),
    Duel("order: top A-K-Q under middle A-K-Q-5-3 is in order",
         "Jd 8d 4d / Tc Td 7h 5s 2h / 7s 7c 6d 6h Js", "As Kd Qc / Ah Kc Qd 5h 3c / 9s 9h 8c 7d 4s",
         **same("B.ranks A.hand A.hand"), gain=1,
         why="-1 + 1 + 1: all three are matched and the middle has cards left, so no foul"),
]  # fmt: skip
