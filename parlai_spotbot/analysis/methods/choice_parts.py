"""The parts of surveys that ask which of two conversations is better: ACUTE-Eval, and Comparative with its ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.choices import (
    choice_frame,
    compare_wordings,
    cycle_test,
    fit_test,
    known_pairs,
    pair_grid,
    same_test,
    share_test,
)
from parlai_spotbot.analysis.choices.chat_kinds import compare_kinds
from parlai_spotbot.analysis.methods import shared_parts
from parlai_spotbot.analysis.methods.driver import Frame, Source, Study
from parlai_spotbot.analysis.planning.cost_curve import Choices, cost_curve, hour_grid
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.texts.degeneration import call_responses, degeneration

CRITERION = "share of points (neither is half) by Davidson's model, had all contestants met equally often"
TEST = (
    "difference of log strengths by Davidson's model of all choices over its standard error clustered by conversations "
    "and by annotators, Holm-adjusted over the pairs of a question; an exact test is its floor where choices are few "
    "or one-sided; p_pair is of the pair's own decided choices alone"
)


def frame(tie: bool) -> Frame:
    """The rows of a choice survey, see `choice_frame`; `tie`: whether "neither" is an answer."""

    def rows(answers: pd.DataFrame, study: Study) -> tuple[pd.DataFrame, dict[str, int]]:
        source = answers["source"].iloc[0] if len(answers) else ""
        told = {annotation: study.presentation[source, annotation] for annotation in set(answers["annotation_id"])}
        return choice_frame(answers, study.conversations, study.items, told, tie=tie)

    return rows


def names(rows: pd.DataFrame) -> set[str]:
    return set(rows["a"]) | set(rows["b"])


def ranked(source: Source, rows: pd.DataFrame) -> dict:
    """Order, win grid and circles of the choices of one question."""
    question = rows["question"].iloc[0] if len(rows) else ""
    rows = rows[rows["a"] != rows["b"]]
    seen = names(rows)
    own = [name for name in source.names if name in seen]
    how = {"crossed": source.crossed, "resample": source.resample}
    found = contrasts(rows, own, order=False, **how)
    place = {name: i for i, name in enumerate(found.names)}
    grid = pair_grid(rows, own, **how)
    clustered = sum(not row["independent"] for row in grid)
    result = {
        "order": found.ranked if found.clusters is not None else own,
        "clusters": {name: found.places[place[name]].tolist() for name in found.ranked},
        "criterion": CRITERION,
        "score": {name: found.score[place[name]] for name in found.ranked},
        "score_ci": {name: found.score_ci[place[name]].tolist() for name in found.ranked},
        "strength": {
            name: {"strength": found.strength[place[name]], "ci": found.ci[place[name]].tolist()}
            for name in found.ranked
        },
        "pairs": with_contrasts(grid, found),
        "test": TEST,
        "clustering": _clustering(len(grid), clustered),
        "cycles": cycle_test(grid, own),
        "fit": fit_test(rows, own, grid, rng=source.rng(f"fit {question}")),
        "shares": _shares(rows, found.ranked, **how),
        "n": len(rows),
        "ties": float((rows["outcome"] == 0).mean()) if len(rows) else np.nan,
        "bootstrap": source.bootstrap(),
    }
    return result | ({"why": found.why} if found.why else {})


def with_contrasts(grid: Sequence[dict], found: Contrasts) -> list[dict]:
    """The rows of `pair_grid` with the difference that all choices together tell of, and its p and p_adjusted.

    The pair's own p is `p_pair`.
    """
    of = {(row["a"], row["b"]): row for row in found.pairs.to_dict(orient="records")}
    rows = []
    for row in grid:
        model = of[row["a"], row["b"]]
        rows.append(
            {**row, "p_pair": row["p"], "difference": model["difference"],
             "difference_ci": (model["low"], model["high"]), "p": model["p"], "p_adjusted": model["p_adjusted"]}
        )  # fmt: skip
    return rows


def _shares(rows: pd.DataFrame, order: Sequence[str], **how) -> dict[str, dict]:
    """Of all choices that a contestant was in: the shares won, neither, and lost, each with its interval."""
    result = {}
    for name in order:
        own = rows[(rows["a"] == name) | (rows["b"] == name)]
        seen = np.where(own["a"] == name, own["outcome"], -own["outcome"])
        clusters = frame_clusters(own, **how)
        tests = {
            what: share_test(seen == value, clusters) for what, value in (("won", 1), ("neither", 0), ("lost", -1))
        }
        result[name] = {"n": len(own)} | {
            what: {"share": test["estimate"], "ci": test["ci"]} for what, test in tests.items()
        }
    return result


def _clustering(pairs: int, clustered: int) -> str:
    if not clustered:
        return (
            "In no pair does a conversation or an annotator come twice: choices are independent, and the exact test "
            "and interval hold."
        )
    return (
        f"In {clustered} of {pairs} pairs conversations or annotators come more than once: choices hang together "
        "there, and tests and intervals allow for it."
    )


def ranking_part(source: Source) -> dict:
    """ranking.json: the first question's at the top, all under `criteria`."""
    criteria = {q: ranked(source, source.rows[source.rows["question"] == q]) for q in source.questions}
    main = source.questions[0]
    return {**criteria[main], "question": main, "criteria": criteria, "bootstrap": source.bootstrap()}


def agreement_part(source: Source) -> dict:
    """agreement.json: over pairs of conversations; which of them stood first doesn't matter. Of each pair the choice is
    "first" or "second" by their ids.
    """
    swapped = [own[0] > own[1] for own in source.rows["conversation_ids"]]
    rows = source.rows.assign(chosen=np.where(swapped, -source.rows["outcome"], source.rows["outcome"]))

    def pair(own: pd.DataFrame) -> Sequence[str]:
        return [" ".join(sorted(ids)) for ids in own["conversation_ids"]]

    def chosen(own: pd.DataFrame) -> pd.Series:
        return own["chosen"].map({1: "first", 0: "neither", -1: "second"})

    turned, ties = replace(source, rows=rows), bool((rows["outcome"] == 0).any())
    found = shared_parts.agreement_part(turned, "chosen", pair, "ordinal" if ties else "nominal")
    return found | shared_parts.consensus_part(turned, pair, chosen, "choice")


def same_part(source: Source) -> dict:
    """same.json: contestants against themselves, and how often the left conversation is chosen of all."""
    how = {"crossed": source.crossed, "resample": source.resample}
    tests, sides = {}, {}
    for question in source.questions:
        rows = source.rows[source.rows["question"] == question]
        tests[question] = same_test(rows, **how)
        sided = rows[rows["left"].notna()]
        if len(sided):
            sides[question] = share_test((sided["left"] > 0).to_numpy(), frame_clusters(sided, **how))
    result: dict = {"tests": tests, "left": sides}
    if not any(tests.values()):
        result["why"] = "no contestant was compared with itself"
    return result


def chats_part(source: Source) -> dict:
    """chats.json: self-chats against conversations with people, who degenerates in self-chat, what is learnt by
    heart."""
    study, main = source.study, source.questions[0]
    rows = source.rows[(source.rows["question"] == main) & (source.rows["a"] != source.rows["b"])]
    talks = list(study.conversations.values())
    bots = [name for name in source.names if name in study.bots] or [n for n in source.names if n != "human"]
    kinds = compare_kinds(
        rows, source.names, rng=source.rng("kinds"), replicates=source.bootstraps, crossed=source.crossed,
        resample=source.resample,
    )  # fmt: skip
    return {
        "question": main,
        **kinds,
        "degeneration": study.once("degeneration", lambda: degeneration(talks, bots)),
        "training": study.once("training", lambda: call_responses(talks, study.training, study.training_why)),
    }


def wordings_part(source: Source) -> dict:
    """wordings.json: agreement per wording on pairs whose better one is known, and which wordings differ.

    `texts` holds what was asked, by the question's name, where the survey is known.
    """
    found = compare_wordings(
        source.rows, known_pairs(source.study.known_order), crossed=source.crossed, resample=source.resample
    )  # fmt: skip
    survey = source.study.survey
    texts = {q.name: q.wording for q in survey.questions if q.name in found["wordings"]} if survey else {}
    return found | {"texts": texts}


def annotators_part(source: Source) -> dict:
    return shared_parts.annotators_part(source, ranked)


def cost_part(source: Source) -> dict:
    """cost.json: the chance of a significant result by hours, for every pair and the first question."""
    seconds, main = shared_parts.mean_seconds(source), source.questions[0]
    if not np.isfinite(seconds):
        return {"question": main, "curves": [], "why": "no annotation has a time"}
    rows = source.rows[(source.rows["question"] == main) & (source.rows["a"] != source.rows["b"])]
    grid = pair_grid(rows, source.names, crossed=source.crossed, resample=source.resample)
    hours = hour_grid(seconds * max((row["n"] for row in grid), default=1) / 3600)
    curves = []
    for row in grid:
        decided = row["wins_a"] + row["wins_b"]
        # Where choices hang together, each independent one takes so many annotations.
        deff = decided / row["effective"] if row["effective"] else 1.0
        sample = Choices(row["wins_a"], row["wins_b"], row["ties"])
        curve = cost_curve(sample, seconds * deff, hours, rng=source.rng("cost"), interval=row["ci"])
        curves.append({"a": row["a"], "b": row["b"], "n": row["n"], "design_effect": deff, **curve.to_dict()})
    return {"question": main, "seconds": seconds, "curves": curves}


def contests(source: Source) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """For trust.json: the matches that answers decide, and how much either judged speaker says."""
    both = [source.rows] if source.people is None else [source.rows, source.people.rows]
    known = pd.concat(both).drop_duplicates("item_id").set_index("item_id")[["a", "b", "conversation_ids"]]
    said = [said_by_judged(source.study, item, ids, (a, b)) for item, a, b, ids in known.itertuples(name=None)]
    known[["words_a", "words_b"]] = np.array(said).reshape(-1, 2)
    outcomes = {"conversation:0": 1, "neither": 0, "conversation:1": -1}

    def of(answers: pd.DataFrame) -> pd.DataFrame:
        rows = answers[["annotation_id", "worker_id", "item_id", "conversation_id"]].copy()
        rows["criterion"] = answers["question"]
        for column in ("a", "b", "words_a", "words_b"):
            rows[column] = answers["item_id"].map(known[column])
        rows["outcome"] = answers["answer"].map(outcomes)
        return rows[rows["a"] != rows["b"]]

    return of


def said_by_judged(study: Study, item_id: str, ids: Sequence[str], names: Sequence[str]) -> tuple[float, float]:
    """How many words the judged speaker of each of two conversations says, had both as many turns.

    Words a turn times the turns that the two have on average: the longer conversation is nobody's merit.
    """
    item, turns = study.items.get(item_id), []
    for place, (identity, name) in enumerate(zip(ids, names, strict=True)):
        if item is not None and item.judged:
            shown = item.transcripts[place]
            texts = [turn.text for turn in shown if turn.entity == item.judged[place]]
        else:
            texts = [turn.text for turn in study.conversations[identity].shown if turn.speaker == name]
        turns.append([len(text.split()) for text in texts])
    each = sum(map(len, turns)) / 2
    first, second = (each * float(np.mean(own)) if own else 0.0 for own in turns)
    return first, second


def trust_part(source: Source) -> dict:
    return shared_parts.trust_part(source, contests=contests(source)) if source.people is not None else {}
