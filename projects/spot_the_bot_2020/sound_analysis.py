"""What a sound analysis says in place of the paper's tables.

Intervals come from a bootstrap of conversations and annotators (crossed), tests are corrected by Holm, ties are
counted, and people's conversations stand beside the bots' as the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.annotators import annotator_table
from parlai_spotbot.analysis.ranking import contrasts, win_matrix, win_rate_intervals, win_rates
from parlai_spotbot.analysis.survival import cox, logrank_pairs
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.product import bootstrap_weights, cell_sums
from parlai_spotbot.records import HUMAN


@dataclass(frozen=True)
class SoundAnalysis:
    """The crossed bootstrap that all statements of a domain share: `weights` (replicates, annotations)."""

    annotations: pd.DataFrame
    entities: pd.DataFrame
    bots: tuple[str, ...]
    weights: np.ndarray
    seed: int

    @classmethod
    def of(
        cls, annotations: pd.DataFrame, entities: pd.DataFrame, bots: Sequence[str], replicates: int, seed: int
    ) -> SoundAnalysis:
        strata = [" ".join(sorted(pair)) for pair in zip(annotations["a"], annotations["b"], strict=True)]
        rng = np.random.default_rng([seed, 1])
        weights = bootstrap_weights(
            annotations["conversation_id"],
            annotations["worker_id"],
            strata,
            rng=rng,
            replicates=replicates,
            resample="conversations_workers",
        )
        return cls(annotations, entities, tuple(bots), weights, seed)

    def wins(self, matches: pd.DataFrame) -> list[str]:
        """Win rates with intervals, clusters, and the pairs that Holm's correction leaves; `matches` by annotation."""
        found = contrasts(matches, self.bots)
        rates, ci = win_rates(win_matrix(matches, self.bots)), win_rate_intervals(matches, found)
        order = np.argsort(-rates)
        told = [f"{self.bots[i]} {rates[i]:.2f} [{ci[i][0]:.2f}, {ci[i][1]:.2f}]" for i in order]
        places = [
            f"{name} {first}-{last}"
            for name, (first, last) in ((name, found.places[self.bots.index(name)]) for name in found.ranked)
        ]
        weak = found.pairs[~(found.pairs["p_adjusted"] < 0.05)]
        named = ", ".join(f"{a}–{b}" for a, b in zip(weak["a"], weak["b"], strict=True)) or "none"
        return [
            "win rates with 95 % intervals over conversations and annotators: " + ", ".join(told),
            "places by contrasts of Davidson's model, Holm-corrected: " + ", ".join(places),
            f"ties are {(matches['outcome'] == 0).mean():.0%} of {len(matches)} matches; pairs that these contrasts, "
            f"clustered by conversations and annotators, don't tell apart: {named}",
        ]

    def human_share(self) -> str:
        """How often each is taken for human, people included: the bound that win rates hide."""
        names = [*self.bots, HUMAN]
        code = self.entities["name"].map({name: i for i, name in enumerate(names)}).to_numpy(int)
        taken = (self.entities["nature"] == HUMAN).to_numpy().astype(int)
        sums = cell_sums(np.repeat(self.weights, 2, axis=1), 2 * code + taken, 2 * len(names))
        sums = sums.reshape(len(self.weights), -1, 2)
        ci = percentile_interval(sums[..., 1] / np.maximum(sums.sum(axis=-1), 1))
        told = [f"{n} {taken[code == i].mean():.2f} [{ci[i][0]:.2f}, {ci[i][1]:.2f}]" for i, n in enumerate(names)]
        return "taken for human, people as the reference: " + ", ".join(told)

    def ties_by_length(self, matches: pd.DataFrame) -> str:
        """Whether ties grow with length, with an interval for the difference between longest and shortest."""
        lengths = sorted(set(matches["k"]))
        tie = (matches["outcome"] == 0).to_numpy().astype(int)
        code = matches["k"].map({k: i for i, k in enumerate(lengths)}).to_numpy(int)
        sums = cell_sums(self.weights[:, matches.index], 2 * code + tie, 2 * len(lengths))
        sums = sums.reshape(len(self.weights), -1, 2)
        share = sums[..., 1] / np.maximum(sums.sum(axis=-1), 1)
        low, high = percentile_interval(share[:, -1] - share[:, 0])
        gap = tie[code == len(lengths) - 1].mean() - tie[code == 0].mean()
        return f"ties at {lengths[-1]} minus ties at {lengths[0]} exchanges: {gap:+.3f} [{low:+.3f}, {high:+.3f}]"

    def features(self, rows: pd.DataFrame, features: Sequence[str], replicates: int) -> list[str]:
        """Cox regressions, errors by conversations and annotators, Holm over all bots and features."""
        found = []
        for place, bot in enumerate(self.bots):
            own = rows[rows["group"] == bot]
            clusters = [own["conversation_id"], own["worker_id"]]
            fit = cox(
                own["left"],
                own["right"],
                own[list(features)],
                clusters=clusters,
                replicates=replicates,
                seed=self.seed + place,
                backend="native",
            )
            found += [(bot, f, c, p) for f, c, p in zip(features, fit.coef, fit.pvalue, strict=True)]
        adjusted = adjust(np.array([p for *_, p in found]))
        kept = [f"{b} {f} ({c:+.2f})" for (b, f, c, _), p in zip(found, adjusted, strict=True) if p < 0.05]
        return [
            f"with errors by conversations and annotators, Holm over {len(found)} tests, these go with being spotted "
            f"sooner (+) or later (-): {', '.join(kept) or 'none'}",
            "the features are relative to the opponent and asked after the verdict: an association, not a cause",
        ]

    def survival_pairs(self, rows: pd.DataFrame) -> str:
        """Log-rank tests within segment lengths, with variances over conversations and annotators, Holm-corrected."""
        table = logrank_pairs(
            rows["left"],
            rows["right"],
            rows["group"],
            names=[*self.bots, HUMAN],
            strata=rows["k"],
            clusters=[rows["conversation_id"], rows["worker_id"]],
            backend="native",
        )
        weak = table[~(table["p_adjusted"] < 0.05)]
        named = ", ".join(f"{a}–{b}" for a, b in zip(weak["a"], weak["b"], strict=True)) or "none"
        return (
            "pairs whose survival is not told apart when answers of one conversation or annotator may depend on each "
            f"other (within lengths, Holm over {len(table)} pairs): {named}"
        )

    def agreement(self) -> str:
        """Krippendorff's alpha, which allows for how often each label is given."""
        segment = self.entities["conversation_id"] + " " + self.entities["k"].astype(str)
        units = segment + " " + self.entities["entity"].astype(str)
        found = krippendorff_alpha(units, self.entities["nature"], frame_clusters(self.entities))
        low, high = found["ci"]
        said = f"{found['alpha']:.2f} [{low:.2f}, {high:.2f}]"
        return f"Krippendorff's alpha of the labels: {said} (1 agreement, 0 chance)"

    def alike(self) -> str:
        """Footnote 3 with an interval: both entities labelled alike, beyond chance within pair and length."""
        bots = (self.annotations["a"] != HUMAN).to_numpy()
        rows = self.annotations[bots]
        stratum = rows.groupby(["a", "b", "k"]).ngroup().to_numpy()
        label = {name: i for i, name in enumerate(("human", "unsure", "bot"))}
        cells = 9 * stratum + 3 * rows["nature0"].map(label).to_numpy(int) + rows["nature1"].map(label).to_numpy(int)
        weights = np.vstack([np.ones(len(rows)), self.weights[:, bots]])
        counts = cell_sums(weights, cells, 9 * (stratum.max() + 1)).reshape(len(weights), -1, 3, 3)
        n = counts.sum(axis=(2, 3))
        chance = (counts.sum(axis=3) * counts.sum(axis=2)).sum(axis=2) / np.maximum(n, 1)
        gap = (np.trace(counts, axis1=2, axis2=3) - chance).sum(axis=1) / n.sum(axis=1)
        low, high = percentile_interval(gap[1:])
        return (
            f"bots: both labels alike in {gap[0]:+.3f} [{low:+.3f}, {high:+.3f}] of annotations more than by chance, "
            "the interval over conversations and annotators"
        )

    def balanced(self) -> str:
        """Balanced accuracy of annotators, for which always answering "bot" is .5."""
        known = annotator_table(self.annotations, self.entities)["balanced_accuracy"].dropna()
        return (
            f"balanced accuracy, always .5 for answering at random or always the same: mean {known.mean():.2f}, "
            f"{(known < 0.5).sum()} of {len(known)} annotators below .5"
        )
