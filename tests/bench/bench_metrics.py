"""The study of metrics at the size of ABC-Eval's: 400 conversations, 39 metrics, six pairs of bots.

Backward removal beside the same search that fits every model again (as the authors did, with a beam of ten); all of the
study's files beside what a reader would wait for.
"""

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.metrics import Metric, Outcomes, StudyEvidence, Wishes, analyze
from parlai_spotbot.analysis.metrics.stepwise import removal
from parlai_spotbot.records import HUMAN
from tests.bench.run import Row, least

BOTS = ("ada", "bob", "cleo", "dan")
TALKS, TURNS = 100, 15
LABELS = {
    "interpretability": 1,
    "sociality": 1,
    "commonsense": 1,
    "consistency": 3,
    "empathy": 2,
    "knowledge": 2,
    "personal_information": 2,
    "transitions": 4,
}
LIMIT = 60.0
"""Seconds that the whole study may take."""


def turns_of(
    method: str, name: str, task: str, kind: str, turns: int, quality: dict, rng: np.random.Generator
) -> Metric:
    """One metric of all conversations, a quarter of them judged twice."""
    weight, rows = rng.normal(0, 0.1), []
    for talk, level in quality.items():
        for who in range(2 if rng.random() < 0.25 else 1):
            worker = f"w{rng.integers(125)}"
            chance = np.clip(0.15 + weight * level, 0.01, 0.99)
            values = (
                rng.random(turns) < chance
                if kind == "rate"
                else np.clip(rng.normal(3.5 + weight * level, 1, turns).round(), 1, 5)
            )
            rows += [
                (talk, talk.split("-")[0], f"{talk}\t{t}", worker, f"{task}-{talk}-{who}", float(v))
                for t, v in enumerate(values)
            ]
    columns = ["conversation_id", "bot", "unit", "worker_id", "annotation_id", "value"]
    return Metric(
        method, name, kind, task, "nominal" if kind == "rate" else "ordinal", pd.DataFrame(rows, columns=columns)
    )


def pairs_of(name: str, pairs: list, quality: dict, rng: np.random.Generator) -> Metric:
    rows = [
        (
            a,
            b,
            a.split("-")[0],
            b.split("-")[0],
            f"{a}\t{b}",
            f"w{rng.integers(125)}",
            f"c-{a}-{who}",
            float(np.sign(quality[a] - quality[b] + rng.normal(0, 2))),
        )
        for a, b in pairs
        for who in range(2 if rng.random() < 0.25 else 1)
    ]
    columns = ["conversation_a", "conversation_b", "a", "b", "unit", "worker_id", "annotation_id", "value"]
    return Metric("comparative", name, "choice", "comparative", "ordinal", pd.DataFrame(rows, columns=columns))


def study(seed: int = 0) -> StudyEvidence:
    """As many conversations and metrics as the authors had, made up."""
    rng = np.random.default_rng(seed)
    quality = {f"{bot}-{i}": rng.normal(0.2 * place, 1) for place, bot in enumerate(BOTS) for i in range(TALKS)}
    names = list(quality)
    rng.shuffle(names)
    by = [(a, b) for a, b in zip(names[::2], names[1::2], strict=True) if a.split("-")[0] != b.split("-")[0]]
    metrics = [
        turns_of("abc_eval", f"{task}_{i}", f"abc_eval:{task}", "rate", TURNS, quality, rng)
        for task, n in LABELS.items()
        for i in range(n)
    ]
    for method, turns in (("turn_likert", TURNS), ("dialogue_likert", 1)):
        metrics += [turns_of(method, name, method, "mean", turns, quality, rng) for name in ("quality", *"abcdefg")]
    metrics += [pairs_of(name, by, quality, rng) for name in ("quality", *"abcdefg")]
    led = {talk: f"p{i % 46}" for i, pair in enumerate(by) for talk in pair}
    ratings = pd.DataFrame(
        [(t, t.split("-")[0], led[t], float(np.clip(round(3 + quality[t]), 1, 5))) for t in led],
        columns=["conversation_id", "bot", "worker_id", "value"],
    )
    choices = pd.DataFrame(
        [(a, b, led[a], float(np.sign(quality[a] - quality[b]))) for a, b in by],
        columns=["conversation_a", "conversation_b", "worker_id", "value"],
    )
    seen, times = set(), []
    for metric in metrics:
        homes = ["\t".join(ids) for ids in zip(*metric.conversations, strict=True)]
        for home, worker, annotation in zip(homes, metric.rows["worker_id"], metric.rows["annotation_id"], strict=True):
            if (metric.task, annotation) not in seen:
                seen.add((metric.task, annotation))
                times.append((metric.method, metric.task, home, worker, 2.0 + rng.gamma(2)))
    frame = pd.DataFrame(times, columns=["method", "task", "home", "worker_id", "minutes"])
    return StudyEvidence({HUMAN: metrics}, Outcomes(ratings, choices), {HUMAN: frame})


def refitted(x: np.ndarray, y: np.ndarray, beam: int) -> float:
    """The same search by fitting every model again; R² of the last metric."""
    from statsmodels.api import OLS, add_constant

    frontier = [tuple(range(x.shape[1]))]
    for _ in range(x.shape[1] - 1):
        found = {}
        for own in frontier:
            for out in own:
                rest = tuple(i for i in own if i != out)
                if rest not in found:
                    found[rest] = OLS(y, add_constant(x[:, rest])).fit().rsquared_adj
        frontier = sorted(found, key=lambda own: -found[own])[:beam]
    return OLS(y, add_constant(x[:, frontier[0]])).fit().rsquared


def run() -> Iterator[Row]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 16))
    y = x @ rng.normal(size=16) * 0.3 + rng.normal(size=400)
    names = [f"m{i}" for i in range(16)]
    for beam in (10, 100):
        ours = least(lambda beam=beam: removal(x, y, names, "linear", beam), 3)
        start = time.process_time()
        last = refitted(x, y, beam)
        theirs = time.process_time() - start
        assert abs(removal(x, y, names, "linear", beam)["steps"][-1]["r2"] - last) < 1e-9
        yield Row(f"backward removal, 16 metrics, beam {beam}", ours, theirs, "every model again", "CPU s")
    evidence = study()
    start = time.process_time()
    analyze(evidence, Wishes())
    yield Row("whole study of 40 metrics", time.process_time() - start, LIMIT, "promised", "CPU s")
