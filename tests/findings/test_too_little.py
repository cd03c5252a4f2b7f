"""Studies of next to nothing: too little is said, not computed, and no interval has no width."""

import itertools
import re
from dataclasses import replace

import pandas as pd
import pytest
import yaml
from scipy.stats import fisher_exact

import parlai_spotbot as sb
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import compute, findings_of, render
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.frames import stored_form
from parlai_spotbot.findings.plans import PlanRequest, plan
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys import get_survey
from tests import report_sentences
from tests.findings import scripted
from tests.findings.scripted import answered, rows_of, small_study

OF_SEGMENTS = ("spot_the_bot", "spot_the_bot_game", "spot_the_user")
SURVEYS = (*OF_SEGMENTS, "acute_eval", "comparative", "dialogue_likert", "turn_likert", "abc_eval")
TWO = ("ann", "bob")

CASES = yaml.safe_load("""
one annotator: [{}, by_chance, 1, null]
one careless annotator: [{}, always_first, 1, null]
one annotator who knows: [{}, knowing, 1, null]
one item, one annotator: [{}, by_chance, 1, 1]
one item: [{}, by_chance, 3, 1]
one conversation: [{bots: [ann, bob], per_pair: 1, people: 1, selves: 1}, by_chance, 3, null]
always the first answer: [{}, always_first, 3, null]
always the last answer: [{}, always_last, 3, null]
only ties: [{}, never_decided, 3, null]
no ties: [{}, knowing, 3, null]
two bots: [{bots: [ann, bob]}, by_chance, 3, null]
two bots, all alike: [{bots: [ann, bob]}, knowing, 2, null]
no people: [{people: 0}, by_chance, 3, null]
always unsure: [{}, always_unsure, 3, null]
one bot far ahead: [{bots: [ann, bob, cat, dan], per_pair: 4}, ann_is_human, 5, null]
""")
"""What the study is like, what annotators say, how many they are, and of how many items."""

OF_EACH_FORM, HARDEST = (
    ("spot_the_bot", "spot_the_user", "comparative", "dialogue_likert"),
    ("one annotator", "one item", "only ties"),
)
QUICK = set(itertools.product(OF_EACH_FORM, HARDEST[:1]))

BROKEN = re.compile(r"\bnan\b|\bNone\b(?! of)|\binf\b|-?0\.00 to -?0\.00|\[(\d+%), \1\]|\.\.(?!\.)|\{|\}| %s")


def made(path, survey, study, script, workers, items, source=HUMAN, seconds=30.0):
    study = small_study(path / "study", survey, **({} if survey in OF_SEGMENTS else {"selves": 2}) | study)
    names = [f"w{number}" for number in range(workers)]
    return study, answered(study, survey, rows_of(study, survey, vars(scripted)[script], names, source, seconds, items))


def intervals(value, name=""):
    """(where, its two ends) of every interval in what a finding found."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from intervals(inner, f"{name}.{key}")
        for key in value:
            if (key == "low" or key.endswith("_low")) and not name.endswith(
                ".bounds"
            ):  # which are known, not estimated
                ends = value[key], value[key[:-3] + "high"]
                yield from zip(itertools.repeat(f"{name}.{key}"), zip(*map(_several, ends), strict=True), strict=False)
    elif isinstance(value, (list, tuple)):
        key = name.rpartition(".")[2]
        pair = len(value) == 2 and all(end is None or isinstance(end, (int, float)) for end in value)
        within = any(part == "ci" or part.endswith("_ci") for part in name.split("."))
        if pair and (within or key in ("wilson", "clopper_pearson")):
            yield name, tuple(value)
        else:
            for place, inner in enumerate(value):
                yield from intervals(inner, f"{name}.{place}")


def _several(ends):
    return ends if isinstance(ends, list) else [ends]


def told(survey, study, result, source=HUMAN):
    """Every sentence that the findings tell of a source."""
    others = {name: part["by_source"][source] for name, part in result.items() if source in part.get("by_source", {})}
    for finding in findings_of(get_survey(survey)):
        if finding.name not in others:
            continue
        own = Result(source, others[finding.name], others)
        card = render.card(finding, own)
        yield from [] if card is None else card.text
        yield from render.lines(finding, own)
        if section := render.tell(finding, own):
            yield from section.text


@pytest.mark.parametrize(
    ("survey", "case"),
    [
        pytest.param(survey, case, marks=[] if (survey, case) in QUICK else [pytest.mark.slow])
        for survey in SURVEYS
        for case in (CASES if survey in OF_EACH_FORM else HARDEST)
    ],
)
def test_no_interval_has_no_width_and_what_is_told_is_whole(survey, case, tmp_path):
    study, result = made(tmp_path, survey, *CASES[case])
    found = [(where, ends) for name, part in result.items() for where, ends in intervals(stored_form(part), name)]
    assert found
    assert [(where, ends) for where, ends in found if None not in ends and not ends[1] - ends[0] > 1e-9] == []
    for path in study.analysis_path(survey).glob("*.csv"):
        table = pd.read_csv(path)
        for low in [name for name in table if name == "low" or str(name).endswith("_low")]:
            high = table[low[:-3] + "high"]
            assert not (table[low] >= high).any(), f"{path.name}: {low}"
    for sentence in filter(None, told(survey, study, result)):
        assert not BROKEN.search(sentence), sentence
    report_sentences.check(study)


def test_twelve_people_on_one_conversation_say_nothing_of_other_conversations(tmp_path):
    study = {"bots": TWO, "per_pair": 1, "people": 0}
    study, result = made(tmp_path, "spot_the_bot", study, "ann_is_human", 12, None)
    found = {name: part["by_source"][HUMAN] for name, part in result.items() if HUMAN in part.get("by_source", {})}
    [pair] = found["survival"].rows("pairs")
    assert [pair[name] for name in ("se", "chi2", "p", "p_adjusted")] == [None] * 4
    for row in found["survival"].rows("curves"):
        assert row["survival_low"] is row["survival_high"] is None
    for row in (*found["survival"].rows("cox"), *found["survival"].rows("cox_po")):
        assert row["p"] is row["ratio_low"] is None
    assert trueskill_ends(result) == {"ann": (False, 1, 2), "bob": (False, 1, 2)}
    text = " ".join(filter(None, told("spot_the_bot", study, result)))
    why = "too few conversations or annotators to know how much these differ"
    assert f"Whose curves differ is not known: {why}." in text
    assert "clearly in how soon" not in text


@pytest.mark.parametrize("survey", OF_SEGMENTS[:2])
@pytest.mark.parametrize("conversations", [1, 2, 3])
def test_an_interval_that_leaves_everything_open_is_not_told(survey, conversations, tmp_path):
    study = {"bots": TWO, "per_pair": conversations, "people": 0}
    study, result = made(tmp_path, survey, study, "by_chance", 3, None)
    for name, table, value in (("order", "position", "difference"), ("agreement", "labelled_alike", "excess")):
        rows = result[name]["by_source"][HUMAN].rows(table)
        assert rows
        for row in rows:
            assert row[value] is not None
            assert row["p"] is row[f"{value}_low"] is row[f"{value}_high"] is None
    text = " ".join(filter(None, told(survey, study, result)))
    assert "100.0" not in text
    assert "%; there are too few conversations or annotators to say more" in text


def trueskill_ends(result):
    """Of each bot whether its skill has an interval, and its first and last rank."""
    rows = result["ranking"]["by_source"][HUMAN].rows("ranking")
    return {row["bot"]: (row["trueskill_mu_low"] is not None, row["range_first"], row["range_last"]) for row in rows}


def test_one_conversation_of_each_pair_says_nothing_of_others_whoever_judges_it(tmp_path):
    study = {"bots": ("ann", "bob", "cat"), "per_pair": 1, "people": 0}
    _, result = made(tmp_path, "spot_the_bot", study, "ann_is_human", 12, None)
    assert trueskill_ends(result) == dict.fromkeys(study["bots"], (False, 1, 3))


def test_who_met_each_other_in_one_conversation_alone_may_have_any_rank_among_the_others(tmp_path):
    study, _ = made(tmp_path, "spot_the_bot", {"bots": ("ann", "bob", "cat"), "per_pair": 6}, "ann_is_human", 12, None)
    kept = {talk.conversation_id for talk in study.conversations() if "cat" not in talk.entities or talk.number == 0}
    rows = [row for row in study.judgements("spot_the_bot") if kept.issuperset(row.conversation_ids)]
    study.judgements_path("spot_the_bot").unlink()
    ends = trueskill_ends(answered(study, "spot_the_bot", rows, only=["ranking"]))
    assert ends["cat"] == (False, 1, 3)
    assert ends["ann"] == (True, 1, 2)
    assert ends["bob"] == (True, 2, 3)


@pytest.mark.parametrize("votes", [1, 2, 5])
def test_of_so_few_votes_the_first_reason_is_their_number(votes):
    won = {"model_a": "ann", "model_b": "bob", "winner": "model_a"}
    [pair] = sb.read_votes([won] * votes).rank(bootstraps=20).tables["pairs"].to_dict("records")
    assert (pair["verdict"], pair["reason"]) == ("not known", "clusters")
    assert pair["estimate_low"] is pair["estimate_high"] is None
    [pair] = sb.read_votes([won] * 6).rank(bootstraps=20).tables["pairs"].to_dict("records")
    assert pair["reason"] == "order"


def test_votes_on_one_prompt_say_nothing_of_other_prompts():
    rows = [{"model_a": "ann", "model_b": "bob", "winner": "model_a", "question_id": "q"}] * 12
    results = sb.finding(sb.read_votes(rows), "votes")
    test = results.frames.one("first")
    assert ([*test["ci"]], test["p"]) == ([0, 1], 1)
    assert "one prompt was voted on 12 times: nothing shows what others would give" in results.sentences[0]


def test_one_careless_annotator_gets_no_plan_and_is_named(tmp_path):
    study, result = made(tmp_path, "spot_the_bot", {"people": 12}, "always_first", 1, 14, seconds=1.0)
    human = {name: part["by_source"][HUMAN] for name, part in result.items() if HUMAN in part.get("by_source", {})}
    assert set(human["needs"]) == {"obstacle"}
    alone = "All answers (5) are by one annotator: they say what this person prefers, not what others would."
    text = " ".join(filter(None, told("spot_the_bot", study, result)))
    assert alone in text
    assert "further annotations" not in text
    ranking = next(finding for finding in findings_of(get_survey("spot_the_bot")) if finding.name == "ranking")
    card = render.card(ranking, Result(HUMAN, human["ranking"], human))
    assert card.text[0] == "It is not known who is better: all answers are by one annotator."
    assert "the order is" not in " ".join(card.text)
    assert "100% [100%" not in text
    assert "Flagged: w0 (always the same label, too fast, same answers over and over" in text
    with pytest.raises(UserError, match=re.escape(alone)) as caught:
        plan(PlanRequest("spot_the_bot"), study)
    assert caught.value.remedy == "Let more annotators answer, five at least: 16 answers by others."


def test_where_everybody_failed_the_controls_nothing_is_said_to_wait_for_analysis(tmp_path):
    study = small_study(tmp_path / "study", "spot_the_bot", TWO)
    rows = list(rows_of(study, "spot_the_bot", scripted.by_chance, ["w1", "w2"]))
    for worker in ("w1", "w2"):
        some = next(row for row in rows if row.worker_id == worker)
        missed = {"question": "nature", "answer": "bot", "control": "known_human"}
        for place, side in itertools.product((0, 1), (0, 1)):
            name = f"{worker}-control-{place}"
            of = {"judgement_id": f"{name}-{side}", "annotation_id": name, "item_id": name, "target": f"entity:{side}"}
            rows.append(replace(some, **of, **missed))
    with pytest.raises(UserError, match="missed more than 1 control"):
        answered(study, "spot_the_bot", rows)
    told = report_sentences.sentences(study)
    assert told["first screen"][0].startswith("No answer is left to analyse: whoever answered missed more controls")
    assert not any("not analysed" in text for texts in told.values() for text in texts)


@pytest.mark.parametrize("seed", range(2))
def test_a_bot_is_told_from_people_only_where_independent_answers_would_tell_them(seed, tmp_path):
    study = small_study(tmp_path / "study", "spot_the_bot", TWO, per_pair=3, people=4)
    given = list(rows_of(study, "spot_the_bot", scripted.by_chance, ["w1", "w2", "w3"], seed=seed))
    once = {(row.worker_id, row.conversation_ids, row.exchanges): row.annotation_id for row in given}
    rows = [row for row in given if once[row.worker_id, row.conversation_ids, row.exchanges] == row.annotation_id]
    own = answered(study, "spot_the_bot", rows, only=("ranking",))["ranking"]["by_source"][HUMAN]
    talks = indexed(study.conversations())
    called: dict[str, list[bool]] = {}
    for row in (row for row in rows if row.question == "nature"):
        name = talks[row.conversation_ids[0]].entities[int(row.target[-1])]
        called.setdefault(name, []).append(row.answer == HUMAN)
    people = own.one("people")["human_share"]
    for row in own.rows("ranking"):
        table = [[sum(called[name]), len(called[name]) - sum(called[name])] for name in (row["bot"], HUMAN)]
        assert row["p_people"] >= row["p_one"] >= fisher_exact(table).pvalue - 1e-12
        assert row["apart_low"] <= row["apart"] <= row["apart_high"]
        assert row["apart"] == pytest.approx(row["human_share"] - people)


def test_a_lack_of_memory_is_not_reported_as_too_few_answers(monkeypatch):
    def without_memory(*_):
        raise MemoryError("Unable to allocate 9 GiB")

    findings = [replace(finding, compute=without_memory) for finding in findings_of(get_survey("spot_the_bot"))]
    monkeypatch.setattr(compute, "asked_for", lambda *_: findings)
    with pytest.raises(MemoryError, match="Unable to allocate 9 GiB"):
        sb.rank(sb.demo().answers())


def test_a_card_says_of_few_ratings_that_differ_what_its_section_says(tmp_path):
    """Too little to plan from isn't too little to tell apart."""

    def script(question, target, options, item, talks, rng):
        best, worst = (options[0], options[-1]) if rng.random() < 0.5 else (options[1], options[-2])
        return best if "ann" in talks[item.conversation_ids[0]].entities else worst

    survey = "dialogue_likert"
    study = small_study(tmp_path / "study", survey, ("ann", "bob"), per_pair=0, people=0, selves=8)
    rows = [*rows_of(study, survey, script, ["w0", "w1", "w2", "w3"])]
    items = sorted({row.item_id for row in rows})
    each_by_one = [row for row in rows if row.worker_id == f"w{items.index(row.item_id) % 4}"]
    result = answered(study, survey, each_by_one)
    others = {name: part["by_source"][HUMAN] for name, part in result.items() if HUMAN in part.get("by_source", {})}
    assert "scarce" in others["needs"]
    finding = next(one for one in findings_of(get_survey(survey)) if one.name == "ranking")
    card = render.card(finding, Result(HUMAN, others["ranking"], others))
    assert card.text == render.sentences_of(finding, Result(HUMAN, others["ranking"], others))
    assert render.TOO_LITTLE not in card.text
