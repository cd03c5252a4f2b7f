"""The rules by which annotators and annotations are flagged, and results shown without them.

No figure but those leaves anybody out by them; only controls do that (`annotators.controls`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

ANSWERS = ("nature0", "nature1", "fluency", "sensibleness", "specificity")
"""The five answers of an annotation, where all features are asked."""

SAME_LABEL = "always the same label"
GUESSING = "worse than guessing"
INCORRECT = "too seldom correct"
TOO_FAST = "too fast"
SAME_ANSWERS = "same answers over and over"
TWICE = "same segment twice"
SEGMENTS = "two segments of one conversation"
UNITS = "too many units"


@dataclass(frozen=True)
class Rules:
    """Record of what is flagged; None leaves a rule out.

    Attributes
    ----------
    max_units : int
        Units (packages) one annotator may do: the paper's 3.
    max_segments : int
        Segments of one conversation that one annotator may see: the paper's 1.
    max_repeats : int
        How often one annotator may answer the same segment: 1.
    same_label : bool
        Flags who gave all entities the same label.
    min_balanced_accuracy : float
        Below .5 annotators are worse than guessing. Removing by what annotators get right makes bots look more
        easily spotted, so such a ranking is next to the raw one, never in its place.
    min_correct : float, by default None
        The paper tries .75 (appendix G) with its correctness, which is also that of who always says "bot".
    max_speed : float
        How many times as fast as usual at that length half of the annotations may be: 2 (the relative speed index of
        Leiner 2019, Surv. Res. Methods 13). With it goes `min_seconds`: who is alone, or among others as hasty, is
        as fast as usual.
    min_seconds : float
        Half of the annotations must take this long at least: 2. The shortest segment has four turns, some 40 words, for
        which a quick reader needs 8 seconds.
    max_same_answers : float
        The share of annotations in which all answers (five in Spot The Bot) are the same ones.
    answers : tuple of str
        The columns in which the answers of an annotation stand.
    enough_labels, enough_annotations : int
        So many labelled entities, or annotations, there must be before what an annotator answered, or how fast, is
        judged.
    """

    max_units: int | None = 3
    max_segments: int | None = 1
    max_repeats: int | None = 1
    same_label: bool | None = True
    min_balanced_accuracy: float | None = 0.5
    min_correct: float | None = None
    max_speed: float | None = 2.0
    min_seconds: float = 2.0
    max_same_answers: float | None = 0.9
    enough_labels: int = 20
    enough_annotations: int = 10
    answers: tuple[str, ...] = ANSWERS

    def __post_init__(self) -> None:
        for name in ("max_units", "max_segments", "max_repeats"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}, expected a whole number from 1 up, or None")
        for name in ("min_balanced_accuracy", "min_correct", "max_same_answers"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} is {value}, expected a share from 0 to 1, or None")
        if self.max_speed is not None and not self.max_speed > 0:
            raise ValueError(f"max_speed is {self.max_speed}, expected a number above 0, or None")

    def in_force(self) -> list[str]:
        """The flags that these rules may raise."""
        return [flag for flag in FIELDS if self.uses(flag)]

    def uses(self, flag: str) -> bool:
        return getattr(self, FIELDS[flag]) not in (None, False)


FIELDS = {
    SAME_LABEL: "same_label",
    GUESSING: "min_balanced_accuracy",
    INCORRECT: "min_correct",
    TOO_FAST: "max_speed",
    SAME_ANSWERS: "max_same_answers",
    TWICE: "max_repeats",
    SEGMENTS: "max_segments",
    UNITS: "max_units",
}
"""Which field of `Rules` each flag stands for."""


def no_rules(rules: Rules) -> Rules:
    """None of them in force."""
    return replace(rules, **dict.fromkeys(FIELDS.values()))


def each_rule(rules: Rules) -> dict[str, Rules]:
    """Every rule in force by itself: flag -> rules with that one only."""
    nothing = no_rules(rules)
    return {flag: replace(nothing, **{name: getattr(rules, name)}) for flag, name in FIELDS.items() if rules.uses(flag)}
