"""The figures of annotators: how far they agree, how well they tell bots from people, how long they take.

Paper: section 5.1, Tables 3, 4 and 9.
"""

from __future__ import annotations

from matplotlib.axes import Axes

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, LINE, MUTED, WIDTH, WIN, Drawing, Look, drawn, svg
from parlai_spotbot.report.figures import PERCENT, ends, names_down, whiskers
from parlai_spotbot.report.words import shown

NUMBERED = 40
"""With more annotators their numbers would hide the marks."""

LIMIT = 4.0
"""d′ and c beyond this, of someone who never errs, are drawn at the edge."""


def agreement(own: dict, bots: list[str], looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """Krippendorff's alpha of each question with its interval; how often a label is given again, by bot."""
    alphas = {q: e for q, e in (own.get("krippendorff_alpha") or {}).items() if e.get("alpha") is not None}
    labels = own.get("both_given_one") or {}
    if not alphas and not labels:
        return None
    names = [bot for bot in (*bots, HUMAN) if bot in labels]
    with drawn(WIDTH, 1.2 + 0.3 * max(len(alphas), len(names))) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1))
        plain = Look(WIN, "o", "-", "")
        for place, entry in enumerate(alphas.values()):
            whiskers(left, place, entry["alpha"], entry.get("ci"), plain)
        left.axvline(0, color=MUTED, lw=0.9)
        names_down(left, ["human or bot" if question == "nature" else question for question in alphas])
        left.grid(axis="x")
        low = min([0.0, *(e["ci"][0] for e in alphas.values() if e.get("ci") and None not in e["ci"])])
        left.set_xlim(min(-0.05, low - 0.05), 1.03)
        left.set_xticks([0, 0.5, 1])
        left.set_title("Alpha, by question")
        for place, bot in enumerate(names):
            _again(right, place, labels[bot], looks[bot])
        names_down(right, ["people" if bot == HUMAN else bot for bot in names])
        right.set_xlim(-0.03, 1.03)
        right.set_xticks([0, 0.5, 1])
        right.xaxis.set_major_formatter(PERCENT)
        right.grid(axis="x")
        right.set_title("Label given again")
        data = [{"what": "alpha", "name": question, "value": e["alpha"], **ends(e.get("ci")), "n": e.get("n")}
                for question, e in alphas.items()]  # fmt: skip
        data += [{"what": f"called {nature} again", "name": "people" if bot == HUMAN else bot, "value": e.get("share"),
                  "n": e.get("n")} for bot in names for nature, e in labels[bot].items()]  # fmt: skip
        return svg(figure, name, "Agreement of annotators by question, and by label and bot", caution, data)


def _again(axes: Axes, place: int, labels: dict, look: Look) -> None:
    """The shares of a bot's labels that a second annotator gives too: a letter for each label."""
    for nature, letter, shift in (("human", "H", -0.22), ("bot", "B", 0.0), ("unsure", "U", 0.22)):
        entry = labels.get(nature, {})
        if entry.get("n") and entry.get("share") is not None:
            style = {"ha": "center", "va": "center", "fontsize": 8, "fontweight": "bold"}
            axes.text(entry["share"], place + shift, letter, color=look.colour, **style)


def annotators(own: dict, numbers: dict[str, str], name: str, caution: str = "") -> Drawing | None:
    """Sensitivity d′ against bias c, a mark an annotator, hollow where flagged; all together as a diamond."""
    found = {
        worker: e
        for worker, e in (own.get("annotators") or {}).items()
        if e.get("sensitivity") is not None and e.get("bias") is not None
    }
    if not found:
        return None
    with drawn(WIDTH, 3.3) as figure:
        axes = figure.subplots()
        axes.grid()
        axes.axhline(0, color=MUTED, lw=0.9)
        axes.axvline(0, color=MUTED, lw=0.9)
        for worker, entry in found.items():
            x, y = (min(max(entry[key], -LIMIT), LIMIT) for key in ("bias", "sensitivity"))
            _cross(axes, entry, ("bias", "sensitivity"), {"color": LINE, "lw": 0.8, "zorder": 1})
            face = "none" if entry.get("flags") else WIN
            axes.plot(x, y, "o", color=WIN, mfc=face, ms=4.5, zorder=3)
            if len(found) <= NUMBERED:
                axes.annotate(numbers.get(worker, ""), (x, y), (3, 2), textcoords="offset points", fontsize=6.5)
        pooled = own.get("pooled") or {}
        if pooled.get("sensitivity") is not None and pooled.get("bias") is not None:
            _cross(axes, _flat(pooled), ("bias", "sensitivity"), {"color": INK, "lw": 1.4, "zorder": 4})
            axes.plot(pooled["bias"], pooled["sensitivity"], "D", color=INK, ms=6, zorder=5)
        axes.set_xlabel("← quick to say bot · bias c · slow to say bot →")
        axes.set_ylabel("sensitivity d′")
        axes.set_title("Telling bots from people (0 = guessing)")
        _room(axes, found)
        keys = [f"{key}{end}" for key in ("sensitivity", "bias") for end in ("", "_low", "_high")]
        data = [{"annotator": numbers.get(worker, ""), **{key: e.get(key) for key in keys},
                 "flagged": "yes" if e.get("flags") else "no"} for worker, e in found.items()]  # fmt: skip
        if pooled.get("sensitivity") is not None and pooled.get("bias") is not None:
            data.append({"annotator": "all", **{key: _flat(pooled).get(key) for key in keys}})
        return svg(figure, name, "Sensitivity against bias of each annotator", caution, data)


def _flat(pooled: dict) -> dict:
    flat = {}
    for key in ("bias", "sensitivity"):
        flat |= {
            f"{key}_low": (pooled.get(f"{key}_ci") or [None])[0],
            f"{key}_high": (pooled.get(f"{key}_ci") or [None])[-1],
        }
    return flat | {key: pooled[key] for key in ("bias", "sensitivity")}


def _cross(axes: Axes, entry: dict, keys: tuple[str, str], style: dict) -> None:
    """Both intervals of a mark, where they are known."""
    x, y = (entry[key] for key in keys)
    ends = {key: (entry.get(f"{key}_low"), entry.get(f"{key}_high")) for key in keys}
    if None not in ends[keys[0]]:
        axes.plot(ends[keys[0]], [y, y], **style)
    if None not in ends[keys[1]]:
        axes.plot([x, x], ends[keys[1]], **style)


def _room(axes: Axes, found: dict) -> None:
    """The marks decide what is shown, not the long intervals of those who did little."""
    xs, ys = ([min(max(e[key], -LIMIT), LIMIT) for e in found.values()] for key in ("bias", "sensitivity"))
    axes.set_xlim(min(-0.4, *xs) - 0.3 if len(xs) > 1 else min(-0.7, xs[0] - 0.3), max([0.7, *(x + 0.3 for x in xs)]))
    axes.set_ylim(min([-0.4, *(y - 0.3 for y in ys)]), max([1.0, *(y + 0.4 for y in ys)]))


def seconds(own: dict, name: str, caution: str = "") -> Drawing | None:
    """Seconds per annotation by the exchanges shown: the middle half and nine tenths, the median with its interval."""
    rows = [row for row in own.get("by_length") or [] if row.get("median") is not None and row.get("q05") is not None]
    if not rows:
        return None
    with drawn(WIDTH, 0.95 + 0.3 * len(rows)) as figure:
        axes = figure.subplots()
        axes.grid(axis="x")
        for place, row in enumerate(rows):
            axes.plot([row["q05"], row["q95"]], [place, place], color=MUTED, lw=1.0, zorder=2)
            axes.plot([row["q25"], row["q75"]], [place, place], color=WIN, alpha=0.35, lw=9, solid_capstyle="butt")
            whiskers(
                axes, place, row["median"], [row.get("median_low"), row.get("median_high")], Look(WIN, "o", "-", "")
            )
        names_down(axes, ["all lengths" if row["k"] == "all" else shown(row["k"]) for row in rows])
        axes.set_xscale("log")
        low, high = min(row["q05"] for row in rows), max(row["q95"] for row in rows)
        ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if low / 1.3 <= t <= high * 1.3]
        axes.minorticks_off()
        axes.set_xticks(ticks, [str(t) for t in ticks])
        axes.set_title("Seconds per annotation")
        keys = ("median", "median_low", "median_high", "q05", "q25", "q75", "q95", "mean", "n")
        data = ({"exchanges": row["k"], **{key: row.get(key) for key in keys}} for row in rows)
        return svg(figure, name, "Seconds per annotation by the exchanges shown", caution, data)
