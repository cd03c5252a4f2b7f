"""The page as a reader, a script of somebody else's, and a second run would meet it."""

import base64
import hashlib
import json
import re
import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.compute import summary
from parlai_spotbot.findings.contents import read_contents
from parlai_spotbot.findings.spotting import ranking
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import CAUTION, build_report
from parlai_spotbot.report.appendix.methods_text import methods
from parlai_spotbot.report.drawing import PALETTE, looks
from parlai_spotbot.report.templating import SCRIPTS, TEMPLATES
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import launched_survey

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
    return page[page.index(f'<section id="{anchor}">') :].split("</section>")[0]


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
    assert len(talks) > 3
    assert targets - talks <= set(ids)
    assert {"ranking", "wins", "survival", "examples", "provenance"} <= targets


def test_same_study_same_bytes_wherever_it_lies(study, tmp_path):
    first = build_report(study).read_bytes()
    shutil.copytree(study.path, tmp_path / "copy")
    assert build_report(Study.open(tmp_path / "copy")).read_bytes() == first
    assert str(study.path).encode() not in first
    assert len(first) < 3_000_000


def test_machine_settings_of_matplotlib_do_not_show(study):
    import matplotlib as mpl

    first = build_report(study).read_bytes()
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "path", "text.parse_math": True}):
        assert build_report(study).read_bytes() == first


def test_people_come_first_and_every_figure_and_table_of_a_judge_is_labelled(page):
    for anchor in ("ranking", "wins", "survival", "features", "segments", "agreement", "annotators"):
        people, judge = part(page, anchor).split('<div class="part judge"')
        assert "<h3>People" in people
        assert CAUTION not in people
        figures = judge.count("<figure>")
        assert figures == people.count("<figure>")
        assert CAUTION in judge.split("</h3>")[0]
        assert judge.count(CAUTION) == 1  # once, at its name
        assert not any(CAUTION in drawing for drawing in re.findall(r"<svg .*?</svg>", judge, flags=re.S))
    assert CAUTION in part(page, "judges").split("<table>")[0]


def test_ranking_shows_what_the_analysis_says(study, page):
    own = json.loads((study.analysis_path("spot_the_bot") / "ranking.json").read_text())["by_source"][HUMAN]
    people = part(page, "ranking").split('<div class="part judge"')[0]
    table = people[people.index("<table>") :].split("</table>")[0]
    rows = [re.sub(r"<[^>]*>", " ", row) for row in table.split("<tr>")[2:]]
    assert [row.split()[0] for row in rows] == [*own["order"], "people"]
    for bot, row in zip(own["order"], rows, strict=False):
        low, high = own["win_rate_ci"][bot]
        assert f"{own['win_rate'][bot]:.0%} [{low:.0%}, {high:.0%}]" in row
        assert f"{own['human_share'][bot]:.0%}" in row
    assert f"{own['human_reference']['human_share']:.0%}" in rows[-1]
    assert f"{own['ties']:.0%} of {own['n']} matches were ties" in people


def test_matrix_shows_wins_losses_and_ties_of_both_sides(study, page):
    own = json.loads((study.analysis_path("spot_the_bot") / "ranking.json").read_text())["by_source"][HUMAN]
    drawing = part(page, "wins").split("</svg>")[0]
    for pair in own["pairs"]:
        assert f">{pair['wins_a']}–{pair['wins_b']}–{pair['ties']}<" in drawing
        assert f">{pair['wins_b']}–{pair['wins_a']}–{pair['ties']}<" in drawing
        assert f">{pair['rate_a']:.0%}<" in drawing


def test_figures_are_well_formed_and_take_their_colours_from_the_page(page):
    drawings = re.findall(r"<svg .*?</svg>", page, flags=re.S)
    # Nine figures of two sources, of which the judge has no times; and those of how far to trust it.
    assert len(drawings) == page.count("<figure>") > 19
    for drawing in drawings:
        ET.fromstring(drawing.replace("<svg ", '<svg xmlns:xlink="x" ', 1))
        assert 'role="img"' in drawing
        assert re.search(r"var\(--(bot\d|win)\)", drawing)
        assert not re.search(r"#0[0-9a-f]{5}", drawing)  # no stand-in colour is left
        assert "DejaVu" not in drawing


def test_a_bot_keeps_its_colour_and_marker():
    many = [f"bot{i}" for i in range(20)]
    found = looks(many)
    assert len({(look.colour, look.marker) for look in found.values()}) == 21
    assert [found[bot].css for bot in many[:8]] == [f"bot{i}" for i in range(len(PALETTE))]
    assert looks(many[:3])["bot2"] == found["bot2"]


def test_text_of_conversations_stays_text(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=("judge:spotter",), text=PAYLOAD)
    page = build_report(study).read_text(encoding="utf-8")
    tags = Tags(page)
    names = [tag for tag, _ in tags.found]
    assert (names.count("script"), names.count("img")) == (2, 0)
    assert PAYLOAD in tags.text  # shown as it was said
    assert "<script>alert" not in page


def test_failures_and_provenance_stay_text_too(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=(), bots=("alice", "eliza"))
    row = {"contestant": "alice", "kind": "exception", "message": PAYLOAD}
    checksums.write_jsonl(
        study.failures_path,
        [{**row, "conversation_id": "alice:eliza:0001"}, {**row, "conversation_id": "alice:eliza:9999"}],
    )
    study.record("selfplay", {"note": PAYLOAD, "counts": {}, "list": [{"a": 1}, {"a": None}]})
    page = build_report(study).read_text(encoding="utf-8")
    names = [tag for tag, _ in Tags(page).found]
    assert (names.count("script"), names.count("img")) == (2, 0)
    failures = part(page, "failures")
    assert failures.count("played later") == 1
    assert failures.count("still missing") == 2  # the row, and the sentence above


def test_lone_surrogates_do_not_stop_the_report(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=(), bots=("alice", "eliza"), text="plain")
    text = study.conversations_path.read_text(encoding="utf-8").replace('"plain"', r'"\ud800 broken"')
    study.conversations_path.write_text(text, encoding="utf-8")
    assert "\ufffd broken" in build_report(study).read_text(encoding="utf-8")


def test_seed_is_marked_and_annotators_are_not_named(page):
    examples = part(page, "examples")
    seeds = [rest.split('<div class="block">')[0] for rest in examples.split('<div class="seed">')[1:]]
    assert all("seed, not shown to annotators" in seed and "SEED OPENING" in seed for seed in seeds)
    assert examples.count("SEED OPENING") == len(seeds) == 6 + 2  # one a pair, two of people
    assert "PLATFORM-ID" not in page
    assert "annotator 5" in page


def test_judgements_stand_with_their_segment(study, page):
    from parlai_spotbot.findings.contents import read_contents
    from parlai_spotbot.report.examples import choose, examples

    contents = read_contents(study, "spot_the_bot")
    for example, conversation in zip(examples(contents), choose(contents), strict=True):
        shown = [turn for passage in example.passages for _, turn in passage.turns]
        assert tuple(shown) == conversation.shown
        assert [passage.exchanges for passage in example.passages] == [2, 3, 5]
        assert [source for source, _ in example.passages[0].annotations] == [HUMAN, "judge:spotter"]
        for passage in example.passages:
            told = {
                (j.worker_id, j.target): j.answer
                for j in contents.judgements
                if j.conversation_ids == (conversation.conversation_id,) and j.exchanges == passage.exchanges
            }
            judge = dict(passage.annotations)["judge:spotter"]
            assert [a.natures for a in judge] == [
                [told[worker, "entity:0"], told[worker, "entity:1"]] for worker in ("coherence", "words")
            ]


def test_without_judgements_the_conversations_are_shown_and_what_to_run(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=())
    page = build_report(study).read_text(encoding="utf-8")
    Tags(page)
    assert "There are no judgements yet" in page
    assert "parlai spotbot_judge --study DIR --survey spot_the_bot --judges spotter" in page
    assert "<figure>" not in page
    assert "not judged" in part(page, "examples")
    shutil.rmtree(study.path / "surveys")
    assert "parlai spotbot_pack --study DIR" in build_report(study).read_text(encoding="utf-8")


def test_without_analysis_it_says_what_to_run(new_study, tmp_path):
    page = build_report(new_study(tmp_path / "s", analyze=False)).read_text(encoding="utf-8")
    assert "The judgements are not analysed yet." in page
    assert "parlai spotbot_analyze --study DIR --survey spot_the_bot" in page
    assert '<section id="ranking">' not in page


def test_judges_alone_are_announced_as_such(new_study, tmp_path):
    page = build_report(new_study(tmp_path / "s", sources=("judge:spotter",))).read_text(encoding="utf-8")
    assert "Judge spotter is an automatic judge: no substitute for people." in page.split("<nav")[0]
    assert page.split('<section id="paper">')[0].count("no substitute for people") == 1  # a warning stands once
    assert "<h3>People" not in page


def test_judgements_that_came_after_the_analysis_are_noticed(new_study, tmp_path):
    study = new_study(tmp_path / "s")
    assert "has changed since it was analysed" not in build_report(study).read_text(encoding="utf-8")
    path = study.judgements_path("spot_the_bot")
    path.write_text(path.read_text().replace('"answer": "bot"', '"answer": "unsure"', 1))  # as many, one is another
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
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), [j.to_json() for j in (*judgements, *missed)])
    result = analyze(study, bootstraps=50, backend="native")
    assert "has changed since it was analysed" not in build_report(study).read_text(encoding="utf-8")
    own = result["annotators"]["by_source"][HUMAN]
    assert own["annotators"][worker]["left_out"] == "missed more than 1 control"
    people = re.sub("&#39;", "'", part(study.report_path.read_text(encoding="utf-8"), "annotators"))
    assert own["with_everybody"]["sentence"] in people
    assert "1 missed more than 1, so is left out of all figures but those with everybody." in people
    assert "left out: missed more than 1 control" in people
    assert "1 more, who failed the controls, count in no other table or figure." in people
    gone = own["annotators"][worker]["n"]
    said = summary("spot_the_bot", result)
    assert f"  left out: {gone} × annotation by somebody who missed more than 1 control" in said
    assert own["with_everybody"]["sentence"] in said
    told = " ".join(methods([read_contents(study, "spot_the_bot")]))
    assert "1 person who missed more of them than allowed is left out, too. With everybody's annotations" in told


def test_more_may_be_missed_where_the_launch_allows_it(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=(HUMAN,), per_pair=1, analyze=False)
    assert launched_survey(study, "spot_the_bot").limits.control_mistakes == 1
    limits = {**vars(launched_survey(study, "spot_the_bot").limits), "control_mistakes": 4, "unknown": 1}
    study.record("crowdsourcing", {"spot_the_bot": {"limits": limits}})
    assert launched_survey(study, "spot_the_bot").limits.control_mistakes == 4
    result = analyze(study, bootstraps=20, backend="native")
    assert result["ranking"]["made_by"]["options"]["control_mistakes"] == 4


def test_a_bot_may_pass_people(new_study, tmp_path):
    study = new_study(tmp_path / "s")
    path = study.analysis_path("spot_the_bot") / "ranking.json"
    value = json.loads(path.read_text())
    value["by_source"][HUMAN]["human_share"]["eliza"] = 0.97
    value["by_source"][HUMAN]["human_difference"]["eliza"] |= {"difference": 0.5, "p_adjusted": 0.001}
    value["by_source"][HUMAN]["orders"] |= {"agree": False, "reversed": [{"a": "alice", "b": "eliza"}]}
    for pair in value["by_source"][HUMAN]["pairs"]:
        pair["p_adjusted"] = 0.01 if {pair["a"], pair["b"]} == {"alice", "eliza"} else 0.9
    checksums.write_json(path, value)
    people = part(build_report(study).read_text(encoding="utf-8"), "ranking").split('<div class="part judge"')[0]
    assert "; more often: eliza (97%)" in people
    assert len(re.findall(r"97%.*? &gt; people</td>", people)) == 1
    assert "The ranking tells apart alice and eliza, but strength, TrueSkill" in people


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
    path.unlink()
    study.conversations_path.unlink()
    with pytest.raises(UserError, match="spotbot_selfchat"):
        build_report(study)
    assert study.report_path.read_bytes() == before


def test_command_prints_the_path(study, capsys):
    from parlai_spotbot.scripts.spotbot_report import SpotbotReport

    SpotbotReport.main(study=str(study.path))
    assert str(study.report_path) in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        SpotbotReport.main(study=str(study.path / "nothing"))
    assert stopped.value.code == 2
    assert "no study here" in capsys.readouterr().err


def test_long_lists_are_counted_instead_of_named():
    bots = [f"bot{i}" for i in range(7)]
    own = {"order": bots, "clusters": {key: [1, 6] for key in bots[:6]} | {"bot6": [7, 7]}}
    assert ranking.verdict(own)[0].startswith("6 of 7 bots can't be told apart at the top.")
    own["clusters"] = {key: [1, 7] for key in bots}
    assert ranking.verdict(own)[0].startswith("The bots can't be told apart by these data.")
    reversed_pairs = [{"a": "bot0", "b": bot} for bot in bots[1:]]
    own["orders"] = {"trueskill": bots, "win_rate": bots[::-1], "agree": False, "reversed": reversed_pairs}
    own["pairs"] = [{"a": "bot0", "b": bot, "wins_a": 9, "wins_b": 1, "p_adjusted": 0.01} for bot in bots[1:]]
    assert "The ranking tells apart 6 pairs, but " in ranking.agreement_of_orders(own)[0]


def test_nobody_at_the_top_is_surely_better_than_another():
    own = {"order": ["a", "b", "c"], "clusters": {"a": [1, 2], "b": [1, 3], "c": [2, 3]}}
    assert ranking.verdict(own)[0].startswith("a and b can't be told apart at the top.")
