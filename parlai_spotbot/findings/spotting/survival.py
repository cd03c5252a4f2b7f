"""Survival curves of bots, tests between them, and hazards by features (section 3.3)."""

from collections.abc import Mapping, Sequence

from parlai_spotbot.analysis.values import ROUNDING
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.spotting import FORM
from parlai_spotbot.findings.spotting.survival_estimates import survival_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import INTERVAL, NAMED, factor, filled, part_of, percent, plainly, some, to, who


def summarise(result: Result) -> list[str]:
    """Return who passes longest, whose curves differ, and which features go with being spotted."""
    frames = result.frames
    sentences = [_longest(frames), _told_apart(frames.rows("pairs")), _effects(frames.rows("cox"))]
    if warning := frames.one("whole")["warning"]:
        sentences.append(Caution(warning))
    return [*sentences, "Not called a bot: judged “human” or “unsure”."]


def _longest(frames: Frames) -> str:
    """Return which bot passes most often at the longest length, and people's share there."""
    ends = {row["bot"]: row for row in frames.rows("curves") if row["bot"] != HUMAN}
    if not ends:
        return ""
    last = max(end["exchanges"] for end in ends.values())
    shares = {bot: end["survival"] for bot, end in ends.items() if end["exchanges"] == last}
    best = [bot for bot in shares if shares[bot] >= max(shares.values()) - ROUNDING]
    end = ends[best[0]]
    versus = next(row for row in frames.rows("bots") if row["bot"] == best[0])
    share = percent(end["survival"]) + to([end["survival_low"], end["survival_high"]], prefix=INTERVAL)
    people = ". No conversation of people was judged at this length."
    if versus.get("human") is not None:
        beside = "; people in {human:percent}, a difference of {difference:points} points{ci:ci_points}."
        people = filled(beside, **versus, ci=[versus["difference_low"], versus["difference_high"]])
    which = f"{some(best, 'bots')} {'is' if len(best) == 1 else 'are'}"
    return f"After {last} exchanges {which} not called a bot most often: in {share}{people}"


def _told_apart(pairs: Sequence[Mapping]) -> str:
    """Return how many pairs differ in how soon they are spotted."""
    differing = sum(map(clear, pairs))
    differ = part_of(differing, len(pairs), "pair", "differs", "differ")
    return f"{differ} clearly in how soon they are spotted (log-rank test, Holm)." if pairs else ""


def _effects(cox: Sequence[Mapping]) -> str:
    """Return with which contestants being favoured in a feature goes clearly with being spotted sooner or later."""
    if not cox:
        return ""
    found = [f"{plainly(row['feature'])} for {who(row['bot'])} ({factor(row['ratio'])})" for row in filter(clear, cox)]
    if not found:
        return "For no feature is it clear that being favoured in it goes with being spotted sooner or later."
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    ratios = f"Clear hazard ratios of being favoured (below 1: spotted later): {'; '.join(found[:NAMED])}{more}."
    return f"{ratios} They are associations, not causes."


FINDING = declared(__file__, FORM, survival_of, summarise)
