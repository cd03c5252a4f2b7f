"""Methods side by side: do they rank the contestants alike?

Made from the stored analyses whenever a survey is analysed. People's answers are compared with people's, a judge's with
its own under another method.
"""

from collections.abc import Mapping, Sequence

from parlai_spotbot import checksums
from parlai_spotbot.analysis.agreement.orders import order_agreements
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.made_by import VERSION, stored
from parlai_spotbot.findings.ordering import people_first
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.standings import Standing, standings
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import called
from parlai_spotbot.wording import listed

FILE = "methods.json"


def write(study: Study, surveys: Sequence[SurveyData]) -> None:
    """Compare the surveys of a study that are analysed, and write what was found; nothing where there is only one."""
    result = compute(surveys)
    path = study.path / "analysis" / FILE
    if result:
        checksums.write_json(path, {"by_source": result, "made_by": {"version": VERSION}})
    else:
        checksums.remove(path)


def compute(surveys: Sequence[SurveyData]) -> dict[str, dict]:
    """By source that answered two surveys or more: what each ranks by, and agreement of orders."""
    by: dict[str, dict[str, SurveyData]] = {}
    for survey in surveys:
        for source in survey.analysed_sources:
            ranking = survey.ranking(source)
            if ranking.order and single_order(ranking):
                by.setdefault(source, {})[survey.survey] = survey
    return {source: plain(_of_source(source, by[source])) for source in people_first(by) if len(by[source]) > 1}


def _of_source(source: str, surveys: Mapping[str, SurveyData]) -> dict:
    """Compare the orders of surveys of which each has a single one."""
    by_survey = {
        name: [each for each in standings(one) if each.source == source and single_order(each.ranking)]
        for name, one in surveys.items()
    }
    rankings = [(name, each.criterion, each.score) for name, several in by_survey.items() for each in several]
    return {
        "surveys": {name: _main_of(several[0]) for name, several in by_survey.items()},
        "agreements": order_agreements(rankings),
    }


def _main_of(standing: Standing) -> dict:
    """Return what a method ranks by, its order and places."""
    return {"what": standing.what, "order": standing.ranking.order, "clusters": standing.ranking.places}


def read(study: Study, surveys: Sequence[str]) -> dict[str, dict]:
    """Return what was found when a survey was analysed last."""
    found = stored(study.path / "analysis" / FILE, study, surveys[0])
    return found["by_source"] if found and found["made_by"].get("version") == VERSION else {}


def summarise(result: Result) -> list[str]:
    """Return who is first, and what each method ranks by."""
    own, by = result.data, {}
    for survey, main in own["surveys"].items():
        by.setdefault(main["what"], []).append(called(survey))
    asked = [f"{listed(names)} by {what}" for what, names in by.items()]
    ranked_by = f"Methods rank by their main question: {'; '.join(asked)}."
    return [_first(own["surveys"]), ranked_by]


def _first(surveys: Mapping[str, Mapping]) -> str:
    """Return who is first, apart from all others, by which methods."""
    by: dict[str, list[str]] = {}
    for survey, main in surveys.items():
        best = main["order"][0]
        alone = tuple(main["clusters"].get(best) or ()) == (1, 1)
        by.setdefault(best if alone else "nobody", []).append(called(survey))
    if set(by) == {"nobody"}:
        return "By no method is one contestant first, apart from all others."
    return f"First, apart from all others: {'; '.join(f'{name} by {listed(names)}' for name, names in by.items())}."


FINDING = declared(__file__, None, read, summarise)
