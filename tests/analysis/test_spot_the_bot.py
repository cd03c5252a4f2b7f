"""The whole analysis of a survey: its shape, its promises, and the command that writes it."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from computing import analyze
from spoken import bots_of

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze as analyze_study
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

OF_EVERY_SOURCE = ["ranking", "survival", "features", "agreement", "annotators", "segments", "time", "order"]


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
    json.dumps(result, allow_nan=False)


def test_ranking(result):
    own = result["ranking"]["by_source"]["human"]
    assert own["order"] == ["bot2", "bot1", "bot0"]  # as made up
    assert own["win_rate"]["bot2"] > own["win_rate"]["bot1"] > own["win_rate"]["bot0"]
    for bot in own["order"]:
        low, high = own["win_rate_ci"][bot]
        assert low <= own["win_rate"][bot] <= high
        low, high = own["davidson"][bot]["ci"]
        assert low < own["davidson"][bot]["strength"] < high
        low, high = own["trueskill"][bot]["ci"]
        assert low < own["trueskill"][bot]["mu"] < high
        low, high = own["human_share_ci"][bot]
        assert low <= own["human_share"][bot] <= high
        assert 1 <= own["clusters"][bot][0] <= own["clusters"][bot][1] <= 3
    assert [(p["a"], p["b"]) for p in own["pairs"]] == [("bot2", "bot0"), ("bot2", "bot1"), ("bot0", "bot1")]
    for pair in own["pairs"]:
        assert pair["n"] == pair["wins_a"] + pair["wins_b"] + pair["ties"] == 60
        assert pair["p"] <= pair["p_adjusted"]
        assert pair["rate_ci"][0] <= pair["rate_a"] <= pair["rate_ci"][1]
    assert own["human_reference"]["human_share"] > own["human_share"]["bot2"]
    assert own["human_reference"]["n"] == 96
    assert own["bootstrap"]["resample"] == "conversations_workers"
    assert result["ranking"]["by_source"]["judge:quick"]["bootstrap"]["resample"] == "conversations"


def test_sources_are_never_mixed(made_up, result):
    judgements, conversations = made_up(bots=3, per_pair=10, people=8)
    people = [j for j in judgements if j.source == "human"]
    alone = analyze(people, conversations, bots=["bot2", "bot0", "bot1"], bootstraps=200)
    for stem in OF_EVERY_SOURCE:
        assert alone[stem]["by_source"] == {"human": result[stem]["by_source"]["human"]}


def test_a_seed_makes_the_same_numbers_and_another_does_not(made_up):
    judgements, conversations = made_up(bots=2, per_pair=4, people=2)
    first = analyze(judgements, conversations, bootstraps=20, seed=1)
    other = analyze(judgements, conversations, bootstraps=20, seed=2, only=("survival",))
    shuffled = analyze(judgements[::-1], conversations, bootstraps=20, seed=1)
    assert shuffled == first
    ci = [r["survival"]["by_source"]["human"]["curves"]["bot0"]["ci"] for r in (first, other)]
    assert ci[0] != ci[1]


def test_analysis_imports_no_heavy_framework():
    code = (
        "import sys; from parlai_spotbot.findings import compute, findings_of; findings_of('spot_the_bot');"
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
    assert own["win_rate"] == {"bot0": None, "bot1": None, "bot2": None}
    assert own["davidson"]["bot0"]["strength"] is None
    assert "no match was decided" in own["davidson_model"]["why"]
    survival = ties["survival"]["by_source"]["human"]
    assert survival["curves"]["bot0"]["survival"] == [0.0, 0.0, 0.0]
    assert survival["cox"]["bot0"]["fluency"]["coef"] is None
    assert survival["cox"]["bot0"]["fluency"]["why"] == "the same answer everywhere"
    assert "why" in ties["agreement"]["by_source"]["human"]["krippendorff_alpha"]["nature"]
    people = [c for c in conversations if c.entities[0] == "human"]
    ids = {c.conversation_id for c in people}
    only = analyze([j for j in judgements if j.conversation_ids[0] in ids], people, bootstraps=20)
    assert only["ranking"]["by_source"]["human"]["why"] == "no match between two different bots"
    assert list(only["survival"]["by_source"]["human"]["curves"]) == ["human"]
    bots = [j for j in judgements if j.conversation_ids[0] not in ids]
    without = analyze(bots, conversations, bootstraps=20, only=("ranking",))["ranking"]["by_source"]["human"]
    assert without["human_reference"]["human_share"] is None
    for made in (ties, only):
        json.dumps(made, allow_nan=False)


@pytest.fixture
def study(tmp_path, made_up):
    contestants = bots_of(["bot0", "bot1", "bot2"])
    study = Study.create(tmp_path / "study", Plan("chitchat", contestants))
    judgements, conversations = made_up(bots=3, per_pair=4, people=3)
    checksums.write_jsonl(study.conversations_path, conversations)
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), judgements)
    return study


def test_the_command_writes_json_and_csv(study, capsys):
    from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze

    SpotbotAnalyze.main(study=str(study.path), bootstraps=30, backend="native")
    printed = capsys.readouterr().out
    assert "human: 90 annotations\n" in printed
    assert "judge:quick: 90 annotations (automatic, not people)" in printed
    folder = study.analysis_path("spot_the_bot")
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {f"{stem}.json" for stem in OF_EVERY_SOURCE} <= set(written)
    assert written["ranking.csv"].decode().splitlines()[0].startswith("source,bot,group,cluster_first")
    assert len(written["ranking_pairs.csv"].decode().splitlines()) == 1 + 2 * 3
    again = analyze_study(study, bootstraps=30, backend="native")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == written
    assert json.loads(written["ranking.json"]) == again["ranking"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bootstraps": 0}, "--bootstraps 0"),
        ({"backend": "R"}, "--backend R"),
        ({"survey": "spot_the_bott"}, "Did you mean 'spot_the_bot'"),
        ({"wage": 0.0}, "--wage 0"),
    ],
)
def test_wrong_options_are_named_and_nothing_is_written(study, options, said):
    with pytest.raises(UserError, match=said):
        analyze_study(study, **options)
    assert not study.analysis_path("spot_the_bot").exists()


def test_wrong_judgements_are_named_by_line(study):
    path = study.judgements_path("spot_the_bot")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    checksums.write_jsonl(path, [*rows[:7], {**rows[7], "answer": "perhaps"}, *rows[8:]])
    with pytest.raises(UserError, match=r"judgements.jsonl: judgement 8 \(j7\): answer 'perhaps'"):
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
