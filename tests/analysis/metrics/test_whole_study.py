"""The whole study of metrics: its files, tables and commands; same seed, same bytes; small and odd studies."""

from parlai_spotbot import checksums
from parlai_spotbot.analysis.metrics import STEMS, Outcomes, StudyEvidence, Wishes, analyze
from parlai_spotbot.findings import metrics_of_study
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.survey_data import begun
from parlai_spotbot.findings.whole_study import has_metrics_and_outcomes
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from tests.analysis.made_up import chats, write_chats


def test_the_causes_are_what_is_kept(result):
    own = {stem: Frames.from_tables(result[stem]["by_source"][HUMAN]) for stem in STEMS}
    steps = own["coverage"]["steps"].query("outcome == 'rating'").set_index("method")["metrics"]
    assert set(steps["abc_eval"].iloc[-2]) == {"self_contradiction", "empathetic"}
    assert "quality" not in steps["dialogue_likert"].iloc[0]
    assert own["sensitivity"].one("whole")["sample"] == 8
    alphas = {(row["method"], row["name"]): row["alpha"] for row in own["interpretability"].rows("metrics")}
    assert alphas["abc_eval", "self_contradiction"] > 0.5 > alphas["abc_eval", "redundant"]


def test_without_anybody_who_led_conversations_only_that_is_missing(evidence):
    own = [metric for metric in evidence.metrics[HUMAN] if metric.method == "dialogue_likert"]
    alone = StudyEvidence({HUMAN: own}, Outcomes.none(), evidence.times)
    found = analyze(alone, Wishes(draws=10))
    own = {stem: Frames.from_tables(found[stem]["by_source"][HUMAN]) for stem in STEMS}
    reasons = own["importance"].rows("outcomes") + own["coverage"].rows("methods")
    assert len(reasons) == 4
    assert all("survey interactive" in row["why"] for row in reasons)
    assert own["interpretability"].one("metrics")["alpha"] is not None
    assert own["costs"].one("methods")["minutes"] > 0


# -- commands ----------------------------------------------------------------------------------------------------------
def test_spotbot_analyze_studies_the_metrics_where_it_can(study, capsys):
    SpotbotAnalyze.main(study=str(study.path), survey="dialogue_likert", bootstraps=20, wage=20.0)
    out = capsys.readouterr().out
    assert "people: 2 of 8 metrics explain people's ratings by more than chance (n 24)." in out
    assert "people: All together, allowing for their number, explain: ABC-Eval, people's ratings 72% (4 metrics)" in out
    folder = study.path / "analysis" / "metrics"
    assert {path.stem for path in folder.glob("*.json")} == set(STEMS)
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "screening.csv").write_text("of an earlier run")
    metrics_of_study.analyze_metrics(study, Wishes(seed=5, wage=20.0), progress=False)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first


def test_a_study_without_such_people_is_studied_only_when_asked(tmp_path, capsys):
    made = chats(4)
    del made.judgements["interactive"]
    own = write_chats(made, tmp_path / "study")
    assert not has_metrics_and_outcomes(begun(own))
    SpotbotAnalyze.main(study=str(own.path), survey="dialogue_likert", bootstraps=20, metrics=True)
    assert "nobody who led conversations" in capsys.readouterr().out
    assert (own.metrics_path / "metrics_sensitivity.csv").exists()


def test_answers_about_other_conversations_are_no_metrics(tmp_path):
    """Next turns are those of a corpus, votes are about conversations elsewhere."""
    own = write_chats(chats(4), tmp_path / "study")
    before = metrics_of_study.evidence_of(own)
    for survey, question in (("nuc", "first"), ("votes", "preference")):
        about = ("conversation:0", question, "candidate:1")
        row = Judgement("j0", "a0", survey, "u0", "i0", ("movies5",), 4, *about, "w0", HUMAN, seconds=9.0)
        checksums.write_jsonl(own.judgements_path(survey), [row])
    judged = [data.survey for data in metrics_of_study.judged_surveys(begun(own))]
    assert judged == ["abc_eval", "dialogue_likert", "comparative", "interactive"]
    after = metrics_of_study.evidence_of(own)
    assert [metric.key for metric in after.metrics[HUMAN]] == [metric.key for metric in before.metrics[HUMAN]]
    assert len(after.times[HUMAN]) == len(before.times[HUMAN])
