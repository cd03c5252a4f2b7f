"""Ranking by how often bots are taken for human, and their distance to people."""

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ratings import rate
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_interval, wilson
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.criteria import clearly, headline
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames, best_rows
from parlai_spotbot.findings.rankings import Ranking, main_ranking
from parlai_spotbot.findings.schema import all_known
from parlai_spotbot.findings.sections import Counts, Drawn
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.standing import by_matches
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import names_or_number, percent

UNSURE = "unsure"


def compute(answers: Annotations) -> Frames:
    return answers.once("ranking", ranked).frames


def compared(answers: Annotations) -> pd.DataFrame:
    """Return the matches by who is taken for human."""
    return matches_frame(answers.rows).reset_index(drop=True)


def ranked(answers: Annotations) -> Ranking:
    """The ranking by who is taken for human, and how often each name is; where one side is judged, by how often."""
    if answers.one_side and answers.bots:
        taken = answers.entities.assign(value=answers.entities["nature"] == HUMAN)
        probes = study_probes.of_answers(answers, answers.rows)
        rated = rate(taken, answers.bots, scale=(0, 1), crossed=answers.crossed)
        ranking = criteria.means_of(rated, probes, margin=answers.facts.margin, **answers.rests)
    else:
        matches = matches_frame(answers.rows)
        times = study_probes.times_of(answers, answers.rows.loc[matches.index])
        ranking = by_matches(answers, matches, "ranking", times)
    contestants = pd.DataFrame({"bot": list(dict.fromkeys([*ranking.order, *answers.bots]))}, dtype=object)
    shares = _shares(answers)
    for columns in (ranking.frames.get("ranking"), shares, _differences(answers)):
        if columns is not None:
            contestants = contestants.merge(columns, on="bot", how="left")
    people = shares[shares["bot"] == HUMAN]
    return Ranking(Frames.from_tables({**ranking.frames, "ranking": contestants, "people": people}))


def _shares(answers: Annotations) -> pd.DataFrame:
    """Compute how often each name is taken for human, with its interval, and how often annotators are unsure."""
    taken = (answers.entities["nature"] == HUMAN).to_numpy()
    unsure = (answers.entities["nature"] == UNSURE).to_numpy()
    clusters = answers.together.take(answers.pages)
    rows = []
    for name, positions in answers.entities.groupby("name", sort=True).indices.items():
        interval = share_interval(taken[positions], clusters.take(positions))
        rows.append((name, taken[positions].mean(), *interval, unsure[positions].mean(), len(positions)))
    columns = ["bot", "human_share", "human_share_low", "human_share_high", "unsure_share", "labels"]
    return pd.DataFrame(rows, columns=columns)


def _differences(answers: Annotations) -> pd.DataFrame:
    """Test each bot's share of "human" against people's; no rows without people.

    By the covariance of both, but never surer than answers that were independent: p is at least Fisher's exact one, and
    the interval at least Newcombe's (1998, Stat. Med. 17, method 10).
    """
    names = answers.entities["name"]
    bots = [bot for bot in answers.bots if bot in set(names)]
    if HUMAN not in set(names) or not bots:
        return pd.DataFrame(columns=["bot"])
    code = pd.Index([*bots, HUMAN]).get_indexer(names)
    taken = (answers.entities["nature"] == HUMAN).to_numpy(dtype=float)
    shares = group_means(taken, code, len(bots) + 1, answers.together.take(answers.pages), (0.0, 1.0))
    contrasts = shares.contrasts(np.column_stack([np.eye(len(bots)), -np.ones(len(bots))]))
    hits = np.bincount(code, taken)
    counts = np.column_stack([hits, np.bincount(code) - hits])
    apart = np.abs([wilson(hit, hit + other) for hit, other in counts] - shares.values[:, None])
    estimate = contrasts["estimate"]
    exact = [fisher_exact([counts_of_bot, counts[-1]]).pvalue for counts_of_bot in counts[:-1]]
    table = pd.DataFrame(
        {
            "bot": bots,
            "apart": estimate,
            "apart_low": np.fmin(contrasts["low"], estimate - np.hypot(apart[:-1, 0], apart[-1, 1])),
            "apart_high": np.fmax(contrasts["high"], estimate + np.hypot(apart[:-1, 1], apart[-1, 0])),
            "p_one": np.maximum(contrasts["p"], exact),  # NaN stays unknown
        }
    )
    return table.assign(p_people=adjust_known(table["p_one"]))


def summarise(result: Result) -> list[str]:
    """Return who is ahead, how near the bots come to people, and what that rests on; [] where nobody was compared."""
    ranking = main_ranking(result.frames)
    if not ranking.order:
        return []
    first, *others = headline(ranking, "bots")
    by = pairs = ""
    if not result.people:
        by = f" by {result.who}"
    if len(ranking.order) > 1:
        pairs = Counts(f"{clearly(ranking)}.")
    return [first, _beside_people(ranking, by), *others, pairs]


def _beside_people(ranking: Ranking, by: str = "") -> str:
    """Compare each bot's share of "human" with people's by the adjusted test of their difference."""
    people = ranking.frames.one("people").get("human_share")
    rows = [row for row in ranking.frames.rows("ranking") if row["human_share"] is not None]
    if people is None or not rows:
        return "No conversation of people was judged, so there is no human reference."
    groups: dict[str, list[str]] = {"clearly less often": [], "not told from people": [], "clearly more often": []}
    for row in best_rows(rows, "human_share"):
        kind = "not told from people"
        if all_known(row["p_people"]) and row["p_people"] < criteria.LEVEL:
            kind = "clearly less often" if row["apart"] < 0 else "clearly more often"
        groups[kind].append(f"{row['bot']} ({percent(row['human_share'])})")
    parts = [f"{kind}: {names_or_number(bots, 'bots')}" for kind, bots in groups.items() if bots]
    return Drawn("; ".join([f"People are called human in {percent(people)} of judgements{by}", *parts]) + ".")


FINDING = declared(__file__, FORM, compute, summarise)
