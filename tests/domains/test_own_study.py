"""A study over a user's own file: played, gone on with after the file has moved, refused where the file is another."""

import shutil

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.selfplay.play import claimed, play
from parlai_spotbot.study import Study

BOTS = {name: Contestant(name, model="tests.domains.telling_agents:QuietAgent", turn_timeout=60) for name in ("a", "b")}


def run(path, said=None, **asked):
    with claimed(path, "test") as folder:
        return play(folder, SelfPlayRequest(**asked), progress=False, say=(said if said is not None else []).append)


def write(path, count=60):
    rows = [{"turns": [f"thing {n} of {i}" for i in range(8)], "context": [f"I am {n}.", ""]} for n in range(count)]
    path.parent.mkdir(exist_ok=True)
    files.write_jsonl(path, rows)
    return str(path)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    said = []
    asked = {"contestants": BOTS, "conversations_per_pair": 2, "exchanges": 2, "segments": [2]}
    run(folder / "study", said, domain=write(folder / "data" / "cafe.jsonl"), human_conversations=2, **asked)
    return folder, "\n".join(said)


def test_the_folds_are_printed_and_the_data_named(played):
    folder, said = played
    assert "domain cafe" in said
    assert "hash of the turns" in said
    study = Study.open(folder / "study")
    assert study.plan.domain == "cafe"
    assert {c.domain for c in study.conversations()} == {"cafe"}
    assert all(c.context[0].startswith("your persona: I am ") for c in study.conversations())
    about = study.provenance()["selfplay"]["domain"]
    assert len(about["sha256"]["conversations.jsonl"]) == 64
    assert about["by"] == "hash"
    assert str(folder) not in study.conversations_path.read_text() + study.plan_path.read_text()


def test_it_goes_on_wherever_file_and_study_have_moved(played, tmp_path):
    shutil.copytree(played[0] / "study", tmp_path / "moved")
    before = (tmp_path / "moved" / "conversations.jsonl").read_bytes()
    summary = run(tmp_path / "moved", conversations_per_pair=3)
    assert summary.bots == 3
    assert summary.study.conversations_path.read_bytes()[:200] == before[:200]
    write(tmp_path / "new place" / "cafe.jsonl")
    assert run(tmp_path / "moved", domain=str(tmp_path / "new place" / "cafe.jsonl")).bots == 3
    assert run(tmp_path / "moved", domain="cafe").bots == 3


def test_another_file_of_that_name_is_refused_and_a_missing_one_needed_not(played, tmp_path):
    shutil.copytree(played[0] / "study", tmp_path / "s")
    other = write(tmp_path / "cafe.jsonl", 61)
    with pytest.raises(UserError, match="is called 'cafe' as the study's is, but differs in: sha256"):
        run(tmp_path / "s", domain=other)
    with pytest.raises(UserError, match=r"no\.jsonl: no such file") as error:
        run(tmp_path / "s", domain=str(tmp_path / "no.jsonl"))
    assert "Leave --domain out" in error.value.remedy
    with pytest.raises(UserError, match="domain: the study has 'cafe', you asked for 'chitchat'"):
        run(tmp_path / "s", domain="chitchat")


def test_a_crash_between_the_copy_and_the_plan_is_no_hindrance(tmp_path):
    from parlai_spotbot.domains import get_domain, keep_domain

    path = write(tmp_path / "cafe.jsonl")
    keep_domain(get_domain(path), tmp_path / "study")
    asked = {"contestants": BOTS, "conversations_per_pair": 1, "exchanges": 1, "segments": [1]}
    assert run(tmp_path / "study", domain=path, human_conversations=0, **asked).bots == 1
