"""What a study that goes on is told of pairs that it has told apart, and of those that it hasn't."""

import pandas as pd

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from tests.case_tables import cases


@cases(
    "p status more",
    """
- [0.2, needs more, 60]
- [0.041, settled, null]
- [0.001, settled, null]
""",
)
def test_a_pair_that_is_told_apart_needs_no_more(p, status, more):
    [shown] = needs.without_decided([row("ann", "bob", p)], Ranking(Frames()))
    assert (shown["status"], shown["more_annotations"]) == (status, more)


def row(a, b, p):
    status = "settled" if p is not None and p < 0.025 else "needs more"
    numbers = {"more_annotations": 60, "more_conversations": 10, "annotations": 20, "rate": 0.6, "needed": 80}
    return {"a": a, "b": b, "p_adjusted": p, "status": status} | numbers


@cases(
    "p more said step",
    """
- [[0.034, 0.001], 60, [Every pair (2) is told apart], Write it up]
- [[0.2, 0.001], null, ['1 of 2 pairs is not told apart: ', To tell these apart takes more than 100 times], Write it up]
- - [0.2, 0.001]
  - 60
  - &one ['1 of 2 pairs is not told apart: ', '']
  - 'Begin with ann and bob: about 60'
- [[null, 0.001], 60, *one, 'Begin with ann and bob: about 60']
- - [0.3, 0.4]
  - 60
  - ['2 of 2 pairs are not told apart: ', 'To settle them takes about 120 ']
  - 'Begin with ann and bob: about'
- - [0.2, 0.001]
  - 1
  - *one
  - 'Begin with ann and bob: about 1 more annotation of'
""",
)
def test_a_pair_that_is_told_apart_is_not_called_open(p, more, said, step):
    pairs = [row("ann", "bob", p[0]) | {"more_annotations": more}, row("ann", "cid", p[1])]
    whole = {"tested": 2, "planned": True, "seconds": None}
    *text, asked = needs.summarise(Result("human", Frames.from_tables({"needs": pd.DataFrame(pairs), "whole": whole})))
    assert len(text) == len(said)
    for sentence, begin in zip(text, said, strict=True):
        assert sentence.startswith(begin)
    assert asked.startswith(step)
