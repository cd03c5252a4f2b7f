"""The files that CONTRIBUTING.md shows whole: each is all that its kind of thing takes."""

import json
import random
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from parlai_spotbot import checksums, files, plugin
from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.settings import parse_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from tests.spoken import rows_of_item

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.S)
FILES = dict(re.findall(r"```python\n# ((?:parlai_spotbot|crowdsourcing)/\S+\.py)\n(.*?)```", TEXT, re.S))


SHOWN = tomllib.loads(re.findall(r"```toml\n(.*?)```", TEXT, re.S)[0])["project"]["entry-points"]

KINDS = {"surveys": "SURVEY", "judges": "JUDGE", "importers": "FORMAT", "spotting": "FINDING", "platforms": "PLATFORM"}
"""Of what the files declare, by their folder."""


def inside(tmp_path, monkeypatch):
    """The files stand where CONTRIBUTING.md says."""
    for name, text in FILES.items():
        folder = Path(name).parent
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        rooms = [part for part in folder.parts if part != "parlai_spotbot"]
        package = import_module(".".join(["parlai_spotbot", *rooms]))
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / folder)])


def outside(tmp_path, monkeypatch):
    """The files are modules of a package that somebody installed, as its entry points tell."""
    installed = tmp_path / "installed"
    (installed / "my_methods").mkdir(parents=True)
    (installed / "my_methods" / "__init__.py").touch()
    entries: dict[str, dict[str, str]] = {}
    for name, text in FILES.items():
        path = Path(name)
        (installed / "my_methods" / path.name).write_text(text, encoding="utf-8")
        kind = KINDS[path.parent.name]
        called = f"spotting.{path.stem}" if kind == "FINDING" else path.stem
        entries[plugin.GROUPS[kind]] = {called: f"my_methods.{path.stem}:{kind}"}
    assert SHOWN.items() <= entries.items()
    entries[plugin.GROUPS["EXPORT"]] = {"broken": "my_methods.nowhere:EXPORT"}
    told = installed / "my_methods-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: my_methods\nVersion: 1.0\n")
    with (told / "entry_points.txt").open("w", encoding="utf-8") as file:
        for group, own in entries.items():
            file.write(f"[{group}]\n" + "".join(f"{called} = {place}\n" for called, place in own.items()))
    monkeypatch.syspath_prepend(str(installed))


@pytest.fixture(params=[inside, outside])
def added(request, tmp_path, monkeypatch):
    request.param(tmp_path, monkeypatch)
    for cached in (plugin._names, plugin._outside):
        cached.cache_clear()
    yield tmp_path
    for cached in (plugin._names, plugin._outside):
        cached.cache_clear()


def talks(path):
    """Conversations of three bots as lines of text."""
    rng = random.Random(1)
    for number, pair in enumerate([("alice", "eliza"), ("eliza", "tfidf"), ("tfidf", "alice")] * 4):
        for _ in range(6):
            for speaker in pair:
                yield f"c{number}\t{speaker}\t{' '.join(rng.choices(['yes', 'well', 'tell me', 'no'], k=5))}\n"


def chosen(study, survey):
    """What three people choose, drawn by a seed."""
    rng = random.Random(1)
    for unit in study.units(survey):
        for item in unit.items:
            for worker in ("w1", "w2", "w3"):
                given = {("memory", "pair"): rng.choice(["conversation:0", "conversation:1"])}
                for row in rows_of_item(f"{item.item_id}/{worker}", unit, item, worker, given, seconds=20.0):
                    yield row.to_json()


def test_each_kind_of_thing_is_one_file(added):
    from parlai_spotbot.scripts.main import main

    def spotbot(command, **options):
        told = [part for key, value in options.items() for part in (f"--{key}", str(value))]
        main([command, *told])

    assert len(FILES) == 5
    path = added / "study"
    (added / "talks.tsv").write_text("".join(talks(added)), encoding="utf-8")
    spotbot("spotbot_import", format="lines", data=added / "talks.tsv", study=path)
    spotbot("spotbot_pack", study=path)
    spotbot("spotbot_judge", study=path, judges="talkative")
    spotbot("spotbot_pack", study=path, survey="memorable")
    study = Study.open(path)
    checksums.write_jsonl(study.judgements_path("memorable"), chosen(study, "memorable"))
    for survey in ("spot_the_bot", "memorable"):
        spotbot("spotbot_analyze", study=path, survey=survey, bootstraps=20)
    found = files.read_json(study.analysis_path("spot_the_bot") / "undecided.json")["tables"]["unsure"]
    assert {row["unsure"] for row in found if row["source"] == "judge:talkative"} == {0.0}
    assert (study.analysis_path("spot_the_bot") / "undecided.csv").exists()
    spotbot("spotbot_report", study=path)
    page = (path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Annotators are most often unsure of" in page
    assert "which of two bots is remembered?" in page
    assert (path / "report" / "figures" / "spot_the_bot-undecided-judge_talkative.svg").exists()


def test_an_entry_point_that_leads_nowhere_is_told(tmp_path, monkeypatch):
    outside(tmp_path, monkeypatch)
    plugin._outside.cache_clear()
    with pytest.raises(UserError, match=r"--format broken: my_methods.nowhere:EXPORT of my_methods can't be loaded"):
        plugin.find("parlai_spotbot.exporters", "EXPORT", "broken", "--format")
    with pytest.raises(UserError, match="Did you mean 'broken'"):
        plugin.find("parlai_spotbot.exporters", "EXPORT", "brokn", "--format")
    plugin._outside.cache_clear()


def test_a_platform_is_one_file(added):
    settings = parse_settings({"provider": "university_lab"}, "lab.yaml")
    platform, secret = settings.platform, bytes(32)
    assert (settings.unit_cost, platform.ids) == (0.0, "code words of the lab's seats")
    door, seats = platform.door(None, secret, None), []
    for line in platform.invitation(None, 20)("https://lab.example.org", secret):
        seat, link = line.split(": ")
        seats.append(door.enter(dict(parse_qsl(urlsplit(link).query))).worker)
        assert seats[-1] == seat
    assert len(set(seats)) == 20
    [other, *_] = platform.invitation(None, 20)("", bytes(range(32)))  # of another study
    for word in (seats[0], other.partition("=")[2]):
        with pytest.raises(Refusal, match="address that lies at your seat"):
            door.enter({"word": word})


def tool(*command, text=None, folder=None):
    """Run a tool of style or types on an example; its exit code has to be 0."""
    outcome = subprocess.run([sys.executable, "-m", *command], input=text, cwd=folder, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("text", BLOCKS, ids=lambda text: text.splitlines()[0])
def test_examples_have_the_style_of_the_project(text):
    name = next((name for name in FILES if name in text), "docs/figure.py")
    ignored = () if name in FILES else ("--ignore", "D100")
    tool("ruff", "check", "-q", *ignored, "--stdin-filename", name, "-", text=text)
    tool("ruff", "format", "-q", "--diff", "--stdin-filename", name, "-", text=text)


def test_examples_have_no_error_of_types(tmp_path):
    package = tmp_path / "installed" / "parlai_spotbot"
    package.mkdir(parents=True)
    for path in (*(ROOT / "parlai_spotbot").iterdir(), ROOT / "crowdsourcing"):  # as pip would install them
        (package / path.name).symlink_to(path)
    for number, text in enumerate(BLOCKS):
        (tmp_path / f"example_{number}.py").write_text(text, encoding="utf-8")
    options = {"include": ["*.py"], "extraPaths": [str(package.parent)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(options))
    tool("pyright", "--pythonpath", sys.executable, "-p", str(tmp_path), folder=tmp_path)
