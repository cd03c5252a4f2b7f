"""Linear layers whose weights are laid out once for the processor's matrix kernels, instead of at every call.

On CPUs that is one and a half to three times as fast for the few rows of a step of generation, and a row's result
doesn't depend on how many rows there are. The operators are those that torch's own compiler uses for frozen models
(oneDNN); where they are missing, or give something else, layers are left as they are.
"""

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from parlai_spotbot.models.precision import has_bf16

_ROWS = 32  # the number of rows that the layout is made for; any other works too


class PackedLinear(nn.Module):
    """``x @ weight.T + bias`` with `weight` of shape (out, in), packed."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None):
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), _ROWS)
        self._bias = None if bias is None else bias.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.reshape(-1, self.in_features)
        # One row alone takes another kernel, which sums in another order.
        both = rows
        if len(rows) == 1:
            both = rows.expand(2, -1)
        y = torch.ops.mkldnn._linear_pointwise(both, self._packed, self._bias, "none", [], "")
        return y[: len(rows)].view(*x.shape[:-1], self.out_features)


def packable(model: nn.Module) -> bool:
    """Return True if the model's layers can be packed: on a CPU, in a precision that its kernels know."""
    weight = next(model.parameters())
    has_reorder = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    if weight.device.type != "cpu" or not has_reorder:
        return False
    return weight.dtype == torch.float32 or (weight.dtype == torch.bfloat16 and has_bf16())


def pack(model: nn.Module) -> list[tuple[nn.Module, str, nn.Module]]:
    """Replace the linear layers of `model`; returns what `unpack` needs to put them back."""
    replaced = []
    if not packable(model):
        return replaced
    try:
        for parent in list(model.modules()):
            for name, layer in list(parent.named_children()):
                if type(layer) in (nn.Linear, Conv1D):
                    # GPT-2's linear layer has its weight the other way round.
                    weight = layer.weight if type(layer) is nn.Linear else layer.weight.t()
                    setattr(parent, name, PackedLinear(weight, layer.bias))
                    replaced.append((parent, name, layer))
    except (RuntimeError, AttributeError, NotImplementedError):
        unpack(replaced)
        return []
    return replaced


def unpack(replaced: list[tuple[nn.Module, str, nn.Module]]) -> None:
    """Put layers back that `pack` replaced."""
    for parent, name, layer in replaced:
        setattr(parent, name, layer)
