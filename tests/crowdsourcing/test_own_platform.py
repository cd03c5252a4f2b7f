"""A platform that somebody adds as one file: from its settings over its door to collected answers and provenance."""

import json
import re
import subprocess
import sys

import pytest

from parlai_spotbot import plugin
from parlai_spotbot.crowdsourcing import platforms
from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.settings import LaunchSettings, parse_settings
from parlai_spotbot.errors import UserError
from tests.crowdsourcing.people import SURVEY, Annotator, Launch, known_of, make_study

LAB = '''
"""A lab that pays, takes a tenth, and lists the visits of whom it knows."""

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.platforms.platform import Platform
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door, refused
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym

PEOPLE = ("ann", "bob", "eve")


class LabDoor(Door):
    name = "lab"

    def __init__(self, secret):
        self.people = {pseudonym(secret, name): name for name in PEOPLE}

    def enter(self, query):
        word = query.get("word")
        if word not in self.people:
            raise refused("Please say the code word.")
        return Visitor(self.people[word], f"visit of {self.people[word]}")

    def finish(self, visitor, state, done):
        return {"kind": "code", "code": "PAID", "link": "https://lab.example.org/paid"}


class Lab(Platform):
    def problems(self, settings):
        if settings.currency != "EUR":
            yield f"'currency' is '{settings.currency}', but the lab pays in EUR", "Write 'currency: EUR'."
        yield from super().problems(settings)

    def door(self, collection, secret, crowd):
        return LabDoor(secret)

    def invitation(self, collection, needed):
        return lambda base, secret: [f"{name} says {pseudonym(secret, name)} of {needed}" for name in PEOPLE]

    def statuses(self, paths, registrations):
        known = {"visit of ann": "approved", "visit of bob": "rejected"}
        return {(one.removeprefix("visit of "), one): known[one] for one in registrations if one in known}


PLATFORM = Lab(
    "lab",
    ids="code words",
    fee=0.1,
    paid=True,
    required=(("contact", "Name somebody in the lab."),),
    https="people in the lab trust an https address only.",
    confirms=True,
)
'''
ROW = {"provider": "lab", "pay": 2, "currency": "EUR", "contact": "us@lab.example.org"}
URL = "https://annotate.lab.example.org"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder with the platform's module, which this process finds."""
    folder = tmp_path / "platforms"
    folder.mkdir()
    (folder / "lab.py").write_text(LAB, encoding="utf-8")
    monkeypatch.setattr(platforms, "__path__", [*platforms.__path__, str(folder)])
    plugin._names.cache_clear()
    yield folder
    plugin._names.cache_clear()
    sys.modules.pop(f"{platforms.__name__}.lab", None)


class LabLaunch(Launch):
    """A launch in a process that finds the platform, too."""

    folder = ""

    def _arguments(self):
        start = (
            f"from parlai_spotbot.crowdsourcing import platforms; platforms.__path__.append({self.folder!r}); "
            "from parlai_spotbot.scripts.main import main; main()"
        )
        return ["-c", start, "crowdsource", "--study", str(self.study.path), "--survey", self.survey]


def test_people_come_by_the_door_of_a_new_platform_and_its_list_says_whose_answers_count(tmp_path, lab, monkeypatch):
    study = make_study(tmp_path / "study")
    (tmp_path / "lab.yaml").write_text(json.dumps(ROW), encoding="utf-8")
    monkeypatch.setattr(LabLaunch, "folder", str(lab))
    with LabLaunch(study, "--config", str(tmp_path / "lab.yaml"), "--url", URL, "--live") as started:
        base = started.ready()
        assert "cost         8.80 EUR" in started.said
        assert "10.0% (the setting fee changes it)" in started.said
        words = dict(re.findall(r"(\w+) says (\w+) of 4", started.said))
        assert list(words) == ["ann", "bob", "eve"]
        for query in ("word=guessed", "t=x", "workerId=A1EXAMPLE&assignmentId=3ASSIGNMENT1&hitId=3HITHITHIT1"):
            with pytest.raises(AssertionError, match=r"403.*say the code word"):
                Annotator(f"{base}/?{query}", {})
        for word in words.values():
            session = Annotator(f"{base}/?word={word}", known_of(study)).work()
            assert session["finish"]["code"] == "PAID"
        assert started.stop() == 0
    found = collect(study, SURVEY)
    assert (found.units, found.rejected, found.unknown, found.strangers) == (1, 1, 1, 1)
    assert {row.worker_id for row in study.judgements(SURVEY)} == {found.names["ann"]}
    recorded = study.provenance()["crowdsourcing"][SURVEY]
    assert (recorded["ids"], recorded["settings"]["provider"]) == ("code words", "lab")
    assert CollectionPaths(study, SURVEY).provider == "lab"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"currency": "USD"}, r"mine: 'currency' is 'USD', but the lab pays in EUR\. Write 'currency: EUR'\."),
        ({"contact": ""}, r"mine: provider is 'lab' and 'contact' is missing\. Name somebody in the lab\."),
        ({"pay": 0}, r"mine: provider is 'lab' and 'pay' is missing\. Set the pay for a unit\."),
        ({"provider": "labb"}, r"mine: provider: expected a platform, found 'labb'\. Did you mean 'lab'\?"),
    ],
)
def test_settings_of_a_new_platform_are_checked(lab, change, problem):
    with pytest.raises(UserError, match=problem):
        parse_settings({**ROW, **change}, "mine")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"url": URL}, "provider lab: people would be asked to work for money, and --live is missing"),
        ({"live": True}, "--url missing: people in the lab trust an https address only"),
    ],
)
def test_a_launch_on_a_new_platform_needs_what_the_platform_says(tmp_path, lab, options, problem):
    study = make_study(tmp_path / "study")
    with pytest.raises(UserError, match=problem):
        launch(LaunchRequest(study.path, settings=parse_settings(ROW, "mine"), **options), say=lambda text: None)
    assert not CollectionPaths(study, SURVEY).folder.exists()


def test_an_unknown_platform_is_not_mturk(tmp_path):
    study = make_study(tmp_path / "study")
    with pytest.raises(UserError, match=r"provider mturc: unknown platform\. Did you mean 'mturk'\? Known: in_house, "):
        launch(LaunchRequest(study.path, settings=LaunchSettings(provider="mturc", pay=1.0)), say=lambda text: None)


def test_platforms_are_cheap_to_import():
    script = f"""
import sys
from parlai_spotbot import plugin
from parlai_spotbot.crowdsourcing.platforms import platform_of
found = plugin.names({platforms.__name__!r}, "PLATFORM")
assert [platform_of(name).name for name in found] == found, found
print(sorted({{"mephisto", "pandas", "parlai", "pydantic", "scipy", "torch"}} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
