"""Annotators in every survey but Spot The Bot: who they are, who is left out and why, and what changes with them in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators.controls import compare_everybody, controls_summary
from parlai_spotbot.findings.answers import Answers, Form
from parlai_spotbot.findings.control_words import controls_sentence, everybody_sentence, flagged_sentence
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.ids_words import strangers, unverified
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.findings.source_accounts import account
from parlai_spotbot.surveys.controls.exclusion import allowed_mistakes
from parlai_spotbot.surveys.controls.flags import flags_by_task
from parlai_spotbot.wording import counted

Ranked = Callable[[Answers, pd.DataFrame], dict]
"""The ranking by one question from its rows."""

NO_REASON = "never gave a reason"


def annotators(own: Answers, ranked: Ranked, main: str = "") -> dict:
    """One entry an annotator, who is left out and why; what changes with everybody in, and without who never gave a
    reason. `main` is the question told first, by default the first.
    """
    main = main or own.questions[0]
    result = about_annotators(own)
    if set(own.everyone["worker_id"]) & own.failed.keys():
        result["with_everybody"] = _compared(own, ranked, main, own.everyone, "With everybody's answers")
    return result


def _compared(own: Answers, ranked: Ranked, main: str, rows: pd.DataFrame, who: str) -> dict:
    """What changes in each question with other rows than the main ones; the main question's stands first."""
    found = {}
    for question in own.questions:
        kept, other = (ranked(own, part[part["question"] == question]) for part in (own.rows, rows))
        compared = compare_everybody(kept, other)
        found[question] = compared | {"sentence": everybody_sentence(compared, who)}
    return {"question": main, **found[main], "criteria": found}


def about_annotators(own: Answers) -> dict:
    """What is said in every survey: one entry an annotator, all together, and their controls."""
    controls = controls_summary(own.controls, allowed_mistakes(own.facts.survey), own.failed)
    table = annotators_table(own)
    return {
        "annotators": table,
        "account": account(own, table),
        "summary": annotators_summary(own),
        "controls": controls | {"sentence": controls_sentence(controls)},
        **told_of_ids(own),
    }


def told_of_ids(own: Answers) -> dict:
    """`ids` and `strangers`, of people, where it isn't sure who they are, and where the platform did not know some."""
    found = {"ids": unverified(own.facts.collection), "strangers": strangers(own.facts.collection)}
    return {key: {"sentence": said} for key, said in found.items() if said and own.crossed}


def annotators_table(own: Answers) -> dict[str, dict]:
    """One entry an annotator: annotations, units, seconds, controls, why left out, and what else is noted."""
    annotations = own.everyone.drop_duplicates("annotation_id")
    flags = flags_by_task(own.judgements, own.facts.conversations, own.facts.survey) if own.crossed else {}
    rows = {}
    for worker, mine in annotations.groupby("worker_id", sort=True):
        seconds = mine["seconds"]
        control = own.controls.get(worker, {"answered": 0, "missed": 0})
        rows[str(worker)] = {
            "n": len(mine),
            "units": int(mine["unit_id"].nunique()),
            "median_seconds": float(seconds.median()) if seconds.notna().any() else np.nan,
            "hours": float(seconds.sum() / 3600) if seconds.notna().any() else np.nan,
            "controls": control["answered"],
            "missed_controls": control["missed"],
            "left_out": own.failed.get(worker, ""),
            "flags": [*flags.get(str(worker), []), *([NO_REASON] if worker in own.silent else [])],
        }
    return rows


def annotators_summary(own: Answers) -> dict:
    """How many annotators there are, and how many are left out for each reason."""
    workers = set(own.everyone["worker_id"])
    out: dict[str, int] = {}
    for worker in sorted(workers & own.failed.keys()):
        out[own.failed[worker]] = out.get(own.failed[worker], 0) + 1
    reasons = "; ".join(f"{n} {why}" for why, n in out.items())
    tail = f", of whom are left out: {reasons}." if reasons else "; none is left out."
    return {"annotators": len(workers), "left_out": out, "sentence": f"{counted(len(workers), 'annotator')}{tail}"}


def summarise(result: Result) -> list[str]:
    """Return who annotated, who missed controls, who is flagged, and what changes with everybody in; [] of judges."""
    if not result.people:
        return []
    own = result.data
    text = [Fact.of("Annotators", own["summary"]["sentence"])] if "sentence" in own["summary"] else []
    if own["controls"]["answered"]:
        text.append(Fact.of("Controls", own["controls"]["sentence"]))
    text.append(Caution(flagged_sentence(own["annotators"], result.called)))
    text += [Caution(own["ids"]["sentence"])] if "ids" in own else []
    text += [own["strangers"]["sentence"]] if "strangers" in own else []
    text += [own[key]["sentence"] for key in ("with_everybody", "without_weak") if key in own]
    return text


TABLE = Table(
    "annotators/{worker_id}",
    {
        "worker_id": Column("annotator", "Annotator"),
        "n": Column("count", "Annotations"),
        "units": Column("count", "Units"),
        "median_seconds": Column("number", "Median seconds", digits=0),
        "hours": Column("number", "Hours", digits=1),
        "controls": Column("count", "Controls"),
        "missed_controls": Column("count", "Missed"),
        "left_out": Column("text", "Left out, because they"),
        "flags": Column("text", "Flags"),
    },
    "Annotators",
    "Those who are left out count in no other figure, those flagged in all.",
)


def finding(
    form: Form,
    compute: Callable[[Answers], dict],
    tables: Mapping[str, Table] | None = None,
    summarise: Callable[[Result], list[str]] = summarise,
) -> Finding:
    """Return the finding of a form of answers."""
    return Finding(
        "annotators",
        form,
        compute,
        tables={"annotators": TABLE, **(tables or {})},
        summarise=summarise,
        heading="Annotators",
        place=70,
    )
