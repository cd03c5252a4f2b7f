"""The report of ABC-Eval as sections of data: a chart of the errors and one of the other behaviours, each behaviour by
itself, differences, agreement, the training and its gold dialogues, annotators, time."""

from __future__ import annotations

from collections.abc import Sequence

from parlai_spotbot.analysis.methods import shared_sections as shared
from parlai_spotbot.analysis.methods.behaviour_screening import gold_section, screening_section
from parlai_spotbot.analysis.sections import Chart, Name, Section, Table
from parlai_spotbot.wording import interval, listed, number, p_value, percent, plainly, who

PAIR_HEAD = ("contestant", "less", "difference", "95 % interval", "turns", "p", "adjusted p", "over all behaviours")
CLEAR = 0.05
NAMED = 6
"""So many clear differences are named in a sentence's list."""

HOW = (
    "Share of a contestant's turns that annotators gave the label; lines are 95 % intervals that allow for "
    "conversations and annotators."
)
INTERVALS = (
    "Intervals: Clopper and Pearson's with as many independent turns as would be as uncertain, from the variance by "
    "conversations and annotators (Korn & Graubard 1998); for a contestant without a single such turn, as the turns of "
    "the others tell. Wilson's takes turns as independent, as the paper does: it "
    "is too narrow where turns of one conversation are alike."
)


def sections(analysis: dict[str, dict], source: str) -> list[Section]:
    """Shares, each behaviour by itself, differences, dialogues; agreement, screening, gold, annotators, time."""
    ranking = analysis["ranking"]
    found = [_shares(ranking), _each(ranking), _pairs(ranking), _dialogues(ranking)]
    found += shared.agreement_section(analysis)
    found += screening_section(analysis.get("screening") or {}) + gold_section(analysis.get("annotators") or {})
    found += shared.annotators_section(analysis, source)
    return found + _time(analysis)


def percentage(value: float | None) -> str:
    """A share with as many digits as rare behaviours need."""
    return percent(value, 1)


# -- how often ---------------------------------------------------------------------------------------------------------
def _shares(own: dict) -> Section:
    errors = {label: found for label, found in own["criteria"].items() if found["direction"] == "less"}
    others = {label: found for label, found in own["criteria"].items() if found["direction"] != "less"}
    charts = [
        _overview("errors", "Errors: the fewer the better", errors),
        _overview("abilities", "Abilities, and behaviours that may be welcome or not", others),
    ]
    text = _facts(own["facts"])
    return Section("behaviours", "How often does each contestant show each behaviour?", text,
                   [chart for chart in charts if chart is not None], [_share_table(own)])  # fmt: skip


def _overview(name: str, title: str, criteria: dict[str, dict]) -> Chart | None:
    rows = [row for label, found in criteria.items() for row in _rows(found, group=plainly(label))]
    if not rows:
        return None
    return Chart(name, "forest", title, HOW, {"rows": rows, "reference": None, "x": "share of turns"},
                 _most(criteria), method=INTERVALS, cite=("korn1998",))  # fmt: skip


def _rows(found: dict, ci: str = "score_ci", group: str = "") -> list[dict]:
    return [
        {"label": Name(bot), "estimate": found["score"][bot], "low": found[ci][bot][0], "high": found[ci][bot][1],
         **({"group": group} if group else {})}
        for bot in found["order"]
    ]  # fmt: skip


def _most(criteria: dict[str, dict]) -> str:
    """The behaviour that tells the contestants apart most clearly, or that none does."""
    clear = [
        (pair["p_adjusted"], -abs(pair["estimate"]), label, pair)
        for label, found in criteria.items() for pair in found["pairs"]
        if pair["p_adjusted"] is not None and pair["p_adjusted"] < CLEAR
    ]  # fmt: skip
    if not clear:
        return "No two contestants differ clearly in any of them."
    _, _, label, pair = min(clear, key=lambda row: row[:3])
    return f"Clearest: {plainly(label)}, {_difference(criteria[label], pair)}."


def _difference(found: dict, pair: dict) -> str:
    a, b = (pair["a"], pair["b"]) if pair["estimate"] >= 0 else (pair["b"], pair["a"])
    low, high = pair["ci"] if pair["estimate"] >= 0 else [-end for end in pair["ci"][::-1]]
    shares = [f"{percentage(found['score'][bot])} of the turns of {who(bot)}" for bot in (a, b)]
    points = f"{100 * low:.1f} to {100 * high:.1f}"
    return f"{shares[0]} and {shares[1]} ({100 * abs(pair['estimate']):.1f} points apart, {points})"


def _facts(facts: dict[str, dict]) -> list[str]:
    uses = sum(row["use_facts"] for row in facts.values())
    if not uses:
        return []
    open_ = sum(row["left_open"] for row in facts.values())
    looked = sum(row["looked_up"] for row in facts.values())
    text = f"Facts: {uses} turns use some, of {looked} something was looked up"
    if not open_:
        return [f"{text}."]
    return [f"{text}; of {open_} that didn't tell whether it is right, so they count as neither fact usage nor fact "
            "contradiction."]  # fmt: skip


def _share_table(own: dict) -> Table:
    rows = [
        (plainly(label), Name(bot), percentage(found["score"][bot]), interval(found["score_ci"][bot], 1),
         interval(found["wilson"][bot], 1), str(found["n"][bot]), str(found["conversations"][bot]))
        for label, found in own["criteria"].items() for bot in found["order"]
    ]  # fmt: skip
    return Table(
        "Share of turns with each behaviour",
        "Turns are counted as often as they were annotated. Errors stand from the fewest, all others from the most.",
        ("behaviour", "contestant", "share", "95 % interval", "Wilson", "turns", "conversations"),
        rows, folded=len(rows) > shared.LONG, method=INTERVALS, cite=("korn1998",),
    )  # fmt: skip


def _each(own: dict) -> Section:
    """A chart for each behaviour, with both intervals."""
    charts = []
    for label, found in own["criteria"].items():
        rows = _rows(found, group="allowing for conversations and annotators")
        rows += _rows(found, "wilson", "Wilson: as if turns were independent")
        charts.append(Chart(
            f"behaviour_{label}", "forest", plainly(label).capitalize(), "The same shares with both kinds of interval.",
            {"rows": rows, "reference": None, "x": "share of turns"}, _one(label, found), method=INTERVALS,
            cite=("korn1998",),
        ))  # fmt: skip
    return Section("each", "Each behaviour by itself", [], charts)


WISHED = {"less": "The fewer the better.", "more": "The more the better.",
          None: "Whether more of it is better isn't known."}  # fmt: skip


def _one(label: str, found: dict) -> str:
    scores = found["score"]
    if not scores:
        return ""
    low, high = min(scores, key=scores.__getitem__), max(scores, key=scores.__getitem__)
    ends = f"from {percentage(scores[low])} of turns ({who(low)}) to {percentage(scores[high])} ({who(high)})"
    if scores[low] == scores[high]:
        ends = f"{percentage(scores[low])} of turns" + (", whoever speaks" if len(scores) > 1 else "")
    clear = sum(pair["p_adjusted"] is not None and pair["p_adjusted"] < CLEAR for pair in found["pairs"])
    said = f"{plainly(label).capitalize()}: {ends}; {clear} of {len(found['pairs'])} pairs differ clearly."
    return f"{said} {WISHED[found['direction']]}"


# -- differences -------------------------------------------------------------------------------------------------------
def _pairs(own: dict) -> Section:
    tests, text = own["tests"], []
    if tests["pairs"]:
        text.append(
            f"{tests['clear']} of {tests['pairs']} differences are clear where p is corrected over the pairs of a "
            f"behaviour, {tests['clear_all']} where it is corrected over all behaviours together."
        )
    surest = sorted(
        (pair["p_adjusted_all"], label, place)
        for label, found in own["criteria"].items() for place, pair in enumerate(found["pairs"])
        if pair["p_adjusted_all"] is not None and pair["p_adjusted_all"] < CLEAR
    )  # fmt: skip
    for _, label, place in surest[:NAMED]:
        found = own["criteria"][label]
        text.append(f"{plainly(label).capitalize()}: {_difference(found, found['pairs'][place])}.")
    rows = [
        (plainly(label), Name(pair["a"]), Name(pair["b"]), *_numbers(pair))
        for label, found in own["criteria"].items() for pair in found["pairs"]
    ]  # fmt: skip
    method = next((found["test"] for found in own["criteria"].values()), "")
    table = Table("Differences between contestants", "The first one's share less the second's, in points of a hundred.",
                  ("behaviour", *PAIR_HEAD), rows, folded=len(rows) > shared.LONG, method=method,
                  cite=("cameron2011", "holm1979"))  # fmt: skip
    return Section("differences", "Who differs from whom?", text, [], [table] if rows else [])


def _numbers(pair: dict) -> tuple[str, ...]:
    known = pair["estimate"] is not None and None not in pair["ci"]
    points = [100 * end for end in pair["ci"]] if known else None
    estimate = number(100 * pair["estimate"], 1) if pair["estimate"] is not None else number(None)
    return (estimate, interval(points, 1, share=False), str(pair["n"]), p_value(pair["p"]), p_value(pair["p_adjusted"]),
            p_value(pair["p_adjusted_all"]))  # fmt: skip


# -- dialogues ---------------------------------------------------------------------------------------------------------
def _dialogues(own: dict) -> Section:
    rows = [
        (plainly(label), Name(bot), percentage(one["mean"]), interval(one["ci"], 1), percentage(one["sd"]),
         percent(one["without"]), str(one["n"]))
        for label, found in own["criteria"].items() for bot, one in found["dialogues"].items()
    ]  # fmt: skip
    table = Table(
        "Shares of single conversations",
        "A conversation's share is that of its turns; each conversation counts alike, however long.",
        ("behaviour", "contestant", "mean", "95 % interval", "standard deviation", "without any", "conversations"),
        rows, folded=len(rows) > shared.LONG,
        method="Intervals by Student's t, over conversations and annotators. The shares of each conversation are in "
        "dialogues.csv.",
        cite=("cameron2011",),
    )  # fmt: skip
    common = [
        label for label, found in own["criteria"].items()
        if found["dialogues"] and all(one["without"] < 0.5 for one in found["dialogues"].values())
    ]  # fmt: skip
    text = [f"In most conversations of every contestant there is at least one turn with: {listed(_plain(common))}."]
    return Section("dialogues", "How do conversations differ?", text if common else [], [], [table])


def _plain(labels: Sequence[str]) -> list[str]:
    return [plainly(label) for label in labels]


# -- time --------------------------------------------------------------------------------------------------------------
def _time(analysis: dict) -> list[Section]:
    time = analysis.get("time") or {}
    found = shared.cost_section(analysis)
    if not found:
        return []
    rows = [
        (plainly(task), str(own["n"]), number(own["median"] / 60, 1), number(own["mean"] / 60, 1),
         number(own["hours"], 1), *((number(own["cost"]),) if own.get("cost") is not None else ()))
        for task, own in time["tasks"].items() if own["n"]
    ]  # fmt: skip
    head = ("task", "conversations annotated", "median minutes", "mean minutes", "hours")
    paid = bool(rows) and len(rows[0]) > len(head)
    table = Table("Time by task", "Minutes for one conversation in one task.", (*head, *(("cost",) if paid else ())),
                  rows)  # fmt: skip
    section = found[0]
    return [Section(section.anchor, section.heading, section.text, section.charts, [table, *section.tables])]
