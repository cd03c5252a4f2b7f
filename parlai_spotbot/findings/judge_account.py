"""What each judge says of itself, whether its probabilities hold, and what it goes by; from ``judges/JUDGE.json``.

The reasons for single verdicts stand in ``judges/JUDGE_reasons.jsonl`` (`judges.reasons`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from parlai_spotbot.findings import judge_tables
from parlai_spotbot.findings.sections import ALL, Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import NATURES
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import between, number, percent, plainly

ANCHOR, HEADING = "judges", "Judges"

CURVES = 5
"""So many features' curves are drawn; all stand in the table."""

SPEAKS = {
    "human": "a person",
    "bot": "a bot",
    "neither": "neither",
    "human in the middle, bot at the ends": "a person where it is middling, a bot at both ends",
    "human at the ends, bot in the middle": "a bot where it is middling, a person at both ends",
}

RELIABLE = (
    "Each mark holds the entities whose probability of being human was within a tenth of each other; upright lines are "
    "95 % intervals, from bootstraps that draw whole conversations. On the broken line a probability means what it "
    "says; below it the judge takes too many for human, above it too few. Numbers count entities. People and bots are "
    "weighed alike."
)

MEASURED = (
    "Measured on entities whose bot, or whose conversation between people, the judging model had not seen in training. "
    "The Brier score is the mean squared difference of probability and truth; 0.25 is what one half at all times gets. "
    "The expected calibration error is the mean distance of the marks from the broken line, by what they hold."
)


def tell(judge: Mapping) -> Section:
    """A judge's account of itself."""
    charts, tables, text = [], [], []
    trained = isinstance(judge.get("trained_on"), dict)  # a language model says in words what is not known of it
    for name, variant in judge["variants"].items():
        if variant.get("description"):
            text.append(f"Variant {name}: {variant['description']}.")
        tables += [confusion(variant, f"Variant {name}", trained), unseen(name, variant)]
        charts += drawn(name, variant)
        tables += [features(name, variant), words(name, variant)]
    tables.append(judge_tables.flips({"flips": judge.get("position")}))
    text += [judge.get("rule"), "" if trained else judge.get("trained_on"), missing(judge)]
    if judge.get("reasons"):
        text.append(
            f"Why it said what it said of each entity stands in judges/{judge['reasons']['file']}, a row each: its "
            "probability, and what the most telling features added to it."
        )
    found = [table for table in tables if table is not None]
    return Section(
        ANCHOR, HEADING, [sentence for sentence in text if sentence], charts, found, open_charts=ALL, open_tables=ALL
    )


def missing(judge: Mapping) -> str:
    """How many of its answers are missing, where it says so."""
    found = judge.get("missing") or {}
    if not found.get("n"):
        return ""
    reasons = ", ".join(f"{kind} {n}" for kind, n in found["reasons"].items())
    return f"{found['n']} of its answers are missing ({reasons}); judges/{judge['judge']}/failures.jsonl lists them."


def drawn(name: str, variant: Mapping) -> list[Chart]:
    """The reliability curve, and the curves of the most telling features."""
    found = []
    measured = variant.get("calibration") or {}
    if measured.get("bins"):
        points = [
            {
                "label": str(b["n"]),
                "x": b["mean_probability"],
                "y": b["share_human"],
                "low": b["ci"][0],
                "high": b["ci"][1],
            }
            for b in measured["bins"]
        ]
        data = {"points": points, "x": "probability of being human", "y": "share of people", "diagonal": True}
        found.append(
            Chart(
                f"reliability_{_plain(name)}",
                "points",
                f"How far {name}’s probabilities can be taken at their word",
                RELIABLE,
                data,
                calibrated(name, measured, variant.get("unsure_between") or {}),
                MEASURED,
            )
        )
    told = (variant.get("features") or [])[:CURVES]
    if told:
        found.append(
            Chart(
                f"curves_{_plain(name)}",
                "lines",
                f"What {name} goes by",
                f"What each of its {len(told)} most telling features adds to the verdict, from its low to its high "
                "values among the training’s segments: above 0 it speaks for a person, below for a bot. Bands: from "
                "the lowest to the highest of its models, one for each pair of bots that is left out.",
                {
                    "series": [_curve(f) for f in told],
                    "x": "share of segments with a lower value",
                    "y": "push towards human (log-odds)",
                    "reference": 0.0,
                },
            )
        )
    return found


def _curve(feature: dict) -> dict:
    curve = feature["curve"]
    keys = {"x": "share", "y": "push", "low": "low", "high": "high"}
    return {"label": feature["title"], **{key: [point[name] for point in curve] for key, name in keys.items()}}


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def calibrated(name: str, measured: dict, band: dict) -> str:
    """How good the probabilities are, and whether it is unsure where it errs."""
    brier = number(measured["brier"], 3) + between(measured["brier_ci"], lambda end: number(end, 3))
    error, usual = measured["expected_calibration_error"], measured["if_calibrated"]
    text = (
        f"{name}’s probabilities are {percent(error)}{between(measured['expected_calibration_error_ci'])} off on "
        "average, "
        f"where a calibrated judge’s would be {percent(usual)} off by chance, if answers were independent. Brier score "
        f"{brier}, n = {measured['n']}."
    )
    sure, unsure = measured["sure"], measured["unsure"]
    if None in (sure["balanced_accuracy"], unsure["balanced_accuracy"]):
        return text
    where = f" (between {percent(band['low'])} and {percent(band['high'])})" if band else ""
    return text + (
        f" Where it is sure it is right in {_share(sure)}; where it says unsure{where}, its nearer side would be "
        f"right in {_share(unsure)}."
    )


def _share(side: dict) -> str:
    return f"{percent(side['balanced_accuracy'])}{between(side['ci'])} of {side['n']}"


def features(name: str, variant: Mapping) -> Table | None:
    """The named features, the most telling first."""
    own = variant.get("features")
    if not own:
        return None
    lines = []
    for feature in own:
        values = {point["share"]: point["value"] for point in feature["curve"]}
        low, middle, high = (number(values[share]) for share in (0.05, 0.5, 0.95))
        lines.append(
            (
                feature["title"].capitalize(),
                feature["group"],
                SPEAKS[feature["direction"]],
                number(feature["strength"]),
                f"{low} · {middle} · {high}",
                feature["meaning"],
            )
        )
    how = (
        "Strength: how far the feature usually moves the log-odds (standard deviation over the training’s people and "
        "bots, weighed alike; mean of all models). Values: 5 %, half and 95 % of the training’s segments lie below. "
        "What a feature speaks for was learnt from other bots than those judged, beside all the other features."
    )
    most = own[0]
    sentence = f"Most telling is {most['title']}: more of it speaks for {SPEAKS[most['direction']]}."
    if most["direction"] not in ("human", "bot"):
        sentence = f"Most telling is {most['title']}: it speaks for {SPEAKS[most['direction']]}."
    head = ("Feature", "Kind", "More of it speaks for", "Strength", "Values", "What it measures")
    return Table(f"What {name} goes by", how, head, lines, sentence=sentence)


def unseen(name: str, variant: Mapping) -> Table | None:
    """What a variant said, in cross-validation, of people, bots and kinds of spoilt text that it had not met."""
    own = variant.get("left_out")
    if not own:
        return None
    spoilt = own["corruptions"]
    groups = {"people": own["people"], **own["bots"], **{plainly(kind): shares for kind, shares in spoilt.items()}}
    rows = [
        (Name(who) if who in own["bots"] else who, *(percent(shares[answer]) for answer in ("human", "unsure", "bot")))
        for who, shares in groups.items()
    ]
    sentence = f"Of people whom it had not met {name} calls {percent(own['people']['human'])} human"
    if spoilt:
        worst = max(spoilt, key=lambda kind: spoilt[kind]["human"])
        sentence += f", of spoilt texts at most {percent(spoilt[worst]['human'])} ({plainly(worst)})"
    how = (
        "By models trained without that person, that bot, or that kind of spoilt text. Spoilt texts are people’s turns "
        "of the judges’ fold, made into what no person would say."
    )
    head = ("", "human", "unsure", "bot")
    return Table(f"What {name} says of whom it has not met", how, head, rows, folded=True, sentence=f"{sentence}.")


def words(name: str, variant: Mapping) -> Table | None:
    """The words and word pairs that part people from bots most."""
    own = variant.get("words")
    if not own or not (own["human"] or own["bot"]):
        return None
    lines = [
        (f"“{word['word']}”", SPEAKS[side], percent(word["people"]), percent(word["bots"]), number(word["apart"], 3))
        for side in ("human", "bot")
        for word in own[side]
    ]
    firsts = {side: own[side][0]["word"] for side in own if own[side]}
    sentence = " ".join(f"Most of all words “{word}” speaks for {SPEAKS[side]}." for side, word in firsts.items())
    how = (
        "Words and word pairs, by how far they part people from bots in training: the difference of what they add on "
        "average to the log-odds of the two (mean of all models; a model that doesn’t know a word counts 0). Shares "
        "are of the training’s segments in which an entity says it. The letters in a word count too."
    )
    head = ("Word", "Speaks for", "Of people’s", "Of bots’", "Parts by")
    return Table(f"Words that {name} goes by", how, head, lines, folded=True, sentence=sentence)


def confusion(variant: Mapping, title: str, trained: bool = True) -> Table | None:
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
    return Table(title, how, head, rows, sentence=_guessing(variant), **more)


def _answers(tally: dict) -> list[str]:
    n = sum(tally.get(nature, 0) for nature in NATURES)
    return [f"{tally.get(nature, 0)} ({percent(tally.get(nature, 0) / n if n else None)})" for nature in NATURES]


def _guessing(variant: Mapping) -> str:
    """Whether it tells bots from people better than guessing."""
    value, tallies = variant.get("balanced_accuracy"), variant.get("confusion") or {}
    sizes = [sum(tally.values()) for tally in tallies.values()]
    if value is None or len(sizes) < 2 or 0 in sizes:
        return ""
    half = 0.98 * math.sqrt(sum(1 / n for n in sizes)) / 2
    better = value > 0.5 + half
    said = "better than" if better else "worse than" if value < 0.5 - half else "no better than"
    return (
        f"It tells bots from people {said} guessing: balanced accuracy {percent(value)}, where guessing on as many "
        f"comes between {percent(0.5 - half)} and {percent(0.5 + half)} in 95 of 100 cases (if answers were "
        "independent)."
    )
