"""Probes of a study: who answered, how far a judge can be trusted with an order, copies, prompts, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.answers import CONTROL
from parlai_spotbot.analysis.ratings import Means
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.analysis.verdict.mean_probes import mean_decider, mean_drift
from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED, Probe
from parlai_spotbot.analysis.verdict.probes import annotator_probe
from parlai_spotbot.records import HUMAN, Conversation, have_texts, is_named
from parlai_spotbot.sequential.looked import spent_level

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Answers
    from parlai_spotbot.findings.votes import Ballots

GUESSES = 0.8
"""A judge that changes its answers with the order at least so often as this part of what guessing would is led by the
order. Of two answers guessing changes half. Wang et al. (2024, ACL, "Large language models are not fair evaluators")
report 46 % for GPT-4 and 83 % for ChatGPT; Zheng et al. (2023, NeurIPS) 35 % for GPT-4."""

NAMED_FLIPS = 0.1
"""From this share of changed answers on the order is named beside the verdict."""

ALWAYS = 0.9
"""A judge that gives one answer in at least this share of cases tells nobody apart."""

COPIED = 0.5
"""Where at least this share of conversations are copies, the bots repeat themselves."""

RECUR = 2.0
"""Conversations per prompt from which prompts count as recurring."""

MUCH = 0.05
"""Answers left out are named from this share on."""

CLEAN = 0.05

SHOWN = 0.001
"""Smaller values of p aren't written out."""


def of_answers(answers: Answers, rows: pd.DataFrame) -> list[Probe]:
    """Return the probes of a study's answers; `rows` are those that are compared."""
    if answers.crossed:
        named = all(map(is_named, rows["worker_id"]))
        about = [annotator_probe(rows["worker_id"].value_counts().tolist(), named)]
        missing = answers.once("missing", missing_probe)
    else:
        about = judge_probes(answers.facts.judges.get(answers.source, {}), rows)
        missing = Probe("missing", GREEN)
    return [
        *about,
        copies_probe(answers.facts.copies, rows),
        prompts_probe(rows, "" if have_texts(answers.facts.conversations.values()) else "ratings"),
        missing,
        left_out_probe(answers.left_out, answers.used),
        unfinished_probe(answers),
        addressed_probe(answers.facts.addressed),
    ]


def of_means(
    answers: Answers, rows: pd.DataFrame, means: Means, scale: Sequence[float], questions: int = 1
) -> list[Probe]:
    """Return the probes of a study's answers and of the differences of `means` that `rate` made of the `rows`."""
    clusters = answers.clusters(rows)
    ends = (min(scale), max(scale))
    decider = mean_decider(rows, means.pairs[["a", "b", "p_errors"]], clusters, ends)
    drift = mean_drift(rows, clusters, ends, times_of(answers, rows), questions)
    return [*of_answers(answers, rows), decider, drift]


def of_votes(ballots: Ballots) -> list[Probe]:
    """Return the probes of an arena's votes."""
    recurring = _recurring(ballots.prompts, ballots.comparisons, "votes")
    if not ballots.crossed:
        return [recurring]
    has_worker = ballots.worker >= 0
    counts = np.bincount(ballots.worker[has_worker])
    people = annotator_probe(counts[counts > 0].tolist(), bool(has_worker.all()))
    return [people, recurring, left_out_probe(ballots.left_out, ballots.used)]


def times_of(answers: Answers, rows: pd.DataFrame) -> np.ndarray:
    """Return when each row was answered (n,), in seconds from the first; NaN where that isn't known."""
    submitted = answers.once(
        "submitted", lambda source_answers: {row.annotation_id: row.submitted_at for row in source_answers.judgements}
    )
    texts = rows["annotation_id"].map(submitted)
    times = pd.to_datetime(texts, format="ISO8601", utc=True, errors="coerce")
    return (times - times.min()).dt.total_seconds().to_numpy()


def judge_probes(judge: Mapping, rows: pd.DataFrame) -> list[Probe]:
    """Return the probes of an automatic judge: whether the order leads it, and whether it answers one thing always."""
    probes = []
    position = judge.get("position") or {}
    if position.get("n"):
        guessing = 1 - 1 / _kinds_of(rows)
        level = GREEN
        if position["rate"] >= GUESSES * guessing:
            level = RED
        elif position["rate"] >= NAMED_FLIPS:
            level = AMBER
        probes.append(Probe("flips", level, {**position, "guessing": guessing}))
    if len(rows) and ("value" in rows or "outcome" in rows):
        answer, share = _most_frequent(rows)
        most = ALWAYS
        if "value" in rows and rows["value"].isin((0, 1)).all():  # behaviours may be rare
            most = 1.0
        alike = share >= most and len(rows) > 1
        probes.append(_probe("floor", RED, alike, {"answer": answer, "share": share}))
    return probes


def _probe(name: str, level: str, detected: bool, figures: Mapping) -> Probe:
    """Return a probe that is of this level where something is `found`, else green."""
    return Probe(name, level if detected else GREEN, figures)


def _kinds_of(rows: pd.DataFrame) -> int:
    """Return how many answers a judge chose from: of a scale its values, of a comparison two or, with ties, three."""
    if "value" in rows and rows["value"].nunique() > 2:
        return 5
    if "value" not in rows and ("outcome" not in rows or (rows["outcome"] == 0).any()):
        return 3
    return 2


def _most_frequent(rows: pd.DataFrame) -> tuple[str, float]:
    """Return the most frequent answer that tells nobody apart, a tie or a value of a scale, and its share."""
    if "value" not in rows:
        return "tie", float((rows["outcome"] == 0).mean())
    counts = rows["value"].value_counts(normalize=True)
    return f"{counts.index[0]:g}", float(counts.iloc[0])


def copies_probe(copies: Mapping[str, str], rows: pd.DataFrame) -> Probe:
    """Probe whether conversations have the same text."""
    column = next(name for name in ("conversation_ids", "conversation_id") if name in rows)
    seen = set(rows[column].explode())
    same = {name: copies[name] for name in seen if name in copies}
    figures: dict = {"conversations": len(same), "clusters": len(set(same.values())), "of": len(seen)}
    if same:
        figures["case"] = "most" if len(same) >= COPIED * len(seen) else ""
    return _probe("copies", AMBER, bool(same), figures)


def prompts_probe(rows: pd.DataFrame, case: str = "") -> Probe:
    """Probe whether many conversations begin on few prompts."""
    if "prompt_id" not in rows:
        return Probe("prompts", GREEN)
    return _recurring(rows["prompt_id"].nunique(), rows["conversation_id"].nunique(), case)


def _recurring(prompts: int, talks: int, case: str = "") -> Probe:
    """Probe whether each prompt has enough conversations, or comparisons, for the result to be about these prompts."""
    recur = talks >= RECUR * prompts > 0
    figures = {"prompts": prompts, "conversations": talks, "case": ""}
    if recur:
        figures["case"] = case
    return _probe("prompts", AMBER, recur, figures)


def missing_probe(answers: Answers) -> Probe:
    """Probe whether people hand in fewer answers about items that show one of the contestants."""
    frame = _handed_in(answers)
    if not frame["missing"].any():
        return Probe("missing", GREEN)
    clusters = Clusters.by(frame["unit"])
    tests = []
    for name in sorted(frame["name"].unique()):
        means = group_means(frame["missing"].astype(float), frame["name"] == name, 2, clusters, (0.0, 1.0))
        rest, share = means.values.tolist()
        tests.append({"bot": name, "share": share, "rest": rest, "p": means.contrast(np.array([-1.0, 1.0]))["p"]})
    table = pd.DataFrame(tests).dropna()
    if table.empty:
        return Probe("missing", GREEN)
    table["p"] = adjust(table["p"].to_numpy())
    more = table["share"] > table["rest"]
    worst = best_first(table.to_dict("records"), -table["p"].where(more, 1.0))[0]
    return _probe("missing", AMBER, worst["p"] < CLEAN and worst["share"] > worst["rest"], worst)


def _handed_in(answers: Answers) -> pd.DataFrame:
    """Return a row for each contestant that an item of a unit shows, of units that were begun: name, unit, missing."""
    facts = answers.facts
    given = {(row.unit_id, row.item_id) for row in answers.judgements}
    begun = {unit for unit, _ in given}
    rows = []
    for unit, items in facts.units.items():
        if unit not in begun:
            continue
        for item in items:
            if item in facts.items:
                names = _shown(facts.items[item].conversation_ids, facts.conversations)
                rows += [(name, unit, (unit, item) not in given) for name in names]
    return pd.DataFrame(rows, columns=["name", "unit", "missing"])


def _shown(conversation_ids: Sequence[str], talks: Mapping[str, Conversation]) -> set[str]:
    """Return the contestants in an item's conversations."""
    return {name for one in conversation_ids if one in talks for name in talks[one].entities if name != HUMAN}


def left_out_probe(left_out: Mapping[str, int], used: int) -> Probe:
    """Probe whether many answers are left out, and why; those to controls are meant to be."""
    reasons = Counter({reason: count for reason, count in left_out.items() if reason != CONTROL})
    left = reasons.total()
    why = "; ".join(f"{count:,} × {reason}" for reason, count in reasons.most_common(2))
    return _probe("left_out", AMBER, left > MUCH * (left + used), {"left": left, "all": left + used, "why": why})


def unfinished_probe(answers: Answers) -> Probe:
    """Probe whether what was planned is answered, and whether somebody looked before it was."""
    facts = answers.facts
    units = len(facts.units)
    answered = len({row.unit_id for row in answers.judgements}.intersection(facts.units))
    figures = {"answered": answered, "units": units, "looks": len(facts.looks)}
    if answers.settled or not answers.crossed or not facts.collection:
        return Probe("unfinished", GREEN, figures)
    if facts.looks:
        looks = [(look["units"], look["of"]) for look in facts.looks if look["units"] < answered]
        level = spent_level(*zip(*looks, (answered, units), strict=True), alpha=CLEAN)
        case = "looked" if level >= SHOWN else "early"
        return Probe("unfinished", AMBER, figures | {"case": case, "level": level})
    return _probe("unfinished", AMBER, answered < units, figures)


def addressed_probe(addressed: Mapping[str, Sequence[str]]) -> Probe:
    """Probe whether turns speak to whoever judges."""
    conversations = len({name for names in addressed.values() for name in names})
    figures = {"bots": list(addressed), "conversations": conversations}
    return _probe("addressed", AMBER, conversations > 0, figures)
