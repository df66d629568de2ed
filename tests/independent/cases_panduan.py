"""Rounds under panduan, with what must come out, worked out by hand."""

from .cases import ANDI, BOTTOMS, DUELS, Case
from .cases_bsfyi import (
    BONUSES,
    DRAGON,
    DRAGON_ROWS,
    DRAGON_TOO,
    EXAMPLE,
    EXAMPLE_LOSER,
    FOUL_BOTH,
    FOUL_TOP,
    ONE_LESS,
    ONE_ROW_BETTER,
    ROWS_OF_BUDI,
    ROWS_OF_CINTA,
    SWEEPER,
    SWEPT,
    SWEPT_AS_WELL,
    SWEPT_FOUL,
    SWEPT_TOO,
    THREE_ROWS,
)

COMPARISONS = [
    *(bottom.case("panduan") for bottom in BOTTOMS),
    *(duel.case("panduan") for duel in DUELS),
]

ROWS_COMPARED = [
    Case(
        name="top: pairs of kings, as on the page",
        ruleset="panduan",
        seats="""
            andi: Ks Kd 2c / Td Tc 9d 9c 5s / 8s 8h 8c 6d 3s
            budi: Kh Kc Qc / Jd Jc 7d 7c 5h / As Ah Qd Qs 4h""",
        duels=["A.suit B.ranks A.hand"],
        expect={"andi": 1, "budi": -1},
        why="+1 - 1 + 1: the king of spades; budi's queen beside the kings means nothing",
    ),
    Case(
        name="middle: two pair as on the page, jacks and sevens over tens and nines",
        ruleset="panduan",
        seats="""
            andi: Kd 8c 4d / Jc Jd 7h 7c 5s / 6s 6h 6c Kh 3s
            budi: Ad 8h 3d / Tc Td 9h 9c As / Qs Qh 4s 4h 2c""",
        duels=["B.ranks A.ranks A.hand"],
        expect={"andi": 1, "budi": -1},
        why="-1 + 1 + 1",
    ),
    Case(
        name="middle: flushes of two suits, the spades lower in ranks",
        ruleset="panduan",
        seats="""
            andi: Kd 8c 4d / 8s 7s 5s 4s 2s / 6d 6h 6c 9d 9c
            budi: Qc Jd 3d / Ah Kh Qh 5h 3h / Th Tc Td Ks Kc""",
        duels=["A.ranks A.suit B.ranks"],
        expect={"andi": 1, "budi": -1},
        why="+1 + 1 - 1: any spade flush beats any heart flush",
    ),
]

ORDER = [
    Case(
        name="order: a spade flush in the middle over a heart flush at the bottom is a foul",
        ruleset="panduan",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2c / Qc Qd Qh 6c 6d
            budi: Qs 8h 3d / Ks Js 9s 7s 4s / Ah Jh 9h 5h 3h""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect={"andi": 12, "budi": -12},
        why="3 x 4, no bonus: suits come first and spades are over hearts",
    ),
    Case(
        name="order: a heart flush in the middle under a spade flush of lower cards is in order",
        ruleset="panduan",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2c / Qc Qd Qh 6c 6d
            budi: Qs 8h 3d / Ah Jh 9h 5h 3h / Ks Js 9s 7s 4s""",
        duels=["A.ranks B.hand A.hand"],
        expect={"andi": 1, "budi": -1},
        why="+1 - 1 + 1",
    ),
    Case(
        name="order: two flushes of one suit go by their cards",
        ruleset="panduan",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2c / Qc Qd Qh 6c 6d
            budi: As Jc 3d / Kh Th 9h 8h 4h / Ah Jh 6h 5h 3h""",
        duels=["B.ranks B.hand A.hand"],
        expect={"andi": -1, "budi": 1},
        why="-1 - 1 + 1: ace-high hearts over king-high hearts",
    ),
    Case(
        name="order: eights on top with the spade over eights in the middle are a foul",
        ruleset="panduan",
        seats="""
            andi: Kd 7c 4d / Tc Td 7h 5s 2c / 9s 9h 9c As Js
            budi: 8s 8d 2d / 8h 8c Ah Kh 5h / Qs Qh Jc Jd 3d""",
        duels=["foul: A"],
        foul={"budi": "top_over_middle"},
        expect={"andi": 12, "budi": -12},
        why="3 x 4: the kickers count nothing, the eight of spades decides",
    ),
    Case(
        name="order: eights on top under eights in the middle with the spade are in order",
        ruleset="panduan",
        seats="""
            andi: Kd 7c 4d / Tc Td 7h 5s 2c / 9s 9h 9c As Js
            budi: 8h 8c Ah / 8s 8d 5h 4h 2d / Qs Qh Jc Jd 3d""",
        duels=["B.hand A.ranks A.hand"],
        expect={"andi": 1, "budi": -1},
        why="-1 + 1 + 1: the ace beside the eights on top counts nothing",
    ),
    Case(
        name="order: straights alike, the better top card in the middle is a foul",
        ruleset="panduan",
        seats=f"""
            {ANDI} / Ah Kh Jh Th 2h
            budi: Qs 8h 3d / 9s 8s 7s 6s 5d / 9h 8d 7d 6h 5c""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect={"andi": 12, "budi": -12},
        why="3 x 4: nine of spades over nine of hearts",
    ),
    Case(
        name="order: straights alike, the better top card at the bottom is in order",
        ruleset="panduan",
        seats=f"""
            {ANDI} / Ah Kh Jh Th 2h
            budi: Qs 8h 3d / 9h 8d 7d 6h 5c / 9s 8s 7s 6s 5d""",
        duels=["A.ranks B.hand A.hand"],
        expect={"andi": 1, "budi": -1},
        why="+1 - 1 + 1",
    ),
    Case(
        name="order: two pair of the same higher rank, the spade in the middle is a foul",
        ruleset="panduan",
        seats="""
            andi: Ad 8c 4d / Tc Td 7h 5s 2s / 9s 9h 9c As Js
            budi: Jc 8h 3d / Ks Kd 2h 2c 5h / Kh Kc Qd Qc 6h""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect={"andi": 12, "budi": -12},
        why="3 x 4: the queens are never looked at, the king of spades is in the middle",
    ),
    Case(
        name="order: top and middle wrong, middle and bottom wrong",
        ruleset="panduan",
        seats=f"""
            {ANDI} / 9s 9c 9d As Ks
            budi: Qs Qh Qc / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4c""",
        duels=["foul: A"],
        foul={"budi": "both"},
        expect={"andi": 12, "budi": -12},
        why="3 x 4",
    ),
]

SWEEPS = [
    Case(
        name="worked example 1: tembus, the bonuses are added",
        ruleset="panduan",
        seats=f"{EXAMPLE}\n{EXAMPLE_LOSER}",
        duels=["sweep: A.ranks A.ranks A.hand"],
        expect={"andi": 16, "budi": -16},
        why="3 x 2 + (3 + 7) = 16",
    ),
    Case(
        name="tembus: trips on top",
        ruleset="panduan",
        seats="""
            andi: 4s 4h 4d / Tc 9d 8c 7d 6s / Ah Kh Jh 8h 2h
            budi: As Kd Qc / 9s 8d 7c 6h 5s / Kc Qd Jd Ts 9c""",
        duels=["sweep: A.hand A.ranks A.hand"],
        expect={"andi": 11, "budi": -11},
        why="3 x 2 + 5 = 11",
    ),
    Case(
        name="tembus: plain rows, by the second seat",
        ruleset="panduan",
        seats="""
            andi: Qs 8h 3d / Tc Td 7h 5s 2c / Ks Kh 6h 4h 3s
            budi: Kd 8c 4d / Jc Jd 7c 5h 2h / As Ah 6s 4s 3c""",
        duels=["sweep: B.ranks B.ranks B.ranks"],
        expect={"andi": -6, "budi": 6},
        why="3 x 2",
    ),
    Case(
        name="tembus: a bonus in every row",
        ruleset="panduan",
        seats=f"""
            {BONUSES}
            budi: Kd Qh 2c / 8h 8c 6d 6h 2d / Jc Jd Js 7c 2h""",
        duels=["sweep: A.hand A.hand A.hand"],
        expect={"andi": 21, "budi": -21},
        why="3 x 2 + (5 + 3 + 7) = 21",
    ),
    Case(
        name="tembus: the loser's bonus hands earn nothing",
        ruleset="panduan",
        seats="""
            andi: Kd Jd 6h / Ah Kh Qh Jh Th / As Ks Qs Js Ts
            budi: Qd Jc 7h / 8d 7d 6d 5d 4d / 9c 8c 7c 6c 5c""",
        duels=["sweep: A.ranks A.hand A.hand"],
        expect={"andi": 39, "budi": -39},
        why="3 x 2 + (22 + 11) = 39",
    ),
    Case(
        name="tembus keliling: none at a table of three",
        ruleset="panduan",
        seats=f"{SWEEPER}\n{SWEPT}\n{SWEPT_TOO}",
        duels=[
            "sweep: A.ranks A.ranks A.hand",
            "sweep: A.ranks A.ranks A.hand",
            "B.ranks B.ranks C.ranks",
        ],
        expect={"andi": 12, "budi": -5, "cinta": -7},
        why="andi 6 + 6; budi -6 + 1; cinta -6 - 1",
    ),
    Case(
        name="tembus keliling: four players",
        ruleset="panduan",
        seats=f"{SWEEPER}\n{SWEPT}\n{SWEPT_TOO}\n{SWEPT_AS_WELL}",
        duels=[
            "clean_sweep: A.ranks A.ranks A.hand",
            "clean_sweep: A.ranks A.ranks A.hand",
            "clean_sweep: A.ranks A.hand A.hand",
            "B.ranks B.ranks C.ranks",
            "D.ranks B.hand D.hand",
            "D.ranks C.hand D.hand",
        ],
        clean_sweep=["andi"],
        expect={"andi": 36, "budi": -12, "cinta": -14, "dita": -10},
        why="andi 3 x 4 from each; budi -12 + 1 - 1; cinta -12 - 1 - 1; dita -12 + 1 + 1",
    ),
    Case(
        name="tembus keliling: with bonuses, and tembus among the others",
        ruleset="panduan",
        seats=f"""
            {EXAMPLE}
            {EXAMPLE_LOSER}
            cinta: Jh 9c 2c / Qd Qc 8c 5h 3h / Kd Kc 6s 6h 5c
            dita: Jd Ts 2s / 4h 4d 5s 3s 2h / 7h 7d 6c 6d 3d""",
        duels=[
            "clean_sweep: A.ranks A.ranks A.hand",
            "clean_sweep: A.hand A.hand A.hand",
            "clean_sweep: A.hand A.hand A.hand",
            "sweep: B.hand B.hand B.hand",
            "sweep: B.hand B.hand B.hand",
            "D.ranks C.ranks C.ranks",
        ],
        clean_sweep=["andi"],
        expect={"andi": 66, "budi": -4, "cinta": -30, "dita": -32},
        why="andi 3 x 4 + 10 from each; budi -22 + 9 + 9; cinta -22 - 9 + 1; dita -22 - 9 - 1",
    ),
    Case(
        name="tembus keliling: two of three swept is none",
        ruleset="panduan",
        seats=f"{SWEEPER}\n{SWEPT}\n{SWEPT_TOO}\n{ONE_ROW_BETTER}",
        duels=[
            "sweep: A.ranks A.ranks A.hand",
            "sweep: A.ranks A.ranks A.hand",
            "A.ranks A.hand D.hand",
            "B.ranks B.ranks C.ranks",
            "B.ranks B.hand D.hand",
            "D.ranks C.hand D.hand",
        ],
        expect={"andi": 13, "budi": -4, "cinta": -8, "dita": -1},
        why="andi 6 + 6 + 1; budi -6 + 1 + 1; cinta -6 - 1 - 1; dita -1 - 1 + 1",
    ),
]

PAO = [
    Case(
        name="pao: two players, no bonus",
        ruleset="panduan",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2c / 9s 9h 9c As Js
            budi: Qs Qh 3d / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4h""",
        duels=["foul: A"],
        foul={"budi": "top_over_middle"},
        expect={"andi": 12, "budi": -12},
        why="3 x 4",
    ),
    Case(
        name="pao: the other's bonuses are added, the own ones never",
        ruleset="panduan",
        seats=f"""
            {BONUSES}
            budi: Kd Qh 2c / 8s 8h 8c 8d 2d / Jc Jd 7c 6h 2h""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect={"andi": 27, "budi": -27},
        why="3 x 4 + (5 + 3 + 7) = 27",
    ),
    Case(
        name="pao: the first seat fouls",
        ruleset="panduan",
        seats=f"""
            budi: Kd Qh 2c / 8s 8h 8c 8d 2d / Jc Jd 7c 6h 2h
            {BONUSES}""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect={"andi": 27, "budi": -27},
        why="3 x 4 + (5 + 3 + 7) = 27",
    ),
    Case(
        name="pao: two of them draw",
        ruleset="panduan",
        seats="""
            andi: Kd Qh 2c / 8s 8h 8c 8d 2d / Jc Jd 7c 6h 2h
            budi: Qs Qc 3d / Js Jh 7d 5h 3h / Ah Kh Th 6c 4h""",
        duels=["both_foul"],
        foul={"andi": "middle_over_bottom", "budi": "both"},
        expect={"andi": 0, "budi": 0},
        why="0",
    ),
    Case(
        name="worked example 4: two of three pao",
        ruleset="panduan",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2c / 9s 9h 9c As Js
            budi: Qs Qh 3d / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4h
            cinta: Ac Ad Qd / 6s 6d 4s 3s 2s / Th 9d 8s 7s 5c""",
        duels=["foul: A", "foul: A", "both_foul"],
        foul={"budi": "top_over_middle", "cinta": "both"},
        expect={"andi": 24, "budi": -12, "cinta": -12},
        why="3 x 4 from each, though a table of three has no tembus keliling",
    ),
    Case(
        name="pao: one of three, the others are compared",
        ruleset="panduan",
        seats=f"{THREE_ROWS}\n{ONE_LESS}\n{FOUL_BOTH}",
        duels=["A.ranks B.ranks A.hand", "foul: A", "foul: B"],
        foul={"cinta": "both"},
        expect={"andi": 13, "budi": 11, "cinta": -24},
        why="andi 1 + 12; budi -1 + 12; cinta -12 - 12",
    ),
    Case(
        name="pao: three of four, a tembus keliling",
        ruleset="panduan",
        seats=f"""
            {THREE_ROWS}
            budi: Ks Kh 3d / Jc Jd 7c 5h 2h / Qs 8h 6h 6c Ac
            {FOUL_BOTH}
            {FOUL_TOP}""",
        duels=["foul: A", "foul: A", "foul: A", "both_foul", "both_foul", "both_foul"],
        foul={"budi": "both", "cinta": "both", "dita": "top_over_middle"},
        clean_sweep=["andi"],
        expect={"andi": 36, "budi": -12, "cinta": -12, "dita": -12},
        why="3 x 4 from each",
    ),
    Case(
        name="pao: two of four count to a tembus keliling over the third",
        ruleset="panduan",
        seats=f"""
            {SWEEPER}
            {SWEPT}
            {SWEPT_FOUL}
            dita: Qc Qd 5d / Qh Th 7d 6c 4c / Ad Kc Js Ts 3s""",
        duels=[
            "clean_sweep: A.ranks A.ranks A.hand",
            "foul: A",
            "foul: A",
            "foul: B",
            "foul: B",
            "both_foul",
        ],
        foul={"cinta": "both", "dita": "top_over_middle"},
        clean_sweep=["andi"],
        expect={"andi": 36, "budi": 12, "cinta": -24, "dita": -24},
        why="andi 12 + 12 + 12; budi -12 + 12 + 12; cinta and dita -12 - 12",
    ),
    Case(
        name="pao: costs x 4 where a plain tembus costs x 2",
        ruleset="panduan",
        seats=f"{SWEEPER}\n{SWEPT}\n{SWEPT_FOUL}\n{ONE_ROW_BETTER}",
        duels=[
            "sweep: A.ranks A.ranks A.hand",
            "foul: A",
            "A.ranks A.hand D.hand",
            "foul: B",
            "B.ranks B.hand D.hand",
            "foul: D",
        ],
        foul={"cinta": "both"},
        expect={"andi": 19, "budi": 7, "cinta": -36, "dita": 10},
        why="andi 6 + 12 + 1; budi -6 + 12 + 1; cinta -12 x 3; dita -1 - 1 + 12",
    ),
]

DRAGONS = [
    Case(
        name="dragon: found without being declared",
        ruleset="panduan",
        seats=f"""
            andi: {DRAGON_ROWS}
            {ROWS_OF_BUDI}
            {ROWS_OF_CINTA}""",
        duels=["special", "special", "B.ranks C.ranks B.hand"],
        special={"andi": "dragon"},
        expect={"andi": 416, "budi": -207, "cinta": -209},
        why="andi 208 from each; budi -208 + 1; cinta -208 - 1",
    ),
    Case(
        name="dragon: found though its rows are out of order",
        ruleset="panduan",
        seats=f"""
            andi: As Kc Qd / Jh Ts 9c 8d 6s / 2s 3h 4d 5c 7h
            {ROWS_OF_BUDI}""",
        duels=["special"],
        special={"andi": "dragon"},
        expect={"andi": 208, "budi": -208},
        why="208 and no pao",
    ),
    Case(
        name="dragon: declared, without rows",
        ruleset="panduan",
        seats=f"""
            {ROWS_OF_BUDI}
            cinta declare dragon: {DRAGON}""",
        duels=["special"],
        expect={"budi": -208, "cinta": 208},
        why="208",
    ),
    Case(
        name="dragon: two of them, one declared, tie",
        ruleset="panduan",
        seats=f"""
            andi declare dragon: {DRAGON}
            budi: Ah Ks Qc / 2h 3d 4c 5s 6h / 7d 8c 9s Th Jd
            cinta: Kd Jc 4h / Tc Td 7c 5d 2c / 9h 9d 8s 8h 3s""",
        duels=["special_tie", "special", "special"],
        special={"budi": "dragon"},
        expect={"andi": 208, "budi": 208, "cinta": -416},
        why="0 between the dragons, 208 from cinta to each",
    ),
    Case(
        name="dragon: a pao pays it 208 and no more",
        ruleset="panduan",
        seats="""
            andi: As Kc Qd / 2s 3h 4d 5c 6s / 7h 8d 9c Ts Jh
            budi: Kd Kh 8c / Tc Td 7s 5s 2c / 9s 9h 9d 6h Js
            cinta: Qs 8h 3d / Jc Jd 7c 5h 2h / Ks Ad 6d 6c 3s""",
        duels=["special", "special", "both_foul"],
        foul={"budi": "top_over_middle", "cinta": "middle_over_bottom"},
        special={"andi": "dragon"},
        expect={"andi": 416, "budi": -208, "cinta": -208},
        why="208 from each, 0 between the two pao",
    ),
    Case(
        name="dragon: no tembus keliling at its table",
        ruleset="panduan",
        seats=f"""
            {SWEEPER}
            {SWEPT}
            cinta: Th 4h 3h / Jh 7s 6c 5c 2s / Ah Ac Qh Qc 8c
            dita declare dragon: Ad Kc Qd Js Ts 9d 8d 7d 6d 5d 4c 3s 2d""",
        duels=[
            "sweep: A.ranks A.ranks A.hand",
            "sweep: A.ranks A.hand A.hand",
            "special",
            "B.ranks B.hand C.hand",
            "special",
            "special",
        ],
        expect={"andi": -196, "budi": -213, "cinta": -215, "dita": 624},
        why="andi 6 + 6 - 208; budi -6 + 1 - 208; cinta -6 - 1 - 208; dita 208 x 3",
    ),
    Case(
        name="dragon: six pairs are no special here",
        ruleset="panduan",
        seats="""
            andi: 2s 2h Kd / 6s 6h 4s 4h Qs / Ts Th 8s 8h Qh
            budi: Kc 9c 3c / Tc Td 7s 5s 2c / As Ah 9d 6c Js""",
        duels=["sweep: A.hand A.hand A.hand"],
        expect={"andi": 6, "budi": -6},
        why="3 x 2, and nothing could have been declared",
    ),
    Case(
        name="dragon: thirteen of a suit are one",
        ruleset="panduan",
        seats="""
            andi: 4s 3s 2s / 9s 8s 7s 6s 5s / As Ks Qs Js Ts
            budi: Kd 8c 4h / Tc Td 7h 5h 2c / 9d 9h 9c 6h Jd""",
        duels=["special"],
        special={"andi": "dragon"},
        expect={"andi": 208, "budi": -208},
        why="208",
    ),
    Case(
        name="dragon: twelve ranks and a pair are none",
        ruleset="panduan",
        seats="""
            andi: As Ac Qd / 2s 3h 4d 5c 6s / 7h 8d 9c Ts Jh
            budi: Kd 8c 4h / Tc Td 7s 5s 2c / 9s 9h 9d 6h Js""",
        duels=["sweep: A.hand A.hand A.hand"],
        expect={"andi": 6, "budi": -6},
        why="3 x 2: the king is missing",
    ),
]

MONEY = [
    Case(
        name="money: the page's example as the bottom row of four players",
        ruleset="panduan",
        seats="""
            andi: Qh Jd 6c / 9h 9c 8s 5h 4s / Js Jh Jc 3s 3h
            budi: Kc 8c 3c / Tc Td 7s 4c 2c / Kh Th 8h 6h 2h
            cinta: Ah Ts 6d / Qs Qd 7h 4h 2s / 9s 8d 7c 6s 5d
            dita: Ac Qc 5s / Ks Kd 7d 4d 2d / As Ad 9d 5c 3d""",
        duels=[
            "B.ranks B.ranks A.hand",
            "C.ranks C.ranks A.hand",
            "D.ranks D.ranks A.hand",
            "C.ranks C.ranks B.hand",
            "D.ranks D.ranks B.hand",
            "D.ranks D.ranks C.hand",
        ],
        hands={
            "andi": "high_card/pair/full_house",
            "budi": "high_card/pair/flush",
            "cinta": "high_card/pair/straight",
            "dita": "high_card/pair/pair",
        },
        expect={"andi": -3, "budi": -1, "cinta": 1, "dita": 3},
        stake=100,
        money={
            "andi": (-300, 0, -300),
            "budi": (-100, 0, -100),
            "cinta": (100, 3, 97),
            "dita": (300, 9, 291),
        },
        why="bottom row +3, +1, -1, -3 (300, 100, -100, -300), each other row the reverse",
    ),
    Case(
        name="money: the fee is three per cent of what was won",
        ruleset="panduan",
        seats=f"{EXAMPLE}\n{EXAMPLE_LOSER}",
        duels=["sweep: A.ranks A.ranks A.hand"],
        expect={"andi": 16, "budi": -16},
        stake=100,
        money={"andi": (1600, 48, 1552), "budi": (-1600, 0, -1600)},
        why="16 x 100 = 1600, fee 48",
    ),
    Case(
        name="money: a fee of less than one is none",
        ruleset="panduan",
        seats=f"""
            {ANDI} / Ah Kh Jh Th 2h
            budi: Qs 8h 3d / 9h 8d 7d 6h 5c / 9s 8s 7s 6s 5d""",
        duels=["A.ranks B.hand A.hand"],
        expect={"andi": 1, "budi": -1},
        stake=33,
        money={"andi": (33, 0, 33), "budi": (-33, 0, -33)},
        why="+1 - 1 + 1; 33 x 3 % = 0.99",
    ),
    Case(
        name="money: a fee is rounded down",
        ruleset="panduan",
        seats=f"{EXAMPLE}\n{EXAMPLE_LOSER}",
        duels=["sweep: A.ranks A.ranks A.hand"],
        expect={"andi": 16, "budi": -16},
        stake=33,
        money={"andi": (528, 15, 513), "budi": (-528, 0, -528)},
        why="16 x 33 = 528; 528 x 3 % = 15.84, so 15",
    ),
    Case(
        name="money: each winner pays a fee of their own",
        ruleset="panduan",
        seats=f"{THREE_ROWS}\n{ONE_LESS}\n{FOUL_BOTH}",
        duels=["A.ranks B.ranks A.hand", "foul: A", "foul: B"],
        foul={"cinta": "both"},
        expect={"andi": 13, "budi": 11, "cinta": -24},
        stake=7,
        money={"andi": (91, 2, 89), "budi": (77, 2, 75), "cinta": (-168, 0, -168)},
        why="91 x 3 % = 2.73, 77 x 3 % = 2.31; 89 + 75 + 2 + 2 = 168",
    ),
    Case(
        name="money: no points, no money, no fee",
        ruleset="panduan",
        seats=f"""
            andi declare dragon: {DRAGON}
            budi declare dragon: {DRAGON_TOO}""",
        duels=["special_tie"],
        expect={"andi": 0, "budi": 0},
        stake=100,
        money={"andi": (0, 0, 0), "budi": (0, 0, 0)},
        why="two dragons, 0",
    ),
    Case(
        name="money: a dragon's fee",
        ruleset="panduan",
        seats=f"""
            {ROWS_OF_BUDI}
            cinta declare dragon: {DRAGON}""",
        duels=["special"],
        expect={"budi": -208, "cinta": 208},
        stake=1,
        money={"budi": (-208, 0, -208), "cinta": (208, 6, 202)},
        why="208 x 3 % = 6.24, so 6",
    ),
    Case(
        name="toto is another name for the same rules",
        ruleset="toto",
        seats=f"{EXAMPLE}\n{EXAMPLE_LOSER}",
        duels=["sweep: A.ranks A.ranks A.hand"],
        expect={"andi": 16, "budi": -16},
        stake=250,
        money={"andi": (4000, 120, 3880), "budi": (-4000, 0, -4000)},
        why="3 x 2 + (3 + 7) = 16; 4000 x 3 % = 120",
    ),
]

CASES = [*COMPARISONS, *ROWS_COMPARED, *ORDER, *SWEEPS, *PAO, *DRAGONS, *MONEY]
