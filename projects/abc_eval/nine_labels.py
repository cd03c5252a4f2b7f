"""Results of the nine labels of 108 conversations: agreement, rates, and people against a language model as a judge."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.analysis.behaviours import behaviour
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.projects.abc_eval import published
from parlai_spotbot.projects.abc_eval.label_accuracy import (
    FIGURES,
    LabelAccuracy,
    against_people,
    among_people,
    weights,
    wide,
)
from parlai_spotbot.projects.cells import PaperCell, PaperTable
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys.abc_eval.label_frame import label_frame

ALPHA = (
    "Krippendorff's alpha of two people's labels of the same turn; nominal, which for two values is the same as the "
    "ordinal alpha that was published"
)
ALPHA_ENDS = "95 % interval of alpha, ours over conversations, the published one by drawing turns, by chance"
KAPPA = "Fleiss' kappa of the same labels: as alpha, but chance is any answer and any other or the same"
RATE = (
    "share of turns, both people's labels counting one half each, of 27 conversations a bot that two people annotated; "
    "the published share is of all 100 of that bot, one of two answers taken by lot: other data, so not to be reached"
)
WILSON = "Wilson's 95 % interval of that share, as if turns were independent, of as many turns as there are"
CLUSTERED = "95 % interval of our share that allows for conversations"
DETECTION = {
    "precision": "share of the turns with the label by {who} to which a person gave it, each person counting alike",
    "recall": "share of the turns with the label by a person to which {who} gave it, each person counting alike",
    "balanced_accuracy": "mean of recall and of the share of turns without the label that {who} left without it",
    "f1": "harmonic mean of precision and recall",
    "alpha": "nominal alpha of couples of {who} and a person",
}
ENDS = "95 % interval by drawing conversations, of: {}"
SHARE = "share of all turns with the label"
OTHER = "the other person"


def labelled(imported: ImportedStudy) -> pd.DataFrame:
    """One row a label, turn and annotator or judge, of the study that the file makes (`label_frame`)."""
    answered = answers_frame(imported.judgements, imported.conversations)
    frame, _ = label_frame(answered.frame, indexed(imported.conversations))
    return frame.reset_index(drop=True)


def name_of(label: str) -> str:
    """A label as the paper writes it."""
    return label.replace("_", " ")


def labels_in(rows: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(rows["question"]))


def agreement(rows: pd.DataFrame, tables: Path) -> PaperTable:
    """Section 7.1, Figure 12: alpha, its interval, the number of turns and kappa of each label."""
    table = PaperTable("agreement", "Agreement of two people on nine labels (section 7.1)")
    published_alphas = published.table(tables, "agreements")
    people = rows[rows["source"] == HUMAN]
    for label in labels_in(people):
        label_rows = people[people["question"] == label]
        paper = published_alphas.loc[("abc_eval", label)]
        alpha = krippendorff_alpha(label_rows["rated"], label_rows["value"], frame_clusters(label_rows, crossed=False))
        row = name_of(label)
        ends = log_ends(alpha)
        theirs = " (published as “incorrect fact”)" if label == "fact_contradiction" else ""
        table.cells += [
            PaperCell(row, "alpha", paper["alpha"], alpha["alpha"], ALPHA + theirs, 3),
            PaperCell(row, "alpha low", paper["low"], ends[0], ALPHA_ENDS, 3, beside=True),
            PaperCell(row, "alpha high", paper["high"], ends[1], ALPHA_ENDS, 3, beside=True),
            PaperCell(row, "kappa", paper["kappa"], kappa_of(alpha["alpha"], len(label_rows)), KAPPA, 3),
            PaperCell(row, "turns", paper["n"], alpha["units"], "turns that two people labelled", 0),
        ]
    return table


def log_ends(mapping: Mapping) -> np.ndarray:
    """Return the ends of alpha's interval, symmetric for log(1 - alpha) as in earlier editions of this table."""
    alpha = mapping["alpha"]
    ends = np.array(mapping["ci"])
    return 1 - (1 - alpha) * np.exp((np.arctanh(alpha) - np.arctanh(ends)) * (1 + alpha))


def kappa_of(alpha: float, answers: int) -> float:
    """Fleiss' kappa from nominal alpha of `answers` answers, where every turn has the same number of them."""
    return 1 - (1 - alpha) * answers / (answers - 1)


def rates(rows: pd.DataFrame, tables: Path) -> PaperTable:
    """Figures 4 and 5 for nine labels: how often each bot shows them, by people and by the judges."""
    table = PaperTable("rates", "How often each bot shows nine behaviours (Figures 4 and 5)")
    published_rates = published.table(tables, "rates")
    bots = sorted(set(rows["name"]))
    people = rows[rows["source"] == HUMAN]
    for label in labels_in(people):
        means = behaviour(people[people["question"] == label], bots, crossed=False)
        rates_of_label = means.contestants.set_index("bot")
        for bot in bots:
            row = f"{name_of(label)}, {bot}"
            paper = published_rates.loc[(label, bot)]
            bot_rates = rates_of_label.loc[bot]
            share = bot_rates["score"]
            turns = bot_rates["turns"]
            low, high = wilson(share * turns, turns)
            table.cells += [
                PaperCell(row, "share", paper["share"], share, RATE, 3, beside=True),
                PaperCell(row, "Wilson low", paper["low"], low, WILSON, 3, beside=True),
                PaperCell(row, "Wilson high", paper["high"], high, WILSON, 3, beside=True),
                PaperCell(row, "turns", paper["n"], turns, "turns of that bot", 0, beside=True),
            ]
            table.own(
                row, CLUSTERED, {"clustered low": bot_rates["score_low"], "clustered high": bot_rates["score_high"]}
            )
            for judge in _judges(rows, label):
                judge_rows = rows[(rows["source"] == judge) & (rows["question"] == label) & (rows["name"] == bot)]
                how = f"share of the same turns that {judge} gave the label"
                table.add(row, judge, None, judge_rows["value"].mean(), how)
    return table


def _judges(rows: pd.DataFrame, label: str) -> list[str]:
    return sorted(set(rows.loc[rows["question"] == label, "source"]) - {HUMAN})


def judges(rows: pd.DataFrame, replicates: int, rng: np.random.Generator) -> PaperTable:
    """People against a language model, and against specialised classifiers, as judges of every label."""
    table = PaperTable("judges", "People against automatic judges, label by label (Finch, Paek & Choi 2023)")
    for label in labels_in(rows[rows["source"] == HUMAN]):
        row = rows[rows["question"] == label]
        labels_of_people = wide(row[row["source"] == HUMAN])
        people = [labels_of_people[column].to_numpy(int) for column in labels_of_people.columns]
        homes, ids = pd.factorize(labels_of_people.index.get_level_values("conversation_id"))
        drawn = weights(len(ids), replicates, rng)
        mutual = among_people(people, homes, drawn)
        _figures(table, f"{name_of(label)}, {OTHER}", OTHER, mutual, None)
        table.own(f"{name_of(label)}, people", SHARE, {"share": np.mean(people)})
        for judge in _judges(rows, label):
            given = wide(row[row["source"] == judge]).reindex(labels_of_people.index)[0].to_numpy(int)
            comparison = against_people(given, people, homes, drawn)
            _figures(table, f"{name_of(label)}, {judge}", judge, comparison, mutual)
            table.own(f"{name_of(label)}, {judge}", SHARE, {"share": given.mean()})
    return table


def _figures(
    table: PaperTable, row: str, who: str, label_accuracy: LabelAccuracy, mutual: LabelAccuracy | None
) -> None:
    for figure in FIGURES:
        how = DETECTION[figure].format(who=who)
        low, high = label_accuracy.interval(figure)
        table.own(row, how, {figure: label_accuracy.values[figure]})
        table.own(row, ENDS.format(how), {f"{figure} low": low, f"{figure} high": high})
    for figure in ("alpha", "balanced_accuracy") if mutual is not None else ():
        gap, (low, high) = label_accuracy.less(mutual, figure)
        how = f"{figure} of {who} less that of {OTHER}, with its 95 % interval from the same draws"
        column = f"{figure} less people's"
        table.own(row, how, {column: gap, f"{column}, low": low, f"{column}, high": high})
