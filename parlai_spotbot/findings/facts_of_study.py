"""Input of an analysis: a study's judgements, items, accounts of judges, trainings and texts of bots."""

from typing import Any

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings import forms_of
from parlai_spotbot.findings.answers import Facts, Form, Options
from parlai_spotbot.findings.ordering import people_first
from parlai_spotbot.records import Unit
from parlai_spotbot.sequential.account import account
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import known_survey, launched_survey

ROUND = ("task", "annotator", "attempt", "round", "dialogue", "wrong_turns", "of", "passed")
"""What a round of a training says at least; `role`, `group` (of annotators), `mistakes_by_label` and `seconds` may
are next to."""

COLLECT_ANEW = "Collect it again with spotbot_collect."


def judgements_of(study: Study, survey: str) -> Any:
    """The judgements of a survey: records, or a table where its form of answers asks for one (`Form.as_table`)."""
    as_table = any(form.as_table for form in forms_of(known_survey(survey, study)))
    return study.judgement_table(survey) if as_table else study.judgements(survey)


def sources_of(judgements: Any) -> tuple[str, ...]:
    """Return who gave judgements, records or a table: people first."""
    sources = [row.source for row in judgements] if isinstance(judgements, list) else judgements["source"].unique()
    return tuple(people_first(sources))


def facts_of(study: Study, survey: str) -> Facts:
    """Return what the findings of a survey go by; the survey has the limits of its launch."""
    data = study.load(survey)
    asked = known_survey(survey, study)
    forms = forms_of(asked)
    is_of_study = any(form.of_study for form in forms)
    return Facts.of(
        study.conversations() if is_of_study else (),
        data.items.values(),
        name=survey,
        survey=launched_survey(study, survey) if asked.known else None,
        bots=tuple(study.plan.contestants),
        units={unit.unit_id: asked for unit in data.units if (asked := _asked_in(unit))},
        judges=study.judges(survey),
        screening=tuple(screening_of(study, survey)),
        settled=account(study, survey),
        collection=study.provenance().get("crowdsourcing", {}).get(survey, {}),
        margin=margin_of(study, survey),
        **{name: value for form in forms for name, value in form.facts(study).items()},
    )


def margin_of(study: Study, survey: str) -> float | None:
    """Return the margin within which two are equal; None where none was declared."""
    return study.provenance().get("margin", {}).get(survey)


def answers_of(study: Study, survey: str, form: Form, source: str | None) -> Any:
    """Return the answers of a source; of None people's, or else the first judge's.

    Raises
    ------
    UserError
        Where there are none, or one is wrong.
    """
    path = study.judgements_path(survey)
    try:
        sources, _ = form.sources(judgements_of(study, survey), facts_of(study, survey), Options())
    except ValueError as err:
        raise UserError(f"{path}: {err}.", "Correct that line, or make the file again.") from err
    if not sources:
        raise UserError(f"{path}: no complete annotation in it.", "Judge some units first.")
    names = people_first(sources)
    if source is not None and source not in sources:
        raise UserError(f"--source {source}: no judgements of it in {path}.", nearest(source, names))
    return sources[source or names[0]]


def _asked_in(unit: Unit) -> tuple[str, ...]:
    """The items of a unit that aren't controls."""
    return tuple(item.item_id for item in unit.items if item.control is None)


def screening_of(study: Study, survey: str) -> list[dict]:
    """The rounds of the training that annotators of a survey of tasks took, as spotbot_collect brought them; [] where
    there are none."""
    path = study.survey_path(survey) / "training.jsonl"
    return checksums.read_jsonl(path, checked_round, "file of the training", COLLECT_ANEW) if path.exists() else []


def checked_round(row: dict, where: str) -> dict:
    """A round as it is in training.jsonl; a `UserError` names file, line and fields."""
    wrong = [name for name in ROUND if name not in row]
    if not wrong and not (type(row["of"]) is type(row["wrong_turns"]) is int and 0 <= row["wrong_turns"] <= row["of"]):
        wrong = ["wrong_turns", "of"]
    if wrong or row["passed"] not in (True, False, None):
        raise UserError(f"{where}: missing or wrong: {', '.join(wrong) or 'passed'}.", COLLECT_ANEW)
    return row


def training_texts(study: Study) -> list[tuple[str, ...]] | None:
    """The turns of each conversation that the study's bots know; None where they are not there.

    Only where self-play has read them already: nothing is fetched for this.
    """
    from parlai_spotbot.domains import domain_of

    if "selfplay" not in study.provenance():
        return None
    try:
        return [episode.turns for episode in domain_of(study.path, study.plan.domain).episodes("bots")]
    except UserError:
        return None
