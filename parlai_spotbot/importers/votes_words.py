"""Names of columns and outcomes in files of votes: the arena's and other common ones.

A vote is for one of two contestants, `a` or `b`, or says `tie`, or `both_bad`: both failed, which is no tie of two good
ones. Words that could mean either, as "neither" does, are asked about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from parlai_spotbot.errors import UserError, nearest

OUTCOMES = ("a", "b", "tie", "both_bad")

SIDES = (
    ("model_a", "model_b"),
    ("left", "right"),
    ("contestant_a", "contestant_b"),
    ("player_a", "player_b"),
    ("a", "b"),
    ("bot_a", "bot_b"),
    ("system_a", "system_b"),
    ("model_a_name", "model_b_name"),
    ("model_1", "model_2"),
    ("model1", "model2"),
    ("model_left", "model_right"),
    ("player_1", "player_2"),
    ("first", "second"),
)
"""How the two contestants' columns are called, the first pair that is there counts."""

COLUMNS = {
    "winner": (
        "winner",
        "vote",
        "outcome",
        "preference",
        "choice",
        "verdict",
        "result",
        "winning_model",
        "chosen",
        "winner_model",
        "chosen_model_name",
    ),
    "prompt": ("prompt_id", "prompt", "question_id", "question", "instruction", "conversation_id", "conversation"),
    "annotator": (
        "annotator",
        "annotator_id",
        "worker_id",
        "worker",
        "judge",
        "judge_id",
        "user",
        "user_id",
        "voter",
        "rater",
        "judge_hash",
        "session_id",
        "evaluation_session_id",
    ),
    "time": ("tstamp", "timestamp", "time", "created_at", "submitted_at", "date", "datetime"),
    "language": ("language", "lang"),
}
"""Our field -> how its column may be called, the first that is there counts."""

FIELDS = ("a", "b", *COLUMNS)
ONE_HOT = {"winner_model_a": "a", "winner_model_b": "b", "winner_tie": "tie", "winner_tie_bothbad": "both_bad"}
"""A column an outcome, 1 in that which holds."""

WORDS = {
    "tie": ("tie", "tied", "draw", "equal", "same", "both_good", "tie_both_good", "no_difference"),
    "both_bad": ("tie_bothbad", "both_bad", "bothbad", "tie_both_bad", "both_are_bad"),
}
NONE = "-"


@dataclass(frozen=True)
class VoteColumns:
    """Record of where a file has what: `by_field` our field -> its column, `one_hot` columns of single outcomes, or
    none."""

    by_field: dict[str, str]
    one_hot: dict[str, str]

    def called(self, field: str) -> str:
        """The field as a message names it."""
        theirs = self.by_field.get(field, field)
        return f"field '{theirs}'" + ("" if theirs == field else f" ({field})")

    @cached_property
    def words(self) -> dict[str, set[str]]:
        """Word of a winner, spelt `plainly` -> the outcomes that it may mean."""
        sides = {plainly(self.by_field[side]): side for side in "ab"}
        sides |= {name: side for pair in SIDES for name, side in zip(pair, "ab", strict=True)}
        meanings = {word: {side} for word, side in sides.items()}
        for what, words in WORDS.items():
            for word in words:
                meanings.setdefault(word, set()).add(what)
        return meanings


@lru_cache(maxsize=10_000)
def plainly(word: str) -> str:
    """A word without the differences of spelling: "Tie (bothbad)" and "tie_bothbad" are one."""
    return re.sub(r"[^a-z0-9]+", "_", word.lower()).strip("_")


def columns_of(where: str, head: Sequence[str], columns: Mapping[str, str]) -> VoteColumns:
    """Find the columns among `head`; `columns` (our field -> theirs, "-" for leave out) goes first.

    Raises
    ------
    UserError
        Names the file and the column that is missing, or the option that names none.
    """
    plain_names = {plainly(name): name for name in reversed(head)}
    for field_name, theirs in columns.items():
        if field_name not in FIELDS:
            raise UserError(
                f"--columns {field_name}={theirs}: votes have no field '{field_name}'.", nearest(field_name, FIELDS)
            )
        if theirs not in (NONE, *head):
            raise UserError(
                f"--columns {field_name}={theirs}: {where} has no column '{theirs}'.", nearest(theirs, head)
            )
    mapping = {ours: theirs for ours, theirs in columns.items() if theirs != NONE}
    taken = set(mapping.values())
    if "a" not in mapping and "b" not in mapping:
        pair = next((pair for pair in SIDES if all(name in plain_names for name in pair)), ())
        mapping |= {side: plain_names[name] for side, name in zip("ab", pair, strict=False)}
    one_hot = {plain_names[name]: outcome for name, outcome in ONE_HOT.items() if name in plain_names}
    for field, names in COLUMNS.items():
        if field not in columns:
            fits = [plain_names[name] for name in names if name in plain_names and plain_names[name] not in taken]
            mapping |= {field: fits[0]} if fits else {}
    if not head:
        raise UserError(f"{where}: is empty.", "Name a file with a header, and a vote a line.")
    if "winner" in mapping:
        one_hot = {}
    for field in ("a", "b", *(() if one_hot else ("winner",))):
        if field not in mapping:
            what = "who won" if field == "winner" else "one of the two contestants"
            raise UserError(
                f"{where}: no column is known to hold '{field}', {what} (there are {', '.join(head)}).",
                f"Name it: --columns {field}=THEIR_COLUMN.",
            )
    if mapping["a"] == mapping["b"]:
        raise UserError(f"{where}: one column, '{mapping['a']}', for both contestants.", "Name two: --columns a=…,b=….")
    return VoteColumns(mapping, one_hot)


def outcome(a: str, b: str, winner: str, columns: VoteColumns, answers: Mapping[str, str]) -> str:
    """Return the outcome of a vote, one of `OUTCOMES`, from the file's word for the winner.

    Raises
    ------
    ValueError
        With what is wrong and what to do about it, where the word is not known or could mean two things.
    """
    if winner in answers:
        return answers[winner]
    if not winner:
        raise ValueError("expected who won", "Fill it in, or remove the row.")
    meant = {side for side, name in (("a", a), ("b", b)) if winner == name}
    meant |= columns.words.get(plainly(winner), set())
    if len(meant) == 1:
        return meant.pop()
    if meant:
        raise ValueError(
            "which names a contestant and a side that isn't its", "Say which is meant: --answers WORD=a,…."
        )
    raise ValueError(
        "which is none of the two contestants and no known word",
        f"Known: {', '.join(sorted(columns.words))}, and the contestants' "
        "names. Others are told with --answers WORD=a, b, tie or both_bad.",
    )
