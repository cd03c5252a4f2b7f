"""Agreement of annotators (section 5.1, Table 3), and of the labels of both entities (footnote 3)."""

from collections.abc import Iterator, Mapping

import pandas as pd

from parlai_spotbot.analysis import agreement
from parlai_spotbot.findings.agreement import alpha_row, fact
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, ends
from parlai_spotbot.findings.schema import all_known
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.wording import INTERVAL, filled, in_brackets, points


def compute(answers: Annotations) -> Found:
    """Table 3, alphas, and whether labels come in pairs (footnote 3)."""
    answers = answers.by_item
    rows = answers.rows
    segments = (rows["conversation_id"] + "\t" + rows["k"].astype(str)).to_numpy()
    entities = answers.entities.assign(unit=segments[answers.pages])
    entities["unit"] += "\t" + entities["entity"].astype(str)
    alphas = [alpha_row("nature", entities["unit"], entities["nature"], answers.clusters(entities))]
    alphas += [alpha_row(name, segments, rows[name], answers.clusters(rows)) for name in answers.features]
    return {
        "alpha": alphas,
        "lengths": list(_by_length(answers, entities)),
        "again": agreement.both_given_one(entities),
        "labelled_alike": agreement.alike_table(rows.dropna(subset=["nature0", "nature1"]), answers.crossed),
    }


def _by_length(answers: Annotations, entities: pd.DataFrame) -> Iterator[dict]:
    """Yield the alpha on who is human of each length of segments; nothing where all have one length."""
    if entities["k"].nunique() < 2:
        return
    for k, rows in entities.groupby("k", sort=True):
        yield {"exchanges": k, **alpha_row("nature", rows["unit"], rows["nature"], answers.clusters(rows))}


def alike_sentence(row: Mapping) -> str:
    """Return whether the two entities of a conversation get the same label more often than chance would have it."""
    text = "Of conversations between two {conversations}, {observed:percent} got the same label twice; chance gives "
    if not all_known(row["p"]):
        return filled(text + "{expected:percent}; there are too few conversations or annotators to say more.", **row)
    clear = ", no more than chance explains"
    if row["p"] < 0.05:
        clear = ""
    return filled(
        text + "{expected:percent}: {excess:points} points{0}{1} ({p:p_said}).",
        in_brackets(ends(row, "excess"), points, INTERVAL),
        clear,
        **row,
    )


def summarise(result: Result) -> list[str]:
    """Return alpha on who is human, and whether labels come in pairs."""
    nature = result.one("alpha")
    if nature["alpha"] is None:
        return [f"Agreement on who is human is not known: {nature['why']}."]
    whose = ""
    if not result.people:
        whose = " between the variants of the judge, which are no annotators,"
    text = "On who is human, Krippendorff's alpha{0} is {alpha:number}{1:ci_number}; 1 is perfect, 0 is chance."
    alike = [alike_sentence(row) for row in result.rows("labelled_alike") if row["conversations"] == "bots"]
    return [fact(result, filled(text, whose, ends(nature, "alpha"), **nature)), *alike[:1]]


FINDING = declared(__file__, FORM, compute, summarise)
