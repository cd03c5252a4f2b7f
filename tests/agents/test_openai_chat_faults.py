"""What goes wrong between `openai_chat` and its server: a proxy lets it happen, the agent has to live with it."""

import random
import re
import shutil
import socket
import ssl
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from chat_servers import ChatServer, Proxy, chat_agents, hear, replies
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.chat import pace

AGAIN = [408, 409, 429, 500, 502, 503, 529, "refuse", "cut", "malformed", "html", "text"]


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setattr(pace, "FIRST_DELAY", 0.01)
    with chat_agents() as new:
        yield new


def troubles(agent):
    return agent.provenance()["usage"]["troubles"]


@pytest.mark.parametrize("fault", AGAIN)
def test_what_may_pass_is_tried_again(make, fault):
    with ChatServer() as server, Proxy(server.url, [fault, fault]) as proxy:
        agent = make(proxy.url)
        assert [act["text"] for act in replies(agent, "hi")] == ["You said: hi"]
        usage = agent.provenance()["usage"]
    assert proxy.seen == [None, fault, fault, None]
    assert (usage["requests"], usage["retries"], usage["replies"]) == (4, 2, 2)
    assert sum(usage["troubles"].values()) == 2


@pytest.mark.parametrize("fault", ["silent", "slow"])
def test_a_server_that_does_not_come_to_an_end_is_left(make, fault):
    with ChatServer() as server, Proxy(server.url, [fault]) as proxy:
        agent = make(proxy.url, openai_timeout=0.7)
        assert [act["text"] for act in replies(agent, "hi")] == ["You said: hi"]
        assert troubles(agent) == {"timeout": 1}


@pytest.mark.parametrize("fault", [400, 401, 403, 404, 413, 422, "moved", "endless"])
def test_what_stays_wrong_is_not_tried_again(make, fault):
    with ChatServer() as server, Proxy(server.url, [fault]) as proxy:
        agent = make(proxy.url)
        (act,) = replies(agent, "hi")
        assert act["text"] == ""
        assert re.search(f"HTTP {fault}|HTTP 307: .*elsewhere|didn't end", act["failure"])
        assert proxy.seen == [None, fault]
        assert [act["text"] for act in replies(agent, "hi")] == ["You said: hi"]  # and then all is well


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (503, "HTTP 503: made up"),
        ("cut", "broke off"),
        ("refuse", "broke off"),
        ("malformed", "no valid JSON"),
        ("html", "no valid JSON (text/html, 39 bytes)"),
        ("text", "JSON, but no chat completion"),
        ("silent", "no whole answer within 0.5 seconds"),
    ],
)
def test_what_never_passes_names_itself_after_all_attempts(make, fault, said):
    with ChatServer() as server, Proxy(server.url, [fault] * 3) as proxy:
        agent = make(proxy.url, openai_retries=2, openai_timeout=0.5 if fault == "silent" else 20.0)
        with pytest.raises(RuntimeError) as caught:
            hear(agent, "hi")[0].act()
    assert said in str(caught.value)
    assert "(3 attempts)" in str(caught.value)


def test_one_conversation_that_breaks_the_server_harms_no_other(make):
    with ChatServer() as server, Proxy(server.url, poison={"poison": 500}) as proxy:
        agent = make(proxy.url, openai_retries=1)
        acts = replies(agent, *(f"t{i}" + " poison" * (i == 4) for i in range(9)))
    assert [act["text"] for act in acts] == [f"You said: t{i}" if i != 4 else "" for i in range(9)]
    assert acts[4]["failure"].startswith("ChatError: HTTP 500: made up (2 attempts)")
    assert len(server.played) == 8


def test_the_right_answer_under_a_wrong_content_type_is_taken(make):
    with ChatServer() as server, Proxy(server.url, ["mislabelled"]) as proxy:
        assert [act["text"] for act in replies(make(proxy.url), "hi")] == ["You said: hi"]


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


def waits(agent):
    """Let the agent wait without waiting; returns what it waited for, and turns its clock."""
    slept, clock = [], [1000.0]

    async def sleep(seconds):
        slept.append(seconds)
        clock[0] += seconds

    agent._client._pace.sleep, agent._client._pace._clock = sleep, lambda: clock[0]
    return slept


@pytest.mark.parametrize("header", ["7", "date", "ms"])
def test_retry_after_is_honoured(make, header):
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    headers = {"7": {"Retry_After": "7"}, "date": {"Retry_After": then}, "ms": {"Retry_After_Ms": "7500"}}[header]
    with ChatServer() as server, Proxy(server.url, [(429, headers)]) as proxy:
        agent = make(proxy.url)
        slept = waits(agent)
        assert replies(agent, "hi")[0]["text"] == "You said: hi"
    assert 7 <= sum(slept) <= 20
    assert troubles(agent) == {"HTTP 429": 1}


def test_one_refused_for_haste_holds_the_others_too(make):
    with ChatServer() as server, Proxy(server.url, [(429, {"Retry_After": "30"})]) as proxy:
        agent = make(proxy.url, openai_concurrency=1)
        slept = waits(agent)
        assert all(act["text"] for act in replies(agent, "a", "b", "c"))
    assert sum(slept) == pytest.approx(30)  # once, not for each


def test_a_pause_too_long_is_not_waited_for(make):
    with ChatServer() as server, Proxy(server.url, [(429, {"Retry_After": "86400"})]) as proxy:
        agent = make(proxy.url)
        slept = waits(agent)
        assert "asks to wait 86400 seconds" in replies(agent, "hi")[0]["failure"]
    assert slept == []


def test_requests_per_minute(make):
    with ChatServer() as server:
        agent = make(server.url, openai_requests_per_minute=5, openai_concurrency=20)
        slept = waits(agent)
        agent._client._pace._requests._spent.clear()  # the greeting was at another clock's time
        assert all(act["text"] for act in replies(agent, *map(str, range(14))))
    assert sum(slept) == pytest.approx(120)  # 5 at once, 5 after a minute, 4 after another


def test_tokens_per_minute_count_what_the_server_counts(make):
    with ChatServer(answer={"usage": {"prompt_tokens": 300, "completion_tokens": 100}}) as server:
        agent = make(server.url, openai_tokens_per_minute=1000, openai_concurrency=1, max_new_tokens=20)
        slept = waits(agent)
        agent._client._pace._tokens._spent.clear()
        assert all(act["text"] for act in replies(agent, *map(str, range(7))))
    # Each takes 400, and is thought to take about 100 before: three a minute (400 + 400 + 100 <= 1000).
    assert sum(slept) == pytest.approx(120)


def test_retries_leave_global_chance_alone(make):
    with ChatServer() as server, Proxy(server.url, [500, 500]) as proxy:
        agent = make(proxy.url)
        random.seed(5)
        before = random.getstate()
        assert replies(agent, "hi")[0]["text"]
    assert random.getstate() == before


# -- before anything is played ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fault", "match"),
    [
        (401, "HTTP 401.*valid key.*openai_key_variable"),
        (404, "HTTP 404.*openai_model"),
        (500, "HTTP 500: made up \\(2 attempts\\).*server's log"),
        ("html", "text/html.*is it a chat server's, ending in /v1"),
        ("moved", "sends on to https://elsewhere.*as 'openai_url'"),
        ("refuse", "broke off.*Start the server"),
        ("slow", "no whole answer within 0.5.*openai_timeout"),
    ],
)
def test_a_server_that_cannot_be_used_is_said_at_the_start(make, fault, match):
    with (
        ChatServer() as server,
        Proxy(server.url, [fault] * 2, greeting=False) as proxy,
        pytest.raises(UserError, match=f"(?s)model 'parrot-1' at {proxy.url}: .*{match}"),
    ):
        make(proxy.url, openai_retries=1, openai_timeout=0.5)


def test_nobody_at_the_port(make):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # not listening: connections are refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(UserError, match=f"at {url}: connection refused .*Start the server"):
            make(url, openai_retries=1)


def test_no_such_host(make):
    with pytest.raises(UserError, match=r"at http://no-such-host\.invalid/v1: .*Start the server or correct"):
        make("http://no-such-host.invalid/v1", openai_retries=0)


def test_a_proxy_for_the_network_is_no_way_to_ones_own_machine(make, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with ChatServer() as server:
        assert replies(make(server.url), "hi")[0]["text"] == "You said: hi"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl isn't installed")
def test_a_certificate_that_nobody_vouches_for(make, tmp_path):
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*command, *files], check=True, capture_output=True)
    with ChatServer() as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
        server._server.socket = context.wrap_socket(server._server.socket, server_side=True)
        with pytest.raises(UserError, match="its certificate isn't trusted") as caught:
            make(server.url.replace("http://", "https://"), openai_retries=3)
    assert "attempts" not in str(caught.value)


def test_no_thread_stays_behind(make):
    def ours():
        return [thread for thread in threading.enumerate() if thread.name == "openai_chat"]

    with ChatServer() as server:
        agent = make(server.url)
        assert len(ours()) == 1
        agent.shutdown()
        with pytest.raises(UserError):
            make(server.url, openai_model="nobody")
        assert ours() == []


# -- pace ------------------------------------------------------------------------------------------------------------
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 50), st.integers(1, 12)), min_size=1, max_size=40), st.integers(3, 10))
def test_no_minute_ever_has_more_than_the_limit(steps, most):
    window, now, sent = pace.MinuteLimit(most), 100.0, []
    for pause, amount in steps:
        now += pause
        while (delay := window.delay(now, amount)) > 0:
            assert delay <= 60 + 1e-6
            now += delay
        window.spend(now, amount)
        sent.append((now, amount))
    for index, (then, _) in enumerate(sent):
        minute = [amount for time, amount in sent[: index + 1] if time > then - 60 + 1e-5]  # sums of floats
        assert sum(minute) <= most or len(minute) == 1  # more than the limit by itself goes alone


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "300", "retry-after": "1"}, 0.3),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2025 07:28:30 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-3"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert pace.retry_after(headers, datetime(2026, 10, 21, 7, 28, 0, tzinfo=UTC)) == seconds


def test_backoff_doubles_up_to_a_limit_and_is_the_seeds():
    waits = [pace.backoff(attempt, random.Random(3)) for attempt in range(12)]
    assert waits == [pace.backoff(attempt, random.Random(3)) for attempt in range(12)]
    for attempt, seconds in enumerate(waits):
        assert min(30, 0.5 * 2**attempt) / 2 <= seconds <= min(30, 0.5 * 2**attempt)
    assert pace.backoff(3, random.Random(4)) != waits[3]
