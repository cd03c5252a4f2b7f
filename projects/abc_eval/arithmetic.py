"""Arithmetic on the published tables alone: intervals, counts of p-values, costs, screening."""

from collections.abc import Mapping
from pathlib import Path

from parlai_spotbot.analysis.metrics.costs import projected, throughput
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.analysis.values import Interval
from parlai_spotbot.projects.abc_eval import published
from parlai_spotbot.projects.cells import PaperCell, PaperTable, paper_values

LEVELS = (0.01, 0.05, 0.1)
OLD_LEVELS = (0.001, 0.01, 0.05)
DIALOGUES = 400
WAGE = 20.0
OLD_WAGE = 10.0
GIFT = 5.0
CHATS = 6
"""Those who chatted got a gift card of 5 dollars for six conversations (section 3)."""

EARLIER = ("pilot", "students")
ROUNDS = "three rounds for everybody who began; in the pilot it was otherwise, and some students stopped"
UNREADABLE = "the published p-values are a pickle, which is read only where it is the published one byte for byte"
INTERVAL = "Wilson's 95 % interval of the published share"
OF_TI = "from the minutes that the paper prints, which are rounded; the median itself needs data.json"
DOLLARS = "a cost is known to half a dollar or so"
CENTS = "the published seconds have two decimals, so that a cost is known to a few cents"


def label_of(method: str, name: str) -> str:
    """A row's name: a metric as the paper calls it, with its method."""
    return f"{name.replace('_', ' ')} ({method.replace('_', ' ')})"


def intervals(tables: Path) -> PaperTable:
    """Figures 4, 5 and 7: the published intervals, from the published shares and numbers."""
    table = PaperTable("intervals", "Intervals of rates and of comparisons (Figures 4, 5 and 7)")
    for (label, bot), row in published.table(tables, "rates").iterrows():
        ends = _nearest(row["share"], row["n"], (row["low"], row["high"]))
        how = INTERVAL + "; of the numbers of turns that round to it, the one whose interval is nearest"
        for end, value in zip(("low", "high"), ends, strict=True):
            table.add(f"{label.replace('_', ' ')}, {bot}", end, row[end], value, how, 3)
    for row in published.comparisons(tables).to_dict(orient="records"):
        name = f"{row['dimension']}, {row['bot']} against {row['against']}"
        for outcome in ("lose", "tie", "win"):
            ends = wilson(row[f"{outcome} share"] * row[f"{outcome} n"], row[f"{outcome} n"])
            for end, value in zip(("low", "high"), ends, strict=True):
                column = f"{outcome} {end}"
                table.add(name, column, row[column], value, INTERVAL, 6)
    return table


def _nearest(share: float, n: float, ends: Interval) -> Interval:
    """Wilson's interval of the hits of `n` that a share of three decimals may stand for, nearest to `ends`."""
    middle = round(share * n)
    counts = [hits for hits in range(max(0, middle - 2), middle + 3) if abs(hits / n - share) <= 0.0005 + 1e-9]
    wilsons = [wilson(hits, n) for hits in counts or [middle]]
    return min(wilsons, key=lambda ends_found: max(abs(ends_found[0] - ends[0]), abs(ends_found[1] - ends[1])))


def table5(tables: Path) -> PaperTable:
    """Table 5: how many pairs of bots each metric tells apart, counted from the published p-values."""
    table = PaperTable("table5", "Table 5: pairs of bots told apart, by the published p-values of smaller samples")
    counts = published.counts(tables, "p_values_comparing_bots_downsampled", LEVELS)
    how = (
        "number of the six published p-values below the level, from 32 answers a bot (32 turns for metrics of turns, "
        "which is far less than the 32 conversations of the paper) by one draw that is not the paper's"
    )
    for method, rows in paper_values("abc_eval")["table5"].items():
        for name, values in rows.items():
            for level, value in zip(LEVELS, values, strict=True):
                computed = None if counts is None else int(counts.loc[(method, name), level])
                table.add(label_of(method, name), f"{level:g}", value, computed, how, 0)
    if counts is None:
        table.notes.append(UNREADABLE)
    table.notes.append("the counts of the paper need the answers themselves: see table5 of data.json")
    return table


def sensitivity(tables: Path) -> PaperTable:
    """The counts published in sensitivity_table.csv, from the p-values of all answers."""
    table = PaperTable("sensitivity", "Pairs of bots told apart by all answers (published, not in the paper)")
    counts = published.counts(tables, "t_test_p_values_comparing_bots", OLD_LEVELS)
    how = (
        "number of the six published p-values below the level; those p-values are of Welch's, z and sign tests, the "
        "counts of t-tests with a common variance and of other lots among double answers"
    )
    for (method, name), row in published.table(tables, "sensitivity").iterrows():
        for level in OLD_LEVELS:
            computed = None if counts is None else int(counts.loc[(method, name), level])
            table.add(label_of(method, name), f"{level:g}", row[level], computed, how, 0)
    if counts is None:
        table.notes.append(UNREADABLE)
    return table


def table9(tables: Path) -> PaperTable:
    """Table 9: what was paid for a task, beside what the time that it took would cost; and the projected costs."""
    table = PaperTable("table9", "Table 9: pay for a task, and what its time would cost")
    seconds, costs, turns = published.costs(tables)
    how = "median seconds at 20 dollars an hour; the paper paid by the times of an earlier pilot, so not to be reached"
    for task, pay in paper_values("abc_eval")["table9"].items():
        time = sum(turns.values()) / len(turns) if task == "turn_likert" else seconds[task]
        note = f"{how}; mean of the eight tasks" if task == "turn_likert" else how
        table.add(task, "dollars", pay, projected(time / 60, 1, WAGE), note, 2, beside=True)
    for task, cost in costs.items():
        how = f"median seconds for {DIALOGUES} at {OLD_WAGE:g} dollars an hour, as published; {CENTS}"
        table.add(task, "projected", cost, projected(seconds[task] / 60, DIALOGUES, OLD_WAGE), how, 1)
    return table


def table10(tables: Path) -> PaperTable:
    """Table 10: minutes, dialogues an hour and costs, as far as medians of single tasks tell."""
    table = PaperTable("table10", "Table 10: minutes, throughput and costs of each method")
    paper, (seconds, _, turns) = paper_values("abc_eval"), published.costs(tables)
    alone = {
        "dialogue collection": seconds["dialogue"],
        "dialogue_likert": seconds["dialogue_likert"],
        "comparative": seconds["comparative"],
    }
    for method, printed in paper["table10"].items():
        each = 2 if method == "comparative" else 1
        if method in alone:
            exact = minutes = alone[method] / 60
            how = "median seconds of the task / 60"
            digits = 1
            table.add(method, "TI", printed["TI"], minutes, how, 2)
        else:
            minutes = printed["TI"]
            how = OF_TI
            digits = 0
            exact = printed["EC"] / DIALOGUES / WAGE * 60
            summed = _summed(method, seconds, turns)
            why = "sum of the medians of the tasks; the paper's is the median of sums, which needs data.json"
            table.add(method, "TI", printed["TI"], summed, why, 2, beside=True)
        source = how if method in alone else "of the minutes that EC comes from"
        table.add(method, "TP", printed["TP"], throughput(exact), f"60 / minutes, {source}", 2)
        money = projected(minutes, DIALOGUES, WAGE, each)
        what = f"minutes at 20 dollars an hour for {DIALOGUES // each}, {how}; {CENTS if method in alone else DOLLARS}"
        table.add(method, "EC", printed["EC"], money, what, digits)
    table.cells += _paid(paper)
    return table


def _summed(method: str, seconds: Mapping[str, float], turns: Mapping[str, float]) -> float | None:
    from parlai_spotbot.surveys.abc_eval.labels import TASKS

    if method == "turn_likert":
        return sum(turns.values()) / 60
    final = [task.partition(":")[2] for task in published.FINAL_TASKS]
    return sum(seconds[task] for task in (TASKS if method == "abc_eval" else final)) / 60


def _paid(paper: Mapping) -> list[PaperCell]:
    """Overall costs by what was paid (section 3 and Table 9)."""
    from parlai_spotbot.surveys.abc_eval.labels import TASKS

    pay = paper["table9"]
    how = f"pay by Table 9, for {DIALOGUES} dialogues"
    paid = {
        "dialogue collection": (GIFT / CHATS * DIALOGUES, "5 dollars for six conversations (section 3)"),
        "dialogue_likert": (pay["dialogue_likert"] * DIALOGUES, how),
        "comparative": (pay["comparative"] * DIALOGUES / 2, f"pay by Table 9, for {DIALOGUES // 2} pairs of dialogues"),
        "turn_likert": (pay["turn_likert"] * 8 * DIALOGUES, f"{how}, eight tasks"),
        "abc_eval": (sum(pay[task] for task in TASKS) * DIALOGUES, f"{how}, eight tasks; pay is printed in cents"),
    }
    return [
        PaperCell(method, "OC", paper["table10"][method]["OC"], value, what, 2)
        for method, (value, what) in paid.items()
    ]


def screening(tables: Path) -> PaperTable:
    """Appendix E, Figure 9: who passed the training, by group of annotators and task."""
    table = PaperTable("screening", "Who passed the training, by group (Figure 9)")
    published_rows = published.table(tables, "screening")
    share = "passed / attempted, from the published numbers; the paper shows them as bars"
    for (group, task), row in published_rows.iterrows():
        name, (low, high) = f"{group}, {task}", wilson(row["passed"], row["attempted"])
        table.own(
            name, "published number of annotators", {column: int(row[column]) for column in ("attempted", "passed")}
        )
        table.own(name, share, {"pass share": row["passed"] / row["attempted"]})
        table.own(name, "Wilson's 95 % interval", {"pass share low": low, "pass share high": high})
        table.add(name, "rounds", row["n"], 3 * int(row["attempted"]), ROUNDS, 0, beside=group in EARLIER)
    return table


def figure3(tables: Path) -> PaperTable:
    """Figure 3: R² as metrics are removed, and what it is when adjusted for their number."""
    table = PaperTable("figure3", "Figure 3: what each method's metrics explain of the interactor's rating")
    published_steps = published.pickled(tables, "behavior_incremental_regressions_interactive")
    for method, steps in published.incremental(tables).items():
        for place, (name, r2) in enumerate(steps):
            size = len(steps) - place
            adjusted = 1 - (1 - r2) * (DIALOGUES - 1) / (DIALOGUES - size - 1)
            how = f"1 - (1 - R²)(n - 1)/(n - k - 1) of the published R², n = {DIALOGUES}, k = {size} metrics"
            paper = None
            if method == "abc_eval" and place == 0 and published_steps is not None:
                paper = float(published_steps["R-Squared"].iloc[0])
                how += "; the published file calls it R-Squared"
            row = f"{method.replace('_', ' ')}, {size} left, next to go: {name.replace('_', ' ')}"
            table.add(row, "adjusted R²", paper, adjusted, how, 4)
            table.add(row, "R²", r2, None, "needs data.json", 4, beside=True)
    table.notes.append("R² in incremental_validity.csv is not adjusted, while the paper's text speaks of adjusted R²")
    return table
