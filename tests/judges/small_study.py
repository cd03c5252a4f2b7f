"""Small studies for language models to judge: a few hand-made items, of Spot The Bot or of a survey of all kinds."""

from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Item, Turn, Unit, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.survey import Condition, Option, Question, Survey

SURVEY = "spot_the_bot"
LINES = ("i like tea", "me too", "green or black", "black please", "with milk", "never")
SCALE = tuple(Option(str(i), f"{i} of 5") for i in range(1, 6))
COLOURS = tuple(Option(value, value.upper()) for value in ("red", "blue", "green"))
AB = (Option("conversation:0", "The first"), Option("conversation:1", "The second"), Option("neither", "Neither"))
MANY = Survey(
    name="many",
    title="Many kinds",
    instructions="Read, then answer.",
    questions=(
        Question("odd", "choice", ("turn",), "Is what {entity} says odd?", (Option("yes", "Yes"), Option("no", "No"))),
        Question(
            "why_odd",
            "checkboxes",
            ("turn",),
            "Why?",
            (Option("rude", "Rude"), Option("off", "Off topic")),
            when=(Condition("odd", ("yes",)),),
        ),
        Question("rate", "scale", ("entity:0", "entity:1"), "How good is it?", SCALE, help="Good is better than bad."),
        Question("order", "ranking", ("pair",), "Order them.", COLOURS),
        Question("better", "choice", ("pair",), "Which one is better?", AB),
        Question("reason", "free_text", ("pair",), "Why?", required=False, after=("better",)),
    ),
    layout="dialogue",
)


def conversation(number: int, entities: tuple[str, str] = ("ann", "bob")) -> Conversation:
    turns = tuple(Turn(entities[i % 2], f"{text} {number}") for i, text in enumerate(("hi", "hello", *LINES)))
    pair = (HUMAN, HUMAN) if HUMAN in entities else ("ann", "bob")
    return Conversation(f"{':'.join(pair)}:{number:04d}", "chitchat", pair, number, entities, turns, 1, f"s{number}")


def item(*shown: Conversation, k: int = 2, **more) -> Item:
    transcripts = tuple(tuple(Utterance(i % 2, t.text) for i, t in enumerate(c.segment(k))) for c in shown)
    ids = tuple(c.conversation_id for c in shown)
    return Item(f"item-{'-'.join(ids)}-{k}", ids, k, transcripts, **more)


def study_of(path: Path, survey: str, items: list[Item], conversations: list[Conversation], size: int = 3) -> Study:
    """A study with these items in units of `size`, each unit for two annotators."""
    contestants = {name: Contestant(name, model=f"test:{name}") for name in ("ann", "bob")}
    study = Study.create(path, Plan("chitchat", contestants, 3, exchanges=3, segments=(1, 2)))
    checksums.write_jsonl(study.conversations_path, conversations)
    units = [
        Unit(f"unit-{start}-{replicate}", survey, f"block-{start}", 0, replicate, tuple(items[start : start + size]))
        for start in range(0, len(items), size)
        for replicate in (0, 1)
    ]
    checksums.write_jsonl(study.units_path(survey), units)
    return study


def spot_study(path: Path, bots: int = 3, people: int = 1) -> Study:
    """Units of Spot The Bot: conversations of two bots, and of people, one segment each."""
    shown = [conversation(i) for i in range(bots)] + [conversation(50 + i, (HUMAN, HUMAN)) for i in range(people)]
    return study_of(path, SURVEY, [item(c) for c in shown], shown)
