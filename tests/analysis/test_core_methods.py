"""The analyses of ACUTE-Eval, Comparative and the Likert surveys from judgements to sections, as reports read them."""

import json
from itertools import chain

import pytest

from parlai_spotbot import plugin
from parlai_spotbot.findings import ratings
from parlai_spotbot.findings.annotators import everybody_sentence
from parlai_spotbot.findings.compute import summary, tables
from parlai_spotbot.findings.rankings import by_criterion, main_ranking
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys import get_survey
from tests.analysis.computing import analyze, as_stored, names, of_source, tell
from tests.analysis.made_up import Made, acute, item_of, likert, talk

SHARES = {
    ("a", "b"): 0.8,
    ("b", "c"): 0.8,
    ("a", "c"): 0.9,
    ("a", HUMAN): 0.3,
    ("b", HUMAN): 0.2,
    ("c", HUMAN): 0.1,
    ("a", "a"): 0.5,
}
WHOLE = {"question", "main", "criterion", "test", "resample", "level", "how"}
CONTESTANT = {"question", "bot", "cluster_first", "cluster_last", "score", "score_low", "score_high"}
PAIR = {"question", "a", "b", "n", "estimate", "estimate_low", "estimate_high", "p", "p_adjusted", "verdict", "reason"}
BOTH = (HUMAN, "judge:x")


def analysed(survey, made: Made, **options):
    judgements, conversations, items = made.everything()
    options = {"bootstraps": 60, "items": items, "bots": ["a", "b", "c"]} | options
    return analyze(judgements, conversations, survey, **options)


@pytest.fixture(scope="module")
def results():
    questions = ("engagingness", "humanness")
    known = acute(SHARES, 16, questions=questions, kinds=("self", "human_model"), sources=BOTH)
    compared = acute(SHARES, 16, questions=("quality", "relevance"), tie=0.25, sources=BOTH, survey="comparative")
    return {
        "acute_eval": analysed("acute_eval", known, known_order=("human>a>b>c",)),
        "comparative": analysed("comparative", compared),
        "dialogue_likert": analysed("dialogue_likert", likert({"a": 2.6, "b": 3.4, "c": 4.6}, 14, sources=BOTH)),
        "turn_likert": analysed("turn_likert", likert({"a": 3.0, "b": 3.6}, 12, turns=True, dimensions=("relevance",))),
    }


SURVEYS = ("acute_eval", "comparative", "dialogue_likert", "turn_likert")


@pytest.mark.parametrize("survey", SURVEYS)
def test_what_every_survey_holds(results, survey):
    result = results[survey]
    assert set(result) <= names(survey)
    assert names(survey) - set(result) <= {"trust", "settled", "chats"}  # chats: where there are several kinds
    json.dumps(as_stored(result), allow_nan=False)
    ranking = result["ranking"]
    assert {"package", "options", "seed", "used", "left_out"} <= set(ranking["made_by"])
    for own in ranking["by_source"].values():
        for name, columns in {"whole": WHOLE, "ranking": CONTESTANT, "pairs": PAIR}.items():
            assert columns <= set(own[name])
        for found in by_criterion(own).values():
            scores = [row["score"] for row in found.contestants.values()]
            assert scores == sorted(scores, reverse=True)
        assert [row["main"] for row in own.rows("whole")].count(True) == 1


def test_acute_finds_what_was_planted(results):
    own = results["acute_eval"]["ranking"]["by_source"][HUMAN]
    assert main_ranking(own).whole["question"] == "engagingness"
    for found in by_criterion(own).values():
        assert found.order == [HUMAN, "a", "b", "c"]
        assert all(pair["a"] != pair["b"] for pair in found.pairs)
    chats = results["acute_eval"]["chats"]["by_source"][HUMAN]
    assert set(chats["kinds"]["kind"]) == {"a bot with itself", "a bot with a person"}
    assert len(chats["comparisons"]) == 1
    same = results["acute_eval"]["same"]["by_source"][HUMAN]
    row = next(row for row in same.rows("same") if row["question"] == "humanness")
    assert (row["name"], row["of"]) == ("a", "left")
    wordings = results["acute_eval"]["wordings"]["by_source"][HUMAN]
    shares = {row["question"]: row["estimate"] for row in wordings.rows("wordings")}
    assert set(shares) == {"engagingness", "humanness"}
    assert shares["humanness"] > 0.7
    trust = results["acute_eval"]["trust"]["by_source"]
    assert trust["judge:x"].one("whole")["items"] > 0
    assert HUMAN not in trust


def test_likert_means_and_differences(results):
    own = results["dialogue_likert"]["ranking"]["by_source"][HUMAN]
    assert main_ranking(own).order == ["c", "b", "a"]
    assert all(pair["p_adjusted"] < 0.05 for pair in main_ranking(own).pairs)
    alphas = results["dialogue_likert"]["agreement"]["by_source"][HUMAN]["alpha"].set_index("question")
    assert alphas.loc["quality", "metric"] == "ordinal"
    assert 0.2 < alphas.loc["quality", "alpha"] < 0.9
    turns = results["turn_likert"]["ranking"]["by_source"][HUMAN]
    assert [(row["bot"], row["n"], row["annotations"]) for row in turns.rows("ranking")] == [
        ("b", 72, 24),
        ("a", 72, 24),
    ]


def test_the_same_seed_gives_the_same_numbers_and_another_source_none_of_them():
    made = acute(SHARES, 6, sources=BOTH)
    first, again = analysed("acute_eval", made, bootstraps=30), analysed("acute_eval", made, bootstraps=30)
    assert json.dumps(as_stored(first)) == json.dumps(as_stored(again))
    made.judgements = [j for j in made.judgements if j.source == HUMAN]
    alone = analysed("acute_eval", made, bootstraps=30)
    whole = of_source(first, HUMAN)
    assert of_source(alone, HUMAN) == {stem: whole[stem] for stem in alone}
    assert "trust" not in alone


@pytest.fixture(scope="module")
def checked():
    """The better of a and b wins, but one annotator missed a control, and another always takes b and says nothing."""
    made = acute({("a", "b"): 0.9}, 30, seed=4)
    pairs = [[talk(f"s{i}-{name}", (name, name)) for name in "ab"] for i in range(40)]
    known = [talk("k0", (HUMAN, HUMAN)), talk("k1", ("dr", "dr"))]
    made.conversations.update(indexed((*chain(*pairs), *known)))
    control = item_of(known)
    right = {("engagingness", "pair"): "conversation:0", ("reason", "pair"): "it makes sense"}
    for worker in ("w0", "w1"):
        made.annotation(control, right, worker, control="known_choice:0")
    made.annotation(control, right | {("engagingness", "pair"): "conversation:1"}, "w2", control="known_choice:0")
    for pair in pairs:
        silent = {("engagingness", "pair"): "conversation:1", ("reason", "pair"): " "}
        made.annotation(item_of(pair, (1, 1), ("engagingness", "reason")), silent, "lazy")
    return made


def test_who_misses_a_control_is_left_out_and_shown_beside(checked):
    result = analysed("acute_eval", checked, asked=get_survey("acute_eval"))
    own = result["annotators"]["by_source"][HUMAN]
    table = own["annotators"].set_index("worker_id")
    assert table["left_out"][table["left_out"] != ""].to_dict() == {"w2": "missed a control"}
    assert table.loc["w0", "controls"] == 1
    assert own.one("controls")["failed"] == ["w2"]
    left_out = result["ranking"]["made_by"]["left_out"][HUMAN]
    assert left_out == {"control": 3, "annotation by somebody who missed a control": 1}
    (beside,) = own.rows("with_everybody")
    assert beside["question"] == "engagingness"
    assert beside["sentence"].startswith("With everybody's answers the order is the same; scores differ by ")


def test_who_never_gives_a_reason_is_flagged_and_counts(checked):
    result = analysed("acute_eval", checked, asked=get_survey("acute_eval"))
    own = result["annotators"]["by_source"][HUMAN]
    lazy = own["annotators"].set_index("worker_id").loc["lazy"]
    assert lazy["left_out"] == ""
    assert lazy["flags"] == ["same answers over and over", "never gave a reason"]
    assert main_ranking(result["ranking"]["by_source"][HUMAN]).order == ["b", "a"]  # what lazy said counts
    with_lazy = {j.annotation_id for j in checked.judgements if j.source == HUMAN and j.control is None}
    assert result["ranking"]["made_by"]["used"][HUMAN] == len(with_lazy) - 1


def test_one_annotation_is_enough_and_none_is_said():
    made = acute({("a", "b"): 1.0}, 1)
    result = analysed("acute_eval", made)
    json.dumps(as_stored(result), allow_nan=False)
    assert tell("acute_eval", result, HUMAN)
    single = likert({"a": 3.0}, 1, per_conversation=1)
    result = analysed("dialogue_likert", single)
    assert tell("dialogue_likert", result, HUMAN)
    with pytest.raises(ValueError, match="no complete annotation to analyse"):
        analyze([], [], "acute_eval")


FURTHER = """
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.schema import Column, Table

FINDING = Finding(
    "highest",
    FORM,
    lambda own: {"highest": {"highest": int(own.rows["value"].max())}},
    tables={"highest": Table(columns={"highest": Column("count", "Highest")}, name="highest")},
    summarise=lambda result: [f"The highest rating is {result.frames.one('highest')['highest']}."],
    surveys=("dialogue_likert",),
)
"""


def test_a_further_finding_is_one_file(tmp_path, monkeypatch):
    (tmp_path / "highest.py").write_text(FURTHER)
    monkeypatch.setattr(ratings, "__path__", [*ratings.__path__, str(tmp_path)])
    plugin._names.cache_clear()
    try:
        result = analysed("dialogue_likert", likert({"a": 2.6, "b": 4.0}, 8), bootstraps=20)
        assert "highest" not in names("turn_likert")
        assert main_ranking(result["ranking"]["by_source"][HUMAN]).order == ["b", "a"]
        assert result["highest"]["by_source"][HUMAN].one("highest") == {"highest": 5}
        assert tables(get_survey("dialogue_likert"), result)["highest"].to_dict("list") == {
            "source": [HUMAN],
            "highest": [5],
        }
        assert "  The highest rating is 5." in summary(get_survey("dialogue_likert"), result)
        told = {section.anchor: section.text for section in tell("dialogue_likert", result, HUMAN)}
        assert told["highest"] == ["The highest rating is 5."]
    finally:
        plugin._names.cache_clear()


def test_other_verdicts_of_everybody_name_people_as_people():
    changed = [{"a": "bot", "b": "human", "before": None, "after": "human"}]
    data = {"same_order": False, "order": ["human", "bot"], "largest": 0.1, "changed": changed}
    assert everybody_sentence(data, "With everybody's answers") == (
        "With everybody's answers the order differs: people > bot; scores differ by 0.1 at most. Other verdicts: bot "
        "and people (not told apart, then people ahead)."
    )
