"""Survival curves of bots, tests between them, and hazards by features (section 3.3)."""

from collections.abc import Mapping, Sequence

from parlai_spotbot.analysis.values import ROUNDING
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames, ends
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.spotting import FORM
from parlai_spotbot.findings.spotting.survival_estimates import survival_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import NAMED, counted, factor, filled, names_or_number, pairs_apart, plainly, who


def summarise(result: Result) -> list[str]:
    """Return who passes longest, whose curves differ, and which features go with being spotted."""
    frames = result.frames
    sentences = [_longest(frames), _told_apart(frames.rows("pairs")), _effects(frames.rows("cox"))]
    if warning := frames.one("whole")["warning"]:
        sentences.append(Caution(warning))
    return [*sentences, "Not called a bot: judged “human” or “unsure”."]


def _longest(frames: Frames) -> str:
    """Return which bot passes most often at the longest length, and people's share there."""
    curves = [row for row in frames.rows("curves") if row["bot"] != HUMAN]
    if not curves:
        return ""
    last = max(row["exchanges"] for row in curves)
    shown = [row for row in curves if row["exchanges"] == last]
    most = max(row["survival"] for row in shown) - ROUNDING
    best = [row["bot"] for row in shown if row["survival"] >= most]
    [end] = [row for row in shown if row["bot"] == best[0]]
    [versus] = [row for row in frames.rows("bots") if row["bot"] == best[0]]
    people = ". No conversation of people was judged at this length."
    if versus.get("human") is not None:
        beside = "; people in {human:percent}, a difference of {difference:points} points{0:ci_points}."
        people = filled(beside, ends(versus, "difference"), **versus)
    verb = "is" if len(best) == 1 else "are"
    text = "After {exchanges} exchanges {0} {1} not called a bot most often: in {survival:percent}{2:ci}{3}"
    return filled(text, names_or_number(best, "bots"), verb, ends(end, "survival"), people, **end)


def _told_apart(pairs: Sequence[Mapping]) -> str:
    """Return how many pairs differ in how soon they are spotted."""
    if not pairs:
        return ""
    tested = [pair for pair in pairs if pair["p"] is not None]
    if not tested:
        return f"Whose curves differ is not known: {pairs[0]['why']}."
    unknown = len(pairs) - len(tested)
    differ = pairs_apart(sum(map(clear, tested)), len(tested), unknown)
    holm = ", Holm" if len(pairs) > 1 else ""
    more = f"; of {counted(unknown, 'pair')} more nothing is known" if unknown else ""
    return f"{differ} clearly in how soon they are spotted (log-rank test{holm}){more}."


def _effects(cox: Sequence[Mapping]) -> str:
    """Return with which contestants being favoured in a feature goes clearly with being spotted sooner or later."""
    if not cox:
        return ""
    effects = [
        f"{plainly(row['feature'])} for {who(row['bot'])} ({factor(row['ratio'])})" for row in filter(clear, cox)
    ]
    if not effects:
        return "For no feature is it clear that being favoured in it goes with being spotted sooner or later."
    ratios = "; ".join(effects[:NAMED])
    if len(effects) > NAMED:
        ratios += f" and {len(effects) - NAMED} more"
    text = "Clear hazard ratios of being favoured (below 1: spotted later): {}. They are associations, not causes."
    return text.format(ratios)


FINDING = declared(__file__, FORM, survival_of, summarise)
