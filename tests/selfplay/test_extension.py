"""A contestant that joins a finished study plays only its own pairs, and what was made from it says so."""

from test_runner import contestant, play, seeds, start

from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.selfplay.runner import Runner, finished, missing_groups
from parlai_spotbot.selfplay.schedule import schedule
from parlai_spotbot.study import Study


def test_six_bots_and_one_more_play_just_its_pairs_and_leave_the_old_bytes(tmp_path):
    kinds = ("Counting", "GlobalChance", "BatchChance", "Raising", "Empty", "Dying")
    study = start(tmp_path / "s", *map(contestant, kinds), conversations_per_pair=45, batchsize=32)
    failures, before = play(study)
    assert failures == []
    assert before.count(b"\n") == 15 * 45
    assert study.extended_by() == []

    study.extend(contestants={"new": Contestant("new", model="faulty_agents:GlobalChanceAgent").to_json()})
    jobs, _ = schedule(study.plans(), seeds())
    groups = missing_groups(jobs, finished(study))
    todo = [job for group in groups for job in group]
    assert len(todo) == 6 * 45
    assert all("new" in job.pair for job in todo)
    with Contestants(study.plan.contestants, study.path / "logs", threads=1) as contestants:
        result = Runner(study, study.plan, contestants, progress=False).run(groups)
    assert (result.played, result.failures) == (6 * 45, [])

    failures, after = play(study)  # nothing is left to be played; journal and old rows become one file
    rows = after.splitlines(keepends=True)
    assert len(rows) == 21 * 45
    assert b"".join(row for row in rows if b'"new"' not in row) == before
    assert Study.open(study.path).extended_by() == ["contestants added to the 6 there were: new"]


def test_a_study_whose_contestants_were_renamed_and_replaced_by_an_older_version_plays_on(tmp_path):
    study = start(tmp_path / "s", *map(contestant, ("Counting", "Empty", "GlobalChance")), conversations_per_pair=2)
    first, second = (name for name in study.plan.contestants if name != "GlobalChance")
    study.extend(renamed={first: "other"})
    study.extend(contestants={}, mended=[second], replaced=[second])
    study = Study.open(study.path)
    assert list(study.plan.contestants) == [first, second, "GlobalChance"]
    play(study)
    assert {row.conversation_id for row in study.conversations() if second in row.entities} == {
        row.conversation_id for row in study.conversations() if row.conversation_id.endswith(".2")
    }
    assert len(study.conversations()) == 6
