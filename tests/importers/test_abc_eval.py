"""The nine published labels of ABC-Eval as a study: whose they are, what isn't known, analysis, bad files."""

import json
from collections import Counter

import pytest
import yaml

from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.answers import Options
from parlai_spotbot.findings.compute import compute
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.findings.survey_metrics import metrics_of
from parlai_spotbot.projects.abc_eval.released_labels import released_labels
from parlai_spotbot.records import indexed
from parlai_spotbot.scripts.main import main
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.label_frame import label_frame
from parlai_spotbot.surveys.abc_eval.labels import GIVEN, complete, labels_of
from parlai_spotbot.surveys.asking import incomplete
from tests.outside_data import ABC_EVAL, released_data

LABELS = yaml.safe_load("""
self contradiction: [gpt, specialized]
partner contradiction: [gpt]
redundant: [gpt]
empathetic: [gpt, specialized]
lack of empathy: [gpt, specialized]
incorrect fact: [gpt, specialized]
commonsense contradiction: [gpt]
ignore: [gpt, specialized]
irrelevant: [gpt, specialized]
""")


def labelled(turns=4, dialogues=3):
    """Made-up dialogues of two bots in which labels follow a pattern."""
    made = {}
    for number in range(dialogues):
        for bot in ("emora", "blender2_3B"):
            made[f"({number},1)_{bot}"] = [
                {
                    "user": f"what is {number}?",
                    "system": f"{bot} says {turn}",
                    "behaviors": {
                        label: {
                            "human": [(turn + place) % 2, (turn + place + number) % 3 == 0],
                            **dict.fromkeys(judges, turn * place % 2),
                        }
                        for place, (label, judges) in enumerate(LABELS.items())
                    },
                }
                for turn in range(turns)
            ]
    return json.loads(json.dumps(made).replace("true", "1").replace("false", "0"))


@pytest.fixture
def write(tmp_path):
    def to(made):
        path = tmp_path / "labels.json"
        path.write_text(json.dumps(made))
        return path

    return to


def test_labels_become_judgements_of_two_people_and_of_judges(write):
    made = labelled()
    imported = released_labels(write(made))
    assert [c.entities for c in imported.conversations[:1]] == [("human", "Blender2")]
    assert {c.kind for c in imported.conversations} == {"human_model"}
    assert Counter(j.source for j in imported.judgements) == {
        "human": 6 * 4 * 9 * 2,
        "judge:gpt": 6 * 4 * 9,
        "judge:specialized": 6 * 4 * 6,
    }
    people = {(j.conversation_ids[0], j.worker_id) for j in imported.judgements if j.source == "human"}
    assert len(people) == len({worker for _, worker in people}) == 12  # nobody is taken to be in two dialogues
    row = next(j for j in imported.judgements if j.question == "label_fact_contradiction" and j.target == "turn:3")
    assert imported.conversations[0].shown[3].speaker != "human"
    assert row.answer == ("no", "yes")[made[row.conversation_ids[0]][1]["behaviors"]["incorrect fact"]["human"][0]]
    assert "fact_contradiction" in imported.about["notes"][0]
    assert "fact_usage" not in imported.about["notes"][0]


def test_every_label_comes_out_of_the_analysis_as_it_went_in(write):
    made = labelled()
    imported = released_labels(write(made))
    frame, lost = label_frame(
        answers_frame(imported.judgements, imported.conversations, incomplete(get_survey("abc_eval"), {})).frame,
        indexed(imported.conversations),
    )
    assert lost == {}
    counts = frame.groupby(["source", "question"])["value"].sum()
    for name, label in (("incorrect fact", "fact_contradiction"), ("self contradiction", "self_contradiction")):
        own = [turn["behaviors"][name] for turns in made.values() for turn in turns]
        assert counts["human", label] == sum(sum(row["human"]) for row in own)
        assert counts["judge:specialized", label] == sum(row["specialized"] for row in own)
    metrics, lost = metrics_of(get_survey("abc_eval"), imported.judgements, imported.conversations, ())
    assert lost == {}
    assert {m.name for m in metrics} == {
        "self_contradiction",
        "partner_contradiction",
        "redundant",
        "empathetic",
        "lack_of_empathy",
        "fact_contradiction",
        "commonsense_contradiction",
        "ignore",
        "irrelevant",
    }
    assert all(len(m.rows) == 6 * 4 * 2 for m in metrics)


def test_labels_that_are_given_are_answers_and_those_that_are_not_stay_unknown():
    given = {"label_ignore": "yes", "label_irrelevant": "no"}
    assert complete("transitions", given)
    assert labels_of("transitions", given) == {"ignore": True, "irrelevant": False}
    assert labels_of("consistency", {"label_redundant": "yes"}) == {"redundant": True}
    assert not complete("consistency", {"redundant": "yes"})  # on the page all three are asked
    assert sorted(GIVEN.values())[:2] == ["antisocial", "commonsense_contradiction"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda d: d["(0,1)_emora"][2]["behaviors"]["ignore"].update(human=[0, 2]), "(0,1)_emora': not as released"),
        (lambda d: d["(0,1)_emora"][1]["behaviors"]["ignore"].update(human=[0]), "different numbers of people"),
        (lambda d: d["(0,1)_emora"][1]["behaviors"].update(ingore={}), "KeyError: 'ingore'"),
        (lambda d: d.update(dialogue=d["(1,1)_emora"]), "dialogue 'dialogue': not as released: ValueError: its name"),
    ],
)
def test_bad_files_are_one_error_that_names_the_place(write, spoil, said):
    made = labelled()
    spoil(made)
    path = write(made)
    with pytest.raises(UserError) as err:
        released_labels(path)
    assert said in err.value.problem
    assert str(path) in err.value.problem
    assert err.value.remedy


def test_the_command_makes_a_study_that_can_be_analysed(write, tmp_path, capsys):
    study = tmp_path / "study"
    path = str(write(labelled(dialogues=6)))
    command = ["spotbot_import", "--format", "abc_eval", "--data", path, "--study", str(study)]
    assert not main(command)
    said = capsys.readouterr().out
    assert "12 conversations of Blender2, Emora" in said
    assert f"analyze --study {study} --survey abc_eval" in said
    assert not main(command)
    assert "nothing changed" in capsys.readouterr().out
    made = Study.open(study)
    data = SurveyData(made, "abc_eval")
    given = data.answered, data.facts, Options(bootstraps=30)
    ranking = compute(*given, only=("ranking",))["ranking"]["by_source"]
    assert set(ranking) == {"human", "judge:gpt", "judge:specialized"}
    assert len(set(ranking["human"]["ranking"]["label"])) == 9
    assert len(set(ranking["judge:specialized"]["ranking"]["label"])) == 6


def test_the_released_file():
    folder = released_data(ABC_EVAL)
    imported = released_labels(folder / "behavior-classification-results.json")
    assert Counter(c.entities[1] for c in imported.conversations) == dict.fromkeys(
        ("BART-FiD-RAG", "Blender-Decode", "Blender2", "Emora"), 27
    )
    assert len(imported.judgements) == 1634 * (9 * 2 + 9 + 6)
