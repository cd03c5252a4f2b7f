"""The words of the page and of a survey in another language, or in a user's own way, merged from one YAML file.

    language: de
    page:                      # the page's own words (webapp/src/texts.en.json) and the server's sentences
      hand_in: Abgeben
    survey:                    # whatever survey is launched; or, under `surveys: NAME:`, that survey only
      title: Spot the Bot
      consent: [ … ]
      questions:
        fluency: {wording: …, options: {no_difference: {label: Kein Unterschied}}}
        extra_why: {kind: free_text, targets: [pair], wording: What gave it away?, required: false}

A file is laid over the package's texts in its language. What neither names stays in English, which a launch refuses
(`languages`). An unknown key, or a placeholder like {entity} that does not belong there, is a `UserError` that names
it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.desk.refusals import REASONS, REFUSALS
from parlai_spotbot.crowdsourcing.exercises import Dialogues, exercises_in
from parlai_spotbot.crowdsourcing.translated import ENGLISH, Translated
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.surveys import survey_names
from parlai_spotbot.surveys.shipped import data, exercise_row
from parlai_spotbot.surveys.survey import Exercise, Option, Question, Survey
from parlai_spotbot.surveys.tasks import GoldDialogue, Read, Task, TaskMaterial
from parlai_spotbot.user_files import read_file, validated

HERE = Path(__file__).parent
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
PLACEHOLDER = re.compile(r"{([a-z_]+(?::[01])?)(?:\|[^{}|]*\|[^{}|]*)?}")
FILLINGS = {"unpaid": "none", "contact": "whoever gave you the link"}
"""Words for {pay} and {contact} in the consent where a launch names neither."""

PLACEHOLDERS = {
    "consent": ("pay", "minutes", "contact", "units"),
    "wording": ("entity",),
    "help": ("entity",),
    "label": ("name",),
    "definition": ("name",),
    "compare": ("features",),
    "explanation": ("entity:0", "entity:1", "conversation:0", "conversation:1", "speaker:0", "speaker:1"),
}
"""Placeholders that the texts of a field may hold."""

TEXTS = (
    *("title", "instructions", "thanks", "other", "entities", "conversations", "speakers", "heading", "shown"),
    *("example", "onboarding", "features", "questions", "questionnaire", "options", *PLACEHOLDERS),
    *("short", "counts", "counts_not", "examples", "context", "turn", "why"),
)
"""Fields of a survey, and of its parts, that a file may replace."""

TASK = ("title", "instructions", "definitions", "dialogues")
"""What a file may have of a task."""


@dataclass(frozen=True)
class TextsFile:
    """Content of a file of texts.

    `conversations` are those of surveys/conversations.yaml, which practice and examples show, in this language;
    `in_english` says of conversations that they are in English, where they are.
    """

    language: str = ENGLISH
    in_english: str = ""
    conversations: dict[str, list[str]] = field(default_factory=dict)
    page: dict[str, str] = field(default_factory=dict)
    survey: dict[str, Any] = field(default_factory=dict)
    surveys: dict[str, dict[str, Any]] = field(default_factory=dict)


# -- the page ----------------------------------------------------------------------------------------------------------
@cache
def page_texts() -> Mapping[str, str]:
    """Return the page's own words and the server's sentences, in English, by key."""
    texts = json.loads((HERE / "webapp" / "src" / "texts.en.json").read_text(encoding="utf-8"))
    texts |= {f"refused_{code}": sentence for code, (_, sentence) in REFUSALS.items()}
    return texts | {f"why_{name}": sentence for name, sentence in REASONS.items()} | FILLINGS


def languages() -> list[str]:
    """Return the languages that come with the package."""
    return sorted({ENGLISH, *(path.stem for path in (HERE / "texts").glob("*.yaml"))})


def load_texts(
    language: str | Path,
    survey: Survey,
    replaced: Mapping[str, str] | None = None,
    where: str = "texts",
    spoken: str = "",
) -> tuple[dict[str, str], Survey]:
    """Return the page's texts by key (the language's code under "language"), and the survey in that language.

    Parameters
    ----------
    language : str or Path
        A language of `languages`, or the path of a YAML file of the user's own.
    survey : Survey
        As the package has it; what the file does not name stays.
    replaced : mapping
        Single texts of the page that take precedence over those of the file; `where` names their place in errors.
    spoken : str
        The language of the conversations; by default the page's. Exercises in another language are left out.

    Raises
    ------
    UserError
        Names the file and the key.
    """
    texts = {**page_texts(), "language": ENGLISH}
    english = survey
    dialogues: Dialogues = {}
    in_english = ""
    for path in _paths(language):
        file = _read(path)
        texts |= _page(file.page, f"{path}: page") | {"language": file.language}
        by_name = _checked_keys(file.surveys, survey_names(), f"{path}: surveys")
        survey = translated(survey, file.survey, f"{path}: survey")
        survey = translated(survey, by_name.get(survey.name, {}), f"{path}: surveys.{survey.name}")
        dialogues.update(file.conversations)
        in_english = file.in_english or in_english
    spoken = spoken or texts["language"]
    survey = exercises_in(survey, english, dialogues, texts["language"], spoken)
    if spoken == ENGLISH and in_english and survey.layout != "chat":
        survey = _said_of(survey, in_english)
    return texts | _page(replaced or {}, where), survey


def _said_of(survey: Survey, sentence: str) -> Survey:
    """Return the survey with a sentence on its conversations at the end of what instructions and consent begin with."""

    def with_sentence(paragraph: str) -> str:
        return paragraph and type(paragraph)(f"{paragraph} {sentence}")

    first, *paragraphs = survey.instructions.split("\n\n")
    return replace(
        survey,
        instructions=type(survey.instructions)("\n\n".join([with_sentence(first), *paragraphs])),
        consent=(*map(with_sentence, survey.consent[:1]), *survey.consent[1:]),
        features=replace(survey.features, consent=with_sentence(survey.features.consent)),
    )


def _paths(language: str | Path) -> list[Path]:
    """Return the files of a language: the package's, and the user's own, which is laid over it."""
    if str(language) == ENGLISH:
        return []
    path = _path(language)
    shipped = HERE / "texts" / f"{_read(path).language}.yaml"
    if shipped.exists() and shipped != path:
        return [shipped, path]
    return [path]


def _read(path: Path) -> TextsFile:
    """Return the content of a file of texts; its language is a code."""
    file = read_file(TextsFile, path, "Name a YAML file that you may read.")
    if not LANGUAGE.fullmatch(file.language):
        raise UserError(f"{path}: language: expected a code like 'de' or 'pt-BR'.", "Correct it.")
    english = data("conversations")
    for name, turns in _checked_keys(file.conversations, english, f"{path}: conversations").items():
        if len(turns) != len(english[name]):
            raise UserError(
                f"{path}: conversations.{name}: {len(turns)} turns, expected {len(english[name])}.",
                "Translate turn by turn.",
            )
    return file


def _path(language: str | Path) -> Path:
    shipped = HERE / "texts" / f"{language}.yaml"
    path = shipped if LANGUAGE.fullmatch(str(language)) and shipped.exists() else Path(language)
    if not path.is_file():
        raise UserError(
            f"language {language}: neither a language that comes with the package nor a file.",
            f"{nearest(str(language), languages())} Or name a YAML file of texts: of one with the line 'language: "
            "CODE' alone, the launch lists what is to be translated.",
        )
    return path


def _checked_keys(row: Any, keys: Collection[str], where: str) -> dict:
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected an object.", f"Use keys: {', '.join(keys)}.")
    for key in row:
        if key not in keys:
            raise UserError(f"{where}: unknown key '{key}'.", nearest(str(key), keys, most=30))
    return row


def _page(row: Mapping[str, str], where: str) -> dict[str, str]:
    """Check that texts of the page have the keys and placeholders of the English ones."""
    english = page_texts()
    for key, text in _checked_keys(dict(row), english, where).items():
        names = PLACEHOLDER.findall(english[key])
        _text(text, names, f"{where}.{key}")
        for name in sorted(set(names) - set(PLACEHOLDER.findall(text))):
            raise UserError(f"{where}.{key}: the placeholder {{{name}}} is missing.", "Put it where its value belongs.")
    return {key: Translated(text) for key, text in row.items()}


def _text(text: Any, placeholders: Collection[str], where: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"{where}: expected a text.", "Write one; it may need quotes.")
    for name in sorted(set(PLACEHOLDER.findall(text)) - set(placeholders)):
        names = ", ".join(f"{{{placeholder}}}" for placeholder in placeholders) or "none"
        raise UserError(f"{where}: unknown placeholder {{{name}}}; known here: {names}.", "Correct it.")
    return Translated(text)


# -- the survey --------------------------------------------------------------------------------------------------------
def translated(survey: Survey, row: dict, where: str) -> Survey:
    """Return the survey with the texts of `row` (see the module's example) in place of its own."""
    added = []
    if isinstance(row.get("questions"), dict):
        added = _additional(row["questions"], f"{where}.questions")
        question_texts = {name: about for name, about in row["questions"].items() if not name.startswith(ADDITIONAL)}
        row = {**row, "questions": question_texts}
    # A user's own texts stay where not all features are asked, unless the file has texts for that too.
    stands_for = {"compare": "instructions", "consent": "consent", "example": "example"}
    plain = {name: "" for name, key in stands_for.items() if key in row}
    try:
        tasks = _checked_keys(row.get("tasks", {}), [task.name for task in survey.tasks], f"{where}.tasks")
        row = {key: part for key, part in row.items() if key != "tasks"}
        survey = replace(
            survey,
            features=replace(survey.features, **plain),
            tasks=tuple(_task(task, tasks.get(task.name, {}), f"{where}.tasks.{task.name}") for task in survey.tasks),
        )
        before = survey.instructions.count("\n\n")
        survey = _laid_over(survey, row, where)
        if "compare" in row.get("features", {}) and survey.instructions.count("\n\n") != before:
            raise ValueError(f"features.compare needs instructions of {before + 1} paragraphs")
        _check_keys(survey)
        return replace(survey, questions=(*survey.questions, *added))
    except ValueError as err:
        raise UserError(f"{where}: {err}.", "Correct it.") from None


def _check_keys(survey: Survey) -> None:
    """Raise `ValueError` where the key of an exercise has what is no answer."""
    if not survey.example:
        return
    for exercise in (survey.example, *sum(survey.onboarding, ())):
        for name, _, answers in exercise.key:
            if not set(answers) <= {option.value for option in survey.question(name).options}:
                raise ValueError(f"the key of an exercise has {', '.join(answers)}, which is no answer to '{name}'")


def _task(task: Task, row: Mapping[str, Any], where: str) -> Task:
    """Return a task whose title and material are in the language of a file."""
    parts = dict(_checked_keys(row, TASK, where))
    if "title" in parts:
        task = replace(task, title=_text(parts.pop("title"), (), f"{where}.title"))
    if not parts or task.read is None:
        return task
    return replace(task, read=partial(_material, task.read, parts, where))


def _material(read: Read, row: Mapping[str, Any], where: str, name: str) -> TaskMaterial:
    """Return the material of a task with the texts of `row` in place of its own."""
    material = read(name)
    rows = _checked_keys(row.get("definitions", {}), material.definitions, f"{where}.definitions")
    definitions = {}
    for label, definition in material.definitions.items():
        definitions[label] = _laid_over(definition, rows.get(label, {}), f"{where}.definitions.{label}")
    dialogue_texts = _checked_keys(
        row.get("dialogues", {}), [gold.id for gold in material.dialogues], f"{where}.dialogues"
    )
    dialogues = []
    for gold in material.dialogues:
        if gold.id in dialogue_texts:
            gold = _gold(gold, dialogue_texts[gold.id], f"{where}.dialogues.{gold.id}")
        dialogues.append(gold)
    if "instructions" in row:
        material = replace(material, instructions=_text(row["instructions"], (), f"{where}.instructions"))
    return replace(material, definitions=definitions, dialogues=tuple(dialogues))


def _gold(gold: GoldDialogue, texts: Any, where: str) -> GoldDialogue:
    """Return a gold dialogue in the words of a file: three texts an exchange, the last of them why."""
    count = 3 * len(gold.bot_turns)
    if not isinstance(texts, list) or len(texts) != count:
        raise UserError(
            f"{where}: expected a list of {count} texts.", "Write what user and bot say, and why, for each exchange."
        )
    checked = [_text(text, (), f"{where}[{number}]") for number, text in enumerate(texts)]
    turns = []
    for place, turn in enumerate(gold.turns):
        first = 3 * (place // 2)
        if turn.bot:
            turns.append(replace(turn, bot=checked[first + 1], why=checked[first + 2]))
        else:
            turns.append(replace(turn, user=checked[first]))
    return replace(gold, turns=tuple(turns))


def _additional(rows: dict, where: str) -> list[Question]:
    """Return the user's own questions among those of a file."""
    questions = []
    for name, about in rows.items():
        if name.startswith(ADDITIONAL):
            question_fields = _checked_keys(about, [one.name for one in fields(Question)], f"{where}.{name}")
            questions.append(validated(Question, {"name": name, **question_fields}, f"{where}.{name}"))
    return questions


def _laid_over(value: Any, row: Any, where: str, key: str = "") -> Any:
    """Return a survey, or the part of it in the field `key`, with the texts of `row` in place of its own."""
    if isinstance(value, str):
        return _text(row, PLACEHOLDERS.get(key, ()), where)
    if key in ("example", "onboarding") and isinstance(row, dict) and "turns" in row:
        return _own_exercise(row, where)
    if key == "shown":
        return tuple({**dict(value), **_checked_keys(row, dict(value), where)}.items())
    if is_dataclass(value):
        parts = {one.name: getattr(value, one.name) for one in fields(value) if one.name in TEXTS}
        return replace(value, **_parts(parts, row, where))
    if isinstance(value, tuple) and (isinstance(row, dict) or key in ("questions", "questionnaire", "options")):
        parts = {one.value if isinstance(one, Option) else one.name: one for one in value}
        return tuple((parts | _parts(parts, row, where)).values())
    if not isinstance(row, list):
        raise UserError(f"{where}: expected a list.", "Write it as [ … ].")
    if key == "consent":
        value = ("",) * len(row)
    elif key == "onboarding" and _has_turns(row):
        value = row
    elif len(row) != len(value):
        raise UserError(f"{where}: {len(row)} entries, expected {len(value)}.", "Give one for each ({} leaves it).")
    return tuple(_laid_over(*pair, f"{where}[{n}]", key) for n, pair in enumerate(zip(value, row, strict=True)))


def _parts(parts: Mapping[str, Any], row: Any, where: str) -> dict[str, Any]:
    part_texts = _checked_keys(row, parts, where)
    return {name: _laid_over(parts[name], about, f"{where}.{name}", name) for name, about in part_texts.items()}


def _has_turns(row: Any) -> bool:
    """Return True if every exercise of these rounds is the user's own."""
    return "turns" in row if isinstance(row, dict) else bool(row) and all(map(_has_turns, row))


def _own_exercise(row: dict, where: str) -> Exercise:
    """Return an exercise of the user's own, written as in the package's surveys."""
    try:
        return validated(Exercise, exercise_row(row), where)
    except (AttributeError, KeyError, TypeError):
        raise UserError(f"{where}: expected turns, key and explanation.", "See texts/README.md.") from None
