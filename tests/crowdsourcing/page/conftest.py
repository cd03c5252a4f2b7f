"""A browser for the tests of this folder; they are skipped where there is none, or where the page is not built."""

import pytest

from tests.crowdsourcing.page import stage


@pytest.fixture
def visit(chromium):
    """Makes pages, each like a browser of its own; closes them, and sees that nothing was complained about."""
    if not (stage.PAGE / "index.html").exists():
        pytest.skip("the page is not built: make install")
    pages = []

    def make(size=stage.DESKTOP, expected=(), **context):
        page = stage.page_in(chromium, size, **context)
        pages.append((page, expected))
        return page

    yield make
    for page, expected in pages:
        page.context.close()
        assert [said for said in page.said if not any(part in said for part in expected)] == []
