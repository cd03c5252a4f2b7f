"""Accuracy of each annotator, and results without some of them (section 5.1, appendix G)."""

from collections.abc import Mapping

import pandas as pd

from parlai_spotbot.analysis import annotators
from parlai_spotbot.analysis.annotators.table import AMOUNTS
from parlai_spotbot.findings import annotators as annotators_finding
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, ends
from parlai_spotbot.findings.schema import all_known
from parlai_spotbot.findings.source_accounts import account
from parlai_spotbot.findings.spotting import FORM, Annotations, ranking
from parlai_spotbot.surveys.controls.flags import MISSED, max_units_of, missed_some
from parlai_spotbot.wording import filled, upper_first


def compute(answers: Annotations) -> Found:
    """Compute one row an annotator, all together, and the ranking without those who are flagged."""
    table = _table(answers)
    kept = table[table["left_out"] == ""]
    pooled = annotators.pooled_detection(answers.by_item.entities, answers.together.take(answers.pages))
    result = {
        "annotators": table.reset_index(names="worker_id"),
        "account": account(answers, pooled),
        "controls": annotators_finding.told_of_controls(answers, answers.allowed),
        "pooled": pooled,
    }
    if answers.crossed:
        result["summary"] = annotators.summary(kept)
    flagged = [worker for worker, flags in kept["flags"].items() if set(flags) - set(AMOUNTS)]
    if answers.crossed and answers.bots and flagged and not answers.one_side:
        result["without"] = annotators.rankings_without(answers.rows, answers.bots, flagged, answers.crossed)
    if answers.failed and len(answers.everyone) > len(answers.rows):
        main = answers.once("ranking", ranking.ranked)
        every = ranking.ranked(answers.whole)
        result["with_everybody"] = annotators_finding.what_changes(main, every, "With everybody's annotations")
    return result


def _table(answers: Annotations) -> pd.DataFrame:
    """Return one row an annotator, with controls and flags."""
    survey = answers.facts.survey
    work = answers.work
    given = work.rows[["nature0", "nature1", *answers.features]]
    rows = work.rows.assign(answers=list(given.itertuples(index=False, name=None)))
    max_units = None
    missed: set[str] = set()
    if answers.crossed:
        max_units = max_units_of(survey)
        missed = set(missed_some(answers.judgements, survey))
    table = annotators.annotator_table(rows, work.entities, max_units, answers.options.min_correct)
    table = annotators_finding.with_controls(table, answers)
    for worker in missed.intersection(table.index):
        table.at[worker, "flags"].append(MISSED)
    return table


def detection_sentence(rates: Mapping, who: str) -> str:
    """Return how well all annotators together, or a judge, tell bots from people, and to which answer they lean."""
    if rates["sensitivity"] is None:
        return f"How well {who} told bots from people can't be measured: no bots, or no people, were judged."
    lean = ""
    low, high = ends(rates, "bias")
    if all_known(low) and low > 0:
        lean = ", slow to say “bot” (c {bias:number})"
    elif all_known(low) and high < 0:
        lean = ", quick to say “bot” (c {bias:number})"
    text = (
        "{0} called {hit:percent} of bots and {false_alarm:percent} of people bots: sensitivity d′ "
        f"{{sensitivity:number}}{{1:ci_number}}{lean}; 0 is guessing. Always “bot” would be right in "
        "{always_bot:percent}."
    )
    return filled(text, upper_first(who), ends(rates, "sensitivity"), **rates)


def summarise(result: Result) -> list[str]:
    """Return how well annotators tell bots from people, and the tables of annotators of every survey."""
    return [detection_sentence(result.one("pooled"), result.who), *annotators_finding.summarise(result)]


FINDING = declared(__file__, FORM, compute, summarise)
