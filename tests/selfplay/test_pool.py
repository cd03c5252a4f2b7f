"""Pools: any ParlAI agent by one entry; a wrong entry is named, with the nearest valid one."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay.contestant_text import parse_settings
from parlai_spotbot.selfplay.plan import SelfPlayRequest, decide
from parlai_spotbot.selfplay.play import claimed
from parlai_spotbot.selfplay.pool import read_entries, read_pool, shipped_pools
from parlai_spotbot.study import Study
from tests.case_tables import case_table


def write(tmp_path, text):
    path = tmp_path / "pool.yaml"
    path.write_text(text)
    return str(path)


@case_table(__file__, "refused_pools")
def test_a_wrong_pool_is_named_with_its_remedy(tmp_path, text, says):
    with pytest.raises(UserError) as caught:
        read_pool(write(tmp_path, text))
    assert says in str(caught.value)
    assert "pool.yaml" in str(caught.value)


def test_every_problem_of_every_entry_is_found_at_once(tmp_path):
    text = """\
fine: spotbot:eliza
a: {modle: repeat_query}
b: {model: spotbot:elisa}
c: {model: seq2seq, opt: {hiddn_size: 3, beam_size: many}}
"""
    path = write(tmp_path, text)
    problems = {entry.name: [problem.problem for problem in entry.problems] for entry in read_entries(path)}
    assert list(problems) == ["fine", "a", "b", "c"]
    assert problems["fine"] == []
    assert ["modle" in problems["a"][0], "elisa" in problems["b"][0]] == [True, True]
    assert ["hiddn_size" in problems["c"][0], "beam_size" in problems["c"][1]] == [True, True]
    with pytest.raises(UserError) as caught:
        read_pool(path)
    assert caught.value.problem.startswith("4 problems:")
    assert all(p in caught.value.problem for of in problems.values() for p in of)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model file with its options, as far as checks look."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "mine").write_bytes(b"weights")
    (folder / "mine.opt").write_text(json.dumps({"model": "seq2seq", "beam_size": 1}))
    return folder / "mine"


def test_a_model_file_is_known_by_its_options(tmp_path, model):
    (entry,) = read_entries(write(tmp_path, f"a: {{model_file: {model}, opt: {{beam_size: 3}}}}"))
    assert (entry.kind, entry.agent) == ("model file", "parlai.agents.seq2seq.seq2seq:Seq2seqAgent")
    assert not entry.problems
    with pytest.raises(UserError, match=r"seq2seq has no option 'beam_sise'. Did you mean 'beam_size'"):
        read_pool(write(tmp_path, f"a: {{model_file: {model}, opt: {{beam_sise: 3}}}}"))


def test_a_pickled_options_file_is_read_but_its_code_not_run(tmp_path, model):
    path = tmp_path / "old"
    path.write_bytes(b"weights")
    Path(f"{path}.opt").write_bytes(pickle.dumps({"model": "seq2seq"}, protocol=2))
    pool = write(tmp_path, f"a: {path}")
    assert read_entries(pool)[0].agent.endswith(":Seq2seqAgent")

    class Trap:
        def __reduce__(self):
            return Path.write_text, (tmp_path / "sprung", "x")

    Path(f"{path}.opt").write_bytes(pickle.dumps({"model": "seq2seq", "x": Trap()}, protocol=2))
    with pytest.raises(UserError, match=r"old.opt can't be read: the .opt file holds .*NO_WEIGHTS_ONLY_LOAD=1"):
        read_pool(pool)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("stored", "beside", "opt", "lacks"),
    [
        ({"dict_file": "/elsewhere/mine.dict"}, "", "", True),
        ({"dict_file": "/elsewhere/mine.dict"}, "mine.dict", "", False),
        ({"dict_file": "/elsewhere/mine.dict"}, "other.dict", "dict_file: {folder}/other.dict", False),
        ({"dict_file": "/elsewhere/mine.dict", "dict_tokenizer": "gpt2"}, "", "", False),
        ({"dict_file": "/x", "dict_class": "parlai.agents.hugging_face.dict:Gpt2DictionaryAgent"}, "", "", False),
        ({"dict_file": None}, "", "", False),
        ({}, "", "", False),
    ],
)
def test_a_model_file_without_its_dictionary_is_refused_before_it_is_loaded(tmp_path, stored, beside, opt, lacks):
    (tmp_path / "mine").write_bytes(b"weights")
    (tmp_path / "mine.opt").write_text(json.dumps({"model": "seq2seq", **stored}))
    if beside:
        (tmp_path / beside).write_text("word\t1\n")
    (entry,) = read_entries(
        write(tmp_path, f"a: {{model_file: {tmp_path / 'mine'}, opt: {{{opt.format(folder=tmp_path)}}}}}")
    )
    said = [problem.problem for problem in entry.problems]
    assert ["mine.dict does not exist, the model's dictionary" in text for text in said] == [True] * lacks


@case_table(__file__, "refused_model_files")
def test_what_a_model_file_lacks_is_named(tmp_path, name, options, says):
    folder = tmp_path / "models"
    folder.mkdir()
    if options is not None or name == "bare":
        (folder / name).write_bytes(b"weights")
    if options is not None:
        (folder / f"{name}.opt").write_text(options)
    (folder / "ended.checkpoint").write_bytes(b"weights")
    with pytest.raises(UserError, match=says) as caught:
        read_pool(write(tmp_path, f"a: {folder / name}"))
    assert "contestant 'a': field 'model_file'" in caught.value.problem


@pytest.mark.parametrize("path", ["blended_skill_talk/multi_task/model", "dodecadialogue/convai2_ft/model"])
def test_zoo_models_without_a_module_of_their_own_are_known(tmp_path, path):
    assert read_pool(write(tmp_path, f"a: zoo:{path}"))["a"].model_file == f"zoo:{path}"


def test_the_shipped_pools_are_valid():
    assert shipped_pools() == ["embedded", "rules"]
    embedded = read_pool("embedded")
    assert len(embedded) == 6
    assert set(read_pool("rules")) < set(embedded)


def test_options_are_read_like_yaml():
    assert parse_settings("beam-size=3,inference=beam,x=true", "") == {"beam_size": 3, "inference": "beam", "x": True}
    with pytest.raises(UserError, match="'beam' is not KEY=VALUE"):
        parse_settings("beam", "opt")


@pytest.fixture
def pool(tmp_path):
    return read_pool(write(tmp_path, "a: {model: repeat_query}\nb: {model: repeat_label}\n"))


def test_one_who_is_refused_a_new_folder_leaves_the_holder_its_lock(tmp_path):
    with claimed(tmp_path / "new", "first"):
        for _ in range(2):
            with pytest.raises(UserError, match="in use by first"), claimed(tmp_path / "new", "second"):
                pass
    assert not (tmp_path / "new").exists()


def test_a_study_that_was_killed_before_its_plan_was_written_is_begun_again(tmp_path, pool):
    plan = decide(tmp_path / "s", SelfPlayRequest(contestants=pool)).plan
    Study.create(tmp_path / "s", plan)
    (tmp_path / "s" / "study.yaml").unlink()
    Study.create(tmp_path / "s", decide(tmp_path / "s", SelfPlayRequest(contestants=pool)).plan)
    assert Study.open(tmp_path / "s").plan == plan


def test_a_study_of_a_shipped_pool_keeps_the_bots_that_it_began_with(tmp_path):
    """An earlier version's smollm2 remembered all turns; a user's own bot of another kind is no such matter."""
    today = read_pool("embedded")
    begun = today | {"smollm2": replace(today["smollm2"], opt={"smollm2_dtype": "bf16"})}
    Study.create(tmp_path / "s", decide(tmp_path / "s", SelfPlayRequest(contestants=begun)).plan)
    found = decide(tmp_path / "s", SelfPlayRequest(contestants=today))
    assert (found.extension, found.plan.contestants) == ({}, begun)
    other = today | {"smollm2": replace(today["smollm2"], opt={"smollm2_turns": 3})}
    assert decide(tmp_path / "s", SelfPlayRequest(contestants=other)).extension["mended"] == ["smollm2"]
