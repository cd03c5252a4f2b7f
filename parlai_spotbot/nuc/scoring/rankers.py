"""Contestants that rank candidates by scores of their own: ParlAI's rankers, our retrieval agents, and whoever answers
``label_candidates`` with ``text_candidates``.

ParlAI's rankers get the conversation turn by turn, as when they chat. Where a ranker encodes candidates apart from the
context, each text is encoded once; a probe on a question makes sure that this gives the scores that it gives otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from parlai.core.torch_ranker_agent import TorchRankerAgent

from parlai_spotbot.agents.retrieval import RetrievalAgent
from parlai_spotbot.nuc.scoring.encoding import SeparateEncoder
from parlai_spotbot.surveys.nuc_questions import NucQuestion

Observe = Callable[[NucQuestion, Sequence[str] | None], Any]
"""Lets a fresh clone of the agent hear a question's context, with candidates or without; returns the clone."""

SLACK = 1e-3
"""Scores of candidates encoded apart may differ by so much of their standard deviation."""


class RetrievalRanker(SeparateEncoder):
    """Our retrieval agents: how like a candidate is to the last turn, and with less weight to the one before, by the
    agent's own measure (as TF-IDF ranks in Lowe et al. 2015)."""

    def __init__(self, agent: RetrievalAgent):
        self.agent = agent

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return self.agent.vectors(texts, quickly=True)

    def contexts(self, questions: Sequence[NucQuestion]) -> Any:
        return self.agent.contexts([question.context for question in questions])

    def compare(self, contexts: Any, encoded: Any) -> np.ndarray:
        return self.agent.likeness(contexts, encoded)


class TorchRanker(SeparateEncoder):
    """A ranker of ParlAI that encodes candidates apart from the context (bi- and poly-encoders, our dual encoder)."""

    def __init__(self, agent: TorchRankerAgent, observe: Observe):
        self.agent, self._observe = agent, observe
        self._marks = False  # whether candidates have the tokens of beginning and end
        agent.model.eval()

    @torch.inference_mode()
    def encode(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self.agent._make_candidate_encs(self.vectors(texts))
        # Some keep candidates behind an axis for the batch.
        self._axis = next(axis for axis, size in enumerate(encoded.shape) if size == len(texts) and axis < 2)
        return encoded.movedim(self._axis, 0).float().cpu().numpy()

    def vectors(self, texts: Sequence[str]) -> torch.Tensor:
        """The texts' tokens, padded (len(texts), length)."""
        rows = self.agent.vectorize_fixed_candidates(list(texts), add_start=self._marks, add_end=self._marks)
        return self.agent._pad_tensor(rows, is_label=True)[0]

    @torch.inference_mode()
    def contexts(self, questions: Sequence[NucQuestion]) -> Any:
        batch = self.batch(questions)
        return self.agent.encode_contexts(batch) if hasattr(self.agent, "encode_contexts") else batch

    def batch(self, questions: Sequence[NucQuestion], candidates: bool = False) -> Any:
        """ParlAI's batch of the questions' contexts, with candidates or without."""
        clones = [self._observe(question, question.candidates if candidates else None) for question in questions]
        return self.agent.batchify([clone.observation for clone in clones])

    @torch.inference_mode()
    def compare(self, contexts: Any, encoded: np.ndarray) -> np.ndarray:
        device = next(self.agent.model.parameters()).device
        rows = torch.tensor(encoded, device=device).movedim(0, getattr(self, "_axis", 0))
        if isinstance(contexts, torch.Tensor):
            return self.agent.model.score(contexts, rows).float().cpu().numpy()
        return self.agent.score_candidates(contexts, None, cand_encs=rows).float().cpu().numpy()

    # -- any ranker of ParlAI ------------------------------------------------------------------------------------------
    @torch.inference_mode()
    def together(self, questions: Sequence[NucQuestion]) -> list[np.ndarray]:
        """The scores as ParlAI computes them, each question with its own candidates."""
        batch = self.batch(questions, candidates=True)
        _, vectors, _ = self.agent._build_candidates(batch, source="inline", mode="eval")
        scores = self.agent.score_candidates(batch, vectors).float().cpu().numpy()
        return [row[: len(question.candidates)] for row, question in zip(scores, questions, strict=True)]

    def apart(self, question: NucQuestion) -> bool:
        """Return whether candidates encoded apart get the scores that they get otherwise."""
        expected = self.together([question])[0]
        for self._marks in (False, True):
            try:
                scores = self.compare(self.contexts([question]), self.encode(question.candidates))[0]
            except (
                NotImplementedError,
                TypeError,
                ValueError,
                RuntimeError,
                AttributeError,
                IndexError,
                StopIteration,
            ):
                return False  # cross-encoders, and what was written for candidates given inline only
            if scores.shape == expected.shape and np.abs(scores - expected).max() <= SLACK * max(expected.std(), 1e-9):
                return True
        return False


def listed_scores(question: NucQuestion, reply: Any) -> np.ndarray | None:
    """The scores of an agent that answers with ``text_candidates``: its ``candidate_scores``, else minus the place.

    None where its list isn't one of the candidates. Those that it leaves out are behind all others, with one score.
    """
    listed = list(reply.get("text_candidates") or ())
    if not listed or not set(listed) <= set(question.candidates) or len(set(listed)) != len(listed):
        return None
    given = reply.get("candidate_scores")
    if given is None or len(given) != len(listed):
        given = -np.arange(len(listed), dtype=float)
    score_by_text = dict(zip(listed, np.asarray(given, dtype=float).tolist(), strict=True))
    behind = min(score_by_text.values()) - 1
    return np.array([score_by_text.get(text, behind) for text in question.candidates])
