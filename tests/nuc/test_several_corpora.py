"""Questions of several corpora in one run and in one survey: as many of each, and figures of each."""

import pytest

from parlai_spotbot import files
from parlai_spotbot.nuc.recall import RecallRequest, questions_of
from parlai_spotbot.nuc.results import analyse
from parlai_spotbot.nuc.scoring.scores import RANKER, CandidateScores
from parlai_spotbot.scripts.spotbot_pack import SpotbotPack
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.nuc_questions import read_questions
from tests.nuc.scoring_models import FORMS, WORDS
from tests.spoken import bots_of


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Two files of conversations, and a pool of one that guesses."""
    folder = tmp_path_factory.mktemp("corpora")
    texts = [form.format(word) for word in WORDS for form in FORMS]
    for name, step in (("films", 7), ("trains", 11)):
        rows = [{"turns": [f"{name} {texts[(step * i + 13 * t) % 80]} {i}" for t in range(8)]} for i in range(40)]
        files.write_jsonl(folder / f"{name}.jsonl", rows)
    (folder / "pool.yaml").write_text("guess: random_candidate\n", encoding="utf-8")
    return folder


POOL = bots_of(("guess", "other"), "random_candidate")


def asked(corpora, **change):
    both = f"{corpora / 'films.jsonl'},{corpora / 'trains.jsonl'}"
    return RecallRequest(**{"corpus": both, "questions": 31, "candidates": 5, **change})


def drawn(request):
    return questions_of(request, "chitchat", 0, lambda said: None)


def checked(request):
    request.check()
    return drawn(request)


def test_each_corpus_has_as_many_questions_with_distractors_of_its_own(corpora):
    found, about = drawn(asked(corpora))
    of = [question.corpus for question in found]
    assert (of.count("films"), of.count("trains")) == (16, 15)
    assert of[:4] == ["films", "trains", "films", "trains"]  # whoever stops early has answered both
    for question in found:
        assert all(text.startswith(question.corpus) for text in (*question.context, *question.candidates))
    alone, _ = drawn(asked(corpora, corpus=str(corpora / "films.jsonl"), questions=16))
    assert [q for q in found if q.corpus == "films"] == alone
    assert about["corpora"]["trains"]["questions"] == 15


def test_figures_of_a_corpus_are_those_that_it_would_have_alone(corpora):
    questions, _ = drawn(asked(corpora, questions=40))
    scores = {
        name: [
            CandidateScores(q.question_id, name, RANKER, tuple(float((len(text) * step) % 7) for text in q.candidates))
            for q in questions
        ]
        for name, step in (("one", 3), ("two", 5))
    }
    both = analyse(questions, scores, (1, 2))
    parts = {(row["corpus"], row["contestant"]): row for row in both["ranking"]["corpora"]}
    assert set(parts) == {(c, n) for c in ("films", "trains") for n in ("one", "two")}
    for corpus in ("films", "trains"):
        own = [q for q in questions if q.corpus == corpus]
        of = {q.question_id for q in own}
        alone = analyse(own, {n: [s for s in rows if s.question_id in of] for n, rows in scores.items()}, (1, 2))
        assert "corpora" not in alone["ranking"]
        for row in alone["ranking"]["contestants"]:
            for measure in ("recall@1", "recall@2", "mrr"):
                assert parts[corpus, row["contestant"]][measure] == row[measure]


# -- a survey of them --------------------------------------------------------------------------------------------------
def test_packing_makes_the_questions_that_it_needs(tmp_path, capsys):
    study = Study.create(tmp_path / "study", Plan("chitchat", POOL))
    SpotbotPack.main(study=str(study.path), survey="nuc", unit_size=6)
    said = capsys.readouterr().out
    questions = read_questions(study.path / "nuc" / "questions.jsonl")
    assert len(questions) == 2 * 6 * 4
    assert {len(question.candidates) for question in questions} == {5}
    assert "--questions-file" in said
    before = study.units_path("nuc").read_bytes()
    SpotbotPack.main(study=str(study.path), survey="nuc")
    assert study.units_path("nuc").read_bytes() == before
