"""What is still uncertain of a ranking by people, and what would settle it: the next pairs, and how many annotations.

By the planning that `spotbot_plan` does (`analysis.planning`): for surveys of matches from the judgements themselves,
for others from the test of each pair. Formulas only, so the same study gives the same numbers. What is told stands on
the first screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np
import pandas as pd
from scipy.stats import norm

from parlai_spotbot.analysis.planning import Design, conversations_needed, pilot_needs
from parlai_spotbot.analysis.planning.pilot import UNREACHABLE
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.findings.answers import Form
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.scarce import (
    CHOICES,
    KINDS,
    MATCHES,
    VOTES,
    Kind,
    obstacle_sentences,
    obstacle_step,
    obstacles,
    scarce,
    scarce_sentence,
    scarce_step,
    typical,
)
from parlai_spotbot.findings.sections import Name, Section, Table
from parlai_spotbot.wording import NAMED, NONE, counted, p_value, part_of, percent

DIFFERENCE, POWER, LEVEL, LOOKS = 0.2, 0.8, 0.95, 2
"""What `spotbot_plan` takes by default: a difference of shares of interest, power, level, tests now and at the end."""

FARTHEST = 100
"""A pair that would need more than so many times the annotations that it has is out of reach: the figure is noise."""

SHOWN = 5
"""So many of the next pairs are named."""

TITLE = "What is uncertain, and what would settle it"
SETTLED = "Every pair ({}) is told apart: no further annotation is needed to order the bots."
MET = "Every pair that met and is ranked ({}) is told apart."


PAIR = ("a", "b", "status", "conversations", "more_conversations", "more_annotations")
"""What tables say of a pair."""


def finding(form: Form, compute, tell) -> Finding:
    """The finding of a form of answers, for the first screen."""
    return Finding("needs", form, compute, tell, rows=_rows, place=5)


def _rows(data: Mapping) -> Rows:
    """Rows of the table needs, where it is known what each pair needs."""
    for row in data.get("pairs", []):
        if "more_conversations" in row:
            yield "needs", {name: row[name] for name in PAIR}


def section(
    text: Sequence[str], table: Table | None = None, step: str = "", more: str = "", plan: bool = True
) -> list[Section]:
    """Return the section; `plan`: whether a plan would tell more of the step."""
    if not (text or table or step):
        return []
    tables = [table] if table else []
    return [Section("needs", TITLE, list(text), [], tables, first=True, step=step, more=more, plan=plan)]


def _hindered(own: Mapping) -> list[Section]:
    """Say what further answers can't settle, and what to collect in their place; [] where there is no such obstacle."""
    found = own.get("obstacles")
    if not found:
        return []
    kind = KINDS[found["of"]]
    step, more = obstacle_step(found, kind, found["each"])
    pairs = own.get("pairs") or []
    opened = [row for row in pairs if not _apart(row)]
    text = obstacle_sentences(found, kind)
    if "no_scale" not in found and (pairs or own.get("tested")):
        total = own.get("tested") or len(pairs)
        text.append(_named(opened, total, count=own.get("open")) if opened else MET.format(total))
    return section(text, None, step, more, plan=False)


def _obstacles(ranking: Mapping, answers_by: Sequence[int], kind: Kind, each: float) -> dict:
    """Return {"obstacles": …}, with the kind of answers and how many `each` pair has; {} where there is none."""
    found = obstacles(ranking, answers_by)
    return {"obstacles": found | {"of": kind.all, "each": max(1, round(each))}} if found else {}


def tell_scarce(own: Mapping) -> list[Section]:
    """Too little to plan from: what to collect first."""
    return section([scarce_sentence(own)], step=scarce_step(own))


def of_choices(rows: pd.DataFrame) -> dict | None:
    """What there is of choices between two contestants (a, b, outcome, worker_id), where it is too little."""
    rows = rows[rows["a"] != rows["b"]]
    names = set(rows["a"]) | set(rows["b"])
    return scarce(CHOICES, rows["worker_id"].nunique(), len(rows), int((rows["outcome"] != 0).sum()), len(names))


# -- matches -----------------------------------------------------------------------------------------------------------
def before(bots: int, annotations_per_conversation: int, seconds: float) -> list[Section]:
    """No person has judged yet: what the plain design asks for; `seconds`, of an annotation elsewhere."""
    if bots < 2:
        return []
    design = Design(bots, annotations_per_conversation, power=POWER, level=LEVEL)
    needed = conversations_needed(0.5 + DIFFERENCE / 2, design)
    if needed is None:
        return []
    annotations = needed * annotations_per_conversation
    text = (
        f"What people would say. To tell apart every two bots of which one wins {0.5 + DIFFERENCE / 2:.0%} of their "
        f"decided matches takes {needed:,} conversations a pair, if {percent(design.ties)} of matches are "
        f"ties and annotations hang together as in the paper's data, with {percent(POWER)} power."
    )
    in_all = annotations * design.pairs
    return section([text], step=f"Let people judge: {in_all:,} annotations for that, {_hours(in_all, seconds)}.")


ABOUT = (
    "pairs",
    "ties",
    "conversation_correlation",
    "worker_correlation",
    "annotations_per_conversation",
    "annotations_per_worker",
    "effective_per_worker",
    "design_effect",
)


def of_matches(
    matches: pd.DataFrame, names: Sequence[str], seconds: float | None, ranking: Mapping | None = None
) -> dict | None:
    """Which pairs are open after what people have said, and what they need; `seconds`, of an annotation.

    `ranking` tells what no further annotation settles; contestants with too few matches aren't planned for.
    """
    ranking = ranking or {}
    seen = set(matches["a"]) | set(matches["b"])
    names = [bot for bot in names if bot in seen]
    if matches.empty:
        return None
    decided = int((matches["outcome"] != 0).sum())
    if little := scarce(MATCHES, matches["worker_id"].nunique(), len(matches), decided, len(names)):
        return {"scarce": little}
    hindered = _obstacles(ranking, matches["worker_id"].value_counts().tolist(), MATCHES, typical(matches))
    if "no_scale" in hindered.get("obstacles", {}):
        return hindered
    names = [bot for bot in names if bot not in ranking.get("too_few", {})]
    matches = matches[matches["a"].isin(names) & matches["b"].isin(names)].reset_index(drop=True)
    start = Design(max(len(names), 2), power=POWER, level=LEVEL, looks=LOOKS)
    found, design = pilot_needs(matches, names, start, difference=DIFFERENCE)
    rows = plain(found)
    for row in rows:
        if (row["more_annotations"] or 0) > FARTHEST * row["annotations"]:
            row |= {"status": UNREACHABLE, "more_conversations": None, "more_annotations": None, "needed": None}
    return {"pairs": rows, "design": {name: getattr(design, name) for name in ABOUT}, "seconds": seconds} | hindered


def tell_matches(result: Result) -> list[Section]:
    """Say which pairs are open, which would be if the study went on, and what to annotate next."""
    own = result.data
    if "scarce" in own:
        return tell_scarce(own["scarce"])
    if hindered := _hindered(own):
        return hindered
    seconds, total = own["seconds"], len(own["pairs"])
    pending = [row for row in own["pairs"] if row["status"] != "settled"]
    if not pending:
        return section([SETTLED.format(total)])
    opened = [row for row in pending if not _apart(row)]
    apart = [row for row in pending if _apart(row)]
    below = (1 - LEVEL) / LOOKS
    text = [_named(opened, total, below) + _total(_reachable(opened), opened, seconds)] if opened else []
    if apart:
        text.append(_again(apart, total, below) + _total(_reachable(apart), apart, seconds))
    first, goes_on = _reachable(opened)[:1] or _reachable(apart)[:1], "" if _reachable(opened) else AGAIN
    more = "{a}/{b}={more_conversations:.0f}".format(**first[0]) if first else ""
    step = _first(first, seconds)
    step = f"{goes_on}b{step[1:]}" if step and goes_on else step
    return section(text, _table(_reachable(pending), own["design"], seconds), step, more)


AGAIN = "If the study goes on, "


def _apart(row: Mapping) -> bool:
    """Return True if a pair is told apart now, whether or not it would have to be tested again."""
    return row["p_adjusted"] is not None and row["p_adjusted"] < 1 - LEVEL


def _reachable(rows: Sequence[dict]) -> list[dict]:
    """The pairs that so many further annotations would settle as can be had, those that need fewest first."""
    known = [row for row in rows if row["more_annotations"] is not None]
    return sorted(known, key=lambda row: (row["more_annotations"], row["a"], row["b"]))


def _names(rows: Sequence[dict], count: int | None = None) -> str:
    """Up to `NAMED` pairs by name, the clearest first."""
    named = sorted(rows, key=lambda row: (row["p_adjusted"] is None, row["p_adjusted"], row["a"], row["b"]))
    among = ", among them" if (count or len(rows)) > NAMED else ":"
    pairs = [f"{row['a']} and {row['b']}" for row in named[:NAMED]]
    return f"{among} {'; '.join(pairs)}."


def _named(opened: list[dict], pairs: int, below: float | None = None, count: int | None = None) -> str:
    """Say how many pairs are open, of which `opened` may hold but some, and name the clearest."""
    how = "not told apart"
    if below is not None:
        how += f" yet (p below {p_value(below)}, for all are tested again with further data)"
    return f"{part_of(count or len(opened), pairs, 'pair', 'is', 'are')} {how}{_names(opened, count)}"


def _again(apart: list[dict], pairs: int, below: float) -> str:
    """Say that pairs which these data tell apart need more if they are to be tested a second time."""
    text = f"{part_of(len(apart), pairs, 'pair', 'is', 'are')} told apart by these data, but not if all are tested "
    return f"{text}again with further data (p below {p_value(below)}){_names(apart)}"


def _total(reachable: list[dict], opened: list[dict], seconds: float | None) -> str:
    if not reachable:
        return " No number of annotations that can be had would settle them."
    annotations = sum(row["more_annotations"] for row in reachable)
    text = f" To settle {'them' if len(reachable) > 1 else 'it'} takes about {annotations:,.0f} further annotations"
    if len(reachable) < len(opened):
        text = f" To settle {len(reachable)} of them takes about {annotations:,.0f} further annotations"
    return f"{text}, {_hours(annotations, seconds)}." if seconds else f"{text}."


def _first(reachable: list[dict], seconds: float | None) -> str:
    """What to annotate next, and how long that takes; "" where nothing can be settled."""
    if not reachable:
        return ""
    first = reachable[0]
    annotations = first["more_annotations"]
    text = f"Begin with {first['a']} and {first['b']}: {counted(round(annotations), 'more annotation')} of "
    text += counted(round(first["more_conversations"]), "new conversation")
    return f"{text}, {_hours(annotations, seconds)}." if seconds else f"{text}."


def _hours(annotations: float, seconds: float) -> str:
    hours = annotations * seconds / 3600
    return f"about {hours:,.1f} hours of work" if hours < 10 else f"about {hours:,.0f} hours of work"


def _table(reachable: list[dict], design: Mapping, seconds: float | None) -> Table | None:
    rows, count = reachable[:SHOWN], len(reachable)
    if not rows:
        return None
    shown = [
        (
            Name(row["a"]),
            Name(row["b"]),
            percent(row["rate"]),
            p_value(row["p_adjusted"]),
            str(row["annotations"]),
            f"{row['more_annotations']:,.0f} ({row['more_conversations']:,.0f})",
            NONE if seconds is None else f"{row['more_annotations'] * seconds / 3600:.1f}",
        )
        for row in rows
    ]
    how = (
        f"For {percent(POWER)} power at an overall error of {percent(1 - LEVEL)}, over {design['pairs']} pairs tested "
        f"now and once more, so that p has to come below {p_value((1 - LEVEL) / LOOKS)}; who tests after every batch "
        "finds differences that aren't there (with 12 looks in 19 of 100 studies, not 5). All matches tell of every "
        "pair, so "
        f"the numbers hold if all open pairs get theirs. A pair closer than {0.5 + DIFFERENCE / 2:.0%} to "
        f"{0.5 - DIFFERENCE / 2:.0%} is planned for that difference, since no number proves two bots equal. "
        "Win rates from few matches are rough, so are these numbers. Annotations of "
        "people's conversations come on top."
    )
    method = (
        "As spotbot_plan has it of this study. From these judgements: "
        f"{percent(design['ties'])} ties, correlation of matches "
        f"of one conversation {design['conversation_correlation']:.2f}, by one annotator "
        f"{design['worker_correlation']:.2f}, {design['annotations_per_conversation']} annotations a conversation, "
        f"{design['annotations_per_worker']:.0f} a person on average and {design['effective_per_worker']:.0f} in "
        "effect, since some give far more; together they multiply the variance of a pair's own matches by "
        f"{design['design_effect']:.2f}."
    )
    head = ("Bot", "Against", "Wins", "p", "Annotations", "More (conversations)", "Hours")
    title = "What to annotate next" + (f" (the {len(rows)} nearest of {count} pairs)" if count > len(rows) else "")
    return Table(title, how, head, shown, method=method)


# -- other tests -------------------------------------------------------------------------------------------------------
def of_tests(
    ranking: Mapping, little: Mapping | None = None, answers_by: Sequence[int] = (), kind: Kind = CHOICES
) -> dict | None:
    """How many times as much data each open pair needs, from its test, unless there is too `little`; None where nothing
    was tested. `answers_by`: how many answers each annotator gave."""
    if little:
        return {"scarce": little}
    counts = [pair["n"] for pair in ranking.get("pairs") or [] if pair.get("n")]
    hindered = _obstacles(ranking, answers_by, kind, median(counts or [0]))
    if "no_scale" in hindered.get("obstacles", {}):
        return hindered
    tested = [p for p in ranking.get("pairs") or [] if p.get("p") is not None and p.get("p_adjusted") is not None]
    tested = [pair for pair in tested if pair["p"] == pair["p"]]
    if not tested:
        return hindered or None
    wished = norm.isf((1 - LEVEL) / len(tested) / 2) + norm.ppf(POWER)
    rows = []
    for pair in tested:
        if pair["p_adjusted"] >= 1 - LEVEL:
            z = float(norm.isf(max(pair["p"], 1e-300) / 2))
            more = pair["n"] * ((wished / z) ** 2 - 1) if z > 0 else None
            known = {key: pair[key] for key in ("a", "b", "p_adjusted", "n")}
            rows.append({**known, "more_annotations": _within_reach(more, pair["n"])})
    return {"tested": len(tested), "pairs": rows} | hindered


def _within_reach(more: float | None, there: int) -> int | None:
    """How many more answers; None where that is out of reach."""
    return None if more is None or more > FARTHEST * there else max(1, round(more))


def tell_tests(result: Result) -> list[Section]:
    """Which pairs are open, and what to ask next."""
    own = result.data
    if "scarce" in own:
        return tell_scarce(own["scarce"])
    if hindered := _hindered(own):
        return hindered
    if not own["pairs"]:
        return section([SETTLED.format(own["tested"])])
    reachable = _reachable(own["pairs"])
    text = _named(own["pairs"], own["tested"], count=own.get("open"))
    step = ""
    if reachable:
        first = reachable[0]
        step = f"Begin with {first['a']} and {first['b']}: about {first['more_annotations']:,} more answers."
    shown = [
        (Name(row["a"]), Name(row["b"]), p_value(row["p_adjusted"]), str(row["n"]), f"{row['more_annotations']:,}")
        for row in reachable[:SHOWN]
    ]
    how = (
        f"As many further answers as give {percent(POWER)} power at an overall error of {percent(1 - LEVEL)} over "
        f"{own['tested']} pairs, if the difference is the one found here and answers hang together as they do here. "
        "A difference that is not clear yet is rough, so are these numbers."
    )
    more = len(own["pairs"]) > len(shown)
    title = "What to ask next" + (f" (the {len(shown)} nearest of {len(own['pairs'])} pairs)" if more else "")
    head = ("Contestant", "Against", "p, adjusted", "Answers", "Answers more")
    return section([text], Table(title, how, head, shown) if shown else None, step)


# -- votes -------------------------------------------------------------------------------------------------------------
TIMES = (2, 4, 10)


def of_pool(ranking: Mapping, little: Mapping | None = None, answers_by: Sequence[int] = ()) -> dict | None:
    """Where every vote tells of every difference: how many pairs more of them in all would tell apart."""
    found, counts = of_tests(ranking, little, answers_by, VOTES), ranking.get("pair_counts")
    if counts and found and "tested" in found:
        found |= {"tested": counts["tested"], "open": counts["tested"] - counts["clear"]}
    if found is None or not found.get("pairs") or "obstacles" in found:
        return found
    columns = np.array([[pair["p"], pair["p_adjusted"]] for pair in ranking["pairs"]], dtype=float)
    return found | {"more": counts["more"] if counts else more_apart(*columns.T)}


def more_apart(p: np.ndarray, adjusted: np.ndarray) -> dict[str, int]:
    """Return how many pairs more would be told apart with so many (`TIMES`) times the votes, from all tests (q,)."""
    opened = adjusted >= 1 - LEVEL
    wished = norm.isf((1 - LEVEL) / max(int(np.isfinite(p).sum()), 1) / 2)
    # Chance alone makes the square of z greater by 1.
    z = np.sqrt(np.maximum(norm.isf(np.maximum(p[opened], 1e-300) / 2) ** 2 - 1, 0.0))
    return {str(times): int((z * times**0.5 > wished).sum()) for times in TIMES}


def tell_pool(result: Result) -> list[Section]:
    """Which pairs are open, and what more votes in all would do."""
    own = result.data
    if "more" not in own:
        return tell_tests(result)
    more = [f"{count:,} more with {times} times as many" for times, count in own["more"].items() if count]
    if not more:
        none = (
            f"If differences are those found here, even {TIMES[-1]} times as many votes would tell no more pairs apart."
        )
        return section([_named(own["pairs"], own["tested"], count=own.get("open")), none])
    return section(
        [
            _named(own["pairs"], own["tested"], count=own.get("open")),
            f"If differences are those found here, votes would tell apart about {', '.join(more)}. Each vote counts "
            "for all pairs of its two contestants, so it matters little between whom further votes are.",
        ]
    )
