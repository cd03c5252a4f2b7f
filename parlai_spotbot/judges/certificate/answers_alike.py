"""Verdicts and labels as answers to one question: numbers and words that are spelt otherwise, scales, other words."""

import re
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.dataset_rows import NONE, plain_text
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.numbers import decimal_mark, readings
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import names_or_number

SCALES, ALIKE = own_data(__file__)
"""Words of usual scales, from lowest to highest; words that mean the same."""

TRUTH = {"true": "1", "false": "0"}

BOTH = ("verdict", "label")
"""Columns of answers."""

FOLDED = re.compile(r"(?<=\w)-(?=\w)|[\s_.,;:!'\"()\[\]{}\u3002\uff0c\u3001]+")
"""Signs that tell no answers apart, as + and > do: "A-" and "A+", "A>B" and "A<B"."""

MOST = 8
"""More numbers than that beside two labels are a score; in so many rows no judge is always wrong."""
MOSTLY = 0.5
FEWEST = 3
"""Numbers that show a scale's end; a judge that gives fewer may keep to a part of it."""
TEN = 10
"""Answers of a scale that may be moved; a number so high is of another scale than those to its half, a lower one than
those to its quarter."""


def answer_texts(values: Iterable[Any], kept: Sequence[str] = ()) -> list[str]:
    """Return a column's values as texts, "" for nothing but what is `kept`; 3.0 and 3 are one answer, so are −1,5 and
    -1.5, and what a comma means is told by the others of the column.
    """
    texts = []
    for value in values:
        text = str(value).strip()
        if not isinstance(value, str) or text.lower() not in kept:
            text = plain_text(value)
        texts.append(text)
    mark = decimal_mark(texts)
    return [_as_text(text, mark) for text in texts]


def _as_text(text: str, mark: str) -> str:
    values = _values(text, mark)
    if text.isdecimal():
        return str(int(text))
    if len(values) != 1 or text.endswith("%") or text.lower() in TRUTH:
        return text.replace("−", "-")
    return f"{values.pop() + 0:.15g}"


def _values(answer: str, mark: str = "") -> set[float]:
    """Return the numbers that an answer may be, true being 1 and false 0; those with a `mark` of decimals alone."""
    read = readings(TRUTH.get(answer.lower(), answer))
    return {value for sign, value in read.items() if mark in ("", sign)}


def _numbers(answers: Sequence[str]) -> list[float]:
    """Return the numbers that answers are, [] unless all are."""
    values = [_values(answer) for answer in answers]
    if any(len(value) != 1 for value in values):
        return []
    return [value.pop() for value in values]


def spelt_alike(frame: pd.DataFrame) -> pd.DataFrame:
    """Return answers as labels first spell them: "PASS" is "pass", "Not good" "not_good", "1,000" "1000"."""
    answers = [*frame["label"].unique(), *frame["verdict"].unique()]
    numbers = {value: answer for answer in reversed(answers) if len(values := _values(answer)) == 1 for value in values}
    spelt, first = {}, {}
    for answer in answers:
        held = _values(answer) & numbers.keys()
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
    verdicts, labels = (frame[name].unique().tolist() for name in BOTH)
    numbers = _numbers(verdicts + labels)
    if len(labels) <= 2 and len(verdicts) > MOST and numbers:
        raise UserError(
            f"{where}: verdicts are {len(verdicts)} numbers, labels are {', '.join(labels)}: a score is no verdict.",
            "Make a column of verdicts, by the threshold that the judge will be used with.",
        )
    if ordered or len(frame) < MOST:
        return
    if numbers:
        _check_scales(sorted(numbers[: len(verdicts)]), sorted(numbers[len(verdicts) :]), where)
    strange = [~frame[name].isin(others) for name, others in zip(BOTH, (labels, verdicts), strict=True)]
    apart = min(rows.mean() for rows in strange)
    many_numbers = numbers and len(verdicts) + len(labels) > MOST
    if (apart == 1 and not many_numbers) or (apart > MOSTLY and not numbers):
        shared = "few"
        if apart == 1:
            shared = "none"
        shown = [names_or_number(answers, "answers") for answers in (verdicts, labels)]
        remedy = f"Say which are the same: --answers {shlex.quote(same_answers(verdicts, labels))}."
        if len(verdicts) > MOST:
            remedy = "Write each verdict as one of the labels, in a column of its own."
        raise UserError(f"{where}: verdicts are {shown[0]}, labels are {shown[1]}: {shared} in common.", remedy)


def same_answers(verdicts: Sequence[str], labels: Sequence[str]) -> str:
    """Return --answers for verdicts that are no labels: those that mean the same, as far as their words tell."""
    ordered = (_ordered(verdicts), _ordered(labels))
    if all(ordered) and len(verdicts) == len(labels) and _numbers(labels):
        return ",".join(map("=".join, zip(*ordered, strict=True)))
    pairs = []
    for verdict in [answer for answer in verdicts if answer not in labels]:
        words = next((words for words in ALIKE if _folded(verdict) in words and len(labels) <= FEWEST), ())
        same = [label for label in labels if _folded(label) in words]
        pairs.append(f"{verdict}={(same or ['OURS'])[0]}")
    return ",".join(pairs)


def _check_scales(verdicts: Sequence[float], labels: Sequence[float], where: object) -> None:
    """Raise `UserError` where ascending numbers are surely of two scales: moved, or one ends far above the other."""
    apart = verdicts[0] - labels[0]
    moved = apart != 0 and len(labels) <= TEN and [verdict - apart for verdict in verdicts] == labels
    same = "Write both on one; or,"
    if moved:
        pairs = [f"{verdict:g}={label:g}" for verdict, label in zip(verdicts, labels, strict=True)]
        same = f"Say which are the same: --answers {','.join(pairs)}; or,"
    small, large = sorted((verdicts, labels), key=lambda values: values[-1])
    times = 4
    if large[-1] >= TEN:
        times = 2
    above = len(small) >= FEWEST and large[-1] >= times * small[-1] > 0
    if moved or above:
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
    return _ordered(answers) or None


def _ordered(answers: Sequence[str]) -> list[str]:
    """Return answers from lowest to highest where all are numbers, or words of a usual scale; [] of others, or two."""
    if len(answers) < FEWEST:
        return []
    if numbers := dict(zip(answers, _numbers(answers), strict=False)):
        return sorted(answers, key=numbers.__getitem__)
    for words in SCALES:
        if set(map(_folded, answers)) <= set(map(_folded, words)):
            return _in_order(answers, words)
    return []


def _in_order(answers: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return answers in the order of words, which differ in spelling alone; raise `UserError` for another answer."""
    places = {_folded(word.strip()): place for place, word in enumerate(words)}
    if unknown := [answer for answer in answers if _folded(answer) not in places]:
        raise UserError(f"--scale: lacks the answer {unknown[0]!r}.", f"Name all, in order: {', '.join(answers)}.")
    return sorted(answers, key=lambda answer: places[_folded(answer)])
