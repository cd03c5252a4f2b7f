"""What the pages show works as it is written, one block after the other, in one folder."""

import re
import shutil

import pytest

from tests.readmes.commands import POOL, as_run, run_all, run_page
from tests.readmes.pages import blocks, commands, pages, text_of

GUIDE = "docs/guide.md"
FRONT = commands(text_of(GUIDE))

LEFT_OUT = {
    *(command for command in FRONT if command.startswith("make ")),
    ".venv/bin/parlai spotbot_collect --study studies/chats --survey interactive",
    ".venv/bin/parlai spotbot_selfchat --study studies/mine --pool my_pool.yaml --engine ray "
    "--ray-address 10.0.0.1:6379",
    ".venv/bin/python -m parlai_spotbot.projects.spot_the_bot_2020 --data MongoDump.zip --out reproduction",
}
"""The commands of the guide that don't run here."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the user sits, with a pool."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_pool.yaml").write_text(POOL, encoding="utf-8")
    return tmp_path


def test_the_commands_of_the_guide_without_those_that_train_a_judge(folder, run, server):
    quick = [command for command in FRONT if re.search(r"studies/(self|chats)|spotbot_plan", command)]
    quick = [command for command in quick if not re.search(r"spotbot_nuc|--survey nuc", command)]
    assert len(quick) > 10
    run_all(quick, folder, server, run)
    assert (folder / "studies" / "self" / "report" / "index.html").exists()


def runs(page):
    """Whether anything of it is run here."""
    found = [block for block in blocks(text_of(page)) if block.kind == "python"]
    return bool(found) or any(as_run(command, "") for command in commands(text_of(page)))


@pytest.mark.slow
@pytest.mark.timeout(1800)  # a page's benchmark in bf16 takes ten minutes on a processor that lacks it
@pytest.mark.parametrize("page", [page for page in pages() if page != GUIDE and runs(page)])
def test_what_a_page_shows(page, users, tmp_path, monkeypatch, run, server):
    shutil.copytree(users, tmp_path / "user")
    monkeypatch.chdir(tmp_path / "user")
    run_page(text_of(page), tmp_path / "user", server, run)


@pytest.mark.slow
def test_the_commands_of_the_guide(folder, run, server):
    assert set(run_all(FRONT, folder, server, run)) == LEFT_OUT
    for name in ("mine", "self"):
        assert (folder / "studies" / name / "report" / "index.html").exists()


def test_what_cannot_run_is_left_out_and_what_is_the_users_is_replaced():
    assert as_run("parlai spotbot_selfchat --engine ray", "") is None
    found = as_run("parlai spotbot_judge --judge-url http://127.0.0.1:8000/v1 --judge-model NAME", "http://h:1/v1")
    assert found == "parlai spotbot_judge --judge-url http://h:1/v1 --judge-model parrot-1"
