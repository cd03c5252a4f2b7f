"""The study of metrics of a study on disk: read every survey's judgements, compute, write ``analysis/metrics/``."""

from collections import Counter

from parlai_spotbot import checksums, files, hints
from parlai_spotbot.analysis.metrics import STEMS, Metric, Outcomes, StudyEvidence, Wishes, analyze
from parlai_spotbot.analysis.metrics.costs import times_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import render
from parlai_spotbot.findings.finding import tables_of
from parlai_spotbot.findings.frames import Frames, stored_form
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.survey_data import begun
from parlai_spotbot.findings.survey_metrics import metrics_of, outcomes_of
from parlai_spotbot.findings.whole_study import INTERACTIVE, judged_surveys
from parlai_spotbot.findings.whole_study.metrics import FINDINGS
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import launched_survey
from parlai_spotbot.terminal import Bar
from parlai_spotbot.wording import source_said


def evidence_of(study: Study) -> StudyEvidence:
    """Return what all surveys of the study found; a `UserError` where a file is wrong, or nothing was judged."""
    conversations = study.conversations()
    metrics: dict[str, list[Metric]] = {}
    left_out: dict[str, Counter[str]] = {}
    outcomes = Outcomes.none()
    every = []
    for data in judged_surveys(begun(study)):
        judgements = data.judgements
        every += judgements
        survey = launched_survey(data)
        try:
            if data.survey == INTERACTIVE:
                outcomes = outcomes_of(judgements, conversations)
                continue
            for source in sorted({row.source for row in judgements}):
                metrics_found, lost = metrics_of(survey, judgements, conversations, list(data.items.values()), source)
                metrics.setdefault(source, []).extend(metrics_found)
                left_out.setdefault(source, Counter()).update(lost)
        except ValueError as err:
            raise UserError(
                f"{data.judgements_path}: {err}.",
                "Judgement N is the Nth of its source in that file: correct it, or make the file again.",
            ) from err
    if not any(metrics.values()):
        raise UserError(
            f"{study.path}: no survey has judgements that metrics can be made of.",
            hints.run("crowdsource", study.path, "dialogue_likert", dry_run=True),
        )
    times = {source: times_of(every, source_metrics, source) for source, source_metrics in metrics.items()}
    return StudyEvidence(metrics, outcomes, times, left_out)


def analyze_metrics(study: Study, wishes: Wishes, progress: bool = True) -> str:
    """Compute everything and write it as JSON and CSV; return what the terminal shows: the first sentence of each part
    of the study of metrics, by source."""
    evidence = evidence_of(study)
    with Bar("metrics", len(STEMS) * len(evidence.metrics), "part", shown=progress) as bar:
        result = analyze(evidence, wishes, lambda source, stem: bar.advance())
    if extended := study.extended_by():
        for results in result.values():
            results["made_by"]["study_extended"] = extended
    folder = study.metrics_path
    for stale in folder.glob("*.csv"):
        stale.unlink()
    for stem, results in result.items():
        results["by_source"] = {source: Frames.from_tables(frames) for source, frames in results["by_source"].items()}
        checksums.write_json(folder / f"{stem}.json", stored_form(results))
    surveys = judged_surveys(begun(study))
    by_finding = {finding.name: {"by_source": finding.compute(surveys) or {}} for finding in FINDINGS}
    for name, table in tables_of(FINDINGS, by_finding).items():
        files.write_text(folder / f"{name}.csv", files.frame_csv(table))
    return "\n".join(
        f"{source_said(source)}: {line.strip()}"
        for finding in FINDINGS
        for source, frames in by_finding[finding.name]["by_source"].items()
        for line in render.lines(finding, Result(source, frames))
    )
