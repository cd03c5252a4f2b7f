"""The project next_utterance_classification: the paper's figures, tables, a quick run that goes on, clear errors."""

import csv
import json
from functools import partial

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.projects.cells import paper_values
from parlai_spotbot.projects.next_utterance_classification import reproduce, steps, tables
from parlai_spotbot.projects.next_utterance_classification.__main__ import main
from parlai_spotbot.projects.next_utterance_classification.steps import NucStudySettings
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.nuc_questions import read_questions


def figures(estimate):
    return {"estimate": estimate, "ci": [estimate - 0.1, estimate + 0.1]}


RANKING = {
    "questions": {"corpus": "chitchat"},
    "chance": {"recall@1": 0.2, "recall@2": 0.4},
    "contestants": [
        {"contestant": "a", "way": "ranker", "main": True, "n": 9, "recall@1": figures(0.5), "recall@2": figures(0.7)}
    ],
    "comparisons": [],
    "cautions": {},
}


def test_the_papers_figures_are_those_of_its_tables():
    paper = paper_values("next_utterance_classification")
    assert paper["table2"]["AMT non-experts"]["corpora"]["movies"] == [65.9, 2.4, 79.8, 2.1]
    assert paper["table2"]["lab experts"]["corpora"]["twitter"] == [88.4, 7.0, 98.4, 2.7]
    assert paper["table2"]["dual encoder"]["corpora"]["ubuntu"] == [66.2, None, 83.7, None]
    assert [own["users"] for own in paper["table2"].values()] == [135, 10, 8, None]
    for name, own in paper["table1"].items():  # what the paper prints adds up to 100, but for gender, and rounding
        assert sum(own.values()) == pytest.approx(101.0 if name == "gender" else 100.0, abs=1.5)


def test_without_people_there_are_no_figures_of_people():
    made = tables.table2(RANKING, None)
    assert tables.NOBODY in made.notes
    assert not [cell for cell in made.cells if cell.row.startswith("people") or (cell.ours and "(paper)" in cell.row)]
    assert all(cell.reached is None for cell in made.cells)  # of other corpora: nothing is to be reached
    own = {cell.column: cell.ours for cell in made.cells if cell.row.startswith("a, chitchat")}
    assert own["recall@1"] == 0.5
    assert own["recall@1 low"] == pytest.approx(0.4)
    assert all(cell.ours is None for cell in tables.table1(None).cells)


def test_peoples_figures_stand_beside_where_people_answered():
    row = {"kind": "people", "by": "", "who": "everybody", "corpus": "chitchat", "annotators": 7}
    row |= {"recall1": 0.6, "recall1_low": 0.5, "recall1_high": 0.7}
    row |= {"recall2": 0.8, "recall2_low": 0.7, "recall2_high": 0.9}
    cell = {"question": "Age", "label": "21 to 30", "share": 1.0}
    people = {
        "recall": {"by_source": {"human": Frames.from_tables({"recall": row})}},
        "questionnaire": {"by_source": {"human": Frames.from_tables({"questionnaire": cell})}},
    }
    made = tables.table2(RANKING, people)
    assert tables.NOBODY not in made.notes
    assert {c.column: c.ours for c in made.cells if c.row == "people: everybody, chitchat"}["recall@2"] == 0.8
    assert [c.ours for c in tables.table1(people).cells if c.ours is not None] == [1.0]


@pytest.mark.parametrize("wrong", [{"questions": 1}, {"epochs": 0}])
def test_numbers_with_which_nothing_can_be_done(tmp_path, wrong):
    with pytest.raises(UserError, match="too few"):
        reproduce.run(tmp_path, NucStudySettings(**wrong))
    assert not list(tmp_path.iterdir())


def test_errors_are_one_line_and_exit_code_2(tmp_path, capsys):
    out = str(tmp_path / "out")
    assert main(["--out", out, "--pool", "rules", "--only", "tfid"]) == 2
    assert "tfidf" in capsys.readouterr().err
    assert main(["--out", out, "--pool", "rules", "--only", "tfidf"]) == 2
    assert "two contestants" in capsys.readouterr().err


def test_another_study_in_the_folder_is_not_touched(tmp_path):
    make = partial(steps.study_of, tmp_path)
    made = make(NucStudySettings(pool="rules", only=("eliza", "alice")))
    before = made.plan_path.read_bytes()
    assert make(NucStudySettings(pool="rules", only=("eliza", "alice"))).plan == made.plan
    for other in (
        NucStudySettings(pool="rules", only=("eliza", "tfidf")),
        NucStudySettings(pool="rules", only=("eliza", "alice"), seed=4),
    ):
        with pytest.raises(UserError, match="other contestants, or another seed"):
            make(other)
    assert made.plan_path.read_bytes() == before


def test_a_trained_encoder_is_not_trained_again(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(steps, "carry_out", asked.append)
    first = steps.encoder_of(tmp_path, NucStudySettings(epochs=2, seed=3))
    assert asked[0][:3] == ["train_model", "-mf", str(first)]
    assert asked[0][-4:] == ["--num-epochs", "2", "--seed", "3"]
    assert steps.encoder_of(tmp_path, NucStudySettings(epochs=2, seed=3)) == first
    assert len(asked) == 1


@pytest.mark.slow
def test_a_command_that_fails_ends_the_run():
    with pytest.raises(UserError, match="exit code 2"):
        steps.carry_out(["spotbot_nuc", "--study", "/nowhere"])


def table2_of(out):
    with open(out / "table2.csv", encoding="utf-8") as file:
        return {(row["row"], row["column"]): row["ours"] for row in csv.DictReader(file)}


@pytest.mark.slow
def test_a_quick_run_scores_packs_and_tells_and_the_same_again_changes_nothing(tmp_path, capfd):
    arguments = ["--out", str(tmp_path / "out"), "--pool", "rules", "--only", "tfidf", "eliza", "--questions", "24"]
    assert main(arguments) == 0
    assert "spotbot_crowdsource" in capfd.readouterr().out
    study = Study.open(tmp_path / "out" / "study")
    questions = read_questions(study.path / "nuc" / "questions.jsonl")
    assert {len(question.candidates) for question in questions} == {5}
    assert len(questions) == 24
    assert {len(unit.items) for unit in study.units("nuc")} <= {5, 6}
    assert len(study.units("nuc")) == 40
    ranking = files.read_json(study.path / "nuc" / "analysis" / "ranking.json")
    rows = table2_of(tmp_path / "out")
    own = f"tfidf, {ranking['questions']['corpus']}"
    found = {row["contestant"]: row["recall@1"]["estimate"] for row in ranking["contestants"]}
    assert float(rows[own, "recall@1"]) == pytest.approx(found["tfidf"])
    kept = {
        path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file() and "lock" not in path.name
    }
    assert main(arguments) == 0
    assert {path: path.read_bytes() for path in kept} == kept


def test_figures_of_each_corpus_stand_in_table_2():
    two = {**RANKING, "corpora": [{**row, "corpus": "films", "n": 5} for row in RANKING["contestants"]]}
    made = tables.table2(two, None)
    own = {cell.column: cell.ours for cell in made.cells if cell.row.startswith("a, films alone")}
    assert own["recall@1"] == 0.5
    assert not [cell for cell in tables.table2(RANKING, None).cells if "alone" in cell.row]


@pytest.mark.slow
def test_two_corpora_in_one_run_one_of_them_from_parlais_downloads(tmp_path):
    """DailyDialog's format, made up in a folder of data: ParlAI takes it for downloaded, so nothing is fetched."""
    from parlai.core import build_data

    folder = tmp_path / "data" / "dailydialog"
    folder.mkdir(parents=True)
    for split in ("train", "valid", "test"):
        lines = []
        for number in range(40):
            texts = [f"{split} talk {number} says word{number * 7 + turn} aloud" for turn in range(6)]
            told = [{"text": text, "emotion": "no_emotion", "act": "inform"} for text in texts]
            lines.append(json.dumps({"fold": split, "topic": "work", "dialogue": told}))
        (folder / f"{split}.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    build_data.mark_done(str(folder), version_string="None")
    arguments = ["--out", str(tmp_path / "out"), "--pool", "rules", "--only", "tfidf", "eliza", "--questions", "24"]
    arguments += ["--corpora", "chitchat,dailydialog", "--datapath", str(tmp_path / "data")]
    assert main(arguments) == 0
    study = Study.open(tmp_path / "out" / "study")
    of = [question.corpus for question in read_questions(study.path / "nuc" / "questions.jsonl")]
    assert (of.count("chitchat"), of.count("dailydialog")) == (12, 12)
    rows = table2_of(tmp_path / "out")
    ranking = files.read_json(study.path / "nuc" / "analysis" / "ranking.json")
    whole = {row["contestant"]: row["recall@1"]["estimate"] for row in ranking["contestants"]}
    alone = [float(rows[f"tfidf, {corpus} alone", "recall@1"]) for corpus in ("chitchat", "dailydialog")]
    assert sum(alone) / 2 == pytest.approx(whole["tfidf"])
