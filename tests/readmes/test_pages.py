"""Every block of code of every page is run, read as what it is, or marked: with why, and what holds it instead."""

import re

import pytest
import yaml

from parlai_spotbot.crowdsourcing.page_texts import load_texts
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.domains.conversation_files import read_rows
from parlai_spotbot.domains.custom import describe
from parlai_spotbot.judges.specs import read_judges
from parlai_spotbot.selfplay.pool import read_entries
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.nuc_groups import read_groups
from parlai_spotbot.surveys.own_surveys import read_survey
from tests.readmes.pages import COMMAND, blocks, commands, commands_of, pages, text_of


def pool(path):
    """Each entry is one, whether or not its model is here."""
    for name in ("brief.txt", "fish.txt", "new.txt", "old.txt"):
        (path.parent / name).write_text("I like to fish.\n", encoding="utf-8")
    entries = read_entries(str(path))
    assert all(entry.contestant for entry in entries), [entry.problems for entry in entries]


def texts(path):
    load_texts(path, get_survey("spot_the_bot"))


def part_of_texts(path):
    path.write_text("survey:\n" + re.sub("(?m)^", "  ", path.read_text(encoding="utf-8")), encoding="utf-8")
    texts(path)


def conversation(path):
    read_rows(path.rename(path.with_suffix(".jsonl")), "cafe")


def domain(path):
    for name in ("cafe", "openers", "guests"):
        talk = '{"turns": ["hello %s %d", "hi there", "a cup of %s"], "people": ["p%d", "q%d"]}\n'
        rows = [talk % (name, n, name, n, n) for n in range(40)]
        (path.parent / f"{name}.jsonl").write_text("".join(rows), encoding="utf-8")
    describe(path)


def workflow(path):
    """GitHub's, whose comparison is the page's."""
    steps = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["compare"]["steps"]
    compared = " ".join(steps[-2]["run"].partition(" ||")[0].replace("\\", "").split())
    assert compared.replace("spotbot ", ".venv/bin/parlai spotbot_") in commands(text_of("docs/compare_prompts.md"))


READERS = (
    (r"texts/README.md: (onboarding|questions):", part_of_texts),
    (r"texts/README.md: language:", texts),
    (r'abc_eval/README.md: \{"task"', None),
    (r"crowdsourcing/", read_settings),
    (r'domains/README.md: \{"turns"', conversation),
    (r"domains/README.md: name: ", domain),
    (r"judges/README.md: ", read_judges),
    (r"surveys/README.md: # (my_survey|polite|wordings).yaml", read_survey),
    (r"surveys/README.md: # groups.yaml", lambda path: read_groups(path, ["movies", "twitter", "ubuntu"])),
    (r"^(README|CONTRIBUTING|agents/.*|docs/guide|parlai_spotbot/pools/README).md: [\w]+:", pool),
    (r"docs/(user_simulators.md: # users|compare_prompts.md: # prompts).yaml", pool),
    (r"docs/many_machines.md: large:", pool),
    (r"docs/compare_prompts.md: name: prompts", workflow),
    (r"docs/let_people_judge.md: # prolific.yaml", read_settings),
)
"""What reads a block of data, by the page and how it begins; None: what our own commands write."""

SHOWN = (
    (r"CONTRIBUTING.md: errors, files < records", "the arrows: tests/test_arrows.py"),
    (r"CONTRIBUTING.md: \[project.entry-points", "entry points: tests/test_contributing.py"),
    (r"crowdsourcing/README.md: STUDY/surveys/NAME", "which files there are"),
    (r"webapp/README.md: export function Stars", "a sketch of a component"),
    (r"docs/guide.md: study.yaml  ", "which files there are"),
    (r"pools/README.md: error: my_pool.yaml", "an answer of a command"),
    (r"docs/many_machines.md: \.venv/bin/ray start", "Ray's own command: tests/test_engine.py starts nodes"),
)
"""What is neither run nor read, by the page and how it begins; what it is."""

ALL = [(page, block) for page in pages() for block in blocks(text_of(page))]


def first_words(page, block):
    return f"{page}: {block.text}"


def which(page, block, known):
    return next((number for number, own in enumerate(known) if re.search(own[0], first_words(page, block))), None)


@pytest.mark.parametrize("page", sorted({page for page, _ in ALL}))
def test_every_block_is_run_read_or_marked(page, tmp_path):
    for number, (_, block) in enumerate(own for own in ALL if own[0] == page):
        where = f"{page}, line {block.line}"
        if block.kind == "yaml":
            found = which(page, block, READERS)
            assert found is not None, f"{where}: nothing reads this: {block.text}"
            path = tmp_path / f"{number}.yaml"
            path.write_text(block.text, encoding="utf-8")
            if READERS[found][1]:
                READERS[found][1](path)
        elif block.kind == "commands":  # run by test_readmes.py
            for command in commands_of(block):
                assert COMMAND.match(command), f"{where}: {command}"
        elif block.kind == "python":  # run by test_readmes.py
            compile(block.text, where, "exec")
        elif block.kind != "contents":  # held by tests/test_docs.py
            assert which(page, block, SHOWN) is not None, f"{where}: neither run nor read nor marked: {block.text}"


def test_pages_are_those_that_are_read():
    assert {"README.md", "docs/quickstart.md", "parlai_spotbot/exporters/README.md"} <= set(pages())
    assert not [page for page in pages() if "node_modules" in page or not text_of(page)]
