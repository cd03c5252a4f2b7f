"""A/A tests from packing to the report: neither side is preferred where a bot meets itself, or a side wins."""

import pytest
from scipy.stats import binomtest
from scripted import rows_of, small_study

from parlai_spotbot import files
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.records import HUMAN

SURVEY = "acute_eval"


@pytest.mark.parametrize("left", [0.5, 0.95])
def test_packed_answered_and_tested(tmp_path, left):
    study = small_study(tmp_path / "study", SURVEY, per_pair=0, selves=8, comparisons=10, same=True, unit_size=1)

    def script(question, target, options, item, talks, rng):
        return options[0] if rng.random() < left else options[1]

    rows = []
    for place, worker in enumerate(f"w{n}" for n in range(12)):  # each its own units: choices stand alone
        units = {unit.unit_id for number, unit in enumerate(study.units(SURVEY)) if number % 12 == place}
        own = [row for row in rows_of(study, SURVEY, script, [worker]) if row.unit_id in units]
        rows += own
    # ``options[0]`` is the first conversation of the item: it stood left in all.
    shown = [{**row.to_json(), "presentation": {"place:0": "left"}} for row in rows]
    files.write_jsonl(study.judgements_path(SURVEY), shown)
    found = analyze(study, SURVEY, bootstraps=30)
    tests = found["same"]["by_source"][HUMAN]["tests"]["engagingness"]
    assert [row["name"] for row in tests] == ["ann", "bob", "cat", "all"]
    assert [row["n"] for row in tests] == [10, 10, 10, 30]
    by_id = {c.conversation_id: c for c in study.conversations()}
    hits = [
        row.answer == "conversation:0"
        for row in rows
        if row.question == "engagingness" and len({by_id[i].entities for i in row.conversation_ids}) == 1
    ]
    assert tests[-1]["estimate"] == pytest.approx(sum(hits) / 30)
    exact = binomtest(sum(hits), 30, 0.5).pvalue
    assert tests[-1]["p"] >= exact - 1e-9
    assert (tests[-1]["p"] < 0.05) == (left == 0.95)
    ranking = found["ranking"]["by_source"][HUMAN]
    assert all(pair["a"] != pair["b"] for pair in ranking["pairs"])
