"""Makes the report's pictures again: of the demo's study, of the votes in docs/rank_my_arena.md, of the six studies and
of the gallery's reports.

make demo docs && .venv/bin/python -m tests.six_studies.pictures demo-study [FOLDER]

Where people seem to answer, the picture says that they are simulated.
"""

import contextlib
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from parlai_spotbot.report.page import build_report
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from parlai_spotbot.scripts.spotbot_import import SpotbotImport
from parlai_spotbot.study import Study
from tests.chromium import browser
from tests.crowdsourcing.page.screenshots import shoot
from tests.readmes.pages import blocks, text_of
from tests.six_studies.six_studies import STUDIES, make, play
from tests.six_studies.two_screens import SECOND

TESTS = Path(__file__).parent.parent
FOLDER = TESTS.parent / "parlai_spotbot" / "report" / "screenshots"
WIDTH, COLOURS = 1300, 200
DOCS = TESTS.parent / "docs"
READ = "demo"
"""The study of whose conversations there are pictures."""

SIMULATED = """() => {
  for (const heading of document.querySelectorAll(".card h2, .card h3"))
    if (/^(Judged by p|P)eople$/.test(heading.textContent.trim()))
      heading.innerHTML += '<span class="badge">simulated annotators</span>';
}"""


def main(demo: Path, folder: Path = FOLDER) -> None:
    """A picture a study."""
    with tempfile.TemporaryDirectory() as made:
        played = play(Path(made))
        studies = {name: make(name, played, Path(made)) for name in STUDIES if name != "demo"}
        studies |= {"demo": Study.open(demo), "votes": votes(Path(made))}
        shoot_all({name: build_report(study) for name, study in studies.items()}, folder)
    gallery(DOCS / "static")


def gallery(folder: Path) -> None:
    """Picture the top of each report of the gallery."""
    with browser() as chromium:
        for page in sorted((DOCS / "_build" / "html" / "reports").glob("*.html")):
            tab = opened(chromium, page, 1040)
            tab.set_viewport_size({"width": 1040, "height": 640})
            shoot(tab, folder, f"gallery-{page.stem}", colours=COLOURS)


def votes(folder: Path) -> Study:
    """The study that the how-to makes of the votes that its Python writes."""
    [writing, *_] = [block.text for block in blocks(text_of("docs/rank_my_arena.md")) if block.kind == "python"]
    with contextlib.chdir(folder):
        exec(writing, {})
    study = str(folder / "votes")
    SpotbotImport.main(format="votes", data=str(folder / "votes.csv"), study=study)
    SpotbotAnalyze.main(study=study)
    return Study.open(study)


def shoot_all(pages: Mapping[str, Path], folder: Path) -> None:
    """Each page down to where the second screen begins; of one, conversations as well, and the look of a phone."""
    with browser() as chromium:
        for name, page in pages.items():
            tab = opened(chromium, page, WIDTH)
            tab.set_viewport_size({"width": WIDTH, "height": round(tab.locator(SECOND).bounding_box()["y"])})
            shoot(tab, folder, f"first-screen-{name}", colours=COLOURS)
        tab = opened(chromium, pages[READ], WIDTH)
        tab.locator("#examples > summary").click()
        tab.locator("#list summary").first.click()
        tab.set_viewport_size({"width": WIDTH, "height": 1300})
        tab.locator("#examples").evaluate("(bar) => bar.scrollIntoView()")
        shoot(tab, folder, "reading", colours=COLOURS)
        shoot(opened(chromium, pages[READ], 390, "dark"), folder, "phone", colours=COLOURS)
    for path in sorted(folder.glob("*.png")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def opened(chromium, page: Path, width: int, scheme: str = "light"):
    """The page in a tab, given as text, so that it can't name the folder in which it lies."""
    tab = chromium.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    tab.set_content(page.read_text(encoding="utf-8"))
    tab.evaluate(SIMULATED)
    return tab


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
