"""Rankings by one criterion or several, as surveys of choices, ratings, behaviours and votes have them: in words, as a
chart, as tables, as rows, and in the lines of the terminal."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.choices import clear_circle
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, leave_one_out
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.scarce import too_few_sentence
from parlai_spotbot.findings.schema import Column
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import INTERVAL, NAMED, counted, listed, part_of, percent, plainly, to, upper_first, who

LEVEL = 0.05

PLACES = Column("places", "Places", key="clusters")
WHO_BEATS_WHOM = {
    "a": Column("name", "Contestant"),
    "b": Column("name", "Over"),
    "n": Column("count", "n"),
    "wins_a": Column("count", "Wins"),
    "wins_b": Column("count", "Losses"),
    "ties": Column("count", "Ties"),
}
"""First columns of a table of pairs of choices."""


def pool_of(contrasts: Contrasts, matches: pd.DataFrame, grid: Sequence[dict], **options) -> dict:
    """Return what a ranking by contrasts says of the pool as a whole.

    Parameters
    ----------
    matches : frame
        Those of `contrasts`, which was made with `options`.
    grid : sequence of dict
        The rows of `pair_grid`: each pair's own matches and their test.

    Returns
    -------
    dict
        `order`, `clusters` {name: [first, last place]}, `score`, `score_ci`, `strength` {name: {strength, ci}};
        `groups` (lists of names that met, directly or through others, best first), `group` {name: number} where there
        are several, `too_few` {name: matches} of those who aren't ranked, `order_effect` {estimated, share of matches
        in pairs seen in both orders}, `one_scale` {circle (see `clear_circle`), rejected}, `leave_one_out`
        (see there). Where one scale is rejected all places of a group are open, and the order is by points.
    """
    circle = clear_circle(grid)
    place = {name: i for i, name in enumerate(contrasts.names)}
    order = contrasts.ranked
    if circle:
        points = {name: np.nan_to_num(contrasts.score[place[name]]) for name in order}
        order = sorted(order, key=lambda name: (contrasts.group[place[name]], -round(points[name], 12)))
    sizes = [len(group) for group in contrasts.groups]
    places = {name: contrasts.places[place[name]].tolist() for name in order}
    if circle:
        places = {name: [1, sizes[contrasts.group[place[name]]]] for name in order}
    return {
        "order": order,
        "clusters": places,
        "score": {name: contrasts.score[place[name]] for name in order},
        "score_ci": {name: contrasts.score_ci[place[name]].tolist() for name in order},
        "strength": {
            name: {"strength": contrasts.strength[place[name]], "ci": contrasts.ci[place[name]].tolist()}
            for name in order
        },
        "groups": [[name for name in order if name in group] for group in map(set, contrasts.groups)],
        "group": {name: contrasts.group[place[name]] + 1 for name in order} if len(contrasts.groups) > 1 else {},
        "too_few": contrasts.too_few,
        "order_effect": {"estimated": bool(np.isfinite(contrasts.order[0])), "share": contrasts.order_share},
        "one_scale": {"circle": circle, "rejected": bool(circle)},
        "leave_one_out": {} if circle else leave_one_out(matches, contrasts, **options),
    }


def headline(ranking: Mapping, noun: str = "contestants") -> list[str]:
    """Return who is ahead, the answer first, then what it rests on and what limits it, a sentence each.

    `ranking` is a ranking made by `pool_of`, or one of means, which has `order`, `clusters` and `why` only.
    """
    order = ranking["order"]
    if not order:
        return [f"There is no order: {ranking.get('why') or 'nobody has enough answers to be ranked'}."]
    groups = ranking.get("groups") or [order]
    if len(order) == 1:
        text = [_begun(f"{who(order[0])} alone can be ranked, so there is nobody to compare with.")]
    elif _rejected(ranking):
        text = [_no_order(ranking)]
    else:
        text = [_ahead(ranking, group, noun, len(groups) > 1) for group in groups if len(group) > 1]
    if len(groups) > 1:
        more = [f"{len(text) - NAMED:,} more groups"] if len(text) > NAMED else []
        within = "; ".join([*(sentence.rstrip(".") for sentence in text[:NAMED]), *more])
        within = within.replace("There is", "there is", 1) if _rejected(ranking) else within
        text = [f"The {noun} fall into {len(groups)} groups that never met, so no order of all is known: {within}."]
    if ranking.get("too_few"):
        text.append(too_few_sentence(ranking))
    return text + _carried(ranking, len(groups) > 1) + ([f"Note: {ranking['why']}."] if ranking.get("why") else [])


def summarise(result: Result) -> list[str]:
    """Return who is ahead on the main question of several, and how many pairs are clear."""
    data = result.data
    main = data["criteria"][data["question"]]
    first, *others = headline(main)
    if not main["order"]:
        return [first] if main.get("why") else []
    question = plainly(data["question"]) if len(data["criteria"]) > 1 else ""
    return [first, *others, f"{clearly(main, question)}."]


def _rejected(ranking: Mapping) -> bool:
    """Return whether one scale of strengths is rejected."""
    return bool((ranking.get("one_scale") or {}).get("rejected"))


def single_order(ranking: Mapping) -> bool:
    """Return whether one order of all contestants of a ranking can be told."""
    return len(ranking.get("groups") or [()]) == 1 and not _rejected(ranking)


def _some(names: Sequence[str]) -> str:
    """Up to `NAMED` names, and how many others."""
    more = [counted(len(names) - NAMED, "other")] if len(names) > NAMED else []
    return listed([*map(who, names[:NAMED]), *more])


def _ahead(ranking: Mapping, group: Sequence[str], noun: str, several: bool) -> str:
    """Return who is ahead in one group of contestants that met."""
    best = [name for name in group if ranking["clusters"][name][0] == 1]
    if len(best) == len(group):
        return f"{_some(group) if several else f'The {noun}'} can't be told apart by these data."
    if len(best) > 1:
        within = f" among {_some(group)}" if several else ""
        return _begun(f"{_some(best)} can't be told apart at the top{within}; more data are needed.")
    name, score = best[0], (ranking.get("score") or {}).get(best[0])
    points, rest = "", _some([other for other in group if other != name]) if several else "all others"
    if ranking.get("groups") and score is not None and not several:
        points = f", with {percent(score)} of the points{to(ranking['score_ci'].get(name), prefix=INTERVAL)}"
    return _begun(f"{who(name)} {'are' if name == HUMAN else 'is'} ahead of {rest}{points}.")


def _begun(text: str) -> str:
    """A sentence that may begin with people, who are no contestant's name."""
    return upper_first(text) if text.startswith(who(HUMAN)) else text


def _no_order(ranking: Mapping) -> str:
    """Return who beats whom in a circle."""
    circle = ranking["one_scale"]["circle"]
    beats = [f"{who(a)} beats {who(b)}" for a, b in zip(circle, [*circle[1:], *circle[:1]], strict=True)]
    return f"There is no single order: {', '.join(beats)}."


def _carried(ranking: Mapping, several: bool) -> list[str]:
    """Return whether the leader's lead holds without any one annotator."""
    left = ranking.get("leave_one_out") or {}
    count, total, carry = (left.get("annotators", {}).get(name, 0) for name in ("tried", "total", "carry"))
    if not count:
        return []
    lead = f"The lead of {who(left['leader'])}" if several else "The lead"
    part = f"{count:,} annotators" if count == total else f"the {count:,} most influential of {total:,} annotators"
    if not carry:
        return [f"{lead} holds without any one of {part}."]
    return [f"{lead} rests on few: without any one of {carry:,} of {part} it is no longer sure."]


def pair_counts(data: Mapping) -> dict:
    """Return how many pairs there are: `all`, `tested`, `clear`, that `met`, that are `linked` by others alone.

    A ranking of very many contestants holds these counts, since not all of its pairs are in it.
    """
    pairs, p = data["pairs"], [pair["p_adjusted"] for pair in data["pairs"] if pair["p_adjusted"] is not None]
    met = [pair["p"] is not None for pair in pairs if not pair["n"]]
    every = {
        "all": len(pairs),
        "tested": len(p),
        "clear": sum(value < 0.05 for value in p),
        "met": len(pairs) - len(met),
    }
    return data.get("pair_counts") or {**every, "linked": sum(met)}


def clearly(data: Mapping, criterion: str = "") -> str:
    """Return how many of the pairs that can be compared differ clearly, in a `criterion` where several are asked."""
    counts = pair_counts(data)
    if not counts["tested"]:
        return "No pair can be tested"
    what = part_of(counts["clear"], counts["tested"], "pair", "differs", "differ")
    rest = f"; {counts['all'] - counts['tested']:,} can't be tested" if counts["tested"] < counts["all"] else ""
    by = f" in {criterion}" if criterion else ""
    return f"{what} clearly{by} (adjusted for {counted(counts['tested'], 'test')}){rest}"


def with_contrasts(grid: Sequence[dict], fit: Contrasts, alone: bool) -> list[dict]:
    """The rows of `pair_grid` with the difference that all choices together tell of, and its p and p_adjusted.

    The pair's own p is `p_pair`. With `alone`, where no one scale fits, p and p_adjusted are of the pair's own choices.
    """
    pair_by_names = {(row["a"], row["b"]): row for row in fit.pairs.to_dict(orient="records")}
    rows = []
    for row in grid:
        model = pair_by_names[row["a"], row["b"]]
        rows.append(
            {
                **row,
                "p_pair": row["p"],
                "difference": model["difference"],
                "difference_ci": (model["low"], model["high"]),
                "p": row["p"] if alone else model["p"],
                "p_adjusted": row["p_adjusted"] if alone else model["p_adjusted"],
            }
        )
    return rows
