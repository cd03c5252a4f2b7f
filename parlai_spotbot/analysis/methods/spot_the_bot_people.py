"""Annotators in Spot The Bot: how they agree, how well they tell bots from people, what changes without some of them,
and how long they took (sections 5.1 and 5.3, appendix G, footnotes 3 and 9 of the paper).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from parlai_spotbot.analysis import agreement, annotators, worker_effects
from parlai_spotbot.analysis.annotators.controls import controls_summary
from parlai_spotbot.analysis.frames import FEATURES, matches_frame
from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates
from parlai_spotbot.analysis.time import compare_effort, seconds_table, time_summary
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.records import HUMAN

if TYPE_CHECKING:
    from parlai_spotbot.analysis.methods.spot_the_bot import Source

FEW = 5
"""With fewer annotators nothing is said of how they differ."""

MANY = 200_000
"""With more labels the model with annotators' effects would take minutes: it is left to who asks for it."""

PERMUTATIONS = 9999


def agreement_part(source: Source) -> dict:
    """agreement.json: Table 3, alphas over all and by length, and whether labels come in pairs (footnote 3)."""
    entities, rows = source.entities, source.annotations
    segment = rows["conversation_id"] + "\t" + rows["k"].astype(str)
    asked = {"nature": (segment.repeat(2).to_numpy() + "\t" + entities["entity"].astype(str).to_numpy(), entities)}
    asked |= {feature: (segment.to_numpy(), rows) for feature in FEATURES}
    crossed = source.name == HUMAN
    alphas, by_length, how = {}, {}, {"crossed": crossed, "resample": source.resample}
    for question, (units, frame) in asked.items():
        clusters = frame_clusters(frame, **how)
        alphas[question] = agreement.krippendorff_alpha(units, frame[question], clusters)
        lengths, test = agreement.alpha_by(units, frame[question], frame["k"], clusters)
        by_length[question] = {"lengths": lengths.to_dict(orient="records"), "test": test}
    _adjust(by_length)
    alike = agreement.alike_table(rows, rng=source.rng("alike"), permutations=PERMUTATIONS, crossed=crossed)
    return {
        "both_given_one": agreement.both_given_one(entities),
        "both_given_one_all": agreement.both_given_one(entities, "all"),
        "krippendorff_alpha": alphas,
        "krippendorff_alpha_by_length": by_length,
        "labelled_alike": alike.to_dict(orient="records"),
    }


def _adjust(by_length: dict[str, dict]) -> None:
    """Holm's correction over the questions, and the sentences."""
    tests = {question: entry["test"] for question, entry in by_length.items()}
    known = [question for question, test in tests.items() if np.isfinite(test["p"])]
    adjusted = dict(zip(known, adjust(np.array([tests[q]["p"] for q in known])).tolist(), strict=True))
    for question, test in tests.items():
        test["p_adjusted"] = adjusted.get(question, np.nan)
        test["sentence"] = agreement.alpha_sentence(test, question, "length", adjusted.get(question))


def annotators_part(source: Source) -> dict:
    """annotators.json: one entry an annotator, all together, rankings without those that rules catch, and with
    annotators' effects taken out.
    """
    people = source.name == HUMAN
    rules, whole = annotators.Rules(), source.everyone or source
    table = annotators.annotator_table(whole.annotations, whole.entities, limits=people, rules=rules)
    for column, key in (("controls", "answered"), ("missed_controls", "missed")):
        table[column] = [source.controls.get(worker, {}).get(key, 0) for worker in table.index]
    table["left_out"] = [source.failed.get(worker, "") for worker in table.index]
    for name, (_, workers) in source.marked.items():
        for worker in workers:
            table.at[worker, "flags"].append(name)
    kept = table[table["left_out"] == ""]
    result = {
        "annotators": table.to_dict(orient="index"),
        "summary": annotators.summary(kept, rules, source.marked) | {"left_out": _left_out(table)},
        "controls": controls_summary(source.controls, source.allowed, source.failed),
        "pooled": annotators.pooled_detection(source.entities, source.clusters.take(source.pages)),
        "worker_effects": _worker_effects(source),
    }
    if people and source.bots:
        rows = source.annotations
        rows = rows.assign(submitted=source.submitted) if any(source.submitted) else rows
        result["without"] = annotators.rankings_without(rows, source.bots, rules, source.resample, source.marked)
    return result


def _left_out(table: pd.DataFrame) -> dict[str, int]:
    """How many annotators of the table are left out, by the reason."""
    return {str(why): int(n) for why, n in table["left_out"][table["left_out"] != ""].value_counts().items()}


def _worker_effects(source: Source) -> dict:
    """The ranking with annotators' effects beside the raw one, or why there is none."""
    entities = source.entities
    why = None
    if entities["worker_id"].nunique() < FEW:
        why = f"fewer than {FEW} annotators: how they differ can't be told"
    elif len(entities) > MANY:
        why = f"more than {MANY} labels: the model would take minutes"
    elif len(source.bots) < 2 or entities["nature"].nunique() < 2:
        why = "fewer than two bots, or all labels are the same"
    if why:
        return {"ranking": [], "why": why}
    try:
        fit = worker_effects.worker_effects(entities, source.bots)
    except ValueError as err:  # one model that can't be fitted must not take all else with it
        return {"ranking": [], "why": f"these data don't allow the model: {err}"}
    rates = win_rates(win_matrix(matches_frame(source.annotations), source.bots))
    table = worker_effects.beside_raw(fit, dict(zip(source.bots, rates.tolist(), strict=True)))
    return {
        "ranking": table.to_dict(orient="records"),
        "pairs": fit.pairs().to_dict(orient="records"),
        "sd": fit.sd,
        "human": dict(zip(("effect", "low", "high"), fit.human, strict=True)),
        "position": dict(zip(("effect", "low", "high"), fit.position, strict=True)),
        "annotators": fit.annotators.to_dict(orient="index"),
        "sentence": worker_effects.who_moved(table, fit.sd),
    }


def time_part(source: Source) -> dict:
    """time.json: seconds over all and by length, hours and cost; the effort against people who talk to the bots."""
    rows = source.annotations.assign(source=source.name)
    by_length = seconds_table(rows, source.clusters).drop(columns="source")
    result = time_summary(rows, source.wage) | {"by_length": by_length.to_dict(orient="records")}
    talks = rows[rows["a"] != HUMAN]
    if result["n"] and len(source.bots) > 1 and len(talks):
        conversations = talks["conversation_id"].nunique()
        pairs = len(source.bots) * (len(source.bots) - 1) / 2
        effort = compare_effort(
            len(source.bots),
            seconds=result["mean"],
            conversations_per_pair=conversations / pairs,
            annotations_per_conversation=len(talks) / conversations,
            human_annotations=len(rows) - len(talks),
        )
        result["effort"] = asdict(effort)
    return result


def agreement_rows(own: dict):
    """Rows of the flat tables: (table, row)."""
    for table, key in (("agreement", "both_given_one"), ("agreement_all_segments", "both_given_one_all")):
        for name, labels in own[key].items():
            for label, entry in labels.items():
                yield table, {"name": name, "label": label, **entry}
    for question, entry in own["krippendorff_alpha"].items():
        low, high = entry["ci"]
        yield "agreement_alpha", {"question": question, "alpha": entry["alpha"], "low": low, "high": high}
    for question, entry in own["krippendorff_alpha_by_length"].items():
        for row in entry["lengths"]:
            row = {"exchanges": row["group"], **{key: row[key] for key in ("n", "alpha", "low", "high")}}
            yield (
                "agreement_alpha_by_length",
                {
                    "question": question,
                    **row,
                    "p_equal": entry["test"]["p"],
                    "p_equal_adjusted": entry["test"]["p_adjusted"],
                },
            )
    for row in own["labelled_alike"]:
        yield "agreement_labelled_alike", row


def annotator_rows(own: dict):
    """Rows of the flat tables: (table, row)."""
    for worker, entry in own["annotators"].items():
        yield "annotators", {"worker_id": worker, **entry, "flags": "; ".join(entry["flags"])}
    for name, entry in own.get("without", {}).items():
        kept = {key: entry[key] for key in ("rule", "annotations", "annotators", "n", "sentence")}
        for place, bot in enumerate(entry["order"], start=1):
            low, high = entry["win_rate_ci"][bot]
            rate = {"win_rate": entry["win_rate"][bot], "win_rate_low": low, "win_rate_high": high}
            yield "annotators_without", {"without": name, "place": place, "bot": bot, **rate, **kept}
    for row in own["worker_effects"]["ranking"]:
        yield "annotators_worker_effects", row


def time_rows(own: dict):
    """Rows of the flat tables: (table, row)."""
    yield "time", {key: own[key] for key in ("n", "median", "mean", "hours", "cost")}
    for row in own["by_length"]:
        yield "time_by_length", row
