"""Preferences: only where both answer the same, the majority's, with why others are left out."""

import json

import pytest
import yaml

from parlai_spotbot import files
from parlai_spotbot.exporters.preferences import WHY, same_context
from parlai_spotbot.records import HUMAN
from parlai_spotbot.scripts.spotbot_import import SpotbotImport
from tests.case_tables import cases
from tests.spoken import spoken


def messages(*texts):
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]


@pytest.fixture
def asked(tmp_path, capsys):
    """A study of three pairs: answers to the same, chats that go on, answers to different questions."""

    def answers(*rows):
        pairs = yaml.safe_load("""
            - [[hi, hello!], [hi, beep]]
            - [[bye, ciao, oh, x], [bye, boop, what, 'y']]
            - [["why?", because], ["how?", so]]
        """)
        chats = [
            {"conversation_id": f"{bot[0]}{number}", "model": bot, "messages": messages(*texts)}
            for number, both in enumerate(pairs)
            for bot, texts in zip(("good", "poor"), both, strict=True)
        ]
        files.write_jsonl(tmp_path / "chats.jsonl", chats)
        lines = ["conversation_ids,worker_id,question,target,answer,annotation_id"]
        lines += [f"{ids},{who},engagingness,pair,{answer},{n}" for n, (ids, who, answer) in enumerate(rows)]
        (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")
        path = tmp_path / "study"
        SpotbotImport.main("--format", "messages", "--data", str(tmp_path / "chats.jsonl"), "--study", str(path))
        words = ["--format", "judgements", "--survey", "acute_eval", "--study", str(path)]
        SpotbotImport.main(*words, "--data", str(tmp_path / "answers.csv"))
        capsys.readouterr()
        return path

    return answers


VOTES = yaml.safe_load("""
- [g0 p0, w1, conversation:0]
- [g0 p0, w2, conversation:0]
- [p0 g0, w3, conversation:0]
- [g1 p1, w1, conversation:1]
- [g2 p2, w1, conversation:0]
""")


def test_what_people_chose(asked, run, tmp_path):
    path, out = asked(*VOTES), tmp_path / "pairs.out"
    code, said, _ = run("--study", path, "--format", "preferences", "--out", out)
    assert (code, said.splitlines()[0]) == (0, "1 preference of acute_eval, by human")
    assert said.count("1 comparisons left out") == 2
    [row] = map(json.loads, out.read_text().splitlines())
    assert row == yaml.safe_load("""
        prompt: [{role: user, content: hi}]
        chosen: [{role: assistant, content: hello!}]
        rejected: [{role: assistant, content: beep}]
        question: engagingness
        chosen_model: good
        rejected_model: poor
        answers: {chosen: 2, rejected: 1, neither: 0}
        conversation_ids: [g0, p0]
    """)


def test_ties_make_no_pair(asked, run, tmp_path):
    path = asked(*VOTES[:1], ("p0 g0", "w2", "conversation:0"), *VOTES[3:])
    code, _, err = run("--study", path, "--format", "preferences", "--out", tmp_path / "a")
    assert (code, "none is of two answers to the same" in err, "as many for the one" in err) == (2, True, True)


def test_a_study_of_ratings_or_votes_holds_none(study, run, tmp_path):
    own = study("surveys")
    code, _, err = run("--study", own.path, "--format", "preferences", "--survey", "votes", "--out", tmp_path / "x")
    assert (code, "survey votes holds no choices" in err, "Known: acute_eval, comparative" in err) == (2, True, True)
    words = ["--study", own.path, "--format", "preferences", "--source", "judge:nobody", "--out", tmp_path / "x"]
    code, _, err = run(*words)
    assert (code, "--source judge:nobody: no answer of it is left" in err) == (2, True)
    code, _, err = run("--study", own.path, "--format", "messages", "--survey", "votes", "--out", tmp_path / "x")
    assert (code, "--survey: bears on no file of format messages" in err) == (2, True)
    assert not (tmp_path / "x").exists()


def talk(texts, seed, told=""):
    return spoken("c", (HUMAN, "m"), texts, domain="d", seed_exchanges=seed, context=("", told))


@cases(
    "first second seed told seats found",
    """
- [ab, ab, 0, '', [1, 1], same]
- [ab, cb, 0, '', [1, 1], context]
- [ab, ac, 0, x, [1, 1], context]
- [abcd, ae, 0, '', [1, 1], longer]
- [stab, stac, 1, '', [1, 1], 3]
- [stab, suab, 1, '', [1, 1], context]
- [ab, cb, 0, '', [0, 0], context]
- [ab, ac, 0, '', [0, 1], context]
- [ab, ac, 0, '', [null, null], 1]
""",
)
def test_only_answers_to_the_same_make_a_pair(first, second, seed, told, seats, found):
    assert same_context((talk(first, seed, told), talk(second, seed)), seats) == found
    assert isinstance(found, int) or found in WHY
