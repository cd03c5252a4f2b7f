"""A study made of invented conversations, an operator in a process of its own that can be killed, and the check of its
ledger, row by row, against what the simulated annotators were told.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import yaml

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.collection_paths import GROUP, CollectionPaths
from parlai_spotbot.records import HUMAN, Conversation, Item
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls, truth, write_controls
from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
from tests.crowdsourcing.annotators import Record, meet, texts_of
from tests.spoken import bots_of, spoken

SURVEY = "spot_the_bot"
SEGMENTS = (2, 3, 5)
REPLICATES = 2
STARTING = 120.0
TOPICS = [
    "garden",
    "kitchen",
    "railway",
    "mountain",
    "violin",
    "library",
    "weather",
    "football",
    "holiday",
    "breakfast",
    "neighbour",
    "birthday",
    "bicycle",
    "theatre",
    "hospital",
    "painting",
    "summer",
    "sandwich",
    "elephant",
]


def make_study(folder: Path, units: int, items: int) -> Study:
    """A study with about `units` units of `items` segments each, and with controls; a quarter of them of people."""
    humans = max(1, items // 4)
    blocks = max(1, round(units / (len(SEGMENTS) * REPLICATES)))
    bots = [f"bot{i}" for i in range(4)]
    plan = Plan(domain="invented", contestants=bots_of(bots))
    study = Study.create(folder, plan)
    pairs = plan.all_pairs()
    talks = [talk(number, pairs[number % len(pairs)]) for number in range(blocks * (items - humans))]
    talks += [talk(number, (HUMAN, HUMAN)) for number in range(blocks * humans)]
    spare = [talk(number, (HUMAN, HUMAN)) for number in range(blocks * humans, blocks * humans + 40)]
    checksums.write_jsonl(study.conversations_path, talks + spare)
    options = PackOptions(SURVEY, SEGMENTS, items, humans, REPLICATES)
    packed = pack(talks, options)
    checksums.write_jsonl(study.units_path(SURVEY), packed)
    with study.lock("annotators"):
        write_controls(study.load(SURVEY))
    return study


def talk(number: int, entities: tuple[str, str]) -> Conversation:
    """Six exchanges in which each turn takes up words of the one before."""
    name = f"{entities[0]}-{entities[1]}-{number}"
    rng = random.Random(name)
    texts = []
    last = rng.sample(TOPICS, 3)
    for place in range(12):
        words = rng.sample(TOPICS, 5) + last
        last = words[:3]
        texts.append(f"turn {place} of {number}: " + " ".join(words))
    return spoken(name, entities, texts, number, "invented", seed_id=f"seed {name}")


def run(coroutine: Coroutine) -> None:
    """Run it in a thread of its own: beside tests with a browser, the main thread has an event loop that is running."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, coroutine).result()


def known_segments(study: Study) -> dict[tuple[str, ...], tuple[str, str]]:
    """The natures in the study's controls, by what they show."""
    known = {}
    for item in read_controls(study.load(SURVEY)):
        page = {"transcripts": [{"turns": [{"text": u.text} for u in t]} for t in item.transcripts]}
        known[texts_of(page)] = truth(item.control)
    return known


class CrowdsourceProcess:
    """`spotbot_crowdsource` in a process of its own on `study`, for so many annotators with links of their own.

    `people` is the --group of a survey for several groups of people, `options` are further words of the command.
    """

    def __init__(
        self,
        study: Study,
        annotators: int,
        minutes: float = 1.0,
        survey: str = SURVEY,
        task: str = "",
        group: str = "",
        people: str = "",
        options: tuple[str, ...] = (),
        **limits: int,
    ):
        self.study, self.annotators, self.survey, self.task, self.people = study, annotators, survey, task, people
        self.paths = CollectionPaths(study, survey, task or (people and GROUP + people))
        self.config = study.path / f"load{task}{people}.yaml"
        settings = {"minutes_per_unit": minutes, "contact": "us@example.org", "limits": limits, "group": group}
        self.config.write_text(yaml.safe_dump(settings))
        self.options = options
        self.process: psutil.Popen | None = None
        self.peak = 0.0

    def __enter__(self) -> CrowdsourceProcess:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self) -> None:
        """Launch (again), and wait until the page is served."""
        command = [str(Path(sys.executable).with_name("spotbot"))]
        command += ["spotbot_crowdsource", "--study", str(self.study.path), "--config", str(self.config)]
        command += ["--survey", self.survey, "--annotators", str(self.annotators), *self.options]
        command += ["--task", self.task] if self.task else []
        command += ["--group", self.people] if self.people else []
        self.paths.launch.parent.mkdir(parents=True, exist_ok=True)
        before = self._served()
        began = time.monotonic()
        with open(self.study.path / "operator.log", "ab") as log:
            self.process = psutil.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        while not self._ready(before):
            if self.process.poll() is not None or time.monotonic() - began > STARTING:
                raise RuntimeError((self.study.path / "operator.log").read_text()[-3000:])
            time.sleep(0.05)

    def _ready(self, before: int) -> bool:
        """Whether the launch has written its links, and serves."""
        return self._served() > before and self.paths.links.exists() and len(self.links()) >= self.annotators

    def _served(self) -> int:
        """How often the log says that the page is served."""
        log = self.study.path / "operator.log"
        return log.read_text().count("serving at") if log.exists() else 0

    def links(self) -> list[str]:
        with open(self.paths.links, encoding="utf-8", newline="") as lines:
            return [row["link"] for row in csv.DictReader(lines)]

    def kill(self) -> None:
        """kill -9, for the operator and whatever it has started."""
        self._sample()
        for child in self.process.children(recursive=True):
            child.send_signal(signal.SIGKILL)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self._sample()
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise

    def _sample(self) -> None:
        with contextlib.suppress(psutil.Error, OSError):
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            self.peak = max(self.peak, int(peak.split()[1]) / 1024)

    def run(self, think: tuple[float, float], arrive: float, kills: int, kinds: list[str] | None = None) -> Record:
        """All annotators meet the operator, which is killed `kills` times at even parts of the work."""
        record, survey = Record(), get_survey(SURVEY)
        goal = min(len(self.study.units(SURVEY)), 3 * self.annotators)

        async def disturb(record: Record) -> None:
            for number in range(kills):
                while len(record.accepted) < goal * (number + 1) / (kills + 2):
                    await asyncio.sleep(0.05)
                    self._sample()
                self.kill()
                await asyncio.to_thread(self.start)
            while True:
                await asyncio.sleep(0.5)
                self._sample()

        links = self.links()[: self.annotators]
        run(meet(links, survey, known_segments(self.study), think, arrive, record, disturb, kinds))
        return record


# -- the check ---------------------------------------------------------------------------------------------------------
def ledger_rows(study: Study, survey: str) -> tuple[list[dict], dict[str, dict], list[dict]]:
    """Hand-outs, what was submitted by handle, and annotators."""
    with contextlib.closing(sqlite3.connect(CollectionPaths(study, survey).ledger)) as database:
        database.row_factory = sqlite3.Row
        tables = ("handouts", "submissions", "annotators")
        handouts, sent, people = ([dict(row) for row in database.execute(f"SELECT * FROM {name}")] for name in tables)
    return handouts, {row["handle"]: json.loads(row["body"]) for row in sent}, people


def verify(study: Study, record: Record) -> dict[str, int]:
    """Check the ledger against the rules and against what annotators were told; returns what was counted."""
    handouts, submissions, _ = ledger_rows(study, SURVEY)
    done = {row["handle"] for row in handouts if row["status"] == "done"}
    assert submissions.keys() == done
    assert submissions == record.accepted, "what was accepted is there, as it was sent, and nothing else"
    assert not record.forged["accepted"]
    assert not record.odd, record.odd[:5]
    drawn = study.settled_path(SURVEY).exists()  # then units that were given back stay undone
    assert not record.ends["operator ended"] or drawn or len(done) == len(study.units(SURVEY)), (
        "it ends when all is done"
    )
    seen = [row for row in handouts if row["status"] != "void"]
    _check_limits(seen, get_survey(SURVEY).limits.units_per_annotator)
    _check_meetings(study, handouts)
    return {"units done": len(done), "handed out": len(seen), "void": len(handouts) - len(seen)}


def _check_limits(handouts: list[dict], limit: int) -> None:
    assert max(Counter(row["worker"] for row in handouts).values()) <= limit
    assert max(Counter(row["unit_id"] for row in handouts if row["status"] in ("open", "done")).values()) == 1


def _check_meetings(study: Study, handouts: list[dict]) -> None:
    """Nobody met a conversation or a seed twice, in whatever became of the unit; no segment has three annotators."""
    seeds = {talk.conversation_id: talk.seed_id for talk in study.conversations()}
    items: dict[str, Item] = {item.item_id: item for unit in study.units(SURVEY) for item in unit.items}
    controls = {item.item_id: item for item in read_controls(study.load(SURVEY))}
    met: dict[str, list[str]] = defaultdict(list)
    by_segment: dict[str, list[str]] = defaultdict(list)
    for row in handouts:
        for item_id in json.loads(row["items"]):
            item = items.get(item_id) or controls[item_id]
            met[row["worker"]] += item.conversation_ids
            if item_id in items and row["status"] == "done":
                by_segment[item_id].append(row["worker"])
    for worker, conversations in met.items():
        assert len(set(conversations)) == len(conversations), f"{worker} met a conversation twice"
        mine = [seeds[name] for name in conversations if name in seeds]  # known bots have none
        assert len(set(mine)) == len(mine), f"{worker} met a seed twice"
    for item_id, workers in by_segment.items():
        assert len(set(workers)) == len(workers) <= REPLICATES, f"{item_id}: {workers}"
