"""The whole analysis of a survey: its shape, its promises, and the command that writes it."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze as analyze_study
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.analysis.computing import analyze, as_stored
from tests.case_tables import cases
from tests.spoken import bots_of

OF_EVERY_SOURCE = ["ranking", "audit", "survival", "features", "agreement", "annotators", "segments", "time", "order"]


@pytest.fixture(scope="module")
def result(made_up):
    return analyze(*made_up(bots=3, per_pair=10, people=8), bots=["bot2", "bot0", "bot1"], bootstraps=200)


def test_every_file_has_every_source_and_says_how_it_was_made(result):
    assert sorted(result) == sorted([*OF_EVERY_SOURCE, "needs", "trust"])
    of_one = {"needs": ["human"], "trust": ["judge:quick"]}
    for stem, value in result.items():
        assert list(value["by_source"]) == of_one.get(stem, ["human", "judge:quick"])
        assert value["made_by"]["seed"] == 0
        assert value["made_by"]["used"] == {"human": 228, "judge:quick": 228}
        assert value["made_by"]["options"]["bootstraps"] == 200
    json.dumps(as_stored(result), allow_nan=False)


def test_a_seed_makes_the_same_numbers_and_another_does_not(made_up):
    judgements, conversations = made_up(bots=2, per_pair=4, people=2)
    first = analyze(judgements, conversations, bootstraps=20, seed=1)
    other = analyze(judgements, conversations, bootstraps=20, seed=2, only=("survival",))
    shuffled = analyze(judgements[::-1], conversations, bootstraps=20, seed=1)
    assert as_stored(shuffled) == as_stored(first)
    low = [r["survival"]["by_source"]["human"]["curves"]["survival_low"].tolist() for r in (first, other)]
    assert low[0] != low[1]


def test_analysis_imports_no_heavy_framework():
    code = (
        "import sys; from parlai_spotbot.findings import compute, findings_of;"
        "from parlai_spotbot.surveys import get_survey; findings_of(get_survey('spot_the_bot'));"
        "print([m for m in ('parlai', 'torch', 'mephisto', 'rpy2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def always(judgements, **answers):
    """Every answer to the questions named replaced."""
    return [replace(j, answer=answers.get(j.question, j.answer)) for j in judgements]


def test_poor_data_give_none_with_the_reason(made_up):
    judgements, conversations = made_up(bots=3, per_pair=2, people=1)
    ties = analyze(always(judgements, nature="bot", fluency="no_difference"), conversations, bootstraps=20)
    own = ties["ranking"]["by_source"]["human"]
    assert [row["win_rate"] for row in own.rows("ranking")] == [None, None, None]
    assert [row["davidson"] for row in own.rows("ranking")] == [None, None, None]
    assert "no match was decided" in main_ranking(own).why
    survival = ties["survival"]["by_source"]["human"]
    assert survival["curves"].set_index("bot").loc["bot0", "survival"].tolist() == [0.0, 0.0, 0.0]
    fluency = survival["cox"].set_index(["bot", "feature"]).loc[("bot0", "fluency")]
    assert fluency["coef"] is None
    assert fluency["why"] == "the same answer everywhere"
    assert ties["agreement"]["by_source"]["human"].one("alpha")["why"]
    people = [c for c in conversations if c.entities[0] == "human"]
    ids = {c.conversation_id for c in people}
    only = analyze([j for j in judgements if j.conversation_ids[0] in ids], people, bootstraps=20)
    assert main_ranking(only["ranking"]["by_source"]["human"]).why == "no match between two different bots"
    assert set(only["survival"]["by_source"]["human"]["curves"]["bot"]) == {"human"}
    bots = [j for j in judgements if j.conversation_ids[0] not in ids]
    without = analyze(bots, conversations, bootstraps=20, only=("ranking",))["ranking"]["by_source"]["human"]
    assert without.one("people") == {}
    for made in (ties, only):
        json.dumps(as_stored(made), allow_nan=False)


@pytest.fixture
def study(tmp_path, made_up):
    contestants = bots_of(["bot0", "bot1", "bot2"])
    study = Study.create(tmp_path / "study", Plan("chitchat", contestants))
    judgements, conversations = made_up(bots=3, per_pair=4, people=3)
    checksums.write_jsonl(study.conversations_path, conversations)
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), judgements)
    return study


@cases(
    "options said",
    """
- [{bootstraps: 0}, '--bootstraps 0']
- [{backend: R}, '--backend R']
- [{survey: spot_the_bott}, Did you mean 'spot_the_bot']
- [{wage: 0.0}, '--wage 0']
""",
)
def test_wrong_options_are_named_and_nothing_is_written(study, options, said):
    with pytest.raises(UserError, match=said):
        analyze_study(study, **options)
    assert not study.analysis_path("spot_the_bot").exists()


def test_wrong_judgements_are_named_by_line(study):
    path = study.judgements_path("spot_the_bot")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    checksums.write_jsonl(path, [*rows[:7], {**rows[7], "answer": "perhaps"}, *rows[8:]])
    with pytest.raises(UserError, match=r"judgements.jsonl: judgement 8 \(human-.*\): answer 'perhaps'"):
        analyze_study(study)
    checksums.write_jsonl(path, [])
    with pytest.raises(UserError, match="there are no judgements in it"):
        analyze_study(study)
    checksums.write_jsonl(path, [{**row, "control": "gold"} for row in rows])
    with pytest.raises(UserError, match=r"no complete annotation to analyse.*\n?.*crowdsource .*--dry-run"):
        analyze_study(study)
    checksums.remove(path)
    with pytest.raises(UserError, match=r"judgements\.jsonl: no such file"):
        analyze_study(study)
