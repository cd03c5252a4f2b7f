"""What a notebook holds: answers, results that show themselves, votes without a study; and the page that shows it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.axes import Axes

import parlai_spotbot as sb
from parlai_spotbot.findings.analyze import analyze

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "tests" / "goldens" / "studies"
QUICK = {"bootstraps": 40}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook") / "people"
    shutil.copytree(STUDIES / "people", folder)
    return sb.Study.open(folder).answers()


@pytest.fixture(scope="module")
def ranking(people):
    return sb.rank(people.of("human"), **QUICK)


def test_answers_of_one_source(people):
    assert people.sources[0] == "human"
    assert people.of("spotter").source == "judge:spotter"
    assert len(people.of("human")) + len(people.of("spotter")) <= len(people) == len(people.frame)
    assert set(people.of("human").frame["source"]) == {"human"}
    assert repr(people.of("human")).startswith(f"<{len(people.of('human'))} answers to spot_the_bot by human")


def test_a_ranking_is_the_report_s(people, ranking, only):
    only("ranking")
    found = analyze(people.study, **QUICK, backend="native")["ranking"]["by_source"]["human"]
    assert ranking.data["order"] == found["order"]
    assert ranking.data["davidson"] == found["davidson"]
    assert set(ranking.tables) >= {"ranking", "pairs"}
    assert list(ranking.tables["ranking"]["bot"]) == found["order"]
    assert ranking.sentences
    assert ranking.sentences[0] in repr(ranking)
    assert repr(ranking).startswith(f"Ranking by people: {len(ranking.answers)} answers.")
    shown = ranking._repr_html_()
    assert "<table" in shown
    assert "data:image/svg+xml;base64," in shown


def test_a_chart_is_drawn(ranking):
    axes = ranking.plot("ranking")
    assert isinstance(axes, Axes)
    used = {str(line.get_color()) for line in axes.get_lines()}
    assert not used & {"#010101", "#020202", "#030303"}  # the page's stand-ins


def test_survival_agreement_and_trust(people):
    curves = sb.survival(people.of("human"), backend="native", **QUICK)
    assert curves.tables["pairs"]["p_adjusted"].between(0, 1).all()
    assert isinstance(curves.plot("survival"), Axes)
    assert isinstance(sb.agreement(people.of("human"), **QUICK).tables["agreement"], pd.DataFrame)
    found = sb.trust(people, judge="spotter", **QUICK)
    assert list(found.results) == ["judge:spotter"]
    assert found.sentences


def test_all_sources_are_told_apart(people):
    both = sb.rank(people, **QUICK)
    assert list(both.results) == list(people.sources)
    assert set(both.tables["ranking"]["source"]) == set(people.sources)
    assert any(line.startswith("People: ") for line in both.sentences)


def test_votes_without_a_study(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\n" + "ada,bob,model_a\nbob,cleo,tie\nada,cleo,model_a\n" * 20)
    votes = sb.read_votes(path)
    assert len(votes) == 60
    found = votes.rank()
    assert found.tables["ranking"].sort_values("score")["bot"].iloc[-1] == "ada"
    assert found.sentences
    assert isinstance(found.plot(), Axes)
    path.write_text("left,right,who\nada,bob,l\nbob,ada,r\n" * 5)
    words = {"columns": {"a": "left", "b": "right", "winner": "who"}, "answers": {"l": "a", "r": "b"}}
    with pytest.raises(ValueError, match="line"):
        sb.read_votes(path, **words)  # its head comes again
    path.write_text("left,right,who\n" + "ada,bob,l\nbob,ada,r\n" * 5)
    assert len(sb.read_votes(path, **words)) == 10


def test_errors_are_value_errors_that_name_the_argument(people, ranking, tmp_path):
    human = people.of("human")
    for call, said in (
        (lambda: sb.Study.open(tmp_path / "none"), "^path: .*no study here"),
        (lambda: people.study.answers("spot_the_bat"), "^survey: .*Did you mean 'spot_the_bot'"),
        (lambda: people.of("spoter"), "^source: 'spoter' gave no answers. Did you mean 'judge:spotter'"),
        (lambda: sb.rank(human, bootstrap=3), "^bootstrap: .*Did you mean 'bootstraps'"),
        (lambda: sb.rank(human, bootstraps=0), "^options: --bootstraps 0"),
        (lambda: sb.trust(people, judge="nobody"), "^source: 'nobody' gave no answers"),
        (lambda: sb.trust(sb.demo().answers(), judge="spotter"), "^answers: no person answered"),
        (lambda: ranking.plot("rankin"), "^chart: there is no 'rankin'. Did you mean 'ranking'"),
        (lambda: sb.read_votes(tmp_path / "none.csv"), "^path: .*no such file"),
        (lambda: sb.rank(people.study), r"^answers: expected a study's answers to a survey, study.answers\(SURVEY\)"),
        (lambda: sb.trust(people.study, judge="spotter"), "^answers: expected a study's answers"),
        (lambda: sb.report(tmp_path / "none"), r"^study: expected a study, Study.open\(PATH\)"),
        (lambda: sb.analyze(str(tmp_path)), r"^study: expected a study, Study.open\(PATH\)"),
        (lambda: sb.pack_study(str(tmp_path)), r"^study: expected a study, Study.open\(PATH\)"),
        (lambda: sb.judge_study(str(tmp_path), "spot_the_bot"), r"^study: expected a study, Study.open\(PATH\)"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


def test_what_plays_and_what_is_opened_are_one_kind_of_study():
    """Also where the room of the same name was imported before: it is called as the public name is."""
    import parlai_spotbot.report
    import parlai_spotbot.selfplay

    assert isinstance(sb.demo(), sb.Study)
    with pytest.raises(ValueError, match=r"^contestants: expected names"):
        parlai_spotbot.selfplay({}, study="x")
    with pytest.raises(ValueError, match=r"^study: .*Did you mean 'spot_the_bot'"):
        parlai_spotbot.report(sb.demo(), "spot_the_bat")


PAGE = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
PLAY = "## Self-play"


def runs(text, folder, after=""):
    """Run the code of a page's text; returns how many blocks it has."""
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks) + after], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return len(blocks)


def test_the_page_s_code_runs_without_parlai_and_torch(tmp_path):
    after = "\nimport sys\nassert not {'parlai', 'torch', 'transformers', 'mephisto'} & set(sys.modules)\n"
    assert runs(PAGE.partition(PLAY)[0], tmp_path, after) == 5


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.ipynb")), ids=lambda page: page.stem)
def test_notebooks_run(page, tmp_path):
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)  # they are made with the pages
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert runs(f"```python\n{code}\n```", tmp_path) == 1


@pytest.mark.slow  # as the pages' other blocks that play
def test_the_page_s_bots_play(tmp_path):
    after = "\nassert repr(study) == '<study studies/x: 2 bots>', study\nassert len(study.conversations()) == 3\n"
    assert runs(PAGE.partition(PLAY)[2], tmp_path, after) == 1
