"""``parlai spotbot_contestants`` as a user types it: what it prints, its JSON and its exit codes."""

import json

import pytest

from parlai_spotbot import files
from parlai_spotbot.domains import custom
from parlai_spotbot.records import Contestant
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.spotbot_contestants import SpotbotContestants
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.case_tables import cases
from tests.in_process import spotbot

POOL = """\
eliza: {model: spotbot:eliza, description: the psychotherapist}
echo: {model: tests.selfplay.odd_agents:EchoAgent, turn_timeout: 20}
broken: {model: tests.selfplay.faulty_agents:UnloadableAgent}
wrong: {model: spotbot:elisa, turn_timeout: soon}
typo: {model: seq2seq, opt: {hiddn_size: 3}}
"""


def contestants(*words, code=0):
    """Run the command; returns what it printed to stdout and to stderr."""
    return spotbot("contestants", *words, code=code)


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """A pool with wrong, failing, odd and fine contestants, tried."""
    folder = tmp_path_factory.mktemp("pool")
    (folder / "pool.yaml").write_text(POOL)
    out, err = contestants("--pool", folder / "pool.yaml", "--try", "--json", code=2)
    shown = json.loads(out)
    return err, err, shown["figures"]["contestants"]


def test_the_pool_is_a_table(tried):
    out = tried[0]
    assert [line.split()[0] for line in out.splitlines()[2:7]] == ["eliza", "echo", "broken", "wrong", "typo"]
    assert "ElizaAgent" in out
    assert "the psychotherapist" in out


def test_every_wrong_entry_is_named_and_the_others_are_tried(tried):
    out, err, _ = tried
    for says in (
        "contestant 'wrong': turn_timeout: expected a valid number",
        "contestant 'typo': field 'opt': seq2seq has no option 'hiddn_size'",
        "Did you mean 'hiddensize'?",
    ):
        assert says in err
    assert "2 of 3 answered" in out
    assert "failed: contestant 'broken' could not be loaded: RuntimeError: the weights are missing." in out


def test_the_two_conversations_are_shown(tried):
    out = tried[0]
    assert "eliza, conversation 1:" in out
    assert "eliza, conversation 2:" in out
    assert "a person (seed)" in out


def test_everything_is_in_the_json(tried):
    eliza, echo, broken, wrong, typo = tried[2]
    assert eliza["entry"] == {"model": "spotbot:eliza", "description": "the psychotherapist"}
    assert eliza["trial"]["same_again"] is True
    assert eliza["trial"]["memory"] > 0
    assert [len(turns) for turns in eliza["trial"]["conversations"]] == [5, 6]
    assert echo["trial"]["problem"] == ""
    assert broken["trial"]["problem"].endswith("the weights are missing.")
    assert (wrong["entry"], wrong["trial"], typo["trial"]) == (None, None, None)
    assert len(wrong["problems"]) == 1


def test_one_contestant_that_fails_is_exit_code_1(tmp_path):
    out, _ = contestants("--contestant", "a=tests.selfplay.faulty_agents:UnloadableAgent", "--try", code=1)
    assert "0 of 1 answered" in out


def test_a_study_s_contestants_are_listed_without_trying(tmp_path):
    bots = {n: Contestant(n, model="fixed_response", opt={"fixed_response": n}) for n in ("yes", "no")}
    Study.create(tmp_path / "s", Plan("chitchat", bots, conversations_per_pair=1))
    out, err = contestants("--study", tmp_path / "s")
    assert "fixed_response=yes" in out
    assert "trying" not in err


@cases(
    "words says",
    """
- [['--pool', ruls], 'Did you mean ''rules''?']
- [['--leave-out', a], '--leave-out needs a study.']
- [['--study', s, '--rename', b=c], 'unknown option --rename.']
""",
)
def test_wrong_options_are_one_error(words, says):
    assert says in contestants(*words, code=2)[1]


def test_a_list_that_is_given_in_parts_is_one_list():
    parser = OptionParser("")
    SpotbotContestants.add_options(parser)
    assert parser.parse_args(["--leave-out", "a", "--leave-out", "b,c"]).leave_out == "a,b,c"


def test_a_trial_takes_the_seeds_of_the_study_s_own_domain(tmp_path):
    """The file has moved since: the study's copy is asked."""
    file = tmp_path / "cafe.jsonl"
    told = [
        {"id": f"c{i}", "split": split, "turns": [f"the soup of day {i}, cup {k}" for k in range(16)]}
        for i, split in enumerate(("bots", "judges", "humans", "seeds", "seeds", "seeds"))
    ]
    files.write_jsonl(file, told)
    study = tmp_path / "s"
    custom.keep(custom.describe(file), study)
    file.unlink()
    bots = {n: Contestant(n, model="fixed_response", opt={"fixed_response": n}) for n in ("yes", "no")}
    Study.create(study, Plan("cafe", bots, conversations_per_pair=1))
    out, _ = contestants("--study", study, "--try", "--json", code=0)
    assert "the soup of day" in out
