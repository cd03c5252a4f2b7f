"""Chromium for tests, headless unless HEADED=1 is set: one a process, since playwright's loop can't be there twice."""

import contextlib
import os
import shutil
from collections.abc import Iterator

from parlai_spotbot.installation.world import BROWSERS

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)

NOT_NEEDED = (
    # pages for who types an address, made with each window: more work than a small page of ours
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "PreloadTopChromeWebUI",
    "SpareRendererForSitePerProcess",  # a process for a page that may come next
    "HttpsUpgrades",  # these two playwright leaves out as well; this list is in place of its own
    "PaintHolding",
)
"""What Chromium would do beside showing a page."""

AXE = {"resultTypes": ["violations"], "preload": False}
"""What axe is asked for of pages that load nothing: what it finds, not what it passes."""

BY_NIGHT = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""What depends on colours: all that `violations` need ask of a page by night, where it is known by day."""

ONE_OF_A_LOOK = """() => {
  const numbers = new Map(), looks = new Map();
  const look = (element) => {
    if (!element) return 0;
    if (looks.has(element)) return looks.get(element);
    const css = getComputedStyle(element);
    const own = [look(element.parentElement), element.localName, css.color, css.backgroundColor, css.backgroundImage,
      css.opacity, css.fontSize, css.fontWeight, css.textShadow, css.position, css.visibility, css.filter].join("|");
    if (!numbers.has(own)) numbers.set(own, numbers.size + 1);
    looks.set(element, numbers.get(own));
    return looks.get(element);
  };
  const seen = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const says = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!says || !element.checkVisibility() || seen.has(look(element))) continue;
    seen.add(look(element));
    element.setAttribute("data-one-of-a-look", "");
  }
  return seen.size;
}"""
"""Marks one text of each look: of the same colours, size and weight, on the same ground."""

AT_ONE_OF_A_LOOK = ';axe.configure({rules: [{id: "color-contrast", selector: "[data-one-of-a-look]"}]});'


@contextlib.contextmanager
def browser() -> Iterator:
    """Chromium, as playwright's Browser."""
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    from playwright import sync_api

    with sync_api.sync_playwright() as play:
        options = ["--no-sandbox", f"--disable-features={','.join(NOT_NEEDED)}"]
        headless = not os.environ.get("HEADED")
        found = play.chromium.launch(executable_path=CHROMIUM, args=options, headless=headless)
        yield found
        found.close()


def violations(tab, **options) -> list[tuple[str, str, list[str]]]:
    """What axe finds in a page that loads nothing: rules, how grave they are, and where they are broken.

    Contrast is measured at one text of each look: a table's thousand cells take most of the time, and tell one thing.
    """
    from axe_playwright_python.base import AXE_SCRIPT
    from axe_playwright_python.sync_playwright import Axe

    assert tab.evaluate(ONE_OF_A_LOOK)
    found = Axe(AXE_SCRIPT + AT_ONE_OF_A_LOOK).run(tab, options={**AXE, **options}).response["violations"]
    return [(rule["id"], rule["impact"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found]
