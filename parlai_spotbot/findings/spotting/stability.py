"""How many conversations per pair make the ranking repeatable (section 5.2): the sound way, and the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parlai_spotbot.analysis.stability import conversation_matches, stability
from parlai_spotbot.findings.finding import Finding, Result, Rows, two_ends
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.wording import between, percent

REPETITIONS = {"model": 500, "paper": 1000}
"""Of each way, and as many bootstrap replicates in each: the sound way takes longer, and its curve is smooth."""

CAPTION = (
    "Of how many new studies of this size, drawn from the model that was fitted to these data, the most frequent "
    "ranking comes out (thick, with its 95 % interval from the number of repetitions; what the fit itself doesn't know "
    "is not in it); thin: without one bot. Dashed: 95 %. Dotted: the share that gives the ranking of the largest size. "
    "Few conversations can agree too, on nothing: that no bot is clearly better."
)

PAPER = (
    "Dash-dotted, the paper's way: drawn from the conversations at hand, so that it must reach 100 % at all of them."
)


def compute(own: Annotations) -> dict:
    """What `stability` returns for new conversations from the fitted model (``whole``, ``leave_one_out``, …), and under
    ``paper`` what it returns for the paper's way; or ``why`` there is nothing."""
    matches = conversation_matches(own.rows)
    if matches.empty:
        return {"why": "no match between two different bots"}
    seen = set(matches["a"]) | set(matches["b"])
    names = [bot for bot in own.facts.bots if bot in seen] + sorted(seen - set(own.facts.bots))
    curves = {}
    for variant, times in REPETITIONS.items():
        seed = int(own.rng("stability").integers(2**31))
        options = {"variant": variant, "repetitions": times, "replicates": times, "leave_one_out": True, "seed": seed}
        curves[variant] = _said(stability(matches, names, **options))
    return {**curves["model"], "paper": curves["paper"]}


def _said(found: dict) -> dict:
    """What `stability` returns, each curve with its sentence."""
    way = found["variant"], found["options"]["level"]
    left = {bot: curve | {"sentence": curve_sentence(curve, *way)} for bot, curve in found["leave_one_out"].items()}
    whole = found["whole"] | {"sentence": curve_sentence(found["whole"], *way)}
    return found | {"whole": whole, "leave_one_out": left}


def _ranking_text(ranking: list[list[str]]) -> str:
    """The clusters from best to worst: as "a > b = c"; one cluster says so."""
    if len(ranking) == 1:
        return "that no bot is clearly better than another"
    return " > ".join(" = ".join(cluster) for cluster in ranking)


def curve_sentence(curve: Mapping, variant: str, level: float) -> str:
    """What the curve says: from how many conversations per pair a repeated study gives the same ranking."""
    first, last, share = curve["first"], curve["sizes"][-1], curve["share"][-1]
    ranking = _ranking_text(curve["ranking"][-1])
    if variant == "paper":
        if first is None:
            text = (
                f"Even of all {last} conversations per pair only {share:.0%} of draws give the same ranking ({ranking})"
            )
        else:
            text = f"From {first} conversations per pair on, {level:.0%} of draws give the same ranking ({ranking})"
        return text + f". They are drawn from the same {last}, so agreement must rise to the end: it flatters."
    order = curve["order"][-1]
    if first is None:
        text = f"Even of new studies of {last} conversations per pair only {share:.0%} would give the same ranking"
    else:
        text = f"From {first} conversations per pair on, {level:.0%} of new studies would give the same ranking"
    return text + f" ({ranking}); with {last}, {order:.0%} would put all bots in the same order, clearly apart or not."


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """From how many conversations on a repeated study gives the same ranking."""
    own = result.data
    text = [own[key] for key in ("outdated",) if own.get(key)]
    if not own.get("whole"):
        text += [own["why"]] if own.get("why") else []
        return [Section("stability", "Stability", text)] if text else []
    return [Section("stability", "Stability", text, [_chart(own)], [table(own), sizes(own)])]


def _chart(own: Mapping) -> Chart:
    """Share of studies with the same ranking by conversations per pair, whole pool and leave-one-out."""
    whole, paper = own["whole"], (own.get("paper") or {}).get("whole")
    series = []
    for bot, curve in (own.get("leave_one_out") or {}).items():
        series.append({"label": f"without {bot}", "x": curve["sizes"], "y": curve["share"], "thin": True})
    ends = zip(*(ci or (None, None) for ci in whole.get("share_ci") or []), strict=True)
    low, high = (list(side) for side in ends) if whole.get("share_ci") else ([], [])
    series.append({"label": "all bots", "x": whole["sizes"], "y": whole["share"], "low": low, "high": high})
    if whole.get("as_last"):
        series.append({"label": "as at the largest", "x": whole["sizes"], "y": whole["as_last"], "thin": True})
    if paper:
        series.append(
            {"label": "the paper's way", "x": paper["sizes"], "y": paper["share"], "dash": True, "thin": True}
        )
    played = own.get("conversations_per_pair")
    x, y = "conversations per pair", "share of studies that give the same ranking"
    data = {"series": series, "x": x, "y": y, "reference": level(own)}
    data |= {"here": (played[0], "this study")} if played else {}
    caption = CAPTION + (f" {PAPER}" if own.get("paper") else "")
    label = "Share of studies with the same ranking by conversations per pair"
    return Chart("stability", "lines", "", caption, data, sentences(own), label=label, rows=list(_chart_rows(own)))


def _chart_rows(own: Mapping) -> Iterator[dict]:
    """The curves as data: who is left out, and by which way."""
    for way, of in (("model", own), ("paper", own.get("paper") or {})):
        for out, curve in (("", of.get("whole") or {}), *(of.get("leave_one_out") or {}).items()):
            cis = curve.get("share_ci") or [None] * len(curve.get("sizes", ()))
            for size, share, ci in zip(curve.get("sizes", ()), curve.get("share", ()), cis, strict=True):
                yield {"way": way, "left_out": out, "conversations_per_pair": size, "share": share, **_low_high(ci)}


def level(own: Mapping) -> float:
    return (own.get("options") or {}).get("level", 0.95)


def sentences(own: Mapping) -> str:
    """The sentence of the whole pool, and which bots left out make fewer conversations enough; or why there is none."""
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


def table(own: Mapping) -> Table:
    """From how many conversations on each pool is stable, by both ways."""
    paper = own.get("paper") or {}
    rows = []
    for bot, curve in (("", own["whole"]), *(own.get("leave_one_out") or {}).items()):
        theirs = paper.get("leave_one_out", {}).get(bot, {}) if bot else paper.get("whole", {})
        last = percent(curve["share"][-1]) + between((curve.get("share_ci") or [None])[-1])
        rows.append(
            (
                Name(bot) if bot else "all bots stay",
                _first(curve),
                f"{last} at {curve['sizes'][-1]}",
                " › ".join(" = ".join(cluster) for cluster in curve["ranking"][-1]),
                _first(theirs) if theirs else "–",
            )
        )
    how = (
        f"From how many conversations per pair on at least {percent(level(own))} of new studies give the same ranking; "
        "its share at the largest size tried; that ranking (= : not told apart). By the paper's way all draws are of "
        "the same conversations, so it flatters."
    )
    head = ("Left out", "Stable from", "Share", "Ranking", "Paper's way: from")
    return Table("Stability without each bot", how, head, rows, folded=len(rows) > 6)


def sizes(own: Mapping) -> Table:
    """The curve of the whole pool as numbers."""
    whole = own["whole"]
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


def _low_high(ci: Sequence[float] | None) -> dict:
    low, high = ci or (None, None)
    return {"low": low, "high": high}


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the table stability: one a way, pool and size."""
    for variant, part in (("model", data), ("paper", data.get("paper", {}))):
        pools = {"": part["whole"], **part["leave_one_out"]} if "whole" in part else {}
        for out, curve in pools.items():
            for i, size in enumerate(curve["sizes"]):
                about = {"variant": variant, "without": out, "conversations_per_pair": size, "share": curve["share"][i]}
                more = {"same_again": curve["same_again"][i], "order": curve["order"][i] if "order" in curve else None}
                ranking = " > ".join(" = ".join(cluster) for cluster in curve["ranking"][i])
                yield "stability", about | two_ends("share", curve["share_ci"][i]) | more | {"ranking": ranking}


def lines(result: Result) -> list[str]:
    own = result.data
    return [f"  stability, {result.source}: {own['whole']['sentence'] if 'whole' in own else own['why']}"]


FINDING = Finding("stability", FORM, compute, tell, rows, lines, place=88, options=("stability",), asked="stability")
