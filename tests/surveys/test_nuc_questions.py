"""The record of a question: JSON Lines in and out, fewer candidates, and what is wrong in a file."""

import json

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys.nuc_questions import NucQuestion, Origin, read_questions, write_questions
from tests.case_tables import case_table

QUESTION = NucQuestion(
    "q1",
    "made",
    "c1",
    ("Hi", "Hello"),
    (0, 1, 0),
    ("no", "How are you?", "yes", "maybe"),
    1,
    (Origin("uniform", "c2", 0, 2), Origin("lexical", "c3", 4, 0), Origin("uniform", "c4", 1, 3)),
    2,
)


def test_there_and_back(tmp_path):
    path = tmp_path / "questions.jsonl"
    write_questions(path, [QUESTION])
    assert read_questions(path) == [QUESTION]
    row = json.loads(path.read_text(encoding="utf-8"))
    assert row["context_turns"] == 2
    assert row["distractors"][0] == {"kind": "uniform", "conversation_id": "c2", "turn": 0, "place": 2}


def test_fewer_candidates_are_the_first_drawn():
    cut = QUESTION.cut(3)
    assert cut.candidates == ("no", "How are you?", "yes")
    assert cut.answer == QUESTION.answer
    assert [cut.candidates[origin.place] for origin in cut.distractors] == ["yes", "no"]
    assert cut.cut(2).candidates == ("How are you?", "yes")
    assert QUESTION.cut(4) == QUESTION
    for n in (1, 5):
        with pytest.raises(ValueError, match=f"n={n}"):
            QUESTION.cut(n)


@case_table(__file__, "bad_lines")
def test_what_is_wrong_is_named_with_file_and_line(tmp_path, change, error):
    path = tmp_path / "questions.jsonl"
    rows = [QUESTION.to_json(), {**QUESTION.to_json(), "question_id": "q2", **change}]
    files.write_jsonl(path, rows)
    with pytest.raises(UserError, match=error) as caught:
        read_questions(path)
    assert f"{path}, line 2" in caught.value.problem
    assert caught.value.remedy


def test_missing_candidates_and_an_id_twice(tmp_path):
    path = tmp_path / "questions.jsonl"
    row = QUESTION.to_json()
    path.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"line 2: field 'question_id' is 'q1', as in .*line 1"):
        read_questions(path)
    del row["candidates"]
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="'candidates' is missing"):
        read_questions(path)
    with pytest.raises(UserError, match="no such file of questions"):
        read_questions(tmp_path / "none.jsonl")
