"""The dual encoder with LSTM of Lowe et al. (2015, https://arxiv.org/abs/1506.08909, section 4.3), and its two losses.

One LSTM (its weights are tied) reads context and reply; the last states c and r give the score c' M r, whose sigmoid is
the probability that r is the reply to c.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class DualEncoder(nn.Module):
    """Vectors of `words` words (`padding` fills), one LSTM, and the matrix M of shape (hidden, hidden)."""

    def __init__(self, words: int, padding: int, embedding: int, hidden: int, layers: int = 1, dropout: float = 0.0):
        super().__init__()
        self.padding = padding
        self.embedding = nn.Embedding(words, embedding, padding_idx=padding)
        self.lstm = nn.LSTM(embedding, hidden, num_layers=layers, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.matrix = nn.Parameter(torch.empty(hidden, hidden))
        nn.init.normal_(self.embedding.weight, std=embedding**-0.5)
        nn.init.constant_(self.embedding.weight[padding], 0)
        for name, weight in self.lstm.named_parameters():
            if "weight_hh" in name:
                nn.init.orthogonal_(weight)
            elif "bias" in name:
                nn.init.zeros_(weight)
        nn.init.eye_(self.matrix)

    def encode(self, tokens: torch.Tensor) -> torch.Tensor:
        """The last state (..., hidden) of each text of `tokens` (..., length), padded behind; a text may be empty."""
        flat = tokens.reshape(-1, tokens.shape[-1])
        last = (flat != self.padding).sum(1).clamp(min=1) - 1
        # Padding is behind, where the states that count have not been yet. Packed it would be read much more slowly.
        states = self.lstm(self.dropout(self.embedding(flat)))[0]
        state = states[torch.arange(len(flat), device=flat.device), last]
        return self.dropout(state).view(*tokens.shape[:-1], -1)

    def score(self, contexts: torch.Tensor, replies: torch.Tensor) -> torch.Tensor:
        """Scores (b, n) of `contexts` (b, hidden) and `replies`, (n, hidden) for all, or (b, n, hidden) for each."""
        projected = contexts @ self.matrix
        if replies.dim() == 2:
            return projected @ replies.t()
        return torch.einsum("bh,bnh->bn", projected, replies)


class BinaryLoss(nn.Module):
    """The paper's loss: binary cross-entropy, as many true pairs as false ones.

    The paper draws one false reply for each true one. Here its loss is the mean over all other candidates, which is
    what that draw is on average.
    """

    def forward(self, scores: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
        """The loss (b,) of `scores` (b, n) whose true ones are in the columns `true` (b,)."""
        chosen = functional.one_hot(true, scores.shape[1]).bool()
        others = functional.softplus(scores).masked_fill(chosen, 0).sum(1) / max(scores.shape[1] - 1, 1)
        return functional.softplus(-scores[chosen]) + others
