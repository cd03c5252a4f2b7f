"""The tables that the authors published, read under our names of bots, labels and dimensions.

A label of theirs that is called otherwise here: "incorrect fact" is the paper's fact contradiction, "correct fact" its
fact usage.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.abc_eval_labels import BOTS, LABELS
from parlai_spotbot.importers.abc_eval_project import DIMENSIONS
from parlai_spotbot.projects.abc_eval.release import REMEDY, SHA256
from parlai_spotbot.projects.fetching import checksum

METHODS = {
    "behavior": "abc_eval",
    "likert turn": "turn_likert",
    "likert dialogue": "dialogue_likert",
    "comparative": "comparative",
}
"""Their names of methods and ours."""

FINAL_TASKS = tuple(
    f"abc_eval:{task}" for task in ("empathy", "commonsense", "knowledge", "consistency", "transitions")
)
"""Tasks of the final set of section 7.5: the nine behaviours that the authors' next study (Finch, Paek & Choi 2023)
names as informative of quality. The paper marks the set in bold type, which the text used here has lost; the published
medians of these tasks sum to 14.9 minutes a dialogue, Table 10 has 15.17."""

GROUPS = {0: "pilot", 1: "students", 2: "mturkers", 3: "surgers"}
"""Groups of annotators by their number in evaluation_screening.csv. A fifth repeats the fourth."""

TASKS = {
    "antisocial": "sociality",
    "contradict_commonsense": "commonsense",
    "empathetic, unempathetic, empathy_na": "empathy",
    "followup, switch, talkingpoint, acknowledge, ignore, no_need_acknowledge, relevant, irrelevant": "transitions",
    "preferences, life": "personal_information",
    "redundant, contradict_self_context, contradict_partner_context": "consistency",
    "uninterpretable": "interpretability",
    "use_fact, correct_fact, incorrect_fact": "knowledge",
}
"""Tasks by what costs.csv says of their labels."""

TURN_TASKS = {name.capitalize(): ours for name, ours in DIMENSIONS.items()} | {
    "Emotion Aware": "emotional_understanding"
}

Key = tuple[str, str]


def ours(name: str, where: str) -> str:
    """Our name of a label or dimension of theirs."""
    known = LABELS | DIMENSIONS
    if name not in known:
        raise UserError(f"{where}: label '{name}' is not known.", nearest(name, known))
    return known[name]


def read(folder: Path, name: str, columns: Sequence[str], **how) -> pd.DataFrame:
    """One of the tables, with at least these columns; a `UserError` where it is missing or another."""
    path = Path(folder) / name
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


def keyed(frame: pd.DataFrame, where: str, category: str = "category", label: str = "label") -> pd.DataFrame:
    """With the columns method and name, by our names."""
    for value in frame[category]:
        if value not in METHODS:
            raise UserError(f"{where}: category '{value}' is not known.", nearest(str(value), METHODS))
    return frame.assign(method=frame[category].map(METHODS), name=[ours(one, where) for one in frame[label]])


def agreements(folder: Path) -> pd.DataFrame:
    """By method and name: alpha, low, high, n and kappa."""
    name = "surge_agreements.csv"
    frame = read(folder, name, ["category", "label", "Krippendorff's alpha", "CI low", "CI high", "n", "Fleiss' kappa"])
    frame = keyed(frame, name).rename(
        columns={"Krippendorff's alpha": "alpha", "CI low": "low", "CI high": "high", "Fleiss' kappa": "kappa"}
    )
    return frame.set_index(["method", "name"])[["alpha", "low", "high", "n", "kappa"]]


def rates(folder: Path) -> pd.DataFrame:
    """By label and bot: share of turns, low, high (Wilson), n turns of 100 conversations."""
    name = "surge_behavior_rates.csv"
    frame = read(folder, name, ["bot", "label", "proportion", "CI low", "CI high", "n"])
    frame = frame.assign(label=[ours(one, name) for one in frame["label"]], bot=frame["bot"].map(BOTS))
    frame = frame.rename(columns={"proportion": "share", "CI low": "low", "CI high": "high"})
    return frame.set_index(["label", "bot"])[["share", "low", "high", "n"]]


def ratings(folder: Path, method: str) -> pd.DataFrame:
    """By dimension and bot: mean, low, high, n of the ratings of "turn_likert" or "dialogue_likert"."""
    name = {"turn_likert": "surge_likert_turn_ratings.csv", "dialogue_likert": "surge_likert_dialogue_ratings.csv"}
    frame = read(folder, name[method], ["bot", "label", "mean", "CI low", "CI high", "n"])
    frame = frame.assign(label=[ours(one, name[method]) for one in frame["label"]], bot=frame["bot"].map(BOTS))
    frame = frame.rename(columns={"CI low": "low", "CI high": "high"})
    return frame.set_index(["label", "bot"])[["mean", "low", "high", "n"]]


def costs(folder: Path) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Median seconds by task (of Turn Likert: turn_likert:DIMENSION), their projected costs, and by dimension."""
    name = "costs.csv"
    frame = read(folder, name, ["category", "labels", "completion time (sec)", "projected cost"])
    seconds, projected = {}, {}
    for row in frame.itertuples(index=False):
        category, labels, time, cost = row[:4]
        if category == "behavior" and labels in TASKS:
            task = TASKS[labels]
        elif category == "likert turn" and labels in TURN_TASKS:
            task = f"turn_likert:{TURN_TASKS[labels]}"
        else:
            task = METHODS.get(category, category)
        seconds[task], projected[task] = float(time), float(cost)
    turns = {task.partition(":")[2]: time for task, time in seconds.items() if task.startswith("turn_likert:")}
    return seconds, projected, turns


def screening(folder: Path) -> pd.DataFrame:
    """By group and task: attempted, passed, mistakes, accuracy, n."""
    frame = read(folder, "evaluation_screening.csv", ["round", "attempted", "passed", "mistakes", "accuracy", "n"])
    frame = frame[frame["round"].isin(list(GROUPS))]
    frame = frame.assign(group=frame["round"].map(GROUPS)).rename(columns={"Unnamed: 1": "task"})
    return frame.set_index(["group", "task"])[["attempted", "passed", "mistakes", "accuracy", "n"]]


def predictive(folder: Path) -> pd.DataFrame:
    """By method and name: what each metric alone says of an interactor's rating and choice.

    Columns: rating_coef, rating_r2, rating_p, choice_coef, choice_r2, choice_p.
    """
    name = "predictive_validity.csv"
    frame = read(folder, name, [], header=None, skiprows=3)
    if frame.shape[1] < 8:
        raise UserError(f"{Path(folder) / name}: {frame.shape[1]} columns, expected 14.", REMEDY)
    columns = ["category", "label", "choice_coef", "choice_r2", "choice_p", "rating_coef", "rating_r2", "rating_p"]
    frame = frame.iloc[:, :8].set_axis(columns, axis=1)
    return keyed(frame, name).set_index(["method", "name"])[columns[2:]]


def incremental(folder: Path) -> dict[str, list[tuple[str, float]]]:
    """By method: in the order of removal, the metric that goes next and R² (a share) while it is still there."""
    name = "incremental_validity.csv"
    frame = read(folder, name, ["ABC-Eval", "Likert Turn", "Likert Dialogue"])
    found = {}
    columns = {"ABC-Eval": "abc_eval", "Likert Turn": "turn_likert", "Likert Dialogue": "dialogue_likert"}
    for column, method in columns.items():
        place = frame.columns.get_loc(column)
        known = frame.iloc[:, [place, place + 1]].dropna()
        found[method] = [(ours(label, name), float(str(said).split()[0]) / 100) for label, said in known.values]
    return found


def pickled(folder: Path, name: str) -> pd.DataFrame | None:
    """A frame that was published as a pickle; None unless it is byte for byte the published one, since a pickle can do
    anything."""
    path = Path(folder) / name
    if not path.exists() or checksum(path) != SHA256[name]:
        return None
    return pd.read_pickle(path)


def p_values(folder: Path, name: str) -> pd.DataFrame | None:
    """By method and name: the p-values of the six pairs of bots."""
    frame = pickled(folder, name)
    if frame is None:
        return None
    keys = pd.MultiIndex.from_tuples(
        [(METHODS[category], ours(label, name)) for category, label in frame.index], names=["method", "name"]
    )
    return frame.astype(float).set_axis(keys, axis=0)


def counts(p: pd.DataFrame, levels: Sequence[float]) -> pd.DataFrame:
    """How many pairs have a p below each of the levels (the columns)."""
    return pd.DataFrame({level: (p < level).sum(axis=1) for level in levels})


def sensitivity(folder: Path) -> pd.DataFrame:
    """By method and name: the counts of sensitivity_table.csv at .001, .01, .05."""
    name = "sensitivity_table.csv"
    frame = read(folder, name, ["0.001", "0.01", "0.05"])
    frame = frame.rename(columns={"Unnamed: 0": "category", "Unnamed: 1": "label"})
    frame = keyed(frame, name).set_index(["method", "name"])[["0.001", "0.01", "0.05"]]
    return frame.set_axis([float(column) for column in frame.columns], axis=1)


def comparisons(folder: Path) -> pd.DataFrame:
    """Bot, against, dimension, and of lose, tie, win: share, low, high, n."""
    name = "surge_comparisons.csv"
    frame = read(folder, name, ["bot", "bot comp", "label", "lose", "tie", "win"])
    if frame.shape[1] != 15:
        raise UserError(f"{Path(folder) / name}: {frame.shape[1]} columns, expected 15.", REMEDY)
    numbers = [f"{outcome} {what}" for outcome in ("lose", "tie", "win") for what in ("share", "low", "high", "n")]
    frame = frame.set_axis(["bot", "against", "dimension", *numbers], axis=1)
    return frame.assign(
        bot=frame["bot"].map(BOTS),
        against=frame["against"].map(BOTS | {"others": "others"}),
        dimension=[ours(one, name) for one in frame["dimension"]],
    )
