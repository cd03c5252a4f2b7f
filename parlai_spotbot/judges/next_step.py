"""The next command for a survey of a study: errors and commands end with it."""

from parlai_spotbot import checksums, hints
from parlai_spotbot.judges import SPOTTED
from parlai_spotbot.records import FEATURES, HUMAN
from parlai_spotbot.sequential.registration import registered
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import study_survey, survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of

YOUR_FILE = "FILE"
"""Placeholder for a file of the user."""

ANY_SERVER = {"judge_model": "NAME", "judge_url": "http://127.0.0.1:8000/v1"}
"""Placeholder for a language model of the user."""


def answers_by_people(data: SurveyFiles) -> str:
    """The command that says what it takes to let people answer, or that brings their answers from a file.

    Of several tasks it is the first that is packed.
    """
    survey = study_survey(data)
    if packing_of(survey).comes_in:
        return hints.command("import", data.study.path, format=data.survey, data=YOUR_FILE)
    task = None
    if survey.tasks:
        names = {name for item in data.items.values() for name in item.questions}
        packed = [task for task in survey.tasks if names & set(task.questions)]
        task = (packed or survey.tasks)[0].name
    return data.command("crowdsource", task=task, dry_run=True)


def answers_by_a_judge(data: SurveyFiles) -> str:
    """The command that lets a judge answer: the spotter, else a language model; "" where no judge can."""
    survey = study_survey(data)
    if survey.chat or survey.layout == "candidates":
        return ""
    if data.survey in SPOTTED and set(features_of(survey_of(data))) <= set(FEATURES):
        return data.command("judge", judges="spotter")
    return data.command("judge", **ANY_SERVER)


def settles(data: SurveyFiles) -> str:
    """The command that goes on with a survey that is served until settled; "" for another survey."""
    if (plan := registered(data)) is None:
        return ""
    request = SettledRequest(
        until="settled", margin=plan.margin, level=plan.level, budget=plan.budget, decides=plan.question
    )
    if plan.source == HUMAN:
        launch = {"unit_size": plan.unit_size, "deadline": plan.deadline or None}
        return data.command("crowdsource", **request.named(), **launch)
    name = plan.source.removeprefix("judge:")
    judge: dict[str, object] = {"judges": name}
    recorded = data.recorded("judge").get(name, {})
    if name != "spotter":
        judge = {**ANY_SERVER, "judge_name": name}
    if "url" in recorded:
        judge = {"judge_model": recorded["model"], "judge_url": recorded["url"], "judge_name": name}
    return data.command("judge", **judge, seed=recorded.get("seed") or None, **request.named())


def next_step(data: SurveyFiles) -> str:
    """The command that makes what the survey lacks first: conversations, units, answers, the analysis, the report.

    An analysis of other files counts as none. Answers are a judge's; people's where no judge can answer.
    """
    study = data.study
    answers = data.judgements_path
    if not (answers.exists() and answers.stat().st_size):
        packing = packing_of(study_survey(data))
        if packing.comes_in:
            return answers_by_people(data)
        if (data.path / "crowdsourcing").is_dir():
            return data.command("collect")
        if packing.of_conversations and not study.conversations_path.exists():
            return hints.command("selfchat", study.path)
        if not data.units_path.exists():
            return data.command("pack")
        return settles(data) or answers_by_a_judge(data) or answers_by_people(data)
    results = map(checksums.read_json, data.folder.glob("*.json"))
    if study.checksums(data.survey) not in (result["made_by"].get("sha256") for result in results):
        return data.command("analyze")
    return data.command("report")
