"""Judgements as a table of codes, against reading them one by one."""

import json
import random

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.judgement_table import judgement_table
from parlai_spotbot.records import Judgement
from tests.case_tables import cases


def row(number, **change):
    said = {
        "judgement_id": f"v{number}",
        "annotation_id": f"v{number}",
        "survey": "votes",
        "unit_id": "u",
        "item_id": "a:b",
        "conversation_ids": ["q"],
        "exchanges": 0,
        "target": "pair",
        "question": "preference",
        "answer": "a",
        "worker_id": "w",
        "source": "human",
    }
    return {**said, **change}


@pytest.fixture
def path(tmp_path):
    def write(rows, tail=""):
        path = tmp_path / "judgements.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in rows) + tail)
        return path

    return write


def test_it_holds_what_reading_one_by_one_holds(path):
    rng = random.Random(0)
    rows = [
        row(
            n,
            item_id=rng.choice(["a:b", "b:c"]),
            answer=rng.choice("ab"),
            worker_id=rng.choice(["", "v", "w"]),
            conversation_ids=rng.choice([[], ["p"], ["q"]]),
            source=rng.choice(["human", "judge:x"]),
            submitted_at=rng.choice(["", "2024-05-01T12:00:00Z"]),
            presentation=rng.choice([{}, {"language": "fr"}]),
            control="known" if n % 7 == 0 else None,
        )
        for n in range(200)
    ]
    table = judgement_table(path(rows, tail='{"judgement_id": "torn'))
    read = [Judgement.from_json(one, "") for one in rows if one["control"] is None]
    assert table.attrs == {"controls": 29, "rows": 200}
    for name in ("source", "item_id", "target", "question", "answer"):
        assert table[name].tolist() == [getattr(one, name) for one in read]
    assert table["language"].tolist() == [one.presentation.get("language", "") for one in read]
    assert table["day"].tolist() == [one.submitted_at[:10] for one in read]
    for name, values in (
        ("worker", [one.worker_id for one in read]),
        ("annotation", [one.annotation_id for one in read]),
        ("conversation", ["".join(one.conversation_ids) for one in read]),
    ):
        codes = table[name].tolist()
        assert len(set(zip(codes, values, strict=True))) == len(set(codes)) == len(set(values))
        assert {value for code, value in zip(codes, values, strict=True) if code == -1} <= {""}
        assert "" not in values or -1 in codes


@cases(
    "wrong says",
    """
- [{source: somebody}, field 'source' is 'somebody']
- [{item_id: 5}, 'field ''item_id'' is 5, expected str']
- [{worker_id: null}, 'field ''worker_id'' is None, expected str']
- [{conversation_ids: [a, b]}, 'field ''conversation_ids'' holds 2, expected one or none']
- [{answer: [a]}, list]
""",
)
def test_a_wrong_line_is_named(path, wrong, says):
    with pytest.raises(UserError, match=r"judgements\.jsonl, line 2") as err:
        judgement_table(path([row(1), row(2, **wrong)]))
    assert says in str(err.value)


def test_broken_and_missing_files_are_named(path, tmp_path):
    with pytest.raises(UserError, match="line 2: not valid JSON"):
        judgement_table(path([row(1)], tail="{\n"))
    with pytest.raises(UserError, match=r"none\.jsonl: no such judgements file\. Run this"):
        judgement_table(tmp_path / "none.jsonl", "Run this")
