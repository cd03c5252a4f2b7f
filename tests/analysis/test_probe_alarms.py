"""False alarms of the probes in studies in which nothing is wrong: each in at most 5 of 100.

400 studies each gave at most .05 (one scale, of an arena), by `made_up_studies`, whose rule is no model of ours.
"""

from collections import Counter

import numpy as np
import pytest
from made_up_studies import arena, study

from parlai_spotbot.analysis.choices import clear_circle, pair_grid
from parlai_spotbot.analysis.ranking import contrasts
from parlai_spotbot.analysis.verdict.probe import GREEN
from parlai_spotbot.analysis.verdict.probes import annotator_probe, pair_probes

CLEAN = {
    "a tournament, equal": lambda rng: study(rng, np.zeros(5), 20, 2, 25),
    "a tournament, unequal": lambda rng: study(rng, np.linspace(0.5, -0.5, 5), 20, 2, 25),
    "an arena, unequal": lambda rng: arena(rng, np.linspace(0.6, -0.6, 6), 40, 60, prompts=200),
}


def alarms(make, studies):
    """The share of studies in which each probe is not green."""
    found = Counter()
    for seed in range(studies):
        rng = np.random.default_rng([seed, 5])
        rows = make(rng).sample(frac=1, random_state=seed).reset_index(drop=True)
        names = sorted(set(rows["a"]) | set(rows["b"]))
        circle = clear_circle(pair_grid(rows, names))
        probes = pair_probes(contrasts(rows, names), rows, circle, np.arange(len(rows)))
        probes.append(annotator_probe(rows["worker_id"].value_counts().tolist()))
        found.update(probe.name for probe in probes if probe.level != GREEN)
    return {name: count / studies for name, count in found.items()}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("design", CLEAN)
def test_probes_of_a_thousand_clean_studies(design):
    found = alarms(CLEAN[design], 1000)
    print(design, found)
    assert max(found.values()) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


def test_probes_of_a_few_clean_studies():
    assert max(alarms(CLEAN["a tournament, unequal"], 40).values(), default=0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)
