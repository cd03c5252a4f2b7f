"""Judges that stop as soon as all is settled: killed anywhere, and what reads such a study."""

import itertools
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import chat_servers
import numpy as np
import pytest
from chat_servers import ChatServer
from in_process import spotbot
from sealing import sealed

import parlai_spotbot as sb
from parlai_spotbot import checksums
from parlai_spotbot.records import Contestant, Conversation, Turn
from parlai_spotbot.sequential.judging import course_of
from parlai_spotbot.sequential.registration import registered
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

SURVEY = "spot_the_bot"
SAID = {"ann": "i like tea", "bob": "hm", "cat": "i like milk"}
"""Bots by what they say; the judge of the server takes those for human that don't say hm."""


def said(body):
    """Answers that hang on the text: `chat_servers.judged` mostly, else anything."""
    text = body["messages"][-1]["content"]
    if crc32(text.encode()) % 4:
        return chat_servers.judged(body)
    return chat_servers.answers_to(body, lambda labels, question: labels[crc32(question.encode()) % len(labels)])


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setitem(chat_servers.FIELDS, "response_format", dict)
    with ChatServer(said) as running:
        yield running


@pytest.fixture
def study(tmp_path):
    """A study of three bots, with 40 conversations of each two."""
    bots = {name: Contestant(name, model=f"test:{name}") for name in SAID}
    made = Study.create(tmp_path / "study", Plan("chitchat", bots, 40, exchanges=3, segments=(1, 2)))
    rows = []
    for (a, b), number in itertools.product(itertools.combinations(SAID, 2), range(40)):
        names = (a, b) if number % 2 else (b, a)
        turns = [Turn(name, f"{SAID[name]} {number} {place}") for place, name in enumerate(names * 4)]
        identity = f"{a}:{b}:{number:04d}"
        rows.append(Conversation(identity, "chitchat", (a, b), number, names, tuple(turns), 1, f"s{a}{b}{number}"))
    checksums.write_jsonl(made.conversations_path, rows)
    return made


def words(study, server, *more):
    """The words of the command that lets the server's model judge until all is settled."""
    asked = ["--judge-url", server.url, "--judge-model", "parrot-1", "--yes", "--until", "settled", "--json"]
    return ["judge", "--study", study.path, *asked, *more]


def judged(study, server, *more, code=0):
    """Run it; return its account."""
    out, _ = spotbot(*words(study, server, *more), code=code)
    return json.loads(out)["figures"]["parrot-1"]["settled"]


def written(study):
    return study.units_path(SURVEY).read_bytes(), study.judgements_path(SURVEY).read_bytes()


# -- stopping ----------------------------------------------------------------------------------------------------------
def test_it_stops_when_all_is_settled_and_not_before(study, server):
    found = judged(study, server, "--margin", 0.3)
    verdicts = {frozenset((row["a"], row["b"])): (row["verdict"], row["a"]) for row in found["verdicts"]}
    assert verdicts[frozenset(("ann", "bob"))] == ("better", "ann")
    assert verdicts[frozenset(("bob", "cat"))] == ("better", "cat")
    assert verdicts[frozenset(("ann", "cat"))][0] == "equal"
    assert (found["ended"], found["budget"]) == ("settled", 120)
    assert 20 < found["answers"] < 110
    assert found["text"] == (
        f"settled after {found['answers']} answers of at most 120, {120 - found['answers']} saved: "
        "2 of 3 pairs differ, 1 equal"
    )
    again = Study.open(study.path)
    units = again.units(SURVEY)
    course = course_of(again, registered(again, SURVEY), units, again.judgements(SURVEY))
    assert course.ended == "settled"
    path = dict(course.path)  # of the units that were out when it settled, none was drawn after
    first = min(number for number, (_, settled) in enumerate(course.path, 1) if settled == 3)
    assert all(unit.rotation < first for unit in units)
    assert len(units) - first < 8
    assert path[found["answers"]] == 3
    asked = len(server.bodies)
    assert judged(study, server, "--margin", 0.3) == found
    assert len(server.bodies) == asked  # not even a greeting


def test_units_that_are_out_at_once_are_asked_about_at_once(study, server):
    judged(study, server, "--budget", 20)
    units = study.units(SURVEY)
    assert [unit.rotation for unit in units] == [0] * 8 + [8] * 8 + [16] * 4  # as many as requests at once
    assert [unit.replicate for unit in units] == list(range(20))
    shown = [name for unit in units for item in unit.items for name in item.conversation_ids]
    assert len(set(shown)) == len(shown) == 20


def test_budget_and_dry_run(study, server):
    out, _ = spotbot(*words(study, server, "--budget", 30, "--dry-run"))
    assert json.loads(out)["figures"]["parrot-1"]["requests"] == 60
    assert not study.survey_path(SURVEY).exists() or [*study.survey_path(SURVEY).iterdir()] == []
    assert not server.bodies
    found = judged(study, server, "--budget", 30)
    assert (found["ended"], found["answers"]) == ("budget", 30)
    assert found["text"].startswith("budget of 30 answers reached: ")
    assert len(server.bodies) == 60


# -- stopped anywhere --------------------------------------------------------------------------------------------------
def test_killed_anywhere_it_goes_on_byte_for_byte(study, server, tmp_path):
    whole = Study.open(shutil.copytree(study.path, tmp_path / "whole"))
    judged(whole, server, "--budget", 60)
    program = Path(sys.executable).parent / "spotbot"
    rng = np.random.default_rng(3)
    for requests in rng.integers(5, 40, 3):
        server.bodies.clear()
        asked = [program, *map(str, words(study, server, "--budget", 60))]
        server.kill_after(subprocess.Popen(asked, stdout=subprocess.DEVNULL), int(requests))
    found = judged(study, server, "--budget", 60)
    assert found["answers"] == 60
    assert written(study) == written(whole)


def test_torn_files_are_completed_to_the_same_bytes(study, server):
    judged(study, server, "--budget", 30)
    whole = units, answers = written(study)
    ends = [place + 1 for place, byte in enumerate(units) if byte == 10]
    first = [answers.index(json.loads(row)["unit_id"].encode()) for row in units.splitlines()]
    starts = [answers.rfind(b"\n", 0, place) + 1 for place in first]
    cuts = [
        (0, 0),
        (ends[3] - 5, 0),  # in the middle of the fourth unit
        (ends[7], 0),  # all of the first draw, nobody asked
        (ends[7], starts[3] + 40),  # within a line of an answer
        (ends[12] + 7, starts[8]),
        (ends[23], starts[20] + 500),
    ]
    for unit_bytes, answer_bytes in cuts:
        study.units_path(SURVEY).write_bytes(units[:unit_bytes])
        study.judgements_path(SURVEY).write_bytes(answers[:answer_bytes])
        sealed(study.path)
        judged(study, server, "--budget", 30)
        assert written(study) == whole, (unit_bytes, answer_bytes)


def test_where_a_server_stays_away_nothing_is_drawn_by_half_the_answers(study, server):
    server.say = lambda body: (_ for _ in ()).throw(chat_servers.Refused(401, "no"))
    _, err = spotbot(*words(study, server), code=2)
    assert "error: judge parrot-1" in err
    assert not study.judgements_path(SURVEY).exists() or not study.judgements_path(SURVEY).read_bytes()
    server.say = said
    found = judged(study, server, "--budget", 16, "--margin", 0.2)  # nothing was answered: another plan may be made
    assert (found["answers"], found["margin"]) == (16, 0.2)


# -- the spotter, and what comes after ---------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def rules(learns_little, tmp_path_factory):
    """A study of the rules pool that the spotter has judged until settled, with what the command printed."""
    folder = tmp_path_factory.mktemp("rules") / "study"
    with pytest.MonkeyPatch.context() as patch:
        learns_little(patch)
        spotbot("selfchat", "--pool", "rules", "--study", folder, "--conversations-per-pair", 4)
        out, _ = spotbot("judge", "--study", folder, "--until", "settled")
    return folder, out


def test_the_spotter_judges_what_it_has_not_seen_when_it_was_trained(rules):
    folder, out = rules
    study = Study.open(folder)
    assert "judge spotter: at most 12 comparisons, fewer where all is settled before" in out
    assert "  budget of 12 answers reached: 0 of 3 pairs differ, 3 open; to go on, take another --study" in out
    assert len(study.judgements(SURVEY)) == 12 * 5
    assert [unit.rotation for unit in study.units(SURVEY)] == list(range(12))


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        (["check"], 0, "pool.jsonl: "),
        (["analyze", "--bootstraps", 20], 0, "written to "),
        (["report"], 0, "report: "),
        (["export", "--format", "label_studio", "--out", "OUT"], 0, ""),
        (["pack"], 2, "(--until 'settled'), so nothing is packed."),
        (["judge"], 2, "served until settled, by judge spotter"),
        (["judge", "--until", "settled", "--margin", 0.1], 2, "with margin 0.0 there, 0.1 here"),
        (
            ["judge", "--until", "settled", "--judge-url", "http://127.0.0.1:1/v1", "--judge-model", "m"],
            2,
            "with source judge:spotter there, judge:m here",
        ),
    ],
)
def test_what_reads_such_a_study(rules, tmp_path, asked, code, says):
    folder = shutil.copytree(rules[0], tmp_path / "study")
    if asked[0] == "report":
        spotbot("analyze", "--study", folder, "--bootstraps", 20)
    before = (folder / "surveys" / SURVEY / "units.jsonl").read_bytes()
    out, err = spotbot(
        asked[0], "--study", folder, *[tmp_path / "o" if w == "OUT" else w for w in asked[1:]], code=code
    )
    assert says in out + err
    assert (folder / "surveys" / SURVEY / "units.jsonl").read_bytes() == before


# -- bad input ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["--margin", 0.5], "--margin 0.5: expected a share of points from 0 to below 0.5"),
        (["--level", 1], "--level 1.0: expected a share from 0.5 to below 1"),
        (["--budget", 0], "--budget 0: expected at least one unit of 1"),
        (["--decides", "fluency"], "--decides fluency: no comparison of survey spot_the_bot"),
        (["--survey", "turn_likert"], "--survey turn_likert: compares no two contestants"),
        (["--survey", "dialogue_likert"], "--survey dialogue_likert: compares no two contestants"),
        (["--survey", "abc_eval"], "--survey abc_eval: compares no two contestants"),
        (["--judges", "spotter,FILE"], "--judges: 2 judges; --until 'settled' takes one"),
        (["--judges", "none"], "--judges: 0 judges; --until 'settled' takes one"),
        (["--survey", "acute_eval", "--judges", "spotter"], "the judge spotter can't answer its questions"),
        (["--until", "dawn"], "--until dawn: unknown. Known: settled."),
    ],
)
def test_what_is_wrong_is_one_error_before_any_work(study, tmp_path, asked, says):
    (tmp_path / "judges.yaml").write_text("large: {url: 'http://127.0.0.1:1/v1', model: m}\n")
    before = sorted(study.path.rglob("*"))
    given = [str(word).replace("FILE", str(tmp_path / "judges.yaml")) for word in asked]
    _, err = spotbot("judge", "--study", study.path, "--until", "settled", *given, code=2)
    assert says in err
    assert [path for path in sorted(study.path.rglob("*")) if path.name != ".lock"] == before


def test_options_without_until_and_units_packed_before(study):
    _, err = spotbot("judge", "--study", study.path, "--margin", 0.1, code=2)
    assert "--margin: goes with --until 'settled'." in err
    spotbot("pack", "--study", study.path)
    _, err = spotbot("judge", "--study", study.path, "--until", "settled", code=2)
    assert "units.jsonl: packed already, so what is shown next can't be chosen." in err


# -- compare and tournament --------------------------------------------------------------------------------------------
@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with bots of plain Python."""
    monkeypatch.chdir(tmp_path)
    for name, phrase in {"tea": "i like tea", "milk": "i like milk", "hums": "hm"}.items():
        said = f"def respond(text):\n    return f'{phrase} {{next(turns)}}'\n"
        (tmp_path / f"{name}.py").write_text(f"import itertools\n\nturns = itertools.count()\n\n\n{said}")
    yield tmp_path
    for name in ("tea", "milk", "hums"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("bots", "given", "code", "verdict", "says"),
    [
        (("tea", "hums"), (), 0, "better", "tea-respond is better than hums-respond: settled after "),
        (("hums", "tea"), (), 4, "worse", "hums-respond is worse than tea-respond: settled after "),
        (("tea", "milk"), ("--margin", 0.3), 3, "undecided", "are equal within 30% of the points: settled after "),
        (("tea", "milk"), (), 3, "undecided", "can't be told apart: not settled after 20 answers; "),
    ],
)
def test_compare(folder, monkeypatch, bots, given, code, verdict, says):
    monkeypatch.setitem(chat_servers.FIELDS, "response_format", dict)
    with ChatServer(chat_servers.judged) as server:
        asked = ["--judge-url", server.url, "--judge-model", "parrot-1", "--bootstraps", 20, "--yes", "--json"]
        named = [f"{bot}:respond" for bot in bots]
        command = ["compare", *named, "--conversations", 20, "--until", "settled", *given, *asked]
        found = json.loads(spotbot(*command, code=code)[0])
        assert json.loads(spotbot(*command, code=code)[0]) == found
    assert (found["verdict"], found["exit_code"]) == (verdict, code)
    assert says in found["said"]
    assert found["said"].endswith("of the points, by judge parrot-1")
    if verdict != "undecided":
        settled = found["figures"]["settled"]
        assert 5 < settled["answers"] < 17
        assert settled["saved"] == 20 - settled["answers"]
    opened = says.startswith("can't")
    assert bool(found["next"]) == opened
    if opened:
        assert "-vs-milk-respond-40 " in found["next"]
        assert "--until settled" in found["next"]
        assert shlex.split(found["next"])[2:4] == named


def test_tournament(folder, learns_little, monkeypatch, only):
    learns_little(monkeypatch)
    only("ranking")
    asked = ["--pool", "rules", "--conversations-per-pair", 3, "--study", "s", "--until", "settled", "--budget", 5]
    out, _ = spotbot("tournament", *asked)
    assert "  budget of 5 answers reached: 0 of 3 pairs differ, 3 open; to go on, take another --study" in out
    assert "report: s/report/index.html" in out
    assert len(Study.open("s").units(SURVEY)) == 5
    _, err = spotbot("tournament", *asked[:-4], code=2)
    assert "(--until 'settled'), so nothing is packed." in err
    _, err = spotbot("compare", "tea:respond", "hums:respond", "--until", "settled", "--margin", 0.7, code=2)
    assert "--margin 0.7: expected a share of points from 0 to below 0.5." in err
    assert not Path("tea-respond-vs-hums-respond").exists()


# -- from Python -------------------------------------------------------------------------------------------------------
def test_from_python(folder, server):
    asked = {"url": server.url, "model": "parrot-1", "yes": True}
    made = {"new": "spotbot:eliza", "old": lambda text: "hm", "conversations_per_pair": 12, "progress": False}
    with pytest.raises(ValueError, match="until: "):
        sb.compare(**made, judge=asked, until="dawn")
    with pytest.raises(ValueError, match=r"^margin=0.5: expected a share of points from 0 to below 0\.5"):
        sb.compare(**made, judge=asked, until="settled", margin=0.5)
    assert not Path("new-vs-old").exists()
    found = sb.compare(**made, judge=asked, until="settled", level=0.8)
    assert (found.verdict, found.settled["ended"]) == ("better", "settled")
    study = sb.Study.open("new-vs-old")
    again = sb.judge_study(study, **asked, until="settled", level=0.8, progress=False)
    assert again["settled"] == found.settled
    for wrong, says in (
        ({"margin": 0.1}, "margin: goes with until='settled'"),
        ({"until": "settled"}, "with level 0.8 there, 0.95 here"),
        ({}, "served until settled, by judge parrot-1"),
    ):
        with pytest.raises(ValueError, match=re.escape(says)):
            sb.judge_study(study, **asked, **wrong, progress=False)
