"""Certificates of judges, from frames and sequences."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot.judges.certificate import Certificate
from parlai_spotbot.judges.certificate.of_file import certificate_of_rows
from parlai_spotbot.notebook.calling import as_value_error


def certify(
    verdicts: pd.DataFrame | Path | str | Sequence[Any],
    labels: Sequence[Any] | pd.DataFrame | Mapping[str, Sequence[Any]] | None = None,
    *,
    beside: Mapping[str, Sequence[Any]] | None = None,
    columns: Mapping[str, str] | None = None,
    judge: str = "",
    scale: str = "",
    answers: Mapping[str, str] | None = None,
) -> Certificate:
    """Tell what people's labels vouch for: whether a judge may screen, rank or gate, or how many labels would tell.

    Parameters
    ----------
    verdicts : frame, path or sequence (n,)
        A frame or a file (CSV, JSON lines) with a row for each label, or the judge's verdicts.
    labels : sequence (n,), frame or mapping of sequences, optional
        People's labels, where `verdicts` is a sequence; of several people a column each.
    beside : mapping of sequences (n,), optional
        What else is known of each row, beside sequences: item, conversation, annotator, bot, order, family, length,
        domain, weight.
    columns : mapping, optional
        Our field to the frame's or file's column, where it can't be guessed; `label` may have several people's: "a+b".
    judge : str
        The judge's name.
    scale : str
        Words that are answers in an order, from lowest to highest, separated by commas, where they aren't known.
    answers : mapping, optional
        Verdicts and labels that are the same: theirs to ours.

    Returns
    -------
    Certificate
        ``str()`` is the answer and what it rests on; `uses` and `figures` have the numbers, `write` writes it as JSON.

    Raises
    ------
    ValueError
        Names the column or the sequence that can't be used, and what to do about it.

    Examples
    --------
    >>> found = sb.certify(["good", "bad"] * 40, ["good", "bad"] * 36 + ["bad", "good"] * 4, judge="parrot-1")
    >>> print(str(found).splitlines()[0])
    Judge parrot-1 may screen, rank and gate: people vouch for it.
    """
    with as_value_error("verdicts"):
        if isinstance(verdicts, (str, Path)):
            return certificate_of_rows(Path(verdicts), columns, judge, scale, answers)
        if isinstance(verdicts, pd.DataFrame):
            return certificate_of_rows(verdicts, columns, judge, scale, answers)
    if labels is None:
        raise ValueError("labels: missing, expected people's labels, one for each of the verdicts")
    parts = {"verdict": list(verdicts)}
    if isinstance(labels, (pd.DataFrame, Mapping)):
        people = {f"label of {name}": list(labels[name]) for name in labels}
        columns = {**(columns or {}), "label": "+".join(people)}
        parts |= people
    else:
        parts["label"] = list(labels)
    parts |= {name: list(values) for name, values in (beside or {}).items()}
    for name, values in parts.items():
        if len(values) != len(parts["verdict"]):
            count = len(parts["verdict"])
            raise ValueError(f"{name}: has {len(values)} entries, expected one for each of {count} verdicts")
    with as_value_error("verdicts"):
        return certificate_of_rows(pd.DataFrame(parts), columns, judge, scale, answers)
