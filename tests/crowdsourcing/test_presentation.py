"""What the page gets of an item: drawn evenly, the same at every visit, and nothing that gives anything away."""

from collections import Counter
from dataclasses import replace

from scipy.stats import chisquare

from parlai_spotbot.crowdsourcing.desk.presentation import present
from parlai_spotbot.records import Item, Utterance
from parlai_spotbot.surveys import get_survey
from tests.crowdsourcing.office import control, spot_the_bot

SURVEY = spot_the_bot()
MANY = 6000


def item(conversations=1, exchanges=3, name="hidden"):
    turns = [
        tuple(Utterance(i % 2, f"turn {i} of {place}") for i in range(2 * exchanges)) for place in range(conversations)
    ]
    ids = tuple(f"{name}-conversation-{place}" for place in range(conversations))
    return Item(f"{name}-item", ids, exchanges, tuple(turns), None)


def even(counted, cells):
    """Whether the counts are those of `cells` equally likely outcomes, all of which occur."""
    assert len(counted) == cells
    return chisquare(list(counted.values())).pvalue > 1e-4


def test_names_sides_and_orders_are_drawn_evenly_and_independently():
    records = [present(SURVEY, item(), 0, f"chance {i}")[1] for i in range(MANY)]
    assert even(Counter(r["entity:0"] for r in records), 2)
    assert even(Counter(r["side:0"] for r in records), 2)
    assert even(Counter(r["question_order"] for r in records), 6)
    assert even(Counter((r["entity:0"], r["side:0"], r["question_order"]) for r in records), 24)


def test_conversations_side_by_side_change_places_evenly():
    survey = replace(SURVEY, packing="pairs", layout="side_by_side")
    drawn = [present(survey, item(2), 0, f"chance {i}") for i in range(MANY)]
    assert even(Counter((r["place:0"], r["entity:0"]) for _, r in drawn), 4)
    for page, record in drawn[:50]:
        assert [t["name"] for t in page["transcripts"]] == list(SURVEY.conversations)
        left = page["transcripts"][0]["key"]
        assert record[left.replace("conversation", "place")] == "left"
        assert record[left] == SURVEY.conversations[0]
        assert page["transcripts"][0]["turns"][0]["text"] == f"turn 0 of {left[-1]}"
        assert {record["place:0"], record["place:1"]} == {"left", "right"}


def test_what_is_drawn_does_not_depend_on_the_item():
    known = [control(0, kind) for kind in ("known_human", "known_bot:0", "known_bot:1")]
    for number in range(50):
        records = [present(SURVEY, one, number, "chance")[1] for one in (*known, item(), item(exchanges=5))]
        assert all(record == records[0] for record in records)


# -- where one speaker is judged ---------------------------------------------------------------------------------------
def judged(*who, questions=(), control=None):
    return replace(item(len(who)), judged=who, questions=questions, control=control)


def test_the_judged_speaker_of_a_conversation_is_named_and_the_other_one_is_not():
    survey = get_survey("dialogue_likert")
    who = 1
    drawn = [present(survey, judged(who), 0, f"chance {i}") for i in range(1500)]
    for page, record in drawn:
        (transcript,) = page["transcripts"]
        mine, other = transcript["entities"][who], transcript["entities"][1 - who]
        assert (mine["judged"], other["judged"]) == (True, False)
        assert mine["name"] in survey.entities
        assert other["name"] == survey.other
        assert {mine["side"], other["side"]} == {"left", "right"}
        assert "speaker" not in transcript
        assert (record["entity:0"], record["entity:1"]) == tuple(e["name"] for e in transcript["entities"])
    assert even(Counter((p["transcripts"][0]["entities"][who]["name"], r["side:0"]) for p, r in drawn), 4)
    assert even(Counter(r["question_order"].split()[0] for _, r in drawn), 8)
