"""Studies on disk to be annotated, and annotators who do it over HTTP, as a browser would."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.records import indexed
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls, truth, write_controls
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.crowdsourcing.asking import Client
from tests.crowdsourcing.office import answers, conversations
from tests.spoken import bots_of

SURVEY = "spot_the_bot"


def make_study(path: Path, survey: str = SURVEY, people: int = 6, unit_size: int = 6, **more: int) -> Study:
    """A study with conversations, units and controls; `more` goes to `office.conversations`."""
    talks = conversations(people=people, **{"bots": 2, "per_pair": 4, **more})
    names = sorted({name for talk in talks for name in talk.entities} - {"human"})
    plan = Plan("chitchat", bots_of(names), 4, segments=(2, 3))
    study = Study.create(path, plan)
    checksums.write_jsonl(study.conversations_path, talks)
    pack_study(study, survey, unit_size=unit_size, humans_per_unit=2)
    write_controls(study.load(survey))
    return study


class Annotator(Client):
    """Somebody with a link: `knows` maps the texts of a transcript to the answers on its speakers, who is human."""

    def __init__(self, link: str, knows: dict[tuple[str, ...], tuple[str, str]], survey: str = SURVEY):
        super().__init__(link)
        self.knows, self.survey = knows, get_survey(survey)

    def submission(self, session: dict, comment: str = "", answer: Callable | None = None) -> dict:
        """The answers to the session's unit: right about who is human, unless `answer` gives others."""
        unit = session["unit"]

        def item(page: dict) -> dict:
            natures = self.knows[tuple(turn["text"] for turn in page["transcripts"][0]["turns"])]
            right = lambda q, t: natures[int(t[-1])] if t.startswith("entity") else "no_difference"  # noqa: E731
            return answers(self.survey, page, answer or right)

        items = list(map(item, unit["items"]))
        return {"unit": unit["unit"], "items": items, "comment": comment, "texts_language": "en"}

    def work(self, comment: str = "") -> dict:
        """Do one unit; returns the session afterwards."""
        session = self.begin(self.survey)
        assert session["state"] == "working", session
        return self.ok("submit", self.submission(session, comment))


def known_of(study: Study, survey: str = SURVEY) -> dict[tuple[str, ...], tuple[str, str]]:
    """Who is human in everything that may be shown, by the texts that are shown."""
    by_id = indexed(study.conversations())
    knows = {}
    for unit in study.units(survey):
        for item in unit.items:
            human = by_id[item.conversation_ids[0]].is_human
            knows[_texts(item)] = tuple("human" if is_human else "bot" for is_human in human)
    return knows | {_texts(item): truth(item.control) for item in read_controls(study.load(survey))}


def _texts(item) -> tuple[str, ...]:
    return tuple(utterance.text for utterance in item.transcripts[0])


class Launch:
    """``spotbot_crowdsource`` in a process of its own, with what it prints."""

    def __init__(self, study: Study, *options: str, survey: str = SURVEY):
        self.study, self.survey = study, survey
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, *self._arguments(), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
            cwd=study.path.parent,
        )

    def _arguments(self) -> list[str]:
        start = "from parlai_spotbot.scripts.main import main; main()"
        return ["-c", start, "crowdsource", "--study", str(self.study.path), "--survey", self.survey]

    def ready(self) -> str:
        """Wait until it serves; returns the address."""
        for line in self.process.stdout:
            self.lines.append(line)
            found = re.match(r"serving at (\S+) ", line)
            if found:
                return found[1]
        raise AssertionError("it ended: " + "".join(self.lines))

    def ended(self) -> int:
        """Wait for the end; returns the exit code."""
        self.lines += self.process.stdout.readlines()
        return self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.ended()

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def links(self) -> dict[str, str]:
        import csv

        path = self.study.survey_path(self.survey) / "crowdsourcing" / "links.csv"
        with open(path, encoding="utf-8", newline="") as rows:
            return {row["annotator"]: row["link"] for row in csv.DictReader(rows)}

    def __enter__(self) -> Launch:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.kill()
        self.process.stdout.close()


def without_waiting(survey):
    """The survey without consent and onboarding, for a desk in the test's own process."""
    return replace(survey, consent=(), onboarding=())
