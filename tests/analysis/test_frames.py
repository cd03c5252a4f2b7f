"""From judgements to frames: what is joined, left out, refused; the win function, the features."""

from dataclasses import replace

import pytest

from parlai_spotbot.analysis.frames import entities_frame, matches_frame
from parlai_spotbot.analysis.order_effects import position_effects
from tests.annotated import annotations_frame


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answer": "robot"}, r"judgement 1 \(human-c.*\): answer 'robot', expected one of human, unsure, bot"),
        ({"question": "charm"}, "question 'charm' about target 'entity:0'"),
        ({"conversation_ids": ("c9999",)}, "'c9999', which is not among the conversations"),
        ({"conversation_ids": ("c0000", "c0001")}, "expected exactly one"),
        ({"exchanges": 0}, "exchanges 0, expected"),
        ({"worker_id": None}, r"judgement 1 \(human-c.*\): worker_id is None, expected the annotator's id"),
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


def test_who_is_favoured_has_a_plus(made_up):
    """A match goes to entity 0, a, where the answer is entity:0."""
    judgements, conversations = made_up()
    answers = {row.annotation_id: row.answer for row in judgements if row.question == "fluency"}
    assert set(answers.values()) == {"entity:0", "no_difference", "entity:1"}
    rows = annotations_frame(judgements, conversations).frame
    signs = {"entity:0": 1, "no_difference": 0, "entity:1": -1}
    assert rows["fluency"].tolist() == [signs[answers[name]] for name in rows["annotation_id"]]
    matches = matches_frame(rows, "fluency")
    assert (matches["outcome"] == rows.loc[matches.index, "fluency"]).all()


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
