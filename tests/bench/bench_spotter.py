"""How often the spotter calls what can't be a person human: odd contestants, none of whose turns it has learnt from.

The odd contestants talk with the pool `rules`; none of them, nor another odd one, is in what their judge is trained on.
Some are spoilt as the training's corruptions are (words shuffled, turns in another order, copied, repeated, looped,
nothing said), of the others it has learnt nothing. The embedded pool's bots, each left out, and people are next to.
"""

import contextlib
import functools
import io
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import yaml

from tests.bench.run import Row

PARLAI = str(Path(sys.executable).parent / "parlai")
SURVEY = "spot_the_bot"
LIMIT = 5.0
"""Per cent: the share of its answers that may be "human"."""

PER_PAIR = 10
EXCHANGES = 5
PARTNERS = ("tfidf", "alice", "eliza")
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Speaker = Callable[[str], str]
"""Given what the partner has just said, the next turn."""


# -- the odd contestants: each makes a speaker for one conversation ----------------------------------------------------
@functools.cache
def people() -> list[tuple[str, ...]]:
    """What each person of the human pool says in one conversation, where it is long enough."""
    from parlai_spotbot.domains import get_domain

    episodes = [e.turns[2:] for e in get_domain("chitchat").episodes("humans")]
    return [turns[side::2] for turns in episodes for side in (0, 1) if len(turns[side::2]) >= EXCHANGES]


def listed(name: str, rng: random.Random) -> Speaker:
    """Sentences of a list, drawn without repetition."""
    texts = yaml.safe_load((Path(__file__).parent / "odd_texts.yaml").read_text(encoding="utf-8"))[name]
    drawn = iter(rng.sample(texts, EXCHANGES))
    return lambda heard: next(drawn)


def shuffled_turns(rng: random.Random) -> Speaker:
    """One person's turns of one conversation in another order."""
    turns = iter(rng.sample(rng.choice(people())[:EXCHANGES], EXCHANGES))
    return lambda heard: next(turns)


def shuffled_words(rng: random.Random) -> Speaker:
    """One person's turns, the words of each in another order."""
    turns = iter(rng.choice(people()))

    def say(heard: str) -> str:
        words = next(turns).split()
        return " ".join(rng.sample(words, len(words)))

    return say


def repeated(rng: random.Random) -> Speaker:
    """One turn of a person again and again."""
    text = rng.choice(rng.choice(people()))
    return lambda heard: text


def looped(rng: random.Random) -> Speaker:
    """The first words of a person's turn over and over within a turn."""
    turns = iter(rng.choice(people()))
    return lambda heard: " ".join(next(turns).split()[: rng.randint(1, 3)] * rng.randint(4, 8))


def random_letters(rng: random.Random) -> Speaker:
    def say(heard: str) -> str:
        return " ".join("".join(rng.choices(LETTERS, k=rng.randint(2, 9))) for _ in range(rng.randint(3, 12)))

    return say


@functools.cache
def random_weights():
    """A small GPT-2 that has learnt nothing, and a tokenizer."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    from parlai_spotbot.models.smollm2 import load_smollm2

    tokenizer = load_smollm2("bf16")[1]
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=len(tokenizer), n_embd=64, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    return GPT2LMHeadModel(config).eval(), tokenizer


def random_gpt2(rng: random.Random) -> Speaker:
    """What the model above draws after what it has heard."""

    def say(heard: str) -> str:
        import torch

        model, tokenizer = random_weights()
        torch.manual_seed(rng.randrange(2**31))
        ids = tokenizer(heard or "hello", return_tensors="pt")["input_ids"]
        length = {"min_new_tokens": 5, "max_new_tokens": rng.randint(5, 20)}
        made = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True, pad_token_id=0, **length)
        return tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True)

    return say


KINDS: dict[str, Callable[[random.Random], Speaker]] = {
    "random-weights": random_gpt2,
    "random-letters": random_letters,
    "shuffled-words": shuffled_words,
    "shuffled-turns": shuffled_turns,
    "copied-partner": lambda rng: lambda heard: heard,
    "repeated": repeated,
    "looped": looped,
    "empty": lambda rng: lambda heard: "",
    **{name: functools.partial(listed, name) for name in ("german", "french", "spanish", "code", "boilerplate")},
}


# -- studies -----------------------------------------------------------------------------------------------------------
def real_study(folder: Path) -> Path:
    """The embedded pool's self-play and units, as in ``make demo``."""
    size = ["--pool", "embedded", "--conversations-per-pair", str(PER_PAIR)]
    for command in (["spotbot_selfchat", *size], ["spotbot_pack"]):
        subprocess.run(
            [PARLAI, *command, "--study", str(folder)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    return folder


def talk(speaker: Speaker, agent, opening: tuple[str, str], first: bool) -> list[str]:
    """A conversation of an odd contestant, which speaks first or second, after people's opening."""
    agent.reset()
    turns = list(opening)
    for place in range(2 * EXCHANGES):
        if (place % 2 == 0) == first:
            turns.append(speaker(turns[-1]))
        else:
            agent.observe({"id": "other", "text": turns[-1], "episode_done": False})
            turns.append(agent.act()["text"])
    return turns


def odd_conversations() -> list:
    """Each kind with each partner."""
    from parlai.core.agents import create_agent

    from parlai_spotbot import compat, plugin
    from parlai_spotbot.domains import get_domain
    from parlai_spotbot.records import Conversation, Turn

    compat.install()
    plugin.register()
    openings = iter(get_domain("chitchat").episodes("seeds"))
    found = []
    for partner in PARTNERS:
        agent = create_agent({"model": f"spotbot:{partner}", "datatype": "valid", "interactive_mode": True})
        for kind, make in KINDS.items():
            for number in range(PER_PAIR):
                episode, first = next(openings), number % 2 == 0
                speaker = make(random.Random(f"{kind} {partner} {number}"))
                said = talk(speaker, agent, episode.turns[:2], first)
                entities = (kind, partner) if first else (partner, kind)
                turns = tuple(Turn(entities[i % 2], text) for i, text in enumerate(said))
                name, pair = f"{kind}:{partner}:{number:04d}", tuple(sorted((kind, partner)))
                found.append(Conversation(name, "chitchat", pair, number, entities, turns, 1, episode.episode_id))
    return found


def odd_study(folder: Path, real: Path):
    """A study of the real bots and the odd kinds, of which only the odd kinds' conversations are to be judged."""
    from parlai_spotbot import checksums
    from parlai_spotbot.records import HUMAN, Contestant, Item, Unit, Utterance
    from parlai_spotbot.study import Study
    from parlai_spotbot.texts.surface import normalise

    known = Study.open(real)
    # One model under many names: none of the kinds is in what a judge of another one has learnt from.
    odd = {kind: Contestant(kind, model="bench:odd") for kind in KINDS}
    study = Study.create(folder, replace(known.plan, contestants={**known.plan.contestants, **odd}))
    conversations = odd_conversations()
    real_ones = [c for c in known.conversations() if HUMAN not in c.entities]
    checksums.write_jsonl(study.conversations_path, [*real_ones, *conversations])
    units = []
    for conversation in conversations:
        items = []
        for k in known.plan.segments:
            shown = tuple(Utterance(i % 2, normalise(turn.text)) for i, turn in enumerate(conversation.segment(k)))
            identity = f"{conversation.conversation_id}-{k}"
            items.append(Item(identity, (conversation.conversation_id,), k, (shown,)))
        for replicate in (0, 1):
            name = f"{conversation.conversation_id}-{replicate}"
            units.append(Unit(name, SURVEY, conversation.conversation_id, 0, replicate, tuple(items)))
    checksums.write_jsonl(study.units_path(SURVEY), units)
    return study


# -- what is measured --------------------------------------------------------------------------------------------------
def answers(study) -> dict[str, dict[str, Counter]]:
    """Per variant, per contestant (and people): how often each answer to "human or bot?" was given."""
    from parlai_spotbot.judges.run import judge_study
    from parlai_spotbot.judges.spotter import Spotter

    judge_study(study.load(SURVEY), Spotter(0), progress=False)
    entities = {c.conversation_id: c.entities for c in study.conversations()}
    found: dict[str, dict[str, Counter]] = {}
    for row in study.judgements(SURVEY):
        if row.question == "nature" and row.control is None:
            who = entities[row.conversation_ids[0]][int(row.target.removeprefix("entity:"))]
            found.setdefault(row.worker_id, {}).setdefault(who, Counter())[row.answer] += 1
    return found


def called_human(tally: Counter) -> float:
    """Per cent of the answers."""
    return 100 * tally["human"] / sum(tally.values())


def measured(real: Path, folder: Path) -> Iterator[tuple[str, str, float]]:
    """Who, by which variant, and how often called human; `real` is a study of the embedded pool, not judged yet."""
    from parlai_spotbot.study import Study

    beside, odd = answers(Study.open(real)), answers(odd_study(folder / "odd", real))
    for variant, own in beside.items():
        for who in sorted(own):
            yield who, variant, called_human(own[who])
        for kind in KINDS:
            yield kind, variant, called_human(odd[variant][kind])


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stderr(io.StringIO()):
        for who, variant, share in measured(real_study(Path(place) / "real"), Path(place)):
            yield Row(f"called human: {who}, {variant}", share, LIMIT, "limit for what is odd", "per cent")
