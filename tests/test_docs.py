"""The pages of docs/: each is in the contents, each link leads somewhere, and they are made without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def test_every_page_is_in_the_contents():
    contents = re.search(r"```{toctree}\n(.*?)```", (DOCS / "index.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    shown = [line for line in contents.splitlines() if not line.startswith(":")]
    assert sorted([*shown, "index"]) == [page.stem for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (DOCS / link).exists(), link


@pytest.mark.slow
def test_pages_are_made_without_a_warning(tmp_path):
    pytest.importorskip("sphinx")
    made = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", DOCS, tmp_path], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "quickstart.html").exists()
