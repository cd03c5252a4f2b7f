"""Retrieval: answer with the turn that followed, among people, upon what is most like the turns just heard.

What is searched is the bots' fold of chitchat, so no person whose words these bots speak is met elsewhere in a study.
A conversation of people lends at most one turn to a conversation: two retrieval bots would otherwise find each other's
sources and recite them to the end.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from parlai.core.opt import Opt
from scipy import sparse

from parlai_spotbot.agents.dialogue import BatchedDialogueAgent, Dialogue
from parlai_spotbot.tasks.chitchat.data import conversations

BEFORE = 0.4
"""How much the turn before the last counts, where the last one counts 1."""

DECIMALS = 4
"""Decimals to which similarities are compared, so that rounding in another batch changes no answer."""

MAX_WORDS = 30
"""Longer turns are never answers: they tell somebody's story, which hardly suits another conversation."""


Contexts = tuple[np.ndarray | sparse.csr_matrix, np.ndarray | sparse.csr_matrix, np.ndarray]
"""Vectors of the last turns (rows, d), of those before them, and which conversations have one before (rows,)."""


def normal(text: str) -> str:
    """`text` for comparing: lower case, single spaces, no marks at its end."""
    return " ".join(text.lower().split()).rstrip(".!?")


class TurnIndex:
    """The turns of many conversations of people, in one row.

    Attributes
    ----------
    texts : list of str
        The distinct turns, of which `row` names one for each turn in the conversations' order.
    previous, reply : int arrays, one element a candidate
        A candidate is a turn that has a next one: `here` is its place in `texts`, `previous` that of the turn before it
        (-1: none), `reply` that of the turn after it, `source` the number of its conversation.
    """

    def __init__(self, conversations: Sequence[Sequence[str]]):
        place: dict[str, int] = {}
        rows = []
        for number, turns in enumerate(conversations):
            ids = [place.setdefault(text, len(place)) for text in turns]
            rows += [(ids[i - 1] if i else -1, ids[i], ids[i + 1], number) for i in range(len(ids) - 1)]
        self.texts = list(place)
        self.previous, self.here, self.reply, self.source = np.array(rows, dtype=np.int64).T
        self._normal = [normal(text) for text in self.texts]
        self._short = np.array([len(text.split()) <= MAX_WORDS for text in self.texts])[self.reply]
        count = Counter(normal(text) for turns in conversations for text in turns)
        self._only_source = {
            key: number for number, turns in enumerate(conversations) for key in map(normal, turns) if count[key] == 1
        }
        self._places: dict[str, list[int]] = {}
        for i, key in enumerate(self._normal):
            self._places.setdefault(key, []).append(i)

    def checksum(self) -> str:
        """A short name of the texts, for keys of caches."""
        return hashlib.sha256("\n".join(self.texts).encode()).hexdigest()[:12]

    def allowed(self, dialogue: Dialogue) -> np.ndarray:
        """Mask (candidates,) of usable ones: no long turn, no repeated turn, no second turn of a source."""
        spoken = {normal(turn.text) for turn in dialogue.turns}
        sources = [self._only_source[key] for key in spoken if key in self._only_source]
        places = [i for key in spoken for i in self._places.get(key, ())]
        return self._short & ~np.isin(self.source, sources) & ~np.isin(self.reply, places)

    def best(self, dialogue: Dialogue, similarity: np.ndarray) -> str:
        """The reply of the best candidate; the earliest of equals.

        Parameters
        ----------
        similarity : float array (2, len(texts))
            Of each text to the last turn, and to the one before it.
        """
        last, before = np.round(similarity, DECIMALS)
        score = last[self.here] + BEFORE * np.where(self.previous >= 0, before[self.previous], 0)
        allowed = self.allowed(dialogue)
        if not allowed.any():
            raise RuntimeError("the index holds no turn that this conversation does not hold already")
        return self.texts[self.reply[np.argmax(np.where(allowed, score, -np.inf))]]


class RetrievalAgent(BatchedDialogueAgent):
    """A bot that looks for its answers. A subclass defines `prepare`, `similarity` and `vectors`."""

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if shared:
            self.index, self.prepared = shared["index"]
        else:
            self.index = TurnIndex([conversation.turns for conversation in conversations("bots")])
            self.prepared = self.prepare(self.index)

    def share(self) -> dict:
        return {**super().share(), "index": (self.index, self.prepared)}

    def prepare(self, index: TurnIndex) -> object:
        """Return whatever `similarity` needs; shared by all clones."""
        raise NotImplementedError

    def similarity(self, texts: Sequence[str]) -> np.ndarray:
        """Similarities of `texts` to all texts of the index: float (len(texts), len(index.texts))."""
        raise NotImplementedError

    def vectors(self, texts: Sequence[str], quickly: bool = False) -> np.ndarray | sparse.csr_matrix:
        """`texts` as rows (len(texts), d) of length 1, by which any texts can be compared, those of no index too.

        `quickly`: they are many, and may differ in the third decimal for being encoded faster.
        """
        raise NotImplementedError

    # -- ranking -----------------------------------------------------------------------------------------------------
    def contexts(self, turns: Sequence[Sequence[str]]) -> Contexts:
        """Vectors of the last two of the `turns` (texts, the last one last) of each conversation."""
        last, before = ([turn[-place] if len(turn) >= place else "" for turn in turns] for place in (1, 2))
        return self.vectors(last), self.vectors(before), np.array([len(turn) > 1 for turn in turns])

    @staticmethod
    def likeness(contexts: Contexts, candidates: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        """Similarity (rows, n) of candidates (n, d) to the last turn and, with less weight, to the one before."""
        last, before, has_earlier = contexts
        near, far = (rows @ candidates.T for rows in (last, before))
        near, far = (part if isinstance(part, np.ndarray) else part.toarray() for part in (near, far))
        return (near + BEFORE * far * has_earlier[:, None]).astype(np.float32)

    def answers(self, dialogues: Sequence[Dialogue]) -> list[str]:
        heard = []
        for dialogue in dialogues:
            texts = ["", "", *(turn.text for turn in dialogue.turns)]
            heard += [texts[-1], texts[-2]]
        similarity = self.similarity(heard).reshape(len(dialogues), 2, -1)
        return [self.index.best(d, rows) for d, rows in zip(dialogues, similarity, strict=True)]
