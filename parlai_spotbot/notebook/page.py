"""The page of a study, written from a program."""

from collections.abc import Sequence
from pathlib import Path

from parlai_spotbot.errors import as_value_error
from parlai_spotbot.study import Study, expect_study


def report(study: Study, survey: str | None = None, without: Sequence[str] = ()) -> Path:
    """Write a study's report, ``report/index.html`` in its folder, and return the page's path.

    Parameters
    ----------
    survey : str, optional
        The one that comes first; by default the one whose answers are worth most.
    without : sequence of str
        Judges whose answers are left out.

    Raises
    ------
    ValueError
        Where the study has no such survey or judge, or one of its files is malformed.
    """
    from parlai_spotbot.report.page import build_report

    expect_study(study)
    with as_value_error("study"):
        return build_report(study, survey, without)
