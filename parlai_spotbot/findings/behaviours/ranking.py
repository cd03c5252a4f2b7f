"""Rates of behaviours by contestant, and which contestants differ.

There is no overall order: sixteen behaviours don't add up to one number, and of some more may be better or worse.
"""

from collections.abc import Mapping

import pandas as pd

from parlai_spotbot.analysis.behaviours import SCALE, behaviour
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.findings import audit, criteria, study_probes
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames, frame_of
from parlai_spotbot.findings.rankings import Ranking, joined, main_ranking
from parlai_spotbot.surveys.abc_eval.labels import LESS, MORE, task_of_label
from parlai_spotbot.wording import filled, listed, plainly

CRITERION = "share of turns"
TEST = (
    "difference of shares over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a behaviour; beside it over all pairs of all behaviours"
)
DIRECTIONS = dict.fromkeys(LESS, "less") | dict.fromkeys(MORE, "more")
"""Whether less or more of a behaviour is better, where that is known."""

NO_ORDER = (
    "There is no overall order: behaviours don't add up to one number. Of errors fewer are better; of {more} more are; "
    "of the others neither is known to be better."
)
CLEAREST = (
    "{more} shows “{0}” in {1:percent} of turns, {less} in {2:percent}: the clearest of {clear} clear differences, of "
    "{tests} tested."
)
NONE_CLEAR = "None of {tests:,} differences between contestants is clear."


def ranked(answers: Answers, rows: pd.DataFrame) -> Ranking:
    """The shares and tests of one label."""
    label = rows["question"].iloc[0]
    direction = DIRECTIONS.get(label)
    less = direction == "less"
    shares = behaviour(rows, answers.names, crossed=answers.crossed, less_is_better=less)
    probes = study_probes.of_means(answers, rows, shares, SCALE, len(answers.questions))
    whole = {"criterion": CRITERION, "task": task_of_label(label), "direction": direction, "test": TEST}
    return criteria.means_of(shares, probes, less, **whole, **answers.rests)


def compute(answers: Answers) -> Frames:
    """The ranking by every label; the main one, without a label, has no order and says why."""
    by_label = {label: ranked(answers, answers.to(label)) for label in answers.questions}
    frames = joined(by_label, "label", "")
    if "ranking" in frames:
        frames["ranking"]["direction"] = frames["ranking"]["label"].map(DIRECTIONS)
    rows = audit.rows_of(study_probes.of_answers(answers, answers.rows))
    for ranking in by_label.values():
        rows += ranking.audit
    more = listed(f"“{plainly(label)}”" for label in MORE)
    whole = {"label": "", "main": True, "criterion": CRITERION, "why": NO_ORDER.format(more=more), "tests": 0}
    tables = {**frames, "audit": [row | {"label": ""} for row in audit.worst_first(rows)]}
    if "pairs" in frames:
        pairs = frames["pairs"].astype({"p": float, "p_adjusted": float})
        pairs["p_adjusted_all"] = adjust_known(pairs["p"])
        clear = (pairs[["p_adjusted", "p_adjusted_all"]] < criteria.LEVEL).sum()
        whole |= {"tests": len(pairs), "clear": clear["p_adjusted"], "clear_all": clear["p_adjusted_all"]}
        tables["pairs"] = pairs
    return Frames.from_tables(tables | {"whole": frame_of([whole | answers.rests, *frames.rows("whole")])})


def summarise(result: Result) -> list[str]:
    """Return the clearest difference, that there is no overall order, and how many differences are clear."""
    whole = main_ranking(result.frames).whole
    clear = (
        "{clear} of {tests} differences are clear where p is corrected over the pairs of a behaviour, {clear_all} "
        "where it is corrected over all behaviours."
    )
    if not whole["tests"]:
        return [whole["why"]]
    sentences = [_clearest(result, whole), whole["why"]]
    if whole["clear"]:
        sentences.append(clear.format(**whole))
    return sentences


def _clearest(result: Result, whole: Mapping) -> str:
    """Return the difference with the smallest p over all behaviours, or that none is clear."""
    row = criteria.clearest_pair(result.frames)
    if row is None:
        return NONE_CLEAR.format(**whole)
    shares = {(share_row["label"], share_row["bot"]): share_row["score"] for share_row in result.rows("ranking")}
    less, more = sorted((row["a"], row["b"]), key=lambda bot: shares[row["label"], bot])
    ends = [shares[row["label"], bot] for bot in (more, less)]
    return filled(
        CLEAREST, plainly(row["label"]), *ends, more=more, less=less, clear=whole["clear_all"], tests=whole["tests"]
    )


FINDING = declared(__file__, FORM, compute, summarise)
