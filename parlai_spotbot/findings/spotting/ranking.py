"""Ranking by how often bots are taken for human, and their distance to people."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ratings import rate
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_interval, wilson
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.criteria import clearly, headline
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.standing import by_matches
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import NAMED, listed, percent


def compute(answers: Annotations) -> dict:
    return answers.once("ranking", ranked)


def compared(answers: Annotations) -> pd.DataFrame:
    """Return the matches by who is taken for human."""
    return matches_frame(answers.rows).reset_index(drop=True)


def ranked(answers: Annotations) -> dict:
    """The ranking by who is taken for human, and how often each name is; where one side is judged, by how often."""
    if answers.one_side and answers.bots:
        taken = answers.entities.assign(value=answers.entities["nature"] == HUMAN)
        probes = study_probes.of_answers(answers, answers.rows)
        rated = rate(taken, answers.bots, scale=(0, 1), crossed=answers.crossed)
        result = criteria.means_of(rated, probes, margin=answers.facts.margin)
    else:
        matches = matches_frame(answers.rows)
        times = study_probes.times_of(answers, answers.rows.loc[matches.index])
        result = by_matches(answers, matches, "ranking", times)
    shares = _shares(answers)
    none = {"share": None, "n": 0, "ci": [None, None], "why": "no conversation of people was judged"}
    human = shares.pop(HUMAN, none)
    result["human_share"] = {bot: shares[bot]["share"] for bot in answers.bots}
    result["human_share_ci"] = {bot: shares[bot]["ci"] for bot in answers.bots}
    result["human_difference"] = _differences(answers)
    result["human_reference"] = {"human_share": human.pop("share"), **human}
    result["bootstrap"] = answers.bootstrap()
    return result


def _shares(answers: Annotations) -> dict[str, dict]:
    """Compute how often each name is taken for human, with its interval."""
    taken = (answers.entities["nature"] == HUMAN).to_numpy()
    clusters, result = answers.together.take(answers.pages), {}
    for name, rows in answers.entities.groupby("name", sort=True).indices.items():
        ci = share_interval(taken[rows], clusters.take(rows))
        result[name] = {"share": float(taken[rows].mean()), "n": len(rows), "ci": list(ci)}
    return result


def _differences(answers: Annotations) -> dict[str, dict]:
    """Test each bot's share of "human" against people's; {} without people.

    By the covariance of both, but never surer than answers that were independent: p is at least Fisher's exact one, and
    the interval at least Newcombe's (1998, Stat. Med. 17, method 10).
    """
    names = answers.entities["name"]
    bots = [bot for bot in answers.bots if (names == bot).any()]
    if not (names == HUMAN).any() or not bots:
        return {}
    code = names.map({name: i for i, name in enumerate((*bots, HUMAN))}).to_numpy(dtype=int)
    taken = (answers.entities["nature"] == HUMAN).to_numpy().astype(float)
    shares = group_means(taken, code, len(bots) + 1, answers.together.take(answers.pages), (0.0, 1.0))
    contrasts = shares.contrasts(np.column_stack([np.eye(len(bots)), -np.ones(len(bots))]))
    hits, n = np.bincount(code, taken), np.bincount(code)
    ends = np.array([wilson(hit, count) for hit, count in zip(hits, n, strict=True)])
    apart = np.abs(ends - shares.values[:, None])
    estimate = contrasts["estimate"].to_numpy()
    low = np.fmin(contrasts["low"], estimate - np.hypot(apart[:-1, 0], apart[-1, 1]))
    high = np.fmax(contrasts["high"], estimate + np.hypot(apart[:-1, 1], apart[-1, 0]))
    tables = [[[hits[i], n[i] - hits[i]], [hits[-1], n[-1] - hits[-1]]] for i in range(len(bots))]
    p = np.maximum(contrasts["p"].to_numpy(), [fisher_exact(table).pvalue for table in tables])  # NaN stays unknown
    ci = np.column_stack([low, high]).tolist()
    columns = {"difference": estimate, "ci": ci, "p": p, "p_adjusted": adjust_known(p)}
    return pd.DataFrame(columns, index=bots).to_dict(orient="index")


def summarise(result: Result) -> list[str]:
    """Return who is ahead, how near the bots come to people, and what that rests on; [] where nobody was compared."""
    data = result.data
    if not data.get("order"):
        return []
    first, *others = headline(data, "bots")
    pairs = f"{clearly(data)}." if len(data["order"]) > 1 else ""
    return [first, _beside_people(data, "" if result.people else f" by {result.who}"), *others, pairs]


def _beside_people(result: Mapping, by: str = "") -> str:
    """Compare each bot's share of "human" with people's by the adjusted test of their difference."""
    people = result.get("human_reference", {}).get("human_share")
    shares = {bot: share for bot, share in result.get("human_share", {}).items() if share is not None}
    if people is None or not shares:
        return "No conversation of people was judged, so there is no human reference."
    groups: dict[str, list[str]] = {"clearly less often": [], "not told from people": [], "clearly more often": []}
    tests = result.get("human_difference", {})
    for bot in best_first(list(tests), map(shares.get, tests)):
        test = tests[bot]
        kind = "not told from people"
        if clear(test):
            kind = "clearly less often" if test["difference"] < 0 else "clearly more often"
        groups[kind].append(f"{bot} ({percent(shares[bot])})")
    parts = [
        f"{kind}: {listed(bots) if len(bots) <= NAMED else f'{len(bots)} bots'}"
        for kind, bots in groups.items()
        if bots
    ]
    return "; ".join([f"People are called human in {percent(people)} of judgements{by}", *parts]) + "."


FINDING = declared(__file__, FORM, compute, summarise)
