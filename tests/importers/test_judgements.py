"""Judgements from CSV and JSON Lines: columns by name, answers by name, repeated and changed answers."""

import json

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.features import features_of
from tests.annotated import annotations_frame
from tests.case_tables import case_table, cases
from tests.in_process import spotbot

HEADER = "talk,k,rater,verdict_a,verdict_b,fluency,sensibleness,specificity,secs"
COLUMNS = "conversation_id=talk,exchanges=k,worker_id=rater,nature0=verdict_a,nature1=verdict_b,seconds=secs"
GOOD = ("c0,2,w1,H,B,0,1,same,12.5", "c1,3,w2,U,B,1,1,0,", 'c3,2,"w3",H,H,same,same,same,9')
WORDS = ["--columns", COLUMNS, "--answers", "H=human,B=bot,U=unsure,0=entity:0,1=entity:1,same=no_difference"]


@pytest.fixture
def bring(run, judged_study, tmp_path):
    """Import rows of a wide CSV file; returns what the command says."""

    def command(*lines, header=HEADER, expected=0):
        path = tmp_path / "answers.csv"
        path.write_text("\n".join([header, *lines]) + "\n")
        code, out, err = run("--format", "judgements", "--data", path, "--study", judged_study.path, *WORDS)
        assert code == expected, err
        return out

    return command


def frame_of(study):
    found = annotations_frame(study.judgements("spot_the_bot"), study.conversations())
    return found.frame.set_index("worker_id"), sum(found.left_out.get("human", {}).values())


def test_a_row_an_annotation(judged_study, bring):
    assert "15 judgements by 3 annotators read, 15 of them new" in bring(*GOOD)
    frame, _ = frame_of(judged_study)
    own = frame.loc["w1", ["a", "b", "k", "nature0", "nature1", "seconds"]].tolist()
    assert own == ["a", "b", 2, "human", "bot", 12.5]
    assert frame.loc["w1", ["fluency", "sensibleness", "specificity"]].tolist() == [1, -1, 0]
    assert frame["seconds"].isna().tolist().count(True) == 1
    before = judged_study.judgements_path("spot_the_bot").read_bytes()
    assert "0 of them new" in bring(*GOOD)
    assert judged_study.judgements_path("spot_the_bot").read_bytes() == before
    assert "5 of them new" in bring(*GOOD, "c2,2,w1,H,H,0,0,0,1")
    assert judged_study.judgements_path("spot_the_bot").read_bytes().startswith(before)


def test_a_changed_answer_replaces_the_earlier_one(judged_study, bring):
    bring(*GOOD)
    before = judged_study.judgements_path("spot_the_bot").read_bytes()
    changed = "c0,2,w1,B,B,0,1,same,12.5"
    assert "5 judgements by 1 annotator read, 1 of them new" in bring(changed)
    after = judged_study.judgements_path("spot_the_bot").read_bytes()
    assert after.startswith(before)
    frame, left_out = frame_of(judged_study)
    assert (frame.loc["w1", ["nature0", "nature1", "fluency"]].tolist(), left_out) == (["bot", "bot", 1], 1)
    assert "0 of them new" in bring(changed)
    assert judged_study.judgements_path("spot_the_bot").read_bytes() == after
    assert len({row.judgement_id for row in judged_study.judgements("spot_the_bot")}) == 16


@cases("ids", "[[a, b, c], [a, a, a]]")
def test_rows_of_one_annotator_on_one_segment_count_once(judged_study, bring, ids):
    """In one file: the same row, and before it one with other answers."""
    rows = ["c0,2,w1,B,H,1,1,same,9", GOOD[0], GOOD[0]]
    lines = [f"{row},{name}" for row, name in zip(rows, ids, strict=True)]
    bring(*lines, GOOD[1] + ",", header=HEADER + ",annotation_id", expected=len({*ids}) == 1)
    frame, _ = frame_of(judged_study)
    assert sorted(frame.index) == ["w1", "w2"]
    assert frame.loc["w1", ["nature0", "nature1", "fluency"]].tolist() == ["human", "bot", 1]


def test_own_judgements_come_back(judged_study, run, bring, tmp_path):
    """The long shape, as this package writes it, controls and all."""
    bring(*GOOD)
    judgements = judged_study.judgements("spot_the_bot")
    rows = [j.to_json() for j in judgements]
    rows[0]["control"] = "repeat"
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    checksums.remove(judged_study.judgements_path("spot_the_bot"))
    assert run("--format", "judgements", "--data", path, "--study", judged_study.path)[0] == 0
    again = judged_study.judgements("spot_the_bot")
    assert again[0].control == "repeat"
    assert [(j.answer, j.target) for j in again] == [(j.answer, j.target) for j in judgements]


def test_a_survey_that_compares_keeps_both_conversations(judged_study, run, tmp_path):
    path, rows = tmp_path / "pairs.csv", ["conversation_ids,worker_id,question,target,answer"]
    rows += ["bob1 ann0,w1,engagingness,pair,conversation:1", "ann1 bob0,w2,engagingness,pair,B"]
    path.write_text("\n".join(rows))
    words = ["--format", "judgements", "--survey", "acute_eval", "--study", judged_study.path]
    code, _, err = run(*words, "--answers", "B=conversation:0", "--data", path)
    assert code == 0, err
    found = Study.open(judged_study.path).judgements("acute_eval")
    assert [(j.conversation_ids, j.answer, j.exchanges) for j in found] == [
        (("bob1", "ann0"), "conversation:1", 3),
        (("ann1", "bob0"), "conversation:0", 3),
    ]


WIDE = "conversation_id,exchanges,worker_id,nature0,nature1,fluency,sensibleness,specificity,submitted_at\n"
ROWS = "".join(f"c{n},2,w{n},human,bot,entity:0,entity:1,no_difference,2024-05-01T12:00:0{n}Z\n" for n in range(4))


@case_table(__file__, "same")
def test_other_dialects_say_the_same(change, encoding, judged_study, run, tmp_path):
    text = WIDE + ROWS
    for before, after in (change or {}).items():
        text = text.replace(before, after)
    path = tmp_path / "answers.csv"
    path.write_bytes(text.encode(encoding or "utf-8"))
    code, _, err = run("--format", "judgements", "--data", path, "--study", judged_study.path)
    assert code == 0, err
    rows = judged_study.judgements("spot_the_bot")
    assert [row.answer for row in rows] == ["human", "bot", "entity:0", "entity:1", "no_difference"] * 4
    assert {row.submitted_at for row in rows} <= {"", *(f"2024-05-01T12:00:0{n}Z" for n in range(4))}


@case_table(__file__, "left_out")
def test_a_row_that_cannot_be_used_is_left_out_and_counted(row, reason, judged_study, run, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(WIDE + ROWS + row + "\n")
    words = ["--format", "judgements", "--data", path, "--study", judged_study.path]
    assert run(*words, "--strict")[0] == 2
    assert not judged_study.judgements_path("spot_the_bot").exists()
    code, out, err = run(*words)
    assert (code, f"left out, since it can't be used: 1 × {reason}" in out) == (1, True), out + err
    assert len(judged_study.judgements("spot_the_bot")) == 20
    assert judged_study.provenance()["import_judgements"]["answers.csv"]["unusable"] == {reason: 1}


def test_verdicts_alone_are_read(judged_study, run, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("conversation_id,exchanges,worker_id,nature0,nature1\nc0,2,w1,human,bot\nc1,2,w1,bot,bot\n")
    columns = "fluency=-,sensibleness=-,specificity=-"
    words = ["--format", "judgements", "--data", path, "--study", judged_study.path]
    assert run(*words, "--columns", columns)[0] == 0
    assert "0 of them new" in run(*words, "--columns", columns)[1]
    assert features_of(survey_of(judged_study.load("spot_the_bot"))) == ()
    assert [row.answer for row in judged_study.judgements("spot_the_bot")] == ["human", "bot", "bot", "bot"]
    code, _, err = run(*words, "--columns", columns + ",nature0=-,nature1=-")
    assert (code, "no column of answers is left" in err) == (2, True), err


@pytest.mark.parametrize("rating", [4, "4", 4.0, "4.0", "4.00", "4,0", "04", "+4", " 4 ", "٤"])
def test_ratings_are_whole_numbers_however_written(rating, judged_study, run, tmp_path):
    path = tmp_path / "answers.jsonl"
    row = {"conversation_id": "c0", "question": "quality", "target": "entity:1", "answer": rating, "worker_id": "w"}
    path.write_text("\ufeff" + json.dumps(row) + "\n")
    words = ["--format", "judgements", "--survey", "dialogue_likert", "--data", path, "--study", judged_study.path]
    code, _, err = run(*words)
    assert code == 0, err
    assert [row.answer for row in Study.open(judged_study.path).judgements("dialogue_likert")] == ["4"]


@pytest.mark.parametrize("rating", ["-4", "−4", "4.5", "4-5", "9", "nan4"])
def test_other_numbers_are_no_rating(rating, judged_study, run, tmp_path):
    """The sign was taken for punctuation: -4 was a 4."""
    path = tmp_path / "answers.jsonl"
    row = {"conversation_id": "c0", "question": "quality", "target": "entity:1", "answer": rating, "worker_id": "w"}
    path.write_text(json.dumps(row) + "\n")
    words = ["--format", "judgements", "--survey", "dialogue_likert", "--data", path, "--study", judged_study.path]
    code, _, err = run(*words)
    assert (code, f"answer to 'quality' is '{rating}'" in err) == (2, True), err


TURNS = """\
conversation_id,worker_id,{turn},quality,note
c1,w1,1,4,a
c1,w1,3,5,b
"""


@pytest.fixture
def with_turns(tmp_path):
    """Return a command that imports labels of turns into a study of one conversation of a person and a bot."""
    chat = [{"role": ("user", "assistant")[n % 2], "content": f"t{n}"} for n in range(4)]
    (tmp_path / "chats.jsonl").write_text(json.dumps({"id": "c1", "messages": chat}))
    study = tmp_path / "study"
    spotbot("import", "--format", "messages", "--data", tmp_path / "chats.jsonl", "--study", study)
    spotbot("pack", "--study", study, "--survey", "turn_likert")

    def command(text, *words, code=0):
        (tmp_path / "turns.csv").write_text(text)
        data = ["--format", "judgements", "--data", tmp_path / "turns.csv", "--study", study, "--survey", "turn_likert"]
        texts = spotbot("import", *data, *words, code=code)
        rows = Study.open(study).load("turn_likert").judgements
        return "".join(texts), [(row.question, row.target, row.answer) for row in rows]

    return command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TURNS.format(turn="turn"), []),
        (TURNS.format(turn="Zug"), ["--columns", "turn=Zug"]),
        ("conversation_id,worker_id,question,target,answer\nc1,w1,quality,turn:1,4\nc1,w1,quality,turn:3,5\n", []),
        ("conversation_id,worker_id,question,turn,answer\nc1,w1,quality,1,4\nc1,w1,quality,3,5\n", []),
    ],
)
def test_labels_of_turns_are_of_the_turns_that_a_column_says(text, words, with_turns):
    told, rows = with_turns(text, *words)
    assert rows == [("quality", "turn:1", "4"), ("quality", "turn:3", "5")]
    assert ("aren't read (--columns OURS=THEIRS names them): note\n" in told) == ("note" in text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TURNS.format(turn="Zug"), "line 2: which turn isn't said"),
        (TURNS.format(turn="turn").replace(",3,", ",4,"), "line 3: turn 4: the conversation has 4"),
        (TURNS.format(turn="turn").replace(",3,", ",2,"), "line 3: turn 2: it is a person's"),
        (TURNS.format(turn="turn").replace(",3,", ",x,"), "line 3: turn: expected a va"),
    ],
)
def test_labels_of_turns_that_are_not_there_are_refused(text, says, with_turns):
    told, rows = with_turns(text, code=2)
    assert says in told
    assert rows == []
