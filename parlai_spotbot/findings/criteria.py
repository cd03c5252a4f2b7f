"""Rankings by one criterion or several, as surveys of choices, ratings, behaviours and votes have them: in words, as a
chart, as tables, as rows, and in the lines of the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scipy.special import expit

from parlai_spotbot.findings.finding import Result, Rows, cautioned_card, flat
from parlai_spotbot.findings.sections import Card, Chart, Name, Section, Table, bar, clusters
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import (
    NAMED,
    counted,
    interval,
    known,
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
    best = next((name for name in main["order"] if main["score"][name] is not None), None)
    sentence = ""
    if best is not None:
        show = percent if share else number
        score, ci = show(main["score"][best]), to(main["score_ci"][best], show)
        alone = main["clusters"][best][1] == 1
        sentence = f"First in {plainly(own['question'])}: {who(best)}, with {score}{ci}"
        sentence += "." if alone or len(main["order"]) == 1 else ", but not apart from all others."
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
    """Describe the clearest pair, effect, direction and uncertainty, of those with decided choices."""
    tested = [pair for pair in found["pairs"] if None not in (pair["p_adjusted"], pair["estimate"])]
    if share:  # who was never chosen between is compared by others alone
        tested = [pair for pair in tested if pair["difference"] is not None and pair["wins_a"] + pair["wins_b"]]
    if not tested:
        return "No pair can be tested."
    if share:
        return _clearest_choice(min(tested, key=lambda pair: (pair["p_adjusted"], -abs(pair["difference"]))))
    pair = min(tested, key=lambda pair: (pair["p_adjusted"], -abs(pair["estimate"])))
    a, b, ends = pair["a"], pair["b"], pair["ci"]
    if pair["estimate"] < 0:
        a, b, ends = b, a, [-ends[1], -ends[0]] if known(ends) else ends
    text = f"{number(abs(pair['estimate']))} points in favour of {who(a)} over {who(b)} ("
    text += f"{interval(ends, 2, share=False)}, " if known(ends) else ""
    return f"{_how_clear(pair)}: {text}n = {pair['n']:,}, adjusted {p_said(pair['p_adjusted'])})."


def _how_clear(pair: Mapping) -> str:
    return "The clearest difference" if pair["p_adjusted"] < 0.05 else "No difference is clear; the nearest to it"


def _clearest_choice(pair: Mapping) -> str:
    """Describe a pair by the test of all choices, estimate and interval by the same model; then its own choices."""
    a, b, sides, difference = pair["a"], pair["b"], ("wins_a", "wins_b"), pair["difference"]
    ends = [expit(end) for end in pair["difference_ci"]] if known(pair.get("difference_ci")) else pair.get("ci")
    if difference < 0:
        a, b, sides, difference = b, a, sides[::-1], -difference
        ends = [1 - ends[1], 1 - ends[0]] if known(ends) else None
    won, total = pair[sides[0]], pair["wins_a"] + pair["wins_b"]
    sure = f"{interval(ends)}, " if known(ends) and ends[0] <= expit(difference) <= ends[1] else ""
    return (
        f"{_how_clear(pair)}: by all choices together {who(a)} would be chosen over {who(b)} in "
        f"{percent(expit(difference))} of decided choices ({sure}adjusted {p_said(pair['p_adjusted'])}). Of those "
        f"between the two, {won:,} of {total:,} {'is' if won == 1 else 'are'} for {who(a)}."
    )


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
        f"{'no score' if found['score'].get(bot) is None else number(found['score'][bot])}"
        f"{to(found['score_ci'].get(bot), number)}"
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
