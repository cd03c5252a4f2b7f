"""What each section says to readers who know no statistics: the effect, its direction, how sure it is.

Each sentence is made from one source's results as they stand in ``analysis/``; what an older analysis lacks is left
out, and where nothing can be said the sentence is empty.
"""

from __future__ import annotations

import math

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.figures import FEATURES
from parlai_spotbot.wording import INTERVAL, NAMED, asked, ends, known, number, percent, signed, some, span, to

LEVEL = 0.05


def leader(own: dict) -> str:
    """Who is first, by how much, and how sure its place is."""
    if len(own.get("order", [])) < 2:
        return ""
    best = own["order"][0]
    rate, ci = own["win_rate"].get(best), own["win_rate_ci"].get(best)
    text = f"{best} comes first"
    if rate is not None:
        bound = f"{INTERVAL}{ends(ci)}" if known(ci) else "no interval"
        text += f" and wins {percent(rate)} of its decided matches ({bound}; mean over its opponents)"
    first, last = own["clusters"][best]
    if last == 1:
        return f"{text}; it is surely better than every other bot, at 95 % over all pairs."
    clear = {bot for p in own.get("pairs", []) if (p.get("p_adjusted") or 1) < LEVEL and best in (p["a"], p["b"])
             for bot in (p["a"], p["b"])}  # fmt: skip
    rivals = [bot for bot in own["order"][1:] if bot not in clear]
    text += f"; places {span((first, last))} are possible"
    return f"{text}: these data can't tell it from {some(rivals, 'other bots')}." if rivals else f"{text}."


def wins(own: dict) -> str:
    """How many pairs differ after correction, which don't, and the most one-sided of them."""
    tested = [p for p in own.get("pairs", []) if p.get("p_adjusted") is not None]
    if not tested:
        return ""
    differ = [p for p in tested if p["p_adjusted"] < LEVEL]
    alike = [f"{p['a']} and {p['b']}" for p in tested if not p["p_adjusted"] < LEVEL]
    how = "Holm-corrected for their number"
    if "clustered" in own.get("test", ""):
        both = "conversation or annotator" if "annotators" in own["test"] else "conversation"
        how += f"; matches of one {both} taken as dependent"
    if not differ:
        count = f"In none of the {len(tested)} pairs does one bot win" if len(tested) > 1 else "Neither bot wins"
        return f"{count} by more than chance would have it ({how})."
    count = f"In all {len(tested)} pairs" if not alike else f"In {len(differ)} of {len(tested)} pairs"
    count = count if len(tested) > 1 else "In the only pair"
    text = f"{count} one bot wins by more than chance would have it ({how})"
    if alike:
        text += f"; not told apart: {'; '.join(alike)}" if len(alike) <= NAMED else ""
    clear = max(differ, key=lambda p: abs((p["rate_a"] if p["rate_a"] is not None else 0.5) - 0.5))
    if clear["rate_a"] is None:
        return f"{text}."
    a, b, rate, ci = clear["a"], clear["b"], clear["rate_a"], clear.get("rate_ci")
    if rate < 0.5:
        a, b, rate, ci = b, a, 1 - rate, [1 - ci[1], 1 - ci[0]] if known(ci) else None
    return f"{text}. Clearest: {a} wins {percent(rate)} of its decided matches against {b}{to(ci, prefix=INTERVAL)}."


def features(results: dict) -> str:
    """Who is favoured most in each feature, and whether that is sure."""
    parts = []
    for feature, said in FEATURES.items():
        own = results.get(feature, {})
        if len(own.get("order", [])) < 2:
            continue
        rated = [bot for bot in own["order"] if own["win_rate"].get(bot) is not None]
        if not rated:
            continue
        best = max(rated, key=lambda bot: own["win_rate"][bot])
        sure = "" if own["clusters"][best] == [1, 1] else ", not sure to be first"
        name = said if said.isupper() else said.lower()
        ci = own["win_rate_ci"].get(best)
        between = f", {ends(ci)}" if known(ci) else ""
        parts.append(f"in {name} {best} ({percent(own['win_rate'][best])}{between}{sure})")
    return f"Favoured most often over the others: {'; '.join(parts)}." if parts else ""


def segments(own: dict, ranking: dict) -> str:
    """Whether bots pass less often where more is shown, and what becomes of ties.

    Intervals of the lengths are those of independent answers, widened as much as the ranking's bootstrap widens those
    of the same shares over all lengths (Kish's design effect): if anything too wide, since conversations and
    annotators are the same at all lengths.
    """
    lengths = own.get("segments") or {}
    ks = sorted(lengths, key=int)
    if len(ks) < 2:
        return ""
    few, many = ks[0], ks[-1]
    text = _passing("bots", [bot for bot in lengths[few]["systems"] if bot != HUMAN], lengths, ranking)
    if not text:
        return ""
    people = _passing("people", [HUMAN], lengths, ranking)
    text = f"With {many} exchanges instead of {few} {text}"
    text += f"; {people}" if people else ""
    ties = lengths[few].get("ties"), lengths[many].get("ties")
    if None not in ties:
        text += f". Ties are {percent(ties[1])} of the matches instead of {percent(ties[0])}"
    return text + "."


def _passing(who: str, names: list[str], lengths: dict, ranking: dict) -> str:
    """By how much fewer, or more, of some names' appearances are taken for human at the longest length."""
    ks = sorted(lengths, key=int)
    found = []
    for name in names:
        ends = [lengths[k]["systems"].get(name, {}) for k in (ks[0], ks[-1])]
        if all(end.get("n") and end.get("human_share") is not None for end in ends):
            found.append((name, ends))
    if not found:
        return ""
    short, long = (sum(ends[i]["human_share"] for _, ends in found) / len(found) for i in (0, 1))
    change = 100 * (long - short)
    shares = f"{percent(long)} instead of {percent(short)}"
    parts = [_variance(name, ends, lengths, ranking) for name, ends in found]
    if None in parts:
        return f"{who} are taken for human in {shares} (no interval)"
    half = 196 * math.sqrt(sum(parts)) / len(found)
    low, high = max(change - half, -100.0), min(change + half, 100.0)
    if high < 0:
        size = f"{-change:.0f} points fewer ({INTERVAL}{-high:.0f} to {-low:.0f})"
        return f"{who} are taken for human less often: {shares}, {size}"
    if low > 0:
        size = f"{change:.0f} points more ({INTERVAL}{low:.0f} to {high:.0f})"
        return f"{who} are taken for human more often: {shares}, {size}"
    return (
        f"{who} are taken for human in {shares}, which may be chance: {signed(change)} points "
        f"({INTERVAL}{signed(low)} to {signed(high)})"
    )


def _variance(name: str, ends: list[dict], lengths: dict, ranking: dict) -> float | None:
    """Of the difference of two shares; None where the ranking has no interval to take the design effect from."""
    if name == HUMAN:
        reference = ranking.get("human_reference", {})
        share, ci = reference.get("human_share"), reference.get("ci")
    else:
        share, ci = ranking.get("human_share", {}).get(name), ranking.get("human_share_ci", {}).get(name)
    if share is None or not known(ci) or not 0 < share < 1 or ci[0] == ci[1]:
        return None
    n = sum(lengths[k]["systems"].get(name, {}).get("n", 0) for k in lengths)
    effect = max(1.0, ((ci[1] - ci[0]) / 3.92) ** 2 / (share * (1 - share) / n))
    # A share of 0 or 1 at one length is no proof that it never varies: half an answer is added to each side.
    shrunk = [(end["human_share"] * end["n"] + 0.5) / (end["n"] + 1) for end in ends]
    return effect * sum(p * (1 - p) / end["n"] for p, end in zip(shrunk, ends, strict=True))


def agreement(own: dict, who: str = "Annotators") -> str:
    """How far annotators agree on each question, and whether that is more than chance."""
    alphas = own.get("krippendorff_alpha") or {}
    found = {q: e for q, e in alphas.items() if e.get("alpha") is not None}
    if not found:
        return ""
    parts = []
    for question, entry in found.items():
        ci, name = entry.get("ci"), asked(question)
        sure = "no interval" if not known(ci) else ends(ci, number)
        if known(ci):
            sure += "" if ci[0] > 0 else ", less than chance gives" if ci[1] < 0 else ", which may be chance"
        parts.append(f"on {name} {number(entry['alpha'])} ({sure})")
    clear = [q for q, e in found.items() if known(e.get("ci")) and e["ci"][0] > 0]
    more = f"clearly more than chance on {len(clear)} of {len(found)} questions"
    if len(clear) == len(found):
        more = "more than chance on every question"
    if not clear:
        more = "on no question clearly more than chance"
    return f"{who} agree {more} (Krippendorff's alpha, 1 is perfect, 0 chance; 95 % intervals): {', '.join(parts)}."


def alike(own: dict) -> str:
    """Whether both entities of a conversation get the same label more often than chance (the paper's footnote 3)."""
    found = own.get("labelled_alike") or []
    bots = [entry for entry in found if entry.get("conversations") == "bots" and entry.get("sentence")]
    return bots[0]["sentence"] if bots else ""


def time(own: dict) -> str:
    """How long annotating took, whether showing more takes longer, hours and cost; nothing where no times are known."""
    if not own.get("n"):
        return ""
    rows = {str(row["k"]): row for row in own.get("by_length", [])}
    all_of = rows.pop("all", {})
    said = f"An annotation took {number(own['median'], 0)} seconds in the median{_seconds(all_of, 'median')}, "
    said += f"{number(own['mean'], 0)} on average{_seconds(all_of, 'mean')}"
    ks = sorted(rows, key=int)
    if len(ks) > 1:
        said += _longer(rows[ks[0]], rows[ks[-1]])
    said += f"; all of them ({own['n']} with a known time) took about {number(own['hours'], 1)} hours"
    return said + ("." if own.get("cost") is None else f", at a cost of {number(own['cost'], 2)}.")


def _seconds(row: dict, which: str) -> str:
    ends = [row.get(f"{which}_low"), row.get(f"{which}_high")]
    return to(ends, lambda v: number(v, 0), prefix=INTERVAL if which == "median" else "")


def _longer(few: dict, many: dict) -> str:
    """Intervals that don't overlap are apart; where they do nothing is claimed."""
    ends = [row.get(f"median_{end}") for row in (few, many) for end in ("low", "high")]
    pair = f"{_at(many)} against {_at(few)}"
    if None in ends:
        return f"; {pair}, without intervals"
    apart = "longer" if ends[2] > ends[1] else "shorter" if ends[3] < ends[0] else ""
    return f"; showing more takes {apart}: {pair}" if apart else f"; by length they can't be told apart: {pair}"


def _at(row: dict) -> str:
    ends = to([row.get("median_low"), row.get("median_high")], lambda v: number(v, 0))
    return f"{number(row['median'], 0)} with {shown(row['k'])}{ends}"


def shown(k: str | int) -> str:
    return f"{k} exchange{'s' if str(k) != '1' else ''}"
