"""Controls in the analysis: never data, but graded, listed, and a rule that results are shown without."""

from dataclasses import replace

import pytest

from parlai_spotbot.analysis.annotators import Rules, graded_controls, remove
from parlai_spotbot.analysis.methods.spot_the_bot import analyze, tables
from parlai_spotbot.records import Judgement

FAILED = "failed the controls"


def control(worker, number, kind, *natures, source="human"):
    """One annotator's answers to one control."""
    name = f"{worker}-control-{number}"
    return [
        Judgement(f"{name}-{e}", name, "spot_the_bot", "u1", f"i-{name}", ("known",), 3, f"entity:{e}", "nature",
                  answer, worker, source, control=kind)
        for e, answer in enumerate(natures)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def answered():
    rows = control("w0", 0, "known_human", "bot", "bot") + control("w0", 1, "known_bot:1", "human", "unsure")
    rows += control("w0", 2, "known_bot:0", "bot", "human")
    rows += control("w1", 0, "known_human", "bot", "bot") + control("w1", 1, "known_bot:0", "bot", "bot")
    return rows + control("w2", 0, "known_human", "human", "bot")


@pytest.fixture(scope="module")
def results(made_up, answered):
    judgements, conversations = made_up()
    options = {"bootstraps": 15, "backend": "native"}
    return [analyze(rows, conversations, **options) for rows in (judgements, judgements + answered)]


def test_grades():
    rows = control("w", 0, "known_human", "bot", "bot") + control("w", 1, "known_bot:0", "bot", "unsure")
    rows += control("w", 2, "known_bot:1", "bot", "human") + control("v", 0, "known_human", "human", "bot")
    rows += control("w", 3, "known_bot:1", "bot")  # half answered
    rows += control("w", 4, "attention", "bot", "bot")  # nothing is known of it
    rows += [replace(rows[0], judgement_id="again", answer="human")]  # of two answers the first counts
    rows += control("j", 0, "known_human", "bot", "bot", source="judge:quick")
    assert graded_controls(rows) == {
        "human": {"w": {"answered": 3, "missed": 2}, "v": {"answered": 1, "missed": 0}},
        "judge:quick": {"j": {"answered": 1, "missed": 1}},
    }


def test_controls_change_no_statistic(results):
    plain, controlled = results
    for stem in plain:
        if stem != "annotators":
            assert controlled[stem]["by_source"] == plain[stem]["by_source"], stem
    assert controlled["ranking"]["made_by"]["left_out"]["human"] == {"control": 6}
    raw = [found["annotators"]["by_source"]["human"]["without"]["raw"] for found in results]
    assert raw[0] == raw[1]


def test_who_answered_and_missed_how_many(results):
    plain, controlled = (found["annotators"]["by_source"]["human"] for found in results)
    own = controlled["annotators"]
    assert {w: (own[w]["controls"], own[w]["missed_controls"]) for w in ("w0", "w1", "w2", "w3")} == {
        "w0": (3, 2), "w1": (2, 1), "w2": (1, 0), "w3": (0, 0),
    }  # fmt: skip
    assert [w for w, e in own.items() if FAILED in e["flags"]] == ["w0"]
    controls = controlled["controls"]
    assert (controls["answered"], controls["missed"], controls["failed"]) == (6, 3, ["w0"])
    assert controls["by_annotator"]["w1"] == {"answered": 2, "missed": 1}
    assert controls["sentence"] == (
        "3 annotators answered 6 control segments, known people and known bots, and missed 3 (50%); 1 of them missed "
        "more than 1. Controls are never analysed as data."
    )
    assert controlled["summary"]["flags"][FAILED]["n"] == 1
    assert plain["controls"]["sentence"] == "There were no control segments."
    assert FAILED not in plain["summary"]["flags"]
    assert FAILED not in plain["without"]


def test_results_stand_with_and_without_those_who_failed(results):
    own = results[1]["annotators"]["by_source"]["human"]
    without = own["without"][FAILED]
    assert (without["annotators"], without["annotations"]) == (1, own["annotators"]["w0"]["n"])
    assert without["n"] + without["annotations"] == own["without"]["raw"]["n"]
    assert without["rule"] == "missed more than 1 of the control segments"
    assert without["win_rate"] != own["without"]["raw"]["win_rate"]
    flat = tables(results[1])
    assert FAILED in set(flat["annotators_without"]["without"])
    assert flat["annotators"].set_index("worker_id").loc["w0", "missed_controls"] == 2


def test_the_rule_by_itself(results, made_up):
    from parlai_spotbot.analysis.frames import annotations_frame

    rows = annotations_frame(*made_up(sources=("human",))).frame
    rows = rows.assign(controls=3, missed_controls=(rows["worker_id"] == "w4") * 2)
    nothing = {name: None for name in vars(Rules()) if name.startswith(("max_", "min_", "same_"))}
    _, removed = remove(rows, Rules(**{**nothing, "max_missed_controls": 1}))
    assert set(removed["worker_id"]) == {"w4"}
    assert set(removed["reason"]) == {FAILED}
    assert remove(rows, Rules(**{**nothing, "max_missed_controls": 2}))[1].empty
    with pytest.raises(ValueError, match="max_missed_controls is -1"):
        Rules(max_missed_controls=-1)


def test_annotators_marked_by_other_means_are_left_out_too(made_up):
    from parlai_spotbot.analysis.annotators import rankings_without
    from parlai_spotbot.analysis.frames import annotations_frame

    rows = annotations_frame(*made_up(sources=("human",))).frame
    found = rankings_without(rows, ["bot0", "bot1", "bot2"], marked={"odd": ("is odd", ["w1", "w2"])})
    assert found["odd"]["annotations"] == rows["worker_id"].isin(["w1", "w2"]).sum()
    assert found["odd"]["rule"] == "is odd"
    assert found["all rules"]["annotations"] >= found["odd"]["annotations"]
