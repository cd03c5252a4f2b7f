"""What the words in a column of winners mean: one of the two contestants by name, a side, a tie, numbers by cuts."""

import operator
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn, Protocol

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import Dataset, Head, Names, plain_text, spelling
from parlai_spotbot.importers.numbers import MARKS, decimal_mark, number, readings
from parlai_spotbot.reading import own_data

CUT = re.compile(r"\A(>=|<=|>|<|=?) *([-+]?(?:\d+(?:\.\d*)?|\.\d+))\Z")
"""Answers of --answers that are numbers, or all numbers on one side of one."""
MARGIN = re.compile(r"\A\[*([^][<>=]+)(<+|>+|=+)([^][<>=]+)\]*\Z")
"""Both sides in a word, as "[[A>>B]]": the more signs, the larger the margin."""
BETTER = re.compile(r"_(?:(?:is_)?(?:(?:much|far|clearly|slightly|somewhat)_)?(?:better|preferred)|wins|won)\Z")
"""How a sentence on a side ends, as words are spelt."""
WORDS = own_data(__file__, "votes.yaml")
"""Names of columns and outcomes that are recognised."""
SIDE_WORD = re.compile(WORDS["words_of_sides"])
OUTCOMES = ("a", "b", "tie", "both_bad")
CHANGED = {"a": "b", "b": "a"}
SHOWN = {"a", "b", "left", "right", "first", "second"}
"""Names of columns that may be of a side as shown."""
NEITHER = {"tie", "both_bad"}
CUTS = (">0.5=a,<0.5=b,0.5=tie", "<1.5=a,>1.5=b,1.5=tie")
"""Examples of cuts: of a share for the first, and of numbers of sides."""
WAYS = ("name", "side")
"""What --winner-is may say."""
NUMBERED = {"1": "a", "2": "b"}
"""Sides by number: of columns that end in 1 and 2, or as --winner-is side says."""
CORRECT = "Fill it in, or remove the row."
PER_CENT = ("%", "٪", "％")


def named_pair(kind: str, columns: Names) -> list[str]:
    """Return the first pair of a kind that columns, by their spelling, have; none where they have none."""
    return next(([columns[one], columns[other]] for one, other in WORDS[kind] if {one, other} <= columns.keys()), [])


def stripped(value: Any) -> str:
    """Return a value as text, "" for None."""
    if value is None:
        return ""
    return str(value).strip()


Cut = tuple[Callable[[float, float], bool], float, str]


def _cuts(answers: Names) -> list[Cut]:
    """Return the cuts among answers: how a number compares, with what, and the outcome."""
    cuts = [(CUT.fullmatch(theirs), outcome) for theirs, outcome in answers.items()]
    return [(getattr(operator, WORDS["cuts"][cut[1]]), float(cut[2]), outcome) for cut, outcome in cuts if cut]


def _meanings(columns: tuple[str, str], against: bool) -> Mapping[str, set[str]]:
    """Return what words mean: the sides' columns, and outcomes."""
    pairs = [*WORDS["sides"], columns]
    meanings = [("a", [pair[0] for pair in pairs]), ("b", [pair[1] for pair in pairs]), *WORDS["words"].items()]
    if against:
        meanings += WORDS["fared"].items()
    sides: dict[str, set[str]] = defaultdict(set)
    for what, words in meanings:
        for word in words:
            sides[word].add(what)
    return sides


class Wrong(Protocol):
    """Returns the error of a row's field: name, value, what is wrong, remedy, and the reason that is counted."""

    def __call__(self, name: str, value: Any, what: str, remedy: str, reason: str = "") -> UserError: ...


class AmbiguousWinner(UserError):
    """A word that is the name of one contestant of its row and the side of the other."""


class Winners:
    """Meaning of the words for winners.

    Parameters
    ----------
    answers : mapping
        The file's word -> one of `OUTCOMES`; of numbers also cuts.
    winner_is : str
        "name" or "side" says which is meant where a word may be both; "" where nobody said it.
    decimal : str
        "comma" or "point", what is in front of decimals; "" for what numbers themselves show.
    """

    def __init__(self, answers: Names, winner_is: str = "", decimal: str = ""):
        for theirs, outcome in answers.items():
            if outcome not in OUTCOMES:
                raise UserError(f"--answers {theirs}={outcome}: no such outcome.", f"Known: {', '.join(OUTCOMES)}.")
        for option, word, known in (("winner-is", winner_is, WAYS), ("decimal", decimal, MARKS)):
            if word not in ("", *known):
                raise UserError(f"--{option} {word}: not known.", f"Write {' or '.join(known)}.")
        self.answers = answers
        self.winner_is = winner_is
        self.mark = MARKS.get(decimal, "")

    def begin(self, columns: Mapping[str, Sequence[str]]) -> None:
        """Take note of the file's columns by our fields; before anything is read."""
        winners = [spelling(name.rpartition(".")[2]) for name in columns["winner"]]  # of an object within a row
        winner = spelling(columns["winner"][0])
        first = spelling(columns["a"][0])
        second = spelling(columns["b"][0])
        self.wins = columns["winner"][0] == columns["a"][0]
        self.scored = winners in WORDS["scores"]
        self.named = not self.scored and winners[0] not in WORDS["one_hot"]
        self.flags = {place: WORDS["one_hot"][name] for place, name in enumerate(winners) if name in WORDS["one_hot"]}
        self._own = {first, second}
        from_zero = self.answers.get("0") in CHANGED
        self.numbered = first.endswith("1") and second == f"{first[:-1]}2" and not from_zero
        numbers = WORDS["numbers"].get(winner) or WORDS["numbers"].get(f"{first} {winner}", {})
        self._cuts = _cuts(self.answers) + _cuts(numbers)
        self.against = second in WORDS["against"]
        self._sides = _meanings((first, second), self.against)

    def outcome(self, a: str, b: str, values: Sequence[Any], wrong: Wrong) -> tuple[str, str]:
        """Return one of `OUTCOMES` from what the file's columns of the winner hold, and the margin."""
        if self.scored:
            return self._by_score(values, wrong), ""
        winner = [*map(stripped, values)]
        hits = {kind for place, kind in self.flags.items() if winner[place].lower() in WORDS["holds"]}
        if len(hits) > 1:
            raise wrong("winner", ", ".join(winner), "expected 1 in one of them", "Correct it.")
        if hits:
            return hits.pop(), ""
        if self.wins:
            return "a", ""
        word = winner[0]
        if not self.named:
            word = ""
        mapped = self._mapped(word, values[0])
        if mapped:
            return mapped, ""
        meant = self._meant(word, a, b, self.winner_is)
        margin = ""
        if not meant and (not plain_text(word) or spelling(word) in WORDS["no_winner"]):
            raise wrong("winner", word, "expected who won", CORRECT, "vote without a winner")
        if not meant:
            meant, margin = self._meant_by_signs(word, a, b, self.winner_is)
        if len(meant) != 1:
            self._refuse(word, meant, wrong)
        return meant.pop(), margin

    def _by_score(self, scores: Sequence[Any], wrong: Wrong) -> str:
        """Return whose score is the higher one, "tie" where they are equal."""
        texts = [*map(stripped, scores)]
        if not all(map(plain_text, texts)):
            raise wrong("winner", ", ".join(texts), "expected two scores", CORRECT, "vote without a winner")
        if len({text.endswith(PER_CENT) for text in texts}) > 1:
            raise wrong("winner", ", ".join(texts), "of which one alone is per cent", CORRECT)
        try:
            first, second = (number(score, self.mark) for score in scores)
        except ValueError:
            raise wrong("winner", ", ".join(texts), "expected two numbers", CORRECT) from None
        if first == second:
            return "tie"
        return "a" if first > second else "b"

    def changed(self, outcome: str, word: str, pair: Collection[str]) -> str:
        """Return the outcome where the sides were shown the other way round: of a word that is a side as shown."""
        named = word in pair or (not self._by_side(word, False) and spelling(word) in map(spelling, pair))
        if outcome not in CHANGED or self.wins or not self.named or named or spelling(word) in self._own - SHOWN:
            return outcome
        return CHANGED[outcome]

    def _refuse(self, word: str, meant: Collection[str], wrong: Wrong) -> NoReturn:
        remedy = f"Map each word of the column: --answers '{word}=OUTCOME,…', of a, b, tie and both_bad."
        if word == "0" and self.numbered:
            remedy = "Write --answers 0=a,1=b,2=tie where 0 is the first one, 0=tie where it is neither."
        if any(value % 1 for value in readings(word).values()):
            remedy = f"{remedy} Or cut numbers: --answers '{CUTS[self.numbered]}'."
        if not meant:
            raise wrong("winner", word, "which is no contestant and no known word", remedy)
        what = f"which may mean {' or '.join(sorted(meant))}: it is the name of one and the side of the other"
        problem = wrong("winner", word, what, "").problem
        raise AmbiguousWinner(problem, "Say which: --winner-is name, or --winner-is side.")

    def _meant(self, word: str, a: str, b: str, way: str) -> set[str]:
        """Return what a word means, by one of `WAYS`, or by either."""
        by_name = {side for side, name in (("a", a), ("b", b)) if word == name}
        by_side = self._by_side(word, bool(by_name) or way == "side")
        if not by_name | by_side:
            by_name = {side for side, name in (("a", a), ("b", b)) if spelling(word) == spelling(name)}
        if way == "name":
            return by_name or by_side & NEITHER
        if way == "side":
            return by_side
        return by_name | by_side

    def _by_side(self, word: str, numbered: bool) -> set[str]:
        """Return what a word means as a side; a number is one where it could be a name, too, or sides are asked for."""
        spelt = BETTER.sub("", spelling(word))
        sides = {*self._sides.get(spelt, ())}
        named = SIDE_WORD.fullmatch(spelt)
        if named:
            sides.add("a" if named[1] else "b")
        word = word.removesuffix(".0")
        if word in NUMBERED and (numbered or self.numbered):
            sides.add(NUMBERED[word])
        return sides

    def _meant_by_signs(self, word: str, a: str, b: str, way: str) -> tuple[set[str], str]:
        """Return what a word with both sides means, and the margin; no meaning if it isn't one."""
        sides = MARGIN.fullmatch(word)
        if sides is None:
            return set(), ""
        one, other = (self._meant(side.strip(), a, b, way) for side in sides.group(1, 3))
        if one | other != {"a", "b"}:
            return set(), ""
        margin = sides[2].replace("<", ">").strip("=")
        if not margin:
            return {"tie"}, ""
        if ">" in sides[2]:
            return one, margin
        return other, margin

    def _mapped(self, word: str, value: Any) -> str:
        """Return the outcome of a word by --answers: as it is written, or as a number."""
        if self._cuts:
            with suppress(ValueError, StopIteration):
                held = number(value, self.mark)
                return next(outcome for holds, bound, outcome in self._cuts if holds(held, bound))
        return self.answers.get(word, "")

    def mark_by(self, columns: Mapping[str, Sequence[str]], _head: Head, rows: Dataset) -> str:
        """Return the mark of decimals that the columns of the winner show; "" where they don't."""
        return decimal_mark(row.get(name) for _, row in rows for name in columns["winner"])

    def told_by(self, columns: Mapping[str, Sequence[str]], _head: Head, rows: Dataset) -> str:
        """Return which of `WAYS` alone fits the words of all rows; "" where both do, or neither."""
        fits = [*WAYS]
        for _, row in rows:
            a, b, word = (str(row.get(columns[name][0]) or "").strip() for name in ("a", "b", "winner"))
            if self._mapped(word, word) or (not plain_text(word) and word not in (a, b)):
                continue
            fits = [way for way in fits if self._meant(word, a, b, way) or self._meant_by_signs(word, a, b, way)[0]]
        if len(fits) == 1:
            return fits[0]
        return ""
