"""Stability of the ranking by the number of conversations per pair (section 5.2), in a sound way and the paper's."""

import pandas as pd

from parlai_spotbot.analysis.stability import conversation_matches, first_stable, stability
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.terminal import Bar

REPETITIONS = {"model": 500, "paper": 1000}
"""Of each way, and as many bootstrap replicates in each: the sound way takes longer, and its curve is smooth."""

TABLES = {"model": ("stability", "without"), "paper": ("paper", "paper_without")}
"""Of each way: the frames of all bots and of those without each."""

TITLES = {"model": "new studies", "paper": "the paper's way"}


def compute(answers: Annotations) -> Found:
    """Return the curves of both ways, of all bots and without each; or why there is nothing."""
    matches = conversation_matches(answers.rows)
    if matches.empty:
        return {"nothing": {"why": "no match between two different bots"}}
    names = planned_first({*matches["a"], *matches["b"]}, answers.facts.bots)
    frames = {}
    for variant, times in REPETITIONS.items():
        seed = int(answers.rng("stability").integers(2**31))
        options = {"variant": variant, "repetitions": times, "replicates": times, "leave_one_out": True, "seed": seed}
        with Bar(f"stability, {TITLES[variant]}", unit="size") as bar:
            curves = stability(matches, names, progress=bar.of, **options).assign(repetitions=times)
        without = curves["removed"] != ""
        every_bot, others = TABLES[variant]
        frames |= {every_bot: curves[~without], others: curves[without]}
    return frames


def curve_sentence(curve: pd.DataFrame, studies: str) -> str:
    """Return from how many conversations per pair on a repeated study gives the same ranking."""
    last = curve.iloc[-1]
    ranking = " > ".join(" = ".join(cluster) for cluster in last["ranking"])
    first = first_stable(curve)
    if first is None:
        text = "Even with {sizes} conversations per pair only {share:.0%} of {0} give the same ranking ({1})."
        return text.format(studies, ranking, **last[["sizes", "share"]])
    return f"From {first} conversations per pair on, 95% of {studies} give the same ranking ({ranking})."


def summarise(result: Result) -> list[str]:
    """Return from how many conversations on a repeated study gives the same ranking."""
    frames = result.frames
    if "nothing" in frames:
        return [result.one("nothing")["why"]]
    paper = curve_sentence(frames["paper"], "draws from these conversations (the paper's way, which flatters)")
    return [curve_sentence(frames["stability"], "new studies"), paper]


FINDING = declared(__file__, FORM, compute, summarise)
