"""The one exception a user sees is short enough to be read."""

from parlai_spotbot.errors import MOST, UserError


def test_a_problem_that_quotes_a_whole_file_is_cut_in_its_middle():
    err = UserError(f"votes.csv: no column 'a' (there are {'[' * 300_000}).", "Name it.")
    assert len(err.problem) < MOST
    assert err.problem.startswith("votes.csv: no column 'a' (there are [[[")
    assert err.problem.endswith("[[).")
    assert " … " in err.problem
    short = "x" * MOST
    assert UserError(short).problem == short
