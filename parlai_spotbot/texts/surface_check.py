"""Test if the surface of texts alone tells people from bots: casing, spacing, tokenisation, odd characters.

If it does, annotators spot the typesetting and not the bot. A small classifier that sees nothing but such features,
never words or lengths, and of a long turn its ends alone, is cross-validated by conversation; its AUC (0.5 is blind)
is reported for every contestant.
"""

import re
from collections.abc import Callable, Iterable
from itertools import chain
from string import ascii_uppercase

import numpy as np
from threadpoolctl import threadpool_limits

from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.texts.characters import ASKING, STOPS
from parlai_spotbot.texts.phrases import ends
from parlai_spotbot.texts.surface import (
    FINAL,
    NO_SPACE_AFTER_PUNCTUATION,
    RULE,
    SPACE_BEFORE_PUNCTUATION,
    SPACE_BESIDE_WIDE,
    SPLIT_CONTRACTION,
    SURFACES,
    VERSION,
    has_special_token,
    is_spaced_once,
    may_lack_space,
)

THRESHOLD = 0.75
"""An AUC above this is warned about."""

FOLDS = 5
LEAST = 10
"""Conversations needed of a contestant, and of people, for an AUC."""

CAPITALS = ascii_uppercase.encode()
NO_LETTERS = bytes(place for place in range(128) if not chr(place).isalpha())
EMOJI = re.compile("[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
CURLY = re.compile("[‘’“”„«»–—]")
CLOSING = "\"')]\u201d\u2019\u00bb\u300d\u300f\u3011\uff09\uff3d"
ENDING = frozenset(f"{STOPS}{ASKING}…")
FEATURES = (
    "starts with a lower-case letter",
    "capital letters",
    "all capitals",
    "ends with punctuation",
    "ends with a full stop",
    "space before punctuation",
    "no space after punctuation",
    "split contractions",
    "needless white space",
    "letters beyond ASCII",
    "curly quotes or dashes",
    "emoji",
    "special tokens",
)


Entities = list[tuple[str, list[str]]]
"""Of each entity the conversation it is from, and its turns."""


def features(text: str) -> list[float]:
    """`FEATURES` of one turn, each true or false except the share of capital letters."""
    plain = text.isascii()
    if plain and text.islower():
        letters = "a"
        capitals = 0
    elif plain:
        letters = text.encode().translate(None, NO_LETTERS)
        capitals = len(letters) - len(letters.translate(None, CAPITALS))
    else:
        letters = "".join(filter(str.isalpha, text))
        capitals = sum(map(str.isupper, letters))
    trimmed = text.rstrip()
    return [
        letters[:1].islower(),
        capitals / max(len(letters), 1),
        len(letters) > 1 and capitals == len(letters),
        trimmed.rstrip(CLOSING)[-1:] in ENDING,
        trimmed[-1:] in FINAL and trimmed[-2:-1] not in FINAL,
        bool(SPACE_BEFORE_PUNCTUATION.search(text)),
        may_lack_space(text) and bool(NO_SPACE_AFTER_PUNCTUATION.search(text)),
        "'" in text and any(" " in contraction for contraction in SPLIT_CONTRACTION.findall(text)),
        not is_spaced_once(text) or (not plain and bool(SPACE_BESIDE_WIDE.search(text))),
        not letters.isascii(),
        not plain and bool(CURLY.search(text)),
        not plain and bool(EMOJI.search(text)),
        has_special_token(text),
    ]


def surface_report(conversations: Iterable[Conversation], segments: tuple[int, ...], surface: str) -> dict:
    """Measure how well the surface alone tells each contestant from people, `before` and `after` normalising.

    One observation is one entity in one conversation: the mean features of its turns in the longest segment shown.

    Returns a dict ready for JSON: the rule and its version, `threshold`, and for every contestant `conversations`,
    `turns`, `changed` (share of turns that the rule changed), `special_tokens` (turns with any), `before` and `after`
    (AUC, None with fewer than `LEAST` conversations on either side), and `given_away_by`: where `after` is above the
    threshold, the features that differ most, with their means for the contestant and for people.
    """
    spoken = _spoken(conversations, segments)
    people = spoken.pop(HUMAN, [])
    seen = {"before": SURFACES["keep"], "after": SURFACES[surface]}
    of_people = {when: _observations(_as(form, people)) for when, form in seen.items()}
    contestants = {}
    for name, entities in sorted(spoken.items()):
        forms = {when: _as(form, entities) for when, form in seen.items()}
        turns = _turns(forms["before"])
        shown = _turns(forms["after"])
        observed = {when: _observations(texts) for when, texts in forms.items()}
        row = {
            "conversations": len({conversation for conversation, _ in entities}),
            "turns": len(turns),
            "changed": sum(map(str.__ne__, turns, shown)) / len(turns),
            "special_tokens": sum(map(has_special_token, turns)),
            **{when: auc(observed[when], of_people[when]) for when in seen},
        }
        row["given_away_by"] = []
        if (row["after"] or 0) > THRESHOLD:
            row["given_away_by"] = _give_aways(observed["after"][0], of_people["after"][0])
        contestants[name] = row
    rule = "Every turn is shown as it was said."
    if surface == "normalise":
        rule = RULE
    return {
        "surface": surface,
        "version": VERSION,
        "rule": rule,
        "threshold": THRESHOLD,
        "people": len({conversation for conversation, _ in people}),
        "contestants": contestants,
    }


def warnings(report: dict) -> list[str]:
    """Return the warnings of a `surface_report`: who is given away by what, whose turns held special tokens."""
    sentences = []
    for name, row in report["contestants"].items():
        if row["given_away_by"]:
            seen = "{feature} ({contestant:.0%}, people {people:.0%})"
            by = ", ".join(seen.format(**given) for given in row["given_away_by"])
            sentences.append(
                f"{name}: the surface alone tells it from people (AUC {row['after']:.2f}, limit {THRESHOLD}): {by}"
            )
        if row["special_tokens"]:
            shown = "shown"
            if report["surface"] == "normalise":
                shown = "taken out of what is shown"
            sentences.append(f"{name}: special tokens in {row['special_tokens']} of {row['turns']} turns, {shown}")
    return sentences


def auc(bots: tuple[np.ndarray, np.ndarray], people: tuple[np.ndarray, np.ndarray]) -> float | None:
    """Cross-validated area under the ROC curve of a logistic regression that tells bots (1) from people (0).

    Parameters
    ----------
    bots, people : pairs of arrays
        Observations (n, number of features) and the conversation each is from (n,); no conversation is in two folds.

    Returns
    -------
    float or None
        The mean over folds, rounded to 4 places; None with fewer than `LEAST` conversations on either side.
    """
    if min(len(np.unique(bots[1])), len(np.unique(people[1]))) < LEAST:
        return None
    x = np.concatenate([bots[0], people[0]])
    y = np.repeat([True, False], [len(bots[0]), len(people[0])])
    areas = []
    with threadpool_limits(limits=1):  # threads wait for each other, and round differently
        for test in map(np.concatenate, zip(_folds(bots[1]), _folds(people[1]), strict=True)):
            score = np.round(x @ _slopes(x[~test], y[~test]), 9)
            areas.append(_area(score[test & y], score[test & ~y]))
    return round(float(np.mean(areas)), 4)


def _folds(conversations: np.ndarray) -> list[np.ndarray]:
    """Return which observations (n,) are in each fold; all of a conversation are in one."""
    shuffled = np.random.RandomState(0).permutation(np.unique(conversations))
    return [np.isin(conversations, part) for part in np.array_split(shuffled, FOLDS)]


def _slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the slopes of a logistic regression of y (n,) on x (n, k).

    Both outcomes weigh the same; predictors are standardised, and half the sum of their squared slopes is the penalty.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    spread = np.where(np.ptp(x, axis=0) > 0, x.std(axis=0), 1.0)
    design = np.c_[(x - x.mean(axis=0)) / spread, np.ones(len(x))]
    weight = 0.5 / np.where(y, y.mean(), 1 - y.mean())

    def loss(beta):
        odds = design @ beta
        ridge = np.r_[beta[:-1], 0]
        value = weight @ (np.logaddexp(0, odds) - y * odds) + ridge @ ridge / 2
        return value, (weight * (expit(odds) - y)) @ design + ridge

    start = np.zeros(design.shape[1])
    limits = {"ftol": 1e-14, "gtol": 1e-7, "maxiter": 1000}
    return minimize(loss, start, jac=True, method="L-BFGS-B", options=limits).x[:-1] / spread


def _area(bots: np.ndarray, people: np.ndarray) -> float:
    """Return the area under the ROC curve: how often a bot's score is above a person's; equal ones count half."""
    people = np.sort(people)
    return np.mean([np.searchsorted(people, bots, side) for side in ("left", "right")]) / len(people)


def _spoken(conversations: Iterable[Conversation], segments: tuple[int, ...]) -> dict[str, Entities]:
    """By name: the turns of each entity in the longest segment shown, with the conversation they are from."""
    spoken = {}
    for conversation in sorted(conversations, key=lambda c: c.conversation_id):
        longest = max((k for k in segments if k <= conversation.exchanges), default=None)
        if longest is None:
            continue
        turns = [ends(turn.text) for turn in conversation.segment(longest)]
        for entity, name in enumerate(conversation.entities):
            spoken.setdefault(name, []).append((conversation.conversation_id, turns[entity::2]))
    return spoken


def _as(form: Callable[[str], str], entities: Entities) -> Entities:
    """The entities with their turns in this form."""
    return [(conversation, list(map(form, turns))) for conversation, turns in entities]


def _turns(entities: Entities) -> list[str]:
    return [turn for _, turns in entities for turn in turns]


def _observations(entities: Entities) -> tuple[np.ndarray, np.ndarray]:
    """The mean features of each entity's turns, (n, number of features), and the number of its conversation, (n,)."""
    counts = np.array([len(turns) for _, turns in entities], dtype=int)
    values = chain.from_iterable(map(features, _turns(entities)))
    rows = np.fromiter(values, float).reshape(-1, len(FEATURES))
    means = np.add.reduceat(rows, counts.cumsum() - counts) / counts[:, None]
    _, numbers = np.unique([conversation for conversation, _ in entities], return_inverse=True)
    return means, numbers


def _give_aways(x: np.ndarray, z: np.ndarray) -> list[dict]:
    """The features that separate a contestant's observations (n, number of features) from people's best on their own,
    best first."""
    alone = [abs(_area(x[:, j], z[:, j]) - 0.5) for j in range(len(FEATURES))]
    best = [j for j in np.argsort(alone, kind="stable")[::-1][:3] if alone[j] > 0.05]
    return [
        {
            "feature": FEATURES[j],
            "contestant": round(float(x[:, j].mean()), 3),
            "people": round(float(z[:, j].mean()), 3),
        }
        for j in best
    ]
