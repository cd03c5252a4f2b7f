"""The page's logic without a browser: its own unit tests, and that it asks exactly what the server expects."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from parlai_spotbot.crowdsourcing.desk.answer_checks import check_item, judged_of
from parlai_spotbot.crowdsourcing.desk.presentation import Excerpt, present
from parlai_spotbot.records import Item, Utterance
from parlai_spotbot.surveys.asking import asked_of_item, questions_asked
from parlai_spotbot.surveys.survey import Condition, Option, Question, Survey

WEBAPP = Path(__file__).parents[3] / "crowdsourcing" / "webapp"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="no node here")

TARGETS = (("entity:0", "entity:1"), ("pair",), ("turn",), ("entity:1",))


def test_the_pages_own_tests():
    done = subprocess.run([NODE, "--test"], cwd=WEBAPP, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "# fail 0" in done.stdout or "fail 0" in done.stdout


def draw_survey(rng):
    """A survey of up to six questions that depend on each other in any allowed way."""
    questions = []
    for number in range(rng.randint(1, 6)):
        kind = rng.choice(("choice", "scale", "checkboxes", "ranking", "free_text"))
        options = () if kind == "free_text" else tuple(Option(value, value) for value in "abc")
        earlier = [question.name for question in questions]
        after = tuple(rng.sample(earlier, rng.randint(0, min(2, len(earlier)))))
        when = tuple(
            draw_condition(rng, rng.choice(questions)) for _ in range(rng.choice((0, 0, 1, 1, 2))) if questions
        )
        questions.append(
            Question(
                f"q{number}",
                kind,
                rng.choice(TARGETS),
                "?",
                options,
                required=rng.random() < 0.8,
                after=after,
                when=when,
                shuffle=rng.random() < 0.5,
            )
        )
    return Survey("drawn", "Drawn", "", tuple(questions))


def draw_condition(rng, question):
    target = rng.choice(("", "", rng.choice(question.targets), "entity:0"))
    values = tuple(rng.sample("abc", rng.randint(1, 2)))
    return Condition(question.name, values, "" if target == "turn" else target)


def draw_answer(rng, question):
    if question.kind == "free_text":
        return rng.choice(("a", "some text", "  "))
    if question.kind == "checkboxes":
        return sorted(rng.sample("abc", rng.randint(0, 3)))
    return rng.sample("abc", 3) if question.kind == "ranking" else rng.choice("abc")


def draw_case(seed):
    """A survey, one of its items as the page gets it, and answers to some of its questions, asked or not."""
    rng = random.Random(seed)
    survey = draw_survey(rng)
    several = rng.choice((1, 1, 2))
    shown = tuple(tuple(Utterance(t % 2, "said") for t in range(rng.randint(1, 3))) for _ in range(several))
    judged = tuple(rng.randrange(2) for _ in shown) if rng.random() < 0.6 else ()
    names = [question.name for question in survey.questions]
    own = () if rng.random() < 0.7 else tuple(rng.sample(names, rng.randint(1, len(names))))
    put = None if rng.random() < 0.7 else rng.sample(names, rng.randint(1, len(names)))
    item = Item("i", ("c", "d")[:several], 1, shown, judged=judged, questions=own)
    page, _ = present(survey, item, 0, str(seed), Excerpt(questions=put))
    turns = page["transcripts"][0]["turns"]
    answers = {}
    for question in survey.questions:
        targets = [f"turn:{i}" for i in range(len(turns))] if question.targets == ("turn",) else question.targets
        for target in targets:
            if rng.random() < 0.8:
                answers[question.name, target] = draw_answer(rng, question)
    return survey, page, answers, item if put is None and several == 1 else None


def empty(answer):
    return answer == [] or (isinstance(answer, str) and not answer.strip())


def test_the_page_asks_what_the_server_expects():
    cases = [draw_case(seed) for seed in range(3000)]
    sent = [
        {
            "survey": survey.to_json(),
            "item": page,
            "answers": {f"{q} {t}": {"answer": a, "seconds": 1, "changes": 0} for (q, t), a in answers.items()},
        }
        for survey, page, answers, _ in cases
    ]
    command = [NODE, WEBAPP / "support" / "asked.js"]
    done = subprocess.run(command, input=json.dumps(sent), capture_output=True, text=True, check=True, timeout=120)
    whole = 0
    for (survey, page, answers, item), found in zip(cases, json.loads(done.stdout), strict=True):
        given = {pair: answer for pair, answer in answers.items() if not empty(answer)}
        speakers = [turn["entity"] for turn in page["transcripts"][0]["turns"]]
        expected = questions_asked(survey, speakers, given, page["questions"], judged_of(page))
        if item:  # what judges and the packing go by is the same
            assert expected == asked_of_item(survey, item, given)
        assert sorted(map(tuple, found["asked"])) == sorted(expected)
        wanted = {pair for pair in expected if survey.question(pair[0]).required}
        if wanted <= set(given):  # what the page calls complete, the server takes, and keeps as it is
            rows = [{"question": q, "target": t, "answer": a, "seconds": 1} for q, t, a in found["sent"]]
            kept = check_item(survey, page, {"item": 0, "answers": rows})
            assert {(r["question"], r["target"]): r["answer"] for r in kept["answers"]} == {
                pair: given[pair] for pair in expected if pair in given
            }
            whole += 1
    assert whole > 300
