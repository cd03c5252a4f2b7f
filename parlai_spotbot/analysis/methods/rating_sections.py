"""The report of surveys that rate on a scale, as sections of data."""

from __future__ import annotations

from parlai_spotbot.analysis.methods import shared_sections as shared
from parlai_spotbot.analysis.ratings import SCALE
from parlai_spotbot.analysis.sections import Chart, Name, Section, Table
from parlai_spotbot.wording import interval, number, percent, plainly, who

PAIR_HEAD = ("contestant", "less", "difference", "95 % interval", "n", "p", "adjusted p")


def sections(analysis: dict[str, dict], source: str) -> list[Section]:
    """Means, distributions, differences; leniency; agreement, annotators, cost."""
    ranking = analysis["ranking"]
    found = [_means(ranking), _distributions(ranking), _pairs(ranking)]
    if leniency := _leniency(analysis.get("leniency")):
        found.append(leniency)
    found += shared.agreement_section(analysis) + shared.annotators_section(analysis, source)
    return found + shared.cost_section(analysis)


def _means(own: dict) -> Section:
    main = own["criteria"][own["question"]]
    text = [f"By {plainly(own['question'])}: {shared.order_sentences(main)[0]}", *shared.order_sentences(main)[1:]]
    chart = shared.score_chart("means", "Mean ratings", own, False, None)
    return Section("means", "How are they rated?", text, [chart], [shared.order_table(own, False)])


def _distributions(own: dict) -> Section:
    charts, text = [], []
    for question, found in own["criteria"].items():
        rows = [
            {"label": Name(bot), "shares": [c / max(sum(counts), 1) for c in counts], "n": sum(counts)}
            for bot in found["order"] if (counts := found["distribution"][bot])
        ]  # fmt: skip
        best = found["order"][0] if found["order"] else None
        sentence = ""
        if best is not None:
            counts = found["distribution"][best]
            sentence = f"First in {plainly(question)}: {who(best)}, with the highest rating in "
            sentence += f"{percent(counts[-1] / sum(counts))} of {sum(counts)} ratings."
        charts.append(Chart(
            f"distribution_{question}", "bars", f"Ratings: {plainly(question)}",
            "Shares of the ratings, lowest on the left.",
            {"rows": rows, "parts": [str(value) for value in found["scale"]], "x": "share of ratings"}, sentence,
        ))  # fmt: skip
        text += [f"{plainly(question).capitalize()}: {said}" for said in found["ends"].values()]
    table = Table(
        "Shares of each rating", "With 95 % intervals that allow for conversations and annotators.",
        ("dimension", "contestant", *(str(value) for value in SCALE), "n"),
        [
            (plainly(question), Name(bot), *(f"{percent(c / max(sum(counts), 1))} ({interval(ci)})"
                                             for c, ci in zip(counts, found["distribution_ci"][bot], strict=True)),
             str(sum(counts)))
            for question, found in own["criteria"].items() for bot, counts in found["distribution"].items()
        ],
        folded=True,
    )  # fmt: skip
    note = [] if text else ["No contestant has half of its ratings at an end of the scale."]
    return Section("distributions", "How do ratings spread?", text + note, charts, [table])


def _pairs(own: dict) -> Section:
    tables = [
        Table(f"Differences: {plainly(question)}", "Points on the scale: the first one's mean less the second's.",
              PAIR_HEAD, shared.pair_rows(found, False), folded=len(found["pairs"]) > shared.LONG, method=found["test"],
              cite=("cameron2011", "holm1979"))
        for question, found in own["criteria"].items() if found["pairs"]
    ]  # fmt: skip
    return Section("differences", "Who is rated higher?", [shared.clearest(own["criteria"][own["question"]], False)],
                   [], tables)  # fmt: skip


def _leniency(own: dict | None) -> Section | None:
    known = {
        question: found for question, found in (own or {"dimensions": {}})["dimensions"].items() if "levels" in found
    }
    if not known:
        return None
    text = [f"{plainly(question).capitalize()}: {found['sentence']}" for question, found in known.items()]
    rows = [
        (plainly(question), Name(bot), number(level["raw"]), number(level["adjusted"]),
         interval(level["ci"], 2, share=False))
        for question, found in known.items() for bot, level in found["levels"].items()
    ]  # fmt: skip
    table = Table(
        "Means at the average annotator", "Raw means beside those that allow for who rated whom.",
        ("dimension", "contestant", "raw mean", "adjusted mean", "95 % interval"), rows, folded=len(rows) > shared.LONG,
        method="Linear model with random intercepts of annotators and conversations, by restricted maximum likelihood.",
        cite=("patterson1971",),
    )  # fmt: skip
    return Section("leniency", "Are some annotators lenient?", text, [], [table])
