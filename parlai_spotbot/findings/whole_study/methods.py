"""Methods side by side: do they rank the contestants alike?

Made from the stored analyses whenever a survey is analysed. People's answers are compared with people's, a judge's with
its own under another method.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.analysis.agreement.orders import order_agreements
from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.frames import Frames, stored_form
from parlai_spotbot.findings.made_by import VERSION
from parlai_spotbot.findings.ordering import people_first
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.surveys import called
from parlai_spotbot.wording import listed

FILE = "methods.json"


def write(path: Path, surveys: Sequence[SurveyData]) -> None:
    """Compare the surveys of a study that are analysed, and write what was found; nothing where there is only one."""
    result = compute(surveys)
    if result:
        checksums.write_json(path, stored_form({"by_source": result, "made_by": {"version": VERSION}}))
    else:
        checksums.remove(path)


def compute(surveys: Sequence[SurveyData]) -> dict[str, Frames]:
    """By source that answered two surveys or more: what each ranks by, and agreement of orders."""
    by: dict[str, dict[str, SurveyData]] = {}
    for survey in surveys:
        for source in survey.analysed_sources:
            ranking = survey.ranking(source)
            if ranking.order and single_order(ranking):
                by.setdefault(source, {})[survey.survey] = survey
    return {source: _of_source(source, by[source]) for source in people_first(by) if len(by[source]) > 1}


def _of_source(source: str, surveys: Mapping[str, SurveyData]) -> Frames:
    """Compare the orders of surveys of which each has a single one."""
    methods = []
    places = []
    rankings = []
    for name, one in surveys.items():
        several = [each for each in standings(one) if each.source == source and single_order(each.ranking)]
        main = several[0].ranking
        methods.append({"method": name, "what": main.score_title, "order": main.order})
        for contestant, (first, last) in main.places.items():
            places.append({"method": name, "contestant": contestant, "places_first": first, "places_last": last})
        rankings += [(name, each.criterion, each.ranking.scores) for each in several]
    return Frames.from_tables({"methods": methods, "places": places, "agreement": order_agreements(rankings)})


def read(surveys: Sequence[SurveyData]) -> dict[str, Frames]:
    """Return what was found when a survey was analysed last."""
    return surveys[0].stored_frames(surveys[0].study.path / "analysis" / FILE)


def summarise(result: Result) -> list[str]:
    """Return who is first, and what each method ranks by."""
    methods = result.rows("methods")
    by = {}
    for row in methods:
        by.setdefault(row["what"], []).append(called(row["method"]))
    asked_lists = [f"{listed(names)} by {what}" for what, names in by.items()]
    ranked_by = f"Methods rank by their main question: {'; '.join(asked_lists)}."
    return [_first(methods, result.rows("places")), ranked_by]


def _first(methods: Sequence[Mapping], places: Sequence[Mapping]) -> str:
    """Return who is first, apart from all others, by which methods."""
    alone = {row["method"]: row["contestant"] for row in places if row["places_first"] == row["places_last"] == 1}
    by: dict[str, list[str]] = {}
    for row in methods:
        by.setdefault(alone.get(row["method"], "nobody"), []).append(called(row["method"]))
    if set(by) == {"nobody"}:
        return "By no method is one contestant first, apart from all others."
    return f"First, apart from all others: {'; '.join(f'{name} by {listed(names)}' for name, names in by.items())}."


FINDING = declared(__file__, None, read, summarise)
