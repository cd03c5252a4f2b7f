"""What comes next for a survey of a study, as commands that work as they stand: errors and commands end in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parlai_spotbot import files, hints
from parlai_spotbot.analysis.frames import FEATURES
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.run import check_survey
from parlai_spotbot.judges.specs import LANGUAGE_MODEL, judges_of
from parlai_spotbot.judges.spotter import SURVEYS as SPOTTED
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of

YOUR_FILE = "FILE"
"""Stands for a file of the user's own: the one thing in a command that nobody else can fill in."""


def judge_for(survey: str) -> str:
    """The judge that hints name: the first that can answer the survey, "" where none can."""
    try:
        check_survey(survey)
    except UserError:
        return ""
    return "spotter" if survey in SPOTTED else LANGUAGE_MODEL


def answers_by_people(study: Study, survey: str) -> str:
    """The command that says what it takes to let people answer a survey; of several tasks, the first that is packed."""
    about, task = get_survey(survey, study), None
    if about.tasks:
        asked = {name for unit in study.units(survey) for item in unit.items for name in item.questions}
        packed = [task.name for task in about.tasks if asked & set(task.questions)]
        task = packed[0] if packed else about.tasks[0].name
    return hints.command("crowdsource", study.path, survey, task=task, dry_run=True)


def answers_by_a_judge(study: Study, survey: str) -> str:
    """Return the command that lets a judge answer a survey: the last one that was asked, else the default; "" where
    none can."""
    asked = study.provenance().get("judge", {}).get(survey, {})
    if asked:
        return _asked_again(study, survey, *list(asked.items())[-1])
    judge = judge_for(survey)
    if judge == "spotter" and not set(features_of(survey_of(study, survey))) <= set(FEATURES):
        judge = LANGUAGE_MODEL  # the spotter learns nothing of features of one's own
    return hints.command("judge", study.path, survey, judges=judge) if judge else ""


def _asked_again(study: Study, survey: str, name: str, options: Mapping[str, Any]) -> str:
    """Return the command that asks a judge again, from the options that provenance.json records."""
    if "model" not in options:
        return hints.command("judge", study.path, survey, judges=name)
    about = study.survey_path(survey) / "judges" / name / "model.json"
    key = files.read_json(about).get("key_variable") if about.exists() else None
    given = {"model": options["model"], "url": options.get("url"), "key_variable": key, "name": name}
    [spec] = judges_of(LANGUAGE_MODEL, given)
    if any(options.get(option) != value for option, value in spec.options.deciding().items()):
        return hints.command("judge", study.path, survey, judges=YOUR_FILE)  # options of a judges file
    return hints.command("judge", study.path, survey, **{f"judge_{key}": value or None for key, value in given.items()})


def answers_of_a_file(study: Study, survey: str) -> str:
    """The command that brings a survey's answers from a file; "" where they don't come in that way."""
    comes_in = packing_of(get_survey(survey, study)).comes_in
    return hints.command("import", study.path, format=survey, data=YOUR_FILE) if comes_in else ""


def next_step(study: Study, survey: str) -> str:
    """The command that makes what the survey lacks first: conversations, units, answers, the analysis, the report.

    An analysis of other files counts as none. Answers are a judge's, as that ends by itself; people's where no judge
    can answer.
    """
    packing, answers = packing_of(get_survey(survey, study)), study.judgements_path(survey)
    if not (answers.exists() and answers.stat().st_size):
        if packing.comes_in:
            return answers_of_a_file(study, survey)
        if (study.survey_path(survey) / "crowdsourcing").is_dir():
            return hints.command("collect", study.path, survey)
        if packing.of_conversations and not study.conversations_path.exists():
            return hints.command("selfchat", study.path)
        if not study.units_path(survey).exists():
            return hints.command("pack", study.path, survey)
        return answers_by_a_judge(study, survey) or answers_by_people(study, survey)
    ranking = study.analysis_path(survey) / "ranking.json"
    if not ranking.exists() or files.read_json(ranking)["made_by"].get("sha256") != study.checksums(survey):
        return hints.command("analyze", study.path, survey)
    return hints.command("report", study.path, survey)
