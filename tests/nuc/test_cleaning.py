"""What becomes a placeholder, what is left out and why."""

import pytest

from parlai_spotbot.nuc.bank import anonymise, fault_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@jane_doe yes, and (@Bob2: hi)", "@user yes, and (@user: hi)"),
        ("write to  jo.b+x@mail.example.org.", "write to [email]."),
        ("see https://a.b/c?d=e or www.x.y now", "see [link] or [link] now"),
        ("it is on example.com/page2 I think", "it is on [link] I think"),
        ("call (555) 123-4567 or 555-123-4567 or 555-1234", "call [phone] or [phone] or [phone]"),
        ("+44 20 7946 0958 please", "[phone] please"),
        ("my number is 5551234567!", "my number is [phone]!"),
        ("#blessed is no name", "#blessed is no name"),
        *[(fine, fine) for fine in ("meet @ 5, in 1999-2001", "for $1,000,000", "3.1415926535", "at 10:30, 7 a.m.")],
    ],
)
def test_placeholders(text, expected):
    assert anonymise(text) == expected
    assert anonymise(expected) == expected


def test_what_is_left_out_and_why():
    assert fault_of("what the fuck") == "offensive"
    assert fault_of("hi, my name is Jo") == "personal"
    assert fault_of("I live at 123 Maple Street") == "personal"
    for fine in ("@user that is [link] for [email], [phone]", "are you a robot?", "#hash tags are fine"):
        assert fault_of(fine) is None
