"""Made-up verdicts and labels: people and judge see a heavy-tailed quality through tastes and noise of their own."""

from functools import cache

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import alpha_of

SHAPE = ("cut", "taste", "noise", "judge", "bias")
DEFAULTS = {"cut": 0.0, "taste": 0.4, "noise": 0.5, "judge": 0.7, "bias": 0.0}


def made_up(
    rng: np.random.Generator, talks: int, people: int, each: int, rows: int = 1, **shape: float
) -> pd.DataFrame:
    """Return `each` labels of each of `rows` items of `talks` conversations, by `people` of unequal activity.

    `cut`: how rare one answer is; `taste`, `noise` and `judge`: standard deviations of people's tastes and of the
    noise of people and of the judge, which is in part the conversation's; `bias`: for bot b, in the judge's eyes.
    """
    cut, taste, noise, judge, bias = ({**DEFAULTS, **shape}[name] for name in SHAPE)
    talk = np.repeat(np.arange(talks), rows * each)
    item = np.repeat(np.arange(talks * rows), each)
    chance = 1 / np.arange(1, people + 1)
    chosen = np.log(chance) + rng.gumbel(size=(talks * rows, people))
    annotator = np.argsort(-chosen, axis=1)[:, :each].ravel()
    quality = rng.standard_t(4, talks)
    bot = rng.integers(0, 3, talks)
    seen = quality + 0.7 * judge * rng.standard_t(4, talks) + bias * (bot == 1)
    verdict = (seen[:, None] + 0.7 * judge * rng.standard_t(4, (talks, rows))).ravel() > cut
    tastes = taste * rng.standard_normal(people)
    label = quality[talk] + tastes[annotator] + noise * rng.logistic(size=len(talk)) > cut
    names = {"item": item, "conversation": talk, "annotator": annotator, "bot": bot[talk]}
    columns = {name: [f"{name[0]}{code}" for code in codes] for name, codes in names.items()}
    answers = {"verdict": verdict[item].astype(int).astype(str), "label": label.astype(int).astype(str)}
    return pd.DataFrame(columns | answers)


@cache
def truth(**shape: float) -> tuple[float, float]:
    """Return the judge's alpha with people and people's with each other, of many conversations and people."""
    rng = np.random.default_rng(1)
    frame = pd.concat([made_up(rng, 3000, 400, 2, **shape) for _ in range(20)])
    verdict, label = (frame[name].astype(int).to_numpy() for name in ("verdict", "label"))
    pairs = label.reshape(-1, 2)
    return _alpha(verdict, label), _alpha(*pairs.T)


def _alpha(first: np.ndarray, second: np.ndarray) -> float:
    met = np.zeros((2, 2))
    np.add.at(met, (first, second), 1)
    return float(alpha_of(met + met.T))
