"""How many conversations per pair make the ranking repeatable: the curves of section 5.2, and their table."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.report.drawing import INK, MUTED, WIDTH, Drawing, Look, drawn, svg
from parlai_spotbot.report.figures import PERCENT, ends
from parlai_spotbot.wording import between, percent

COMMAND = "Not computed. Run: parlai spotbot_analyze --study DIR --stability"

CAPTION = (
    "Of how many new studies of this size, drawn from the model that was fitted to these data, the most frequent "
    "ranking comes out (thick, with its 95 % interval from the number of repetitions; what the fit itself doesn't know "
    "is not in it); thin: without one bot. Dashed: 95 %. Dotted: the share that gives the ranking of the largest size. "
    "Few conversations can agree too, on nothing: that no bot is clearly better."
)

PAPER = (
    "Dash-dotted, the paper's way: drawn from the conversations at hand, so that it must reach 100 % at all of them."
)


def curves(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """Share of studies with the same ranking by conversations per pair, whole pool and leave-one-out."""
    whole = own.get("whole")
    if not whole:
        return None
    left = own.get("leave_one_out") or {}
    paper = (own.get("paper") or {}).get("whole")
    columns = 3 if max([0, *map(len, left)]) < 9 else 2
    with drawn(WIDTH, 3.1 + 0.17 * (2 + len(left) // columns)) as figure:
        axes = figure.subplots()
        axes.grid(axis="y")
        axes.axhline(level(own), color=MUTED, lw=1.0, ls=(0, (4, 2)))
        for bot, curve in left.items():
            look = looks[bot]
            style = {"color": look.colour, "marker": look.marker, "ls": look.linestyle, "ms": 3.5, "lw": 0.9}
            axes.plot(curve["sizes"], curve["share"], label=f"without {bot}", **style)
        _whole(axes, whole)
        if paper:
            axes.plot(paper["sizes"], paper["share"], color=MUTED, ls="-.", lw=1.2, label="the paper's way")
        _played(axes, own)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlim(0, None)
        axes.yaxis.set_major_formatter(PERCENT)
        axes.set_xlabel("conversations per pair")
        axes.set_title("Studies that give the same ranking")
        handles, names = axes.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
        label = "Share of studies with the same ranking by conversations per pair"
        return svg(figure, name, label, caution, _rows(own))


def _rows(own: dict) -> Iterator[dict]:
    """The curves as data: who is left out, and by which way."""
    for way, of in (("model", own), ("paper", own.get("paper") or {})):
        for out, curve in (("", of.get("whole") or {}), *(of.get("leave_one_out") or {}).items()):
            cis = curve.get("share_ci") or [None] * len(curve.get("sizes", ()))
            for size, share, ci in zip(curve.get("sizes", ()), curve.get("share", ()), cis, strict=True):
                yield {"way": way, "left_out": out, "conversations_per_pair": size, "share": share, **ends(ci)}


def _whole(axes: Axes, whole: dict) -> None:
    known = whole.get("share_ci") or []
    if known and all(None not in ci for ci in known):
        axes.fill_between(whole["sizes"], *zip(*known, strict=True), color=INK, alpha=0.15, lw=0)
    axes.plot(whole["sizes"], whole["share"], color=INK, lw=2.2, label="all bots")
    if whole.get("as_last"):
        axes.plot(whole["sizes"], whole["as_last"], color=INK, lw=1.1, ls=":", label="as at the largest")


def _played(axes: Axes, own: dict) -> None:
    """How many conversations per pair this study has."""
    counts = own.get("conversations_per_pair")
    if counts:
        axes.axvline(counts[0], color=MUTED, lw=0.9)
        axes.annotate("this study", (counts[0], 0), (3, 3), textcoords="offset points", fontsize=8, style="italic")


def level(own: dict) -> float:
    return (own.get("options") or {}).get("level", 0.95)


def sentences(own: dict) -> str:
    """The sentence of the whole pool, and which bots left out make fewer conversations enough; or why there is none."""
    if not own.get("whole"):
        return own.get("why", "")
    text = own["whole"].get("sentence", "")
    left = own.get("leave_one_out") or {}
    first = own["whole"].get("first")
    sooner = {
        bot: curve["first"]
        for bot, curve in left.items()
        if curve.get("first") is not None and (first is None or curve["first"] < first)
    }
    if not left:
        return text
    if not sooner:
        return f"{text} Leaving one bot out doesn't make fewer conversations enough."
    parts = [
        f"without {bot} from {size} on" for bot, size in sorted(sooner.items(), key=lambda item: (item[1], item[0]))
    ]
    return f"{text} Fewer are enough where one bot is left out: {'; '.join(parts)}."


def table(own: dict) -> Table | None:
    """From how many conversations on each pool is stable, by both ways."""
    if not own.get("whole"):
        return None
    paper = own.get("paper") or {}
    rows = []
    for bot, curve in (("", own["whole"]), *(own.get("leave_one_out") or {}).items()):
        theirs = paper.get("leave_one_out", {}).get(bot, {}) if bot else paper.get("whole", {})
        last = percent(curve["share"][-1]) + between((curve.get("share_ci") or [None])[-1])
        rows.append((
            Name(bot) if bot else "all bots stay", _first(curve), f"{last} at {curve['sizes'][-1]}",
            " › ".join(" = ".join(cluster) for cluster in curve["ranking"][-1]),
            _first(theirs) if theirs else "–",
        ))  # fmt: skip
    how = (
        f"From how many conversations per pair on at least {percent(level(own))} of new studies give the same ranking; "
        "its share at the largest size tried; that ranking (= : not told apart). By the paper's way all draws are of "
        "the same conversations, so it flatters."
    )
    head = ("Left out", "Stable from", "Share", "Ranking", "Paper's way: from")
    return Table("Stability without each bot", how, head, rows, folded=len(rows) > 6)


def sizes(own: dict) -> Table | None:
    """The curve of the whole pool as numbers."""
    whole = own.get("whole")
    if not whole:
        return None
    rows = []
    for i, size in enumerate(whole["sizes"]):
        order = percent(whole["order"][i]) if whole.get("order") else "–"
        ranking = " › ".join(" = ".join(cluster) for cluster in whole["ranking"][i])
        share = percent(whole["share"][i]) + between((whole.get("share_ci") or [None] * (i + 1))[i])
        rows.append((str(size), share, order, ranking))
    how = (
        "All bots: the share of studies with the most frequent ranking, with its 95 % interval; the share that puts "
        "all bots in one order, clearly apart or not; and that ranking."
    )
    return Table(
        "Stability by size", how, ("Conversations per pair", "Same ranking", "Same order", "Ranking"), rows, True
    )


def _first(curve: dict) -> str:
    first = curve.get("first")
    return str(first) if first is not None else f"not by {curve['sizes'][-1]}" if curve.get("sizes") else "–"
