"""Hygiene: each rule on turns that break it and on turns that don't, rates against counts, intervals against theory."""

import time

import pytest
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot.findings.answers import Facts
from parlai_spotbot.findings.whole_study.hygiene import DOES, FINDING, sentence
from parlai_spotbot.findings.whole_study.hygiene import hygiene as result_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.texts import hygiene
from tests.case_tables import case_table
from tests.outside_data import SPOT_THE_BOT, released_data
from tests.spoken import spoken


def conversation(name, entities, *texts, seed=("hello there", "hi , how are you ?")):
    return spoken(name, entities, (*seed, *texts), seed_id=f"seed of {name}")


def found_in(*texts, entities=("a", "b"), training=None, **more):
    turns = hygiene.turns_of([conversation("c", entities, *texts, **more)])
    return hygiene.faults(turns, training)


@case_table(__file__, "rules")
def test_rules_on_one_turn(rule, holds, texts):
    for text in texts:
        assert getattr(hygiene, rule)(text) is holds, text


def test_what_was_said_before_counts_for_the_same_seat_only():
    said = ("i like my job .", "what do you do ?", "I like my job!", "i like my job", "yes", "so so", "yes", "so so")
    found = found_in(*said)
    assert found["repeated"].tolist() == [False, False, True, False, False, False, False, False]  # two words are few
    assert found["copied"].tolist() == [False, False, False, True, False, False, False, False]


def test_the_seed_is_not_measured_but_can_be_copied_and_repeated():
    found = found_in("hi how are you", "hello there you", seed=("hello there you", "hi , how are you ?"))
    assert len(found) == 2
    assert found["copied"].tolist() == [True, True]
    found = found_in("hello there you", "x", seed=("hello there you", "hi , how are you ?"))
    assert found["repeated"].tolist() == [True, False]


def test_a_bot_that_talks_with_itself_copies_its_other_self():
    found = found_in("i have two dogs", "i have two dogs", entities=("a", "a"))
    assert found["copied"].tolist() == [False, True]
    assert not found["repeated"].any()


def test_training_text():
    found = found_in("Yes, I do!", "i do not know", training=[("yes i do", "why")])
    assert found["training"].tolist() == [True, False]
    assert "training" not in found_in("yes i do")


def people(count, length=4):
    return [conversation(f"h{i}", (HUMAN, HUMAN), *(f"word{j} " * length for j in range(4))) for i in range(count)]


def test_endless_is_measured_against_people():
    turns = hygiene.turns_of([*people(25), conversation("c", ("a", "b"), "one two three four", "one " * 5)])
    assert hygiene.longest_usual(turns) == 4
    found = hygiene.faults(turns)
    assert found["endless"].sum() == 1
    assert found["endless"].iloc[-1]
    assert "endless" not in hygiene.faults(hygiene.turns_of(people(24)))  # 96 turns are too few


def frames_of(conversations, bots=()):
    """What the finding holds of conversations."""
    return result_of(Facts.from_records(get_survey("spot_the_bot"), conversations, bots=tuple(bots)))["by_source"][""]


def test_turns_of_one_conversation_that_go_together_count_as_one():
    told = [
        conversation(
            f"c{i}", ("a", "b"), *(["a red car </s>", "fine"] if i % 10 in (0, 3, 7) else ["a car", "fine"]) * 4
        )
        for i in range(30)
    ]
    turns = hygiene.turns_of(told)
    found = hygiene.measure(turns, hygiene.faults(turns)).set_index(["name", "kind"]).loc["a", "special_tokens"]
    assert (found["count"], found["n"]) == (36, 120)
    alone = proportion_confint(9, 30, method="beta")
    assert (found["rate_low"], found["rate_high"]) == pytest.approx(alone, abs=0.02)
    low, high = found["wilson"]
    assert found["rate_high"] - found["rate_low"] > 1.8 * (high - low)


def test_measured_by_contestant_with_examples_from_different_conversations():
    told = [
        conversation(f"c{i}", ("a", "b"), "a red car </s>", "fine", "a blue one </s>", "i am a bot .") for i in range(5)
    ]
    turns = hygiene.turns_of(told)
    faults = hygiene.measure(turns, hygiene.faults(turns)).set_index(["name", "kind"]).to_dict("index")
    tokens = faults["a", "special_tokens"]
    counts = {"count": 10, "n": 10, "rate": 1.0, "conversations": 5, "of_conversations": 5}
    assert {name: tokens[name] for name in counts} == counts
    assert [(case["conversation_id"], case["turn"]) for case in tokens["examples"]] == [("c0", 0), ("c1", 0), ("c2", 0)]
    machine = faults["b", "self_identified"]
    assert (machine["count"], machine["rate"], machine["example"], machine["example_turn"]) == (5, 0.5, "c0", 3)
    assert machine["examples"][0]["text"] == "i am a bot ."
    assert faults["b", "special_tokens"]["count"] == 0


def test_which_conversations_to_leave_out():
    told = [
        conversation("c1", ("a", "b"), "fine", "i am a bot ."),
        conversation("c2", ("a", "b"), "fine", "ok"),
        conversation("c3", ("a", "b"), "</s>", "i am a bot ."),
    ]
    left = hygiene.faulty_conversations(told, ["self_identified", "empty"])
    assert left == {"c1": ["self_identified"], "c3": ["empty", "self_identified"]}
    with pytest.raises(ValueError, match="'endless', which these data can't show: there are too few people"):
        hygiene.faulty_conversations(told, ["endless"])


def test_the_result_says_who_does_it_more_than_people():
    told = [conversation(f"c{i}", ("a", "b"), "a red car </s>", "fine", "a blue one </s>", "good") for i in range(30)]
    result = frames_of([*told, *people(30)], ["b", "a"])
    sentences = {row["name"]: row["sentence"] for row in result.rows("contestants")}
    assert list(sentences) == ["b", "a", HUMAN]
    assert sentences["a"].startswith(
        "Contestant a shows special tokens of a model in 100% of its turns (95% interval 8"
    )
    assert sentences["b"] == sentences[HUMAN] == ""
    rows = FINDING.tables["hygiene"].read(result)
    assert len(rows) == 3 * (len(hygiene.KINDS) - 1)
    own = rows[(rows["name"] == "a") & (rows["kind"] == "special_tokens")].iloc[0]
    assert (own["rate"], own["example"], own["example_turn"]) == (1.0, "c0", 0)


def test_a_fault_of_one_turn_in_hundreds_is_no_caution():
    row = {"kind": "loop", "count": 2, "rate": 0.004, "rate_low": 0.001, "rate_high": 0.01}
    assert sentence("a", [row], {}) == ""
    assert sentence("a", [row | {"rate": 0.1, "rate_low": 0.05}], {}) == (
        "Contestant a says the same words again and again in 10% of its turns (95% interval 5.0% to 1.0%)."
    )


def test_each_kind_of_fault_has_its_words_and_several_are_one_sentence():
    rows = [
        {"kind": kind, "count": 9, "rate": 0.9 - n / 10, "rate_low": 0.2, "rate_high": 0.95}
        for n, kind in enumerate(hygiene.KINDS)
    ]
    for row in rows:
        assert f"Contestant a {DOES[row['kind']]} in " in sentence("a", [row], {})
    assert sentence("a", rows[:2], {"empty": {"rate": 0.01, "rate_high": 0.02}}) == (
        "Contestant a shows special tokens of a model in 90% of its turns (95% interval 20% to 95%) and says nothing "
        "in 80% (20% to 95%; people: 1.0%)."
    )


def test_turns_of_400_000_words_are_measured_in_seconds():
    words = " ".join(f"w{i * i % 977} i'm the" for i in range(133_334))
    told = [conversation(f"c{i}", ("a", "b"), f"{i} {words}", "fine") for i in range(4)]
    begun = time.process_time()
    result = frames_of(told)
    assert time.process_time() - begun < 20
    assert [row["count"] for row in result.rows("hygiene") if (row["name"], row["kind"]) == ("a", "loop")] == [4]
    assert result.one("copies")["clusters"] == 1  # compared by their beginnings


def test_without_conversations_there_is_nothing_to_say():
    assert frames_of([]) == {}
    assert len(FINDING.tables["hygiene"].read(frames_of([]))) == 0


def test_released_data_show_what_is_known_of_them():
    """LC's tokens and DR's loops are known oddities of the released PersonaChat conversations."""
    from parlai_spotbot.projects.spot_the_bot_2020.dump import read_dump

    dump = released_data(SPOT_THE_BOT)
    rows = (
        FINDING.tables["hygiene"]
        .read(frames_of(read_dump(dump, "convai2").conversations))
        .set_index(["name", "kind"])["rate"]
    )
    assert rows["LC", "special_tokens"] == pytest.approx(0.693, abs=0.001)
    assert rows.xs("special_tokens", level="kind").drop("LC").max() == 0
    assert rows["DR", "loop"] > 0.07
    assert rows.xs("loop", level="kind").drop("DR").max() < 0.01
    assert rows.xs("self_identified", level="kind").max() == 0
    assert rows[HUMAN, "repeated"] < 0.002
