"""Votes of an arena, from a file of millions of rows, as a study without conversations.

A vote becomes a judgement of the survey `votes`; its items are pairs of contestants. A vote is
for one of two contestants, `a` or `b`, or `tie`, or `both_bad`: both failed, which is no tie of two good ones.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import ContestantNames
from parlai_spotbot.importers.dataset_rows import NONE, REMEDY, check_columns, dataset_rows
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy, contestant
from parlai_spotbot.records import HUMAN, Item, Unit
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.votes import PREFERENCE
from parlai_spotbot.wording import counted

SURVEY = "votes"
UNIT = "imported"
BLOCK = 10_000
"""Number of lines that are held as one piece."""
SHORT = re.compile(r"^[\w.:+-]{1,64}$", re.ASCII)
"""Ids that are kept as they are; of a prompt's text a checksum is in the study."""
MILLISECONDS = 1e11
"""Times as numbers are seconds since 1970 below this, else milliseconds."""
OUTCOMES = ("a", "b", "tie", "both_bad")
FIELDS = ("a", "b", "winner", "prompt", "annotator", "time", "language")


@cache
def words_of_votes() -> dict[str, Any]:
    """Return the names of columns and outcomes that are recognised."""
    return yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


@cache
def plainly(word: str) -> str:
    """Return a word without differences of spelling: "Tie (bothbad)" and "tie_bothbad" are one."""
    return re.sub(r"[^a-z0-9]+", "_", word.lower()).strip("_")


def votes(
    path: Path | str,
    domain: str,
    columns: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    source: str = HUMAN,
) -> ImportedStudy:
    """Read votes: two contestants and who won, and, if at hand, the prompt, who voted, when, in which language.

    Parameters
    ----------
    columns : mapping, optional
        Our field (a, b, winner, prompt, annotator, time, language) -> the file's column, where it isn't one of
        ``votes.yaml``; "-" leaves the field out.
    answers : mapping, optional
        The file's word in the column of the winner -> a, b, tie or both_bad.
    names : mapping, optional
        The file's name of a contestant -> ours; by default characters that a name can't have become "-".
    source : str
        Who voted: "human", or "judge:NAME" where a model did.

    Raises
    ------
    UserError
        Names file, line and field, and how to correct it.
    """
    path, options = Path(path), {"columns": columns or {}, "answers": answers or {}, "names": names or {}}
    for theirs, ours in options["answers"].items():
        if ours not in OUTCOMES:
            raise UserError(f"--answers {theirs}={ours}: no such outcome.", f"Known: {', '.join(OUTCOMES)}.")
    if source != HUMAN and not re.match(r"judge:.", source):
        raise UserError(f"--source {source}: not known.", "Write human or judge:NAME.")
    rows = dataset_rows(path)
    if (first := next(rows, None)) is None:
        raise UserError(f"{path}: holds no votes.", REMEDY)
    found_columns = columns_of(str(path), tuple(first[1]), options["columns"])
    reader = _VoteReader(found_columns, options["answers"], ContestantNames(options["names"]), source)
    lines = list(reader.lines(chain([first], rows)))
    contestants, counts = reader.names.named, reader.counts
    if len(contestants) < 2:
        read = f"{counted(counts.total(), 'vote')} on {counted(len(contestants), 'contestant')}"
        raise UserError(f"{path}: {read}, and it takes two of these.", REMEDY)
    reader.names.check_used()
    bots = {
        name: contestant(name, "imported votes" + ("" if theirs == name else f", as {theirs}"))
        for theirs, name in contestants.items()
    }
    about = {
        "format": SURVEY,
        "source": path.name,
        "sha256": files.sha256(path),
        "options": {"domain": domain, "source": source, **options},
        **reader.about(),
    }
    unit = Unit(UNIT, SURVEY, UNIT, 0, 0, tuple(reader.items.values()))
    plan = Plan(domain, bots, surveys=(SURVEY,))
    return ImportedStudy(plan, (), SURVEY, (unit,), (), about, lines={SURVEY: lines})


def columns_of(where: str, head: Sequence[str], columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return our field -> the file's columns, several for one-hot winners; `columns` ("-" for leave out) goes first.

    Raises
    ------
    UserError
        Names the file and the column that is missing, or the option that names none.
    """
    check_columns(columns, FIELDS, where, head)
    recognised, spelt = words_of_votes(), {plainly(name): name for name in reversed(head)}
    sides = [] if {"a", "b"} & {*columns} else recognised["sides"]
    pair = next((pair for pair in sides if {*pair} <= {*spelt}), ())
    names = dict(zip("ab", [[one] for one in pair], strict=False)) | recognised["columns"]
    mapping: dict[str, tuple[str, ...]] = {}
    for name in FIELDS:
        given = columns.get(name)
        taken = {*columns.values(), *chain(*mapping.values())}
        fits = [spelt[one] for one in names.get(name, ()) if one in spelt and spelt[one] not in taken]
        mapping[name] = tuple(fits[:1]) if given is None else (given,) * (given != NONE)
    if not mapping["winner"]:
        mapping["winner"] = tuple(spelt[name] for name in recognised["one_hot"] if name in spelt)
    for name in ("a", "b", "winner"):
        if not mapping[name]:
            what = "who won" if name == "winner" else "one of the two contestants"
            raise UserError(
                f"{where}: no column is known to hold '{name}', {what} (there are {', '.join(head)}).",
                f"Name it: --columns {name}=THEIR_COLUMN.",
            )
    if mapping["a"] == mapping["b"]:
        raise UserError(f"{where}: one column, '{mapping['a'][0]}', for both contestants.", "Name two.")
    return mapping


class _Converted(dict):
    """Values of one or more columns -> what a judgement holds of them, each converted once."""

    def __init__(self, convert: Callable[[Any], Any]):
        super().__init__()
        self._convert = convert

    def __missing__(self, value: Any) -> Any:
        result = self[value] = self._convert(value)
        return result


class _VoteReader:
    """Makes lines of judgements of rows, and keeps contestants, pairs and annotators."""

    def __init__(
        self, columns: Mapping[str, tuple[str, ...]], answers: Mapping[str, str], names: ContestantNames, source: str
    ):
        self.columns, self.answers, self.names, self.source = columns, answers, names, files.dumps(source)
        self.items: dict[str, Item] = {}
        self.counts: Counter[str] = Counter()
        self.alone = 0
        self.workers: set[str] = set()
        self._where = ""
        recognised = words_of_votes()
        sides = [*recognised["sides"], [plainly(columns[side][0]) for side in "ab"]]
        meant = [*recognised["words"].items(), *zip("ab", zip(*sides, strict=True), strict=True)]
        self._meanings: dict[str, set[str]] = {}
        for what, word in ((what, word) for what, words in meant for word in words):
            self._meanings.setdefault(word, set()).add(what)

    def lines(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterable[bytes]:
        """Yield the judgements as they are written, many lines a piece."""
        block: list[str] = []
        sides = [*self.columns["a"], *self.columns["b"], *self.columns["winner"]]
        prompt, annotator, time, language = ((self.columns[name] or (None,))[0] for name in FIELDS[3:])
        votes, workers, languages = map(_Converted, (self._vote, self._worker, self._language))
        number = 0
        for self._where, row in rows:
            try:
                vote = votes[tuple([row.get(column) for column in sides])]
                rest = (workers[row.get(annotator)], languages[row.get(language)])
            except TypeError:  # unhashable
                problem = f"{self._where}: a list or object, expected one value in each field."
                raise UserError(problem, "Name another column, or leave it out: --columns FIELD=-.") from None
            if vote is None:
                self.alone += 1
                continue
            number += 1
            self.counts[vote[0]] += 1
            block.append(
                f'{{"judgement_id": "v{number}", "annotation_id": "v{number}", "survey": "votes", "unit_id": '
                f'"{UNIT}", {vote[1]}, "conversation_ids": {self._prompt(row.get(prompt))}, "exchanges": 0, "target": '
                f'"pair", "question": "{PREFERENCE}", "worker_id": {rest[0]}, "source": {self.source}{rest[1]}'
                f"{self._time(row.get(time))}}}\n"
            )
            if len(block) == BLOCK:
                yield "".join(block).encode()
                block.clear()
        yield "".join(block).encode()

    def about(self) -> dict[str, Any]:
        """Return what was read and left out, for the summary and provenance.json."""
        left_out = {"vote between a contestant and itself": self.alone} if self.alone else {}
        return {
            "columns": {name: ", ".join(theirs) for name, theirs in self.columns.items() if theirs},
            "annotations": self.counts.total(),
            "outcomes": {what: self.counts[what] for what in OUTCOMES},
            "annotators": len(self.workers) if self.columns["annotator"] else None,
            "notes": [f"left out: {counted(count, what)}" for what, count in left_out.items()] + self.names.notes(),
            "unusable": left_out,
        }

    def _wrong(self, name: str, value: Any, what: str, remedy: str) -> UserError:
        column = ", ".join(self.columns[name])
        called = f"field '{column}'" + ("" if column == name else f" ({name})")
        return UserError(f"{self._where}: {called} is {value!r}, {what}.", remedy)

    def _vote(self, values: tuple) -> tuple[str, str] | None:
        """Return the outcome, and item and answer as JSON; None where both contestants are one."""
        a, b, *winner = ("" if value is None else str(value).strip() for value in values)
        for name, text in (("a", a), ("b", b)):
            if not text:
                raise self._wrong(name, text, "expected a name", "Fill it in, or remove the row.")
        first, second = self.names.of(a, self._where), self.names.of(b, self._where)
        what = self._outcome(a, b, winner)
        if first == second:
            return None
        item = f"{first}:{second}"  # names need no escapes in JSON
        if item not in self.items:
            self.items[item] = Item(item, (), 0, (), partners=(first, second))
        return what, f'"item_id": "{item}", "answer": "{what}"'

    def _outcome(self, a: str, b: str, winner: Sequence[str]) -> str:
        """Return one of `OUTCOMES` from the file's word for the winner, or from the column that holds 1."""
        columns = self.columns["winner"]
        if len(columns) > 1:
            hits = [name for name, value in zip(columns, winner, strict=True) if value.lower() in ("1", "1.0", "true")]
            if len(hits) != 1:
                raise self._wrong("winner", ", ".join(winner), "expected 1 in one of them", "Correct it.")
            return words_of_votes()["one_hot"][plainly(hits[0])]
        word = winner[0]
        if word in self.answers:
            return self.answers[word]
        if not word:
            raise self._wrong("winner", word, "expected who won", "Fill it in, or remove the row.")
        meant = {side for side, name in (("a", a), ("b", b)) if word == name}
        meant |= self._meanings.get(plainly(word), set())
        if len(meant) == 1:
            return meant.pop()
        what = "which may mean " + " or ".join(sorted(meant)) if meant else "which is no contestant and no known word"
        raise self._wrong("winner", word, what, "Map it: --answers WORD=a, b, tie or both_bad.")

    @staticmethod
    def _prompt(value: Any) -> str:
        text = "" if value is None else str(value).strip()
        if text and not SHORT.match(text):
            text = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
        return f'["{text}"]' if text else "[]"

    def _worker(self, value: Any) -> str:
        text = files.dumps("" if value is None else str(value).strip())
        self.workers.update({text} - {'""'})
        return text

    @staticmethod
    def _language(value: Any) -> str:
        text = "" if value is None else str(value).strip()
        return f', "presentation": {{"language": {files.dumps(text)}}}' if text else ""

    def _time(self, value: Any) -> str:
        """Return the field of a time: seconds or milliseconds since 1970, or ISO 8601 (UTC without a zone)."""
        if value is None or value == "":
            return ""
        try:
            try:
                number = float(value)
                when = datetime.fromtimestamp(number / 1000 if abs(number) >= MILLISECONDS else number, UTC)
            except (TypeError, ValueError):
                when = datetime.fromisoformat(str(value).strip())
                when = when.astimezone(UTC) if when.tzinfo else when
        except (ValueError, OverflowError, OSError):
            what = "expected seconds since 1970 or a time as 2024-05-01T12:00:00Z"
            raise self._wrong("time", value, what, "Correct it, or leave times out: --columns time=-.") from None
        return f', "submitted_at": "{when.replace(tzinfo=None).isoformat()}Z"'


def _read(request: ImportRequest) -> ImportedStudy:
    words = map(request.pairs, ("columns", "answers", "names"))
    return votes(request.data, request.domain or "votes", *words, request.source)


def _summary(imported: ImportedStudy) -> str:
    """Return how many votes have which outcome, and which columns were read."""
    contestants, about = imported.plan.contestants, imported.about
    outcomes = ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in about["outcomes"].items())
    lines = [f"{counted(about['annotations'], 'vote')} on {len(contestants)} contestants: {outcomes}"]
    if about["annotators"] is not None:
        lines[0] += f"; {counted(about['annotators'], 'annotator')}"
    lines.append("read: " + "; ".join(f"{name} from {theirs}" for name, theirs in about["columns"].items()))
    return "\n".join(lines + [f"note: {note}" for note in about["notes"]])


FORMAT = study_format(_read, _summary)
