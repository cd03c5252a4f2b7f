"""Survival curves of bots, tests between them, and hazards by features (section 3.3)."""

from __future__ import annotations

from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.survival_estimates import survival_of
from parlai_spotbot.findings.spotting.survival_words import passing

BOT = Column("name", "Bot")


def compute(answers: Annotations) -> dict:
    """Return curves, pairs and regressions, see `survival_estimates.survival`."""
    return answers.once("survival", survival_of)


def summarise(result: Result) -> list[str]:
    """Return who passes longest, whose curves differ, and which features go with being spotted."""
    data = result.data
    warning = [Caution(data["warning"])] if data.get("warning") else []
    return [data["sentence"], data["pairs_sentence"], data["cox_sentence"], *warning, passing(data["unsure"]["option"])]


CURVES = Table(
    "curves/{bot}/[]",
    {
        "bot": BOT,
        "exchanges": Column("count", "Exchanges"),
        "survival": Column("share", "Not called a bot", ci="ci"),
        "n": Column("count", "Judged"),
        "spotted": Column("count"),
    },
    "Survival",
    "Turnbull's nonparametric estimate of interval-censored times: an entity is spotted before the length at which it "
    "was called a bot, or after the longest one shown. Intervals, which hold at the lengths shown, come from drawing "
    "conversations and annotators again; where all or none were spotted they are exact ones of as many answers as "
    "there are conversations or annotators.",
    ("deriu2020", "turnbull1976"),
    csv="survival_curves",
)
SUMMARY = Table(
    "curves/{bot}",
    {
        "bot": BOT,
        "median": Column("text", "Half spotted by", key="median.note"),
        "median_low": Column("number", key="median.low"),
        "median_high": Column("number", key="median.high"),
        "minus_human": Column("share", "Difference from people", key="versus_human.difference", ci="versus_human.ci"),
        "why": Column("text", "Note"),
    },
)
LOGRANK = Table(
    "pairs",
    {
        "a": Column("name", "First"),
        "b": Column("name", "Second"),
        "statistic": Column("number", "U", digits=1),
        "chi2": Column("number", "χ²", digits=1),
        "df": Column("count"),
        "p": Column("p"),
        "p_adjusted": Column("p", "p, Holm"),
        "p_independent": Column("p", "p, if answers were independent", key="as_independent.p_adjusted"),
        "difference": Column("share", "Difference", key="passing.difference", ci="passing.ci"),
    },
    "Curves compared",
    "Generalized log-rank test (Sun's score), with the covariance of conversations and annotators; U above 0: the "
    "first is spotted more than expected. The last p is the paper's, which takes all answers as independent, so it is "
    "too small.",
    ("deriu2020", "sun1996", "holm1979"),
)
COEFFICIENTS = {
    "bot": BOT,
    "feature": Column("term", "Feature"),
    "coef": Column("number", ci="ci"),
    "se": Column("number"),
    "ratio": Column("number", "Ratio", ci="ratio_ci"),
    "p": Column("p"),
    "p_adjusted": Column("p", "p, Holm"),
    "why": Column("text", "Note"),
}
COX = Table(
    "cox/{bot}/{feature}",
    COEFFICIENTS,
    "Features and being spotted (proportional hazards)",
    "Interval-censored Cox regression, one model a contestant; a feature is +1 where the bot was favoured in it, -1 "
    "where its opponent was. A ratio above 1 goes with being spotted sooner. An association, not a cause: features "
    "are asked after the verdict and against the opponent.",
    ("deriu2020", "finkelstein1986", "anderson2017", "holm1979"),
)
MODELS = Table(
    "cox_models/{bot}/{model}",
    {
        "bot": BOT,
        "model": Column("text"),
        "loglik": Column("number"),
        "n": Column("count"),
        "chi2": Column("number", key="test.chi2"),
        "df": Column("count", key="test.df"),
        "p": Column("p", key="test.p"),
        "errors": Column("text"),
    },
)

FINDING = Finding(
    "survival",
    FORM,
    compute,
    tables={
        "curves": CURVES,
        "pairs": LOGRANK,
        "cox": COX,
        "cox_po": Table("cox_po/{bot}/{feature}", COEFFICIENTS),
        "cox_models": MODELS,
        "summary": SUMMARY,
    },
    summarise=summarise,
    heading="Survival",
    chart=Chart(
        "curve",
        "curves",
        x="exchanges",
        y="survival",
        group="bot",
        caption="Share not called a bot by the exchanges shown, with 95 % intervals. People are the reference, which a "
        "bot may pass.",
        steps=True,
    ),
    place=20,
    options=("backend", "unsure"),
)
