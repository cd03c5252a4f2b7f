"""What the review says of a unit, whatever an annotator's program sent."""

from collections import Counter

from parlai_spotbot.crowdsourcing.mephisto_review import told


def record(*seconds):
    answer = {"question": "nature", "target": "entity:0", "answer": "bot"}
    items = [{"answers": [answer], "exchanges": 2, "control": None, "seconds": time} for time in seconds]
    return {"status": "completed", "data": {"handle": "h", "unit_id": "u", "items": items, "comment": ""}}


def test_a_unit_is_told_with_times_where_they_were_sent():
    text = told(record(3.0, 8.0, None), Counter(h=1))
    assert "unit u (completed), 3 items, controls missed: 1" in text
    assert "2 exchanges, 8 s: nature entity:0: bot" in text
    assert "2 exchanges, no time: nature" in text
    assert "0 items" in told(record(), Counter())
