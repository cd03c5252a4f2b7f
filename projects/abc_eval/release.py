"""The authors' published data: addresses, checksums, and the files at hand.

The file of nine labels is of Finch, Paek & Choi (2023), the tables are those that Finch, Finch & Choi (2022) made their
paper from. The file of the whole project is large; its size is not known here, but the id that git gives it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import sha256
from parlai_spotbot.options import described
from parlai_spotbot.projects.fetching import fetched

RAW = "https://raw.githubusercontent.com/"
LABELS_AT = RAW + "emorynlp/GPT-ABCEval/9be657430765aaa93d6c2bb28683cb96cf3268df/outputs/"
TABLES_AT = RAW + "jdfinch/behavior_evaluation_analysis/5175991ce4d6dd49ab166a0ad78083179bab9c46/analysis/results/"

LABELS = "behavior-classification-results.json"
PROJECT = "data.json"
TABLES = "paper_tables"
LABELS_SHA256 = "695950269e417cddefd88261f2cbfc35611525892dea29fa0a06b8374c314f8c"
SHA256 = {
    "paper/all_agreements.csv": "4177b48b631d3f62f0828cc6eafc5df06bcb8b1957c573b407e693cfd7456e1e",
    "behavior_incremental_regressions_interactive": "eb99eaa00fd7dd60eff844e0c27592ef378d985b6379fb25a7f7ec8496be3593",
    "paper/costs.csv": "4464da3a19c5c6a6d09f190062aef68b65eeab80593cdc738b6f382338542081",
    "evaluation_screening.csv": "c2001a01fc7ef87988de0241998f5ee4e6170510c9907f59a984c450ac95bcf6",
    "paper/incremental_validity.csv": "8d90bd30c2228a410057e4e633b8cafbaa367007a3663981c878282ba13aa1a3",
    "p_values_comparing_bots_downsampled": "ce7dc52101cd74ae452b5d98068eb6b3c02332655758307b1772faf08bb7f2a4",
    "paper/predictive_validity.csv": "aaa27723ea74d086ad7552b1a03717bfb6e6bc6fdc4b45fe4ae182664ff4392b",
    "paper/sensitivity_table.csv": "dac40fcbfab74256e437dced18218d34295b107a33c00b0f3f51408022fe4abd",
    "paper/surge_agreements.csv": "90fed6cdf9abd8dec23468de4a80cf6e8302be36ac5e3ef83c81f83054333641",
    "paper/surge_behavior_rates.csv": "5a5b76be564b9ca27b6f2d956393c233b2982c65cdd1b2229454df9fff0db39d",
    "surge_comparisons.csv": "091a34acdeffff9c03e91d482175e59f7ffcfbb64b54480a16557c17ad7ba5cb",
    "paper/surge_likert_dialogue_ratings.csv": "a874bac33ba4cddcb944a07520a14088d030a45f4e16dab9277204fab073074c",
    "paper/surge_likert_turn_ratings.csv": "f6e176adc740df78a858134fcf1c15bfc3677aa895547760faf5e3017e5bce19",
    "t_test_p_values_comparing_bots": "eccc583501baeecb56e52c101b9c3bfe719ff4e8395484f4208a3152b17dbc2f",
}
"""The tables by their place in the repository; here they lie in one folder."""

REMEDY = f"Name a folder with {LABELS} and {TABLES}, or let --download fetch them."


@dataclass(frozen=True)
@described
class AbcEvalSettings:
    """Numbers behind the tables."""

    seed: int = 0
    replicates: int = 1000


@dataclass(frozen=True)
class Release:
    """Available files: the folder of `tables`, and, where it was given, the file of nine `labels` and the
    `project`."""

    tables: Path
    labels: Path | None = None
    project: Path | None = None

    @property
    def changed(self) -> list[str]:
        """Names of files that aren't the published ones, byte for byte; of `PROJECT` that isn't known."""
        published = {Path(place).name: known for place, known in SHA256.items()} | {LABELS: LABELS_SHA256}
        paths = [*([self.labels] if self.labels else []), *sorted(self.tables.iterdir())]
        return [path.name for path in paths if path.name in published and sha256(path) != published[path.name]]


def find(paths: Sequence[Path | str]) -> Release:
    """Return what the named files and folders hold of the release; a `UserError` where the tables are missing."""
    from parlai_spotbot.projects.abc_eval.import_format import is_full

    tables = labels = project = None
    for path in map(Path, paths):
        if not path.exists():
            raise UserError(f"{path}: no such file or folder.", REMEDY)
        if path.is_file():
            if is_full(path):
                project = path
            else:
                labels = path
            continue
        folder_of_tables = path / TABLES if (path / TABLES).is_dir() else path
        tables = folder_of_tables if (folder_of_tables / "surge_agreements.csv").exists() else tables
        labels = path / LABELS if (path / LABELS).exists() else labels
        project = path / PROJECT if (path / PROJECT).exists() else project
    if tables is None:
        listed_paths = ", ".join(map(str, paths))
        raise UserError(
            f"{listed_paths}: the published tables (surge_agreements.csv and others) are not there.", REMEDY
        )
    return Release(tables, labels, project)


def download(folder: Path | str) -> list[Path]:
    """Fetch labels and tables into `folder` unless they are there.

    They carry no licence: use them, don't pass them on. Raises `UserError` where there is no connection, or other bytes
    than those that were published; nothing is left of them then.
    """
    folder = Path(folder)
    fetched(LABELS_AT + LABELS, folder / LABELS, LABELS_SHA256)
    for place, checksum in SHA256.items():
        fetched(TABLES_AT + place, folder / TABLES / Path(place).name, checksum)
    return [folder]
