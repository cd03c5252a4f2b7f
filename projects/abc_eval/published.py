"""The tables that the authors published, read under our names of bots, labels and dimensions.

A label of theirs that is called otherwise here: "incorrect fact" is the paper's fact contradiction, "correct fact" its
fact usage.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.files import sha256
from parlai_spotbot.projects.abc_eval.import_format import DIMENSIONS
from parlai_spotbot.projects.abc_eval.release import REMEDY, SHA256
from parlai_spotbot.projects.abc_eval.released_labels import BOTS, LABELS
from parlai_spotbot.reading import own_data

NAMES = own_data(__file__)
METHODS = NAMES["methods"]
GROUPS = NAMES["groups"]
TASKS = NAMES["tasks"]

FINAL_TASKS = tuple(
    f"abc_eval:{task}" for task in ("empathy", "commonsense", "knowledge", "consistency", "transitions")
)
"""Tasks of the final set of section 7.5: the nine behaviours that the authors' next study (Finch, Paek & Choi 2023)
names as informative of quality. The paper marks the set in bold type, which the text used here has lost; the published
medians of these tasks sum to 14.9 minutes a dialogue, Table 10 has 15.17."""

TURN_TASKS = {name.capitalize(): task for name, task in DIMENSIONS.items()} | {
    "Emotion Aware": "emotional_understanding"
}

KEYS = {"method": METHODS, "label": LABELS | DIMENSIONS, "bot": BOTS | {"others": "others"}, "group": GROUPS}
"""Kind of name -> theirs -> ours."""

METRIC = {"category": "method", "label": "label"}
"""Columns of an index with their kinds of names."""


def read(folder: Path, name: str, columns: Iterable[str], **how) -> pd.DataFrame:
    """Read one of the files, with at least these columns; a `UserError` where it is missing or another."""
    path = folder / name
    try:
        frame = pd.read_csv(path, **how)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", REMEDY) from None
    except (ValueError, UnicodeDecodeError) as err:
        raise UserError(f"{path}: cannot be read as CSV: {err}.", REMEDY) from None
    lacking = [column for column in columns if column not in frame.columns]
    if lacking:
        raise UserError(f"{path}: has no column {', '.join(map(repr, lacking))}.", REMEDY)
    return frame


def named(values: Iterable, kind: str, where: str) -> list:
    """Return our names of theirs; an unknown one is a `UserError`."""
    key_columns = KEYS.get(kind)
    for value in values if key_columns else ():
        if value not in key_columns:
            raise UserError(f"{where}: {kind} '{value}' is not known.", nearest(str(value), map(str, key_columns)))
    return [key_columns[value] for value in values] if key_columns else list(values)


def table(folder: Path, which: str) -> pd.DataFrame:
    """Read one of the tables of published.yaml under our names."""
    file, index, columns = NAMES["tables"][which].values()
    frame = read(folder, file, [*index, *columns])
    if which == "screening":
        frame = frame[frame["round"].isin(list(GROUPS))]
    keys = [named(frame[theirs], kind, file) for theirs, kind in index.items()]
    return frame[list(columns)].set_axis(list(columns.values()), axis=1).set_index(keys)


def costs(folder: Path) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Median seconds by task (of Turn Likert: turn_likert:DIMENSION), their projected costs, and by dimension."""
    frame = read(folder, "costs.csv", ["category", "labels", "completion time (sec)", "projected cost"])
    seconds = {}
    projected = {}
    for category, labels, time, cost in frame.iloc[:, :4].itertuples(index=False):
        if category == "behavior" and labels in TASKS:
            task = TASKS[labels]
        elif category == "likert turn" and labels in TURN_TASKS:
            task = f"turn_likert:{TURN_TASKS[labels]}"
        else:
            task = METHODS.get(category, category)
        seconds[task], projected[task] = float(time), float(cost)
    turns = {task.partition(":")[2]: time for task, time in seconds.items() if task.startswith("turn_likert:")}
    return seconds, projected, turns


def predictive(folder: Path) -> pd.DataFrame:
    """By method and name: what each metric alone says of an interactor's rating and choice.

    Columns: rating_coef, rating_r2, rating_p, choice_coef, choice_r2, choice_p.
    """
    name = "predictive_validity.csv"
    frame = read(folder, name, [], header=None, skiprows=3)
    if frame.shape[1] < 8:
        raise UserError(f"{folder / name}: {frame.shape[1]} columns, expected 14.", REMEDY)
    keys = [named(frame[place], kind, name) for place, kind in enumerate(METRIC.values())]
    columns = ["choice_coef", "choice_r2", "choice_p", "rating_coef", "rating_r2", "rating_p"]
    return frame.iloc[:, 2:8].set_axis(columns, axis=1).set_index(keys)


def incremental(folder: Path) -> dict[str, list[tuple[str, float]]]:
    """By method: in the order of removal, the metric that goes next and R² (a share) while it is still there."""
    name = "incremental_validity.csv"
    columns = {"ABC-Eval": "abc_eval", "Likert Turn": "turn_likert", "Likert Dialogue": "dialogue_likert"}
    frame = read(folder, name, columns)
    result = {}
    for column, method in columns.items():
        place = frame.columns.get_loc(column)
        numbers = frame.iloc[:, [place, place + 1]].dropna()
        shares = [float(str(cell).split()[0]) / 100 for cell in numbers.iloc[:, 1]]
        result[method] = list(zip(named(numbers[column], "label", name), shares, strict=True))
    return result


def pickled(folder: Path, name: str) -> pd.DataFrame | None:
    """A frame that was published as a pickle; None unless it is byte for byte the published one, since a pickle can do
    anything."""
    path = folder / name
    if not path.exists() or sha256(path) != SHA256[name]:
        return None
    return pd.read_pickle(path)


def counts(folder: Path, name: str, levels: Sequence[float]) -> pd.DataFrame | None:
    """By method and name: how many of the p-values of the six pairs of bots are below each level; None as `pickled`."""
    frame = pickled(folder, name)
    if frame is None:
        return None
    keys = [named(frame.index.get_level_values(place), kind, name) for place, kind in enumerate(METRIC.values())]
    return pd.DataFrame({level: (frame.astype(float) < level).sum(axis=1) for level in levels}).set_index(keys)


def comparisons(folder: Path) -> pd.DataFrame:
    """Bot, against, dimension, and of lose, tie, win: share, low, high, n."""
    name = "surge_comparisons.csv"
    frame = read(folder, name, ["bot", "bot comp", "label", "lose", "tie", "win"])
    if frame.shape[1] != 15:
        raise UserError(f"{folder / name}: {frame.shape[1]} columns, expected 15.", REMEDY)
    numbers = [f"{outcome} {what}" for outcome in ("lose", "tie", "win") for what in ("share", "low", "high", "n")]
    frame = frame.set_axis(["bot", "against", "dimension", *numbers], axis=1)
    kinds = {"bot": "bot", "against": "bot", "dimension": "label"}
    return frame.assign(**{column: named(frame[column], kind, name) for column, kind in kinds.items()})
