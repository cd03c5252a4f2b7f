"""What a reader sees of a report's two screens, in a browser: their words, what sticks out, how high they are.

The first screen is the element `answer`, the second the element `how`; everything else is in sections that open.
"""

import re

FIRST, SECOND, SECTIONS = "#answer", "#how", "details.section"
WIDTHS = (320, 390, 768, 1024, 1300, 1600)

VISIBLE = """() => {
  const tab = document.querySelector("details.section"), words = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (tab && node.compareDocumentPosition(tab) !== Node.DOCUMENT_POSITION_FOLLOWING) break;
    const holder = node.parentElement, shown = holder.checkVisibility({ visibilityProperty: true });
    if (!shown || holder.closest("script, style, noscript, title, desc, .turn")) continue;
    words.push(...node.data.split(/\\s+/).filter(Boolean));
  }
  return words;
}"""

STICKING_OUT = """() => {
  const scrolls = (e) => {
    for (let up = e.parentElement; up && up !== document.documentElement; up = up.parentElement)
      if (/auto|scroll/.test(getComputedStyle(up).overflowX)) return true;
    return false;
  };
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 1)
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1)
    .filter((e) => !scrolls(e))
    .map((e) => `${e.tagName}.${e.getAttribute("class") || ""} ${(e.textContent || "").trim().slice(0, 60)}`);
}"""


def text_of(tab, screen: str) -> str:
    """What a screen says, with one space between words and “ ” and ’ as they are typed."""
    text = tab.locator(screen).inner_text()
    return " ".join(re.sub("[’ʼ]", "'", text).split())


def words_before_the_sections(tab) -> list[str]:
    """Return all visible words before the first section."""
    return tab.evaluate(VISIBLE)


def sticking_out(tab) -> list[str]:
    """What ends beyond the left or right edge of the window, and nothing around it scrolls; the page itself, if it is
    wider."""
    wide = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
    return tab.evaluate(STICKING_OUT) + ([f"the page is {wide} px too wide"] if wide > 0 else [])
