"""Numbers and nouns in sentences of commands."""

import pytest

from parlai_spotbot.wording import with_singulars


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 units (1 new) in 1 blocks, of 1 to 1 items", "1 unit (1 new) in 1 block, of 1 to 1 item"),
        ("1 minutes a unit, at 1 seconds per annotation", "1 minute a unit, at 1 second per annotation"),
        ("0.1 hours, 21 units, 1,001 rows, -1 turns", "0.1 hours, 21 units, 1,001 rows, -1 turns"),
        ("1 contestants, 0 problems", "1 contestant, 0 problems"),
        ("item1 units", "item1 units"),
    ],
)
def test_one_is_followed_by_a_singular(text, told):
    assert with_singulars(text) == told
