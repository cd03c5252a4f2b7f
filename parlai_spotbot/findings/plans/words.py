"""Tables and sentences of a plan, for the terminal."""

from collections.abc import Mapping, Sequence

from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.analysis.planning.pilot import SETTLED
from parlai_spotbot.analysis.verdict.probe import EQUAL
from parlai_spotbot.findings.plans.launches import POOL
from parlai_spotbot.terminal import table
from parlai_spotbot.wording import NONE, filled, p_value, part_of

RATED = ("ratings", "shares", "taken", "recalls")
"""What has a standard deviation, of each contestant's conversations."""

NEEDED = {
    "matches": "conversations a pair",
    "choices": "conversations a pair",
    "ratings": "conversations a bot",
    "shares": "conversations a bot",
    "taken": "conversations a simulated user",
    "recalls": "questions",
}
"""What is needed, by what is compared."""

LAUNCH = ("launch", "units", "annotations", "controls", "annotators", "hours", "pay a unit", "fee", "cost")
"""Columns of the table of launches."""

BAR = "█"
WIDTH = 40
"""Length of the bar of a chance of 1."""

CONTESTANTS = {"taken": "your simulated users, with role: user, and one bot for them to talk to"}
"""Who is in the pool, where it isn't just who is compared."""

DIFFER = {
    "matches": "two bots of which one wins {win:.0%} of their decided matches",
    "choices": "two bots of which one gets {win:.0%} of their decided choices",
    "ratings": "two bots whose means are {difference:.2f} points apart",
    "shares": "two bots whose shares of turns with a behaviour are {difference:.0%} apart",
    "taken": "two simulated users whose shares of judgements as human are {difference:.0%} apart",
    "recalls": "people and a model whose Recall@1 on the same questions is {difference:.0%} apart",
}


def before_text(result: Mapping, design: Design, unit: str) -> str:
    """Return the need for several differences as a table, and sentences on the one that is asked for."""
    planned = result["asked"]
    each = NEEDED[unit]
    head = ("apart by", each, "in all", "annotations", "annotators", "hours", "cost")
    lines = [table([_need(row, unit) for row in result["differences"]], head, right=range(len(head))), ""]
    differ = DIFFER[unit].format(win=0.5 + planned["difference"] / 2, difference=planned["difference"])
    if planned["needed"] is None:
        return "\n".join([*lines, f"{differ.capitalize()}: out of reach of a million conversations."])
    text = (
        "With {needed:,} {0} ({conversations:,} in all, {annotations:,} annotations, {hours:,.1f} hours "
        "by {workers:,} people or more{1}) {2} are told apart with {power:.0%} power, corrected for tests of "
        "{3.pairs:pair} and correlated annotations (design effect {3.design_effect:.2f})."
    )
    lines.append(filled(text, each, _cost(planned), differ, design, **planned))
    if result["simulation"]:
        power_text = "By {repetitions} simulated studies the power is {ci[0]:.0%} to {ci[1]:.0%}."
        lines.append(filled(power_text, **result["simulation"]))
    lines += ["", "Chance that such a difference is significant, by hours of annotation:", *_curve(result["curve"])]
    return "\n".join(lines)


def closed_form_text(needed: int) -> str:
    """Return the closed form's number of conversations, which simulated studies correct."""
    return (
        f"By the closed form about {needed:,} conversations a pair. Simulated studies correct this now (--simulations "
        "0 leaves them out).\n"
    )


def launch_text(row: Mapping, unit: str) -> str:
    """Return the work of each launch as a table, above the commands."""
    contestants = CONTESTANTS.get(unit, "your contestants")
    rows = []
    for launch in row["launches"]:
        counts = [f"{launch[key]:,}" for key in ("units", "annotations", "controls", "annotators")]
        money = [NONE] * 3
        if launch["unit_pay"]:
            money = [f"{launch[key]:,.2f}" for key in ("unit_pay", "fee", "cost")]
        rows.append([launch["task"] or "all", *counts, f"{launch['hours']:,.1f}", *money])
    shown = table(rows, LAUNCH, right=range(1, len(LAUNCH)))
    return f"\nThe launch, with onboarding and reading in the hours:\n{shown}\n\nTo make it ({POOL}: {contestants}):"


def _curve(rows: Sequence[Mapping]) -> list[str]:
    """Return the chance of significance as bars."""
    return [f"{row['hours']:9,.1f} h  {row['power']:4.0%}  {BAR * max(1, round(row['power'] * WIDTH))}" for row in rows]


def _need(row: Mapping, unit: str) -> list[str]:
    half = row["difference"] / 2
    name = f"{0.5 + half:.0%}:{0.5 - half:.0%}"
    if unit == "ratings":
        name = f"{row['difference']:.2f} points"
    elif unit in RATED:
        name = f"{row['difference']:.0%}"
    if row["needed"] is None:
        return [name, "out of reach", *[""] * 5]
    counts = [f"{row[key]:,}" for key in ("needed", "conversations", "annotations", "workers")]
    cost = NONE
    if row["cost"] is not None:
        cost = f"{row['cost']:,.0f}"
    return [name, *counts, f"{row['hours']:,.1f}", cost]


def _cost(row: Mapping) -> str:
    if row["cost"] is None:
        return ""
    return f", {row['cost']:,.0f} in pay and fees"


PILOT = ("pair", "estimate", "p (Holm)", "power", "had", "needed", "more", "status")


def after_text(result: Mapping) -> str:
    """Return each pair's need as a table, and what to collect."""
    design = result["design"]
    pairs = result["pairs"]
    lines = [table([_pair(row) for row in pairs], PILOT, right=range(1, 7))]
    if design["looks"] > 1:
        threshold = p_value((1 - design["level"]) / design["looks"])
        lines.append(f"settled: p below {threshold}, for pairs are tested {design['looks']} times")
    lines += ["", *result["first"]]
    opened = sum(row["status"] not in (SETTLED, EQUAL) for row in pairs)
    if not opened:
        return "\n".join([*lines, "Every pair that met is settled."])
    more = f"{result['more']['annotations']:,} more annotations"
    if result["more"]["hours"] is not None:
        more += f", {result['more']['hours']:.1f} hours"
    lines.append(
        filled(
            "{} not settled; for {:.0%} power they need {}{}. 'close' pairs are planned for the least difference of "
            "interest.",
            part_of(opened, len(pairs), "pair", "is", "are"),
            design["power"],
            more,
            _cost(result["more"]),
        )
    )
    return "\n".join(lines)


def _pair(row: Mapping) -> list[str]:
    shown = row.get("estimate")
    if row.get("rate") is not None:
        shown = f"{row['rate']:.0%}"
    elif shown is None:
        shown = NONE
    elif not isinstance(shown, str):
        shown = f"{shown:+.2f}"
    needs = [NONE if row[key] is None else f"{row[key]:,}" for key in ("needed", "more_conversations")]
    counts = [f"{row['power']:.0%}", f"{row['conversations']:,}", *needs]
    return [f"{row['a']} / {row['b']}", shown, p_value(row["p_adjusted"]), *counts, row["status"]]
