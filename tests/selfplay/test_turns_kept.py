"""Every turn is kept: whatever kills a run, it goes on from the turn it stood at, and nobody is asked twice."""

import json

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant, indexed
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.selfplay.runner import Runner, missing_groups
from parlai_spotbot.selfplay.schedule import schedule
from parlai_spotbot.selfplay.turn_journal import TurnJournal, kept_turns
from parlai_spotbot.study import Study
from tests.selfplay.test_runner import contestant, kill_run_when, play, seeds, start


def turns_on_disk(study):
    """All turns that a run which begins now wouldn't ask for."""
    jobs = [job for job in schedule(study.plans(), seeds())[0] if job.conversation_id not in indexed(study.finished())]
    kept = kept_turns(study.turns_path, jobs, study.plan.contestants)
    return sum(map(len, kept.values())) + 2 * study.plan.exchanges * len(indexed(study.finished()))


@pytest.mark.slow
def test_turns_of_slow_agents_are_kept_when_a_run_is_killed(tmp_path):
    """Stopped at 80 %, at least 79 % are there; the agents answer one by one, 23 conversations wait for each."""
    said = tmp_path / "said"
    pool = [
        Contestant(f"slow{n}", model="tests.selfplay.faulty_agents:NotedAgent", opt={"note": str(said)})
        for n in range(3)
    ]
    study = start(tmp_path / "s", *pool, conversations_per_pair=20, batchsize=32)
    total = 2 * 5 * 60
    kill_run_when(lambda: said.exists() and said.stat().st_size >= 0.8 * total, study, tmp_path)
    assert indexed(study.finished()) == {}
    assert turns_on_disk(study) >= 0.79 * total
    failures, _ = play(study)
    assert failures == []
    # Each was in the middle of a turn; on a busy machine some more answers waited for the run that was to write them.
    assert said.stat().st_size <= 1.05 * total
    assert not study.turns_path.exists()


def test_what_fails_goes_on_from_its_last_turn(tmp_path):
    """A contestant that dies takes nothing that was said with it: the others' turns aren't asked for again."""
    said, died = tmp_path / "said", tmp_path / "died"
    pool = [
        Contestant(kind, model=f"tests.selfplay.faulty_agents:{kind}Agent", opt={"note": str(note)})
        for kind, note in (("Noted", said), ("DyingOnce", died))
    ]
    study = start(tmp_path / "s", *pool, conversations_per_pair=6)
    failures, _ = play(study)
    assert [(row["contestant"], row["kind"]) for row in failures] == [("DyingOnce", "crash")]
    assert play(study)[0] == []
    assert len(study.conversations()) == 6
    assert said.stat().st_size == 30


def test_turns_of_another_bot_or_seed_are_not_taken_for_ones_own(tmp_path):
    study = start(tmp_path / "s", contestant("Counting"), contestant("GlobalChance"), conversations_per_pair=3)
    jobs, _ = schedule(study.plans(), seeds())
    with TurnJournal(study.turns_path, jobs, study.plan.contestants) as turns:
        turns.add([(job, 0, f"hello {job.number}") for job in jobs])
    kept = kept_turns(study.turns_path, jobs, study.plan.contestants)
    assert list(kept.values()) == [[f"hello {number}"] for number in range(3)]
    others = {**study.plan.contestants, "Counting": Contestant("Counting", model="tests.selfplay.faulty_agents:Other")}
    assert kept_turns(study.turns_path, jobs, others) == {}
    poisoned, _ = schedule(study.plans(), seeds(poisoned=range(60)))
    assert kept_turns(study.turns_path, poisoned, study.plan.contestants) == {}


def test_a_damaged_journal_is_named_and_a_half_written_line_left_out(tmp_path):
    study = start(tmp_path / "s", contestant("Counting"), contestant("GlobalChance"), conversations_per_pair=3)
    jobs, _ = schedule(study.plans(), seeds())
    with TurnJournal(study.turns_path, jobs, study.plan.contestants) as turns:
        turns.add([(jobs[0], 0, "first"), (jobs[1], 0, "other")])
        turns.add([(jobs[0], 1, "second")])
    good = study.turns_path.read_bytes()
    study.turns_path.write_bytes(good[:-10])
    assert sorted(kept_turns(study.turns_path, jobs, study.plan.contestants).values()) == [["first"], ["other"]]
    with Contestants(study.plan.contestants, tmp_path / "logs", threads=1) as contestants:
        Runner(study, study.plan, contestants, progress=False).run(missing_groups(jobs, ()))
    rows = good.splitlines()
    for wrong, why in (
        ([rows[0], rows[2]], r"line 2: turn 1 of .* stands after turn -1"),
        ([b'{"turns_journal": 99}', *rows[1:]], "not a journal of turns that this version can read"),
        ([rows[0], b'{"turns": ["?"]}'], r"line 2: expected a turn, found '\?'"),
    ):
        study.turns_path.write_bytes(b"\n".join(wrong) + b"\n")
        with pytest.raises(UserError, match=why) as err:
            kept_turns(study.turns_path, jobs, study.plan.contestants)
        assert "Remove the file" in err.value.remedy


def test_a_model_that_rehearses_makes_its_turns_anew_but_what_was_said_counts(tmp_path):
    """As in bf16: the next turn depends on how the earlier ones were made; resumed, the bytes are the same."""
    pool = [contestant("Rehearsing"), contestant("Slow")]
    sizes = {"conversations_per_pair": 6, "batchsize": 3}
    whole = start(tmp_path / "whole", *pool, **sizes)
    expected = play(whole)[1]
    study = start(tmp_path / "s", *pool, **sizes)
    jobs, _ = schedule(study.plans(), seeds())
    texts = {row.conversation_id: [turn.text for turn in row.shown] for row in whole.conversations()}
    with TurnJournal(study.turns_path, jobs, study.plan.contestants) as turns:
        for number in range(5):  # the run stood in the middle of the third exchange
            turns.add([(job, number, texts[job.conversation_id][number]) for job in jobs])
    failures, content = play(study)
    assert failures == []
    assert content == expected
    changed = start(tmp_path / "changed", *pool, **sizes)
    with TurnJournal(changed.turns_path, jobs, study.plan.contestants) as turns:
        turns.add([(job, 0, "as another machine said it") for job in jobs])
    failures, _ = play(changed)
    assert failures == []
    assert {row.shown[0].text for row in changed.conversations()} == {"as another machine said it"}


def test_json_of_a_turn_with_half_a_character_is_a_failure_of_that_turn(tmp_path):
    study = start(tmp_path / "s", contestant("Counting"), contestant("HalfCharacter"), conversations_per_pair=2)
    failures, _ = play(study)
    assert {row["message"] for row in failures} == {"the turn's text holds half a character, which can't be written"}
    assert all(json.loads(line) for line in study.failures_path.read_text().splitlines())


def test_a_study_of_an_older_version_goes_on(tmp_path):
    """It has no journal of turns, but rows of conversations in theirs."""
    study = start(tmp_path / "s", contestant("Counting"), contestant("GlobalChance"))
    expected = play(start(tmp_path / "whole", *study.plan.contestants.values()))[1]
    study.journal_path.write_bytes(b"".join(expected.splitlines(keepends=True)[:3]) + b'{"torn')
    assert Study.open(study.path).turns_path.exists() is False
    assert play(study)[1] == expected
