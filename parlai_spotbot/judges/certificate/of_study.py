"""The certificate of a judge by what people answered in the same study."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot import files, hints
from parlai_spotbot.analysis.answers import answers_frame, shown_item
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.judges.certificate import NAME, Certificate, certificate_of
from parlai_spotbot.judges.certificate.families import with_family
from parlai_spotbot.records import HUMAN, Conversation, Item, indexed, judged_name
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import launched_survey, survey_of
from parlai_spotbot.surveys.asking import incomplete
from parlai_spotbot.surveys.controls.exclusion import without_failed
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.texts.repetition import near_copies

KINDS = ("choice", "scale")
"""Kinds of questions whose answers can be compared."""

MOST_FROZEN = 200
ASKED = ("title", "instructions", "questions", "entities", "conversations", "speakers", "other")
"""What of a survey makes it another one."""


@dataclass(frozen=True)
class JudgedItems:
    """Verdicts of a judge in a study, and labels of people on the same items, for one question."""

    data: SurveyFiles
    survey: Survey
    judge: str
    question: Question
    labelled: pd.DataFrame
    unlabelled: pd.DataFrame

    @property
    def scale(self) -> list[str] | None:
        if self.question.kind != "scale":
            return None
        return [option.value for option in self.question.options]


def certificate_path(study: Path, survey: str, judge: str) -> Path:
    """Return where a study's folder has the certificate of a judge."""
    return study / "surveys" / survey / "judges" / judge / NAME


def judged_items(data: SurveyFiles, judge: str | None = None, question: str | None = None) -> JudgedItems:
    """Return what a judge and people answered to one question; by default those of the only judge.

    Raises
    ------
    UserError
        Where there is no such judge or question.
    """
    launched = launched_survey(data)
    question_asked = _question(launched, question)
    judge = _judge_of(data, judge)
    talks = indexed(data.conversations)
    kept = without_failed(data.judgements, launched)
    copies = near_copies(talks.values())
    lacking = incomplete(launched, data.items)
    tidy = answers_frame(kept, talks.values(), lacking, shown_item(data.items, talks), copies).frame
    rows = tidy[(tidy["question"] == question_asked.name) & tidy["answer"].map(lambda answer: isinstance(answer, str))]
    judged = rows[rows["source"] == f"judge:{judge}"].rename(columns={"worker_id": "variant"})
    people = rows[rows["source"] == HUMAN]
    names = {"answer": "label", "worker_id": "annotator"}
    both = judged.merge(people[["item_id", "target", *names]].rename(columns=names), on=["item_id", "target"])
    open_ = judged[~judged["item_id"].isin(both["item_id"])]
    return JudgedItems(
        data, launched, judge, question_asked, _described(both, data.items, talks), _described(open_, data.items, talks)
    )


def _question(survey: Survey, name: str | None) -> Question:
    questions = {question.name: question for question in survey.questions if question.kind in KINDS}
    if name is None:
        name = next(iter(questions), "")
        if survey.spots:
            name = "nature"
    if name not in questions:
        problem = f"--question {name}: survey {survey.name} has no such choice or scale."
        raise UserError(problem, nearest(name, questions))
    return questions[name]


def _judge_of(data: SurveyFiles, judge: str | None) -> str:
    names = sorted({row.source.removeprefix("judge:") for row in data.judgements} - {HUMAN})
    if not names:
        problem = f"{data.judgements_path}: no answers of a judge."
        raise UserError(problem, hints.run("judge", data.study.path, data.survey))
    if judge is None and len(names) == 1:
        return names[0]
    if judge not in names:
        problem = f"--judges {judge or ''}: expected one of those who have answered."
        raise UserError(problem, nearest(judge or "", names))
    return judge


def _described(rows: pd.DataFrame, items: Mapping[str, Item], talks: Mapping[str, Conversation]) -> pd.DataFrame:
    """Return the rows with the columns of `analysis.certificate.assess`, as far as they are known."""
    frame = pd.DataFrame(
        {
            "verdict": rows["answer"],
            "variant": rows["variant"],
            "conversation": rows["cluster_id" if "cluster_id" in rows else "conversation_id"],
            "item": rows["item_id"] + "\t" + rows["target"],
            "bot": [_bot_of(row, items, talks) for row in rows.itertuples()],
            "domain": [talks[name].domain for name in rows["conversation_id"]],
            "length": rows["exchanges"].astype(int),
        }
    )
    if (frame["bot"] == "").any():
        frame = frame.drop(columns="bot")
    if "label" in rows:
        frame["label"] = rows["label"]
        frame["annotator"] = rows["annotator"]
        frame["weight"] = 1 / frame.groupby(["item", "annotator"])["verdict"].transform("size")
    return frame


def _bot_of(row: Any, items: Mapping[str, Item], talks: Mapping[str, Conversation]) -> str:
    """Return whom an answer is about, "" where it is about two."""
    talk = talks[row.conversation_id]
    if row.target.startswith("entity:"):
        return talk.entities[int(row.target.removeprefix("entity:"))]
    item = items.get(row.item_id)
    if len(row.conversation_ids) > 1:
        return ""
    judged = item.judged[0] if item is not None and item.judged else None
    return judged_name(talk, judged) or ""


def certified(items: JudgedItems, seed: int = 0) -> Certificate:
    """Return the certificate, with the items that a recheck asks about again: drawn by `seed`.

    Raises
    ------
    UserError
        Where people have labelled nothing that the judge answered.
    """
    study = items.data.study
    survey = items.data.survey
    if items.labelled.empty:
        raise UserError(
            f"{study.judgements_path(survey)}: people and judge {items.judge} have answered no item both "
            f"('{items.question.name}').",
            hints.run("crowdsource", study.path, survey, dry_run=True),
        )
    frozen = items.labelled.drop_duplicates("item")[["item", "verdict", "variant"]].sort_values("item")
    if len(frozen) > MOST_FROZEN:
        frozen = frozen.sample(MOST_FROZEN, random_state=seed).sort_values("item")
    labels = items.labelled.groupby("item")["label"].agg(list)
    rows = [{**row, "labels": labels[row["item"]]} for row in frozen.to_dict("records")]
    bound = bound_of(items.data, items.judge)
    models = {bot.name: str(bot.opt.get("openai_model", "")) for bot in study.plan.contestants.values()}
    return certificate_of(
        with_family(items.labelled, [*bound["served"], str(bound["options"].get("model", "")), items.judge], models),
        items.unlabelled,
        items.judge,
        items.scale,
        {**bound, "question": items.question.name},
        rows,
    )


def bound_of(data: SurveyFiles, judge: str) -> dict[str, Any]:
    """Return what a certificate is bound to: the judge's options and prompt, the model as its server reports it, and
    the survey's questions and texts.
    """
    options = data.recorded("judge").get(judge, {})
    model = data.study.judges(data.survey).get(f"judge:{judge}", {}).get("model")
    served = {}
    if isinstance(model, dict):
        served = model.get("served", {})
    survey_texts = survey_of(data).to_json()
    text = files.json_bytes({name: survey_texts[name] for name in ASKED if name in survey_texts})
    return {
        "judge": judge,
        "options": decisive(options),
        "served": sorted(served),
        "survey": data.survey,
        "survey_sha256": hashlib.sha256(text).hexdigest(),
    }


def decisive(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a judge's options without its seed, which makes no other judge of it."""
    return {name: value for name, value in options.items() if name != "seed"}


def stale(certificate: Certificate, now: Mapping[str, Any]) -> list[str]:
    """Return what has changed since a judge was certified, in words; [] where nothing has."""
    then = certificate.bound
    changed = [
        f"the {what} is another"
        for name, what in (("survey", "survey"), ("survey_sha256", "survey's text"), ("served", "model that answers"))
        if then.get(name) != now.get(name)
    ]
    before = then.get("options", {})
    after = now.get("options", {})
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            changed.append(f"{name} is {after.get(name)!r:.60}, was {before.get(name)!r:.60}")
    return changed
