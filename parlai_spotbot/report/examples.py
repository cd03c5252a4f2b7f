"""Two short transcripts that show why a ranking is as it is: a win between the two closest bots, and an upset.

Of the shortest segments or comparisons, the one that most annotations decided alike; of equal ones the first by id.
Where nobody judged the two together, as in ratings, a conversation of each that was judged most like its mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.verdict.probe import BETTER, WORSE
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.answers import Facts
from parlai_spotbot.findings.criteria import clearest_pair
from parlai_spotbot.findings.options import Options
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.wording import listed, percent, plainly

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Answers
    from parlai_spotbot.findings.frames import Frames
    from parlai_spotbot.findings.rankings import Ranking
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.records import Conversation, Turn

LEVEL = {"bot": 0, "unsure": 1, "human": 2}
"""Of one conversation the entity wins that is taken for more human."""

CHOSEN = {1: "preferred", 0: "neither", -1: "not preferred"}
"""What a choice between two conversations says of each."""

WORDS = ("human", "unsure", "bot", *CHOSEN.values())
"""Labels in the order in which they are counted."""

TURNS = 4
"""So many turns of a segment are shown."""

TURNS_OF_USERS = 6
"""So many turns of a conversation of a user are shown."""

LETTERS = 110
"""So many characters of a turn are shown."""

SEGMENT = ["exchanges", "conversations"]
"""What was judged together: the conversations, by their ids, and how much of them was shown."""

COLUMNS = [*SEGMENT, "annotation", "bot", "own", "value", "word", "turn"]
"""What is read of an answer about a contestant; `own` is the conversation in which it was judged."""


@dataclass(frozen=True)
class Example:
    """What was judged: `talks` are (conversation, turns), one or two compared; a turn is (place of the speaker, name,
    text), `labels` what each contestant was called, of two compared one for each."""

    title: str
    talks: list[tuple[str, list[tuple[int, str, str]]]]
    labels: list[tuple[str, str]]


@dataclass(frozen=True)
class Examples:
    """Transcripts that show why, and the rule by which they were chosen."""

    rule: str
    shown: list[Example]


def examples_of(contents: SurveyData, ranking: Ranking, source: str) -> Examples | None:
    """Return a win between the two closest bots and an upset, or a typical conversation of each of the two; None where
    no conversation of theirs was judged."""
    verdicts = contents.of(SETTLED, source).rows("pairs") or ranking.pairs
    pair = _closest(ranking, verdicts)
    what = "the closest two"
    if pair is None:  # behaviours have no order of all
        ranking, pair = _clearest_criterion(contents, source)
        what = f"the farthest apart in “{plainly(ranking.whole.get('label') or '')}”"
    if pair is None:
        return None
    better, worse, told_apart = pair
    rule = f"{better} and {worse}"
    if len(contents.bots) > 2 or "label" in ranking.whole:
        rule = f"{rule}, {what}"
        if told_apart and "label" not in ranking.whole:
            rule += " told apart"
    talks = indexed(c for c in contents.conversations if {better, worse} & {*c.entities})
    told = _told(contents, ranking, source, talks)
    told = told[told["bot"].isin([better, worse])]
    wins = _wins(told, better, worse, ranking)
    if wins.empty:
        return _typical(told, talks, ranking, (better, worse), rule)
    shown = _won(told, wins, talks, ranking, pair)
    if not shown:
        return None
    kind = "segments"
    if len(shown[0].talks) > 1:
        kind = "comparisons"
    return Examples(f"{rule}: their shortest, most clearly decided {kind}.", shown)


def _won(
    told: pd.DataFrame,
    wins: pd.Series,
    talks: Mapping[str, Conversation],
    ranking: Ranking,
    pair: tuple[str, str, bool],
) -> list[Example]:
    """Return what each of two contestants won most clearly, the better one's first."""
    better, worse, told_apart = pair
    titles = ("A win of", "A win of")
    if told_apart:
        titles = ("A typical win of", "An upset by")
    shown = []
    for winner, title, sign in zip((better, worse), titles, (1, -1), strict=True):
        segment = _clearest(sign * wins)
        if segment is None:
            continue
        rows = told[(told["exchanges"] == segment[0]) & (told["conversations"] == segment[1])]
        names = sorted((better, worse), key=lambda name: name != winner)
        shown.append(_example(f"{title} {winner}", rows, names, talks, ranking))
        wins = wins.drop(segment[1], level="conversations")
    return shown


def _closest(ranking: Ranking, verdicts: Sequence[Mapping]) -> tuple[str, str, bool] | None:
    """Return the better and the worse of the two closest bots, of those that `verdicts` tell apart if any are."""
    order = {bot: place for place, bot in enumerate(ranking.order) if bot != HUMAN}
    met = [row for row in ranking.pairs if {row["a"], row["b"]} <= set(order) and row.get("estimate") is not None]
    decided = [{row["a"], row["b"]} for row in verdicts if row.get("verdict") in (BETTER, WORSE)]
    told_apart = [row for row in met if {row["a"], row["b"]} in decided]
    if not met:
        return None
    equal = 0.5 if ranking.of_matches else 0
    row = min(told_apart or met, key=lambda row: (abs(row["estimate"] - equal), row["a"], row["b"]))
    better, worse = sorted((row["a"], row["b"]), key=order.__getitem__)
    return better, worse, bool(told_apart)


def _clearest_criterion(contents: SurveyData, source: str) -> tuple[Ranking, tuple[str, str, bool] | None]:
    """Return the ranking by the criterion of the clearest difference, and the two contestants that differ in it."""
    row = clearest_pair(contents.of("ranking", source))
    if row is None:
        return contents.ranking(source), None
    ranking = contents.rankings(source)[row["label"]]
    better, worse = sorted((row["a"], row["b"]), key=ranking.order.index)
    return ranking, (better, worse, True)


def _told(contents: SurveyData, ranking: Ranking, source: str, talks: Mapping[str, Conversation]) -> pd.DataFrame:
    """Return what the answers that a ranking rests on say of each contestant, of these conversations (`COLUMNS`)."""
    judgements = [row for row in contents.kept if row.source == source and {*row.conversation_ids} <= talks.keys()]
    asked = contents.launched or contents.asked
    facts = Facts.from_records(asked, talks.values(), contents.items.values(), bots=tuple(contents.bots))
    answers = None
    forms = [finding.form for finding in findings_of(contents.asked) if finding.name == "ranking"]
    if judgements and forms:
        try:
            answers = forms[0].sources(judgements, facts, Options())[0].get(source)
        except ValueError:  # files were changed since the analysis, as the page says
            answers = None
    if answers is None:
        return pd.DataFrame(columns=COLUMNS)
    question = ranking.whole.get("label") or ranking.whole.get("question")
    return _by_contestant(answers, question)[COLUMNS]


def _by_contestant(answers: Answers, question: str | None) -> pd.DataFrame:
    """Return a row for each annotation and each contestant that it is about, for each rated turn one."""
    rows = answers.rows
    if "nature0" in rows:
        rows = answers.entities.rename(columns={"k": "exchanges", "name": "bot"})
        rows = rows.assign(value=rows["nature"].map(LEVEL), word=rows["nature"], target="")
        if answers.one_side:
            rows["value"] = rows["nature"] == HUMAN
        rows["conversation_ids"] = rows["conversation_id"].map(lambda name: (name,))
    elif "outcome" in rows:
        rows = answers.to(question)
        first = rows.assign(bot=rows["a"], own=rows["conversation_ids"].str[0], value=rows["outcome"])
        second = rows.assign(bot=rows["b"], own=rows["conversation_ids"].str[1], value=-rows["outcome"])
        rows = pd.concat([first, second])
        rows["word"] = rows["value"].map(CHOSEN)
    else:
        rows = answers.to(question).rename(columns={"name": "bot"})
        rows["word"] = ""
    if "own" not in rows:
        rows["own"] = rows["conversation_id"]
    rows["conversations"] = rows["conversation_ids"].map(sorted).str.join("\t")
    rows["turn"] = [int(target[5:]) if target.startswith("turn:") else 0 for target in rows["target"]]
    return rows.rename(columns={"annotation_id": "annotation"})


def _wins(told: pd.DataFrame, better: str, worse: str, ranking: Ranking) -> pd.Series:
    """Return of each annotation that judged both whether the better one wins (1), the worse one (-1) or neither (0)."""
    values = told.groupby([*SEGMENT, "annotation", "bot"])["value"].mean().unstack()
    values = values.reindex(columns=[better, worse]).dropna().astype(float)
    wins = np.sign((values[better] - values[worse]).round(9)).droplevel("annotation")  # means that are equal tie
    if not ranking.of_matches and ranking.contestants[better]["score"] < ranking.contestants[worse]["score"]:
        return -wins  # less is better
    return wins


def _clearest(wins: pd.Series) -> tuple[int, str] | None:
    """Return the segment that is won most clearly, of the shortest that are won; None where none is."""
    segments = wins.groupby(level=SEGMENT).agg(["mean", "sum"])
    won = segments[segments["sum"] > 0]
    if won.empty:
        return None
    best = won.sort_values(["exchanges", "mean", "sum", "conversations"], ascending=[True, False, False, True])
    return best.index[0]


def _typical(
    told: pd.DataFrame, talks: Mapping[str, Conversation], ranking: Ranking, bots: Sequence[str], rule: str
) -> Examples | None:
    """Return of each of these bots the conversation that was judged most like its mean."""
    shown = []
    for bot in bots:
        rows = told[told["bot"] == bot]
        means = rows.groupby(SEGMENT)["value"].mean()
        mean = ranking.contestants[bot]["score"]
        if means.empty or mean is None:
            return None
        exchanges, name = (means - mean).abs().round(9).idxmin()
        rows = rows[(rows["exchanges"] == exchanges) & (rows["conversations"] == name)]
        shown.append(_example(f"A typical conversation of {bot}", rows, [bot], talks, ranking))
    return Examples(f"{rule}: of each the conversation that was judged most like its mean.", shown)


def _said(rows: pd.DataFrame, ranking: Ranking) -> str:
    """Return what was said of a contestant: how often which label, how often a behaviour, or its mean rating."""
    counts = Counter(rows["word"])
    if not counts[""]:
        return listed(f"{word} {_times(counts[word])}" for word in WORDS if counts[word])
    mean = float(rows["value"].mean())
    if "label" in ranking.whole:
        return f"“{plainly(ranking.whole['label'])}” in {percent(mean)} of its turns"
    return f"{plainly(ranking.whole['question'])} {round(mean, 1):g}"


def _example(
    title: str, rows: pd.DataFrame, names: Sequence[str], talks: Mapping[str, Conversation], ranking: Ranking
) -> Example:
    """Return the conversations in which these contestants were judged together, and what was said of each."""
    labels = []
    judged = []
    for name in names:
        rows_of_name = rows[rows["bot"] == name]
        labels.append((name, _said(rows_of_name, ranking)))
        judged.append(rows_of_name["own"].iloc[0])
    begin = 0
    with_it = rows.loc[rows["value"] > 0, "turn"]
    if "label" in ranking.whole and len(with_it):  # the behaviour is among the turns shown
        begin = max(0, int(with_it.min()) - 1)
    shown = []
    for identity in dict.fromkeys(judged):
        talk = talks[identity]
        turns = talk.shown[: 2 * rows["exchanges"].iloc[0] or None][begin : begin + TURNS]
        shown.append((identity, _shown(talk, turns)))
    return Example(title, shown, labels)


def _shown(conversation: Conversation, turns: Sequence[Turn]) -> list[tuple[int, str, str]]:
    """Return turns as they are shown, each with the place and the name of its speaker."""
    shown = []
    for number, turn in enumerate(turns):
        text = turn.text
        if len(text) > LETTERS:
            text = f"{text[:LETTERS].rstrip()} …"
        place = conversation.entities.index(turn.speaker)
        if conversation.kind == "self":
            place = number % 2
        shown.append((place, turn.speaker, text))
    return shown


def examples_of_users(contents: SurveyData, frames: Frames) -> Examples | None:
    """Return a conversation of a simulated user beside a person's, as `findings.whole_study.simulators` chose them."""
    by_id = indexed(contents.conversations)
    shown = []
    tasks = set()
    for row in frames.rows("examples"):
        talk = by_id.get(row["conversation_id"])
        if talk is None:
            return None
        tasks.add(talk.seed_id)
        begun = 2 * talk.seed_exchanges
        turns = _shown(talk, talk.turns[begun : begun + TURNS_OF_USERS])
        title = "A person" if HUMAN in talk.entities else "A simulated user"
        shown.append(Example(title, [(talk.conversation_id, turns)], []))
    if not shown:
        return None
    rule = f"Two conversations that show what differs most: {row['what']}."
    if len(tasks) == 1 and tasks != {""}:
        rule = f"Task {tasks.pop()}, on which the two are farthest apart in what differs most: {row['what']}."
    return Examples(rule, shown)


def _times(count: int) -> str:
    if count == 1:
        return "once"
    return f"{count} times"
