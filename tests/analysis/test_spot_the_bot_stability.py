"""Stability of Spot The Bot's ranking in a study: by source, both ways, as JSON, as a table, and by the command."""

import json

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.findings.compute import tables
from parlai_spotbot.findings.frames import stored_form
from parlai_spotbot.findings.spotting import stability
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from tests.analysis.computing import analyze
from tests.spoken import bots_of

FEW = {"model": 20, "paper": 30}


def analyze_stability(judgements, conversations, **facts):
    """stability.json of few repetitions, and its table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stability, "REPETITIONS", FEW)
        result = analyze(judgements, conversations, only=("stability",), stability=True, **facts)
    return result["stability"], tables(get_survey("spot_the_bot"), result).get("stability")


def test_each_source_has_both_ways_and_each_bot_left_out(made_up):
    judgements, conversations = made_up(bots=3, per_pair=5)
    result, _ = analyze_stability(judgements, conversations, bots=["bot2", "bot0", "bot1"])
    json.dumps(stored_form(result), allow_nan=False)
    assert set(result["by_source"]) == {"human", "judge:quick"}
    own = result["by_source"]["human"]
    assert own["stability"]["sizes"].tolist()[-1] == 45
    assert own["paper"]["sizes"].tolist() == [3, 4, 5]
    for name, removed in (("stability", [""]), ("without", ["bot2", "bot0", "bot1"]), ("paper", [""])):
        curves = own[name]
        assert list(curves["removed"].unique()) == removed
        assert curves[["sizes", "share", "same_again", "as_last", "ranking"]].notna().all(axis=None)
        assert (curves["share_low"] <= curves["share"]).all()
        assert (curves["share"] <= curves["share_high"]).all()
    without = own["paper_without"].set_index("removed").loc["bot0"]
    assert {name for ranking in without["ranking"] for cluster in ranking for name in cluster} == {"bot2", "bot1"}
    assert result["made_by"]["used"] == {"human": 126, "judge:quick": 126}


def test_the_command_writes_it_on_request(tmp_path, made_up, monkeypatch, only):
    from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze

    only("ranking", "survival", "stability")
    monkeypatch.setattr(stability, "REPETITIONS", FEW)
    study = Study.create(tmp_path / "study", Plan("chitchat", bots_of(["bot0", "bot1", "bot2"])))
    judgements, conversations = made_up(bots=3, per_pair=4, sources=("human",))
    checksums.write_jsonl(study.conversations_path, conversations)
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), judgements)
    folder = study.analysis_path("spot_the_bot")
    SpotbotAnalyze.main(study=str(study.path), bootstraps=10, backend="native")
    assert not (folder / "stability.json").exists()
    SpotbotAnalyze.main(study=str(study.path), bootstraps=10, backend="native", stability=True)
    first = (folder / "stability.json").read_bytes()
    assert (folder / "stability.csv").read_text().startswith("source,sizes,share,share_low,share_high")
    SpotbotAnalyze.main(study=str(study.path), bootstraps=10, backend="native", stability=True)
    assert (folder / "stability.json").read_bytes() == first
    # Without the option it stays as it is, until other judgements make it outdated.
    SpotbotAnalyze.main(study=str(study.path), bootstraps=10, backend="native")
    assert (folder / "stability.json").read_bytes() == first
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), judgements[5:])
    SpotbotAnalyze.main(study=str(study.path), bootstraps=10, backend="native")
    assert list(folder.glob("stability*")) == []
