"""Conversation hygiene: turns that show the machine behind them.

Special tokens, empty and endless turns, loops, text from the training data, "as an AI", words to
whoever judges, and the partner's own words.
Each kind is a rule on turns, measured for every contestant and for people beside, for people do some of it, too.
Nothing is left out here.
"""

import re
from collections.abc import Iterable, Sequence
from operator import contains

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.shares import share_interval, wilson
from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.texts.addressing import addresses_judge
from parlai_spotbot.texts.characters import ASKING, STOPS, WIDE
from parlai_spotbot.texts.normal_forms import LETTERS_AND_DIGITS, plain_text
from parlai_spotbot.texts.normal_forms import words as words_of
from parlai_spotbot.texts.phrases import ends
from parlai_spotbot.texts.self_identification import identifies_itself
from parlai_spotbot.texts.surface import SPECIAL_TOKEN, has_special_token

KINDS = {
    "special_tokens": "special tokens of models, such as </s> or <pad>",
    "empty": "nothing said: white space, dots or special tokens alone",
    "endless": "more words than 99 of 100 turns of people",
    "loop": "the same words again and again within a turn",
    "repeated": "a turn that the same speaker said before in the same conversation",
    "self_identified": "says to be a machine",
    "addresses_judge": "addresses whoever judges, or looks like a part of a judge's prompt",
    "copied": "word for word an earlier turn of the partner",
    "training": "word for word a turn of the data that the bots know",
}
"""The kinds of faults, and what each means."""

OF_TRAINING = ("training",)
"""Kinds that need the data that the bots know."""

FEW_TURNS = 100
"""With fewer turns of people, their 99th percentile is not known."""

LEAST = 3
"""Shorter turns (words) are repeated and copied by people all the time ("yes", "and you?")."""

QUANTILE = 0.99

EXAMPLES = 3
"""Of each kind and name."""


# -- rules on one turn -----------------------------------------------------------------------------------------------
def is_empty(text: str) -> bool:
    """Return True if a turn without its special tokens is white space and dots."""
    return not re.sub(r"[\s.…。\u200b\ufeff]+", "", SPECIAL_TOKEN.sub("", text))


WORD = re.compile(rf"{LETTERS_AND_DIGITS}(?:['’]{LETTERS_AND_DIGITS})*")
ENDS = f"{STOPS}{ASKING}…"
SENTENCE = re.compile(rf"(?<![{ENDS}])[{ENDS}]+(?:\s+|$|(?=[{WIDE}]))|\n+")
IN_A_ROW = {1: 5, 2: 4, 3: 3, 4: 2}
"""So often in a row as many words make a loop; four words or more twice. ("ha ha ha", "no no no" are no loops.)"""

LAUGHTER = re.compile(r"^(?:b?w?a?(?:ha|he|hi|ho|ja|xd|lo+l)+h?)$")


def loops(text: str) -> bool:
    """Return True if the turn goes round in circles.

    The same words come in a row (see `IN_A_ROW`), a sentence of three words or more comes twice, or any four words
    come three times. Laughter is none.
    """
    text = SPECIAL_TOKEN.sub(" ", ends(text))
    tokens = plain_text(text).split()
    if len(set(tokens)) == len(tokens):  # whatever is said again has words in common
        return False
    words = [word for word in WORD.findall(text.lower()) if not LAUGHTER.match(word)]
    for size in range(1, 4):
        run = 0  # how many words in a row equal the one `size` before
        for place in range(size, len(words)):
            if words[place] == words[place - size]:
                run += 1
            else:
                run = 0
            if run == size * (IN_A_ROW[size] - 1):
                return True
    parts = list(filter(str.strip, SENTENCE.split(text)))
    if len(parts) > 1:
        sentences = [sentence for sentence in map(plain_text, parts) if len(words_of(sentence)) >= LEAST]
        if len(set(sentences)) < len(sentences):
            return True
    return _same_fours(words)


def _same_fours(words: Sequence[str]) -> bool:
    """Return True if any four words come three times, or four or more come twice in a row.

    As long as no four words come three times, they say how far back the same four stood; `size` words come twice in a
    row where that is `size` for all their fours, one after the other.
    """
    before: dict[tuple[str, ...], list[int]] = {}
    far = 0
    run = 0
    for place, gram in enumerate(zip(*(words[i:] for i in range(4)), strict=False)):
        places = before.setdefault(gram, [])
        places.append(place)
        if len(places) > 2:
            return True
        now = place - places[0]
        if now != far:
            run = 0
        run += 1
        far = now
        if far >= 4 and run == far - 3:
            return True
    return False


# -- turns beside other turns ----------------------------------------------------------------------------------------
def turns_of(conversations: Iterable[Conversation]) -> pd.DataFrame:
    """One row a shown turn: conversation_id, turn (after the seed), name, text, plain, mine, theirs.

    `plain` is the text without special tokens, case and punctuation; `mine` holds the plain texts that the same entity
    said before in the conversation, `theirs` its partner's; the seed, which both know, counts among them.
    """
    rows = []
    for conversation in conversations:
        seed = 2 * conversation.seed_exchanges
        plain = [plain_text(SPECIAL_TOKEN.sub(" ", turn.text)) for turn in conversation.turns]
        for place, turn in enumerate(conversation.shown, start=seed):
            row = (
                conversation.conversation_id,
                place - seed,
                turn.speaker,
                turn.text,
                plain[place],
                tuple(plain[place % 2 : place : 2]),
                tuple(plain[(place + 1) % 2 : place : 2]),
            )
            rows.append(row)
    return pd.DataFrame(rows, columns=["conversation_id", "turn", "name", "text", "plain", "mine", "theirs"])


def _lengths(plain: pd.Series) -> pd.Series:
    """Return how many words each text has."""
    return pd.Series([len(words_of(text)) for text in plain.tolist()], index=plain.index, dtype=int)


def longest_usual(turns: pd.DataFrame) -> float | None:
    """The 99th percentile of how many words people's turns have; None where there are fewer than `FEW_TURNS`."""
    words = _lengths(turns.loc[turns["name"] == HUMAN, "plain"])
    if len(words) < FEW_TURNS:
        return None
    return float(np.quantile(words, QUANTILE))


def faults(turns: pd.DataFrame, training: Iterable[Sequence[str]] | None = None) -> pd.DataFrame:
    """Find the faults of turns.

    Parameters
    ----------
    turns : frame
        As `turns_of` makes it.
    training : iterable of sequences of str, optional
        The texts of each conversation of the data that the bots know; without it the kinds `OF_TRAINING` are left out.

    Returns
    -------
    frame
        One column a kind of `KINDS` that these data show, one row a turn, True or False.
    """
    lengths = _lengths(turns["plain"])
    long = (lengths >= LEAST).to_numpy(dtype=bool)
    texts = turns["text"].tolist()
    rules = {"special_tokens": has_special_token, "empty": is_empty, "loop": loops}
    rules["addresses_judge"] = addresses_judge
    array_by_kind = {kind: np.fromiter(map(rule, texts), dtype=bool) for kind, rule in rules.items()}
    array_by_kind["self_identified"] = np.fromiter(map(identifies_itself, texts, turns["name"].tolist()), dtype=bool)
    for kind, others in (("repeated", "mine"), ("copied", "theirs")):
        same = map(contains, turns[others].tolist(), turns["plain"].tolist())
        array_by_kind[kind] = np.fromiter(same, dtype=bool) & long
    usual = longest_usual(turns)
    if usual is not None:
        array_by_kind["endless"] = (lengths > usual).to_numpy(dtype=bool)
    if training is not None:
        training_texts = {plain_text(text) for episode in training for text in episode} - {""}
        array_by_kind["training"] = turns["plain"].isin(training_texts).to_numpy(dtype=bool)
    return pd.DataFrame({kind: array_by_kind[kind] for kind in KINDS if kind in array_by_kind}, index=turns.index)


# -- how often ---------------------------------------------------------------------------------------------------------
def measure(turns: pd.DataFrame, data_frame: pd.DataFrame) -> pd.DataFrame:
    """Measure how often each name of `turns` shows each kind of `data_frame` (see `faults`), people included.

    Returns
    -------
    frame
        name, kind, rate, rate_low and rate_high (turns of one conversation are dependent), count, n, wilson,
        conversations (with at least one such turn), of_conversations, example and example_turn (those of the first),
        examples (conversation_id, turn, text), from as many different conversations as there are, in the order of the
        turns.
    """
    rows = []
    for name, bot_turns in turns.groupby("name", sort=True):
        for kind in data_frame.columns:
            hit = data_frame.loc[bot_turns.index, kind].to_numpy(dtype=bool)
            low, high = share_interval(hit, Clusters.by(bot_turns["conversation_id"]))
            cases = (
                bot_turns[hit].drop_duplicates("conversation_id")[["conversation_id", "turn", "text"]].head(EXAMPLES)
            )
            first = {}
            if len(cases):
                first = cases.iloc[0]
            row = {
                "name": str(name),
                "kind": kind,
                "rate": hit.mean(),
                "rate_low": low,
                "rate_high": high,
                "count": int(hit.sum()),
                "n": len(bot_turns),
                "wilson": wilson(hit.sum(), len(bot_turns)),
                "conversations": bot_turns.loc[hit, "conversation_id"].nunique(),
                "of_conversations": bot_turns["conversation_id"].nunique(),
                "example": first.get("conversation_id"),
                "example_turn": first.get("turn"),
                "examples": cases.to_dict("records"),
            }
            rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def faulty_conversations(conversations: Sequence[Conversation], kinds: Sequence[str]) -> dict[str, list[str]]:
    """The conversations with a fault of one of `kinds`: id -> those kinds, in the order of `KINDS`.

    Raises `ValueError` for one that these data can't show: "endless" needs people.
    """
    turns = turns_of(conversations)
    fault_frame = faults(turns)
    for kind in kinds:
        if kind not in fault_frame.columns:
            raise ValueError(f"kinds holds {kind!r}, which these data can't show: there are too few people")
    result: dict[str, list[str]] = {}
    for kind in [kind for kind in KINDS if kind in kinds]:
        for identity in turns.loc[fault_frame[kind], "conversation_id"].unique():
            result.setdefault(identity, []).append(kind)
    return dict(sorted(result.items()))
