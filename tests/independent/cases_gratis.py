"""Rounds under gratis: what is in order, and who wins which row; never a point."""

from .cases import ANDI, BOTTOMS, DUELS, Case
from .cases_bsfyi import (
    BONUSES,
    FOUL_BOTH,
    FOUL_TOP,
    ONE_LESS,
    ONE_ROW_BETTER,
    SWEEPER,
    SWEPT,
    SWEPT_TOO,
    THREE_ROWS,
)

COMPARISONS = [
    *(bottom.case("gratis") for bottom in BOTTOMS),
    *(duel.case("gratis") for duel in DUELS),
]

ORDER = [
    Case(
        name="the page's example is in order",
        ruleset="gratis",
        seats="""
            andi: Qs 9d 3c / Ks Kh 5c 4d 2c / 8s 8h 8d 6s 6h
            budi: Ac Jd 8c / Qh Qd 7c 5d 2d / Th Tc Td 9c 9h""",
        duels=["B.ranks A.ranks B.ranks"],
        expect=None,
        hands={"andi": "high_card/pair/full_house"},
        why="full house over a pair of kings over queen high",
    ),
    Case(
        name="the page's example with the kings on top is a foul",
        ruleset="gratis",
        seats="""
            andi: Ks Kh 3c / Qs 9d 5c 4d 2c / 8s 8h 8d 6s 6h
            budi: Ac Jd 8c / Qh Qd 7c 5d 2d / Th Tc Td 9c 9h""",
        duels=["foul: B"],
        foul={"andi": "top_over_middle"},
        expect=None,
        why="the pair on top is over the high card in the middle",
    ),
    Case(
        name="order: top Q-Q-9 under middle Q-Q-9-5-2 is in order",
        ruleset="gratis",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2h / 7s 7c 7d As Ad
            budi: Qs Qh 9d / Qd Qc 9s 5h 2c / Ah Kh 8h 6h 4h""",
        duels=["B.hand B.ranks A.hand"],
        expect=None,
        why="not weaker: all three cards are matched, two are left",
    ),
    Case(
        name="order: top Q-Q-9 over middle Q-Q-8-5-2 is a foul",
        ruleset="gratis",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2h / 7s 7c 7d As Ad
            budi: Qs Qh 9d / Qd Qc 8s 5h 2c / Ah Kh 8h 6h 4h""",
        duels=["foul: A"],
        foul={"budi": "top_over_middle"},
        expect=None,
        why="nine over eight",
    ),
    Case(
        name="order: equal rows are in order, whatever their suits",
        ruleset="gratis",
        seats=f"""
            {ANDI} / Ah Kh Jh Th 2h
            budi: Qs 8h 3d / 9s 8s 7s 6s 5d / 9h 8d 7d 6h 5c""",
        duels=["A.ranks B.hand A.hand"],
        expect=None,
        why="nine-high is not weaker than nine-high",
    ),
    Case(
        name="order: a straight in the middle over two pair is a foul",
        ruleset="gratis",
        seats="""
            andi: Kd 8c 4d / 9s 8d 7h 6s 5s / Ah Ad Qh Qd 2c
            budi: Qs 8h 3d / Jc Jd 7c 5h 2h / Ks Kh 6h 6c Ac""",
        duels=["foul: B"],
        foul={"andi": "middle_over_bottom"},
        expect=None,
        why="the page's warning: two pair below a straight",
    ),
    Case(
        name="order: a six-high straight over A-2-3-4-5 is a foul",
        ruleset="gratis",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2h / 9s 9h 9c 6h 3c
            budi: Qs 8h 3d / 6s 5h 4h 3h 2c / As 2s 3s 4s 5d""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect=None,
        why="the ace plays low",
    ),
    Case(
        name="order: both borders wrong",
        ruleset="gratis",
        seats=f"""
            {ANDI} / 9s 9c 9d As Ks
            budi: Qs Qh Qc / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4c""",
        duels=["foul: A"],
        foul={"budi": "both"},
        expect=None,
        why="trips over a pair over a high card",
    ),
    Case(
        name="order: two fouls",
        ruleset="gratis",
        seats="""
            andi: Kd Qh 2c / 8s 8h 8c 8d 2d / Jc Jd 7c 6h 2h
            budi: Qs Qc 3d / Js Jh 7d 5h 3h / Ah Kh Th 6c 4h""",
        duels=["both_foul"],
        foul={"andi": "middle_over_bottom", "budi": "both"},
        expect=None,
        why="no row is compared",
    ),
]

ROUNDS = [
    Case(
        name="all three rows draw",
        ruleset="gratis",
        seats="""
            andi: Ks 9d 4c / Qs Qc 8d 6c 3c / Ts 9c 8c 7d 6d
            budi: Kh 9s 4s / Qh Qd 8s 6s 3s / Th 9h 8h 7s 6h""",
        duels=["=.draw =.draw =.draw"],
        expect=None,
        why="suits play no part",
    ),
    Case(
        name="all three rows won is no sweep",
        ruleset="gratis",
        seats="""
            andi: Qs 8h 3d / Tc Td 7h 5s 2c / Ks Kh 6h 4h 3s
            budi: Kd 8c 4d / Jc Jd 7c 5h 2h / As Ah 6s 4s 3c""",
        duels=["B.ranks B.ranks B.ranks"],
        expect=None,
        why="row winners only",
    ),
    Case(
        name="bonus hands earn nothing",
        ruleset="gratis",
        seats=f"""
            {BONUSES}
            budi: Kd Qh 2c / 8h 8c 6d 6h 2d / Jc Jd Js 7c 2h""",
        duels=["A.hand A.hand A.hand"],
        expect=None,
        why="there are no points",
    ),
    Case(
        name="three players, one foul",
        ruleset="gratis",
        seats=f"{THREE_ROWS}\n{ONE_LESS}\n{FOUL_BOTH}",
        duels=["A.ranks B.ranks A.hand", "foul: A", "foul: B"],
        foul={"cinta": "both"},
        expect=None,
        why="the foul player loses all rows to both",
    ),
    Case(
        name="three players, everybody beaten in all rows by one",
        ruleset="gratis",
        seats=f"{SWEEPER}\n{SWEPT}\n{SWEPT_TOO}",
        duels=["A.ranks A.ranks A.hand", "A.ranks A.ranks A.hand", "B.ranks B.ranks C.ranks"],
        expect=None,
        why="no sweep and no clean sweep",
    ),
    Case(
        name="four players",
        ruleset="gratis",
        seats=f"{SWEEPER}\n{SWEPT}\n{SWEPT_TOO}\n{ONE_ROW_BETTER}",
        duels=[
            "A.ranks A.ranks A.hand",
            "A.ranks A.ranks A.hand",
            "A.ranks A.hand D.hand",
            "B.ranks B.ranks C.ranks",
            "B.ranks B.hand D.hand",
            "D.ranks C.hand D.hand",
        ],
        expect=None,
        why="six duels",
    ),
    Case(
        name="four players, two fouls",
        ruleset="gratis",
        seats=f"{THREE_ROWS}\n{ONE_LESS}\n{FOUL_BOTH}\n{FOUL_TOP}",
        duels=["A.ranks B.ranks A.hand", "foul: A", "foul: A", "foul: B", "foul: B", "both_foul"],
        foul={"cinta": "both", "dita": "top_over_middle"},
        expect=None,
        why="no row is compared between the two fouls",
    ),
    Case(
        name="a dragon is no special here",
        ruleset="gratis",
        seats="""
            andi: As Kc Qd / 2s 3h 4d 5c 6s / 7h 8d 9c Ts Jh
            budi: Kd 8c 4h / Tc Td 7s 5s 2c / 9s 9h 9d 6h Js""",
        duels=["A.ranks A.hand A.hand"],
        expect=None,
        why="rows like any other, nothing to declare",
    ),
]

CASES = [*ORDER[:2], *COMPARISONS, *ORDER[2:], *ROUNDS]
