"""Studies on disk to be annotated, and annotators who do it over HTTP, as a browser would."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from office import answers, conversations

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.desk.grading import exercises_of
from parlai_spotbot.records import Contestant
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls, truth, write_controls
from parlai_spotbot.surveys.packing.pack_study import pack_study

SURVEY = "spot_the_bot"


def make_study(path: Path, survey: str = SURVEY, people: int = 6, unit_size: int = 6, **more: int) -> Study:
    """A study with conversations, units and controls; `more` goes to `office.conversations`."""
    talks = conversations(people=people, **{"bots": 2, "per_pair": 4, **more})
    names = sorted({name for talk in talks for name in talk.entities} - {"human"})
    plan = Plan("chitchat", {name: Contestant(name, model="spotbot:eliza") for name in names}, 4, segments=(2, 3))
    study = Study.create(path, plan)
    checksums.write_jsonl(study.conversations_path, [talk.to_json() for talk in talks])
    pack_study(study, survey, unit_size=unit_size, humans_per_unit=2)
    write_controls(study, survey)
    return study


class Annotator:
    """Somebody with a link, who knows who is human: `knows` maps the texts of a transcript to the truth."""

    def __init__(self, link: str, knows: dict[tuple[str, ...], tuple[str, str]], survey: str = SURVEY):
        parts = urllib.parse.urlsplit(link)
        self.base = f"{parts.scheme}://{parts.netloc}"
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self.knows, self.survey = knows, get_survey(survey)
        self.token = ""
        self.token = self.ask("enter", {"query": self.query})[1]["token"]

    def ask(self, what: str, body: dict | None = None) -> tuple[int, dict]:
        """The status and the answer; GET without a body."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"{self.base}/api/{what}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def begin(self) -> dict:
        """Agree, pass the onboarding, take a unit; returns the session."""
        session = self.ask("session")[1]
        if session["state"] == "consent":
            session = self.ask("consent", {"agree": True})[1]
        if session["state"] == "onboarding":
            keys = [exercise.key for exercise in exercises_of(self.survey, session["onboarding"]["attempt"] - 1)]
            items = [
                self._answers(page, lambda q, t, key=key: next((a[0] for kq, kt, a in key if (kq, kt) == (q, t)), None))
                for page, key in zip(session["onboarding"]["items"], keys, strict=True)
            ]
            session = self.ask("onboarding", {"items": items, "attempt": session["onboarding"]["attempt"]})[1]
            assert session["onboarding_result"]["passed"], session["onboarding_result"]
        if session["state"] == "ready":
            session = self.ask("unit", {})[1]
        return session

    def submission(self, session: dict, comment: str = "", answer: Callable | None = None) -> dict:
        """The answers to the session's unit: right about who is human, unless `answer` gives others."""
        unit = session["unit"]

        def item(page: dict) -> dict:
            natures = self.knows[tuple(turn["text"] for turn in page["transcripts"][0]["turns"])]
            right = lambda q, t: natures[int(t[-1])] if q == "nature" else "no_difference"  # noqa: E731
            return self._answers(page, answer or right)

        items = list(map(item, unit["items"]))
        return {"unit": unit["unit"], "items": items, "comment": comment, "texts_language": "en"}

    def _answers(self, page: dict, answer: Callable) -> dict:
        row = answers(self.survey, page, answer)
        return {**row, "answers": [one for one in row["answers"] if one["answer"] is not None]}

    def work(self, comment: str = "") -> dict:
        """Do one unit; returns the session afterwards."""
        session = self.begin()
        assert session["state"] == "working", session
        status, session = self.ask("submit", self.submission(session, comment))
        assert (status, session.get("accepted")) == (200, True), session
        return session


def known_of(study: Study, survey: str = SURVEY) -> dict[tuple[str, ...], tuple[str, str]]:
    """Who is human in everything that may be shown, by the texts that are shown."""
    by_id = {talk.conversation_id: talk for talk in study.conversations()}
    knows = {}
    for unit in study.units(survey):
        for item in unit.items:
            human = by_id[item.conversation_ids[0]].is_human
            knows[_texts(item)] = tuple("human" if is_human else "bot" for is_human in human)
    return knows | {_texts(item): truth(item.control) for item in read_controls(study, survey)}


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
