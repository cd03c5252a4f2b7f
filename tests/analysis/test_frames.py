"""From judgements to frames: what is joined, left out, refused; the win function, the features."""

from dataclasses import replace

import pytest

from parlai_spotbot.analysis.answers import REPEATED
from parlai_spotbot.analysis.frames import annotations_frame, entities_frame, matches_frame
from parlai_spotbot.analysis.order_effects import position_effects


def test_one_row_an_annotation(made_up):
    judgements, conversations = made_up(bots=3, per_pair=2, people=1)
    found = annotations_frame(judgements, conversations)
    assert len(found.frame) == len(judgements) / 5
    assert found.left_out == {}
    row = found.frame[found.frame["annotation_id"] == "human-c0000-2-0"].iloc[0]
    answers = {(j.question, j.target): j.answer for j in judgements if j.annotation_id == "human-c0000-2-0"}
    assert (row["a"], row["b"], row["k"]) == (*conversations[0].entities, 2)
    assert (row["nature0"], row["nature1"]) == (answers["nature", "entity:0"], answers["nature", "entity:1"])
    assert row["fluency"] == {"entity:0": 1, "entity:1": -1, "no_difference": 0}[answers["fluency", "pair"]]


def test_controls_and_incomplete_annotations_are_left_out_and_counted(made_up):
    judgements, conversations = made_up(bots=2, per_pair=2, people=0, sources=("human",))
    whole = annotations_frame(judgements, conversations).frame
    changed = [replace(j, control="gold") if j.annotation_id == "human-c0000-2-0" else j for j in judgements]
    changed = [j for j in changed if (j.annotation_id, j.question) != ("human-c0001-3-1", "specificity")]
    changed.append(replace(judgements[-1], answer="entity:1"))
    found = annotations_frame(changed, conversations)
    assert found.left_out == {"human": {"control": 1, "incomplete annotation": 1, REPEATED: 1}}
    kept = whole[~whole["annotation_id"].isin(["human-c0000-2-0", "human-c0001-3-1"])].reset_index(drop=True)
    kept.loc[kept["annotation_id"] == judgements[-1].annotation_id, judgements[-1].question] = -1
    assert found.frame.equals(kept)


def test_answers_to_further_questions_are_left_out_and_change_nothing(made_up):
    judgements, conversations = made_up(bots=2, per_pair=2, people=0, sources=("human",))
    whole = annotations_frame(judgements, conversations).frame
    why = replace(judgements[0], judgement_id="why", question="extra_why", target="pair", answer="it looped")
    found = annotations_frame([why, *judgements], conversations)
    assert found.frame.equals(whole)
    assert found.left_out == {"human": {"answer to a further question of the launch": 1}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answer": "robot"}, r"judgement 1 \(j0\): answer 'robot', expected one of human, unsure, bot"),
        ({"question": "charm"}, "question 'charm' about target 'entity:0'"),
        ({"conversation_ids": ("c9999",)}, "'c9999', which is not among the conversations"),
        ({"conversation_ids": ("c0000", "c0001")}, "expected exactly one"),
        ({"exchanges": 0}, "exchanges 0, expected"),
        ({"worker_id": None}, r"judgement 1 \(j0\): worker_id is None, expected the annotator's id"),
        ({"worker_id": float("nan")}, "worker_id is nan"),
    ],
)
def test_what_is_wrong_is_named(made_up, change, said):
    judgements, conversations = made_up(bots=2, per_pair=2)
    with pytest.raises(ValueError, match=said):
        annotations_frame([replace(judgements[0], **change), *judgements[1:]], conversations)


@pytest.mark.parametrize("make", [entities_frame, matches_frame, position_effects])
@pytest.mark.parametrize("column", ["conversation_id", "worker_id"])
def test_a_row_without_conversation_or_annotator_is_named(made_up, make, column):
    rows = annotations_frame(*made_up()).frame
    rows.loc[7, column] = None
    with pytest.raises(ValueError, match=f"annotations: row 7: {column} is missing, expected an id in each row"):
        make(rows)


def test_relative_features(made_up):
    judgements, conversations = made_up()
    rows = annotations_frame(judgements, conversations).frame
    entities = entities_frame(rows)
    assert (entities["name"].iloc[::2].to_numpy() == rows["a"].to_numpy()).all()
    assert (entities["name"].iloc[1::2].to_numpy() == rows["b"].to_numpy()).all()
    assert (entities["fluency"].iloc[::2].to_numpy() == -entities["fluency"].iloc[1::2].to_numpy()).all()


def test_win_function_orders_human_unsure_bot(made_up):
    judgements, conversations = made_up(bots=2, per_pair=20)
    rows = annotations_frame(judgements, conversations).frame
    matches = matches_frame(rows)
    assert not (matches["a"] == "human").any()
    place = {"bot": 0, "unsure": 1, "human": 2}
    seen = set()
    for index, outcome in matches["outcome"].items():
        first, second = rows.loc[index, "nature0"], rows.loc[index, "nature1"]
        assert outcome == (place[first] > place[second]) - (place[first] < place[second])
        seen.add((first, second))
    assert len(seen) == 9
    both = matches_frame(rows, "sensibleness_and_specificity")["outcome"]
    own = rows.loc[both.index]
    assert ((both == 1) == ((own["sensibleness"] == 1) & (own["specificity"] == 1))).all()
    assert ((both == -1) == ((own["sensibleness"] == -1) & (own["specificity"] == -1))).all()
    with pytest.raises(ValueError, match="criterion is 'charm'"):
        matches_frame(rows, "charm")


def test_a_bot_with_itself_or_with_a_person_is_no_match_and_counted(made_up):
    judgements, conversations = made_up(bots=2, per_pair=3, people=0, sources=("human",))
    first, second, *rest = conversations
    changed = [replace(first, entities=("x", "x")), replace(second, entities=("human", "x")), *rest]
    found = annotations_frame(judgements, changed)
    assert set(found.frame["conversation_id"]) == {c.conversation_id for c in rest}
    counts = [sum(j.conversation_ids == (c.conversation_id,) for j in judgements) / 5 for c in (first, second)]
    reasons = ("annotation of a bot that talks to itself", "annotation of a bot that talks to a person")
    assert found.left_out == {"human": dict(zip(reasons, counts, strict=True))}
