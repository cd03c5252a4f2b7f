"""Uncertainty of a ranking by people, and the pairs and annotations that would resolve it.

By the planning that `spotbot_plan` does (`analysis.planning`): for surveys of matches from the judgements themselves,
for others from the test of each pair. Formulas only, so the same study gives the same numbers. The sentences are on
the first screen.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from parlai_spotbot.analysis.planning import Design, conversations_needed, pilot_needs
from parlai_spotbot.analysis.planning.pilot import SETTLED, UNREACHABLE
from parlai_spotbot.analysis.values import best_first, plain
from parlai_spotbot.analysis.verdict.probe import EQUAL
from parlai_spotbot.findings.answers import Answers, Form
from parlai_spotbot.findings.finding import Finding, Result, declared
from parlai_spotbot.findings.frames import Found, Frames
from parlai_spotbot.findings.rankings import Ranking, main_ranking
from parlai_spotbot.findings.scarce import MATCHES, VOTES, Kind, obstacle, scarce, scarce_sentence, scarce_step, typical
from parlai_spotbot.findings.schema import all_known, clear
from parlai_spotbot.findings.sections import Step
from parlai_spotbot.wording import counted, fitting, part_of, percent, who

DIFFERENCE = 0.2
POWER = 0.8
LEVEL = 0.95
LOOKS = 2
"""What `spotbot_plan` takes by default: a difference of shares of interest, power, level, tests now and at the end."""

FARTHEST = 100
"""Multiple of a pair's annotations above which a need is not shown: the figure would be noise."""

NOTHING_MORE = dict.fromkeys(("more_conversations", "more_annotations", "needed"))
"""What a pair needs that no plan settles, or that is settled."""

TITLE = "What is uncertain, and what would settle it"
DECIDED = "Every pair ({0}) is {1}: no further annotation is needed to order the bots."
MET = "Every pair that met and is ranked ({0}) is {1}."
WRITE = Step.from_text("Write it up: texts and tables for your paper are below.", plan=False)


def finding(
    form: Form, ranking: Callable[[Any], Frames], compared: Callable[[Any], pd.DataFrame], kind: Kind
) -> Finding:
    """Return the finding of a form of answers, for the first screen; it says nothing of a judge, nor of what was served
    until settled. `compared` are the answers that the `ranking` of a source is by."""

    def of_people(answers: Any) -> Found | None:
        if not answers.crossed or answers.settled:
            return None
        main = main_ranking(ranking(answers))
        if kind is MATCHES:
            return of_matches(compared(answers), answers, main)
        return of_tests(main, kind, compared(answers))

    ends = {"most": f"{0.5 + DIFFERENCE / 2:.0%}", "least": f"{0.5 - DIFFERENCE / 2:.0%}"}
    return declared(__file__, form, of_people, summarise, power=percent(POWER), error=percent(1 - LEVEL), **ends)


def before(bots: int, annotations_per_conversation: int, packed: int) -> list[str]:
    """Return what the plain design asks for, where no person has judged yet, and `packed` annotations are there."""
    if bots < 2:
        return []
    design = Design(bots, annotations_per_conversation, power=POWER, level=LEVEL)
    needed = conversations_needed(0.5 + DIFFERENCE / 2, design)
    if needed is None:
        return []
    text = (
        f"To tell two bots apart if one wins {0.5 + DIFFERENCE / 2:.0%} of decided matches, people need to judge "
        f"{needed:,} conversations per pair ({percent(POWER)} power)."
    )
    in_all = needed * annotations_per_conversation * design.pairs
    here = ""
    if packed < in_all:
        here = f", of which {packed:,} are packed"
    return [text, Step.from_text(f"Let people judge: that takes {in_all:,} annotations of bots{here}.")]


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


def of_matches(matches: pd.DataFrame, answers: Answers, ranking: Ranking) -> Found | None:
    """Return which pairs are open after what people have said, and what they need.

    `ranking` tells what no further annotation settles; contestants with too few matches aren't planned for.
    """
    if matches.empty:
        return None
    each = typical(matches)
    cause = obstacle(ranking, MATCHES, each)
    if cause and cause["blocks"]:
        return {"obstacle": cause}
    if little := scarce(MATCHES, matches, each):
        return {"scarce": little}
    ranked = planned_for(matches, answers.bots, ranking)
    start = Design(max(len(ranked), 2), power=POWER, level=LEVEL, looks=LOOKS)
    rows, design = open_pairs(matches, ranked, start, ranking, DIFFERENCE)
    for row in without_decided(rows, ranking):
        if (row["more_annotations"] or 0) > FARTHEST * row["annotations"]:
            row |= NOTHING_MORE | {"status": UNREACHABLE}
    about = {name: getattr(design, name) for name in ABOUT}
    equal = sum(row["status"] == EQUAL for row in rows)
    return _frames(rows, cause, tested=len(rows), equal=equal, planned=True, seconds=seconds_of(answers), **about)


def _frames(rows: Sequence[Mapping], found: Mapping | None, **whole: Any) -> Found:
    """Return the frames of each pair's need, and of the obstacle if there is one."""
    return {"needs": rows, "whole": whole, "obstacle": found or {}}


def seconds_of(answers: Answers) -> float | None:
    """Return the mean time of an annotation; None where it isn't known."""
    mean = float(answers.annotations["seconds"].mean())
    return None if np.isnan(mean) else mean


def planned_for(matches: pd.DataFrame, names: Sequence[str], ranking: Ranking) -> list[str]:
    """Return who of these met somebody and has enough matches to be ranked."""
    planned = (set(matches["a"]) | set(matches["b"])).difference(ranking.too_few)
    return [name for name in names if name in planned]


def open_pairs(
    matches: pd.DataFrame,
    names: Sequence[str],
    start: Design,
    ranking: Ranking,
    difference: float,
    crossed: bool = True,
) -> tuple[list[dict], Design]:
    """Return what `pilot_needs` says of the pairs of `names`, and the design; those that are equal need no more."""
    inside = matches["a"].isin(names) & matches["b"].isin(names)
    pairs, design = pilot_needs(
        matches[inside].reset_index(drop=True), names, start, difference=difference, crossed=crossed
    )
    return without_equal(plain(pairs), ranking), design


def without_equal(rows: list[dict], ranking: Ranking) -> list[dict]:
    """Return rows of pairs with what they need, of which those that are equal by a ranking need no more."""
    equal = [{row["a"], row["b"]} for row in ranking.pairs if row["verdict"] == EQUAL]
    for row in rows:
        if {row["a"], row["b"]} in equal:
            row |= NOTHING_MORE | {"status": EQUAL}
    return rows


def without_decided(rows: list[dict], ranking: Ranking) -> list[dict]:
    """Return rows of pairs with what they need, of which those that are told apart or equal need no more."""
    for row in rows:
        if clear(row):
            row |= NOTHING_MORE | {"status": SETTLED}
    return without_equal(rows, ranking)


def of_tests(ranking: Ranking, kind: Kind, answers: pd.DataFrame) -> Found | None:
    """Return how much more data each open pair needs, from its test, unless there is too little (`scarce`); None where
    nothing was tested."""
    cause = obstacle(ranking, kind)
    if cause and cause["blocks"]:
        return {"obstacle": cause}
    if little := scarce(kind, answers):
        return {"scarce": little}
    tested = [pair for pair in ranking.pairs if all_known(pair["p"], pair["p_adjusted"])]
    if not tested:
        return {"obstacle": cause or {}}
    opened = _opened(tested)
    equal = sum(pair["verdict"] == EQUAL for pair in tested)
    counts = {"tested": len(tested), "open": len(opened), "equal": equal}
    about = {"noun": "vote"} if kind is VOTES else {}
    if summed := ranking.frames.one("pair_counts"):
        counts["tested"] = summed["tested"]
        counts["open"] = summed["tested"] - summed["clear"] - summed["equal"]
        counts["equal"] = summed["equal"]
    wished = ndtri(POWER) - ndtri((1 - LEVEL) / counts["tested"] / 2)
    rows = []
    for pair in opened:
        z = -ndtri(max(pair["p"], 1e-300) / 2)
        more = None
        if pair["n"] and wished**2 <= (1 + FARTHEST) * z**2:
            more = max(1, round(pair["n"] * ((wished / z) ** 2 - 1)))
        entry = {key: pair[key] for key in ("a", "b", "p_adjusted", "n")}
        rows.append(entry | {"annotations": pair["n"], "more_annotations": more})
    return _frames(rows, cause, **counts, **about)


def summarise(result: Result) -> list[str]:
    """Return which pairs are open, what would settle them, and what to collect next."""
    if little := result.one("scarce"):
        return [scarce_sentence(little), Step.from_text(scarce_step(little))]
    whole = result.one("whole")
    opened = _opened(result.rows("needs"))
    tested = whole.get("tested", 0)
    settled = "told apart"
    if whole.get("equal"):
        settled += " or equal within the margin"
    pairs = ""
    if opened:
        pairs = _named(opened, tested, whole.get("open"))
    if cause := result.one("obstacle"):
        if tested and not opened:
            pairs = MET.format(tested, settled)
        elif opened:
            pairs = _named(opened, count=whole.get("open"))
        return [cause["why"], pairs, Step.from_text(cause["step"], cause["more"], plan=False)]
    if not opened:
        if tested == 1:
            return [f"The two bots are {settled}: no further annotation is needed to order them.", WRITE]
        return [DECIDED.format(tested, settled), WRITE]
    return [pairs, *_takes(opened, whole)]


def _takes(opened: Sequence[Mapping], whole: Mapping) -> list[str]:
    """Return what settling the pairs takes, and which to begin with."""
    reachable = [row for row in opened if row["more_annotations"] is not None]
    if not reachable:
        sentence = f"To tell these apart takes more than {FARTHEST} times the annotations: they may be equally good."
        return [sentence, WRITE]
    seconds = whole.get("seconds")
    takes = ""
    if whole.get("planned") and len(reachable) > 1:
        total = sum(row["more_annotations"] for row in reachable)
        which = "them"
        if len(reachable) < (whole.get("open") or len(opened)):
            which = f"{len(reachable)} of them"
        takes = f"To settle {which} takes about {total:,.0f} further annotations{_hours(total, seconds)}."
    first = min(reachable, key=lambda row: (row["more_annotations"], row["a"], row["b"]))
    details = more = ""
    if new := first.get("more_conversations"):
        details = f" of {counted(round(new), 'new conversation')}"
        more = f"{first['a']}/{first['b']}={new:.0f}"
    two = f"{who(first['a'])} and {who(first['b'])}"
    annotations = counted(round(first["more_annotations"]), f"more {whole.get('noun', 'annotation')}")
    hours = _hours(first["more_annotations"], seconds)
    return [takes, Step.from_text(f"Begin with {two}: about {annotations}{details}{hours}.", more)]


def _opened(rows: Sequence[Mapping]) -> list[Mapping]:
    """Return the pairs that these data neither tell apart nor show to be equal."""
    return [row for row in rows if not clear(row) and EQUAL not in (row.get("verdict"), row.get("status"))]


def _named(opened: Sequence[Mapping], pairs: int = 0, count: int | None = None) -> str:
    """Return how many of `pairs` are open, if that is known, of which `opened` may hold but some, with the clearest of
    them."""
    count = count or len(opened)
    by_name = sorted(opened, key=lambda row: (row["a"], row["b"]))
    named = best_first(by_name, -np.array([row["p_adjusted"] for row in by_name], dtype=float))
    names = fitting([f"{who(row['a'])} and {who(row['b'])}" for row in named])
    among = ":"
    if count > len(names):
        among = ", among them"
    text = f"{counted(count, 'pair is', 'pairs are')} not told apart"
    if pairs:
        text = f"{part_of(count, pairs, 'pair', 'is', 'are')} not told apart"
    return f"{text}{among} {'; '.join(names)}."


def _hours(annotations: float, seconds: float | None) -> str:
    """Return how long this number of annotations takes, as a sentence ends with it; "" where that isn't known."""
    if not seconds:
        return ""
    hours = annotations * seconds / 3600
    if hours < 10:
        return f", about {hours:,.1f} hours of work"
    return f", about {hours:,.0f} hours of work"
