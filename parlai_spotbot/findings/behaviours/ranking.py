"""Rates of behaviours by contestant, and which contestants differ.

There is no overall order: sixteen behaviours don't add up to one number, and of some more may be better or worse.
"""

import pandas as pd

from parlai_spotbot.analysis.behaviours import SCALE, adjust_over_all, behaviour
from parlai_spotbot.findings import audit, criteria, study_probes
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.surveys.abc_eval.labels import LESS, MORE, task_of_label
from parlai_spotbot.wording import listed, plainly

CRITERION = "share of turns"
TEST = (
    "difference of shares over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a behaviour; beside it over all pairs of all behaviours"
)
DIRECTIONS = dict.fromkeys(LESS, "less") | dict.fromkeys(MORE, "more")
"""Whether less or more of a behaviour is better, where that is known."""

NO_ORDER = (
    "There is no overall order, as the behaviours don't add up to one number: each has an order of its own. Of errors "
    "fewer are better; of {more} more are; of the others neither is known to be better."
)


def ranked(answers: Answers, rows: pd.DataFrame) -> dict:
    """The shares and tests of one label."""
    label = rows["question"].iloc[0]
    direction = DIRECTIONS.get(label)
    less = direction == "less"
    shares = behaviour(rows, answers.names, crossed=answers.crossed, less_is_better=less)
    probes = study_probes.of_means(answers, rows, shares, SCALE, len(answers.questions))
    result = criteria.means_of(shares, probes, less)
    return {
        **result,
        "criterion": CRITERION,
        "task": task_of_label(label),
        "direction": direction,
        "test": TEST,
        "bootstrap": answers.bootstrap(),
    }


def compute(answers: Answers) -> dict:
    """Every label under `criteria`; `order` is empty, and `why` says so."""
    ranked_by_label = {label: ranked(answers, answers.to(label)) for label in answers.questions}
    adjust_over_all(ranked_by_label)
    pairs = [pair for one in ranked_by_label.values() for pair in one["pairs"]]
    clear = {f"clear{over}": sum(pair[f"p_adjusted{over}"] < 0.05 for pair in pairs) for over in ("", "_all")}
    study = audit.rows_of(study_probes.of_answers(answers, answers.rows))
    of_labels = [row for one in ranked_by_label.values() for row in one.pop("audit")]
    more = listed([f"“{plainly(label)}”" for label in MORE])
    return {
        "order": [],
        "why": NO_ORDER.format(more=more),
        "criterion": CRITERION,
        "criteria": ranked_by_label,
        "audit": audit.worst_first([*study, *of_labels]),
        "tests": {"pairs": len(pairs), **clear},
        "bootstrap": answers.bootstrap(),
    }


def summarise(result: Result) -> list[str]:
    """Return that there is no overall order and how many differences are clear."""
    data = result.data
    tests = data["tests"]
    clear = (
        "{clear} of {pairs} differences are clear where p is corrected over the pairs of a behaviour, {clear_all} "
        "where it is corrected over all behaviours."
    )
    return [data["why"], clear.format(**tests) if tests["pairs"] else ""]


FINDING = declared(__file__, FORM, compute, summarise)
