"""Numbers and nouns in sentences of commands."""

import pytest

from parlai_spotbot.wording import filled


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{n:unit} ({n} new) in {many:block}, of {n} to {n:item}", "1 unit (1 new) in 1,001 blocks, of 1 to 1 item"),
        ("{none:problem}, {n:.2f} hours, {n:minute} a unit", "0 problems, 1.00 hours, 1 minute a unit"),
    ],
)
def test_a_noun_as_a_format_counts(text, told):
    assert filled(text, n=1, none=0, many=1001) == told
