"""The words of the page and of a survey in another language, or in a user's own way, merged from one YAML file.

    language: de
    page:                      # the page's own words (webapp/src/texts.en.json) and the server's sentences
      hand_in: Abgeben
    survey:                    # whatever survey is launched; or, under `surveys: NAME:`, that survey only
      title: Spot the Bot
      consent: [ … ]
      questions:
        fluency: {wording: …, options: {no_difference: {label: Kein Unterschied}}}
        extra_why: {kind: free_text, wording: What gave it away?, required: false}    # a further question
      limits: {units_per_annotator: 5}

What a file doesn't say stays as it is, in English. An unknown key, or a placeholder like {entity} that doesn't belong
there, is a `UserError` that names it.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator
from typing_extensions import TypedDict

from parlai_spotbot.crowdsourcing.desk.refusals import REASONS, REFUSALS
from parlai_spotbot.crowdsourcing.settings import LIMITS, check
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.surveys import survey_names
from parlai_spotbot.surveys.asking import targets_of
from parlai_spotbot.surveys.survey import Condition, Exercise, FeatureTexts, Kind, Option, Question, Survey
from parlai_spotbot.user_files import validated

HERE = Path(__file__).parent
ENGLISH = "en"
LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$")
PLACEHOLDER = re.compile(r"{([a-z_]+(?::[01])?)}")
FILLINGS = {"unpaid": "none", "contact": "whoever gave you the link"}
"""What the consent says instead of {pay} and {contact} where a launch names neither."""


# -- the form of the file ----------------------------------------------------------------------------------------------
def _row(name: str, fields: dict[str, Any]) -> Any:
    """Return the type of a dict that has some of these keys."""
    return TypedDict(name, fields, total=False)


def _text(*placeholders: str) -> Any:
    """Return the type of a text that may hold these placeholders."""
    return Annotated[str, AfterValidator(partial(_only, placeholders))]


def _only(placeholders: Sequence[str], text: str) -> str:
    if not text.strip():
        raise ValueError("expected a text")
    for name in sorted(set(PLACEHOLDER.findall(text)) - set(placeholders)):
        placeholder_list = ", ".join(f"{{{placeholder}}}" for placeholder in placeholders) or "none"
        raise ValueError(f"nothing is put instead of {{{name}}}; known here: {placeholder_list}")
    return text


CONSENT = _text("pay", "minutes", "contact", "units")
NAMED = ("entity:0", "entity:1", "conversation:0", "conversation:1", "speaker:0", "speaker:1")
"""What an exercise's explanation may name."""

NAMES = Annotated[list[_text()], check(lambda row: len(set(row)) == len(row) > 1, "expected two different names")]
OPTION = _row("Option", {"label": _text("name"), "definition": _text("name")})
WORDS = {"wording": _text("entity"), "help": _text("entity"), "heading": _text()}
CONDITION = _row("Condition", {"question": str, "values": list[str], "target": str})
NEW_QUESTION = {
    "kind": Kind,
    "targets": list[str],
    "required": bool,
    "after": list[str],
    "when": list[CONDITION],
    "shuffle": bool,
}
QUESTION = _row("Question", {**WORDS, **NEW_QUESTION, "options": dict[str, OPTION | str]})


def _exercise_row(*placeholders: str) -> Any:
    turns = list[_text()]
    rows = {"turns": turns, "second": turns, "candidates": turns, "judged": list[int]}
    key = dict[str, dict[str, str | list[str]]]
    return _row("Exercise", {**rows, "key": key, "explanation": _text(*placeholders)})


SURVEY = _row(
    "Survey",
    {
        **dict.fromkeys(("title", "instructions", "thanks", "other"), _text()),
        **dict.fromkeys(("entities", "conversations", "speakers"), NAMES),
        "consent": list[CONSENT],
        "example": _exercise_row(),
        "onboarding": list[list[_exercise_row(*NAMED)]],
        "features": _row(
            "Features",
            {"compare": _text("features"), "consent": CONSENT, "example": _text(), "shown": dict[str, _text()]},
        ),
        "questions": dict[str, QUESTION],
        "questionnaire": dict[str, _row("Asked", {**WORDS, "options": dict[str, OPTION]})],
        "limits": LIMITS,
    },
)
CODE = Annotated[str, check(LANGUAGE.match, "expected a code like 'de' or 'pt-BR'")]
FILE = _row("Texts", {"language": CODE, "page": dict[str, str], "survey": SURVEY, "surveys": dict[str, SURVEY]})


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
    language: str | Path, survey: Survey, replaced: Mapping[str, str] | None = None, where: str = "texts"
) -> tuple[dict[str, str], Survey]:
    """The page's texts, and the survey in that language.

    Parameters
    ----------
    language : str or Path
        A language of `languages`, or the path of a YAML file of the user's own.
    survey : Survey
        As the package has it; what the file doesn't name stays.
    replaced : mapping
        Single texts of the page that go before those of the file; `where` names their place in errors.

    Returns
    -------
    (dict, Survey)
        All texts of the page by key; under "language" the language's code.

    Raises
    ------
    UserError
        Names the file and the key.
    """
    texts = {**page_texts(), "language": ENGLISH}
    if str(language) != ENGLISH:
        path = _path(language)
        row = read_yaml(path, "Name a YAML file that you may read.", "Mend that line.")
        row = validated(FILE, {} if row is None else row, path)
        texts |= _page(row.get("page", {}), f"{path}: page") | {"language": row.get("language", ENGLISH)}
        by_name = _known(row.get("surveys", {}), survey_names(), f"{path}: surveys")
        for place, section in (("survey", row.get("survey")), (f"surveys.{survey.name}", by_name.get(survey.name))):
            if section:
                survey = translated(survey, section, f"{path}: {place}")
    return texts | _page(replaced or {}, where), survey


def _path(language: str | Path) -> Path:
    name = str(language)
    shipped = HERE / "texts" / f"{name}.yaml"
    if LANGUAGE.match(name) and shipped.exists():
        return shipped
    if not Path(name).is_file():
        raise UserError(
            f"language {name}: neither a language that comes with the package nor a file.",
            nearest(name, languages()) + " Or name a YAML file of texts.",
        )
    return Path(name)


def _known(row: dict, keys: Collection[str], where: str) -> dict:
    for key in row:
        if key not in keys:
            raise UserError(f"{where}: unknown key '{key}'.", nearest(key, keys, most=30))
    return row


def _page(row: Mapping[str, str], where: str) -> dict[str, str]:
    """Check that texts of the page have the keys and placeholders of the English ones."""
    english = page_texts()
    for key, text in _known(dict(row), english, where).items():
        names = PLACEHOLDER.findall(english[key])
        try:
            _only(tuple(dict.fromkeys(names)), text)
        except ValueError as err:
            raise UserError(f"{where}.{key}: {err}.", "Correct it.") from None
        for name in sorted(set(names) - set(PLACEHOLDER.findall(text))):
            raise UserError(f"{where}.{key}: the placeholder {{{name}}} is missing.", "Put it where its value belongs.")
    return dict(row)


# -- the survey --------------------------------------------------------------------------------------------------------
def translated(survey: Survey, row: dict, where: str) -> Survey:
    """Return the survey with what `row` (see the module's example) says in place of its own."""
    change = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    change["questions"] = _questions(survey, row.get("questions", {}), f"{where}.questions")
    question_by_name = {question.name: question for question in survey.questionnaire}
    for name, about in _known(row.get("questionnaire", {}), question_by_name, f"{where}.questionnaire").items():
        question_by_name[name] = _question(question_by_name[name], about, f"{where}.questionnaire.{name}")
    change["questionnaire"] = tuple(question_by_name.values())
    change["limits"] = replace(survey.limits, **row.get("limits", {}))
    change["features"] = _feature_texts(survey, row, f"{where}.features")
    exercises = {key: change.pop(key) for key in ("example", "onboarding") if key in change}
    survey = _checked(lambda: replace(survey, **change), where)
    if "example" in exercises:
        survey = replace(survey, example=_exercise(survey, survey.example, row["example"], f"{where}.example"))
    if "onboarding" in exercises:
        survey = replace(survey, onboarding=_onboarding(survey, row["onboarding"], f"{where}.onboarding"))
    return survey


def _feature_texts(survey: Survey, row: dict, where: str) -> FeatureTexts:
    """Return what is said where not all features are asked; a user's own texts stay, unless they say it too."""
    features = dict(row.get("features", {}))
    replaced = {"compare": "instructions" in row, "consent": "consent" in row}
    replaced["example"] = "explanation" in row.get("example", {})
    before, now = (
        text.count("\n\n") + 1 for text in (survey.instructions, row.get("instructions", survey.instructions))
    )
    if "compare" in features and before != now:
        raise UserError(
            f"{where}.compare: stands for paragraph {survey.features.paragraph + 1} of {before} of the instructions, "
            f"which have {now} here.",
            "Write them in as many paragraphs.",
        )
    if "shown" in features:
        _known(features["shown"], [name for name, _ in survey.features.shown], f"{where}.shown")
        features["shown"] = tuple(features["shown"].items())
    return replace(survey.features, **{key: "" for key, is_own in replaced.items() if is_own} | features)


def _checked(make: Any, where: str) -> Any:
    """Return what `make` returns; its `ValueError`, for a survey that can't be, is a `UserError` here."""
    try:
        return make()
    except ValueError as err:
        raise UserError(f"{where}: {err}.", "Correct it.") from None


def _questions(survey: Survey, row: dict, where: str) -> tuple[Question, ...]:
    question_by_name = {question.name: question for question in survey.questions}
    added = []
    for name, about in row.items():
        if name in question_by_name:
            _known(about, (*WORDS, "options"), f"{where}.{name}")
            question_by_name[name] = _question(question_by_name[name], about, f"{where}.{name}")
        elif "kind" in about:
            added.append(_new_question(name, about, f"{where}.{name}"))
        else:
            raise UserError(
                f"{where}: unknown key '{name}'.",
                f"{nearest(name, question_by_name)} A further question needs a 'kind' and a name that begins with "
                f"'{ADDITIONAL}'.",
            )
    return (*question_by_name.values(), *added)


def _question(question: Question, row: dict, where: str) -> Question:
    """Return a question in other words; its kind, targets and values stay, for the analysis relies on them."""
    options = {option.value: option for option in question.options}
    for value, about in _known(row.get("options", {}), options, f"{where}.options").items():
        options[value] = replace(options[value], **({"label": about} if isinstance(about, str) else about))
    return replace(question, **{**row, "options": tuple(options.values())})


def _new_question(name: str, row: dict, where: str) -> Question:
    """Return a question that the survey hasn't; the analysis leaves its answers out, the judgements hold them."""
    if not re.match(rf"^{ADDITIONAL}[a-z0-9_]+$", name):
        raise UserError(
            f"{where}: a further question's name begins with '{ADDITIONAL}', then small letters, digits and _.",
            f"Call it '{ADDITIONAL}{re.sub('[^a-z0-9_]+', '_', name.lower())}'.",
        )
    rows = {value: {"label": row} if isinstance(row, str) else row for value, row in row.get("options", {}).items()}
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    values["options"] = tuple(Option(value, **{"label": value, **about}) for value, about in rows.items())
    when = row.get("when", [])
    if "wording" not in row or not all({"question", "values"} <= set(about) for about in when):
        raise UserError(f"{where}: 'wording' is missing, or 'question' and 'values' in 'when'.", "Write it there.")
    values["when"] = tuple(Condition(**{**about, "values": tuple(about["values"])}) for about in when)
    return _checked(lambda: Question(name, **{"targets": ("pair",), **values}), where)


# -- exercises ---------------------------------------------------------------------------------------------------------
def _onboarding(survey: Survey, rounds: list, where: str) -> tuple[tuple[Exercise, ...], ...]:
    """Return new rounds of exercises where each has turns, key and explanation; else the survey's in other words."""
    new = all({"turns", "key"} <= set(row) for rows in rounds for row in rows)
    if not new and [len(rows) for rows in rounds] != [len(exercises) for exercises in survey.onboarding]:
        has = " and ".join(str(len(exercises)) for exercises in survey.onboarding) or "no"
        raise UserError(
            f"{where}: has rounds of {' and '.join(str(len(rows)) for rows in rounds)} exercises, the survey of {has}.",
            "Give an entry for each ({} leaves one as it is), or turns, key and explanation for all of them.",
        )
    return tuple(
        tuple(
            _exercise(survey, None if new else survey.onboarding[i][j], row, f"{where}[{i}][{j}]")
            for j, row in enumerate(rows)
        )
        for i, rows in enumerate(rounds)
    )


def _exercise(survey: Survey, exercise: Exercise | None, row: dict, where: str) -> Exercise:
    if exercise is None and "explanation" not in row:
        raise UserError(f"{where}: 'explanation' is missing.", "Write it there.")
    change = {key: tuple(value) for key, value in row.items() if key in ("candidates", "judged")}
    change |= {"explanation": row["explanation"]} if "explanation" in row else {}
    candidates = change.get("candidates") or (exercise and exercise.candidates)
    for name in (name for name in ("turns", "second") if name in row):
        entries = row[name]
        if len(entries) < 2 or (len(entries) % 2 and not candidates):
            raise UserError(f"{where}.{name}: {len(entries)} turns, expected whole exchanges.", "Add or remove a turn.")
        change[name] = tuple((number % 2, text) for number, text in enumerate(entries))
    exercise_made = replace(exercise, **change) if exercise else Exercise(**{"key": (), **change})
    if exercise_made.judged and (
        not set(exercise_made.judged) <= {0, 1} or len(exercise_made.judged) != len(exercise_made.transcripts)
    ):
        raise UserError(
            f"{where}.judged: {list(exercise_made.judged)}, expected 0 or 1 for each conversation.",
            "Say who is judged in each.",
        )
    return (
        replace(exercise_made, key=_key(survey, row["key"], f"{where}.key", exercise_made))
        if "key" in row
        else exercise_made
    )


def _key(survey: Survey, row: dict, where: str, exercise: Exercise) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return accepted answers from ``{nature: {entity:0: human, entity:1: [bot, unsure]}, fluency: {…}}``."""
    key = []
    judged = exercise.judged if len(exercise.transcripts) == 1 else ()
    for name, targets in _known(row, [question.name for question in survey.questions], where).items():
        question = survey.question(name)
        values = [option.value for option in question.options]
        allowed = targets_of(question, [entity for entity, _ in exercise.turns], judged)
        for target, accepted in _known(targets, allowed, f"{where}.{name}").items():
            answers = accepted if isinstance(accepted, list) else [accepted]
            for answer in answers or [""]:
                if answer not in values:
                    raise UserError(f"{where}.{name}.{target}: {answer!r} is no answer to it.", nearest(answer, values))
            key.append((name, target, tuple(answers)))
    return tuple(key)
