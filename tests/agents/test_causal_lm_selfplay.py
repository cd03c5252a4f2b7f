"""Language models as contestants: in real self-play by one entry each, and SmolLM2 at several sizes of batches."""

import random
from dataclasses import replace

import pytest
import tiny_models
from parlai.core.agents import create_agent
from parlai.core.opt import Opt

from parlai_spotbot import compat, plugin
from parlai_spotbot.agents.dialogue import Dialogue
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.selfplay.runner import Runner, finished, missing_groups, write_conversations
from parlai_spotbot.selfplay.schedule import Seed, schedule
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan


def play(path, contestants, batchsize):
    seeds = [
        Seed(f"s{i}", (f"hello number {i}", "hi, how are you?"), ("", f"your persona: I am {i}.")) for i in range(9)
    ]
    plan = Plan("made-up", contestants, conversations_per_pair=9, exchanges=2, segments=(2,), batchsize=batchsize)
    study = Study.create(path, plan)
    jobs, _ = schedule(study.plans(), seeds)
    with Contestants(contestants, path / "logs", threads=1) as processes:
        processes.load()
        result = Runner(study, plan, processes, progress=False).run(missing_groups(jobs, ()))
        about = processes.about()
    assert result.failures == []
    write_conversations(study, jobs, [])
    return finished(study), about, study.conversations_path.read_bytes()


def test_a_folder_is_a_contestant_and_what_it_was_told_is_recorded(tmp_path):
    opt = {"lm_model": str(tiny_models.save(tmp_path / "m")), "inference": "greedy", "max_new_tokens": 8}
    contestants = {
        "ann": Contestant("ann", model="spotbot:causal_lm", opt={**opt, "lm_system": "You are Ann."}),
        "bob": Contestant("bob", model="spotbot:causal_lm", opt={**opt, "lm_system": ""}),
    }
    rows, about, content = play(tmp_path / "s", contestants, 4)
    assert len(rows) == 9
    assert all(turn.text for row in rows.values() for turn in row.turns)
    assert {str(row.provenance["system_prompts"]) for row in rows.values()} == {"{'ann': 'You are Ann.'}"}
    assert about["ann"]["system_prompt"] == "You are Ann."
    assert about["ann"]["weights_sha256"] == about["bob"]["weights_sha256"]
    assert play(tmp_path / "t", contestants, 9)[2] == content


@pytest.mark.slow
def test_greedy_smollm2_says_the_same_at_any_batch_size_with_and_without_the_cache():
    compat.install()
    plugin.register()
    heard = ["How are you?", "I like music.", "Do you cook?", "I have two cats!", "What do you do for a living?"]
    said = {}
    for cache in (0, 1.0):
        opt = {"lm_model": "smollm2", "inference": "greedy", "max_new_tokens": 10, "lm_cache": cache}
        agent = create_agent(Opt({"model": "spotbot:causal_lm", "override": {}, **opt}))
        for batchsize in (1, 7, 45):
            agent._loaded.writer.store.clear()
            dialogues = [Dialogue("", (RememberedTurn(f"{heard[i % 5]} And {i}?", False),), i, i) for i in range(45)]
            chance, texts = random.Random(0), []
            for _ in range(3):
                answers = []
                for start in range(0, 45, batchsize):
                    answers += agent.answers(dialogues[start : start + batchsize])
                texts += answers
                dialogues = [
                    replace(
                        d, turns=(*d.turns, RememberedTurn(text, True), RememberedTurn(chance.choice(heard), False))
                    )
                    for d, text in zip(dialogues, answers, strict=True)
                ]
            said[cache, batchsize] = texts
    assert all(texts == said[0, 1] for texts in said.values())
    assert len(set(said[0, 1])) > 30
