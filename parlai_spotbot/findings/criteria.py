"""Rankings by one criterion or several, as surveys of choices, ratings, behaviours and votes have them: in words, as a
chart, as tables, as rows, and in the lines of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.choices import clear_circle, pair_grid
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts, leave_one_out
from parlai_spotbot.analysis.ratings import Means
from parlai_spotbot.analysis.verdict.one_scale import misfit_pvalue
from parlai_spotbot.analysis.verdict.probe import AMBER, BETTER, EQUAL, GREEN, RED, UNKNOWN, WORSE, Probe
from parlai_spotbot.analysis.verdict.probes import cluster_probe, first_place_explains, pair_probes
from parlai_spotbot.analysis.verdict.verdict import Verdict, verdict_of_matches, verdict_of_means
from parlai_spotbot.findings import audit
from parlai_spotbot.findings.frames import Found, Frames
from parlai_spotbot.findings.rankings import Ranking, by_criterion, main_ranking
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.scarce import too_few_sentence
from parlai_spotbot.findings.schema import all_known
from parlai_spotbot.findings.sections import Counts
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import (
    INTERVAL,
    NAMED,
    in_brackets,
    named_first,
    number,
    pairs_apart,
    part_of,
    percent,
    plainly,
    upper_first,
    who,
)

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import OneSource

LEVEL = 0.05

NOT_KNOWN = {
    "groups": "they never met, nor anybody who links them",
    "too few": "one has too few comparisons to be ranked",
    "clusters": "too few conversations, prompts or annotators say anything of them",
    "circle": "no one scale fits, and they never met",
}
"""Why the verdict on a pair is not known where no probe says it."""


@dataclass(frozen=True)
class Pool:
    """Record of a comparison of contestants by matches: their `fit`, the pairs by their own matches (`grid`, of
    `pair_grid`), the `verdict`, and what a ranking has beside its pairs."""

    fit: Contrasts
    grid: pd.DataFrame
    verdict: Verdict
    contestants: pd.DataFrame
    frames: Found
    whole: Mapping

    @property
    def pairs(self) -> pd.DataFrame:
        """Return the pairs that met: their own matches with share (`own`) and test (`p_pair`), and the verdict with its
        one estimate and the difference of strengths."""
        ends = {"low": "difference_low", "high": "difference_high"}
        strengths = self.fit.pairs[["a", "b", "difference", "low", "high"]].rename(columns=ends)
        pairs = self.grid[["a", "b", "n", "wins_a", "wins_b", "ties", "estimate", "p", "p_exact"]]
        pairs = pairs.rename(columns={"estimate": "own", "p": "p_pair"})
        return pairs.merge(estimate_ends(self.verdict.pairs[TOLD]), on=["a", "b"]).merge(strengths, on=["a", "b"])

    def ranking(self, pairs: pd.DataFrame, **whole: Any) -> Ranking:
        """Return the ranking with these pairs, and further things of the whole."""
        tables = {"ranking": self.contestants, "pairs": pairs, "whole": {**self.whole, **whole}}
        return Ranking(Frames.from_tables(tables | self.frames))


def pool_of(
    source: OneSource,
    matches: pd.DataFrame,
    names: Sequence[str],
    probes: Sequence[Probe],
    times: ArrayLike | None = None,
    order: bool | None = True,
    tested: Sequence[str] | None = None,
) -> Pool:
    """Return what the matches of one source say of the contestants `names`, and the verdict on every two.

    Parameters
    ----------
    matches : frame
        See `contrasts`; `order` as there.
    probes : sequence of Probe
        Of the study; those of the matches are made here.
    times : sequence (n,), optional
        When each match was judged.
    tested : sequence of str, optional
        The contestants whose pairs are tested by their own matches, too; by default all.
    """
    if tested is None:
        tested = names
    fit = contrasts(matches, names, order=order, crossed=source.crossed)
    grid = pair_grid(matches, tested, crossed=source.crossed)
    circle = clear_circle(grid)
    misfit = misfit_pvalue(fit)
    if circle and first_place_explains(fit, misfit):
        circle = []
    chosen_probes = [
        probe for probe in pair_probes(fit, circle, misfit, times) if probe.name != "order" or order is not False
    ]
    probes = [*probes, *chosen_probes]
    verdict = verdict_of_matches(fit, circle, grid, probes, source.margin)
    left_out = _rests_on(fit, verdict)
    people = left_out.get("annotators", {})
    if people.get("uneven"):
        probes = [_carried_probe(probe, people) for probe in probes]
    at = pd.Index(fit.names, dtype=object).get_indexer(list(verdict.order))
    contestants = _placed(verdict).assign(score=fit.score[at], strength=fit.strength[at])
    contestants[["score_low", "score_high"]] = fit.score_ci[at]
    contestants[["strength_low", "strength_high"]] = fit.ci[at]
    frames = {
        "unmet": _unmet(verdict),
        "audit": audit.rows_of(probes),
        "too_few": pd.DataFrame(fit.too_few.items(), columns=["bot", "n"]),
    }
    whole = {"matches": True, "circle": circle, "leader": left_out.get("leader"), **people, "margin": source.margin}
    return Pool(fit, grid, verdict, contestants, frames, whole)


def _placed(verdict: Verdict) -> pd.DataFrame:
    """Return the contestants, best first, with their groups, where there are several, and their places."""
    ends = np.array([verdict.places[name] for name in verdict.order], dtype=int).reshape(-1, 2)
    number = {name: i for i, group in enumerate(verdict.groups, start=1) for name in group}
    contestants = pd.DataFrame({"bot": verdict.order, "cluster_first": ends[:, 0], "cluster_last": ends[:, 1]})
    if len(verdict.groups) > 1:
        contestants["group"] = contestants["bot"].map(number)
    return contestants


def _rests_on(contrasts: Contrasts, verdict: Verdict) -> dict:
    """Return on how many annotators the lead rests; {} where nobody leads, or who answered isn't known."""
    unknown = any(probe.name == "annotators" and probe.figures.get("case") == "unknown" for probe in verdict.probes)
    if verdict.leader is None or verdict.circle or unknown:
        return {}
    return leave_one_out(contrasts, verdict.leader)


def _carried_probe(probe: Probe, people: Mapping) -> Probe:
    """Return the probe of who decides with what leaving annotators out says."""
    if probe.name != "decider" or probe.level != GREEN:
        return probe
    return Probe("decider", AMBER, {**probe.figures, **people, "case": "carried"})


def means_of(
    means: Means, probes: Sequence[Probe], less_is_better: bool = False, margin: float | None = None, **whole: Any
) -> Ranking:
    """Return what `rate` says of means with the verdict on every two: places, pairs and audit."""
    probes = [*probes, cluster_probe(means.pairs)]
    verdict = verdict_of_means(means.contestants["bot"].tolist(), means.pairs, probes, less_is_better, margin)
    frames = {
        "ranking": _placed(verdict).merge(means.contestants, on="bot"),
        "pairs": estimate_ends(verdict.pairs.drop(columns=["p_errors", "effective"])),
        "audit": audit.rows_of(probes),
        "whole": {"margin": margin, **whole},
    }
    return Ranking(Frames.from_tables(frames))


def estimate_ends(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with the ends of their interval under the estimate's name."""
    return pairs.rename(columns={"low": "estimate_low", "high": "estimate_high"})


def headline(ranking: Ranking, noun: str = "contestants") -> list[str]:
    """Return who is ahead, the answer first, then what it rests on and what limits it, a sentence each."""
    why = ranking.why
    if not ranking.order:
        return [f"There is no order: {why or 'nobody has enough answers to be ranked'}."]
    text = _answer(ranking, noun)
    if ranking.several_groups:
        within = [sentence.rstrip(".") for sentence in text[:NAMED]]
        if len(text) > NAMED:
            within.append(f"{len(text) - NAMED:,} more groups")
        whole = "; ".join(within).replace("There is", "there is", 1).replace("It is not known", "it is not known", 1)
        fall = f"The {noun} fall into {len(ranking.groups)} groups that never met"
        text = [f"{fall}, so no order of all is known: {whole}."]
    if ranking.too_few:
        text.append(too_few_sentence(ranking))
    text += _carried(ranking)
    red = _nothing_known(ranking)
    if why and (red is None or red["probe"] != "clusters"):
        text.append(f"Note: {why}.")
    return text


def _answer(ranking: Ranking, noun: str) -> list[str]:
    """Return who is ahead, a sentence for each group; or why nobody is."""
    order = ranking.order
    if len(order) == 1:
        return [_begun(f"{who(order[0])} alone can be ranked, so there is nobody to compare with.")]
    if ranking.circle:
        return [f"There is no single order: {audit.beats(ranking.circle)}."]
    red = _nothing_known(ranking)
    if red is not None:
        why = audit.seen(red)
        return [f"It is not known who is better: {why[:1].lower()}{why[1:]}.", *_this_person(red, ranking)]
    return [_begun(_ahead(ranking, group, noun)) for group in ranking.groups if len(group) > 1]


def _nothing_known(ranking: Ranking) -> Mapping | None:
    """Return the red probe that takes all verdicts away; None where some pair is known or nothing red says why not."""
    pairs = ranking.every_pair
    if not pairs or any(pair["verdict"] != UNKNOWN for pair in pairs):
        return None
    reasons = {pair["reason"] for pair in pairs}
    return next((row for row in audit.of_level(ranking.audit, RED) if row["probe"] in reasons), None)


def _this_person(red: Mapping, ranking: Ranking) -> list[str]:
    """Return in which order the only annotator's answers put the contestants; [] where some are equal in them."""
    names = ranking.order[:NAMED]
    values = [ranking.contestants[name]["score"] for name in names]
    scores = {round(value, 6) for value in values if all_known(value)}
    if red["figures"].get("case") != "one" or len(scores) < len(names):
        return []
    return [f"In this person's answers the order is {', '.join(map(who, names))}."]


def pair_verdict(ranking: Ranking, first: str, second: str) -> Mapping:
    """Return the row of two contestants, turned so that `first` is its a; {} where there is none."""
    for row in ranking.every_pair:
        if (row["a"], row["b"]) == (first, second):
            return row
        if (row["b"], row["a"]) == (first, second):
            return _turned(row, int(ranking.of_matches))
    return {}


def _turned(row: Mapping, whole: int) -> dict:
    """Return a pair's row seen from its second contestant; the estimates of both add up to `whole`."""
    turned = {**row, "a": row["b"], "b": row["a"]}
    turned["verdict"] = {BETTER: WORSE, WORSE: BETTER}.get(row["verdict"], row["verdict"])
    for name, other in (("", ""), ("_low", "_high"), ("_high", "_low")):
        value = row[f"estimate{other}"]
        if value is not None:
            value = whole - value
        turned[f"estimate{name}"] = value
    return turned


def reason_of(ranking: Ranking, row: Mapping) -> str:
    """Return why the verdict on a pair is not known, in a sentence; "" where it is known."""
    texts = {probe["probe"]: probe["text"] for probe in ranking.audit if probe["level"] != GREEN}
    reason = row.get("reason")
    if not reason:
        return ""
    return texts.get(reason) or NOT_KNOWN.get(reason, "too little was answered")


def summarise(result: Result) -> list[str]:
    """Return who is ahead on the main question of several, and how many pairs are clear."""
    main = main_ranking(result.frames)
    sentences = headline(main)
    if not main.order and not main.why:
        return []
    if not main.order:
        return sentences
    question = ""
    if len(by_criterion(result.frames)) > 1:
        question = plainly(main.whole["question"])
    return [*sentences, Counts(f"{clearly(main, question)}.")]


def single_order(ranking: Ranking) -> bool:
    """Return whether one order of all contestants of a ranking can be told."""
    return len(ranking.groups) == 1 and not ranking.circle


def _names_shortened(names: Sequence[str]) -> str:
    """Up to `NAMED` names, and how many others."""
    return named_first(list(map(who, names)))


def _ahead(ranking: Ranking, group: Sequence[str], noun: str) -> str:
    """Return who is ahead in one group of contestants that met."""
    best = [name for name in group if ranking.contestants[name]["cluster_first"] == 1]
    if len(best) == 1:
        return _leads(ranking, best[0], group)
    everybody = f"The {noun}"
    within = ""
    if ranking.several_groups:
        everybody = _names_shortened(group)
        within = f" among {everybody}"
    names = everybody
    if len(best) < len(group):
        names = f"At the top{within}, {_names_shortened(best)}"
    inside = [row for row in ranking.every_pair if row["a"] in best and row["b"] in best]
    pairs = len(best) * (len(best) - 1) // 2
    if sum(row["verdict"] == EQUAL for row in inside) == pairs:
        return f"{names} are {equal_within(ranking)}{_given(ranking)}."
    unknown = [row for row in inside if row["verdict"] == UNKNOWN and _stays_unknown(ranking, row)]
    if len(unknown) == pairs:
        why = reason_of(ranking, unknown[0]).rstrip(".")
        open_question = f"ho of {_names_shortened(best)} is better{within} is not known: {why}."
        ahead = [name for name in best if _beats_all_met(ranking, name, group)]
        if not ahead:
            return f"W{open_question}"
        beat = "is ahead of all it met" if len(ahead) == 1 else "are ahead of all they met"
        return f"{_names_shortened(ahead)} {beat}; w{open_question}"
    if names == everybody:
        return f"{everybody} can't be told apart by these data."
    return f"{_names_shortened(best)} can't be told apart at the top{within}; more data are needed."


def _leads(ranking: Ranking, name: str, group: Sequence[str]) -> str:
    """Return that one contestant is ahead of all others of its group, or of which, and on what that rests."""
    rows = {other: pair_verdict(ranking, name, other) for other in group if other != name}
    behind = [other for other, row in rows.items() if row.get("verdict", BETTER) == BETTER]
    open_ = [other for other in rows if other not in behind]
    linked = [other for other in behind if not rows[other].get("n", 1)]
    score = ranking.contestants[name]["score"]
    whole = not (ranking.several_groups or open_)
    rest = "all others"
    if not whole:
        rest = _names_shortened(behind)
    verb = "are" if name == HUMAN else "is"
    text = f"{who(name)} {verb} ahead of {rest}"
    if linked:
        text += f" (of {_names_shortened(linked)} by their matches with others)"
    interval = ranking.ends(name, "score")
    if whole and ranking.of_matches and score is not None:
        text += f", with {percent(score)} of the points{in_brackets(interval, prefix=INTERVAL)}"
    elif whole and score is not None and "human_share" not in ranking.contestants[name]:
        text += f", with a mean of {number(score, 1)}{in_brackets(interval, partial(number, digits=1), INTERVAL)}"
    text += _given(ranking)
    if open_:
        text += f", but not surely of {_names_shortened(open_)}"
    return f"{text}."


def _given(ranking: Ranking) -> str:
    """Return the first condition under which the verdicts stand, as a sentence ends with it."""
    return "".join(f", {condition}" for condition in audit.conditions(ranking.audit)[:1])


def equal_within(ranking: Ranking) -> str:
    """Return that contestants are equal, and within which margin."""
    margin = ranking.whole["margin"]
    size = f"a difference of {margin:g}"
    if ranking.of_matches:
        size = f"{50 - 100 * margin:g}% to {50 + 100 * margin:g}% of decided matches won"
    return f"equal within the declared margin ({size})"


def _stays_unknown(ranking: Ranking, row: Mapping) -> bool:
    """Return whether a pair's verdict isn't known for a reason that more answers don't mend."""
    reason = row["reason"]
    red = {probe["probe"] for probe in audit.of_level(ranking.audit, RED)}
    return reason in red or (reason in NOT_KNOWN and reason != "clusters")


def _beats_all_met(ranking: Ranking, name: str, group: Sequence[str]) -> bool:
    """Return whether a contestant is better than each that it met."""
    rows = [pair_verdict(ranking, name, other) for other in group if other != name]
    return all(row["verdict"] == BETTER for row in rows if row and row.get("n"))


def _begun(text: str) -> str:
    """A sentence that may begin with people, who are no contestant's name."""
    if text.startswith(who(HUMAN)):
        return upper_first(text)
    return text


def _carried(ranking: Ranking) -> list[str]:
    """Return whether the leader's lead holds without any one annotator."""
    whole = ranking.whole
    if not whole.get("total"):
        return []
    lead = "The lead"
    if ranking.several_groups:
        lead = f"The lead of {who(whole['leader'])}"
    if not whole["carry"]:
        return [f"{lead} holds without any one of {whole['total']:,} annotators."]
    part = part_of(whole["carry"], whole["total"], "annotator", "takes", "take")
    how = "rests on few" if whole.get("uneven") else "is narrow"
    return [f"{lead} {how}: {part} it away, left out one at a time."]


def pair_counts(ranking: Ranking) -> dict:
    """Return how many pairs there are: `all`, `tested`, `clear`, `equal`, that `met`, `linked` by others alone.

    A ranking of very many contestants holds these counts, since not all of its pairs are in it.
    """
    columns = ["n", "p", "p_adjusted", "verdict"]
    return ranking.frames.one("pair_counts") or counts_of(pd.DataFrame(ranking.every_pair, columns=columns))


def counts_of(pairs: pd.DataFrame) -> dict:
    """Return what `pair_counts` tells of rows of pairs: n, p, p_adjusted, verdict."""
    adjusted = pairs["p_adjusted"].astype(float)
    unmet = pairs["n"] == 0
    counts = {
        "all": pairs["n"].notna(),
        "tested": adjusted.notna(),
        "clear": adjusted < LEVEL,
        "equal": pairs["verdict"] == EQUAL,
        "met": ~unmet,
        "linked": unmet & pairs["p"].notna(),
    }
    return {name: int(each.sum()) for name, each in counts.items()}


def clearest_pair(frames: Frames) -> dict | None:
    """Return the pair with the smallest p over all criteria; None where none differs clearly."""
    pairs = [row for row in frames.rows("pairs") if all_known(row.get("p_adjusted_all"))]
    clear = [row for row in pairs if row["p_adjusted_all"] < LEVEL]
    if not clear:
        return None
    return min(clear, key=lambda row: (row["p_adjusted_all"], -abs(row["estimate"]), row["label"], row["a"], row["b"]))


def clearly(ranking: Ranking, criterion: str = "") -> str:
    """Return how many of the pairs differ clearly, in a `criterion` where several are asked, and of how many nothing is
    known."""
    counts = pair_counts(ranking)
    if not counts["tested"]:
        return "No verdict on any pair"
    unknown = counts["all"] - counts["tested"]
    text = f"{pairs_apart(counts['clear'], counts['tested'], unknown)} clearly"
    if criterion:
        text += f" in {criterion}"
    if counts["tested"] > 1:
        if equal := counts.get("equal"):
            verb = "is" if equal == 1 else "are"
            text += f", and {equal:,} {verb} equal within the margin"
        text += f" (adjusted for {counts['tested']:,} tests)"
    if unknown:
        text += f"; of {unknown:,} more nothing is known"
    return text


TOLD = ["a", "b", "p", "p_adjusted", "verdict", "reason", "rests_on", "estimate", "low", "high"]
"""What a row of a pair has of its verdict."""


def _unmet(verdict: Verdict) -> pd.DataFrame:
    """Return the pairs that never met but are linked by others."""
    unmet = verdict.pairs[(verdict.pairs["n"] == 0) & verdict.pairs["p"].notna()]
    return estimate_ends(unmet[TOLD]).assign(wins_a=0, wins_b=0, ties=0, n=0)
