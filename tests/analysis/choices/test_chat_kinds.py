"""Self-chats beside conversations with people: orders alike, orders that differ, and pairs that do."""

from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.analysis.choices import choice_frame
from parlai_spotbot.analysis.choices.chat_kinds import compare_kinds, kind_of_choice
from parlai_spotbot.records import HUMAN, indexed
from tests.analysis.made_up import acute

SHARES = {("a", "b"): 0.7, ("b", "c"): 0.7, ("a", "c"): 0.85, ("a", HUMAN): 0.3, ("b", HUMAN): 0.15, ("c", HUMAN): 0.1}


def rows_of(made):
    judgements, conversations, items = made.everything()
    frame = answers_frame(judgements, conversations).frame
    known = indexed(conversations)
    return choice_frame(frame[frame["question"] != "reason"], known, {i.item_id: i for i in items})[0]


def test_kinds_that_agree():
    rows = rows_of(acute(SHARES, 60, kinds=("self", "human_model")))
    # People's conversations are the same in both kinds and go with the other one's.
    assert kind_of_choice(rows).value_counts().to_dict() == {"self": 360, "human_model": 360}
    found = compare_kinds(rows, ["a", "b", "c", HUMAN])
    assert list(found["kinds"]["kind"].unique()) == ["self", "human_model"]
    scores = found["kinds"][found["kinds"]["kind"] == "self"].set_index("bot")["score"]
    assert list(scores.sort_values(ascending=False).index) == [HUMAN, "a", "b", "c"]
    compared = found["comparisons"].iloc[0]
    assert compared["tau"] == 1.0
    assert compared["same_order"]


def test_a_bot_that_is_worse_in_self_chat_is_found():
    other = {**SHARES, ("a", "b"): 0.2, ("a", "c"): 0.25}
    first, second = acute(SHARES, 60, kinds=("human_model",)), acute(other, 60, kinds=("self",))
    first.judgements += second.judgements
    first.conversations |= second.conversations
    first.items |= second.items
    for number, judgement in enumerate(first.judgements):
        object.__setattr__(judgement, "annotation_id", f"{judgement.item_id}")
        object.__setattr__(judgement, "judgement_id", f"j{number}")
    found = compare_kinds(rows_of(first), ["a", "b", "c", HUMAN])
    compared = found["comparisons"].iloc[0]
    assert not compared["same_order"]
    assert compared["tau"] < 1
