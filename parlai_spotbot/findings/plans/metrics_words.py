"""What a plan of metrics says, before any data and by a study's own, as tables and sentences for the terminal."""

from __future__ import annotations


def said_before(result: dict) -> str:
    """The plan before any data, as a table and sentences for the terminal."""
    head = "hours" if result["unit"] == "hours" else "cost"
    lines = [f"{'minutes':>8} {head:>9} {'adj. R²':>8}  what ({result['dialogues']} dialogues)"]
    for own in result["sets"]:
        mark = "  <-" if own is result.get("recommended") else ""
        lines.append(f"{own['minutes']:>8.1f} {own['cost']:>9,.0f} {own['adjusted']:>8.3f}  {_what(own)}{mark}")
    final = result["final"]
    lines += [
        "",
        f"The authors' own choice of nine behaviours: {final['minutes']:.1f} minutes a dialogue, "
        f"{_money(final['cost'], result['unit'])}.",
    ]
    if "recommended" in result:
        best = result["recommended"]
        budget, cheapest = (_money(cost, result["unit"]) for cost in (result["budget"], result["sets"][0]["cost"]))
        lines.append(
            f"For {budget}: {_what(best)}."
            if best
            else f"For {budget} no task can be done on {result['dialogues']} dialogues; the cheapest takes {cheapest}."
        )
    lines.append(
        "Times and adjusted R² (of people's ratings of their own chats) are those published for ABC-Eval: four bots, "
        "400 conversations, trained annotators. Training is not in it. After a pilot: --study DIR."
    )
    return "\n".join(lines)


def said_after(found: dict) -> str:
    """What a study's own data say to buy, for the terminal."""
    if found.get("why"):
        return f"What to buy can't be said: {found['why']}."
    head = "hours" if found["unit"] == "hours" else "cost"
    lines = [f"{head:>9} {'foretold':>9} {'95 % interval':>16}  tasks ({found['dialogues']} dialogues)"]
    best = found.get("recommended") or {}
    for own in found["sets"]:
        low, high = own["ci"]
        ends = "-" if low is None else f"{low:.3f} to {high:.3f}"
        mark = "  <-" if own["tasks"] == best.get("tasks") else ""
        lines.append(f"{own['cost']:>9,.1f} {own['r2']:>9.3f} {ends:>16}  {', '.join(own['tasks'])}{mark}")
    lines += ["", *_after(found, best)]
    lines.append(
        f"Foretold: cross-validated R² over {found['n']} conversations led by {found['interactors']} people; overall "
        f"quality ratings left out. {found['tried']} sets of tasks were tried."
    )
    return "\n".join(lines)


def _after(found: dict, best: dict) -> list[str]:
    unit, budget = found["unit"], found["budget"]
    if best:
        shares = ", ".join(f"{task} {share:.0%}" for task, share in sorted(best["shares"].items(), key=lambda p: -p[1]))
        told = [
            f"For {_money(budget, unit)}: {', '.join(best['tasks'])} ({_money(best['cost'], unit)}), the best in "
            f"{best['chosen']:.0%} of samples drawn anew. How often each task is in the best set: {shares}."
        ]
        if found.get("alike"):
            cheap = found["alike"]
            told.append(
                f"Can't be told apart from it, and cheaper: {', '.join(cheap['tasks'])} "
                f"({_money(cheap['cost'], unit)})."
            )
        return told
    if "cheapest" in found:
        return [
            f"For {_money(budget, unit)} nothing can be had; the cheapest task takes {_money(found['cheapest'], unit)}."
        ]
    return [f"{found['nothing'].capitalize()}."] if found.get("nothing") else []


def _what(own: dict) -> str:
    names = [name.replace("_", " ") for name in own["metrics"]]
    return f"{own['method']}: {', '.join(reversed(names))}"


def _money(value: float, unit: str) -> str:
    return f"{value:,.0f} hours" if unit == "hours" else f"{value:,.0f}"
