"""What an analysis wants to know of a study beside the judgements: items, judges' accounts, trainings, what bots know.

A survey's method says by `WANTS` which of it; spotbot_analyze hands it over. All is read from files of the study.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError

if TYPE_CHECKING:
    from pandas import DataFrame

    from parlai_spotbot.study import Study


def wanted(study: Study, survey: str, method: ModuleType) -> dict:
    """What the method wants to know besides, as it says by `WANTS`: items, survey, what the bots know.

    Of a survey in which annotators open the dialogue: how far each item goes. The survey has the limits of its launch.
    """
    from parlai_spotbot.surveys import launched_survey, survey_names

    asked = launched_survey(study, survey) if survey in survey_names() else None
    units = study.units(survey) if study.units_path(survey).exists() else []
    items = [item for unit in units for item in unit.items]
    wants, found = getattr(method, "WANTS", ()), {}
    if "items" in wants:
        found["items"] = items
    if "survey" in wants:
        found["survey"] = asked
    if "judges" in wants:
        found["judges"] = judges_of(study, survey)
    if "screening" in wants:
        found["screening"] = screening_of(study, survey)
    if "nuc" in wants:
        from parlai_spotbot.scripts.nuc_of_study import facts_of

        found["nuc"] = facts_of(study)
    if "training" in wants:
        found["training"], found["training_why"] = training_texts(study)
    if asked is not None and asked.layout == "opening":
        found["lengths"] = {item.item_id: item.exchanges for item in items}
    return found


def screening_of(study: Study, survey: str) -> list[dict]:
    """The rounds of the training that annotators of a survey of tasks took, as spotbot_collect brought them; [] where
    there are none."""
    from parlai_spotbot import files
    from parlai_spotbot.analysis.screening import checked_round

    path = study.survey_path(survey) / "training.jsonl"
    remedy = "Collect it anew with spotbot_collect."
    return files.read_jsonl(path, checked_round, "file of the training", remedy) if path.exists() else []


def judges_of(study: Study, survey: str) -> dict[str, dict]:
    """Of each judge that has left an account: `about` (its JUDGE.json) and `own`, the contestants of its model."""
    from parlai_spotbot import files
    from parlai_spotbot.analysis.trust.own_models import own_contestants

    found = {}
    for path in sorted((study.survey_path(survey) / "judges").glob("*.json")):
        about = files.read_json(path, "file of a judge", "Make it anew with spotbot_judge.")
        if not isinstance(about, dict):
            raise UserError(f"{path}: expected what a judge says of itself.", "Make it anew with spotbot_judge.")
        own = own_contestants(about, study.plan.contestants.values())
        found[f"judge:{about.get('judge', path.stem)}"] = {"about": about, "own": own}
    return found


def training_overlap(study: Study) -> dict:
    """How much of the conversations stands in the data that the bots know, as self-play found it."""
    found = study.provenance().get("selfplay", {}).get("overlap_with_training_data")
    if not found:
        return {"why": "these conversations were not played here, so the bots' training data are not known"}
    turns = ", ".join(f"{name} {share:.0%}" for name, share in found["turns_found"].items())
    sentence = (
        f"{found['with_training_exchange']} of {found['conversations']} conversations hold an exchange of the data "
        f"that the bots know; turns that stand there: {turns or 'none'}."
    )
    return {**found, "sentence": sentence}


def hygiene_of(study: Study, overlap: dict) -> tuple[dict, DataFrame]:
    """What the conversations show of the machines behind them, as JSON and as a table."""
    from parlai_spotbot.analysis.methods.hygiene import hygiene, table

    training, why = training_texts(study)
    found = hygiene(study.conversations(), list(study.plan.contestants), training, why, overlap)
    return found, table(found)


def training_texts(study: Study) -> tuple[list[tuple[str, ...]] | None, str]:
    """The turns of each conversation that the study's bots know; or None and why they are not there.

    Only where self-play has read them already: nothing is fetched for this.
    """
    from parlai_spotbot.domains import domain_of

    if "selfplay" not in study.provenance():
        return None, "these conversations were not played here, so what the bots know is not known"
    try:
        return [episode.turns for episode in domain_of(study.path, study.plan.domain).episodes("bots")], ""
    except UserError as err:
        return None, err.problem.rstrip(".")
