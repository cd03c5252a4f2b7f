"""Sentences about annotators: how well they distinguish bots from people."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def detection_sentence(rates: Mapping) -> str:
    """Measure how well all annotators together tell bots from people, and to which answer they lean."""
    if not np.isfinite(rates["sensitivity"]):
        return "Annotators can't be measured: they saw no bots, or no people."
    template = (
        f"Annotators called {rates['hit']:.0%} of bots and {rates['false_alarm']:.0%} of people bots: sensitivity d' "
        f"{rates['sensitivity']:.2f} ({{}}0 is guessing)"
    )
    always = (
        f" Always answering “bot” would be right in {rates['always_bot']:.0%}, so a share of right answers alone says "
        "little."
    )
    (low, high), (c_low, c_high) = rates["sensitivity_ci"], rates["bias_ci"]
    if not np.isfinite([low, high, c_low, c_high]).all():
        return template.format("too few annotators or conversations for an interval; ") + "." + always
    lean = "no lean to either answer can be told"
    if c_low > 0 or c_high < 0:
        lean = "they were slow to say “bot”" if rates["bias"] > 0 else "they were quick to say “bot”"
    bias = f", and {lean} (bias c {rates['bias']:+.2f}, {c_low:+.2f} to {c_high:+.2f})."
    return template.format(f"95 % interval {low:.2f} to {high:.2f}; ") + bias + always
