"""The dual encoder with LSTM (Lowe et al., 2015) as a ParlAI ranker, to be trained and to take part."""

import torch
from parlai.core.message import Message
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from parlai.core.torch_agent import Batch
from parlai.core.torch_ranker_agent import TorchRankerAgent
from torch import nn
from torch.nn import functional

from parlai_spotbot.agents.dialogue import check_weights
from parlai_spotbot.errors import UserError


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


LOSSES = ("softmax", "binary")


class DualEncoderAgent(TorchRankerAgent):
    """Ranks candidates by c' M r, where one LSTM reads the context (c) and each candidate (r).

    Raises `UserError` without a trained model, unless it is about to be trained.
    """

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt=partial_opt)
        group = parser.add_argument_group("dual_encoder arguments")
        group.add_argument("-esz", "--embeddingsize", type=int, default=100, help="numbers a word")
        group.add_argument("-hs", "--hiddensize", type=int, default=200, help="numbers a text")
        group.add_argument("-nl", "--numlayers", type=int, default=1, help="layers of the LSTM")
        group.add_argument("-dr", "--dropout", type=float, default=0.2, help="share of numbers left out in training")
        group.add_argument(
            "--dual-encoder-loss",
            type=str,
            default="softmax",
            choices=LOSSES,
            help="softmax over the candidates, or the paper's: true or false, each pair separately",
        )
        cls.dictionary_class().add_cmdline_args(parser, partial_opt=partial_opt)
        parser.set_defaults(dict_lower=True, dict_tokenizer="re", text_truncate=160, label_truncate=60)
        return parser

    @classmethod
    def check_options(cls, opt: Opt) -> None:
        """Raise `UserError` for an option that no model can have."""
        for name in ("embeddingsize", "hiddensize", "numlayers"):
            if opt.get(name) is not None and opt[name] < 1:
                raise UserError(f"dual_encoder: option '{name}' is {opt[name]}, expected 1 or more.", "Correct it.")

    def __init__(self, opt: Opt, shared: dict | None = None):
        self.check_options(opt)
        check_weights(opt, shared, "dual_encoder", "Train one (agents/dual_encoder/README.md), then use -mf FILE.")
        super().__init__(opt, shared)

    def build_model(self) -> DualEncoder:
        opt = self.opt
        seeded = opt.get("seed") is not None
        with torch.random.fork_rng(devices=[], enabled=seeded):
            if seeded:  # train_model's, which ParlAI sets only after the weights are drawn
                torch.manual_seed(opt["seed"])
            sizes = [opt[name] for name in ("embeddingsize", "hiddensize", "numlayers", "dropout")]
            model = DualEncoder(len(self.dict), self.NULL_IDX, *sizes)
        if (opt.get("embedding_type") or "random") != "random":
            self._copy_embeddings(model.embedding.weight, opt["embedding_type"])
        return model

    def build_criterion(self) -> torch.nn.Module:
        return BinaryLoss() if self.opt.get("dual_encoder_loss") == "binary" else super().build_criterion()

    def vectorize(self, *args: object, **kwargs: object) -> Message:
        # Contexts and candidates are read by one LSTM, so neither has a mark where it begins or ends.
        return super().vectorize(*args, **{**kwargs, "add_start": False, "add_end": False})

    def encode_contexts(self, batch: Batch) -> torch.Tensor:
        """Encodings of a batch's contexts: (rows, hidden)."""
        return self.model.encode(batch.text_vec)

    def encode_candidates(self, padded_cands: torch.Tensor) -> torch.Tensor:
        """Encodings (n, hidden) of candidates (n, length), which need no context and can be kept."""
        return self.model.encode(padded_cands)

    def score_candidates(
        self, batch: Batch, cand_vecs: torch.Tensor, cand_encs: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Scores (rows, n) of candidates (n, length) for all, or (rows, n, length) for each."""
        replies = self.model.encode(cand_vecs) if cand_encs is None else cand_encs
        return self.model.score(self.encode_contexts(batch), replies)
