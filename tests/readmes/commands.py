"""How commands and Python of a page run where there is no user: what stands for the user's things, and why."""

import re
import shlex
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.readmes.pages import Block, blocks, commands_of

POOL = """\
alice: {model: "spotbot:alice"}
eliza: {model: "spotbot:eliza"}
tfidf: {model: "spotbot:tfidf"}
"""


@dataclass(frozen=True)
class Stand:
    """What is written as `pattern` runs as `instead`, or not at all (None); `why`."""

    pattern: str
    instead: str | None
    why: str


SERVER = "http://127.0.0.1:8000/v1"

STANDS = [
    Stand(*row)
    for row in yaml.safe_load(r"""
- [^make |^\.ci/, null, the commands that it calls are tested; tests/test_install.py knows the targets]
- ['^npm |^cd |^Rscript |^transformers ', null, 'programs of others: builds, R, a server']
- ['--study DIR\b', '--study studies/mine', the user's study]
- ['--engine ray|^\.venv/bin/ray ', null, 'Ray, and a cluster']
- ['^python3? tests/|^\.venv/bin/python tests/|-m pytest', null, 'measurements, pictures, tests: of no user']
- [train_model|dual_encoder|python -m parlai_spotbot.projects, null, minutes; other tests do it]
- [spotbot mephisto|pay.yaml, null, a launch on a platform]
- [^spotbot (setup|doctor), null, 'tests/test_install.py: it installs']
- ['--survey memorable|--format lines|--provider university', null, 'files of the page: tests/test_contributing.py']
- ['--judges talkative', null, 'as above']
- ['spotbot:NAME', null, a task of the user's]
- [groups.yaml|--group lab, null, questions of corpora that aren't here]
- [my_judges\.yaml, null, 'the user''s file, whose content the page shows']
- [\b(my_chats|chats|model1\S*|a|answers)\.(jsonl|csv)\b|votes\.jsonl, null, data of the user's]
- ['--data (chats|export|logs)\b', null, data of other programs]
- ['--format preferences', null, people's choices between answers to the same; tests/exporters has them]
- [\b(openers|guests|support)\.jsonl, null, data of the user's]
- [projects/\w+/pools/, null, weights that must be downloaded]
- [studies/(convai2|x|y|z|w|abc_eval\w*|small)\b|pools/, null, made of what is left out above]
- [(spot_the_bot.run spotbot.study=\S+) spotbot.annotators=5, \1 spotbot.dry_run=true, it waits for people]
- [(analyze|plan) .*--study studies/(chats|pilot)|--source human_model, null, nobody has chatted]
- ['--survey dialogue_likert --metrics', null, no person has rated]
- [/models/my_model, parrot-1, the model of the server]
- ['--format tau2|studies/logs\b', null, logs of the user's; tests/findings/test_simulators.py]
- ['--data (MongoDump|behavior-classification|FOLDER|data.json)', null, data of the papers' authors]
- ['--more mine/blender=22', '--more alice/tfidf=2', the contestants of the pool here]
- [zoo:blender/blender_90M/model, spotbot:eliza, a model of the user's]
- [path/to/my/model, spotbot:alice, as above]
- ['--domain (dailydialog|convai2)', '--domain chitchat', a download]
- ['(spotbot_(?:tournament|selfchat) .*)', \1 --conversations-per-pair 4, time]
- ['--conversations-per-pair \d+ (.*)--conversations-per-pair 4', \1--conversations-per-pair 4, time]
- ['(spotbot_(?:tournament|analyze) .*)', \1 --bootstraps 50, time]
- [(--questions 128 .*), \1 --only tfidf, time]
- [(spotbot_crowdsource .*) --annotators \S+, \1 --dry-run, it waits for people]
- [(spotbot_crowdsource .* --live), \1 --dry-run, as above]
- [spotbot_collect .*--survey (interactive|nuc), null, 'nobody has chatted or answered, and no judge can']
- [(spotbot_collect --study \S+)$, \1 --survey spot_the_bot, 'the default, written']
- - spotbot_collect --study (\S+) --survey (\S+)
  - >-
    spotbot_judge --study \1 --survey \2 --judge-url http://127.0.0.1:8000/v1 --judge-model NAME --judge-name people
    --yes
  - a server's answers stand in for people's
- [NAME\b, parrot-1, the model of the server]
""")
]

PYTHON_STANDS = (
    Stand(r"\A# parlai_spotbot/", None, "a file of its own; tests/test_contributing.py"),
    Stand(r"analyze_metrics", None, "no person has rated; tests/report/test_metrics_section.py"),
    Stand(r"\"DIR\"", '"studies/people"', "a study that people answered"),
    Stand(r"bootstraps=1000", "bootstraps=50", "time"),
)


def stood_for(text: str, stands: tuple[Stand, ...]) -> str | None:
    """The text as it runs here, None where it can't."""
    for stand in stands:
        if re.search(stand.pattern, text):
            if stand.instead is None:
                return None
            text = re.sub(stand.pattern, stand.instead, text)
    return text


def as_run(command: str, server: str) -> str | None:
    """The command as it runs here, None where it can't; `server` stands for the user's."""
    found = stood_for(command, STANDS)
    return None if found is None else found.replace(SERVER, server)


def further_studies(folder: Path, command: str) -> None:
    """The user's other studies are copies of the one that a README made."""
    for name in re.findall(r"studies/(?:first|second|third|pilot)\b", command):
        if not (folder / name).exists():
            shutil.copytree(folder / "studies" / "mine", folder / name)


Run = Callable[[list[str]], None]


def run_all(shown: Iterable[str], folder: Path, server: str, run: Run) -> list[str]:
    """Run commands one after the other, as words; returns those that were left out."""
    left_out = []
    for command in shown:
        found = as_run(command, server)
        if found is None:
            left_out.append(command)
            continue
        further_studies(folder, found)
        if found.startswith("printf "):
            _, content, _, name = shlex.split(found)
            (folder / name).write_text(content.replace("\\n", "\n"), encoding="utf-8")
        else:
            run(shlex.split(found.removeprefix(".venv/bin/")))
    return left_out


def run_page(text: str, folder: Path, server: str, run: Run) -> list[str]:
    """Do what a page shows, from its first block to its last: write its files, run its commands and its Python, all of
    which share their names; returns the commands that were left out."""
    left_out: list[str] = []
    names: dict = {"__name__": "page"}
    for block in blocks(text):
        if block.kind == "commands":
            left_out += run_all(commands_of(block), folder, server, run)
        elif block.file:
            text = block.text.replace(SERVER, server).replace("NAME", "parrot-1")
            (folder / block.file).write_text(text, encoding="utf-8")
        elif block.kind == "python":
            _run_python(block, names)
    return left_out


def _run_python(block: Block, names: dict) -> None:
    found = stood_for(block.text, PYTHON_STANDS)
    if found is not None:
        exec(compile(found, f"<the page, from line {block.line}>", "exec"), names)
