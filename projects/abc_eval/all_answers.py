"""The tables that need every answer: computed by the library's study of metrics from the authors' whole project.

The paper takes one of two answers by lot wherever two people annotated; so is it done here, by a lot of our own, and
figures that hang on it differ a little from run to run. Agreement, times and screening don't.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.metrics import Metric, StudyEvidence, Wishes, analyze
from parlai_spotbot.analysis.metrics.costs import projected, throughput, times_of
from parlai_spotbot.analysis.metrics.frame import CHOICE, RATE
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.survey_metrics import metrics_of, outcomes_of
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.projects.abc_eval import published
from parlai_spotbot.projects.abc_eval.arithmetic import DIALOGUES, LEVELS, WAGE, label_of
from parlai_spotbot.projects.abc_eval.import_format import INTERACTIVE
from parlai_spotbot.projects.cells import PaperCell, PaperTable, paper_values
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey

SAMPLE = 32
"""Conversations a bot, and pairs of conversations a pair of bots, in the paper's Table 5."""

OWN = "surgers"
"""The group of annotators whose work the study is; the training of others is no cost of it."""

LOT = "one of two answers by a lot of ours"


@dataclass(frozen=True)
class AllAnswers:
    """All answers as metrics, and what the library's study of metrics makes of them (`result`)."""

    metrics: list[Metric]
    times: pd.DataFrame
    talks: list[float]
    training: pd.DataFrame
    result: dict[str, dict]
    tables: Path


def all_answers_of(imported: ImportedStudy, tables: Path, seed: int, progress: Callable[[str], None]) -> AllAnswers:
    """Metrics of the four surveys and everything that is computed of them, after the paper's options."""
    surveys = {imported.survey: imported.judgements, **imported.others}
    outcomes = outcomes_of(surveys.get(INTERACTIVE, ()), imported.conversations)
    metrics = []
    lost = {}
    every = []
    for name, judgements in surveys.items():
        if name != INTERACTIVE:
            metrics_read, why = metrics_of(get_survey(name), judgements, imported.conversations, (), HUMAN)
            metrics += metrics_read
            every += judgements
            lost |= {f"{name}: {reason}": n for reason, n in why.items()}
    training = pd.DataFrame(imported.training)
    training["task"] = f"{imported.survey}:" + training["task"]
    times = times_of(every, metrics, HUMAN)
    evidence = StudyEvidence({HUMAN: metrics}, outcomes, {HUMAN: times}, {HUMAN: lost})
    wishes = Wishes(seed, pick="one", sample=SAMPLE, wage=WAGE, dialogues=DIALOGUES)
    result = analyze(evidence, wishes, lambda _, stem: progress(stem))
    talks = [c.provenance["seconds"] for c in imported.conversations if "seconds" in c.provenance]
    return AllAnswers(metrics, times, talks, training, result, tables)


def _frames(answers: AllAnswers, stem: str) -> Frames:
    return Frames.from_tables(answers.result[stem]["by_source"][HUMAN])


def agreement(answers: AllAnswers) -> PaperTable:
    """Section 7.1, Figure 12, all 40 metrics."""
    table = PaperTable("agreement", "Agreement of every metric (section 7.1)")
    published_alphas = published.table(answers.tables, "agreements")
    metric_by_key = {metric.key: metric for metric in answers.metrics}
    for row in _frames(answers, "interpretability").rows("metrics"):
        key = (row["method"], row["name"])
        paper = published_alphas.loc[key] if key in published_alphas.index else {}
        name = label_of(*key)
        how = ALPHA.format(scale=row["scale"])
        alpha = row["alpha"]
        n = row["n"]
        if row["kind"] == CHOICE:
            (alpha, n), how = _both_sides(metric_by_key[":".join(key)]), SIDES
        table.cells += [
            PaperCell(name, "alpha", paper.get("alpha"), alpha, how, 3),
            PaperCell(name, "alpha low", paper.get("low"), row["alpha_low"], ENDS, 3, beside=True),
            PaperCell(name, "alpha high", paper.get("high"), row["alpha_high"], ENDS, 3, beside=True),
            PaperCell(name, "n", paper.get("n"), n, "what two people judged", 0),
        ]
    return table


ALPHA = "{scale} alpha of two people's answers; of a label the ordinal alpha, which was published, is the same"
SIDES = "ordinal alpha of choices, each pair of conversations counting twice, as seen from either of them"
ENDS = "95 % interval, ours over conversations and annotators, the published one by drawing answers"


def _both_sides(metric: Metric) -> tuple[float, int]:
    """Alpha of choices and the number of units where each pair stands from both of its sides, as was published."""
    rows = metric.rows
    pairs = [f"{a}\t{b}" for a, b in zip(rows["conversation_a"], rows["conversation_b"], strict=True)]
    other = [f"{b}\t{a}" for a, b in zip(rows["conversation_a"], rows["conversation_b"], strict=True)]
    values = np.concatenate([rows["value"], -rows["value"]])
    alpha = krippendorff_alpha([*pairs, *other], values, Clusters.by([*pairs, *other]), "ordinal")
    return alpha["alpha"], alpha["units"]


def rates(answers: AllAnswers) -> PaperTable:
    """Figures 4 to 6 and 8: shares of turns with a label, and mean ratings, by bot."""
    table = PaperTable("rates", "What each bot shows and how it is rated (Figures 4, 5, 6 and 8)")
    published_rates = {"abc_eval": published.table(answers.tables, "rates")}
    published_rates |= {
        method: published.table(answers.tables, method) for method in ("dialogue_likert", "turn_likert")
    }
    for metric in answers.metrics:
        if metric.kind == CHOICE:
            continue
        column = "share" if metric.kind == RATE else "mean"
        units = metric.rows.groupby(["bot", "unit"])["value"].mean().groupby(level="bot").agg(["mean", "size"])
        for bot, row in units.iterrows():
            key = (metric.name, str(bot))
            paper = published_rates[metric.method].loc[key] if key in published_rates[metric.method].index else {}
            name = f"{label_of(metric.method, metric.name)}, {bot}"
            how = "mean over what was judged, of two answers the mean; the published one takes one of them by lot"
            table.add(name, column, paper.get(column), row["mean"], how, 2)
            table.add(name, "n", paper.get("n"), int(row["size"]), "what was judged", 0)
            if metric.kind == RATE:
                ends = wilson(row["mean"] * row["size"], row["size"])
                for end, value in zip(("low", "high"), ends, strict=True):
                    interval = "Wilson's 95 % interval of our share"
                    table.add(name, end, paper.get(end), value, interval, 2)
    return table


def table5(answers: AllAnswers) -> PaperTable:
    """Table 5 with 32 conversations a bot: the paper's tests, over many draws and in the first."""
    table = PaperTable("table5", f"Table 5: pairs of bots told apart, {SAMPLE} conversations a bot")
    sensitivity = _frames(answers, "sensitivity")
    whole = sensitivity.one("whole")
    levels = [f"{level:g}" for level in LEVELS]
    for row in sensitivity.rows("metrics"):
        printed = paper_values("abc_eval")["table5"].get(row["method"], {}).get(row["name"])
        level = row["level"]
        name = label_of(row["method"], row["name"])
        value = printed[levels.index(level)] if printed else None
        low, high = row["ci_paper"]
        how = f"{row['test_paper']}, the first of {whole['draws']} draws of {whole['sample']} conversations a bot"
        table.add(name, level, value, row["once_paper"], how, 0)
        spread = f"the same over all draws: mean, and the middle 95 % ({low:g} to {high:g})"
        table.add(name, f"{level}, mean of draws", None, row["mean_paper"], spread)
        sound = f"{row['test']}, which knows that turns of a conversation are correlated, mean of the same draws"
        table.add(name, f"{level}, by conversations", None, row["mean"], sound)
    return table


def figure2(answers: AllAnswers) -> PaperTable:
    """Figure 2: what each metric alone says of the interactor's rating and choice."""
    table = PaperTable("figure2", "Figure 2: each metric alone against the interactor's quality")
    published_fits = published.predictive(answers.tables)
    models = {
        "rating": "linear regression of the rating",
        "choice": "logistic regression of the choice, ties left out, conversations in the order in which they were led "
        "(published: in any order)",
    }
    r2 = {"rating": "R²", "choice": "McFadden's pseudo-R²"}
    for row in _frames(answers, "importance").rows("metrics"):
        outcome = row["outcome"]
        key = (row["method"], row["name"])
        paper = published_fits.loc[key] if key in published_fits.index else {}
        how = f"{models[outcome]} on the metric; {LOT}; n {row['n']}"
        for figure, label in (("coef", "coefficient"), ("r2", r2[outcome]), ("p", "p of the model")):
            printed = paper.get(f"{outcome}_{figure}")
            table.add(label_of(*key), f"{outcome} {figure}", printed, row[figure], f"{label}, {how}", 2)
        table.add(label_of(*key), f"{outcome} p clustered", None, row["p_clustered"], CLUSTERED)
    return table


CLUSTERED = "p that allows for one person having led several conversations"


def figure3(answers: AllAnswers) -> PaperTable:
    """Figure 3: R² of each method's metrics together, and as they are removed."""
    table = PaperTable("figure3", "Figure 3: all metrics of a method together, fewer and fewer")
    published_steps = published.incremental(answers.tables)
    for step in _frames(answers, "coverage").rows("steps"):
        outcome = step["outcome"]
        method = step["method"]
        size = len(step["metrics"])
        printed = published_steps.get(method, []) if outcome == "rating" else []
        paper = {len(printed) - place: row for place, row in enumerate(printed)}
        label, r2 = paper.get(size, (None, None))
        name = f"{method.replace('_', ' ')}, {size} left ({outcome})"
        how = f"R² of {size} metrics, {LOT}; not adjusted, as published; n {step['n']}"
        table.add(name, "R²", r2, step["r2"], how, 2)
        table.add(name, "adjusted R²", None, step["adjusted"], "adjusted for their number")
        table.add(name, "next to go", label, step["removed"], "whose removal costs least")
    return table


def table9(answers: AllAnswers) -> PaperTable:
    """Median seconds of every task, as published, and what Table 9 comes from."""
    table = PaperTable("table9", "Seconds a task (published with Table 9)")
    seconds, _, turns = published.costs(answers.tables)
    published_times = {f"abc_eval:{task}": time for task, time in seconds.items()} | seconds
    trained = answers.training[answers.training["group"] == OWN].groupby("task")
    training = trained["seconds"].sum() / 60 / trained["annotator"].nunique()
    for entry in _frames(answers, "costs").rows("tasks"):
        name = entry["task"]
        if entry["method"] == "turn_likert":
            paper = turns.get(entry["metrics"][0]) if len(entry["metrics"]) == 1 else None
        else:
            paper = published_times.get(name)
        how = f"median seconds of {entry['n']} work units by {entry['annotators']} annotators"
        table.add(name, "seconds", paper, entry["minutes"] * 60, how, 2)
        table.add(name, "dollars", None, entry["payment"], "that median at 20 dollars an hour")
        table.add(name, "training minutes", None, training.get(name), "an annotator")
    return table


def table10(answers: AllAnswers) -> PaperTable:
    """Table 10: minutes, throughput and estimated cost of each method."""
    table = PaperTable("table10", "Table 10: minutes, throughput and costs of each method")
    minutes = {method: _minutes(times) for method, times in answers.times.groupby("method")}
    if answers.talks:
        minutes["dialogue collection"] = (float(np.median(answers.talks)) / 60, f"median of {len(answers.talks)} chats")
    final = answers.times[answers.times["task"].isin(published.FINAL_TASKS)]
    if len(final):
        value, how = _minutes(final)
        minutes["abc_eval, final set"] = (value, f"{how}; the tasks of the final set, as far as it is known")
    for method, printed in paper_values("abc_eval")["table10"].items():
        if method not in minutes:
            continue
        value, how = minutes[method]
        each = 2 if method == "comparative" else 1
        table.cells += [
            PaperCell(method, "TI", printed["TI"], value, f"minutes: {how}", 2),
            PaperCell(method, "TP", printed["TP"], throughput(value), "60 / minutes", 2),
            PaperCell(method, "EC", printed["EC"], projected(value, DIALOGUES, WAGE, each), "at 20 dollars an hour", 0),
        ]
    return table


def _minutes(times: pd.DataFrame) -> tuple[float, str]:
    """The median of sums over tasks; where a dialogue was done twice each time is one of its own, as published."""
    sums = times.groupby(["home", times.groupby(["home", "task"]).cumcount()])["minutes"].sum()
    return float(sums.median()), f"median of sums over tasks, {len(sums)} of them, a second time counting as another"


def screening(answers: AllAnswers) -> PaperTable:
    """Figure 9: who passed the training, by group."""
    table = PaperTable("screening", "Who passed the training, by group (Figure 9)")
    published_rows = published.table(answers.tables, "screening")
    for (group, task), group_rows in answers.training.groupby(["group", "task"], sort=True):
        name = f"{group}, {str(task).partition(':')[2]}"
        key = (group, str(task).partition(":")[2])
        paper = published_rows.loc[key] if key in published_rows.index else {}
        attempted = group_rows["annotator"].nunique()
        passed = group_rows[group_rows["passed"].eq(True)]["annotator"].nunique()
        low, high = wilson(passed, attempted)
        table.cells += [
            PaperCell(name, "attempted", paper.get("attempted"), int(attempted), "annotators who began", 0),
            PaperCell(name, "passed", paper.get("passed"), int(passed), "annotators whose last round was enough", 0),
            PaperCell(name, "mistakes", paper.get("mistakes"), group_rows["wrong_turns"].mean(), MISTAKES, 3),
            PaperCell(name, "rounds", paper.get("n"), len(group_rows), "rounds handed in", 0),
        ]
        table.own(name, "Wilson's 95 % interval", {"pass share low": low, "pass share high": high})
    return table


MISTAKES = "mean number of wrong turns a round"
