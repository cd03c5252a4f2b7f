"""Simulated users measured from logs: planted faults, people against people, sizes, languages, the page and exit codes.

Of 200 comparisons of people with people each, in 3, 6, 12, 30 and 100 tasks and in 12 tasks four times, 0, 0, 3, 2.5,
4.5 and 3.5 % found a difference.
"""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.likeness import ALIKE, DIFFERENT, UNKNOWN, behaviour_index
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.whole_study.simulators import (
    beside,
    counted_verdicts,
    differing,
    measured,
    summarise,
    verdict,
)
from parlai_spotbot.records import HUMAN, PERSON, Conversation, Turn
from parlai_spotbot.texts.user_side import INDEX
from parlai_spotbot.wording import some_of, upper_first
from tests.case_tables import cases
from tests.findings.made_up_users import simulations, written
from tests.in_process import spotbot

FOUND_BY = {
    "easy": ({"given_first", "turns_to_all"}, {"turns", "words", "corrections"}),
    "polite": ({"polite"}, {"words", "repetition", "variation"}),
    "never_wrong": ({"slips", "corrections"}, set()),
    "loops": ({"repetition"}, {"words"}),
}
"""The measures of each fault, and of what comes with it: who gives all at once says more at once, and less in all."""


def talk(name, identity, texts, task=""):
    names = (name, "agent")
    turns = tuple(Turn(names[place % 2], text) for place, text in enumerate(texts))
    pair = (min(names), max(names))
    return Conversation(identity, "logs", pair, 0, names, turns, seed_exchanges=0, seed_id=task)


def talks(name, seed, tasks, trials=1, fault="", each=0):
    for row in simulations(seed, tasks, trials, fault, each=each)["simulations"]:
        texts = [message["content"] for message in row["messages"][1:-1]]
        made = talk(name, f"{name}-{row['id']}", texts, row["task_id"])
        if each:
            made = replace(made, provenance={PERSON: row["user_id"]})
        yield made


def said(*conversations):
    frames = measured(conversations, ["sim", "other"], 0, seed=0)["by_source"][""]
    return frames, summarise(Result("", frames))


@pytest.mark.parametrize("fault", FOUND_BY)
def test_each_planted_fault_is_found_by_its_own_measure(fault):
    frames, (answer, where, remedies, _) = said(*talks("sim", fault, 60, fault=fault), *talks(HUMAN, "people", 60))
    found = [row["measure"] for row in differing(frames)["sim"]]
    own, with_it = FOUND_BY[fault]
    assert {*found[:2]} >= own
    assert {*found} - own <= with_it
    assert verdict(frames) == DIFFERENT
    assert "is not like people" in answer
    assert re.search(r"\d \[\d", where)
    assert remedies.startswith("sim should ")
    shown = [row["conversation_id"] for row in frames.rows("examples")]
    assert [name.partition("-")[0] for name in shown] == ["sim", HUMAN]
    assert len({name.partition("-")[2] for name in shown}) == 1  # one task


GERMAN = "ich möchte wissen ob sich das heute noch ändern lässt"
PLANTED = {
    "echo": lambda before, text: f"{before} {text}",
    "variation": lambda before, text: " ".join(f"{text} so it is as we said and that is all".split()[:9]),
    "lists": lambda before, text: text.replace(" ", "\n1. ", 1).replace(" ", "\n2) ", 2),
    "other_language": lambda before, text: f"{GERMAN}: {text}" if "?" in before else text,
}
"""Ways to change a turn, by the measure that finds it: with what the agent said, to nine words, and so on."""


@pytest.mark.parametrize("measure", PLANTED)
def test_what_a_simulator_does_to_each_turn_is_found_by_its_own_measure(measure):
    made = []
    for one in talks("sim", measure, 60):
        turns = list(one.turns)
        for place in range(2, len(turns), 2):
            turns[place] = Turn("sim", PLANTED[measure](turns[place - 1].text, turns[place].text))
        made.append(replace(one, turns=tuple(turns)))
    frames, _ = said(*made, *talks(HUMAN, "people", 60))
    found = [row["measure"] for row in frames.rows("measures") if row["verdict"] == DIFFERENT]
    assert measure in found
    assert "given_first" not in found
    assert {*found} <= {measure, "words", "variation", "repetition", "questions", "slips", "turns_to_all"}


def alarms(seeds, tasks, trials=1, each=0):
    found = []
    for seed in seeds:
        frames, _ = said(
            *talks("sim", f"a{seed}", tasks, trials, each=each), *talks(HUMAN, f"b{seed}", tasks, trials, each=each)
        )
        found.append(bool(differing(frames)))
    return np.mean(found)


def test_people_are_like_people():
    assert alarms(range(8), 12) <= 1 / 8
    frames, (answer, where, remedies, _) = said(*talks("sim", "a", 220), *talks(HUMAN, "b", 220))
    assert verdict(frames) == ALIKE
    assert (where, remedies) == ("", "")
    assert answer.startswith("sim is like people in 14 measures")


def test_a_few_people_with_many_conversations_are_a_few_people():
    seeds = range(6)
    assert alarms(seeds, 60, each=20) <= 1 / 6
    assert np.mean([_alarm_of_the_nameless(seed) for seed in seeds]) > 1 / 2


def _alarm_of_the_nameless(seed):
    """Return whether people differ from people of whom nobody says that they are three each."""
    both = [*talks("sim", f"a{seed}", 60, each=20), *talks(HUMAN, f"b{seed}", 60, each=20)]
    frames, _ = said(*(replace(one, provenance={}) for one in both))
    return bool(differing(frames))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "trials", "each"), [(6, 1, 0), (12, 1, 0), (12, 4, 0), (30, 1, 0), (60, 1, 3), (60, 1, 20)]
)
def test_people_differ_from_people_in_five_of_a_hundred_comparisons_at_most(tasks, trials, each):
    assert alarms(range(150), tasks, trials, each) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 150)


def pairs_that_differ(frames):
    return {(row["name"], row["other"], row["measure"]) for row in frames.rows("pairs") if row["differs"]}


@pytest.mark.parametrize("fault", FOUND_BY)
def test_simulators_are_compared_with_each_other_without_people(fault):
    frames, (answer, where, remedies, each_other) = said(
        *talks("sim", fault, 60, fault=fault), *talks("other", "people", 60)
    )
    assert answer.startswith("Nobody knows which of sim and other is like people: there are no conversations of people")
    assert "about 193 of them, and of each user, would settle it." in answer
    assert (where, remedies) == ("", "")
    own, with_it = FOUND_BY[fault]
    found = {measure for *_, measure in pairs_that_differ(frames)}
    assert own <= found <= own | with_it
    assert re.match(r"sim and other differ clearly in \d of 14 measures: .* \d+\.\d \[.* and \d+\.\d \[", each_other)
    assert {row["tasks"] for row in frames.rows("pairs")} <= {58, 59, 60}
    assert verdict(frames) == UNKNOWN


def test_a_difference_of_simulators_is_that_of_their_tasks_means():
    """By hand, of three tasks that both have: 4 and 2 words, 6 and 3, 8 and 7, beside one that only one has."""
    words = {"sim": {"1": 4, "2": 6, "3": 8, "4": 30}, "other": {"1": 2, "2": 3, "3": 7}}
    conversations = []
    for name, by_task in words.items():
        for task, count in by_task.items():
            conversations.append(talk(name, f"{name}{task}", [" ".join(["so"] * count), "go on", "yes"], task))
    frames, _ = said(*conversations)
    [row] = [row for row in frames.rows("pairs") if row["measure"] == "words"]
    assert row["difference"] == pytest.approx(((4 + 6 + 8) - (2 + 3 + 7)) / 6)
    assert (row["tasks"], row["n"], row["n_beside"]) == (3, 4, 3)


def test_people_and_simulators_beside_each_other_are_one_page():
    frames, (_, _, _, each_other) = said(
        *talks("sim", "a", 40, fault="polite"), *talks("other", "b", 40, fault="polite"), *talks(HUMAN, "c", 40)
    )
    assert ("sim", "other", "polite") not in pairs_that_differ(frames)
    assert each_other.startswith("sim and other differ clearly in none of 14 measures, which does not say")
    assert {row["name"] for row in frames.rows("measures")} == {"sim", "other"}
    assert HUMAN not in {row["other"] for row in frames.rows("pairs")}


def alarms_of_pairs(seeds, tasks, trials=1):
    found = []
    for seed in seeds:
        frames, _ = said(*talks("sim", f"a{seed}", tasks, trials), *talks("other", f"b{seed}", tasks, trials))
        found.append(bool(pairs_that_differ(frames)))
    return np.mean(found)


def test_equal_simulators_do_not_differ():
    assert alarms_of_pairs(range(8), 12) <= 1 / 8


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "trials"), [(3, 1), (6, 1), (12, 4), (30, 1)])
def test_equal_simulators_differ_in_five_of_a_hundred_comparisons_at_most(tasks, trials):
    assert alarms_of_pairs(range(150), tasks, trials) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 150)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tasks", [1, 2])
def test_of_one_or_two_tasks_simulators_are_not_told_apart(tasks):
    frames, (answer, _, _, each_other) = said(*talks("sim", "a", tasks, fault="polite"), *talks("other", "b", tasks))
    assert not pairs_that_differ(frames)
    assert ("haven't two tasks in common" in answer) == (tasks == 1)
    assert "differ clearly in none of" in each_other


def test_simulators_without_a_common_task_are_told():
    others = [replace(one, seed_id=f"b{one.seed_id}") for one in talks("other", "b", 20, fault="polite")]
    frames, (answer, *_) = said(*talks("sim", "a", 20), *others)
    assert "sim and other haven't two tasks in common: differences may be the tasks'." in answer
    assert {row["tasks"] for row in frames.rows("pairs")} == {0}
    assert ("sim", "other", "polite") in pairs_that_differ(frames)


def test_of_many_simulators_pairs_are_counted():
    conversations = []
    for name in "abcd":
        conversations += talks(f"sim {name}", name, 8, fault="polite" * (name == "d"))
    frames = measured(conversations, [f"sim {name}" for name in "abcd"], 0, seed=0)["by_source"][""]
    differ = {pair[:2] for pair in pairs_that_differ(frames)}
    assert beside(frames) == [
        upper_first(some_of(len(differ), 6, "pair", "differs", "differ")) + " clearly in a measure."
    ]


def test_two_files_of_one_simulator_are_one_simulator(tmp_path):
    """Their conversations may be numbered alike, which is an error that says how to read them."""
    files = [written(tmp_path / f"{seed}.json", seed, 4) for seed in "ab"]
    command = ("import", "--format", "tau2", "--data", f"gpt={files[0]},gpt={files[1]}", "--study", tmp_path / "study")
    _, err = spotbot(*command, code=2)
    assert "--columns conversation_id=-" in err
    out, _ = spotbot(*command, "--columns", "conversation_id=-")
    assert out.startswith("8 conversations of gpt, gpt-agent\n")


def test_simulators_without_people_have_a_page(tmp_path):
    files = [written(tmp_path / f"{name}.json", name, 12, fault="polite" * (name == "b"), llm=name) for name in "ab"]
    study = tmp_path / "study"
    spotbot("import", "--format", "tau2", "--data", f"a={files[0]},b={files[1]}", "--study", study)
    out, _ = spotbot("analyze", "--study", study, "--gate", code=3)
    assert "Nobody knows which of a and b is like people" in out
    assert "a and b differ clearly in" in out
    spotbot("report", "--study", study)
    page = (study / "report" / "index.html").read_text(encoding="utf-8")
    first = re.sub(r"<[^>]+>", " ", page[page.index('<header id="answer"') : page.index("</header>")])
    for words in (
        "Nobody knows which of a and b",
        "Simulated users beside each other",
        "Beside each other",
        "human=FILE",
    ):
        assert words in first
    assert (study / "surveys" / "spot_the_user" / "analysis" / "simulators_pairs.csv").exists()


def test_one_simulator_without_people_has_a_page_of_what_it_does(tmp_path, monkeypatch):
    study = tmp_path / "study"
    spotbot("import", "--format", "tau2", "--data", f"a={written(tmp_path / 'a.json', 'a', 12)}", "--study", study)
    monkeypatch.setenv("COLUMNS", "200")
    out, _ = spotbot("analyze", "--study", study)
    spotbot("report", "--study", study)
    page = (study / "report" / "index.html").read_text(encoding="utf-8")
    assert "Measure" in out
    assert not any(title in out for title in ("n, people", "Tasks"))  # there are no people
    assert not any(title in page for title in (">n, people<", ">Tasks<"))
    first = re.sub(r"<[^>]+>", " ", page[page.index('<header id="answer"') : page.index("</header>")])
    assert "What a does" in first
    assert first.count("no conversations of people") == 1
    assert first.count("about 193 of them, and of each user, would settle it") == 1


def test_two_of_whom_nothing_is_known_are_one_short_verdict():
    frames, (answer, *_) = said(*talks("sim", "a", 3), *talks("other", "b", 3), *talks(HUMAN, "c", 3))
    assert verdict(frames) == UNKNOWN
    assert re.fullmatch(
        r"Whether any of the 2 simulated users is like people is not known\. "
        r"About [\d,]+ conversations of people, and of each user, on as many tasks, would settle it\.",
        answer,
    )


def test_two_simulators_of_one_agent_are_each_compared_on_the_same_tasks():
    frames, (answer, *_) = said(
        *talks("sim", "a", 40, fault="loops"), *talks("other", "b", 40, fault="polite"), *talks(HUMAN, "c", 40)
    )
    assert {name: rows[0]["measure"] for name, rows in differing(frames).items()} == {
        "sim": "repetition",
        "other": "polite",
    }
    assert answer.count("is not like people") == 2
    assert {row["tasks"] for row in frames.rows("measures")} <= {38, 39, 40}


@cases(
    "alike different unknown sentence",
    """
- [3, 0, 0, All 3 simulated users are like people.]
- [0, 3, 0, "None of the 3 simulated users is like people: all differ clearly."]
- [0, 0, 3, Whether any of the 3 simulated users is like people is not known.]
- [1, 1, 1, "1 of 3 simulated users is like people; 1 differs clearly and of 1 it is not known."]
- [2, 18, 0, "2 of 20 simulated users are like people; 18 differ clearly."]
- [0, 2, 1, "None of the 3 simulated users is shown to be like people; 2 differ clearly and of 1 it is not known."]
""",
)
def test_several_simulators_are_counted(alike, different, unknown, sentence):
    counts = Counter({ALIKE: alike, DIFFERENT: different, UNKNOWN: unknown})
    assert counted_verdicts(counts) == sentence


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("conversations", "words"),
    [
        ([], "no simulated user"),
        ([*talks(HUMAN, "a", 5)], "no simulated user"),
        ([*talks("sim", "a", 1)], "no conversations of people"),
        ([*talks("sim", "a", 5)], "no conversations of people"),
        ([*talks("sim", "a", 1), *talks(HUMAN, "b", 1)], r"is not known: .* About 193 conversations"),
        ([*talks("sim", "a", 2), *talks(HUMAN, "b", 1)], r"is not known: .* About \d+ conversations"),
        ([*talks("sim", "a", 2), *talks(HUMAN, "b", 2)], r"is not known: .* About \d+ conversations"),
        ([*talks("sim", "a", 1, 30), *talks(HUMAN, "b", 1, 30)], "haven't two tasks in common"),
        ([talk(name, f"{name}{n}", ["hi", "yes?"]) for name in ("sim", HUMAN) for n in range(9)], r"About \d+ conv"),
        ([talk(name, f"{name}{n}", ["", ""], str(n)) for name in ("sim", HUMAN) for n in range(9)], r"About \d+ conv"),
    ],
)
def test_too_little_is_a_sentence(conversations, words):
    frames, (answer, *_) = said(*conversations)
    assert re.search(words, answer)
    assert verdict(frames) == UNKNOWN


@pytest.mark.parametrize(
    ("simulated", "people"),
    [
        ("Ich möchte bitte meine Bestellung 4711 stornieren.", "Hallo, da ist was schiefgelaufen"),
        ("注文4711をキャンセルしたいです。", "こんにちは"),
    ],
)
def test_in_other_languages_there_are_the_measures_that_need_no_words(simulated, people):
    conversations = []
    for n in range(12):
        conversations.append(talk("sim", f"s{n}", [simulated, "?", "…"], str(n)))
        conversations.append(talk(HUMAN, f"h{n}", [people, "?", "4711"], str(n)))
    frames, (answer, *_) = said(*conversations)
    assert "of English alone" in answer
    assert {"polite", "corrections", "slips"}.isdisjoint(row["measure"] for row in frames.rows("measures"))
    assert "index" not in frames
    assert differing(frames)["sim"][0]["measure"] == "given_first"


def test_people_of_another_agent_are_told():
    others = [replace(one, entities=(HUMAN, "elsewhere")) for one in talks(HUMAN, "b", 3)]
    _, (answer, *_) = said(*talks("sim", "a", 3), *others)
    assert "sim talked to agent; people talked to elsewhere: differences may be the agents'." in answer


def test_the_index_is_that_of_the_paper():
    """Dice by hand: of emotion 2 · .1 / .2, of accusation 0 and 0, of pivot 2 · .1 / .3."""
    features = [feature for part in INDEX.values() for feature in part]
    rows = pd.DataFrame(0.0, index=range(4), columns=features)
    rows["emotion"] = 0.1
    rows["pivot"] = [0.1, 0.1, 0.2, 0.2]
    rows["name"] = ["sim", "sim", HUMAN, HUMAN]
    rows["task"] = ["1", "2", "1", "2"]
    found = behaviour_index(rows, INDEX, HUMAN, np.random.default_rng(0), 20).set_index("part")
    reaction = 100 * (1 + 1 + 2 / 3) / 3
    assert found.loc["reaction", "value"] == pytest.approx(reaction)
    assert found.loc["behaviour", "value"] == pytest.approx((300 + reaction) / 4)
    assert found.loc["reaction", "people"] == pytest.approx(100)


def test_from_logs_to_a_page_and_an_exit_code(tmp_path):
    people = written(tmp_path / "people.json", "people", 30)
    rude = written(tmp_path / "polite.json", "sim", 30, fault="polite", llm="gpt")
    study = tmp_path / "study"
    spotbot("import", "--format", "tau2", "--data", f"{rude},human={people}", "--study", study)
    out, _ = spotbot("analyze", "--study", study, "--gate", "--json", code=4)
    result = json.loads(out)
    assert result["verdict"] == DIFFERENT
    assert "user:gpt is not like people" in result["said"]
    spotbot("analyze", "--study", study)  # without --gate a verdict is no failure
    spotbot("report", "--study", study)
    page = (study / "report" / "index.html").read_text(encoding="utf-8")
    first = re.sub(r"<[^>]+>", " ", page[page.index('<header id="answer"') : page.index("</header>")])
    for words in (
        "Is user:gpt like people?",
        "Where it differs from people",
        "What would make it like people",
        "A person",
        "Task retail:",
    ):
        assert words in first
    folder = study / "surveys" / "spot_the_user" / "analysis"
    assert {"simulators.csv", "simulators_index.csv"} <= {path.name for path in folder.iterdir()}
    few = written(tmp_path / "few.json", "sim", 2, llm="gpt")
    alone = tmp_path / "alone"
    spotbot("import", "--format", "tau2", "--data", few, "--study", alone)
    spotbot("analyze", "--study", alone)
    spotbot("report", "--study", alone)
    page = (alone / "report" / "index.html").read_text(encoding="utf-8")
    assert "there are no conversations of people with the agent" in page
    assert page.index("What user:gpt does") < page.index("</header>")
    spotbot("import", "--format", "tau2", "--data", f"{few},human={few}", "--study", tmp_path / "few")
    spotbot("analyze", "--study", tmp_path / "few", "--gate", code=3)
