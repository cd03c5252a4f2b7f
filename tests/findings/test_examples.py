"""The three examples: a win of the first, the give-away that cost most, the closest call; by rules, nothing else."""

import pandas as pd
from scripted import answered, knowing, rows_of, small_study

from parlai_spotbot.findings.examples import MEETINGS, examples
from parlai_spotbot.records import HUMAN


def meetings(*told):
    """Of (conversation, a, b, exchanges, outcome, what a and b were called) one row each."""
    rows = [((ids,), k, a, b, outcome, 0, 1, *called) for ids, a, b, k, outcome, called in told]
    return pd.DataFrame(rows, columns=list(MEETINGS))


HB, BH, BB, HH = ("human", "bot"), ("bot", "human"), ("bot", "bot"), ("human", "human")


def by_kind(frame, order):
    return {entry["kind"]: entry for entry in examples(frame, order)["examples"]}


def test_each_kind_is_the_one_that_its_rule_says():
    frame = meetings(
        *[("clear win", "x", "y", k, 1, HB) for k in (2, 3)],
        ("clear win", "x", "y", 5, 0, HH),
        ("smaller win", "x", "z", 3, 1, HB),
        ("lost by z", "z", "y", 2, 0, BB),
        *[("lost by z", "z", "y", 3, -1, BH)] * 4,
        ("even", "y", "x", 2, 1, HB),
        ("even", "y", "x", 2, -1, BH),
    )
    found = by_kind(frame, ["x", "y", "z"])
    assert {kind: entry["conversation_ids"] for kind, entry in found.items()} == {
        "win": ["clear win"],
        "give_away": ["lost by z"],
        "close": ["even"],
    }
    win, lost, even = (found[kind] for kind in ("win", "give_away", "close"))
    assert (win["bot"], win["other"], win["entity"], win["wins"], win["losses"], win["ties"]) == ("x", "y", 0, 2, 0, 1)
    assert (win["exchanges"], win["called"]) == (3, {"human": 3, "unsure": 0, "bot": 0})
    assert (lost["bot"], lost["exchanges"], lost["losses"], lost["n"]) == ("z", 3, 4, 4)
    assert lost["called"] == {"human": 0, "unsure": 0, "bot": 4}
    assert (even["bot"], even["other"], even["entity"]) == ("x", "y", 1)
    assert (even["wins"], even["losses"], even["n"]) == (1, 1, 2)


def test_every_contestant_has_its_best_and_its_worst_conversation():
    frame = meetings(
        *[("won", "x", "y", k, 1, HB) for k in (2, 3)],
        ("barely won", "x", "y", 2, 1, HB),
        ("lost", "z", "x", 2, 1, HB),
        ("tied", "z", "y", 2, 0, BB),
    )
    found = examples(frame, ["x", "y", "z"])["by_bot"]
    named = {bot: {title: entry["conversation_ids"] for title, entry in own.items()} for bot, own in found.items()}
    assert named == {"x": {"best": ["won"], "worst": ["lost"]}, "y": {"worst": ["won"]}, "z": {"best": ["lost"]}}
    assert found["x"]["best"]["other"] == "y"
    assert [found["y"]["worst"][name] for name in ("wins", "losses", "ties", "n")] == [0, 2, 0, 2]


def test_of_two_that_cost_as_much_the_one_after_fewer_exchanges_is_shown():
    frame = meetings(*[("late", "x", "y", 5, -1, BH)] * 2, *[("early", "x", "y", 2, -1, BH)] * 2)
    assert by_kind(frame, ["y", "x"])["give_away"]["conversation_ids"] == ["early"]


def test_the_order_of_the_rows_changes_nothing():
    pairs, lengths = [("x", "y"), ("y", "z"), ("z", "x")], [(2, 1, HB), (3, 0, HH), (5, -1, BH)]
    frame = meetings(*[(f"c{n}", a, b, *own) for n, (a, b) in enumerate(pairs) for own in lengths])
    turned = frame.iloc[::-1].reset_index(drop=True)
    assert examples(frame, ["x", "y", "z"]) == examples(turned, ["x", "y", "z"])


def test_no_conversation_is_shown_twice_and_without_meetings_there_is_none():
    frame = meetings(("only", "x", "y", 2, 1, HB))
    assert [entry["kind"] for entry in examples(frame, ["x", "y"])["examples"]] == ["win"]
    assert examples(meetings(), []) is None


def test_what_is_told_of_a_study_is_what_its_annotators_said(tmp_path):
    study = small_study(tmp_path / "study", "spot_the_bot", bots=("ann", "bob"), per_pair=3)

    def ann_is_human(question, target, options, item, talks, rng):
        name = talks[item.conversation_ids[0]].entities[int(target[-1])] if question == "nature" else ""
        if name in (HUMAN, "ann"):
            return "human"
        return knowing(question, target, options, item, talks, rng)

    result = answered(study, "spot_the_bot", rows_of(study, "spot_the_bot", ann_is_human, ["w1", "w2"]))
    found = {entry["kind"]: entry for entry in result["examples"]["by_source"][HUMAN]["examples"]}
    assert (found["win"]["bot"], found["win"]["losses"], found["win"]["wins"]) == ("ann", 0, found["win"]["n"])
    assert (found["give_away"]["bot"], found["give_away"]["exchanges"]) == ("bob", min(study.plan.segments))
    assert found["give_away"]["called"]["bot"] == found["give_away"]["n"]
    assert len({tuple(entry["conversation_ids"]) for entry in found.values()}) == 3


def test_of_choices_the_bot_s_own_conversation_stands_first(tmp_path):
    study = small_study(tmp_path / "study", "acute_eval", bots=("ann", "bob"), selves=3)
    result = answered(study, "acute_eval", rows_of(study, "acute_eval", knowing, ["w1", "w2"]))
    for entry in result["examples"]["by_source"][HUMAN]["examples"]:
        assert [name.split(":")[0] for name in entry["conversation_ids"]] == [entry["bot"], entry["other"]]
        assert entry["called"] is None
        assert entry["n"] == entry["wins"] + entry["losses"] + entry["ties"]
