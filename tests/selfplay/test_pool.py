"""Pools: any ParlAI agent by one entry; a wrong entry is named, with the nearest valid one."""

import json
import pickle
from pathlib import Path

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay.contestant_text import parse_options
from parlai_spotbot.selfplay.named_bots import NamedBot, asked_pair
from parlai_spotbot.selfplay.plan import SelfPlayRequest, decide
from parlai_spotbot.selfplay.play import claimed
from parlai_spotbot.selfplay.pool import read_entries, read_pool, shipped_pools
from parlai_spotbot.study import Study


def write(tmp_path, text):
    path = tmp_path / "pool.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected contestants"),
        ("- a\n- b", "expected contestants"),
        ("a: {model: [}", "not valid YAML"),
        ("a: {model: repeat_label}\na: {model: seq2seq}", "the key 'a' stands twice"),
        ("a: {modle: repeat_label}", "contestant 'a': unknown key 'modle'. Did you mean 'model'?"),
        ("a: {model: spotbot:elisa}", "contestant 'a': field 'model': no agent 'spotbot:elisa'"),
        ("a: {model: spotbot:elisa}", "Did you mean 'spotbot:eliza'?"),
        ("a: {model: repeat_lable}", "Did you mean 'repeat_label'?"),
        ("a: {model: no.such.module:Agent}", "no agent 'no.such.module:Agent'"),
        ("a: {model_file: zoo:blendr/blender_90M/model}", "Did you mean 'zoo:blender/…'?"),
        ("a: {model_file: nowhere/model}", "nowhere/model does not exist"),
        ("a: {model: seq2seq, opt: {hiddn_size: 3}}", "seq2seq has no option 'hiddn_size'. Did you mean 'hiddensize'?"),
        ("a: {model: seq2seq, opt: 3}", "opt: expected"),
        ("a: {model: seq2seq, turn_timeout: -1}", "turn_timeout: expected greater than or equal to 0"),
        ("a b: {model: seq2seq}", "contestant 'a b': not a valid name"),
        ("human: {model: seq2seq}", "contestant 'human': not a valid name"),
        ("a: {description: nothing}", "contestant 'a': neither 'model_file' nor 'model' is given"),
        ("a: [seq2seq]", "contestant 'a': expected keys and values, found ['seq2seq']"),
        ("a:", "contestant 'a': expected keys and values, found None"),
        ("a: {model: 7}", "contestant 'a': model: expected a valid string, found '7'"),
        ("a: {model: seq2seq, memory_limit: lots}", "memory_limit: expected a valid number, found 'lots'"),
        ("a: {model: seq2seq, opt: {hiddensize: wide}}", "option 'hiddensize' is 'wide', expected a number"),
        ("a: {model: seq2seq, opt: {hiddensize: 3.5}}", "option 'hiddensize' is 3.5, expected a whole number"),
        ("a: {model: seq2seq, opt: {inference: beem}}", "option 'inference' is 'beem', expected one of beam, "),
        ("a: {model: seq2seq, opt: {skip_generation: 7}}", "option 'skip_generation' is 7, expected true or false"),
        ("a: {model: seq2seq, opt: {model_file: x}}", "'model_file' stands among the options"),
        ("a: {model: seq2seq, opt: {beam_block_list_filename: no.txt}}", "'beam_block_list_filename': no.txt does not"),
        ("a: {model: projects:personachat:kvmemnn}", "ParlAI's package holds a few of its projects only"),
        ("a: {model: seq2seq, opt: {beam_size: 1, beam_size: 2}}", "the key 'beam_size' stands twice"),
        ("a: {model_file: zoo:blender/blender_9M/model}", "Did you mean 'zoo:blender/blender_"),
        ("a: {model_file: zoo:blender/blender_90M/model, opt: {beam_sise: 3}}", "Did you mean 'beam_size'?"),
    ],
)
def test_a_wrong_pool_is_named_with_its_remedy(tmp_path, text, says):
    with pytest.raises(UserError) as caught:
        read_pool(write(tmp_path, text))
    assert says in str(caught.value)
    assert "pool.yaml" in str(caught.value)


def test_a_module_that_raises_is_named_with_the_line(tmp_path):
    (tmp_path / "raising_bot.py").write_text('KEY = {}["missing"]\n\n\ndef respond(text):\n    return text\n')
    (tmp_path / "pool.yaml").write_text("mine: raising_bot:respond\n")
    with pytest.raises(UserError, match=r"\(KeyError: 'missing', raised in .*raising_bot.py, line 1\)"):
        read_pool(tmp_path / "pool.yaml")


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


def test_names_are_as_written(tmp_path):
    names = read_pool(write(tmp_path, "no: repeat_query\n1.0: repeat_query\n007: repeat_query\n'yes': repeat_query\n"))
    assert list(names) == ["no", "1.0", "007", "yes"]


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
    ("name", "options", "says"),
    [
        ("none", None, r"does not exist. Did you mean '.*mine'"),
        ("", None, r"is a folder. Name the model file in it. Did you mean '.*mine'"),
        ("bare", None, r"bare.opt does not exist, which says what kind of model it is"),
        ("torn", "{", r"torn.opt can't be read: Expecting property name"),
        ("mute", "{}", r"mute.opt does not name its agent. Give it as 'model'"),
        ("kv", '{"model": "projects:personachat:kvmemnn"}', r"kv.opt: no agent 'projects:personachat:kvmemnn'"),
        ("ended", None, r"Training hasn't ended, but there is .*ended.checkpoint: name that"),
    ],
)
def test_what_a_model_file_lacks_is_named(tmp_path, model, name, options, says):
    folder = model.parent
    if options is not None or name == "bare":
        (folder / name).write_bytes(b"weights")
    if options is not None:
        (folder / f"{name}.opt").write_text(options)
    if name == "ended":
        (folder / "ended.checkpoint").write_bytes(b"weights")
    with pytest.raises(UserError, match=says) as caught:
        read_pool(write(tmp_path, f"a: {folder / name}"))
    assert "contestant 'a': field 'model_file'" in caught.value.problem
    for made in (folder / name, folder / f"{name}.opt", folder / "ended.checkpoint"):
        if made.is_file() and name:
            made.unlink()


def test_a_zoo_model_that_has_yet_to_be_downloaded_is_known_by_parlais_list(tmp_path, monkeypatch):
    text = f"b: {{model_file: zoo:blender/blender_90M/model, opt: {{datapath: {tmp_path}}}}}"
    (entry,) = read_entries(write(tmp_path, text))
    assert entry.kind == "zoo model"
    assert entry.agent.endswith(":TransformerGeneratorAgent")
    assert "needs network" in entry.notes[0]
    here = tmp_path / "models" / "blender" / "blender_90M"
    here.mkdir(parents=True)
    (here / "model").write_bytes(b"weights")
    (here / "model.opt").write_text('{"model": "repeat_query"}')
    (entry,) = read_entries(write(tmp_path, text))
    assert entry.agent.endswith(":RepeatQueryAgent")
    assert entry.notes == ()


@pytest.mark.parametrize("path", ["blended_skill_talk/multi_task/model", "dodecadialogue/convai2_ft/model"])
def test_zoo_models_without_a_module_of_their_own_are_known(tmp_path, path):
    assert read_pool(write(tmp_path, f"a: zoo:{path}"))["a"].model_file == f"zoo:{path}"


def test_a_missing_pool_is_named_with_the_shipped_ones():
    with pytest.raises(UserError, match=r"--pool embeded: no such file or pool.*Did you mean 'embedded'"):
        read_pool("embeded")


def test_the_shipped_pools_are_valid():
    assert shipped_pools() == ["embedded", "rules"]
    embedded = read_pool("embedded")
    assert len(embedded) == 6
    assert set(read_pool("rules")) < set(embedded)


def test_any_parlai_agent_is_a_contestant_by_one_entry(tmp_path):
    pool = read_pool(
        write(tmp_path, "fixed: {model: fixed_response, opt: {fixed_response: hello}}\nself: repeat_query\n")
    )
    assert pool["fixed"].opt == {"fixed_response": "hello"}
    assert pool["self"].model == "repeat_query"


def test_one_pair_by_options():
    fixed = NamedBot(model="fixed_response", options="fixed_response=oh", option="--partner-opt")
    contestants, pairs = asked_pair(NamedBot(model="spotbot:eliza"), fixed)
    assert pairs == (("eliza", "fixed_response"),)
    assert contestants["fixed_response"].opt == {"fixed_response": "oh"}
    assert asked_pair(NamedBot(model="spotbot:eliza"), NamedBot())[1] == (("eliza", "eliza"),)
    same, pairs = asked_pair(NamedBot(model="fixed_response"), fixed)
    assert pairs == (("fixed_response", "fixed_response-2"),)
    assert len(same) == 2


def test_options_are_read_like_yaml():
    assert parse_options("beam-size=3,inference=beam,x=true", "--model-opt") == {
        "beam_size": 3,
        "inference": "beam",
        "x": True,
    }
    with pytest.raises(UserError, match="'beam' is not KEY=VALUE"):
        parse_options("beam", "--model-opt")


@pytest.fixture
def pool(tmp_path):
    return read_pool(write(tmp_path, "a: {model: repeat_query}\nb: {model: repeat_label}\n"))


def test_a_study_made_with_other_options_is_an_error_that_names_them(tmp_path, pool):
    decision = decide(tmp_path / "s", SelfPlayRequest(contestants=pool, seed=1))
    Study.create(tmp_path / "s", decision.plan)
    with pytest.raises(UserError, match="seed: the study has 1, you asked for 2"):
        decide(tmp_path / "s", SelfPlayRequest(seed=2))
    with pytest.raises(UserError, match="exchanges: the study has 5, you asked for 9"):
        decide(tmp_path / "s", SelfPlayRequest(exchanges=9))
    assert decide(tmp_path / "s", SelfPlayRequest()).extension == {}


def test_more_contestants_and_conversations_extend_a_study(tmp_path, pool):
    Study.create(tmp_path / "s", decide(tmp_path / "s", SelfPlayRequest(contestants=pool)).plan)
    more = {**pool, "c": next(iter(pool.values())).__class__("c", model="repeat_query")}
    decision = decide(tmp_path / "s", SelfPlayRequest(contestants=more, conversations_per_pair=50))
    assert decision.extension == {"contestants": {"c": {"model": "repeat_query"}}, "conversations_per_pair": 50}
    assert decision.plan.conversations_per_pair == 50


def test_a_folder_with_other_files_is_left_alone(tmp_path, pool):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="there are other files"):
        decide(tmp_path, SelfPlayRequest(contestants=pool))


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
