"""spotbot_collect and spotbot mephisto as their users run them, on a collection made by a real desk."""

import io
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "crowdsourcing"))

from in_process import spotbot
from people import SURVEY, Annotator, Launch, known_of, make_study

from parlai_spotbot.scripts.main import main
from parlai_spotbot.scripts.spotbot_collect import SpotbotCollect


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
    assert "controls missed" in out
    assert "0 of 2" in out
    assert str(study.judgements_path(SURVEY)) in out
    assert "comments.jsonl (2)" in out
    assert "annotator-1" not in out
    assert "judgements: 80, 0 of them new" in spotbot("collect", "--study", study.path, code=1)[0]
    figures = json.loads(spotbot("collect", "--study", study.path, "--json", code=1)[0])["figures"]
    assert (figures["judgements"], figures["added"], figures["units"], figures["comments"]) == (80, 0, 2, 2)
    assert figures["unfinished"] == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"keep_worker_ids": True}, "--study missing"),
        ({"study": "nowhere"}, "nowhere: no study here"),
        ({"survey": "spot_the_bot_game"}, "nobody has annotated 'spot_the_bot_game'"),
        ({"survey": "spot_the_bott"}, "Did you mean 'spot_the_bot'?"),
    ],
)
def test_bad_input_is_one_error(capsys, study, options, says):
    if "survey" in options:
        options = {**options, "study": str(study.path)}
    with pytest.raises(SystemExit) as error:
        SpotbotCollect.main(**options)
    assert error.value.code == 2
    assert says in capsys.readouterr().err


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
    assert "left out: 1 units that Mephisto's tools rejected" in out


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


@pytest.mark.parametrize(
    ("args", "code"), [([], 0), (["--help"], 0), (["check"], 2), (["--study", "nowhere", "check"], 2)]
)
def test_the_wrapper_says_how_it_is_used(capsys, args, code):
    with pytest.raises(SystemExit) as ended:
        main(["mephisto", *args])
    assert ended.value.code == code
    said = capsys.readouterr()
    assert ("usage: spotbot mephisto" in said.out + said.err) or "no study here" in said.err
