"""Judging a study: every segment twice, resumable at any byte, never doubled, people's rows untouched."""

import json
import re
from collections import Counter

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import Judge, first_shown, get_judge
from parlai_spotbot.judges.evaluation import held_out
from parlai_spotbot.judges.run import judge_study, summary_path
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.judges.spotter import Spotter
from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys import get_survey
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.sealing import sealed

SURVEY = "spot_the_bot"
VALID = {
    "nature": {"human", "bot", "unsure"},
    **{q: {"entity:0", "entity:1", "no_difference"} for q in ("fluency", "sensibleness", "specificity")},
}


def test_every_question_of_every_item_has_a_valid_answer(judged):
    study, _ = judged
    rows = {(r.unit_id, r.item_id, r.target, r.question): r for r in study.judgements(SURVEY)}
    asked = [("entity:0", "nature"), ("entity:1", "nature")] + [("pair", q) for q in VALID if q != "nature"]
    first = first_shown(study.units(SURVEY))
    wanted = [(u, i, *ask) for u in study.units(SURVEY) for i in first[u.unit_id] for ask in asked]
    assert len(rows) == len(study.judgements(SURVEY)) == len(wanted)
    for unit, item, target, question in wanted:
        row = rows[unit.unit_id, item.item_id, target, question]
        assert row.answer in VALID[question]
        assert (row.survey, row.exchanges, row.conversation_ids, row.control) == (
            SURVEY,
            item.exchanges,
            item.conversation_ids,
            item.control,
        )
        assert (row.source, row.started_at, row.submitted_at, row.seconds) == ("judge:spotter", "", "", None)
    assert set(Counter(row.annotation_id for row in rows.values()).values()) == {5}
    assert {row.worker_id for row in rows.values()} == {"spotter"}


def test_a_second_run_changes_nothing(copy, judged):
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(copy.path.rglob("*")) if p.is_file()}
    assert judge_study(copy.load(SURVEY), Spotter(0), progress=False) == judged[1]
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in before} == before


def test_a_torn_file_is_completed_to_the_same_bytes_and_people_stay(copy, judged):
    path = copy.judgements_path(SURVEY)
    whole, summary = path.read_bytes(), summary_path(copy.survey_path(SURVEY), "spotter").read_bytes()
    row = copy.judgements(SURVEY)[0].to_json()
    person = {**row, "judgement_id": "p", "worker_id": "w1", "source": "human", "seconds": 12.0}
    first = (files.dumps(person) + "\n").encode()
    path.write_bytes(first + whole[: int(len(whole) * 0.37)])  # torn within a unit, within a line
    sealed(copy.path)
    assert judge_study(copy.load(SURVEY), Spotter(0), progress=False) == judged[1]
    assert path.read_bytes() == first + whole
    assert summary_path(copy.survey_path(SURVEY), "spotter").read_bytes() == summary


def test_another_seed_on_answers_that_exist_is_refused(copy):
    path = copy.judgements_path(SURVEY)
    before = path.read_bytes()
    with pytest.raises(UserError, match="made with seed 0, version 5; asked for are seed 5"):
        judge_study(copy.load(SURVEY), Spotter(5), progress=False)
    checksums.remove(copy.provenance_path)
    with pytest.raises(UserError, match="not recorded"):
        judge_study(copy.load(SURVEY), Spotter(0), progress=False)
    assert path.read_bytes() == before


def older(study):
    """Answers of an older spotter, by provenance and the judge's account."""
    options = {"judge": {SURVEY: {"spotter": {"seed": 0, "version": 4}}}}
    study.record("judge", options["judge"])
    account = files.read_json(summary_path(study.survey_path(SURVEY), "spotter"))
    checksums.write_json(summary_path(study.survey_path(SURVEY), "spotter"), account | {"version": 4})


def test_a_study_that_an_older_spotter_has_judged_goes_on(copy):
    older(copy)
    path, before = copy.judgements_path(SURVEY), copy.judgements(SURVEY)
    assert judge_study(copy.load(SURVEY), Spotter(0), progress=False)["version"] == 4
    assert copy.judgements(SURVEY) == before
    kept = before[: len(before) // 2]
    checksums.write_jsonl(path, kept)
    with pytest.raises(UserError, match="made with seed 0, version 4; asked for are seed 0, version 5") as refused:
        judge_study(copy.load(SURVEY), Spotter(0), progress=False)
    assert "add --judge-name with a new name, under which all units are answered" in refused.value.remedy
    [judge] = [spec.make(0) for spec in JudgeRequest("spotter", name="spotter-5").specs(get_survey(SURVEY))]
    assert judge_study(copy.load(SURVEY), judge, progress=False)["judge"] == "spotter-5"
    new = [row for row in copy.judgements(SURVEY) if row.source == "judge:spotter-5"]
    assert [(row.item_id, row.answer) for row in new] == [(row.item_id, row.answer) for row in before]
    assert copy.judgements(SURVEY)[: len(kept)] == kept
    spotbot("analyze", "--study", copy.path, "--bootstraps", 20, code=1)  # an annotation is half there
    spotbot("report", "--study", copy.path, "--without-judge", "spotter")


def test_what_is_wrong_is_said(copy):
    with pytest.raises(UserError, match=r"no such judge\. Did you mean 'spotter'"):
        get_judge("spoter")
    with pytest.raises(UserError, match="no such units file"):
        judge_study(copy.load("acute_eval"), Spotter())
    checksums.write_bytes(copy.units_path("acute_eval"), copy.units_path(SURVEY).read_bytes())
    with pytest.raises(UserError, match="can't answer its questions"):
        judge_study(copy.load("acute_eval"), Spotter())
    checksums.remove(copy.judgements_path(SURVEY))
    rows = [json.loads(line) for line in copy.units_path(SURVEY).read_text().splitlines()]
    rows[0]["items"][0]["conversation_ids"] = ["not:there:0000"]
    checksums.write_jsonl(copy.units_path(SURVEY), rows)
    with pytest.raises(UserError, match="'not:there:0000', which the study lacks"):
        judge_study(copy.load(SURVEY), Spotter())
    checksums.write_text(copy.units_path(SURVEY), "")
    with pytest.raises(UserError, match="no item to judge"):
        judge_study(copy.load(SURVEY), Spotter())
    assert not copy.judgements_path(SURVEY).exists()


def _row(number, target, answer, control=None, conversation="c"):
    return Judgement(
        f"j{number}",
        f"a{number}",
        SURVEY,
        "u",
        f"i{number}",
        (conversation,),
        2,
        target,
        "nature",
        answer,
        "w",
        "judge:x",
        control,
    )


def test_held_out_accuracy_by_hand(new_study, tmp_path):
    conversations = new_study(tmp_path / "s", names=("rude", "parrot"), per_pair=1, people=1).conversations()
    bots, people = (c.conversation_id for c in conversations)
    rows = [
        _row(0, "entity:0", "bot", conversation=bots),
        _row(1, "entity:1", "human", conversation=bots),
        _row(2, "entity:0", "unsure", conversation=bots),
        _row(3, "entity:1", "bot", conversation=bots),
        _row(4, "entity:0", "human", conversation=people),
        _row(5, "entity:1", "bot", "repeated", people),
        _row(6, "entity:1", "bot", conversation="another study's"),
    ]
    measured = held_out(rows, conversations)["w"]
    assert measured["n"] == 5
    assert measured["balanced_accuracy"] == pytest.approx((1 + 2.5 / 4) / 2)
    assert measured["confusion"] == {
        "human": {"human": 1, "bot": 0, "unsure": 0},
        "bot": {"human": 1, "bot": 2, "unsure": 1},
    }
    assert held_out(rows[:4], conversations)["w"]["balanced_accuracy"] is None


class Curious(Judge):
    """Writes one row an item, as it is told."""

    name = "curious"
    workers = ("lenient", "strict")
    answers_per_item = 1

    def __init__(self, question, target, answer, workers=workers):
        super().__init__()
        self.row = (target, question, answer)
        self.variants = {worker: {"description": "as it is told"} for worker in workers}

    def prepare(self, data, progress=True):
        """There is nothing to train."""

    def answer(self, unit):
        return [self.judgement(unit, item, *self.row) for item in self.items_of(unit)]

    def describe(self):
        return {"trained_on": "nothing", "variants": self.variants}


@cases(
    "question target answer problem",
    """
- [warmth, pair, human, "question 'warmth' about 'pair'"]
- [nature, pair, human, "question 'nature' about 'pair'"]
- [nature, 'entity:2', human, "about 'entity:2'"]
- [nature, 'entity:0', robot, "'robot' to question 'nature', expected one of human, bot, unsure"]
- [nature, 'entity:0', 1, "1 to question 'nature'"]
""",
)
def test_rows_that_answer_nothing_that_is_asked_are_refused(tmp_path, new_study, question, target, answer, problem):
    study = new_study(tmp_path / "study")
    with pytest.raises(UserError, match=re.escape(problem)):
        judge_study(study.load(SURVEY), Curious(question, target, answer), progress=False)
    assert not study.judgements(SURVEY)


def test_each_variant_answers_an_item_once_and_has_an_entry(tmp_path, new_study):
    study = new_study(tmp_path / "study")
    judge_study(study.load(SURVEY), Curious("nature", "entity:0", "human"), progress=False)
    seen = Counter((row.worker_id, row.item_id, row.control) for row in study.judgements(SURVEY))
    assert {worker for worker, _, _ in seen} == {"lenient", "strict"}
    assert set(seen.values()) == {1}
    with pytest.raises(UserError, match="no entry for worker 'strict'"):
        judge_study(
            new_study(tmp_path / "other").load(SURVEY),
            Curious("nature", "entity:0", "human", ("lenient",)),
            progress=False,
        )
