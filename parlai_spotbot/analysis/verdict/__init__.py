"""The verdict on every two contestants: contrasts, and probes of what these assume."""

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED, Probe
from parlai_spotbot.analysis.verdict.probes import annotator_probe, cluster_probe, pair_probes
from parlai_spotbot.analysis.verdict.verdict import (
    BETTER,
    SAME,
    UNKNOWN,
    WORSE,
    Verdict,
    verdict_of_matches,
    verdict_of_means,
)

__all__ = [
    "AMBER",
    "BETTER",
    "GREEN",
    "RED",
    "SAME",
    "UNKNOWN",
    "WORSE",
    "Probe",
    "Verdict",
    "annotator_probe",
    "cluster_probe",
    "pair_probes",
    "verdict_of_matches",
    "verdict_of_means",
]
