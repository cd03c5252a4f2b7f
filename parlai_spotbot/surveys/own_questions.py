"""Questions that studies of earlier versions added to ACUTE-Eval or Spot The Bot (now: a survey file with `base`)."""

from dataclasses import replace

from parlai_spotbot import checksums
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.user_files import read_file

FILE = "questions.yaml"


Kept = dict[str, dict[str, dict[str, str | None]]]
"""questions: by name, the texts of each."""


def with_kept_questions(study: Study, survey: Survey) -> Survey:
    """Return the survey with the questions that a study keeps for it, before its free text; answered as the last is."""
    path = study.survey_path(survey.name) / FILE
    if not path.exists():
        return survey
    checksums.verify(path)
    kept = read_file(Kept, path, "Restore it.").get("questions", {})
    main = (*survey.main, *(_question(survey.main[-1], name, row) for name, row in kept.items()))
    free = (q for q in survey.questions if q.kind == "free_text")
    return replace(survey, questions=(*main, *(replace(q, after=tuple(one.name for one in main)) for q in free)))


def _question(like: Question, name: str, row: dict[str, str | None]) -> Question:
    labels = [row.get("option") or option.label for option in like.options]
    labels[-1] = row.get("no_difference") or labels[-1]
    return replace(
        like,
        name=name,
        wording=row.get("wording") or name,
        heading=row.get("heading") or name.replace("_", " ").capitalize(),
        help=row.get("help") or "",
        options=tuple(replace(option, label=label) for option, label in zip(like.options, labels, strict=True)),
    )
