"""Headless Chromium for tests: one a process, since playwright's loop can't be there twice."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

AXE = {"resultTypes": ["violations"], "preload": False}
"""What axe is asked for of pages that load nothing: what it finds, not what it passes."""


@contextlib.contextmanager
def browser() -> Iterator:
    """Chromium, as playwright's Browser."""
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    from playwright import sync_api

    with sync_api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()
