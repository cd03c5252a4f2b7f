"""spotbot_collect and spotbot mephisto as their users run them, on a collection made by a real desk."""

import io
import json
import shutil
import sys

import pytest

from parlai_spotbot.scripts.main import main
from parlai_spotbot.study import Study
from tests.crowdsourcing.people import SURVEY, Annotator, Launch, known_of, make_study
from tests.in_process import spotbot


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A collection with two units done, one of them with a comment."""
    study = make_study(tmp_path_factory.mktemp("collected") / "study")
    knows = known_of(study)
    with Launch(study, "--annotators", "2") as started:
        started.ready()
        for name, link in started.links().items():
            Annotator(link, knows).work(f"I am {name}")
        assert started.stop() == 0
    return study


def test_it_says_what_was_collected_whom_to_look_at_and_where_it_is(study):
    out, err = spotbot("collect", "--study", study.path, code=1)
    assert "missing: 2 × unit that nobody has finished" in err
    assert "finished units: 2; judgements: 80, 80 of them new" in out
    assert "look at" in out
    assert str(study.judgements_path(SURVEY)) in out
    assert "comments: 2" in out
    assert "annotator-1" not in out
    assert "judgements: 80, 0 of them new" in spotbot("collect", "--study", study.path, code=1)[0]
    figures = json.loads(spotbot("collect", "--study", study.path, "--json", code=1)[0])["figures"]
    assert (figures["judgements"], figures["added"], figures["units"], figures["comments"]) == (80, 0, 2, 2)
    assert figures["unfinished"] == 2


def test_who_withdraws_is_told_what_is_deleted_and_the_report_waits_for_a_new_analysis(study, tmp_path):
    study = Study.open(shutil.copytree(study.path, tmp_path / "study"))
    spotbot("collect", "--study", study.path, code=1)
    spotbot("analyze", "--study", study.path, "--bootstraps", "20")
    spotbot("report", "--study", study.path)
    spotbot("report", "--study", study.path, "--export", tmp_path / "published")
    out, _ = spotbot("collect", "--study", study.path, "--withdraw", "annotator-2")
    assert f"{SURVEY}: 40 judgements deleted; 1 unit handed in" in out
    assert f"{SURVEY}: its analysis, of answers that are gone, is deleted" in out
    assert f"warning: {tmp_path / 'published'} was exported before and may hold the answers" in out
    _, err = spotbot("report", "--study", study.path, code=1)
    assert f"missing: 1 × analysis of the answers to {SURVEY} as they are now" in err
    assert f"spotbot_analyze --study {study.path} --survey {SURVEY}; then this command again" in err


def test_bad_input_is_one_error(study):
    for words, says in (
        (["collect"], "--study missing"),
        (["collect", "--study", study.path, "--survey", "spot_the_bot_game"], "nobody has annotated"),
        (["collect", "--study", study.path, "--submissions", "x.csv"], "unknown option --submissions"),
        (["collect", "--study", study.path, "--withdraw", "zoe"], "nobody of that id or pseudonym"),
        (["mephisto", "check"], "--study missing"),
        (["mephisto", "--study", "nowhere", "examine"], "no study here"),
    ):
        assert says in spotbot(*words, code=2)[1]


def test_help_is_help_and_the_end_of_the_input_one_line(capsys, study, monkeypatch):
    for words in (["examine", "--help"], ["--study", str(study.path), "examine", "-h"], ["--help"]):
        with pytest.raises(SystemExit) as ended:
            main(["mephisto", *words])
        assert ended.value.code == 0
        assert capsys.readouterr().out.startswith("usage: spotbot mephisto")

    def stop(*_):
        raise KeyboardInterrupt

    for stdin in (io.StringIO(""), io.StringIO("x\n"), None):
        if stdin is None:
            monkeypatch.setattr("builtins.input", stop)
        monkeypatch.setattr("sys.stdin", stdin or io.StringIO(""))
        with pytest.raises(SystemExit) as ended:
            main(["mephisto", "--study", str(study.path), "examine"])
        assert ended.value.code == 130
        assert capsys.readouterr().err.strip().count("\n") == 0


def test_mephistos_review_shows_the_work_and_what_it_rejects_is_left_out(capsys, study, monkeypatch):
    main(["mephisto", "--study", str(study.path), "examine", "--show"])
    out = capsys.readouterr().out
    assert out.count("unit ") == 2
    assert "controls missed: 0" in out
    assert "“I am annotator-1”" in out
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nr\nnot done with care\nn\n"))
    main(["mephisto", "--study", str(study.path), "examine"])
    capsys.readouterr()
    out, err = spotbot("collect", "--study", study.path, code=1)
    assert "missing: 2 × unit that nobody has finished" in err  # one that was rejected is left out on purpose
    assert "finished units: 1; judgements: 40" in out
    assert "left out: 1 unit rejected" in out


def test_mephistos_own_command_starts_and_sees_the_study(study):
    import os
    import subprocess

    start = "from parlai_spotbot.scripts.main import main; main()"
    home = study.path.parent / "home"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", start, "mephisto", "--study", str(study.path), "requesters"],
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(home)},
    )
    assert done.returncode == 0, done.stderr
    assert "spotbot_in_house" in done.stdout
    assert not list(home.iterdir())
