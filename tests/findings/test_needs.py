"""What a study that goes on is told of pairs that it has told apart, and of those that it hasn't."""

import pytest

from parlai_spotbot.findings.needs import _named


def row(a, b, p):
    return {"a": a, "b": b, "p_adjusted": p}


@pytest.mark.parametrize(
    ("opened", "said"),
    [
        ([row("ann", "bob", 0.034)], "1 of 3 pairs is told apart, but not surely enough for a study that goes on (p "),
        ([row("ann", "bob", 0.2)], "1 of 3 pairs is not told apart yet (p below "),
        ([row("ann", "bob", None)], "1 of 3 pairs is not told apart yet (p below "),
        ([row("ann", "bob", 0.034), row("ann", "cid", 0.4)], "2 of 3 pairs are not told apart yet (p below "),
    ],
)
def test_a_pair_that_is_told_apart_is_not_called_open(opened, said):
    text = _named(opened, 3, 0.025)
    assert text.startswith(said)
    assert "ann and bob" in text
