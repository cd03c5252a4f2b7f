"""What ABC-Eval's authors paid and found, for planning before any data, and the final set of their metrics.

Figures are those of the paper (Finch, Finch & Choi 2022: Tables 9 and 10, section 7.5) and of the tables published with
it. They are of 400 conversations of some 30 turns, four bots, and one group of annotators.
"""

from __future__ import annotations

PAYMENTS = {
    "abc_eval:interpretability": 0.63,
    "abc_eval:sociality": 0.44,
    "abc_eval:personal_information": 0.70,
    "abc_eval:empathy": 1.15,
    "abc_eval:commonsense": 0.92,
    "abc_eval:knowledge": 1.96,
    "abc_eval:consistency": 0.87,
    "abc_eval:transitions": 1.87,
    "dialogue_likert": 0.60,
    "comparative": 1.43,
}
"""Table 9: dollars a task and dialogue (of `comparative`: a pair of dialogues), at an estimated 20 an hour."""

TURN_LIKERT_PAYMENT = 0.70
"""Of each of the eight Turn Likert tasks, which ask for one dimension."""

SECONDS = {
    "abc_eval:interpretability": 80.20,
    "abc_eval:sociality": 71.46,
    "abc_eval:personal_information": 152.76,
    "abc_eval:empathy": 120.01,
    "abc_eval:commonsense": 134.54,
    "abc_eval:knowledge": 197.87,
    "abc_eval:consistency": 179.28,
    "abc_eval:transitions": 262.29,
    "dialogue_likert": 168.47,
    "comparative": 260.72,
}
"""Median seconds of a task in the tables published with the paper."""

TURN_LIKERT_SECONDS = {
    "consistency": 138.35,
    "emotional_understanding": 122.20,
    "engagingness": 103.28,
    "grammaticality": 102.02,
    "informativeness": 106.72,
    "proactivity": 111.59,
    "quality": 144.03,
    "relevance": 148.65,
}

MINUTES = {
    "dialogue_likert": 2.81,
    "comparative": 4.35,
    "turn_likert": 19.94,
    "abc_eval": 25.60,
    "abc_eval_final": 15.17,
    "interactive": 8.08,
}
"""Table 10's TI: median minutes of all of a method's tasks on a dialogue (of `comparative`: on a pair)."""

STEPS = {
    "abc_eval": (
        ("antisocial", 0.26030),
        ("life_info", 0.26013),
        ("topic_switch", 0.25980),
        ("preference_info", 0.25966),
        ("fact_contradiction", 0.25940),
        ("partner_contradiction", 0.25912),
        ("uninterpretable", 0.25831),
        ("follow_up", 0.25716),
        ("fact_usage", 0.25588),
        ("ignore", 0.25222),
        ("commonsense_contradiction", 0.24564),
        ("empathetic", 0.23713),
        ("redundant", 0.22221),
        ("irrelevant", 0.18954),
        ("self_contradiction", 0.14296),
        ("lack_of_empathy", 0.10348),
    ),
    "turn_likert": (
        ("informativeness", 0.14708),
        ("grammaticality", 0.14651),
        ("emotional_understanding", 0.14410),
        ("consistency", 0.13808),
        ("relevance", 0.12962),
        ("proactivity", 0.10285),
        ("engagingness", 0.06687),
    ),
    "dialogue_likert": (
        ("informativeness", 0.12078),
        ("consistency", 0.12078),
        ("grammaticality", 0.12052),
        ("engagingness", 0.12010),
        ("proactivity", 0.11942),
        ("emotional_understanding", 0.10604),
        ("relevance", 0.08183),
    ),
}
"""How backward removal went for people's own ratings (published with Figure 3): which metric went next, and R² before
it went. It is R² itself, not the adjusted one: by the number of metrics and 400 conversations it comes to the adjusted
values that stand elsewhere among the published results."""

CONVERSATIONS = 400

FINAL = (
    "empathetic",
    "lack_of_empathy",
    "commonsense_contradiction",
    "fact_contradiction",
    "self_contradiction",
    "partner_contradiction",
    "redundant",
    "ignore",
    "irrelevant",
)
"""The final set of section 7.5, as far as it can be known: the paper marks it in bold in Table 4, and the text from
which this was made has lost the bold. These nine are the behaviours that the authors' next study names as those found
to be informative of quality (Finch, Paek & Choi 2023), and the published medians of their five tasks come to 14.9
minutes a dialogue; Table 10 has 15.17."""

FINAL_TASKS = tuple(
    f"abc_eval:{task}" for task in ("empathy", "commonsense", "knowledge", "consistency", "transitions")
)
PRESETS = {"paper_final": tuple(f"abc_eval:{label}" for label in FINAL)}
