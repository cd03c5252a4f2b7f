"""Votes of an arena, from a CSV or JSON file of millions of rows, into a study without conversations.

A vote becomes a judgement of the survey `votes`; who met whom is in its items, a pair of contestants each. The file
is read row by row, and of a row nothing is kept but what is written.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import ContestantNames
from parlai_spotbot.importers.dataset_rows import json_lines, json_list
from parlai_spotbot.importers.format import FileWords, ImportRequest, study_format
from parlai_spotbot.importers.imported_study import ImportedStudy, contestant
from parlai_spotbot.importers.moments import moment
from parlai_spotbot.importers.votes_words import OUTCOMES, VoteColumns, columns_of, outcome
from parlai_spotbot.reading import Malformed, csv_rows
from parlai_spotbot.records import HUMAN, Item, Unit
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.votes import PREFERENCE
from parlai_spotbot.terminal import Bar
from parlai_spotbot.wording import counted

SURVEY = "votes"
UNIT = "imported"
BLOCK = 10_000
"""So many lines are held as one piece."""
REMEDY = "Name a CSV file with a header, a JSON Lines file, or a JSON file that is one list."
SHORT = re.compile(r"^[\w.:+-]{1,64}$", re.ASCII)
"""Ids that are kept as they are; of a prompt's text a checksum is in the study."""

Rows = Iterator[tuple[int, Sequence[Any]]]


def votes(
    path: Path | str,
    domain: str,
    words: FileWords | None = None,
    *,
    source: str = HUMAN,
    progress: Callable[[int], None] | None = None,
) -> ImportedStudy:
    """Read votes: two contestants and who won, and, if at hand, the prompt, who voted, when, in which language.

    Parameters
    ----------
    words : FileWords
        `columns`: our field (a, b, winner, prompt, annotator, time, language) -> the file's column, where it isn't one
        of `votes_words.COLUMNS`; "-" leaves the field out. `answers`: the file's word in the column of the winner -> a,
        b, tie or both_bad. `names`: by default characters that a name can't have become "-".
    source : str
        Who voted: "human", or "judge:NAME" where a model did.
    progress : callable (int), optional
        Told how many votes more were read.

    Raises
    ------
    UserError
        Names file, line and field, and what to do about it.
    """
    path, words = Path(path), words or FileWords()
    columns, answers, names = dict(words.columns), dict(words.answers), dict(words.names)
    for theirs, ours in answers.items():
        if ours not in OUTCOMES:
            raise UserError(f"--answers {theirs}={ours}: no such outcome.", f"Known: {', '.join(OUTCOMES)}.")
    if source != HUMAN and not re.match(r"judge:.", source):
        raise UserError(f"--source {source}: not known.", "Write human or judge:NAME.")
    vote_columns, rows = _open(path, columns)
    reader = _VoteReader(path, vote_columns, answers, ContestantNames(names), source)
    lines = list(reader.lines(rows, progress))
    if len(reader.names.named) < 2:
        vote_columns = f"{counted(reader.counts.total(), 'vote')} on {counted(len(reader.names.named), 'contestant')}"
        raise UserError(f"{path}: {vote_columns}, and it takes two of these.", REMEDY)
    if unused := sorted(set(names) - set(reader.names.named)):
        raise UserError(f"--names {unused[0]}: {path} has no such contestant.", "Write it as the file does.")
    plan = Plan(
        domain,
        {name: contestant(name, _described(theirs, name)) for theirs, name in reader.names.named.items()},
        surveys=(SURVEY,),
    )
    about = {
        "format": SURVEY,
        "source": path.name,
        "sha256": files.sha256(path),
        "options": {"domain": domain, "columns": columns, "answers": answers, "names": names, "source": source},
        "columns": {
            **vote_columns.by_field,
            **({"winner": sorted(vote_columns.one_hot)} if vote_columns.one_hot else {}),
        },
        "annotations": reader.counts.total(),
        "outcomes": {what: reader.counts[what] for what in OUTCOMES},
        "annotators": len(reader.workers) if "annotator" in vote_columns.by_field else None,
        "notes": reader.notes(),
        "unusable": {"vote between a contestant and itself": reader.alone} if reader.alone else {},
    }
    unit = Unit(UNIT, SURVEY, UNIT, 0, 0, tuple(reader.items.values()))
    return ImportedStudy(plan, (), SURVEY, (unit,), (), about, lines={SURVEY: lines})


def _described(theirs: str, name: str) -> str:
    return "imported votes" if theirs == name else f"imported votes, as {theirs}"


# -- rows of the file ------------------------------------------------------------------------------------------------
def _open(path: Path, columns: Mapping[str, str]) -> tuple[VoteColumns, Rows]:
    """Return where the file has what, and its rows: (line, values) with the values of a, b, the winner (all columns of
    it), prompt, annotator, time and language, None for what it lacks."""
    try:
        suffix = path.suffix.lower()
        if suffix in (".csv", ".tsv"):
            rows = csv_rows(path)
        else:
            rows = _headed(json_list(path, REMEDY) if suffix == ".json" else json_lines(path, REMEDY))
        head = next(rows, (0, ()))[1]
        columns_read = columns_of(str(path), tuple(head), columns)
        column_names = (
            columns_read.by_field["a"],
            columns_read.by_field["b"],
            *(columns_read.one_hot or [columns_read.by_field["winner"]]),
        )
        return columns_read, _values(path, rows, list(head), [*column_names, *map(columns_read.by_field.get, _MORE)])
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", REMEDY) from None
    except IsADirectoryError:
        raise UserError(f"{path}: is a folder.", REMEDY) from None
    except (UnicodeDecodeError, Malformed) as err:
        raise _unread(path, err) from None


def _unread(path: Path, err: Exception) -> UserError:
    return UserError(f"{path}: cannot be read: {err}.", "Save it as text in UTF-8.")


_MORE = ("prompt", "annotator", "time", "language")


def _values(path: Path, rows: Iterator, head: list[str], column_names: list[str | None]) -> Rows:
    """The wanted values of each row; a row of a CSV file is a list, one of a JSON file an object."""
    try:
        first = next(rows, None)
        if first is None:
            raise UserError(f"{path}: holds no votes.", REMEDY)
        if isinstance(first[1], dict):
            for number, row in chain([first], rows):
                yield number, [row.get(name) for name in column_names]
            return
        places = itemgetter(*(len(head) if name is None else head.index(name) for name in column_names))
        for number, row in chain([first], rows):
            if len(row) != len(head):
                raise UserError(
                    f"{path}, line {number}: has {len(row)} fields, the header has {len(head)}.",
                    "Quote fields that hold commas or quotes.",
                )
            row.append(None)
            yield number, places(row)
    except (UnicodeDecodeError, Malformed) as err:
        raise _unread(path, err) from None


def _headed(rows: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """First the keys of the first row, as a CSV file's header."""
    for number, row in rows:
        yield 0, list(row)
        yield number, row
        break
    yield from rows


# -- votes -----------------------------------------------------------------------------------------------------------
@dataclass
class _VoteReader:
    """Makes lines of judgements of rows, and keeps what it meets: contestants, pairs, annotators."""

    path: Path
    columns: VoteColumns
    answers: Mapping[str, str]
    names: ContestantNames
    source: str
    items: dict[str, Item] = field(default_factory=dict)
    workers: dict[str, str] = field(default_factory=dict)
    languages: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    alone: int = 0

    def lines(self, rows: Rows, progress: Callable[[int], None] | None) -> Iterator[bytes]:
        """The judgements as they are written, many lines a piece."""
        block: list[str] = []
        sides = 2 + max(len(self.columns.one_hot), 1)
        source = files.dumps(self.source)
        number = 0
        for line, values in rows:
            prompt, worker, time, language = values[sides:]
            meant = self._vote(self._texts(values[:sides], line), line)
            if not meant:
                self.alone += 1
                continue
            number += 1
            self.counts[meant[0]] += 1
            shown, who, spoken = self._prompt(prompt, line), self._worker(worker, line), self._language(language, line)
            when = self._time(time, line)
            block.append(
                f'{{"judgement_id": "v{number}", "annotation_id": "v{number}", "survey": "votes", "unit_id": '
                f'"{UNIT}", {meant[1]}, "conversation_ids": {shown}, "exchanges": 0, "target": '
                f'"pair", "question": "{PREFERENCE}", "worker_id": {who}, "source": {source}{spoken}{when}}}\n'
            )
            if len(block) == BLOCK:
                yield "".join(block).encode()
                if progress is not None:
                    progress(len(block))
                block.clear()
        yield "".join(block).encode()

    def _where(self, line: int) -> str:
        return f"{self.path}, {'entry' if self.path.suffix.lower() == '.json' else 'line'} {line}"

    def _wrong(self, line: int, name: str, value: Any, what: str, remedy: str) -> UserError:
        return UserError(f"{self._where(line)}: {self.columns.called(name)} is {value!r}, {what}.", remedy)

    def _texts(self, names: Sequence[Any], line: int) -> Sequence[str]:
        """The contestants and the winner as texts; what is none is an error."""
        if {str}.issuperset(map(type, names)) and names[0].strip() and names[1].strip():
            return names
        fields = ("a", "b", *("winner" for _ in names[2:]))
        texts = []
        for name, value in zip(fields, names, strict=True):
            if isinstance(value, (dict, list)) or (name in "ab" and (value is None or str(value).strip() == "")):
                raise self._wrong(line, name, value, "expected a name", "Fill it in, or remove the row.")
            texts.append("" if value is None else str(value))
        return tuple(texts)

    def _name(self, theirs: str, line: int) -> str:
        """Our name of a contestant."""
        return self.names.named.get(theirs) or self.names.of(theirs, self._where(line))

    def _vote(self, names: Sequence[str], line: int) -> tuple[str, str] | None:
        """Return the outcome, and item and answer as JSON; None where both contestants are one."""
        a, b = self._name(names[0], line), self._name(names[1], line)
        if self.columns.one_hot:
            hits = [what for value, what in zip(names[2:], self.columns.one_hot.values(), strict=True) if _holds(value)]
            if len(hits) != 1:
                held = ", ".join(f"{name}={value}" for name, value in zip(self.columns.one_hot, names[2:], strict=True))
                raise UserError(f"{self._where(line)}: {held}: expected 1 in one of them.", "Correct it.")
            what = hits[0]
        else:
            winner = names[2].strip()
            try:
                what = outcome(names[0], names[1], winner, self.columns, self.answers)
            except ValueError as err:
                raise self._wrong(line, "winner", winner, *err.args) from None
        if a == b:
            return None
        item = f"{a}:{b}"  # names need no escapes in JSON
        if item not in self.items:
            self.items[item] = Item(item, (), 0, (), partners=(a, b))
        return what, f'"item_id": "{item}", "answer": "{what}"'

    def _text(self, name: str, value: Any, line: int) -> str:
        """A field that may be missing, as text; what is no single value is an error."""
        if isinstance(value, (dict, list)):
            remedy = f"Name another column, or leave it out: --columns {name}=-."
            raise self._wrong(line, name, value, "expected one value", remedy)
        return "" if value is None else str(value).strip()

    def _prompt(self, value: Any, line: int) -> str:
        text = self._text("prompt", value, line)
        if not SHORT.match(text):
            text = text and hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
        return f'["{text}"]' if text else "[]"

    def _worker(self, value: Any, line: int) -> str:
        try:
            return self.workers[value]
        except (KeyError, TypeError):
            text = files.dumps(self._text("annotator", value, line))
            if text != '""':
                self.workers[value] = text
            return text

    def _language(self, value: Any, line: int) -> str:
        try:
            return self.languages[value]
        except (KeyError, TypeError):
            text = self._text("language", value, line)
            presentation = f', "presentation": {{"language": {files.dumps(text)}}}' if text else ""
            self.languages[value] = presentation
            return presentation

    def _time(self, value: Any, line: int) -> str:
        if value is None or value == "":
            return ""
        try:
            when = moment(value, "")
        except UserError:  # to say where takes as long as to read it
            when = moment(value, f"{self._where(line)}: {self.columns.called('time')}")
        return f', "submitted_at": "{when.replace(tzinfo=None).isoformat()}Z"'

    def notes(self) -> list[str]:
        """Return notes on what was left out and renamed."""
        left = f"left out: {counted(self.alone, 'vote')} between a contestant and itself"
        return [left] * bool(self.alone) + self.names.notes()


def _holds(value: str) -> bool:
    return value.strip().lower() in ("1", "1.0", "true")


def _read(request: ImportRequest) -> ImportedStudy:
    words = FileWords(request.pairs("columns"), request.pairs("answers"), request.pairs("names"))
    with Bar("votes", unit="vote", after=2) as bar:
        source = request["source"]
        return votes(request["data"], request["domain"] or "votes", words, source=source, progress=bar.advance)


def _summary(imported: ImportedStudy) -> str:
    """Return how many votes came to what, and which columns were read as what."""
    contestants, about = imported.plan.contestants, imported.about
    outcomes = ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in about["outcomes"].items())
    lines = [f"{counted(about['annotations'], 'vote')} on {len(contestants)} contestants: {outcomes}"]
    if about["annotators"] is not None:
        lines[0] += f"; {counted(about['annotators'], 'annotator')}"
    columns = {
        field_name: ", ".join([theirs] if isinstance(theirs, str) else theirs)
        for field_name, theirs in about["columns"].items()
    }
    lines.append(f"read: {'; '.join(f'{field_name} from {theirs}' for field_name, theirs in columns.items())}")
    return "\n".join(lines + [f"note: {note}" for note in about["notes"]])


FORMAT = study_format(_read, _summary)
