"""Presentation of an item on the page: which name and side each entity bears, in which order the questions come.

All of it is drawn per item from a string of chance that the ledger keeps, never from the item itself, so that it tells
nothing about who is a bot; what was drawn goes into the judgements. Who speaks first can't be drawn: it is what it is.
"""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from parlai_spotbot.records import Item
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


def present(survey: Survey, item: Item, number: int, chance: str, excerpt: Excerpt = WHOLE) -> tuple[dict, dict]:
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
    names, sides = rng.sample(survey.entities, 2), rng.sample(SIDES, 2)
    put = [set(some) for some in (excerpt.questions, item.questions or None) if some is not None]
    order = [name for name in question_order(survey, rng) if all(name in some for some in put)]
    places = rng.sample(range(len(item.transcripts)), len(item.transcripts))
    shown = None if excerpt.exchanges is None else 2 * excerpt.exchanges
    page_item = {
        "item": number,
        "layout": survey.layout,
        "transcripts": [
            {
                **_transcript(survey, item, place, conversation, names, sides),
                "turns": [
                    {"entity": turn.entity, "text": turn.text} for turn in item.transcripts[conversation][:shown]
                ],
            }
            for place, conversation in enumerate(places)
        ],
        "questions": order,
    }
    if survey.layout == "opening":
        whole = exchanges_of(item)
        opened = whole if excerpt.exchanges is None else min(excerpt.exchanges, whole)
        page_item["opening"] = {"opened": opened, "more": opened < whole, "decided": dict(excerpt.decided)}
    if item.candidates:
        page_item["candidates"] = [
            {"value": f"candidate:{place}", "text": item.candidates[place]}
            for place in rng.sample(range(len(item.candidates)), len(item.candidates))
        ]
    first = sorted(page_item["transcripts"], key=lambda transcript: transcript["key"])[0]["entities"]
    record = {one["key"]: one["name"] for one in first}
    record |= {"side:0": first[0]["side"], "question_order": " ".join(order)}
    if item.candidates:
        record["candidates"] = " ".join(one["value"] for one in page_item["candidates"])
    if len(places) > 1:
        for place, conversation in sorted(enumerate(places), key=lambda pair: pair[1]):
            shown_as = page_item["transcripts"][place]
            record[f"conversation:{conversation}"] = shown_as["name"]
            record[f"place:{conversation}"] = SIDES[place]
            if item.judged:
                record[f"speaker:{conversation}"] = shown_as["speaker"]
    return page_item, record


def _transcript(survey: Survey, item: Item, place: int, conversation: int, names: list[str], sides: list[str]) -> dict:
    several = len(item.transcripts) > 1
    transcript: dict = {
        "key": f"conversation:{conversation}",
        "name": survey.conversations[place] if several else "",
        "entities": [{"key": f"entity:{i}", "name": names[i], "side": sides[i]} for i in (0, 1)],
    }
    if item.judged:
        judged = item.judged[conversation]
        speaker = survey.speakers[place] if several and survey.speakers else names[judged]
        # The one who is judged is on the same side in all conversations.
        bearing = {judged: (speaker, sides[0]), 1 - judged: (survey.other or names[1 - judged], sides[1])}
        transcript["entities"] = [
            {"key": f"entity:{i}", "name": bearing[i][0], "side": bearing[i][1], "judged": i == judged} for i in (0, 1)
        ]
        if several:
            transcript["speaker"] = speaker
    return transcript


def question_order(survey: Survey, rng: random.Random) -> list[str]:
    """Return the names of the questions; each run of neighbours with `shuffle` in an order drawn from `rng`."""
    order: list[str] = []
    for mixed, run in groupby(survey.questions, key=lambda question: question.shuffle):
        names = [question.name for question in run]
        order += rng.sample(names, len(names)) if mixed else names
    return order


def exchanges_of(item: Item) -> int:
    """Return how many exchanges the longest of the item's transcripts holds; an unfinished one counts."""
    return max((len(turns) + 1) // 2 for turns in item.transcripts)
