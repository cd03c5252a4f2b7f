"""A stranger's test: from a report's two screens alone one can say who is first, how sure that is, and what comes next.

What is right was written down before (answers.yaml). The page is read as it is drawn, and what was promised of its
looks is measured with it: few words before the first tab, nothing cut off, no barrier that axe finds.
"""

import contextlib
import itertools
import re
from collections import Counter

import pytest

from parlai_spotbot.report.page import build_report
from tests.case_tables import cases
from tests.chromium import violations
from tests.six_studies.two_screens import (
    FIRST,
    SECOND,
    SECTIONS,
    WIDTHS,
    sticking_out,
    text_of,
    words_before_the_sections,
)

WORDS = 700
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

PAPER = 700
"""How wide a sheet of A4 is between its margins, in px."""
EVERYTHING = pytest.mark.parametrize("everything", [False, pytest.param(True, marks=pytest.mark.slow)])


@pytest.fixture(scope="module")
def page_of(study_of):
    """The report of the study of a name."""
    found = {}

    def page(name):
        if name not in found:
            found[name] = build_report(study_of(name))
        return found[name]

    return page


@contextlib.contextmanager
def opened(chromium, path, width=1300, scheme="light"):
    """A tab with the page."""
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(path.as_uri())
    try:
        yield tab
    finally:
        context.close()


@pytest.fixture(scope="module")
def tab_of(page_of, chromium):
    """The tab with a study's report, for tests that leave it as it is: to open one takes longer than to look at it."""
    found = {}

    def tab(name, width=1300, scheme="light", media="screen"):
        if name not in found:
            found[name] = chromium.new_page()
            found[name].goto(page_of(name).as_uri())
        found[name].set_viewport_size({"width": width, "height": 900})
        found[name].emulate_media(media=media, color_scheme=scheme)
        return found[name]

    yield tab
    for opened_once in found.values():
        opened_once.close()


def found_in(text, patterns):
    return [pattern for pattern in patterns if re.search(pattern, text, re.I)]


@pytest.fixture(scope="module")
def told_by(tab_of):
    """What the two screens of a study say."""
    found = {}

    def told(name):
        if name not in found:
            found[name] = text_of(tab_of(name), FIRST), text_of(tab_of(name), SECOND)
        return found[name]

    return told


@pytest.fixture
def told(which, told_by):
    return told_by(which)


def test_the_first_screen_says_who_is_first_how_sure_and_what_next(which, told, answers):
    first, _ = told
    missing = {asked: said for asked, said in answers[which]["says"].items() if not found_in(first, said)}
    assert missing == {}, first


def test_what_has_to_be_known_beside_stands_on_one_of_the_two(which, told, answers):
    both = " ".join(told)
    asked = answers[which].get("on_either", {})
    assert {what: said for what, said in asked.items() if not found_in(both, said)} == {}, both


def test_nothing_is_said_that_is_not_so(which, told, answers):
    assert found_in(" ".join(told), answers[which]["never"]) == [], " ".join(told)


def test_nothing_is_said_twice(which, told):
    """A warning stands once, and so does any other sentence."""
    sentences = Counter(own for screen in told for own in re.split(r"(?<=[.:]) ", screen) if len(own.split()) > 10)
    assert [own for own, times in sentences.items() if times > 1] == []


def test_the_next_step_has_a_price_in_reason(which, told, answers):
    """Where something is to be collected, how much of it stands there."""
    numbers = [int(n.replace(",", "")) for n in re.findall(r"([\d,]*\d)(?: \w+)? (?:annotations|answers)", told[0])]
    if "price" not in answers[which]:
        return
    least, most = answers[which]["price"]
    assert any(least <= number <= most for number in numbers), told[0]
    assert max(numbers) <= most, told[0]


def test_few_words_stand_before_the_sections(which, tab_of):
    assert tab_of(which).locator(SECTIONS).count() > 5
    words = words_before_the_sections(tab_of(which))
    print(f"{which}: {len(words)} words before the first section")
    assert 100 < len(words) <= WORDS, " ".join(words)


@EVERYTHING
def test_nothing_is_cut_off(which, page_of, chromium, everything):
    """In a window of any width, light or dark, on paper; sections closed, or all open (no paper is too narrow)."""
    found = {}
    with opened(chromium, page_of(which)) as tab:
        if everything:
            show_everything(tab)
        for width, scheme, media in itertools.product(WIDTHS, ("light", "dark"), ("screen", "print")):
            if everything and media == "print" and width < PAPER:
                continue
            tab.set_viewport_size({"width": width, "height": 900})
            tab.emulate_media(media=media, color_scheme=scheme)
            if out := sticking_out(tab):
                found[width, scheme, media] = out[:5]
    assert found == {}


@EVERYTHING
@pytest.mark.slow
@cases("width scheme", "[[1300, light], [390, dark]]")
def test_axe_finds_nothing(which, page_of, chromium, width, scheme, everything):
    with opened(chromium, page_of(which), width, scheme) as tab:
        if everything:
            show_everything(tab)
        assert barriers(tab) == []


def barriers(tab):
    """What axe finds by the rules of WCAG 2.2, levels A and AA, with all sections drawn: a browser skips those that are
    out of sight, and their places are guesses then."""
    tab.add_style_tag(content="section { content-visibility: visible !important; }")
    return violations(tab, runOnly={"type": "tag", "values": RULES})


def show_everything(tab):
    """Open all sections, as the page offers it."""
    tab.get_by_role("button", name="Open all sections").click()
    assert tab.locator(f"{SECTIONS}:not([open])").count() == 0
