"""Rankings by one criterion or several, as surveys of choices, ratings, behaviours and votes have them: in words, as a
chart, as tables, as rows, and in the lines of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from parlai_spotbot.findings.finding import Result, Rows, cautioned_card, flat
from parlai_spotbot.findings.sections import Card, Chart, Name, Section, Table, bar, clusters
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import (
    NAMED,
    counted,
    interval,
    listed,
    number,
    p_said,
    p_value,
    part_of,
    percent,
    plainly,
    span,
    to,
    upper_first,
    who,
)

LONG = 12
"""Longer tables start folded."""


def order_sentences(found: dict) -> list[str]:
    """Who comes first, and how many pairs are clear."""
    order = found["order"]
    if not order:
        return ["No two contestants were compared."]
    together = [name for name in order if found["clusters"][name][0] == 1]
    text = []
    if len(together) == len(order) > 1:
        text.append("No contestant is surely better than another.")
    elif len(together) > 1:
        named = listed([who(name) for name in together])
        text.append(f"{named} can't be told apart at the top: none is surely worse than another.")
    else:
        text.append(f"First, apart from all others: {who(order[0])}.")
    text.append(f"{_clearly(found)} (adjusted for {counted(len(found['pairs']), 'test')}).")
    return text + ([f"Note: {found['why']}."] if "why" in found else [])


def _clearly(found: dict) -> str:
    """How many pairs differ clearly."""
    clear = sum(pair["p_adjusted"] is not None and pair["p_adjusted"] < 0.05 for pair in found["pairs"])
    return f"{part_of(clear, len(found['pairs']), 'pair', 'differs', 'differ')} clearly"


def score_chart(name: str, title: str, own: dict, share: bool, reference: float | None) -> Chart:
    """A forest of the scores of all questions."""
    rows = []
    for question, found in own["criteria"].items():
        for bot in found["order"]:
            low, high = found["score_ci"][bot]
            rows.append(
                {
                    "label": Name(bot),
                    "estimate": found["score"][bot],
                    "low": low,
                    "high": high,
                    "group": plainly(question),
                }
            )
    if len(own["criteria"]) == 1:
        rows = [{key: value for key, value in row.items() if key != "group"} for row in rows]
    axis = "share of wins" if share else "mean rating"
    main = own["criteria"][own["question"]]
    best = main["order"][0] if main["order"] else None
    sentence = ""
    if best is not None:
        score = percent(main["score"][best]) if share else number(main["score"][best])
        sentence = (
            f"First in {plainly(own['question'])}: {who(best)}, with {score} "
            f"({interval(main['score_ci'][best], 0 if share else 2, share)})."
        )
    caption = f"Each point is a contestant's {own['criterion']}; lines are 95 % intervals."
    return Chart(name, "forest", title, caption, {"rows": rows, "reference": reference, "x": axis}, sentence)


def order_table(own: dict, share: bool) -> Table:
    """One row a question and contestant."""
    rows = []
    for question, found in own["criteria"].items():
        for bot in found["order"]:
            score = percent(found["score"][bot], 1) if share else number(found["score"][bot])
            rows.append(
                (
                    plainly(question),
                    span(found["clusters"][bot]),
                    Name(bot),
                    score,
                    interval(found["score_ci"][bot], 1 if share else 2, share),
                )
            )
    return Table(
        "Order by question" if len(own["criteria"]) > 1 else "Order",
        "A place runs from one more than are surely better to as many as aren't surely worse; all hold at 95 %.",
        ("question", "places", "contestant", "share of wins" if share else "mean", "95 % interval"),
        rows,
        folded=len(rows) > LONG,
        method=f"{own['criterion']}. {own['bootstrap']['how']}.",
        cite=("bradley1952",) if share else (),
    )


def pair_rows(found: dict, share: bool) -> list[tuple[str, ...]]:
    """The rows of a table of pairs."""
    return [
        (
            Name(pair["a"]),
            Name(pair["b"]),
            percent(pair["estimate"], 1) if share else number(pair["estimate"]),
            interval(pair["ci"], 1 if share else 2, share),
            str(pair["n"]),
            p_value(pair["p"]),
            p_value(pair["p_adjusted"]),
        )
        for pair in found["pairs"]
    ]


def clearest(found: dict, share: bool) -> str:
    """A sentence on the clearest pair: effect, direction, uncertainty."""
    known = [pair for pair in found["pairs"] if None not in (pair["p_adjusted"], pair["estimate"])]
    if not known:
        return "No pair can be tested."
    pair = min(known, key=lambda pair: (pair["p_adjusted"], -abs(pair["estimate"] - (0.5 if share else 0))))
    ahead = pair["estimate"] >= (0.5 if share else 0)
    a, b = (pair["a"], pair["b"]) if ahead else (pair["b"], pair["a"])
    ends: Sequence[float | None] = pair["ci"]
    known_ends = None not in ends
    if share:
        value = pair["estimate"] if ahead else 1 - pair["estimate"]
        ends = ends if ahead or not known_ends else [1 - ends[1], 1 - ends[0]]
        said = f"of the decided choices between {who(a)} and {who(b)} {percent(value)} are for {who(a)} ("
        own, other = (pair.get(f"wins_{side}", 0) for side in ("ab" if ahead else "ba"))
        if own + other and percent(own / (own + other)) != percent(value):  # that of a model of everybody's choices
            said = f"{own:,} of {own + other:,} decided choices between {who(a)} and {who(b)} are for {who(a)}"
            said += f"; by all choices together {percent(value)} would be (" if known_ends else " ("
        said += f"{interval(ends)}, " if known_ends else ""
    else:
        ends = ends if ahead or not known_ends else [-ends[1], -ends[0]]
        said = f"{number(abs(pair['estimate']))} points in favour of {who(a)} over {who(b)} ("
        said += f"{interval(ends, 2, share=False)}, " if known_ends else ""
    return f"The clearest difference: {said}n = {pair['n']:,}, adjusted {p_said(pair['p_adjusted'])})."


def rows(data: Mapping) -> Rows:
    """Rows of the tables ranking, ranking_pairs, distribution, shares and cycles."""
    for question, found in data["criteria"].items():
        said = {"question": question}
        for bot in found["order"]:
            (low, high), (first, last) = found["score_ci"][bot], found["clusters"][bot]
            row = {
                "bot": bot,
                "cluster_first": first,
                "cluster_last": last,
                "score": found["score"][bot],
                "score_low": low,
                "score_high": high,
            }
            if "strength" in found:
                row["strength"] = found["strength"][bot]["strength"]
            yield "ranking", {**said, **row}
            if "distribution" in found:
                ends = found["distribution_ci"][bot]
                for value, count, (low, high) in zip(found["scale"], found["distribution"][bot], ends, strict=True):
                    yield (
                        "distribution",
                        {
                            **said,
                            "bot": bot,
                            "rating": value,
                            "count": count,
                            "share": count / found["n"][bot],
                            "share_low": low,
                            "share_high": high,
                        },
                    )
            if "shares" in found:
                shares = dict(found["shares"][bot])
                n = shares.pop("n")
                for what, share in shares.items():
                    yield "shares", {**said, "bot": bot, "outcome": what, **flat(share), "n": n}
        for pair in found["pairs"]:
            yield "ranking_pairs", {**said, **flat(pair)}
        for row in found.get("cycles", {}).get("cycles", []):
            yield "cycles", {**said, **flat(row)}


def lines(result: Result) -> list[str]:
    """The order by each criterion, with scores and intervals."""
    return [line for question, found in result.data["criteria"].items() for line in _order_lines(question, found)]


def _order_lines(question: str, found: dict) -> list[str]:
    lines = [f"  {question}: {found['criterion']}", f"  {'cluster':<8} {'name':<20} {'score':>7}  interval"]
    for bot in found["order"]:
        ci = interval(found["score_ci"][bot], 2, share=False)
        lines.append(f"  {span(found['clusters'][bot]):<8} {bot:<20} {number(found['score'][bot]):>7}  {ci}")
    lines.append(f"  {_clearly(found)} (Holm-adjusted p < 0.05)")
    for key in ("cycles", "fit"):
        if key in found:
            lines.append(f"  {found[key]['sentence']}")
    return lines + ([f"  {found['why']}"] if "why" in found else [])


def card(result: Result) -> Card | None:
    """Places and scores, and who is ahead."""
    own = result.data
    if not own.get("order"):
        return None
    text = [_led(own)] + ([f"Note: {own['why']}."] if own.get("why") else [])
    return cautioned_card(result, replace(by_score(own), text=text))


def by_score(own: Mapping) -> Card:
    """Places and scores: shares from 0 to 100 %, others over the range that they take."""
    scores = {bot: x for bot, x in (own.get("score") or {}).items() if x is not None}
    cis = own.get("score_ci") or {}
    ends = [x for bot in scores for x in (scores[bot], *(e for e in cis.get(bot) or [] if e is not None))]
    shares = all(0 <= x <= 1 for x in ends)
    scale = (0.0, 1.0) if shares or not ends else (min(ends), max(ends))
    bars = {bot: bar(x, cis.get(bot), scale, percent if shares else number) for bot, x in scores.items()}
    return Card(("Score",), clusters(own, {"Score": bars}))


def of_bot(result: Result, bot: str) -> list[Section]:
    """Its places and its score by each criterion."""
    told = [
        f"{plainly(question)}: places {span(found['clusters'][bot])} of {len(found['order'])}, "
        f"{number(found['score'].get(bot))}{to(found['score_ci'].get(bot), number)}"
        for question, found in result.data["criteria"].items()
        if bot in found["order"]
    ]
    return [Section("ranking", "", [f"{upper_first('; '.join(told))}."])] if told else []


def _led(own: Mapping) -> str:
    best = [bot for bot in own["order"] if own["clusters"][bot][0] == 1]
    if len(best) == len(own["order"]) > 1:
        return "No contestant can be told apart from the others."
    named = [who(bot) for bot in best[:NAMED]]
    criterion = f" Ranked by {own['criterion']}." if own.get("criterion") else ""
    if len(best) == 1:
        text = f"{named[0]} {'are' if best[0] == HUMAN else 'is'} ahead of all others."
    else:
        text = f"{listed(named)} can't be told apart at the top."
    return (upper_first(text) if best[0] == HUMAN else text) + criterion
