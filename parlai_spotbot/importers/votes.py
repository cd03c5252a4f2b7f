"""Votes of an arena, from a file of millions of rows, as a study without conversations.

A vote becomes a judgement of the survey `votes`; its items are pairs of contestants. A vote is
for one of two contestants, `a` or `b`, or `tie`, or `both_bad`: both failed, which is no tie of two good ones.
"""

from __future__ import annotations

import hashlib
import io
import operator
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, islice, repeat
from json.encoder import encode_basestring
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import ContestantNames, twins
from parlai_spotbot.importers.dataset_rows import (
    NONE,
    NOTHING,
    REMEDY,
    Dataset,
    Head,
    Names,
    by_columns,
    dataset_rows,
    has_part,
    plain_text,
    spelling,
    unread_note,
)
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.imported_study import ImportedStudy, contestant
from parlai_spotbot.importers.left_out import LeftOut, Unusable, copy_at
from parlai_spotbot.importers.numbers import AmbiguousNumber
from parlai_spotbot.importers.row_blocks import (
    BlockRules,
    ColumnBlock,
    Different,
    Numbered,
    row_blocks,
    table_blocks,
    taken,
)
from parlai_spotbot.importers.survey_tools import NOT_USED, rejected
from parlai_spotbot.importers.times import iso_times, microseconds, utc_time
from parlai_spotbot.importers.vote_columns import SIDE_COLUMNS, columns_of, with_sides
from parlai_spotbot.importers.vote_ranks import CLUSTER, UNORDERED, UNRANKED
from parlai_spotbot.importers.vote_rows import is_vote, vote_rows
from parlai_spotbot.importers.winners import CHANGED, CORRECT, CUT, OUTCOMES, WORDS, AmbiguousWinner, Winners, stripped
from parlai_spotbot.judgement_table import JudgementColumns, seconds_of
from parlai_spotbot.names import stem_of, those_alike
from parlai_spotbot.records import HUMAN, Contestant, Item, Unit
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.votes import PREFERENCE
from parlai_spotbot.wording import counted, listed

if TYPE_CHECKING:
    import numpy as np

SURVEY = "votes"
UNIT = "imported"
DATE = "T00:00:00Z"
"""How times end that are a date alone."""
DATE_OF = operator.itemgetter(slice(len("2024-05-01")))
"""Returns the date of a time."""
MOST_DIGITS = 8
"""Of the number of votes of a row."""
EXACT = 1 << 53
"""Whole numbers below are floats, too."""
FURTHER = ("prompt", "annotator", "time", "language")
"""Fields that a file may lack."""
CHATS = "conversation_a"
"""Where an arena has the messages of the first contestant."""
MARKS = {CHATS, CLUSTER, UNORDERED}
"""Columns of rows that a note tells of."""
TELLING = 5
"""So many votes on each pair, all in one order, are no chance."""
MODELS = WORDS["of_models"]
SWAPPED = WORDS["swapped"]
NO_COLUMN = "\0"
"""The name of no column, as a column may have an empty one."""

MODEL = re.compile(
    r"\A(?:(?:[\w.-]{1,60}/)?o[1345](?:[-_.].*)?|"
    r"(?:[\w.-]{1,60}[/_])?"
    r"(?:(?:chat)?gpt|claude|gemini|gemma|llama|qwen|mistral|mixtral|deepseek|command|grok|phi|glm|"
    r"exaone|vicuna|nemotron)[-_.: ]?"
    r"(?:v?\d|opus|sonnet|haiku|pro|flash|mini|large|medium|small|turbo|chat|instruct|instant|max|plus|r\b).*|"
    r"[\w./-]{0,60}\d[bB][-_](?:instruct|chat|it)\b.*)\Z",
    re.IGNORECASE,
)
"""Names of annotators that are language models'."""

SHORT = re.compile(r"^[\w.:+-]{1,64}$", re.ASCII)
"""Ids that are kept as they are; of a prompt's text a checksum is in the study."""

SHORTS = re.compile(r"[\w.:+-]{1,64}(?:\n[\w.:+-]{1,64})*", re.ASCII)
"""Such ids, a line each."""


def votes(
    path: Path | str,
    domain: str,
    columns: Names | None = None,
    answers: Names | None = None,
    names: Names | None = None,
    source: str = "",
    left_out: LeftOut | None = None,
    **readings: str,
) -> ImportedStudy:
    """Read votes: two contestants and who won, and, if at hand, the prompt, who voted, when, in which language.

    Parameters
    ----------
    columns : mapping, optional
        Our field (a, b, winner, prompt, annotator, time, language, count, swapped) -> the file's column, where it isn't
        one of ``votes.yaml``; "-" leaves the field out. "first" is "-" where columns don't say who was shown first.
    answers : mapping, optional
        The file's word in the column of the winner -> a, b, tie or both_bad; of numbers also ">0.5" and the like.
    names : mapping, optional
        The file's name of a contestant -> ours; by default characters that a name can't have become "-". Of a file
        without their names "a" and "b" are the first and the second one.
    source : str
        Who voted: "human", or "judge:NAME" where a model did. By default people, and annotators who are called as
        language models are (`MODEL`), each as a judge of its own.
    left_out : LeftOut, optional
        Takes the count of the rows that can't be used: without a winner, copies of one row, and their like.
    **readings : str
        Of `Winners`: `winner_is` ("name" or "side") and `decimal` ("comma" or "point"); by default what alone fits all
        rows.

    Raises
    ------
    UserError
        Names file, line and field, and how to correct it.
    """
    path = Path(path)
    options = {"columns": columns or {}, "answers": answers or {}, "names": names or {}}
    left_out = left_out or LeftOut()
    winners = Winners(options["answers"], **readings)
    reader = _VoteReader(path, winners, options["names"], options["columns"], source, left_out)
    with files.no_collection():
        lines = _lines(path, partial(columns_of, str(path), columns=options["columns"]), reader)
    left_out.check(path)
    if len(reader.names.named) < 2:
        read = f"{counted(reader.counts.total(), 'vote')} on {counted(len(reader.names.named), 'contestant')}"
        raise UserError(f"{path}: {read}, and it takes two of these.", REMEDY)
    reader.names.check_used()
    bots = _bots(reader.names.named)
    about = {
        "format": SURVEY,
        "source": path.name,
        "sha256": files.sha256(path),
        "options": {"domain": domain, "source": source, **readings, **options},
        **reader.about(),
    }
    unit = Unit(UNIT, SURVEY, UNIT, 0, 0, tuple(reader.items.values()))
    plan = Plan(domain, bots, surveys=(SURVEY,))
    summary = _summary(about, len(bots))
    return ImportedStudy(
        plan,
        (),
        SURVEY,
        (unit,),
        (),
        about,
        lines={SURVEY: [lines]},
        table=reader.table.frame(reader.counts.total()),
        summary=summary,
    )


def _lines(path: Path, understand: Callable[[Head], dict[str, list[str]]], reader: _VoteReader) -> bytes:
    """Return the lines of judgements of a file; its winners, and marks of decimals, are what alone fits all rows."""

    def rows() -> Dataset:
        return vote_rows(with_sides(dataset_rows(path, reader.given_columns), reader.given_columns, reader.given_names))

    try:
        return by_columns(rows, understand, reader.read)
    except AmbiguousWinner:
        reader.winners.winner_is = by_columns(rows, understand, reader.winners.told_by)
        if not reader.winners.winner_is:
            raise
    except AmbiguousNumber:
        reader.winners.mark = by_columns(rows, understand, reader.winners.mark_by)
        if not reader.winners.mark:
            raise
    return by_columns(rows, understand, reader.read)


def _bots(names: Names) -> dict[str, Contestant]:
    """Return the contestants, by our name, from the file's name -> ours."""
    bots = {}
    for theirs, name in sorted(names.items(), key=operator.itemgetter(1)):
        description = "imported votes"
        if theirs != name:
            description = f"imported votes, as {theirs}"
        bots[name] = contestant(name, description)
    return bots


def _summary(about: Mapping[str, Any], contestants: int) -> str:
    """Return how many votes were read, and from which columns."""
    outcomes = ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in about["outcomes"].items())
    votes_read = f"{counted(about['annotations'], 'vote')} on {contestants} contestants: {outcomes}"
    if about["annotators"] is not None:
        votes_read = f"{votes_read}; {counted(about['annotators'], 'annotator')}"
    columns = "; ".join(f"{name} from {theirs}" for name, theirs in about["columns"].items())
    return f"{votes_read}\nread: {columns}"


def _lines_of(
    last: int, votes: Different, voters: Different, presentations: Different, prompts: list[str], times: list[str]
) -> bytes:
    """Return the lines of judgements; `last` is the number of the last one before."""
    numbers = [*map(str, range(last + 1, last + 1 + len(prompts)))]
    survey = f'", "survey": "{SURVEY}", "unit_id": "{UNIT}", "item_id": '
    answers = [f'{survey}"{item}", "answer": "{outcome}", "conversation_ids": [' for outcome, item, _ in votes.values]
    question = f'], "exchanges": 0, "target": "pair", "question": "{PREFERENCE}", '
    pieces = zip(
        repeat('{"judgement_id": "v'),
        numbers,
        repeat('", "annotation_id": "v'),
        numbers,
        votes.each(answers),
        *_filled_in('"', prompts, '"'),
        voters.each([f"{question}{voter}" for _, _, voter in voters.values]),
        presentations.each([presentation for _, presentation in presentations.values]),
        *_filled_in(', "submitted_at": "', times, '"'),
        repeat("}\n"),
    )
    return "".join(chain.from_iterable(pieces)).encode()


def _filled_in(before: str, texts: list[str], after: str) -> list[Iterable[str]]:
    """Return the pieces of a field of many lines, which those without a text lack."""
    if all(texts):
        return [repeat(before), texts, repeat(after)]
    return [[f"{before}{text}{after}" if text else "" for text in texts]]


def prompt_id(value: Any) -> str:
    """Return the id of a prompt: of a text its checksum, "" of none."""
    text = plain_text(value)
    if text and not SHORT.match(text):
        text = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return text


def prompt_ids(values: Sequence[Any]) -> list[str]:
    """Return `prompt_id` of each of many values."""
    texts = [*map(str, values)]
    joined = "\n".join(texts)
    one_a_line = joined.count("\n") + 1 == len(texts)
    if one_a_line and SHORTS.fullmatch(joined) and NOTHING.isdisjoint(map(str.lower, texts)):
        return texts
    return [*map(prompt_id, values)]


def judge_of_path(path: Path | str, contestants: Iterable[str]) -> str:
    """Return the part of a path that suggests that a language model answered: it names a judge, or a model that isn't
    one of the contestants; "" where none does, or one says that people did."""
    parts = Path(path).absolute().parts[-3:]
    if any(has_part(part, WORDS["people_in_paths"]) for part in parts):
        return ""
    called = " ".join(map(spelling, contestants))
    for part in reversed(parts):
        models = [name for name in re.split(r"[=,\s]", part) if MODEL.match(name)]
        families = re.findall(r"[a-z]{3,}", " ".join(models).lower())
        if has_part(part, WORDS["judges_in_paths"]) or (models and not any(name in called for name in families)):
            return part
    return ""


def source_of(annotator: str, given: str, is_judge: bool = False) -> str:
    """Return the source of an annotator's answers: the one that is `given`, else of a language model a judge's."""
    if not given and annotator and (is_judge or MODEL.match(annotator)):
        return f"judge:{stem_of(annotator)}"
    return given or HUMAN


_as_json = lru_cache(files.dumps)


class _VoteReader:
    """Makes lines of judgements of rows, and keeps contestants, pairs and annotators."""

    def __init__(self, path: Path, winners: Winners, names: Names, columns: Names, source: str, left_out: LeftOut):
        if source not in ("", HUMAN) and not re.match(r"judge:.", source):
            raise UserError(f"--source {source}: not known.", "Write human or judge:NAME.")
        if columns.get("first", NONE) != NONE:
            raise UserError(
                f"--columns first={columns['first']}: expected -, where columns don't say who was shown first.",
                "A column that says whether the sides were changed is swapped=THEIRS.",
            )
        self.path = path
        self.winners = winners
        self.given_names = names
        self.given_columns = columns
        self.source = source
        self.left_out = left_out

    def read(self, columns: Mapping[str, list[str]], head: Head, rows: Dataset) -> bytes:
        """Return the lines of all rows, whose fields are in these columns; what was read before is forgotten."""
        self.left_out.clear()
        self.columns = columns
        self.names = ContestantNames(self.given_names)
        self.items: dict[str, Item] = {}
        self.counts: Counter[str] = Counter()
        self.workers: set[str] = set()
        self.judges: set[str] = set()
        self._seen: set[str] = set()
        self._many: Counter[str] = Counter()
        self._told = self._notes_on_columns(head)
        self._where = ""
        self._votes = Numbered(self._vote)
        self._rows_of_result: Counter[int] = Counter()
        self._has_margins = False
        self._sides = [self._swapped(), *columns["a"], *columns["b"], *columns["winner"]]
        self._further = [columns.get(name, [NO_COLUMN])[0] for name in FURTHER]
        self.table = JudgementColumns()
        self._by_judges = spelling(columns.get("annotator", [""])[0]) in WORDS["judges_by_column"]
        self.winners.begin(columns)
        lines = io.BytesIO()
        lines.writelines(self._lines(self._blocks(head, rows)))
        self._check_sides()
        self.left_out.read.clear()
        return lines.getvalue()

    def _check_sides(self) -> None:
        """Raise `UserError` where results stand in the file twice, once as each of the two contestants fared."""
        results: Counter[tuple[str, ...]] = Counter()
        for number, count in self._rows_of_result.items():
            outcome, item, _ = self._votes.results[number]
            results[*self.items[item].partners, outcome] += count
        mirrored = {(b, a, CHANGED.get(what, what)): count for (a, b, what), count in results.items()}
        alone = self.counts.total() < 2 * TELLING or "first" in self.given_columns
        if self.winners.against and not alone and results == mirrored:
            raise UserError(
                f"{self._where}: each result is there twice, once as either of the two fared.",
                "Keep the rows of one of the two; of different results write --columns first=-.",
            )

    def _blocks(self, head: Head, rows: Dataset) -> Iterator[ColumnBlock]:
        """Yield the rows that are to be used, in blocks, and count all: of a plain table as it is split."""
        self.left_out.rows = 0
        if NOT_USED.keys().isdisjoint(map(spelling, head)) and MARKS.isdisjoint(head):
            is_whole = yield from self._table_blocks(head)
            if is_whole:
                return
        yield from row_blocks(self._used(islice(rows, self.left_out.rows, None), head))

    def _table_blocks(self, head: Head) -> Generator[ColumnBlock, None, bool]:
        """Yield the blocks of a plain table whose rows are votes as they are; return True where these are all rows."""
        blocks = table_blocks(self.path, head, self.given_columns)
        while True:
            try:
                block = next(blocks)
            except StopIteration as end:
                return end.value
            if not self.left_out.rows and not is_vote({name: block.column(name)[0] for name in head}):
                return False
            self.left_out.rows += len(block)
            yield block

    def _lines(self, blocks: Iterable[ColumnBlock]) -> Iterator[bytes]:
        """Yield the judgements as they are written, many lines a piece, and put them into the table."""
        prompt, annotator, time, language = self._further
        voters = Numbered(self._voter)
        presentations = Numbered(self._presentation)
        last = 0
        for block in blocks:
            rules = BlockRules(block, self._read_at, self._no_value)
            vote = rules.numbers(self._votes, *map(block.column, self._sides))
            voter = rules.numbers(voters, block.texts(annotator))
            shown = [block.texts(language)]
            if self._has_margins:
                shown.append(self._margins(vote))
            presentation = rules.numbers(presentations, *shown)
            times, seconds = self._times(rules, block.column(time))
            self._refuse_copies(rules, voters.results, voter, times)
            rows = self._rows_of_votes(rules, vote)
            if len(block):
                self._where = block.place(len(block) - 1)
            if len(rows):
                prompts = taken(prompt_ids(block.column(prompt)), rows)
                columns = (self._votes.of(vote[rows]), voters.of(voter[rows]), presentations.of(presentation[rows]))
                times = taken(times, rows)
                self._tabulate(last, *columns, prompts, times, seconds[rows])
                yield _lines_of(last, *columns, prompts, times)
                last += len(rows)

    def _read_at(self, where: str) -> None:
        self._where = where

    def _margins(self, votes: np.ndarray) -> list[str]:
        """Return the margin of each vote, which few files have."""
        return [self._votes.results[number][2] if number >= 0 else "" for number in votes.tolist()]

    def _times(self, rules: BlockRules, values: Sequence[Any]) -> tuple[list[str], np.ndarray]:
        """Return when votes were given, as texts and in seconds since 1970; "" and NaN where there is no time."""
        import numpy as np

        since_1970 = microseconds(values)
        if len(since_1970) and since_1970.max() < EXACT:
            return iso_times(since_1970), since_1970 / 1e6
        times = iso_times(since_1970) or rules.each(self._time, values, "")
        return times, np.array([*map(seconds_of, times)], dtype=float)

    def _rows_of_votes(self, rules: BlockRules, votes: np.ndarray) -> np.ndarray:
        """Return the row of each vote that is read: those that no rule refuses, as often as they say."""
        import numpy as np

        counts = None
        if "count" in self.columns:
            counts = np.array(rules.each(self._count, rules.block.column(self.columns["count"][0]), 0), int)
        rows = rules.accepted(self.left_out.leave)
        self._rows_of_result.update(votes[rows].tolist())
        if counts is None:
            return rows
        return np.repeat(rows, counts[rows])

    def _tabulate(
        self,
        last: int,
        votes: Different,
        voters: Different,
        presentations: Different,
        prompts: list[str],
        times: list[str],
        seconds: np.ndarray,
    ) -> None:
        """Put judgements into the table, and count them; `last` is the number of the last one before."""
        import numpy as np

        size = len(prompts)
        outcomes, items, _ = zip(*votes.values, strict=True)
        names, sources, _ = zip(*voters.values, strict=True)
        languages = [language for language, _ in presentations.values]
        days = Numbered(str)
        day = np.fromiter(map(days.__getitem__, map(DATE_OF, times)), np.intp, size)
        constant = np.zeros(size, np.intp)
        categories = [
            (sources, voters.places),
            (items, votes.places),
            (["pair"], constant),
            ([PREFERENCE], constant),
            (outcomes, votes.places),
            (languages, presentations.places),
            (days.results, day),
        ]
        prompt_hashes = np.fromiter(map(hash, prompts), np.int64, size)
        name_hashes = np.fromiter(map(hash, names), np.int64, len(names))
        numbers = np.arange(last + 1, last + size + 1)
        self.table.extend(categories, [prompt_hashes, name_hashes[voters.places], numbers], seconds)
        for outcome, count in zip(outcomes, votes.counts(), strict=True):
            self.counts[outcome] += count

    def _as_shown(self, outcome: str, swapped: str, word: str, pair: tuple[str, str]) -> str:
        """Return the outcome of a vote whose sides may have been shown the other way round."""
        given = self.given_columns.get("swapped", "")
        if given not in ("", NONE) and spelling(swapped) not in SWAPPED["yes"] + SWAPPED["no"]:
            raise self._wrong("swapped", swapped, "expected true or false", CORRECT)
        if given == NONE or spelling(swapped) not in SWAPPED["yes"]:
            return outcome
        changed = self.winners.changed(outcome, word, pair)
        if changed != outcome and not given:
            name = self._swapped()
            raise UserError(
                f"{self._where}: column '{name}' may say that the sides were shown the other way round.",
                f"Write --columns swapped={name}, where the winner is a side as shown; swapped=-, where it isn't.",
            )
        return changed

    def _swapped(self) -> str:
        """Return the column that says, or may say, whether the sides were shown the other way round."""
        return self.columns.get("swapped", [NO_COLUMN])[0]

    def _no_value(self, block: ColumnBlock, row: int) -> UserError:
        """Return the error of a row with a list or object in a field."""
        columns = [(name, theirs) for name, several in self.columns.items() for theirs in several]
        values = {theirs: block.column(theirs)[row] for _, theirs in columns}
        named = [f"{name} ({theirs})" for name, theirs in columns if isinstance(values[theirs], (list, dict))]
        problem = f"{self._where}: a list or object for {listed(named)}, expected one value."
        return UserError(problem, "Name another column, or leave it out: --columns FIELD=-.")

    def _used(self, rows: Dataset, head: Head) -> Dataset:
        """Yield the rows that are to be used, and count all."""
        may_be_rejected = not NOT_USED.keys().isdisjoint(map(spelling, head))
        marks = MARKS.intersection(head)
        for self._where, row in rows:
            if may_be_rejected and rejected(row):
                self._many["rejected"] += 1
                continue
            self.left_out.rows += 1
            if marks:
                self._seen |= row.keys() & marks
                self._many["unranked"] += row.get(UNRANKED, 0)
            yield self._where, row

    def _notes_on_columns(self, head: Head) -> dict[str, str]:
        """Return which columns aren't read, and which one suggests that a model voted."""
        unread = models = ""
        if CLUSTER not in head:
            unread = unread_note(head, {"", UNORDERED, *chain(*self.columns.values())})
        if not self.source and "annotator" not in self.columns:
            models = next((f"column '{name}'" for name in head if has_part(name, MODELS)), "")
        return {"unread": unread, "models": models}

    def _count(self, value: Any) -> int:
        """Return how many votes a row is."""
        text = plain_text(value).removesuffix(".0")
        if not text.isdecimal() or len(text) > MOST_DIGITS:
            raise self._wrong("count", value, "expected a whole number of votes, of eight digits at most", CORRECT)
        return int(text)

    def _refuse_copies(
        self, rules: BlockRules, voters: Sequence[tuple], numbers: np.ndarray, times: Sequence[str]
    ) -> None:
        """Refuse copies of earlier rows, where rows have an id, or say who voted at which second."""
        block = rules.block
        with_id = block.with_any(WORDS["row_ids"])

        def is_identified(row: int) -> bool:
            return with_id[row] or bool(voters[numbers[row]][0] and times[row] and not times[row].endswith(DATE))

        checked = rules.rows()
        if self.columns.keys().isdisjoint(("count", "prompt")):
            checked = [row for row in checked if is_identified(row)]
        if not checked:
            return
        identities = block.identities()
        different = {*identities} if len(checked) == len(identities) else {identities[row] for row in checked}
        if len(different) == len(checked) and self.left_out.read.isdisjoint(different):
            self.left_out.read |= different
            return
        for row in checked:
            if not self.left_out.is_copy(identities[row]):
                continue
            if is_identified(row):
                rules.refused[row] = copy_at(block.place(row))
            else:
                self._many["rows_alike"] += 1

    def about(self) -> dict[str, Any]:
        """Return what was read, by which rule, for the summary and provenance.json."""
        annotators = None
        if "annotator" in self.columns:
            annotators = len(self.workers)
        columns = {name: ", ".join(theirs) for name, theirs in self.columns.items()}
        if "swapped" not in self.given_columns:
            columns.pop("swapped", "")
        return {
            "columns": columns,
            "annotations": self.counts.total(),
            "outcomes": {what: self.counts[what] for what in OUTCOMES},
            "annotators": annotators,
            "ordered": self._ordered,
            "notes": self._notes() + self.names.notes(),
            "unusable": dict(self.left_out.counts),
        }

    def _notes(self) -> list[str]:
        """Return what was read by a rule, and what wasn't: the notes of ``votes.yaml`` that have something to tell."""
        given = self.winners.answers
        cuts = [f"{outcome} where it is {theirs}" for theirs, outcome in given.items() if CUT.fullmatch(theirs)]
        alike = [f"{first} and {name}" for first, name in twins(those_alike([*self.workers]))]
        told = {
            **self._told,
            "models": self._told["models"] or self._judge_of_path(),
            "winner": self.columns["winner"][0],
            "sides": self.columns["a"][0].startswith(SIDE_COLUMNS)
            and listed(sorted(self.names.named.keys() - self.names.given)),
            "cuts": ", ".join(cuts),
            "scores": self.winners.scored and " and ".join(self.columns["winner"]),
            "winner_is": self.winners.winner_is,
            "ranked": CLUSTER in self._seen,
            "chats": CHATS in self._seen,
            "judges": listed(sorted(self.judges)[:3]),
            "unordered": not self._ordered,
            "one_order": self._ordered and self._in_one_order(),
            "annotators_alike": len(alike) and f"{counted(len(alike), 'pair')}, {listed(alike[:3])}",
        }
        told |= {what: counted(count, WORDS["counted"][what]) for what, count in self._many.items() if count}
        return [text.format(**told) for name, text in WORDS["notes"].items() if told.get(name)]

    def _judge_of_path(self) -> str:
        """Return what the path says of a judge, where nothing else says that a model voted."""
        if self.source or self.judges:
            return ""
        part = judge_of_path(self.path, self.names.named)
        return part and f"the path's '{part}'"

    @property
    def _ordered(self) -> bool:
        """Whether the first of two is taken for the one that was shown first."""
        unordered = self.winners.wins or self.winners.against or UNORDERED in self._seen
        return not (unordered or "first" in self.given_columns)

    def _in_one_order(self) -> bool:
        """Return True if each two contestants stand in one order alone, in too many votes for that to be chance."""
        pairs = {item.partners for item in self.items.values()}
        return self.counts.total() >= TELLING * len(pairs) and pairs.isdisjoint(pair[::-1] for pair in pairs)

    def _wrong(self, name: str, value: Any, what: str, remedy: str, reason: str = "") -> UserError:
        column = ", ".join(self.columns[name])
        called = f"field '{column}'"
        if column != name:
            called = f"{called} ({name})"
        problem = f"{self._where}: {called} is {value!r}, {what}."
        if reason:
            return Unusable(reason, problem, remedy)
        return UserError(problem, remedy)

    def _vote(self, values: Sequence[Any]) -> tuple[str, str, str]:
        """Return the outcome, the item and the margin; `Unusable` where that isn't known."""
        swapped, a, b, word = map(stripped, values[:4])
        for name, text in (("a", a), ("b", b)):
            if not plain_text(text) and text not in self.names.given:
                raise self._wrong(name, text, "expected a name", CORRECT, "vote without a contestant")
        first = self.names.of(a, self._where)
        second = self.names.of(b, self._where)
        what, margin = self.winners.outcome(a, b, values[3:], self._wrong)
        what = self._as_shown(what, swapped, word, (a, b))
        if first == second:
            raise Unusable("vote between a contestant and itself", f"{self._where}: both are '{a}'.", "Correct it.")
        if self.winners.wins and first > second:
            first, second = sorted((first, second))
            what = CHANGED.get(what, what)
        item = f"{first}:{second}"  # names need no escapes in JSON
        if item not in self.items:
            self.items[item] = Item(item, (), 0, (), partners=(first, second))
        self._has_margins |= bool(margin)
        return what, item, margin

    def _voter(self, value: Any) -> tuple[str, str, str]:
        """Return a voter's name and source, and both as JSON."""
        name = plain_text(value)
        text = encode_basestring(name)
        source = source_of(name, self.source, self._by_judges)
        if name:
            self.workers.add(text)
            if not self.source and source != HUMAN:
                self.judges.add(name)
        return name, source, f'"worker_id": {text}, "source": {_as_json(source)}'

    @staticmethod
    def _presentation(shown: Any) -> tuple[str, str]:
        """Return the language of a language, or of one and a margin, and the field of how a vote was presented."""
        language, margin = shown if isinstance(shown, tuple) else (shown, "")
        named = {"language": plain_text(language), "margin": margin}
        filled_in = {name: text for name, text in named.items() if text}
        if not filled_in:
            return "", ""
        return named["language"], f', "presentation": {files.dumps(filled_in)}'

    def _time(self, value: Any) -> str:
        """Return a time in UTC, "" where there is none."""
        if value is None or value == "":
            return ""
        try:
            when = utc_time(value)
        except (ValueError, OverflowError):
            if not plain_text(value):
                return ""
            what = "expected seconds since 1970 or a time as 2024-05-01T12:00:00Z or 5/31/2024 12:00 (month first)"
            raise self._wrong("time", value, what, "Correct it, or leave times out: --columns time=-.") from None
        if isinstance(value, str) and "/" in value[:3]:
            self._told.setdefault("slashed", value)
        return when


FORMAT = study_format(
    lambda request: votes(
        request.data,
        request.domain or "votes",
        *map(request.pairs, ("columns", "answers", "names")),
        source=request.source,
        left_out=request.left_out,
        winner_is=request.winner_is,
        decimal=request.decimal,
    )
)
