"""Ranking by fluency, sensibleness and specificity, and by both of the latter (SSA)."""

from dataclasses import replace

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings import study_probes
from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.findings.spotting import FORM, Annotations, in_text
from parlai_spotbot.findings.spotting.standing import PAIRS, RANKING, ranking
from parlai_spotbot.wording import percent

SSA = ("sensibleness", "specificity")


def compute(answers: Annotations) -> dict | None:
    """Rank the bots by each feature that was asked, as for who is human; None where none was asked."""
    both = ("sensibleness_and_specificity",) if set(SSA) <= set(answers.features) else ()
    rankings = {}
    for criterion in (*answers.features, *both):
        matches = matches_frame(answers.rows, criterion)
        weights, probes = answers.weights[:, matches.index], study_probes.of_answers(answers, matches)
        further = {"probes": probes, "margin": answers.facts.margin}
        rankings[criterion] = ranking(matches, answers.bots, weights, answers.rng(criterion), **answers.hang, **further)
    return rankings or None


def summarise(result: Result) -> list[str]:
    """Return who is favoured most in each feature, and whether that is clear."""
    parts = []
    for feature, ranked in result.data.items():
        rates = {bot: rate for bot, rate in ranked["win_rate"].items() if rate is not None}
        if len(rates) > 1 and single_order(ranked):
            best = best_first(list(rates), rates.values())[0]
            clear = "" if ranked["clusters"][best] == [1, 1] else ", not clearly first"
            parts.append(f"in {in_text(feature)} {best} ({percent(rates[best])}{clear})")
    return [f"Favoured most often over the others: {'; '.join(parts)}."] if parts else []


def _by_feature(table: Table) -> Table:
    """Return the schema of a ranking's table with the feature as its first column."""
    columns = {"feature": Column("term", "Feature"), **table.columns}
    columns |= {name: replace(columns[name], title="") for name in UNTITLED if name in columns}
    return Table(f"{{feature}}/{table.path}", columns, table.title)


UNTITLED = ("davidson", "trueskill_mu", "range")
"""Columns of the ranking that features have in their CSV alone."""

METHOD = (
    "As the ranking, with a feature's answers in place of the verdicts; sensibleness and specificity (SSA) counts a "
    "win where both favour the same bot."
)
CAPTION = "Share of decided matches in which a bot was favoured, by feature, with 95 % intervals. Ties are left out."

FINDING = Finding(
    "features",
    FORM,
    compute,
    tables={
        "features": Table(**{**vars(_by_feature(RANKING)), "method": METHOD, "cite": ("deriu2020", "adiwardana2020")}),
        "pairs": _by_feature(PAIRS),
    },
    summarise=summarise,
    heading="Features",
    chart=Chart("forest", "features", x="win_rate", y="bot", group="feature", caption=CAPTION, reference=0.5),
    place=30,
)
