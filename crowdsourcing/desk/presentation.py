"""Presentation of an item on the page: which name and side each entity bears, in which order the questions come.

All of it is drawn per item from a string of chance that the ledger keeps, never from the item itself, so that it tells
nothing about who is a bot; what was drawn goes into the judgements. Who speaks first can't be drawn: it is what it is.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from parlai_spotbot.crowdsourcing.desk.contract import PagePair
from parlai_spotbot.records import Item, Utterance
from parlai_spotbot.surveys.survey import Survey

SIDES = ("left", "right")


@dataclass(frozen=True)
class Excerpt:
    """Part of an item that is on the page: a number of exchanges, and names of questions; None is all of them.

    `decided` are the decisions made so far, by target (layout "opening").
    """

    exchanges: int | None = None
    decided: Mapping[str, str] = field(default_factory=dict)
    questions: Collection[str] | None = None


WHOLE = Excerpt()


def present(survey: Survey, item: Item, number: int, chance: str, excerpt: Excerpt = WHOLE) -> PagePair:
    """Return the item as the page gets it, and the record of its draws.

    Parameters
    ----------
    number : int
        The item's place in the unit, from 0: the only name by which the page knows it.
    chance : str
        Seeds everything random; the same `chance` and `number` give the same presentation, whatever is shown.

    Returns
    -------
    page_item : dict
        ``{"item", "layout", "transcripts": [{"key", "name", "entities": [{"key", "name", "side"}], "turns":
        [{"entity", "text"}]}], "questions": [names in their order]}``, with the layout "opening" also ``"opening":
        {"opened", "more", "decided"}``, and where the item has candidates "candidates": [{"value", "text"}] in an order
        drawn. Where the item says who is judged, each entity has "judged", and of several
        transcripts each has "speaker", the name of its judged entity. Transcripts come from left to right. No id, no
        length, no control mark.
    record : dict
        For `Judgement.presentation`: the names of entity:0 and entity:1 and "side:0" (of entity 0; with several
        transcripts all three of the item's first), "question_order", and with two transcripts the name of each
        conversation, its "place:N", and where only one is judged its "speaker:N"; "candidates", their values from top
        to bottom.
    """
    rng = random.Random(f"{chance} {number}")
    names = rng.sample(survey.entities, 2)
    sides = rng.sample(SIDES, 2)
    order = question_order(survey, rng)
    for question_names in (excerpt.questions, item.questions or None):
        if question_names is not None:
            order = [name for name in order if name in question_names]
    count = len(item.transcripts)
    places = rng.sample(range(count), count)
    transcripts = []
    for place, conversation in enumerate(places):
        transcript = _transcript(survey, item, place, conversation, names, sides)
        transcript["turns"] = _turns(item.transcripts[conversation], excerpt)
        transcripts.append(transcript)
    page_item = {"item": number, "layout": survey.layout, "transcripts": transcripts, "questions": order}
    if survey.layout == "opening":
        page_item["opening"] = _opening(item, excerpt)
    if item.candidates:
        candidates = [{"value": f"candidate:{place}", "text": text} for place, text in enumerate(item.candidates)]
        page_item["candidates"] = rng.sample(candidates, len(candidates))
    return page_item, _record(page_item, places)


def _record(page_item: dict, places: Sequence[int]) -> dict:
    """Return the draws of a page item, whose conversations stand at these places."""
    first = page_item["transcripts"][places.index(0)]["entities"]
    record = {one["key"]: one["name"] for one in first}
    record |= {"side:0": first[0]["side"], "question_order": " ".join(page_item["questions"])}
    if "candidates" in page_item:
        record["candidates"] = " ".join(one["value"] for one in page_item["candidates"])
    if len(places) > 1:
        for conversation in range(len(places)):
            place = places.index(conversation)
            transcript = page_item["transcripts"][place]
            record[f"conversation:{conversation}"] = transcript["name"]
            record[f"place:{conversation}"] = SIDES[place]
            if "speaker" in transcript:
                record[f"speaker:{conversation}"] = transcript["speaker"]
    return record


def _turns(transcript: Sequence[Utterance], excerpt: Excerpt) -> list[dict]:
    """Return the turns of a transcript that are on the page."""
    if excerpt.exchanges is not None:
        transcript = transcript[: 2 * excerpt.exchanges]
    return [{"entity": turn.entity, "text": turn.text} for turn in transcript]


def _opening(item: Item, excerpt: Excerpt) -> dict:
    """Return how far the annotator has opened an item, whether there is more, and what is decided."""
    opened = exchanges = exchanges_of(item)
    if excerpt.exchanges is not None:
        opened = min(excerpt.exchanges, exchanges)
    return {"opened": opened, "more": opened < exchanges, "decided": dict(excerpt.decided)}


def _transcript(
    survey: Survey, item: Item, place: int, conversation: int, names: Sequence[str], sides: Sequence[str]
) -> dict:
    """Return a conversation at its place on the page, without its turns."""
    several = len(item.transcripts) > 1
    transcript: dict = {"key": f"conversation:{conversation}", "name": "", "entities": []}
    if several:
        transcript["name"] = survey.conversations[place]
    if not item.judged:
        for i in (0, 1):
            transcript["entities"].append({"key": f"entity:{i}", "name": names[i], "side": sides[i]})
        return transcript
    judged = item.judged[conversation]
    speaker = names[judged]
    if several and survey.speakers:
        speaker = survey.speakers[place]
    # The one who is judged is on the same side in all conversations.
    bearing = {judged: (speaker, sides[0]), 1 - judged: (survey.other or names[1 - judged], sides[1])}
    for i in (0, 1):
        name, side = bearing[i]
        transcript["entities"].append({"key": f"entity:{i}", "name": name, "side": side, "judged": i == judged})
    if several:
        transcript["speaker"] = speaker
    return transcript


def question_order(survey: Survey, rng: random.Random) -> list[str]:
    """Return the names of the questions; each run of neighbours with `shuffle` in an order drawn from `rng`."""
    order: list[str] = []
    for mixed, run in groupby(survey.questions, key=lambda question: question.shuffle):
        names = [question.name for question in run]
        if mixed:
            names = rng.sample(names, len(names))
        order += names
    return order


def exchanges_of(item: Item) -> int:
    """Return how many exchanges the longest of the item's transcripts holds; an unfinished one counts."""
    return max((len(turns) + 1) // 2 for turns in item.transcripts)
