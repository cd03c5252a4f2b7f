"""A plan says what its launch says: studies of every survey are planned, made, packed, and estimated by a dry run."""

import random
import re
import shlex

import pytest
import yaml

from parlai_spotbot import checksums
from parlai_spotbot.domains import get_domain
from parlai_spotbot.findings.plans.launches import FOLDER, POOL
from parlai_spotbot.records import Contestant, Conversation, Turn
from parlai_spotbot.selfplay.people import draw_people
from parlai_spotbot.selfplay.schedule import schedule, seeds_of
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey, planned
from tests.findings.scripted import WORDS
from tests.in_process import spotbot

SETTINGS = {"provider": "prolific", "completion_code": "C", "screened_out_code": "S", "prolific_study": 24 * "0"}

SIZES = {
    "two": {"bots": 2, "difference": 0.6},
    "few": {"bots": 3, "difference": 0.5},
    "shared_seeds": {"bots": 3, "difference": 0.25},
    "many_annotators": {"bots": 4, "difference": 0.5, "annotators_per_segment": 3},
    "many": {"bots": 8, "difference": 0.5},
}
"""Bots, the difference of two of them (of shares a quarter of it), and annotators."""

SAYS = {
    "annotations": r"^annotations +([\d,]+) in them",
    "workers": r"^annotators +([\d,]+) or more",
    "hours": r"^time +([\d,.]+) hours",
    "cost": r"^cost +([\d,.]+) USD",
    "units": r"^units +([\d,]+) to do",
}
"""Where a dry run says what a plan has under these names."""


def pool_of(survey, bots):
    """Entries of a pool by name; simulated users have a bot to talk to."""
    pool = {f"bot{number}": {"model": "spotbot:eliza"} for number in range(bots)}
    if get_survey(survey).judged:
        pool = {name: {**entry, "role": "user"} for name, entry in pool.items()} | {"partner": pool["bot0"]}
    return pool


def played(path, pool, per_pair):
    """Make a study as self-play leaves it, of random words."""
    domain = get_domain("chitchat")
    plan = Plan("chitchat", {bot: Contestant(bot, **entry) for bot, entry in pool.items()}, per_pair)
    study = Study.create(path, plan)
    rng = random.Random(per_pair)
    talks = []
    for job in schedule([plan], seeds_of(domain))[0]:
        said = [*job.seed.turns, *(" ".join(rng.choices(WORDS, k=8)) for _ in range(10))]
        turns = tuple(Turn(job.entities[place % 2], text) for place, text in enumerate(said))
        about = (job.conversation_id, "chitchat", job.pair, job.number, job.entities)
        talks.append(Conversation(*about, turns, seed_id=job.seed.seed_id))
    checksums.write_jsonl(study.conversations_path, [*talks, *draw_people(plan, domain)])
    study.record("selfplay", {})


def followed(text, pool, play=played):
    """Follow the commands of a plan in this folder; return what their dry runs say, summed over launches."""
    sums = dict.fromkeys(SAYS, 0.0)
    commands = [shlex.split(line) for line in text.splitlines() if f"--study {FOLDER}" in line]
    assert commands
    for _, name, *words in commands:
        if name == "spotbot_selfchat":
            per_pair = int(words[words.index("--conversations-per-pair") + 1])
            play(FOLDER, pool, per_pair)
            continue
        out, _ = spotbot(name, *words)
        if name == "spotbot_crowdsource":
            for key, pattern in SAYS.items():
                sums[key] += float(re.search(pattern, out, re.M)[1].replace(",", ""))
    return sums


def check(survey, folder, monkeypatch, pay, bots, difference, play=played, **options):
    monkeypatch.chdir(folder)
    pool = pool_of(survey, bots)
    (folder / POOL).write_text(yaml.safe_dump(pool))
    (folder / "pay.yaml").write_text(yaml.safe_dump({**SETTINGS, "pay": pay}))
    if planned()[survey].of in ("shares", "taken", "recalls"):
        difference /= 4
    if survey == "interactive":  # whose units are for one person
        options.pop("annotators_per_segment", None)
    words = ["--survey", survey, "--bots", bots, "--difference", difference, "--config", "pay.yaml"]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", value]
    out, _ = spotbot("plan", *words, "--simulations", 0, "--out", "plan.json")
    asked = checksums.read_json(folder / "plan.json")["plan"]["asked"]
    said = followed(out, pool, play)
    # Seeds are drawn anew: in each launch a person more may be needed for the last unit.
    launches = len(asked["launches"])
    assert sum(launch["units"] for launch in asked["launches"]) == said.pop("units")
    assert asked["workers"] == pytest.approx(said.pop("workers"), rel=0.05, abs=launches)
    for name, value in said.items():
        assert asked[name] == pytest.approx(value, rel=0.05), name


QUICK = [
    ("spot_the_bot", "few"),
    ("acute_eval", "two"),
    ("abc_eval", "two"),
    ("interactive", "two"),
    ("nuc", "two"),
    ("spot_the_user", "few"),
]


@pytest.mark.parametrize(("survey", "size"), QUICK)
def test_a_plan_is_its_launch(survey, size, tmp_path, monkeypatch):
    check(survey, tmp_path, monkeypatch, 2.5, **SIZES[size])


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("survey", sorted(planned()))
def test_a_plan_is_its_launch_in_every_survey(survey, size, tmp_path, monkeypatch):
    check(survey, tmp_path, monkeypatch, 1.75, **SIZES[size])
