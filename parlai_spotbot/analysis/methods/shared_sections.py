"""Sections of a report that every survey of the common core has: order, agreement, annotators, and what an hour
buys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from parlai_spotbot.analysis.sections import Chart, Name, Section, Table
from parlai_spotbot.wording import NONE, interval, listed, number, p_said, p_value, percent, plainly, span, who

SHOWN = 4
"""A figure of curves shows so many pairs, the closest first."""

LONG = 12
"""Longer tables start folded."""


def citing(make: Callable[[dict, str], list[Section]], *works: str) -> Callable[[dict, str], list[Section]]:
    """`make` with these works, whose survey it is, cited by the first section's figures and tables."""

    def made(analysis: dict, source: str) -> list[Section]:
        first, *others = make(analysis, source)
        charts, tables = (
            [replace(own, cite=(*works, *own.cite)) for own in kind] for kind in (first.charts, first.tables)
        )
        return [replace(first, charts=charts, tables=tables), *others]

    return made


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
    clear = [pair for pair in found["pairs"] if pair["p_adjusted"] is not None and pair["p_adjusted"] < 0.05]
    text.append(
        f"{len(clear)} of {len(found['pairs'])} pairs differ clearly (adjusted for {len(found['pairs'])} tests)."
    )
    return text + ([f"Note: {found['why']}."] if "why" in found else [])


def score_chart(name: str, title: str, own: dict, share: bool, reference: float | None) -> Chart:
    """A forest of the scores of all questions."""
    rows = []
    for question, found in own["criteria"].items():
        for bot in found["order"]:
            low, high = found["score_ci"][bot]
            rows.append({"label": Name(bot), "estimate": found["score"][bot], "low": low, "high": high,
                         "group": plainly(question)})  # fmt: skip
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
            rows.append((plainly(question), span(found["clusters"][bot]), Name(bot), score,
                         interval(found["score_ci"][bot], 1 if share else 2, share)))  # fmt: skip
    return Table(
        "Order by question" if len(own["criteria"]) > 1 else "Order",
        "A place runs from one more than are surely better to as many as aren't surely worse; all hold at 95 %.",
        ("question", "places", "contestant", "share of wins" if share else "mean", "95 % interval"),
        rows,
        folded=len(rows) > LONG,
        method=f"{own['criterion']}. {own['bootstrap']['how']}.",
        cite=("bradley1952",) if share else (),
    )


def agreement_section(analysis: dict) -> list[Section]:
    own = analysis.get("agreement")
    if not own:
        return []
    rows, points = [], []
    for question, found in own["krippendorff_alpha"].items():
        rows.append((plainly(question), number(found["alpha"]), interval(found["ci"], 2, share=False),
                     percent(found["alike"]), str(found["units"])))  # fmt: skip
        if found["alpha"] is not None:
            low, high = found["ci"]
            points.append({"label": plainly(question), "estimate": found["alpha"], "low": low, "high": high})
    table = Table(
        "Agreement between annotators",
        "1 is perfect agreement, 0 what chance would give. Only what was judged by two or more counts.",
        ("question", "alpha", "95 % interval", "answers alike", "judged twice"),
        rows,
        method=f"Krippendorff's alpha, {own['metric']}; intervals over conversations and annotators.",
        cite=("hayes2007",),
    )
    known = [row for row in points if row["estimate"] is not None]
    if not known:
        why = "; ".join(dict.fromkeys(found["why"] for found in own["krippendorff_alpha"].values() if "why" in found))
        return [Section("agreement", "Do annotators agree?", [f"It isn't known: {why or 'nothing was answered'}."])]
    best, worst = max(known, key=lambda r: r["estimate"]), min(known, key=lambda r: r["estimate"])
    sentence = f"Alpha is {number(best['estimate'])} for {best['label']}"
    sentence += f" and {number(worst['estimate'])} for {worst['label']}." if len(known) > 1 else "."
    chart = Chart("agreement", "forest", "Agreement by question", "Lines are 95 % intervals; 0 is what chance gives.",
                  {"rows": points, "reference": 0.0, "x": "Krippendorff's alpha"}, sentence)  # fmt: skip
    several, (text, tables) = len(known) > 1, consensus(own.get("annotator_models", {}))
    noted: dict[str, list[str]] = {}
    for question, found in own["krippendorff_alpha"].items():
        if said := found.get("why") or found.get("note"):
            noted.setdefault(said, []).append(plainly(question))
    text = [f"Of {listed(of)}: {said}." for said, of in noted.items()] + text
    return [
        Section("agreement", "Do annotators agree?", ([] if several else [sentence]) + text,
                [chart] if several else [], [table, *tables])
    ]  # fmt: skip


MODELS = {"dawid_skene": "Dawid and Skene's model", "glad": "GLAD"}


def consensus(own: Mapping[str, dict]) -> tuple[list[str], list[Table]]:
    """What annotator models add to the majority's labels, by question: sentences, and tables."""
    fitted = {q: found for q, found in own.items() if any("why" not in told for told in found["models"].values())}
    if not fitted:
        return [], []
    text, rows = [], []
    for model, name in MODELS.items():
        told = [found["models"][model] for found in fitted.values() if "why" not in found["models"][model]]
        if told:
            differ, of = (sum(entry[key] for entry in told) for key in ("differ", "of"))
            text.append(f"{name} labels {differ} of {of} units otherwise than the majority of their annotators.")
    for question, found in fitted.items():
        cells = [NONE if "why" in told else f"{told['differ']} of {told['of']}" for told in found["models"].values()]
        rows.append((plainly(question), str(found["units"]), str(found["ties"]), *cells))
    labels = Table(
        "Labels by majority and by annotator models",
        "How many units get another label where annotators count by how good they are; only what two or more judged.",
        ("question", "judged twice", "no majority", *(f"otherwise by {name}" for name in MODELS.values())), rows,
        folded=len(rows) > LONG, cite=tuple(CONSENSUS),
        method="Dawid and Skene's model gives each annotator a confusion matrix, GLAD an ability, and each unit a "
        "difficulty. Both take it that each unit has one right label; other figures of this page don't use them.",
    )  # fmt: skip
    return text, [labels, _quality(fitted)]


CONSENSUS = ("dawid1979", "whitehill2009", "ustalov2024")


def _quality(fitted: Mapping[str, dict]) -> Table:
    """How good annotators are, over all questions, by how much they answered."""
    sums: dict[str, dict[str, list[float]]] = {}
    for found in fitted.values():
        for worker, entry in found["annotators"].items():
            for key in ("answers", "majority", "accuracy", "ability"):
                if entry[key] is not None:
                    total = sums.setdefault(worker, {}).setdefault(key, [0.0, 0.0])
                    total[0] += entry["answers"] * (1 if key == "answers" else entry[key])
                    total[1] += entry["answers"]
    means = {worker: {key: a / b for key, (a, b) in own.items()} for worker, own in sums.items()}
    rows = [
        (worker, f"{sums[worker]['answers'][1]:.0f}", percent(own.get("majority")), percent(own.get("accuracy")),
         number(own.get("ability")))
        for worker, own in sorted(means.items(), key=lambda item: item[1].get("accuracy") or 0)
    ]  # fmt: skip
    return Table(
        "How good annotators are by these models",
        "Over all questions, the least likely to be right first. Few answers make uncertain figures.",
        ("annotator", "answers", "as the majority", "likely right", "ability"), rows,
        folded=len(rows) > LONG, cite=tuple(CONSENSUS),
        method="Likely right: by Dawid and Skene's model, on average over answers. Ability: by GLAD; 0 is right half "
        "of the time.",
    )  # fmt: skip


def annotators_section(analysis: dict, source: str) -> list[Section]:
    own = analysis.get("annotators")
    if not own or source != "human":
        return []
    text = [own["summary"]["sentence"]]
    if own["controls"]["answered"]:
        text.append(own["controls"]["sentence"])
    if "with_everybody" in own:
        text.append(own["with_everybody"]["sentence"])
    text += [f"{entry['sentence']} They are in all other figures." for entry in own.get("without", {}).values()]
    rows = [
        (worker, str(row["n"]), number(row["median_seconds"], 0), number(row["hours"], 1),
         f"{row['missed_controls']} of {row['controls']}", row["left_out"], "; ".join(row.get("flags", [])))
        for worker, row in own["annotators"].items()
    ]  # fmt: skip
    table = Table(
        "Annotators",
        "One row an annotator; those who are left out count in no other figure, those flagged in all.",
        ("annotator", "annotations", "median seconds", "hours", "controls missed", "left out, because they", "flags"),
        rows,
        folded=len(rows) > LONG,
    )
    return [Section("annotators", "Who annotated?", text, [], [table])]


def cost_section(analysis: dict) -> list[Section]:
    """Time, and the curve of significance against hours."""
    time, own = analysis.get("time") or {}, analysis.get("cost") or {}
    if not time.get("n"):
        return []
    text = [
        f"An annotation took {number(time['median'], 0)} seconds in the median, {number(time['mean'], 0)} on average; "
        f"all {time['n']} took {number(time['hours'], 1)} hours."
    ]
    curves = own.get("curves", [])
    if not curves:
        return [Section("cost", "What does it cost?", text)]
    shares = "annotations_per_conversation" not in own
    middle = 0.5 if shares else 0.0
    closest = sorted(curves, key=lambda curve: abs(curve["effect"] - middle))
    series = [
        {"label": f"{who(curve['a'])} – {who(curve['b'])}", "x": curve["hours"], "y": curve["power"],
         "low": curve["low"], "high": curve["high"]}
        for curve in closest[:SHOWN]
    ]  # fmt: skip
    reached = [curve for curve in curves if curve["needed"] is not None]
    sentence = (
        f"For {len(reached)} of {len(curves)} pairs a chance of 80 % is reached within "
        f"{number(max(curves[0]['hours']), 1)} hours, if their difference is what was found here."
    )
    chart = Chart(
        "cost",
        "lines",
        "Chance of a significant result by hours of annotation",
        f"One line a pair, the closest {len(series)} of {len(curves)}; bands go from the nearer to the farther end of "
        "the difference's 95 % interval. One test at 0.05, without correction for further pairs.",
        {"series": series, "x": "person-hours", "y": "chance of p < 0.05", "steps": False, "log_x": True,
         "reference": 0.8},
        sentence,
        method="Further studies of every size are drawn with replacement from what was found, or reckoned exactly "
        "where choices are independent; an annotation takes the mean time of this study.",
    )  # fmt: skip
    rows = [
        (Name(curve["a"]), Name(curve["b"]), percent(curve["effect"]) if shares else number(curve["effect"]),
         interval(curve["interval"], 0 if shares else 2, shares),
         number(curve["needed"], 1) if curve["needed"] is not None else f"more than {number(max(curve['hours']), 1)}")
        for curve in closest
    ]  # fmt: skip
    table = Table(
        "Hours to a chance of 80 %",
        "If the difference is what was found. Where its interval holds no difference, any number may be too small.",
        ("contestant", "against", "effect", "95 % interval", "hours"),
        rows,
        folded=len(rows) > LONG,
    )
    return [Section("cost", "What does an hour buy?", text, [chart], [table])]


def pair_rows(found: dict, share: bool) -> list[tuple[str, ...]]:
    """The rows of a table of pairs."""
    return [
        (Name(pair["a"]), Name(pair["b"]), percent(pair["estimate"], 1) if share else number(pair["estimate"]),
         interval(pair["ci"], 1 if share else 2, share), str(pair["n"]), p_value(pair["p"]),
         p_value(pair["p_adjusted"]))
        for pair in found["pairs"]
    ]  # fmt: skip


def clearest(found: dict, share: bool) -> str:
    """A sentence on the clearest pair: effect, direction, uncertainty."""
    known = [pair for pair in found["pairs"] if None not in (pair["p_adjusted"], pair["estimate"])]
    if not known:
        return "No pair can be tested."
    pair = min(known, key=lambda pair: (pair["p_adjusted"], -abs(pair["estimate"] - (0.5 if share else 0))))
    ahead = pair["estimate"] >= (0.5 if share else 0)
    a, b = (pair["a"], pair["b"]) if ahead else (pair["b"], pair["a"])
    ends: Sequence[float] = pair["ci"]
    if share:
        value = pair["estimate"] if ahead else 1 - pair["estimate"]
        ends = ends if ahead else [1 - ends[1], 1 - ends[0]]
        said = (
            f"of the decided choices between {who(a)} and {who(b)} {percent(value)} are for {who(a)} ({interval(ends)}"
        )
    else:
        ends = ends if ahead else [-ends[1], -ends[0]]
        said = f"{number(abs(pair['estimate']))} points in favour of {who(a)} over {who(b)} "
        said += f"({interval(ends, 2, share=False)}"
    return f"The clearest difference: {said}, n = {pair['n']}, adjusted {p_said(pair['p_adjusted'])})."
