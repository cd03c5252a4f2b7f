"""The writer of turns says what the model says alone, whatever is batched, kept, evicted or out of memory."""

import random

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from parlai_spotbot.models.choosing import Vocabulary, WritingRules
from parlai_spotbot.models.generation import BatchLimits, GenerationRequest, TurnWriter
from tests.agents import tiny_models

GREEDY = WritingRules(frozenset(), max_new_tokens=6)
DRAWN = WritingRules(frozenset(), max_new_tokens=6, temperature=0.8, top_p=0.9, top_k=50)


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """Return a fresh model of a family and its vocabulary."""
    folders = {}

    def get(family="llama"):
        if family not in folders:
            folders[family] = tiny_models.save(tmp_path_factory.mktemp(family), family)
        words = AutoTokenizer.from_pretrained(folders[family])
        return AutoModelForCausalLM.from_pretrained(folders[family]).eval(), Vocabulary(words)

    return get


def plain_loop(model, tokens, new=6):
    """What transformers' own loop writes: one conversation, read again."""
    ids = torch.tensor([tokens])
    with torch.inference_mode():
        for _ in range(new):
            following = model(input_ids=ids, use_cache=False).logits[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, following], dim=1)
    return tuple(ids[0, len(tokens) :].tolist())


def conversations(number, size, shared=20):
    """Prompts of different lengths with a common beginning."""
    chance = random.Random(1)
    system = [chance.randrange(size) for _ in range(shared)]
    return [system + [chance.randrange(size) for _ in range(chance.randrange(2, 40))] for _ in range(number)]


def talk(writer, prompts, rules, batchsize, turns=2, mixed=False):
    """Let all conversations go on for some turns; batches can be other ones each time."""
    chance = random.Random(2)
    prompts = [list(tokens) for tokens in prompts]
    said = [[] for _ in prompts]
    for turn in range(turns):
        order = list(range(len(prompts)))
        if mixed:
            random.Random(turn).shuffle(order)
        for start in range(0, len(order), batchsize):
            part = order[start : start + batchsize]
            requests = [GenerationRequest(prompts[i], f"c{i}", seed=1000 * i + turn) for i in part]
            for i, answer in zip(part, writer.write(requests, rules), strict=True):
                said[i].append(answer.tokens)
        for i, tokens in enumerate(prompts):
            cut = chance.randrange(1, 6)
            tokens += list(said[i][-1][:cut]) + [chance.randrange(writer.vocabulary.size) for _ in range(5)]
    return said


@pytest.mark.parametrize("family", [name for name in tiny_models.FAMILIES if name != "mamba"])
def test_a_batch_with_kept_turns_says_what_the_model_says_alone(family, make):
    model, vocabulary = make(family)
    reference, _ = make(family)
    writer = TurnWriter(model, vocabulary)
    assert writer.plain == ""
    prompts = conversations(9, vocabulary.size)
    said = talk(writer, prompts, GREEDY, 9)
    chance, wanted = random.Random(2), 0
    for turn in range(2):
        wanted += sum(map(len, prompts))
        for i, tokens in enumerate(prompts):
            assert said[i][turn] == plain_loop(reference, tokens)
            cut = chance.randrange(1, 6)
            tokens += list(said[i][turn][:cut]) + [chance.randrange(vocabulary.size) for _ in range(5)]
    assert writer.read < 0.7 * wanted


def test_a_model_without_a_plain_cache_answers_one_by_one(make):
    model, vocabulary = make("mamba")
    reference, _ = make("mamba")
    writer = TurnWriter(model, vocabulary)
    assert "no plain cache" in writer.plain
    prompts = conversations(3, vocabulary.size)
    answers = writer.write([GenerationRequest(tokens) for tokens in prompts], GREEDY)
    assert [answer.tokens for answer in answers] == [plain_loop(reference, tokens) for tokens in prompts]


@pytest.mark.parametrize("family", ["llama", "gpt2"])
@pytest.mark.parametrize("rules", [GREEDY, DRAWN], ids=["greedy", "drawn"])
def test_the_same_at_any_batch_size_with_and_without_the_cache(family, rules, make):
    model, vocabulary = make(family)
    prompts = conversations(24, vocabulary.size)
    said = {}
    for cache in (0, 1 << 30):
        writer = TurnWriter(model, vocabulary, BatchLimits(cache_bytes=cache))
        for batchsize in (1, 7, 24):
            writer.store.clear()
            said[cache, batchsize] = talk(writer, prompts, rules, batchsize, mixed=batchsize == 7)
    assert all(turns == said[0, 1] for turns in said.values())
    assert len({turn for turns in said[0, 1] for turn in turns}) > 37


def test_what_is_kept_is_bounded_and_eviction_changes_nothing(make):
    model, vocabulary = make()
    prompts = conversations(12, vocabulary.size)
    expected = talk(TurnWriter(model, vocabulary), prompts, GREEDY, 12)
    whole = TurnWriter(model, vocabulary).workspace.bytes_per_token * 70
    for limit in (2 * whole, 6 * whole):
        writer = TurnWriter(model, vocabulary, BatchLimits(cache_bytes=limit))
        assert talk(writer, prompts, GREEDY, 12) == expected
        assert 0 < writer.store.used <= limit
        assert writer.store.used == sum(entry.nbytes for entry in writer.store._entries.values())
        assert len(writer.store) < 12


def test_what_was_played_before_changes_neither_the_answers_nor_what_is_read(make):
    """In bf16 a text depends on what is read at once, so that must not depend on other conversations."""
    model, vocabulary = make()
    model = model.to(torch.bfloat16)
    prompts = conversations(10, vocabulary.size)
    others = [tokens[3:] for tokens in conversations(30, vocabulary.size, shared=50)]
    limits = BatchLimits(cache_bytes=TurnWriter(model, vocabulary).workspace.bytes_per_token * 2 * 300)
    found = []
    for before in ((), others, prompts):
        writer = TurnWriter(model, vocabulary, limits)
        if before:
            writer.write([GenerationRequest(tokens, f"before {i}") for i, tokens in enumerate(before)], DRAWN)
        start = writer.read
        found.append((talk(writer, prompts, DRAWN, 10), writer.read - start))
    assert found[0] == found[1] == found[2]


def test_a_batch_that_exceeds_the_memory_is_halved(make):
    model, vocabulary = make()
    prompts = conversations(9, vocabulary.size)
    expected = talk(TurnWriter(model, vocabulary), prompts, DRAWN, 9)
    writer = TurnWriter(model, vocabulary)
    forward = model.forward

    def small(*args, **kwargs):
        if len(kwargs["input_ids"]) > 3:
            raise torch.OutOfMemoryError("out of memory")
        return forward(*args, **kwargs)

    model.forward = small
    assert talk(writer, prompts, DRAWN, 9) == expected
    model.forward = lambda *args, **kwargs: (_ for _ in ()).throw(torch.OutOfMemoryError("out of memory"))
    with pytest.raises(torch.OutOfMemoryError):
        writer.write([GenerationRequest(prompts[0])], GREEDY)
