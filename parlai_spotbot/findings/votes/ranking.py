"""Who is preferred by votes, who beats whom, and what became of each contestant's votes.

A vote that finds both bad says that both failed, not who is better. Davidson's model has the same odds of one over the
other with or without such votes, while its ties are evidence that two are near to each other, which a common failure is
not: so the ranking leaves them out, and what it would be with them as ties stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from scipy.special import expit

from parlai_spotbot.analysis.ranking.contrasts import Contrasts
from parlai_spotbot.analysis.uncertainty.shares import share_tests
from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.choices.ranking import PAIR_HEAD, grid_table, win_grid
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.findings.votes import FORM, PREFERENCE, SEEN, Ballots
from parlai_spotbot.wording import interval, listed, percent, span

CRITERION = "share of points (a tie is half) by Davidson's model, had all contestants met equally often"
TEST = (
    "contrast of Davidson's log strengths over all votes, so that two contestants are compared by those they both met, "
    "too; Holm-adjusted over all pairs"
)
ALPHA = 0.05
GRID = 25
"""Of more contestants a grid of all pairs is no help: then neighbours in the order are shown, and all in the CSV."""

NAMED = 5
"""So many are named in a sentence."""
IN_WORDS = {"won": "won", "tie": "tie", "both_bad": "both bad", "lost": "lost"}

BAD = (
    "A vote for both bad says that both failed, not who is better: it counts neither as decided nor as a tie, and the "
    "ranking leaves it out."
)


def compute(own: Ballots) -> dict:
    return own.once("ranking", _ranking_of)


def _ranking_of(own: Ballots) -> dict:
    """The ranking by the one question."""
    main = ranked(own)
    how = "the estimates' covariance, which knows votes of one prompt or annotator to be alike"
    rests = {"resample": own.resample, "level": 0.95, "how": how}
    return {**main, "question": PREFERENCE, "criteria": {PREFERENCE: main}, "bootstrap": rests}


def ranked(own: Ballots) -> dict:
    """Order, places, scores, every pair with its contrast, and what became of each contestant's votes."""
    counts, found = own.counts(), own.compared()
    place, order = {name: i for i, name in enumerate(own.names)}, found.ranked
    result = {
        "order": order,
        "clusters": {name: found.places[place[name]].tolist() for name in order},
        "criterion": CRITERION,
        "score": {name: found.score[place[name]] for name in order},
        "score_ci": {name: found.score_ci[place[name]].tolist() for name in order},
        "strength": {
            name: {"strength": found.strength[place[name]], "ci": found.ci[place[name]].tolist()} for name in order
        },
        "pairs": _pairs_of(found, counts),
        "test": TEST,
        "shares": _shares_of(own, order),
        "n": len(own.a),
        "ties": float(counts[:, :, 1].sum() / max(counts.sum(), 1)),
        "both_bad": float(counts[:, :, 2].sum() / max(counts.sum(), 1)),
        "otherwise": _otherwise(own, order),
    }
    why = found.why
    if own.bad.all():
        why = "every vote found both bad, which doesn't say who is better"
    elif why and own.bad.any():
        why += " (a vote for both bad doesn't say who is better)"
    return result | ({"why": why} if why else {})


def _otherwise(own: Ballots, order: list[str]) -> dict[str, dict]:
    """What the ranking would be by other rules: `clear` pairs, and how many would stand in the other order."""
    other = {}
    if own.bad.any():
        other["both_bad_as_ties"] = own.compared(ties_too=True)
    prompts = len(np.unique(own.prompt[own.prompt >= 0]))
    if "conversations" in own.resample and prompts and prompts < len(np.unique(own.conversation[own.prompt >= 0])):
        other["other_prompts"] = own.compared(prompts=True)
    result = {}
    for rule, found in other.items():
        strength = dict(zip(found.names, found.strength, strict=True))
        result[rule] = {
            "clear": int((found.pairs["p_adjusted"] < ALPHA).sum()),
            "reversed": sum(strength[x] < strength[y] for x, y in combinations(order, 2)),
        }
    return result


def _pairs_of(found: Contrasts, counts: np.ndarray) -> list[dict]:
    """Every two contestants: what was voted between them, and the contrast of their strengths as a share of wins."""
    frame, place = found.pairs, {name: i for i, name in enumerate(found.names)}
    first, second = (frame[side].map(place).to_numpy(dtype=int) for side in ("a", "b"))
    seen = counts[first, second]
    columns = {
        "a": frame["a"].astype(str),
        "b": frame["b"].astype(str),
        "n": seen.sum(axis=1),
        "wins_a": seen[:, 0],
        "wins_b": seen[:, 3],
        "ties": seen[:, 1],
        "both_bad": seen[:, 2],
        "difference": frame["difference"],
        "estimate": expit(frame["difference"]),
        "low": expit(frame["low"]),
        "high": expit(frame["high"]),
        "p": frame["p"],
        "p_adjusted": frame["p_adjusted"],
    }
    rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
    found_rows = [dict(zip(columns, values, strict=True)) for values in rows]
    return [{**row, "ci": [row.pop("low"), row.pop("high")]} for row in found_rows]


def _shares_of(own: Ballots, order: list[str]) -> dict[str, dict]:
    """Of all votes that a contestant was in: the shares won, tied, both bad and lost, each with its interval."""
    twice = own.clusters.take(np.tile(np.arange(len(own.a)), 2))  # each vote is one of both contestants
    names = np.concatenate([own.a, own.b])
    seen = np.concatenate([own.seen, np.array([3, 1, 2, 0])[own.seen]])
    tests = {what: share_tests(seen == number, names, len(own.names), twice) for number, what in enumerate(SEEN)}
    place = {name: i for i, name in enumerate(own.names)}
    return {
        name: {"n": int(tests["won"]["n"][place[name]])}
        | {
            what: {"share": test["estimate"][place[name]], "ci": test["ci"][place[name]].tolist()}
            for what, test in tests.items()
        }
        for name in order
    }


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Who is preferred, what became of votes, who beats whom."""
    main = result.data["criteria"][result.data["question"]]
    return [_order(result.data, main), _outcomes(main), _pairs(main)]


def _order(own: Mapping, main: Mapping) -> Section:
    chart = criteria.score_chart("order", "Who is preferred?", own, True, 0.5)
    rows = [
        (
            span(main["clusters"][name]),
            Name(name),
            percent(main["score"][name], 1),
            interval(main["score_ci"][name], 1),
            f"{main['shares'][name]['n']:,}",
        )
        for name in main["order"]
    ]
    table = Table(
        "Order",
        "The first place is 1 + how many are surely better, the last leaves those below who are surely worse. Places "
        "hold for all contestants at once.",
        ("places", "contestant", "share of points", "95 % interval", "votes"),
        rows,
        folded=len(rows) > criteria.LONG,
        method=f"{own['criterion']}. {main['test']}.",
        cite=("chiang2024", "davidson1970", "cameron2011", "holm1979"),
    )
    text = _leaders(main)
    if other := main["otherwise"].get("other_prompts"):
        text.append(
            f"This holds for these prompts. For others like them, with prompts as what votes share, "
            f"{other['clear']:,} of {len(main['pairs']):,} pairs differ clearly."
        )
    return Section("preferred", "Who is preferred?", text, [chart], [table])


def _leaders(main: Mapping) -> list[str]:
    """Who may come first, and how many pairs are clear."""
    if main["score"][main["order"][0]] is None:
        return [f"There is no order: {main.get('why', 'nothing is known')}."]
    best = [name for name in main["order"] if main["clusters"][name][0] == 1]
    if len(best) == 1:
        text = [f"First, apart from all others: {best[0]}."]
    else:
        more = f" and {len(best) - NAMED} others" if len(best) > NAMED else ""
        named = f"{', '.join(best[:NAMED])}{more}" if more else listed(best)
        text = [f"{len(best)} contestants may come first, as none is surely better than they: {named}."]
    clear = sum(pair["p_adjusted"] is not None and pair["p_adjusted"] < 0.05 for pair in main["pairs"])
    text.append(f"{clear:,} of {len(main['pairs']):,} pairs differ clearly (adjusted for as many tests).")
    return text + ([f"Note: {main['why']}."] if "why" in main else [])


def _outcomes(main: Mapping) -> Section:
    parts = [name for name in IN_WORDS if any(main["shares"][bot][name]["share"] for bot in main["order"])]
    rows = [
        {
            "label": Name(name),
            "shares": [main["shares"][name][part]["share"] for part in parts],
            "n": main["shares"][name]["n"],
        }
        for name in main["order"]
    ]
    said = f"Of {main['n']:,} votes {percent(main['ties'], 1)} were ties"
    said += f" and {percent(main['both_bad'], 1)} found both bad." if main["both_bad"] else "; none found both bad."
    chart = Chart(
        "outcomes",
        "bars",
        "What became of each contestant's votes",
        "Over all votes that a contestant was in.",
        {"rows": rows, "parts": [IN_WORDS[part] for part in parts], "x": "share of votes"},
        said,
    )
    table = Table(
        "Wins, ties, both bad, losses",
        "Shares of all votes that a contestant was in, with 95 % intervals.",
        ("contestant", *(IN_WORDS[part] for part in parts), "votes"),
        [
            (
                Name(name),
                *(
                    f"{percent(main['shares'][name][part]['share'], 1)} "
                    f"({interval(main['shares'][name][part]['ci'], 1)})"
                    for part in parts
                ),
                f"{main['shares'][name]['n']:,}",
            )
            for name in main["order"]
        ],
        folded=len(rows) > criteria.LONG,
        cite=("clopper1934", "korn1998"),
    )
    text = []
    if other := main["otherwise"].get("both_bad_as_ties"):
        text = [
            BAD,
            f"Counted as ties, {other['clear']:,} of {len(main['pairs']):,} pairs would differ clearly, and "
            f"{other['reversed']:,} would stand in the other order.",
        ]
    return Section("outcomes", "Wins, ties, both bad", text, [chart], [table])


def _pairs(main: Mapping) -> Section:
    few = len(main["order"]) <= GRID
    charts = [win_grid("votes", main)] if few and main["pairs"] else []
    shown, title = main["pairs"], "All pairs"
    how = "The share is of the votes that favour one of the two, by the model; votes of others count for it, too."
    every = grid_table(
        "Every two",
        main,
        "Of the votes that favour one of the two the share for the contestant of the row, by the model",
    )
    if not few:
        place = {name: i for i, name in enumerate(main["order"])}
        shown = [pair for pair in shown if abs(place[pair["a"]] - place[pair["b"]]) == 1]
        shown = sorted(shown, key=lambda pair: min(place[pair["a"]], place[pair["b"]]))
        title = "Neighbours in the order"
        how += f" All {len(main['pairs']):,} pairs stand in ranking_pairs.csv."
    table = Table(
        title,
        how,
        PAIR_HEAD,
        criteria.pair_rows({**main, "pairs": shown}, True),
        folded=len(shown) > criteria.LONG,
        method=main["test"],
        cite=("davidson1970", "cameron2011", "holm1979"),
        sentence=criteria.clearest(main, True),
    )
    met = sum(pair["n"] > 0 for pair in main["pairs"])
    text = [f"{met:,} of {len(main['pairs']):,} pairs met; the others are compared by whom both met."]
    return Section("grid", "Who beats whom?", text if met < len(main["pairs"]) else [], charts, [*every, table])


FINDING = Finding(
    "ranking", FORM, compute, tell, criteria.rows, criteria.lines, criteria.card, criteria.of_bot, place=10
)
