"""The agent causal_lm: any folder is a contestant; prompts, contexts, cuts and errors."""

import json
import shutil

import pytest
from parlai.core.agents import create_agent
from parlai.core.opt import Opt

from parlai_spotbot import compat, plugin
from parlai_spotbot.agents.dialogue import Dialogue
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.prompt_layout import fitting, layout
from parlai_spotbot.models.remembered_turn import RememberedTurn
from tests.agents import tiny_models
from tests.case_tables import case_table

TALK = (RememberedTurn("hi there", False), RememberedTurn("hello!", True), RememberedTurn("how are you?", False))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    compat.install()
    plugin.register()
    return tiny_models.save(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def agent(folder):
    loaded = {}

    def get(**options):
        key = json.dumps(options, sort_keys=True)
        if key not in loaded:
            given = {"lm_model": str(folder), "max_new_tokens": 8, **options}
            loaded[key] = create_agent(Opt({"model": "spotbot:causal_lm", "override": {}, **given}))
        return loaded[key]

    return get


def test_chats_reproducibly_whatever_the_batch(agent, converse):
    together = converse(agent())
    assert all(reply and reply == " ".join(reply.split()) for replies in together for reply in replies)
    assert converse(agent(), batched=False) == together
    assert converse(agent(lm_cache=0), batched=False) == together
    assert converse(agent(), conversation_seeds=(1, 2, 3)) != together


def test_what_it_is_and_is_told_is_recorded(agent, folder):
    about = agent(lm_system="You are Ann.\nYou have a cat.").provenance()
    assert about["system_prompt"] == "You are Ann.\nYou have a cat."
    assert (about["model"], about["source"], about["dtype"], about["device"]) == (
        str(folder),
        "folder",
        "float32",
        "cpu",
    )
    assert len(about["weights_sha256"]) == 64
    assert about["generation"]["max_new_tokens"] == 8
    json.dumps(about)


def test_the_prompt_is_the_chat_template_with_system_persona_and_context(agent):
    told = agent(lm_system="You are Ann.\nYou have a cat.")
    request = told._request(
        Dialogue(
            "your persona: I ski.",
            (RememberedTurn("hi", False), RememberedTurn("oh", True), RememberedTurn("so?", False)),
        )
    )
    assert told._loaded.layout.tokenizer.decode(request.tokens) == (
        "<|im_start|>system\nYou are Ann.\nYou have a cat.\nyour persona: I ski.<|im_end|>\n"
        "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\noh<|im_end|>\n"
        "<|im_start|>user\nso?<|im_end|>\n<|im_start|>assistant\n"
    )
    assert {told._loaded.layout.tokenizer.convert_tokens_to_ids("<|im_end|>"), 0} <= told._loaded.rules.ends


def test_plain_and_eos_layouts():
    words = tiny_models.tokenizer()
    plain = layout(words, "auto", "m")
    assert (
        plain.text("Two people chat.", TALK)
        == "Two people chat.\n\nStranger: hi there\nMe: hello!\nStranger: how are you?\nMe:"
    )
    assert plain.line
    assert layout(words, "eos", "m").text("", TALK) == "hi there<|end|>hello!<|end|>how are you?<|end|>"


def test_a_line_break_ends_a_plain_turn(agent):
    plain = agent(lm_format="plain", max_new_tokens=40, temperature=5.0, topp=1.0)
    dialogues = [Dialogue("", (RememberedTurn("hello", False),), seed) for seed in range(30)]
    answers = plain._loaded.writer.write([plain._request(d) for d in dialogues], plain._loaded.rules)
    broken = [a for a in answers if "\n" in a.text.lstrip()]
    assert broken
    assert all(a.finished and a.text.rstrip("\n").lstrip().count("\n") == 0 for a in broken)


def test_a_conversation_longer_than_the_context_loses_its_oldest_turns():
    words = layout(tiny_models.tokenizer(tiny_models.CHATML), "auto", "m")
    turns = [RememberedTurn(f"this is turn number {i} of a long talk", bool(i % 2)) for i in range(60)]
    firsts, room = [], 900
    for last in range(1, len(turns) + 1, 2):
        tokens = fitting(words, "Be kind.", turns[:last], room)
        assert len(tokens) <= room
        text = words.tokenizer.decode(tokens)
        assert text.startswith("<|im_start|>system\nBe kind.<|im_end|>\n")
        assert turns[last - 1].text in text
        firsts.append(min(i for i in range(last) if f"number {i} of" in text))
    assert firsts == sorted(firsts)
    # The beginning stays for several turns, so that what was read of it can be used again.
    assert len(set(firsts)) <= len(firsts) / 3
    huge = fitting(words, "Be kind.", [RememberedTurn("so " * 2000 + "the end", False)], room)
    assert len(huge) <= room
    assert "the end" in words.tokenizer.decode(huge)
    with pytest.raises(UserError, match="system text and persona take more than the 900 tokens"):
        fitting(words, "kind " * 900, turns, room)


@case_table(__file__, "refused")
def test_wrong_options_are_named_with_their_remedy(options, says, agent):
    with pytest.raises(UserError) as caught:
        agent(**options)
    assert says in str(caught.value)
    assert caught.value.remedy


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def test_without_a_chat_template_chat_is_refused_and_plain_is_the_default(copy, agent):
    (copy / "chat_template.jinja").unlink()
    with pytest.raises(UserError, match="has no chat template"):
        agent(lm_model=str(copy), lm_format="chat")
    assert agent(lm_model=str(copy)).provenance()["prompt_format"] == "plain"
