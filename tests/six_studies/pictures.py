"""Makes the report's pictures again: the six first screens, conversations, and a page on a phone.

.venv/bin/python tests/six_studies/pictures.py [FOLDER]
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "crowdsourcing" / "page")]

from chromium import browser  # noqa: E402
from screenshots import shoot  # noqa: E402
from six_studies import STUDIES, make, play  # noqa: E402
from two_screens import SECOND  # noqa: E402

from parlai_spotbot.report.page import build_report  # noqa: E402

FOLDER = TESTS.parent / "parlai_spotbot" / "report" / "screenshots"
WIDTH, COLOURS = 1300, 200
READ = "clear"
"""The study of the pictures that stand for all reports."""


def main(folder: Path) -> None:
    """A picture a study."""
    with tempfile.TemporaryDirectory() as made:
        played = play(Path(made))
        shoot_all({name: build_report(make(name, played, Path(made))) for name in STUDIES}, folder)


def shoot_all(pages: Mapping[str, Path], folder: Path) -> None:
    """Each page down to where the second screen begins; of one, conversations as well, and the look of a phone."""
    with browser() as chromium:
        for name, page in pages.items():
            tab = opened(chromium, page, WIDTH)
            tab.set_viewport_size({"width": WIDTH, "height": round(tab.locator(SECOND).bounding_box()["y"])})
            shoot(tab, folder, "first-screen" if name == READ else f"first-screen-{name}", colours=COLOURS)
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
    return tab


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
