"""Answers as a long frame: what is left out and counted, and who is judged."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.answers import REPEATED, answers_frame, last_answers, shown_item
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.asking import incomplete
from tests.analysis.made_up import Made, acute, item_of, likert, talk


@pytest.fixture
def made():
    made = Made("dialogue_likert")
    chats = [talk("c0", ("a", "b")), talk("c1", (HUMAN, "a"))]
    made.conversations.update(indexed(chats))
    dimensions = [q.name for q in get_survey("dialogue_likert").questions if q.kind == "scale"]
    made.everything_asked = {(d, t): "3" for d in dimensions for t in ("entity:0", "entity:1")}
    return made


def test_controls_further_questions_second_and_incomplete_annotations_are_counted(made):
    item = item_of([made.conversations["c0"]])
    made.annotation(item, made.everything_asked, "w0")
    made.annotation(item, made.everything_asked | {("extra_age", "pair"): "30"}, "w1")
    made.annotation(item, dict(list(made.everything_asked.items())[:-1]), "w2")
    made.annotation(item, made.everything_asked, "w3", control="known_human:0")
    twice = made.judgements[0]
    judgements, conversations, items = made.everything()
    found = answers_frame(
        [*judgements, twice], conversations, incomplete(get_survey("dialogue_likert"), {i.item_id: i for i in items})
    )
    assert found.left_out == {
        "human": {
            "answer to a further question of the launch": 1,
            "incomplete annotation": 1,
            "control": 1,
            REPEATED: 1,
        }
    }
    assert set(found.frame["worker_id"]) == {"w0", "w1"}
    assert len(found.frame) == 2 * len(made.everything_asked)
    assert set(found.frame["conversation_ids"]) == {("c0",)}


def test_of_one_judged_entity_only_its_answers_are_wanted(made):
    item = item_of([made.conversations["c1"]], judged=(1,))
    half = {pair: answer for pair, answer in made.everything_asked.items() if pair[1] == "entity:1"}
    made.annotation(item, half, "w0")
    judgements, conversations, items = made.everything()
    survey = get_survey("dialogue_likert")
    assert not answers_frame(judgements, conversations, incomplete(survey, {i.item_id: i for i in items})).left_out
    other = item_of([made.conversations["c1"]])
    left = answers_frame(judgements, conversations, incomplete(survey, {item.item_id: other})).left_out
    assert left == {"human": {"incomplete annotation": 1}}


def spotting():
    """Two annotators of each of 30 segments; conversations have segments of two lengths."""
    made = Made("spot_the_bot", 1)
    for n in range(30):
        chat = talk(f"c{n // 2}", ("a", "b"))
        made.conversations[chat.conversation_id] = chat
        item = replace(item_of([chat]), item_id=f"i{n}", exchanges=2 + n % 2)
        for worker in made.rng.choice(6, 2, replace=False):
            answers = {("nature", f"entity:{e}"): str(made.rng.choice(["human", "bot", "unsure"])) for e in (0, 1)}
            answers |= {(name, "pair"): "no_difference" for name in ("fluency", "sensibleness", "specificity")}
            made.annotation(item, answers, f"w{worker}")
    return made


SURVEYS = {
    "spot_the_bot": spotting(),
    "acute_eval": acute({("a", "b"): 0.7, ("a", "c"): 0.6, ("b", "c"): 0.5}, 20),
    "comparative": acute({("a", "b"): 0.7}, 30, survey="comparative", tie=0.3, reason=False),
    "dialogue_likert": likert({"a": 3, "b": 4}, 15),
    "turn_likert": likert({"a": 3, "b": 4}, 15, turns=True),
}


def frame_of(made, judgements):
    found = answers_frame(judgements, made.conversations.values(), None, shown_item(made.items, made.conversations))
    columns = ["worker_id", "conversation_ids", "question", "target", "answer", "exchanges"]
    frame = found.frame[columns].sort_values([*columns[:4], "exchanges"], ignore_index=True)
    return frame, sum(found.left_out.get("human", {}).values())


def by_annotation(judgements):
    found = {}
    for row in judgements:
        found.setdefault(row.annotation_id, []).append(row)
    return list(found.values())


@pytest.mark.parametrize("survey", SURVEYS)
@given(st.integers(0, 2**31), st.booleans())
@settings(max_examples=15, deadline=None)
def test_repeated_annotations_change_nothing_and_are_counted(survey, seed, timed):
    """Earlier versions with other answers, under other ids, anywhere before the last one, or with earlier times."""
    made, rng = SURVEYS[survey], random.Random(seed)
    annotations = by_annotation(made.judgements)
    last = [[replace(row, submitted_at="2024-05-02T10:00:00Z" * timed) for row in rows] for rows in annotations]
    earlier = []
    for number, rows in enumerate(rng.choices(annotations, k=20)):
        others = {row.question: row.answer for other in annotations for row in other}
        ids = (
            {"annotation_id": f"e{number}", "unit_id": "imported", "item_id": f"x{number}"}
            if rng.random() < 0.7
            else {}
        )
        ids |= {"submitted_at": "2024-05-01T10:00:00Z"} if timed else {}
        if survey in ("acute_eval", "comparative") and "item_id" in ids:
            del ids["item_id"]
        earlier.append(
            [
                replace(row, answer=others[row.question], judgement_id=f"e{number}-{n}", **ids)
                for n, row in enumerate(rows)
            ]
        )
    given = [*earlier, *last]
    if timed:
        rng.shuffle(given)
    frame, left_out = frame_of(made, [row for rows in given for row in rows])
    assert frame.equals(frame_of(made, made.judgements)[0])
    assert left_out == len(earlier)


def test_a_part_that_is_answered_again_joins_the_annotation(made):
    item = item_of([made.conversations["c0"]])
    made.annotation(item, made.everything_asked, "w0")
    made.annotation(item, {("quality", "entity:0"): "5"}, "w0")
    found = answers_frame(made.judgements, made.conversations.values())
    assert set(found.frame["annotation_id"]) == {"human-1"}
    answers = dict(
        zip(zip(found.frame["question"], found.frame["target"], strict=True), found.frame["answer"], strict=True)
    )
    assert answers == made.everything_asked | {("quality", "entity:0"): "5"}
    assert found.left_out == {"human": {REPEATED: 1}}


@pytest.mark.parametrize(
    ("change", "repeats"),
    [
        ({}, 1),
        ({"annotation_id": "other", "item_id": "other", "unit_id": "other"}, 1),
        ({"worker_id": "w1"}, 0),
        ({"source": "judge:x"}, 0),
        ({"exchanges": 2}, 0),
        ({"target": "entity:1"}, 0),
        ({"question": "grammar"}, 0),
        ({"conversation_ids": ("c1",)}, 0),
        ({"control": "known_human:0"}, 0),
    ],
)
def test_what_is_the_same_item(made, change, repeats):
    made.annotation(item_of([made.conversations["c0"]]), {("quality", "entity:0"): "3"}, "w0")
    rows = [made.judgements[0], replace(made.judgements[0], **change)]
    kept, counted = last_answers(rows, shown_item())
    assert (2 - len(kept), sum(counted.values())) == (repeats, repeats)


def test_of_two_speakers_it_counts_which_one_is_judged():
    chats = [talk("c0", ("a", "b")), talk("c1", ("a", "b"))]
    made = Made("acute_eval")
    for judged in ((0, 1), (1, 0), (1, 1)):
        item = replace(item_of(chats, judged), item_id=f"i{judged}")
        made.annotation(item, {("engagingness", "pair"): "conversation:0"}, "w0")
    turned = replace(item_of(chats[::-1], (1, 0)), item_id="turned")
    made.annotation(turned, {("engagingness", "pair"): "conversation:1"}, "w0")
    about = shown_item(made.items, indexed(chats))
    assert [row.item_id for _, row in last_answers(made.judgements, about)[0]] == ["i(1, 0)", "i(1, 1)", "turned"]


def test_near_copies_are_one_cluster(made):
    item = item_of([made.conversations["c0"]])
    made.annotation(item, made.everything_asked, "w0")
    made.annotation(item_of([made.conversations["c1"]]), made.everything_asked, "w0")
    frame = answers_frame(made.judgements, made.conversations.values(), clusters={"c1": "c0"}).frame
    assert set(frame["cluster_id"]) == {"c0"}
    assert set(frame["cluster_ids"]) == {("c0",)}
    assert set(frame["conversation_id"]) == {"c0", "c1"}
