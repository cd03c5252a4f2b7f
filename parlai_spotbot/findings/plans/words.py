"""Tables and sentences of a plan, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.analysis.planning.pilot import SETTLED
from parlai_spotbot.wording import p_value, part_of

DIFFER = {
    "matches": "two bots of which one wins {win:.0%} of their decided matches",
    "choices": "two bots of which one gets {win:.0%} of their decided choices",
    "ratings": "two bots whose means are {difference:.2f} points apart",
}


def before_text(result: Mapping, design: Design, unit: str) -> str:
    """Return the need for several differences as a table, and sentences on the one that is asked for."""
    planned, each = result["asked"], "a bot" if unit == "ratings" else "a pair"
    head = ("apart by", "conversations", "", "annotations", "workers", "hours", "cost")
    lines = ["".join(f"{cell:>15}" for cell in row).rstrip() for row in (head, ("", each, "in all", "in all"))]
    for row in result["differences"]:
        mark = "  <-" if row["difference"] == planned["difference"] else ""
        lines.append(_need(row, unit) + mark)
    differ = DIFFER[unit].format(win=0.5 + planned["difference"] / 2, difference=planned["difference"])
    lines.append("")
    if planned["needed"] is None:
        lines.append(f"{differ.capitalize()}: no number of conversations up to a million tells them apart.")
        return "\n".join(lines)
    people = " with those of people" if design.people else ""
    tested = "1 pair is" if design.pairs == 1 else f"{design.pairs} pairs are"
    lines += [
        f"With {planned['needed']:,} conversations {each} ({planned['conversations']:,} in all, "
        f"{planned['annotations']:,} annotations{people}, {planned['hours']:,.1f} hours by {planned['workers']:,} "
        f"people{_cost(planned)}) {differ} are told apart with {planned['power']:.0%} power, though {tested} tested "
        f"and annotations are correlated (design effect {design.design_effect:.2f}).",
        *_activity(design.annotations_per_worker, design.effective_per_worker),
    ]
    if result["simulation"]:
        low, high = result["simulation"]["ci"]
        lines.append(
            f"{result['simulation']['repetitions']} simulated studies: {result['simulation']['power']:.0%} "
            f"({low:.0%} to {high:.0%}) found the difference."
        )
    elif unit != "ratings":
        lines.append("Neither calibrated nor checked by simulation; --simulations sets the number of studies.")
    if result.get("effort"):
        lines.append(
            f"If people talked to the bots instead (100 dialogues of 4 minutes a bot), that would take "
            f"{result['effort']['other_hours']:.0f} hours; annotation takes less time for pools of up to "
            f"{result['effort']['break_even']:.1f} bots (here {design.bots})."
        )
    return "\n".join(lines)


def _need(row: Mapping, unit: str) -> str:
    apart, half = row["difference"], row["difference"] / 2
    cells = [f"{apart:.2f} points" if unit == "ratings" else f"{0.5 + half:.0%}:{0.5 - half:.0%}"]
    if row["needed"] is None:
        return f"{cells[0]:>15}{'out of reach':>15}"
    cells += [f"{row[key]:,}" for key in ("needed", "conversations", "annotations", "workers")]
    cells += [f"{row['hours']:,.1f}", "-" if row["cost"] is None else f"{row['cost']:,.0f}"]
    return "".join(f"{cell:>15}" for cell in cells)


def _cost(row: Mapping) -> str:
    return "" if row["cost"] is None else f", {row['cost']:,.0f} in wages"


def _activity(mean: float, effective: float) -> list[str]:
    """Return how many annotations a person gives, on average and in effect; [] where it is one."""
    text = f"People give {mean:.0f} annotations of bots each on average; since some give far more, annotations are "
    return [f"{text}correlated as if each gave {effective:.0f}."] if mean > 1 else []


def after_text(result: Mapping, unit: str) -> str:
    """Return each pair's need as a table, and a sentence."""
    design, more, pairs = result["design"], result["more"], result["pairs"]
    heading = "difference" if unit == "ratings" else "wins of decided"
    lines = [f"{'pair':<32}{heading:>16}{'p (Holm)':>10}{'power':>8}{'had':>8}{'needed':>8}{'more':>8}  status"]
    for row in pairs:
        needed, extra = ("-" if row[key] is None else f"{row[key]:,}" for key in ("needed", "more_conversations"))
        p = "-" if row["p_adjusted"] is None else p_value(row["p_adjusted"])
        value = row.get("rate", row.get("estimate"))
        shown = "-" if value is None else f"{value:{'+.2f' if unit == 'ratings' else '.0%'}}"
        lines.append(
            f"{row['a'] + ' / ' + row['b']:<32}{shown:>16}{p:>10}{row['power']:>8.0%}{row['conversations']:>8}"
            f"{needed:>8}{extra:>8}  {row['status']}"
        )
    looks = design["looks"] if design["correction"] == "bonferroni" else 1
    if looks > 1:
        threshold = p_value((1 - design["level"]) / looks)
        lines.append(f"\nsettled: p below {threshold}, for pairs are tested {looks} times, now and with further data")
    lines += ["", *result["first"]] if result["first"] else []
    lines += ["", *_activity(design["annotations_per_worker"], design["effective_per_worker"])]
    opened = [row for row in pairs if row["status"] != SETTLED]
    if not opened:
        return "\n".join(
            [*lines, "Every pair that met is settled" + ("." if result["first"] else ": no more is needed.")]
        )
    hours = "" if more["hours"] is None else f", {more['hours']:.1f} hours"
    lines.append(
        f"{part_of(len(opened), len(pairs), 'pair', 'is', 'are')} not settled; for {design['power']:.0%} power they "
        f"need {more['annotations']:,} more annotations{hours}{_cost(more)}, if all of them get theirs. A pilot's "
        "differences are rough, so are these numbers; 'close' pairs are planned for the least difference of interest."
    )
    return "\n".join(lines)
