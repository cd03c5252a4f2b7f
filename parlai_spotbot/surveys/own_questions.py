"""A user's own questions for ACUTE-Eval and features for Spot The Bot, from a YAML file that the study keeps.

    questions:
      politeness:
        wording: Which speaker is more polite?
        option: "{name} is more polite"      # the text of both answers; {name} becomes Speaker 1 and Speaker 2
        heading: More polite                 # optional, as is `help`
        control: true                        # whether a person beats a bot that loops (default), see surveys/controls

Of a feature there is no `option` and no `control`: the answers are the two entities, and `no_difference`, which may be
worded otherwise.

    questions:
      politeness:
        wording: Who is more polite?
        help: Polite is who would not offend a stranger.
        no_difference: Both alike            # optional, as are `heading` and `help`

Whoever reads a study's survey reads it through `surveys.survey_of`, so that page, judges and analysis know them too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import acute_eval, spot_the_bot
from parlai_spotbot.surveys.features import feature
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.user_files import read_file

SURVEYS = ("acute_eval", "spot_the_bot", "spot_the_bot_game")
FILE = "questions.yaml"
NAME = re.compile(r"^[a-z][a-z0-9_]*$")
PLACEHOLDER = re.compile(r"{([^{}]*)}")


def path_of(study: Study, survey: str) -> Path:
    """Return where a study keeps the questions that were added to a survey."""
    return study.survey_path(survey) / FILE


@dataclass(frozen=True)
class OwnFeature:
    """A feature of a user's own."""

    wording: str
    heading: str = ""
    help: str = ""
    no_difference: str = ""

    def __post_init__(self):
        for key, text in vars(self).items():
            placeholders = ["name"] if key == "option" else []
            if isinstance(text, str) and PLACEHOLDER.findall(text) != placeholders:
                need = "{name} once, where the speaker's name is to stand" if placeholders else "no {…}"
                raise ValueError(f"{key} is {text!r}, which should hold {need}")
            if key in ("wording", "option") and not text.strip():
                raise ValueError(f"{key} is empty")


@dataclass(frozen=True)
class OwnQuestion:
    """A question of a user's own for ACUTE-Eval."""

    wording: str
    option: str
    heading: str = ""
    help: str = ""
    control: bool = True

    __post_init__ = OwnFeature.__post_init__


@dataclass(frozen=True)
class _Features:
    questions: dict[str, OwnFeature]


@dataclass(frozen=True)
class _Questions:
    questions: dict[str, OwnQuestion]


def _is_of_features(survey: str) -> bool:
    return survey != acute_eval.SURVEY.name


def read_questions(path: Path | str, survey: str = acute_eval.SURVEY.name) -> dict[str, dict]:
    """Return the questions of a file, or the features, by name as they are written.

    Raises
    ------
    UserError
        With file, line, question and key.
    """
    read = read_file(_Features if _is_of_features(survey) else _Questions, path, "Name a YAML file with 'questions:'.")
    if not read.questions:
        raise UserError(f"{path}: field 'questions' is empty.", "Add one, as surveys/README.md shows.")
    return {checked_name(name, str(path), survey): _written(row) for name, row in read.questions.items()}


def _written(row: OwnFeature | OwnQuestion) -> dict:
    return {key: value for key, value in vars(row).items() if value not in ("", True)}


def _columns() -> set[str]:
    """Return the names of columns of the analysis, which no feature can have."""
    from parlai_spotbot.analysis.frames import ABOUT, PLAYED
    from parlai_spotbot.analysis.survival.events import BESIDE

    return {*ABOUT, *BESIDE, *PLAYED, "name", "opponent", "entity", "criterion", "none", "sensibleness_and_specificity"}


def checked_name(name: str, where: str, survey: str = acute_eval.SURVEY.name) -> str:
    """Return the name of a question, unless a shipped question or the analysis has it (`UserError`)."""
    of_features = _is_of_features(survey)
    shipped = [question.name for question in (spot_the_bot if of_features else acute_eval).SURVEY.questions]
    if not NAME.match(name) or name.startswith(ADDITIONAL):
        raise UserError(f"{where}: {name!r} can't be a question's name.", "Use small letters, digits and _.")
    if name in shipped:
        raise UserError(f"{where}: question '{name}' is there already, with its own wording.", f"Call it {name}_2.")
    if of_features and name in _columns():
        raise UserError(f"{where}: {name!r} can't be a question's name: the analysis uses it.", f"Call it {name}_2.")
    return name


def with_questions(survey: Survey, added: dict[str, dict]) -> Survey:
    """Return the survey with further questions, after its own and before the free text."""
    user_questions = tuple(
        feature(name, **row)
        if survey.spots
        else acute_eval.question(
            name,
            row.get("heading", name.replace("_", " ").capitalize()),
            row["wording"],
            row["option"],
            row.get("help", ""),
        )
        for name, row in added.items()
    )
    main = (*survey.main, *user_questions)
    rest: tuple[Question, ...] = tuple(
        replace(question, after=tuple(q.name for q in main))
        for question in survey.questions
        if question not in survey.main
    )
    return replace(survey, questions=(*main, *rest))


def questions_of_study(study: Study, survey: str) -> dict[str, dict]:
    """Return the questions that this study added to a survey; {} for none."""
    path = path_of(study, survey)
    if not path.exists():
        return {}
    checksums.verify(path)
    return read_questions(path, survey)


def merged(study: Study, survey: str, path: Path | str | None) -> dict[str, dict]:
    """Return the study's own questions with those of a file; a changed wording is a `UserError`."""
    questions = questions_of_study(study, survey)
    if path is None:
        return questions
    if survey not in SURVEYS:
        raise UserError(f"--questions {path}: survey '{survey}' has fixed questions.", f"Use {', '.join(SURVEYS)}.")
    for name, row in read_questions(path, survey).items():
        if questions.get(name, row) != row:
            raise UserError(
                f"{path}: question '{name}' is in the study with other words ({path_of(study, survey)}).",
                "Give the changed one another name.",
            )
        questions[name] = row
    return questions


def keep(study: Study, survey: str, questions: dict[str, dict]) -> None:
    """Write the questions into the study; nothing where there are none or nothing changed."""
    text = yaml.safe_dump({"questions": questions}, sort_keys=False, allow_unicode=True)
    path = path_of(study, survey)
    if questions and (not path.exists() or path.read_text(encoding="utf-8") != text):
        checksums.write_text(path, text)
