"""Ratings of systems without their conversations, as a study of a survey of its own whose scales are those of the file.

A row holds a system and its ratings by one criterion or several; or ratings of several systems, a column each. What was
rated is a conversation without a text, so that ratings of it, and of other systems on the same item, are clusters.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import ContestantNames, named_file
from parlai_spotbot.importers.dataset_rows import (
    ELSEWHERE,
    LABEL,
    NONE,
    Head,
    Names,
    Row,
    has_part,
    head_of,
    named_columns,
    plain_text,
    spelling,
    unread_note,
    without,
)
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy, contestant, numbered
from parlai_spotbot.importers.left_out import Unusable
from parlai_spotbot.importers.numbers import MARKS, AmbiguousNumber, decimal_mark, number, readings
from parlai_spotbot.importers.several_in_a_row import FAMILY
from parlai_spotbot.importers.survey_tools import answer_rows
from parlai_spotbot.importers.votes import MODEL, MODELS, judge_of_path, prompt_id, source_of
from parlai_spotbot.importers.winners import WORDS
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, UNNAMED, Conversation, Judgement, is_named
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.survey import Option, Question, Survey
from parlai_spotbot.wording import counted

SURVEY = "ratings"
ROW = "row-"
"""How ids begin of what rows rate where no column says it."""
TARGET = "entity:0"
TABLE = own_data(__file__)
FIELDS: Mapping[str, Sequence[str]] = TABLE["fields"] | {
    "bot": [*TABLE["fields"]["bot"], *own_data(__file__, "chats.yaml")["columns"]["model"]],
    "annotator": [name for name in WORDS["columns"]["annotator"] if not name.startswith("session")],
}
CRITERIA = frozenset(TABLE["criteria"])
LESS = frozenset(TABLE["less_is_better"])
NO_SYSTEMS = CRITERIA | {*TABLE["no_systems"]}
OF_A_SYSTEM = re.compile(TABLE["of_a_system"], re.IGNORECASE)
NO_ANSWERS = own_data(__file__, "chats.yaml")["no_answers"]
IN_BRACKETS = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|[ _](?:out[ _]of[ _]|/ ?)\d{1,3}", re.IGNORECASE)
NUMBERED = re.compile(r"_?(\d{1,2})\Z")
"""The number of who rated after a criterion ("fluency_2", "rating1")."""
SIDE = re.compile(r"\A(?P<name>.*?)_?(?P<place>\d{1,2}|(?<=_)[a-h])\Z")
"""A column of one system of several in a row ("model_2", "rating_b"): what it holds, and the system's place."""
WITHIN = re.compile(r"(?:scores?|ratings?)\.(?P<place>.+)\.(?P<name>[a-z_]+)", re.IGNORECASE)
"""A column of scores of two names, of which the second is a criterion."""
OF_A_CRITERION = re.compile(
    r"\A(?:.*\.)?(?:scores?|ratings?|verdicts?|criteria)\.(?P<criterion>[^.\d]+)(?P<score>\.(?:score|rating|verdict|value|grade))?\Z",
    re.IGNORECASE,
)
"""A column of scores by criterion, where that of a system is known; one under two names always is."""
SYSTEM = re.compile(rf"{FAMILY.pattern}|bot|model|system|baseline", re.IGNORECASE)
"""A part of the names of systems, by which a key of an object of scores is one."""
PEOPLE = "people"
"""The name of people whose texts were rated beside systems'."""
LONGEST_NAME = 60
"""Characters of a criterion's name; longer ones are descriptions, one an item."""
REPEATS = 10
"""At most one rating of so many may be an annotator's second of the same."""
Cell = tuple[str, str, str]
"""The system, the criterion and the rater of a column; "" for what other columns say."""
MOST_STEPS = 100
"""From the least to the most of the whole numbers of which all are options, whether or not they occur."""


class RatingReader:
    """Reader of the files of a request. `rows` are the ratings: place, system, item, annotator, and value by criterion.

    --columns: a field of ratings.yaml or a criterion -> the file's column; --names: a system or its column -> our name.
    """

    def __init__(self, request: ImportRequest):
        self.request = request
        self.columns = request.pairs("columns")
        self.answers = request.pairs("answers")
        self.names = ContestantNames(request.pairs("names"))
        self.notes: list[str] = []
        self.rows: list[tuple[str, str, str, str, dict[str, Any]]] = []

    def study(self) -> ImportedStudy:
        """Read the files and return their study."""
        request = self.request
        sha256 = {}
        by_rule: Counter[str] = Counter()
        for name, path, given in map(named_file, request.paths):
            self._read(path, answer_rows(path, by_rule, self.columns), name if given else "")
            sha256[path.name] = files.sha256(path)
        request.left_out.check(request.data)
        self.names.check_used()
        self._check_repeats()
        scales = self._scales()
        judgements = [one for row in self.rows for one in self._judgements(*row)]
        bots = {name: contestant(name, "imported ratings") for name in sorted(self.names.taken)}
        self.notes += [f"{counted(count, what)} left out" for what, count in by_rule.items()]
        about = {
            "format": SURVEY,
            "source": sorted(sha256),
            "sha256": sha256,
            "options": {
                key: getattr(request, key) for key in ("domain", "columns", "answers", "names", "source", "decimal")
            },
            "annotations": len({row.annotation_id for row in judgements}),
            "notes": [*dict.fromkeys(self.notes), *self.names.notes()],
        }
        plan = Plan(request.domain or SURVEY, bots, pairs=tuple((name, name) for name in bots), surveys=(SURVEY,))
        return ImportedStudy(
            plan,
            self._conversations(plan.domain),
            SURVEY,
            (),
            judgements,
            about,
            summary=self._summary(len(bots), scales),
            own=_survey(scales),
        )

    def _scales(self) -> dict[str, list[float]]:
        """Return the scale of each criterion by which ratings differ."""
        criteria = dict.fromkeys(criterion for *_, values in self.rows for criterion in values)
        scales = {criterion: scale for criterion in criteria if (scale := self._scale(criterion))}
        if not scales:
            raise UserError(f"{self.request.data}: all ratings are equal.", "Name others: --columns CRITERION=THEIRS.")
        return scales

    # -- a file --------------------------------------------------------------------------------------------------------
    def _read(self, path: Path, rows: Sequence[tuple[str, Row]], bot: str) -> None:
        """Read the ratings of a file, all of `bot` where the request names one."""
        if not rows:
            raise UserError(f"{path}: holds no rows.", "Name a file with a header and at least one row.")
        rows = self._each_system(rows)
        mapping, rated = self._columns_of(path, rows, bot)
        if not bot and "bot" not in mapping and not any(system for system, _, _ in rated.values()):
            bot = self._file_name(path)
        for where, row in rows:
            with self.request.left_out.row():
                values = {name: plain_text(row.get(theirs)) for name, theirs in mapping.items()}
                found: dict[tuple[str, str], dict[str, Any]] = {}
                for column, (system, criterion, rater) in rated.items():
                    ratings = found.setdefault((system or bot or values["bot"], rater), {})
                    ratings[criterion or spelling(values.get("criterion") or "rating")] = row.get(column)
                self._take(where, values, found)
        if not self.request.source and not any(MODEL.match(annotator) for *_, annotator, _ in self.rows):
            models = [f"column '{name}'" for name in rated if has_part(name, MODELS) and "annotator" not in mapping]
            part = judge_of_path(path, self.names.named)
            if models or part:
                models.append(f"the path's '{part}'")
                self.notes.append(WORDS["notes"]["models"].format(models=models[0]))

    def _each_system(self, rows: Sequence[tuple[str, Row]]) -> Sequence[tuple[str, Row]]:
        """Return a row for each system of rows that name several in numbered columns ("model_1", "rating_1", …), or who
        was rated, or rated, within the names of scores ("scores.ada.depth"): systems are those of --names."""
        within, sides = _sides(head_of(rows), self.names.given)
        self.within = [*within]
        who = "model" if within.keys() <= self.names.given.keys() else "annotator"
        sides = within or {place: side for place, side in sides.items() if not side.keys().isdisjoint(FIELDS["bot"])}
        own = [name for side in sides.values() for name in side.values()]
        found: list[tuple[str, Row]] = []
        for where, row in rows if len(sides) > 1 else ():
            shared = {"rated_row": where, **without(row, own)}
            values = {place: {ours: row.get(theirs) for ours, theirs in side.items()} for place, side in sides.items()}
            held = [place for place, one in values.items() if any(map(plain_text, one.values()))]
            found += [
                (where, {**shared, **values[place], **({who: place} if within else {})}) for place in held or values
            ]
        return found or rows

    def _columns_of(
        self, path: Path, rows: Sequence[tuple[str, Row]], bot: str
    ) -> tuple[dict[str, str], dict[str, Cell]]:
        """Return our field -> the file's column, and the columns of ratings, of `bot` where the request names one."""
        head = head_of(rows)
        mapping = self._fields(path, rows, head, bot)
        described = max(len(str(row.get(mapping.get("criterion", "")))) for _, row in rows) > LONGEST_NAME
        if described and "criterion" not in self.columns:
            mapping.pop("criterion", "")
        others = [name for name in head if name not in mapping.values()]
        free = [name for name in others if _holds_numbers(row.get(name) for _, row in rows)]
        rated = {mapping[name]: ("", name, "") for name in mapping if name not in FIELDS}
        systems = {}
        if "bot" not in mapping and not bot:
            systems = self._columns_of_systems(path, rows, mapping, free)
        rated |= systems or {name: cell for name, cell in _rated(free).items() if self.columns.get(cell[1]) != NONE}
        if not rated and "rating" in mapping:
            rated = {mapping["rating"]: ("", "", "")}
        if not rated:
            criteria = [f"{spelling(name)}={name}" for name in free if not _is_id(name)]
            raise _without(path, head, "ratings", ",".join(criteria) or "rating=THEIRS")
        self._note(head, mapping, rated)
        return mapping, rated

    def _fields(self, path: Path, rows: Sequence[tuple[str, Row]], head: Head, bot: str) -> dict[str, str]:
        """Return our field, or a criterion of --columns -> the file's column; a judge's is no system's."""
        ids = [spelt for spelt in map(spelling, head) if spelt.endswith("_id") and spelt not in TABLE["no_items"]]
        own = {name: () for name in self.columns if name not in FIELDS}
        names = {**FIELDS, **own, "item": [*FIELDS["item"], *ids]}
        mapping = named_columns(self.columns, names, path, head)
        column = mapping.get("bot", "")
        if column and "bot" not in self.columns and has_part(column, WORDS["judges_in_paths"]):
            del mapping["bot"]
            mapping.setdefault("annotator", column)
        if not (bot or self.names.given or "bot" in {*mapping, *self.columns}):
            mapping |= _column_of_bots(rows, mapping)
        return mapping

    def _take(self, where: str, values: Names, found: Mapping[tuple[str, str], dict[str, Any]]) -> None:
        """Take the ratings of a row, by system and rater, and criterion."""
        number = len(self.rows)
        item = prompt_id(values.get("item", "")) or f"{ROW}{number}"
        taken = 0
        for (system, rater), ratings in found.items():
            given = {name: value for name, value in ratings.items() if plain_text(value)}
            if not plain_text(system):
                raise Unusable("row without a system", f"{where}: who was rated is missing.", "Fill it in.")
            if given:
                if system == HUMAN:
                    self.names.given = {HUMAN: PEOPLE, **self.names.given}
                name = self.names.of(system, where)
                self.rows.append((where, name, item, rater or values.get("annotator") or f"{UNNAMED}{number}", given))
                taken += 1
        if not taken:
            raise Unusable("row without a rating", f"{where}: has no rating.", "Fill it in, or remove the row.")

    def _columns_of_systems(
        self, path: Path, rows: Sequence[tuple[str, Row]], mapping: Names, free: Sequence[str]
    ) -> dict[str, Cell]:
        """Return the columns that hold the ratings of a system each: those of --names, else such as hold numbers; none
        where all rows are of one system.

        Raises
        ------
        UserError
            Rows may be of several, with the options that say who was rated.
        """
        head = head_of(rows)
        systems = {name: name for name in head if name in self.names.given}
        if not systems and not self.within:
            systems = {name: system for name in free if (system := _system_of(name))}
        if len(systems) > 1:
            return {name: (system, "rating", "") for name, system in systems.items()}
        if _is_of_one(rows, without(mapping, ["rating"])):
            return {}
        rated = _rated(free)
        others = [name for name in free if not _is_id(name) and (name not in rated or OF_A_CRITERION.fullmatch(name))]
        named = ",".join(f"{name}={name.rpartition('.')[2]}" for name in self.within or others if len(others) != 1)
        columns = shlex.quote(named or "COLUMN=NAME,COLUMN=NAME")
        more = f", or --names {columns} of columns that are ratings of one system each; where all are of one:"
        may_name = [name for name in _labels(rows, mapping) if _may_name_systems(name)]
        bot = [*may_name, "THEIRS"][0]
        raise _without(path, head, "who was rated", f"bot={bot}", f"{more} --data NAME={path}")

    def _file_name(self, path: Path) -> str:
        """Return the name of the only system of a file, which is the file's, and take note of it."""
        name, _, _ = named_file(str(path))
        self.names.check_file(name, path)
        self.notes.append(TABLE["one_system"].format(name=name))
        return name

    def _note(self, head: Head, mapping: Names, rated: Mapping[str, Cell]) -> None:
        """Take note of what is read, and of what no column says."""
        fields = {name: theirs for name, theirs in mapping.items() if theirs not in rated and name != "rating"}
        named = [*fields.items(), *((" ".join(filter(None, cell)) or "rating", name) for name, cell in rated.items())]
        self.notes.append(f"read: {'; '.join(f'{ours} from {theirs}' for ours, theirs in named)}")
        self.notes += filter(None, [unread_note(head, {"rated_row", *(theirs for _, theirs in named)})])
        has_raters = any(rater for *_, rater in rated.values())
        for field, text in TABLE["missing"].items():
            if field not in mapping and not (has_raters and field == "annotator"):
                self.notes.append(text)

    def _check_repeats(self) -> None:
        """Raise `UserError` where annotators rated what counts as the same so often that it can't be the same."""
        times = Counter((bot, item, who, name) for _, bot, item, who, values in self.rows for name in values)
        repeated = times.total() - len(times)
        if REPEATS * repeated > times.total():
            raise UserError(
                f"{self.request.data}: {repeated:,} of {times.total():,} ratings are an annotator's second of one "
                "system on one item, of which only the last would count.",
                "Name what was rated: --columns item=THEIRS; item=- where each row is of another.",
            )

    # -- what was read -------------------------------------------------------------------------------------------------
    def _scale(self, criterion: str) -> list[float]:
        """Make texts of numbers of the ratings by a criterion; return the options of its scale."""
        held = [(where, values) for where, *_, values in self.rows if criterion in values]
        words = [self.answers.get(str(value := values[criterion]).strip(), _plain(value)) for _, values in held]
        mark = MARKS.get(self.request.decimal) or decimal_mark(words)
        for (where, values), word in zip(held, words, strict=True):
            try:
                values[criterion] = f"{number(word, mark) + 0.0:g}"  # -0 is 0
            except AmbiguousNumber as err:
                raise UserError(f"{where}: '{criterion}': {err.problem}", err.remedy) from None
            except ValueError:
                problem = f"{where}: '{criterion}' is {word!r}, expected a number."
                remedy = (
                    f"Write --answers {shlex.quote(f'{word}=NUMBER,…')} for words; --columns NAME=- leaves one out."
                )
                raise UserError(problem, remedy) from None
        scale = sorted({float(values[criterion]) for _, values in held})
        if len(scale) < 2:
            for _, values in held:
                del values[criterion]
            self.notes.append(f"all ratings by '{criterion}' are {scale[0]:g}: left out")
            return []
        if all(map(float.is_integer, scale)) and scale[-1] - scale[0] <= MOST_STEPS:
            return [*map(float, range(int(scale[0]), int(scale[-1]) + 1))]
        return scale

    def _judgements(self, _where: str, bot: str, item: str, annotator: str, values: Names) -> list[Judgement]:
        """Return the judgements of a row; those of one annotator on one item are one annotation."""
        talk = f"{bot}:{item}"
        judge = next(filter(MODEL.match, values), annotator)
        source = source_of(judge, self.request.source)
        identity = files.dumps([source, annotator, talk, _where])
        annotation = hashlib.sha256(identity.encode()).hexdigest()[:16]
        return [
            Judgement(
                f"{annotation}-{criterion}",
                annotation,
                SURVEY,
                "imported",
                talk,
                (talk,),
                0,
                TARGET,
                criterion,
                value,
                annotator,
                source,
            )
            for criterion, value in values.items()
        ]

    def _conversations(self, domain: str) -> list[Conversation]:
        """Return what was rated, conversations without a text."""
        rated = dict.fromkeys((bot, item) for _, bot, item, *_ in self.rows)
        return numbered(
            Conversation(f"{bot}:{item}", domain, (bot, bot), 0, (bot, bot), (), 0, item) for bot, item in rated
        )

    def _summary(self, bots: int, scales: Mapping[str, Sequence[float]]) -> str:
        """Return how many ratings were read, and by which criteria."""
        ratings = counted(sum(len(values) for *_, values in self.rows), "rating")
        people = len({annotator for *_, annotator, _ in self.rows if is_named(annotator)})
        by = f"; {counted(people, 'annotator')}" if people else ""
        named = "; ".join(
            f"{name} from {scale[0]:g} to {scale[-1]:g}, {_better(name, scale)} is better"
            for name, scale in scales.items()
        )
        return f"{ratings} of {counted(bots, 'contestant')}{by}: {named}"


def _sides(head: Head, systems: Container[str]) -> tuple[dict[str, dict[str, str]], ...]:
    """Return the columns of scores under two names, of which the first is no criterion, and those that end in a place,
    by the first one or the place; names of `systems` are no criteria."""
    within: dict[str, dict[str, str]] = defaultdict(dict)
    sides: dict[str, dict[str, str]] = defaultdict(dict)
    scored = [match for name in head if (match := OF_A_CRITERION.fullmatch(name))]
    criteria = {match["criterion"] for match in scored if match["score"]}
    for name in head:
        inner = WITHIN.fullmatch(name)
        if inner and inner["place"] in criteria and inner["place"] not in systems:
            continue
        if inner:
            within[inner["place"]][f"{inner['name']}_rating"] = name
        elif place := SIDE.fullmatch(spelling(name.rpartition(".")[2])):
            sides[place["place"]][place["name"]] = name
    return within, sides


def _rated(columns: Sequence[str]) -> dict[str, Cell]:
    """Return the columns that are ratings by their names, by several raters where they are numbered."""
    rated: dict[str, Cell] = {}
    for name in columns:
        within = OF_A_CRITERION.fullmatch(name)
        criterion = spelling(IN_BRACKETS.sub("", name.rpartition(".")[2]))
        rater = ""
        place = NUMBERED.search(criterion)
        if place:
            rater = f"rater {place[1]}"
            criterion = criterion[: place.start()]
        if within:
            rated[name] = ("", spelling(within["criterion"]), "")
        elif not {criterion, criterion.removesuffix("_score").split("_")[-1]}.isdisjoint(CRITERIA):
            rated[name] = ("", criterion, rater)
    return rated


def _system_of(column: str) -> str:
    """Return the system of a column of its ratings, by its name ("gpt4_rating", "score.llama"); "" where it has none.

    A key of an object of scores may be a criterion: it is a system where it is called as one.
    """
    found = OF_A_SYSTEM.fullmatch(column)
    system = found[1] or found[2] if found else ""
    if has_part(system, NO_SYSTEMS) or system.isdigit() or ("." in column and not SYSTEM.search(system)):
        return ""
    return system


def _is_id(name: str) -> bool:
    return has_part(name, TABLE["no_ratings"])


def _column_of_bots(rows: Sequence[tuple[str, Row]], mapping: Names) -> dict[str, str]:
    """Return as `bot` the one column that names who was rated, by a part of its name; {} where none or several may."""
    fits = [name for name in _labels(rows, mapping) if has_part(name, TABLE["bots"])]
    fits = [name for name in fits if not has_part(name, TABLE["no_bots"]) and not SIDE.fullmatch(spelling(name))]
    if len(fits) != 1:
        return {}
    return {"bot": fits[0]}


def _is_of_one(rows: Sequence[tuple[str, Row]], mapping: Names) -> bool:
    """Return True if rows hold a question and the answer of one system each: none of their columns may name several,
    and no question has two answers that one annotator rated."""

    def held(*names: str) -> int:
        return len({repr([row.get(name) for name in names]) for _, row in rows})

    columns = [name for name in head_of(rows) if not has_part(name, NO_ANSWERS)]
    columns = [name for name in columns if not _holds_numbers(row.get(name) for _, row in rows)]
    answers = [name for name in columns if has_part(name, TABLE["answers"]) and name not in mapping.values()]
    questions = {name for name in columns if has_part(name, TABLE["questions"])} - {*answers}
    if not answers or not questions or any(SIDE.fullmatch(spelling(name)) for name in answers):
        return False
    if any(_may_name_systems(name) and held(name) > 1 for name in _labels(rows, mapping)):
        return False
    annotator = mapping.get("annotator", "")
    keys = questions | {mapping[field] for field in ("item",) if field in mapping}
    return all(held(name, annotator) == held(name, annotator, *answers) for name in keys)


def _may_name_systems(column: str) -> bool:
    return has_part(column, TABLE["may_be_systems"]) and not has_part(column, TABLE["no_bots"])


def _labels(rows: Sequence[tuple[str, Row]], mapping: Names) -> list[str]:
    """Return the columns, no field's, that hold labels, and not numbers alone."""
    found = []
    for name in head_of(rows):
        held = [*filter(plain_text, (row.get(name) for _, row in rows))]
        labels = bool(held) and all(map(LABEL.fullmatch, map(str, held))) and not all(map(readings, held))
        if labels and name not in mapping.values():
            found.append(name)
    return found


def _holds_numbers(values: Iterable[Any]) -> bool:
    """Return True if a column holds numbers alone, and at least one."""
    held = [*filter(plain_text, values)]
    return (
        bool(held)
        and not any(isinstance(value, (list, dict)) for value in held)
        and all(map(readings, map(_plain, held)))
    )


def _plain(value: Any) -> Any:
    """Return 1 and 0 for yes and no, and anything else as it is."""
    return TABLE["yes_or_no"].get(str(value).strip().lower(), value)


def _without(path: Path, head: Head, what: str, columns: str, more: str = "") -> UserError:
    """Return the error of a file of which no column is known to hold something, with the option that names it."""
    return UserError(
        f"{path}: no column is known to hold {what} (there are {', '.join(head)}).",
        f"Name it: --columns {shlex.quote(columns)}{more}. {ELSEWHERE}.",
    )


def _better(criterion: str, scale: Sequence[float]) -> Literal["more", "less"]:
    """Return whether more or less of a criterion is better, as its name says; of numbers below 0 more always is."""
    if has_part(criterion, LESS) and not has_part(criterion, TABLE["more_anyway"]) and scale[-1] > 0:
        return "less"
    return "more"


def _survey(scales: Mapping[str, Sequence[float]]) -> Survey:
    """Return a survey that asks for ratings by criteria."""
    questions = []
    for criterion, scale in scales.items():
        options = tuple(Option(f"{value:g}", f"{value:g}") for value in scale)
        heading = criterion.replace("_", " ").capitalize()
        better = _better(criterion, scale)
        questions.append(
            Question(criterion, "scale", (TARGET,), heading, options, required=False, heading=heading, better=better)
        )
    about = About("Ratings", question="how are they rated?", findings=(SURVEY,))
    return Survey(SURVEY, "Ratings", "They came in from elsewhere.", tuple(questions), packing="dialogues", about=about)


FORMAT = study_format(lambda request: RatingReader(request).study())
