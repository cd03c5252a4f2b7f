"""Who is flagged: the same annotators by the same rules wherever they are looked at, and by number in words."""

import pytest

from parlai_spotbot.findings import findings_of, render
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.controls.flags import flags_by_task
from tests.findings.scripted import always_first, answered, by_chance, rows_of, small_study

SURVEYS = ("spot_the_bot", "spot_the_bot_game", "comparative", "dialogue_likert", "abc_eval")


@pytest.fixture(scope="module", params=SURVEYS)
def study(request, tmp_path_factory):
    """Two careful annotators and a careless one, who says the same in a second each time."""
    survey = request.param
    study = small_study(tmp_path_factory.mktemp("flags") / "study", survey, selves=4)
    careful, careless = (
        list(rows_of(study, survey, *args))
        for args in ((by_chance, ["w1", "w2"], HUMAN, 30.0), (always_first, ["w3"], HUMAN, 1.0))
    )
    return study, survey, careful + careless, answered(study, survey, careful, careless, only=("annotators",))


def test_the_analysis_flags_whom_collecting_does(study):
    study, survey, rows, result = study
    talks = indexed(study.conversations())
    collected = flags_by_task(rows, talks, survey_of(study.load(survey)))
    analysed = result["annotators"]["by_source"][HUMAN].rows("annotators")
    silent = "never gave a reason"
    assert {row["worker_id"]: {*row["flags"]} - {silent} for row in analysed} == {
        name: set(flags) for name, flags in collected.items()
    }
    assert "too fast" in collected["w3"]
    assert "too fast" not in collected["w1"]


def test_who_is_flagged_is_named_as_the_page_calls_them(study):
    study, survey, _, result = study
    others = {name: part["by_source"][HUMAN] for name, part in result.items() if HUMAN in part.get("by_source", {})}
    finding = next(own for own in findings_of(get_survey(survey)) if own.name == "annotators")
    called = {f"w{n}": f"annotator {n}" for n in (1, 2, 3)}
    told = render.tell(finding, Result(HUMAN, others["annotators"], others, called))
    (flagged,) = [text for text in told.text if text.startswith("Flagged: ")]
    assert "annotator 3 (" in flagged
    assert "too fast" in flagged
