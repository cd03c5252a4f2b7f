"""The page as a reader, a script of somebody else's, and a second run would meet it."""

import base64
import hashlib
import re
import shutil
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.templating import SCRIPTS, TEMPLATES

VOID = {"meta", "img", "br", "link", "input", "hr"}


class Tags(HTMLParser):
    """Collects elements and attributes, and checks that what opens is closed."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(study):
    return build_report(study).read_text(encoding="utf-8")


def test_one_file_without_requests_and_with_no_script_but_its_own(page):
    tags = Tags(page)
    names = [tag for tag, _ in tags.found]
    assert not set(names) & {"link", "img", "iframe", "object", "embed", "base"}
    assert names.count("script") == 2  # the conversations as data, and the page's own
    assert {"type": "text/plain", "id": "conversations"} in [attrs for tag, attrs in tags.found if tag == "script"]
    script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
    written = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS)
    lines = [line.lstrip(" ") for line in written.splitlines()]
    assert script.splitlines() == [line for line in lines if not line.startswith("//")]
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{allowed}'\"" in page
    for tag, attrs in tags.found:
        assert not any(name.startswith("on") for name in attrs)
        for name in ("src", "href", "xlink:href", "action"):
            saved = name == "href" and tag == "a" and "download" in attrs and attrs[name].startswith("data:")
            assert saved or attrs.get(name, "#").startswith("#")
    assert not re.search(r"url\((?!#)|@import", page)
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page
    assert "form-action 'none'" in page


def test_the_page_is_small(page):
    """Of a figure the page holds what can't be made of it: data as CSV, and of the headline alone a PDF."""
    assert len(page.encode()) < 400_000
    assert page.count('href="data:application/pdf') == 1
    assert page.count('href="data:text/csv') > 5


def test_ids_are_unique_and_all_links_lead_somewhere(study, page):
    tags = Tags(page)
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs[name] for _, attrs in tags.found for name in ("href", "xlink:href") if name in attrs]
    targets = {link[1:] for link in links if not link.startswith("data:")}
    targets |= set(re.findall(r"url\(#([^)]*)\)", page))
    talks = {target for target in targets if target.startswith("c-")}  # these the reader opens
    assert talks
    assert {unquote(target[2:]) for target in talks} <= {c.conversation_id for c in study.conversations()}
    assert targets - talks <= set(ids)
    assert {"paper", "provenance"} <= targets
    assert {"ranking", "survival", "examples"} <= set(ids)


def test_without_judgements_the_conversations_are_shown_and_what_to_run(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=())
    page = build_report(study).read_text(encoding="utf-8")
    Tags(page)
    assert "There are no judgements yet" in page
    assert "parlai spotbot_judge --study DIR --survey spot_the_bot --judges spotter" in page
    assert "<figure>" not in page
    shutil.rmtree(study.path / "surveys")
    assert "parlai spotbot_pack --study DIR" in build_report(study).read_text(encoding="utf-8")


def test_without_analysis_it_says_what_to_run(new_study, tmp_path):
    page = build_report(new_study(tmp_path / "s", analyze=False)).read_text(encoding="utf-8")
    assert "The judgements are not analysed yet." in page
    assert "parlai spotbot_analyze --study DIR --survey spot_the_bot" in page
    assert 'id="ranking"' not in page


def test_judgements_that_came_after_the_analysis_are_noticed(new_study, tmp_path):
    study = new_study(tmp_path / "s")
    assert "has changed since it was analysed" not in build_report(study).read_text(encoding="utf-8")
    path = study.judgements_path("spot_the_bot")
    checksums.write_text(
        path, path.read_text().replace('"answer": "bot"', '"answer": "unsure"', 1)
    )  # as many, one is another
    page = build_report(study).read_text(encoding="utf-8")
    assert "The study has changed since it was analysed: judgements.jsonl." in page
    assert "parlai spotbot_analyze --study DIR --survey spot_the_bot" in page


def test_errors_name_file_and_remedy_and_leave_the_report_alone(new_study, tmp_path):
    study = new_study(tmp_path / "s")
    before = build_report(study).read_bytes()
    with pytest.raises(UserError, match=r"acute_evil.*no such survey"):
        build_report(study, "acute_evil")
    path = study.analysis_path("spot_the_bot") / "survival.json"
    for broken in ("{", "[]", '{"by_source": {"human": 3}}'):
        path.write_text(broken)
        with pytest.raises(UserError, match=r"survival\.json.*spotbot_analyze"):
            build_report(study)
    checksums.remove(path)
    study.conversations_path.unlink()
    with pytest.raises(UserError, match="spotbot_selfchat"):
        build_report(study)
    assert study.report_path.read_bytes() == before
