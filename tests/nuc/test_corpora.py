"""Reading corpora: the embedded one, tasks, files, studies; folds that share nothing."""

import random

import pytest
from parlai.core.teachers import DialogTeacher

from parlai_spotbot import files
from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.corpora import FOLDS_OF, read_corpus


class MadeTeacher(DialogTeacher):
    """Each conversation from both sides, as ParlAI's dailydialog gives it."""

    def __init__(self, opt, shared=None):
        opt["datafile"] = opt["datatype"].split(":")[0]
        super().__init__(opt, shared)

    def setup_data(self, datafile):
        for number in range({"train": 300, "valid": 80, "test": 60}[datafile]):
            turns = [f"{datafile} number {number} turn {i}" for i in range(6)]
            for side in (["__SILENCE__", *turns], turns):
                for i in range(0, len(side) - 1, 2):
                    yield {"text": side[i], "labels": [side[i + 1]]}, i == 0


@pytest.fixture
def task(monkeypatch):
    """The made task under a name that ParlAI finds."""
    import sys
    import types

    package = types.ModuleType("made_task")
    package.agents = types.ModuleType("made_task.agents")
    package.agents.DefaultTeacher = package.agents.MadeTeacher = MadeTeacher
    monkeypatch.setitem(sys.modules, "made_task", package)
    monkeypatch.setitem(sys.modules, "made_task.agents", package.agents)
    return "made_task.agents:MadeTeacher"


def _write(path, rows):
    files.write_jsonl(path, rows)
    return path


def _study_row(number, entities):
    turns = [{"id": entities[i % 2], "text": f"{entities[0]} {entities[1]} {number} {i}"} for i in range(6)]
    return {
        "conversation_id": f"{entities[0]}-{entities[1]}-{number}",
        "domain": "chitchat",
        "pair": list(entities),
        "number": number,
        "entities": list(entities),
        "dialog": [turns[i : i + 2] for i in (0, 2, 4)],
    }


def test_folds_of_the_embedded_corpus_are_the_domains_and_share_nothing():
    found = {fold: read_corpus("spotbot:chitchat", fold) for fold in ("train", "valid", "test")}
    people = {fold: {s for d in c.dialogues for s in d.people} for fold, c in found.items()}
    turns = {fold: {d.turns for d in c.dialogues} for fold, c in found.items()}
    for a, b in (("train", "valid"), ("train", "test"), ("valid", "test")):
        assert not people[a] & people[b]
        assert not turns[a] & turns[b]
    assert all(all(d.people) for d in found["test"].dialogues)
    seeds = get_domain("chitchat").episodes("seeds")
    assert set(found["test"].dialogues) == set(seeds)
    assert found["test"].name == "chitchat"


def test_a_task_of_parlai(task):
    whole = read_corpus(task, "train")
    assert len(whole.dialogues) == 300
    assert whole.dialogues[0].people == ("", "")
    humans, judges = (read_corpus(task, fold) for fold in ("humans", "judges"))
    assert len(humans.dialogues) + len(judges.dialogues) == 80
    assert not {d.turns for d in humans.dialogues} & {d.turns for d in judges.dialogues}
    assert len(read_corpus(task).dialogues) == 440


def test_of_a_study_people_only(tmp_path):
    pairs = [("human", "human"), ("bot", "human"), ("a", "b")]
    _write(tmp_path / "conversations.jsonl", [_study_row(i, pair) for pair in pairs for i in range(3)])
    people = read_corpus(tmp_path)
    assert {d.episode_id for d in people.dialogues} == {f"human-human-{i}" for i in range(3)}
    assert people.left_out == {"conversations with bots": 6}
    assert people.name == tmp_path.name


@pytest.mark.parametrize("extra", [{}, {"people": True}, {"split": True}])
def test_folds_of_a_file_share_no_conversation_and_together_are_all(tmp_path, extra):
    rows = []
    for i in range(200):
        row = {"turns": [f"hello {i}", f"yes {i}", f"no {i}"]}
        if "people" in extra:
            row["people"] = [f"p{i % 40}", f"q{i % 40}"]
        if "split" in extra:
            row["split"] = ("train", "valid", "test")[i % 3]
        rows.append(row)
    path = _write(tmp_path / "mine.jsonl", rows)
    folds = {fold: {d.turns for d in read_corpus(path, fold).dialogues} for fold in ("train", "valid", "test")}
    assert sum(map(len, folds.values())) == len(set().union(*folds.values())) == 200
    random.Random(0).shuffle(rows)
    assert {d.turns for d in read_corpus(_write(path, rows), "test").dialogues} == folds["test"]


def test_a_conversation_that_stands_twice_counts_once(tmp_path):
    rows = [{"turns": ["a", "b"]}, {"turns": ["a", "b"]}, {"turns": ["a", "c"]}]
    found = read_corpus(_write(tmp_path / "mine.jsonl", rows))
    assert len(found.dialogues) == 2
    assert found.left_out == {"the same conversation again": 1}


def test_a_malformed_line_and_an_empty_fold_are_named(tmp_path):
    path = _write(tmp_path / "mine.jsonl", [{"turns": ["a", "b"], "split": "train"}, {"turns": ["a"]}])
    with pytest.raises(UserError, match="line 2: field 'turns': 1 turn"):
        read_corpus(path)
    _write(path, [{"turns": ["a", "b"], "split": "train"}])
    with pytest.raises(UserError, match="corpus 'mine': no conversation in fold 'test'"):
        read_corpus(path, "test")
    assert set(FOLDS_OF) >= {"train", "valid", "test", "all"}
