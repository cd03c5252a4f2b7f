"""Accuracy of each annotator, and results without some of them (section 5.1, appendix G)."""

from collections.abc import Mapping

from parlai_spotbot.analysis import annotators
from parlai_spotbot.analysis.annotators.table import AMOUNTS
from parlai_spotbot.findings import annotators as annotators_finding
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, one_row
from parlai_spotbot.findings.source_accounts import account
from parlai_spotbot.findings.spotting import FORM, Annotations, ranking
from parlai_spotbot.surveys.controls.flags import MISSED, max_units_of, missed_some
from parlai_spotbot.wording import filled, number, upper_first


def compute(answers: Annotations) -> Found:
    """Compute one row an annotator, all together, and the ranking without those who are flagged."""
    people, items, work = answers.crossed, answers.by_item, answers.work
    given = work.rows[["nature0", "nature1", *answers.features]]
    rows = work.rows.assign(answers=list(given.itertuples(index=False, name=None)))
    max_units = max_units_of(answers.facts.survey) if people else None
    table = annotators.annotator_table(rows, work.entities, max_units, answers.options.min_correct)
    table = annotators_finding.with_controls(table, answers)
    for worker in missed_some(answers.judgements, answers.facts.survey) if people else ():
        if worker in table.index:
            table.at[worker, "flags"].append(MISSED)
    kept = table[table["left_out"] == ""]
    pooled = annotators.pooled_detection(items.entities, answers.together.take(answers.pages))
    result = {
        "annotators": table.reset_index(names="worker_id"),
        "account": account(answers, pooled),
        "summary": one_row(**annotators.summary(kept)),
        "controls": annotators_finding.told_of_controls(answers, answers.allowed),
        "pooled": one_row(**pooled),
    }
    flagged = [worker for worker, flags in kept["flags"].items() if set(flags) - set(AMOUNTS)]
    if people and answers.bots and flagged and not answers.one_side:
        result["without"] = annotators.rankings_without(answers.rows, answers.bots, flagged, answers.crossed)
    if answers.failed and len(answers.everyone) > len(answers.rows):
        rankings = (answers.once("ranking", ranking.ranked), ranking.ranked(answers.whole))
        changes = annotators_finding.what_changes(*rankings, "With everybody's annotations")
        result["with_everybody"] = one_row(**changes)
    return result


def detection_sentence(rates: Mapping, who: str) -> str:
    """Return how well all annotators together, or a judge, tell bots from people, and to which answer they lean."""
    if rates["sensitivity"] is None:
        return f"How well {who} told bots from people can't be measured: no bots, or no people, were judged."
    low, high = rates["bias_low"], rates["bias_high"]
    way = "quick" if (rates["bias"] or 0) < 0 else "slow"
    lean = "" if low is None or low <= 0 <= high else f", {way} to say “bot” (c {number(rates['bias'])})"
    return filled(
        "{0} called {1[hit]:percent} of bots and {1[false_alarm]:percent} of people bots: sensitivity d′ "
        "{1[sensitivity]:number}{2:ci_number}{3}; 0 is guessing. Always “bot” would be right in "
        "{1[always_bot]:percent}.",
        upper_first(who),
        rates,
        [rates["sensitivity_low"], rates["sensitivity_high"]],
        lean,
    )


def summarise(result: Result) -> list[str]:
    """Return how well annotators tell bots from people, and what is said of annotators in every survey."""
    return [detection_sentence(result.one("pooled"), result.who), *annotators_finding.summarise(result)]


FINDING = declared(__file__, FORM, compute, summarise)
