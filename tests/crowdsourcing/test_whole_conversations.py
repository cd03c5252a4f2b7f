"""Surveys of whole conversations with many annotators, half of whom miss their control: exactly those are stopped, each
pair is shown to one annotator, and nothing that was accepted is lost.

The quick test has the server and the desk in this process; the slow one a real operator with Mephisto that is killed.
"""

import json
from collections import Counter

import pytest

from parlai_spotbot.crowdsourcing.platforms.tokens import in_house_link
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls
from tests.crowdsourcing import crowdsource_process as process
from tests.crowdsourcing import whole
from tests.crowdsourcing.annotators import Record, meet


def kinds_of(number):
    """Half of them miss every control."""
    return ["careless" if place % 2 else "plain" for place in range(number)]


def check(study, name, record, kinds):
    """What the ledger holds, against the rules and against what annotators were told; returns the done hand-outs."""
    assert not record.odd, record.odd[:5]
    handouts, bodies, annotators = process.ledger_rows(study, name)
    standing = {row["worker"]: (row["standing"], row["why"]) for row in annotators}
    assert bodies == record.accepted
    done = [row for row in handouts if row["status"] == "done"]
    assert {row["handle"] for row in done} == set(bodies)
    data = study.load(name)
    controls = {item.item_id: item for item in read_controls(data)}
    items = data.items | controls
    worked = {row["worker"] for row in done}
    for worker in worked:
        mine = [json.loads(row["items"]) for row in handouts if row["worker"] == worker and row["status"] != "void"]
        graded = [place for shown in mine for place, item in enumerate(shown) if item in controls]
        assert len(graded) == 1 or (name == "turn_likert" and not graded)  # one in the first unit, at a drawn place
        met = [conversation for shown in mine for item in shown for conversation in items[item].conversation_ids]
        assert len(set(met)) == len(met)
    names = _names(study, name, kinds)
    graded = {row["worker"] for row in done if controls.keys() & json.loads(row["items"])}
    missed = {worker for worker in graded if names[worker] == "careless"}
    assert {worker for worker, (state, _) in standing.items() if state == "stopped"} == missed
    assert {standing[worker] for worker in missed} <= {("stopped", "controls")}
    for worker in missed:
        last = [row for row in done if row["worker"] == worker][-1]
        assert controls.keys() & json.loads(last["items"])
    return done


def _names(study, name, kinds):
    """The kind of each worker, by the name that their link stands for."""
    return {f"annotator-{number + 1}": kind for number, kind in enumerate(kinds)}


@pytest.mark.parametrize("name", whole.SURVEYS)
def test_who_misses_the_control_that_comes_first_gets_no_further_unit(tmp_path, name):
    study = whole.make_study(tmp_path / "study", name, each=4, unit_size=2 if name == "acute_eval" else None)
    survey = get_survey(name)
    record, kinds = Record(), kinds_of(8)
    with whole.served(study, name, tmp_path) as server:
        links = [in_house_link(server.url, whole.SECRET, f"annotator-{number + 1}") for number in range(8)]
        known = whole.controls_of(study, name)
        process.run(meet(links, survey, known, (0.0, 0.0), 0.0, record, kinds=kinds, of=whole.Reader))
    done = check(study, name, record, kinds)
    again = Counter((row["block_id"], row["worker"]) for row in done)
    assert set(again.values()) == {1}
    assert len({row["unit_id"] for row in done}) == len(done) >= 8
