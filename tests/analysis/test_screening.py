"""What came of the training: shares that passed, mistakes and times by hand, and wrong rows of the file."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot import checksums, files
from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.survey_data import checked_round


def trained(annotator, wrong, attempt=1, role="training", task="empathy", group="a"):
    """The rounds of one annotator's attempt at the training, with so many wrong turns each."""
    rows = []
    for number, bad in enumerate(wrong, start=1):
        decides = number == len(wrong)
        rows.append(
            {
                "task": task,
                "annotator": annotator,
                "attempt": attempt,
                "round": number,
                "role": role,
                "dialogue": f"d{number}",
                "wrong_turns": bad,
                "of": 10,
                "mistakes_by_label": {"empathetic": bad},
                "passed": bad <= 2 if decides else None,
                "at": "",
                "seconds": 100.0,
                "group": group,
            }
        )
    return rows


def test_screening_by_hand():
    rows = [
        *trained("w1", (3, 1, 0)),
        *trained("w2", (4, 4, 3)),
        *trained("w2", (1,), 2, "second_chance"),
        *trained("w3", (5, 5, 5)),
        *trained("w3", (4,), 2, "second_chance"),
        *trained("w4", (2,), 1),
    ]
    rows[-1]["passed"] = None  # the first of further rounds
    rows.append({**trained("w1", (0,))[0], "attempt": None, "role": "gold"})
    [found] = screened(rows).to_dict("records")
    assert (found["annotators"], found["decided"], found["passed"]) == (4, 3, 2)
    ends = (found["pass_share_low"], found["pass_share_high"])
    assert ends == pytest.approx(proportion_confint(2, 3, method="wilson"))
    wrong = [3, 1, 0, 4, 4, 3, 1, 5, 5, 5, 4, 2]
    assert found["mistakes"] == pytest.approx(np.mean(wrong))
    assert found["accuracy"] == pytest.approx(1 - sum(wrong) / 120)
    groups = screened([*trained("w1", (0, 0, 0)), *trained("w2", (9, 9, 9), group="b")])
    assert dict(zip(groups["group"], groups["pass_share"], strict=True)) == {"a": 1, "b": 0}
    assert screened([]).empty


def test_a_wrong_row_of_the_training_names_file_and_field(tmp_path):
    path = tmp_path / "training.jsonl"
    good = trained("w1", (1, 1, 1))
    for change, message in (
        ({"of": 0}, "wrong_turns, of"),
        ({"wrong_turns": 11}, "wrong_turns, of"),
        ({"passed": "yes"}, "missing or wrong: passed"),
    ):
        checksums.write_jsonl(path, [good[0], {**good[1], **change}])
        with pytest.raises(UserError, match=f"line 2: .*{message}"):
            files.read_jsonl(path, checked_round)
    checksums.write_jsonl(path, [{"task": "empathy"}])
    with pytest.raises(UserError, match="line 1: missing or wrong: annotator"):
        files.read_jsonl(path, checked_round)
