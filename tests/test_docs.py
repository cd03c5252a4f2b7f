"""The pages of docs/: each is in the contents, each link leads somewhere, and they are made without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("*.ipynb")])


def test_every_page_is_in_the_contents():
    contents = "\n".join(
        re.findall(r"```{toctree}\n(.*?)```", (DOCS / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    )
    shown = [line for line in contents.splitlines() if line and not line.startswith(":")]
    assert sorted([*(name for name in shown if "/" not in name), "index"]) == [page.stem for page in PAGES]
    elsewhere = re.findall(r'^    "(\w+)": "(.+\.md)",$', (DOCS / "conf.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert all((DOCS.parent / source).is_file() for _, source in elsewhere)
    assert sorted(name for name in shown if "/" in name) == sorted(["made/api", *(f"made/{n}" for n, _ in elsewhere)])


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
