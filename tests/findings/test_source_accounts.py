"""Which source is led by: people, then judges that did the whole work and tell people from bots."""

import pytest

from parlai_spotbot.findings import findings_of, render
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.survey_data import SurveyData, load
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from tests.findings.scripted import always_first, answered, by_chance, knowing, rows_of, small_study

SURVEY = "spot_the_bot"
GOOD, CONSTANT, KILLED = "judge:good", "judge:constant", "judge:killed"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """People who answer by chance, and three judges: one that knows, one that always says the same, one killed."""
    study = small_study(
        tmp_path_factory.mktemp("accounts") / "study", SURVEY, per_pair=4, people=24, unit_size=12, humans_per_unit=4
    )
    answered(
        study,
        SURVEY,
        rows_of(study, SURVEY, by_chance, ["w1", "w2"]),
        rows_of(study, SURVEY, knowing, ["v0"], GOOD),
        rows_of(study, SURVEY, always_first, ["v0"], CONSTANT),
        rows_of(study, SURVEY, knowing, ["v0"], KILLED, items=9),
    )
    return study


def account(study, source):
    return next(own for own in load(study, SURVEY).accounts if own.source == source)


def test_people_lead_then_complete_judges_that_tell_people_from_bots(study):
    found = load(study, SURVEY).accounts
    assert [own.source for own in found] == [HUMAN, GOOD, CONSTANT, KILLED]
    assert [own.doubtful for own in found] == [False, False, True, True]


def test_a_killed_judge_says_how_much_it_did(study):
    own, units = account(study, KILLED), study.units(SURVEY)
    whole = sum(len(unit.items) for unit in units)
    done, left = 0, 9
    for unit in units:
        left -= len(unit.items)
        done += left >= 0
    assert whole > 9
    assert (own.partial, own.answered, own.units) == (True, done, len(units))
    assert own.sentences[0] == f"Judge killed answered {done} of {len(units)} units: its figures are of these only."


def test_a_judge_that_always_says_the_same_is_at_chance_and_one_that_knows_is_not(study):
    constant, good = account(study, CONSTANT), account(study, GOOD)
    assert (constant.accuracy, constant.chance, constant.partial) == (0.5, True, False)
    assert constant.ci[0] < 0.5 < constant.ci[1]
    assert "isn't shown to tell people from bots here" in constant.sentences[0]
    assert (good.accuracy, good.chance) == (1.0, False)
    assert 0.5 < good.ci[0] < good.ci[1] == 1.0
    assert good.sentences == []
    people, bots = good.judged
    items = {item.item_id: item for unit in study.units(SURVEY) for item in unit.items}
    shown = [item.conversation_ids[0] for item in items.values()]
    assert people == 2 * sum(name.startswith("human:human") for name in shown)
    assert people + bots == 2 * len(shown)


def test_of_two_judges_above_chance_the_more_accurate_one_leads(study):
    def told(accuracy):
        ends = {"balanced_accuracy_low": accuracy - 0.1, "balanced_accuracy_high": accuracy + 0.1}
        known = {"answered": 5, "units": 5, "people": 50, "bots": 50, "balanced_accuracy": accuracy}
        return Frames.from_tables({"account": known | ends})

    found = {"judge:a": told(0.62), "judge:b": told(0.8), "judge:c": told(0.55)}
    found |= {"judge:d": Frames.from_tables({"annotators": {"worker_id": "v"}})}
    accounts = SurveyData(study, SURVEY, fresh={"annotators": found}).accounts
    assert [own.source for own in accounts] == ["judge:b", "judge:a", "judge:d", "judge:c"]


def told(study, source):
    """The ranking's first text and its card."""
    contents = load(study, SURVEY)
    others = {name: by_source[source] for name, by_source in contents.analysis.items() if source in by_source}
    ranking = next(finding for finding in findings_of(get_survey(SURVEY)) if finding.name == "ranking")
    result = Result(source, others["ranking"], others)
    return render.tell(ranking, result).text, render.card(ranking, result)


def test_a_judge_at_chance_ranks_nobody_on_its_card_but_has_its_tables(study):
    text, card = told(study, CONSTANT)
    assert card.text == account(study, CONSTANT).sentences == text[:1]
    assert not card.clusters
    assert card.table is None
    assert load(study, SURVEY).ranking(CONSTANT).pairs


def test_a_killed_judge_s_ranking_says_so_first(study):
    text, card = told(study, KILLED)
    assert card.text[0] == text[0] == account(study, KILLED).sentences[0]
    assert told(study, GOOD)[1].clusters
    assert "answered" not in " ".join(told(study, GOOD)[1].text)
