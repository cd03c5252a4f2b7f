"""Rankings by one criterion or several, as surveys of choices, ratings, behaviours and votes have them: in words, as a
chart, as tables, as rows, and in the lines of the terminal."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.choices import clear_circle
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, leave_one_out
from parlai_spotbot.analysis.verdict.one_scale import misfit_pvalue
from parlai_spotbot.analysis.verdict.probe import AMBER, BETTER, EQUAL, GREEN, RED, UNKNOWN, WORSE, Probe
from parlai_spotbot.analysis.verdict.probes import cluster_probe, first_place_explains, pair_probes
from parlai_spotbot.analysis.verdict.verdict import Verdict, verdict_of_matches, verdict_of_means
from parlai_spotbot.findings import audit
from parlai_spotbot.findings.ordering import no_scale
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.scarce import named_first, too_few_sentence
from parlai_spotbot.findings.schema import known
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import INTERVAL, NAMED, counted, part_of, percent, plainly, to, upper_first, who

LEVEL = 0.05

NOT_KNOWN = {
    "groups": "they never met, nor anybody who links them",
    "too few": "one has too few comparisons to be ranked",
    "clusters": "too few conversations, prompts or annotators say anything of them",
    "circle": "no one scale fits, and they never met",
}
"""Why the verdict on a pair is not known where no probe says it."""


def pool_of(
    contrasts: Contrasts,
    grid: Sequence[dict],
    probes: Sequence[Probe] = (),
    times: ArrayLike | None = None,
    margin: float | None = None,
) -> tuple[dict, Verdict]:
    """Return what a ranking by contrasts says of the pool as a whole, and the verdict on every two.

    Parameters
    ----------
    times : sequence (n,), optional
        When each match of `contrasts` was judged.
    grid : sequence of dict
        The rows of `pair_grid`: each pair's own matches and their test.
    probes : sequence of Probe
        Of the study; those of the matches are made here.
    margin : float, optional
        Within which two are equal, see `verdict_of_matches`.

    Returns
    -------
    dict
        `order`, `clusters` {name: [first, last place]}, `score`, `score_ci`, `strength` {name: {strength, ci}};
        `groups` (lists of names that met, directly or through others, best first), `group` {name: number} where there
        are several, `too_few` {name: matches} of those who aren't ranked, `order_effect` {estimated, share of matches
        in pairs seen in both orders}, `one_scale` {circle (see `clear_circle`), rejected}, `leave_one_out`
        (see there), `audit` (see `findings.audit`), `margin` where there is one.
    """
    circle = clear_circle(grid)
    misfit = misfit_pvalue(contrasts)
    if circle and first_place_explains(contrasts, misfit):
        circle = []
    probes = [*probes, *pair_probes(contrasts, circle, misfit, times)]
    own_tests = _with_ends(grid, ["a", "b", "estimate", "low", "high", "p", "p_adjusted"])
    verdict = verdict_of_matches(contrasts, circle, own_tests, probes, margin)
    left_out = _rests_on(contrasts, verdict)
    people = left_out.get("annotators", {})
    if people.get("uneven"):
        probes = [_carried_probe(probe, people) for probe in probes]
    order = list(verdict.order)
    at = pd.Index(contrasts.names, dtype=object).get_indexer(order)
    number = {name: i for i, group in enumerate(verdict.groups, start=1) for name in group}
    pool = {
        "order": order,
        "clusters": {name: list(verdict.places[name]) for name in order},
        "score": dict(zip(order, contrasts.score[at], strict=True)),
        "score_ci": dict(zip(order, contrasts.score_ci[at].tolist(), strict=True)),
        "strength": {
            name: {"strength": contrasts.strength[i], "ci": contrasts.ci[i].tolist()}
            for name, i in zip(order, at, strict=True)
        },
        "groups": [list(group) for group in verdict.groups],
        "group": {name: number[name] for name in order} if len(verdict.groups) > 1 else {},
        "too_few": contrasts.too_few,
        "order_effect": {"estimated": bool(np.isfinite(contrasts.order[0])), "share": contrasts.order_share},
        "one_scale": {"circle": circle, "rejected": bool(circle)},
        "leave_one_out": left_out,
        "audit": audit.rows_of(probes),
        **_declared(margin),
    }
    return pool, verdict


def _rests_on(contrasts: Contrasts, verdict: Verdict) -> dict:
    """Return on how many annotators the lead rests; {} where nobody leads, or who answered isn't known."""
    unknown = any(probe.name == "annotators" and probe.figures.get("case") == "unknown" for probe in verdict.probes)
    if verdict.leader is None or verdict.circle or unknown:
        return {}
    return leave_one_out(contrasts, verdict.leader)


def _declared(margin: float | None) -> dict:
    """Return the margin as rankings hold it."""
    return {} if margin is None else {"margin": margin}


def _carried_probe(probe: Probe, people: Mapping) -> Probe:
    """Return the probe of who decides with what leaving annotators out says."""
    if probe.name != "decider" or probe.level != GREEN:
        return probe
    return Probe("decider", AMBER, {**probe.figures, **people, "case": "carried"})


def means_of(
    result: Mapping, probes: Sequence[Probe], less_is_better: bool = False, margin: float | None = None
) -> dict:
    """Return what `rate` says of means with the verdict on every two: places, pairs and audit."""
    columns = ["a", "b", "n", "estimate", "low", "high", "se", "p", "p_adjusted", "p_errors", "effective"]
    frame = _with_ends(result["pairs"], columns)
    probes = [*probes, cluster_probe(frame)]
    verdict = verdict_of_means(result["order"], frame, probes, less_is_better, margin)
    pairs = with_ci(verdict.pairs).drop(columns=["p_errors", "effective", "low", "high"]).to_dict(orient="records")
    places = {name: list(verdict.places[name]) for name in result["order"]}
    return {**result, "pairs": pairs, "clusters": places, "audit": audit.rows_of(probes), **_declared(margin)}


def _with_ends(rows: Sequence[dict], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows of pairs as a frame, with the ends of their interval as low and high."""
    return pd.DataFrame([{**row, "low": row["ci"][0], "high": row["ci"][1]} for row in rows], columns=columns)


def with_ci(pairs: pd.DataFrame, name: str = "ci") -> pd.DataFrame:
    """Return the pairs with their interval as one column."""
    return pairs.assign(**{name: list(zip(pairs["low"], pairs["high"], strict=True))})


def headline(ranking: Mapping, noun: str = "contestants") -> list[str]:
    """Return who is ahead, the answer first, then what it rests on and what limits it, a sentence each.

    `ranking` is a ranking made by `pool_of`; other ones have `order`, `clusters` and `why` only.
    """
    order, why = ranking["order"], ranking.get("why")
    if not order:
        return [f"There is no order: {why or 'nobody has enough answers to be ranked'}."]
    groups = ranking.get("groups") or [order]
    text = _answer(ranking, groups, noun)
    if len(groups) > 1:
        within = [sentence.rstrip(".") for sentence in text[:NAMED]]
        if len(text) > NAMED:
            within.append(f"{len(text) - NAMED:,} more groups")
        whole = "; ".join(within).replace("There is", "there is", 1).replace("It is not known", "it is not known", 1)
        text = [f"The {noun} fall into {len(groups)} groups that never met, so no order of all is known: {whole}."]
    if ranking.get("too_few"):
        text.append(too_few_sentence(ranking))
    text += _carried(ranking, len(groups) > 1)
    red = _nothing_known(ranking)
    if why and (red is None or red["probe"] != "clusters"):
        text.append(f"Note: {why}.")
    return text


def _answer(ranking: Mapping, groups: Sequence[Sequence[str]], noun: str) -> list[str]:
    """Return who is ahead, a sentence for each group; or why nobody is."""
    order = ranking["order"]
    if len(order) == 1:
        return [_begun(f"{who(order[0])} alone can be ranked, so there is nobody to compare with.")]
    if no_scale(ranking):
        return [f"There is no single order: {audit.beats(ranking['one_scale']['circle'])}."]
    red = _nothing_known(ranking)
    if red is not None:
        return [f"It is not known who is better. {red['text']}", *_this_person(red, ranking)]
    return [_begun(_ahead(ranking, group, noun, len(groups) > 1)) for group in groups if len(group) > 1]


def _nothing_known(ranking: Mapping) -> Mapping | None:
    """Return the red probe that takes all verdicts away; None where some pair is known or nothing red says why not."""
    pairs = every_pair(ranking)
    if not pairs or any(pair.get("verdict") != UNKNOWN for pair in pairs):
        return None
    reasons = {pair["reason"] for pair in pairs}
    return next((row for row in audit.of_level(ranking, RED) if row["probe"] in reasons), None)


def _this_person(red: Mapping, ranking: Mapping) -> list[str]:
    """Return in which order the only annotator's answers put the contestants; [] where some are equal in them."""
    names = ranking["order"][:NAMED]
    scores = {round(ranking["score"][name], 6) for name in names if known(ranking["score"].get(name))}
    if red["figures"].get("case") != "one" or len(scores) < len(names):
        return []
    return [f"In this person's answers the order is {', '.join(map(who, names))}."]


def every_pair(ranking: Mapping) -> list[Mapping]:
    """Return the pairs of a ranking, those that never met but are linked by others among them."""
    return [*(ranking.get("pairs") or ()), *(ranking.get("unmet") or ())]


def pair_verdict(ranking: Mapping, first: str, second: str) -> Mapping:
    """Return the row of two contestants, turned so that `first` is its a; {} where there is none."""
    for row in every_pair(ranking):
        if {row["a"], row["b"]} == {first, second}:
            return row if row["a"] == first else _turned(row, int("groups" in ranking))
    return {}


def _turned(row: Mapping, whole: int) -> dict:
    """Return a pair's row seen from its second contestant; the estimates of both add up to `whole`."""

    def other(value: float | None) -> float | None:
        return None if value is None else whole - value

    low, high = row.get("ci") or (None, None)
    verdict = row.get("verdict", "")
    return {
        **row,
        "a": row["b"],
        "b": row["a"],
        "estimate": other(row.get("estimate")),
        "ci": [other(high), other(low)],
        "verdict": {BETTER: WORSE, WORSE: BETTER}.get(verdict, verdict),
    }


def reason_of(ranking: Mapping, row: Mapping) -> str:
    """Return why the verdict on a pair is not known, in a sentence; "" where it is known."""
    texts = {probe["probe"]: probe["text"] for probe in ranking.get("audit") or () if probe["level"] != GREEN}
    reason = row.get("reason")
    if not reason:
        return ""
    return texts.get(reason) or NOT_KNOWN.get(reason, "too little was answered")


def summarise(result: Result) -> list[str]:
    """Return who is ahead on the main question of several, and how many pairs are clear."""
    data = result.data
    main = data["criteria"][data["question"]]
    first, *others = headline(main)
    if not main["order"]:
        return [first] if main.get("why") else []
    question = plainly(data["question"]) if len(data["criteria"]) > 1 else ""
    return [first, *others, f"{clearly(main, question)}."]


def single_order(ranking: Mapping) -> bool:
    """Return whether one order of all contestants of a ranking can be told."""
    return len(ranking.get("groups") or [()]) == 1 and not no_scale(ranking)


def _some(names: Sequence[str]) -> str:
    """Up to `NAMED` names, and how many others."""
    return named_first(list(map(who, names)))


def _ahead(ranking: Mapping, group: Sequence[str], noun: str, several: bool) -> str:
    """Return who is ahead in one group of contestants that met."""
    best = [name for name in group if ranking["clusters"][name][0] == 1]
    if len(best) == 1:
        return _leads(ranking, best[0], group, several)
    everybody, within = f"The {noun}", ""
    if several:
        everybody, within = _some(group), f" among {_some(group)}"
    all_best = len(best) == len(group)
    inside = [row for row in every_pair(ranking) if row["a"] in best and row["b"] in best]
    pairs = len(best) * (len(best) - 1) // 2
    if sum(row.get("verdict") == EQUAL for row in inside) == pairs:
        names = everybody if all_best else f"At the top{within}, {_some(best)}"
        return f"{names} are {equal_within(ranking)}{_given(ranking)}."
    unknown = [row for row in inside if row.get("verdict") == UNKNOWN and _stays_unknown(ranking, row)]
    if len(unknown) == pairs:
        why = reason_of(ranking, unknown[0]).rstrip(".")
        open_question = f"ho of {_some(best)} is better{within} is not known: {why}."
        ahead = [name for name in best if _beats_all_met(ranking, name, group)]
        if not ahead:
            return f"W{open_question}"
        beat = "is ahead of all it met" if len(ahead) == 1 else "are ahead of all they met"
        return f"{_some(ahead)} {beat}; w{open_question}"
    if all_best:
        return f"{everybody} can't be told apart by these data."
    return f"{_some(best)} can't be told apart at the top{within}; more data are needed."


def _leads(ranking: Mapping, name: str, group: Sequence[str], several: bool) -> str:
    """Return that one contestant is ahead of all others of its group, or of which, and on what that rests."""
    others = [other for other in group if other != name]
    score = (ranking.get("score") or {}).get(name)
    rest, points = "all others", ""
    rows = {other: pair_verdict(ranking, name, other) for other in others}
    behind = [other for other, row in rows.items() if row.get("verdict", BETTER) == BETTER]
    open_ = [other for other in others if other not in behind]
    if several or open_:
        rest = _some(behind)
    elif ranking.get("groups") and score is not None:
        points = f", with {percent(score)} of the points{to(ranking['score_ci'].get(name), prefix=INTERVAL)}"
    linked = [other for other in behind if not rows[other].get("n", 1)]
    through = f" (of {_some(linked)} by their matches with others)" if linked else ""
    verb = "are" if name == HUMAN else "is"
    whether = ""
    if open_:
        whether = f", but not surely of {_some(open_)}"
    return f"{who(name)} {verb} ahead of {rest}{through}{points}{_given(ranking)}{whether}."


def _given(ranking: Mapping) -> str:
    """Return the first condition under which the verdicts stand, as a sentence ends with it."""
    return "".join(f", {condition}" for condition in audit.conditions(ranking)[:1])


def equal_within(ranking: Mapping) -> str:
    """Return that contestants are equal, and within which margin."""
    margin = ranking["margin"]
    size = f"a difference of {margin:g}"
    if "groups" in ranking:
        size = f"{50 - 100 * margin:g}% to {50 + 100 * margin:g}% of decided matches won"
    return f"equal within the declared margin ({size})"


def _stays_unknown(ranking: Mapping, row: Mapping) -> bool:
    """Return whether a pair's verdict isn't known for a reason that more answers don't mend."""
    reason = row["reason"]
    red = {probe["probe"] for probe in audit.of_level(ranking, RED)}
    return reason in red or (reason in NOT_KNOWN and reason != "clusters")


def _beats_all_met(ranking: Mapping, name: str, group: Sequence[str]) -> bool:
    """Return whether a contestant is better than each that it met."""
    rows = [pair_verdict(ranking, name, other) for other in group if other != name]
    return all(row["verdict"] == BETTER for row in rows if row and row.get("n"))


def _begun(text: str) -> str:
    """A sentence that may begin with people, who are no contestant's name."""
    return upper_first(text) if text.startswith(who(HUMAN)) else text


def _carried(ranking: Mapping, several: bool) -> list[str]:
    """Return whether the leader's lead holds without any one annotator."""
    left = ranking.get("leave_one_out") or {}
    total, carry = (left.get("annotators", {}).get(name, 0) for name in ("total", "carry"))
    if not total:
        return []
    lead = f"The lead of {who(left['leader'])}" if several else "The lead"
    if not carry:
        return [f"{lead} holds without any one of {total:,} annotators."]
    part = part_of(carry, total, "annotator", "takes", "take")
    return [f"{lead} rests on few: {part} it away, left out one at a time."]


def pair_counts(data: Mapping) -> dict:
    """Return how many pairs there are: `all`, `tested`, `clear`, `equal`, that `met`, `linked` by others alone.

    A ranking of very many contestants holds these counts, since not all of its pairs are in it.
    """
    columns = ["n", "p", "p_adjusted", "verdict"]
    return data.get("pair_counts") or counts_of(pd.DataFrame(every_pair(data), columns=columns))


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


def clearly(data: Mapping, criterion: str = "") -> str:
    """Return how many of the pairs differ clearly, in a `criterion` where several are asked, and of how many nothing is
    known."""
    counts = pair_counts(data)
    if not counts["tested"]:
        return "No verdict on any pair"
    what = part_of(counts["clear"], counts["tested"], "pair", "differs", "differ")
    unknown = counts["all"] - counts["tested"]
    rest = f"; of {unknown:,} more nothing is known" if unknown else ""
    by = f" in {criterion}" if criterion else ""
    if equal := counts.get("equal"):
        by += f", and {equal:,} {'is' if equal == 1 else 'are'} equal within the margin"
    return f"{what} clearly{by} (adjusted for {counted(counts['tested'], 'test')}){rest}"


TOLD = ("p", "p_adjusted", "verdict", "reason", "rests_on", "estimate")
"""What a row of a pair has of its verdict, beside the interval."""


def with_verdicts(grid: Sequence[dict], fit: Contrasts, verdict: Verdict) -> list[dict]:
    """The rows of `pair_grid` with the verdict on each pair, its one estimate with interval and test, and the
    difference of strengths; the pair's own p is `p_pair`."""
    strengths = with_ci(fit.pairs, "difference_ci")
    told = with_ci(verdict.pairs).set_index(["a", "b"])[[*TOLD, "ci"]]
    strengths = strengths.set_index(["a", "b"])[["difference", "difference_ci"]]
    found = strengths.join(told).to_dict(orient="index")
    return [{**row, "p_pair": row["p"], "own": row["estimate"], **found[row["a"], row["b"]]} for row in grid]


def unmet_pairs(verdict: Verdict) -> list[dict]:
    """Return the pairs that never met but are linked by others, as rows of verdicts."""
    unmet = verdict.pairs[(verdict.pairs["n"] == 0) & verdict.pairs["p"].notna()]
    rows = unmet[["a", "b", *TOLD]].assign(wins_a=0, wins_b=0, ties=0, n=0)
    return rows.assign(ci=with_ci(unmet)["ci"]).to_dict(orient="records")
