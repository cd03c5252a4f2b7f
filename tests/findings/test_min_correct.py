"""The ranking without annotators who are too seldom correct, which the paper tries with 75 % (appendix G)."""

import pytest
from outside_data import SPOT_THE_BOT, released_data
from scripted import rows_of, small_study

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.records import HUMAN

SURVEY = "spot_the_bot"
STRENGTH = {HUMAN: 0.95, "ann": 0.4, "bob": 0.2, "cat": 0.05}


def script(question, target, options, item, talks, rng):
    if question != "nature":
        return rng.choice(options)
    name = talks[item.conversation_ids[0]].entities[int(target[-1])]
    return rng.choices(["human", "unsure", "bot"], [STRENGTH[name], 0.1, 1 - STRENGTH[name]])[0]


def clicks(question, target, options, item, talks, rng):
    return rng.choice(options)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Five annotators of whom some err at times, and two who click anything."""
    study = small_study(tmp_path_factory.mktemp("weak") / "study", SURVEY, per_pair=4)
    rows = [*rows_of(study, SURVEY, script, [f"w{n}" for n in range(5)])]
    rows += rows_of(study, SURVEY, clicks, ["x0", "x1"])
    files.write_jsonl(study.judgements_path(SURVEY), [row.to_json() for row in rows])
    return study


def correct(study):
    """worker -> share of right labels among the sure ones, straight from the judgements."""
    talks, right = {c.conversation_id: c for c in study.conversations()}, {}
    for row in study.judgements(SURVEY):
        if row.question == "nature" and row.answer != "unsure":
            human = talks[row.conversation_ids[0]].is_human[int(row.target[-1])]
            right.setdefault(row.worker_id, []).append((row.answer == "human") == human)
    return {worker: sum(own) / len(own) for worker, own in right.items()}


@pytest.mark.slow
def test_who_is_below_the_share_is_out_of_a_ranking_that_stands_beside(study, only):
    only("ranking", "annotators")
    shares = correct(study)
    weak = {worker for worker, share in shares.items() if share < 0.75}
    assert {"x0", "x1"} <= weak < set(shares)
    main = analyze(study, bootstraps=30, backend="native")
    found = analyze(study, bootstraps=30, backend="native", min_correct=0.75)
    own = found["annotators"]["by_source"][HUMAN]
    assert {worker for worker, entry in own["annotators"].items() if "too seldom correct" in entry["flags"]} == weak
    beside = own["without_weak"]
    assert beside["annotators"] == len(weak)
    assert beside["annotators_left"] == len(shares) - len(weak)
    # As the paper did it: the same study without their answers.
    rows = study.judgements(SURVEY)
    files.write_jsonl(study.judgements_path(SURVEY), [r.to_json() for r in rows if r.worker_id not in weak])
    alone = analyze(study, bootstraps=30, backend="native")["ranking"]["by_source"][HUMAN]
    files.write_jsonl(study.judgements_path(SURVEY), [r.to_json() for r in rows])
    for key in ("order", "clusters", "score"):
        assert beside[key] == alone[key]
    clear = sum(pair["p_adjusted"] < 0.05 for pair in alone["pairs"])
    assert f"{clear} of 3 pairs are told apart then" in beside["sentence"]
    # Nothing else moves.
    assert found["ranking"]["by_source"] == main["ranking"]["by_source"]
    assert "without_weak" not in main["annotators"]["by_source"][HUMAN]
    finding = next(one for one in findings_of(SURVEY) if one.name == "annotators")
    labels = [label for label, _ in finding.views(Result(HUMAN, own, {}))]
    assert labels == ["Without who is right in less than 75%"]
    assert finding.views(Result(HUMAN, main["annotators"]["by_source"][HUMAN], {})) == []


@pytest.mark.slow
def test_where_nobody_or_everybody_is_below_it_is_said(study):
    own = analyze(study, bootstraps=30, backend="native", min_correct=0.01)["annotators"]["by_source"][HUMAN]
    assert own["without_weak"]["sentence"].startswith("No annotator is right in less than 1%")
    own = analyze(study, bootstraps=30, backend="native", min_correct=1.0)["annotators"]["by_source"][HUMAN]
    assert own["without_weak"]["sentence"].startswith("All annotators are right in less than 100%")
    with pytest.raises(UserError, match=r"--min-correct 75\.0: expected a share above 0, up to 1"):
        analyze(study, min_correct=75.0)
    with pytest.raises(UserError, match="--min-correct: the analysis of survey 'acute_eval' has no such option"):
        analyze(study, "acute_eval", min_correct=0.75)


def test_the_same_annotators_go_as_in_the_paper_s_released_data():
    """By the reproduction of appendix G, which doesn't know this option."""
    from parlai_spotbot.analysis.annotators import Rules, remove
    from parlai_spotbot.analysis.annotators.rules import no_rules
    from parlai_spotbot.analysis.frames import entities_frame
    from parlai_spotbot.importers.spotbot2020_dump import read_dump, select
    from parlai_spotbot.projects.spot_the_bot_2020.definitions import without_weak

    path = released_data(SPOT_THE_BOT)
    annotations = select(read_dump(path, "empathetic"))
    rules = {**vars(no_rules(Rules())), "min_correct": 0.75}
    kept, _ = remove(annotations, Rules(**{**rules, "enough_labels": 1}))
    entities = entities_frame(annotations)
    expected = without_weak(annotations, entities)
    assert kept["worker_id"].nunique() == 8  # of 32
    assert kept["annotation_id"].tolist() == expected["annotation_id"].tolist()
    # Of who gave few labels nothing is concluded here.
    more = set(remove(annotations, Rules(**rules))[0]["worker_id"]) - set(kept["worker_id"])
    sure = entities[entities["nature"] != "unsure"].groupby("worker_id").size()
    assert [sure[worker] < 20 for worker in more] == [True]
