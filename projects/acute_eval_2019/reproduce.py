"""Numbers of the paper's text, next to what arithmetic allows and to a study of ours."""

from collections.abc import Mapping
from math import comb
from pathlib import Path
from typing import Any

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.frames import Frames, by_source
from parlai_spotbot.findings.rankings import by_criterion
from parlai_spotbot.projects.cells import PaperCell, PaperTable, paper_values, write_tables
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study

SURVEYS = ("acute_eval", "wordings")
"""The surveys whose answers are used: the first that the study has answers to."""

LEVEL = 0.05
ABOUT = 10
"""“About 20 annotations” is taken as 20 less, or more, half of that."""


def run(out: Path | str, study: Path | str | None = None) -> dict[str, PaperTable]:
    """All tables, into `out`; with a `study` those of its survey acute_eval, too. Returns the tables by name.

    Raises `UserError` where the study's survey isn't analysed.
    """
    out = Path(out).expanduser().resolve()
    paper = paper_values("acute_eval_2019")
    tables = {"counts": counts(paper), "agreement": agreement(paper)}
    if study is not None:
        analysis = analysed(Path(study))
        tables |= {"order": order(paper, analysis["ranking"]), "significant": significant(paper, analysis["ranking"])}
        tables |= {"same": same(paper, analysis["same"]), "wordings": wordings(paper, analysis["wordings"])}
    write_tables(out, tables)
    return tables


def analysed(path: Path) -> dict[str, Any]:
    """Return what people's answers to a study's survey say, by finding."""
    study = Study.open(path)
    survey = next((name for name in SURVEYS if study.judgements_path(name).exists()), SURVEYS[0])
    folder = study.analysis_path(survey)
    results = {}
    again = hints.run("analyze", study.path, survey)
    for name in ("ranking", "same", "wordings"):
        frames = by_source(files.read_json(folder / f"{name}.json", "analysis file", again).get("tables", {}))
        if HUMAN not in frames:
            raise UserError(f"{folder / name}.json: nothing of people.", "Let people annotate, or name another study.")
        results[name] = frames[HUMAN]
    return results


# -- claims of the text alone --------------------------------------------------------------------------------------
def counts(paper: Mapping) -> PaperTable:
    """Return how many comparisons and wordings there are."""
    table = PaperTable("counts", "Comparisons and wordings")
    for task, task_values in paper["tasks"].items():
        how = "every two of the models and people"
        table.add(task, "pairs", task_values["comparisons"], comb(len(task_values["models"]) + 1, 2), how, 0)
    tried = paper["optimisation"]
    table.add("wordings", "in all", tried["wordings"], sum(tried["of"].values()), "sum over the four questions", 0)
    return table


def attainable(printed: float, about: int, pairwise: bool) -> list[tuple[int, int, float]]:
    """Return which (n, chosen, value) give the share that is printed to three digits, for n near `about`.

    The share of n annotators who chose the better conversation; or, `pairwise`, the share of couples of annotators who
    chose the same one.
    """
    attainable_values = []
    for n in range(about - ABOUT, about + ABOUT + 1):
        for chosen in range((n + 1) // 2, n + 1):
            value = (comb(chosen, 2) + comb(n - chosen, 2)) / comb(n, 2) if pairwise else chosen / n
            if abs(value - printed) <= 0.0005 + 1e-9:
                attainable_values.append((n, chosen, value))
    return attainable_values


def agreement(paper: Mapping) -> PaperTable:
    """Return which definition of agreement, and how many annotations, give the two shares of the text."""
    table = PaperTable("agreement", "Agreement on the best and the worst wording of interestingness")
    tried = paper["optimisation"]
    for which, printed in tried["interestingness"].items():
        for pairwise, what in ((False, "share for the better conversation"), (True, "couples of annotators alike")):
            attainable_values = attainable(printed, tried["annotations"], pairwise)
            near = min(attainable_values, key=lambda row: abs(row[0] - tried["annotations"]), default=None)
            how = f"{what}; " + (f"{near[1]} of {near[0]}" if near else "no number near 20 gives it")
            table.add(which, what, printed, near[2] if near else None, how, 3)
    return table


# -- beside a study ----------------------------------------------------------------------------------------------------
def order(paper: Mapping, ranking: Frames) -> PaperTable:
    """The order by each question, of the contestants that bear the paper's names."""
    table = PaperTable("order", "Orders by wins, of the contestants that both have")
    for task, task_values in paper["tasks"].items():
        for question, result in by_criterion(ranking).items():
            for key, kind in (("order", "human-model chats"), ("order_self", "self-chats")):
                printed = task_values.get(key, {}).get(question)
                names = [name for name in printed or () if name in result.order]
                if len(names) > 1:
                    order_found = [name for name in result.order if name in names]
                    how = f"{kind}; ours by Davidson's strength, of whatever conversations the study has"
                    row = f"{task}, {question}, {kind}"
                    table.add(row, "order", " > ".join(names), " > ".join(order_found), how, beside=True)
    if not table.cells:
        table.notes.append("no two contestants bear names of the paper's models, so no order is next to its")
    return table


def significant(paper: Mapping, ranking: Frames) -> PaperTable:
    """Return how many pairs differ: by the paper's binomial test, and by ours."""
    table = PaperTable("significant", "Pairs that differ (p < .05)")
    for question, result in by_criterion(ranking).items():
        pairs = result.pairs
        binomial = sum(pair["p_exact"] < LEVEL for pair in pairs)
        clear = sum(pair["p_adjusted"] is not None and pair["p_adjusted"] < LEVEL for pair in pairs)
        printed = paper["significant"].get(question, {})
        table.cells += [
            PaperCell(question, "pairs", None, len(pairs), "that were compared", 0),
            PaperCell(
                question,
                "binomial test",
                printed.get("acute_eval", printed.get("human_model")),
                binomial,
                f"each pair alone, uncorrected; the paper's: of {printed.get('matchups', '–')} matchups",
                0,
                beside=True,
            ),
            PaperCell(question, "Holm", None, clear, "clustered by conversation and annotator, Holm over pairs", 0),
        ]
    return table


def same(paper: Mapping, frames: Frames) -> PaperTable:
    """A/A tests: how often the left one of two conversations of one bot is chosen."""
    table = PaperTable("same", "A bot against itself (A/A)")
    for row in frames.rows("same"):
        name = f"{row['question']}, {row['name']}"
        how = f"share of the {row['of']} conversation of {row['n']} choices; 95 % interval, p of one half"
        table.add(name, "share", paper["same"], row["estimate"], how, 2, beside=True)
        table.own(name, how, {"low": row["estimate_low"], "high": row["estimate_high"]})
        table.add(name, "p", None, row["p"], how, 3)
    if not table.cells:
        table.notes.append("no bot was compared with itself: pack with --same")
    return table


def wordings(paper: Mapping, frames: Frames) -> PaperTable:
    """Compute how often each wording finds the better conversation."""
    table = PaperTable("wordings", "Question optimisation: agreement of each wording")
    for which, printed in paper["optimisation"]["interestingness"].items():
        table.add(f"interestingness, {which} (paper)", "agreement", printed, None, "the paper's", 3, beside=True)
    for row in frames.rows("wordings"):
        how = f"choices for the better of {row['pairs']} pairs of conversations, {row['n']} in all; 95 % interval"
        shares = {"agreement": row["estimate"], "low": row["estimate_low"], "high": row["estimate_high"]}
        table.own(row["question"], how, shares, 3)
    if "wordings" not in frames:
        table.notes.append(
            "no wording was put for pairs whose better one is known: pack projects/acute_eval_2019/wordings.yaml"
        )
    return table
