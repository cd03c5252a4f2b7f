"""A wish for bf16 is granted only where the processor multiplies it by instructions of its own."""

import torch

from parlai_spotbot.models import precision
from parlai_spotbot.models.causal_lm import choose_dtype
from tests.case_tables import cases


@cases("has comes_to", "[[true, bf16], [false, fp32]]")
def test_bf16_where_there_is_bf16(monkeypatch, has, comes_to):
    monkeypatch.setattr(precision, "has_bf16", lambda: has)
    assert precision.of_processor("bf16") == comes_to
    assert precision.of_processor("fp32") == "fp32"
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    assert choose_dtype("bf16", cpu) == {"bf16": torch.bfloat16, "fp32": torch.float32}[comes_to]
    assert choose_dtype("bf16", gpu) == torch.bfloat16
    assert choose_dtype("auto", cpu) == torch.float32


def test_this_processor_is_asked():
    assert precision.has_bf16() == (
        torch.backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    )
