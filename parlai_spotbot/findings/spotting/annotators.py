"""Accuracy of each annotator, and results without some of them (section 5.1, appendix G)."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from parlai_spotbot.analysis import annotators
from parlai_spotbot.analysis.annotators.controls import compare_everybody, controls_summary
from parlai_spotbot.findings import annotators as annotators_finding
from parlai_spotbot.findings.annotators import told_of_ids
from parlai_spotbot.findings.control_words import controls_sentence, everybody_sentence
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.findings.source_accounts import account
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.annotators_words import detection_sentence, rankings_in_words, rules_in_words
from parlai_spotbot.findings.spotting.ranking import ranked
from parlai_spotbot.surveys.controls.flags import MISSED, missed_some, rules_of

MISSED_SOME = "missed controls, though no more than are allowed"


def compute(answers: Annotations) -> dict:
    """Compute one entry an annotator, all together, and rankings without those that rules catch."""
    people, items = answers.crossed, answers.by_item
    rules, whole = replace(rules_of(answers.facts.survey), min_correct=answers.options.min_correct), answers.whole
    table = annotators.annotator_table(answers.work.rows, answers.work.entities, limits=people, rules=rules)
    for column, key in (("controls", "answered"), ("missed_controls", "missed")):
        table[column] = [answers.controls.get(worker, {}).get(key, 0) for worker in table.index]
    table["left_out"] = [answers.failed.get(worker, "") for worker in table.index]
    also = _marked(answers)
    for name, workers in also.items():
        for worker in workers:
            table.at[worker, "flags"].append(name)
    kept = table[table["left_out"] == ""]
    words = rules_in_words(rules) | {MISSED: MISSED_SOME}
    summary = annotators.summary(kept, rules, also) | {"left_out": _left_out(table)}
    summary["flags"] = {name: {"rule": words[name], **flag} for name, flag in summary["flags"].items()}
    controls = controls_summary(answers.controls, answers.allowed, answers.failed)
    pooled = annotators.pooled_detection(items.entities, answers.together.take(answers.pages))
    entries = table.to_dict(orient="index")
    result = {
        "annotators": entries,
        "account": account(answers, entries, pooled),
        "summary": summary,
        "controls": controls | {"sentence": controls_sentence(controls)},
        "pooled": pooled | {"sentence": detection_sentence(pooled)},
        **told_of_ids(answers),
    }
    if people and answers.bots:
        rows = answers.rows
        rows = rows.assign(submitted=answers.submitted) if any(answers.submitted) else rows
        without = annotators.rankings_without(rows, answers.bots, rules, answers.resample, also)
        result["without"] = rankings_in_words(without, words)
    if answers.failed and len(answers.everyone) > len(answers.rows):
        beside = compare_everybody(answers.once("ranking", ranked), ranked(whole))
        sentence = everybody_sentence(beside, "With everybody's annotations")
        result["with_everybody"] = beside | {"sentence": sentence}
    return result


def _marked(answers: Annotations) -> dict[str, list[str]]:
    """Return annotators that no rule on answers catches: those who missed controls."""
    labelled = set(answers.whole.rows["worker_id"])
    missed = [worker for worker in missed_some(answers.judgements, answers.facts.survey) if worker in labelled]
    return {MISSED: missed} if missed and answers.crossed else {}


def _left_out(table: pd.DataFrame) -> dict[str, int]:
    """Return how many annotators of the table are left out, by the reason."""
    return {str(why): int(n) for why, n in table["left_out"][table["left_out"] != ""].value_counts().items()}


def summarise(result: Result) -> list[str]:
    """Return how well annotators tell bots from people, and what is said of annotators in every survey."""
    pooled = result.data["pooled"]["sentence"]
    return [pooled, *annotators_finding.summarise(result)]


TABLE = Table(
    "annotators/{worker_id}",
    {
        "worker_id": Column("annotator", "Annotator"),
        "n": Column("count", "Annotations"),
        "units": Column("count"),
        "correct": Column("share", "Correct"),
        "balanced_accuracy": Column("share"),
        "sensitivity": Column("number", "Sensitivity d′", ci=("sensitivity_low", "sensitivity_high")),
        "bias": Column("number", ci=("bias_low", "bias_high")),
        "median_seconds": Column("number"),
        "hours": Column("number"),
        "controls": Column("count", "Controls"),
        "missed_controls": Column("count", "Missed"),
        "left_out": Column("text", "Left out, because they"),
        "flags": Column("text", "Flags"),
    },
    "Annotators",
    "Always the same answer has sensitivity 0; a positive bias is slow to say bot. Shares "
    "of 0 and 1 are moved off the edge by half an answer (log-linear). Those left out count in no other figure, those "
    "flagged in all.",
    ("hautus1995",),
)
WITHOUT = Table(
    "without/{removed}/{column}/{bot}",
    {
        "removed": Column("text", "Without"),
        "bot": Column("name", "Bot"),
        "win_rate": Column("share", "Win rate", ci="win_rate_ci"),
    },
    "Win rates without flagged annotations",
    'Computed again without the annotations that a rule catches; "raw" is the ranking above.',
    ("deriu2020",),
)
CAPTION = "Sensitivity (telling bots from people) against bias (right: slow to say bot), by annotator; 0 is guessing."

FINDING = Finding(
    "annotators",
    FORM,
    compute,
    tables={"annotators": TABLE, "without": WITHOUT},
    summarise=summarise,
    heading="Annotators",
    chart=Chart("scatter", "annotators", x="bias", y="sensitivity", caption=CAPTION),
    place=70,
    options=("min_correct",),
)
