"""Who is preferred, and who beats whom: order, win grid and circles of the choices by each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.choices import cycle_test, pair_grid, share_test
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts
from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM, names
from parlai_spotbot.findings.choices.ranking_words import cycles_sentence, fit_sentence
from parlai_spotbot.findings.finding import Finding, Result, cautioned
from parlai_spotbot.findings.matrix import matrix_table, places
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.wording import NONE, interval, p_value, percent, plainly

CRITERION = "share of points (neither is half) by Davidson's model, had all contestants met equally often"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all choices, over the design effect of choices "
    "clustered by conversations and by annotators, Holm-adjusted over the pairs of a question; p_pair is of the pair's "
    "own decided choices alone"
)
PAIR_HEAD = ("contestant", "over", "share of wins", "95 % interval", "n", "p", "adjusted p")


def compute(own: Answers) -> dict:
    return own.once("ranking", _ranking_of)


def _ranking_of(own: Answers) -> dict:
    """The first question's ranking at the top, all under `criteria`."""
    found = {question: ranked(own, own.to(question)) for question in own.questions}
    main = own.questions[0]
    return {**found[main], "question": main, "criteria": found, "bootstrap": own.bootstrap()}


def ranked(own: Answers, rows: pd.DataFrame) -> dict:
    """Order, win grid and circles of the choices of one question."""
    question = rows["question"].iloc[0] if len(rows) else ""
    rows = rows[rows["a"] != rows["b"]]
    seen = names(rows)
    met = [name for name in own.names if name in seen]
    found = contrasts(rows, met, order=False, **own.hang)
    grid = pair_grid(rows, met, **own.hang)
    clustered = sum(not row["independent"] for row in grid)
    pool = criteria.pool_of(found, rows, grid, own.rng(f"fit {question}"), order=False, **own.hang)
    cycles, fit = cycle_test(grid, met), pool["one_scale"]
    result = {
        **pool,
        "criterion": CRITERION,
        "pairs": with_contrasts(grid, found, pool["one_scale"]["rejected"]),
        "test": TEST,
        "clustering": _clustering(len(grid), clustered),
        "cycles": cycles | {"sentence": cycles_sentence(cycles)},
        "fit": fit | {"sentence": fit_sentence(fit)},
        "shares": _shares_of(own, rows, found.ranked),
        "n": len(rows),
        "ties": float((rows["outcome"] == 0).mean()) if len(rows) else np.nan,
        "bootstrap": own.bootstrap(),
    }
    return result | ({"why": found.why} if found.why else {})


def with_contrasts(grid: Sequence[dict], found: Contrasts, alone: bool = False) -> list[dict]:
    """The rows of `pair_grid` with the difference that all choices together tell of, and its p and p_adjusted.

    The pair's own p is `p_pair`. With `alone`, where no one scale fits, p and p_adjusted are of the pair's own choices.
    """
    of = {(row["a"], row["b"]): row for row in found.pairs.to_dict(orient="records")}
    rows = []
    for row in grid:
        model = of[row["a"], row["b"]]
        rows.append(
            {
                **row,
                "p_pair": row["p"],
                "difference": model["difference"],
                "difference_ci": (model["low"], model["high"]),
                "p": row["p"] if alone else model["p"],
                "p_adjusted": row["p_adjusted"] if alone else model["p_adjusted"],
            }
        )
    return rows


def _shares_of(own: Answers, rows: pd.DataFrame, order: Sequence[str]) -> dict[str, dict]:
    """Of all choices that a contestant was in: the shares won, neither, and lost, each with its interval."""
    result = {}
    for name in order:
        mine = rows[(rows["a"] == name) | (rows["b"] == name)]
        seen = np.where(mine["a"] == name, mine["outcome"], -mine["outcome"])
        clusters = own.clusters(mine)
        tests = {
            what: share_test(seen == value, clusters) for what, value in (("won", 1), ("neither", 0), ("lost", -1))
        }
        result[name] = {"n": len(mine)} | {
            what: {"share": test["estimate"], "ci": test["ci"]} for what, test in tests.items()
        }
    return result


def _clustering(pairs: int, clustered: int) -> str:
    if not clustered:
        return (
            "In no pair does a conversation or an annotator come twice: choices are independent, and the exact test "
            "and interval hold."
        )
    return (
        f"In {clustered} of {pairs} pairs conversations or annotators come more than once: choices hang together "
        "there, and tests and intervals allow for it."
    )


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Who is preferred, and who beats whom."""
    order, grids = _order(result.data), _grids(result.data)
    rejected = result.data["criteria"][result.data["question"]].get("one_scale", {}).get("rejected")
    return cautioned(result, [grids, order] if rejected else [order, grids])


def _order(own: Mapping) -> Section:
    main = own["criteria"][own["question"]]
    text = [*criteria.order_sentences(main), main["cycles"]["sentence"], main["fit"]["sentence"]]
    reference = 0.5
    chart = criteria.score_chart("order", "Who is preferred?", own, True, reference)
    tables = [criteria.order_table(own, True)]
    circles = [
        (
            plainly(question),
            " > ".join([*row["of"], row["of"][0]]),
            ", ".join(percent(s) for s in row["shares"]),
            p_value(row["p_adjusted"]),
        )
        for question, found in own["criteria"].items()
        for row in found["cycles"]["cycles"]
    ]
    if circles:
        tables.append(
            Table(
                "Circles",
                "Each beats the next by its share of wins; only a small adjusted p makes it more than chance.",
                ("question", "circle", "shares", "adjusted p"),
                circles,
                folded=True,
                method="A circle is claimed where all three of its steps are found by one-sided tests (Berger 1982), "
                "Holm-adjusted over all circles that there could be.",
                cite=("berger1982", "holm1979"),
            )
        )
    return Section("preferred", "Who is preferred?", text, [chart], tables)


def _grids(own: Mapping) -> Section:
    charts, tables = [], []
    for question, found in own["criteria"].items():
        if found["pairs"]:
            charts += [win_grid(question, found)] + ([_shares(question, found)] if found["ties"] else [])
            tables += grid_table(
                f"Every two: {plainly(question)}",
                found,
                "Of the choices that favoured one of the two the share for the contestant of the row",
            )
            tables.append(
                Table(
                    f"Pairs: {plainly(question)}",
                    "The share is of the choices that favoured one of the two.",
                    PAIR_HEAD,
                    criteria.pair_rows(found, True),
                    folded=len(found["pairs"]) > criteria.LONG,
                    method=found["test"],
                    cite=("clopper1934", "cameron2011", "holm1979"),
                )
            )
    if any(found["ties"] for found in own["criteria"].values()):
        tables.append(_shares_table(own))
    main = own["criteria"][own["question"]]
    return Section("grid", "Who beats whom?", [main["clustering"]], charts, tables)


def grid_table(title: str, found: Mapping, how: str) -> list[Table]:
    """The grid of `found` as a table to copy; `how` says what the shares are of."""
    points = {name: percent(value) for name, value in found["score"].items()}
    table = matrix_table(
        title,
        found,
        "estimate",
        (("Points", points), places(found)),
        how=f"{how}; * where the two are told apart (p < .05, Holm over the pairs of a question). Then its points, had "
        "all met equally often, and its places.",
        method=found["test"],
        cite=("davidson1970", "cameron2011", "holm1979"),
    )
    return [table] if table else []


def _shares_table(own: Mapping) -> Table:
    rows = [
        (
            plainly(question),
            Name(name),
            *(
                f"{percent(share[what]['share'])} ({interval(share[what]['ci'])})"
                for what in ("won", "neither", "lost")
            ),
            str(share["n"]),
        )
        for question, found in own["criteria"].items()
        for name, share in found["shares"].items()
    ]
    return Table(
        "Wins, ties and losses",
        "Shares of all choices that a contestant was in, with 95 % intervals.",
        ("question", "contestant", "won", "neither", "lost", "n"),
        rows,
        folded=len(rows) > criteria.LONG,
    )


def win_grid(question: str, found: Mapping) -> Chart:
    """Every contestant against every other one: the share of wins, and whether it is clear."""
    names = found["order"]
    share = {}
    for pair in found["pairs"]:
        own = (pair["estimate"], pair["p_adjusted"], pair["wins_a"] + pair["wins_b"])
        share[pair["a"], pair["b"]] = own
        share[pair["b"], pair["a"]] = (None if own[0] is None else 1 - own[0], *own[1:])
    values = [[share.get((a, b), (None,))[0] for b in names] for a in names]
    texts = [[_cell(*share[a, b]) if (a, b) in share else "" for b in names] for a in names]
    labels = [Name(name) for name in names]
    return Chart(
        f"grid_{question}",
        "grid",
        f"Win grid: {plainly(question)}",
        "How often the contestant of the row is chosen over that of the column; * marks a clear difference (adjusted p "
        "below 0.05).",
        {"rows": labels, "columns": labels, "values": values, "texts": texts, "x": "over", "y": "chosen"},
        criteria.clearest(found, True),
    )


def _cell(share: float | None, p: float | None, decided: int) -> str:
    return NONE if share is None or not decided else f"{100 * share:.0f}" + ("*" if p is not None and p < 0.05 else "")


def _shares(question: str, found: Mapping) -> Chart:
    """Wins, ties and losses of each contestant over all of its pairs."""
    counts = {name: [0, 0, 0] for name in found["order"]}
    for pair in found["pairs"]:
        for name, won, lost in ((pair["a"], "wins_a", "wins_b"), (pair["b"], "wins_b", "wins_a")):
            for place, value in enumerate((pair[won], pair["ties"], pair[lost])):
                counts[name][place] += value
    rows = [
        {"label": Name(name), "shares": [value / max(sum(own), 1) for value in own], "n": sum(own)}
        for name, own in counts.items()
    ]
    sentence = f"In {percent(found['ties'])} of {found['n']} choices neither was chosen."
    return Chart(
        f"shares_{question}",
        "bars",
        f"Wins, ties and losses: {plainly(question)}",
        "Over all pairs of a contestant.",
        {"rows": rows, "parts": ["wins", "neither", "losses"], "x": "share of choices"},
        sentence,
    )


FINDING = Finding("ranking", FORM, compute, tell, criteria.rows, criteria.lines, criteria.card, place=10)
