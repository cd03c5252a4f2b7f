"""Nothing but its words tells a control among the items of a unit: trees are set on all that can be measured."""

import random
import subprocess
import sys
from collections import Counter
from functools import partial
from importlib import resources
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from parlai_spotbot.crowdsourcing.desk.control_mixing import evenly, first_controls, mix
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.controls.lengths import drawn, most_alike
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.case_tables import cases
from tests.surveys.people_talking import TOPICS

MOST_TURNS = 12


def served(study, survey, number, count):
    """About `number` items, as the desk hands them out: (item, place, items in the unit, block)."""
    units = study.units(survey)
    controls = evenly(read_controls(study.load(survey)))
    seeds = {talk.conversation_id: talk.seed_id for talk in study.conversations()}
    first = first_controls(units, count)
    rows = []
    while len(rows) < number:
        for unit in units:
            mixed = mix(unit.items, controls, count, f"{unit.unit_id} {len(rows)}", first[unit.unit_id], seeds=seeds)
            rows += [(item, place, len(mixed), unit.block_id) for place, item in enumerate(mixed)]
    return rows


def measured(item, place, size):
    """Lengths of turns, sums, differences, numbers of turns and words, punctuation, position."""
    row = [place, size, place / size]
    for turns in item.transcripts:
        texts = [turn.text for turn in turns]
        for counts in ([len(text) for text in texts], [len(text.split()) for text in texts]):
            fixed = (counts + [-1] * MOST_TURNS)[:MOST_TURNS]
            row += [*fixed, *np.diff(fixed), sum(counts), sum(counts[::2]), sum(counts[1::2]), max(counts), min(counts)]
            row += [fixed[i] - fixed[i + 2] for i in range(MOST_TURNS - 2)]
        row += [len(texts), *("".join(texts).count(mark) for mark in ".,?!'\"-"), *(texts[0].count(m) for m in "?!,")]
    return row


def auc(rows) -> float:
    """The AUC of trees that learn from other blocks which of a block's items are controls."""
    features = np.array([measured(*row[:3]) for row in rows], dtype=float)
    features = features[:, (features != features[0]).any(0)]
    truths, blocks = [row[0].control is not None for row in rows], [row[3] for row in rows]
    trees = HistGradientBoostingClassifier(max_iter=60, random_state=0)
    scores = cross_val_predict(trees, features, truths, groups=blocks, cv=GroupKFold(5), method="predict_proba")
    return float(roc_auc_score(truths, np.asarray(scores)[:, 1]))


def aucs(study, survey, number, count, seeds, often=1):
    """The AUC for each of these seeds of the controls; a control is met `often` times as often as an item at most."""
    found = []
    for seed in range(seeds):
        write_controls(study.load(survey), seed=seed)
        rows = served(study, survey, number, count)
        met = [Counter(row[0].item_id for row in rows if bool(row[0].control) is mark) for mark in (True, False)]
        assert max(met[0].values()) <= often * max(met[1].values())
        found.append(auc(rows))
    print(survey, study.path.name, np.round(found, 3))
    return found


def say(rng, longest, speaker, turn):
    """A turn that takes up the topic of the one before, in as many words as this speaker uses."""
    topic = TOPICS[int(turn.partition(" ")[0]) // 2 % len(TOPICS)]
    most = longest if speaker == HUMAN else 3 * len(speaker) + ord(speaker[-1]) % 7
    words = [rng.choice(["we", "like", "really", "yesterday", "boats,", "far"]) for _ in range(rng.randint(1, most))]
    return " ".join([*words, topic]) + rng.choice(["", "?", "!"])


@pytest.fixture
def talkative(study_of, pool, make_conversation):
    """A study of bots of different lengths, and people, half of whom no unit needs."""
    rng = random.Random(2)
    talks = pool(bots=3, per_pair=30, people=30, say=partial(say, rng, 12))
    talks += [make_conversation(f"free-{n}", (HUMAN, HUMAN), f"f{n}", 5, partial(say, rng, 12)) for n in range(120)]
    return study_of(talks)


@cases("survey count", "[[spot_the_bot, 2], [dialogue_likert, 1]]")
def test_trees_do_not_tell_a_control(talkative, survey, count):
    pack_study(talkative, survey)
    assert np.mean(aucs(talkative, survey, 1500, count, seeds=2)) <= 0.56


@pytest.mark.slow
@cases(
    "pool_of per_pair most",
    """
- [[tfidf, alice, eliza], 60, 0.55]
- [[minilm, eliza, dr], 60, 0.55]
- [[tfidf, alice, eliza], 250, 0.56]  # with few people to spare, there are fewer controls of people
""",
)
def test_trees_do_not_tell_a_control_of_real_pools(tmp_path, pool_of, per_pair, most):
    """3,000 served items of a pool that comes with the package, with blocks kept together.

    The mean over six seeds, each of 72 controls or more, has a standard error of at most .29 / sqrt(6 * 72) = .014.
    """
    entries = yaml.safe_load((resources.files("parlai_spotbot") / "pools" / "embedded.yaml").read_text())
    (tmp_path / "pool.yaml").write_text(yaml.safe_dump({name: entries[name] for name in pool_of}))
    command = [Path(sys.executable).with_name("spotbot"), "selfchat", "--study", "study", "--quiet"]
    command += ["--pool", "pool.yaml", "--conversations-per-pair", str(per_pair)]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=900)
    study = Study.open(tmp_path / "study")
    pack_study(study)
    assert 0.35 <= np.mean(aucs(study, "spot_the_bot", 3000, 2, seeds=6, often=2 if most > 0.55 else 1)) <= most
    if per_pair == 60:
        for survey in ("acute_eval", "comparative", "dialogue_likert"):
            pack_study(study, survey)
            assert np.mean(aucs(study, survey, 3000, 1, seeds=3, often=2)) <= most


# -- patterns ----------------------------------------------------------------------------------------------------------
def test_patterns_come_equally_often():
    items: list = [SimpleNamespace(item_id=n, transcripts=[[0] * (n % 3)]) for n in range(30)]
    often = Counter(item.item_id for item in drawn(items, 70, lambda item: item.item_id % 2, random.Random(0)))
    assert {2, 3} == set(often.values())
    kinds = Counter(item.item_id % 6 for item in drawn(items, 12, lambda item: item.item_id % 2, random.Random(0)))
    assert set(kinds.values()) == {2}
    assert drawn([], 3, lambda item: 0, random.Random(0)) == []


def test_segments_are_those_most_alike_each_once():
    segments: list = [(number, ["x" * number, "x" * 3 * number]) for number in range(1, 9)]
    patterns = [["x" * 5, "x" * 15], ["x" * 5, "x" * 15], ["x", "x"], ["x"] * 4]
    found = most_alike(patterns, lambda turns: segments if turns == 2 else [])
    names = [segment and segment[0] for segment in found]
    assert names[2:] == [1, None]
    assert set(names[:2]) in ({4, 5}, {5, 6})


def test_scarce_segments_of_one_length_make_fewer_of_each():
    patterns = [["x" * 5] * size for size in (4, 6, 10) for _ in range(12)]
    segments: dict = {size: [(n, ["x" * n] * size) for n in range(4 if size == 10 else 40)] for size in (4, 6, 10)}
    found = most_alike(patterns, segments.__getitem__)
    assert Counter(len(segment[1]) for segment in found if segment) == {4: 4, 6: 4, 10: 4}
