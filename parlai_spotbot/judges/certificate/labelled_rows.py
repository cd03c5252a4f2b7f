"""Verdicts and labels as files, frames and sequences hold them, as one frame."""

import re
import shlex
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import NONE, dataset_rows, named_columns, plain_text, spelling
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.numbers import AmbiguousNumber, decimal_mark, number, readings
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import names_or_number

FIELDS: Mapping[str, Sequence[str]]
FIELDS, SCALES = own_data(__file__)
"""Our fields and how files call them; words of usual scales, from lowest to highest."""

WITH_SCALE = re.compile(r"-?(\d+(\.\d*)?|\.\d+)")
THEIRS = "THEIR_COLUMN"
SEVERAL = "+"
"""Between the columns of labels that several people gave, in --columns."""

NUMBER = re.compile(r"\d+")
WHOSE = "person"
"""Our column of whose label it is, where each person has a column."""

JUDGES = re.compile(
    "gpt|claude|gemini|llama|llm|judge|model(?![ _-]?[ab12]$)|auto|predict|verdict|machine", re.IGNORECASE
)
PEOPLES = re.compile("human|people|person|expert|gold|truth|annot|label|rater|crowd|user", re.IGNORECASE)
OWNERS = {"verdict": JUDGES, "label": PEOPLES}
"""Parts of columns' names that say whose they are."""

MOST = 8
"""More numbers than that beside two labels are a score; in so many rows no judge is always wrong."""
MOSTLY = 0.5
FEW_DIFFER = 0.05
"""Share of items with another verdict in another row, up to which a column holds items."""
TRUE = ("1", "true", "yes", "own")


def frame_of_file(path: Path) -> pd.DataFrame:
    """Return the rows of a file (CSV, JSON Lines, …)."""
    rows = [row for _, row in dataset_rows(path)]
    if not rows:
        raise UserError(f"{path}: holds no rows.", "Name a file with a row for each label.")
    return pd.DataFrame(rows)


def standard(
    frame: pd.DataFrame, columns: str | Mapping[str, str] | None, where: object
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a frame with our columns as texts, "" for nothing; `columns` say how the frame calls them.

    Returns
    -------
    frame
        A row a label. Rows that are there twice are left out.
    dict
        `columns`: those of verdict and label, where they had to be guessed; `twice`: how many rows were left out;
        `no_items`: a column that is called as items are, and whose values have several verdicts.

    Raises
    ------
    UserError
        Names the column that is missing, or that is named and not there.
    """
    head = [str(name) for name in frame]
    frame = frame.set_axis(head, axis=1)
    named = dict(ImportRequest(data="", columns=columns).pairs("columns"))
    found, several, guessed = _columns(head, named, where)
    _check_columns(head, found, where)
    about: dict[str, Any] = {}
    keys = [found[name] for name in ("item", "order") if name in found]
    if "item" in found and _has_several_verdicts(frame, keys, found["verdict"]):
        about["no_items"] = found.pop("item")
        found.setdefault("conversation", about["no_items"])
    once = frame[~_twice(frame, found)]
    about["twice"] = len(frame) - len(once)
    if guessed:
        about["columns"] = {"verdict": found["verdict"], "label": SEVERAL.join(several or [found["label"]])}
    if len(several) > 1:
        once, found = _row_a_label(once, several, found)
    return pd.DataFrame({name: [_text(value) for value in once[column]] for name, column in found.items()}), about


def _check_columns(head: Sequence[str], found: Mapping[str, str], where: object) -> None:
    """Raise `UserError` unless verdicts and labels have a column each."""
    missing = [name for name in OWNERS if name not in found]
    if missing:
        raise UserError(
            f"{where}: no column is known to hold {' and '.join(missing)} (there are {', '.join(head)}).",
            _naming(head, found),
        )
    if found["verdict"] == found["label"]:
        raise UserError(f"{where}: one column, '{found['label']}', for verdict and label.", _naming(head, {}))


def _columns(head: Sequence[str], named: dict[str, str], where: object) -> tuple[dict[str, str], list[str], bool]:
    """Return our field -> the file's column, the columns of labels where each person has one, and whether any of them
    had to be guessed; `named` are those of --columns.
    """
    several = [name.strip() for name in named.get("label", "").split(SEVERAL)]
    if "label" in named and named["label"] not in head and set(several) <= set(head):
        del named["label"]
        found = named_columns(named, FIELDS, where, head)
        return found | {"label": several[0]}, several, False
    found = named_columns(named, FIELDS, where, head)
    guessed = _guessed(head, found)
    several = guessed.pop("label", [])
    if several:
        found["label"] = several[0]
    return found | guessed, several, bool(guessed or several)


def _guessed(head: Sequence[str], found: Mapping[str, str]) -> dict[str, Any]:
    """Return the columns of verdict and label that no known name tells, where others fit one alone: those that are
    called alike but for whose they are ("judge_score", "human_score"), else the only ones that say whose they are.
    `label` has the columns of several people where they are numbered ("annotator_1", "annotator_2").
    """
    judges, peoples = _owned([name for name in head if name not in found.values()]).values()
    if not set(OWNERS) & set(found):
        alike = [(own, other) for own in judges for other in peoples if _rest(own) == _rest(other)]
        if len(alike) == 1:
            return {"verdict": alike[0][0], "label": [alike[0][1]]}
    guessed: dict[str, Any] = {}
    if "verdict" not in found and len(judges) == 1:
        guessed["verdict"] = judges[0]
    if "label" not in found and len({NUMBER.sub("", column) for column in peoples}) == 1:
        guessed["label"] = peoples
    if set(OWNERS) <= {*found, *guessed}:
        return guessed
    return {}


def _owned(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns whose names say that they are the judge's (verdict), or people's (label), alone."""
    says = {name: [field for field, words in OWNERS.items() if words.search(name)] for name in columns}
    return {field: [name for name in columns if says[name] == [field]] for field in OWNERS}


def _rest(column: str) -> str:
    """Return a column's name without whose it is."""
    return spelling(NUMBER.sub("", PEOPLES.sub("", JUDGES.sub("", column))))


def _has_several_verdicts(frame: pd.DataFrame, keys: Sequence[str], verdict: str) -> bool:
    """Return True if rows with the same values of `keys` often have different verdicts: they are about several things,
    as the pairs of answers to one question are.
    """
    rows = frame[list(keys)].astype(str).assign(verdict=[_text(value) or None for value in frame[verdict]])
    groups = rows.groupby(list(keys))["verdict"].agg(["count", "nunique"])
    repeated = groups[groups["count"] > 1]
    return not repeated.empty and bool((repeated["nunique"] > 1).mean() > FEW_DIFFER)


def _twice(frame: pd.DataFrame, found: Mapping[str, str]) -> pd.Series:
    """Return which rows are there before: rows all of whose columns are the same, where they have an item or a column
    that tells rows apart; and, of two columns alone, the second half, where it repeats the first.
    """
    texts = frame.astype(str)
    twice = texts.duplicated()
    once = texts[~twice].drop(columns=[found["verdict"], found["label"]])
    if "item" in found or any(once[name].is_unique for name in once):
        return twice
    half = len(texts) // 2
    later = np.arange(len(texts)) >= half
    may_repeat = once.shape[1] == 0 and half >= MOST and len(texts) == 2 * half and len(once) > 2
    repeats = may_repeat and texts[:half].to_numpy().tolist() == texts[half:].to_numpy().tolist()
    return pd.Series(repeats & later, index=frame.index)


def _row_a_label(
    frame: pd.DataFrame, several: Sequence[str], found: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a row for each label of rows that have a column a person, and the columns' names."""
    parts = [frame.assign(**{THEIRS: frame[column], WHOSE: column}) for column in several]
    long = pd.concat(parts).assign(row=[*frame.index] * len(several))
    names = {"item": "row", **found, "label": THEIRS, "annotator": WHOSE}
    has = pd.Series([_text(value) != "" for value in long[THEIRS]], index=long.index)
    first = long[WHOSE] == several[0]
    return long[has | (first & ~has.groupby(level=0).transform("any"))].sort_index(kind="stable"), names


def _naming(head: Sequence[str], columns_by_field: Mapping[str, str]) -> str:
    """Return the option that names both columns, as far as their names tell them."""
    theirs = dict.fromkeys(OWNERS, THEIRS)
    theirs |= {name: columns[0] for name, columns in _owned(head).items() if len(columns) == 1}
    theirs |= {name: columns_by_field[name] for name in OWNERS if name in columns_by_field}
    if len(head) == 2 and THEIRS in theirs.values():
        theirs = dict(zip(theirs, head, strict=True))
    columns = shlex.quote(",".join(f"{name}={column}" for name, column in theirs.items()))
    return f"Name them: --columns {columns}."


def _text(value: Any) -> str:
    """Return a value as text; 3.0 and 3 are the same answer, and so are −1,5 and -1.5."""
    text = plain_text(value)
    if text.isdecimal():
        return str(int(text))
    numbers = {*readings(text).values()}
    if len(numbers) != 1 or text.endswith("%"):
        return text.replace("−", "-")
    return f"{numbers.pop() + 0:.15g}"


def ready(frame: pd.DataFrame, where: object) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return the rows that have both verdict and label, those with a verdict alone, and how many have a label alone.

    A column with gaps is an error; numbers are numbers, answers that differ in case or punctuation are one, and items
    are found where no column has them.
    """
    without = int(((frame["verdict"] == "") & (frame["label"] != "")).sum())
    judged = frame[frame["verdict"] != ""]
    labelled = judged[judged["label"] != ""]
    if labelled.empty:
        raise UserError(f"{where}: no row has both a verdict and a label.", _naming([*frame], {}))
    frame = labelled.copy()
    frame["verdict"] = _spelt_alike(frame["verdict"], frame["label"])
    frame["label"] = _spelt_alike(frame["label"], frame["label"])
    _check_answers(frame, where)
    for name in frame.columns.difference(["verdict", "label"]):
        if (frame[name] == "").all():
            frame = frame.drop(columns=name)
        elif (frame[name] == "").any():
            row = int((frame[name] == "").to_numpy().argmax())
            raise UserError(
                f"{where}: {name} is empty in row {frame.index[row] + 1}.",
                f"Fill it in, or leave the column out: --columns {name}=-.",
            )
    for name in frame.columns.intersection(["length", "weight"]):
        frame[name] = _numbers(frame[name], where)
    if "family" in frame:
        frame["family"] = frame["family"].str.lower().isin(TRUE)
    return _with_items(frame), judged[judged["label"] == ""], without


def _numbers(texts: pd.Series, where: object) -> pd.Series:
    """Return a column of numbers; raise `UserError` for what is none."""
    mark = decimal_mark(texts)
    numbers = []
    for text in texts:
        try:
            numbers.append(number(text, mark))
        except (ValueError, AmbiguousNumber):
            problem = f"{where}: {texts.name} is {text!r}, expected a number."
            raise UserError(problem, f"Correct it, or --columns {texts.name}=-.") from None
    return pd.Series(numbers, index=texts.index, name=texts.name)


def _spelt_alike(answers: pd.Series, labels: pd.Series) -> pd.Series:
    """Return answers as labels first spell them: "PASS" is "pass", "Not good" "not_good"."""
    spelt: dict[str, str] = {}
    for answer in [*labels, *answers]:
        spelt.setdefault(_folded(answer), answer)
    return answers.map(_folded).map(spelt)


def _folded(answer: str) -> str:
    """Return an answer without differences of spelling; a number, or what has no letter or digit, as it is."""
    if readings(answer):
        return answer
    return spelling(unicodedata.normalize("NFKC", answer).casefold()) or answer


def _check_answers(frame: pd.DataFrame, where: object) -> None:
    """Raise `UserError` where verdicts and labels aren't answers to one question."""
    verdicts, labels = (frame[name].unique().tolist() for name in ("verdict", "label"))
    if len(labels) <= 2 and len(verdicts) > MOST and all(WITH_SCALE.fullmatch(answer) for answer in verdicts):
        raise UserError(
            f"{where}: verdicts are {len(verdicts)} numbers, labels are {', '.join(labels)}: a score is no verdict.",
            "Make a column of verdicts, by the threshold that the judge will be used with.",
        )
    strange = [~frame[name].isin(others) for name, others in (("verdict", labels), ("label", verdicts))]
    numbers = all(WITH_SCALE.fullmatch(answer) for answer in verdicts + labels)
    apart = min(rows.mean() for rows in strange)
    if len(frame) >= MOST and (apart == 1 or (apart > MOSTLY and not numbers)):
        shared = "few"
        if apart == 1:
            shared = "none"
        shown = [names_or_number(answers, "answers") for answers in (verdicts, labels)]
        raise UserError(
            f"{where}: verdicts are {shown[0]}, labels are {shown[1]}: {shared} in common.",
            "Write both with the same words.",
        )


def unlike_labels(frame: pd.DataFrame) -> dict[str, int]:
    """Return how often the judge gave each answer that no label is."""
    strange = frame["verdict"][~frame["verdict"].isin(frame["label"])]
    return {answer: int(n) for answer, n in strange.value_counts().sort_index().items()}


def _with_items(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the column item, where that is told by conversation and bot: no annotator then labels two
    rows of one, and all have one verdict.
    """
    if "item" in frame or "conversation" not in frame or not {"annotator", "order"} & set(frame):
        return frame
    about = ["conversation", *frame.columns.intersection(["bot"])]
    once = [*about, *frame.columns.intersection(["annotator", "order"])]
    shown = [*about, *frame.columns.intersection(["order"])]
    if frame[once].duplicated().any() or _has_several_verdicts(frame, shown, "verdict"):
        return frame
    return frame.assign(item=frame[about].agg("\t".join, axis=1))


def scale_of(frame: pd.DataFrame, scale: str = "") -> list[str] | None:
    """Return the answers from lowest to highest: those of `scale` ("low,middle,high"), else where all are numbers and
    there are more than two, or all are words of a usual scale; None where they have no order, or `scale` is "-".
    """
    answers = sorted({*frame["verdict"], *frame["label"]})
    if scale == NONE:
        return None
    if scale:
        return _in_order(answers, scale.split(","))
    if len(answers) < 3:
        return None
    if all(WITH_SCALE.fullmatch(answer) for answer in answers):
        return sorted(answers, key=float)
    for words in SCALES:
        if set(map(_folded, answers)) <= set(map(_folded, words)):
            return _in_order(answers, words)
    return None


def _in_order(answers: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return answers in the order of words, which differ in spelling alone; raise `UserError` for another answer."""
    places = {_folded(word.strip()): place for place, word in enumerate(words)}
    if unknown := [answer for answer in answers if _folded(answer) not in places]:
        raise UserError(f"--scale: lacks the answer {unknown[0]!r}.", f"Name all, in order: {', '.join(answers)}.")
    return sorted(answers, key=lambda answer: places[_folded(answer)])
