"""What goes wrong between `openai_chat` and its server: a proxy lets it happen, the agent has to live with it."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import openai._base_client as openai_client
import pytest

from parlai_spotbot.errors import UserError
from tests.agents.chat_servers import ChatServer, Proxy, chat_agents, replies
from tests.case_tables import cases


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setattr(openai_client, "INITIAL_RETRY_DELAY", 0.01)
    with chat_agents() as new:
        yield new


@pytest.mark.parametrize(
    "fault", [408, 409, 429, 500, 502, 503, 529, "refuse", "cut", "malformed", "html", "text", "silent", "slow"]
)
def test_what_may_pass_is_tried_again(make, fault):
    with ChatServer() as server, Proxy(server.url, [fault, fault]) as proxy:
        agent = make(proxy.url, openai_timeout=0.7 if fault in ("silent", "slow") else 20.0)
        assert [act["text"] for act in replies(agent, "hi")] == ["You said: hi"]
        usage = agent.provenance()["usage"]
    assert proxy.seen == [None, fault, fault, None]
    assert (usage["requests"], usage["replies"]) == (4, 2)


@cases("fault", "[400, 401, 403, 404, 413, 422, moved, endless]")
def test_what_stays_wrong_is_not_tried_again(make, fault):
    with ChatServer() as server, Proxy(server.url, [fault]) as proxy:
        agent = make(proxy.url)
        (act,) = replies(agent, "hi")
        assert act["text"] == ""
        assert re.search(f"HTTP {fault}|HTTP 307: .*elsewhere|didn't end", act["failure"])
        assert proxy.seen == [None, fault]
        assert [act["text"] for act in replies(agent, "hi")] == ["You said: hi"]  # and then all is well


def test_a_server_that_stays_away_is_not_waited_for_by_each_conversation(make):
    with ChatServer() as server, Proxy(server.url, [503] * 100) as proxy:
        agent = make(proxy.url, openai_retries=3, openai_concurrency=1)
        acts = replies(agent, *"abcdef")
        assert all("HTTP 503" in act["failure"] for act in acts)
        assert len(proxy.seen) == 1 + 4 + 5
        proxy.faults = []
        assert replies(agent, "a")[0]["text"]
        proxy.faults = [503, 503, 503]
        assert replies(agent, "a")[0]["text"]  # it is there again, so it is waited for again


@pytest.mark.parametrize("header", ["7", "date", "ms"])
def test_retry_after_is_honoured(make, header, monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(openai_client.anyio, "sleep", sleep)
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    headers = {"7": {"Retry_After": "7"}, "date": {"Retry_After": then}, "ms": {"Retry_After_Ms": "7500"}}[header]
    with ChatServer() as server, Proxy(server.url, [(429, headers), (429, {"Retry_After": "86400"})]) as proxy:
        agent = make(proxy.url)
        assert "HTTP 429" in replies(agent, "hi")[0]["failure"]  # a day is not waited for
    assert len(slept) == 1
    assert 7 <= slept[0] <= 20


# -- before anything is played ---------------------------------------------------------------------------------------
@cases(
    "fault match",
    """
- [401, HTTP 401.*valid key.*openai_key_variable]
- [404, HTTP 404.*openai_model]
- [500, 'HTTP 500: made up.*server''s log']
- [html, 'text/html.*is it a chat server''s, ending in /v1']
- [moved, sends on to https://elsewhere.*as 'openai_url']
- [refuse, broke off.*Start the server]
- [slow, no whole answer within 0.5.*openai_timeout]
""",
)
def test_a_server_that_cannot_be_used_is_said_at_the_start(make, fault, match):
    with (
        ChatServer() as server,
        Proxy(server.url, [fault] * 2, greeting=False) as proxy,
        pytest.raises(UserError, match=f"(?s)model 'parrot-1' at {proxy.url}: .*{match}"),
    ):
        make(proxy.url, openai_retries=1, openai_timeout=0.5)


def test_the_environment_reaches_no_server_here(make, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_ORG_ID", "our-organisation")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Secret: our-secret")
    with ChatServer() as server:
        assert replies(make(server.url), "hi")[0]["text"] == "You said: hi"
    assert "our-" not in str(server.headers)
