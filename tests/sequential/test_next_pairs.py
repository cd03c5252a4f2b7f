"""The pairs of an arena to be voted on next."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

from tests.in_process import spotbot

STRENGTHS = {"ada": 1.5, "bob": 0.0, "cleo": 0.0, "eve": -1.5}


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """Return a study of 800 votes, in which bob and cleo are equally strong."""
    folder, rng = tmp_path_factory.mktemp("arena"), np.random.default_rng(2)
    with (folder / "votes.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["model_a", "model_b", "winner", "user"])
        for number in range(800):
            a, b = rng.permutation(list(STRENGTHS))[:2]
            first = rng.random() < 1 / (1 + np.exp(STRENGTHS[b] - STRENGTHS[a]))
            rows.writerow([a, b, "model_a" if first else "model_b", f"user{number % 90}"])
    data, study = str(folder / "votes.csv"), str(folder / "study")
    spotbot("import", "--format", "votes", "--data", data, "--study", study)
    return study


def next_pairs(*options):
    return list(csv.DictReader(io.StringIO(spotbot("plan", "--survey", "votes", *options)[0])))


def test_the_open_pair_is_shown_most_and_every_pair_now_and_then(arena):
    rows = next_pairs("--study", arena, "--next", "400")
    chances = {frozenset((row["a"], row["b"])): float(row["chance"]) for row in rows}
    of_open = [row for row in rows if {row["a"], row["b"]} == {"bob", "cleo"}]
    assert (len(rows), len(chances)) == (400, 6)
    assert len(of_open) > 200
    assert {row["a"] for row in of_open} == {"bob", "cleo"}
    assert sum(chances.values()) == pytest.approx(1, abs=1e-4)
    assert next_pairs("--study", arena, "--next", "400") == rows


def test_the_report_names_the_command_that_draws_them(arena):
    spotbot("analyze", "--study", arena)
    spotbot("report", "--study", arena)
    command = re.search(r"parlai spotbot_(plan) --study (DIR) ([^<]+)", (Path(arena) / "report/index.html").read_text())
    assert len(spotbot(command[1], "--study", arena, *command[3].split())[0].splitlines()) == 201


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--next", "0"], "from 1 up"), (["--next", "3", "--source", "judge:x"], "no judgements of it")],
)
def test_what_cannot_be_drawn(arena, options, said):
    assert said in spotbot("plan", "--survey", "votes", "--study", arena, *options, code=2)[1]
