"""Tables and sentences of a plan, for the terminal."""

from collections.abc import Mapping

from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.analysis.planning.pilot import SETTLED
from parlai_spotbot.analysis.verdict.probe import EQUAL
from parlai_spotbot.terminal import table
from parlai_spotbot.wording import NONE, filled, p_value, part_of

DIFFER = {
    "matches": "two bots of which one wins {win:.0%} of their decided matches",
    "choices": "two bots of which one gets {win:.0%} of their decided choices",
    "ratings": "two bots whose means are {difference:.2f} points apart",
}


def before_text(result: Mapping, design: Design, unit: str) -> str:
    """Return the need for several differences as a table, and sentences on the one that is asked for."""
    planned, each = result["asked"], "a bot" if unit == "ratings" else "a pair"
    head = ("apart by", f"conversations {each}", "in all", "annotations", "workers", "hours", "cost")
    lines = [table([_need(row, unit) for row in result["differences"]], head, right=range(len(head))), ""]
    differ = DIFFER[unit].format(win=0.5 + planned["difference"] / 2, difference=planned["difference"])
    if planned["needed"] is None:
        return "\n".join([*lines, f"{differ.capitalize()}: out of reach of a million conversations."])
    people = " with those of people" if design.people else ""
    lines.append(
        filled(
            "With {0[needed]:,} conversations {1} ({0[conversations]:,} in all, {0[annotations]:,} annotations{2}, "
            "{0[hours]:,.1f} hours by {0[workers]:,} people{3}) {4} are told apart with {0[power]:.0%} power, "
            "corrected for tests of {5.pairs:pair} and correlated annotations (design effect {5.design_effect:.2f}).",
            planned,
            each,
            people,
            _cost(planned),
            differ,
            design,
        )
    )
    if result["simulation"]:
        found = "{repetitions} simulated studies: {power:.0%} ({ci[0]:.0%} to {ci[1]:.0%}) found the difference."
        lines.append(filled(found, **result["simulation"]))
    return "\n".join(lines)


def _need(row: Mapping, unit: str) -> list[str]:
    apart, half = row["difference"], row["difference"] / 2
    name = f"{apart:.2f} points" if unit == "ratings" else f"{0.5 + half:.0%}:{0.5 - half:.0%}"
    if row["needed"] is None:
        return [name, "out of reach", *[""] * 5]
    counts = [f"{row[key]:,}" for key in ("needed", "conversations", "annotations", "workers")]
    return [name, *counts, f"{row['hours']:,.1f}", NONE if row["cost"] is None else f"{row['cost']:,.0f}"]


def _cost(row: Mapping) -> str:
    return "" if row["cost"] is None else f", {row['cost']:,.0f} in wages"


PILOT = ("pair", "estimate", "p (Holm)", "power", "had", "needed", "more", "status")


def after_text(result: Mapping) -> str:
    """Return each pair's need as a table, and what to collect."""
    design, more, pairs = result["design"], result["more"], result["pairs"]
    lines = [table([_pair(row) for row in pairs], PILOT, right=range(1, 7))]
    if design["looks"] > 1:
        threshold = p_value((1 - design["level"]) / design["looks"])
        lines.append(f"settled: p below {threshold}, for pairs are tested {design['looks']} times")
    lines += ["", *result["first"]]
    opened = sum(row["status"] not in (SETTLED, EQUAL) for row in pairs)
    if not opened:
        return "\n".join([*lines, "Every pair that met is settled."])
    hours = "" if more["hours"] is None else f", {more['hours']:.1f} hours"
    lines.append(
        filled(
            "{0} not settled; for {1[power]:.0%} power they need {2[annotations]:,} more annotations{3}{4}. 'close' "
            "pairs are planned for the least difference of interest.",
            part_of(opened, len(pairs), "pair", "is", "are"),
            design,
            more,
            hours,
            _cost(more),
        )
    )
    return "\n".join(lines)


def _pair(row: Mapping) -> list[str]:
    value = f"{row['rate']:.0%}" if row.get("rate") is not None else row.get("estimate")
    shown = NONE if value is None else value if isinstance(value, str) else f"{value:+.2f}"
    needs = [NONE if row[key] is None else f"{row[key]:,}" for key in ("needed", "more_conversations")]
    counts = [f"{row['power']:.0%}", f"{row['conversations']:,}", *needs]
    return [f"{row['a']} / {row['b']}", shown, p_value(row["p_adjusted"]), *counts, row["status"]]
