"""Questions that studies of earlier versions added to ACUTE-Eval or Spot The Bot (now: a survey file with `base`)."""

from __future__ import annotations

from dataclasses import replace

from parlai_spotbot import checksums
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import acute_eval
from parlai_spotbot.surveys.features import feature
from parlai_spotbot.surveys.survey import Survey

FILE = "questions.yaml"


def with_kept_questions(study: Study, survey: Survey) -> Survey:
    """Return the survey with the questions that a study keeps for it, before its free text."""
    path = study.survey_path(survey.name) / FILE
    if not path.exists():
        return survey
    checksums.verify(path)
    rows = read_yaml(path, "Restore it.", "Restore it.")["questions"]
    make = feature if survey.spots else acute_eval.question
    known = {"name", "wording", "option", "heading", "help", "no_difference"}
    added = [
        make(**{key: text for key, text in {"name": name, **row}.items() if key in known}) for name, row in rows.items()
    ]
    main = (*survey.main, *added)
    free = (q for q in survey.questions if q.kind == "free_text")
    return replace(survey, questions=(*main, *(replace(q, after=tuple(one.name for one in main)) for q in free)))
