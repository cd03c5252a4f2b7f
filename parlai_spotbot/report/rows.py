"""The tables of the report, one function each, from one source's results as they stand in ``analysis/``.

Every table has a sentence that says what it shows and how uncertain it is. What was not computed is "–"; ties are
counted, never hidden.
"""

from __future__ import annotations

from collections.abc import Iterable

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import table_words
from parlai_spotbot.report.figures import FEATURES
from parlai_spotbot.report.table_methods import about
from parlai_spotbot.wording import NAMED, between, listed, number, p_value, percent, span

NATURES = ("human", "unsure", "bot")


def resampling(own: dict) -> str:
    """What the intervals of a ranking rest on, in words."""
    made = own.get("bootstrap", {})
    drawn = {
        "conversations_workers": "conversations and annotators",
        "conversations": "conversations",
        "workers": "annotators",
        "annotations": "annotations as if they were independent",
    }.get(made.get("resample"), "the data")
    return f"95 % intervals from {made.get('replicates', 'the')} bootstrap replicates that draw {drawn} anew"


MOST, NEAR = 1000, 3
"""Of more pairs only those are shown whose bots are so many places apart, or fewer."""


def _lead(own: dict) -> str:
    """Who is ahead: nobody is surely better than those whose first place is 1."""
    best = [bot for bot in own["order"] if own["clusters"][bot][0] == 1]
    if len(best) == 1:
        return f"{best[0]} is ahead of all others."
    if len(best) == len(own["order"]):
        return "The bots can't be told apart by these data."
    who = listed(best) if len(best) <= NAMED else f"{len(best)} of {len(own['order'])} bots"
    return f"{who} can't be told apart at the top."


def verdict(own: dict) -> str:
    """Who is ahead, and how near the bots come to people, in two sentences."""
    if not own.get("order"):
        return ""
    said = _lead(own)
    people = own.get("human_reference", {}).get("human_share")
    shares = {bot: share for bot, share in own.get("human_share", {}).items() if share is not None}
    if people is None or not shares:
        return said + " No conversation of people was judged, so there is no human reference."
    passing = [bot for bot in own["order"] if shares.get(bot, -1.0) >= people]
    if passing:
        return said + f" Taken for human as often as people ({percent(people)}), or more often: {listed(passing)}."
    near = max(shares, key=lambda bot: shares[bot])
    high = (own.get("human_share_ci", {}).get(near) or [None])[-1]
    low = (own["human_reference"].get("ci") or [None])[0]
    overlap = ", and the intervals overlap" if None not in (high, low) and high >= low else ""
    return said + (
        f" No bot is taken for human as often as people are ({percent(people)}); nearest comes {near} "
        f"({percent(shares[near])}{overlap})."
    )


def ranking(own: dict) -> Table | None:
    if not own.get("order"):
        return None
    human = own.get("human_reference", {})
    rows = []
    for bot in own["order"]:
        skill, strength = own["trueskill"][bot], own["davidson"].get(bot, {})
        share = own.get("human_share", {}).get(bot)
        above = share is not None and human.get("human_share") is not None and share >= human["human_share"]
        rows.append((
            Name(bot), span(own["clusters"][bot]),
            number(strength.get("strength")) + between(strength.get("ci"), number),
            percent(own["win_rate"][bot]) + between(own["win_rate_ci"].get(bot)),
            percent(share) + between(own.get("human_share_ci", {}).get(bot)) + (" ≥ people" if above else ""),
            number(skill["mu"], 1) + between(skill.get("ci"), lambda v: number(v, 1)), span(own["ranges"][bot]),
        ))  # fmt: skip
    if human.get("human_share") is not None:
        said = percent(human["human_share"]) + between(human.get("ci")) + f" of {human['n']}"
        rows.append((Name(HUMAN), "–", "–", "–", said, "–", "–"))
    how = (
        "In order of strength: Davidson's model of all matches, in which a difference of 1 makes odds of 2.7 to 1 of "
        "winning a decided match. A place runs from one more than the bots that are surely better to as many as aren't "
        "surely worse; all hold together at 95 %. The paper's TrueSkill stands beside it, with the ranks between which "
        f"it lies when data are drawn anew. {percent(own.get('ties'))} of {own.get('n')} matches were ties: strength "
        "and TrueSkill count them, the win rate (the mean over opponents) leaves them out. People play no matches: "
        "what they were taken for is the reference, which a bot may pass."
    )
    if own.get("bootstrap", {}).get("why"):
        how += f" ({own['bootstrap']['why'].capitalize()}.)"
    head = ("Bot", "Places", "Strength", "Win rate", "Taken for human", "TrueSkill", "TrueSkill ranks")
    return Table("Ranking", how, head, rows, sentence=table_words.ranking(own), **about("ranking"))


def orders(own: dict) -> tuple[str, list[tuple[str, list[Name]]]]:
    """Whether strength, TrueSkill, win rate and survival agree, as a sentence; and the orders where they don't."""
    found, rate = own.get("orders", {}), own.get("win_rate", {})
    changed = {(p["a"], p["b"]) for p in found.get("reversed", []) if rate.get(p["a"]) != rate.get(p["b"])}
    names = {"davidson": "Strength", "trueskill": "TrueSkill", "win_rate": "win rate", "survival": "survival"}
    ordered = [(names[key], [Name(bot) for bot in found[key]]) for key in names if found.get(key)]
    if not ordered:
        return "", []
    criteria = listed(label for label, _ in ordered)
    if found.get("agree") and not changed:
        return f"{criteria} put the bots in the same order.", []
    pairs = sorted(changed)
    said = "; ".join(f"{a} and {b}" for a, b in pairs) if len(pairs) <= NAMED else f"{len(pairs)} pairs"
    text = f"{criteria} don't agree on every order; they differ on {said}."
    clear = {frozenset((p["a"], p["b"])) for p in own.get("pairs", []) if (p.get("p_adjusted") or 1) < 0.05}
    apart = [pair for pair in pairs if frozenset(pair) in clear]
    if not apart:
        return f"{text} None of these is told apart by the ranking either.", ordered
    known = "; ".join(f"{a} and {b}" for a, b in apart[:NAMED])
    return f"{text} Yet the ranking tells apart {known}: there it depends on the criterion.", ordered


def pairs(own: dict) -> Table | None:
    if not own.get("pairs"):
        return None
    place = {bot: i for i, bot in enumerate(own.get("order", []))}
    shown = own["pairs"]
    if len(shown) > MOST:
        shown = [p for p in shown if abs(place[p["a"]] - place[p["b"]]) <= NEAR]
    rows = [
        (Name(p["a"]), Name(p["b"]), str(p["wins_a"]), str(p["wins_b"]), str(p["ties"]), str(p["n"]),
         percent(p["rate_a"]) + between(p.get("rate_ci")), p_value(p.get("p_adjusted")))
        for p in shown
    ]  # fmt: skip
    how = (
        "Each pair's matches: how often the first bot was rated more human, the second, or neither. The win rate is of "
        "the pair's own decided matches; its 95 % interval takes those of one conversation or annotator as dependent. "
        f"Test behind p: {own.get('test', 'adjusted for the number of pairs').split(';')[0]}."
    )
    if len(shown) < len(own["pairs"]):
        how += (
            f" Of the {len(own['pairs']):,} pairs these are the {len(shown):,} whose bots are at most {NEAR} places "
            "apart; all are in ranking_pairs.csv."
        )
    head = ("First", "Second", "First wins", "Second wins", "Ties", "Matches", "Win rate of the first", "p, adjusted")
    sentence = table_words.pairs(own)
    return Table("Every pair", how, head, rows, folded=len(rows) > 15, sentence=sentence, **about("pairs"))


def features(results: dict, bots: Iterable[str]) -> Table | None:
    shown = [criterion for criterion in FEATURES if results.get(criterion, {}).get("order")]
    if not shown:
        return None
    rows = []
    for bot in bots:
        cells = [Name(bot)]
        for criterion in shown:
            own = results[criterion]
            place = own["clusters"].get(bot)
            said = percent(own["win_rate"].get(bot)) + between(own["win_rate_ci"].get(bot))
            cells.append(said + (f" · {span(place)}" if place else ""))
        rows.append(tuple(cells))
    ties = "; ".join(f"{FEATURES[c]} {percent(results[c].get('ties'))}" for c in shown)
    how = (
        "How often a bot was favoured over its opponent, of the segments in which one of them was, with 95 % "
        f"intervals; then its places by this feature. No difference, so not in these rates: {ties}. SSA "
        "counts a win where sensibleness and specificity both favour the same bot."
    )
    head = ("", *(f"{FEATURES[c]} · places" for c in shown))
    sentence = table_words.features(results, shown)
    return Table("Win rates by feature", how, head, rows, sentence=sentence, **about("features"))


def segments(own: dict, bots: Iterable[str]) -> Table | None:
    lengths = own.get("segments")
    if not lengths:
        return None
    ks = sorted(lengths, key=int)
    rows = []
    for bot in (*bots, HUMAN):
        systems = [lengths[k]["systems"].get(bot, {}) for k in ks]
        if not any(systems):
            continue
        cells = [Name(bot)]
        for own_k in systems:
            cells += [
                percent(own_k.get("win_rate")),
                percent(own_k.get("human_share")),
                percent(own_k.get("unsure_share")),
                str(own_k.get("n", "–")),
            ]
        rows.append(tuple(cells))
    ties = ", ".join(f"{percent(lengths[k]['ties'])} of {lengths[k]['n']} at {k}" for k in ks)
    sentence = table_words.segments(lengths, [*bots, HUMAN])
    how = (
        "What more exchanges change: win rate of the decided matches, share taken for human, share of unsure, and how "
        f"often each was labelled. Ties: {ties} exchanges. Few labels a cell: read differences below 10 points as "
        "noise; the sentence above says what all bots together show."
    )
    columns = [f"{k}: {what}" for k in ks for what in ("wins", "human", "unsure", "n")]
    return Table(
        "By length of the segment", how, ("", *columns), rows, folded=True, sentence=sentence, **about("segments")
    )


def confusion(variant: dict, title: str, trained: bool = True) -> Table | None:
    """What a judge's variant said of people and bots; one that wasn't `trained` here may have seen anything before."""
    found = variant.get("confusion")
    if not found:
        return None
    rows = []
    for truth, answers in found.items():
        rows.append((f"{'people' if truth == HUMAN else 'bots'} ({sum(answers.values())})", *_answers(answers)))
    for bot, tally in variant.get("per_contestant", {}).items():
        rows.append((Name(bot), *_answers(tally)))
    unseen = "which it had not seen in training" if trained else "which its makers may have trained it on"
    how = (
        f"What it said of those who really were people or bots, {unseen}. Balanced accuracy "
        f"{percent(variant.get('balanced_accuracy'))} (guessing: 50 %), accuracy {percent(variant.get('accuracy'))}, "
        f"{variant.get('n')} entities; unsure counts one half. A segment's answers are not independent."
    )
    head = ("In truth", *(f"said {answer}" for answer in NATURES))
    more = about("confusion") if trained else {}
    return Table(title, how, head, rows, sentence=table_words.confusion(variant), **more)


def _answers(tally: dict) -> list[str]:
    n = sum(tally.get(nature, 0) for nature in NATURES)
    return [f"{tally.get(nature, 0)} ({percent(tally.get(nature, 0) / n if n else None)})" for nature in NATURES]


def failures(found: list[dict], finished: set[str]) -> Table | None:
    if not found:
        return None
    rows = [
        (Name(str(row.get("contestant", "–"))), str(row.get("kind", "–")), str(row.get("conversation_id", "–")),
         str(row.get("message", "")), "played later" if row.get("conversation_id") in finished else "still missing")
        for row in found
    ]  # fmt: skip
    how = (
        "What went wrong in self-play, each with its conversation; whether a later run completed it. Missing "
        "conversations make a pair's numbers less certain, and not at random where one bot fails at a certain kind of "
        "turn."
    )
    head = ("Contestant", "Kind", "Conversation", "Message", "")
    sentence = table_words.failures(found, finished)
    return Table("Failures", how, head, rows, folded=len(rows) > 12, sentence=sentence)
