"""The agent for chat servers, against a server that checks every request as the real ones do."""

import itertools
import json
import threading

import pytest
import yaml

from parlai_spotbot.agents.openai_chat.messages import tokens
from parlai_spotbot.errors import UserError
from tests.agents.chat_servers import ChatServer, Refused, chat_agents, hear, replies
from tests.case_tables import case_table, cases

PERSONA = "your persona: I like dogs.\nyour persona: I live in Bern."


@pytest.fixture
def make():
    with chat_agents() as new:
        yield new


def test_a_conversation_is_sent_as_it_was(make, converse):
    with ChatServer() as server:
        agent = make(server.url, openai_system="Be Sam.", temperature=0.5, topp=0.8, openai_stop=["Q:"])
        said = converse(agent)
    assert said[0][0] == "You said: That sounds like fun. Do you have any pets?"
    assert said == [said[0]] * 3
    [messages] = [body["messages"] for body in server.played if len(body["messages"]) == 8 and "hey" in str(body)]
    assert messages == yaml.safe_load("""
        - {role: system, content: Be Sam.}
        - {role: user, content: 'hey how are you doing today?'}
        - {role: assistant, content: "I'm good, just got back from work. You?"}
        - {role: user, content: 'That sounds like fun. Do you have any pets?'}
        - {role: assistant, content: 'You said: That sounds like fun. Do you have any pets?'}
        - {role: user, content: 'No, never.'}
        - {role: assistant, content: 'You said: No, never.'}
        - {role: user, content: 'So what are your plans for the weekend?'}
    """)
    for body in server.bodies:
        assert {k: v for k, v in body.items() if k not in ("messages", "seed")} == {
            "model": "parrot-1",
            "stream": False,
            "max_tokens": 100,
            "temperature": 0.5,
            "top_p": 0.8,
            "stop": ["Q:"],
        }


@cases("option sent", "[[none, null], ['17', 17], [17, 17]]")
def test_seed_as_asked(make, option, sent):
    with ChatServer() as server:
        replies(make(server.url, openai_seed=option), "hi", "ho")
    assert [body.get("seed") for body in server.bodies] == [sent] * 3


def test_all_waiting_conversations_are_asked_at_once_and_answered_in_order(make):
    meeting = threading.Barrier(6)
    now, most, lock = itertools.count(), [], threading.Lock()
    inside = [0]

    def say(body):
        text = body["messages"][-1]["content"]
        if text.startswith("t"):
            with lock:
                inside[0] += 1
                most.append(inside[0])
            meeting.wait(timeout=20)  # nobody is answered before six have asked
            with lock:
                inside[0] -= 1
        return f"{text} {next(now)}"

    with ChatServer(say) as server:
        acts = replies(make(server.url, openai_concurrency=6), *(f"t{i}" for i in range(18)))
    assert [act["text"].split()[0] for act in acts] == [f"t{i}" for i in range(18)]
    assert max(most) == 6  # and never more


@cases("use told", "[[told, true], [ignored, false]]")
def test_persona(make, use, told):
    with ChatServer() as server:
        agent = make(server.url, openai_persona=use, openai_system="Be nice.")
        hear(agent, f"{PERSONA}\nhi")[0].act()
    system = "Be nice.\n" + PERSONA if told else "Be nice."
    assert server.played[0]["messages"] == [{"role": "system", "content": system}, {"role": "user", "content": "hi"}]


# -- what comes back -------------------------------------------------------------------------------------------------
def choice(content, finish_reason="stop", **message):
    return {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish_reason}


@cases(
    "said finish more turn handled",
    r"""
- ["One.\nTwo!  Three? Four.", stop, {}, One. Two!, {}]
- [I like it. And I al, length, {}, I like it., {cut_by_length: 1}]
- ['well, I think, that it', length, {}, 'well, I think.', {cut_by_length: 1}]
- ['Assistant: hello you', stop, {}, hello you, {labels_left_out: 1}]
- ["Fine.\nUser: and you?\nAssistant: me too", stop, {}, Fine., {cut_at_the_turns_end: 1}]
- ["Fine<|im_end|>\n<|im_start|>user", stop, {}, Fine, {cut_at_the_turns_end: 1}]
- ["<think>Hm. What?</think>\n\nYes.", stop, {}, Yes., {thoughts_left_out: 1}]
- [null, stop, {refusal: I can't talk about that.}, I can't talk about that., {refusals: 1}]
- [[{type: text, text: 'in '}, {type: text, text: parts}], stop, {}, in parts, {}]
- ["half a \ud83d character, \ud83d\ude00", stop, {}, "half a \ufffd character, \U0001f600", {}]
"""
    + f"- ['{'and so on ' * 1000}', stop, {{}}, '{'and so on ' * 120}', {{cut_since_endless: 1}}]",
)
def test_a_turn_is_made_of_whole_sentences_and_what_was_done_is_counted(make, said, finish, more, turn, handled):
    answer = choice(said, finish, **more)
    with ChatServer(lambda body: answer if body["messages"][-1]["content"] == "now" else "ok") as server:
        agent = make(server.url)
        assert [act["text"] for act in replies(agent, "now")] == [turn.strip()]
    assert agent.provenance()["usage"]["handled"] == handled


def test_an_empty_reply_is_asked_for_again_with_another_seed(make):
    answers = iter(["ok", "  ", choice(None), "now I speak"])
    with ChatServer(lambda body: next(answers)) as server:
        agent = make(server.url)
        assert [act["text"] for act in replies(agent, "hi")] == ["now I speak"]
    assert agent.provenance()["usage"]["handled"] == {"empty_replies": 2}
    assert len({body["seed"] for body in server.played}) == 3


@cases(
    "said finish more why",
    r"""
- ['', stop, {}, empty reply \(finish_reason stop\)]
- ['', length, {}, cut before its first word.*max-new-tokens]
- ['<think>Well, let me see', length, {}, cut before its first word]
- [null, tool_calls, {tool_calls: [{id: '1'}]}, finish_reason tool_calls]
- [I will ki, content_filter, {}, content filter]
""",
)
def test_no_turn_fails_its_conversation_alone_and_says_why(make, said, finish, more, why):
    answer = choice(said, finish, **more)
    with ChatServer(lambda body: answer if body["messages"][-1]["content"] == "bad" else "good") as server:
        agent = make(server.url)
        acts = replies(agent, "one", "bad", "two")
        assert [act["text"] for act in acts] == ["good", "", "good"]
        with pytest.raises(RuntimeError, match=why):
            hear(agent, "bad")[0].act()
    assert acts[1]["failure"].startswith("ChatError: ")
    assert "failure" not in acts[0]
    assert sum(body["messages"][-1]["content"] == "one" for body in server.bodies) == 1  # nothing is paid twice


# -- the context -----------------------------------------------------------------------------------------------------
def test_long_conversations_are_cut_to_the_context(make):
    texts = [f"{i} {'word ' * 30}" for i in range(41)]
    with ChatServer() as server:
        agent = make(server.url, openai_context=800, openai_system="Be Sam.")
        hear(agent, *texts)[0].act()
    (body,) = server.played
    assert body["messages"][0] == {"role": "system", "content": "Be Sam."}
    assert body["messages"][-1]["content"] == texts[-1].strip()
    kept = len(body["messages"])
    assert 5 < kept < 15
    assert sum(tokens(row["content"]) for row in body["messages"]) <= 700
    assert agent.provenance()["usage"]["handled"] == {"prompts_shortened": 1}


TOO_LONG = [
    {"message": "This model's maximum context length is 500 tokens.", "code": "context_length_exceeded"},
    {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"},
    {"code": 400, "message": "try again", "type": "exceed_context_size_error", "n_ctx": 500},
]


@pytest.mark.parametrize("error", TOO_LONG)
def test_a_server_with_less_context_than_thought(make, error):
    def say(body):
        if sum(len(row["content"]) for row in body["messages"]) > 2000:
            refused = Refused(400, "")
            refused.body = {"error": error}
            raise refused
        return "short enough"

    with ChatServer(say) as server:
        agent = make(server.url)
        assert hear(agent, *["word " * 60] * 21)[0].act()["text"] == "short enough"
    assert agent.provenance()["usage"]["handled"]["too_long"] >= 1


def test_a_parameter_that_a_server_names_alone_is_left_out(make):
    def say(body):
        if "seed" in body:
            refused = Refused(422, "")
            refused.body = {"error": {"message": "Unsupported parameter", "param": "seed", "code": "bad"}}
            raise refused
        return "as you like"

    with ChatServer(say) as server:
        agent = make(server.url)
        assert hear(agent, "hi")[0].act()["text"] == "as you like"
    assert all("seed" not in body for body in server.played)


# -- what is kept of it ----------------------------------------------------------------------------------------------
def test_provenance_has_the_model_as_served_and_the_cost(make):
    with ChatServer(lambda body: "four words it is") as server:
        agent = make(server.url, openai_system="Be Sam.", openai_price_prompt=2.5, openai_price_completion=10)
        replies(agent, "one two", "three four five")
        kept = json.loads(json.dumps(agent.provenance()))
    assert kept["model"] == "parrot-1"
    assert kept["server"] == server.url
    served = kept["served"]["parrot-1-2026-01-31"]
    assert served["replies"] == 3
    assert served["system_fingerprints"] == ["fp_1"]
    assert kept["system_prompt"] == "Be Sam."
    usage = kept["usage"]
    words = (2 + 1 + 4) + (2 + 2) + (2 + 3)  # the greeting, and two conversations
    assert (usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (3, words, 12)
    assert usage["cost"] == pytest.approx(words * 2.5e-6 + 12 * 10e-6)
    assert usage["currency"] == "USD"


# -- options ---------------------------------------------------------------------------------------------------------
@case_table(__file__, "refused")
def test_wrong_options_are_named_before_any_request(make, options, match):
    with pytest.raises(UserError, match=match):
        make("http://127.0.0.1:9/v1", **options)
