"""How often verdicts on bots are false, true differences are found and intervals hold, in simulated studies.

Each cell of `CELLS` is a kind of study, made up by a rule that is no estimator's model: latent worth with normal noise
(`made_up_studies`), outcomes that whole prompts or annotators decide, ratings cut from latent worth. Bots without a
`spread` are equal. A verdict is a pair with an adjusted p below .05; it is false where the two are equal or in the
other order.

`python tests/analysis/simulated_verdicts.py --studies 1000 [--cell TEXT]` prints a table of all cells, or of those
whose name holds the text.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pandas as pd
import yaml
from scipy.special import logit, ndtr

from parlai_spotbot.analysis.ranking import contrasts
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.verdict.probe import RED
from parlai_spotbot.analysis.verdict.probes import annotator_probe
from tests.analysis.made_up_studies import MAKERS

LEVEL = 0.05

TEXT = """
# study: conversations of a pair, annotators of each, annotators in all, bots
6 bots, 20 x 2, 25 annotators: [study, 20, 2, 25, 6, {}, &holds {cover: [.93, .97]}]
6 bots, 20 x 2, 25 annotators, unequal: [study, 20, 2, 25, 6, {spread: .8}, {<<: *holds, power: .215}]
6 bots, 20 x 2, without effects: [study, 20, 2, 25, 6, &plain {talk: 0., taste: 0.}, *holds]
6 bots, 20 x 2, without effects, unequal: [study, 20, 2, 25, 6, {<<: *plain, spread: .8}, {<<: *holds, power: .5}]
6 bots, 45 x 6, 40 annotators: [study, 45, 6, 40, 6, {}, *holds]
6 bots, 45 x 6, 40 annotators, unequal: [study, 45, 6, 40, 6, {spread: .8}, {<<: *holds, power: .45}]
20 bots, 1 x 3, unequal: [study, 1, 3, 40, 20, {spread: 1.2}, {<<: *holds, power: .03}]
20 bots, 2 x 2: [study, 2, 2, 40, 20, {}, *holds]
4 bots, 10 x 3, 4 annotators, tastes .35: [study, 10, 3, 4, 4, {taste: .35}]
4 bots, 10 x 3, 4 annotators, tastes .7: [study, 10, 3, 4, 4, {taste: .7}]
4 bots, 10 x 3, 5 annotators, tastes .35: [study, 10, 3, 5, 4, {taste: .35}]
4 bots, 10 x 3, 5 annotators, tastes .7: [study, 10, 3, 5, 4, {taste: .7}]
4 bots, 10 x 3, 8 annotators, tastes .35: [study, 10, 3, 8, 4, {taste: .35}, *holds]
4 bots, 10 x 3, 8 annotators, tastes .7: [study, 10, 3, 8, 4, {taste: .7}, *holds]
4 bots, 20 x 3, 8 annotators, unequal: [study, 20, 3, 8, 4, {taste: .35, spread: 1.2}, {power: .45}]
2 annotators: [study, 20, 2, 2, 4, {taste: .7}]
1 annotator without tastes: [study, 20, 1, 1, 4, {taste: 0.}]
1 annotator with tastes: [study, 20, 1, 1, 4, {taste: .7}]
# few conversations; sides: those of the conversation, drawn for each match, or taken in turns
3 bots, 1 conversation x 20: [study, 1, 20, 40, 3, {}]
3 bots, 2 conversations x 20: [study, 2, 20, 40, 3, {}]
2 bots, 2 conversations x 200: [study, 2, 200, 200, 2, {}]
2 bots, 2 conversations x 200, sides drawn: [study, 2, 200, 200, 2, {change: drawn}]
2 bots, 2 conversations x 200, sides in turns: [study, 2, 200, 200, 2, {change: turns}]
2 bots, 2 conversations x 100: [study, 2, 100, 200, 2, {}]
2 bots, 4 conversations x 50: [study, 4, 50, 200, 2, {}]
# arena: votes of a pair (from, to), annotators in all, bots
9 bots, 1 to 5 votes of their own: [arena, [1, 5], 200, 9, &own {taste: 0., change: alone}]
9 bots, 1 to 5 votes of their own, unequal: [arena, [1, 5], 200, 9, {<<: *own, spread: 2.4, cut: 0.}, {power: .29}]
2 bots, 2 prompts x 60: [arena, 120, 60, 2, {prompts: 2, taste: 0.}]
2 bots, 3 prompts x 40: [arena, 120, 60, 2, {prompts: 3, taste: 0.}]
10 bots, 13 prompts: [arena, 20, 200, 10, {prompts: 13, taste: 0.}, *holds]
4 bots, 13 prompts: [arena, 20, 200, 4, {prompts: 13, taste: 0.}]
10 bots, 45 prompts: [arena, 20, 200, 10, {prompts: 45, taste: 0.}, *holds]
1 annotator gives 40 %: [arena, 30, 40, 6, {heavy: .4, taste: .7}]
2 bots, copies of 3 texts: [arena, 120, 60, 2, &copies {prompts: 3, taste: 0., change: copies}]
4 bots, copies of 3 texts: [arena, 40, 60, 4, *copies]
# the first place is worth .55 standard deviations, so that it wins 70 %
2 bots, one always first: [arena, 100, 40, 2, &fixed {first: 1., order: .55, cut: 0., taste: .35}]
3 bots, one always first: [arena, 100, 40, 3, *fixed]
4 bots, one always first: [arena, 100, 40, 4, *fixed]
6 bots, one always first: [arena, 100, 40, 6, *fixed]
4 bots, one always first, unequal: [arena, 100, 40, 4, {<<: *fixed, spread: .8}, {power: .2}]
2 bots, one mostly first: [arena, 100, 40, 2, {<<: *fixed, first: .9}]
4 bots, one mostly first: [arena, 100, 40, 4, {<<: *fixed, first: .9}]
2 bots, first place in balance: [arena, 100, 40, 2, {<<: *fixed, first: .5}]
4 bots, first place in balance: [arena, 100, 40, 4, {<<: *fixed, first: .5}, *holds]
4 bots, first place in balance, unequal: [arena, 100, 40, 4, {<<: *fixed, first: .5, spread: .8}, {power: .55}]
# decided: clusters, votes of each, which share (or number) of clusters decide
45 prompts x 3, .08 decide: [decided, 45, 3, .08]
45 prompts x 3, .15 decide: [decided, 45, 3, .15]
45 prompts x 3, .30 decide: [decided, 45, 3, .30]
45 prompts x 3, .15 decide, unequal: [decided, 45, 3, .15, {side: .75}, {power: .12}]
45 prompts x 3, .30 decide, unequal: [decided, 45, 3, .30, {side: .75}, {power: .38}]
20 annotators x 6, .08 decide: [decided, 20, 6, .08, &people {people: true}]
20 annotators x 6, .15 decide: [decided, 20, 6, .15, *people]
20 annotators x 6, .30 decide: [decided, 20, 6, .30, *people]
20 annotators x 6, .30 decide, unequal: [decided, 20, 6, .30, {<<: *people, side: .75}]
1 annotator of 21 decides: [decided, 21, 6, 1, *people]
# rated: conversations of a bot, annotators of each, annotators in all, bots
ratings, 2 bots, 20 x 3, 25 annotators: [rated, 20, 3, 25, 2, {}, *holds]
ratings, 4 bots, 20 x 3, 25 annotators: [rated, 20, 3, 25, 4, {}, *holds]
ratings, 4 bots, 20 x 3, 25 annotators, unequal: [rated, 20, 3, 25, 4, {spread: 1.}, {<<: *holds, power: .25}]
ratings, 6 bots, 20 x 3, 25 annotators: [rated, 20, 3, 25, 6, {}, *holds]
ratings, 4 bots, 2 annotators: [rated, 20, 2, 2, 4, {}]
ratings, 2 bots, 2 annotators: [rated, 20, 2, 2, 2, {}]
ratings, 4 bots, 3 annotators: [rated, 20, 3, 3, 4, {}]
ratings, 4 bots, 5 annotators: [rated, 20, 3, 5, 4, {}]
ratings, 2 bots, 1 conversation: [rated, 1, 20, 25, 2, {}]
ratings, 3 bots, 1 conversation: [rated, 1, 20, 25, 3, {}]
ratings, 2 bots, 2 conversations: [rated, 2, 20, 25, 2, {}]
ratings, 4 bots, 2 conversations: [rated, 2, 20, 25, 4, {}]
ratings, 4 bots, 3 conversations: [rated, 3, 20, 25, 4, {}]
ratings, 1 of 20 conversations decides: [all_alike, 20, 6, 1, [1, 3, 5]]
ratings, 2 of 20 conversations decide: [all_alike, 20, 6, 2, [1, 3, 5]]
shares, 2 bots, 20 x 3, 25 annotators: [rated, 20, 3, 25, 2, &share {cuts: [.3]}, *holds]
shares, 6 bots, 20 x 3, 25 annotators: [rated, 20, 3, 25, 6, *share, *holds]
shares, 2 bots, 2 annotators: [rated, 20, 2, 2, 2, *share]
shares, 4 bots, 2 annotators: [rated, 20, 2, 2, 4, *share]
shares, 4 bots, 3 annotators: [rated, 20, 3, 3, 4, *share]
shares, 3 bots, 1 conversation: [rated, 1, 20, 25, 3, *share]
shares, 4 bots, 2 conversations: [rated, 2, 20, 25, 4, *share]
shares, 4 bots, 3 conversations: [rated, 3, 20, 25, 4, *share]
shares, 1 of 20 conversations decides: [all_alike, 20, 6, 1, [0, 0, 1]]
"""

Pairs = Callable[[np.random.Generator], pd.DataFrame]


@dataclass(frozen=True)
class Cell:
    """A kind of study: `pairs(rng)` makes one and compares its bots, whose true differences are `gaps` (q,).

    `power` is the least share of true differences to be found, `cover` the least and greatest share of intervals that
    hold the truth; at most `LEVEL` of the studies may have a false verdict.
    """

    pairs: Pairs
    gaps: np.ndarray
    power: float = 0.0
    cover: tuple[float, float] = (0.0, 1.0)


def of_matches(kind, *sizes, spread=0.0, change="", **how):
    """Return a cell of a generator of `made_up_studies`, the bots' latent worth evenly spread over `spread`."""
    design = MAKERS[kind](*sizes, **how)
    theta = spread / 2 * np.linspace(1, -1, design.bots)
    names = [f"b{place}" for place in range(design.bots)]

    def pairs(rng):
        rows = design.make(rng, theta)
        found = contrasts(CHANGES[change](rng, rows) if change else rows, names).pairs
        people = annotator_probe(rows["worker_id"].value_counts().tolist())
        return found.assign(p_adjusted=np.nan) if people.level == RED else found

    return pairs, differences(design.strengths(theta))


def differences(values):
    """Return each value less each later one, without rounding errors of equal ones."""
    first, second = np.triu_indices(len(values), 1)
    return np.round(values[first] - values[second], 9)


def mirrored(rows, places):
    """Return matches in which those at `places` (a mask) name the other contestant first."""
    other = rows.rename(columns={"a": "b", "b": "a"}).assign(outcome=-rows["outcome"])[list(rows)]
    return pd.concat([rows[~places], other[places]]).sort_index()


def alone(_, rows):
    """Return matches of a conversation and an annotator each."""
    return rows.assign(conversation_id=range(len(rows)), worker_id=range(len(rows)))


def copied(_, rows):
    """Return matches whose conversations are copies of as many texts as they were."""
    return rows.assign(cluster_id=rows["conversation_id"], conversation_id=range(len(rows)))


CHANGES = {
    "drawn": lambda rng, rows: mirrored(rows, rng.random(len(rows)) < 0.5),
    "turns": lambda _, rows: mirrored(rows, (rows["a"] == "b0") == (np.arange(len(rows)) % 2 == 1)),
    "alone": alone,
    "copies": copied,
}


def sides(rng, clusters, share, side):
    """Return for which bot each of the clusters decides (+1, -1), 0 for most: a share of them, or a number."""
    deciding = rng.permutation(clusters) < share if share >= 1 else rng.random(clusters) < share
    return np.where(deciding, np.where(rng.random(clusters) < side, 1, -1), 0)


def of_decided(clusters, each, share, *, side=0.5, people=False):
    """Return a cell of two bots of which some prompts (or people) always prefer the same one, the first with
    probability `side`, and all others none."""

    def pairs(rng):
        cluster, row = np.repeat(np.arange(clusters), each), np.arange(clusters * each)
        columns = {"a": "b0", "b": "b1", "outcome": sides(rng, clusters, share, side)[cluster]}
        columns |= {"conversation_id": row if people else cluster, "worker_id": cluster if people else row}
        return contrasts(CHANGES["drawn"](rng, pd.DataFrame(columns)), ["b0", "b1"]).pairs

    return pairs, np.array([logit(side)])


def of_rated(talks, each, people, bots, *, spread=0.0, cuts=(-1.5, -0.5, 0.5, 1.5), talk=0.5, taste=0.4):
    """Return a cell of values: how many of the `cuts` a latent worth exceeds."""
    theta, cuts = spread / 2 * np.linspace(1, -1, bots), np.array(cuts)
    means = ndtr((theta[:, None] - cuts) / np.sqrt(1 + talk**2 + 2 * taste**2)).sum(axis=1)

    def pairs(rng):
        conversation = np.repeat(np.arange(bots * talks), each)
        bot, who = conversation // talks, np.argsort(rng.random((bots * talks, people)))[:, :each].ravel()
        worth = theta[bot] + talk * rng.standard_normal(bots * talks)[conversation] + rng.standard_normal(len(bot))
        worth += taste * (rng.standard_normal(people)[who] + rng.standard_normal((people, bots))[who, bot])
        values = (worth[:, None] > cuts).sum(axis=1)
        return compared(values, bot, Clusters.by(conversation, who), (0.0, float(len(cuts))))

    return pairs, differences(means)


def of_all_alike(talks, each, deciding, values):
    """Return a cell of two bots whose answers are all the middle one of three `values`, but for those about a few
    conversations, which all are the first or all the last."""
    bot = np.repeat([0, 1], talks * each)
    clusters = Clusters.by(np.repeat(np.arange(2 * talks), each), np.arange(len(bot)))

    def pairs(rng):
        answers = np.array(values)[np.repeat(sides(rng, 2 * talks, deciding, 0.5), each) + 1]
        return compared(answers, bot, clusters, (float(min(values)), float(max(values))))

    return pairs, np.zeros(1)


def compared(values, bot, clusters, bounds):
    """Return the pairs of means by bot, as `contrasts` names its columns."""
    return group_means(values, bot, bot.max() + 1, clusters, bounds).pairs().rename(columns={"estimate": "difference"})


BUILDERS = {"decided": of_decided, "rated": of_rated, "all_alike": of_all_alike}


def cell_of(kind, *sizes):
    """Return the cell of a row of the table: its kind, sizes, options of the generator and what is promised."""
    options = [part for part in sizes if isinstance(part, dict)]
    how, promised = [*options, {}, {}][:2]
    sizes = [part for part in sizes if not isinstance(part, dict)]
    if kind in BUILDERS:
        return Cell(*BUILDERS[kind](*sizes, **how), **promised)
    return Cell(*of_matches(kind, *sizes, **how), **promised)


CELLS = yaml.safe_load(TEXT)


def measure(cell, studies, seed=1):
    """Return `false`, `power` and `cover` of simulated studies, each with its standard error (rows value, error)."""
    rng = np.random.default_rng(seed)
    frames = [cell.pairs(rng) for _ in range(studies)]
    columns = ("difference", "low", "high", "p_adjusted")
    difference, low, high, p = (np.array([frame[name] for frame in frames], dtype=float) for name in columns)
    declared = np.nan_to_num(p, nan=1.0) < LEVEL
    wrong = declared & (np.sign(difference) != np.sign(cell.gaps))
    covers = np.where(np.isfinite(low), (low <= cell.gaps) & (cell.gaps <= high), np.nan)
    by_study = {
        "false": pd.Series(wrong.any(axis=1), dtype=float),
        "power": pd.DataFrame(declared & ~wrong).loc[:, cell.gaps != 0].mean(axis=1),
        "cover": pd.DataFrame(covers).mean(axis=1),
    }
    shares = pd.DataFrame(by_study)
    return pd.DataFrame({"value": shares.mean(), "error": shares.sem(ddof=0)}).T


def print_table(names, studies):
    """Print a row for each cell."""
    print("| cell | studies | false verdict | found | intervals cover | seconds |\n|" + " --- |" * 6)
    for name in names:
        start = perf_counter()
        table = measure(cell_of(*CELLS[name]), studies)
        shares = [f"{table[column]['value']:.3f} ± {table[column]['error']:.3f}" for column in table]
        shares = ["–" if share.startswith("nan") else share for share in shares]
        print(f"| {name} | {studies} | {' | '.join(shares)} | {perf_counter() - start:.0f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=1000, help="studies of each cell")
    parser.add_argument("--cell", default="", help="part of the names of the cells to simulate")
    options = parser.parse_args()
    print_table([name for name in CELLS if options.cell in name], options.studies)
