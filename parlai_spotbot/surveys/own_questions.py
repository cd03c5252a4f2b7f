"""Questions that studies of earlier versions added to ACUTE-Eval or Spot The Bot (now: a survey file with `base`)."""

from dataclasses import dataclass, replace

from parlai_spotbot import checksums
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.user_files import read_file

FILE = "questions.yaml"


@dataclass(frozen=True)
class KeptQuestion:
    """A question as such a study keeps it; `option` is the label of an answer, `no_difference` that of the last."""

    wording: str
    heading: str | None = None
    help: str = ""
    option: str | None = None
    no_difference: str | None = None
    control: bool = False


@dataclass(frozen=True)
class KeptQuestions:
    """The file of a study's questions, by their names."""

    questions: dict[str, KeptQuestion]


def with_kept_questions(study: Study, survey: Survey) -> Survey:
    """Return the survey with the questions that a study keeps for it, before its free text; answered as the last is."""
    path = study.survey_path(survey.name) / FILE
    if not path.exists():
        return survey
    checksums.verify(path)
    kept = read_file(KeptQuestions, path, "Restore it.").questions
    main = (*survey.main, *(_question(survey.main[-1], name, row) for name, row in kept.items()))
    free = (q for q in survey.questions if q.kind == "free_text")
    return replace(survey, questions=(*main, *(replace(q, after=tuple(one.name for one in main)) for q in free)))


def _question(like: Question, name: str, row: KeptQuestion) -> Question:
    labels = [row.option or option.label for option in like.options]
    labels[-1] = row.no_difference or labels[-1]
    return replace(
        like,
        name=name,
        wording=row.wording,
        heading=row.heading or name.replace("_", " ").capitalize(),
        help=row.help,
        options=tuple(replace(option, label=label) for option, label in zip(like.options, labels, strict=True)),
    )
