"""Judges that stop as soon as all is settled: real commands, killed anywhere, and what reads such a study."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from zlib import crc32

import pytest

import parlai_spotbot as sb
from parlai_spotbot.judges.next_step import settles
from parlai_spotbot.sequential.account import account
from parlai_spotbot.study import Study
from tests.agents import chat_servers
from tests.agents.chat_servers import ChatServer
from tests.case_tables import case_table
from tests.in_process import spotbot
from tests.sealing import sealed

SURVEY = "spot_the_bot"
SAID = {"sq_tea": "i like tea", "sq_milk": "i like milk", "sq_hum": "hm"}
"""Bots of plain Python by what they say; the judge takes those for human that don't say hm."""


def judged(body):
    """Answers of the judge, but to one item of four anything."""
    if crc32(body["messages"][-1]["content"].encode()) % 4:
        return chat_servers.judged(body)
    return chat_servers.answers_to(body, lambda labels, text: labels[crc32(text.encode()) % len(labels)])


def unusable(body):
    """The same, but to one item of eight nothing that can be used."""
    return judged(body) if crc32(body["messages"][-1]["content"].encode()) % 8 else "?"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setitem(chat_servers.FIELDS, "response_format", dict)
    with ChatServer(judged) as running:
        yield running


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    """A folder with the bots and a study of their conversations."""
    folder = tmp_path_factory.mktemp("bots")
    for name, phrase in SAID.items():
        said = f"def respond(text):\n    return f'{phrase} {{next(turns)}}'\n"
        (folder / f"{name}.py").write_text(f"import itertools\n\nturns = itertools.count()\n\n\n{said}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        named = [word for name in SAID for word in ("--contestant", f"{name}={name}:respond")]
        spotbot("selfchat", *named, "--study", "played", "--conversations-per-pair", 40)
    return folder


@pytest.fixture
def folder(bots, tmp_path, monkeypatch):
    """The current folder, with bots and the study."""
    shutil.copytree(bots, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(server, *more, study="played"):
    """The words with which the server's model judges until all is settled."""
    asked = ["--judge-url", server.url, "--judge-model", "parrot-1", "--yes", "--until", "settled", "--json"]
    return ["judge", "--study", study, *asked, *more]


def settled(*given, code=0, name="parrot-1", **more):
    """Run it; return how it ended."""
    out, _ = spotbot(*words(*given, **more), code=code)
    return json.loads(out)["figures"][name]["settled"]


def written(study="played"):
    paths = Study.open(study).units_path(SURVEY), Study.open(study).judgements_path(SURVEY)
    return [path.read_bytes() for path in paths]


# -- stopping ----------------------------------------------------------------------------------------------------------
def test_it_stops_when_all_is_settled_and_not_before(folder, server):
    found = settled(server, "--margin", 0.3)
    saved = 120 - found["answers"]
    assert found["text"] == (
        f"settled after {found['answers']} answers of at most 120, {saved} saved: 2 of 3 pairs differ, 1 equal"
    )
    assert 10 < saved < 100
    asked = len(server.bodies)
    out, err = spotbot(*words(server, "--margin", 0.3))
    assert json.loads(out)["figures"]["parrot-1"]["settled"] == found
    assert "fewer where" not in err
    assert len(server.bodies) == asked  # not even a greeting


def test_units_that_are_out_at_once_are_asked_about_at_once(folder, server):
    out, _ = spotbot(*words(server, "--budget", 20, "--dry-run"))
    assert json.loads(out)["figures"]["parrot-1"]["requests"] == 40
    assert not server.bodies
    assert not (folder / "played" / "surveys" / SURVEY / "units.jsonl").exists()
    server.say = chat_servers.judged
    found = settled(server, "--budget", 20)
    assert found["text"].startswith("budget of 20 answers reached: ")
    assert len(server.bodies) == 40
    units = Study.open("played").units(SURVEY)
    assert Counter(unit.rotation for unit in units) == {0: 8, 8: 8, 16: 4}  # as many as there are requests at once
    assert len({name for unit in units for item in unit.items for name in item.conversation_ids}) == 20


# -- stopped anywhere --------------------------------------------------------------------------------------------------
def test_killed_anywhere_it_goes_on_byte_for_byte(folder, server):
    shutil.copytree("played", "whole")
    whole = settled(server, "--budget", 60, study="whole")
    program = Path(sys.executable).parent / "spotbot"
    for requests in (3, 25, 40):
        server.bodies.clear()
        asked = [program, *map(str, words(server, "--budget", 60))]
        server.kill_after(subprocess.Popen(asked, stdout=subprocess.DEVNULL), requests)
    assert settled(server, "--budget", 60) == whole
    assert written() == written("whole")


@pytest.mark.slow
def test_torn_files_are_completed_to_the_same_bytes(folder, server):
    server.say = unusable
    assert settled(server, "--budget", 30, code=1)["answers"] == 30
    units, answers = whole = written()
    ends = [0, *(found.end() for found in re.finditer(b"\n", units))]
    drawn = [json.loads(line)["unit_id"].encode() for line in units.splitlines()]
    answered = [answers.rfind(b"\n", 0, answers.find(name)) + 1 for name in drawn]
    for unit, more, done, torn in (
        (0, 0, 0, 0),
        (4, -5, 0, 0),  # in the middle of the fourth unit
        (8, 0, 0, 0),  # all of the first draw, nobody asked
        (8, 0, 3, 40),  # within a line of an answer
        (13, 7, 8, 0),
        (24, 0, 20, 500),
    ):
        data = units[: ends[unit] + more], answers[: answered[done] + torn]
        for name, left in zip(("units", "judgements"), data, strict=True):
            (folder / "played" / "surveys" / SURVEY / f"{name}.jsonl").write_bytes(left)
        sealed(folder / "played")
        settled(server, "--budget", 30, code=1)
        assert written() == whole, (unit, done)
    found = account(Study.open("played").load(SURVEY))
    assert (found["answers"], found["departures"]) == (30, [])


def test_where_a_server_refuses_another_plan_may_be_made(folder, server):
    server.key = "another"
    _, err = spotbot(*words(server), code=2)
    assert "error: judge parrot-1" in err
    server.key = None
    assert settled(server, "--budget", 16, "--margin", 0.2)["budget"] == 16


def test_the_command_that_goes_on_runs_as_it_is_printed(folder, server):
    found = settled(server, "--budget", 16, "--margin", 0.2, "--seed", 3, "--judge-name", "mine", name="mine")
    asked = len(server.bodies)
    _, command, *rest = shlex.split(settles(Study.open("played").load(SURVEY)))
    out, _ = spotbot(command.removeprefix("spotbot_"), *rest, "--json")
    assert json.loads(out)["figures"]["mine"]["settled"] == found
    assert len(server.bodies) == asked


# -- the spotter, what comes after, and mistakes -----------------------------------------------------------------------
@pytest.fixture(scope="module")
def rules(learns_little, tmp_path_factory):
    """A study of the rules pool that the spotter has judged, with what the command printed."""
    folder = tmp_path_factory.mktemp("rules") / "study"
    with pytest.MonkeyPatch.context() as patch:
        learns_little(patch)
        spotbot("selfchat", "--pool", "rules", "--study", folder, "--conversations-per-pair", 4)
        return folder, spotbot("judge", "--study", folder, "--until", "settled")[0]


@pytest.mark.slow
def test_the_spotter_judges_what_is_drawn_after_it_was_trained(rules):
    folder, out = rules
    assert "judge spotter: at most 12 comparisons, fewer where all is settled before" in out
    assert "  budget of 12 answers reached: 0 of 3 pairs differ, 3 open; to go on, take another --study" in out
    assert len(Study.open(folder).judgements(SURVEY)) == 12 * 5
    assert [unit.rotation for unit in Study.open(folder).units(SURVEY)] == list(range(12))


@case_table(__file__, "read")
def test_what_reads_such_a_study(rules, tmp_path, words, code, says):
    folder = shutil.copytree(rules[0], tmp_path / "study")
    if words == "report":
        spotbot("analyze", "--study", folder, "--bootstraps", 20)
    name, *more = words.replace("OUT", str(tmp_path / "out")).split()
    out, err = spotbot(name, "--study", folder, *more, code=code)
    assert says.replace("OUT", "out") in out + err


@case_table(__file__, "wrong")
def test_what_is_wrong_is_one_error_before_any_work(folder, words, says, without):
    Path("two.yaml").write_text("".join(f"{name}: {{url: 'http://127.0.0.1:1/v1', model: m}}\n" for name in "ab"))
    before = sorted(Path("played").rglob("*"))
    asked = [*([] if without else ["--until", "settled"]), *words.replace("FILE", "two.yaml").split()]
    assert says in spotbot("judge", "--study", "played", *asked, code=2)[1]
    assert sorted(Path("played").rglob("*")) == before


# -- whole chains, and from Python -------------------------------------------------------------------------------------
@case_table(__file__, "compare")
def test_compare(folder, server, names, survey, margin, code, verdict, says, next):
    server.say = rated if survey else chat_servers.judged
    named = [f"{bot}:respond" for bot in names]
    command = [
        "compare",
        *named,
        "--conversations",
        20,
        "--margin",
        margin or 0,
        *words(server)[3:],
        "--survey",
        survey or SURVEY,
    ]
    found = json.loads(spotbot(*command, code=code)[0])
    assert json.loads(spotbot(*command, code=code)[0]) == found
    assert (found["verdict"], found["exit_code"]) == (verdict, code)
    assert says in found["said"]
    assert found["said"].endswith(", by judge parrot-1")
    assert (next or "") in found["next"]
    assert bool(next) == (found["figures"]["settled"]["answers"] >= 20)
    assert bool(next) == ("--until settled" in found["next"])


def test_tournament(folder, learns_little, monkeypatch, only):
    learns_little(monkeypatch)
    only("ranking")
    asked = ["--pool", "rules", "--conversations-per-pair", 3, "--study", "s"]
    out, _ = spotbot("tournament", *asked, "--until", "settled", "--budget", 5)
    assert "  budget of 5 answers reached: 0 of 3 pairs differ, 3 open; to go on, take another --study" in out
    assert len(Study.open("s").units(SURVEY)) == 5
    assert "so nothing is packed." in spotbot("tournament", *asked, code=2)[1]
    spotbot("pack", "--study", "played")
    _, err = spotbot("judge", "--study", "played", "--until", "settled", code=2)
    assert "units.jsonl: packed already, so what is shown next can't be chosen." in err


def test_from_python(folder, server):
    asked = {"url": server.url, "model": "parrot-1", "yes": True}
    made = {"new": "spotbot:eliza", "old": lambda text: "hm", "conversations_per_pair": 12, "progress": False}
    with pytest.raises(ValueError, match=r"^margin 0\.5: expected"):
        sb.compare(**made, judge=asked, until="settled", margin=0.5)
    assert not Path("new-vs-old").exists()
    found = sb.compare(**made, judge=asked, until="settled", level=0.8)
    assert (found.verdict, found.settled["ended"]) == ("better", "settled")
    study = sb.Study.open("new-vs-old")
    again = sb.judge_study(study, **asked, until="settled", level=0.8, progress=False)
    assert again["settled"]["answers"] == found.settled["answers"]
    with pytest.raises(ValueError, match=r"with level 0\.8 there"):
        sb.judge_study(study, **asked, until="settled", progress=False)


def test_a_survey_of_a_file(folder, server):
    Path("mine.yaml").write_text("{name: mine, base: spot_the_bot, title: Mine}")
    assert settled(server, "--survey", "mine.yaml", "--budget", 8)["answers"] == 8


def rated(body):
    """Ratings of a speaker, lower ones of who says hm."""
    text = body["messages"][-1]["content"]
    least = crc32(text.encode()) % 3 + 2 * (re.search(r'\bSpeaker \w: "hm', text) is None)
    return chat_servers.answers_to(body, lambda labels, question: sorted(labels)[least])


@pytest.mark.parametrize("survey", ["dialogue_likert", "turn_likert"])
def test_ratings(folder, server, survey):
    server.say = rated
    found = settled(server, "--survey", survey, "--budget", 100)
    assert settled(server, "--survey", survey, "--budget", 100) == found
    assert found["differ"] == 3
    told = account(Study.open("played").load(survey))
    assert (told["order"][-1], told["departures"]) == ("sq_hum", [])
    assert told["score"]["sq_hum"] < 3 < 3.5 < told["score"]["sq_tea"]
    spotbot("analyze", "--study", "played", "--survey", survey)
    page = spotbot("report", "--study", "played") and Path("played/report/index.html").read_text()
    assert re.search(r"Settled in part when the budget of\s100 answers was used up|Settled after", page)
    assert "Mean rating" in page
