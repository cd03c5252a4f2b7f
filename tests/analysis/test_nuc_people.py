"""People's choices among next turns: recall, tests, votes, agreement, who took part, clear errors."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.nuc.people import pooled
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings.analyze import analyze as analyze_study
from parlai_spotbot.nuc.background import NucBackground, background_of, matched
from parlai_spotbot.records import Item
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.nuc_questions import NucQuestion
from parlai_spotbot.surveys.packing.candidates import key_of
from tests.analysis.computing import analyze
from tests.analysis.made_up import chosen, next_turns, said, scored
from tests.sealing import sealed

# -- arrays ----------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 30), min_size=1))
def test_what_few_people_answered_is_pooled_so_that_nobody_can_be_made_out(counts):
    found = pooled(counts)
    assert sorted(name for names, _ in found for name in names) == sorted(counts)
    assert sum(count for _, count in found) == sum(counts.values())
    total = sum(counts.values())
    for names, count in found:
        assert count == sum(counts[name] for name in names)
        assert count == 0 or count >= 5 or count == total


# -- a study -----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made = next_turns(tmp_path_factory.mktemp("nuc") / "study")
    scored(made)
    return made


@pytest.fixture(scope="module")
def analysed(study):
    return analyze_study(study, "nuc", bootstraps=100)


@pytest.fixture(scope="module")
def human(analysed):
    return {stem: value["by_source"]["human"] for stem, value in analysed.items()}


def kept(study):
    """(group, corpus, first is right, second is right) of every answer that counts, counted again."""
    key, groups = key_of(study.load("nuc")), {unit.unit_id: unit.group for unit in study.units("nuc")}
    found = {}
    for row in study.judgements("nuc"):
        if row.worker_id != "w00" and row.control is None and row.target != "annotator":
            question = key[row.item_id]
            own = found.setdefault(row.annotation_id, [groups[row.unit_id], question.corpus, 0, 0])
            own[2 if row.question == "first" else 3] = int(row.answer == f"candidate:{question.true}")
    return list(found.values())


def test_recall_by_corpus_and_group_is_what_was_answered(study, human):
    answers = kept(study)
    table = {(row["by"], row["who"], row["corpus"]): row for row in human["recall"].rows("recall")}
    for group in ("paid", "lab"):
        for corpus in ("movies", "ubuntu"):
            own = [row for row in answers if row[:2] == [group, corpus]]
            found = table["group", group, corpus]
            assert found["answers"] == len(own)
            assert found["recall1"] == pytest.approx(np.mean([row[2] for row in own]))
            assert found["recall2"] == pytest.approx(np.mean([row[2] or row[3] for row in own]))
            assert found["recall1_wilson"] == pytest.approx(wilson(sum(row[2] for row in own), len(own)))
    whole = table["", "everybody", "all"]
    assert whole["annotators"] == 31
    assert whole["answers"] == len(answers) == 31 * 12
    low, high = whole["recall1_wilson"]
    assert whole["recall1_high"] - whole["recall1_low"] > high - low


def test_who_failed_a_check_is_left_out_and_counted(analysed, human):
    left_out = human["annotators"]["annotators"].set_index("worker_id")["left_out"]
    assert left_out[left_out != ""].to_dict() == {"w00": "missed a control"}
    everybody, kept = human["annotators"].rows("with_everybody")
    assert (everybody["n"], kept["n"]) == (32 * 12, 31 * 12)
    assert everybody["sentence"] == (
        f"With everybody's answers Recall@1 is {100 * everybody['estimate']:.1f}% in place of "
        f"{100 * kept['estimate']:.1f}%."
    )
    assert analysed["recall"]["made_by"]["left_out"]["human"]["annotation by somebody who missed a control"] == 12
    assert human["questionnaire"].one("whole") == {"annotators": 31, "left_out": 1}


def test_people_against_models(human):
    rows = human["recall"].rows("against_models")
    own = next(
        r
        for r in rows
        if (r["measure"], r["who"], r["corpus"], r["contestant"]) == ("recall@1", "everybody", "all", "tfidf")
    )
    assert own["difference"] == pytest.approx(own["people"] - 0.2)
    assert own["p_adjusted"] < 0.001
    assert all(row["p_adjusted"] is None or row["p_adjusted"] >= row["p"] for row in rows)


def test_the_questionnaire_counts_who_says_nothing_with_who_would_rather_not(study, human):
    cells = human["questionnaire"].rows("questionnaire")
    gender = [cell for cell in cells if cell["name"] == "gender" and cell["n"]]
    assert [(cell["values"], cell["n"]) for cell in gender] == [(["untold"], 31)]
    assert sum(cell["n"] for cell in cells if cell["name"] == "age") == 31
    assert all(cell["n"] == 0 or cell["n"] >= 5 for cell in cells)
    assert "Ubuntu" in cells[-1]["wording"]


# -- small cases -------------------------------------------------------------------------------------------------------
QUESTION = NucQuestion("q", "movies", "c1", ("how are you?",), (0, 1), ("fine", "seven", "blue"), 0)
ITEM = Item("i", ("c1",), 1, ((),), judged=(1,), candidates=QUESTION.candidates)
BACKGROUND = NucBackground({"i": QUESTION}, {"u": ""})


def analyse(judgements, facts=BACKGROUND, survey=None):
    return analyze(judgements, [], "nuc", nuc=facts, items=[ITEM], asked=survey or get_survey("nuc"), bootstraps=20)


def one(worker, first, second, **changed):
    made = chosen(f"a-{worker}", "u", ITEM, f"candidate:{first}", f"candidate:{second}", worker)
    return [replace(row, **changed) for row in made]


def test_one_person_who_answered_alone_is_told_without_what_cant_be_known():
    result = analyse([*one("x", 0, 1), *said("x", "u", age="21-30")])
    found = {stem: value["by_source"]["human"] for stem, value in result.items()}
    assert found["recall"].one("recall")["recall1"] == 1.0
    (first,) = (row for row in found["agreement"].rows("alpha") if row["question"] == "first")
    assert first["alpha"] is None
    assert "against_models" not in found["recall"]
    # nobody can be made out: a single person's answers are one pool
    assert all(len(cell["values"]) >= 1 for cell in found["questionnaire"].rows("questionnaire"))


def test_answers_that_dont_fit_the_question_are_left_out_and_counted():
    result = analyse(
        [*one("x", 0, 1), *one("y", 1, 1), *one("z", 4, 0), *one("v", 0, 1)[:1], *one("w", 0, 1, item_id="other")]
    )
    made_by = result["recall"]["made_by"]
    assert made_by["used"] == {"human": 1}
    assert made_by["left_out"]["human"] == {
        "incomplete annotation": 1,
        "question that isn't among the study's": 1,
        "choice that the question hasn't, or the same twice": 2,
    }


def test_scores_are_found_by_text_where_people_saw_fewer_candidates():
    class Row:
        question_id, values = "q", (1.0, 2.0, 3.0, 4.0)

    wide = replace(QUESTION, candidates=("blue", "x", "fine", "seven"), true=2)
    assert list(matched({"i": QUESTION}, {"q": wide}, [Row])["i"]) == [3.0, 4.0, 1.0]
    other = replace(wide, candidates=("blue", "x", "fine", "eight"))
    assert matched({"i": QUESTION}, {"q": other}, [Row]) == {} == matched({"i": QUESTION}, {}, [Row])


def test_questions_that_a_model_has_not_scored_are_counted_and_left_out(study, tmp_path):
    assert background_of(study.load("nuc")).unscored == {"tfidf": 0, "eliza": 0}
    shutil.copytree(study.path, tmp_path / "copy")
    path = tmp_path / "copy" / "nuc" / "scores" / "eliza.jsonl"
    asked = sorted(question.question_id for question in key_of(study.load("nuc")).values())
    lines = [line for line in path.read_text().splitlines() if asked[0] not in line]
    path.write_text("".join(f"{line}\n" for line in lines))
    sealed(tmp_path / "copy")
    facts = background_of(Study.open(tmp_path / "copy").load("nuc"))
    assert facts.unscored == {"tfidf": 0, "eliza": 1}
    assert len(facts.models["eliza"]) == len(facts.models["tfidf"]) - 1
