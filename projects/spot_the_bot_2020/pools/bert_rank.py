"""BR, the paper's BERT ranker (section 4, appendix C): ParlAI's bi-encoder of which only the last layers are trained.

ParlAI 1.7.2 no longer has an option for that, and it fetches BERT from an address of its own; here BERT comes from a
folder (`--bert-folder`), and so it may be any BERT in the format of pytorch-pretrained-bert.
"""

from pathlib import Path

import torch
from parlai.agents.bert_ranker.bert_dictionary import BertDictionaryAgent, BertTokenizer
from parlai.agents.bert_ranker.bi_encoder_ranker import BiEncoderModule, BiEncoderRankerAgent
from parlai.core.dict import DictionaryAgent
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from parlai.core.torch_ranker_agent import TorchRankerAgent


class BertWords(BertDictionaryAgent):
    """The word pieces of the BERT in ``opt["bert_folder"]``."""

    def __init__(self, opt: Opt, shared: dict | None = None):
        # Not BertDictionaryAgent's own: that one downloads.
        DictionaryAgent.__init__(self, opt)
        self.tokenizer = BertTokenizer.from_pretrained(str(Path(opt["bert_folder"]) / "vocab.txt"))
        self.start_token, self.end_token, self.null_token = marks = ("[CLS]", "[SEP]", "[PAD]")
        self.start_idx, self.end_idx, self.pad_idx = self.tokenizer.convert_tokens_to_ids(marks)
        for mark, index in zip(marks, (self.start_idx, self.end_idx, self.pad_idx), strict=True):
            self.tok2ind[mark], self.ind2tok[index] = index, mark


class BertRankAgent(BiEncoderRankerAgent):
    """Ranks candidates by the product of two BERTs' encodings, of the context and of the candidate."""

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        group = parser.add_argument_group("BERT ranker of Spot The Bot")
        group.add_argument(
            "--bert-folder", type=str, default="", help="with vocab.txt, bert_config.json and pytorch_model.bin"
        )
        group.add_argument("--trained-layers", type=int, default=4, help="how many of the last layers are trained")
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        opt["pretrained_path"] = opt["bert_folder"]
        self.clip = -1
        # Not BiEncoderRankerAgent's own: that one downloads.
        TorchRankerAgent.__init__(self, opt, shared)

    @staticmethod
    def dictionary_class() -> type[DictionaryAgent]:
        return BertWords

    def build_model(self) -> BiEncoderModule:
        # Candidates are encoded while the agent is made, by these names.
        self.NULL_IDX, self.START_IDX, self.END_IDX = self.dict.pad_idx, self.dict.start_idx, self.dict.end_idx
        model = BiEncoderModule(self.opt)
        for encoder in (model.context_encoder, model.cand_encoder):
            freeze_below(encoder.bert_model, self.opt["trained_layers"])
        return model


def freeze_below(bert: torch.nn.Module, layers: int) -> None:
    """Leave only the last `layers` layers of `bert` (and what follows them) to be trained."""
    stack = bert.encoder.layer
    for part in (bert.embeddings, *stack[: max(0, len(stack) - layers)]):
        for weights in part.parameters():
            weights.requires_grad = False
