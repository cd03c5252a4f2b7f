"""One table of several studies: place and score of every contestant in each, by survey, source and criterion.

People are listed with people, each judge with itself, contestants by name. A win rate depends on the opponents in its
own study.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import pandas as pd

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.sections import places_said
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.findings.survey_data import SurveyData, begun
from parlai_spotbot.study import Study

KEYS = ("survey", "source", "criterion", "contestant")
NOTE = (
    "A cell holds the place (contestants of one range can't be told apart), the score and its 95% interval. Win rates "
    "depend on the opponents: do not compare them between studies with different contestants."
)


def standings_table(paths: Sequence[str | Path], survey: str | None = None) -> pd.DataFrame:
    """Return one row a study, survey, source, criterion and contestant.

    Columns: study, survey, source, criterion, contestant, place, what (the score's name), score, low, high (95%
    interval), annotations. By default all surveys that two of the studies share.
    """
    study_by_path = {Path(os.path.realpath(path)): Study.open(path) for path in paths}
    if len(study_by_path) < 2:
        raise UserError(
            "--compare: two different studies are needed.", "Write for example --compare studies/one studies/two."
        )
    names = [path.name for path in study_by_path]
    labels = names if len(set(names)) == len(names) else map(str, study_by_path)
    studies = dict(zip(labels, study_by_path.values(), strict=True))
    ranked = {label: _ranked(study) for label, study in studies.items()}
    counts = Counter(chain.from_iterable(ranked.values()))
    shared = [name for name, count in counts.items() if count > 1 and survey in (None, name)]
    if not shared:
        listed = "; ".join(f"{label}: {', '.join(names) or 'none'}" for label, names in ranked.items())
        named = f" {survey}" if survey else ""
        raise UserError(
            f"These studies share no survey{named} (surveys that rank contestants: {listed}).",
            "Let the same survey be answered in all: parlai spotbot_pack, then spotbot_judge or spotbot_crowdsource.",
        )
    rows = []
    for name in shared:
        for label, surveys in ranked.items():
            if name in surveys:
                rows += _rows(label, surveys[name])
    return pd.DataFrame(rows)


def _ranked(study: Study) -> dict[str, SurveyData]:
    """Return the surveys that have answers which rank contestants, Spot The Bot first."""
    surveys = sorted(begun(study), key=lambda data: (data.survey != "spot_the_bot", data.survey))
    return {
        data.survey: data
        for data in surveys
        if data.has_answers and any(finding.name == "ranking" for finding in findings_of(data.asked))
    }


def _rows(label: str, contents: SurveyData) -> Iterator[dict]:
    if "ranking" not in contents.analysis:
        raise UserError(
            f"{contents.folder}: the judgements of '{contents.survey}' are not analysed yet by this version.",
            contents.remedy("analyze"),
        )
    for source, criterion, ranking, annotations in standings(contents):
        places = places_said(ranking)
        for contestant in ranking.order:
            place = ""
            if not ranking.circle:
                place = places[contestant]
            low, high = ranking.ends(contestant, ranking.score_column)
            yield {
                "study": label,
                "survey": contents.survey,
                "source": source,
                "criterion": criterion,
                "contestant": contestant,
                "place": place,
                "what": ranking.score_title,
                "score": ranking.scores.get(contestant),
                "low": low,
                "high": high,
                "annotations": annotations,
            }


def table_text(table: pd.DataFrame) -> str:
    """Lay the table out for the terminal: one column a study."""
    cells = table.assign(cell=[_cell(row) for row in table.itertuples()])
    wide = cells.pivot(index=list(KEYS), columns="study", values="cell")[table["study"].unique()].fillna("-")
    order = pd.MultiIndex.from_frame(cells[list(KEYS)].drop_duplicates())
    return f"{wide.reindex(order).rename_axis(columns=None).reset_index().to_string(index=False)}\n{NOTE}"


def _cell(row) -> str:
    text = "-"
    if not pd.isna(row.score):
        text = f"{row.score:.2f}"
    if row.place:
        text = f"#{row.place} {text}"
    if not (pd.isna(row.low) or pd.isna(row.high)):
        text += f" [{row.low:.2f}, {row.high:.2f}]"
    return text


def write_table(table: pd.DataFrame, paths: Sequence[str | Path], out: str | Path | None = None) -> Path:
    """Write ``studies.csv`` into `out`, by default the folder ``compared`` beside the first study."""
    folder = Path(out or Path(paths[0]).resolve().with_name("compared"))
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out {folder}: is a file, expected a folder.", "Name a folder, new or old.")
    files.write_text(folder / "studies.csv", files.frame_csv(table))
    return folder / "studies.csv"
