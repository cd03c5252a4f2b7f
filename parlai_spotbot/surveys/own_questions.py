"""A user's own questions for ACUTE-Eval, and features for Spot The Bot, from a YAML file; the study keeps them beside
the survey's units.

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
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import acute_eval, spot_the_bot
from parlai_spotbot.surveys.features import feature
from parlai_spotbot.surveys.survey import Question, Survey

SURVEYS = ("acute_eval", "spot_the_bot", "spot_the_bot_game")
FILE = "questions.yaml"
TEXTS = ("wording", "option", "heading", "help")
KEYS = (*TEXTS, "control")
FEATURE_KEYS = ("wording", "heading", "help", "no_difference")
NAME = re.compile(r"^[a-z][a-z0-9_]*$")
PLACEHOLDER = re.compile(r"{([^{}]*)}")


def path_of(study: Study, survey: str) -> Path:
    """Where a study keeps the questions that were added to a survey."""
    return study.survey_path(survey) / FILE


def read_questions(path: Path | str, survey: str = acute_eval.SURVEY.name) -> dict[str, dict]:
    """The questions of a file by name, checked: keys `wording` and `option`, and `heading`, `help`, `control`; of
    features as the module says.

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
        raise UserError(f"{path}: expected the one key 'questions' with the questions below it.", _example(survey))
    if not row["questions"]:
        raise UserError(f"{path}: field 'questions' is empty.", _example(survey))
    return {
        checked_name(name, str(path), survey): checked(about, f"{path}: questions.{name}", survey)
        for name, about in row["questions"].items()
    }


EXAMPLE = 'Write for example: questions: {politeness: {wording: "Who is politer?", option: "{name} is politer"}}'
OF_FEATURE = 'Write for example: questions: {politeness: {wording: "Who is politer?"}}'


def _example(survey: str) -> str:
    return EXAMPLE if survey == acute_eval.SURVEY.name else OF_FEATURE


def _columns() -> set[str]:
    """What no feature can be called: columns of the analysis, which is not imported before a feature asks for it."""
    from parlai_spotbot.analysis.frames import ABOUT, PLAYED
    from parlai_spotbot.analysis.survival.events import BESIDE

    return {*ABOUT, *BESIDE, *PLAYED, "name", "opponent", "entity", "criterion", "none", "sensibleness_and_specificity"}


def checked_name(name: Any, where: str, survey: str = acute_eval.SURVEY.name) -> str:
    """A name that is no shipped question's; another one is a `UserError`."""
    of_feature = survey != acute_eval.SURVEY.name
    shipped = [question.name for question in (spot_the_bot if of_feature else acute_eval).SURVEY.questions]
    taken = _columns() - set(shipped) if of_feature else ()
    if not isinstance(name, str) or not NAME.match(name) or name.startswith(ADDITIONAL):
        raise UserError(f"{where}: {name!r} can't be a question's name.", "Use small letters, digits and _.")
    if name in taken:
        raise UserError(f"{where}: {name!r} can't be a question's name: the analysis uses it.", f"Call it {name}_2.")
    if name in shipped:
        raise UserError(f"{where}: question '{name}' is there already, with its own wording.", f"Call it {name}_2.")
    return name


def checked(about: Any, where: str, survey: str = acute_eval.SURVEY.name) -> dict:
    """One question's keys and values; a `UserError` names `where` and the key."""
    of_feature = survey != acute_eval.SURVEY.name
    known, texts = (FEATURE_KEYS, FEATURE_KEYS) if of_feature else (KEYS, TEXTS)
    needed = texts[:1] if of_feature else texts[:2]
    if not isinstance(about, dict):
        raise UserError(f"{where}: {about!r}, expected keys and values.", _example(survey))
    for key in about:
        if key not in known:
            raise UserError(f"{where}: unknown key '{key}'.", nearest(str(key), known))
    for key in texts:
        text = about.get(key)
        if (key in about or key in needed) and (not isinstance(text, str) or not text.strip()):
            raise UserError(f"{where}.{key}: {text!r}, expected a text.", "Put it in quotes.")
        found = PLACEHOLDER.findall(text or "")
        if found != (["name"] if key == "option" else []):
            need = "{name} once, where the speaker's name is to stand" if key == "option" else "no {…}"
            remedy = 'Write "{name} is more polite".' if not of_feature else "Leave the braces out."
            raise UserError(f"{where}.{key}: {text!r} should hold {need}.", remedy)
    if not isinstance(about.get("control", True), bool):
        raise UserError(f"{where}.control: {about['control']!r}, expected true or false.", "Correct it.")
    return dict(about)


def with_questions(survey: Survey, added: dict[str, dict]) -> Survey:
    """The survey with further questions, which stand after its own and before the free text."""
    own = tuple(
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
    if not path.exists():
        return {}
    checksums.verify(path)
    return read_questions(path, survey)


def merged(study: Study, survey: str, path: Path | str | None) -> dict[str, dict]:
    """The study's own questions with those of a file; one that is there with other words is a `UserError`."""
    known = questions_of_study(study, survey)
    if path is None:
        return known
    if survey not in SURVEYS:
        raise UserError(f"--questions {path}: survey '{survey}' has fixed questions.", f"Use {', '.join(SURVEYS)}.")
    for name, row in read_questions(path, survey).items():
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
        checksums.write_text(path, text)
