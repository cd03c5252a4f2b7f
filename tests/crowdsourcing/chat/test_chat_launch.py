"""From the command to the judgements: real Mephisto, real embedded bots, and an operator that is killed mid-chat."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.mephisto_task import home
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.dimensions import NAMES
from tests.crowdsourcing.chat.person import Person
from tests.crowdsourcing.crowdsource_process import CrowdsourceProcess

SURVEY = "interactive"


def spotbot(*args):
    """Run a command; returns what it printed."""
    command = [str(Path(sys.executable).with_name("spotbot")), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def launched(study, annotators, **rules):
    operated = CrowdsourceProcess(study, annotators, minutes=60.0, survey=SURVEY)
    settings = yaml.safe_load(operated.config.read_text())
    operated.config.write_text(yaml.safe_dump({**settings, "chat": {"answer_delay": False, **rules}}))
    return operated


def again(person, link):
    """The same tab, after the server came back."""
    person.address = Person(link).address
    return person


@pytest.mark.slow
def test_people_chat_with_embedded_bots_while_the_operator_is_killed(tmp_path):
    said = spotbot("spotbot_pack", "--study", tmp_path / "s", "--survey", SURVEY, "--pool", "rules", "--comparisons", 1)
    assert "3 units (3 new)" in said
    study = Study.open(tmp_path / "s")
    with launched(study, 2, messages=6) as operated:
        links = operated.links()
        ann, bob = (Person(link) for link in links)
        for person in (ann, bob):
            person.begin()
            person.chat(0, 4)
        bob.say(0, "and what else do you like")
        operated.kill()
        operated.start()
        ann, bob = (again(person, link) for person, link in zip((ann, bob), links, strict=True))
        turns = bob.wait(0)["turns"]
        assert [turn["text"] for turn in turns[4:5]] == ["and what else do you like"]
        assert len(turns) == 6  # it was answered, once
        ann.finish(6)
        bob.rate(0)
        bob.chat(1, 2)
        body = {"unit": bob.unit["unit"], "item": 1, "number": 2, "text": "are you still there"}
        assert bob.ok("say", body)["turns"][0]["text"] == "are you still there"
        operated.kill()
        operated.start()
        again(bob, links[1])
        assert bob.ok("say", body)["turns"][0]["text"] == "are you still there"  # nothing is doubled
        assert len(bob.wait(1)["turns"]) == 4
        bob.chat(1, 6)
        bob.look()
        bob.rate(1)
        assert bob.ok("submit", bob.submission())["accepted"]
        if ann.ok("session")["state"] == "ready":
            ann.session = ann.ok("unit", {})
            ann.finish(6)
        operated.process.wait(60)  # all is done, so it ends by itself
    found = collect(study, SURVEY)
    assert (found.units, found.chats.conversations) == (3, 6)
    assert len(found.rows) == 3 * 3 * len(NAMES)
    assert all(row.exchanges == 3 and row.kind == "human_model" for row in study.conversations())
    assert b"eliza" not in ann.seen + bob.seen
    provenance = study.provenance()["crowdsourcing"][SURVEY]["chat"]
    assert set(provenance["contestants"]) == {"tfidf", "alice", "eliza"}
    assert provenance["rules"]["messages"] == 6
    database = home.database(operated.paths.mephisto)
    assert [unit.db_status for unit in database.find_units()] == ["completed"] * 3
    database.shutdown()
