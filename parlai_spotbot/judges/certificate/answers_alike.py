"""Verdicts and labels as answers to one question: numbers and words that are spelt otherwise, scales, other words."""

import re
import shlex
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.dataset_rows import NONE, plain_text
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.numbers import readings
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import names_or_number

SCALES, ALIKE = own_data(__file__)
"""Words of usual scales, from lowest to highest; words that mean the same."""

BOTH = ("verdict", "label")
"""Columns of answers."""

WITH_SCALE = re.compile(r"-?(\d+(\.\d*)?|\.\d+)")
FOLDED = re.compile(r"(?<=\w)-(?=\w)|[\s_.,;:!'\"()\[\]{}\u3002\uff0c\u3001]+")
"""Signs that tell no answers apart, as + and > do: "A-" and "A+", "A>B" and "A<B"."""

MOST = 8
"""More numbers than that beside two labels are a score; in so many rows no judge is always wrong."""
MOSTLY = 0.5
WIDER = 4
"""Times that a scale is as wide as another, from where it is another one."""


def answer_text(value: Any, kept: Sequence[str] = ()) -> str:
    """Return a value as text, "" for nothing but what is `kept`; 3.0 and 3 are one answer, so are −1,5 and -1.5."""
    if isinstance(value, str) and value.strip().lower() in kept:
        return value.strip()
    text = plain_text(value)
    if text.isdecimal():
        return str(int(text))
    numbers = {*readings(text).values()}
    if len(numbers) != 1 or text.endswith("%"):
        return text.replace("−", "-")
    return f"{numbers.pop() + 0:.15g}"


def spelt_alike(frame: pd.DataFrame) -> pd.DataFrame:
    """Return answers as labels first spell them: "PASS" is "pass", "Not good" "not_good", "1,000" "1000"."""
    answers = [*frame["label"].unique(), *frame["verdict"].unique()]
    numbers = {float(answer): answer for answer in answers if WITH_SCALE.fullmatch(answer)}
    spelt, first = {}, {}
    for answer in answers:
        held = {*readings(answer).values()} & numbers.keys()
        if len(held) == 1:
            spelt[answer] = numbers[held.pop()]
        else:
            spelt[answer] = first.setdefault(_folded(answer), answer)
    return frame.assign(**{name: frame[name].map(spelt) for name in BOTH})


def _folded(answer: str) -> str:
    """Return an answer without differences of spelling; a number, or what has no letter or digit, as it is."""
    if readings(answer):
        return answer
    return FOLDED.sub("_", unicodedata.normalize("NFKC", answer).casefold()).strip("_") or answer


def check_answers(frame: pd.DataFrame, where: object, ordered: bool) -> None:
    """Raise `UserError` where verdicts and labels aren't answers to one question."""
    verdicts, labels = (frame[name].unique().tolist() for name in ("verdict", "label"))
    numbers = all(WITH_SCALE.fullmatch(answer) for answer in verdicts + labels)
    if len(labels) <= 2 and len(verdicts) > MOST and numbers:
        raise UserError(
            f"{where}: verdicts are {len(verdicts)} numbers, labels are {', '.join(labels)}: a score is no verdict.",
            "Make a column of verdicts, by the threshold that the judge will be used with.",
        )
    strange = [~frame[name].isin(others) for name, others in (("verdict", labels), ("label", verdicts))]
    apart = min(rows.mean() for rows in strange)
    if len(frame) >= MOST and (apart == 1 or (apart > MOSTLY and not numbers)):
        shared = "few"
        if apart == 1:
            shared = "none"
        shown = [names_or_number(answers, "answers") for answers in (verdicts, labels)]
        raise UserError(
            f"{where}: verdicts are {shown[0]}, labels are {shown[1]}: {shared} in common.",
            f"Say which are the same: --answers {shlex.quote(_same_answers(verdicts, labels))}.",
        )
    if len(frame) >= MOST and numbers and not ordered:
        _check_scales(sorted(map(float, verdicts)), sorted(map(float, labels)), where)


def _same_answers(verdicts: Sequence[str], labels: Sequence[str]) -> str:
    """Return --answers for verdicts that are no labels: those that mean the same, as far as their words tell."""
    pairs = []
    for verdict in [answer for answer in verdicts if answer not in labels][:MOST]:
        words = next((words for words in ALIKE if _folded(verdict) in words), ())
        same = [label for label in labels if _folded(label) in words]
        pairs.append(f"{verdict}={(same or ['OURS'])[0]}")
    return ",".join(pairs)


def _check_scales(verdicts: Sequence[float], labels: Sequence[float], where: object) -> None:
    """Raise `UserError` where ascending numbers are surely of two scales: as wide, and moved; or of other widths."""
    low, high = verdicts[0] - labels[0], verdicts[-1] - labels[-1]
    wide = sorted((verdicts[-1] - verdicts[0], labels[-1] - labels[0]))
    moved = low == high != 0
    same = "Write both on one; or,"
    if moved and len(verdicts) == len(labels):
        pairs = [f"{verdict:g}={label:g}" for verdict, label in zip(verdicts, labels, strict=True)]
        same = f"Say which are the same: --answers {','.join(pairs)}; or,"
    if moved or (max(len(verdicts), len(labels)) > MOST and wide[1] >= WIDER * max(wide[0], 1)):
        raise UserError(
            f"{where}: verdicts are from {verdicts[0]:g} to {verdicts[-1]:g}, labels from {labels[0]:g} to "
            f"{labels[-1]:g}: two scales.",
            f"{same} if they are one, name all its answers: --scale LOW,…,HIGH.",
        )


def with_answers(frame: pd.DataFrame, answers: str | Mapping[str, str] | None) -> pd.DataFrame:
    """Return verdicts and labels by the names that `answers` ("theirs=ours,…") give them; verdicts alone where one pair
    names what another makes of it, as "1=0,2=1" does.
    """
    pairs = {_folded(theirs): ours for theirs, ours in ImportRequest(data="", answers=answers).pairs("answers").items()}
    given = {_folded(answer): answer for name in BOTH for answer in frame[name]}
    if unknown := sorted(pairs.keys() - given.keys()):
        problem = f"--answers {unknown[0]}: no verdict or label is that."
        raise UserError(problem, nearest(unknown[0], sorted(given.values())))
    names = list(BOTH)
    if pairs.keys() & set(map(_folded, pairs.values())):
        names = names[:1]
    return frame.assign(**{name: [pairs.get(_folded(answer), answer) for answer in frame[name]] for name in names})


def scale_of(frame: pd.DataFrame, scale: str = "") -> list[str] | None:
    """Return the answers from lowest to highest: those of `scale` ("low,middle,high"), else where all are numbers and
    there are more than two, or all are words of a usual scale; None where they have no order, or `scale` is "-".
    """
    answers = sorted({*frame["verdict"], *frame["label"]})
    if scale == NONE:
        return None
    if scale:
        return _in_order(answers, scale.split(","))
    if len(answers) < 3:
        return None
    if all(WITH_SCALE.fullmatch(answer) for answer in answers):
        return sorted(answers, key=float)
    for words in SCALES:
        if set(map(_folded, answers)) <= set(map(_folded, words)):
            return _in_order(answers, words)
    return None


def _in_order(answers: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return answers in the order of words, which differ in spelling alone; raise `UserError` for another answer."""
    places = {_folded(word.strip()): place for place, word in enumerate(words)}
    if unknown := [answer for answer in answers if _folded(answer) not in places]:
        raise UserError(f"--scale: lacks the answer {unknown[0]!r}.", f"Name all, in order: {', '.join(answers)}.")
    return sorted(answers, key=lambda answer: places[_folded(answer)])
