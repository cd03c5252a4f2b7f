"""Agreement of annotators (section 5.1, Table 3), and of the labels of both entities (footnote 3)."""

from collections.abc import Mapping

import pandas as pd

from parlai_spotbot.analysis import agreement
from parlai_spotbot.findings.agreement import alpha_row
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.render import Fact
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.wording import INTERVAL, filled, number, points, to

CONSISTENCY = "Consistency of the judge with itself"


def compute(answers: Annotations) -> Found:
    """Table 3, alphas, and whether labels come in pairs (footnote 3)."""
    answers = answers.by_item
    entities, rows = answers.entities, answers.rows
    segment = rows["conversation_id"] + "\t" + rows["k"].astype(str)
    asked = {"nature": (segment.to_numpy()[answers.pages] + "\t" + entities["entity"].astype(str).to_numpy(), entities)}
    asked |= {feature: (segment.to_numpy(), rows) for feature in answers.features}
    alphas = [
        alpha_row(question, units, frame[question], answers.clusters(frame))
        for question, (units, frame) in asked.items()
    ]
    return {
        "alpha": pd.DataFrame(alphas),
        "again": agreement.both_given_one(entities),
        "labelled_alike": agreement.alike_table(rows.dropna(subset=["nature0", "nature1"]), answers.crossed),
    }


def alike_sentence(row: Mapping) -> str:
    """Return whether the two entities of a conversation get the same label more often than chance would have it."""
    clear = "" if row["p"] is not None and row["p"] < 0.05 else ", no more than chance explains"
    return filled(
        "Of conversations between two {conversations}, {observed:percent} got the same label twice; chance gives "
        "{expected:percent}: {excess:points} points{ends}{clear} ({p:p_said}).",
        **row,
        ends=to([row["excess_low"], row["excess_high"]], points, INTERVAL),
        clear=clear,
    )


def summarise(result: Result) -> list[str]:
    """Return alpha on who is human, and whether labels come in pairs."""
    nature = result.one("alpha")
    if nature["alpha"] is None:
        return [f"Agreement on who is human is not known: {nature['why']}."]
    alpha = f"{number(nature['alpha'])}{to([nature['alpha_low'], nature['alpha_high']], number, INTERVAL)}"
    whose = "" if result.people else " between the variants of the judge, which are no annotators,"
    text = f"On who is human, Krippendorff's alpha{whose} is {alpha}; 1 is perfect, 0 is chance."
    alike = [alike_sentence(row) for row in result.rows("labelled_alike") if row["conversations"] == "bots"]
    return [Fact.of("Agreement" if result.people else CONSISTENCY, text), *alike[:1]]


FINDING = declared(__file__, FORM, compute, summarise)
