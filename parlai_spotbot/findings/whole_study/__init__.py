"""Findings on a whole study, whatever the survey: methods side by side, metrics, models' next turns, hygiene.

Their `compute` takes the study and the surveys of its report, and reads results from disk: {source: data}, {} where
there are none; the source is "" where it doesn't matter who judged.
"""

from parlai_spotbot.findings.finding import Finding


def findings_of_study() -> list[Finding]:
    """Return the findings in the order in which the report shows them."""
    from parlai_spotbot.findings.whole_study import hygiene, methods, metrics, nuc

    return [methods.FINDING, *metrics.FINDINGS, *nuc.FINDINGS, hygiene.FINDING]
