"""Who is preferred by votes, who beats whom, and what became of each contestant's votes.

A vote that finds both bad says that both failed, not who is better. Davidson's model has the same odds of one over the
other with or without such votes, while its ties are evidence that two are near to each other, which a common failure is
not: so the ranking leaves them out, and what it would be with them as ties stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import expit

from parlai_spotbot.analysis.choices import pair_grid
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts, enough_matches
from parlai_spotbot.analysis.uncertainty.shares import share_tests
from parlai_spotbot.analysis.values import generator
from parlai_spotbot.findings import criteria, needs
from parlai_spotbot.findings.choices.ranking import PAIR_HEAD, grid_table, win_grid
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.sections import Chart, Name, Section, Table, places_said
from parlai_spotbot.findings.votes import FORM, PREFERENCE, SEEN, Ballots
from parlai_spotbot.wording import NAMED, interval, percent

CRITERION = "share of points (a tie is half) by Davidson's model, had all contestants met equally often"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all votes, so that two contestants are compared by "
    "those they both met, too, over the design effect of votes clustered by prompts and by annotators; Holm-adjusted "
    "over all pairs"
)
ALPHA = 0.05
GRID = 25
"""Of more contestants a grid of all pairs is no help: then neighbours in the order are shown, and all in the CSV."""

GRIDDED = 200
"""Of more contestants pairs aren't tested by their own votes, and so not whether one scale fits. All pairs are tested
and counted, but only neighbours in the order, the clearest pair and some that are not clear stand in the results."""

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
    how = "Student's t, with errors that take votes on one prompt or by one annotator as dependent"
    rests = {"resample": own.resample, "level": 0.95, "how": how}
    return {**main, "question": PREFERENCE, "criteria": {PREFERENCE: main}, "bootstrap": rests}


def ranked(own: Ballots) -> dict:
    """Order, places, scores, every pair with its contrast, and what became of each contestant's votes."""
    enough = enough_matches(own.a[~own.bad], own.b[~own.bad], len(own.names)) | own.bad.all()
    votes = np.bincount(np.concatenate([own.a, own.b]), minlength=len(own.names))
    few = {own.names[i]: int(votes[i]) for i in np.flatnonzero(~enough)}
    own = own.among(enough) if few else own
    counts, matches = own.counts(), own.matches()
    found = contrasts(matches, own.names, **own.sampled)
    grid = pair_grid(matches, own.names, **own.sampled) if len(own.names) <= GRIDDED else []
    pool = criteria.pool_of(found, matches, grid, generator(0, own.source, "votes"), **own.sampled)
    result = {
        **pool,
        "too_few": {} if own.bad.all() else few | pool["too_few"],
        "criterion": CRITERION,
        "clusters_of": "votes" if own.clusters.conversations is None else "prompts",
        **_pairs_of(found, counts, pool["order"], grid if pool["one_scale"]["rejected"] else []),
        "test": TEST,
        "shares": _shares_of(own, pool["order"]),
        "n": len(own.a),
        "ties": float(counts[:, :, 1].sum() / max(counts.sum(), 1)),
        "both_bad": float(counts[:, :, 2].sum() / max(counts.sum(), 1)),
        "otherwise": _otherwise(own, pool["order"]),
    }
    why = "every vote found both bad, which says nothing of who is better" if own.bad.all() else found.why
    return result | ({"why": why} if why else {})


def _otherwise(own: Ballots, order: list[str]) -> dict[str, dict]:
    """What the ranking would be with both bad as ties: `clear` pairs, and how many would stand in the other order."""
    if not own.bad.any():
        return {}
    found = contrasts(own.matches(ties_too=True), own.names, **own.sampled)
    place = {name: i for i, name in enumerate(found.names)}
    strength = found.strength[[place[name] for name in order]]
    return {
        "both_bad_as_ties": {
            "clear": int((found.pairs["p_adjusted"] < ALPHA).sum()),
            "reversed": int(np.triu(strength[:, None] < strength, 1).sum()),
        }
    }


def _pairs_of(found: Contrasts, counts: np.ndarray, order: list[str], alone: Sequence[Mapping]) -> dict:
    """Return `pairs`: what was voted between two contestants, and the contrast of their strengths as a share of wins.

    Where no one scale fits, `alone` holds the rows of `pair_grid`, whose shares and tests take the contrasts' place. Of
    more than `GRIDDED` contestants only some pairs stand there, and `pair_counts` tells how many there are: `all`,
    `tested`, `clear`, that `met`, that are `linked` by others alone, and `more` (see `needs.more_apart`).
    """
    frame, place = found.pairs, {name: i for i, name in enumerate(found.names)}
    first, second = np.triu_indices(len(place), 1)
    seen, summed = counts[first, second], {}
    if len(place) > GRIDDED:
        p, adjusted, met = frame["p"].to_numpy(), frame["p_adjusted"].to_numpy(), seen.any(axis=1)
        summed = {
            "all": len(frame),
            "tested": int(np.isfinite(p).sum()),
            "clear": int((adjusted < ALPHA).sum()),
            "met": int(met.sum()),
            "linked": int((np.isfinite(p) & ~met).sum()),
            "more": needs.more_apart(p, adjusted),
        }
        position = np.full(len(place), -2)
        position[[place[name] for name in order]] = np.arange(len(order))
        kept = np.abs(position[first] - position[second]) == 1
        sure = np.lexsort((-np.abs(frame["difference"].to_numpy()), adjusted))
        decided = sure[seen[sure][:, [0, 3]].any(axis=1)]  # `criteria.clearest` names one of these
        kept[np.concatenate([decided[:1], sure[summed["clear"] :][:NAMED]])] = True
        frame, seen = frame[kept], seen[kept]
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
    every = [{**row, "ci": [row.pop("low"), row.pop("high")]} for row in found_rows]
    own = {(row["a"], row["b"]): row for row in alone}
    taken = ("estimate", "ci", "p", "p_adjusted")
    pairs = [
        row | {name: own[pair][name] for name in taken} if (pair := (row["a"], row["b"])) in own else row
        for row in every
    ]
    return {"pairs": pairs} | ({"pair_counts": summed} if summed else {})


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
    """Who is preferred, what became of votes, who beats whom; the last comes first where no one order fits."""
    main = result.data["criteria"][result.data["question"]]
    order, outcomes, pairs = _order(result.data, main), _outcomes(main), _pairs(main)
    return [pairs, order, outcomes] if main.get("one_scale", {}).get("rejected") else [order, outcomes, pairs]


def _order(own: Mapping, main: Mapping) -> Section:
    chart = criteria.score_chart("order", "Who is preferred?", own, True, 0.5)
    places = places_said(main)
    rows = [
        (
            places[name],
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
    if said := criteria.order_effect_sentence(main):
        text.append(said)
    return Section("preferred", "Who is preferred?", text, [chart], [table])


def _leaders(main: Mapping) -> list[str]:
    """Who may come first, and how many pairs are clear."""
    first, *others = criteria.headline(main)
    return [first, f"{criteria.clearly(main)}.", *others]


def _outcomes(main: Mapping) -> Section:
    parts = [name for name in IN_WORDS if any(main["shares"][bot][name]["share"] for bot in main["order"])]
    rows = [
        {
            "label": Name(name),
            "shares": [main["shares"][name][part]["share"] for part in parts],
            "n": main["shares"][name]["n"],
        }
        for name in main["order"][: criteria.CHARTED]
    ]
    said = f"Of {main['n']:,} votes {percent(main['ties'], 1)} were ties"
    said += f" and {percent(main['both_bad'], 1)} found both bad." if main["both_bad"] else "; none found both bad."
    chart = Chart(
        "outcomes",
        "bars",
        "What became of each contestant's votes",
        f"Over all votes that a contestant was in.{criteria.charted(main['order'])}",
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
        every = criteria.pair_counts(main)["all"]
        text = [
            BAD,
            f"Counted as ties, {other['clear']:,} of {every:,} pairs would differ clearly, and "
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
        shown = [pair for pair in shown if pair["p"] is not None and abs(place[pair["a"]] - place[pair["b"]]) == 1]
        shown = sorted(shown, key=lambda pair: min(place[pair["a"]], place[pair["b"]]))
        title = "Neighbours in the order"
        total = criteria.pair_counts(main)["all"]
        how += f" All {total:,} pairs stand in ranking_pairs.csv." if len(main["pairs"]) == total else ""
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
    found = criteria.pair_counts(main)
    met, linked, never = found["met"], found["linked"], found["all"] - found["met"] - found["linked"]
    text = [
        f"{met:,} of {found['all']:,} pairs are compared by votes between the two"
        + (f"; {linked:,} more by whom both met" if linked else "")
        + (f"; {never:,} can't be compared." if never else ".")
    ]
    return Section("grid", "Who beats whom?", text if met < found["all"] else [], charts, [*every, table])


FINDING = Finding("ranking", FORM, compute, tell, criteria.rows, criteria.lines, criteria.card, place=10)
