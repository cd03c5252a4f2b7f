"""A user's own survey, from a YAML or JSON file anywhere.

A study keeps it in surveys/NAME/survey.json, so the study knows it by its name wherever it goes. Keys are the fields of
`surveys.survey.Survey`; a list stands for a tuple. With `base`, the name of a survey of the package, missing fields are
those of the base, and the questions are added to its own.

    name: memorable
    title: Which one will you remember?
    instructions: You will read two conversations. …
    packing: pairs
    layout: side_by_side
    speakers: [Speaker 1, Speaker 2]
    other: Other speaker
    questions:
      - name: memory
        kind: choice
        targets: [pair]
        wording: Which speaker will you still remember tomorrow?
        options: [{value: "conversation:0", label: Speaker 1}, {value: "conversation:1", label: Speaker 2}]
    about: {question: "which of two bots is remembered?", findings: [choices]}
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot import checksums, plugin
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import OUTCOMES
from parlai_spotbot.surveys.survey import LAYOUTS, Question, Survey
from parlai_spotbot.user_files import read_plain, validated

if TYPE_CHECKING:
    from parlai_spotbot.study import Study, SurveyFiles

FILE = "survey.json"
SUFFIXES = (".yaml", ".yml", ".json")
NAME = re.compile(r"^[a-z][a-z0-9_]*$")
TAKEN = {
    "ratings": "numbers from the lowest up, two or more (scale)",
    "choices": f"{', '.join(OUTCOMES)}, the second if you like",
}
"""The values that findings take."""
MOST_VALUES = 201
"""Values of a scale."""
REMEDY = "Correct it, as surveys/README.md shows."
CLOSED = ("tasks", "training", "chat")
"""Fields that only surveys of the package can have."""


# -- from a file -------------------------------------------------------------------------------------------------------
def is_file(given: str) -> bool:
    """Return True if --survey names a file, not a survey."""
    return Path(given).suffix in SUFFIXES


def needs_packing(given: str) -> UserError:
    """Return the error for a command that needs a packed survey and is given a file."""
    return UserError(
        f"--survey {given}: a study knows a survey of a file by its name, once it is packed.",
        f"Pack it (spotbot_pack --survey {given}), then use its name.",
    )


def read_survey(path: Path | str) -> Survey:
    """Return the survey of a file, checked; every mistake is a `UserError` that names file and place."""
    path = Path(path).expanduser()
    if not path.is_file():
        raise UserError(f"--survey {path}: no such file.", "Name a YAML file, as surveys/README.md shows.")
    row = read_plain(path, "Name a file of a survey.")
    if isinstance(row, dict):
        row = _with_scales(row, str(path))
        if "base" in row:
            row = _over_base(row, str(path))
    survey = checked(validated(Survey, row, path), str(path))
    check_values(survey, str(path))
    return survey


def check_values(survey: Survey, where: str) -> None:
    """Raise `UserError` where a finding of the survey can't use the values of a question: before anybody is asked."""
    for finding, expected in TAKEN.items():
        if not {finding, f"{finding}.ranking"} & {*survey.about.findings}:
            continue
        for question in survey.main:
            values = [option.value for option in question.options]
            fits = {*values, "neither"} == {*OUTCOMES}
            if finding == "ratings":
                fits = len(question.scale) > 1
            if not fits:
                raise UserError(
                    f"{where}: question {question.name} has the values {', '.join(values) or '(none)'}; the findings "
                    f"{finding} take {expected}.",
                    "Give its options these values, with labels as you like, or leave that out of about.findings.",
                )


def _with_scales(row: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a survey with options in place of each question's `scale`."""
    questions = row.get("questions")
    if not isinstance(questions, list):
        return row
    return {**row, "questions": [_with_options(question, where) for question in questions]}


def _with_options(question: Any, where: str) -> Any:
    """Return a question with an option for each value of its `scale`: words from the lowest up, or a `Scale`."""
    if not isinstance(question, dict) or "scale" not in question:
        return question
    place = f"{where}: scale of question {question.get('name', '')}"
    rest = {"kind": "scale", **{name: value for name, value in question.items() if name != "scale"}}
    if "options" in rest:
        raise UserError(f"{place}: beside options.", "Write one of them.")
    given = question["scale"]
    if isinstance(given, list):
        values = [(str(number), str(word)) for number, word in enumerate(given, start=1)]
        if all(isinstance(value, (int, float)) for value in given):
            values = [(f"{value:g}", f"{value:g}") for value in given]
        return {**rest, "options": [{"value": value, "label": label} for value, label in values]}
    scale = validated(Scale, given, place, "Write for example scale: {least: 0, most: 100, low: bad, high: good}.")
    return {**rest, "options": scale.options(place)}


@dataclass(frozen=True)
class Scale:
    """A scale of numbers from `least` to `most`, whose meanings `low` and `high` say."""

    least: float
    most: float
    step: float = 1.0
    low: str = ""
    high: str = ""

    def options(self, where: str) -> list[dict[str, str]]:
        """Return the options; a `UserError` where they are fewer than two, too many, or `most` is none of them."""
        steps = 0.0
        if self.step > 0:
            steps = (self.most - self.least) / self.step
        if not 1 <= round(steps) < MOST_VALUES or abs(steps - round(steps)) > 1e-9:
            problem = f"{where}: from {self.least:g} to {self.most:g} in steps of {self.step:g}."
            raise UserError(problem, f"Expected 2 to {MOST_VALUES} values, the last of which is the end.")
        values = [f"{round(self.least + place * self.step, 9):g}" for place in range(round(steps) + 1)]
        ends = {values[0]: self.low, values[-1]: self.high}
        return [{"value": value, "label": value, "definition": ends.get(value, "")} for value in values]


def _over_base(row: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a survey of the package with those of `row` in their place, and the questions of both."""
    base: Survey = plugin.find("parlai_spotbot.surveys", "SURVEY", str(row["base"]), "base")
    added = row.get("questions") or []
    if not isinstance(added, list):
        raise UserError(f"{where}: questions: expected a list, found {str(added)[:80]!r}.", REMEDY)
    for number, question in enumerate(added, start=1):  # before they stand behind the base's
        validated(Question, question, f"{where}, question {number}", REMEDY)
    names = [q["name"] for q in added]
    fields = to_data(base)
    about = {**asdict(base.about), "title": "", "short": "", "in_text": "", **(row.get("about") or {})}
    main = [q for q in fields["questions"] if q["kind"] != "free_text"]
    texts = [{**q, "after": [*q["after"], *names]} for q in fields["questions"] if q["kind"] == "free_text"]
    return {
        **fields,
        **{key: value for key, value in row.items() if key != "base"},
        "about": about,
        "questions": [*main, *added, *texts],
    }


def checked(survey: Survey, where: str) -> Survey:
    """Return the survey if a file may bring it; raise `UserError` otherwise."""
    name = survey.name
    if not NAME.match(name):
        raise UserError(f"{where}: name is {name!r}.", "Use small letters, digits and _.")
    if name in plugin.names("parlai_spotbot.surveys", "SURVEY"):
        raise UserError(f"{where}: the package has a survey {name}.", f"Call it my_{name}.")
    if survey.packing not in LAYOUTS:
        raise UserError(
            f"{where}: packing is {survey.packing!r}, which is for a survey of the package.",
            f"Use {', '.join(LAYOUTS)}.",
        )
    if survey.packing == "pairs" and len(survey.speakers) != 2:
        raise UserError(f"{where}: speakers are {list(survey.speakers)}, expected two names.", "Name the two judged.")
    compares = survey.packing != "segments" or survey.game or any("pair" in q.targets for q in survey.questions)
    if survey.judged and (compares or "spotting" in survey.about.findings):
        raise UserError(f"{where}: judged is {list(survey.judged)}, of a survey of both.", "Write base: spot_the_user.")
    for field in CLOSED:
        if getattr(survey, field):
            raise UserError(f"{where}: only surveys of the package have {field}.", "Leave it out.")
    if not survey.main:
        raise UserError(f"{where}: no question but free texts.", "Add one of another kind.")
    return survey


# -- as data -----------------------------------------------------------------------------------------------------------
def to_data(survey: Survey) -> dict[str, Any]:
    """Return a survey ready for JSON: all fields, so that another version's defaults change nothing."""
    return {name: value for name, value in asdict(survey).items() if name not in CLOSED}


# -- in a study --------------------------------------------------------------------------------------------------------
def kept(data: SurveyFiles) -> Survey | None:
    """Return the survey that the study keeps of a user, or None.

    A changed or malformed file is a `UserError`.
    """
    path = data.path / FILE
    if not path.exists():
        return None
    return data.study.once(path, lambda: checked(validated(Survey, checksums.read_json(path), path), str(path)))


def names(folder: Path) -> list[str]:
    """Return the names of the surveys that the study in a folder keeps."""
    return sorted(path.parent.name for path in folder.glob(f"surveys/*/{FILE}"))


def taken(study: Study, given: str) -> str:
    """Return the name of the survey to pack; the study keeps the survey of a file.

    Another survey instead of one that has answers is a `UserError`. The caller holds the study's lock.
    """
    if not is_file(given):
        return given
    survey = read_survey(given)
    source = Path(given).expanduser()
    data = study.load(survey.name)
    path = data.path / FILE
    before = kept(data)
    answered = data.judgements_path.exists() or (data.path / "crowdsourcing").exists()
    if before is not None and before != survey and answered:
        raise UserError(
            f"{source}: survey {survey.name} differs from the one that {data.path} has answers to.",
            "Give it another name.",
        )
    checksums.write_json(path, to_data(survey))
    source_file = {"file": str(source.absolute()), "sha256": hashlib.sha256(source.read_bytes()).hexdigest()}
    data.record("own_surveys", source_file)
    return survey.name
