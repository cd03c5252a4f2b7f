"""The pages of docs/: each is in the contents, links lead somewhere, they are made without a warning and bar nobody."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from parlai_spotbot.findings import findings_of
from parlai_spotbot.reading import parse_yaml, whole_text
from parlai_spotbot.surveys import survey_names

DOCS = Path(__file__).parent.parent / "docs"
MADE = ("made/api", "made/commands", "made/tables")
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("*.ipynb")])


def test_every_page_is_in_the_contents():
    contents = "\n".join(
        re.findall(r"```{toctree}\n(.*?)```", (DOCS / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    )
    shown = [line for line in contents.splitlines() if line and not line.startswith(":")]
    assert sorted([*(name for name in shown if "/" not in name), "index"]) == [page.stem for page in PAGES]
    elsewhere = re.findall(r'^    "(\w+)": "(.+\.md)",$', (DOCS / "conf.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert all((DOCS.parent / source).is_file() for _, source in elsewhere)
    assert sorted(name for name in shown if "/" in name) == sorted([*MADE, *(f"made/{n}" for n, _ in elsewhere)])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (DOCS / link).exists(), link


def test_every_column_of_a_table_is_described():
    about = parse_yaml(whole_text(DOCS.parent / "parlai_spotbot" / "findings" / "columns.yaml"))
    tables = [table for name in survey_names() for found in findings_of(name) for table in found.tables.values()]
    assert {name for table in tables for name in table.columns} == set(about["columns"])
    assert {column.kind for table in tables for column in table.columns.values()} <= set(about["kinds"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages as `make docs` makes them."""
    pytest.importorskip("myst_nb", reason="needs sphinx: make docs installs it")
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", DOCS, folder], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return folder


class Anchors(HTMLParser):
    """The ids of a page, and where its links, pictures, styles and scripts lead."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        own = dict(attributes)
        self.ids.add(own.get("id"))
        self.links += [own[key] for key in ("href", "src") if own.get(key)]


@pytest.mark.slow
def test_links_of_the_site_lead_somewhere(site):
    pages = {page: Anchors(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    assert len(pages) > len(PAGES)
    broken = []
    for page, found in pages.items():
        for link in found.links:
            address, _, anchor = unquote(link).partition("#")
            target = (page.parent / address.partition("?")[0]).resolve() if address else page
            if ":" in address or page.is_relative_to(site / "_static"):
                continue
            here = target in pages
            if not target.exists() or (anchor and here and anchor not in pages[target].ids):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken


@pytest.mark.slow
@pytest.mark.parametrize("name", ["index", "quickstart", "notebook", "study_of_bots", "made/api", "made/your_own_bots"])
def test_pages_of_the_site_have_no_barrier(site, name, chromium):
    from axe_playwright_python.sync_playwright import Axe

    for scheme in ("light", "dark"):
        page = chromium.new_page(viewport={"width": 1200, "height": 900}, color_scheme=scheme)
        page.goto((site / f"{name}.html").as_uri())
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        page.close()
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        assert not [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in serious], scheme
