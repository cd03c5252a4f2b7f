"""What self-play is about to take: counted from the schedule, timed by what trying a contestant showed."""

import sys
import time
from pathlib import Path

import pytest
from test_runner import contestant, seeds

from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.forecast import Pace, forecast, keep_pace, pace_of
from parlai_spotbot.selfplay.pool import PoolEntry
from parlai_spotbot.selfplay.schedule import schedule
from parlai_spotbot.selfplay.trial import try_pool
from parlai_spotbot.study_plan import Plan

sys.path.insert(0, str(Path(__file__).parents[1] / "agents"))
from chat_servers import ChatServer

SERVED = Contestant("served", model="spotbot:openai_chat", opt={"openai_url": "http://127.0.0.1:1/v1"})


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))


@pytest.fixture
def plan():
    return Plan("made-up", {"served": SERVED, "Slow": contestant("Slow")}, conversations_per_pair=20)


def test_turns_requests_tokens_minutes_and_money(plan):
    jobs, _ = schedule([plan], seeds())
    keep_pace(
        SERVED, Pace(1.2, {"requests": 1.0, "prompt_tokens": 90.0, "completion_tokens": 10.0, "cost": 0.001}, "USD")
    )
    keep_pace(plan.contestants["Slow"], Pace(0.02))
    assert forecast(plan, jobs, (), {}) == (
        "to play: 200 of 200 turns (0 are there), in 20 of 20 conversations; about 100 requests, 10,000 tokens, "
        "0.1000 USD; about 2 minutes"
    )


def test_what_is_there_is_not_counted(plan):
    jobs, _ = schedule([plan], seeds())
    keep_pace(SERVED, Pace(1.2, {"requests": 1.0, "prompt_tokens": 90.0, "completion_tokens": 10.0}))
    done = {job.conversation_id for job in jobs[:10]}
    kept = {job.conversation_id: ["said"] * 9 for job in jobs[10:]}
    last = sum(job.entities[1] == "served" for job in jobs[10:])
    line = forecast(plan, jobs, done, kept)
    assert line.startswith("to play: 10 of 200 turns (190 are there), in 10 of 20 conversations; ")
    assert f"about {last} requests, {100 * last} tokens; at least 1 minute; not known of Slow: " in line


def test_another_bot_of_the_name_was_not_tried(plan):
    keep_pace(SERVED, Pace(1.0))
    assert pace_of(SERVED) == Pace(1.0)
    assert (
        pace_of(Contestant("served", model="spotbot:openai_chat", opt={"openai_url": "http://127.0.0.1:2/v1"})) is None
    )


def test_a_file_that_is_damaged_or_of_another_version_is_as_none(tmp_path):
    keep_pace(SERVED, Pace(1.0))
    (file,) = (tmp_path / "tried").iterdir()
    for text in ("{", '{"version": 99, "seconds": 1}', '{"version": 1, "else": 1}', "[]"):
        file.write_text(text)
        assert pace_of(SERVED) is None


def test_trying_a_contestant_is_what_the_forecast_rests_on(plan):
    def say(body):
        time.sleep(0.05)
        return f"you said {body['messages'][-1]['content'][:20]}"

    with ChatServer(say) as server:
        opt = {"openai_url": server.url, "openai_model": "parrot-1", "openai_price_prompt": 1000}
        served = Contestant("served", model="spotbot:openai_chat", opt=opt)
        try_pool([PoolEntry(name="served", contestant=served, problems=[])])
        turns = len(server.bodies) - 1  # without the greeting
    pace = pace_of(served)
    assert turns == 12
    assert pace.usage["requests"] == 1
    assert 0.02 < pace.seconds < 5
    assert pace.usage["prompt_tokens"] > 10
    assert pace.usage["cost"] == pytest.approx(pace.usage["prompt_tokens"] / 1000, rel=0.2)
    assert pace.currency == "USD"
