"""Which judges are asked for: names, files and options, and what is wrong with them, each named with a remedy."""

import pytest
from small_study import SURVEY, spot_study

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.language_model import LanguageModelJudge
from parlai_spotbot.judges.specs import judges_of, read_judges
from parlai_spotbot.judges.spotter import Spotter
from parlai_spotbot.judges.summary import estimate_text
from parlai_spotbot.scripts.spotbot_judge import SpotbotJudge


def written(tmp_path, text):
    path = tmp_path / "judges.yaml"
    path.write_text(text)
    return path


GOOD = """
small: {url: "http://127.0.0.1:1/v1", model: m}
large:
  url: https://api.example.org/v1
  model: example-large
  key_variable: EXAMPLE_KEY
  samples: 3
  price_prompt: 0.15
  price_completion: 0.6
"""


def test_names_and_files_become_judges(tmp_path):
    specs = judges_of(f"{written(tmp_path, GOOD)}, spotter")
    assert [(spec.name, spec.kind) for spec in specs] == [
        ("small", "language_model"),
        ("large", "language_model"),
        ("spotter", "spotter"),
    ]
    made = [spec.make(3, max_cost=5 if spec.name == "large" else None) for spec in specs]
    assert [type(judge) for judge in made] == [LanguageModelJudge, LanguageModelJudge, Spotter]
    assert [judge.source for judge in made] == ["judge:small", "judge:large", "judge:spotter"]
    assert [judge.seed for judge in made] == [3, 3, 3]
    assert (made[1].max_cost, made[1].settings.samples) == (5, 3)


def test_a_single_model_by_options():
    served = {"model": "Owner/My-Model_1", "url": "http://127.0.0.1:1/v1"}
    found = judges_of("spotter, language_model", served)
    assert [spec.name for spec in found] == ["spotter", "My-Model_1"]
    assert found[1].options.model == "Owner/My-Model_1"
    (spec,) = judges_of("spotter", {"model": "m", "url": "http://127.0.0.1:1/v1", "name": "mine"})
    assert (spec.name, spec.kind, spec.options.url) == ("mine", "language_model", "http://127.0.0.1:1/v1")
    with pytest.raises(UserError, match="--judge-model: it goes with --judges language_model"):
        judges_of("x.yaml", {"model": "m"})
    for option in served:
        with pytest.raises(UserError, match=f"option '{option}' is missing"):
            judges_of("language_model", {name: value for name, value in served.items() if name != option})


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("a: {kind: spotter}", "kind is 'spotter'", "--judges spotter,"),
        ("a: {modle: x}", "judge 'a': unknown key 'modle'", "Did you mean 'model'"),
        ("a: {model: smollm2}", "option 'url' is missing", "transformers serve"),
        ("a: {url: 'http://x/v1', dtype: bf16}", "'dtype' was removed in 0.2", "serve it"),
        (
            "a: {url: 'http://x/v1', model: m, orders: three}",
            "option 'orders' is 'three': input should be 'both' or 'first'",
            "Correct it",
        ),
        ("a: {url: 'x/v1', model: m}", "'url' is 'x/v1': input should be an address", "Correct it"),
        ("a: {url: 'http://u:p@x/v1', model: m}", "'url' holds a key", "'key_variable'"),
        ("a: {url: 'http://x/v1', model: m, free_text: 1}", "'free_text' is 1: input should be", "Correct"),
        ("a b: {url: 'http://x/v1', model: m}", "judge 'a b': not a valid name", "letters"),
        ("spotter: {url: 'http://x/v1', model: m}", "judge 'spotter': not a valid name", "no other kind of judge"),
        ("a: model", "expected keys and values, found 'model'", "url: http"),
        ("- a", "expected names of judges", "url: http"),
        ("", "expected names of judges", "url: http"),
        ("a: {url: [", "not valid YAML", "url: http"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, text, problem, remedy):
    path = written(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_judges(path)
    assert str(path) in caught.value.problem
    assert problem in caught.value.problem
    assert remedy in caught.value.remedy


def test_what_is_wrong_with_the_option_is_said(tmp_path):
    with pytest.raises(UserError, match="no such judge"):
        judges_of("nobody")
    with pytest.raises(UserError, match="no such file"):
        judges_of("nobody.yaml")
    with pytest.raises(UserError, match="judge 'spotter' stands twice"):
        judges_of("spotter,spotter")
    free = written(tmp_path, "a: {url: 'http://x/v1', model: m}")
    with pytest.raises(UserError, match="judge a has no prices"):
        judges_of(str(free))[0].make(0, max_cost=1.0)


def test_the_command_says_what_it_would_take_and_does_nothing(tmp_path, capsys):
    study = spot_study(tmp_path / "study")
    SpotbotJudge.main(study=str(study.path), judges=f"{written(tmp_path, GOOD)},spotter", dry_run=True)
    shown = capsys.readouterr().out
    assert "judge small: 2 of 4 units are not answered yet" in shown
    assert "judge spotter: 4 of 4 units" in shown
    assert "about 120 requests" in shown  # 40, three times
    assert "USD, at most" in shown
    assert not (study.survey_path(SURVEY) / "judges").exists()
    assert not study.judgements_path(SURVEY).exists()
    with pytest.raises(SystemExit):
        SpotbotJudge.main(study=str(study.path), judges="spotter", max_cost=-1.0)
    assert "--max-cost -1: expected more than 0" in capsys.readouterr().err
    unpriced = {
        "judge": "a",
        "units": 1,
        "units_in_all": 2,
        "requests": 3,
        "completion_tokens_at_most": 9,
        "prompt_tokens": 4,
        "answers_kept": 0,
        "cost": None,
    }
    assert "cost unknown" in estimate_text(unpriced)
