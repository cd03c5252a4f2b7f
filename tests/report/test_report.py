"""The page as a reader, a script of somebody else's, and a second run would meet it."""

import base64
import hashlib
import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.compute import summary
from parlai_spotbot.findings.contents import read_contents
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.appendix.methods_text import methods
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.templating import SCRIPTS, TEMPLATES
from parlai_spotbot.study import Study

PAYLOAD = '<script>alert("x")</script><img src="https://example.org/x.png" onerror=alert(1)> & "quoted"'
VOID = {"meta", "img", "br", "link", "input", "hr"}


class Tags(HTMLParser):
    """Collects elements and attributes, and checks that what opens is closed."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open, self.text = [], [], []
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

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def page(study):
    return build_report(study).read_text(encoding="utf-8")


def part(page, anchor):
    """Return a section of the page, up to the next one."""
    return re.split(r'<details class="section"|</section>', page[page.index(f'id="{anchor}"><summary><h3>') :])[0]


def test_one_file_without_requests_and_with_no_script_but_its_own(page):
    tags = Tags(page)
    names = [tag for tag, _ in tags.found]
    assert not set(names) & {"link", "img", "iframe", "object", "embed", "base"}
    assert names.count("script") == 2  # the conversations as data, and the page's own
    assert {"type": "application/json", "id": "conversations"} in [
        attrs for tag, attrs in tags.found if tag == "script"
    ]
    script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
    assert script == "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS)
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


def test_ids_are_unique_and_all_links_lead_somewhere(study, page):
    tags = Tags(page)
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs[name] for _, attrs in tags.found for name in ("href", "xlink:href") if name in attrs]
    targets = {link[1:] for link in links if not link.startswith("data:")}
    targets |= set(re.findall(r"url\(#([^)]*)\)", page))
    talks = {target for target in targets if target.startswith("c-")}  # these the reader opens
    assert {unquote(target[2:]) for target in talks} <= {c.conversation_id for c in study.conversations()}
    assert targets - talks <= set(ids)
    assert {"paper", "provenance"} <= targets
    assert {"ranking", "survival", "examples"} <= set(ids)


def test_same_study_same_bytes_wherever_it_lies(study, tmp_path):
    first = build_report(study).read_bytes()
    shutil.copytree(study.path, tmp_path / "copy")
    assert build_report(Study.open(tmp_path / "copy")).read_bytes() == first
    assert str(study.path).encode() not in first
    assert len(first) < 3_000_000


def test_text_of_conversations_stays_text(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=("judge:spotter",), text=PAYLOAD)
    page = build_report(study).read_text(encoding="utf-8")
    tags = Tags(page)
    names = [tag for tag, _ in tags.found]
    assert (names.count("script"), names.count("img")) == (2, 0)
    (data,) = [text for text in tags.text if text.startswith('{"names"')]
    assert PAYLOAD in json.loads(data)["texts"]
    assert "<script>alert" not in page


def test_lone_surrogates_do_not_stop_the_report(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=(), bots=("alice", "eliza"), text="plain")
    text = study.conversations_path.read_text(encoding="utf-8").replace('"plain"', r'"\ud800 broken"')
    checksums.write_text(study.conversations_path, text)
    assert "\ufffd broken" in build_report(study).read_text(encoding="utf-8")


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


def test_an_analysis_of_another_version_is_told_from_one_of_this(new_study, tmp_path):
    study = new_study(tmp_path / "s")
    for path in study.analysis_path("spot_the_bot").glob("*.json"):
        value = json.loads(path.read_text())
        for name in ("version", "sha256"):
            value["made_by"].pop(name, None)
        checksums.write_json(path, value)
    page = build_report(study).read_text(encoding="utf-8")
    assert "The analysis was made by another version of parlai_spotbot, whose figures may differ." in page
    assert "parlai spotbot_analyze --study DIR --survey spot_the_bot" in page


def test_who_failed_the_controls_is_told_apart(new_study, tmp_path):
    """One annotator of five misses two controls: left out of the page's figures, with everybody beside."""
    study = new_study(tmp_path / "s", sources=(HUMAN,), analyze=False)
    judgements = study.judgements("spot_the_bot")
    worker = judgements[0].worker_id
    missed = [
        replace(
            judgements[0],
            judgement_id=f"x{i}{e}",
            annotation_id=f"x{i}",
            target=f"entity:{e}",
            question="nature",
            answer="bot",
            control="known_human",
        )
        for i in range(2)
        for e in (0, 1)
    ]
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), (*judgements, *missed))
    result = analyze(study, bootstraps=50, backend="native")
    assert "has changed since it was analysed" not in build_report(study).read_text(encoding="utf-8")
    own = result["annotators"]["by_source"][HUMAN]
    assert own["annotators"][worker]["left_out"] == "missed more than 1 control"
    people = re.sub("&#39;", "'", part(study.report_path.read_text(encoding="utf-8"), "annotators"))
    assert "Left out of the main figures, as they missed more than 1: 1." in people
    assert "missed more than 1 control" in people
    gone = own["annotators"][worker]["n"]
    said = summary("spot_the_bot", result)
    assert f"  left out: {gone} × annotation by somebody who missed more than 1 control" in said
    told = " ".join(methods([read_contents(study, "spot_the_bot")]))
    assert "Annotators who missed more of them than allowed are left out, too: 1. With everybody's annotations" in told


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
