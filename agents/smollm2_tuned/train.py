"""Makes the adapter: ``python -m parlai_spotbot.agents.smollm2_tuned.train --out FOLDER``, five minutes of two cores.

A LoRA (Hu et al., 2022) of SmolLM2-135M-Instruct, learnt from people's conversations of chitchat's bots' fold and from
no other. Learnt is every turn that answers another, whichever side says it: not the prompt, the marks of who speaks,
nor the first turn. Each conversation is read once, so the loss that is shown is that of turns not learnt before.

The same versions, kind of processor and data give the same bytes.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.models.smollm2 import load_smollm2
from parlai_spotbot.tasks.chitchat import data

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PROMPT = "You are a student, chatting with another student."
"""What the model is told, when it learns and when it chats."""

BASE = "HuggingFaceTB/SmolLM2-135M-Instruct"
RANK, SCALE = 4, 2.0
LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
WINDOW = 256
"""The most tokens of a conversation that are read; some eleven turns."""

BATCH = 1024
"""The most tokens of a step, with those that fill up."""

RATE = 2e-3
WARM_UP = 10
SEED = 2020
THREADS = 2
"""Sums are made in an order that depends on the number of threads, so it is fixed."""

UNLEARNT = -100

Lesson = tuple[list[int], list[int]]
"""The tokens that the model reads, and those of them that it learns (`UNLEARNT` in the place of the others)."""


def lesson(tokenizer: PreTrainedTokenizerBase, turns: Sequence[str], mine: int) -> Lesson:
    """As many whole turns from a conversation's beginning as fit, laid out as the agent's prompt has them.

    `mine` is the number of the first turn that the model's own side says, 0 or 1.
    """

    def tokens(text: str) -> list[int]:
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    read = tokens(f"<|im_start|>system\n{PROMPT}<|im_end|>\n")
    learnt = [UNLEARNT] * len(read)
    for number, turn in enumerate(turns):
        head = tokens("<|im_start|>" + ("assistant\n" if number % 2 == mine else "user\n"))
        body, tail = tokens(turn) + tokens("<|im_end|>"), tokens("\n")
        if len(read) + len(head) + len(body) + len(tail) > WINDOW:
            break
        read += head + body + tail
        learnt += [UNLEARNT] * len(head) + (body if number else [UNLEARNT] * len(body)) + [UNLEARNT] * len(tail)
    return read, learnt


def batches(tokenizer: PreTrainedTokenizerBase) -> list[list[Lesson]]:
    """All lessons, those of about one length together, in an order drawn by the seed."""
    chance = random.Random(SEED)
    opened = [data.from_opening(chat) for chat in data.conversations("bots")]
    long = [chat for chat in opened if chat and len(chat.turns) >= data.LONG]
    lessons = [lesson(tokenizer, chat.turns, number % 2) for number, chat in enumerate(long)]
    chance.shuffle(lessons)
    lessons.sort(key=lambda one: len(one[0]) // 32)
    found: list[list[Lesson]] = [[]]
    for one in lessons:
        longest = max(len(one[0]), len(found[-1][0][0]) // 32 * 32 + 32) if found[-1] else 0
        if longest * (len(found[-1]) + 1) > BATCH:
            found.append([])
        found[-1].append(one)
    chance.shuffle(found)
    return found


def loss_of(model: PreTrainedModel, batch: Sequence[Lesson]) -> tuple[torch.Tensor, int]:
    """The sum of the surprises of a batch's tokens to learn, in nats, and how many they are."""
    import torch

    longest = max(len(read) for read, _ in batch)
    read = torch.tensor([tokens + [0] * (longest - len(tokens)) for tokens, _ in batch])
    learnt = torch.tensor([tokens + [UNLEARNT] * (longest - len(tokens)) for _, tokens in batch])[:, 1:]
    # No token sees what stands behind it, so padding on the right needs no mask.
    with torch.autocast("cpu", torch.bfloat16):
        states = model.model(input_ids=read, use_cache=False)[0][:, :-1][learnt != UNLEARNT]
        scores = model.lm_head(states)
    return torch.nn.functional.cross_entropy(scores.float(), learnt[learnt != UNLEARNT], reduction="sum"), len(scores)


def train(folder: Path, steps: int | None = None) -> None:
    """Train the adapter into `folder`; `steps` ends it early."""
    import torch
    from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
    from peft.utils import SAFETENSORS_WEIGHTS_NAME
    from safetensors.torch import save_file
    from tqdm import tqdm

    torch.set_num_threads(THREADS)
    torch.manual_seed(SEED)
    model, tokenizer = load_smollm2("bf16")
    plan = batches(tokenizer)[:steps]
    adapter = LoraConfig(r=RANK, lora_alpha=RANK * SCALE, target_modules=list(LAYERS), task_type="CAUSAL_LM")
    adapted = get_peft_model(model, adapter)
    learning = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=RATE, weight_decay=0.0)
    recent: list[float] = []
    with tqdm(plan, desc="steps") as bar:
        for step, batch in enumerate(bar):
            pace = min((step + 1) / WARM_UP, 1.0) * (1 - step / len(plan))
            optimizer.param_groups[0]["lr"] = RATE * pace
            loss, count = loss_of(model, batch)
            (loss / count).backward()
            torch.nn.utils.clip_grad_norm_(learning, 1.0)
            optimizer.step()
            optimizer.zero_grad()
            recent = [*recent[-19:], loss.item() / count]
            bar.set_postfix(nats=f"{sum(recent) / len(recent):.3f}")
    weights = {name: weight.half().contiguous() for name, weight in get_peft_model_state_dict(adapted).items()}
    save_file(weights, folder / SAFETENSORS_WEIGHTS_NAME)
    # What peft would write: a path of this machine, and a set in any order.
    adapter.base_model_name_or_path, adapter.target_modules = BASE, list(LAYERS)
    adapter.inference_mode = True
    adapter.save_pretrained(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder to write the adapter to")
    train(parser.parse_args().out)
