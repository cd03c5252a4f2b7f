"""Controls in the analysis: never data, but who misses more than allowed is left out, with everybody beside."""

from dataclasses import replace

import pytest

from parlai_spotbot.analysis.annotators.controls import silent_annotators
from parlai_spotbot.findings.annotators import what_changes
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls.exclusion import failed_people, graded_controls, without_failed
from parlai_spotbot.surveys.controls.flags import MISSED
from parlai_spotbot.surveys.survey import Survey
from tests.analysis.computing import analyze, of_source
from tests.spoken import rows_about

FAILED = "missed more than 1 control"
LEFT_OUT = f"annotation by somebody who {FAILED}"
OPTIONS = {"bootstraps": 15, "backend": "native"}
UNKNOWN = Survey("", "", "", ())


def control(worker, number, kind, *natures, source="human"):
    """One annotator's answers to one control."""
    name = f"{worker}-control-{number}"
    about = "spot_the_bot", "u1", f"i-{name}", ("known",), 3
    given = {("nature", f"entity:{e}"): answer for e, answer in enumerate(natures)}
    return list(rows_about(name, about, worker, given, source, control=kind))


@pytest.fixture(scope="module")
def answered():
    rows = control("w0", 0, "known_human", "bot", "bot") + control("w0", 1, "known_bot:1", "human", "unsure")
    rows += control("w0", 2, "known_bot:0", "bot", "human")
    rows += control("w1", 0, "known_human", "bot", "bot") + control("w1", 1, "known_bot:0", "bot", "bot")
    return rows + control("w2", 0, "known_human", "human", "bot")


@pytest.fixture(scope="module")
def results(made_up, answered):
    judgements, conversations = made_up(per_pair=4, people=4, sources=(HUMAN,))
    return [analyze(rows, conversations, **OPTIONS) for rows in (judgements, judgements + answered)]


def kind(survey, mistakes):
    """The survey as a launch has it that allows so many mistakes."""
    survey = get_survey(survey)
    return replace(survey, limits=replace(survey.limits, control_mistakes=mistakes))


def test_grades():
    rows = control("w", 0, "known_human", "bot", "bot") + control("w", 1, "known_bot:0", "bot", "unsure")
    rows += control("w", 2, "known_bot:1", "bot", "human") + control("v", 0, "known_human", "human", "bot")
    rows += control("w", 3, "known_bot:1", "bot")  # half answered
    rows += control("w", 4, "attention", "bot", "bot")  # nothing is known of it
    rows += [replace(rows[0], judgement_id="again", answer="human")]  # of two answers the first counts
    rows += control("j", 0, "known_human", "bot", "bot", source="judge:quick")
    assert graded_controls(rows, UNKNOWN) == {
        "human": {"w": {"answered": 3, "missed": 2}, "v": {"answered": 1, "missed": 0}},
        "judge:quick": {"j": {"answered": 1, "missed": 1}},
    }


def test_controls_of_every_survey_are_graded_and_as_many_may_be_missed_as_the_launch_allows():
    def row(number, control, answer, worker="w", source=HUMAN):
        return Judgement(
            f"j{number}",
            f"n{number}",
            "acute_eval",
            "u",
            "i",
            ("c", "d"),
            3,
            "pair",
            "engagingness",
            answer,
            worker,
            source,
            control,
        )

    rows = [row(0, "known_choice:1", "conversation:1"), row(1, "known_choice:1", "conversation:0")]
    rows += [row(2, "something else", "conversation:0", "v")]
    rows += [row(3, "known_choice:1", "conversation:0", "x", "judge:x")]
    assert graded_controls(rows, UNKNOWN)[HUMAN] == {"w": {"answered": 2, "missed": 1}}
    assert failed_people(rows, kind("acute_eval", 0)) == {"w": "missed a control"}
    assert failed_people(rows, kind("acute_eval", 1)) == failed_people(rows, UNKNOWN) == {}
    assert [j.worker_id for j in without_failed(rows, kind("acute_eval", 0))] == ["v", "x"]


def but_left_out(found):
    """Return a finding without the probe that counts what is left out."""
    if isinstance(found, dict):
        return {name: but_left_out(value) for name, value in found.items()}
    if isinstance(found, list):
        return [but_left_out(row) for row in found if not (isinstance(row, dict) and row.get("probe") == "left_out")]
    return found


def test_who_missed_more_than_allowed_is_left_out_of_every_main_figure(results, made_up, answered):
    judgements, conversations = made_up(per_pair=4, people=4, sources=(HUMAN,))
    plain, controlled = results
    alone = analyze([j for j in judgements if (j.source, j.worker_id) != (HUMAN, "w0")], conversations, **OPTIONS)
    for stem in plain:
        for source in controlled[stem]["by_source"]:
            if stem != "annotators":
                own, kept = (but_left_out(of_source(found, source)[stem]) for found in (controlled, alone))
                assert own == kept, stem
    mine, theirs = (found["annotators"]["by_source"][HUMAN] for found in (controlled, alone))
    assert mine.one("pooled") == theirs.one("pooled")
    (missed,) = [row for row in mine.rows("annotators") if MISSED in row["flags"]]  # one, as is allowed
    assert not missed["left_out"]
    gone = len({j.annotation_id for j in judgements if (j.source, j.worker_id) == (HUMAN, "w0")})
    made_by = controlled["ranking"]["made_by"]
    assert made_by["left_out"][HUMAN] == {"control": 6, LEFT_OUT: gone}
    assert made_by["used"][HUMAN] + gone == plain["ranking"]["made_by"]["used"][HUMAN]
    assert made_by["options"]["control_mistakes"] == 1
    assert plain["ranking"]["made_by"]["left_out"] == {}


def test_the_launch_decides_and_judges_are_not_subject_to_it(made_up, answered):
    judgements, conversations = made_up(per_pair=3, people=3)
    careless = [replace(j, worker_id="v0", source="judge:quick") for j in answered]
    for mistakes, who in ((2, set()), (1, {"w0"}), (0, {"w0", "w1"})):
        survey = kind("spot_the_bot", mistakes)
        found = analyze(
            [*judgements, *answered, *careless], conversations, asked=survey, only=("annotators",), **OPTIONS
        )
        own = found["annotators"]["by_source"]
        assert {row["worker_id"] for row in own[HUMAN].rows("annotators") if row["left_out"]} == who
        assert set(own[HUMAN].one("controls")["failed"]) == who
        assert ("with_everybody" in own[HUMAN]) == bool(who)
        judge = own["judge:quick"]
        (variant,) = [row for row in judge.rows("annotators") if row["worker_id"] == "v0"]
        assert variant["missed_controls"] == 3
        assert "with_everybody" not in judge
    only = [j for j in judgements if j.worker_id == "w0"]
    with pytest.raises(
        ValueError, match=r"no complete annotation to analyse \(left out: .*somebody who missed a control"
    ):
        analyze([*only, *answered], conversations, asked=kind("spot_the_bot", 0), **OPTIONS)


def test_what_changes_with_everybody_is_told():
    def ranking(score, p):
        order = sorted(score, key=lambda name: -score[name])
        pairs = [{"a": a, "b": b, "p_adjusted": p[a + b]} for a, b in ("ab", "cb", "ac")]
        rows = [{"bot": name, "score": score[name], "cluster_first": 1, "cluster_last": 3} for name in order]
        return Ranking(Frames.from_tables({"ranking": rows, "pairs": pairs}))

    kept = ranking({"a": 0.7, "b": 0.5, "c": 0.3}, {"ab": 0.2, "cb": 0.01, "ac": 0.001})
    every = ranking({"a": 0.45, "b": 0.65, "c": 0.4}, {"ab": 0.03, "cb": 0.04, "ac": None})
    found = what_changes(kept, every, "With all")
    assert found["order"] == ["b", "a", "c"]
    assert not found["same_order"]
    assert found["largest"] == pytest.approx(0.25)
    assert found["changed"] == [
        {"a": "a", "b": "b", "before": None, "after": "b"},
        {"a": "a", "b": "c", "before": "a", "after": None},
    ]
    assert what_changes(kept, kept, "With all")["same_order"]


def test_who_never_gave_a_reason():
    rows = [
        Judgement(f"j{i}", f"n{i}", "acute_eval", "u", "i", ("c", "d"), 3, "pair", question, answer, worker, HUMAN)
        for i, (worker, question, answer) in enumerate(
            [
                ("a", "reason", "it makes sense"),
                ("a", "humanness", "neither"),
                ("b", "reason", "  "),
                ("c", "humanness", "neither"),
            ]
        )
    ]
    assert silent_annotators(rows) == ["b", "c"]
    assert silent_annotators(rows[1:]) == []  # nobody gave one: nothing to hold against anybody
