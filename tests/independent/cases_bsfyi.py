"""Rounds under bsfyi, with what must come out, worked out by hand."""

from .cases import ANDI, BOTTOMS, DUELS, Case

# The same three players in several rounds: andi beats budi and cinta in all rows, each worth 1;
# budi beats cinta two rows to one.
SWEEPER = "andi: As Kd 4d / Jc Jd 7c 5h 2h / 9s 9h 9c 6s 3c"
SWEPT = "budi: Qs 8h 3d / Tc Td 7h 5s 2c / Ks Kh 8s 6h 4s"
SWEPT_TOO = "cinta: Jh 9d 2d / 8c 8d 7s 5c 3h / Ah Ac 4h 6d 2s"
SWEPT_FOUL = "cinta: Ah Ac 9d / 8c 8d 7s 5c 3h / Jh 6d 4h 2d 2s"
ONE_ROW_BETTER = "dita: Qd 5d 4c / Qh Th 7d 6c 3s / Ad Kc Qc Js Ts"
SWEPT_AS_WELL = "dita: Kc Qc 3s / Ad Js 6c 5d 4c / Qh Qd Ts Th 7d"
# andi beats budi two rows to one; cinta and dita foul.
THREE_ROWS = "andi: Kd 8c 4d / Tc Td 7h 5s 2c / 9s 9h 9c As Js"
ONE_LESS = "budi: Qs 8h 3d / Jc Jd 7c 5h 2h / Ks Kh 6h 6c Ac"
FOUL_BOTH = "cinta: Ah Ad Qd / 6s 6d 4s 3s 2s / Th 9d 8s 7s 5c"
FOUL_TOP = "dita: Qh Qc Kc / Jh Ts 8d 7d 5d / 4h 4c 3h 3c 2d"
BONUSES = "andi: 5s 5h 5d / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c"
# The first worked example.
EXAMPLE = "andi: Ks Kh 2d / 9s 9h 9d 4c 4s / As Ac Ad Ah 3c"
EXAMPLE_LOSER = "budi: Qs Qh 5d / 8s 8h 8d 7c 7s / Tc Td Th Jc Js"

DRAGON = "2s 3h 4d 5c 6s 7h 8d 9c Ts Jh Qd Kc As"
DRAGON_ROWS = "As Kc Qd / 2s 3h 4d 5c 6s / 7h 8d 9c Ts Jh"
DRAGON_TOO = "2h 3d 4c 5s 6h 7d 8c 9s Th Jd Qc Ks Ah"
SIX_PAIRS = "2s 2h 4s 4h 6s 6h 8s 8h Ts Th Qs Qh Kd"
SIX_PAIRS_TOO = "2c 2d 4c 4d 6c 6d 8c 8d Tc Td Qc Qd Ks"
STRAIGHTS = "3c 4c 5d 6d 7c 9d Tc Jd Qc Kc Ac 2c 3d"
STRAIGHTS_TOO = "3s 4s 5h 6h 7s 9h Ts Jh Qs Ks As 2s 3h"
SPADES_AND_HEARTS = "2s 4s 6s 8s Ts 3h 5h 7h 9h Jh Qs Ks As"
ALL_SPADES = "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As"

COMPARISONS = [
    *(bottom.case("bsfyi") for bottom in BOTTOMS),
    *(duel.case("bsfyi") for duel in DUELS),
]

ORDER = [
    Case(
        name="order: top Q-Q-9 under middle Q-Q-9-5-2 is in order",
        ruleset="bsfyi",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2h / 7s 7c 7d As Ad
            budi: Qs Qh 9d / Qd Qc 9s 5h 2c / Ah Kh 8h 6h 4h""",
        duels=["B.hand B.ranks A.hand"],
        expect={"andi": -1, "budi": 1},
        why="-1 - 1 + 1: the middle matches all three cards and has two left",
    ),
    Case(
        name="order: top Q-Q-9 over middle Q-Q-8-5-2 is a foul",
        ruleset="bsfyi",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2h / 7s 7c 7d As Ad
            budi: Qs Qh 9d / Qd Qc 8s 5h 2c / Ah Kh 8h 6h 4h""",
        duels=["foul: A"],
        foul={"budi": "top_over_middle"},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2",
    ),
    Case(
        name="order: top Q-Q-9 under middle Q-Q-T-3-2 is in order",
        ruleset="bsfyi",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2h / 7s 7c 7d As Ad
            budi: Qs Qh 9d / Qd Qc Ts 3h 2c / Ah Kh 8h 6h 4h""",
        duels=["B.hand B.ranks A.hand"],
        expect={"andi": -1, "budi": 1},
        why="-1 - 1 + 1: the ten is over the nine",
    ),
    Case(
        name="order: top A-K-Q over middle A-K-J-T-9 is a foul",
        ruleset="bsfyi",
        seats="""
            andi: Jd 8d 4d / Tc Td 7h 5s 2h / 7s 7c 6d 6h Js
            budi: As Kd Qc / Ah Kc Jc Th 9c / 9s 9h 8c 7d 4s""",
        duels=["foul: A"],
        foul={"budi": "top_over_middle"},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2: queen over jack as the third card",
    ),
    Case(
        name="order: suits make no foul, the middle straight has the better top card",
        ruleset="bsfyi",
        seats=f"""
            {ANDI} / Ah Kh Jh Th 2h
            budi: Qs 8h 3d / 9s 8s 7s 6s 5d / 9h 8d 7d 6h 5c""",
        duels=["A.ranks B.hand A.hand"],
        expect={"andi": 1, "budi": -1},
        why="+1 - 1 + 1: nine-high over nine-high is equally strong",
    ),
    Case(
        name="order: a spade flush under a heart flush of higher cards is in order",
        ruleset="bsfyi",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2c / Qc Qd Qh 6c 6d
            budi: Qs 8h 3d / Ks Js 9s 7s 4s / Ah Jh 9h 5h 3h""",
        duels=["A.ranks B.hand A.hand"],
        expect={"andi": 1, "budi": -1},
        why="+1 - 1 + 1: ace high is over king high, whatever the suits",
    ),
    Case(
        name="order: a pair on top over a lower pair in the middle is a foul",
        ruleset="bsfyi",
        seats=f"""
            {ANDI} / 9s 9c 9d As Ks
            budi: Qs Qh 3d / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4h""",
        duels=["foul: A"],
        foul={"budi": "top_over_middle"},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2",
    ),
    Case(
        name="order: three of a kind on top over two pair is a foul and earns nothing",
        ruleset="bsfyi",
        seats=f"""
            {ANDI} / 9s 9c 9d As Ks
            budi: 4s 4h 4c / Jc Jd 7c 7d 2h / Ah Kh 8h 6h 3h""",
        duels=["foul: A"],
        foul={"budi": "top_over_middle"},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2, nothing for the threes on top",
    ),
    Case(
        name="order: a six-high straight over A-2-3-4-5 is a foul",
        ruleset="bsfyi",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2h / 9s 9h 9c 6h 3c
            budi: Qs 8h 3d / 6s 5h 4h 3h 2c / As 2s 3s 4s 5d""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2: the ace plays low",
    ),
    Case(
        name="order: both borders wrong",
        ruleset="bsfyi",
        seats=f"""
            {ANDI} / 9s 9c 9d As Ks
            budi: Qs Qh Qc / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4c""",
        duels=["foul: A"],
        foul={"budi": "both"},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2",
    ),
]

FOULS = [
    Case(
        name="foul: the winner's bonuses count, the foul player's do not",
        ruleset="bsfyi",
        seats=f"""
            {BONUSES}
            budi: Kd Qh 2c / 8s 8h 8c 8d 2d / Jc Jd 7c 6h 2h""",
        duels=["foul: A"],
        foul={"budi": "middle_over_bottom"},
        expect={"andi": 30, "budi": -30},
        why="(5 + 3 + 7) x 2",
    ),
    Case(
        name="foul: the first seat fouls",
        ruleset="bsfyi",
        seats="""
            andi: Qs Qh 3d / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4h
            budi: Kd 8c 4d / Tc Td 7h 5s 2c / 9s 9c 9d As Ks""",
        duels=["foul: B"],
        foul={"andi": "top_over_middle"},
        expect={"andi": -6, "budi": 6},
        why="(1 + 1 + 1) x 2",
    ),
    Case(
        name="foul: two foul players draw",
        ruleset="bsfyi",
        seats="""
            andi: Kd Qh 2c / 8s 8h 8c 8d 2d / Jc Jd 7c 6h 2h
            budi: Qs Qc 3d / Js Jh 7d 5h 3h / Ah Kh Th 6c 4h""",
        duels=["both_foul"],
        foul={"andi": "middle_over_bottom", "budi": "both"},
        expect={"andi": 0, "budi": 0},
        why="0: two fouls",
    ),
    Case(
        name="foul: three foul players draw",
        ruleset="bsfyi",
        seats=f"""
            andi: Kd Kh 2c / 8c 8h 7h 5s 4d / 9s 9h 9c As Js
            {FOUL_BOTH.replace("cinta", "budi")}
            {FOUL_TOP.replace("dita", "cinta")}""",
        duels=["both_foul", "both_foul", "both_foul"],
        foul={"andi": "top_over_middle", "budi": "both", "cinta": "top_over_middle"},
        expect={"andi": 0, "budi": 0, "cinta": 0},
        why="0: nobody is in order",
    ),
    Case(
        name="foul: one of three fouls, the others are compared",
        ruleset="bsfyi",
        seats=f"""
            {THREE_ROWS}
            {ONE_LESS}
            {FOUL_BOTH}""",
        duels=["A.ranks B.ranks A.hand", "foul: A", "foul: B"],
        foul={"cinta": "both"},
        expect={"andi": 7, "budi": 5, "cinta": -12},
        why="andi 1 + 3 x 2; budi -1 + 3 x 2; cinta -6 - 6",
    ),
    Case(
        name="foul: two of four foul",
        ruleset="bsfyi",
        seats=f"""
            {THREE_ROWS}
            {ONE_LESS}
            {FOUL_BOTH}
            {FOUL_TOP}""",
        duels=["A.ranks B.ranks A.hand", "foul: A", "foul: A", "foul: B", "foul: B", "both_foul"],
        foul={"cinta": "both", "dita": "top_over_middle"},
        expect={"andi": 13, "budi": 11, "cinta": -12, "dita": -12},
        why="andi 1 + 6 + 6; budi -1 + 6 + 6; cinta and dita -6 - 6, and 0 between them",
    ),
    Case(
        name="foul: three of four foul, a clean sweep",
        ruleset="bsfyi",
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
]

SWEEPS = [
    Case(
        name="worked example 1: a sweep with bonuses",
        ruleset="bsfyi",
        seats=f"{EXAMPLE}\n{EXAMPLE_LOSER}",
        duels=["sweep: A.ranks A.ranks A.hand"],
        expect={"andi": 22, "budi": -22},
        why="11 = 1 + 3 + 7, sweep x 2 = 22",
    ),
    Case(
        name="sweep: trips on top and two plain rows",
        ruleset="bsfyi",
        seats="""
            andi: 4s 4h 4d / Tc 9d 8c 7d 6s / Ah Kh Jh 8h 2h
            budi: As Kd Qc / 9s 8d 7c 6h 5s / Kc Qd Jd Ts 9c""",
        duels=["sweep: A.hand A.ranks A.hand"],
        could={"budi": ["three_straights"]},
        expect={"andi": 14, "budi": -14},
        why="(5 + 1 + 1) x 2",
    ),
    Case(
        name="sweep: by the second seat",
        ruleset="bsfyi",
        seats="""
            andi: Qs 8h 3d / Tc Td 7h 5s 2c / Ks Kh 6h 4h 3s
            budi: Kd 8c 4d / Jc Jd 7c 5h 2h / As Ah 6s 4s 3c""",
        duels=["sweep: B.ranks B.ranks B.ranks"],
        expect={"andi": -6, "budi": 6},
        why="(1 + 1 + 1) x 2, and no clean sweep at a table of two",
    ),
    Case(
        name="sweep: all three rows by suit",
        ruleset="bsfyi",
        seats="""
            andi: Ks 9d 4c / Qs Qc 8d 6c 3d / Ts 9c 8c 7d 6d
            budi: Kh 9s 4s / Qh Qd 8s 6s 3s / Th 9h 8h 7s 6h""",
        duels=["sweep: A.suit A.suit A.suit"],
        could={"andi": ["three_flushes"]},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2: the key card of each row is andi's spade",
    ),
    Case(
        name="sweep: two rows won and one lost is no sweep",
        ruleset="bsfyi",
        seats="""
            andi: Kd 8c 4d / Jc Jd 7h 5s 2c / As Ah 6s 4s 3c
            budi: Qs 8h 3d / Tc Td 7c 5h 2h / Ks Kh Kc 6h 4h""",
        duels=["A.ranks A.ranks B.hand"],
        expect={"andi": 1, "budi": -1},
        why="+1 + 1 - 1",
    ),
    Case(
        name="worked example 3: two of three swept is no clean sweep",
        ruleset="bsfyi",
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
    Case(
        name="clean sweep: three players",
        ruleset="bsfyi",
        seats=f"{SWEEPER}\n{SWEPT}\n{SWEPT_TOO}",
        duels=[
            "clean_sweep: A.ranks A.ranks A.hand",
            "clean_sweep: A.ranks A.ranks A.hand",
            "B.ranks B.ranks C.ranks",
        ],
        clean_sweep=["andi"],
        expect={"andi": 24, "budi": -11, "cinta": -13},
        why="andi 3 x 4 from each; budi -12 + 1; cinta -12 - 1",
    ),
    Case(
        name="clean sweep: by the last seat",
        ruleset="bsfyi",
        seats=f"{SWEPT}\n{SWEPT_TOO}\n{SWEEPER}",
        duels=[
            "B.ranks B.ranks C.ranks",
            "clean_sweep: A.ranks A.ranks A.hand",
            "clean_sweep: A.ranks A.ranks A.hand",
        ],
        clean_sweep=["andi"],
        expect={"andi": 24, "budi": -11, "cinta": -13},
        why="andi 3 x 4 from each; budi 1 - 12; cinta -1 - 12",
    ),
    Case(
        name="clean sweep: four players",
        ruleset="bsfyi",
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
        why="andi 12 + 12 + 12; budi -12 + 1 - 1; cinta -12 - 1 - 1; dita -12 + 1 + 1",
    ),
    Case(
        name="clean sweep: with bonuses, and a sweep among the others",
        ruleset="bsfyi",
        seats=f"""
            {EXAMPLE}
            {EXAMPLE_LOSER}
            cinta: Jh 9c 2c / Qd Qc 8c 5h 3h / Kd Kc 6s 6h 5c""",
        duels=[
            "clean_sweep: A.ranks A.ranks A.hand",
            "clean_sweep: A.hand A.hand A.hand",
            "sweep: B.hand B.hand B.hand",
        ],
        clean_sweep=["andi"],
        expect={"andi": 88, "budi": -34, "cinta": -54},
        why="andi (1 + 3 + 7) x 4 from each; budi -44 + (1 + 3 + 1) x 2; cinta -44 - 10",
    ),
    Case(
        name="worked example 4: two fouls of three count to a clean sweep",
        ruleset="bsfyi",
        seats="""
            andi: Kd 8c 4d / Tc Td 7h 5s 2c / 9s 9h 9c As Js
            budi: Qs Qh 3d / Jc Jd 7c 5h 2h / Ah Kh 8h 6h 4h
            cinta: Ac Ad Qd / 6s 6d 4s 3s 2s / Th 9d 8s 7s 5c""",
        duels=["foul: A", "foul: A", "both_foul"],
        foul={"budi": "top_over_middle", "cinta": "both"},
        clean_sweep=["andi"],
        expect={"andi": 24, "budi": -12, "cinta": -12},
        why="3 x 4 from each; 0 between the fouls",
    ),
    Case(
        name="clean sweep: over two fouls with bonuses",
        ruleset="bsfyi",
        seats=f"""
            {BONUSES}
            budi: Kd Qh 2c / 8s 8h 8c 8d 2d / Jc Jd 7c 6h 2h
            cinta: Qs Qc 3d / Js Jh 7d 5c 3h / Kh Th 9c 6c 4h""",
        duels=["foul: A", "foul: A", "both_foul"],
        foul={"budi": "middle_over_bottom", "cinta": "both"},
        clean_sweep=["andi"],
        expect={"andi": 120, "budi": -60, "cinta": -60},
        why="(5 + 3 + 7) x 4 from each",
    ),
    Case(
        name="clean sweep: one swept and one foul",
        ruleset="bsfyi",
        seats=f"""
            {SWEEPER}
            {SWEPT}
            cinta: Ah Ad Qd / 6c 6d 4h 3s 2s / Th 9d 8d 7s 5c""",
        duels=["clean_sweep: A.ranks A.ranks A.hand", "foul: A", "foul: B"],
        foul={"cinta": "both"},
        clean_sweep=["andi"],
        expect={"andi": 24, "budi": -6, "cinta": -18},
        why="andi 12 + 12; budi -12 + 3 x 2; cinta -12 - 6",
    ),
    Case(
        name="clean sweep: one swept, one foul, one not swept is none",
        ruleset="bsfyi",
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
        expect={"andi": 13, "budi": 1, "cinta": -18, "dita": 4},
        why="andi 6 + 6 + 1; budi -6 + 6 + 1; cinta -6 - 6 - 6; dita -1 - 1 + 6",
    ),
    Case(
        name="clean sweep: none at a table with a declarer",
        ruleset="bsfyi",
        seats=f"""
            {SWEEPER}
            {SWEPT}
            cinta declare three_flushes: Ac Kc Qc 8c 6c Ad Qd 9d 8d 7d Js 7s 2s""",
        duels=["sweep: A.ranks A.ranks A.hand", "special", "special"],
        expect={"andi": 3, "budi": -9, "cinta": 6},
        why="andi 6 - 3; budi -6 - 3; cinta 3 + 3",
    ),
    Case(
        name="clean sweep: none over a foul at a table with a declarer",
        ruleset="bsfyi",
        seats="""
            andi: As Kd 4d / Jc Jd 7c 5h 2h / 9s 9h 9c 6s 3c
            budi: Ks Kh 3d / Tc Td 7h 5s 2c / Qs 8h 8s 6h 4s
            cinta declare three_flushes: Ac Kc Qc 8c 6c Ad Qd 9d 8d 7d Js 7s 2s""",
        duels=["foul: A", "special", "special"],
        foul={"budi": "both"},
        expect={"andi": 3, "budi": -9, "cinta": 6},
        why="andi 3 x 2 - 3; budi -6 - 3; cinta 3 from the foul player too",
    ),
]

ROWS_OF_BUDI = "budi: Kd 8c 4h / Tc Td 7s 5s 2c / 9s 9h 9d 6h Js"
ROWS_OF_CINTA = "cinta: Qs 8h 3d / Jc Jd 7c 5h 2h / Ks Kh 6d 4s 3s"

SPECIALS = [
    Case(
        name="worked example 5: six pairs, three flushes and a foul",
        ruleset="bsfyi",
        seats=f"""
            andi declare six_pairs: {SIX_PAIRS}
            budi declare three_flushes: 2c 3c 5c 7c 9c 2d 4d 5d 8d Jd 3h 7h Ah
            cinta: Ac Ad Kc / 9s 9d 7s 5s 3s / Kh Qd Tc 8c 6c""",
        duels=["special", "special", "special"],
        foul={"cinta": "both"},
        expect={"andi": 6, "budi": 0, "cinta": -6},
        why="andi 3 + 3; budi -3 + 3; cinta -3 - 3",
    ),
    Case(
        name="special: a dragon takes 13 from each, the others are compared",
        ruleset="bsfyi",
        seats=f"""
            andi declare dragon: {DRAGON}
            {ROWS_OF_BUDI}
            {ROWS_OF_CINTA}""",
        duels=["special", "special", "B.ranks C.ranks B.hand"],
        expect={"andi": 26, "budi": -12, "cinta": -14},
        why="andi 13 + 13; budi -13 + 1; cinta -13 - 1",
        could={"andi": ["three_straights"]},
    ),
    Case(
        name="special: a declarer's rows are not judged, foul or not",
        ruleset="bsfyi",
        seats=f"""
            andi declare dragon: As Kc Qd / Jh Ts 9c 8d 6s / 2s 3h 4d 5c 7h
            {ROWS_OF_BUDI}""",
        duels=["special"],
        expect={"andi": 13, "budi": -13},
        why="13, though the rows would be a foul",
        could={"andi": ["three_straights"]},
    ),
    Case(
        name="special: a declarer in the second seat who gives rows",
        ruleset="bsfyi",
        seats=f"""
            {ROWS_OF_BUDI}
            cinta declare dragon: {DRAGON_ROWS}""",
        duels=["special"],
        expect={"budi": -13, "cinta": 13},
        why="13, no row is compared",
        could={"cinta": ["three_straights"]},
    ),
    Case(
        name="special: an undeclared dragon is scored as rows",
        ruleset="bsfyi",
        seats=f"""
            andi: {DRAGON_ROWS}
            {ROWS_OF_BUDI}""",
        duels=["sweep: A.ranks A.hand A.hand"],
        could={"andi": ["dragon", "three_straights"]},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2 instead of 13",
    ),
    Case(
        name="special: an undeclared dragon in a foul is a foul",
        ruleset="bsfyi",
        seats=f"""
            andi: As Kc Qd / Jh Ts 9c 8d 6s / 2s 3h 4d 5c 7h
            {ROWS_OF_BUDI}""",
        duels=["foul: B"],
        foul={"andi": "both"},
        could={"andi": ["dragon", "three_straights"]},
        expect={"andi": -6, "budi": 6},
        why="(1 + 1 + 1) x 2",
    ),
    Case(
        name="special: dragon over six pairs",
        ruleset="bsfyi",
        seats=f"""
            andi declare six_pairs: 2h 2d 4s 4h 6h 6d 8s 8h Th Td Qs Qh Ks
            budi declare dragon: {DRAGON}""",
        duels=["special"],
        expect={"andi": -13, "budi": 13},
        why="the higher special takes its own 13",
        could={"budi": ["three_straights"]},
    ),
    Case(
        name="special: two dragons tie",
        ruleset="bsfyi",
        seats=f"""
            andi declare dragon: {DRAGON}
            budi declare dragon: {DRAGON_TOO}
            cinta: Kd Jc 4h / Tc Td 7c 5d 2c / 9h 9d 8s 8h 3s""",
        duels=["special_tie", "special", "special"],
        expect={"andi": 13, "budi": 13, "cinta": -26},
        why="0 between the dragons, 13 from cinta to each",
        could={"andi": ["three_straights"], "budi": ["three_straights"]},
    ),
    Case(
        name="special: six pairs over three straights",
        ruleset="bsfyi",
        seats=f"""
            andi declare six_pairs: {SIX_PAIRS}
            budi declare three_straights: {STRAIGHTS}""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="six pairs is the higher, 3",
        could={"budi": ["three_flushes"]},
    ),
    Case(
        name="special: six pairs twice tie",
        ruleset="bsfyi",
        seats=f"""
            andi declare six_pairs: {SIX_PAIRS}
            budi declare six_pairs: {SIX_PAIRS_TOO}""",
        duels=["special_tie"],
        expect={"andi": 0, "budi": 0},
        why="the same special, 0",
    ),
    Case(
        name="special: three straights over three flushes",
        ruleset="bsfyi",
        seats=f"""
            andi declare three_flushes: {SPADES_AND_HEARTS}
            budi declare three_straights: {STRAIGHTS}""",
        duels=["special"],
        expect={"andi": -3, "budi": 3},
        why="three straights is the higher, 3",
        could={"andi": ["dragon", "three_straights"], "budi": ["three_flushes"]},
    ),
    Case(
        name="special: three straights twice tie",
        ruleset="bsfyi",
        seats=f"""
            andi declare three_straights: {STRAIGHTS}
            budi declare three_straights: {STRAIGHTS_TOO}""",
        duels=["special_tie"],
        expect={"andi": 0, "budi": 0},
        why="the same special, 0",
        could={"andi": ["three_flushes"], "budi": ["three_flushes"]},
    ),
    Case(
        name="special: three declarers, and one who plays rows",
        ruleset="bsfyi",
        seats="""
            andi declare three_flushes: 2s 3s 5s 7s 9s 2h 3h 5h 7h 9h Js Ks As
            budi declare six_pairs: 4s 4h 6s 6h 8s 8h Ts Th Qs Qh Kc Kh 2d
            cinta declare three_straights: 3d 4d 5d 6d 7d 9d Td Jd Qd Kd Ac 2c 3c
            dita: 8d 5c 4c / Ah Ad Jh 7c 6c / 8c 9c Tc Jc Qc""",
        duels=["special"] * 6,
        expect={"andi": -3, "budi": 9, "cinta": 3, "dita": -9},
        why="budi 3 from all; cinta -3 + 3 + 3; andi -3 - 3 + 3; dita -3 - 3 - 3",
        could={"cinta": ["three_flushes"]},
    ),
    Case(
        name="special: the special that was declared counts, though a higher one is formed",
        ruleset="bsfyi",
        seats=f"""
            andi declare three_flushes: {ALL_SPADES}
            budi declare six_pairs: 2h 2d 4h 4d 6h 6d 8h 8d Th Td Qh Qd Kc""",
        duels=["special"],
        expect={"andi": -3, "budi": 3},
        why="declared three flushes, not the dragon; six pairs is higher",
        could={"andi": ["dragon", "three_straights"]},
    ),
    Case(
        name="six pairs: six and a card",
        ruleset="bsfyi",
        seats=f"""
            andi declare six_pairs: {SIX_PAIRS}
            budi: Kc 8c 3c / Tc Td 7s 5s 2c / 9s 9h 9d 6c Js""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3",
    ),
    Case(
        name="six pairs: four of a kind is two pairs",
        ruleset="bsfyi",
        seats="""
            andi declare six_pairs: 5s 5h 5c 5d 2s 2h 8s 8h Ts Th Ks Kh Ad
            budi: Kd 8c 4h / Tc Td 7s 3s 2c / 9s 9h 9d 6h Js""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: 2 + 1 + 1 + 1 + 1 pairs",
    ),
    Case(
        name="six pairs: three of a kind is a pair and a card",
        ruleset="bsfyi",
        seats="""
            andi declare six_pairs: 7s 7h 7c 2s 2h 4s 4h 9s 9h Js Jh As Ah
            budi: Kd 8c 4c / Tc Td 7d 3s 2c / 6s 6h 6d Qh Kc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: the third seven is the odd card",
    ),
    Case(
        name="six pairs: two fours of a kind",
        ruleset="bsfyi",
        seats="""
            andi declare six_pairs: 3s 3h 3c 3d 9s 9h 9c 9d Qs Qh Ks Kh 2c
            budi: Kd 8c 4c / Tc Td 7d 5s 2s / 6s 6h 6d Qc Kc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: 2 + 2 + 1 + 1 pairs",
    ),
    Case(
        name="six pairs: three fours of a kind",
        ruleset="bsfyi",
        seats="""
            andi declare six_pairs: 3s 3h 3c 3d 9s 9h 9c 9d Qs Qh Qc Qd 2c
            budi: Kd 8c 4c / Tc Td 7d 5s 2s / 6s 6h 6d Jc Kc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: 2 + 2 + 2 pairs",
    ),
    Case(
        name="six pairs: four and three of a kind",
        ruleset="bsfyi",
        seats="""
            andi declare six_pairs: 6s 6h 6c 6d Ts Th Tc 2s 2h 4s 4h Ks Kh
            budi: Kd 8c 4c / 9c 9d 7d 5s 2d / Qs Qh Qd Jc Kc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: 2 + 1 + 1 + 1 + 1 pairs, the third ten is the odd card",
    ),
    Case(
        name="six pairs: undeclared they are scored as rows",
        ruleset="bsfyi",
        seats="""
            andi: 2s 2h Kd / 6s 6h 4s 4h Qs / Ts Th 8s 8h Qh
            budi: Kc 9c 3c / Tc Td 7s 5s 2c / As Ah 9d 6c Js""",
        duels=["sweep: A.hand A.hand A.hand"],
        could={"andi": ["six_pairs"]},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2",
    ),
    Case(
        name="six pairs: two threes of a kind and three pairs are only five",
        ruleset="bsfyi",
        seats="""
            andi: 2s 2h Ad / Js Jh 4s 4h 9c / 7s 7h 7c 9s 9h
            budi: Kd 8c 3h / Tc Td 7d 5s 2c / Ks Kh 6d 5c 3s""",
        duels=["sweep: A.hand A.hand A.hand"],
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2, and nothing could have been declared",
    ),
    Case(
        name="three straights: A-2-3 as the straight of three",
        ruleset="bsfyi",
        seats="""
            andi declare three_straights: As 2d 3h 3s 4d 5h 6c 7s 8d 9h Tc Js Qd
            budi: Kd 8c 4h / Ts Td 7h 5s 2c / 9s 9c 9d 6h Jc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: A-2-3, 3-7, 8-Q",
    ),
    Case(
        name="three straights: undeclared they are scored as rows",
        ruleset="bsfyi",
        seats="""
            andi: As 2d 3h / 3s 4d 5h 6c 7s / 8d 9h Tc Js Qd
            budi: Kd 8c 4h / Ts Td 7h 5s 2c / 9s 9c 9d 6h Jc""",
        duels=["sweep: A.ranks A.hand A.hand"],
        could={"andi": ["three_straights"]},
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2",
    ),
    Case(
        name="three straights: Q-K-A as the straight of three",
        ruleset="bsfyi",
        seats="""
            andi declare three_straights: Qs Kd Ah 2s 3d 4h 5c 6s 2d 3h 4c 5s 6d
            budi: Kh 8c 4s / Ts Td 7h 5h 2c / 9s 9c 9d 6h Jc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: Q-K-A, 2-6, 2-6",
    ),
    Case(
        name="three straights: A-2-3-4-5 as a straight of five",
        ruleset="bsfyi",
        seats="""
            andi declare three_straights: As 2d 3h 4c 5s 5d 6h 7c 8s 9d Jh Qc Kd
            budi: Kh 8c 4s / Ts Td 7h 5h 2c / 9s 9c 9h 6d Jc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: J-Q-K, A-5, 5-9",
    ),
    Case(
        name="three straights: T-J-Q-K-A as a straight of five",
        ruleset="bsfyi",
        seats="""
            andi declare three_straights: Ts Jd Qh Kc As 2d 3h 4c 5s 6d 4h 5c 6s
            budi: Kh 8c 4s / Th Td 7h 5h 2c / 9s 9c 9d 6h Jc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: 4-5-6, 2-6, T-A",
    ),
    Case(
        name="three straights: an ace low and an ace high",
        ruleset="bsfyi",
        seats="""
            andi declare three_straights: As 2d 3h 4c 5s Ts Jd Qh Kc Ad Ah 2h 3s
            budi: Kh 8c 4s / Th Td 7h 5h 2c / 9s 9c 9d 6h Jc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: A-2-3, A-5, T-A",
    ),
    Case(
        name="three straights: the lowest five in sequence would be the wrong choice",
        ruleset="bsfyi",
        seats="""
            andi declare three_straights: 2s 3d 4h 4c 5s 6d 6h 7c 7s 8d 8h 9c Ts
            budi: Kh 8c 4s / Th Td 7h 5h 2c / 9s 9h 9d 6c Jc""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: 2-3-4, 4-8, 6-T; taking 2-6 first leaves a four alone",
    ),
    Case(
        name="three straights: K-A-2 is none",
        ruleset="bsfyi",
        seats="""
            andi: Ad Ks 2h / 4s 5d 6h 7c 8s / 5s 6d 7h 8c 9s
            budi: Kd Qc 4h / Tc Td 7s 3s 2c / 9c 9h 9d 6c Js""",
        duels=["sweep: A.ranks A.hand A.hand"],
        expect={"andi": 6, "budi": -6},
        why="(1 + 1 + 1) x 2, and nothing could have been declared",
    ),
    Case(
        name="straight flushes count as straights and as flushes",
        ruleset="bsfyi",
        seats="""
            andi: 6c 5c 4c / 2h 3h 4h 5h 6h / 8s 9s Ts Js Qs
            budi: Kd 8c 4d / Tc Td 7h 5s 2c / 9c 9h 9d 6d Jc""",
        duels=["B.ranks A.hand A.hand"],
        could={"andi": ["three_straights", "three_flushes"]},
        expect={"andi": 26, "budi": -26},
        why="-1 + 18 + 9, more than the 3 of either special",
    ),
    Case(
        name="three straights of straight flushes, declared with rows",
        ruleset="bsfyi",
        seats="""
            andi declare three_straights: 6c 5c 4c / 2h 3h 4h 5h 6h / 8s 9s Ts Js Qs
            budi declare three_flushes: 2c 3c 7c 9c Jc 2d 4d 6d 8d Td Qd Kd Ad""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: straights over flushes",
        could={"andi": ["three_flushes"]},
    ),
    Case(
        name="three flushes: eight and five",
        ruleset="bsfyi",
        seats=f"""
            andi declare three_flushes: {SPADES_AND_HEARTS}
            budi: Kd 8c 4h / Tc Td 7s 5s 2c / 9s 9c 9d 6h Js""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: eight spades make five and three",
        could={"andi": ["dragon", "three_straights"]},
    ),
    Case(
        name="three flushes: ten and three",
        ruleset="bsfyi",
        seats="""
            andi declare three_flushes: 2h 3h 4h 5h 7h 8h 9h Th Qh Kh 2c 6c Jc
            budi: Kd 8c 4c / Tc Td 7s 5s 2s / 9s 9c 9d 6h Js""",
        duels=["special"],
        expect={"andi": 3, "budi": -3},
        why="3: ten hearts make five and five",
    ),
    Case(
        name="three flushes: thirteen of a suit, and ten and three, tie",
        ruleset="bsfyi",
        seats=f"""
            andi declare three_flushes: {ALL_SPADES}
            budi declare three_flushes: 2h 3h 4h 5h 7h 8h 9h Th Qh Kh 2c 6c Jc""",
        duels=["special_tie"],
        expect={"andi": 0, "budi": 0},
        why="the same special, 0",
        could={"andi": ["dragon", "three_straights"]},
    ),
    Case(
        name="thirteen of a suit form three specials",
        ruleset="bsfyi",
        seats="""
            andi: 4s 3s 2s / 9s 8s 7s 6s 5s / As Ks Qs Js Ts
            budi: Kd 8c 4h / Tc Td 7h 5h 2c / 9d 9h 9c 6h Jd""",
        duels=["B.ranks A.hand A.hand"],
        could={"andi": ["dragon", "three_straights", "three_flushes"]},
        expect={"andi": 28, "budi": -28},
        why="-1 + 18 + 11",
    ),
    Case(
        name="three flushes: nine and four are none",
        ruleset="bsfyi",
        seats="""
            andi: Jh 7h 2h / Kh Js 9s 5s 3s / As Qs Ts 8s 6s
            budi: Kd 8c 4h / Tc Td 7s 4s 2c / 9c 9h 9d 6c Jc""",
        duels=["B.ranks B.hand A.hand"],
        expect={"andi": -1, "budi": 1},
        why="-1 - 1 + 1, and nothing could have been declared",
    ),
    Case(
        name="three flushes: seven and six are none",
        ruleset="bsfyi",
        seats="""
            andi: Jh 9h 7h / 4s 4h 2s 2h Kh / As Qs Ts 8s 6s
            budi: Kd 8c 5d / Tc Td 7d 3s 5c / 9c 9d 6c 6d Jc""",
        duels=["B.ranks A.hand A.hand"],
        expect={"andi": 1, "budi": -1},
        why="-1 + 1 + 1, and nothing could have been declared",
    ),
]

REQUESTS = [
    Case(
        name="request: no rule set named, rows as strings in other spellings",
        ruleset=None,
        seats="""
            andi: K♠ K♥️ 2♦ / 9s9h9d4c4s / As Ac AD aH 3c
            budi: Qs Qh 5d / 8S 8H 8d 7c 7s / 10c 10d Th jc js""",
        duels=["sweep: A.ranks A.ranks A.hand"],
        expect={"andi": 22, "budi": -22},
        why="11 = 1 + 3 + 7, sweep x 2 = 22: the first worked example",
        as_strings=True,
    ),
    Case(
        name="request: a stake turns points into money, without a fee",
        ruleset="bsfyi",
        seats=f"{EXAMPLE}\n{EXAMPLE_LOSER}",
        duels=["sweep: A.ranks A.ranks A.hand"],
        expect={"andi": 22, "budi": -22},
        stake=100,
        money={"andi": (2200, 0, 2200), "budi": (-2200, 0, -2200)},
        why="22 x 100",
    ),
    Case(
        name="request: a stake and a dragon",
        ruleset="bsfyi",
        seats=f"""
            {ROWS_OF_BUDI}
            {ROWS_OF_CINTA}
            dita declare dragon: {DRAGON}""",
        duels=["B.ranks C.ranks B.hand", "special", "special"],
        expect={"budi": -12, "cinta": -14, "dita": 26},
        stake=7,
        money={"budi": (-84, 0, -84), "cinta": (-98, 0, -98), "dita": (182, 0, 182)},
        why="26 x 7 = 182 = 84 + 98",
        could={"dita": ["three_straights"]},
    ),
]

CASES = [*COMPARISONS, *ORDER, *FOULS, *SWEEPS, *SPECIALS, *REQUESTS]
