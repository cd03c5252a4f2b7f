"""`make annotate SURVEY=…` opens the page of every survey without a study; nothing on it bars anybody (WCAG 2.2 AA)."""

import itertools
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from parlai_spotbot.surveys import get_survey, survey_names
from tests.crowdsourcing.page.stage import DESKTOP, PHONE, button

SURVEYS = [name for name in survey_names() if get_survey(name).packing != "elsewhere"]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}


@pytest.mark.slow
@pytest.mark.parametrize("survey", SURVEYS)
def test_make_annotate_opens_the_page_of_any_survey(survey, tmp_path, visit):
    command = ["make", "-o", "install", "annotate", f"SURVEY={survey}", f"STUDY={tmp_path / 'demo'}"]
    root, page = Path(__file__).parents[3], visit()
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True, start_new_session=True) as made:
        try:
            said = "".join(itertools.takewhile(lambda line: "serving at" not in line, made.stdout))
            page.goto(re.search(r"http\S+\?t=\S+", said)[0])
            for name in ("I agree and want to take part", "I have understood", "Start"):
                page.get_by_role("heading").first.wait_for()
                for size in (DESKTOP, PHONE):
                    page.set_viewport_size(size)
                    found = Axe().run(page, options=RULES).response["violations"]
                    assert not [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
                if button(page, name).count():
                    button(page, name).click()
        finally:
            os.killpg(made.pid, signal.SIGINT)
    assert all(f"make annotate SURVEY={name}\n" in said for name in SURVEYS)
