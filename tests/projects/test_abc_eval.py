"""The reproduction of ABC-Eval from the published labels and tables; without them most of it skips."""

import hashlib
import json
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, precision_recall_fscore_support
from statsmodels.stats.inter_rater import fleiss_kappa

from parlai_spotbot.errors import UserError
from parlai_spotbot.projects.abc_eval import release
from parlai_spotbot.projects.abc_eval.__main__ import main
from parlai_spotbot.projects.abc_eval.label_accuracy import FIGURES, against_people, among_people, weights
from parlai_spotbot.projects.abc_eval.release import find
from parlai_spotbot.projects.abc_eval.reproduce import AbcEvalSettings, reproduce
from parlai_spotbot.projects.fetching import fetched as fetch
from tests.case_tables import cases
from tests.outside_data import ABC_EVAL, released_data

LABELS = (
    "self contradiction",
    "partner contradiction",
    "redundant",
    "empathetic",
    "lack of empathy",
    "fact contradiction",
    "commonsense contradiction",
    "ignore",
    "irrelevant",
)


@pytest.fixture(scope="session")
def abc_eval_data():
    path = released_data(ABC_EVAL)
    return path


@pytest.fixture(scope="session")
def made(abc_eval_data, tmp_path_factory):
    """The folder that the reproduction wrote, and its tables."""
    out = tmp_path_factory.mktemp("abc_eval")
    return out, reproduce([abc_eval_data], out, AbcEvalSettings(replicates=100))


@pytest.fixture(scope="session")
def raw(abc_eval_data):
    """The labels of the file, read by nothing of ours: behaviour -> a row a turn."""
    dialogues = json.loads((abc_eval_data / "behavior-classification-results.json").read_text())
    rows: dict[str, list] = {}
    for identity, turns in dialogues.items():
        for turn in turns:
            for label, given in turn["behaviors"].items():
                name = "fact contradiction" if label == "incorrect fact" else label
                rows.setdefault(name, []).append((*given["human"], given["gpt"], given.get("specialized"), identity))
    return {
        label: pd.DataFrame(own, columns=["a", "b", "gpt", "specialized", "dialogue"]) for label, own in rows.items()
    }


def test_the_nine_alphas_and_kappas_are_the_published_ones(made, raw, cell):
    table = made[1]["labels"]["agreement"]
    assert {c.row for c in table.cells} == set(LABELS)
    for label in LABELS:
        alpha = cell(table, label, "alpha")
        assert alpha.reached
        assert alpha.paper == round(alpha.ours, 3)
        assert alpha.ours == pytest.approx(
            krippendorff.alpha(raw[label][["a", "b"]].to_numpy().T, level_of_measurement="ordinal"), abs=1e-9
        )
        kappa, ones = cell(table, label, "kappa"), raw[label][["a", "b"]].sum(axis=1)
        assert kappa.reached
        assert kappa.ours == pytest.approx(fleiss_kappa(np.stack([2 - ones, ones], axis=1)))
        low, high = (cell(table, label, f"alpha {end}").ours for end in ("low", "high"))
        assert low < alpha.ours < high
    assert cell(table, "fact contradiction", "alpha").paper == 0.652  # published as "incorrect fact"


def test_judges_against_people_as_scikit_learn_has_it(made, raw, cell):
    table = made[1]["labels"]["judges"]
    for label in ("redundant", "ignore"):
        own = raw[label]
        truth, said = np.concatenate([own["a"], own["b"]]), np.tile(own["gpt"], 2)
        precision, recall, f1, _ = precision_recall_fscore_support(truth, said, average="binary")
        row = f"{label}, judge:gpt"
        assert cell(table, row, "precision").ours == pytest.approx(precision)
        assert cell(table, row, "recall").ours == pytest.approx(recall)
        assert cell(table, row, "f1").ours == pytest.approx(f1)
        assert cell(table, row, "balanced_accuracy").ours == pytest.approx(balanced_accuracy_score(truth, said))
        assert cell(table, row, "alpha").ours == pytest.approx(
            krippendorff.alpha(np.stack([truth, said]), level_of_measurement="nominal")
        )
        people = cell(table, f"{label}, the other person", "alpha").ours
        assert people == pytest.approx(cell(made[1]["labels"]["agreement"], label, "alpha").ours, abs=1e-9)
        gap = cell(table, row, "alpha less people's")
        assert gap.ours == pytest.approx(cell(table, row, "alpha").ours - people)
        assert cell(table, row, "alpha less people's, high").ours < 0
    assert not [c for c in table.cells if c.row == "redundant, judge:specialized"]
    assert [c for c in table.cells if c.row == "ignore, judge:specialized"]


def test_the_published_p_values_are_not_those_of_table_5(made, cell):
    table = made[1]["published"]["table5"]
    assert table.verdict.startswith("32 of 120")
    assert cell(table, "antisocial (abc eval)", "0.01").ours == 0
    assert cell(table, "fact contradiction (abc eval)", "0.01").paper == 4


def test_a_pickle_that_is_not_the_published_one_is_not_read(abc_eval_data, tmp_path, cell):
    folder = tmp_path / "paper_tables"
    folder.mkdir()
    for path in (abc_eval_data / "paper_tables").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "p_values_comparing_bots_downsampled").write_bytes(b"cos\nsystem\n(S'touch never'\ntR.")
    table = reproduce([folder], tmp_path / "out", AbcEvalSettings(replicates=20))["published"]["table5"]
    assert cell(table, "quality (turn likert)", "0.01").ours is None
    assert any("pickle" in note for note in table.notes)
    assert "not the published files, byte for byte: p_values" in (tmp_path / "out" / "summary.txt").read_text()


@cases(
    "arguments said",
    """
- [['--data', nowhere], 'nowhere: no such file']
- [['--data', .], the published tables]
- [['--data', ., '--replicates', '3'], '--replicates 3: too few']
""",
)
def test_bad_input_is_one_error(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, "--out", "out"]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_only_the_published_bytes_are_taken(tmp_path):
    source, target = tmp_path / "there.csv", tmp_path / "out" / "here.csv"
    source.write_bytes(b"a,b\n")
    published = hashlib.sha256(b"a,b\n").hexdigest()
    with pytest.raises(UserError, match="not what was published"):
        fetch(source.as_uri(), target, "y")
    assert not target.exists()
    fetch(source.as_uri(), target, published)
    assert target.read_bytes() == b"a,b\n"
    source.unlink()
    fetch(source.as_uri(), target, published)  # there already
    with pytest.raises(UserError, match="cannot be downloaded"):
        fetch(source.as_uri(), tmp_path / "other", published)


def test_all_files_are_fetched_from_their_places(abc_eval_data, tmp_path, monkeypatch):
    there, out = tmp_path / "there", tmp_path / "out"
    for place in release.SHA256:
        (there / place).parent.mkdir(parents=True, exist_ok=True)
        (there / place).write_bytes((abc_eval_data / "paper_tables" / Path(place).name).read_bytes())
    monkeypatch.setattr(release, "LABELS_AT", abc_eval_data.as_uri() + "/")
    monkeypatch.setattr(release, "TABLES_AT", there.as_uri() + "/")
    found = find(release.download(out))
    assert found.labels == out / "behavior-classification-results.json"
    assert found.project is None
    assert not found.changed


def test_figures_of_made_up_labels_and_the_spread_of_their_draws():
    rng = np.random.default_rng(0)
    home = np.repeat(np.arange(40), 10)
    truth = (rng.random(400) < 0.3).astype(int)
    people = [np.where(rng.random(400) < 0.9, truth, 1 - truth) for _ in range(2)]
    drawn = weights(40, 800, rng)
    mutual, other = among_people(people, home, drawn), against_people(1 - people[0], people, home, drawn)
    assert mutual.values["precision"] == pytest.approx(mutual.values["recall"])
    for figure in FIGURES:
        low, high = mutual.interval(figure)
        assert low < mutual.values[figure] < high
    gap, (low, high) = mutual.less(other, "alpha")
    assert low < gap < high
    assert gap > 0.5
    # Turns are independent here, so the draws of conversations spread as the binomial does.
    recall, n = mutual.values["recall"], people[0].sum() + people[1].sum()
    assert mutual.draws["recall"].std() == pytest.approx(np.sqrt(recall * (1 - recall) / n), rel=0.6)
