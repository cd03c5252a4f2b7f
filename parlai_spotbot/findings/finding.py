"""Definition of a finding: a name, its computation, the schema of its tables, a chart and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec

import pandas as pd

from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.result import Result as Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.reading import own_data

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Form

METHODS: dict[str, str] = own_data(__file__, "methods.yaml")
"""Sentences on methods that several findings share."""


Answered = ParamSpec("Answered")
"""What a finding is computed from: one source's answers, or a study and its surveys."""


def _no_sentences(result: Result) -> list[str]:
    return []


@dataclass(frozen=True)
class Finding(Generic[Answered]):
    """One thing that answers say.

    Attributes
    ----------
    name : str
        Of its file, ``analysis/NAME.json``.
    form : Form
        Of the answers that it is about.
    compute : callable
        From one source's answers its frames by name (`frames.Found`): those of its tables, and others that its file
        has alone; None where there is nothing to find of this source.
    tables : mapping
        Schema of its tables by name.
    summarise : callable
        From these frames at most three sentences, the answer first; of a ranking all that its first screen says.
    heading, chart : str, Chart
        Of its section on the page.
    bars : tuple of str
        Of a ranking: the columns of its first table that the first screen shows; nothing else has any.
    first : bool
        Whether its sentences are on the first screen.
    place : int
        Findings are shown in the order of their places.
    surveys : tuple of str
        Those that it is of; of all with answers of this form where empty.
    options : tuple of str
        Which of the options of an analysis it takes, beside those that all do.
    asked : str
        The option without which it is not computed, since that takes long; "" where it always is.
    """

    name: str
    form: Form
    compute: Callable[Answered, Mapping[str, Any] | None]
    tables: Mapping[str, Table] = field(default_factory=dict)
    summarise: Callable[[Result], list[str]] = _no_sentences
    heading: str = ""
    chart: Chart | None = None
    bars: tuple[str, ...] = ()
    first: bool = False
    place: int = 50
    surveys: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    asked: str = ""


def declared(
    module: str,
    form: Any,
    compute: Callable[Answered, Mapping[str, Any] | None],
    summarise: Callable[[Result], list[str]] = _no_sentences,
    part: str = "",
    **figures: object,
) -> Finding[Answered]:
    """Return the finding whose heading, tables and chart are in the YAML file beside a module.

    Parameters
    ----------
    module : str
        The module's ``__file__``; its stem is the finding's name, unless the YAML has one.
    part : str
        Name of the finding where the file describes several, each under its name.
    figures
        What the texts on methods name in braces, beside the sentences of ``methods.yaml``.
    """
    about = _frozen(own_data(module))
    if part:
        about = about[part]
    about = {"name": part or Path(module).stem, "form": form, "compute": compute, "summarise": summarise, **about}
    about["tables"] = {name: _table(name, entry, figures) for name, entry in about.get("tables", {}).items()}
    if "chart" in about:
        about["chart"] = Chart(**about["chart"])
    return Finding(**about)


def _frozen(value: Any) -> Any:
    """Return what a YAML file holds with tuples in place of lists."""
    if isinstance(value, dict):
        return {name: _frozen(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return value


def _table(name: str, about: Mapping, figures: Mapping[str, object]) -> Table:
    """Return the table that a YAML file describes."""
    columns = {name: Column(**column) for name, column in about["columns"].items()}
    method = about.get("method", "").format(**METHODS, **figures)
    return Table(**{**about, "name": name, "columns": columns, "method": method})


def csv_tables(finding: Finding) -> dict[str, Table]:
    """Return the tables by the stems of their CSV: FINDING for the first, FINDING_TABLE for the others."""
    tables = {}
    for name, table in finding.tables.items():
        stem = f"{finding.name}_{name}" if tables else finding.name
        tables[table.csv or stem] = table
    return tables


def tables_of(findings: Iterable[Finding], result: Mapping[str, Mapping]) -> Found:
    """Return the results as flat tables by the stem of their CSV, each row with its source; none without rows."""
    frames_by_table: dict[str, list[pd.DataFrame]] = {}
    for finding in findings:
        for source, source_result in result.get(finding.name, {"by_source": {}})["by_source"].items():
            for stem, table in csv_tables(finding).items():
                frame = table.read(source_result)
                if len(frame):
                    frame.insert(0, "source", source)
                    frames_by_table.setdefault(stem, []).append(frame)
    return {stem: pd.concat(frames, ignore_index=True).infer_objects() for stem, frames in frames_by_table.items()}
