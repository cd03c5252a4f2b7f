"""Surveys of whole conversations as their users run them: packed by the launch, figures, a unit each, the answers."""

import subprocess
import sys

import pytest
import whole
from annotators import Record
from people import Annotator, Launch

from parlai_spotbot.records import HUMAN

pytestmark = pytest.mark.slow


def spotbot(*arguments, code=0):
    start = "from parlai_spotbot.scripts.main import main; main()"
    done = subprocess.run([sys.executable, "-c", start, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def reads(study, name, link):
    """Somebody who does one unit well; returns the session afterwards."""
    person = Annotator(link, {}, name)
    session = person.begin()
    reader = whole.Reader(link, "plain", person.survey, whole.controls_of(study, name), Record(), (0, 0), 1)
    status, after = person.ask("submit", reader.filled(session["unit"]))
    assert (status, after.get("accepted")) == (200, True), after
    return session["unit"]


@pytest.mark.parametrize("name", ["acute_eval", "turn_likert"])
def test_one_command_packs_serves_and_goes_on(tmp_path, name):
    study = whole.make_study(tmp_path / "study", "", people=24)
    common = ("--study", str(study.path), "--survey", name)
    said = spotbot("crowdsource", *common, "--dry-run")
    assert f"packed: {len(study.units(name))} units" in said
    assert ("words a minute" if name == "acute_eval" else "ABC-Eval's annotators") in said
    assert not (study.survey_path(name) / "crowdsourcing").exists()
    with Launch(study, "--annotators", "3", survey=name) as first:
        address = first.ready()
        links = list(first.links().values())
        seen = [reads(study, name, link) for link in links[:2]]
        first.kill()
    if name == "acute_eval":
        with Launch(study, "--annotators", "3", survey=name) as second:
            assert second.ready() == address
            seen.append(reads(study, name, links[2]))
            second.stop()
    known = whole.controls_of(study, name)
    shown = [
        whole.shown([[t["text"] for t in one["turns"]] for one in page["transcripts"]])
        for unit in seen
        for page in unit["items"]
    ]
    if name == "acute_eval":  # each pair once, over launches
        pairs = [one for one in shown if one not in known]
        assert len(set(pairs)) == len(pairs) == 3 * 5
    assert f"finished units: {len(seen)};" in spotbot("collect", *common, code=int(len(seen) < len(study.units(name))))
    rows = study.judgements(name)
    assert {row.source for row in rows} == {HUMAN}
    assert len({row.worker_id for row in rows}) == len(seen)
    assert any(row.control for row in rows) or name == "turn_likert"  # half of its dimensions have none
    for row in rows:
        assert row.target == "pair" or row.target.startswith(("entity:", "turn:"))
