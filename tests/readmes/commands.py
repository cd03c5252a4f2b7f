"""The commands that a README shows, and how they run where there is no user: what stands for their things, and why."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FENCE = re.compile(r"\s*```(\w*)")
COMMAND = re.compile(r"(\.venv/bin/)?(parlai|spotbot|python3?) |printf ")
POOL = """\
alice: {model: "spotbot:alice"}
eliza: {model: "spotbot:eliza"}
tfidf: {model: "spotbot:tfidf"}
"""


def commands(text: str) -> list[str]:
    """The commands in code blocks, indented or fenced, in order; lines that end in a backslash are one with the next,
    a remark after two blanks and # is none of it. Blocks of Python, and `make`, are left out."""
    return [part.strip() for line in _code(text) if COMMAND.match(line) for part in line.split("&&")]


def _code(text: str) -> Iterator[str]:
    language, before = None, ""
    for line in text.splitlines():
        if fence := FENCE.match(line):
            language = fence[1] if language is None else None
        elif language in ("", "sh", "bash", "console") or (language is None and line.startswith("    ")):
            whole = before + re.sub(r"\s{2,}#.*", "", line).strip().removeprefix("$ ")
            before = whole.removesuffix("\\") if whole.endswith("\\") else ""
            if not before:
                yield whole


@dataclass(frozen=True)
class Stand:
    """What is written as `pattern` runs as `instead`, or not at all (None); `why`."""

    pattern: str
    instead: str | None
    why: str


SERVER = "http://127.0.0.1:8000/v1"
ANSWERED = rf"spotbot_judge --study \1 --survey \2 --judge-url {SERVER} --judge-model NAME --judge-name people --yes"

STANDS = (
    Stand(r"\bDIR/", "studies/mine/", "the user's study"),
    Stand(r"--study DIR\b", "--study studies/mine", "the user's study"),
    Stand(r"--engine ray", None, "Ray, and a cluster"),
    Stand(r"^python3? tests/|^\.venv/bin/python tests/|-m pytest", None, "measurements, pictures, tests: of no user"),
    Stand(r"train_model|dual_encoder|python -m parlai_spotbot.projects", None, "minutes; other tests do it"),
    Stand(r"spotbot mephisto|pay.yaml", None, "a launch on a platform"),
    Stand(
        r"(own|wordings|features|groups|my_judges|my_survey)\.yaml",
        None,
        "the user's file, whose content the page shows",
    ),
    Stand(r"\b(my_chats|chats|model1\S*|a|answers|arena)\.(jsonl|csv)\b|votes\.jsonl", None, "data of the user's"),
    Stand(r"\b(openers|guests)\.jsonl", None, "data of the user's"),
    Stand(r"studies/(convai2|x|y|z|w|abc_eval\w*|small)\b|pools/", None, "made of what is left out above"),
    Stand(r"(spot_the_bot.run study=\S+) annotators=5", r"\1 dry_run=true", "it waits for people"),
    Stand(r"(analyze|plan) .*--study studies/(chats|pilot)|--source human_model", None, "nobody has chatted"),
    Stand(r"--survey dialogue_likert --metrics", None, "no person has rated"),
    Stand(r"--group lab", None, "groups are in a file of the user's"),
    Stand(r"--judges language_model$", f"--judge-url {SERVER} --judge-model NAME", "the embedded model takes an hour"),
    Stand(r"/models/my_model", "parrot-1", "the model of the server"),
    Stand(r"--data (MongoDump|behavior-classification|FOLDER|data.json)", None, "data of the papers' authors"),
    Stand(r"--replace mine", None, "units that are answered by then would have to be packed anew"),
    Stand(r"--more mine/blender=22", "--more alice/tfidf=2", "the contestants of the pool here"),
    Stand(r"zoo:blender/\S+ -pmf path/to/my/model", "spotbot:eliza -pm spotbot:alice", "a model of the user's"),
    Stand(r"-mf spotbot:", "-m spotbot:", "as above"),
    Stand(r"--domain (dailydialog|convai2)", "--domain chitchat", "a download"),
    Stand(r"(spotbot_(?:tournament|selfchat) .*)", r"\1 --conversations-per-pair 4", "time"),
    Stand(r"--conversations-per-pair \d+ (.*)--conversations-per-pair 4", r"\1--conversations-per-pair 4", "time"),
    Stand(r"(spotbot_(?:tournament|analyze) .*)", r"\1 --bootstraps 50", "time"),
    Stand(r"(--questions 128 .*)", r"\1 --only tfidf", "time"),
    Stand(r"(spotbot_crowdsource .*) --annotators \S+", r"\1 --dry-run", "it waits for people"),
    Stand(r"spotbot_collect .*--survey (interactive|nuc)", None, "nobody has chatted or answered, and no judge can"),
    Stand(r"(spotbot_collect --study \S+)$", r"\1 --survey spot_the_bot", "the default, written"),
    Stand(r"spotbot_collect --study (\S+) --survey (\S+)", ANSWERED, "a server's answers stand in for people's"),
    Stand(r"NAME\b", "parrot-1", "the model of the server"),
)


def as_run(command: str, server: str) -> str | None:
    """The command as it runs here, None where it can't; `server` stands for the user's."""
    for stand in STANDS:
        if re.search(stand.pattern, command):
            if stand.instead is None:
                return None
            command = re.sub(stand.pattern, stand.instead, command)
    return command.replace(SERVER, server)


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
