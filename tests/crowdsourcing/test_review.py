"""What the review says of a unit, whatever an annotator's program sent."""

from collections import Counter

from parlai_spotbot.crowdsourcing.mephisto_review import told


def record(*seconds):
    answer = {"question": "nature", "target": "entity:0", "answer": "bot"}
    items = [{"answers": [answer], "exchanges": 2, "control": None, "seconds": time} for time in seconds]
    return {"status": "completed", "data": {"handle": "h", "unit_id": "u", "items": items, "comment": ""}}


def test_times_are_told_where_they_were_sent():
    text = told(record(3.0, 8.0, 4.0), Counter(h=1))
    assert "unit u (completed), 3 items, 4 s each in the middle, controls missed: 1" in text
    assert "2 exchanges, 8 s: nature entity:0: bot" in text


def test_a_unit_whose_items_have_no_times_can_be_reviewed():
    assert "2 items, 3 s each" in told(record(None, 3.0), Counter())
    text = told(record(None, None), Counter())
    assert "2 items, no time each" in text
    assert text.count("2 exchanges, no time: nature") == 2
    assert "0 items, no time each" in told(record(), Counter())
