"""How the figures in each table of Spot The Bot were made, and whose method it is: what a page says on demand."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings.methods import BOOTSTRAP, CLUSTERED

ABOUT: dict[str, tuple[str, tuple[str, ...]]] = {
    "with_people": (
        f"Shares of labels, and their difference, with both kinds of conversations in one reckoning. {CLUSTERED}",
        ("deriu2020", "cameron2011", "pustejovsky2018", "holm1979"),
    ),
    "segments": ("Counts of all annotations of segments of this length.", ("deriu2020",)),
    "confusion": ("The judge was trained without the conversations and contestants on which it is tested here.", ()),
    "curves": (
        "To be spotted is an event that lies somewhere before the length at which an annotator called the entity a "
        "bot, or after the longest one shown where it was not: the estimate for such intervals is the nonparametric "
        f"one of greatest likelihood. {BOOTSTRAP}",
        ("deriu2020", "turnbull1976"),
    ),
    "logrank": (
        "A log-rank test for interval-censored events; answers of one conversation are taken as dependent where the "
        "table says so. P values are Holm's, over all pairs.",
        ("deriu2020", "sun1996", "holm1979"),
    ),
    "effects": (
        "Regression for interval-censored events, one model a contestant, with a baseline of any form; features are "
        "+1, 0 or −1 by who was favoured.",
        ("deriu2020", "finkelstein1986", "anderson2017", "holm1979"),
    ),
    "alpha": ("Nominal alpha over all segments that two or more annotated.", ("hayes2007",)),
    "both_given_one": (
        "Of two labels of one entity by different annotators, as the paper reports them.",
        ("deriu2020",),
    ),
    "annotators": (
        "Signal detection: d′ and c from the shares of bots, and of people, called bots; shares of 0 and 1 are moved "
        "off the edge by adding half an answer to each side (log-linear).",
        ("hautus1995",),
    ),
    "alike": ("Labels are shuffled within the groups named, which gives what chance would.", ("deriu2020",)),
    "without": (
        f"The ranking's win rates, computed anew without these annotations. {CLUSTERED}",
        ("cameron2011", "pustejovsky2018"),
    ),
    "time": (
        "Times are those between opening an item and handing it in. The interval of the median lies between the "
        "quantiles at the ends of the interval of the share of times below it; annotations of one conversation or "
        "annotator are taken as dependent.",
        ("woodruff1952", "korn1998"),
    ),
    "position": (
        "Standard errors clustered by conversation and annotator. P values are Holm's within each kind of row.",
        ("cameron2011", "holm1979"),
    ),
    "balance": ("An exact binomial test of one half, each pair by itself.", ()),
    "texts": ("Texts are compared without case and punctuation.", ()),
    "hygiene": (
        "The exact interval (Clopper and Pearson's) of as many independent turns as would be as uncertain as these, "
        "clustered by conversation.",
        ("clopper1934", "korn1998"),
    ),
}


def about(key: str) -> dict:
    """`method` and `cite` of a table."""
    method, cite = ABOUT[key]
    return {"method": method, "cite": cite}


def resampling(own: Mapping) -> str:
    """What the intervals of a ranking rest on, in words."""
    made = own.get("bootstrap", {})
    drawn = {
        "conversations_workers": "conversations and annotators",
        "conversations": "conversations",
        "workers": "annotators",
        "annotations": "annotations as if they were independent",
    }.get(made.get("resample"), "the data")
    return f"95 % intervals from {made.get('replicates', 'the')} bootstrap replicates that draw {drawn} anew"
