"""A user's own questions for ACUTE-Eval, from a YAML file; the study keeps them beside the survey's units.

    questions:
      politeness:
        wording: Which speaker is more polite?
        option: "{name} is more polite"      # the text of both answers; {name} becomes Speaker 1 and Speaker 2
        heading: More polite                 # optional, as is `help`
        control: true                        # whether a person beats a bot that loops (default), see surveys/controls

Whoever reads a study's survey reads it through `surveys.survey_of`, so that page, judges and analysis know them too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import acute_eval
from parlai_spotbot.surveys.survey import Question, Survey

SURVEYS = ("acute_eval",)
FILE = "questions.yaml"
KEYS = ("wording", "option", "heading", "help", "control")
NAME = re.compile(r"^[a-z][a-z0-9_]*$")
PLACEHOLDER = re.compile(r"{([^{}]*)}")


def path_of(study: Study, survey: str) -> Path:
    """Where a study keeps the questions that were added to a survey."""
    return study.survey_path(survey) / FILE


def read_questions(path: Path | str) -> dict[str, dict]:
    """The questions of a file by name, checked: keys `wording` and `option`, and `heading`, `help`, `control`.

    Raises `UserError` that names file, question and key.
    """
    path = Path(path)
    try:
        row = parse_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", "Name a YAML file with 'questions:'.") from None
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(f"{path}: cannot be read: {err}.", "Name a YAML file in UTF-8.") from None
    except Malformed as err:
        raise UserError(f"{path}: not valid YAML: {err}.", "Mend that line.") from None
    if not isinstance(row, dict) or set(row) != {"questions"} or not isinstance(row["questions"], dict):
        raise UserError(f"{path}: expected the one key 'questions' with the questions below it.", EXAMPLE)
    if not row["questions"]:
        raise UserError(f"{path}: field 'questions' is empty.", EXAMPLE)
    return {
        checked_name(name, str(path)): checked(about, f"{path}: questions.{name}")
        for name, about in row["questions"].items()
    }


EXAMPLE = 'Write for example: questions: {politeness: {wording: "Who is politer?", option: "{name} is politer"}}'


def checked_name(name: Any, where: str) -> str:
    """A name that is no shipped question's; another one is a `UserError`."""
    shipped = [question.name for question in acute_eval.SURVEY.questions]
    if not isinstance(name, str) or not NAME.match(name) or name.startswith(ADDITIONAL):
        raise UserError(f"{where}: {name!r} can't be a question's name.", "Use small letters, digits and _.")
    if name in shipped:
        raise UserError(f"{where}: question '{name}' is there already, with its own wording.", f"Call it {name}_2.")
    return name


def checked(about: Any, where: str) -> dict:
    """One question's keys and values; a `UserError` names `where` and the key."""
    if not isinstance(about, dict):
        raise UserError(f"{where}: {about!r}, expected keys and values.", EXAMPLE)
    for key in about:
        if key not in KEYS:
            raise UserError(f"{where}: unknown key '{key}'.", nearest(str(key), KEYS))
    for key in ("wording", "option", "heading", "help"):
        text = about.get(key)
        if (key in about or key in KEYS[:2]) and (not isinstance(text, str) or not text.strip()):
            raise UserError(f"{where}.{key}: {text!r}, expected a text.", "Put it in quotes.")
        found = PLACEHOLDER.findall(text or "")
        if found != (["name"] if key == "option" else []):
            need = "{name} once, where the speaker's name is to stand" if key == "option" else "no {…}"
            raise UserError(f"{where}.{key}: {text!r} should hold {need}.", 'Write "{name} is more polite".')
    if not isinstance(about.get("control", True), bool):
        raise UserError(f"{where}.control: {about['control']!r}, expected true or false.", "Correct it.")
    return dict(about)


def with_questions(survey: Survey, added: dict[str, dict]) -> Survey:
    """The survey with further questions, which stand after its own and before the free text."""
    own = tuple(
        acute_eval.question(
            name,
            row.get("heading", name.replace("_", " ").capitalize()),
            row["wording"],
            row["option"],
            row.get("help", ""),
        )
        for name, row in added.items()
    )
    main = (*survey.main, *own)
    rest: tuple[Question, ...] = tuple(
        replace(question, after=tuple(q.name for q in main))
        for question in survey.questions
        if question not in survey.main
    )
    return replace(survey, questions=(*main, *rest))


def questions_of_study(study: Study, survey: str) -> dict[str, dict]:
    """The questions that this study added to a survey; {} for none."""
    path = path_of(study, survey)
    return read_questions(path) if path.exists() else {}


def merged(study: Study, survey: str, path: Path | str | None) -> dict[str, dict]:
    """The study's own questions with those of a file; one that is there with other words is a `UserError`."""
    known = questions_of_study(study, survey)
    if path is None:
        return known
    if survey not in SURVEYS:
        raise UserError(f"--questions {path}: survey '{survey}' has fixed questions.", f"Use {', '.join(SURVEYS)}.")
    for name, row in read_questions(path).items():
        if known.get(name, row) != row:
            raise UserError(
                f"{path}: question '{name}' is in the study with other words ({path_of(study, survey)}).",
                "Give the changed one another name.",
            )
        known[name] = row
    return known


def keep(study: Study, survey: str, questions: dict[str, dict]) -> None:
    """Write the questions into the study; nothing where there are none or nothing changed."""
    text = yaml.safe_dump({"questions": questions}, sort_keys=False, allow_unicode=True)
    path = path_of(study, survey)
    if questions and (not path.exists() or path.read_text(encoding="utf-8") != text):
        files.write_text(path, text)
