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

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.refusals import REASONS, REFUSALS
from parlai_spotbot.crowdsourcing.settings import checked_limits
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.files import field
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.surveys import survey_names
from parlai_spotbot.surveys.asking import targets_of
from parlai_spotbot.surveys.survey import Condition, Exercise, FeatureTexts, Option, Question, Survey

HERE = Path(__file__).parent
ENGLISH = "en"
LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$")
PLACEHOLDER = re.compile(r"{([a-z_]+(?::[01])?)}")
FILLINGS = {"unpaid": "none", "contact": "whoever gave you the link"}
"""What the consent says in the place of {pay} and {contact} where a launch names neither."""

CONSENT_PLACEHOLDERS = ("pay", "minutes", "contact", "units")
NAMED = ("entity:0", "entity:1", "conversation:0", "conversation:1", "speaker:0", "speaker:1")
"""What an exercise's explanation may name."""

WORDS = ("title", "instructions", "thanks", "other")
NAMES = ("entities", "conversations", "speakers")
SURVEY_KEYS = (*WORDS, *NAMES, "consent", "example", "onboarding", "features", "questions", "questionnaire", "limits")
FEATURE_KEYS = {"compare": ("features",), "consent": CONSENT_PLACEHOLDERS, "example": ()}
"""What is said where not all features are asked, and what may be put into it."""
QUESTION_KEYS = ("wording", "help", "heading", "options")
NEW_QUESTION_KEYS = ("kind", "targets", *QUESTION_KEYS, "required", "after", "when", "shuffle")
SAID_OF_NEW = (("help", ("entity",)), ("heading", ()))
"""What a further question may have besides its wording, and which placeholders in it."""

EXERCISE_KEYS = ("turns", "key", "explanation")
PAIR_KEYS = ("second", "judged", "candidates")
"""What an exercise of two conversations, of one judged speaker, or with candidates for its next turn has besides."""


@cache
def page_texts() -> Mapping[str, str]:
    """The page's own words and the server's sentences, in English, by key."""
    texts = json.loads((HERE / "webapp" / "src" / "texts.en.json").read_text(encoding="utf-8"))
    texts |= {f"refused_{code}": sentence for code, (_, sentence) in REFUSALS.items()}
    return texts | {f"why_{name}": sentence for name, sentence in REASONS.items()} | FILLINGS


def languages() -> list[str]:
    """The languages that come with the package."""
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
        row = _read(path)
        texts |= _page(row.get("page", {}), f"{path}: page")
        texts["language"] = _language(row, path)
        for section, place in _sections(row, path, survey.name):
            survey = translated(survey, section, place)
    return texts | _page(replaced or {}, where), survey


def _path(language: str | Path) -> Path:
    name = str(language)
    ours = HERE / "texts" / f"{name}.yaml"
    if LANGUAGE.match(name) and ours.exists():
        return ours
    if not Path(name).is_file():
        raise UserError(
            f"language {name}: neither a language that comes with the package nor a file.",
            nearest(name, languages()) + " Or name a YAML file of texts.",
        )
    return Path(name)


def _read(path: Path) -> dict:
    try:
        row = parse_yaml(path.read_text(encoding="utf-8"))
    except OSError as err:
        raise UserError(f"{path}: cannot be read: {err.strerror}.", "Name a YAML file that you may read.") from None
    except (Malformed, UnicodeDecodeError) as err:
        raise UserError(f"{path}: not valid YAML: {err}.", "Mend that line.") from None
    return _keys({} if row is None else row, ("language", "page", "survey", "surveys"), str(path))


def _language(row: dict, path: Path) -> str:
    code = field(row, "language", str, str(path), ENGLISH)
    if not LANGUAGE.match(code):
        raise UserError(f"{path}: field 'language' is {code!r}, expected a code like 'de' or 'pt-BR'.", "Correct it.")
    return code


def _sections(row: dict, path: Path, name: str) -> list[tuple[dict, str]]:
    """What the file says of the survey `name`, the general before the special."""
    sections = [(row["survey"], f"{path}: survey")] if "survey" in row else []
    if "surveys" in row:
        by_name = _keys(row["surveys"], survey_names(), f"{path}: surveys")
        sections += [(by_name[name], f"{path}: surveys.{name}")] if name in by_name else []
    return sections


def _keys(row: Any, known: Sequence[str], where: str) -> dict:
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected keys and values, found {type(row).__name__}.", "Indent them below it.")
    for key in row:
        if key not in known:
            raise UserError(f"{where}: unknown key '{key}'.", nearest(key, known, most=30))
    return row


def _page(row: Any, where: str) -> dict[str, str]:
    """Texts of the page whose keys and placeholders are the English ones'."""
    english = page_texts()
    for key, text in _keys(row, tuple(english), where).items():
        _text(text, f"{where}.{key}", PLACEHOLDER.findall(english[key]), exactly=True)
    return row


def _text(text: Any, where: str, placeholders: Sequence[str] = (), exactly: bool = False) -> str:
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"{where}: {text!r}, expected a text.", "Put it in quotes, or leave the key out.")
    found = set(PLACEHOLDER.findall(text))
    for name in sorted(found - set(placeholders)):
        known = ", ".join(f"{{{known}}}" for known in dict.fromkeys(placeholders)) or "none"
        raise UserError(f"{where}: nothing is put in the place of {{{name}}}.", f"Known here: {known}.")
    for name in sorted(set(placeholders) - found if exactly else ()):
        raise UserError(f"{where}: the placeholder {{{name}}} is missing.", "Put it where its value is to stand.")
    return text


def _list(value: Any, where: str) -> list:
    if not isinstance(value, list):
        raise UserError(f"{where}: {value!r}, expected a list.", "Write each entry on a line that begins with '- '.")
    return value


# -- the survey ------------------------------------------------------------------------------------------------------
def translated(survey: Survey, row: Any, where: str) -> Survey:
    """The survey with what `row` (see the module's example) says in place of its own; a wrong row is a `UserError`."""
    row = _keys(row, SURVEY_KEYS, where)
    change: dict[str, Any] = {key: _text(row[key], f"{where}.{key}") for key in WORDS if key in row}
    if "consent" in row:
        change["consent"] = tuple(
            _text(text, f"{where}.consent, paragraph {number}", CONSENT_PLACEHOLDERS)
            for number, text in enumerate(_list(row["consent"], f"{where}.consent"), start=1)
        )
    for key in (key for key in NAMES if key in row):
        names = tuple(_text(name, f"{where}.{key}") for name in _list(row[key], f"{where}.{key}"))
        if len(set(names)) != len(names) or len(names) < 2:
            raise UserError(f"{where}.{key}: {list(names)}, expected two different names.", "Correct them.")
        change[key] = names
    if "questions" in row:
        change["questions"] = _questions(survey, row["questions"], f"{where}.questions")
    if "questionnaire" in row:
        known = {question.name: question for question in survey.questionnaire}
        for name, about in _keys(row["questionnaire"], tuple(known), f"{where}.questionnaire").items():
            known[name] = _question(known[name], about, f"{where}.questionnaire.{name}")
        change["questionnaire"] = tuple(known.values())
    if "limits" in row:
        change["limits"] = replace(survey.limits, **checked_limits(row["limits"], f"{where}.limits"))
    change["features"] = _feature_texts(survey, row, f"{where}.features")
    survey = _checked(lambda: replace(survey, **change), where)
    if "example" in row:
        survey = replace(survey, example=_exercise(survey, survey.example, row["example"], f"{where}.example", ()))
    if "onboarding" in row:
        survey = replace(survey, onboarding=_onboarding(survey, row["onboarding"], f"{where}.onboarding"))
    return survey


def _feature_texts(survey: Survey, row: dict, where: str) -> FeatureTexts:
    """What is said where not all features are asked. Texts of a user's own stay as they are, unless they say it too."""
    own = _keys(row.get("features", {}), (*FEATURE_KEYS, "shown"), where)
    replaced = {"compare": "instructions" in row, "consent": "consent" in row}
    replaced["example"] = "explanation" in (row.get("example") or {})
    change: dict[str, Any] = {key: "" for key, is_own in replaced.items() if is_own}
    change |= {key: _text(own[key], f"{where}.{key}", known) for key, known in FEATURE_KEYS.items() if key in own}
    before, now = (
        text.count("\n\n") + 1 for text in (survey.instructions, row.get("instructions", survey.instructions))
    )
    if change.get("compare") and before != now:
        raise UserError(
            f"{where}.compare: stands for paragraph {survey.features.paragraph + 1} of {before} of the instructions, "
            f"which have {now} here.",
            "Write them in as many paragraphs.",
        )
    if "shown" in own:
        known = tuple(name for name, _ in survey.features.shown)
        shown = _keys(own["shown"], known, f"{where}.shown")
        change["shown"] = tuple((name, _text(text, f"{where}.shown.{name}")) for name, text in shown.items())
    return replace(survey.features, **change)


def _checked(make: Any, where: str) -> Any:
    """What `make` returns; its `ValueError`, a survey that can't be, is a `UserError` here."""
    try:
        return make()
    except ValueError as err:
        raise UserError(f"{where}: {err}.", "Correct it.") from None


def _questions(survey: Survey, row: Any, where: str) -> tuple[Question, ...]:
    known = {question.name: question for question in survey.questions}
    if not isinstance(row, dict):
        _keys(row, (), where)
    added = []
    for name, about in row.items():
        place = f"{where}.{name}"
        if name in known:
            known[name] = _question(known[name], about, place)
        elif isinstance(name, str) and isinstance(about, dict) and "kind" in about:
            added.append(_new_question(name, about, place))
        else:
            raise UserError(
                f"{where}: unknown key '{name}'.",
                f"{nearest(name, known)} A further question needs a 'kind' and a name that begins with '{ADDITIONAL}'.",
            )
    return (*known.values(), *added)


def _question(question: Question, row: Any, where: str) -> Question:
    """A question of the survey in other words; its kind, targets and values stay, for the analysis relies on them."""
    row = _keys(row, QUESTION_KEYS, where)
    change: dict[str, Any] = {
        key: _text(row[key], f"{where}.{key}", ("entity",)) for key in ("wording", "help", "heading") if key in row
    }
    if "options" in row:
        options = {option.value: option for option in question.options}
        for value, about in _keys(row["options"], tuple(options), f"{where}.options").items():
            place = f"{where}.options.{value}"
            about = _keys(about, ("label", "definition"), place)
            words = {key: _text(text, f"{place}.{key}", ("name",)) for key, text in about.items()}
            options[value] = replace(options[value], **words)
        change["options"] = tuple(options.values())
    return replace(question, **change)


def _new_question(name: str, row: Any, where: str) -> Question:
    """A question that the survey hasn't; the analysis leaves its answers out, the judgements hold them."""
    row = _keys(row, NEW_QUESTION_KEYS, where)
    if not re.match(rf"^{ADDITIONAL}[a-z0-9_]+$", name):
        raise UserError(
            f"{where}: a further question's name begins with '{ADDITIONAL}', then small letters, digits and _.",
            f"Call it '{ADDITIONAL}{re.sub('[^a-z0-9_]+', '_', name.lower())}'.",
        )
    options = []
    for value, about in field(row, "options", dict, where, {}).items():
        place = f"{where}.options.{value}"
        about = _keys({"label": about} if isinstance(about, str) else about, ("label", "definition"), place)
        words = {key: _text(text, f"{place}.{key}") for key, text in about.items()}
        options.append(Option(_text(value, f"{where}.options"), words.get("label", value), words.get("definition", "")))
    when = []
    for number, about in enumerate(_list(row.get("when", []), f"{where}.when")):
        place = f"{where}.when[{number}]"
        about = _keys(about, ("question", "values", "target"), place)
        values = tuple(_text(v, f"{place}.values") for v in field(about, "values", list, place))
        when.append(Condition(field(about, "question", str, place), values, field(about, "target", str, place, "")))
    targets = tuple(map(str, field(row, "targets", list, where, ["pair"])))
    after = tuple(map(str, field(row, "after", list, where, [])))
    said = {key: _text(row[key], f"{where}.{key}", allowed) for key, allowed in SAID_OF_NEW if key in row}
    return _checked(
        lambda: Question(
            name,
            field(row, "kind", str, where),
            targets,
            _text(row.get("wording"), f"{where}.wording", ("entity",)),
            tuple(options),
            required=field(row, "required", bool, where, True),
            after=after,
            when=tuple(when),
            shuffle=field(row, "shuffle", bool, where, False),
            **said,
        ),
        where,
    )


# -- exercises -------------------------------------------------------------------------------------------------------
def _onboarding(survey: Survey, value: Any, where: str) -> tuple[tuple[Exercise, ...], ...]:
    """New rounds of exercises where each has turns, key and explanation; else the survey's own with other words."""
    rounds = [_list(rows, f"{where}[{i}]") for i, rows in enumerate(_list(value, where))]
    new = all(isinstance(row, dict) and {"turns", "key"} <= set(row) for rows in rounds for row in rows)
    if not new and [len(rows) for rows in rounds] != [len(exercises) for exercises in survey.onboarding]:
        has = " and ".join(str(len(exercises)) for exercises in survey.onboarding) or "no"
        raise UserError(
            f"{where}: has rounds of {' and '.join(str(len(rows)) for rows in rounds)} exercises, the survey of {has}.",
            "Give an entry for each ({} leaves one as it is), or turns, key and explanation for all of them.",
        )
    return tuple(
        tuple(
            _exercise(survey, None if new else survey.onboarding[i][j], row, f"{where}[{i}][{j}]", NAMED)
            for j, row in enumerate(rows)
        )
        for i, rows in enumerate(rounds)
    )


def _exercise(survey: Survey, own: Exercise | None, row: Any, where: str, placeholders: Sequence[str]) -> Exercise:
    row = _keys(row, (*EXERCISE_KEYS, *PAIR_KEYS), where)
    if own is None:
        for name in EXERCISE_KEYS:
            field(row, name, str if name == "explanation" else (list, dict), where)
    change: dict[str, Any] = {}
    if "explanation" in row:
        change["explanation"] = _text(row["explanation"], f"{where}.explanation", placeholders)
    candidates = _list(row["candidates"], f"{where}.candidates") if "candidates" in row else own and own.candidates
    if candidates:
        change["candidates"] = tuple(_text(text, f"{where}.candidates") for text in candidates)
    for name in (name for name in ("turns", "second") if name in row):
        said = [_text(text, f"{where}.{name}") for text in _list(row[name], f"{where}.{name}")]
        if len(said) < 2 or (len(said) % 2 and not candidates):
            raise UserError(f"{where}.{name}: {len(said)} turns, expected whole exchanges.", "Add or remove a turn.")
        change[name] = tuple((number % 2, text) for number, text in enumerate(said))
    if "judged" in row:
        change["judged"] = tuple(_list(row["judged"], f"{where}.judged"))
    made = replace(own, **change) if own else Exercise(**{"key": (), **change})
    if made.judged and (not set(made.judged) <= {0, 1} or len(made.judged) != len(made.transcripts)):
        raise UserError(
            f"{where}.judged: {list(made.judged)}, expected 0 or 1 for each conversation.", "Say who is judged in each."
        )
    return replace(made, key=_key(survey, row["key"], f"{where}.key", made)) if "key" in row else made


def _targets(question: Question, exercise: Exercise) -> list[str]:
    """Whom the question may be put of in this exercise."""
    judged = exercise.judged if len(exercise.transcripts) == 1 else ()
    return targets_of(question, [entity for entity, _ in exercise.turns], judged)


def _key(survey: Survey, row: Any, where: str, exercise: Exercise) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Accepted answers from ``{nature: {entity:0: human, entity:1: [bot, unsure]}, fluency: {pair: entity:0}}``."""
    key = []
    for name, targets in _keys(row, [question.name for question in survey.questions], where).items():
        question = survey.question(name)
        values = [option.value for option in question.options]
        for target, accepted in _keys(targets, _targets(question, exercise), f"{where}.{name}").items():
            answers = accepted if isinstance(accepted, list) else [accepted]
            for answer in answers or [None]:
                if answer not in values:
                    raise UserError(
                        f"{where}.{name}.{target}: {answer!r} is no answer to it.", nearest(str(answer), values)
                    )
            key.append((name, target, tuple(answers)))
    return tuple(key)
