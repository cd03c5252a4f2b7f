"""The parts of the reproduction on made-up data: definitions, cells, files, bad input."""

import subprocess
import sys

import pandas as pd
import pytest

from parlai_spotbot.projects.cells import COLUMNS, PaperCell, PaperTable, truncated
from parlai_spotbot.projects.spot_the_bot_2020.__main__ import main
from parlai_spotbot.projects.spot_the_bot_2020.definitions import correctness, ssa_with_bug
from tests.case_tables import cases

TABLES = {
    *(f"table{n}.csv" for n in range(1, 10)),
    "figure2.csv",
    "section42.csv",
    "section53.csv",
    "appendixG.csv",
    "footnote3.csv",
    "footnote9.csv",
    "oddities.csv",
    "tables.txt",
}


def annotations(rows):
    columns = ["sensibleness", "specificity", "nature0", "nature1"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(
        a="x", b="y", k=2, conversation_id=[f"c{i}" for i in range(len(frame))], worker_id="w", fluency=0
    )


def test_the_bug_of_table_6_favours_entity_1():
    rows = [(1, 1), (-1, -1), (0, -1), (0, 1), (1, -1), (-1, 1), (-1, 0)]
    frame = annotations([(*row, "bot", "bot") for row in rows])
    assert ssa_with_bug(frame)["outcome"].tolist() == [1, -1, -1, 0, 0, 0, 0]


def test_correctness_leaves_unsure_out_and_averages_annotators():
    entities = pd.DataFrame(
        {
            "worker_id": ["u", "u", "u", "v"],
            "name": ["GPT", "GPT", "human", "human"],
            "nature": ["bot", "unsure", "bot", "human"],
        }
    )
    found = correctness(entities)
    assert found["correct"] == pytest.approx((0.5 + 1.0) / 2)
    assert found["correct_on_people"] == pytest.approx((0.0 + 1.0) / 2)
    assert found["below_half"] == 0.0
    assert found["always_bot"] == pytest.approx((2 / 3 + 0) / 2)


def test_truncation_keeps_what_is_exact():
    assert [truncated(x) for x in (0.299, 0.29, 0.3, 0.2999999999999)] == [0.29, 0.29, 0.3, 0.3]


@cases(
    "paper ours more difference reached",
    """
- [0.67, 0.6749, {}, 0.0049, true]
- [0.67, 0.6761, {}, 0.0061, false]
- [0.75, 0.7567, {cut: true}, 0.0067, true]
- [0.75, 0.7467, {cut: true}, -0.0033, false]
- [26, 25.8, {digits: 0}, -0.2, true]
- [null, 1.0, {}, null, null]
- [0.5, null, {}, null, false]
- [1-2, 1-2, {}, same, true]
- [1-2, 2-2, {}, differs, false]
""",
)
def test_a_cell_knows_whether_it_is_reached(paper, ours, more, difference, reached):
    cell = PaperCell("a", "b", paper, ours, "how", **more)
    assert cell.difference == (pytest.approx(difference) if isinstance(difference, float) else difference)
    assert cell.reached is reached


def test_a_table_says_what_it_could_not_reach():
    table = PaperTable(
        "t",
        "T",
        [PaperCell("a", "b", 0.5, 0.52, "how"), PaperCell("a", "c", 3, None, "gone"), PaperCell("a", "d", 1, 1, "x")],
    )
    assert table.verdict.startswith(
        "1 of 3 values of the paper reached to their digits; greatest difference 0.02; 1 can"
    )
    assert table.frame().columns.tolist() == list(COLUMNS)
    assert table.text().count("*") == 2


def test_the_command_writes_every_table(release, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["--data", str(release), "--domain", "dailydialog", "--out", str(out)]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "Table 1: win rates by bot detection, dailydialog" in said
    assert "needs --domain all" in said
    assert {path.name for path in (out / "dailydialog").iterdir()} == TABLES
    frame = pd.read_csv(out / "dailydialog" / "table1.csv")
    assert frame.columns.tolist() == list(COLUMNS)
    row = frame[(frame["row"] == "GPT") & (frame["column"] == "BR")].iloc[0]
    assert float(row["difference"]) == pytest.approx(float(row["ours"]) - float(row["paper"]))
    assert "27 of 27 values of the paper reached to their digits" in (out / "dailydialog" / "tables.txt").read_text()
    before = {p.name: p.read_bytes() for p in (out / "dailydialog").iterdir()}
    assert main(words) == 0
    assert {p.name: p.read_bytes() for p in (out / "dailydialog").iterdir()} == before


@cases(
    "words says",
    """
- [['--data', nowhere.zip], 'nowhere.zip: no such file']
- [['--data', x, '--domain', dailydialogs], 'Did you mean ''dailydialog''?']
- [['--data', x, '--repetitions', '1'], '--repetitions 1: too few']
""",
)
def test_bad_input_is_one_error(tmp_path, capsys, words, says):
    assert main([*words, "--out", str(tmp_path / "out")]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_it_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "parlai_spotbot.projects.spot_the_bot_2020", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "--stability" in done.stdout
