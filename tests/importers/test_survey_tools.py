"""Answers as tools write them in which people answer: what a row is, who is judged, and what isn't to be used."""

import csv
import json

import pytest

from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from tests.case_tables import case_table

TALKS = [f"{bot}{n}" for bot in ("ada", "bob") for n in range(3)]
WORKERS = ("w1", "w2", "w3")
RATINGS = {(talk, worker): (3 if talk < "b" else 2) + place for talk in TALKS for place, worker in enumerate(WORKERS)}
"""Of each conversation by each annotator: w3 gives 5 to ada."""


@pytest.fixture
def rated(run, tmp_path):
    """A study of chats of people with two bots, and a function that imports ratings into it."""
    chats = []
    for talk in TALKS:
        messages = [{"role": role, "content": f"{role} of {talk}"} for role in ("user", "assistant") * 2]
        chats.append({"conversation_id": talk, "model": talk[:3], "messages": messages})
    (tmp_path / "chats.jsonl").write_text("\n".join(map(json.dumps, chats)))
    study = tmp_path / "study"
    assert run("--format", "messages", "--data", tmp_path / "chats.jsonl", "--study", study)[0] == 0

    def bring(path, *words, survey="dialogue_likert", code=0):
        given = ["--format", "judgements", "--survey", survey, "--study", study, "--data", path, *words]
        ended, out, err = run(*given)
        assert ended == code, out + err
        return out + err

    bring.study = study
    return bring


def means(path, survey="dialogue_likert"):
    """The mean of each bot's answers, whose target is the bot."""
    study = Study.open(path)
    by_id = {talk.conversation_id: talk for talk in study.conversations()}
    found = {}
    for row in study.judgements(survey):
        bot = by_id[row.conversation_ids[0]].entities[int(row.target[-1])]
        found.setdefault(bot, []).append(int(row.answer))
    return {bot: (len(values), sum(values) / len(values)) for bot, values in found.items()}


def written(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


SHAPES = {
    "wide": lambda: [["worker_id", "conversation_id", "quality"], *([w, t, r] for (t, w), r in RATINGS.items())],
    "numbered": lambda: [["worker_id", "conversation_id", "quality1"], *([w, t, r] for (t, w), r in RATINGS.items())],
    "words": lambda: [["worker_id", "conversation_id", "q"], *([w, t, f"level {r}"] for (t, w), r in RATINGS.items())],
    "long": lambda: [
        ["worker_id", "conversation_id", "question", "answer"],
        *([w, t, "quality", float(r)] for (t, w), r in RATINGS.items()),
    ],
    "headings": lambda: [
        ["worker_id", "conversation_id", "q"],
        ["Your id", "conversation_id", "How good is the speaker?"],
        ['{"ImportId":"QID1"}', '{"ImportId":"conversation_id"}', '{"ImportId":"QID2"}'],
        *([w, t, r] for (t, w), r in RATINGS.items()),
    ],
    "mturk": lambda: [
        ["WorkerId", "Input.conversation_id", "Answer.quality"],
        *([w, t, r] for (t, w), r in RATINGS.items()),
    ],
    "other names": lambda: [["Rater", "dialog_id", "Quality"], *([w, t, r] for (t, w), r in RATINGS.items())],
    "options": lambda: [
        ["worker_id", "conversation_id", *(f"quality:::{n}" for n in range(1, 6))],
        *([w, t, *((r if n == r else "") for n in range(1, 6))] for (t, w), r in RATINGS.items()),
    ],
    "rounds": lambda: [
        ["worker_id", *(f"rate.{n}.player.{name}" for n in range(6) for name in ("conversation_id", "quality"))],
        *([w, *(value for t in TALKS for value in (t, RATINGS[t, w]))] for w in WORKERS),
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_tools_say_the_same(shape, rated, tmp_path):
    words = []
    if shape in ("headings", "words"):
        words = ["--columns", "quality=q", "--answers", ",".join(f"level {n}={n}" for n in range(1, 6))]
    rated(written(tmp_path / "answers.csv", SHAPES[shape]()), *words)
    assert means(rated.study) == {"ada": (9, 4), "bob": (9, 3)}


def test_objects_within_rows(rated, tmp_path):
    rows = [{"content_id": t, "who": w, "labels": {"overall": r, "comment": "ok"}} for (t, w), r in RATINGS.items()]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    rated(tmp_path / "labels.jsonl", "--columns", "conversation_id=content_id,worker_id=who,quality=labels.overall")
    assert means(rated.study) == {"ada": (9, 4), "bob": (9, 3)}


def argilla(talk):
    """A record of Argilla: what three people submitted of a conversation, and what one discarded."""
    submitted = [{"user_id": w, "value": RATINGS[talk, w], "status": "submitted"} for w in WORKERS]
    return {"responses": {"quality": [*submitted, {"user_id": "w4", "value": 1, "status": "discarded"}]}}


SEVERAL = {
    "scores": lambda talk: {"quality": [RATINGS[talk, w] for w in WORKERS], "raters": WORKERS, "tokens": "[]"},
    "scores as text": lambda talk: {"quality": str([RATINGS[talk, w] for w in WORKERS]), "raters": WORKERS},
    "argilla": argilla,
    "argilla by columns": lambda talk: {
        "quality.responses": [RATINGS[talk, w] for w in WORKERS],
        "quality.responses.users": WORKERS,
    },
}


@pytest.mark.parametrize("shape", SEVERAL)
def test_several_annotators_in_a_row(shape, rated, tmp_path):
    rows = [{"metadata": {"conversation_id": talk}, **SEVERAL[shape](talk)} for talk in TALKS]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    rated(tmp_path / "a.jsonl")
    assert means(rated.study) == {"ada": (9, 4), "bob": (9, 3)}


def test_whose_the_places_in_lists_of_scores_are_is_asked(rated, tmp_path):
    rows = [{"conversation_id": talk, "quality": [RATINGS[talk, w] for w in WORKERS]} for talk in TALKS]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = rated(tmp_path / "a.jsonl", code=2)
    assert "--columns worker_id=place_in_list. Of systems or criteria: make a column of each" in " ".join(told.split())
    rated(tmp_path / "a.jsonl", "--columns", "worker_id=place_in_list")
    assert means(rated.study) == {"ada": (9, 4), "bob": (9, 3)}


def test_ratings_of_several_answers_in_a_row_are_of_the_conversations_of_that_file(run, tmp_path):
    answers = [
        {"response": "hello", "model": "ada", "Overall": [4, 5]},
        {"response": "go", "model": "bob", "Overall": [1, 2]},
    ]
    rows = [
        {"context": f"hi\nyes\nwhat {n}?", "fact": "", "annotators": ["u", "v"], "responses": answers} for n in range(2)
    ]
    (tmp_path / "usr.json").write_text(json.dumps(rows))
    words = ["--data", tmp_path / "usr.json", "--study", tmp_path / "s"]
    assert run("--format", "messages", *words)[0] == 0
    assert run("--format", "judgements", *words, "--survey", "dialogue_likert", "--columns", "quality=Overall")[0] == 0
    assert means(tmp_path / "s") == {"ada": (4, 4.5), "bob": (4, 1.5)}
    assert {row.worker_id for row in Study.open(tmp_path / "s").judgements("dialogue_likert")} == {"u", "v"}


LONG = {"worker_id": "w", "question": "quality", "answer": 3}


@pytest.mark.parametrize(
    ("good", "change", "reason"),
    [
        (LONG, {"question": ""}, "row without a question"),
        (LONG, {"question": []}, "row without a question"),
        ({"quality": [3, 4], "annotators": ["u", "v"]}, {"annotators": None}, "row without an annotator"),
        ({"quality": [3, 4], "annotators": ["u", "v"]}, {"annotators": ["u"]}, "row without an annotator"),
    ],
)
def test_a_row_that_lacks_what_others_say_is_left_out(good, change, reason, rated, tmp_path):
    rows = [{"conversation_id": talk, **good} for talk in TALKS]
    rows[0] |= change
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = rated(tmp_path / "a.jsonl", code=1)
    assert f"× {reason}" in told
    assert {row.question for row in Study.open(rated.study).judgements("dialogue_likert")} == {"quality"}
    assert means(rated.study)["ada"][0] < means(rated.study)["bob"][0]


@pytest.mark.parametrize(
    ("column", "word"),
    [("AssignmentStatus", "Rejected"), ("Status", "Survey Preview"), ("status", "TIMED-OUT"), ("Status", "Spam")],
)
def test_rejected_and_preview_rows_are_left_out_and_counted(column, word, rated, tmp_path):
    rows = [[w, t, r, word if w == "w3" else "Approved"] for (t, w), r in RATINGS.items()]
    told = rated(written(tmp_path / "a.csv", [["worker_id", "conversation_id", "quality", column], *rows]))
    assert "6 rejected, preview or check rows left out" in told
    assert means(rated.study) == {"ada": (6, 3.5), "bob": (6, 2.5)}
    kept = Study.open(rated.study).provenance()["import_judgements"]["a.csv"]
    assert kept["left_out"] == {"rejected, preview or check row": 6}


@pytest.mark.parametrize("headings", [True, False])
def test_numbers_of_qualtrics_say_what_is_a_preview(headings, rated, tmp_path):
    rows = [[w, t, r, {"w3": "1"}.get(w, "0")] for (t, w), r in RATINGS.items()]
    names = [["worker_id", "conversation_id", "quality", "Status"]]
    if headings:
        names.append(['{"ImportId":"QID1"}', '{"ImportId":"c"}', '{"ImportId":"QID2"}', '{"ImportId":"status"}'])
    told = rated(written(tmp_path / "a.csv", names + rows))
    assert ("6 rejected, preview or check rows left out" in told) == headings
    assert means(rated.study)["ada"][0] == (6 if headings else 9)


def test_what_is_read_under_other_names_is_told(rated, tmp_path):
    told = rated(written(tmp_path / "a.csv", SHAPES["mturk"]()))
    named = "conversation_id from Input.conversation_id; worker_id from WorkerId; quality from Answer.quality"
    assert f"note: read: {named}" in told


@case_table(__file__, "refused")
def test_what_is_refused_says_what_to_do(head, row, says, rated, tmp_path):
    path = written(tmp_path / "answers.csv", [head.split(","), row.split(",")])
    told = rated(path, code=2)
    for part in says:
        assert part in told, told
    assert not (rated.study / "surveys").exists() or not list(rated.study.glob("surveys/*/judgements.jsonl"))


@pytest.mark.parametrize("name", ["spot_the_bot", "spot_the_user", "dialogue_likert", "comparative", "acute_eval"])
def test_every_question_of_a_survey_has_a_column(name):
    from parlai_spotbot.importers.judgements import wide_fields

    survey = get_survey(name)
    fields = wide_fields(survey)
    assert {question for question, _ in fields.values()} == {question.name for question in survey.main}
    for question, target in fields.values():
        assert target in ("", *survey.question(question).targets)


def test_one_yaml_file_names_columns_and_answers(rated, tmp_path):
    words = {"1": "eins", "2": "zwei", "3": "drei", "4": "vier", "5": "f\xfcnf"}
    rows = [["Bewerter", "Gespr\xe4ch", "G\xfcte"], *([w, t, words[str(r)]] for (t, w), r in RATINGS.items())]
    path = tmp_path / "antworten.csv"
    path.write_bytes("\n".join(";".join(row) for row in rows).encode("cp1252"))
    names = tmp_path / "names.yaml"
    names.write_text(
        "columns:\n  worker_id: Bewerter\n  conversation_id: Gespr\xe4ch\n  quality: G\xfcte\n"
        "answers:\n" + "".join(f"  {theirs}: '{ours}'\n" for ours, theirs in words.items()),
        encoding="utf-8",
    )
    assert "take it as --encoding" in rated(path, "--columns", names, code=2)
    assert "--encoding cp12: unknown" in rated(path, "--columns", names, "--encoding", "cp12", code=2)
    rated(path, "--columns", names, "--encoding", "cp1252")
    assert means(rated.study) == {"ada": (9, 4), "bob": (9, 3)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("columns: {quality: yes}", "columns.quality: expected a valid string, found 'True'"),
        ("colums: {quality: q}", "unknown key 'colums'. Did you mean 'columns'"),
        ("quality: q", "unknown key 'quality'"),
        ("[quality]", "expected"),
    ],
)
def test_a_wrong_file_of_columns_is_named(rated, tmp_path, text, says):
    (tmp_path / "names.yaml").write_text(text)
    (tmp_path / "a.csv").write_text("worker_id,conversation_id,quality\nw,ada0,3\n")
    assert says in " ".join(rated(tmp_path / "a.csv", "--columns", tmp_path / "names.yaml", code=2).split())


def test_the_first_bytes_of_a_file_go_before_the_encoding_that_is_named(rated, tmp_path):
    rows = "worker_id,conversation_id,quality\n" + "".join(f"{w},{t},{r}\n" for (t, w), r in RATINGS.items())
    (tmp_path / "a.csv").write_text(rows, encoding="utf-8-sig")
    rated(tmp_path / "a.csv", "--encoding", "utf-16")
    (tmp_path / "b.csv").write_text(rows, encoding="utf-8")
    assert "UTF-16" in rated(tmp_path / "b.csv", "--encoding", "utf-16", code=2)
    assert means(rated.study)["ada"] == (9, 4)
