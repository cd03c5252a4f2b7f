"""The ParlAI teacher of spotbot:nuc: candidates with every label, folds, options, rankers of ParlAI on it, errors."""

from dataclasses import replace

import pytest
from parlai.core.params import ParlaiParser
from parlai.core.teachers import create_task_agent_from_taskname
from parlai.scripts.eval_model import EvalModel

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.corpora import read_corpus
from parlai_spotbot.nuc.sampling import SamplingSettings, sample
from parlai_spotbot.surveys.nuc_questions import write_questions


def acts(**options):
    opt = ParlaiParser(True, False).parse_kwargs(task="spotbot:nuc", **options)
    teacher = create_task_agent_from_taskname(opt)[0]
    found = []
    while not teacher.epoch_done():
        found.append(teacher.act())
    return found


@pytest.fixture(scope="module")
def conversations(tmp_path_factory):
    """A file of conversations with splits."""
    path = tmp_path_factory.mktemp("nuc") / "cafe.jsonl"
    rows = [
        {"turns": [f"turn {i} of table {n}" for i in range(7)], "split": ("train", "valid", "test")[n % 3]}
        for n in range(30)
    ]
    files.write_jsonl(path, rows)
    return path


def test_every_act_is_a_question_of_the_sample(conversations):
    found = acts(datatype="test", nuc_conversations=str(conversations), nuc_candidates=4, nuc_seed=3)
    questions = sample(read_corpus(conversations, "test"), SamplingSettings(candidates=4, seed=3)).questions
    assert len(found) == len(questions) > 10
    for act, question in zip(found, questions, strict=True):
        assert act["text"] == "\n".join(question.context)
        assert list(act["eval_labels"]) == [question.answer]
        assert tuple(act["label_candidates"]) == question.candidates
        assert act["question_id"] == question.question_id
        assert act["episode_done"]


def test_folds_share_no_conversation_and_training_has_every_turn(conversations):
    own = {
        datatype: acts(datatype=datatype, nuc_conversations=str(conversations))
        for datatype in ("train:evalmode", "valid", "test")
    }
    ids = {datatype: {act["conversation_id"] for act in found} for datatype, found in own.items()}
    assert sum(map(len, ids.values())) == len(set().union(*ids.values()))
    assert len(own["train:evalmode"]) == 10 * 5  # seven turns, of which two are a context at least
    fewer = acts(datatype="train:evalmode", nuc_conversations=str(conversations), nuc_every_turn=False, nuc_number=7)
    assert len(fewer) == 7


def test_a_file_of_questions(conversations, tmp_path):
    questions = sample(read_corpus(conversations, "test"), SamplingSettings(candidates=3)).questions[:5]
    write_questions(tmp_path / "questions.jsonl", questions)
    found = acts(datatype="valid", nuc_questions=str(tmp_path / "questions.jsonl"))
    assert [act["question_id"] for act in found] == [question.question_id for question in questions]
    alone = replace(questions[0], candidates=questions[0].candidates[:1], true=0, distractors=())
    write_questions(tmp_path / "alone.jsonl", [alone])
    with pytest.raises(UserError, match=r"alone\.jsonl, line 1: field 'candidates' holds the real next turn alone"):
        acts(datatype="valid", nuc_questions=str(tmp_path / "alone.jsonl"))


@pytest.mark.slow
def test_the_retriever_and_our_own_bots_run_on_it(conversations, tmp_path):
    from parlai.scripts.train_model import TrainModel

    options = {"task": "spotbot:nuc", "nuc_conversations": str(conversations), "loglevel": "error"}
    TrainModel.main(
        model="tfidf_retriever",
        model_file=str(tmp_path / "model"),
        datatype="train:ordered",
        batchsize=1,
        num_epochs=1,
        **options,
    )
    retrieved = EvalModel.main(model_file=str(tmp_path / "model"), datatype="test", **options)
    assert float(retrieved["exs"]) > 10
    assert "hits@1" in retrieved
    assert float(EvalModel.main(model="spotbot:tfidf", datatype="test", **options)["exs"]) == float(retrieved["exs"])
