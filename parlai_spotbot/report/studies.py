"""One table of several studies: place and score of every contestant in each, by survey, source and criterion.

People are listed with people, each judge with itself, contestants by name. A win rate depends on the opponents in its
own study.
"""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.standings import Standing, standings
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import known_survey

KEYS = ("survey", "source", "criterion", "contestant")
NOTE = (
    "A cell holds the place (contestants of one range can't be told apart), the score and its 95 % interval. Win rates "
    "depend on the opponents: do not compare them between studies with different contestants."
)


def standings_table(paths: Sequence[str | Path], survey: str | None = None) -> pd.DataFrame:
    """Return one row a study, survey, source, criterion and contestant.

    Columns: study, survey, source, criterion, contestant, place, what (the score's name), score, low, high (95 %
    interval), annotations. By default all surveys that two of the studies share.
    """
    study_by_path = {Path(os.path.realpath(path)): Study.open(path) for path in paths}
    if len(study_by_path) < 2:
        raise UserError(
            "--compare: two different studies are needed.", "Write for example --compare studies/one studies/two."
        )
    short = len({path.name for path in study_by_path}) == len(study_by_path)
    studies = {path.name if short else str(path): study for path, study in study_by_path.items()}
    judged = {label: _ranked_surveys(study) for label, study in studies.items()}
    having = Counter(name for names in judged.values() for name in names)
    shared = [name for name, count in having.items() if count > 1 and survey in (None, name)]
    if not shared:
        said = "; ".join(f"{label}: {', '.join(names) or 'none'}" for label, names in judged.items())
        raise UserError(
            f"These studies share no survey{f' {survey}' * bool(survey)} (surveys that rank contestants: {said}).",
            "Let the same survey be answered in all: parlai spotbot_pack, then spotbot_judge or spotbot_crowdsource.",
        )
    return pd.DataFrame(
        [
            _row(label, standing, contestant)
            for name in shared
            for label, study in studies.items()
            if name in judged[label]
            for standing in standings(_analysis(study, name))
            for contestant in standing.ranking.order
        ]
    )


def _ranked_surveys(study: Study) -> list[str]:
    """Return the surveys that have judgements which rank contestants, Spot The Bot first."""
    names = sorted(path.parent.name for path in study.path.glob("surveys/*/judgements.jsonl"))
    findings = {name: findings_of(known_survey(name, study)) for name in names}
    ranked = [name for name in names if any(finding.name == "ranking" for finding in findings[name])]
    return sorted(ranked, key=lambda name: name != "spot_the_bot")


def _analysis(study: Study, survey: str) -> SurveyData:
    analysis = SurveyData(study, survey)
    if "ranking" not in analysis.analysis:
        where, command = study.analysis_path(survey), hints.run("analyze", study.path, survey)
        raise UserError(f"{where}: the judgements of '{survey}' are not analysed yet by this version.", command)
    return analysis


def _row(study: str, standing: Standing, contestant: str) -> dict:
    low, high = standing.ranking.ends(contestant, standing.column)
    return {
        "study": study,
        "survey": standing.survey,
        "source": standing.source,
        "criterion": standing.criterion,
        "contestant": contestant,
        "place": "" if standing.ranking.circle else standing.places(contestant),
        "what": standing.what,
        "score": standing.score.get(contestant),
        "low": low,
        "high": high,
        "annotations": standing.annotations,
    }


def table_text(table: pd.DataFrame) -> str:
    """Lay the table out for the terminal: one column a study."""
    cells = table.assign(cell=[_cell(row) for row in table.itertuples()])
    studies = list(dict.fromkeys(table["study"]))
    wide = cells.pivot(index=list(KEYS), columns="study", values="cell")[studies].fillna("-")
    order = pd.MultiIndex.from_frame(cells[list(KEYS)].drop_duplicates())
    return f"{wide.reindex(order).rename_axis(columns=None).reset_index().to_string(index=False)}\n{NOTE}"


def _cell(row) -> str:
    place = f"#{row.place} " if row.place else ""
    ends = "" if pd.isna(row.low) or pd.isna(row.high) else f" [{row.low:.2f}, {row.high:.2f}]"
    return f"{place}{'-' if pd.isna(row.score) else f'{row.score:.2f}'}{ends}"


def write_table(table: pd.DataFrame, paths: Sequence[str | Path], out: str | Path | None = None) -> Path:
    """Write ``studies.csv`` into `out`, by default the folder ``compared`` beside the first study."""
    folder = Path(out) if out else Path(paths[0]).resolve().parent / "compared"
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out {folder}: is a file, expected a folder.", "Name a folder, new or old.")
    files.write_text(folder / "studies.csv", files.frame_csv(table))
    return folder / "studies.csv"
