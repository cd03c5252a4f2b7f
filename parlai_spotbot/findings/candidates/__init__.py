"""Findings of Next-Utterance Classification by people, beside models on the same questions (Lowe et al. 2016).

The questions come from a corpus, so their conversations needn't be the study's. Rows have one answer of one annotator
to one question each; a model's figures are of the very questions, with the very candidates, that people answered.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.nuc.people import UNTOLD
from parlai_spotbot.findings.answers import Answers, Facts, Form, LeftOut, Options, Rows
from parlai_spotbot.nuc.background import NucBackground, background_of
from parlai_spotbot.records import HUMAN, Conversation, Judgement, Turn
from parlai_spotbot.study import SurveyFiles

KS = (1, 2)
ALL = "all"
"""Instead of a corpus: all of them."""

EVERYBODY = "everybody"
EXPERTS = ("intermediate", "expert")
"""By what they say of themselves, experts are those who have some or a lot of experience; the paper's rule."""

ANNOTATOR = "annotator"
"""Target of annotators' answers about themselves, which answer no question of the survey."""

Split = tuple[str, str, np.ndarray]


class CandidateAnswers(Answers):
    """Choices among candidates, with the key, the groups and the models' scores."""

    @property
    def nuc(self) -> NucBackground:
        return self.facts.nuc

    @cached_property
    def about(self) -> Mapping[str, Mapping[str, str]]:
        """Return what annotators say of themselves: worker_id -> question -> answer."""
        return self.facts.made.get("about annotators", {})

    @cached_property
    def splits(self) -> list[Split]:
        """(by what, who, which rows): everybody; then each group, and those who call themselves
        experts and not, wherever there are two or more."""
        rows = self.rows
        expertises = rows["worker_id"].map(lambda worker: self.about.get(worker, {}).get("expertise", UNTOLD))
        rated = expertises.isin(EXPERTS).map({True: "experts", False: "non-experts"}).where(expertises != UNTOLD, "")
        splits: list[Split] = [("", EVERYBODY, np.ones(len(rows), dtype=bool))]
        for by, labels in {"group": rows["group"], "by their own account": rated}.items():
            masks = {kind: (labels == kind).to_numpy() for kind in sorted(set(labels) - {""})}
            before = {mask.tobytes() for _, _, mask in splits}
            if len(masks) < 2 or any(mask.tobytes() in before for mask in masks.values()):  # groups by another name
                continue
            splits += [(by, kind, mask) for kind, mask in masks.items()]
        return splits

    @property
    def corpora(self) -> list[str]:
        """The corpora, and in the end all of them where there are several."""
        corpora = sorted(set(self.rows["corpus"]))
        if len(corpora) > 1:
            corpora.append(ALL)
        return corpora


def of_corpus(rows: pd.DataFrame, corpus: str) -> pd.DataFrame:
    if corpus == ALL:
        return rows
    return rows[rows["corpus"] == corpus]


def rows(tidy: pd.DataFrame, facts: Facts, judgements: Sequence[Judgement]) -> Rows:
    """One row an annotation: `first` and `second` (places, -1 where none), `right1`, `right2` (0 or 1), `corpus`,
    `group`, `true`, `n`."""
    places = tidy.assign(place=tidy["answer"].map(_place))
    second = places[places["question"] == "second"].set_index("annotation_id")["place"]
    question_facts = {name: (one.corpus, one.true, len(one.candidates)) for name, one in facts.nuc.questions.items()}
    questions = pd.DataFrame.from_dict(question_facts, orient="index", columns=["corpus", "true", "n"])
    rows = places[places["question"] == "first"].rename(columns={"place": "first"}).join(questions, on="item_id")
    rows["second"] = rows["annotation_id"].map(second).fillna(-1).astype(int)
    has_question = rows["n"].notna()
    most = rows[["first", "second"]].max(axis=1)
    fits = has_question & rows["first"].ge(0) & (most < rows["n"]) & (rows["first"] != rows["second"])
    lost = {
        "question that isn't among the study's": int((~has_question).sum()),
        "choice that the question hasn't, or the same twice": int((has_question & ~fits).sum()),
    }
    rows = rows[fits].reset_index(drop=True).astype({"true": int, "n": int})
    rows["group"] = [facts.nuc.groups.get(unit_id, "") for unit_id in rows["unit_id"]]
    rows["right1"] = (rows["first"] == rows["true"]).astype(float)
    rows["right2"] = np.maximum(rows["right1"], rows["second"] == rows["true"])
    return rows, {why: count for why, count in lost.items() if count}


def _place(answer: object) -> int:
    """ "candidate:2" -> 2; -1 for anything else."""
    kind, _, place = str(answer).partition(":")
    if kind != "candidate" or not place.isdecimal():
        return -1
    return int(place)


class CandidateForm(Form):
    """Questions instead of conversations; what annotators say of themselves is set aside."""

    of_study = False

    def facts(self, data: SurveyFiles) -> dict:
        """The key, the groups and the models' scores."""
        return {"nuc": background_of(data)}

    def sources(
        self, judgements: Sequence[Judgement], facts: Facts, options: Options
    ) -> tuple[dict[str, Answers], LeftOut]:
        about: dict[str, dict[str, str]] = {}
        for row in judgements:
            if row.target == ANNOTATOR and isinstance(row.answer, str):
                about.setdefault(row.worker_id, {}).setdefault(row.question, row.answer)
        conversations = _conversations(facts.nuc)
        shown = Facts.from_records(facts.survey, conversations, facts.items.values(), nuc=facts.nuc, bots=facts.bots)
        shown.made["about annotators"] = about
        return super().sources(judgements, shown, options)


def _conversations(facts: NucBackground) -> list[Conversation]:
    """The pieces of conversations that the questions show, under the ids of the conversations that they are from."""
    conversations = {}
    for question in facts.questions.values():
        turns = tuple(Turn(HUMAN, text) for text in (*question.context, question.answer))
        name = question.conversation_id
        people = (HUMAN, HUMAN)
        conversations[name] = Conversation(name, question.corpus, people, 0, people, turns, seed_exchanges=0)
    return list(conversations.values())


FORM = CandidateForm(rows, answers=CandidateAnswers, mine=lambda judgement: judgement.target != ANNOTATOR)
