"""Designs in which no order of all contestants can be told: what is said of them, and what is asked for next."""

import itertools
import re

import pandas as pd
import pytest
import yaml

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED
from parlai_spotbot.analysis.verdict.probes import annotator_probe
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of, render
from parlai_spotbot.findings.audit import rows_of
from parlai_spotbot.findings.comparison import compare
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.plans import PlanRequest, plan
from parlai_spotbot.findings.rankings import Ranking, main_ranking
from parlai_spotbot.findings.scarce import MATCHES, obstacle
from parlai_spotbot.findings.sections import places_said
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.report.chapters import chapter_of
from parlai_spotbot.report.first_screen import first_screen
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.wording import counted
from tests import report_sentences
from tests.case_tables import cases
from tests.findings.made_up_answers import contents_of
from tests.findings.scripted import answered, small_study
from tests.findings.scripted import rows_of as answers_of

BOTS = ("ann", "bob", "cat", "dan", "eve")
WORKERS = [f"w{number}" for number in range(8)]
PROMISES = re.compile(r"further (annotations|answers)|more (annotations|answers|conversations)|times as many")


def islands(a, b):
    """Two groups that never met; the first of each wins."""
    return {"ann", "bob"} == {a, b} or {"cat", "dan"} == {a, b}


def everybody(a, b):
    return True


def alphabetic(a, b):
    return min(a, b)


def circle(size):
    names = BOTS[:size]

    def winner(a, b):
        """Each beats the next one, and the last the first; pairs across the circle are even."""
        step = (names.index(b) - names.index(a)) % size
        return a if step == 1 else b if step == size - 1 else None

    return winner


DESIGNS = {
    # bots, which pairs met, who wins, matches of the last bot (None: as all)
    "two groups": (4, islands, alphabetic, None),
    "a circle of 3": (3, everybody, circle(3), None),
    "a circle of 4": (4, everybody, circle(4), None),
    "a lonely bot, 1 match": (4, everybody, alphabetic, 1),
    "a lonely bot, 2 matches": (4, everybody, alphabetic, 2),
    "a lonely bot, 3 matches": (4, everybody, alphabetic, 3),
    "a lonely bot, 4 matches": (4, everybody, alphabetic, 4),
    "ordinary": (3, everybody, alphabetic, None),
}
OF_EACH_FORM = ("spot_the_bot", "spot_the_bot_game", "comparative", "acute_eval")


def contestants(item, talks):
    """The two that an item compares."""
    if len(item.conversation_ids) == 2:
        return tuple(talks[own].entities[0] for own in item.conversation_ids)
    return talks[item.conversation_ids[0]].entities


def says(winner):
    def script(question, target, options, item, talks, rng):
        a, b = contestants(item, talks)
        best = None if a == b or HUMAN in (a, b) else winner(a, b)
        if question == "nature":
            speaker = talks[item.conversation_ids[0]].entities[int(target[-1])]
            return "unsure" if best is None else "human" if speaker == best else "bot"
        if best is None:
            tie = next((option for option in ("no_difference", "neither") if option in options), None)
            return tie or rng.choice(options)
        prefix = options[0].partition(":")[0]
        return f"{prefix}:{int(b == best)}" if ":" in options[0] else options[0]

    return script


def designed(path, survey, name):
    """The study of a design, and its answers."""
    bots, met, winner, most = DESIGNS[name]
    spotting = survey.startswith("spot")
    sizes = {"per_pair": 8, "people": 2} if spotting else {"per_pair": 0, "selves": 20, "people": 0}
    study = small_study(path / "study", survey, BOTS[:bots], **sizes)
    talks = indexed(study.conversations())
    items = {item.item_id: item for unit in study.units(survey) for item in unit.items}
    last, kept, annotations = BOTS[bots - 1], [], set()
    for row in answers_of(study, survey, says(winner), WORKERS):
        a, b = contestants(items[row.item_id], talks)
        if a != b and HUMAN not in (a, b):
            if not met(a, b):
                continue
            shown = row.worker_id, row.item_id
            if most is not None and last in (a, b) and shown not in annotations:
                if len(annotations) == most or row.control is not None:
                    continue
                annotations.add(shown)
        kept.append(row)
    return study, kept


def said(study, survey, result):
    """The sentences of the first screen and the next step."""
    found = {name: part["by_source"][HUMAN] for name, part in result.items() if HUMAN in part.get("by_source", {})}
    text, next_step = [], ""
    for finding in findings_of(get_survey(survey)):
        if finding.name in found:
            own = Result(HUMAN, found[finding.name], found)
            card = render.card(finding, own)
            text = text if card is None else [*card.text, *text]
            render.lines(finding, own) if finding.name == "needs" else None
            if section := render.tell(finding, own):
                text += section.text if section.first else []
                next_step = section.step or next_step
    return text, next_step, found


QUICK = {
    (name, survey)
    for name in ("two groups", "a circle of 4", "a lonely bot, 2 matches")
    for survey in OF_EACH_FORM[::2]
}


@pytest.mark.parametrize(
    ("name", "survey"),
    [
        pytest.param(*case, marks=[] if case in QUICK else [pytest.mark.slow])
        for case in itertools.product(DESIGNS, OF_EACH_FORM)
    ],
)
def test_what_the_first_screen_says_of_a_design(name, survey, tmp_path):
    study, rows = designed(tmp_path, survey, name)
    if not any(row.control is None for row in rows):
        pytest.skip("the survey makes no such items")
    result = answered(study, survey, rows, only=("ranking", "needs"))
    text, next_step, found = said(study, survey, result)
    ranking = main_ranking(found["ranking"])
    every = " ".join([*text, next_step])
    for bot, row in ranking.contestants.items():
        ends = ranking.ends(bot, "score")
        assert None in ends or ends[0] <= row["score"] <= ends[1]
    assert len(every.split()) <= 150
    if name == "two groups":
        assert "fall into 2 groups that never met" in text[0]
        assert [sorted(group) for group in ranking.groups] == [["ann", "bob"], ["cat", "dan"]]
        assert re.search(r"Compare ann with cat: the best of groups that never met", next_step)
        assert not PROMISES.search(every)
        assert re.search(
            r"is known: (ann is ahead of bob(, .*)?; cat is ahead of dan|cat is .*; ann is ahead of bob)\b", text[0]
        )
    if name.startswith("a circle") and not ranking.circle:
        assert text[0] == "The contestants can't be told apart by these data."
    elif name.startswith("a circle"):
        assert text[0].startswith("There is no single order: ")
        steps = {frozenset(step) for step in re.findall(r"(\w+) beats (\w+)", text[0])}
        clear = [row["p_adjusted"] < 0.05 for row in ranking.pairs if frozenset((row["a"], row["b"])) in steps]
        assert all(clear)
        size = int(name[-1])
        beats = re.findall(r"(\w+) beats (\w+)", text[0])
        assert len(beats) == size
        assert all(circle(size)(a, b) == a for a, b in beats)
        assert next_step == "Report who beats whom, pair by pair, in place of an order."
        assert not PROMISES.search(every)
        assert "needs" not in found["needs"]
    if name.startswith("a lonely"):
        last = BOTS[3]
        count = int(name.split()[3])
        assert ranking.too_few == {last: count}
        assert last not in ranking.order
        assert f"Too few comparisons to be ranked: {last} ({count})." in text
        assert f"Compare {last} with " in next_step
        alone, without = designed(tmp_path / "without", survey, "ordinary")
        same = answered(alone, survey, without, only=("ranking",))["ranking"]["by_source"][HUMAN]
        assert main_ranking(same).places == ranking.places
    if name == "ordinary":
        assert "groups" not in every
        assert text[0].startswith("ann is ahead of all others")


def test_the_plan_of_a_study_says_what_stands_in_the_way(tmp_path):
    for name, told in {
        "two groups": "Compare ann with cat: the best of groups that never met (spotbot_selfchat --more ann/cat=8).",
        "a lonely bot, 2 matches": "Compare dan with ann, bob and cat: a place takes 5 comparisons",
    }.items():
        study, rows = designed(tmp_path / name, "spot_the_bot", name)
        answered(study, "spot_the_bot", rows)
        found = plan(PlanRequest("spot_the_bot"), study)
        assert told in found.text
        study.record("selfplay", {"contestants": {}})
        screen = first_screen(chapter_of(SurveyView(load(study, "spot_the_bot"), "")))
        more = {"two groups": "ann/cat=8"}.get(name, "dan/ann=8,dan/bob=8,dan/cat=8")
        assert screen.step.command.endswith(f"--more {more}")
        assert "selfchat" in screen.step.command
        assert not any({"ann", "cat"} == {row["a"], row["b"]} for row in found.numbers["pairs"]) or "lonely" in name
    study, rows = designed(tmp_path / "circle", "spot_the_bot", "a circle of 3")
    answered(study, "spot_the_bot", rows)
    with pytest.raises(UserError, match="No one scale fits: ann beats bob, bob beats cat, cat beats ann"):
        plan(PlanRequest("spot_the_bot"), study)


def with_pair(row, p):
    """A ranking with one row of its audit and one pair."""
    pair = {"p_adjusted": p, "verdict": "" if p > 0.05 else "better"}
    return Ranking(Frames.from_tables({"audit": pd.DataFrame([row]), "pairs": pd.DataFrame([pair])}))


@pytest.mark.parametrize(
    ("given", "case", "more"),
    [
        ([40, *[2] * 30], "dominant", 61),
        ([25, *[3] * 25], "dominant", 1),
        ([24, *[4] * 19], None, None),
        ([50, 50], "few", 101),
        ([34, 33, 33], None, None),
        ([60, 20, 20], "dominant", 141),
        ([100], "one", 301),
    ],
)
def test_an_annotator_dominates_who_gave_a_quarter_and_far_more_than_others(given, case, more):
    probe = annotator_probe(given)
    [row] = rows_of([probe])
    assert (probe.level, row["figures"].get("case"), row["figures"].get("more")) == (
        {"one": RED, None: GREEN}.get(case, AMBER),
        case,
        more,
    )
    found = obstacle(with_pair(row, 0.2), MATCHES)
    if case == "dominant":
        further = counted(more, "answer")
        assert row["step"] == f"Let others answer: after {further} by others nobody gave more than 25%."
    elif more:
        assert row["step"] == f"Let more annotators answer, five at least: {more} answers by others."
    if more:
        assert given[0] < 0.25 * (sum(given) + more) <= given[0] + 0.25
    assert (found and found["step"]) == (row["step"] if case in ("one", "dominant") else None)
    settled = obstacle(with_pair(row, 0.001), MATCHES)
    assert (settled is None) == (case != "one")


VOTES = yaml.safe_load("""
two groups: {'ann,bob': 30, 'cat,dan': 30}
a circle of 3: {'ann,bob': 20, 'bob,cat': 20, 'cat,ann': 20}
a circle of 4: {'ann,bob': 20, 'bob,cat': 20, 'cat,dan': 20, 'dan,ann': 20}
all in one order: {'ann,bob': 20, 'ann,cat': 20, 'bob,cat': 10, 'cat,bob': 10}
a lonely bot, 1 matches: {'ann,bob': 12, 'bob,cat': 12, 'ann,cat': 12, 'dan,ann': 1}
a lonely bot, 2 matches: {'ann,bob': 12, 'bob,cat': 12, 'ann,cat': 12, 'dan,ann': 2}
a lonely bot, 3 matches: {'ann,bob': 12, 'bob,cat': 12, 'ann,cat': 12, 'dan,ann': 3}
a lonely bot, 4 matches: {'ann,bob': 12, 'bob,cat': 12, 'ann,cat': 12, 'dan,ann': 4}
""")
"""How often "winner,loser"; the winner is named first every second time."""


def sided(given):
    """Return the votes, by "a,b,winner", with the winner on each side in turn."""
    votes = {}
    for names, times in given.items():
        winner, loser = names.split(",")
        votes[f"{winner},{loser},model_a"] = times - times // 2
        votes[f"{loser},{winner},model_b"] = times // 2
    return votes


@pytest.mark.parametrize("name", VOTES)
def test_the_page_of_votes_of_a_design(name, tmp_path):
    study = report_sentences.analysed_votes(tmp_path, sided(VOTES[name]))
    told = report_sentences.check(study)
    first, every = told["first screen"], " ".join(text for texts in told.values() for text in texts)
    assert not PROMISES.search(" ".join(first)) or name == "all in one order"
    assert len(" ".join(first).split()) <= 150
    if name == "two groups":
        assert "Place 1 of 1" not in every
        assert "Compare ann with cat: the best of groups that never met" in first[-1]
    if name.startswith("a circle"):
        assert first[0].startswith("There is no single order: ")
        assert "by all choices together" not in every
        assert "Davidson" not in first[0]
    if name.startswith("a lonely"):
        count = int(name.split()[3])
        assert any(f"Too few comparisons to be ranked: dan ({count})." in text for text in first)


@cases(
    "name verdicts",
    """
- - two groups
  - ann cat: &never [undecided, 'they never met, nor anybody who links them']
    ann dan: *never
    ann bob: [better, '']
- - a circle of 3
  - {ann bob: [better, ''], ann cat: [worse, ''], cat ann: [better, '']}
- - a lonely bot, 2 matches
  - ann dan: &few [undecided, 'dan has 2 comparisons, too few to be ranked']
    dan bob: *few
    bob ann: [worse, '']
""",
)
def test_two_contestants_are_compared_only_where_they_can_be(name, verdicts, tmp_path):
    study, rows = designed(tmp_path, "spot_the_bot", name)
    result = answered(study, "spot_the_bot", rows, only=("ranking", "needs"))
    _, _, found = said(study, "spot_the_bot", result)
    ranking = main_ranking(found["ranking"])
    contents = contents_of("spot_the_bot", ranking)
    for pair, expected in verdicts.items():
        compared = compare(contents, HUMAN, *pair.split())
        assert [compared.verdict, compared.why] == expected
        if compared.why and compared.rate is None:
            assert compared.why in str(compared)
    [standing] = [own for own in standings(contents) if not own.criterion]
    if name == "two groups":
        places = places_said(standing.ranking)
        assert (places["ann"], places["dan"]) == ("1 of group 1", "2 of group 2")
