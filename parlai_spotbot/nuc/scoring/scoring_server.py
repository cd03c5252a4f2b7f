"""Server in a contestant's process that scores candidates.

It answers in small steps (a piece of texts, a question), so that the run can show progress and stop what hangs.
"""

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
from parlai.core.message import Message

from parlai_spotbot.models.minilm import MiniLM
from parlai_spotbot.nuc.scoring.encoding import EncodedTexts, SeparateEncoder
from parlai_spotbot.nuc.scoring.likelihood import SILENCE, CausalLikelihood, GeneratorLikelihood
from parlai_spotbot.nuc.scoring.rankers import EncoderRanker, RetrievalRanker, listed_scores, together
from parlai_spotbot.nuc.scoring.scores import FAMILIES, PER_BYTE, PMI, RANKER, SUM, rounded
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.agent_server import AgentServer, note_own_turn, seed_everything
from parlai_spotbot.selfplay.seeds import derive
from parlai_spotbot.surveys.nuc_questions import NucQuestion

RANKING = {
    "interactive_mode": False,
    "candidates": "inline",
    "eval_candidates": "inline",
    "ignore_bad_candidates": True,
    "return_cand_scores": True,
    "cap_num_predictions": 1_000_000_000,
}
"""Options under which ParlAI's rankers score the candidates that they are given; others don't know them."""

PROBES = tuple(
    NucQuestion("probe", "", "", context, (0, 1), ("Fine, thank you, and you?", "The train leaves from there."), 0)
    for context in (("Hello, how are you?",), ("Hello.",))
)
"""Questions that show what an agent does with candidates."""


class NucServer(AgentServer):
    """An agent that scores candidates in the way that suits it.

    `about` names it: `family`, and `apart`, whether it encodes candidates apart from contexts.
    """

    OPTIONS = RANKING

    def __init__(self, contestant: Contestant, threads: int, met: bool = False):
        super().__init__(contestant, threads, met)
        self._encoded: EncodedTexts | None = None
        self._clone: Any = None
        self.failures: dict[str, str] = {}
        self.chosen, self.way = self._choose()

    def about(self) -> dict:
        return super().about() | {"family": self.chosen, "apart": isinstance(self.way, SeparateEncoder)}

    # -- which way ---------------------------------------------------------------------------------------------------
    def _choose(self) -> tuple[str, Any]:
        from parlai.core.torch_generator_agent import TorchGeneratorAgent
        from parlai.core.torch_ranker_agent import TorchRankerAgent

        from parlai_spotbot.agents.dialogue import DialogueAgent
        from parlai_spotbot.agents.language import LanguageModelAgent
        from parlai_spotbot.agents.retrieval import RetrievalAgent

        agent = self.agent
        if isinstance(agent, RetrievalAgent):
            return "ranker", RetrievalRanker(agent)
        if isinstance(agent, TorchRankerAgent):
            if hasattr(agent, "encode_contexts"):
                return "ranker", EncoderRanker(agent, self.heard)
            return "ranker", partial(together, agent, self.heard)
        if isinstance(agent, LanguageModelAgent):
            return "likelihood", partial(starmap, CausalLikelihood(agent).log_likelihood)
        if isinstance(agent, TorchGeneratorAgent):
            return "likelihood", GeneratorLikelihood(agent, self.heard, [(probe, probe.candidates) for probe in PROBES])
        if not isinstance(agent, DialogueAgent):  # ours list no candidates; a server would be paid for nothing
            with contextlib.suppress(Exception):  # whatever it can't do, it isn't ranking
                if self._listed_of(PROBES[0]) is not None:
                    return "ranker", self._listed
        return "similarity", ReplySimilarity(self, MiniLM())

    # -- hearing -----------------------------------------------------------------------------------------------------
    def heard(self, question: NucQuestion | None, candidates: Sequence[str] | None = None) -> Any:
        """Return a clone of the agent that heard a question's context turn by turn; of None, no context.

        For ParlAI's own agents and ours, whose `reset` forgets all, it is always the same clone.
        """
        if self._clone is None or not type(self.agent).__module__.startswith(("parlai.", "parlai_spotbot.")):
            self._clone = self.agent.clone()
        clone = self._clone
        clone.reset()
        if hasattr(clone, "set_conversation_seed"):
            clone.set_conversation_seed(seed_of(question))
        events = events_of(question, self.persona)
        for place, (is_own, text) in enumerate(events):
            if is_own:
                note_own_turn(clone, Message({"text": text, "episode_done": False}))
                continue
            message = {"id": "partner", "text": text, "episode_done": False}
            if candidates is not None and place == len(events) - 1:
                message["label_candidates"] = list(candidates)
            clone.observe(Message(message))
        return clone

    # -- answering ---------------------------------------------------------------------------------------------------
    def act(self, what: str, *args: Any) -> Iterator[tuple[int, Any]]:
        """Yield ``(place, result)`` for each part of the work.

        ``encode texts``
            Encode candidates once (for those that do so apart from contexts); results are empty.
        ``score questions``
            For each question {way: values}, or {"failed": why}.
        """
        yield from {"encode": self._encode, "score": self._score}[what](*args)

    def _encode(self, texts: Sequence[str]) -> Iterator[tuple[int, dict]]:
        self._encoded = EncodedTexts(texts, self.way)
        for done in self._encoded.fill():
            yield done, {}

    def _score(self, questions: Sequence[NucQuestion]) -> Iterator[tuple[int, dict]]:
        if isinstance(self.way, SeparateEncoder):
            (name,) = FAMILIES[self.chosen]
            for place, scores in enumerate(self._encoded.scores(questions)):
                result: dict = {name: rounded(scores)}
                why = self.failures.pop(questions[place].question_id, "")
                if why:
                    result = {"failed": why}
                yield place, result
        elif self.chosen == "likelihood":
            texts = sorted({text for question in questions for text in question.candidates})
            ((*likelihood_alone,),) = self.way([(None, texts)])
            alone_of = dict(zip(texts, likelihood_alone, strict=True))
            for place, values in enumerate(self.way([(question, question.candidates) for question in questions])):
                alone, sizes = np.array([(alone_of[x], len(x.encode("utf-8"))) for x in questions[place].candidates]).T
                yield place, {SUM: rounded(values), PER_BYTE: rounded(values / sizes), PMI: rounded(values - alone)}
        else:
            for place, values in enumerate(self.way(questions)):
                if values is None:
                    yield place, {"failed": "it ranked something other than the candidates"}
                else:
                    yield place, {RANKER: rounded(values)}

    # -- those that list candidates ----------------------------------------------------------------------------------
    def _listed_of(self, question: NucQuestion) -> np.ndarray | None:
        # In an order of their own: what depends on the order given would else depend on where the true turn stands.
        clone = self.heard(question, sorted(question.candidates))
        seed_everything(seed_of(question))  # only now: making a clone may draw, or seed
        return listed_scores(question, clone.act())

    def _listed(self, questions: Sequence[NucQuestion]) -> Iterator[np.ndarray | None]:
        return map(self._listed_of, questions)

    # -- by their reply ----------------------------------------------------------------------------------------------
    def replies(self, questions: Sequence[NucQuestion]) -> list[str]:
        """Return the agent's reply to each context; "" where it fails, which is noted."""
        requests = []
        for question in questions:
            events: list[tuple[str, Any]] = [("open", seed_of(question))]
            for is_own, text in events_of(question, ""):
                what = "observe"
                if is_own:
                    what = "self"
                events.append((what, {"id": "partner", "text": text, "episode_done": False}))
            requests.append((question.question_id, events, seed_of(question)))
        replies = [""] * len(questions)
        for place, result in super().act(requests, derive(*(seed for _, _, seed in requests))):
            replies[place] = str(result.get("text", "")).strip()
            if not replies[place]:
                self.failures[questions[place].question_id] = str(result.get("error") or "an empty turn")
        self.close([question.question_id for question in questions])
        return replies


class ReplySimilarity(SeparateEncoder):
    """Description of how like a contestant's reply each candidate is: cosine of embeddings. Where there is no reply,
    all are 0."""

    def __init__(self, server: NucServer, embedder: MiniLM):
        self._server = server
        self._embedder = embedder

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return self._embedder.embed(texts, dtype="bf16")

    def contexts(self, questions: Sequence[NucQuestion]) -> np.ndarray:
        replies = self._server.replies(questions)
        return self._embedder.embed(replies) * np.array([bool(text) for text in replies], dtype=np.float32)[:, None]

    def compare(self, contexts: np.ndarray, encoded: np.ndarray) -> np.ndarray:
        return contexts @ encoded.T


def seed_of(question: NucQuestion | None) -> int:
    """The seed of an agent's chances with a question: the same whatever else is asked."""
    if question is None:
        return 0
    return derive("nuc", question.question_id)


def events_of(question: NucQuestion | None, persona: str) -> list[tuple[bool, str]]:
    """The context as (whether the one who is to answer said it, text), the partner first and last.

    Turns of one side in a row are one. A turn of one's own at the beginning goes before the partner's first, as
    ParlAI's agents can't speak before they have heard something.
    """
    events: list[tuple[bool, str]] = []
    if question is not None:
        speaker_answering = question.speakers[-1]
        for text, speaker in zip(question.context, question.speakers[:-1], strict=True):
            is_own = speaker == speaker_answering
            if events and events[-1][0] == is_own:
                events[-1] = (is_own, f"{events[-1][1]}\n{text}")
            else:
                events.append((is_own, text))
    if events and events[0][0]:
        first = events.pop(0)[1]
        events[:1] = [(False, "\n".join([first, *(text for _, text in events[:1])]))]
    if not events or events[-1][0]:
        events.append((False, SILENCE))
    if persona:
        events[0] = (False, f"{persona}\n{events[0][1]}")
    return events
