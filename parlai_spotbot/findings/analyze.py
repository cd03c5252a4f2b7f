"""Everything that the answers to a survey of a study say, from its judgements to its analysis folder."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, files
from parlai_spotbot.analysis.choices import known_pairs
from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings import findings_of, looks
from parlai_spotbot.findings.answers import Facts, NothingLeft, Options
from parlai_spotbot.findings.compute import asked_for, compute, tables
from parlai_spotbot.findings.finding import csv_tables, tables_of
from parlai_spotbot.findings.frames import stored_form
from parlai_spotbot.findings.made_by import VERSION
from parlai_spotbot.findings.survey_data import DEFAULT, SurveyData, analysed, begun, sources_of
from parlai_spotbot.findings.whole_study import hygiene, methods, nuc, simulators
from parlai_spotbot.hints import Remedy
from parlai_spotbot.judges.next_step import answers_by_people, next_step
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study, expect_study
from parlai_spotbot.surveys import Survey, get_survey, study_survey, survey_names
from parlai_spotbot.terminal import Bar, shown_if
from parlai_spotbot.wording import listed

BACKENDS = ("auto", "native", "icenreg")
OF_EVERY_SURVEY = ("seed", "bootstraps")

FAULTS = (
    "incomplete annotation",
    "question that isn't among the study's",
    "choice that the question hasn't, or the same twice",
)
"""Reasons why annotations are left out of an analysis that are faults of the data, not rules of the method."""


def analyze(study: Study, survey: str = DEFAULT, *, progress: bool = False, **options: Any) -> dict[str, dict]:
    """Compute all findings of `survey` and write them to the study's folder of its analysis, as JSON and CSV.

    Parameters
    ----------
    progress : bool
        Show a progress bar on stderr.
    options
        Fields of `findings.options.Options`, as ``bootstraps=50``; one that the survey's findings don't take, with
        another value than its default, is a `UserError`.

    Returns
    -------
    dict
        What was written, by the name of its file. Nothing is written unless everything could be computed.
    """
    expect_study(study)
    data = SurveyData(study.remaining(), survey)
    study = data.study
    if not data.path.exists():
        study_survey(data)
    chosen = check_options(data.asked, options, study.plan.contestants)
    _check_declared(data, chosen.margin)
    result = _of_users(data, chosen)
    look: list[dict] = []
    if data.judged or not result:
        look, of_answers = _of_answers(data, chosen, progress)
        result |= of_answers
    conversation_hygiene = None
    if study.conversations_path.exists():
        conversation_hygiene = _hygiene(data)
    made_of = _made_of(data)  # after conversations are read: their checksum is known then
    for value in result.values():
        value["made_by"] |= made_of
    frames = tables(data.asked, result) | tables_of([simulators.FINDING], result)
    fresh = replace(data, fresh={name: value["by_source"] for name, value in result.items()})
    if conversation_hygiene is not None:
        result["hygiene"] = conversation_hygiene
        frames["hygiene"] = hygiene.FINDING.tables["hygiene"].read(conversation_hygiene["by_source"][""])
    if chosen.margin is not None:
        data.record("margin", chosen.margin)
    _write(data, result, frames)
    looks.note(data, look)
    surveys = analysed(fresh if other.survey == survey else other for other in begun(study))
    methods.write(study.path / "analysis" / methods.FILE, surveys)
    nuc.write_agreement(study.path / "nuc" / "analysis", surveys)
    return result


def _of_users(data: SurveyData, options: Options) -> dict[str, dict]:
    """Return what users do, whoever judged, where one side of conversations is a user's; {} elsewhere."""
    if not data.asked.judged or not data.conversations:
        return {}
    users = data.plan.users
    return {"simulators": simulators.measured(data.conversations, users, data.asked.judged[0], options.seed)}


def _of_answers(data: SurveyData, options: Options, progress: bool) -> tuple[list[dict], dict[str, dict]]:
    """Return the look at people's answers that this is, if it is one, and what is found of the answers."""
    _check_answered(data)
    facts = replace(data.facts, looks=looks.looks_of(data))
    look = looks.this_look(facts, data.answered)
    return look, _computed(data, replace(facts, looks=[*facts.looks, *look]), options, progress)


def missing_of(result: Mapping[str, Mapping]) -> dict[str, int]:
    """Return what an analysis left out through a fault: annotations, whole sources, findings -> how many."""
    made_bies = [value.get("made_by", {}) for value in result.values()]
    used = {source for about in made_bies for source in about.get("used", {})}
    missing: dict[str, int] = {}
    for about in made_bies:
        for source, reasons in about.get("left_out", {}).items():
            missing |= {f"{why} of {source}": n for why, n in reasons.items() if why in FAULTS}
            if source not in used:
                missing[f"source {source}: no answer left to analyse ({', '.join(reasons)})"] = 1
        for finding, error in about.get("not_computed", {}).items():
            missing[f"finding {finding}: {error}"] = 1
    return missing


def _check_answered(data: SurveyData) -> None:
    """Raise `UserError` where nobody has judged."""
    path = data.judgements_path
    if not path.exists():
        problem = "no such file"
    elif not len(data.answered):
        problem = "there are no judgements in it"
    else:
        return
    study = data.study
    others = [name for name in study.plan.surveys if name != data.survey and study.judgements_path(name).exists()]
    remedy = Remedy("Run: ", next_step(data))
    if others and data.survey == DEFAULT and not data.path.exists():
        remedy = Remedy(f"The study has answers to {listed(others)}. Run: ", study.load(others[0]).command("analyze"))
    raise UserError(f"{path}: {problem}.", remedy)


def _computed(data: SurveyData, facts: Facts, options: Options, progress: bool) -> dict[str, dict]:
    """Compute the findings, with a bar; a judgement that is wrong, or that none is left, is a `UserError`."""
    parts = len(sources_of(data.answered)) * len(asked_for(data.asked, options))
    path = data.judgements_path
    try:
        with shown_if(progress), Bar("analysis", parts, "part") as bar:
            return compute(data.answered, facts, options, partial(_advance, bar))
    except NothingLeft as err:
        more = answers_by_people(data)
        raise UserError(f"{path}: {err}.", Remedy("More answers are needed. Run: ", more)) from err
    except ValueError as err:
        raise UserError(
            f"{path}: {err}.", "Judgement N is line N of that file: correct it, or make the file again."
        ) from err


def _hygiene(data: SurveyData) -> dict:
    """Return what there is to say of the study's conversations themselves."""
    facts = data.facts
    if not facts.conversations:  # answers of this survey are about none
        facts = Facts.from_records(facts.survey, data.study.conversations(), bots=facts.bots)
    return hygiene.hygiene(facts, data.training_texts)


def _made_of(data: SurveyData) -> dict[str, Any]:
    """Return what results were made of, beside the options: files, and contestants that came later or are left out."""
    study = data.study
    made_of: dict[str, Any] = {"sha256": study.checksums(data.survey)}
    if extended := study.extended_by():
        made_of["study_extended"] = extended
    if study.gone:
        made_of["contestants_left_out"] = sorted(study.gone)
    return made_of


def _advance(bar: Bar, source: str, finding: str) -> None:
    bar.note(f"{source}: {finding}")
    bar.advance()


def _write(data: SurveyData, result: Mapping[str, dict], frames: Mapping[str, Any]) -> None:
    """Write results and tables; what is left from before is removed, but for what takes an option and still holds."""
    folder = data.folder
    optional = {finding.name for finding in findings_of(data.asked) if finding.asked and finding.name not in result}
    kept = ("plan", *(name for name in optional if _stands(folder / f"{name}.json", data)))
    changes: dict[Path, bytes | None] = {}
    for path in (*folder.glob("*.json"), *folder.glob("*.csv")):
        written = result if path.suffix == ".json" else frames
        if path.stem not in written and not path.stem.startswith(kept):
            changes[path] = None
    changes |= {folder / f"{name}.json": files.json_bytes(stored_form(value)) for name, value in result.items()}
    checksums.replace_all(changes)
    checksums.forget_gone(folder)
    for name, table in frames.items():
        files.write_text(folder / f"{name}.csv", files.frame_csv(table))


def _stands(path: Path, data: SurveyData) -> bool:
    """Return whether an earlier result, which takes an option, was made from the same files by this version."""
    made_by = data.stored(path).get("made_by", {})
    return (made_by.get("sha256"), made_by.get("version")) == (data.study.checksums(data.survey), VERSION)


def check_options(survey: Survey, options: Mapping[str, Any], contestants: Collection[str] = ()) -> Options:
    """The options of an analysis; raise `UserError` for those that can't be carried out."""
    findings = findings_of(survey)
    if not findings:
        names = [name for name in survey_names() if findings_of(get_survey(name))]
        remedy = f"{nearest(survey.name, names)} A survey of a package is analysed where the package is installed."
        raise UserError(f"--survey {survey.name}: no such survey can be analysed.", remedy)
    taken = {*OF_EVERY_SURVEY, *(option for finding in findings for option in finding.options)}
    default = Options()
    for name, value in options.items():
        if value != getattr(default, name) and name not in taken:
            shown = sorted("--" + option.replace("_", "-") for option in taken - {"seed"})
            raise UserError(
                f"--{name.replace('_', '-')}: the analysis of survey '{survey.name}' has no such option.",
                f"Leave it out; it has {', '.join(shown)}.",
            )
    chosen = Options(**options)
    _check_values(chosen, any(place.startswith("ratings") for place in survey.about.findings))
    _check_order(chosen.known_order, contestants)
    return chosen


BOUNDS = {
    "bootstraps": (math.inf, "a whole number from 1 up", "1000 is the default."),
    "wage": (math.inf, "pay per hour above 0", "Leave it out for no cost estimate."),
    "min_correct": (1.0, "a share above 0, up to 1", "The paper tries 0.75 (appendix G)."),
    "margin": (0.49, "a share of wins above 0, up to 0.49", "Leave it out to call no two equal."),
}
"""Options that are numbers above 0: the most, what was expected, and the remedy."""

MARGIN_OF_RATINGS = (math.inf, "a difference in points, above 0", "Leave it out to call no two equal.")


def _check_values(options: Options, rated: bool) -> None:
    bounds = dict(BOUNDS)
    if rated:
        bounds["margin"] = MARGIN_OF_RATINGS
    for name, (most, expected, remedy) in bounds.items():
        value = getattr(options, name)
        if value is not None and not 0 < value <= most:
            raise UserError(f"--{name.replace('_', '-')} {value}: expected {expected}.", remedy)
    backend = options.backend
    if backend not in BACKENDS:
        raise UserError(f"--backend {backend}: not known.", nearest(backend, BACKENDS))
    if backend == "icenreg" and (why := icenreg.unusable()):
        raise UserError(f"--backend icenreg: {why}.", f"To have it, {icenreg.HOW}; or use native.")


def _check_declared(data: SurveyData, margin: float | None) -> None:
    """Raise `UserError` for another margin than the study's."""
    if None not in (margin, data.margin) and margin != data.margin:
        raise UserError(
            f"--margin {margin}: {data.margin} was declared in this study for survey '{data.survey}'.",
            "Leave it out; a margin that is chosen after the answers shows nothing.",
        )


def _check_order(known_order: Sequence[str], contestants: Collection[str]) -> None:
    """Raise `UserError` for chains of known order that aren't, or that name nobody of the study."""
    try:
        pairs = known_pairs(known_order)
    except ValueError as err:
        raise UserError(f"--known-order: {err}.", "Write for example --known-order 'human>dr'.") from None
    for name in dict.fromkeys(name for pair in pairs for name in pair):
        if contestants and name != HUMAN and name not in contestants:
            raise UserError(f"--known-order: '{name}' is no contestant.", nearest(name, [HUMAN, *contestants]))


def columns_in_words(survey: Survey) -> dict[str, list[tuple[str, str, str]]]:
    """Return name, meaning and unit of the columns of a survey's tables, by the stem of their file."""
    words = own_data(__file__, "columns.yaml")
    columns: dict[str, list[tuple[str, str, str]]] = {}
    for finding in (*findings_of(survey), hygiene.FINDING, simulators.FINDING):
        for stem, table in csv_tables(finding).items():
            columns[stem] = []
            for name, column in table.columns.items():
                title = f"{column.title}: " if column.title else ""
                columns[stem].append((name, title + words["columns"][name], words["kinds"][column.kind]))
    return columns
