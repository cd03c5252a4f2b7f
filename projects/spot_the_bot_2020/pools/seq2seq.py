"""S2, the paper's sequence-to-sequence model (section 4, appendix C): ParlAI's seq2seq that starts from word vectors.

ParlAI 1.7.2 reads fastText's vectors through torchtext, which no longer works with today's torch; here they come from
a text file (`--vectors-file`) as fastText publishes them. How it words its answers is DR's.
"""

from collections.abc import Collection
from types import SimpleNamespace

import torch
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser

from parlai_spotbot.agents.dr.agents import DrAgent
from parlai_spotbot.errors import UserError


class S2Agent(DrAgent):
    """A seq2seq whose embeddings start as the vectors in ``opt["vectors_file"]`` where that knows the word."""

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        parser.add_argument_group("Seq2seq of Spot The Bot").add_argument(
            "--vectors-file", type=str, default="", help="word vectors as fastText publishes them (.vec)"
        )
        return parser

    def _get_embtype(self, emb_type: str) -> tuple[SimpleNamespace, str]:
        words, vectors = read_vectors(self.opt["vectors_file"], self.dict.tok2ind.keys())
        return SimpleNamespace(stoi={word: row for row, word in enumerate(words)}, vectors=vectors), emb_type


def read_vectors(path: str, wanted: Collection[str]) -> tuple[list[str], torch.Tensor]:
    """The words among `wanted` that the file of vectors at `path` knows, and their vectors, (words, dimensions).

    Raises `UserError` that names the line where the file isn't one of vectors.
    """
    words = []
    vectors = []
    with open(path, encoding="utf-8", newline="\n", errors="replace") as lines:
        size = _size(next(lines, ""), path)
        for number, line in enumerate(lines, start=2):
            word, *numbers = line.rstrip().split(" ")
            if word not in wanted:
                continue
            try:
                vector = torch.tensor([float(value) for value in numbers])
            except ValueError:
                vector = torch.empty(0)
            if len(vector) != size:
                raise UserError(
                    f"{path}, line {number}: not a word with {size} numbers.", "The file is damaged: fetch it again."
                )
            words.append(word)
            vectors.append(vector)
    return words, torch.stack(vectors) if vectors else torch.empty(0, size)


def _size(first: str, path: str) -> int:
    parts = first.split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        raise UserError(
            f"{path}, line 1: not a file of fastText's word vectors.", "It begins with two numbers: words, dimensions."
        )
    return int(parts[1])
