"""Language models as contestants: in real self-play by one entry each, and SmolLM2 at several sizes of batches."""

import tiny_models

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
