"""Which segments of the released data hardly anyone erred on, and whom a limit on missed controls stops."""

import itertools

import numpy as np
import pytest

from parlai_spotbot.projects.spot_the_bot_2020.known_segments import main, report, stopped
from parlai_spotbot.surveys.survey import Limits


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_the_chance_to_be_stopped_by_counting_all_outcomes(allowed):
    people, bots = 0.2, 0.35
    total = 0.0
    for outcome in itertools.product((0, 1), repeat=6):
        chances = zip(outcome, [people] * 3 + [bots] * 3, strict=True)
        chance = np.prod([p if was_missed else 1 - p for was_missed, p in chances])
        total += chance * (sum(outcome) > allowed)
    assert stopped(np.array([people]), np.array([bots]), 3, allowed)[0] == pytest.approx(total, abs=1e-12)


def test_missing_data_is_one_line(tmp_path, capsys):
    assert main(["--data", str(tmp_path / "none.zip")]) == 2
    assert "none.zip" in capsys.readouterr().err


def test_the_figures_that_the_controls_are_chosen_by(release):
    lines: list[str] = []
    figures = report(str(release), lines.append)
    quoted = {"all": 0.105, "by the rule": 0.052, "all bots": 0.360, "DR, 5 exchanges": 0.069}
    quoted |= {"repeats 3 turns or more": 2 / 36, "2 exchanges, says the same in both": 4 / 96}
    for what, figure in quoted.items():
        assert figures[what] == pytest.approx(figure, abs=6e-4), what
    assert all(figures[f"by the rule, exchanges: {k}"] <= 0.06 for k in (1, 2, 3, 5))
    limits = Limits()
    assert (limits.controls_per_unit, limits.control_mistakes, limits.units_per_annotator) == (2, 1, 3)
    assert figures["annotators of 2020, 4 controls, 1 allowed"] == pytest.approx(0.023, abs=6e-4)
    assert figures["annotators of 2020, 6 controls, 1 allowed"] == pytest.approx(0.053, abs=6e-4)
    assert figures["any answer at random, 6 controls, 1 allowed"] == pytest.approx(0.808, abs=6e-4)
    assert all(figures[f"always {n}, 4 controls, 1 allowed"] == 1 for n in ("human", "bot", "unsure"))
    assert any("by the rule" in line and "of 251 (87 conversations)" in line for line in lines)
