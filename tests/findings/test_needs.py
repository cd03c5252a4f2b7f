"""What a study that goes on is told of pairs that it has told apart, and of those that it hasn't."""

import pytest

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.finding import Result


def row(a, b, p):
    status = "settled" if p is not None and p < 0.025 else "needs more"
    numbers = {"more_annotations": 60, "more_conversations": 10, "annotations": 20, "rate": 0.6, "needed": 80}
    return {"a": a, "b": b, "p_adjusted": p, "status": status} | numbers


DESIGN = dict.fromkeys(needs.ABOUT, 1.0)


@pytest.mark.parametrize(
    ("p", "said", "step"),
    [
        (
            (0.034, 0.001),
            ["1 of 2 pairs is told apart by these data, but not if "],
            "If the study goes on, begin with ann",
        ),
        ((0.2, 0.001), ["1 of 2 pairs is not told apart yet (p below "], "Begin with ann and bob: 60 more"),
        ((None, 0.001), ["1 of 2 pairs is not told apart yet (p below "], "Begin with ann and bob: 60 more"),
        (
            (0.034, 0.4),
            ["1 of 2 pairs is not told apart yet ", "1 of 2 pairs is told apart by "],
            "Begin with ann and cid",
        ),
        ((0.001, 0.001), ["Every pair (2) is told apart"], ""),
    ],
)
def test_a_pair_that_is_told_apart_is_not_called_open(p, said, step):
    pairs = [row("ann", "bob", p[0]), row("ann", "cid", p[1])]
    (section,) = needs.tell_matches(Result("human", {"pairs": pairs, "design": DESIGN, "seconds": None}))
    assert len(section.text) == len(said)
    for text, begin in zip(section.text, said, strict=True):
        assert text.startswith(begin)
    assert section.step.startswith(step)
    assert bool(section.step) == bool(step)
