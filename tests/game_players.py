"""Simulated players of the game of appendix B, whose true hazards are known.

Every annotated entity gives itself away after T exchanges: with the hazard of its contestant, times a factor that the
appearance has for all of its annotators. Who sees that calls it a bot; who doesn't may stop with "human" after each
exchange, with a chance that may depend on the factor, and says what is left in the end.
"""

from dataclasses import dataclass, field

import numpy as np

from parlai_spotbot.records import HUMAN, Conversation, Judgement
from tests.spoken import rows_about, spoken

WHOLE = 5


@dataclass(frozen=True)
class Players:
    """How the players play.

    `hazards` by contestant; an appearance's factor is drawn from `factors`. `stopping` {factor: chance of stopping
    with "human"}.
    """

    hazards: dict[str, float] = field(default_factory=lambda: {"alice": 0.4, "dr": 0.25, "blender": 0.12, HUMAN: 0.04})
    factors: tuple[float, ...] = (1.0,)
    stopping: dict[float, float] = field(default_factory=lambda: {1.0: 0.25})
    annotators: int = 12
    per_pair: int = 20
    people: int = 20
    each: int = 2
    whole: int = WHOLE
    controls: bool = False

    def survival(self, name: str, k: int) -> float:
        """The true share that passes after k exchanges."""
        return float(np.mean([(1 - min(self.hazards[name] * factor, 1)) ** k for factor in self.factors]))


def play(players: Players, seed: int = 0) -> tuple[list[Judgement], list[Conversation]]:
    """The judgements, and the conversations that they are of."""
    rng = np.random.default_rng(seed)
    conversations = _conversations(players)
    judgements: list[Judgement] = []
    workers = [f"w{i:02d}" for i in range(players.annotators)]
    for number, conversation in enumerate(conversations):
        factors = rng.choice(players.factors, 2)
        for worker in rng.choice(workers, players.each, replace=False):
            decided = [_decide(players, conversation.entities[e], factors[e], rng) for e in (0, 1)]
            judgements += _rows(conversation, worker, f"u{worker}{number // 20}", decided, rng)
    return judgements + (_controls(workers) if players.controls else []), conversations


def _conversations(players: Players) -> list[Conversation]:
    bots = [name for name in players.hazards if name != HUMAN]
    pairs = [(a, b) for i, a in enumerate(bots) for b in bots[i + 1 :]]
    entities = [(a, b) if n % 2 else (b, a) for a, b in pairs for n in range(players.per_pair)]
    entities += [(HUMAN, HUMAN)] * players.people
    turns = 2 * (1 + players.whole)
    return [
        spoken(f"c{n:04d}", two, (f"turn {t} of {n}" for t in range(turns)), n, seed_id=f"seed{n}")
        for n, two in enumerate(entities)
    ]


def _decide(players: Players, name: str, factor: float, rng: np.random.Generator) -> tuple[str, int]:
    """The verdict, and the exchanges open then."""
    for k in range(1, players.whole + 1):
        if rng.random() < players.hazards[name] * factor:
            return "bot", k
        if k < players.whole and rng.random() < players.stopping[factor]:
            return "human", k
    return ("unsure" if rng.random() < 0.3 else "human"), players.whole


def _rows(conversation: Conversation, worker: str, unit: str, decided: list, rng: np.random.Generator) -> list:
    name = f"{worker}/{conversation.conversation_id}"
    answers = [("nature", f"entity:{e}", verdict, k) for e, (verdict, k) in enumerate(decided)]
    opened = max(k for _, k in decided)
    answers += [
        (feature, "pair", str(rng.choice(["entity:0", "entity:1", "no_difference"])), opened)
        for feature in ("fluency", "sensibleness", "specificity")
    ]
    return [
        Judgement(
            f"{name}/{target}/{question}",
            name,
            "spot_the_bot_game",
            unit,
            f"i-{conversation.conversation_id}",
            (conversation.conversation_id,),
            k,
            target,
            question,
            answer,
            worker,
            "human",
            seconds=10.0 + 4 * k,
        )
        for question, target, answer, k in answers
    ]


def _controls(workers: list[str]) -> list[Judgement]:
    """Everybody gets two controls; the last annotator misses both."""
    rows = []
    for worker in workers:
        for kind, right in (("known_human", ("human", "human")), ("known_bot:1", ("human", "bot"))):
            wrong = ("bot", "bot") if kind == "known_human" else ("human", "human")
            answers = wrong if worker == workers[-1] else right
            given = {("nature", f"entity:{entity}"): answer for entity, answer in enumerate(answers)}
            about = "spot_the_bot_game", "u", f"i-{kind}", ("control",), 2
            rows += rows_about(f"{worker}/{kind}", about, worker, given, control=kind)
    return rows
