"""Verdicts and labels as files, frames and sequences hold them, as one frame."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import dataset_rows, named_columns, plain_text, spelling, unread_note
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.judges.certificate import MOST_SHOWN
from parlai_spotbot.judges.certificate.answers_alike import MOST, answer_texts, check_answers, same_answers, spelt_alike
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import names_or_number

FIELDS: Mapping[str, Sequence[str]]
FIELDS = own_data(__file__)
"""Our fields and how files call them."""

NO_ANSWER_OR_ONE = ("none", "n/a", "na", "-", "--", "?")
"""What means that there is no answer, or is one where both verdicts and labels have it."""

THEIRS = "THEIR_COLUMN"
SEVERAL = "+"
"""Between the columns of labels that several people gave, in --columns."""

NUMBER = re.compile(r"\d+")
WHOSE = "person"
"""Our column of whose label it is, where each person has a column."""

WHAT = "what was labelled"
"""Our column of what a row is about, where a judge is one of the annotators."""

SURELY = {
    "verdict": re.compile("gpt|claude|gemini|llama|llm|judge|model(?![ _-]?[ab12]$)|auto|machine", re.IGNORECASE),
    "label": re.compile("human|people|person|expert|gold|truth|annot|rater|crowd|user", re.IGNORECASE),
}
JUDGES = re.compile(SURELY["verdict"].pattern + "|predict|verdict", re.IGNORECASE)
PEOPLES = re.compile(SURELY["label"].pattern + "|label", re.IGNORECASE)
OWNERS = {"verdict": JUDGES, "label": PEOPLES}
"""Parts of columns' names that say whose they are; one that does so surely goes before one that both may have."""

SCORES = ("score", "rating", "grade", "evaluation", "eval")
"""Columns of a judge where nothing else is."""

FEWEST_ROWS = 4
"""Rows of a judge; a column with fewer for each of its values doesn't say which judge."""
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
    frame: pd.DataFrame, columns: str | Mapping[str, str] | None, where: object, judge: str = ""
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a frame with our columns as texts, "" for nothing; `columns` say how the frame calls them.

    Where the frame has the verdicts of several judges, those of `judge` are taken.

    Returns
    -------
    frame
        A row a label. Rows that are there twice are left out.
    dict
        `columns`: those of verdict and label, where they had to be guessed; `twice`: how many rows were left out;
        `no_items`: a column that is called as items are, and whose values have several verdicts; `kept`: words that may
        mean no answer, and are taken as one; `annotator`: who of the annotators is the judge.

    Raises
    ------
    UserError
        Names the column that is missing, or that is named and not there.
    """
    head = [str(name) for name in frame]
    frame = frame.set_axis(head, axis=1)
    named = dict(ImportRequest(data="", columns=columns).pairs("columns"))
    found, several, guessed = _columns(head, named, where)
    frame, found, about = _judged(frame, found, judge, where)
    answers = [found["verdict"], *(several or [found["label"]])]
    kept = _kept(frame[found["verdict"]], frame[answers[1:]])
    about["kept"] = kept
    if found.get("item") != WHAT:  # of which all columns tell its rows apart
        about["unread"] = unread_note(head, {"", *found.values(), *several})
    frame = frame.assign(**{name: answer_texts(frame[name], kept) for name in answers})
    if "item" in found and _has_several_verdicts(frame, found):
        about["no_items"] = found.pop("item")
        found.setdefault("conversation", about["no_items"])
    once = frame[~_twice(frame, found)]
    about["twice"] = len(frame) - len(once)
    if guessed:
        about["columns"] = {"verdict": found["verdict"], "label": SEVERAL.join(several or [found["label"]])}
    if len(several) > 1:
        once, found = _row_a_label(once, several, found)
    return _in_our_columns(once, found), about


def _in_our_columns(frame: pd.DataFrame, found: Mapping[str, str]) -> pd.DataFrame:
    """Return a frame with our columns as texts, those of `found`; its verdicts and labels are texts."""
    texts = {name: frame[column].tolist() for name, column in found.items() if name != "judge"}
    for name in texts.keys() - OWNERS.keys():
        texts[name] = answer_texts(texts[name])
    return pd.DataFrame(texts)


def _judged(
    frame: pd.DataFrame, found: dict[str, str], judge: str, where: object
) -> tuple[pd.DataFrame, dict[str, str], dict[str, Any]]:
    """Return the rows of one judge, their columns, and who of the annotators it is, if one of them."""
    about: dict[str, Any] = {}
    head = list(frame)
    if "verdict" not in found and (annotator := _judge_among_people(frame, found, judge)):
        about["annotator"] = annotator
        frame, found = _verdicts_beside(frame, found, annotator, where)
    _check_columns(head, found, where)
    return _of_one_judge(frame, found, judge, where), found, about


def _judge_among_people(frame: pd.DataFrame, found: Mapping[str, str], judge: str) -> str:
    """Return the annotator that is a judge: `judge`, or the only one whose name says so; "" for none."""
    if not {"item", "annotator"} <= found.keys():
        return ""
    names = list(frame[found["annotator"]].map(plain_text).unique())
    if judge in names:
        return judge
    judges = [name for name in names if _owner(name) == "verdict"]
    if len(judges) != 1:
        return ""
    return judges[0]


def _verdicts_beside(
    frame: pd.DataFrame, found: Mapping[str, str], judge: str, where: object
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return people's rows with the answers of the annotator `judge` beside theirs, where a column has the answers.

    Where the judge has several answers on an item, as on the pairs of one question, all other columns tell them apart.
    """
    left = [name for name in frame if name not in found.values()]
    if "label" not in found and len(left) != 1:
        return frame, dict(found)
    label = found.get("label") or left[0]
    is_judge = frame[found["annotator"]].map(plain_text) == judge
    found = {**found, "label": label, "verdict": judge}
    labelled = frame[found["item"]]
    if _has_several_verdicts(frame[is_judge], {"item": found["item"], "verdict": label}):
        others = frame.drop(columns=[found["annotator"], label]).astype(str)
        labelled = others.agg("\t".join, axis=1)
        if labelled[is_judge].duplicated().any() or not labelled[~is_judge].isin(labelled[is_judge]).any():
            raise UserError(
                f"{where}: {judge} answers several times where {found['item']} is the same.",
                f"Make a column that says what each row is about, and name it: --columns item={THEIRS}.",
            )
        found = {"conversation": found["item"], **found, "item": WHAT}
    verdicts = frame.loc[is_judge, label].set_axis(labelled[is_judge]).groupby(level=0).first()
    beside = frame.assign(**{judge: labelled.map(verdicts), WHAT: labelled})
    return beside[~is_judge].reset_index(drop=True), found


def _of_one_judge(frame: pd.DataFrame, found: Mapping[str, str], judge: str, where: object) -> pd.DataFrame:
    """Return the rows of one judge, where a column says whose the verdicts are."""
    if "judge" not in found:
        return frame
    judges = frame[found["judge"]].map(plain_text)
    names = [name for name in dict.fromkeys(judges) if name]
    if len(names) < 2 or FEWEST_ROWS * len(names) > len(frame):
        return frame
    if judge not in names:
        raise UserError(
            f"{where}: verdicts of {names_or_number(names, 'judges')}, in the column {found['judge']}.",
            f"Name one: --judge-name {shlex.quote(names[0])}.",
        )
    return frame[judges == judge].reset_index(drop=True)


def _kept(verdicts: pd.Series, labels: pd.DataFrame) -> list[str]:
    """Return the words that may mean no answer, and are one, as both verdicts and labels have them."""
    by_column = [
        {value.strip().lower() for value in values if isinstance(value, str)}
        for values in (verdicts, labels.to_numpy().ravel())
    ]
    return [word for word in NO_ANSWER_OR_ONE if all(word in words for words in by_column)]


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
    if "label" not in named or named["label"] in head or not set(several) <= set(head):
        several = []
    else:
        named["label"] = several[0]
    found = named_columns(named, FIELDS, where, head)
    guessed = _guessed(head, found)
    found |= {field: columns[0] for field, columns in guessed.items()}
    return found, guessed.get("label", several), bool(guessed)


def _guessed(head: Sequence[str], found: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the columns of verdict and label that no known name tells, where others fit one alone: those that are
    called alike but for whose they are ("judge_score", "human_score"), else the only ones that say whose they are.
    `label` has the columns of several people where they are numbered ("annotator_1", "annotator_2").
    """
    judges, peoples = _owned([name for name in head if name not in found.values()]).values()
    if not set(OWNERS) & set(found):
        alike = [(own, other) for own in judges for other in peoples if _rest(own) == _rest(other)]
        if len(alike) == 1:
            return {field: [column] for field, column in zip(OWNERS, alike[0], strict=True)}
    guessed: dict[str, list[str]] = {}
    if "verdict" not in found and len(judges) == 1:
        guessed["verdict"] = judges
    if "label" not in found and len({NUMBER.sub("", column) for column in peoples}) == 1:
        guessed["label"] = peoples
    scores = [name for name in head if spelling(name) in SCORES]
    if "verdict" not in {*found, *guessed} and scores:
        guessed["verdict"] = scores
    if set(OWNERS) <= {*found, *guessed}:
        return guessed
    return {}


def _owned(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns whose names say that they are the judge's (verdict), or people's (label), alone."""
    says = {name: _owner(name) for name in columns}
    return {field: [name for name in columns if says[name] == field] for field in OWNERS}


def _owner(column: str) -> str:
    """Return the field whose column a name says it is, "" where it says none or both."""
    for kinds in (SURELY, OWNERS):
        fields = [field for field, words in kinds.items() if words.search(column)]
        if len(fields) == 1:
            return fields[0]
    return ""


def _rest(column: str) -> str:
    """Return a column's name without whose it is."""
    return spelling(NUMBER.sub("", PEOPLES.sub("", JUDGES.sub("", column))))


def _has_several_verdicts(frame: pd.DataFrame, found: Mapping[str, str]) -> bool:
    """Return True if rows of one item and order often have different verdicts: they are about several things, as the
    pairs of answers to one question are.
    """
    keys = [found[name] for name in ("item", "order") if name in found]
    verdict = frame[found["verdict"]]
    rows = frame[keys].astype(str).assign(verdict=verdict.where(verdict != "", None))
    groups = rows.groupby(keys)["verdict"].agg(["count", "nunique"])
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
    has = long[THEIRS] != ""
    first = long[WHOSE] == several[0]
    return long[has | (first & ~has.groupby(level=0).transform("any"))].sort_index(kind="stable"), names


def _naming(head: Sequence[str], found: Mapping[str, str]) -> str:
    """Return the option that names both columns, as far as their names tell them."""
    theirs = dict.fromkeys(OWNERS, THEIRS)
    owned = _owned([name for name in head if name not in found.values()])
    theirs |= {field: columns[0] for field, columns in owned.items() if len(columns) == 1}
    theirs |= {field: found[field] for field in OWNERS if field in found}
    if len(head) == 2 and THEIRS in theirs.values():
        theirs = dict(zip(OWNERS, head, strict=True))
    columns = shlex.quote(",".join(map("=".join, theirs.items())))
    return f"Name them: --columns {columns}; label=A+B where each person has a column."


def ready(frame: pd.DataFrame, where: object, ordered: bool = False) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return the rows that have both verdict and label, those with a verdict alone, and how many have a label alone.

    A column with gaps is an error; numbers are numbers, answers that differ in case or punctuation are one, and items
    are found where no column has them. `ordered` says that the answers are known to be of one scale.
    """
    without = int(((frame["verdict"] == "") & (frame["label"] != "")).sum())
    judged = frame[frame["verdict"] != ""]
    labelled = judged[judged["label"] != ""]
    if labelled.empty:
        raise UserError(
            f"{where}: no row has both a verdict and a label.",
            f"Fill them in, or name the columns that have them: --columns verdict={THEIRS},label={THEIRS}.",
        )
    frame = spelt_alike(labelled)
    check_answers(frame, where, ordered)
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
        values = pd.to_numeric(frame[name], errors="coerce")
        if (gaps := values.isna()).any():
            problem = f"{where}: {name} is {frame[name][gaps].iloc[0]!r}, expected a number."
            raise UserError(problem, f"Correct it, or --columns {name}=-.")
        frame[name] = values
    if "family" in frame:
        frame["family"] = frame["family"].str.lower().isin(TRUE)
    return _with_items(frame), judged[judged["label"] == ""], without


def unlike_labels(frame: pd.DataFrame, scale: Sequence[str] | None) -> dict[str, Any]:
    """Return how often the judge gave each answer that no label is, of a long scale where many lie beyond all labels;
    and as which labels to take them, where no verdict is one of these (`same`).
    """
    labels = frame["label"].unique().tolist()
    strange = frame["verdict"][~frame["verdict"].isin(labels)]
    same = ""
    if scale and len(scale) > MOST_SHOWN:
        places = [scale.index(label) for label in labels]
        strange = strange[~strange.isin(scale[min(places) : max(places)])]
        if len(strange) < FEW_DIFFER * len(frame):
            strange = strange[:0]
    elif not scale and set(labels) - set(frame["verdict"]):
        same = same_answers(strange.unique(), labels)
    counts = strange.value_counts().sort_index()
    return {"unlike_labels": {answer: int(n) for answer, n in counts.items()}, "same": same}


def _with_items(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the column item, where that is told by conversation and bot: no annotator then labels two
    rows of one, and all have one verdict.
    """
    if "item" in frame or "conversation" not in frame or not {"annotator", "order"} & set(frame):
        return frame
    about = ["conversation", *frame.columns.intersection(["bot"])]
    once = [*about, *frame.columns.intersection(["annotator", "order"])]
    with_items = frame.assign(item=frame[about].agg("\t".join, axis=1))
    if frame[once].duplicated().any() or _has_several_verdicts(with_items, {name: name for name in with_items}):
        return frame
    return with_items
