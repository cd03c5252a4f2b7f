"""Trust in a judge of Spot The Bot.

A contest is what a segment decides between two bots, by who is human and by each feature.
"""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.analysis.frames import FAVOURED, matches_frame
from parlai_spotbot.analysis.trust import trust_part
from parlai_spotbot.findings import trust
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.spotting import FORM, Annotations

SIDES = {value: answer for answer, value in FAVOURED.items()}


def long_frame(annotations: pd.DataFrame, features: Sequence[str]) -> pd.DataFrame:
    """One row an answer, on who is human and on the `features`, as `trust_part` wants them, from the frame of
    annotations."""
    parts = [
        annotations.assign(question="nature", target=f"entity:{e}", answer=annotations[f"nature{e}"]) for e in (0, 1)
    ]
    for feature in features:
        parts.append(annotations.assign(question=feature, target="pair", answer=annotations[feature].map(SIDES)))
    columns = ["item_id", "conversation_id", "worker_id", "annotation_id", "question", "target", "answer"]
    return pd.concat(parts, ignore_index=True)[columns].dropna(subset="answer")


def compute(answers: Annotations) -> Found | None:
    """A judge beside people on the same items; nothing for people, and where there are none."""
    if answers.people is None:
        return None
    # An annotation is named within its source: a judge may have taken over people's names.
    wide = pd.concat([answers.people.rows, answers.rows], ignore_index=True)
    wide["annotation_id"] = wide["source"] + "/" + wide["annotation_id"]
    both = [long_frame(frame, answers.features) for _, frame in wide.groupby("source", sort=True)]

    def contests(rows: pd.DataFrame) -> pd.DataFrame:
        rows = wide[wide["annotation_id"].isin(set(rows["annotation_id"]))]
        frames = [matches_frame(rows, name).assign(criterion=name) for name in ("nature", *answers.features)]
        return pd.concat(frames).drop(columns="k").join(rows[["annotation_id", "item_id"]]).reset_index(drop=True)

    options = {"rng": answers.rng("trust"), "replicates": answers.options.bootstraps}
    return trust.in_words(trust_part(*both, contests=contests, **options))


FINDING = trust.finding(FORM, compute)
