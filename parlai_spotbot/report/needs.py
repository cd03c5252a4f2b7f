"""What is still uncertain of a ranking by people, and what would settle it: the next pairs, and how many annotations.

By the planning that `spotbot_plan` does (`analysis.planning`): for surveys of matches from the judgements themselves,
for others from the test of each pair. Formulas only, so the same study gives the same numbers, at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from scipy.stats import norm

from parlai_spotbot.analysis.frames import annotations_frame, matches_frame
from parlai_spotbot.analysis.planning import Design, conversations_needed, pilot_needs
from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.contents import Contents
from parlai_spotbot.wording import NAMED, p_value, percent

DIFFERENCE, POWER, LEVEL, LOOKS = 0.2, 0.8, 0.95, 2
"""What `spotbot_plan` takes by default: a difference of shares of interest, power, level, tests now and at the end."""

SHOWN = 5
"""So many of the next pairs are named."""

MATCHES = ("spot_the_bot", "spot_the_bot_game")


@dataclass(frozen=True)
class Needs:
    """`text` are sentences, `table` the next pairs; nothing where there is nothing to say."""

    text: list[str]
    table: Table | None = None


def needs(contents: Contents) -> Needs:
    """What would settle the ranking of a survey."""
    if HUMAN not in contents.sources:
        return before(contents) if contents.survey in MATCHES else Needs([])
    if contents.counted:
        return by_pool(contents)
    if contents.survey not in MATCHES:
        return by_tests(contents)
    try:
        frame = annotations_frame(contents.kept, contents.conversations).frame
    except ValueError:  # a judgement that can't be read is the analysis' to complain about
        return Needs([])
    matches = matches_frame(frame[frame["source"] == HUMAN].reset_index(drop=True)).reset_index(drop=True)
    if matches.empty:
        return Needs([])
    own = frame[frame["source"] == HUMAN]
    seconds = float(own["seconds"].mean()) if own["seconds"].notna().any() else None
    return after(matches, contents.bots, seconds)


def before(contents: Contents) -> Needs:
    """Nobody has judged yet: what the plain design asks for."""
    bots = len(contents.bots)
    if bots < 2:
        return Needs([])
    per_conversation = 2 * len(contents.study.plan.segments)
    design = Design(bots, per_conversation, power=POWER, level=LEVEL)
    needed, alone = (conversations_needed(0.5 + DIFFERENCE / 2, design, alone=own) for own in (False, True))
    if needed is None:
        return Needs([])
    annotations = needed * per_conversation
    by_itself = f"; {alone:,} if only a pair's own matches told of it" if alone and alone > needed else ""
    return Needs([
        f"To tell every two bots apart of which one wins {0.5 + DIFFERENCE / 2:.0%} of their decided matches, people "
        f"would have to give some {annotations:,} annotations a pair ({needed:,} conversations{by_itself}), "
        f"{design.pairs} pairs: {annotations * design.pairs:,} in all. Assumed: {percent(design.ties)} of matches are "
        "ties, and annotations of one conversation or annotator hang together, as in the paper's data; "
        f"{percent(POWER)} power. spotbot_plan answers for other assumptions."
    ])  # fmt: skip


def after(matches: pd.DataFrame, bots: list[str], seconds: float | None) -> Needs:
    """Which pairs are open after what people have said, and what they need."""
    names = [bot for bot in bots if bot in set(matches["a"]) | set(matches["b"])]
    found, design = pilot_needs(matches, names, _design(len(names)), difference=DIFFERENCE)
    rows = [{k: None if pd.isna(v) else v for k, v in row.items()} for row in found.to_dict(orient="records")]
    opened = [row for row in rows if row["status"] != "settled"]
    if not opened:
        return Needs([f"Every pair ({len(rows)}) is told apart: no further annotation is needed to order the bots."])
    reachable = sorted((row for row in opened if row["more_annotations"] is not None),
                       key=lambda row: (row["more_annotations"], row["a"], row["b"]))  # fmt: skip
    text = [_named(opened, len(rows), (1 - LEVEL) / LOOKS) + _total(reachable, opened, seconds)]
    return Needs(text, _table(reachable[:SHOWN], design, seconds, len(reachable)))


def _design(bots: int) -> Design:
    return Design(max(bots, 2), power=POWER, level=LEVEL, looks=LOOKS)


def _named(opened: list[dict], pairs: int, below: float | None = None) -> str:
    named = sorted(opened, key=lambda row: (row["p_adjusted"] is None, row["p_adjusted"], row["a"], row["b"]))
    who = "; ".join(f"{row['a']} and {row['b']}" for row in named[:NAMED])
    yet = " yet" if below is None else f" yet (p below {below:.3f}, for all are tested again with further data)"
    if len(opened) > NAMED:
        return f"{len(opened)} of {pairs} pairs are not told apart{yet}, among them {who}."
    return f"{len(opened)} of {pairs} pairs {'is' if len(opened) == 1 else 'are'} not told apart{yet}: {who}."


def _total(reachable: list[dict], opened: list[dict], seconds: float | None) -> str:
    if not reachable:
        return " No number of annotations that can be had would settle them."
    annotations = sum(row["more_annotations"] for row in reachable)
    text = f" To settle {'them' if len(reachable) > 1 else 'it'} takes about {annotations:,.0f} further annotations"
    if len(reachable) < len(opened):
        text = f" To settle {len(reachable)} of them takes about {annotations:,.0f} further annotations"
    if seconds:
        text += f", {annotations * seconds / 3600:,.0f} hours of work"
    first = reachable[0]
    return text + (
        f"; best begin with {first['a']} and {first['b']} ({first['more_annotations']:,.0f} annotations of "
        f"{first['more_conversations']:,.0f} new conversations)."
    )


def _table(rows: list[dict], design: Design, seconds: float | None, count: int) -> Table | None:
    if not rows:
        return None
    shown = [
        (Name(row["a"]), Name(row["b"]), percent(row["rate"]), p_value(row["p_adjusted"]), str(row["annotations"]),
         f"{row['more_annotations']:,.0f} ({row['more_conversations']:,.0f})",
         "–" if seconds is None else f"{row['more_annotations'] * seconds / 3600:.1f}")
        for row in rows
    ]  # fmt: skip
    how = (
        f"For {percent(POWER)} power at an overall error of {percent(1 - LEVEL)}, over {design.pairs} pairs tested now "
        f"and once more, so that p has to come below {(1 - LEVEL) / LOOKS:.3f}; who tests after every batch finds "
        "differences that aren't there (with 12 looks in 19 of 100 studies, not 5). All matches tell of every pair, so "
        f"the numbers hold if all open pairs get theirs. A pair closer than {0.5 + DIFFERENCE / 2:.0%} to "
        f"{0.5 - DIFFERENCE / 2:.0%} is planned for that difference, since no number proves two bots equal. "
        "Win rates from few matches are rough, so are these numbers. Annotations of "
        "people's conversations come on top."
    )
    method = (
        f"As spotbot_plan --study DIR. From these judgements: {percent(design.ties)} ties, correlation of matches of "
        f"one conversation {design.conversation_correlation:.2f}, by one annotator {design.worker_correlation:.2f}, "
        f"{design.annotations_per_conversation} annotations a conversation, {design.annotations_per_worker:.0f} a "
        f"person on average and {design.effective_per_worker:.0f} in effect, since some give far more; together they "
        f"multiply the variance of a pair's own matches by {design.design_effect:.2f}."
    )
    head = ("Bot", "Against", "Wins", "p", "Annotations", "More (conversations)", "Hours")
    title = "What to annotate next" + (f" (the {len(rows)} nearest of {count} pairs)" if count > len(rows) else "")
    return Table(title, how, head, shown, method=method)


def by_pool(contents: Contents) -> Needs:
    """Of votes, where every vote tells of every difference: how many pairs more of them in all would tell apart."""
    pairs = contents.of("ranking", HUMAN).get("pairs") or []
    tested = [pair for pair in pairs if pair.get("p") is not None]
    opened = [pair for pair in tested if pair["p_adjusted"] >= 1 - LEVEL]
    if not opened:
        return by_tests(contents)
    wished = norm.isf((1 - LEVEL) / len(tested) / 2)
    # Chance alone makes the square of z greater by 1.
    z = [max(norm.isf(max(pair["p"], 1e-300) / 2) ** 2 - 1, 0.0) ** 0.5 for pair in opened]
    more = [f"{sum(own * times**0.5 > wished for own in z):,} more with {times} times as many" for times in (2, 4, 10)]
    return Needs([
        _named(opened, len(tested)),
        f"If differences are those found here, votes would tell apart about {', '.join(more)}. Each vote counts for "
        "all pairs of its two contestants, so it matters little between whom further votes are.",
    ])  # fmt: skip


def by_tests(contents: Contents) -> Needs:
    """Of a survey without matches: how many times as much data each open pair needs, from its test."""
    pairs = contents.of("ranking", HUMAN).get("pairs") or []
    tested = [pair for pair in pairs if pair.get("p") is not None and pair.get("p_adjusted") is not None]
    opened = [pair for pair in tested if pair["p_adjusted"] >= 1 - LEVEL]
    if not tested:
        return Needs([])
    if not opened:
        return Needs([f"Every pair ({len(tested)}) is told apart: no further annotation is needed to order the bots."])
    wished = norm.isf((1 - LEVEL) / len(tested) / 2) + norm.ppf(POWER)
    rows = []
    for pair in opened:
        z = float(norm.isf(max(pair["p"], 1e-300) / 2))
        more = pair["n"] * ((wished / z) ** 2 - 1) if z > 0 else None
        rows.append({**pair, "more_annotations": None if more is None or more > 1e5 else max(1, round(more))})
    reachable = sorted((row for row in rows if row["more_annotations"] is not None),
                       key=lambda row: (row["more_annotations"], row["a"], row["b"]))  # fmt: skip
    text = _named(opened, len(tested))
    if reachable:
        first = reachable[0]
        text += f" Best begin with {first['a']} and {first['b']}: about {first['more_annotations']:,} further answers."
    shown = [
        (Name(row["a"]), Name(row["b"]), p_value(row["p_adjusted"]), str(row["n"]), f"{row['more_annotations']:,}")
        for row in reachable[:SHOWN]
    ]
    how = (
        f"As many further answers as give {percent(POWER)} power at an overall error of {percent(1 - LEVEL)} over "
        f"{len(tested)} pairs, if the difference is the one found here and answers hang together as they do here. "
        "A difference that is not clear yet is rough, so are these numbers."
    )
    title = "What to ask next" + (f" (the {len(shown)} nearest of {len(rows)} pairs)" if len(rows) > len(shown) else "")
    head = ("Contestant", "Against", "p, adjusted", "Answers", "Answers more")
    return Needs([text], Table(title, how, head, shown) if shown else None)
