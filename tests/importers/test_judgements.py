"""Judgements from CSV and JSON Lines: columns by name, answers by name, errors by file, line and field."""

import json

import pytest
from annotated import annotations_frame

from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study

HEADER = "talk,k,rater,verdict_a,verdict_b,fluency,sensibleness,specificity,secs"
COLUMNS = "conversation_id=talk,worker_id=rater,nature0=verdict_a,nature1=verdict_b,seconds=secs"


@pytest.fixture
def study(run, tmp_path):
    path = tmp_path / "chats.jsonl"
    dialog = [[{"id": "a", "text": f"a{i}"}, {"id": "b", "text": f"b{i}"}] for i in range(4)]
    people = [[{"id": "human", "text": "x"}, {"id": "human", "text": "y"}] for _ in range(4)]
    rows = [{"conversation_id": f"c{n}", "dialog": people if n == 3 else dialog} for n in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("--format", "conversations", "--data", path, "--study", tmp_path / "study")[0] == 0
    return Study.open(tmp_path / "study")


@pytest.fixture
def wide(tmp_path):
    def write(*lines, header=HEADER, name="answers.csv"):
        path = tmp_path / name
        path.write_text("\n".join([header, *lines]) + "\n")
        return path

    return write


GOOD = ("c0,2,w1,H,B,0,1,same,12.5", "c1,3,w2,U,B,1,1,0,", 'c3,2,"w3",H,H,same,same,same,9')
WORDS = ["--columns", COLUMNS, "--answers", "H=human,B=bot,U=unsure,0=entity:0,1=entity:1,same=no_difference"]


def test_a_row_an_annotation(study, run, wide):
    words = ["--format", "judgements", "--data", wide(*GOOD), "--study", study.path, *WORDS]
    code, out, err = run(*words)
    assert code == 0, err
    assert "15 judgements by 3 annotators read, 15 of them new" in out
    frame = annotations_frame(study.judgements("spot_the_bot"), study.conversations()).frame.set_index("worker_id")
    assert frame.loc["w1", ["a", "b", "k", "nature0", "nature1", "seconds"]].tolist() == [
        "a",
        "b",
        2,
        "human",
        "bot",
        12.5,
    ]
    assert frame.loc["w1", ["fluency", "sensibleness", "specificity"]].tolist() == [1, -1, 0]
    assert frame["seconds"].isna().tolist().count(True) == 1


def test_a_row_an_annotation_has_the_features_that_the_study_asks(study, run, wide):
    pack_study(study, segments=(2, 3), ask=("fluency",))
    words = ["--format", "judgements", "--study", study.path, *WORDS]
    code, _, err = run(*words, "--data", wide(*GOOD))
    assert (code, "column 'sensibleness' answers what this study doesn't ask" in err) == (2, True)
    head = HEADER.replace("sensibleness,specificity,", "")
    code, out, err = run(*words, "--data", wide("c0,2,w1,H,B,0,12.5", header=head))
    assert code == 0, err
    assert "3 judgements by 1 annotator read" in out
    assert [row.question for row in study.judgements("spot_the_bot")] == ["nature", "nature", "fluency"]


def test_the_same_again_and_more(study, run, wide):
    words = ["--format", "judgements", "--study", study.path, *WORDS]
    run(*words, "--data", wide(*GOOD))
    before = study.judgements_path("spot_the_bot").read_bytes()
    assert "0 of them new" in run(*words, "--data", wide(*GOOD))[1]
    assert study.judgements_path("spot_the_bot").read_bytes() == before
    assert "5 of them new" in run(*words, "--data", wide(*GOOD, "c2,2,w1,H,H,0,0,0,1"))[1]
    assert study.judgements_path("spot_the_bot").read_bytes().startswith(before)


def frame_of(study):
    found = annotations_frame(study.judgements("spot_the_bot"), study.conversations())
    return found.frame.set_index("worker_id"), sum(found.left_out.get("human", {}).values())


def test_a_changed_answer_replaces_the_earlier_one(study, run, wide):
    words = ["--format", "judgements", "--study", study.path, *WORDS]
    run(*words, "--data", wide(*GOOD))
    before = study.judgements_path("spot_the_bot").read_bytes()
    changed = "c0,2,w1,B,B,0,1,same,12.5"
    code, out, err = run(*words, "--data", wide(changed))
    assert code == 0, err
    assert "5 judgements by 1 annotator read, 1 of them new" in out
    assert "note: 1 annotation repeated by the same annotator: the last one counts" in out
    assert study.provenance()["import_judgements"]["answers.csv"]["repeated"] == 1
    after = study.judgements_path("spot_the_bot").read_bytes()
    assert after.startswith(before)
    frame, left_out = frame_of(study)
    assert (frame.loc["w1", ["nature0", "nature1", "fluency"]].tolist(), left_out) == (["bot", "bot", 1], 1)
    assert "0 of them new" in run(*words, "--data", wide(changed))[1]
    assert study.judgements_path("spot_the_bot").read_bytes() == after
    assert len({row.judgement_id for row in study.judgements("spot_the_bot")}) == 16


@pytest.mark.parametrize("ids", [["", "", ""], ["a", "b", "c"], ["a", "a", "a"]])
def test_rows_of_one_annotator_on_one_segment_count_once(study, run, wide, ids):
    """In one file: the same row, and before it one with other answers."""
    rows = ["c0,2,w1,B,H,1,1,same,9", GOOD[0], GOOD[0]]
    lines = [*(f"{row},{name}" for row, name in zip(rows, ids, strict=True)), GOOD[1] + ","]
    head = HEADER + ",annotation_id" if any(ids) else HEADER
    data = wide(*(lines if any(ids) else [line[:-1] for line in lines]), header=head)
    code, out, err = run("--format", "judgements", "--data", data, "--study", study.path, *WORDS)
    assert code == 0, err
    assert "note: 2 annotations repeated by the same annotator" in out
    frame, _ = frame_of(study)
    assert sorted(frame.index) == ["w1", "w2"]
    assert frame.loc["w1", ["nature0", "nature1", "fluency"]].tolist() == ["human", "bot", 1]


def test_an_annotation_id_of_two_items_is_refused(study, run, wide):
    lines = [f"{GOOD[0]},a", "c1,2,w1,H,B,0,1,same,1,a"]
    words = ["--format", "judgements", "--study", study.path, *WORDS]
    code, _, err = run(*words, "--data", wide(*lines, header=HEADER + ",annotation_id"))
    assert (code, "line 3: annotation 'a' is of another annotator or item on" in err) == (2, True)


def test_own_judgements_come_back(study, run, wide, tmp_path):
    """The long shape, as this package writes it, controls and all."""
    run("--format", "judgements", "--data", wide(*GOOD), "--study", study.path, *WORDS)
    rows = [{**j.to_json(), "conversation_id": j.conversation_ids[0]} for j in study.judgements("spot_the_bot")]
    rows[0]["control"] = "repeat"
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    judgements = study.judgements("spot_the_bot")
    study.judgements_path("spot_the_bot").unlink()
    assert run("--format", "judgements", "--data", path, "--study", study.path)[0] == 0
    again = study.judgements("spot_the_bot")
    assert again[0].control == "repeat"
    assert [j.answer for j in again] == [j.answer for j in judgements]
    assert [j.target for j in again] == [j.target for j in judgements]


BAD = [
    ((GOOD[0], "c9,2,w1,H,B,0,1,same,1"), WORDS, "line 3: field 'talk' names 'c9', which is not among"),
    (("c0,9,w1,H,B,0,1,same,1",), WORDS, "field 'k' is 9, but conversation c0 has 4 exchanges"),
    (("c0,two,w1,H,B,0,1,same,1",), WORDS, "field 'k' (exchanges) is 'two', expected a whole number"),
    (("c0,2,w1,humn,B,0,1,same,1",), WORDS, "line 2: field 'verdict_a' (nature0) is 'humn'. Did you mean 'human'?"),
    (("c0,2,,H,B,0,1,same,1",), WORDS, "field 'rater' (worker_id) is empty"),
    (("c0,2,w1,H,B,0,1,same,-1",), WORDS, "field 'secs' (seconds) is '-1', expected seconds"),
    (("c0,2,w1,H,B,0,1",), WORDS, "line 2: has not the 9 fields of the header"),
    (GOOD, ["--columns", "nature0=verdicta"], "has no column 'verdicta'. Did you mean 'verdict_a'?"),
    (GOOD, ["--columns", "natur0=verdict_a"], "there is no field 'natur0'. Did you mean 'nature0'?"),
    (GOOD, ["--columns", "nature0"], "'nature0' is not of the form A=B"),
    (GOOD, [], "has no column 'conversation_id'."),
    ((), WORDS, "holds no rows"),
]


@pytest.mark.parametrize(("lines", "words", "says"), BAD, ids=[says[:50] for *_, says in BAD])
def test_bad_input_is_one_error_and_changes_nothing(study, run, wide, fingerprint, lines, words, says):
    before = fingerprint(study.path)
    code, _, err = run("--format", "judgements", "--data", wide(*lines), "--study", study.path, *words)
    assert code == 2
    assert says in err
    assert fingerprint(study.path) == before


def test_an_unknown_question_is_named(study, run, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(
        "conversation_id,exchanges,worker_id,question,target,answer\n"
        "c0,2,w1,nature,entity:0,human\nc0,2,w1,natur,entity:1,human\n"
    )
    code, _, err = run("--format", "judgements", "--data", path, "--study", study.path)
    assert code == 2
    assert "line 3: question 'natur' about target 'entity:1'. Did you mean 'nature about entity:1'?" in err


def test_without_a_study_there_is_nothing_to_judge(run, wide, tmp_path):
    code, _, err = run("--format", "judgements", "--data", wide(*GOOD), "--study", tmp_path / "none", *WORDS)
    assert (code, "no study here" in err) == (2, True)
    assert not (tmp_path / "none").exists()


@pytest.fixture
def pairs(run, tmp_path):
    """A study of self-chats, and one of two bots with each other, for surveys that compare."""
    rows = [
        {"conversation_id": f"{bot}{n}", "dialog": [[{"id": bot, "text": "x"}, {"id": bot, "text": "y"}]] * 3}
        for bot in ("ann", "bob")
        for n in range(2)
    ]
    rows.append({"conversation_id": "both", "dialog": [[{"id": "ann", "text": "x"}, {"id": "bob", "text": "y"}]] * 3})
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("--format", "conversations", "--data", path, "--study", tmp_path / "study")[0] == 0
    return Study.open(tmp_path / "study")


def compared(tmp_path, *rows, head="conversation_ids,worker_id,question,target,answer"):
    path = tmp_path / "compared.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def test_a_survey_that_compares_keeps_both_conversations(pairs, run, tmp_path):
    path = compared(tmp_path, "bob1 ann0,w1,engagingness,pair,conversation:1", "ann1 bob0,w2,engagingness,pair,B")
    words = ["--format", "judgements", "--survey", "acute_eval", "--study", pairs.path, "--answers", "B=conversation:0"]
    code, _, err = run(*words, "--data", path)
    assert code == 0, err
    found = pairs.judgements("acute_eval")
    assert [(j.conversation_ids, j.answer, j.exchanges) for j in found] == [
        (("bob1", "ann0"), "conversation:1", 3),
        (("ann1", "bob0"), "conversation:0", 3),
    ]
    own = tmp_path / "own.jsonl"
    own.write_text("".join(json.dumps(j.to_json()) + "\n" for j in found))
    pairs.judgements_path("acute_eval").unlink()
    assert run(*words[:-2], "--data", own)[0] == 0
    assert Study.open(pairs.path).judgements("acute_eval") == found


REFUSED = [
    (
        "conversation_id,worker_id,question,target,answer",
        "ann0,w1,engagingness,pair,conversation:0",
        "has no column 'conversation_ids', but survey acute_eval compares two conversations",
    ),
    (None, "ann0,w1,engagingness,pair,conversation:0", "line 2: field 'conversation_ids' names ann0, expected two"),
    (None, "ann0 ann0,w1,engagingness,pair,conversation:0", "names ann0, ann0, expected two different conversations"),
    (None, "ann0 bob7,w1,engagingness,pair,conversation:0", "names 'bob7', which is not among the study's 5"),
    (None, "ann0 bob0,w1,engagement,pair,conversation:0", "Did you mean 'engagingness about pair'?"),
    (None, "ann0 bob0,w1,engagingness,entity:0,conversation:0", "question 'engagingness' about target 'entity:0'"),
    (None, "ann0 bob0,w1,engagingness,pair,neither", "field 'answer' (answer) is 'neither'"),
    (None, "ann0 both,w1,engagingness,pair,conversation:0", "which of ann and bob is judged in conversation both"),
]


@pytest.mark.parametrize(("head", "row", "says"), REFUSED, ids=[says[:40] for *_, says in REFUSED])
def test_what_the_analysis_would_refuse_is_refused_before_anything_is_written(
    pairs, run, tmp_path, fingerprint, head, row, says
):
    path = compared(tmp_path, row, **({"head": head} if head else {}))
    before = fingerprint(pairs.path)
    code, _, err = run("--format", "judgements", "--survey", "acute_eval", "--study", pairs.path, "--data", path)
    assert code == 2
    assert says in err
    assert fingerprint(pairs.path) == before


def test_votes_have_a_format_of_their_own(pairs, run, tmp_path):
    path = compared(tmp_path, "ann0 bob0,w1,preference,pair,a")
    code, _, err = run("--format", "judgements", "--survey", "votes", "--study", pairs.path, "--data", path)
    assert (code, "Use --format votes." in err) == (2, True)
