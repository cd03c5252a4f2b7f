"""DR as a ParlAI agent: ParlAI's own seq2seq, which doesn't say "__unk__" and spaces its words as people do.

The paper's weak baseline (section 4). `parlai_spotbot.zoo.spotbot.dr` says how it is trained.
"""

import torch
from parlai.agents.seq2seq.seq2seq import Seq2seqAgent
from parlai.core.opt import Opt
from parlai.core.torch_generator_agent import SearchBlocklist
from parlai.utils.strings import normalize_reply

from parlai_spotbot.agents.dialogue import check_weights, whole_sentences


class DrAgent(Seq2seqAgent):
    """A seq2seq of words; words unknown to its dictionary are understood as one, but never said.

    Raises `UserError` without a trained model, unless it is about to be trained.
    """

    def __init__(self, opt: Opt, shared: dict | None = None):
        check_weights(opt, shared, "dr", "Use -mf zoo:spotbot/dr/model.")
        super().__init__(opt, shared)

    def _load_beam_block_list(self) -> SearchBlocklist:
        blocked = super()._load_beam_block_list()
        blocked.add(self.dict.unk_token)
        return blocked

    def _v2t(self, vec: torch.LongTensor) -> str:
        text = super()._v2t(vec)
        # The search puts an end mark to what it had to break off, too.
        return whole_sentences(normalize_reply(text), finished=len(vec) < self.label_truncate)
