"""Trust in a judge of Spot The Bot.

A contest is what a segment decides between two bots, by who is human and by each feature.
"""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from parlai_spotbot.analysis.frames import FAVOURED, matches_frame
from parlai_spotbot.analysis.trust import trust_part
from parlai_spotbot.findings import trust
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.spotting import FORM, Annotations

SIDES = {value: answer for answer, value in FAVOURED.items()}


def long_frame(annotations: pd.DataFrame, features: Sequence[str]) -> pd.DataFrame:
    """Return one row an answer, on who is human and on the `features`, from the frame of annotations.

    An annotation is named within its source: a judge may have taken over people's names.
    """
    named = annotations.assign(annotation_id=annotations["source"] + "/" + annotations["annotation_id"])
    parts = [named.assign(question="nature", target=f"entity:{e}", answer=named[f"nature{e}"]) for e in (0, 1)]
    for feature in features:
        parts.append(named.assign(question=feature, target="pair", answer=named[feature].map(SIDES)))
    return pd.concat(parts, ignore_index=True).dropna(subset="answer")


def contests(rows: pd.DataFrame, features: Sequence[str]) -> pd.DataFrame:
    """Return the matches by who is human and by each of the `features` from rows of `long_frame`."""
    annotations = rows.drop_duplicates("annotation_id")
    frames = [matches_frame(annotations, name).assign(criterion=name) for name in ("nature", *features)]
    matches = pd.concat(frames).drop(columns="k")
    return matches.join(annotations[["annotation_id", "item_id"]]).reset_index(drop=True)


def compute(answers: Annotations) -> Found | None:
    """A judge beside people on the same items; nothing for people, and where there are none."""
    if answers.people is None:
        return None
    people, judge = (long_frame(source_answers.rows, answers.features) for source_answers in (answers.people, answers))
    options = {"rng": answers.rng("trust"), "replicates": answers.options.bootstraps}
    contests_of = partial(contests, features=answers.features)
    return trust.in_words(trust_part(people, judge, contests=contests_of, **options))


FINDING = trust.finding(FORM, compute)
