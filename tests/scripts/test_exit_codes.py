"""Exit codes count what is missing: 0 all there, 1 some, 2 nothing usable; judges are real servers that misbehave."""

import json
import re
import shlex
from collections import Counter
from dataclasses import replace

import openai._base_client as openai_client
import pytest

from parlai_spotbot.judges.language_model.served_model import UNUSABLE
from parlai_spotbot.surveys import get_survey
from tests.agents import chat_servers
from tests.agents.chat_servers import ChatServer
from tests.in_process import spotbot
from tests.judges.small_study import SURVEY, spot_study

PROMPTS = 4 * 5 * 2
"""Four items, two natures and three features of each, in both orders."""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(openai_client, "INITIAL_RETRY_DELAY", 0.01)


@pytest.fixture
def study(tmp_path):
    return spot_study(tmp_path / "study")


good = chat_servers.answers_to


def judge_words(url, study, *more):
    server = ["--judge-url", url, "--judge-model", "parrot-1", "--one-request", "no"]
    return ["--study", study.path, *server, *more]


def judged(url, study, *more, code):
    out, err = spotbot("judge", *judge_words(url, study, *more), "--json", code=code)
    result = json.loads(out)
    assert (result["error"] is None) == (not result["missing"])
    return result, err


def refusal(body):
    return {"message": {"role": "assistant", "content": None, "refusal": "I can't judge people."}}


def cut(body):
    return {"message": {"role": "assistant", "content": "<think>Let me see, the first"}, "finish_reason": "length"}


UNUSABLE_JUDGES = {
    "nonsense": (lambda body: "Well, that's hard to say!", "not one of the possible answers", "hard to say"),
    "label that isn't offered": (lambda body: '{"answer": "77"}', "not one of the possible answers", "77"),
    "empty": (lambda body: "", "empty", '""'),
    "refusal": (refusal, "refused by the model", "the model refused"),
    "thinks until cut": (cut, "cut before its first word", "Let me see"),
    "thinks aloud": (lambda body: "1 is a person? No, 2.\nSo it is 1 or 2", "not one of the possible answers", "is a"),
    "two answers": (lambda body: '{"answer": "1"} no: {"answer": "2"}', "not one of the possible answers", "answer"),
}


@pytest.mark.parametrize("name", UNUSABLE_JUDGES)
def test_a_judge_without_a_usable_answer_stops_and_ends_with_2(study, name):
    say, reason, raw = UNUSABLE_JUDGES[name]
    with ChatServer(say) as server:
        result, err = judged(server.url, study, code=2)
        assert len(server.bodies) == UNUSABLE
        again, _ = judged(server.url, study, code=2)  # a judge that never worked is tried again, as often at most
        assert len(server.bodies) == 2 * UNUSABLE
    counts = {re.search(r"\((.*)\)$", what)[1]: n for what, n in result["missing"].items()}
    assert sum(counts.values()) == PROMPTS
    assert set(counts) == {reason, "not asked"}
    assert again["missing"] == result["missing"]
    assert raw.replace('"', "") in err.replace('\\"', "").replace('"', "")
    assert raw.replace('"', "") in result["error"]["remedy"].replace('\\"', "").replace('"', "")
    assert f"{counts['not asked']} × answer of judge parrot-1 (not asked)" in err
    assert result["said"] == f"no answer of parrot-1 can be used; {PROMPTS} answers missing"
    kept = (study.survey_path(SURVEY) / "judges" / "parrot-1" / "raw.jsonl").read_text().splitlines()
    assert len(kept) == 2 * UNUSABLE


def test_the_next_step_after_a_failed_judge_is_the_same_judge(study):
    with ChatServer(lambda body: "Who knows?") as server:
        words = judge_words(server.url, study, "--max-cost", 1, "--judge-price-prompt", 0.1)
        out, _ = spotbot("judge", *words, code=2)
        assert "--judges spotter" not in out
        named = next(line for line in out.splitlines() if line.startswith("or by the same judge: "))
        asked = shlex.split(named.partition(": ")[2])
        pairs = dict(zip(asked[2::2], asked[3::2], strict=False))
        assert (pairs["--judge-url"], pairs["--judge-model"], pairs["--max-cost"]) == (server.url, "parrot-1", "1.0")
        server.say = good
        spotbot(*asked[1:2][0].replace("spotbot_", "").split(), *asked[2:])
    assert {row.source for row in study.judgements(SURVEY)} == {"judge:parrot-1"}


def test_once_the_judge_is_corrected_the_same_command_gets_every_answer(study):
    with ChatServer(lambda body: "") as server:
        judged(server.url, study, code=2)
        server.say = good
        result, _ = judged(server.url, study, code=0)
        assert len(server.bodies) == UNUSABLE + PROMPTS
        assert judged(server.url, study, code=0)[0]["missing"] == {}
        assert len(server.bodies) == UNUSABLE + PROMPTS
    assert result["said"] == "judged by parrot-1"
    assert len(study.judgements(SURVEY)) == PROMPTS // 2


@pytest.mark.parametrize("bad", [1, UNUSABLE - 1])
def test_a_judge_that_fails_at_first_or_now_and_then_is_asked_on(study, bad):
    unusable = Counter()

    def say(body):
        asked = json.dumps(body["messages"])
        seldom = len(server.bodies) <= bad or len(server.bodies) % 9 == 0
        if seldom and unusable[asked] < 2:  # the third reply to a question is the last that is asked for
            unusable[asked] += 1
            return "hm"
        return good(body)

    with ChatServer(say) as server:
        judged(server.url, study, code=0)
    assert len(server.bodies) == PROMPTS + unusable.total()
    assert unusable.total() >= min(bad, 2)


def test_answers_that_stay_unusable_are_missing_with_code_1(study):
    poisoned = study.units(SURVEY)[0].items[1].transcripts[0][0].text

    def say(body):
        asked = body["messages"][-1]["content"]
        return "I'd rather not say" if poisoned in asked and "Is Entity A" in asked else good(body)

    with ChatServer(say) as server:
        result, err = judged(server.url, study, code=1)
        assert len(server.bodies) == PROMPTS + 2 * 2  # two prompts, each three times
        assert judged(server.url, study, code=1)[0]["missing"] == result["missing"]
        assert len(server.bodies) == PROMPTS + 2 * 2  # and not again
    assert result["missing"] == {"answer of judge parrot-1 (not one of the possible answers)": 2}
    assert "warning: missing: 2 × answer of judge parrot-1" in err
    assert "spotbot_analyze" in result["next"]
    analysed = json.loads(spotbot("analyze", "--study", study.path, "--bootstraps", 20, "--json", code=1)[0])
    assert analysed["missing"] == {"incomplete annotation of judge:parrot-1": 1}
    assert analysed["error"]["problem"] == "missing: 1 × incomplete annotation of judge:parrot-1."


@pytest.mark.parametrize(
    "said",
    [
        "<think>It could be {}, or not.</think>{}",
        "It sounds human to me.</think>\n\n{}",
        "Let me think. Both are polite, the first more so. {}",
        "```json\n{}\n```\nI chose this since it sounds natural.",
        "{} {}",
    ],
)
def test_the_answer_is_found_in_what_a_judge_says_around_it(study, said):
    def say(body):
        return said.replace("{}", good(body))

    with ChatServer(say) as server:
        judged(server.url, study, code=0)
        assert len(server.bodies) == PROMPTS


@pytest.mark.slow
def test_a_tournament_whose_judge_fails_ends_before_the_report(tmp_path):
    words = ["--pool", "rules", "--conversations-per-pair", 1, "--exchanges", 2, "--segments", "1,2", "--json"]
    words += ["--study", tmp_path / "s", "--bootstraps", 20, "--judge-model", "parrot-1"]
    with ChatServer(lambda body: "hm") as server:
        result = json.loads(spotbot("tournament", *words, "--judge-url", server.url, code=2)[0])
        assert len(server.bodies) == UNUSABLE
        assert result["error"]["problem"].startswith("no answer of parrot-1 can be used: ")
        server.say = good
        result = json.loads(spotbot("tournament", *words, "--judge-url", server.url)[0])
    assert result["missing"] == {}
    assert result["written"]["report"]


def test_a_comparison_whose_judge_fails_has_no_verdict(tmp_path):
    words = ["alice", "eliza", "--pool", "rules", "--conversations", 1, "--study", tmp_path / "s", "--bootstraps", 20]
    with ChatServer(lambda body: "hm") as server:
        asked = ["--judge-url", server.url, "--judge-model", "parrot-1", "--json"]
        result = json.loads(spotbot("compare", *words, *asked, code=2)[0])
        assert len(server.bodies) == UNUSABLE
    assert (result["verdict"], result["error"] is None) == ("", False)


VOTES = "model_a,model_b,winner\n" + "a,b,a\nb,c,tie\nc,a,b\n" * 3
CHAT = {"model": "one", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
SHORT = {"model": "one", "messages": [{"role": "user", "content": "hi"}]}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("form", "name", "text", "code", "missing"),
    [
        ("votes", "v.csv", VOTES, 0, {}),
        ("votes", "v.csv", VOTES + "a,a,tie\n" * 2, 1, {"vote between a contestant and itself": 2}),
        ("messages", "c.jsonl", lines(CHAT, CHAT), 0, {}),
        ("messages", "c.jsonl", lines(CHAT, SHORT), 1, {"conversation without an exchange": 1}),
        ("messages", "c.jsonl", lines(SHORT), 2, {}),
    ],
)
def test_rows_that_an_import_cannot_use_show_in_its_exit_code(tmp_path, form, name, text, code, missing):
    path = tmp_path / name
    path.write_text(text)
    for _ in range(2):  # the same import again has the same result
        words = ["--format", form, "--data", path, "--study", tmp_path / "s", "--json"]
        result = json.loads(spotbot("import", *words, code=code)[0])
        assert result["missing"] == missing
        assert (result["error"] is None) == (code == 0)


def test_a_finding_that_fails_numerically_leaves_the_others(study, monkeypatch):
    from parlai_spotbot.findings import compute, findings_of

    def fails(answers):
        raise ZeroDivisionError("float division by zero")

    findings = [finding for finding in findings_of(get_survey(SURVEY)) if not finding.asked]
    findings = [replace(finding, compute=fails) if finding.name == "features" else finding for finding in findings]
    monkeypatch.setattr(compute, "asked_for", lambda *_: findings)
    with ChatServer(good) as server:
        judged(server.url, study, code=0)
    result = json.loads(spotbot("analyze", "--study", study.path, "--bootstraps", 20, "--json", code=1)[0])
    assert result["missing"] == {"finding features (judge:parrot-1): ZeroDivisionError: float division by zero": 1}
    assert (study.analysis_path(SURVEY) / "ranking.json").exists()


@pytest.mark.parametrize("name", ["judge", "collect", "import", "analyze", "tournament", "compare"])
def test_help_ends_in_the_exit_codes(name):
    for option in ("--help", "--help-all"):
        assert spotbot(name, option)[0].count("Exit codes: 0 ") == 1
