"""Pools: any ParlAI agent by one entry; a wrong entry is named, with the nearest valid one."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay.plan import Asked, asked_pair, decide, parse_options
from parlai_spotbot.selfplay.play import claimed
from parlai_spotbot.selfplay.pool import read_pool, shipped_pools
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
        ("a: {model: seq2seq, opt: 3}", "field 'opt' is 3, expected dict"),
        ("a: {model: seq2seq, turn_timeout: -1}", "field 'turn_timeout' is -1.0"),
        ("a b: {model: seq2seq}", "contestant 'a b': not a valid name"),
    ],
)
def test_a_wrong_pool_is_named_with_its_remedy(tmp_path, text, says):
    with pytest.raises(UserError) as caught:
        read_pool(write(tmp_path, text))
    assert says in str(caught.value)
    assert "pool.yaml" in str(caught.value)


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
    contestants, pairs = asked_pair("", "spotbot:eliza", "", "", "fixed_response", "fixed_response=oh")
    assert pairs == (("eliza", "fixed_response"),)
    assert contestants["fixed_response"].opt == {"fixed_response": "oh"}
    assert asked_pair("", "spotbot:eliza", "", "", "", "")[1] == (("eliza", "eliza"),)
    same, pairs = asked_pair("", "fixed_response", "", "", "fixed_response", "fixed_response=oh")
    assert pairs == (("fixed_response", "fixed_response-2"),)
    assert len(same) == 2


def test_options_are_read_like_yaml():
    assert parse_options("beam-size=3,inference=beam,x=true", "--model-opt") == {
        "beam_size": 3, "inference": "beam", "x": True,
    }  # fmt: skip
    with pytest.raises(UserError, match="'beam' is not KEY=VALUE"):
        parse_options("beam", "--model-opt")


@pytest.fixture
def pool(tmp_path):
    return read_pool(write(tmp_path, "a: {model: repeat_query}\nb: {model: repeat_label}\n"))


def test_a_study_made_with_other_options_is_an_error_that_names_them(tmp_path, pool):
    decision = decide(tmp_path / "s", Asked(contestants=pool, seed=1))
    Study.create(tmp_path / "s", decision.plan)
    with pytest.raises(UserError, match="seed: the study has 1, you asked for 2"):
        decide(tmp_path / "s", Asked(seed=2))
    with pytest.raises(UserError, match="exchanges: the study has 5, you asked for 9"):
        decide(tmp_path / "s", Asked(exchanges=9))
    assert decide(tmp_path / "s", Asked()).extension == {}


def test_more_contestants_and_conversations_extend_a_study(tmp_path, pool):
    Study.create(tmp_path / "s", decide(tmp_path / "s", Asked(contestants=pool)).plan)
    more = {**pool, "c": next(iter(pool.values())).__class__("c", model="repeat_query")}
    decision = decide(tmp_path / "s", Asked(contestants=more, conversations_per_pair=50))
    assert decision.extension == {"contestants": {"c": {"model": "repeat_query"}}, "conversations_per_pair": 50}
    assert decision.plan.conversations_per_pair == 50


def test_a_folder_with_other_files_is_left_alone(tmp_path, pool):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="there are other files"):
        decide(tmp_path, Asked(contestants=pool))


def test_one_who_is_refused_a_new_folder_leaves_the_holder_its_lock(tmp_path):
    with claimed(tmp_path / "new", "first"):
        for _ in range(2):
            with pytest.raises(UserError, match="in use by first"), claimed(tmp_path / "new", "second"):
                pass
    assert not (tmp_path / "new").exists()
