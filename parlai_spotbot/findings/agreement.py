"""Agreement between annotators by question, in every survey but Spot The Bot: computed, told, as rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.annotators.models import annotator_models
from parlai_spotbot.findings.alpha_words import alpha_in_words
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Result, Rows, flat
from parlai_spotbot.findings.sections import Chart, Section, Table
from parlai_spotbot.wording import NONE, interval, listed, number, percent, plainly

Units = Callable[[pd.DataFrame], Sequence[str]]
"""What each of some rows is about."""

MODELS = {"dawid_skene": "Dawid and Skene's model", "glad": "GLAD"}
VARIANTS = "Variants of one judge are no annotators: this says nothing of how far people agree."
"""What a reader must know where the answers compared are those of one judge."""

CONSENSUS = ("dawid1979", "whitehill2009", "ustalov2024")


def agreement(own: Answers, value: str, unit: Units, metric: str) -> dict:
    """Krippendorff's alpha per question, over what was judged twice or more; `value` is the column of numbers."""
    found = {}
    for question in own.questions:
        rows = own.to(question)
        alpha = krippendorff_alpha(unit(rows), rows[value], own.clusters(rows), metric)
        found[question] = alpha_in_words(alpha)
    return {"krippendorff_alpha": found, "metric": metric}


def annotators_by_models(own: Answers, unit: Units, answer: Callable[[pd.DataFrame], pd.Series], what: str) -> dict:
    """`annotator_models` by question, see `Consensus.to_dict`; {} for a judge, whose variants are no annotators.

    `answer` makes the labels of rows; `what` they are, see `analysis.annotators.models.annotator_models`.
    """
    if not own.crossed:
        return {}
    of = {question: own.to(question) for question in own.questions}
    models = {q: annotator_models(unit(rows), rows["worker_id"], answer(rows), what) for q, rows in of.items()}
    return {"annotator_models": {question: found.to_dict() for question, found in models.items()}}


def tell(result: Result) -> list[Section]:
    """Tell whether annotators agree, or a judge with itself, and what models of annotators make of their answers."""
    own, people = result.data, result.people
    heading = "Do annotators agree?" if people else "Is the judge consistent with itself?"
    label = "Agreement" if people else "Consistency of the judge with itself"
    rows, points = [], []
    for question, found in own["krippendorff_alpha"].items():
        rows.append(
            (
                plainly(question),
                number(found["alpha"]),
                interval(found["ci"], 2, share=False),
                percent(found["alike"]),
                str(found["units"]),
            )
        )
        if found["alpha"] is not None:
            low, high = found["ci"]
            points.append({"label": plainly(question), "estimate": found["alpha"], "low": low, "high": high})
    table = Table(
        "Agreement between annotators" if people else label,
        "1 is perfect agreement, 0 what chance would give. Only what was judged by two or more counts."
        + ("" if people else f" {VARIANTS}"),
        ("question", "alpha", "95 % interval", "answers alike", "judged twice"),
        rows,
        method=f"Krippendorff's alpha, {own['metric']}; intervals over conversations and annotators.",
        cite=("hayes2007",),
    )
    known = [row for row in points if row["estimate"] is not None]
    if not known:
        why = "; ".join(dict.fromkeys(found["why"] for found in own["krippendorff_alpha"].values() if "why" in found))
        unknown = f"It isn't known: {why or 'nothing was answered'}."
        return [Section("agreement", heading, [unknown], how=((label, unknown),))]
    best, worst = max(known, key=lambda r: r["estimate"]), min(known, key=lambda r: r["estimate"])
    sentence = "Alpha" if people else "Alpha between variants of the judge"
    sentence += f" is {number(best['estimate'])} for {best['label']}"
    sentence += f" and {number(worst['estimate'])} for {worst['label']}." if len(known) > 1 else "."
    chart = Chart(
        "agreement",
        "forest",
        f"{label}, by question",
        "Lines are 95 % intervals; 0 is what chance gives.",
        {"rows": points, "reference": 0.0, "x": "Krippendorff's alpha"},
        sentence,
    )
    several, (text, tables) = len(known) > 1, consensus(own.get("annotator_models", {}), result)
    noted: dict[str, list[str]] = {}
    for question, found in own["krippendorff_alpha"].items():
        if said := found.get("why") or found.get("note"):
            noted.setdefault(said, []).append(plainly(question))
    text = [f"Of {listed(of)}: {said}." for said, of in noted.items()] + text
    text += [] if people else [VARIANTS]
    return [
        Section(
            "agreement",
            heading,
            ([] if several else [sentence]) + text,
            [chart] if several else [],
            [table, *tables],
            how=((label, sentence),),
        )
    ]


def consensus(own: Mapping[str, dict], result: Result) -> tuple[list[str], list[Table]]:
    """What annotator models add to the majority's labels, by question: sentences, and tables."""
    fitted = {q: found for q, found in own.items() if any("why" not in told for told in found["models"].values())}
    if not fitted:
        return [], []
    text, rows = [], []
    for model, name in MODELS.items():
        told = [found["models"][model] for found in fitted.values() if "why" not in found["models"][model]]
        if told:
            differ, of = (sum(entry[key] for entry in told) for key in ("differ", "of"))
            text.append(f"{name} labels {differ} of {of} units otherwise than the majority of their annotators.")
    for question, found in fitted.items():
        cells = [NONE if "why" in told else f"{told['differ']} of {told['of']}" for told in found["models"].values()]
        rows.append((plainly(question), str(found["units"]), str(found["ties"]), *cells))
    labels = Table(
        "Labels by majority and by annotator models",
        "How many units get another label where annotators count by how good they are; only what two or more judged.",
        ("question", "judged twice", "no majority", *(f"otherwise by {name}" for name in MODELS.values())),
        rows,
        folded=len(rows) > LONG,
        cite=tuple(CONSENSUS),
        method="Dawid and Skene's model gives each annotator a confusion matrix, GLAD an ability, and each unit a "
        "difficulty. Both take it that each unit has one right label; other figures of this page don't use them.",
    )
    return text, [labels, _quality(fitted, result)]


def _quality(fitted: Mapping[str, dict], result: Result) -> Table:
    """How good annotators are, over all questions, by how much they answered."""
    sums: dict[str, dict[str, list[float]]] = {}
    for found in fitted.values():
        for worker, entry in found["annotators"].items():
            for key in ("answers", "majority", "accuracy", "ability"):
                if entry[key] is not None:
                    total = sums.setdefault(worker, {}).setdefault(key, [0.0, 0.0])
                    total[0] += entry["answers"] * (1 if key == "answers" else entry[key])
                    total[1] += entry["answers"]
    means = {worker: {key: a / b for key, (a, b) in own.items()} for worker, own in sums.items()}
    rows = [
        (
            result.called(worker),
            f"{sums[worker]['answers'][1]:.0f}",
            percent(own.get("majority")),
            percent(own.get("accuracy")),
            number(own.get("ability")),
        )
        for worker, own in sorted(means.items(), key=lambda item: item[1].get("accuracy") or 0)
    ]
    return Table(
        "How good annotators are by these models",
        "Over all questions, the least likely to be right first. Few answers make uncertain figures.",
        ("annotator", "answers", "as the majority", "likely right", "ability"),
        rows,
        folded=len(rows) > LONG,
        cite=tuple(CONSENSUS),
        method="Likely right: by Dawid and Skene's model, on average over answers. Ability: by GLAD; 0 is right half "
        "of the time.",
    )


def rows(own: Mapping) -> Rows:
    """Rows of the tables agreement, annotator_models, annotator_models_annotators and annotator_models_differing."""
    for question, row in own["krippendorff_alpha"].items():
        yield "agreement", {"question": question, "metric": own["metric"], **flat(row)}
    for question, row in own.get("annotator_models", {}).items():
        for model, told in row["models"].items():
            said = {"units": row["units"], "ties": row["ties"], "model": model}
            yield "annotator_models", {"question": question, **said, **told}
        for worker, entry in row["annotators"].items():
            matrix = entry.get("confusion", {})
            shares = {f"{given}_where_{right}": p for right, own in matrix.items() for given, p in own.items()}
            said = {key: entry[key] for key in ("answers", "majority", "accuracy", "ability")}
            yield "annotator_models_annotators", {"question": question, "worker_id": worker, **said, **shares}
        for unit in row["differing"]:
            yield "annotator_models_differing", {"question": question, **unit}
