"""What a plan of Spot The Bot says, before a study and after a pilot, as tables and sentences for the terminal."""

from __future__ import annotations

from parlai_spotbot.wording import p_value, part_of


def said_before(result: dict, difference: float) -> str:
    """The plan as a table and a sentence."""
    design, asked = result["design"], result["asked"]
    head = ("apart by", "win rate", "conversations", "", "annotations", "", "workers", "hours", "cost")
    under = ("", "", "a pair", "in all", "a pair", "in all", "", "", "")
    lines = ["".join(f"{cell:>14}" for cell in row).rstrip() for row in (head, under)]
    for row in result["differences"]:
        mark = "  <-" if row["difference"] == difference and not asked["pairs"] else ""
        lines.append(_need(row) + mark)
    if asked["pairs"]:
        lines.append("\nwith the win rates given:")
        lines.append(_need({"difference": abs(2 * asked["rate"] - 1), **asked}))
    pairs = design["bots"] * (design["bots"] - 1) // 2
    lines.append("")
    if asked["conversations_per_pair"] is None:
        lines.append(
            f"Two bots as close as {asked['rate']:.0%} to {1 - asked['rate']:.0%} can't be told apart with "
            f"{design['power']:.0%} power by any number of conversations up to a million."
        )
        return "\n".join(lines)
    alone = "any number up to a million wouldn't do" if asked["alone"] is None else f"{asked['alone']:,} were needed"
    lines.append(
        f"With {asked['conversations_per_pair']} conversations per pair ({asked['conversations']} in all, "
        f"{asked['annotations']} annotations with those of people, {asked['hours']:.0f} hours by {asked['workers']} "
        f"people{_cost(asked)}) two bots of which one wins {asked['rate']:.0%} of their decided matches are told apart "
        f"with {asked['power']:.0%} power, though {pairs} {'pair is' if pairs == 1 else 'pairs are'} tested and "
        f"annotations hang together (design effect {design['design_effect']:.2f})."
    )
    if pairs > 1:
        lines.append(
            f"That counts all matches of the pool, which tell of every pair; by its own matches alone {alone} a pair."
        )
    lines.append(activity_said(design))
    if result["simulation"]:
        low, high = result["simulation"]["ci"]
        lines.append(
            f"{result['simulation']['repetitions']} simulated studies: {result['simulation']['power']:.0%} "
            f"({low:.0%} to {high:.0%}) found the difference."
        )
    else:
        lines.append("Neither calibrated nor checked by simulation: say with --simulations by how many studies.")
    lines.append(efficiency_said(result["efficiency"], design["bots"]))
    return "\n".join(lines)


def activity_said(design: dict) -> str:
    """How much people do, on average and in effect."""
    mean, effective = design["annotations_per_worker"], design["effective_per_worker"]
    return (
        f"People give {mean:.0f} annotations of bots each on average; since some give far more, annotations hang "
        f"together as if each gave {effective:.0f}."
    )


def _need(row: dict) -> str:
    cells = [f"{row['difference']:.2f}", f"{row['rate']:.0%}:{1 - row['rate']:.0%}"]
    if row["conversations_per_pair"] is None:
        return "".join(f"{cell:>14}" for cell in cells) + f"{'out of reach':>14}"
    keys = ("conversations_per_pair", "conversations", "annotations_per_pair", "annotations", "workers")
    cells += [f"{row[key]:,}" for key in keys] + [f"{row['hours']:,.0f}"]
    cells.append("-" if row["cost"] is None else f"{row['cost']:,.0f}")
    return "".join(f"{cell:>14}" for cell in cells)


def _cost(row: dict) -> str:
    return "" if row["cost"] is None else f", {row['cost']:,.0f} in wages"


def efficiency_said(found: dict, bots: int) -> str:
    """The comparison of section 5.3, in a sentence."""
    ours, theirs, ratio = found["annotation_hours"], found["conversation_hours"], found["ratio"]
    more = f"{ratio:.1f} times as many" if ratio >= 1 else f"{1 / ratio:.1f} times fewer"
    pair, bot = found["annotation_minutes_per_pair"], found["conversation_minutes_per_bot"]
    return (
        f"If people talked to the bots instead, that would take {theirs:.0f} hours ({bot:.0f} minutes a bot; what it "
        f"finds is another question), {more} than the {ours:.0f} of annotation ({pair:.0f} minutes a pair); "
        f"annotation takes less time for pools of up to {found['break_even_bots']:.1f} bots (here {bots})."
    )


def said_after(result: dict) -> str:
    """Each pair's need as a table, and a sentence."""
    head = "".join(f"{name:>8}" for name in ("power", "had", "needed", "more", "alone"))
    lines = [f"{'pair':<32}{'wins of decided':>16}{'p (Holm)':>10}{head}  status"]
    for row in result["pairs"]:
        needed, more, alone = (
            "-" if row[key] is None else row[key] for key in ("needed", "more_conversations", "alone")
        )
        p = "-" if row["p_adjusted"] is None else p_value(row["p_adjusted"])
        lines.append(
            f"{row['a'] + ' / ' + row['b']:<32}{row['rate']:>16.0%}{p:>10}{row['power']:>8.0%}"
            f"{row['conversations']:>8}{needed:>8}{more:>8}{alone:>8}  {row['status']}"
        )
    looks = result["design"]["looks"] if result["design"]["correction"] == "bonferroni" else 1
    if looks > 1:
        threshold = p_value((1 - result["design"]["level"]) / looks)
        lines.append(
            f"\nsettled: p below {threshold}, for pairs are tested {looks} times, now and with the data to come"
        )
    lines += ["", *result["first"]] if result["first"] else []
    open_ones = [row for row in result["pairs"] if row["status"] != "settled"]
    more, design = result["more"], result["design"]
    lines += ["", activity_said(design)]
    if not open_ones:
        lines.append("Every pair that met is settled" + ("." if result["first"] else ": nothing more is needed."))
        return "\n".join(lines)
    hours = "" if more["hours"] is None else f", {more['hours']:.0f} hours"
    lines.append(
        f"{part_of(len(open_ones), len(result['pairs']), 'pair', 'is', 'are')} not settled; for "
        f"{design['power']:.0%} power they need {more['conversations']} more conversations "
        f"({more['annotations']} annotations with those of people{hours}{_cost(more)}), if all of them get "
        "theirs, for they help each other; 'alone' is what a pair would need by its own matches. A pilot's win rates "
        "are rough, so are these numbers; 'close' pairs are planned for the least difference of interest."
    )
    return "\n".join(lines)
