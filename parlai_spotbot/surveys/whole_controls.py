"""Controls for surveys that show whole conversations: a person against a scripted bot, or a scripted bot to be rated.

Li et al. (2019, "Annotation Quality") begin with a conversation between people beside one of a weak bot; who doesn't
find the person better is left out. The weak bot is a script here (`scripted`) in the place of one of two people, so
that hardly anybody errs. Ratings have no such answer: all that can be asked is that a bot which loops isn't praised.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from parlai_spotbot.records import Conversation, Item, Unit, Utterance
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.known import KNOWN_CHOICE, KNOWN_LOW, tells
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.blocks import PackOptions
from parlai_spotbot.surveys.scripted import SCRIPTS, parrot, replaced
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.surface import SURFACES

WANTED = 12

PAIRS_RULE = (
    "A control shows a conversation between people, chosen as known people are for segments, beside another one in "
    "which a script takes the place of the judged speaker: it says one sentence, or two, for ever, stutters, is stuck "
    "with its first turn, or parrots the other. It is missed if the script is chosen, in grammaticality, consistency, "
    "proactivity and emotional understanding excepted, or if neither is chosen in overall quality. No unit shows these "
    "conversations or others of their seeds."
)
LOW_RULE = (
    "A control shows a conversation between people in which a script takes the place of the judged speaker: it says "
    "one sentence, or two, for ever, stutters, or is stuck with its first turn. It is missed if the script is rated "
    "above 3 in overall quality or engagingness; turn by turn, if its turns from the second on are rated above 2.5 on "
    "average in quality, engagingness, informativeness or relevance (the other dimensions have no controls). No unit "
    "shows these conversations or others of their seeds."
)

Segment = tuple[Conversation, list[str]]
"""A conversation between people, and its turns as annotators would see them."""


def rule_of(survey: Survey) -> str:
    return PAIRS_RULE if packing_of(survey).compares else LOW_RULE


def questions_of_units(units: Sequence[Unit], survey: Survey, untold: Collection[str]) -> list[tuple[str, ...]]:
    """What controls ask: what items of the units ask, where a control can be graded by it.

    `untold` are own questions in which a person need not beat a bot that loops. Where no item of two conversations asks
    anything else, controls ask for the survey's own default.
    """
    kind = "known_choice" if packing_of(survey).compares else "known_low"
    main = [question.name for question in survey.main]
    found = []
    for questions in sorted({item.questions for unit in units for item in unit.items}):
        telling = [name for name in questions or main if name in main and name not in untold]
        if tells(telling, kind):
            found.append(questions)
    if not found and survey.asked:
        free = [question.name for question in survey.questions if question.kind == "free_text"]
        found.append((*survey.asked, *free))
    return found


def make_pairs(
    fitting: Sequence[Segment], rest: Sequence[Segment], asked: Sequence[tuple[str, ...]], options: PackOptions,
    wanted: int = WANTED,
) -> list[Item]:  # fmt: skip
    """Controls of two conversations: people of `fitting` beside others of both in which a script stands in.

    Each conversation is used once. Sides, seats, scripts and questions take turns. The same input gives the same items.
    """
    rng = random.Random(f"pair controls {options.survey} {options.seed}")
    number = min(wanted, len(fitting), (len(fitting) + len(rest)) // 2) if asked else 0
    people = list(fitting[:number])
    others = [*rest, *fitting[number:]]
    items = []
    for place, (conversation, turns) in enumerate(people):
        fit = next((o for o in others if _apart(o[0], conversation)), None)
        if fit is None:
            break
        others.remove(fit)
        seat, right = place % 2, place // 2 % 2
        weak = _scripted(rng, fit[1], seat, SCRIPTS[place % len(SCRIPTS)], options)
        shown = [(conversation, list(turns)), (fit[0], weak)]
        items.append(_item(shown if right == 0 else shown[::-1], seat, asked[place % len(asked)],
                           KNOWN_CHOICE[right], options))  # fmt: skip
    return items


def make_low(
    segments: Sequence[Segment], asked: Sequence[tuple[str, ...]], options: PackOptions, wanted: int = WANTED
) -> list[Item]:
    """Controls of one conversation in which a script stands in for the judged one; `wanted` for each set of questions,
    as far as conversations go (one may serve for several sets: nobody gets more than one of them)."""
    rng = random.Random(f"low controls {options.survey} {options.seed}")
    scripts = [script for script in SCRIPTS if script is not parrot]
    items = []
    for questions in asked:
        for place, (conversation, turns) in enumerate(segments[:wanted]):
            seat = (place + place // len(scripts)) % 2
            weak = _scripted(rng, turns, seat, scripts[place % len(scripts)], options)
            items.append(_item([(conversation, weak)], seat, questions, KNOWN_LOW[seat], options))
    return items


def _apart(one: Conversation, other: Conversation) -> bool:
    return one.conversation_id != other.conversation_id and (not one.seed_id or one.seed_id != other.seed_id)


def _scripted(rng: random.Random, turns: Sequence[str], seat: int, script, options: PackOptions) -> list[str]:
    show = SURFACES[options.surface]
    return [show(text) for text in replaced(rng, turns, seat, script)]


def _item(shown: Sequence[Segment], seat: int, questions: tuple[str, ...], control: str, options: PackOptions) -> Item:
    hidden = [turn.text for conversation, _ in shown for turn in conversation.turns]
    said = [text for _, turns in shown for text in turns]
    ids = tuple(conversation.conversation_id for conversation, _ in shown)
    return Item(
        item_id=opaque("control", options.survey, options.seed, *ids, *questions, *said, *hidden),
        conversation_ids=ids,
        exchanges=max(len(turns) // 2 for _, turns in shown),
        transcripts=tuple(tuple(Utterance(i % 2, text) for i, text in enumerate(turns)) for _, turns in shown),
        control=control,
        judged=(seat,) * len(shown),
        questions=questions,
    )


def shortage(items: Sequence[Item], survey: Survey, asked: Sequence[tuple[str, ...]]) -> list[str]:
    """What is to be said where there are too few controls."""
    if not asked:
        return [f"survey '{survey.name}', as it is asked, has no questions that a control could be graded by"]
    least = 4
    if len(items) >= least:
        return []
    return [
        f"{len(items)} controls, where {least} or more keep annotators from telling each other: import more "
        "conversations between people, or keep some out of the units"
    ]
