"""A contestant that joins a finished study plays only its own pairs, and what was made from it says so."""

from test_runner import contestant, play, start

from parlai_spotbot.study import Study


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
