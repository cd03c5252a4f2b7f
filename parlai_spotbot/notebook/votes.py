"""An arena's votes as a notebook holds them, without a study."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot.findings.options import Equality, Resampling
from parlai_spotbot.importers import votes as votes_file
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.left_out import LeftOut
from parlai_spotbot.notebook.calling import as_value_error
from parlai_spotbot.notebook.study_answers import Study, StudyAnswers, temporary_folder

if TYPE_CHECKING:
    import pandas as pd

    from parlai_spotbot.notebook.survey_results import SurveyResults


@dataclass(frozen=True, repr=False, eq=False)
class Votes(StudyAnswers):
    """Votes of an arena, one answer each: a `table` as of `judgement_table`."""

    table: Any = None

    @property
    def everybody(self) -> Any:
        return self.table

    def rank(
        self,
        *,
        bootstraps: int = Resampling.bootstraps,
        seed: int = Resampling.seed,
        margin: float | None = Equality.margin,
    ) -> SurveyResults:
        """Rank the contestants: `parlai_spotbot.rank` of the votes."""
        from parlai_spotbot.notebook.survey_results import rank

        return rank(self, bootstraps=bootstraps, seed=seed, margin=margin)


def read_votes(
    path: Path | str | pd.DataFrame | Sequence[Mapping[str, Any]],
    *,
    columns: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    winner_is: str = "",
    decimal: str = "",
) -> Votes:
    r"""An arena's votes (CSV, JSON or JSON lines: two contestants and who won) without a study.

    With a warning where rows can't be used and are left out.

    Parameters
    ----------
    path : path, frame or list
        The file, or a frame of its rows, or these as mappings.
    columns : mapping, optional
        Our field (a, b, winner, prompt, annotator, time, language) to the file's column, where it can't be guessed.
    answers : mapping, optional
        The file's word for an outcome to a, b, tie or both_bad.
    names : mapping, optional
        The file's name of a contestant to ours.
    winner_is : str
        "name" or "side": what the winner's word is where it may be both, as of systems called A and B.
    decimal : str
        "comma" or "point": what is in front of decimals, where scores don't tell ("1,234").

    Returns
    -------
    Votes
        Answers, as those of `Study.answers`, with a method `rank`.

    Raises
    ------
    ValueError
        Names the file and its line, or the frame and its row (the first is 1), the field, and what to do about it.

    Examples
    --------
    >>> won = "ada,bob,model_a\nbob,ada,model_b\nada,cleo,model_a\ncleo,ada,model_b\n"
    >>> rows = won + "bob,cleo,tie\ncleo,bob,tie\n"
    >>> _ = open("votes.csv", "w").write("model_a,model_b,winner\n" + rows * 10)
    >>> sb.read_votes("votes.csv").rank(bootstraps=50).tables["ranking"][["bot", "score", "n"]].round(2)
        bot  score   n
    0   ada   0.99  40
    1   bob   0.25  40
    2  cleo   0.25  40
    """
    folder = temporary_folder() / "votes"
    file = path if isinstance(path, (str, Path)) else _as_file(path)
    left_out = LeftOut()
    try:
        with as_value_error("path"):
            options = {"left_out": left_out, "winner_is": winner_is, "decimal": decimal}
            imported = votes_file.votes(file, "votes", columns, answers, names, **options)
            write_study(folder, imported)
    except ValueError as err:
        raise ValueError(_told(str(err), path, file)) from None
    for line in left_out.lines():
        warnings.warn(_told(f"{file}: {line}", path, file), stacklevel=2)
    return Votes(Study.open(folder), votes_file.SURVEY, table=imported.table)


def _told(text: str, path: Any, file: Path | str) -> str:
    """Return a text about `file` as one about the frame that it was made of, if `path` is one."""
    if file is path:
        return text
    return text.replace(f"{file}, line ", "the frame, row ").replace(str(file), "the frame")


def _as_file(rows: Any) -> Path:
    """Return the path of a file with the rows of a frame, a line each; an index with a name is a column, too."""
    import pandas as pd

    path = temporary_folder() / "frame.jsonl"
    frame = rows
    if isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows):
        frame = pd.DataFrame(rows)
    if not isinstance(frame, pd.DataFrame):
        found = type(rows).__name__
        raise ValueError(f"path: expected the path of a file, or a frame of votes, a row each, not {found}.")
    try:
        levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
        if levels:
            frame = frame.reset_index(level=levels)
        whole = frame.rename(columns=str).convert_dtypes()  # numbers with gaps are whole again
        whole.to_json(path, orient="records", lines=True, date_format="iso", date_unit="us")
    except (TypeError, ValueError, OverflowError) as err:
        raise ValueError(f"path: expected a frame of votes, a row each: {err}.") from None
    return path
