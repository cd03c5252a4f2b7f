"""The commands of the READMEs work as they are written, one after the other, in one folder."""

import re
import shutil

import pytest
from commands import POOL, ROOT, STANDS, as_run, commands, run_all


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


FRONT = commands(text_of("docs/guide.md"))

PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if path.stem != "guide")
LEFT_OUT = {
    ".venv/bin/parlai spotbot_collect --study studies/chats --survey interactive",
    ".venv/bin/parlai spotbot_selfchat --study studies/mine --pool my_pool.yaml --engine ray "
    "--ray-address 10.0.0.1:6379",
    ".venv/bin/python -m parlai_spotbot.projects.spot_the_bot_2020 --data MongoDump.zip --out reproduction",
}
"""The commands of the front page that don't run here."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the user sits, with a pool."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_pool.yaml").write_text(POOL, encoding="utf-8")
    return tmp_path


def test_the_commands_of_the_guide_without_those_that_train_a_judge(folder, run, server):
    quick = [command for command in FRONT if re.search(r"studies/(self|chats|arena)|votes.csv|spotbot_plan", command)]
    quick = [command for command in quick if not re.search(r"spotbot_nuc|--survey nuc", command)]
    assert len(quick) > 15
    run_all(quick, folder, server, run)
    for name in ("self", "arena"):
        assert (folder / "studies" / name / "report" / "index.html").exists()


OTHERS = (
    "agents",
    "agents/causal_lm",
    "agents/openai_chat",
    "crowdsourcing",
    "crowdsourcing/abc_eval",
    "crowdsourcing/chat",
    "crowdsourcing/nuc",
    "crowdsourcing/spot_the_bot",
    "crowdsourcing/whole_conversations",
    "parlai_spotbot/analysis/metrics",
    "parlai_spotbot/analysis/ranking",
    "parlai_spotbot/analysis/survival",
    "parlai_spotbot/analysis/trust",
    "parlai_spotbot/findings",
    "parlai_spotbot/judges",
    "parlai_spotbot/nuc",
    "parlai_spotbot/nuc/scoring",
    "parlai_spotbot/pools",
    "parlai_spotbot/report",
    "parlai_spotbot/surveys",
    "tasks/chitchat",
    "tasks/nuc",
)
"""The READMEs of rooms that show commands; each goes on from a user's studies."""


@pytest.mark.slow
@pytest.mark.parametrize("room", OTHERS)
def test_the_commands_of_a_room(room, users, tmp_path, monkeypatch, run, server):
    shutil.copytree(users, tmp_path / "user")
    monkeypatch.chdir(tmp_path / "user")
    shown = commands(text_of(f"{room}/README.md"))
    assert len(run_all(shown, tmp_path / "user", server, run)) < len(shown)


@pytest.mark.slow
@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_the_commands_of_the_docs(page, users, tmp_path, monkeypatch, run, server):
    shutil.copytree(users, tmp_path / "user")
    monkeypatch.chdir(tmp_path / "user")
    run_all(commands(page.read_text(encoding="utf-8")), tmp_path / "user", server, run)


@pytest.mark.slow
def test_the_commands_of_the_guide(folder, run, server):
    assert set(run_all(FRONT, folder, server, run)) == LEFT_OUT
    for name in ("mine", "self", "arena"):
        assert (folder / "studies" / name / "report" / "index.html").exists()
    assert (folder / "studies" / "mine" / "surveys" / "spot_the_bot" / "analysis" / "unsure-half").is_dir()


def test_everything_that_stands_for_something_says_why_and_is_needed():
    pages = [path for path in ROOT.rglob("README.md") if not {"node_modules", ".venv"} & set(path.parts)]
    pages += (ROOT / "docs").glob("*.md")
    everything = [command for path in pages for command in commands(path.read_text(encoding="utf-8"))]
    for number, stand in enumerate(STANDS):
        assert stand.why
        assert any(re.search(stand.pattern, _until(command, STANDS[:number])) for command in everything), stand


def _until(command, stands):
    for stand in stands:
        command = re.sub(stand.pattern, stand.instead or "", command)
    return command


def test_what_is_a_command():
    text = "x\n\n    .venv/bin/parlai spotbot_pack --study s \\\n        --survey a    # why\n\n"
    text += "```python\nparlai x\n```\n```\nparlai a && parlai b\nmake demo\n```\n"
    assert commands(text) == [".venv/bin/parlai spotbot_pack --study s --survey a", "parlai a", "parlai b"]


def test_what_cannot_run_is_left_out_and_what_is_the_users_is_replaced():
    assert as_run("parlai spotbot_selfchat --engine ray", "") is None
    found = as_run("parlai spotbot_judge --judge-url http://127.0.0.1:8000/v1 --judge-model NAME", "http://h:1/v1")
    assert found == "parlai spotbot_judge --judge-url http://h:1/v1 --judge-model parrot-1"
