"""Two bots compared in one command: what they are written as, the three verdicts, and exit codes for CI."""

import json
import shlex
import sys
from pathlib import Path

import pytest

import parlai_spotbot as sb
from parlai_spotbot.findings.comparison import Comparison
from parlai_spotbot.study import Study
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.judges.certificate.labelled_study import let_people

PHRASES = {"talks_on": "i like it a lot", "says_hm": "hm"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with two bots of plain Python."""
    for name, phrase in PHRASES.items():
        said = f"def respond(text):\n    return f'{phrase} {{next(turns)}}'\n"
        code = f"import itertools\n\nturns = itertools.count()\n\n\n{said}"
        (tmp_path / f"{name}.py").write_text(code)  # no two conversations are the same
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in PHRASES:
        sys.modules.pop(name, None)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "agents"))
    from tests.agents import chat_servers

    with chat_servers.ChatServer(chat_servers.judged) as found:
        yield found


@pytest.mark.slow
def test_the_verdict_is_the_exit_code_and_more_conversations_settle_it(folder, server):
    asked = ["--judge-url", server.url, "--judge-model", "parrot-1", "--bootstraps", 50, "--yes", "--json"]
    asked += ["--margin", 0.4]
    out, _ = spotbot("compare", "talks_on:respond", "says_hm:respond", "--conversations", 3, *asked, code=3)
    found = json.loads(out)
    assert found["verdict"] == "undecided"
    assert found["said"].startswith(
        "talks_on-respond and says_hm-respond can't be told apart: talks_on-respond wins an estimated 91% [0%, 100%]"
    )
    study = folder / "talks_on-respond-vs-says_hm-respond"
    assert found["written"] == {"report": f"{study.name}/report/index.html"}
    assert "--conversations 6 " in found["next"]
    assert "--margin 0.4" in found["next"]
    made_by = json.loads((study / "surveys" / "spot_the_bot" / "analysis" / "ranking.json").read_text())["made_by"]
    assert made_by["options"]["margin"] == 0.4

    again = [*shlex.split(found["next"])[1:], "--bootstraps", 50, "--yes", "--json"]
    out, err = spotbot(again[0].removeprefix("spotbot_"), *again[1:])
    found = json.loads(out)
    assert (found["verdict"], found["exit_code"], found["next"]) == ("better", 0, "")
    assert "6 of 6 conversations between bots" in err
    assert 0.5 < found["figures"]["ci"][0] < found["figures"]["rate"] < 1

    out, err = spotbot("compare", "says_hm:respond", "talks_on:respond", "--study", study, *asked, code=4)
    found = json.loads(out)
    assert found["verdict"] == "worse"
    assert found["said"].startswith("says_hm-respond is worse than talks_on-respond: it wins an estimated 5% [0%, 46%]")
    assert found["said"].endswith("by judge parrot-1")
    assert "loading" not in err  # nothing is played again

    asked_once, judge = len(server.bodies), {"url": server.url, "model": "parrot-1"}
    same = sb.compare("talks_on:respond", "says_hm:respond", study=study, judge=judge, progress=False)
    assert (same.verdict, same.new, len(server.bodies)) == ("better", "talks_on-respond", asked_once)


@pytest.mark.parametrize(
    "words",
    [
        "compare broken_bot:respond talks_on:respond --conversations 1",
        "tournament --contestant a=broken_bot:respond --contestant b=talks_on:respond --conversations-per-pair 1",
    ],
)
def test_where_a_bot_fails_throughout_the_error_says_why(folder, words):
    (folder / "broken_bot.py").write_text("def respond(text):\n    raise ValueError('no key')\n")
    out, err = spotbot(*words.split(), "--study", "s", "--json", code=2)
    assert "1 conversation is missing, see s/failures.jsonl; the same command tries again" in err
    problem = json.loads(out)["error"]["problem"]
    assert "failures.jsonl: none of 1 conversation came to its end. The first: " in problem
    assert problem.endswith("exception: ValueError: no key.")


@cases(
    "words says",
    """
- [[spotbot:eliza], 'error: OLD missing']
- [[], 'error: NEW and OLD missing']
- [[spotbot:eliza, spotbot:eliza], NEW and OLD are both spotbot:eliza]
- [[spotbot:elisa, spotbot:alice], 'Did you mean ''spotbot:eliza''?']
- [[talks_on:answer, says_hm:respond], talks_on]
- [[http://127.0.0.1:1/v1, spotbot:alice], 'which model of that server?']
- [[elisa, alice, '--pool', rules], 'Did you mean ''eliza''?']
- [[news, alice, '--contestant', new=talks_on:respond, '--pool', rules], 'news: not in --pool or --contestant.']
- [[news, new, '--contestant', new=talks_on:respond], 'news: not in --pool or --contestant.']
- [[eliza, alice, '--pool', rules, '--judge', none], '--judge: 0 judges']
""",
)
def test_what_is_wrong_is_one_error_and_leaves_nothing_behind(folder, words, says):
    before = sorted(folder.rglob("*.*"))
    _, err = spotbot("compare", *words, code=2)
    assert says in err
    assert [path for path in sorted(folder.rglob("*.*")) if "__pycache__" not in path.parts] == before


def test_scores_are_told_as_differences():
    found = Comparison("a", "b", "human", "better", "score", 0.4, (0.1, 0.7))
    assert str(found) == "a is better than b: its score is higher by 0.40 [0.10, 0.70], by people"
    assert str(Comparison("a", "b", "human", "undecided", "win rate")) == (
        "a and b can't be told apart: no match was decided, by people"
    )


def test_names_in_answers_keep_their_letters():
    why = "ada stood first in 100% of the matches with Bob: nothing tells the first place from strength"
    found = Comparison("Bob", "ada", "human", "undecided", "win rate", why=why)
    assert found.answer.endswith(f". {why}")
    assert Comparison("Bob", "ada", "human", "undecided", "win rate", why="too few").answer.endswith(". Too few")


@pytest.mark.slow
def test_a_gate_opens_only_where_people_vouch_for_the_judge(folder, server):
    asked = ["--judge-url", server.url, "--judge-model", "parrot-1", "--bootstraps", 50, "--yes"]
    bots = ["talks_on:respond", "says_hm:respond", "--conversations", 8, "--study", "s"]
    _, err = spotbot("compare", *bots, *asked, "--gate", code=1)
    assert "judge parrot-1 has no certificate" in err
    assert not Path("s").exists()
    spotbot("compare", *bots, *asked)
    study = let_people(Study.open("s"), right=0.95)
    before = len(server.bodies)
    spotbot("judge", "--study", "s", *asked[:4], "--certify", "--repeats", 1)
    assert len(server.bodies) - before >= 40
    out, _ = spotbot("compare", *bots, *asked, "--gate", "--json")
    assert "by judge parrot-1, vouched for by " in json.loads(out)["said"]
    assert json.loads(out)["verdict"] == "better"
    _new_is_worse([*reversed(bots[:2]), *bots[2:], *asked, "--gate"])
    _in_python(server.url)

    before = len(server.bodies)
    out, _ = spotbot("judge", "--study", "s", *asked[:4], "--recheck", 40)
    assert len(server.bodies) - before >= 40  # its cache isn't asked
    assert out.startswith("Judge parrot-1 has not been found to have changed, after 40 rechecks.")

    path = study.survey_path("spot_the_bot") / "judges" / "parrot-1" / "certificate.json"
    _bots_alike([*asked, "--gate", path])
    other = [*bots[:-1], "t", "--gate", path]
    out, err = spotbot("compare", *other, *asked, "--judge-name", "else", "--one-request", "no", code=1)
    assert "the certificate is stale: one_request is None, was True" in err
    assert "vouched" not in out
    _without_certificate(path, [*bots, *asked, "--gate"])


def _new_is_worse(words):
    out, _ = spotbot("compare", *words, "--json", code=4)
    assert json.loads(out)["said"].startswith("says_hm-respond is worse than talks_on-respond: it wins an estimated ")
    assert "by judge parrot-1, vouched for by " in json.loads(out)["said"]


def _without_certificate(path, words):
    _, err = spotbot("compare", *words, "nowhere.json", code=2)
    assert "nowhere.json: no such certificate" in err
    _unclear(path)
    _, err = spotbot("compare", *words, "c.json", code=1)
    assert "--gate: judge parrot-1, not known: its agreement may lie on either side of 0." in err
    assert "About 70 labels more would settle it" in err


def _bots_alike(words):
    alike = ["talks_on-respond", "also", "--conversations", 3, "--study", "alike"]
    alike += ["--contestant", "talks_on-respond=talks_on:respond", "--contestant", "also=talks_on:respond"]
    out, _ = spotbot("compare", *alike, *words, "--json", code=3)
    said = json.loads(out)["said"]
    assert "can't tell whether talks_on-respond or also is better" in said
    assert "It ranks nobody. The judge is vouched for by " in said


def _in_python(url):
    judge = {"url": url, "model": "parrot-1", "yes": True}
    given = {"conversations_per_pair": 8, "judge": judge, "gate": "", "progress": False}
    found = sb.compare("talks_on:respond", "says_hm:respond", "s", **given)
    assert (found.verdict, found.vouched.partition(" by ")[0]) == ("better", "vouched for")
    with pytest.raises(ValueError, match="judge parrot-1 has no certificate"):
        sb.compare("talks_on:respond", "says_hm:respond", "u", **given)
    assert not Path("u").exists()


def _unclear(path):
    """Write the certificate of a file without what it allows to c.json."""
    certificate = json.loads(path.read_text())
    for use in certificate["uses"]:
        use |= {"status": "not known", "reason": "unclear", "labels": 70}
    Path("c.json").write_text(json.dumps(certificate))
