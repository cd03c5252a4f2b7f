"""Studies in which simple, real bots talk to each other from people's openings, and people from the human pool."""

import os
import random
import shutil
from pathlib import Path

import pytest
from filelock import FileLock
from nltk.chat.eliza import eliza_chatbot
from nltk.chat.rude import rude_chatbot
from nltk.chat.zen import zen_chatbot

from parlai_spotbot import checksums
from parlai_spotbot.domains import get_domain
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Item, Turn, Unit, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.texts.surface import normalise

SENTINEL = "zyzzyva"
POOL_SENTINEL = "quokkaish"
SURVEY = "spot_the_bot"


BOTS = {
    "parrot": lambda text, rng: f"{SENTINEL} {text}",
    "dull": lambda text, rng: rng.choice(["I do not know.", "That is nice.", "Yes, I think so."]),
    "eliza": lambda text, rng: eliza_chatbot.respond(text),
    "zen": lambda text, rng: zen_chatbot.respond(text),
    "rude": lambda text, rng: rude_chatbot.respond(text),
}


def _conversation(pair, number, seed_episode, rng):
    entities = pair if number % 2 == 0 else pair[::-1]
    turns = [Turn(entities[i], seed_episode.turns[i]) for i in (0, 1)]
    for i in range(6):
        turns.append(Turn(entities[i % 2], BOTS[entities[i % 2]](turns[-1].text, rng) or "ok"))
    name = f"{pair[0]}:{pair[1]}:{number:04d}"
    return Conversation(name, "chitchat", pair, number, entities, tuple(turns), 1, seed_episode.episode_id)


def _person(episode, number):
    turns = [Turn(HUMAN, f"{POOL_SENTINEL} {text}" if i == 7 else text) for i, text in enumerate(episode.turns[:8])]
    name = f"human:human:{number:04d}"
    return Conversation(name, "chitchat", (HUMAN, HUMAN), number, (HUMAN, HUMAN), tuple(turns), 1, episode.episode_id)


def _item(conversation, k, control=None):
    shown = tuple(Utterance(i % 2, normalise(turn.text)) for i, turn in enumerate(conversation.segment(k)))
    name = f"item-{conversation.conversation_id}-{k}" + (control or "")
    return Item(name, (conversation.conversation_id,), k, (shown,), control)


def make_study(path: Path, names=tuple(BOTS), per_pair=7, people=14, models=None) -> Study:
    """A study with conversations and units: each segment of 1 and 3 exchanges twice, in units of 20, one control."""
    rng = random.Random(7)
    random.seed(7)  # NLTK's bots draw from global chance
    contestants = {name: Contestant(name, model=(models or {}).get(name, f"test:{name}")) for name in names}
    plan = Plan("chitchat", contestants, per_pair, exchanges=3, segments=(1, 3))
    study = Study.create(path, plan)
    domain = get_domain("chitchat")
    seeds = iter(domain.episodes("seeds"))
    conversations = [_conversation(p, n, next(seeds), rng) for p in plan.all_pairs() for n in range(per_pair)]
    humans = [e for e in domain.episodes("humans") if len(e.turns) >= 8][:people]
    conversations += [_person(episode, number) for number, episode in enumerate(humans)]
    checksums.write_jsonl(study.conversations_path, conversations)
    items = [_item(c, k) for c in conversations for k in (1, 3)]
    rng.shuffle(items)
    items.insert(5, _item(conversations[0], 3, control="repeated"))
    units = [
        Unit(f"unit-{start:04d}-{replicate}", SURVEY, f"block-{start}", 0, replicate, tuple(items[start : start + 20]))
        for start in range(0, len(items), 20)
        for replicate in (0, 1)
    ]
    checksums.write_jsonl(study.units_path(SURVEY), units)
    return study


@pytest.fixture
def new_study():
    """`make_study`: a study with conversations and units."""
    return make_study


@pytest.fixture(scope="session")
def judged(learns_little, tmp_path_factory):
    """A study of five bots and people that the spotter has judged, with its summary; judged by one worker for all."""
    from parlai_spotbot.judges.run import judge_study
    from parlai_spotbot.judges.spotter import Spotter

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with FileLock(shared / "judged.lock"), pytest.MonkeyPatch.context() as patch:
        if not (shared / "judged").exists():
            learns_little(patch)
            judge_study(make_study(shared / "unfinished").load(SURVEY), Spotter(0), progress=False)
            (shared / "unfinished").rename(shared / "judged")
    folder = tmp_path_factory.mktemp("judged") / "study"
    shutil.copytree(shared / "judged", folder)
    study = Study.open(folder)
    return study, checksums.read_json(study.survey_path(SURVEY) / "judges" / "spotter.json")


@pytest.fixture
def copy(judged, learns_little, tmp_path, monkeypatch):
    """A copy of the judged study to change."""
    learns_little(monkeypatch)
    shutil.copytree(judged[0].path, tmp_path / "copy")
    return Study.open(tmp_path / "copy")


@pytest.fixture(scope="session")
def prepared(learns_little, judged):
    """The spotter with its models, trained on the study of `judged`."""
    from parlai_spotbot.judges import get_judge

    judge = get_judge("spotter")(seed=0)
    with pytest.MonkeyPatch.context() as patch:
        learns_little(patch)
        judge.open(judged[0].load(SURVEY))
        judge.prepare(judged[0].load(SURVEY), progress=False)
    return judge
