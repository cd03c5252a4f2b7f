"""From bots that talk to a report with people beside a judge: every command as its user runs it, one of them killed."""

import json
import os
import random
import subprocess
import sys

import pytest
from people import SURVEY, Annotator, Launch, known_of

from parlai_spotbot.study import Study

pytestmark = pytest.mark.slow


def spotbot(*arguments, code=0):
    """Run a command; returns what it prints."""
    start = "from parlai_spotbot.scripts.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", start, *arguments],
        capture_output=True,
        text=True,
        timeout=500,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def thinking(knows, seed):
    """Answers of somebody who is mostly right about the nature, and prefers as chance has it."""
    rng = random.Random(seed)

    def of(page):
        natures = knows[tuple(turn["text"] for turn in page["transcripts"][0]["turns"])]

        def answer(question, target):
            if question != "nature":
                return rng.choice(["entity:0", "entity:1", "no_difference"])
            return natures[int(target[-1])] if rng.random() < 0.97 else "unsure"

        return answer

    return of


class Thinking(Annotator):
    """An annotator with opinions of their own."""

    def submission(self, session, comment=""):
        think = thinking(self.knows, self.query["t"])
        unit = session["unit"]
        items = [self._answers(page, think(page)) for page in unit["items"]]
        return {"unit": unit["unit"], "items": items, "comment": comment, "texts_language": "en"}


def test_people_beside_a_judge_from_self_play_to_the_report(tmp_path):
    folder = str(tmp_path / "study")
    spotbot("selfchat", "--pool", "rules", "--conversations-per-pair", "4", "--study", folder)
    spotbot("pack", "--study", folder)
    spotbot("judge", "--study", folder)
    study = Study.open(folder)
    units = study.units(SURVEY)
    config = tmp_path / "settings.yaml"
    config.write_text("limits: {control_mistakes: 6}\n", encoding="utf-8")
    options = ("--annotators", str(len(units)), "--config", str(config))
    knows = None
    with Launch(study, *options) as first:
        address = first.ready()
        knows = known_of(study)
        links = list(first.links().values())
        for link in links[: len(units) // 2]:
            Thinking(link, knows).work()
        spotbot("collect", "--study", folder, code=1)  # half of the units are not finished
        half = len(study.judgements(SURVEY))
        first.kill()
    with Launch(study, *options) as second:
        assert second.ready() == address
        for link in links[len(units) // 2 :]:
            Thinking(link, knows).work()
        assert second.ended() == 0
    said = spotbot("collect", "--study", folder)
    assert f"finished units: {len(units)};" in said
    spotbot("analyze", "--study", folder, "--bootstraps", "50", "--backend", "native")
    spotbot("report", "--study", folder)

    rows = [row for row in study.judgements(SURVEY) if row.source == "human"]
    assert half < len(study.judgements(SURVEY))
    assert len({row.judgement_id for row in rows}) == len(rows) == 5 * sum(len(unit.items) + 2 for unit in units)
    ranking = json.loads((study.analysis_path(SURVEY) / "ranking.json").read_text(encoding="utf-8"))
    assert set(ranking["by_source"]) == {"human", "judge:spotter"}
    assert ranking["made_by"]["used"]["human"] == sum(len(unit.items) for unit in units)
    assert ranking["made_by"]["left_out"]["human"]["control"] == 2 * len(units)
    page = study.report_path.read_text(encoding="utf-8")
    assert "spotter" in page
    assert not [link for link in links if link.partition("t=")[2] in page]
