"""The statistics of people's choices among next turns, each a part of a file: Lowe et al. (2016), Tables 1 and 2.

Rows have one answer of one annotator to one question each; a model's figures are of the very questions, with the very
candidates, that people answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.methods import driver, shared_parts
from parlai_spotbot.analysis.nuc import agreement, chance, difficulty, ranks_of, share
from parlai_spotbot.analysis.nuc.people import UNTOLD, against, between, plurality, pooled
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.nuc.facts import Facts
from parlai_spotbot.records import HUMAN

KS = (1, 2)
ALL = "all"
"""In the place of a corpus: all of them."""

EVERYBODY = "everybody"
EXPERTS = ("intermediate", "expert")
"""By what they say of themselves, experts are those who have some or a lot of experience; the paper's rule."""

Split = tuple[str, str, np.ndarray]
About = Mapping[str, Mapping[str, str]]
"""What annotators say of themselves: worker_id -> question -> answer."""


# -- rows ------------------------------------------------------------------------------------------------------------
def frame(facts: Facts, answers: pd.DataFrame, study: driver.Study) -> tuple[pd.DataFrame, dict[str, int]]:
    """One row an annotation: `first` and `second` (places, -1 where none), `right1`, `right2` (0 or 1), `corpus`,
    `group`, `true`, `n`."""
    second = answers[answers["question"] == "second"].set_index("annotation_id")["answer"]
    rows = answers[answers["question"] == "first"].copy()
    rows["second"] = [_place(second.get(own)) for own in rows["annotation_id"]]
    rows["first"] = [_place(own) for own in rows["answer"]]
    known = rows["item_id"].isin(list(facts.questions))
    sizes = rows["item_id"].map({name: len(own.candidates) for name, own in facts.questions.items()})
    fits = (
        known
        & rows["first"].ge(0)
        & (rows[["first", "second"]].max(axis=1) < sizes)
        & (rows["first"] != rows["second"])
    )
    lost = {"question that isn't among the study's": int((~known).sum()),
            "choice that the question hasn't, or the same twice": int((known & ~fits).sum())}  # fmt: skip
    rows = rows[fits].reset_index(drop=True)
    asked = [facts.questions[own] for own in rows["item_id"]]
    rows["corpus"] = [own.corpus for own in asked]
    rows["true"], rows["n"] = [own.true for own in asked], [len(own.candidates) for own in asked]
    rows["group"] = [facts.groups.get(own, "") for own in rows["unit_id"]]
    rows["right1"] = (rows["first"] == rows["true"]).astype(float)
    rows["right2"] = np.maximum(rows["right1"], (rows["second"] == rows["true"]).astype(float))
    return rows, {why: count for why, count in lost.items() if count}


def names(rows: pd.DataFrame) -> set[str]:
    """Nobody is judged: people answer."""
    return set()


def _place(answer: object) -> int:
    """ "candidate:2" -> 2; -1 for anything else."""
    kind, _, place = str(answer).partition(":")
    return int(place) if kind == "candidate" and place.isdecimal() else -1


# -- whom the rows are of ----------------------------------------------------------------------------------------------
def splits(facts: Facts, about: About, rows: pd.DataFrame) -> list[Split]:
    """(by what, who, which rows): everybody; then each group, each kind of group, and those who call themselves experts
    and not, wherever there are two or more."""
    told = [about.get(worker, {}).get("expertise", UNTOLD) for worker in rows["worker_id"]]
    rated = ["" if own == UNTOLD else "experts" if own in EXPERTS else "non-experts" for own in told]
    of = {"group": list(rows["group"])}
    for name in ("recruited", "expertise"):
        of[name] = [facts.about.get(group, {}).get(name, "").replace("_", "-") for group in rows["group"]]
    of["by their own account"] = rated
    found: list[Split] = [("", EVERYBODY, np.ones(len(rows), dtype=bool))]
    seen: list[list[bool]] = []
    for by, labels in of.items():
        kinds = sorted(set(labels) - {""})
        masks = [np.array([label == kind for label in labels]) for kind in kinds]
        if len(kinds) < 2 or any(list(mask) in seen for mask in masks):  # groups by another name
            continue
        seen += [list(mask) for mask in masks]
        found += [(by, kind, mask) for kind, mask in zip(kinds, masks, strict=True)]
    return found


def corpora_of(rows: pd.DataFrame) -> list[str]:
    """The corpora, and in the end all of them where there are several."""
    own = sorted(set(rows["corpus"]))
    return [*own, ALL] if len(own) > 1 else own


def _of(rows: pd.DataFrame, corpus: str) -> pd.DataFrame:
    return rows if corpus == ALL else rows[rows["corpus"] == corpus]


# -- Recall@k --------------------------------------------------------------------------------------------------------
def recall_part(facts: Facts, about: About, source: driver.Source) -> dict:
    """recall.json: Recall@1 and @2 of people by corpus and group, of the models on the same items, and tests."""
    rows, corpora = source.rows, corpora_of(source.rows)
    made = splits(facts, about, rows)
    people = [
        _people_row(by, who, corpus, _of(rows[mask], corpus), source) for by, who, mask in made for corpus in corpora
    ]
    values = {name: _model_values(facts, rows, own) for name, own in facts.models.items()}
    return {
        "corpora": corpora,
        "people": [row for row in people if row["annotators"]],
        "models": [_model_row(facts, name, corpus, _of(rows, corpus), own)
                   for name, own in values.items() for corpus in corpora],
        "ways": dict(facts.ways),
        "unscored": {name: count for name, count in facts.unscored.items() if count},
        "cautions": list(facts.cautions),
        "chance": {corpus: _chance(_of(rows, corpus)) for corpus in corpora},
        "against_models": _against(rows, made, corpora, values),
        "between_groups": _between(rows, made, corpora),
    }  # fmt: skip


def _people_row(by: str, who: str, corpus: str, rows: pd.DataFrame, source: driver.Source) -> dict:
    workers = list(rows["worker_id"]) if source.crossed else None
    found = {f"recall@{k}": share(rows[f"right{k}"], list(rows["conversation_id"]), workers).to_dict() for k in KS}
    return {"by": by, "who": who, "corpus": corpus, "annotators": int(rows["worker_id"].nunique()),
            "questions": int(rows["item_id"].nunique()), **found}  # fmt: skip


def _chance(rows: pd.DataFrame) -> dict:
    return {f"recall@{k}": chance(rows["n"], k) for k in KS}


def _model_values(facts: Facts, rows: pd.DataFrame, scores: Mapping[str, np.ndarray]) -> dict[str, dict[int, float]]:
    """item -> k -> Recall@k of one model."""
    items = [item for item in dict.fromkeys(rows["item_id"]) if item in scores]
    if not items:
        return {}
    ranks = ranks_of([scores[item] for item in items], [facts.questions[item].true for item in items])
    recalls = {k: ranks.recall(k) for k in KS}
    return {item: {k: float(recalls[k][place]) for k in KS} for place, item in enumerate(items)}


def _model_row(
    facts: Facts, name: str, corpus: str, rows: pd.DataFrame, values: Mapping[str, dict[int, float]]
) -> dict:
    items = [item for item in dict.fromkeys(rows["item_id"]) if item in values]
    homes = [facts.questions[item].conversation_id for item in items]
    found = {f"recall@{k}": share([values[item][k] for item in items], homes).to_dict() for k in KS}
    return {"contestant": name, "corpus": corpus, "questions": len(items), **found}


def _against(
    rows: pd.DataFrame,
    made: Sequence[Split],
    corpora: Sequence[str],
    models: Mapping[str, Mapping[str, dict[int, float]]],
) -> list[dict]:
    """People against each model, paired by question."""
    found = []
    for k in KS:
        tests = []
        for by, who, mask in made:
            for corpus in corpora:
                own = _of(rows[mask], corpus)
                own = own[own["n"] > k]
                for name, values in models.items() if len(own) else ():
                    other = [values[item][k] if item in values else np.nan for item in own["item_id"]]
                    row = against(own[f"right{k}"], other, own["conversation_id"], own["worker_id"])
                    tests.append(
                        {"measure": f"recall@{k}", "by": by, "who": who, "corpus": corpus, "contestant": name, **row}
                    )
        found += _adjusted(tests)
    return found


def _between(rows: pd.DataFrame, made: Sequence[Split], corpora: Sequence[str]) -> list[dict]:
    """Every two groups of a kind, on the questions that both answered."""
    found = []
    for k in KS:
        tests = []
        for (by, a, first), (other, b, second) in combinations(made, 2):
            for corpus in corpora if by and by == other else ():
                own = _of(rows.assign(second_group=second)[first | second], corpus)
                own = own[own["n"] > k]
                row = between((a, b), own[f"right{k}"], own["second_group"], own["item_id"], own["conversation_id"],
                              own["worker_id"]).to_dict()  # fmt: skip
                tests.append({"measure": f"recall@{k}", "by": by, "corpus": corpus, **row})
        found += _adjusted(tests)
    return found


def _adjusted(tests: list[dict]) -> list[dict]:
    """With Holm's correction over those that have a p."""
    known = [row for row in tests if row["p"] is not None and not np.isnan(row["p"])]
    found = adjust(np.array([row["p"] for row in known])) if known else ()
    by = {id(row): float(p) for row, p in zip(known, found, strict=True)}
    return [{**row, "p_adjusted": by.get(id(row))} for row in tests]


# -- questions -------------------------------------------------------------------------------------------------------
def questions_part(facts: Facts, about: About, source: driver.Source) -> dict:
    """questions.json: whether annotators agree, what all of them together find, and where people fail."""
    rows = source.rows
    items = list(dict.fromkeys(rows["item_id"]))
    corpora = corpora_of(rows)
    return {
        "agreement": [_alpha(who, by, corpus, _of(rows[mask], corpus), source)
                      for by, who, mask in splits(facts, about, rows) for corpus in corpora
                      if len(_of(rows[mask], corpus))],
        "ceiling": [_ceiling(facts, corpus, _of(rows, corpus)) for corpus in corpora],
        "hard": _hard(facts, rows, items),
        "questions": len(items),
    }  # fmt: skip


def _alpha(who: str, by: str, corpus: str, rows: pd.DataFrame, source: driver.Source) -> dict:
    """Krippendorff's alpha of first choices, and the share of couples of answers to a question that are the same."""
    told = krippendorff_alpha(rows["item_id"], rows["first"], frame_clusters(rows, source.crossed, source.resample))
    codes, found = _codes(rows)
    alike = agreement(codes, rows["first"], found["n"])
    twice = int(np.isfinite(alike).sum())
    return {"by": by, "who": who, "corpus": corpus, "alpha": told["alpha"], "ci": list(told["ci"]), "questions": twice,
            "alike": float(np.nanmean(alike)) if twice else np.nan}  # fmt: skip


def _codes(rows: pd.DataFrame) -> tuple[np.ndarray, pd.DataFrame]:
    """The number of each answer's question, and one row a question in that order."""
    codes, _ = pd.factorize(rows["item_id"])
    return codes, rows.drop_duplicates("item_id")


def _ceiling(facts: Facts, corpus: str, rows: pd.DataFrame) -> dict:
    """What people find together: by the votes of all who answered a question, where two or more did."""
    rows = rows[rows.groupby("item_id")["item_id"].transform("size") > 1]
    codes, found = _codes(rows)
    empty = {"corpus": corpus, "questions": len(found), "answers": float(len(rows) / len(found)) if len(found) else 0.0}
    if not len(found):
        return empty
    ranks = plurality(codes, rows["first"], rows["second"], found["true"], found["n"])
    homes = list(found["conversation_id"])
    somebody = rows.groupby("item_id", sort=False)["right1"].max()
    voted = {f"recall@{k}": share(ranks.recall(k), homes).to_dict() for k in KS}
    return empty | voted | {"somebody": share(somebody.to_numpy(), homes).to_dict()}


def _hard(facts: Facts, rows: pd.DataFrame, items: Sequence[str]) -> list[dict]:
    """The questions in which people prefer a distractor, or do worse than by guessing, with texts; worst first."""
    codes, found = _codes(rows)
    own = difficulty(codes, rows["first"], found["true"], found["n"])
    listed = []
    for place in np.flatnonzero(own.ambiguous | own.below_chance):
        question = facts.questions[items[place]]
        chosen = np.bincount(rows["first"][codes == place], minlength=len(question.candidates))
        listed.append({
            "question_id": question.question_id, "corpus": question.corpus, "context": list(question.context),
            "speakers": list(question.speakers), "candidates": list(question.candidates), "true": question.true,
            "rival": int(own.rival[place]), "chosen": chosen, "answers": int(own.answers[place]),
            "right": own.right[place], "ci": list(own.ci[place]), "p": own.p[place],
            "ambiguous": bool(own.ambiguous[place]), "below_chance": bool(own.below_chance[place]),
            "models_right": _models_right(facts, items[place]),
        })  # fmt: skip
    return sorted(listed, key=lambda row: (row["right"], row["p"], row["question_id"]))


def _models_right(facts: Facts, item: str) -> list[str]:
    """The models that put the true turn first, alone."""
    true = facts.questions[item].true
    scores = {name: own[item] for name, own in facts.models.items() if item in own}
    return [name for name, own in scores.items() if own.argmax() == true and (own == own.max()).sum() == 1]


# -- people ----------------------------------------------------------------------------------------------------------
def time_part(facts: Facts, about: About, source: driver.Source) -> dict:
    """time.json: as of any survey, and seconds a question and minutes a person by group and corpus."""
    rows = source.rows
    found = []
    for by, who, mask in splits(facts, about, rows):
        for corpus in corpora_of(rows):
            own = _of(rows[mask], corpus).dropna(subset=["seconds"])
            if not len(own):
                continue
            mean = mean_of(own["seconds"], frame_clusters(own))
            minutes = own.groupby("worker_id")["seconds"].sum() / 60
            found.append({"by": by, "who": who, "corpus": corpus, "n": len(own), "annotators": len(minutes),
                          "median": float(own["seconds"].median()), "mean": mean["estimate"], "ci": list(mean["ci"]),
                          "minutes": float(minutes.median())})  # fmt: skip
    return {**shared_parts.time_part(source), "by": found}


def annotators_part(facts: Facts, about: About, source: driver.Source) -> dict:
    """annotators.json: who answered, who is left out and why; and Recall@1 with everybody's answers in."""
    found = shared_parts.about_annotators(source)
    if len(source.everyone) > len(source.rows):
        kept, every = (
            share(rows["right1"], list(rows["conversation_id"]), list(rows["worker_id"])).to_dict()
            for rows in (source.rows, source.everyone)
        )
        before, now = (f"{100 * own['estimate']:.1f} %" for own in (kept, every))
        told = f"With everybody's answers Recall@1 is {now} in place of {before}."
        found["with_everybody"] = {"recall": every, "kept": kept, "sentence": told}
    return found


def questionnaire_part(facts: Facts, about: About, source: driver.Source) -> dict:
    """questionnaire.json: what annotators whose answers count say of themselves; answers of few are pooled.

    Without a survey that has a questionnaire, and for judges, there is nothing.
    """
    asked = source.study.survey.questionnaire if source.study.survey and source.name == HUMAN else ()
    workers = sorted(set(source.rows["worker_id"]))
    return {
        "annotators": len(workers),
        "questions": [_question(own, workers, about) for own in asked] if workers else [],
    }


def _question(question: object, workers: Sequence[str], about: About) -> dict:
    told = [about.get(worker, {}).get(question.name, UNTOLD) for worker in workers]
    labels = {option.value: option.label for option in question.options}
    counts = {value: sum(own == value for own in told) for value in labels}
    cells = []
    for values, count in pooled(counts):
        low, high = wilson(count, len(workers))
        cells.append({"values": list(values), "label": " / ".join(labels[value] for value in values), "n": count,
                      "share": count / len(workers), "ci": [low, high]})  # fmt: skip
    return {"name": question.name, "heading": question.heading, "wording": question.wording, "answers": cells}
