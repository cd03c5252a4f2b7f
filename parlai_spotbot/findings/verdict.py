"""What it comes to, in plain words: how far a judge's answers may be taken for people's.

Of each question the verdict is one of `LEVELS`, worst first. A difference from people is claimed only where its
interval leaves out 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from parlai_spotbot.wording import INTERVAL, asked, listed, number, p_said, to

LEVELS = ("constant", "chance", "below", "unclear", "unknown", "nobody", "level")
"""One answer whatever it is shown; no better than chance; below people; not told from people; people's own agreement is
not known; neither the judge nor people better than chance; not below people."""

WARNINGS = ("constant", "chance", "below")

MOST = 0.95
"""From this share on, one answer is so frequent that it is said."""


def _known(*values: float | None) -> bool:
    return all(value is not None and math.isfinite(value) for value in values)


def level(entry: Mapping) -> str:
    """The verdict on one question, from what `agreement` tells of it."""
    if entry["style"]["judge"]["constant"] is not None and entry["style"]["people"]["constant"] is None:
        return "constant"
    low, high = entry["alpha_ci"]
    if _known(entry["alpha"], low) and low <= 0:
        people = entry["people_alpha_ci"][0]
        return "nobody" if _known(people) and people <= 0 and not entry["difference_ci"][1] < 0 else "chance"
    if not _known(*entry["difference_ci"]):
        return "unknown"
    low, high = entry["difference_ci"]
    return "below" if high < 0 else "unclear" if low < 0 else "level"


def verdict(found: Mapping) -> dict:
    """`level`, the worst of all questions, `warning`, `sentence`, and `questions` {question: {level, sentence}}."""
    questions = {q: {"level": level(entry), "sentence": _on(q, entry)} for q, entry in found["questions"].items()}
    if not questions:
        return {"level": "unknown", "warning": False, "sentence": "", "questions": {}}
    worst = min((entry["level"] for entry in questions.values()), key=LEVELS.index)
    return {
        "level": worst,
        "warning": worst in WARNINGS,
        "sentence": _sentence(questions, found),
        "questions": questions,
    }


def _sentence(questions: Mapping, found: Mapping) -> str:
    by_level = {name: [q for q, entry in questions.items() if entry["level"] == name] for name in LEVELS}
    parts = []
    if by_level["constant"]:
        parts.append(_unmasked(by_level["constant"], found))
    if by_level["chance"]:
        what = _questions(by_level["chance"])
        parts.append(f"Beware: on {what} this judge agrees with people no more than chance may give")
    if by_level["below"]:
        what = _questions(by_level["below"])
        parts.append(f"Beware: on {what} this judge agrees with people less than people agree with each other")
    if by_level["unclear"]:
        what = _questions(by_level["unclear"])
        parts.append(f"On {what} its agreement with people can't be told from that between people")
    for why, which in _unknown(by_level["unknown"], found).items():
        parts.append(f"On {_questions(which)} {why}")
    if by_level["nobody"]:
        what = _questions(by_level["nobody"])
        parts.append(f"On {what} neither it nor other people agree with a person more than chance may give")
    if by_level["level"]:
        parts.append(f"On {_questions(by_level['level'])} it agrees with people no less than people do with each other")
    return ". ".join(parts) + "."


def _unknown(questions: list[str], found: Mapping) -> dict[str, list[str]]:
    """Why a judge can't be set beside people on these questions: {in words: [question, ...]}."""
    reasons: dict[str, list[str]] = {}
    for question in questions:
        entry = found["questions"][question]
        if not entry["people_pairs"]:
            why = "nobody knows how far people agree with each other: no item was answered by two"
        elif not _known(entry["people_alpha"]):
            why = (
                "nobody knows how far people agree with each other more than chance gives: wherever two answered the "
                "same item, all gave one and the same answer"
            )
        else:
            why = "there are too few answers to set its agreement with people beside that between people"
        reasons.setdefault(why, []).append(question)
    return reasons


def _unmasked(questions: list[str], found: Mapping) -> str:
    """A judge that always says the same, in words that leave no doubt."""
    first = questions[0]
    own = found["questions"][first]["style"]["judge"]
    text = f"Do not trust this judge on {_questions(questions)}: "
    text += f"asked {asked(first)}, it says “{own['constant']}” in all of its {own['n']} answers, whoever speaks. "
    agree = found["questions"][first]["agree"]
    text += f"That it gives a person's answer in {agree:.0%} of cases is no more than how often people say so"
    accuracy = (found.get("accuracy") or {}).get(first, {}).get("judge")
    if _known(accuracy):
        text += f", and it tells people from bots as well as guessing does (balanced accuracy {accuracy:.0%})"
    return text


def _on(question: str, entry: Mapping) -> str:
    """One sentence on one question: agreement with people beside agreement between people."""
    style = entry["style"]["judge"]
    text = f"On {asked(question)} the judge's agreement with people "
    text += f"(alpha {_with(entry['alpha'], entry['alpha_ci'])}, {entry['n']} answers of people)"
    if _known(entry["people_alpha"]):
        text += f" beside that between people ({_with(entry['people_alpha'], entry['people_alpha_ci'])})"
    if _known(entry["difference"]):
        text += f": a difference of {_with(entry['difference'], entry['difference_ci'])}"
    if style["constant"] is not None:
        text += f"; it always says “{style['constant']}”"
    elif style["n"] and style["shares"][style["most"]] >= MOST:
        text += f"; it says “{style['most']}” {style['shares'][style['most']]:.0%} of the time"
    return text + "."


def _with(value: float, ci: list) -> str:
    if not _known(value):
        return "not defined"
    return f"{number(value)}, {number(ci[0])} to {number(ci[1])}" if _known(*ci) else f"{number(value)}, no interval"


def _questions(questions: list[str]) -> str:
    return listed(asked(question) for question in questions)


def saving_sentence(entry: Mapping) -> str:
    """How much of people's work a judge would save, from what `savings` tells of one criterion: what holds whatever its
    errors first, then what a model of them promises."""
    safe = entry.get("prediction_powered", {})
    if "saved" not in safe:
        return ""
    if safe["notice"]:
        return f"An estimate of what this judge saves would be idle: {safe['notice']}."
    many, endless = safe["saved"]["as_many"], safe["saved"]["endless"]
    text = "An estimate, used nowhere else, which assumes nothing of the judge's errors: if it rated as many further "
    text += f"items as people did, this judge would save {_share(many)} of people's annotations at equal width of "
    text += (
        f"their intervals ({many['annotations']:.0f} of {entry['people']}); however many it rated, {_share(endless)}"
    )
    return f"{text}. {_promise(entry)}".rstrip()


def _promise(entry: Mapping) -> str:
    if "saved" not in entry or not _known(*entry["slope_ci"]) or entry["slope_ci"][0] <= 0:
        return ""
    many, endless = (_share(entry["saved"][name]) for name in ("as_many", "endless"))
    text = f"A model of its errors promises {many} and {endless}, but only if {entry['assumes']}"
    return f"{text}; {entry['notice']}." if entry["notice"] else f"{text}."


def _share(entry: Mapping) -> str:
    return f"{entry['estimate']:.0%}{to(entry['ci'], prefix=INTERVAL)}"


def self_sentence(entry: Mapping) -> str:
    """Whether a judge favours its own model, from what `favours` tells of one criterion."""
    own = entry.get("self") or {}
    if not _known(own.get("estimate")):
        return ""
    who = ", ".join(own["own"])
    ends = [own["ci"], own.get("beyond", own)["ci"]]
    size = _size(own)
    if "beyond" in own:
        size += f"; {_size(own['beyond'])} when allowing for how far it tells contestants apart at all"
    if all(_known(*ci) and ci[0] > 0 for ci in ends):
        return f"This judge favours its own model ({who}), beside the others and people's scores: by {size}."
    if all(_known(*ci) and ci[1] < 0 for ci in ends):
        return f"This judge is harder on its own model ({who}) than people are, beside the others: by {size}."
    return f"That this judge favours its own model ({who}) is not shown: {size}."


def _size(entry: Mapping) -> str:
    low, high = entry["ci"]
    if not _known(entry["estimate"], low, high):
        return "unknown"
    return f"{number(entry['estimate'])} of score (95 % interval {number(low)} to {number(high)})"


def speaker_sentence(entry: Mapping) -> str:
    """Where a judge's answers don't depend on who speaks, though people's do."""
    judge, people = entry["judge"], entry["people"]
    if judge["depends"]:
        return ""
    text = "Its answers do not depend on who speaks, as far as can be told"
    text += f" (contestants exchanged at random do as well: {p_said(judge['p'])})"
    return f"{text}; people's do ({p_said(people['p'])})." if people["depends"] else f"{text}; people's neither."
