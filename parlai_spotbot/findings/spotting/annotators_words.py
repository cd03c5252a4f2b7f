"""Sentences about annotators: what they call bots, the rules that flag them, and rankings without some of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.annotators import ALL_RULES, Rules, rules

RAW = "raw"


# -- bots and people -------------------------------------------------------------------------------------------------
def detection_sentence(rates: Mapping) -> str:
    """Measure how well all annotators together tell bots from people, and to which answer they lean."""
    if not np.isfinite(rates["sensitivity"]):
        return "Annotators can't be measured: they saw no bots, or no people."
    template = (
        f"Annotators called {rates['hit']:.0%} of bots and {rates['false_alarm']:.0%} of people bots: sensitivity d' "
        f"{rates['sensitivity']:.2f} ({{}}0 is guessing)"
    )
    always = (
        f" Always answering “bot” would be right in {rates['always_bot']:.0%}, so a share of right answers alone says "
        "little."
    )
    (low, high), (c_low, c_high) = rates["sensitivity_ci"], rates["bias_ci"]
    if not np.isfinite([low, high, c_low, c_high]).all():
        return template.format("too few annotators or conversations for an interval; ") + "." + always
    lean = "no lean to either answer can be told"
    if c_low > 0 or c_high < 0:
        lean = "they were slow to say “bot”" if rates["bias"] > 0 else "they were quick to say “bot”"
    bias = f", and {lean} (bias c {rates['bias']:+.2f}, {c_low:+.2f} to {c_high:+.2f})."
    return template.format(f"95 % interval {low:.2f} to {high:.2f}; ") + bias + always


# -- rules -------------------------------------------------------------------------------------------------------------
def rules_in_words(limits: Rules) -> dict[str, str]:
    """The rules in force: flag -> what it says of an annotator."""
    labels, annotations = f"of at least {limits.enough_labels}", f"of at least {limits.enough_annotations} annotations"
    words = {
        rules.SAME_LABEL: f"all labels, {labels}, are the same",
        rules.GUESSING: f"balanced accuracy {labels} labels is below {limits.min_balanced_accuracy}",
        rules.INCORRECT: f"the share of right labels, {labels} without the unsure ones, is below {limits.min_correct}",
        rules.TOO_FAST: f"half {annotations} took less than 1/{limits.max_speed} of the usual time at that length, "
        f"or less than {limits.min_seconds:g} seconds",
        rules.SAME_ANSWERS: f"in more than {limits.max_same_answers} {annotations} {_all(len(limits.answers))} answers "
        "are the same ones",
        rules.TWICE: f"answered the same segment more than {_times(limits.max_repeats)}",
        rules.SEGMENTS: f"saw more than {limits.max_segments} segment(s) of one conversation",
        rules.UNITS: f"did more than {limits.max_units} units",
    }
    return {flag: words[flag] for flag in limits.in_force()}


def _all(n: int) -> str:
    return {2: "both", 3: "all three", 4: "all four", 5: "all five"}.get(n, f"all {n}")


def _times(n: int | None) -> str:
    return "once" if n == 1 else f"{n} times"


def rankings_in_words(rankings: Mapping[str, Mapping], words: Mapping[str, str]) -> dict[str, dict]:
    """The rankings of `rankings_without`, each with its rule before and its sentence after it."""
    words = {RAW: "nobody removed", ALL_RULES: "all of these rules", **words}
    return {
        name: {"rule": words[name], **ranking, "sentence": _without(name, ranking, rankings[RAW])}
        for name, ranking in rankings.items()
    }


def _without(name: str, ranking: Mapping, raw: Mapping) -> str:
    if name == RAW:
        return "With every annotation: " + " > ".join(ranking["order"]) + "."
    if not ranking["annotations"]:
        return f"Nobody is caught by “{name}”."
    change = [abs(ranking["win_rate"][bot] - raw["win_rate"][bot]) for bot in ranking["win_rate"]]
    cs = [c for c in change if np.isfinite(c)]
    people = f"{ranking['annotators']} annotator{'' if ranking['annotators'] == 1 else 's'}"
    sentence = f"Without what “{name}” catches ({ranking['annotations']} annotations by {people}) "
    if ranking["moved"]:
        sentence += "the order changes: " + ", ".join(f"{b} from {i} to {j}" for b, (i, j) in ranking["moved"].items())
    else:
        sentence += "the order stays"
    return sentence + (f"; win rates move by at most {max(cs):.3f}." if cs else ".")
