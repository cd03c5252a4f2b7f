"""ACUTE-Eval's recipes and what its text says, beside arithmetic and beside a small study."""

import random
from pathlib import Path

import pandas as pd
import pytest
import yaml
from parlai.zoo.model_list import model_list

from parlai_spotbot import checksums
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.projects.acute_eval_2019.__main__ import main
from parlai_spotbot.projects.acute_eval_2019.reproduce import run
from parlai_spotbot.projects.cells import paper_values
from parlai_spotbot.records import HUMAN, Judgement, indexed
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.spoken import bots_of, spoken

FOLDER = Path(__file__).parents[2] / "projects" / "acute_eval_2019"
WORTH = {HUMAN: 0.9, "PE": 0.7, "KV": 0.4, "RC": 0.1}


def test_pools_are_right_and_stand_in_the_zoo():
    zoo = [entry["path"] for entry in model_list]
    pools = {name: read_pool(str(FOLDER / "pools" / f"{name}.yaml")) for name in ("personachat", "wizard")}
    for name, pool in pools.items():
        assert set(pool) <= set(paper_values("acute_eval_2019")["tasks"][name]["models"])
        for contestant in pool.values():
            assert any(contestant.model_file.startswith(path.removesuffix("/model")) for path in zoo)
    assert len(pools["wizard"]) == 2


def test_there_are_as_many_wordings_as_the_paper_tried_and_its_own_among_them():
    rows = yaml.safe_load((FOLDER / "wordings.yaml").read_text(encoding="utf-8"))["questions"]
    own = {row["name"]: row for row in rows}
    tried = paper_values("acute_eval_2019")["optimisation"]
    starts = {
        "engagingness": "engaging",
        "interestingness": "interesting",
        "humanness": "human",
        "knowledge": "knowledge",
    }
    for question, count in tried["of"].items():
        names = [name for name in own if name.startswith(starts[question])]
        assert len(names) == count
        assert own[names[-1]]["wording"].strip() == get_survey("acute_eval").question(question).wording
    assert len(own) == tried["wordings"] == len({row["wording"] for row in own.values()})


def test_without_a_study_the_text_is_held_against_arithmetic(tmp_path, capsys):
    assert main(["--out", str(tmp_path / "out")]) == 0
    assert "4 of 4 values of the paper reached" in capsys.readouterr().out
    rows = pd.read_csv(tmp_path / "out" / "counts.csv")
    assert rows["ours"].tolist() == [28, 10, 13]
    assert {path.stem for path in (tmp_path / "out").glob("*.csv")} == {"counts", "agreement"}
    assert main(["--out", str(tmp_path / "out"), "--study", str(tmp_path / "nowhere")]) == 2


def chat(a, b, n):
    """An unseeded conversation: nothing of it is hidden."""
    texts = (f"{a} {n} says {i}" for i in range(6))
    return spoken(f"{a}-{n}", (a, b), texts, n, "invented", seed_exchanges=0)


@pytest.fixture
def study(tmp_path):
    bots = bots_of(("RC", "KV", "PE"), "{}")
    made = Study.create(tmp_path / "study", Plan("invented", bots))
    talks = [chat(name, name, n) for name in (*bots, HUMAN) for n in range(16)]
    checksums.write_jsonl(made.conversations_path, talks)
    pack_study(made, "acute_eval", comparisons=12, same=True)
    return made


def test_a_study_of_the_papers_models_stands_beside_it(study, tmp_path):
    talks, rng, rows = indexed(study.conversations()), random.Random(0), []
    for number, unit in enumerate(study.units("acute_eval")):
        for item in unit.items:
            worth = [WORTH[talks[i].entities[0]] for i in item.conversation_ids]
            chosen = int(rng.random() > worth[0] / sum(worth))
            name = f"{unit.unit_id}/{item.item_id}"
            about = (name, "acute_eval", unit.unit_id, item.item_id, item.conversation_ids, 3, "pair")
            for question, answer in (("engagingness", f"conversation:{chosen}"), ("reason", "it listens")):
                rows.append(Judgement(f"{name}/{question}", *about, question, answer, f"w{number}", HUMAN))
    checksums.write_jsonl(study.judgements_path("acute_eval"), rows)
    analyze(study, "acute_eval", bootstraps=30)
    made = run(tmp_path / "out", study.path)
    order = pd.read_csv(tmp_path / "out" / "order.csv").set_index("row")
    row = order.loc["personachat, engagingness, human-model chats"]
    assert row["paper"] == "human > PE > KV > RC"
    assert row["difference"] == "same"
    tests = pd.read_csv(tmp_path / "out" / "same.csv")
    share = tests[(tests["row"] == "engagingness, all") & (tests["column"] == "share")].iloc[0]
    assert share["paper"] == 0.5
    assert 0.2 < share["ours"] < 0.8
    found = pd.read_csv(tmp_path / "out" / "significant.csv").set_index("column")
    assert found.loc["pairs", "ours"] == 6
    assert 0 < found.loc["Holm", "ours"] <= found.loc["binomial test", "ours"]
    wordings = {cell.row: cell.ours for cell in made["wordings"].cells if cell.column == "agreement"}
    pairs = [row for row in rows if row.question == "engagingness"]
    right = of = 0
    for judged in pairs:  # by hand: a person beside a bot, and the person was chosen
        names = [talks[i].entities[0] for i in judged.conversation_ids]
        if names.count(HUMAN) == 1:
            of += 1
            right += judged.answer == f"conversation:{names.index(HUMAN)}"
    assert wordings["engagingness"] == pytest.approx(right / of)
