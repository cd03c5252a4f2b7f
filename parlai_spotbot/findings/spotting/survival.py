"""Survival curves of bots, tests between them, and hazards by features (section 3.3)."""

from collections.abc import Mapping, Sequence

from parlai_spotbot.analysis.values import ROUNDING
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.survival_estimates import survival_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import INTERVAL, NAMED, factor, filled, part_of, percent, plainly, some, to, who


def compute(answers: Annotations) -> dict:
    """Return curves, pairs and regressions, see `survival_estimates.survival`."""
    return survival_of(answers)


def summarise(result: Result) -> list[str]:
    """Return who passes longest, whose curves differ, and which features go with being spotted."""
    data = result.data
    warning = [Caution(data["warning"])] if data.get("warning") else []
    sentences = [_longest(data["curves"]), _told_apart(data["pairs"]), _effects(data["cox"]), *warning]
    return [*sentences, "Not called a bot: judged “human” or “unsure”."]


def _longest(curves: Mapping[str, Mapping]) -> str:
    """Return which bot passes most often at the longest length, and people's share there."""
    bots = [name for name in curves if name != HUMAN]
    if not bots:
        return ""
    last = max(curves[bot]["exchanges"][-1] for bot in bots)
    shares = {bot: curves[bot]["survival"][-1] for bot in bots if curves[bot]["exchanges"][-1] == last}
    best = [bot for bot in shares if shares[bot] >= max(shares.values()) - ROUNDING]
    curve = curves[best[0]]
    versus, share = curve.get("versus_human"), f"{percent(curve['survival'][-1])}{to(curve['ci'][-1], prefix=INTERVAL)}"
    people = ". No conversation of people was judged at this length."
    if versus:
        beside = "; people in {human:percent}, a difference of {difference:points} points{ci:ci_points}."
        people = filled(beside, **versus)
    which = f"{some(best, 'bots')} {'is' if len(best) == 1 else 'are'}"
    return f"After {last} exchanges {which} not called a bot most often: in {share}{people}"


def _told_apart(pairs: Sequence[Mapping]) -> str:
    """Return how many pairs differ in how soon they are spotted."""
    differing = sum(map(clear, pairs))
    differ = part_of(differing, len(pairs), "pair", "differs", "differ")
    return f"{differ} clearly in how soon they are spotted (log-rank test, Holm)." if pairs else ""


def _effects(cox: Mapping[str, Mapping]) -> str:
    """Return with which contestants being favoured in a feature goes clearly with being spotted sooner or later."""
    found = [
        f"{plainly(feature)} for {who(name)} ({factor(fit['ratio'])})"
        for name, fits in cox.items()
        for feature, fit in fits.items()
        if clear(fit)
    ]
    if not found:
        return (
            "For no feature is it clear that being favoured in it goes with being spotted sooner or later."
            if cox
            else ""
        )
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    ratios = f"Clear hazard ratios of being favoured (below 1: spotted later): {'; '.join(found[:NAMED])}{more}."
    return f"{ratios} They are associations, not causes."


FINDING = declared(__file__, FORM, compute, summarise)
