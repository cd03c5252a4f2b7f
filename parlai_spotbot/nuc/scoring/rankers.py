"""Contestants that rank candidates by scores of their own: ParlAI's rankers, our retrieval agents, and whoever answers
``label_candidates`` with ``text_candidates``.

ParlAI's rankers get the conversation turn by turn, as when they chat. Our dual encoder encodes candidates apart from
contexts, each text once.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from parlai.core.torch_ranker_agent import TorchRankerAgent

from parlai_spotbot.agents.retrieval import RetrievalAgent
from parlai_spotbot.nuc.scoring.encoding import SeparateEncoder
from parlai_spotbot.surveys.nuc_questions import NucQuestion

Observe = Callable[[NucQuestion, Sequence[str] | None], Any]
"""Lets a clone of the agent hear a question's context, with candidates or without; returns the clone, which may be the
one that hears the next question."""


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


def together(agent: TorchRankerAgent, observe: Observe, questions: Sequence[NucQuestion]) -> list[np.ndarray]:
    """Return the scores as ParlAI computes them, each question with its own candidates."""
    agent.model.eval()
    with torch.inference_mode():
        batch = agent.batchify([observe(question, question.candidates).observation for question in questions])
        _, vectors, _ = agent._build_candidates(batch, source="inline", mode="eval")
        scores = agent.score_candidates(batch, vectors).float().cpu().numpy()
    return [row[: len(question.candidates)] for row, question in zip(scores, questions, strict=True)]


class EncoderRanker(SeparateEncoder):
    """Our dual encoder, which encodes candidates apart from the context."""

    def __init__(self, agent: TorchRankerAgent, observe: Observe):
        self.agent = agent
        self._observe = observe
        agent.model.eval()

    @torch.inference_mode()
    def encode(self, texts: Sequence[str]) -> np.ndarray:
        rows = self.agent.vectorize_fixed_candidates(list(texts))
        return self.agent._make_candidate_encs(self.agent._pad_tensor(rows, is_label=True)[0]).float().cpu().numpy()

    @torch.inference_mode()
    def contexts(self, questions: Sequence[NucQuestion]) -> Any:
        observations = [self._observe(question, None).observation for question in questions]
        return self.agent.encode_contexts(self.agent.batchify(observations))

    @torch.inference_mode()
    def compare(self, contexts: Any, encoded: np.ndarray) -> np.ndarray:
        return self.agent.model.score(contexts, torch.tensor(encoded, device=contexts.device)).float().cpu().numpy()


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
