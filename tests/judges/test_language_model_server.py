"""A language model behind a chat server as judge, over a real connection, with what can go wrong in between."""

import json
import logging
from pathlib import Path

import openai._base_client as openai_client
import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import language_model
from parlai_spotbot.judges import run as judges_run
from parlai_spotbot.judges.language_model.options import read_options
from parlai_spotbot.judges.run import estimate, judge_study
from parlai_spotbot.records import Judgement
from tests.agents.chat_servers import BLABBING, KEY, ChatServer, Proxy, Refused, answers_to, seen
from tests.in_process import spotbot
from tests.judges.small_study import MANY, SURVEY, conversation, item, spot_study, study_of

NAME = "hosted"
ASKED = 5 * 2
"""Prompts about one item: two natures and three features, in both orders."""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(openai_client, "INITIAL_RETRY_DELAY", 0.01)


def option(body, wanted):
    """The label before the option that reads `wanted`."""
    return labelled(body["messages"][-1]["content"], wanted)


def labelled(text, wanted):
    return next((line.split(".")[0] for line in text.splitlines() if line[1:].startswith(f". {wanted}")), "")


def fair(body):
    """Who takes Entity 0's conversation for a person's, whatever it is called; no difference else."""
    return answers_to(body, lambda _, text: labelled(text, "Human") or labelled(text, "No difference"))


def judge(url, seed=0, name=NAME, most=None, **given):
    given = {"one_request": False, **given}
    options = read_options({"url": url, "model": "parrot-1", "timeout": 10.0, "retries": 2, **given}, "test")
    return language_model.JUDGE(seed, name, options, most)


def run(study, url, survey=SURVEY, **given):
    return judge_study(study.load(survey), judge(url, **given), progress=False)


def raw(study, survey=SURVEY):
    path = study.survey_path(survey) / "judges" / NAME / "raw.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def answers(study, survey=SURVEY):
    lines = study.judgements_path(survey).read_text().splitlines()
    rows = [Judgement.from_json(json.loads(line), "") for line in lines]
    assert len({row.judgement_id for row in rows}) == len(rows)
    return {(row.item_id, row.question, row.target): row.answer for row in rows}


@pytest.fixture
def study(tmp_path):
    return spot_study(tmp_path / "study")


# -- what is asked and answered ----------------------------------------------------------------------------------------
def test_each_item_is_asked_about_once_in_both_orders(study):
    with ChatServer(fair) as server:
        summary = run(study, server.url)
    assert len(server.bodies) == 4 * ASKED  # two annotators see each item; a second look would be a copy
    assert all(body["temperature"] == 0 and body["response_format"]["type"] == "json_schema" for body in server.bodies)
    assert len({body["seed"] for body in server.bodies}) > 30
    found = answers(study)
    assert len(found) == 4 * 5
    assert {answer for (_, question, _), answer in found.items() if question == "nature"} == {"human"}
    rows = study.judgements(SURVEY)
    assert {(row.source, row.worker_id) for row in rows} == {(f"judge:{NAME}", NAME)}
    assert summary["variants"][NAME]["balanced_accuracy"] == 0.5
    assert (summary["position"]["n"], summary["position"]["flips"]) == (20, 0)
    assert summary["usage"]["prompt_tokens"] == sum(row["prompt_tokens"] for row in raw(study)) > 0
    assert summary["model"]["served"]["parrot-1-2026-01-31"]["replies"] == 4 * ASKED
    assert summary["model"]["served"]["parrot-1-2026-01-31"]["system_fingerprints"] == ["fp_1"]
    assert "no substitute for people" in summary["note"]


def test_a_survey_of_all_kinds_is_answered(tmp_path, monkeypatch):
    for module in (language_model, judges_run):
        monkeypatch.setattr(module, "survey_of", lambda *_: MANY)
    shown = [conversation(i) for i in range(2)]
    study = study_of(
        tmp_path / "study", "many", [item(shown[0], judged=(1,)), item(*shown, questions=("better",))], shown
    )

    def say(body):
        schema = body["response_format"]["json_schema"]["schema"]["properties"]["answer"]
        if schema["type"] == "array":
            named = schema["items"]["enum"]
            return json.dumps({"answer": named if "first one first" in body["messages"][-1]["content"] else named[:1]})
        if "enum" not in schema:
            assert "You were asked: Which one is better?\nYou answered: Neither" in body["messages"][-1]["content"]
            return json.dumps({"answer": "Because\nit is."})
        return json.dumps(
            {
                "answer": option(body, "Yes")
                or option(body, "Neither")
                or ("4" if "4 (4 of 5)" in body["messages"][-1]["content"] else "")
            }
        )

    with ChatServer(say) as server:
        summary = run(study, server.url, survey="many")
    found = answers(study, "many")
    first = study.units("many")[0].items[0].item_id
    own = {(question, target): answer for (name, question, target), answer in found.items() if name == first}
    assert {pair for pair in own if pair[0] == "odd"} == {
        ("odd", "turn:1"),
        ("odd", "turn:3"),
    }  # the judged one's turns
    assert own["odd", "turn:1"] == "yes"
    assert own["why_odd", "turn:3"] in (["rude"], ["off"])  # put because turn 3 is odd
    assert ("rate", "entity:0") not in own
    assert (own["rate", "entity:1"], own["better", "pair"], own["reason", "pair"]) == ("4", "neither", "Because it is.")
    assert sorted(own["order", "pair"]) == ["blue", "green", "red"]
    assert {pair[1:] for pair in found if pair[0] != first} == {("better", "pair")}
    assert summary["position"]["n"] == len([pair for pair in found if pair[1] != "reason"])


# -- all questions about an item at once ------------------------------------------------------------------------------
def test_all_questions_about_an_item_are_asked_at_once_with_the_same_answers(study):
    with ChatServer(fair) as server:
        run(study, server.url)
        alone = answers(study)
        checksums.remove(study.judgements_path(SURVEY))
        before = estimate(study.load(SURVEY), judge(server.url, one_request=None, name="at_once"))
        asked = len(server.bodies)
        summary = judge_study(study.load(SURVEY), judge(server.url, one_request=None, name="at_once"), progress=False)
        bodies = server.bodies[asked:]
    assert len(bodies) == before["requests"] == 4 * 2
    assert answers(study) == alone
    assert {body["max_tokens"] for body in bodies} == {100 + 4 * 12}
    rows = [json.loads(line) for line in (study.survey_path(SURVEY) / "judges/at_once/raw.jsonl").open()]
    assert [row["asked"] for row in rows[:5]] == [f"{n} of 5" for n in range(1, 6)]
    assert summary["usage"]["answers"] == 4 * ASKED
    assert summary["usage"]["prompt_tokens"] == sum(row.get("prompt_tokens", 0) for row in rows) > 0
    assert summary["model"]["served"]["parrot-1-2026-01-31"]["replies"] == 4 * 2
    assert summary["prompt"]["one_request"]
    assert study.provenance()["judge"][SURVEY]["at_once"]["one_request"] is True


@pytest.mark.parametrize("lost", ["null", "none of the labels", "named twice", "cut"])
def test_an_answer_that_a_reply_lacks_is_asked_for_again_without_the_others(study, lost):
    def say(body):
        given = json.loads(fair(body))
        if "Q5" not in given:
            return fair(body)
        if lost == "named twice":
            return f"{json.dumps(given)} or {json.dumps({'Q5': '2' if given['Q5'] == '1' else '1'})}"
        if lost == "cut":
            return json.dumps(given).partition(', "Q5"')[0]
        return json.dumps({**given, "Q5": "77"} if lost == "none of the labels" else {**given, "Q5": None})

    with ChatServer(say) as server:
        summary = run(study, server.url, one_request=None)
    assert len(server.bodies) == 4 * 2 * 2  # what is left of each request is one question, which is asked alone
    assert summary["missing"]["n"] == 0
    assert summary["usage"]["bad_answers"] == 4 * 2
    assert len(answers(study)) == 20


def test_a_study_goes_on_as_it_began_and_asks_nothing_twice(study):
    with ChatServer(fair, answer={"usage": {"prompt_tokens": 500, "completion_tokens": 8}}) as server:
        run(study, server.url, most=0.02, **PRICES)  # each question alone, as versions before did
        assert 0 < len(server.bodies) < 40
        assert not any("asked" in row for row in raw(study))
        summary = run(study, server.url, one_request=None, **PRICES)
        assert len(server.bodies) == len({json.dumps(body["messages"]) for body in server.bodies}) == 40
        assert not summary["prompt"]["one_request"]
        with pytest.raises(UserError, match=r"None.*; asked for are .*True"):
            run(study, server.url, one_request=True, **PRICES)
    assert len(answers(study)) == 20


@pytest.mark.parametrize("file", ["raw.jsonl", "model.json"])
@pytest.mark.parametrize("done", ["altered", "removed"])
def test_paid_answers_that_were_altered_are_refused_and_found_by_the_check(study, file, done):
    with ChatServer(fair) as server:
        run(study, server.url, most=0.01, **PRICES)
        path = study.survey_path(SURVEY) / "judges" / NAME / file
        text = path.read_text()
        if done == "removed":
            path.unlink()
        else:
            path.write_text(
                text.replace("1.0", "0.5", 1) if file == "raw.jsonl" else text.replace("parrot", "other", 1)
            )
        if file == "raw.jsonl":
            asked = len(server.bodies)
            with pytest.raises(UserError, match=r"raw.jsonl: changed since it was written"):
                run(study, server.url, **PRICES)
            assert len(server.bodies) == asked
    assert file in spotbot("check", "--study", study.path, code=1)[0]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("raw.jsonl", {"chances": [1.0]}),
        ("raw.jsonl", {"chances": [1e308] * 3}),
        ("raw.jsonl", {"prompt_tokens": 10**400}),
        ("raw.jsonl", {"order": "third"}),
        (f"../{NAME}.json", {"variants": "x"}),
        (f"../{NAME}.json", None),
    ],
)
def test_a_judges_file_with_a_wrong_value_is_named_even_where_its_checksum_is_right(study, name, change):
    with ChatServer(fair) as server:
        run(study, server.url)
        path = study.survey_path(SURVEY) / "judges" / NAME / name
        rows = [json.loads(line) for line in path.open()] if name == "raw.jsonl" else [json.loads(path.read_text())]
        rows[0] = {**rows[0], **change} if change else [rows[0]]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        checksums.write_manifest(study.path, checksums.new_manifest(study.path))
        with pytest.raises(UserError, match=path.name):
            run(study, server.url)


# -- what goes wrong ---------------------------------------------------------------------------------------------------


REFUSAL = {"message": {"role": "assistant", "content": None, "refusal": "no"}}
BAD = ["", "I think it is a person", '{"answer": "9"}', '{"answer": "1"', REFUSAL]


def test_bad_answers_are_asked_for_again(study):
    tried = []

    def say(body):
        tried.append(body)
        return BAD[len(tried) - 1] if len(tried) <= len(BAD) else fair(body)

    with ChatServer(say) as server:
        summary = run(study, server.url)
    assert len(server.bodies) == 4 * ASKED + len(BAD)
    assert summary["usage"]["bad_answers"] == len(BAD)
    assert summary["missing"]["n"] == 0
    assert len(answers(study)) == 20
    again = [body for body in server.bodies if body["messages"] == server.bodies[0]["messages"]]
    assert len(again) > 1
    assert len({body["seed"] for body in again}) == len(again)
    assert "temperature" not in again[1]  # at 0 it would say the same


def test_a_server_that_goes_away_stops_the_judge_and_loses_nothing(study):
    with ChatServer(fair) as server, Proxy(server.url, [None] * 12 + ["refuse"] * 500, greeting=False) as proxy:
        with pytest.raises(UserError, match="gave no answer any more") as caught:
            run(study, proxy.url, retries=0, concurrency=1)
        assert "run the same command again" in caught.value.remedy
        kept = len([row for row in raw(study) if "problem" not in row])
        assert kept == 12
        proxy.faults.clear()
        asked = len(proxy.bodies)
        run(study, proxy.url, retries=0, concurrency=1)
        assert len(proxy.bodies) - asked == 4 * ASKED - 12
    assert len(answers(study)) == 20


# -- money -------------------------------------------------------------------------------------------------------------
PRICES = {"price_prompt": 2.0, "price_completion": 10.0, "currency": "EUR", "max_new_tokens": 20}


@pytest.mark.parametrize("counted", [{"prompt_tokens": 100, "completion_tokens": 7}, None])
def test_cost_is_what_the_server_counted_else_reckoned_on_the_long_side(study, counted):
    with ChatServer(fair, answer={"usage": counted}) as server:
        usage = run(study, server.url, **PRICES)["usage"]
    assert usage["currency"] == "EUR"
    assert usage["answers_without_count"] == (0 if counted else 40)
    if counted:
        assert usage["cost"] == pytest.approx(40 * (100 * 2 + 7 * 10) / 1e6)
    else:
        assert usage["prompt_tokens"] > 40 * 100


def test_the_estimate_comes_first_and_asks_nothing(study):
    with ChatServer(fair) as server:
        before = estimate(study.load(SURVEY), judge(server.url, **PRICES))
        assert server.bodies == []
        assert not (study.survey_path(SURVEY) / "judges").exists()
        summary = run(study, server.url, **PRICES)
        after = estimate(study.load(SURVEY), judge(server.url, **PRICES))
    assert (before["units"], before["units_in_all"], before["requests"]) == (2, 4, 40)
    assert before["cost"] == pytest.approx((before["prompt_tokens"] * 2 + 40 * 12 * 10) / 1e6)
    assert before["cost_at_most"] == pytest.approx((before["prompt_tokens"] * 2 + 40 * 20 * 10) / 1e6)
    assert before["cost_at_most"] >= summary["usage"]["cost"]
    assert (after["requests"], after["cost"], after["units"]) == (0, 0, 0)
    assert after["cost_so_far"] == pytest.approx(summary["usage"]["cost"])


def test_a_budget_stops_it_cleanly_and_more_goes_on(study):
    with ChatServer(fair, answer={"usage": {"prompt_tokens": 500, "completion_tokens": 8}}) as server:
        first = run(study, server.url, most=0.02, **PRICES)
        asked = len(server.bodies)
        assert first["usage"]["cost"] <= 0.02
        assert 0 < asked < 40
        assert "higher --max-cost" in first["stopped"]
        again = run(study, server.url, most=0.02, **PRICES)
        assert len(server.bodies) == asked  # it is a budget for all runs together
        assert again["stopped"]
        last = run(study, server.url, most=1.0, **PRICES)
        assert len(server.bodies) == 40
    assert last["stopped"] == ""
    assert last["usage"]["cost"] == pytest.approx(40 * (500 * 2 + 8 * 10) / 1e6)
    assert len(answers(study)) == 20
    with ChatServer(fair) as server:
        other = spot_study(study.path.parent / "other")
        none = run(other, server.url, most=1e-9, **PRICES)
        assert server.bodies == []
        assert none["stopped"]
        assert none["variants"][NAME]["answers"] == {}


# -- interruptions -----------------------------------------------------------------------------------------------------
def test_other_options_on_answers_that_exist_are_refused(study):
    with ChatServer(fair) as server:
        run(study, server.url)
        with pytest.raises(UserError, match=r"temperature None; asked for are seed 0, version 2, temperature 0.5"):
            run(study, server.url, temperature=0.5)
        run(study, server.url, concurrency=1, timeout=3.0)  # answers don't depend on these
        assert len(server.bodies) == 40
        run(study, server.url, name="another", temperature=0.5)
        assert {row.source for row in study.judgements(SURVEY)} == {f"judge:{NAME}", "judge:another"}


# -- the key -----------------------------------------------------------------------------------------------------------
def test_the_key_is_in_its_header_and_nowhere_else(study, monkeypatch, caplog, capfd):
    monkeypatch.setenv("PARROT_KEY", KEY)
    caplog.set_level(logging.DEBUG)

    def say(body):
        last = body["messages"][-1]["content"]
        if "Is Entity A" in last:
            return f"your key is {KEY}"
        if "fluen" in last:
            raise Refused(400, f"I know {KEY}", KEY)
        return fair(body)

    with ChatServer(say, key=KEY, answer=BLABBING) as server:
        summary = run(study, server.url, key_variable="PARROT_KEY")
    assert all(headers["Authorization"] == f"Bearer {KEY}" for headers in server.headers)
    assert not seen(server.bodies)
    assert summary["model"]["key_variable"] == "PARROT_KEY"
    kept = [path.read_text() for path in Path(study.path).rglob("*") if path.is_file()]
    assert any("[key]" in text for text in kept)
    assert not any(seen(text) for text in kept)
    assert not seen(summary)
    assert not seen(caplog.text)
    assert not seen("".join(capfd.readouterr()))
