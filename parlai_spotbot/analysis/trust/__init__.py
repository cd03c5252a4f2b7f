"""How far a judge can be trusted: what it answers, beside what people answer to the same questions on the same items.

`trust_part` makes what trust.json holds of one judge, for any survey. A judge is no substitute for people: nothing here
changes what people's own statistics say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.trust.agreement import agreement
from parlai_spotbot.analysis.trust.draws import Draws

COLUMNS = ("item_id", "conversation_id", "worker_id", "annotation_id", "question", "target", "answer")
CONTESTS = ("criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "a", "b", "outcome")
RATINGS = ("criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "place", "contestant", "score")

Frame = Callable[[pd.DataFrame], pd.DataFrame]


def trust_part(
    people: pd.DataFrame,
    judge: pd.DataFrame,
    *,
    contests: Frame | None = None,
    ratings: Frame | None = None,
    scales: Mapping[str, Sequence[str]] | None = None,
    truth: pd.Series | None = None,
    own: Sequence[str] = (),
    about: Mapping | None = None,
    rng: np.random.Generator,
    replicates: int = 1000,
) -> dict:
    """Everything about one judge beside people; NaN where something is not known, with `why` where nothing is.

    Parameters
    ----------
    people, judge : frames
        Answers in long form, one source each, without controls and free text: the columns `COLUMNS`, answers as text.
    contests : callable, optional
        From such answers (rows of `people` or of `judge`) the matches that they decide, columns `CONTESTS`: `a` is the
        contestant in the first place (entity 0, conversation 0), `b` the other, `outcome` +1 where `a` is favoured, 0
        for a tie, -1; `criterion` is what is ranked by, "nature" or a question. With `words_a` and `words_b`, how much
        either said, whether length pays is looked at too.
    ratings : callable, optional
        From such answers the scores that they give, columns `RATINGS`: one row a contestant (people among them, as
        "human") in one `place` (0 or 1). Rankings are by ratings where there are no contests of that criterion.
    scales : mapping, optional
        Of each question whose answers are ordered, the answers from lowest to highest: alpha is ordinal there.
    truth : Series, optional
        The right answer, indexed by (item_id, question, target), where it is known (who is human).
    own : sequence of str
        The contestants that are the judge's own model.
    about : mapping, optional
        What the judge says of itself (JUDGE.json), of which `position` is passed on.

    Returns
    -------
    dict
        `items`, `people`, `variants`, `questions`, `ranks`, `speakers`, `position`, `length`, `favours`, `savings`,
        `verdict`, `sentences`, `bootstrap`: see the modules of this folder. `items` 0 and `why` where no item was
        answered by both.
    """
    shared = set(people["item_id"]) & set(judge["item_id"])
    if not shared:
        return {"items": 0, "why": "people and the judge answered no item both", "questions": {}}
    ours, theirs = (_rows(frame, shared) for frame in (people, judge))
    draws = Draws(
        [*ours["conversation_id"], *theirs["conversation_id"]], ours["worker_id"], rng=rng, replicates=replicates
    )
    questions, variants = agreement(ours, theirs, draws, scales or {})
    return {"items": len(shared), "questions": questions, "variants": variants}


def _rows(frame: pd.DataFrame, items: set) -> pd.DataFrame:
    rows = frame.loc[frame["item_id"].isin(items), list(COLUMNS)].reset_index(drop=True)
    return rows.assign(answer=rows["answer"].astype(str))
