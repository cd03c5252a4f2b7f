"""Fixtures: reference numbers, the released annotations where they are at hand, judgements made up by a rule."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.records import HUMAN, Conversation
from tests.outside_data import REFERENCE, released_data
from tests.spoken import rows_about, spoken


@pytest.fixture(scope="session")
def reference():
    """Read a reference file by its path under tests/reference; events are released data."""

    def read(name: str):
        path = released_data(f"reference/{name}") if "/events_" in name else REFERENCE / name
        return json.loads(path.read_text()) if path.suffix == ".json" else pd.read_csv(path)

    return read


@pytest.fixture(scope="session")
def released(reference):
    """The released annotations of a domain, as an annotations frame."""

    def frame(domain: str) -> pd.DataFrame:
        events = reference(f"survival/events_{domain}.csv")
        first, second = (events[events["entity"] == e].set_index("annotation_id") for e in (0, 1))
        second = second.loc[first.index]
        names = {"Human": HUMAN}
        columns = {"conversation_id": "convo_id", "k": "exchange", "nature0": "label"}
        columns |= {"fluency": "fluent", "sensibleness": "sensible", "specificity": "specific"}
        rows = pd.DataFrame({ours: first[theirs].to_numpy() for ours, theirs in columns.items()})
        rows["a"] = first["system"].replace(names).to_numpy()
        rows["b"] = second["system"].replace(names).to_numpy()
        rows["nature1"] = second["label"].to_numpy()
        rows["worker_id"] = first["user"].astype(str).to_numpy()
        rows["annotation_id"] = first.index.to_numpy()
        return rows.assign(source="human", unit_id="", item_id="", seconds=np.nan)

    return frame


def conversation(number: int, entities: tuple[str, str]) -> Conversation:
    texts = (f"turn {t} of conversation {number}" for t in range(12))
    return spoken(f"c{number:04d}", entities, texts, number)


@pytest.fixture(scope="session")
def made_up():
    """Judgements of a study in which bot i passes the more often the greater i, and its conversations."""

    def make(bots: int = 3, per_pair: int = 6, sources=("human", "judge:quick"), people: int = 6, seed: int = 0):
        rng = np.random.default_rng(seed)
        pairs = list(itertools.combinations([f"bot{i}" for i in range(bots)], 2))
        entities = [(a, b) if i % 2 else (b, a) for a, b in pairs for i in range(per_pair)]
        conversations = [conversation(i, e) for i, e in enumerate(entities + [(HUMAN, HUMAN)] * people)]
        judgements = []
        for source, c, k, replicate in itertools.product(sources, conversations, (2, 3, 5), (0, 1)):
            seconds = float(rng.gamma(2, 15)) if source == HUMAN else None
            worker = f"v{replicate}" if source != HUMAN else f"w{(c.number * 3 + k + replicate) % 9}"
            natures = []
            for name in c.entities:
                passing = 0.85 if name == HUMAN else 0.2 + 0.2 * int(name[3:])
                natures.append(str(rng.choice(["human", "unsure", "bot"], p=[passing, 0.1, 0.9 - passing])))
            favoured = [str(rng.choice(["entity:0", "entity:1", "no_difference"])) for _ in range(3)]
            given = {("nature", f"entity:{i}"): nature for i, nature in enumerate(natures)}
            given |= zip(itertools.product(("fluency", "sensibleness", "specificity"), ["pair"]), favoured, strict=True)
            about = "spot_the_bot", "u1", f"i-{c.conversation_id}-{k}", (c.conversation_id,), k
            name = f"{source}-{c.conversation_id}-{k}-{replicate}"
            judgements += rows_about(name, about, worker, given, source, seconds=seconds)
        return judgements, conversations

    return make


@pytest.fixture(scope="session")
def matches_of():
    """Matches from text such as "ab+ ab= ba-": entity 0, entity 1, and +, = or - for entity 0."""

    def make(text: str) -> pd.DataFrame:
        games = text.split()
        return pd.DataFrame(
            {
                "a": [g[0] for g in games],
                "b": [g[1] for g in games],
                "outcome": ["-=+".index(g[2]) - 1 for g in games],
                "k": 2,
                "conversation_id": [f"c{i}" for i in range(len(games))],
                "worker_id": "w",
            }
        )

    return make
