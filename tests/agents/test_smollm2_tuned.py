"""SmolLM2 tuned on people's chit-chat: what it learnt from, what the adapter is, and that it learnt."""

import json

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from parlai_spotbot.agents.dialogue import Dialogue
from parlai_spotbot.agents.smollm2_tuned import train
from parlai_spotbot.agents.smollm2_tuned.agents import Smollm2TunedAgent
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.nuc.scoring.likelihood import turn_tokens
from parlai_spotbot.tasks.chitchat import data

WEIGHTS = Smollm2TunedAgent.ADAPTER / "adapter_model.safetensors"


@pytest.fixture(scope="module")
def tokenizer(load):
    return load("smollm2_tuned").language_model[1].tokenizer


def test_it_learns_from_the_bots_fold_alone(tokenizer, monkeypatch):
    asked = []
    conversations = data.conversations
    monkeypatch.setattr(data, "conversations", lambda fold: asked.append(fold) or conversations(fold))
    lessons = [lesson for batch in train.batches(tokenizer) for lesson in batch]
    assert asked == ["bots"]
    assert len(lessons) == sum(
        len(opened.turns) >= data.LONG for chat in conversations("bots") if (opened := data.from_opening(chat))
    )
    assert max(len(read) for read, _ in lessons) <= train.WINDOW


@pytest.mark.parametrize("mine", [0, 1])
def test_a_lesson_is_the_agents_own_prompt_with_each_reply_to_learn(load, tokenizer, mine):
    turns = ("What did you do today?", "I went skiing :)", "Nice! Where?", "Brighton, with my roommate.")
    read, learnt = train.lesson(tokenizer, turns, mine)
    agent = load("smollm2_tuned")
    said = tuple(RememberedTurn(text, number % 2 == mine) for number, text in enumerate(turns))
    header = tokenizer("<|im_start|>assistant\n")["input_ids"]
    assert read + header == agent.prompt(Dialogue(turns=said))
    replies = [token for text in turns[1:] for token in tokenizer(text + "<|im_end|>")["input_ids"]]
    assert [token for token in learnt if token != train.UNLEARNT] == replies
    assert all(token in (train.UNLEARNT, read[place]) for place, token in enumerate(learnt))


def test_the_adapter_is_small_and_names_nothing_of_the_machine_that_made_it():
    settings = json.loads((Smollm2TunedAgent.ADAPTER / "adapter_config.json").read_text())
    assert (settings["r"], tuple(settings["target_modules"])) == (train.RANK, train.LAYERS)
    assert settings["base_model_name_or_path"] == train.BASE
    assert WEIGHTS.stat().st_size < 3_000_000
    with safe_open(WEIGHTS, "pt") as file:
        assert len(list(file.keys())) == 30 * 2 * len(train.LAYERS)
        assert not file.metadata() or set(file.metadata()) <= {"format"}


def test_people_surprise_it_less_than_the_prompted_model(load):
    """On turns of people that neither has seen, each with its own prompt."""
    surprise = {}
    chats = [chat for chat in data.conversations("judges") if len(chat.turns) >= data.LONG][:12]
    for name in ("smollm2", "smollm2_tuned"):
        agent = load(name)
        model, layout = agent.language_model
        found = []
        for chat in chats:
            turns = tuple(RememberedTurn(text, number % 2 == 1) for number, text in enumerate(chat.turns[:3]))
            prompt, [reply] = agent.prompt(Dialogue(turns=turns)), turn_tokens(layout, [chat.turns[3]])
            with torch.inference_mode():
                scores = model(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1].float()
            found.append(torch.nn.functional.cross_entropy(scores, torch.tensor(reply)).item())
        surprise[name] = np.mean(found)
    assert surprise["smollm2_tuned"] < surprise["smollm2"] - 0.2, surprise


def test_provenance_names_the_adapter(load):
    about = load("smollm2_tuned").provenance()
    assert len(about["adapter_sha256"]) == 64
    assert "adapter_sha256" not in load("smollm2").provenance()
    assert about["system_prompt"] == train.PROMPT


@pytest.mark.slow
def test_the_same_training_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        train.train(tmp_path / name, steps=2)
    made = [load_file(tmp_path / name / WEIGHTS.name) for name in ("a", "b")]
    assert made[0].keys() == load_file(WEIGHTS).keys()
    assert all(torch.equal(made[0][key], made[1][key]) for key in made[0])
    assert any(made[0][key].any() for key in made[0] if "lora_B" in key)
