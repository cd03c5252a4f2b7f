"""``spotbot_nuc`` as a user calls it: results, going on after an interruption, contestants that fail, and bad input."""

import json
import shutil

import pandas as pd
import pytest
from parlai.utils import logging

from parlai_spotbot import files
from parlai_spotbot.findings import render
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.whole_study.nuc import NUC, read_results, with_rows
from parlai_spotbot.nuc.scoring.scores import WAY_TITLES
from parlai_spotbot.report.nuc_page import write_page
from parlai_spotbot.scripts.spotbot_nuc import SpotbotNuc
from tests.chromium import violations
from tests.nuc.scoring_models import FORMS, WORDS, saved_agent
from tests.report.test_names import CUT


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with conversations, a pool, and what the command made of them."""
    logging.set_log_level(logging.ERROR)
    folder = tmp_path_factory.mktemp("nuc")
    texts = [form.format(word) for word in WORDS for form in FORMS]
    rows = [{"turns": [texts[(7 * i + 13 * t) % 80] + f" {i}" for t in range(8)]} for i in range(30)]
    files.write_jsonl(folder / "talk.jsonl", rows)
    model = saved_agent(folder / "dual", "spotbot:dual_encoder", hiddensize=8, embeddingsize=8)
    (folder / "pool.yaml").write_text(f"guess: random_candidate\ndual: {{model_file: {model}}}\n", encoding="utf-8")
    run(folder, folder / "out")
    return folder


def run(folder, out, code=0, **options):
    given = {
        "pool": str(folder / "pool.yaml"),
        "task": str(folder / "talk.jsonl"),
        "candidates": 6,
        "questions": 40,
        "k": [1, 2],
        "threads": 1,
        **options,
    }
    try:
        SpotbotNuc.main(out=str(out), **{key: value for key, value in given.items() if value is not None})
        ended = 0
    except SystemExit as err:
        ended = err.code
    assert ended == code


def bytes_of(folder):
    return {
        p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and "logs" not in str(p)
    }


def test_tables_hold_every_contestant_with_intervals(made):
    rows = pd.read_csv(made / "out" / "analysis" / "nuc_contestants.csv")
    assert sorted(rows.contestant) == ["dual", "guess", "guessing"]
    rows, guessing = rows[:2], rows[2:]
    assert (rows["recall@1_low"] < rows["recall@1"]).all()
    assert guessing["recall@2"].tolist() == pytest.approx([2 / 6])
    assert (rows["recall@2"] >= rows["recall@1"]).all()
    page = (made / "out" / "index.html").read_text(encoding="utf-8")
    assert "Recall@2" in page
    assert "<svg" in page


def test_a_contestant_has_the_colour_that_it_has_in_its_study(made, tmp_path):
    results = {path.stem: json.loads(path.read_text()) for path in (made / "out" / "analysis").glob("*.json")}
    page = write_page(tmp_path / "page.html", results, ["other", "guess", "dual"]).read_text(encoding="utf-8")
    assert 'class="chip bot1 mark1">guess<' in page
    assert 'class="chip bot2 mark2">dual<' in page
    alone = write_page(tmp_path / "alone.html", results).read_text(encoding="utf-8")
    assert 'class="chip bot0 mark0">dual<' in alone  # by name


def test_in_a_browser_its_figures_can_be_saved_and_all_can_read_it(made, chromium):
    tab = chromium.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(error))
    tab.goto((made / "out" / "index.html").as_uri())
    assert tab.get_by_role("button", name="SVG").count() == tab.locator("figure svg").count() > 0
    assert not errors
    assert violations(tab) == []
    tab.close()


@pytest.mark.parametrize("letters", ["n", "名", "اسم"])
def test_long_names_fit_its_page_at_any_width(made, tmp_path, chromium, letters):
    text = json.dumps({path.stem: json.loads(path.read_text()) for path in (made / "out" / "analysis").glob("*.json")})
    for name in ("guess", "dual"):
        text = text.replace(f'"{name}"', json.dumps((letters * 61)[:55] + name))
    page = write_page(tmp_path / "page.html", json.loads(text))
    tab = chromium.new_page()
    for width in (390, 820, 1024, 1440):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert tab.evaluate(CUT) == [], width
    assert tab.locator("h1 + .answer").count() == 1
    assert violations(tab) == []
    tab.close()


@pytest.mark.slow
def test_an_interrupted_run_goes_on_to_the_same_bytes(made, tmp_path):
    expected = bytes_of(made / "out")
    shutil.copytree(made / "out", tmp_path / "again")
    shutil.rmtree(tmp_path / "again" / "analysis")
    for name in ("guess", "dual"):
        path = tmp_path / "again" / "scores" / f"{name}.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:32]) + lines[32][:20])  # a batch, and a line that a crash tore
    run(made, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == expected


@pytest.mark.slow
def test_one_that_cant_be_loaded_leaves_the_others(made, tmp_path, capsys):
    pool = tmp_path / "pool.yaml"
    pool.write_text("guess: random_candidate\nbroken: tests.selfplay.faulty_agents:UnloadableAgent\n", encoding="utf-8")
    run(made, tmp_path / "out", code=1, pool=str(pool))
    told = capsys.readouterr().out
    assert "error: contestant 'broken' could not be loaded" in told
    assert json.loads((tmp_path / "out/analysis/ranking.json").read_text(encoding="utf-8"))["order"] == ["guess"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": [1, 7]}, "--k 7: a question has 6 candidates"),
        ({"candidates": 1}, "candidates 1: a question has at least two"),
        ({"distractors": "hard"}, "distractors 'hard': unknown"),
        ({"only": ["dul"]}, "Did you mean 'dual'"),
        ({"questions_file": "q.jsonl"}, "and --questions-file: questions are drawn, or come from"),
        ({"task": "nowhere.jsonl"}, "nowhere.jsonl"),
        ({"seed": 5, "out": "old"}, "there are other questions already"),
    ],
)
def test_bad_input_is_an_error_before_any_work(made, tmp_path, capsys, options, said):
    out = made / "out" if options.get("out") else tmp_path / "out"
    run(made, out, code=2, **{key: value for key, value in options.items() if key != "out"})
    told = capsys.readouterr().err
    assert said in told
    assert not (tmp_path / "out" / "scores").exists()


def test_scores_of_another_contestant_of_the_name_are_not_taken(made, tmp_path, capsys):
    other = tmp_path / "pool.yaml"
    other.write_text("guess: spotbot:eliza\n", encoding="utf-8")
    run(made, made / "out", code=2, pool=str(other))
    assert "has scores of other options" in capsys.readouterr().err


def test_the_section_says_what_is_to_be_known_of_a_likelihood(made):
    results = read_results(made / "out" / "analysis")
    ranking = results["ranking"]
    for row, way in zip(ranking["contestants"], ("likelihood_pmi", "similarity"), strict=True):
        row["way"] = way
    ranking["cautions"] = {"likelihood_per_byte": "favours generic replies", "similarity": "* Not its own choice"}
    section = render.tell(NUC, Result("", with_rows(results)))
    assert "generic replies * Not its own choice ← is" in section.text[2]
    ways = [row[section.tables[0].head.index("By")] for row in section.tables[0].rows]
    assert ways == ["likelihood over that without context (PMI) ←", WAY_TITLES["similarity"], "–"]


@pytest.mark.slow
def test_what_says_nothing_isnt_ranked_or_stands_beside_a_trivial_reply(made, tmp_path, capsys):
    texts = [form.format(word) for word in WORDS for form in FORMS]
    talks = [{"turns": [f"{text} {turn}" for turn in range(8)]} for text in texts[::2]]
    files.write_jsonl(tmp_path / "same.jsonl", talks)
    pool = tmp_path / "pool.yaml"
    names = ("NoNumbers", "Endless", "Constant")
    lines = [f"{name}: tests.nuc.odd_rankers:{name}" for name in names]
    lines += ["silent: tests.nuc.odd_rankers:silent", "echo: tests.nuc.odd_rankers:echo"]
    pool.write_text("\n".join(lines), encoding="utf-8")
    run(made, tmp_path / "out", code=1, pool=str(pool), k=[1], task=str(tmp_path / "same.jsonl"))
    told = " ".join(capsys.readouterr().out.split())
    for name, why in (("NoNumbers", "no finite number"), ("Endless", "no finite number"), ("silent", "an empty turn")):
        assert f"contestant '{name}': no question could be scored" in told
        assert why in told
    ranking = json.loads((tmp_path / "out/analysis/ranking.json").read_text(encoding="utf-8"))
    assert sorted(ranking["order"]) == ["Constant", "echo"]
    by_name = {row["contestant"]: row["recall@1"]["estimate"] for row in ranking["contestants"]}
    assert by_name["Constant"] == pytest.approx(1 / 6)
    assert ranking["reference"]["replying"] == ["echo"]
    assert not ranking["reference"]["ahead"]
    assert ranking["order"][0] == "echo"
    assert "but its replies aren't shown to do better than" in told
    rows = pd.read_csv(tmp_path / "out/analysis/nuc_contestants.csv")
    assert [*rows.contestant[-2:]] == ["the last turn repeated", "guessing"]


def test_confusing_distractors_are_told(made, tmp_path, capsys):
    run(made, tmp_path / "out", distractors="lexical")
    told = " ".join(capsys.readouterr().out.split())
    assert "(false candidates are the turns most like the real one in their words)" in told
    results = json.loads((tmp_path / "out/analysis/ranking.json").read_text(encoding="utf-8"))
    assert results["made_by"]["questions"]["distractors"] == "lexical"
