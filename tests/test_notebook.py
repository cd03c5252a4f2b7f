"""What a notebook holds: answers, results that show themselves, votes without a study; and the page that shows it."""

import doctest
import html
import inspect
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
from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.judges import spotter
from parlai_spotbot.notebook.calling import as_value_error, in_python
from parlai_spotbot.surveys import get_survey
from tests.case_tables import cases

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
    assert {name: ranking.frames.rows(name) for name in found} == {name: found.rows(name) for name in found}
    assert set(ranking.tables) >= {"ranking", "pairs"}
    assert list(ranking.tables["ranking"]["bot"]) == found["ranking"]["bot"].tolist()
    assert ranking.sentences
    assert ranking.sentences[0] in repr(ranking)
    assert repr(ranking).startswith(f"Ranking by people: {len(ranking.answers)} answers.")
    shown = ranking._repr_html_()
    assert "<table" in shown
    assert "data:image/svg+xml;base64," in shown
    (section,) = ranking.sections.values()
    heads = re.findall(r"<th [^>]*>(.*?)</th>", shown)
    assert [html.unescape(head) for head in heads] == list(section.tables[0].head)
    assert shown.count("<tr>") == 1 + len(section.tables[0].rows)


def test_a_study_and_its_answers_show_themselves(people):
    shown = people.study._repr_html_()
    for name in people.study.plan.contestants:
        assert f">{name}</td>" in shown
    assert ">spot_the_bot</td>" in shown
    answers = people.of("human")
    assert f"{len(answers):,} answers to spot_the_bot by people" in answers._repr_html_()
    assert answers._repr_html_().count("<tr>") == 21


def test_a_chart_is_drawn(ranking):
    axes = ranking.plot("ranking")
    assert isinstance(axes, Axes)
    used = {str(line.get_color()) for line in axes.get_lines()}
    assert not used & {"#010101", "#020202", "#030303"}  # the page's stand-ins


def test_survival_agreement_and_trust(people):
    curves = sb.survival(people.of("human"), backend="native", **QUICK)
    assert curves.tables["pairs"]["p_adjusted"].between(0, 1).all()
    assert isinstance(curves.plot("survival"), Axes)
    assert ">people</td>" in curves._repr_html_()
    assert ">human</td>" not in curves._repr_html_()
    assert isinstance(sb.agreement(people.of("human"), **QUICK).tables["agreement"], pd.DataFrame)
    found = sb.trust(people, judge="spotter", **QUICK)
    assert list(found.results) == ["judge:spotter"]
    assert found.sentences


def test_any_finding_is_reached_by_its_name(people):
    absent = {"settled", "stability", "trust", "with_people"}
    names = {each.name for each in findings_of(get_survey("spot_the_bot"))} - absent
    found = {name: sb.finding(people.of("human"), name, **QUICK) for name in names}
    assert all(result.sentences for result in found.values())
    for name in absent - {"stability"}:
        with pytest.raises(ValueError, match=f"^answers: too little was answered for {name}.$"):
            sb.finding(people.of("human"), name, **QUICK)
    named = sb.finding(people.of("human"), "ranking", **QUICK).frames
    assert named.rows("ranking") == sb.rank(people.of("human"), **QUICK).frames.rows("ranking")


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


@pytest.mark.parametrize(
    "columns",
    [
        {"model_a": "model_a", "model_b": "model_b", "winner": "winner"},
        {"model_a": 0, "model_b": 1, "winner": "winner"},
        {"model_a": "左", "model_b": "right side", "winner": ("who", "won")},
    ],
)
def test_a_frame_of_votes_is_read_as_its_file(tmp_path, columns):
    own = pd.DataFrame(
        {
            "model_a": ["ada", "通义", "ada", "ada"] * 9,
            "model_b": ["通义", "cleo", "cleo", "cleo"] * 9,
            "winner": [1, 2, 0, None] * 9,  # floats, because of the gaps
            "at": pd.date_range("2026-01-01", periods=36),
        }
    )
    words = {"columns": dict(zip(["a", "b", "winner"], map(str, columns.values()), strict=True))}
    words["answers"] = {"1": "a", "2": "b", "0": "tie"}
    frame = own.rename(columns=columns)
    path = tmp_path / "votes.csv"
    own.astype({"winner": "Int64"}).rename(columns=columns).to_csv(path, index=False)
    with pytest.warns(UserWarning, match="9 × vote without a winner"):
        by_frame = sb.read_votes(frame, **words)
    with pytest.warns(UserWarning, match="9 × vote without a winner"):
        by_file = sb.read_votes(path, **words)
    pd.testing.assert_frame_equal(by_frame.rank(**QUICK).tables["ranking"], by_file.rank(**QUICK).tables["ranking"])
    with pytest.warns(UserWarning, match="9 × vote without a winner"):
        by_list = sb.read_votes(frame.to_dict("records"), **words)
    assert by_list.rank(**QUICK).sentences == by_file.rank(**QUICK).sentences
    named = own.dropna().replace({"winner": {1: "model_a", 2: "model_b", 0: "tie"}})
    assert sb.rank(named, **QUICK).sentences == by_file.rank(**QUICK).sentences


@pytest.mark.parametrize("index", [["prompt"], ["prompt", "user"], ["winner", "model_a"]])
def test_an_index_with_a_name_is_a_column_of_a_frame(index):
    frame = pd.DataFrame(
        {
            "model_a": ["ada", "bob"] * 20,
            "model_b": ["bob", "ada"] * 20,
            "winner": ["model_a", "model_b", "tie", "model_a"] * 10,
            "prompt": [f"p{place % 7}" for place in range(40)],
            "user": [f"u{place % 9}" for place in range(40)],
        }
    )
    expected = sb.rank(frame, **QUICK)
    found = sb.rank(frame.set_index(index), **QUICK)
    assert found.sentences == expected.sentences
    pd.testing.assert_frame_equal(found.frames["audit"], expected.frames["audit"])
    kept = sb.rank(frame.set_index(index, drop=False), **QUICK)
    pd.testing.assert_frame_equal(kept.frames["pairs"], expected.frames["pairs"])


def test_what_is_wrong_in_a_frame_is_told_of_its_row():
    frame = pd.DataFrame({"model_a": ["ada"] * 3, "model_b": ["bob"] * 3, "winner": ["model_a", "cleo", "tie"]})
    with pytest.raises(ValueError, match=r"^path: the frame, row 2: field 'winner' is 'cleo'"):
        sb.rank(frame, **QUICK)
    with pytest.warns(UserWarning, match=r"^the frame: left out, .* 1 × vote without a winner"):
        sb.read_votes(frame.assign(winner=["model_a", None, "tie"]))


SERVED = {"url": "http://127.0.0.1:1/v1", "model": "m"}
OURS = {"a": "left", "b": "right", "winner": "who"}


@cases(
    "call said",
    r"""
- [sb.Study.open(at / "none"), '^path: .*no study here']
- [own.answers("spot_the_bat"), '^survey: .*Did you mean ''spot_the_bot''']
- [own.answers().of("spoter"), '^source: ''spoter'' gave no answers. Did you mean ''judge:sp']
- ['sb.rank(own.answers(), bootstrap=3)', '^bootstrap: .*Did you mean ''bootstraps''']
- ['sb.rank(own.answers(), bootstraps=0)', '^bootstraps 0: expected a whole number from 1']
- ['sb.rank(own.answers(), bootstraps="x")', '^bootstraps: expected a valid integer']
- [sb.rank(own.answers()).plot("rankin"), '^chart: there is no ''rankin''. Did you mean']
- [sb.rank(own), '^answers: expected a study''s answers to a survey, study.answers\(SURVEY\)']
- ['sb.rank([{"model_a": "ada", "model_b": "bob", "winner": "a"}])', 'not an object of type list.$']
- ['sb.survival(own.answers(), backend="r")', '^backend r: not known. Known: auto, icenreg']
- ['sb.finding(own.answers(), "segmens")', '^answers: the survey .* has no segmens; it has .*Did you mean ''segments']
- ['sb.finding(own.answers(), "spoting.ranking")', 'has no spoting.ranking; it has .*Did you mean ''ranking']
- ['sb.finding(own.answers(), "stability")', '^stability: expected stability=True']
- ['sb.finding(own.answers(), "settled")', '^answers: too little was answered for settled']
- ['sb.trust(own, judge="spotter")', '^answers: expected a study''s answers']
- ['sb.trust(own.answers(), judge="nobody")', '^source: ''nobody'' gave no answers']
- ['sb.trust(sb.demo().answers(), judge="spotter")', '^answers: no person answered']
- [sb.read_votes(at / "none.csv"), '^path: .*no such file']
- [sb.read_votes(5), '^path: expected the path of a file, or a frame of votes, a row each, not int']
- ['sb.read_votes([1, 2])', '^path: expected the path of a file, or a frame of votes, a row each, not list']
- ['sb.rank(sb.demo().answers().frame)', '^path: .*no column is known to hold']
- [sb.read_votes(at / "v.csv"), '^path: .* Name it: columns=\{''winner'': ''THEIR_COLUMN''\}']
- [sb.report(at), '^study: expected a study, Study.open\(PATH\)']
- ['sb.report(own, "spot_the_bat")', '^survey spot_the_bat: .*Did you mean ''spot_the_bot''']
- ['sb.report(own, without="nobody")', '^without nobody: no such judge answered']
- [sb.analyze(str(at)), '^study: expected a study, Study.open\(PATH\)']
- ['sb.analyze(own, "acute_eval")', 'Run: sb.pack\(study, survey=''acute_eval''\)$']
- ['sb.analyze(own, known_order="human>dr")', '^known_order: .* it has backend, bootstraps']
- [sb.pack(str(at)), '^study: expected a study, Study.open\(PATH\)']
- ['sb.pack(own, "acute_eval", ask="fluncy")', '^ask fluncy: survey acute_eval has no such']
- ['sb.pack(own, "acute_eval", comparisons=-1)', '^comparisons -1: expected a whole number']
- ['sb.pack(own, unit_size=7)', '^study: .*Use the options of the first time, or another study']
- [sb.judge_study(str(at)), '^study: expected a study, Study.open\(PATH\)']
- ['sb.judge_study(own, judge="spoter")', '^judge spoter: no such judge. Did you mean']
- ['sb.judge_study(own, "acute_eval")', '^survey acute_eval: .*: url http://.* model NAME.$']
- ['sb.judge_study(own, **served, key=f"sk-{''ab1'' * 9}")', option 'key' holds no name of an env]
- ['sb.judge_study(own, **served, max_cost=1)', '^max_cost 1: judge m has no prices']
- [sb.plan(), ^bots missing. .* name a pilot with study.$]
- [sb.plan(bots="4"), '^bots: expected a valid integer, found ''4''']
- ['sb.plan(bots=4, survey="spot")', '^survey spot: .*Did you mean ''spot_the_bot''']
- [sb.plan(study=str(at)), '^study: expected a study, Study.open\(PATH\)']
- ['sb.import_study("vote", at / "v.csv", at / "s")', '^format vote: not known. Did you mean']
- ['sb.import_study("votes", at / "v.csv", at / "s", columns={"x": "a"})', '^columns=\{''x'': ''a''\}: there is no']
- ['sb.import_study("votes", at / "v.csv", at / "s", columns=ours)', '^data: .* answers=\{''l'': ''OUTCOME'', …\}']
- ['sb.import_study("spotbot2020", at, at / "s")', ^domain missing. Name one of]
""",
)
def test_errors_are_value_errors_that_name_the_argument(people, tmp_path, call, said):
    (tmp_path / "v.csv").write_text("left,right,who\nada,bob,l\nbob,ada,r\n")
    with pytest.raises(ValueError, match=said) as found:
        eval(call, {"sb": sb, "own": people.study, "at": tmp_path, "served": SERVED, "ours": OURS})
    assert "--" not in str(found.value)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Raise --unit-size, or name another --study.", "Raise unit_size, or name another study."),
        ("--survey my_own: unknown.", "survey my_own: unknown."),
        ("Add --yes to allow it, not git commit --amend.", "Add yes=True to allow it, not git commit --amend."),
        (
            hints.run("judge", "my study", judge_url="http://127.0.0.1:8000/v1", max_cost=5),
            "Run: sb.judge_study(study, url='http://127.0.0.1:8000/v1', max_cost=5)",
        ),
        (hints.run("judge", "x", judges="spotter"), "Run: sb.judge_study(study, judge='spotter')"),
        (hints.run("selfchat", "x", more="a/b"), "Run: sb.selfplay(None, study='x', more='a/b')"),
        (whole := hints.run("crowdsource", "x", annotators=5), whole),
        (whole := hints.run("plan", "x", "votes", next=200), whole),
    ],
)
def test_what_a_command_says_is_put_in_python(message, said):
    assert in_python(message) == said


def test_an_error_in_python_has_no_secrets_either(monkeypatch):
    monkeypatch.setenv("MY_KEY", secret := "sk-" + "ab12" * 9)
    with pytest.raises(ValueError, match=r"^study: no .*") as found, as_value_error("study"):
        raise UserError(f"no {secret}\x1b[2J..", hints.Remedy("Use ", hints.command("judge", f"s/{secret}")))
    assert secret not in str(found.value)
    assert "\x1b" not in str(found.value)


PLAYS = ("compare", "selfplay")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "agents"))
    from tests.agents import chat_servers

    with chat_servers.ChatServer(chat_servers.answers_to) as found:
        yield found


TAUGHT = sorted({*sb.__all__} - {"PlanRequest", "analysis"})


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] * (one in PLAYS)) for one in TAUGHT])
def test_every_public_name_teaches(name, tmp_path, monkeypatch, server):
    """Its parameters and its example stand in its docstring; the example is run, a server's address replaced."""
    monkeypatch.chdir(tmp_path)
    thing = getattr(sb, name)
    doc = inspect.getdoc(thing).replace("http://127.0.0.1:8000/v1", server.url)
    if inspect.isfunction(thing):
        parameters = inspect.signature(thing).parameters.values()
        assert [one.name for one in parameters if f"\n{one.name} : " not in doc] == []
        assert not [one for one in parameters if one.kind == one.VAR_POSITIONAL]
    test = doctest.DocTestParser().get_doctest(doc, {"sb": sb, "__name__": "__main__"}, name, None, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_what_plays_and_what_is_opened_are_one_kind_of_study():
    """Also where the room of the same name was imported before: it is called as the public name is."""
    import parlai_spotbot.report
    import parlai_spotbot.selfplay

    assert isinstance(sb.demo(), sb.Study)
    with pytest.raises(ValueError, match=r"^contestants: expected names"):
        parlai_spotbot.selfplay({}, study="x")
    with pytest.raises(ValueError, match=r"^survey spot_the_bat: .*Did you mean 'spot_the_bot'"):
        parlai_spotbot.report(sb.demo(), "spot_the_bat")


def test_the_demo_study_is_of_today_s_spotter(capfd):
    """Else run .ci/demo_study."""
    study = sb.demo()
    made = sb.judge_study(study, progress=False)
    assert made["version"] == spotter.Spotter.version
    assert study.answers().of("spotter").frame.groupby("unit_id").ngroups * 2 == made["answered"] == made["units"]
    assert capfd.readouterr() == ("", "")


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


@pytest.mark.slow
def test_the_page_s_code_runs_without_parlai_and_torch(tmp_path):
    after = "\nimport sys\nassert not {'parlai', 'torch', 'transformers', 'mephisto'} & set(sys.modules)\n"
    assert runs(PAGE.partition(PLAY)[0], tmp_path, after) == 6


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


def test_a_call_without_an_argument_names_the_function():
    with pytest.raises(TypeError, match=r"^compare\(\) missing 1 required positional argument: 'old'"):
        sb.compare("spotbot:eliza")
