"""Are simulated users like people, and like each other? Their side of conversations, measured without any judgement.

It is about conversations, whoever judged them, so there is one result, not one a source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.likeness import (
    ALIKE,
    DIFFERENT,
    PLANNED,
    SIGNIFICANT,
    UNKNOWN,
    Measure,
    behaviour_index,
    differences,
    verdict_of,
)
from parlai_spotbot.analysis.values import best_first, generator
from parlai_spotbot.findings import render
from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.frames import Frames, ends
from parlai_spotbot.findings.made_by import made_by
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.sections import Card, CardTable, Name
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, PERSON, Conversation
from parlai_spotbot.texts.user_side import INDEX, is_english, user_features
from parlai_spotbot.wording import between, filled, listed, number, p_value, some_of, upper_first, who

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

MEASURES: dict[str, dict] = own_data(__file__, "user_measures.yaml")
REPLICATES = 200
NAMED = 3
"""Most measures that a sentence names, those that differ most first."""

SENTENCES = {
    ALIKE: "{name} is like people in {measures:measure}: each lies within half of people's standard deviation.",
    DIFFERENT: "{name} is not like people: it differs clearly in {differ} of {measures:measure}.",
    UNKNOWN: "Whether {name} is like people is not known: none of {measures:measure} differs, {alike} are alike.",
}
ALL_DIFFER = "None of the {} simulated users is like people: all differ clearly."
ALL_UNKNOWN = "Whether any of the {} simulated users is like people is not known."
SHOWN = {"differ": "Measures that differ", "alike": "Alike", "measures": "Measured"}
"""Columns of the table of several simulated users, and their titles."""

MOST_SENTENCES = 2
MOST_PAIRS = 2
"""More simulated users, and pairs of them, are counted, without a sentence each."""

NOBODY = "There is no simulated user among the conversations, so nothing is compared with people."
NO_PEOPLE = "Whether {0} is like people is not known: there are no conversations of people with the agent."
WHICH = "Nobody knows which of {0} is like people: there are no conversations of people with the agent."
SETTLE = "About {:,.0f} conversations of people, and of each user, on as many tasks, would settle it."
IMPORT = "Import conversations of people with the agent, too{}: about {:,} of them, and of each user, would settle it."
APART = "{name} and {other} differ clearly in {differ} of {measures:measure}: {most}."
NOT_APART = "{name} and {other} differ clearly in none of {measures:measure}, which does not say that they are alike."
OTHER_AGENTS = "{}: differences may be the agents'."
OTHER_TASKS = "{} haven't two tasks in common: differences may be the tasks'."
NO_INTERVAL = " (no interval)"
NOT_ENGLISH = (
    "Not all is English: politeness, corrections, slips and turns in another language, and the User-Sim Index, are of "
    "English alone."
)


def user_sides(
    conversations: Sequence[Conversation], users: Sequence[str], judged: int
) -> Iterator[tuple[Conversation, int]]:
    """Yield the conversations with a user, each with the user's place: that of a simulated user, else a person's with a
    bot; if people talked to no bot, or none is a user by its role, the place that is `judged`."""
    with_bots = any(talk.kind == "human_model" for talk in conversations)
    for talk in conversations:
        simulated = [place for place, name in enumerate(talk.entities) if name in users]
        if len(simulated) == 1:
            yield talk, simulated[0]
        elif talk.kind == "human_model":
            yield talk, talk.entities.index(HUMAN)
        elif (talk.kind == "people" and not with_bots) or (talk.kind != "people" and not users):
            yield talk, judged


def measured(conversations: Sequence[Conversation], users: Sequence[str], judged: int, seed: int) -> dict:
    """Measure users' sides, and compare simulated users with people.

    Returns
    -------
    dict
        `by_source`, "" alone, with frames: `measures` and `index` (see `analysis.likeness`), `answers` (a row a
        simulated user), `examples` (two conversations) and `about`; and `made_by`.
    """
    rows = []
    for talk, place in user_sides(conversations, users, judged):
        turns = [turn.text for turn in talk.turns[2 * talk.seed_exchanges :]]
        if len(turns) > place:
            row = {"conversation_id": talk.conversation_id, "task": talk.seed_id or talk.conversation_id}
            row |= {"name": talk.entities[place], "agent": talk.entities[1 - place]}
            row["person"] = talk.provenance.get(PERSON, talk.conversation_id)
            rows.append(row | user_features(turns, place) | {"english": is_english(turns[place::2])})
    values = pd.DataFrame(rows, columns=None if rows else ["name", "agent", "task", "person", "english"])
    english = bool(values.groupby("name")["english"].mean().gt(0.5).all())
    frames = {"about": _about(values, english)}
    if rows:
        frames |= _compared(values, english, seed)
    return {"by_source": {"": Frames.from_tables(frames)}, "made_by": made_by(seed=seed, conversations=len(rows))}


def _about(values: pd.DataFrame, english: bool) -> dict:
    """Return what is known of the conversations as a whole."""
    beware = []
    if not english:
        beware.append(NOT_ENGLISH)
    simulators = _simulators(values)
    people = HUMAN in set(values["name"])
    names = [*simulators, *[HUMAN] * people]
    agents = {name: listed(map(who, sorted(set(rows["agent"])))) for name, rows in values.groupby("name")}
    if len(set(agents.values())) > 1 and simulators:
        beware.append(OTHER_AGENTS.format("; ".join(f"{who(name)} talked to {agents[name]}" for name in names)))
    tasks = {name: set(rows["task"]) for name, rows in values.groupby("name")}
    pairs = combinations(names, 2)
    apart = [f"{first} and {who(other)}" for first, other in pairs if len(tasks[first] & tasks[other]) < 2]
    if apart:
        beware.append(OTHER_TASKS.format("; ".join(apart)))
    return {"simulators": simulators, "people": people, "beware": beware}


def _simulators(values: pd.DataFrame) -> list[str]:
    """Return the names of simulated users, in the order of their first conversations."""
    return [name for name in dict.fromkeys(values["name"]) if name != HUMAN]


def _compared(values: pd.DataFrame, english: bool, seed: int) -> dict:
    """Return the frames of a comparison."""
    measures = {}
    values = values.copy()
    for name, about in MEASURES.items():
        if english or not about.get("english"):
            measures[name] = Measure(about["least"], about.get("bounds"))
    shares = [name for name in measures if measures[name].bounds]
    simulators = _simulators(values)
    in_percent = values.assign(**(100 * values[shares]))
    rows = differences(in_percent, measures, [(name, HUMAN) for name in simulators])
    if rows.empty:
        return {}
    titles = {name: about["title"] for name, about in MEASURES.items()}
    rows["what"] = rows["measure"].map(titles)
    of_people = ["n_people", "tasks"]
    if (values["name"] == HUMAN).any():
        of_people = []
    frames = {"measures": rows.drop(columns=["other", *of_people]), "answers": _verdicts(rows)}
    pairs = differences(in_percent, measures, combinations(simulators, 2))
    if not pairs.empty:
        pairs["what"] = pairs["measure"].map(titles)
        pairs["differs"] = pairs["p_adjusted"] < SIGNIFICANT
        pairs = pairs.sort_values("standard", key=abs, ascending=False, kind="stable")
        frames["pairs"] = pairs.rename(columns=lambda name: name.replace("people", "beside"))
    if (values["name"] == HUMAN).any():
        frames["examples"] = _examples(values, rows)
        if english:
            frames["index"] = behaviour_index(values, INDEX, HUMAN, generator(seed, "user-sim index"), REPLICATES)
    return frames


def _verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the verdict on each simulated user beside people, a row each."""
    answers = []
    for name, name_rows in rows.groupby("name", sort=False):
        counts = name_rows["verdict"].value_counts()
        unknown = name_rows.loc[name_rows["verdict"] == UNKNOWN, "needed"].fillna(
            max(PLANNED, name_rows["n"].max() + 1)
        )
        answer = {
            "name": name,
            "verdict": verdict_of(name_rows["verdict"]),
            "measures": len(name_rows),
            "needed": unknown.max(),
        }
        answers.append(answer | {"differ": counts.get(DIFFERENT, 0), "alike": counts.get(ALIKE, 0)})
    return pd.DataFrame(answers)


def _examples(values: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return a simulated user's conversation and a person's in which the measure that differs most is farthest apart:
    on one task, if they share one."""
    [row] = best_first(rows.to_dict("records"), rows["standard"].abs())[:1]
    measure = row["measure"]
    rows_known = values[["name", "task", "conversation_id", measure]].dropna()
    of_user, of_people = (rows_known[rows_known["name"] == name] for name in (row["name"], HUMAN))
    both = of_user.merge(of_people, on="task", suffixes=("", "_people"))
    if both.empty:
        both = of_user.head(1).merge(of_people.head(1), how="cross", suffixes=("", "_people"))
    apart = (both[measure] - both[f"{measure}_people"]) * np.sign(row["difference"])
    pair = both.loc[apart.nlargest(1).index].to_dict("records")
    ids = [one[column] for one in pair for column in ("conversation_id", "conversation_id_people")]
    return pd.DataFrame({"conversation_id": ids, "what": row["what"]})


# -- what it says ------------------------------------------------------------------------------------------------------
def read(surveys: Sequence[SurveyData]) -> dict[str, Frames]:
    """Return what the analysis of the first survey that has it found."""
    frames = [survey.stored_frames(survey.folder / "simulators.json") for survey in surveys]
    return next(filter(None, frames), {})


def answer(frames: Frames) -> str:
    """Return whether simulated users are like people, in a sentence each."""
    about = frames.one("about")
    if not about.get("simulators"):
        return NOBODY
    if not about["people"]:
        return (WHICH if len(about["simulators"]) > 1 else NO_PEOPLE).format(listed(about["simulators"]))
    rows = frames.rows("answers")
    known = any(row["verdict"] != UNKNOWN for row in rows)
    if len(rows) == 1 or (known and len(rows) <= MOST_SENTENCES):
        return " ".join(filled(SENTENCES[row["verdict"]], **row) for row in rows)
    return counted_verdicts(Counter(row["verdict"] for row in rows))


def counted_verdicts(counts: Counter[str]) -> str:
    """Return of how many of several simulated users it is shown that they are like people, or that they are not."""
    users = counts.total()
    if counts[DIFFERENT] == users:
        return ALL_DIFFER.format(users)
    if counts[UNKNOWN] == users:
        return ALL_UNKNOWN.format(users)
    one = "is like people"
    if counts[ALIKE] == 0:
        one = "is shown to be like people"
    rest = []
    if counts[DIFFERENT]:
        rest.append(f"{counts[DIFFERENT]} {'differs' if counts[DIFFERENT] == 1 else 'differ'} clearly")
    if counts[UNKNOWN]:
        rest.append(f"of {counts[UNKNOWN]} it is not known")
    parts = [some_of(counts[ALIKE], users, "simulated user", one, "are like people"), *filter(None, [listed(rest)])]
    return f"{upper_first('; '.join(parts))}."


def differing(frames: Frames) -> dict[str, list[dict]]:
    """Return the rows of the measures in which each simulated user is least like people, the farthest first."""
    rows_by_measure: dict[str, list[dict]] = {}
    for row in frames.rows("measures"):
        if row["verdict"] == DIFFERENT:
            rows_by_measure.setdefault(row["name"], []).append(row)
    return {
        name: best_first(rows, [abs(row["standard"]) for row in rows])[:NAMED] for name, rows in rows_by_measure.items()
    }


def where(frames: Frames) -> list[str]:
    """Return where simulated users are not like people, a sentence each."""
    return [f"{name}: {'; '.join(map(_compared_with_people, rows))}." for name, rows in differing(frames).items()]


def _compared_with_people(row: Mapping) -> str:
    return f"{row['what']} {_mean(row, 'value')}, people {_mean(row, 'people')}"


def _mean(row: Mapping, name: str) -> str:
    """Return a mean of a measure, with its interval."""
    interval = between(ends(row, name), partial(number, digits=1))
    return number(row[name], 1) + (interval or NO_INTERVAL)


def beside(frames: Frames) -> list[str]:
    """Return in what simulated users differ from each other, a sentence each two; of many, one on how many do."""
    sentences = []
    differ = 0
    for (name, other), rows in _by_pair(frames).items():
        differing_rows = [row for row in rows if row["differs"]]
        differ += bool(differing_rows)
        most = [f"{row['what']} {_mean(row, 'value')} and {_mean(row, 'beside')}" for row in differing_rows[:NAMED]]
        about = {"name": name, "other": other, "differ": len(differing_rows), "measures": len(rows)}
        sentences.append(filled(APART if most else NOT_APART, **about, most="; ".join(most)))
    if len(sentences) > MOST_PAIRS or (not differ and len(sentences) > 1):
        pairs = some_of(differ, len(sentences), "pair", "differs", "differ")
        return [f"{upper_first(pairs)} clearly in a measure."]
    return sentences


def _by_pair(frames: Frames) -> dict[tuple[str, str], list[dict]]:
    """Return the rows of each two simulated users, the farthest first."""
    rows_by_pair: dict[tuple[str, str], list[dict]] = {}
    for row in frames.rows("pairs"):
        rows_by_pair.setdefault((row["name"], row["other"]), []).append(row)
    return rows_by_pair


def remedies(frames: Frames) -> list[str]:
    """Return what would make simulated users like people, a sentence each."""
    return [f"{name} should {'; '.join(map(_remedy, rows))}." for name, rows in differing(frames).items()]


def _remedy(row: Mapping) -> str:
    about = MEASURES[row["measure"]]
    if row["difference"] > 0:
        return about["more"].format(**row)
    return about["less"].format(**row)


def to_collect(frames: Frames, how: str = "") -> list[str]:
    """Return which conversations would settle what is not known, and `how` those of people are imported; [] if nothing
    is open."""
    about = frames.one("about")
    if not about.get("simulators"):
        return []
    if not about["people"]:
        return [IMPORT.format(how, PLANNED)]
    needed = [row["needed"] for row in frames.rows("answers") if row["verdict"] == UNKNOWN]
    return [SETTLE.format(most) for most in sorted(needed)[-1:]]


def summarise(result: Result) -> list[str]:
    """Return whether simulated users are like people, where not, what would make them so, and how they differ."""
    frames = result.frames
    beware = frames.one("about").get("beware") or []
    answered = " ".join([answer(frames), *to_collect(frames, " (--format tau2 --data human=FILE)"), *beware])
    return [answered, *(" ".join(texts(frames)) for texts in (where, remedies, beside))]


def card(frames: Frames) -> Card | None:
    """Return the measures of one simulated user beside people as a chart, of several the verdicts as a table; None
    where nothing is known of any. Without people see `_without_people`."""
    rows = frames.rows("answers")
    if not frames.one("about")["people"]:
        return Card(table=_without_people(frames, [row["name"] for row in rows]))
    if len(rows) == 1:
        tables = {name: table.read(frames) for name, table in FINDING.tables.items()}
        return Card(chart=render.page_chart(FINDING, tables))
    if all(row["verdict"] == UNKNOWN and not row["alike"] for row in rows):
        return None
    cells = [(Name(row["name"]), row["verdict"], *(f"{row[name]:.0f}" for name in SHOWN)) for row in rows]
    head = ("User", "Beside people", *SHOWN.values())
    return Card(table=CardTable("Simulated users beside people", "", head, cells))


def _without_people(frames: Frames, names: Sequence[str]) -> CardTable:
    """Return what the only one of these simulated users does, how two differ, or all pairs of more."""
    if len(names) == 1:
        cells = [(row["what"], _mean(row, "value"), str(row["n"])) for row in frames.rows("measures")]
        return CardTable(f"What {names[0]} does", "", ("Measure", "Mean", "n"), cells)
    if len(names) == 2:
        means = [
            (row["what"], _mean(row, "value"), _mean(row, "beside"), p_value(row["p_adjusted"]))
            for row in frames.rows("pairs")
        ]
        return CardTable("Simulated users beside each other", "", ("Measure", *names, "p"), means)
    pairs = FINDING.tables["pairs"]
    return render.page_table(pairs, pairs.read(frames), str)


def verdict(frames: Frames) -> str:
    """Return one verdict on all simulated users."""
    return verdict_of(row["verdict"] for row in frames.rows("answers"))


FINDING = declared(__file__, None, read, summarise)
