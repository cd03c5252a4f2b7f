"""The pages of docs/: each is in the contents, links lead somewhere, they are made without a warning and bar nobody."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from parlai_spotbot.crowdsourcing.dry_run import MINIMUM_WAGE
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.whole_study import hygiene, simulators
from parlai_spotbot.judges.summary import MOST_COST, MOST_REQUESTS
from parlai_spotbot.reading import parse_yaml, whole_text
from parlai_spotbot.selfplay.pool import read_entries
from parlai_spotbot.surveys import get_survey, survey_names
from parlai_spotbot.surveys.survey import Limits
from tests.readmes.pages import ROOT, pages, text_of

DOCS = Path(__file__).parent.parent / "docs"
MADE = ("made/api", "made/commands", "made/tables")
TEXTS = [" ".join(text_of(page).split()) for page in pages() if page != "CHANGELOG.md"]
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("*.ipynb")])


def test_every_page_is_in_the_contents():
    contents = "\n".join(
        re.findall(r"```{toctree}\n(.*?)```", (DOCS / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    )
    shown = [line for line in contents.splitlines() if line and not line.startswith(":")]
    assert sorted([*(name for name in shown if "/" not in name), "index"]) == [page.stem for page in PAGES]
    elsewhere = parse_yaml(whole_text(DOCS / "readmes.yaml"))
    assert all((ROOT / source).is_file() for source in elsewhere.values())
    assert sorted(name for name in shown if "/" in name) == sorted([*MADE, *(f"made/{name}" for name in elsewhere)])


LINK = re.compile(r"\]\(([^)#\s]*)#?([^)\s]*)\)")
FOREIGN = re.compile(r"https?://[\w-]+(\.[\w-]+)*(:\d+)?(/\S*)?|mailto:\S+@\S+")


def anchors_of(text):
    """The anchors that a page's headings get, as GitHub and Sphinx make them."""
    headings = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages())
def test_links_of_a_page_lead_to_files_and_headings(page):
    for link, anchor in LINK.findall(text_of(page)):
        if ":" in link:
            assert FOREIGN.fullmatch(link), link
            continue
        target = ROOT / page if not link else (ROOT / page).parent / unquote(link)
        assert target.exists(), link
        if anchor and (target := target / "README.md" if target.is_dir() else target).suffix == ".md":
            assert anchor in anchors_of(target.read_text(encoding="utf-8")), f"{link}#{anchor}"


WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
FACTS = (
    (r"lets (\w+) small, different chatbots|embedded pool \((\w+) bots", len(read_entries("embedded"))),
    (r"(\w+) small chatbots talk", len(read_entries("rules"))),
    (r"(?:Above|more than) ([\d,]+) requests", MOST_REQUESTS),
    (r"requests or (\d+) dollar", MOST_COST),
    (r"at least (\d+) an hour|below (\d+) an hour", MINIMUM_WAGE),
    (r"An annotator does at most (\w+) units|units_per_annotator: (\d+), onb", Limits().units_per_annotator),
    (r"`comparative` \((\w+) dimensions", len(get_survey("comparative").questions)),
)
"""Numbers of the pages that the product has too."""

ONCE = (r"million votes take", r"minutes the first time", r"install \.` \(\d+ MB")
"""Measurements: each stands on one page."""


@pytest.mark.parametrize(("words", "number"), FACTS, ids=[words for words, _ in FACTS])
def test_numbers_of_pages_are_those_of_the_product(words, number):
    found = [next(filter(None, match.groups())).lower() for text in TEXTS for match in re.finditer(words, text)]
    assert found
    assert {WORDS.get(one) or int(one.replace(",", "")) for one in found} == {number}


@pytest.mark.parametrize("words", ONCE)
def test_a_measurement_stands_on_one_page(words):
    assert sum(bool(re.search(words, text)) for text in TEXTS) == 1


def test_every_column_of_a_table_is_described():
    about = parse_yaml(whole_text(DOCS.parent / "parlai_spotbot" / "findings" / "columns.yaml"))
    findings = [found for name in survey_names() for found in findings_of(get_survey(name))]
    tables = [table for found in (*findings, hygiene.FINDING, simulators.FINDING) for table in found.tables.values()]
    differ = {name for table in tables for name in table.columns} ^ set(about["columns"])
    assert not differ, f"described in findings/columns.yaml, or columns of a finding, but not both: {sorted(differ)}"
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
            # A report's script unpacks its conversations, which have these anchors.
            here = target in pages and not (page.parent.name == "reports" and anchor.startswith("c-"))
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
