"""How often each contestant shows each behaviour, and who differs from whom.

There is no overall order: sixteen behaviours don't add up to one number, and of some more may be better or worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from parlai_spotbot.analysis.behaviours import adjust_over_all, behaviour
from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Finding, Result, Rows, cautioned, cautioned_card
from parlai_spotbot.findings.sections import Card, Chart, Name, Section, Table
from parlai_spotbot.surveys.abc_eval.label_frame import facts
from parlai_spotbot.surveys.abc_eval.labels import LESS, MORE, task_of_label
from parlai_spotbot.wording import interval, listed, number, p_value, percent, plainly, who

CRITERION = "share of turns"
TEST = (
    "difference of shares over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a behaviour; beside it over all pairs of all behaviours"
)
NO_ORDER = (
    "There is no overall order, as the behaviours don't add up to one number: each has an order of its own. Of errors "
    "fewer are better; of {more} more are; of the others neither is known to be better."
)
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
WISHED = {
    "less": "The fewer the better.",
    "more": "The more the better.",
    None: "Whether more of it is better isn't known.",
}


def direction(label: str) -> str | None:
    """Whether "less" or "more" of it is better; None where that isn't known."""
    return "less" if label in LESS else "more" if label in MORE else None


def ranked(own: Answers, rows: pd.DataFrame) -> dict:
    """The shares and tests of one label."""
    label = rows["question"].iloc[0] if len(rows) else ""
    found = behaviour(rows, own.names, **own.hang, less_is_better=direction(label) == "less")
    return {
        **found,
        "criterion": CRITERION,
        "task": task_of_label(label),
        "direction": direction(label),
        "test": TEST,
        "bootstrap": own.bootstrap(),
    }


def compute(own: Answers) -> dict:
    """Every label under `criteria`; `order` is empty, and `why` says so."""
    found = {label: ranked(own, own.to(label)) for label in own.questions}
    adjust_over_all(found)
    pairs = [pair for one in found.values() for pair in one["pairs"]]
    clear = {f"clear{over}": sum(pair[f"p_adjusted{over}"] < 0.05 for pair in pairs) for over in ("", "_all")}
    more = listed([f"“{plainly(label)}”" for label in MORE])
    return {
        "order": [],
        "why": NO_ORDER.format(more=more),
        "criterion": CRITERION,
        "criteria": found,
        "tests": {"pairs": len(pairs), **clear},
        "facts": facts(own.tidy, own.rows),
        "bootstrap": own.bootstrap(),
    }


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Shares, each behaviour by itself, differences, dialogues."""
    told = [_shares(result.data), _each(result.data), _pairs(result.data), _dialogues(result.data)]
    return cautioned(result, told)


def percentage(value: float | None) -> str:
    """A share with as many digits as rare behaviours need."""
    return percent(value, 1)


def _shares(own: Mapping) -> Section:
    errors = {label: found for label, found in own["criteria"].items() if found["direction"] == "less"}
    others = {label: found for label, found in own["criteria"].items() if found["direction"] != "less"}
    charts = [
        _overview("errors", "Errors: the fewer the better", errors),
        _overview("abilities", "Abilities, and behaviours that may be welcome or not", others),
    ]
    text = _facts(own["facts"])
    return Section(
        "behaviours",
        "How often does each contestant show each behaviour?",
        text,
        [chart for chart in charts if chart is not None],
        [_share_table(own)],
    )


def _overview(name: str, title: str, criteria: dict[str, dict]) -> Chart | None:
    rows = [row for label, found in criteria.items() for row in _rows(found, group=plainly(label))]
    if not rows:
        return None
    return Chart(
        name,
        "forest",
        title,
        HOW,
        {"rows": rows, "reference": None, "x": "share of turns"},
        _most(criteria),
        method=INTERVALS,
        cite=("korn1998",),
    )


def _rows(found: dict, ci: str = "score_ci", group: str = "") -> list[dict]:
    return [
        {
            "label": Name(bot),
            "estimate": found["score"][bot],
            "low": found[ci][bot][0],
            "high": found[ci][bot][1],
            **({"group": group} if group else {}),
        }
        for bot in found["order"]
    ]


def _most(criteria: dict[str, dict]) -> str:
    """The behaviour that tells the contestants apart most clearly, or that none does."""
    clear = [
        (pair["p_adjusted"], -abs(pair["estimate"]), label, pair)
        for label, found in criteria.items()
        for pair in found["pairs"]
        if pair["p_adjusted"] is not None and pair["p_adjusted"] < CLEAR
    ]
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
    return [
        f"{text}; of {open_} that didn't tell whether it is right, so they count as neither fact usage nor fact "
        "contradiction."
    ]


def _share_table(own: Mapping) -> Table:
    rows = [
        (
            plainly(label),
            Name(bot),
            percentage(found["score"][bot]),
            interval(found["score_ci"][bot], 1),
            interval(found["wilson"][bot], 1),
            str(found["n"][bot]),
            str(found["conversations"][bot]),
        )
        for label, found in own["criteria"].items()
        for bot in found["order"]
    ]
    return Table(
        "Share of turns with each behaviour",
        "Turns are counted as often as they were annotated. Errors stand from the fewest, all others from the most.",
        ("behaviour", "contestant", "share", "95 % interval", "Wilson", "turns", "conversations"),
        rows,
        folded=len(rows) > criteria.LONG,
        method=INTERVALS,
        cite=("korn1998",),
    )


def _each(own: Mapping) -> Section:
    """A chart for each behaviour, with both intervals."""
    charts = []
    for label, found in own["criteria"].items():
        rows = _rows(found, group="allowing for conversations and annotators")
        rows += _rows(found, "wilson", "Wilson: as if turns were independent")
        charts.append(
            Chart(
                f"behaviour_{label}",
                "forest",
                plainly(label).capitalize(),
                "The same shares with both kinds of interval.",
                {"rows": rows, "reference": None, "x": "share of turns"},
                _one(label, found),
                method=INTERVALS,
                cite=("korn1998",),
            )
        )
    return Section("each", "Each behaviour by itself", [], charts)


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


def _pairs(own: Mapping) -> Section:
    tests, text = own["tests"], []
    if tests["pairs"]:
        text.append(
            f"{tests['clear']} of {tests['pairs']} differences are clear where p is corrected over the pairs of a "
            f"behaviour, {tests['clear_all']} where it is corrected over all behaviours together."
        )
    surest = sorted(
        (pair["p_adjusted_all"], label, place)
        for label, found in own["criteria"].items()
        for place, pair in enumerate(found["pairs"])
        if pair["p_adjusted_all"] is not None and pair["p_adjusted_all"] < CLEAR
    )
    for _, label, place in surest[:NAMED]:
        found = own["criteria"][label]
        text.append(f"{plainly(label).capitalize()}: {_difference(found, found['pairs'][place])}.")
    rows = [
        (plainly(label), Name(pair["a"]), Name(pair["b"]), *_numbers(pair))
        for label, found in own["criteria"].items()
        for pair in found["pairs"]
    ]
    method = next((found["test"] for found in own["criteria"].values()), "")
    table = Table(
        "Differences between contestants",
        "The first one's share less the second's, in points of a hundred.",
        ("behaviour", *PAIR_HEAD),
        rows,
        folded=len(rows) > criteria.LONG,
        method=method,
        cite=("cameron2011", "holm1979"),
    )
    return Section("differences", "Who differs from whom?", text, [], [table] if rows else [])


def _numbers(pair: dict) -> tuple[str, ...]:
    known = pair["estimate"] is not None and None not in pair["ci"]
    points = [100 * end for end in pair["ci"]] if known else None
    estimate = number(100 * pair["estimate"], 1) if pair["estimate"] is not None else number(None)
    return (
        estimate,
        interval(points, 1, share=False),
        str(pair["n"]),
        p_value(pair["p"]),
        p_value(pair["p_adjusted"]),
        p_value(pair["p_adjusted_all"]),
    )


def _dialogues(own: Mapping) -> Section:
    rows = [
        (
            plainly(label),
            Name(bot),
            percentage(one["mean"]),
            interval(one["ci"], 1),
            percentage(one["sd"]),
            percent(one["without"]),
            str(one["n"]),
        )
        for label, found in own["criteria"].items()
        for bot, one in found["dialogues"].items()
    ]
    table = Table(
        "Shares of single conversations",
        "A conversation's share is that of its turns; each conversation counts alike, however long.",
        ("behaviour", "contestant", "mean", "95 % interval", "standard deviation", "without any", "conversations"),
        rows,
        folded=len(rows) > criteria.LONG,
        method="Intervals by Student's t, over conversations and annotators. The shares of each conversation are in "
        "dialogues.csv.",
        cite=("cameron2011",),
    )
    common = [
        label
        for label, found in own["criteria"].items()
        if found["dialogues"] and all(one["without"] < 0.5 for one in found["dialogues"].values())
    ]
    text = [f"In most conversations of every contestant there is at least one turn with: {listed(_plain(common))}."]
    return Section("dialogues", "How do conversations differ?", text if common else [], [], [table])


def _plain(labels: Sequence[str]) -> list[str]:
    return [plainly(label) for label in labels]


def rows(data: Mapping) -> Rows:
    """Rows of the tables that all rankings have, and of behaviours and facts."""
    yield from criteria.rows(data)
    for label, found in data["criteria"].items():
        for bot in found["order"]:
            numbers = {key: found[key][bot] for key in ("hits", "n", "turns", "conversations")}
            single = {f"dialogue_{key}": value for key, value in with_ends(found["dialogues"][bot]).items()}
            row = {
                "label": label,
                "task": found["task"],
                "direction": found["direction"],
                "bot": bot,
                "share": found["score"][bot],
                "ci": found["score_ci"][bot],
                "wilson": found["wilson"][bot],
            }
            yield "behaviours", {**with_ends(row), **numbers, **single}
    for bot, counts in data["facts"].items():
        yield "facts", {"bot": bot, **counts}


def with_ends(row: Mapping) -> dict:
    """A row with its intervals as two columns each."""
    found = {}
    for key, value in row.items():
        if key in ("ci", "wilson"):
            prefix = "" if key == "ci" else "wilson_"
            found[f"{prefix}low"], found[f"{prefix}high"] = value
        else:
            found[key] = value
    return found


def lines(result: Result) -> list[str]:
    """How often each contestant shows each behaviour."""
    own = result.data
    found = ["", f"  {'behaviour':<26} {'contestant':<20} {'turns':>7}  95 % interval"]
    for label, one in own["criteria"].items():
        for place, bot in enumerate(one["order"]):
            name, share = "" if place else plainly(label), percent(one["score"][bot], 1)
            found.append(f"  {name:<26} {who(bot):<20} {share:>7}  {interval(one['score_ci'][bot], 1)}")
    tests = own["tests"]
    return [
        *found,
        f"  {tests['clear']} of {tests['pairs']} differences are clear (Holm-adjusted p < .05 within a behaviour), "
        f"{tests['clear_all']} if corrected over all behaviours",
    ]


def card(result: Result) -> Card | None:
    """Where there is no overall order: who shows least and most of each criterion, and how many pairs differ."""
    own, found = result.data, []
    for criterion, one in own["criteria"].items():
        scores = {bot: x for bot, x in one["score"].items() if x is not None}
        if not scores:
            continue
        low, high = min(scores, key=scores.__getitem__), max(scores, key=scores.__getitem__)
        tested = [pair["p_adjusted"] for pair in one["pairs"] if pair["p_adjusted"] is not None]
        ends = [f"{percent(scores[bot])} ({who(bot)})" for bot in (low, high)]
        ends = ends if scores[low] < scores[high] else [f"{percent(scores[low])} (all)", ""]
        found.append((plainly(criterion), *ends, f"{sum(p < CLEAR for p in tested)} of {len(tested)}"))
    if not found:
        return None
    how = f"{own['criterion'].capitalize()}. Clear: p < .05, corrected over the pairs of a behaviour."
    table = Table("Behaviours", how, ("Behaviour", "Least", "Most", "Clear pairs"), found)
    return cautioned_card(result, Card(text=[own.get("why", "")], table=table))


FINDING = Finding("ranking", FORM, compute, tell, rows, lines, card, place=10)
