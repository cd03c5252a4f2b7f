"""A study that was served until settled, from its registration to the page: scripted people, no server."""

import json
import random
import re
import shutil
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of, render
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.compute import summary, tables
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.settled import frames_of, summarise
from parlai_spotbot.judges.next_step import settles
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.report.page import build_report
from parlai_spotbot.sequential.account import _lead, account
from parlai_spotbot.sequential.course import Course
from parlai_spotbot.sequential.looked import spent_level
from parlai_spotbot.sequential.points import points_of_rows
from parlai_spotbot.sequential.registration import Registration, read_pool, register
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.wording import p_value
from tests.findings.scripted import rows_of_item, small_study, talk
from tests.spoken import bots_of

BOTS = ("ann", "bob", "cat")
STRENGTH = {"ann": 0.9, "bob": 0.5, "cat": 0.5}


def answers_of(survey, item, talks, rng):
    """Yield (target, question, answer): ann is taken for human, or preferred, far more often than the others."""
    if survey == "spot_the_bot":
        names = talks[item.conversation_ids[0]].entities
        for entity, name in enumerate(names):
            yield f"entity:{entity}", "nature", "human" if rng.random() < STRENGTH.get(name, 0.7) else "bot"
        for feature in ("fluency", "sensibleness", "specificity"):
            yield "pair", feature, "no_difference"
    else:
        names = [talks[name].entities[entity] for name, entity in zip(item.conversation_ids, item.judged, strict=True)]
        first, second = (STRENGTH[name] ** 3 for name in names)
        for question in get_survey(survey).questions:
            if question.options:
                yield "pair", question.name, f"conversation:{int(rng.random() > first / (first + second))}"


def rows_of(unit, worker, talks):
    rng = random.Random(worker)
    for item in unit.items:
        name = f"{worker}/{unit.unit_id}/{item.item_id}"
        told = answers_of(unit.survey, item, talks, rng)
        yield from rows_of_item(name, unit, item, worker, {(question, target): said for target, question, said in told})


def careless(rows):
    """Two controls that a person of these rows missed."""
    row = next(row for row in rows if row.question == "nature")
    for n, entity in product(range(2), range(2)):
        yield replace(
            row,
            judgement_id=f"control {n} {entity}",
            annotation_id=f"control {n}",
            target=f"entity:{entity}",
            answer="bot",
            control="known_human",
        )


def served(path, survey, margin=0.0, budget=400, stop=1000, skip=(), talks_each=150):
    """Register a study and serve it, a unit of four a person, until it ends or so many have answered.

    The people `skip` miss the controls. Return the study and its course.
    """
    study = Study.create(path, Plan("chitchat", bots_of(BOTS), talks_each, seed=5))
    talks = [talk(pair, n) for pair in study.plan.all_pairs() for n in range(talks_each)]
    talks += [talk((HUMAN, HUMAN), n) for n in range(talks_each)] if survey == "spot_the_bot" else []
    talks = [replace(one, seed_id=one.conversation_id) for one in talks]
    checksums.write_jsonl(study.conversations_path, talks)
    request = SettledRequest(until="settled", margin=margin, budget=budget)
    launch = {"deadline": "2999-01-01T00:00+00:00", "control_mistakes": get_survey(survey).limits.control_mistakes}
    plan = register(study.load(survey), HUMAN, request, unit_size=4, **launch)
    by_name = indexed(talks)
    course = Course(plan, read_pool(study.load(survey)), by_name)
    units, rows = [], []
    while len(units) < stop and (unit := course.draw()):
        units.append(unit)
        own = list(rows_of(unit, f"person{len(units)}", by_name))
        fails = len(units) in skip
        rows += [*own, *(careless(own) if fails else ())]
        course.close(unit.unit_id, {} if fails else points_of_rows(own, plan.question))
    checksums.write_jsonl(study.units_path(survey), units)
    checksums.write_jsonl(study.judgements_path(survey), rows)
    return Study.open(path), course


def told(study, survey):
    """Analyse a study; return the results and the page."""
    result = analyze(study, survey, bootstraps=20)
    return result, re.sub("\\s+", " ", build_report(study).read_text(encoding="utf-8"))


def test_the_first_screen_has_every_contestant_with_its_places(tmp_path):
    served(tmp_path / "s", "comparative", budget=100)
    result, _ = told(Study.open(tmp_path / "s"), "comparative")
    [leads] = [finding for finding in findings_of(get_survey("comparative")) if finding.name == "settled"]
    lead = render.card(leads, Result(HUMAN, result["settled"]["by_source"][HUMAN]))
    assert {str(bot) for _, members in lead.clusters for bot, *_ in members} == {"ann", "bob", "cat"}


@pytest.mark.parametrize(
    ("survey", "more", "answer"),
    [
        ("spot_the_bot", {"margin": 0.15, "skip": (3,)}, ": ann is better than all others."),
        ("comparative", {"budget": 100}, "Settled in part when the budget of 100 answers was used up: "),
    ],
)
def test_the_page_begins_with_what_is_settled(tmp_path, survey, more, answer):
    study, course = served(tmp_path / "s", survey, **more)
    result, page = told(study, survey)
    found, frames = result["settled"]["by_source"][HUMAN].one("whole"), tables(get_survey(survey), result)
    evidence, names = course.evidence, list(course.plan.contestants)
    assert (found["ended"], found["answers"]) == (course.ended, evidence.answers)
    assert len(found["checks"]) == 10
    assert "settled_departures" not in frames
    pairs, score = frames["settled_pairs"], evidence.scores / evidence.annotators
    assert len(pairs) == 3
    a, b = (pairs[side].map(names.index).to_numpy() for side in "ab")
    assert pairs["n"].tolist() == evidence.matches[a, b].tolist()
    assert pairs["share"].tolist() == pytest.approx(evidence.points[a, b] / evidence.matches[a, b])
    assert pairs["verdict"].tolist() == [("open", "better", "equal")[verdict] for verdict in evidence.verdict[a, b]]
    assert pairs["difference"].tolist() == pytest.approx((score[a] - score[b]) / 2)
    assert pairs["difference"].between(pairs["difference_low"], pairs["difference_high"]).all()
    assert ((pairs["evidence"] > pairs["needed"] - 1e-9) == (pairs["verdict"] != "open")).all()
    _is_a_share(frames)
    assert frames["settled"].set_index("bot")["score"][names].tolist() == pytest.approx(score)
    assert set(frames["settled_path"]["pair"]) == set(pairs["a"] + " – " + pairs["b"])
    assert frames["settled_path"]["answers"].max() == evidence.answers
    draws = frames["settled_draws"]
    won = draws["result"].where(draws["a"] == "ann", 1 - draws["result"])[(draws[["a", "b"]] == "ann").any(axis=1)]
    assert (len(draws), won.sum()) == (evidence.answers, evidence.points[names.index("ann")].sum())
    assert draws["chance"].between(0.1 / 3, 1).all()

    _is_a_method(study, f"{found['answers']} answers")

    first, rest = page.split("How it was found", 1)
    assert answer in first
    assert "<code" not in first.partition("<main")[0]  # no next step, as nothing more is to be collected here
    assert "however often one looked" in first
    assert "No departure from the plan fixed before the first answer (" in rest
    assert "deadline 2999-01-01 00:00 UTC, without people who missed more than " in rest
    assert "Computed as if the number of answers had been fixed: ann is ahead" in rest
    assert "Computed as if the number" in summary(get_survey(survey), result)
    assert "needs" not in result


def _is_a_method(study, counted):
    text = (study.path / "report/appendix/methods.md").read_text("utf-8")
    assert counted in text
    assert "all ways in which contestants can be equal (Shaffer 1986)" in text
    assert "mostly of pairs that one more answer promised to settle" in text
    assert "Each annotator judged one unit" in text
    assert "The design has" not in text, "what is shown follows from answers, so no power of a fixed size is known"
    assert "begin a new study" not in text, "advice is no method"


def test_where_no_survey_is_named_the_one_with_answers_is_told(tmp_path):
    study, _ = served(tmp_path / "s", "comparative", budget=10)
    with pytest.raises(UserError, match=r"answers to comparative\. Run: parlai spotbot_analyze --study .* comparative"):
        analyze(study)


def test_answers_are_counted_and_shown_pairs_are_those_that_are_settled(tmp_path):
    study, _ = served(tmp_path / "s", "spot_the_bot", stop=30)
    result, page = told(study, "spot_the_bot")
    assert not re.search(r'<td class="many">\d+\.', page)
    verdicts = {row["verdict"] for row in result["settled"]["by_source"][HUMAN].rows("pairs")}
    frames = tables(get_survey("spot_the_bot"), result)
    pairs = frames["settled_pairs"]
    assert [*frames["settled_path"]["pair"].unique()] == [*(pairs["a"] + " – " + pairs["b"])]
    assert ("told apart: their shortest" in page) == ("better" in verdicts)


@given(st.sampled_from(["open", "better", "equal"]), st.floats(-1, 1), st.floats(0, 1) | st.just(np.nan), st.booleans())
def test_verdict_and_interval_do_not_contradict_each_other(verdict, apart, reach, rated):
    plan = Registration("s", "q", HUMAN, BOTS, 0.95, 0.15, 100, 4, 0, 0, "", "", rated=rated)
    lead, (low, high) = _lead(plan, verdict, apart, reach)
    if verdict == "better":
        assert lead > 0
        assert not low <= 0
    if verdict == "equal":
        assert abs(lead) <= plan.margin
        assert not low < -plan.margin
        assert not high > plan.margin
    assert np.isnan(reach) or low <= lead <= high


def one_person(rows):
    return [row | {"worker_id": row["worker_id"].replace("person7", "person6")} for row in rows]


def without_second(rows):
    lost = list(dict.fromkeys(row["unit_id"] for row in rows))[1]
    return [row for row in rows if row["unit_id"] != lost]


def without_last(rows):
    """As where the others' answers were not collected yet."""
    return [row for row in rows if row["worker_id"] not in ("person18", "person19", "person20")]


def turned(rows):
    return [*rows[:5], rows[5] | {"items": rows[6]["items"]}, rows[6] | {"items": rows[5]["items"]}, *rows[7:]]


def by_an_older_version(rows):
    """As before deadlines and who counts were registered; what is in use now is no departure then."""
    return [dict([*rows[0].items()][:12]) | {"package": "parlai_spotbot 0"}]


def eased(rows):
    return [rows[0] | {"level": 0.8, "budget": 500}]


def by_another_plan(rows):
    """As where the plan was changed everywhere but in the ledger, whose digest collecting noted."""
    return [rows[0] | {"served_plans": {"spot_the_bot": "0" * 64}}]


def launched(**about):
    return lambda rows: [rows[0] | {"crowdsourcing": {"spot_the_bot": about}}]


PROVENANCE = "../../provenance.json"
DEPARTURES = [
    ("units beyond the first of a person", 1, "judgements.jsonl", one_person),
    ("units whose answers are missing, though later ones were drawn by them", 1, "judgements.jsonl", without_second),
    ("", 0, "judgements.jsonl", without_last),
    ("units drawn otherwise than planned, or after the end", 15, "units.jsonl", turned),
    ("changes of the package version", 1, "sequential.json", by_an_older_version),
    ("changes of the plan since it was frozen (level 0.95 -> 0.8, budget 120 -> 500)", 2, "sequential.json", eased),
    ("units served by another plan than the frozen one", 1, PROVENANCE, by_another_plan),
    ("changes of the deadline", 1, PROVENANCE, launched(deadline="2020-01-01T00:00+00:00")),
    ("changes of the number of controls that may be missed", 1, PROVENANCE, launched(limits={"control_mistakes": 2})),
]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A study that twenty people have answered."""
    path = tmp_path_factory.mktemp("begun") / "s"
    served(path, "spot_the_bot", stop=20, talks_each=40)
    return path


@pytest.mark.parametrize(
    ("changes", "said", "unsaid"),
    [
        ({"ended": "used up"}, "people are better than all others", "human"),
        (
            {"ended": "budget", "verdict": "open"},
            "Nothing was settled when the budget of 120 answers",
            "any verdict is",
        ),
        ({"ended": "used up", "verdict": "open"}, "Nothing was settled after", "Settled in part"),
        ({"rated": True, "margin": 0.0}, "Whoever is better has the better mean", "margin"),
        ({"margin": 0.1}, "level 95%, margin 10%, budget 120", "the better mean"),
    ],
)
def test_what_is_said_is_true_of_people_of_ratings_and_where_nothing_is_settled(begun, changes, said, unsaid):
    found = account(Study.open(begun).load("spot_the_bot"))
    found = json.loads(json.dumps(found, default=lambda one: one.tolist()).replace('"ann"', '"human"'))
    verdict = changes.pop("verdict", "better")
    for row in found["pairs"]:
        row["verdict"] = verdict if "human" in (row["a"], row["b"]) else "open"
    places, rest = {"better": ([1, 1], [2, 3]), "open": ([1, 3], [1, 3])}[verdict]
    found["clusters"] = dict.fromkeys(found["clusters"], rest) | {"human": places}
    text = " ".join(summarise(Result(HUMAN, Frames.from_tables(frames_of(found | changes)))))
    assert said in text
    assert unsaid not in text.replace("who is human", "")


@pytest.mark.parametrize(("departure", "count", "file", "change"), DEPARTURES)
def test_departures_are_listed(begun, tmp_path, departure, count, file, change):
    shutil.copytree(begun, tmp_path / "s")
    path = tmp_path / "s" / "surveys" / "spot_the_bot" / file
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    checksums.write_text(path, "\n".join(map(json.dumps, change([json.loads(line) for line in lines]))) + "\n")
    found = account(Study.open(tmp_path / "s").load("spot_the_bot"))
    text = " ".join(summarise(Result(HUMAN, Frames.from_tables(frames_of(found)))))
    assert ({"departure": departure, "count": count} in found["departures"]) == bool(count)
    assert bool(found["departures"]) == bool(count)
    assert f"{departure}: {count}" in text or not count
    assert ("Departures from the plan" in text) == bool(count)
    over = departure == "changes of the deadline"
    assert re.match(
        "Ended at its deadline after 66 answers, . of 3 pairs settled" if over else "Not settled yet after ", text
    )


def test_the_page_of_one_that_is_not_settled_has_the_command_that_goes_on(begun, tmp_path):
    study = Study.open(shutil.copytree(begun, tmp_path / "s"))
    _, page = told(study, "spot_the_bot")
    command = settles(study.load("spot_the_bot")).partition("--survey")[2]
    assert "--until settled --budget 120" in command
    assert "Go on with the command that began it: " in page
    assert command in page


def test_nothing_is_told_apart_before_the_first_answer_is_collected(begun, tmp_path):
    shutil.copytree(begun, tmp_path / "s")
    checksums.write_jsonl(tmp_path / "s" / "surveys" / "spot_the_bot" / "judgements.jsonl", [])
    found = account(Study.open(tmp_path / "s").load("spot_the_bot"))
    assert (found["answers"], found["out"], found["order"], found["probes"]) == (0, 20, [], [])


def test_no_verdict_is_given_where_the_bots_did_not_stay_the_same(begun, tmp_path):
    shutil.copytree(begun, tmp_path / "s")
    path = tmp_path / "s" / "surveys" / "spot_the_bot" / "judgements.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        late = int(row["worker_id"].removeprefix("person")) > 10
        ann = row["question"] == "nature" and row["conversation_ids"][0].startswith("ann")
        if ann:
            even = int(row["conversation_ids"][0].rpartition(":")[2]) % 2 == 0
            is_ann = (row["target"] == "entity:0") == even
            row["answer"] = "human" if is_ann != late else "bot"
    checksums.write_jsonl(path, rows)
    found = account(Study.open(tmp_path / "s").load("spot_the_bot"))
    assert {row["probe"]: row["level"] for row in found["probes"]}["drift"] == "red"
    assert {row["verdict"] for row in found["pairs"]} == {"open"}
    said = " ".join(summarise(Result(HUMAN, Frames.from_tables(frames_of(found)))))
    assert said.startswith("No verdict is given after 66 answers. The contestants score otherwise in the second half")


def test_a_contestant_left_out_afterwards_is_told_and_has_no_rows(begun, tmp_path):
    shutil.copytree(begun, tmp_path / "s")
    study = Study.open(tmp_path / "s")
    before = account(study.load("spot_the_bot"))
    study.extend(left_out=["cat"])
    result, page = told(study, "spot_the_bot")
    found = result["settled"]["by_source"][HUMAN]
    assert found.rows("departures") == [{"departure": "contestants left out afterwards", "count": 1}]
    assert "contestants left out afterwards: 1" in page
    assert {row["bot"] for row in found.rows("ranking")} == {"ann", "bob"}
    kept = Frames.from_tables(frames_of(before)).rows("pairs")
    assert found.rows("pairs") == [row for row in kept if "cat" not in row.values()]


def looked_at(answered, planned):
    """Return what is said after two looks and the last analysis."""
    done = list(dict.fromkeys(answered))
    level = p_value(spent_level(done, [planned] * len(done), 0.05))
    return (
        f"Looked at 2 times before all was answered: the chance of a false winner is 5% only where p is below {level}."
    )


@pytest.mark.slow
def test_looks_at_an_unfinished_fixed_study_are_counted_and_told(tmp_path):
    survey = "comparative"
    study = small_study(tmp_path / "s", survey, per_pair=40, people=0)
    study.record("crowdsourcing", {survey: {"limits": {}}})
    units, talks = study.units(survey), indexed(study.conversations())
    counts = [len(units) // 2, len(units) // 2, len(units) - 1, len(units), len(units)]
    pages = []
    for answered in counts:
        rows = [row for n, unit in enumerate(units[:answered]) for row in rows_of(unit, f"person{n}", talks)]
        checksums.write_jsonl(study.judgements_path(survey), rows)
        pages.append(told(study, survey)[1])
    for page in pages[:2]:
        assert "Looked at 1 time before all was answered: the chance of a false winner is 5% only where p is" in page
    for page, count in zip(pages[2:], counts[2:], strict=True):
        assert looked_at([len(units) // 2, len(units) - 1, count], len(units)) in page
    journal = study.survey_path(survey) / "looks.jsonl"
    looks = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [(look["units"], look["of"]) for look in looks] == [(answered, len(units)) for answered in counts[1:3]]
    Study.open(study.path)
    checksums.remove(journal)
    _, page = told(study, survey)
    assert not journal.exists()
    assert "ooked at" not in page


def _is_a_share(frames):
    """Assert that evidence is whole where a pair is settled, and nowhere more than that."""
    pairs = frames["settled_pairs"]
    assert ((pairs["progress"] > 1 - 1e-9) == (pairs["verdict"] != "open")).all()
    assert frames["settled_path"]["progress"].between(0, 1).all()
