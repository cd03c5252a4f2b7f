"""Trying contestants: real agents in processes of their own, some well, some odd, some that fail."""

import pytest

from parlai_spotbot.domains import get_domain
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay import remedies
from parlai_spotbot.selfplay.process import ContestantProcess
from parlai_spotbot.selfplay.schedule import Seed
from parlai_spotbot.selfplay.trial import TrialScript, scripts, try_contestant
from tests.case_tables import case_table

LINES = [
    TrialScript(Seed("s0", ("hello out there", "good day poison"), ("your persona: i fish", "")), 0, ("really", "ah")),
    TrialScript(Seed("s1", ("what do you do all day poison", "i fish")), 1, ("how big are the fish", "so big")),
]


def bot(kind, module="tests.selfplay.odd_agents", **limits):
    return Contestant(kind, model=f"{module}:{kind}Agent", **{"turn_timeout": 20, "load_timeout": 60, **limits})


ODD = ("Silent", "Mute", "EvenBatch", "OwnEars", "OtherAgain", "Thinking")
FAILING = [
    bot("Raising", "tests.selfplay.faulty_agents"),
    bot("Dying", "tests.selfplay.faulty_agents"),
    bot("Hanging", "tests.selfplay.faulty_agents", turn_timeout=2),
    bot("Hungry", "tests.selfplay.faulty_agents", memory_limit=0.9),
    bot("Unloadable", "tests.selfplay.faulty_agents"),
    bot("Sleeper", load_timeout=3),
    bot("Refused"),
    Contestant("none", model="spotbot:plain_python", opt={"plain_python": "tests.selfplay.hostile_bots:none"}),
]


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """The trials of all agents, by name."""
    well = [bot(kind, "tests.selfplay.faulty_agents") for kind in ("Counting", "GlobalChance", "BatchChance")]
    logs = tmp_path_factory.mktemp("logs")
    agents = [*well, *map(bot, ODD), *FAILING]
    return {a.name: try_contestant(ContestantProcess(a, logs / f"{a.name}.log"), LINES) for a in agents}


@case_table(__file__, "heard")
def test_a_contestant_hears_what_it_hears_in_self_play(tried, number, turns):
    assert tried["Counting"].conversations[number] == [turn.split(": ") for turn in turns]


def test_latency_memory_and_class_are_measured(tried):
    trial = tried["Counting"]
    assert trial.problem == ""
    assert trial.agent == "tests.selfplay.faulty_agents:CountingAgent"
    assert 0 < trial.median_seconds < 20
    assert trial.load_seconds > 0
    assert trial.memory > 50 * 2**20


def test_the_same_seed_and_the_batch_are_compared(tried):
    got = {name: (tried[name].batch, tried[name].same_again) for name in tried if name in ODD or "Chance" in name}
    assert got["GlobalChance"] == ("no", True)
    assert got["BatchChance"] == ("other", True)
    assert got["EvenBatch"] == ("same", True)
    assert got["OtherAgain"] == ("no", False)


def test_a_contestant_hears_itself_once_alone_and_in_a_batch(tried):
    trial = tried["OwnEars"]
    assert trial.batch == "same"
    own = [text for name, text in trial.conversations[1] if name == "OwnEars"]
    assert own == ["i fish", "i fish / 2", "i fish / i fish / 2 / 3"]


def test_odd_turns_are_warned_of_and_what_was_left_out_is_counted(tried):
    assert tried["Silent"].warnings == ["empty turns: 2 of 4"]
    odd = tried["Thinking"]
    assert [warning.partition(":")[0] for warning in odd.warnings] == [
        "left out of 4 of 4 turns",
        "left out of 4 of 4 turns",
        "special tokens of models",
        "the same words again and again",
        "very long turns",
        "gives the same answer to different turns",
    ]
    assert "commands to a terminal and control characters" in odd.warnings[0]
    assert "the model's reasoning" in odd.warnings[1]
    assert odd.conversations[0][2][1].startswith("hm hm")
    assert tried["Counting"].warnings == []


@case_table(__file__, "failures")
def test_one_that_fails_is_named_with_what_and_the_remedy(tried, name, problem, remedy, raised):
    assert tried[name].problem.startswith(problem)
    assert remedy in tried[name].remedy
    assert "\n" not in tried[name].problem
    assert tried[name].detail.startswith("Traceback") is bool(raised)


def test_the_test_conversations_come_from_the_seeds_fold_of_the_domain():
    domain = get_domain("chitchat")
    one, other = scripts(domain)
    seeds = {episode.episode_id: episode for episode in domain.episodes("seeds")}
    assert (one.side, other.side) == (0, 1)
    assert one.lines == seeds[one.seed.seed_id].turns[3:6:2]
    assert other.lines == seeds[other.seed.seed_id].turns[2:5:2]
    assert scripts(domain) == [one, other]


@case_table(__file__, "remedies")
def test_remedies_follow_from_what_was_said(message, says):
    assert says in remedies.remedy("exception", message)
    assert "named its log" not in remedies.remedy("exception", message, "named its log")
