"""A survey: its questions, texts and rules as data, which Python and the web page share.

An item is answered by going through the questions in order; a question is put once for each of its targets, and only
when the questions under `after` are answered for all of theirs (paper, section 3.1: the nature of both entities first,
then the features) and its conditions hold.
"""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal

from annotated_types import MaxLen

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.tasks import GoldDialogue, Task

Kind = Literal["choice", "scale", "checkboxes", "ranking", "free_text"]
"""Answers: one option; one of an ordered list; any number of options; all options in an order; a text."""

RATING_VALUES = tuple("12345")
"""Values of ratings, the best last."""

Layout = Literal["dialogue", "side_by_side", "turn_by_turn", "opening", "chat", "candidates"]
"""How transcripts are shown: one dialogue; several beside each other; one, asked about turn by turn; one that the
annotator opens exchange by exchange; one that the annotator writes, in a chat with a contestant; one with the item's
candidates for its next turn."""

PackingName = Literal["segments", "pairs", "dialogues", "contestants", "questions", "elsewhere"]
"""What an item is made of: a segment of a conversation; two whole conversations of different contestants side by side;
one whole conversation; contestants to talk to; a question with candidates for the next turn; or it comes in with its
answers from elsewhere. How each is packed: `surveys.packing`."""

LAYOUTS = {"segments": ("dialogue", "opening"), "pairs": ("side_by_side",), "dialogues": ("dialogue", "turn_by_turn")}
"""How what is packed in a way can be shown; what is packed in other ways has a layout of its own."""

PACKED = ("packing", "spread", "asked", "unit_size", "annotators_per_item", "repeated", "control_first")
"""The fields of a survey that say how it is packed."""
HIDDEN = (*PACKED, "judged", "onboarding", "training", "features", "about", "chat")
"""The fields of a survey that no browser gets."""

HIDDEN_LIMITS = ("onboarding_mistakes", "controls_per_unit", "control_mistakes")
"""Limits that no browser gets."""

Spread = Literal["", "items", "units", "tasks"]
"""What the questions are dealt to: every item has all of them; an item has one; the items of a unit have one, or those
of one task."""

TARGET = re.compile(r"^(entity:[01]|conversation:\d+|pair|turn|annotator)$")
"""`turn` stands for every turn of the item in turn; its judgements name each as turn:0, turn:1, … `annotator` is who
answers, in the questionnaire."""


CANDIDATE = re.compile(r"^candidate:\d+$")
"""The values of options that stand for the item's candidates, by their places in `Item.candidates`."""


@dataclass(frozen=True)
class Option:
    """One possible answer: `value` is stored, `label` is shown, `definition` explains it.

    An option whose value is a target (entity:0, conversation:1) is shown under the name which that target bears in the
    item, not under `label`; a label that holds {name} is shown with that name in its place ("{name} sounds more
    human"). The name of a conversation of which one speaker is judged is that speaker's (`Survey.speakers`).
    """

    value: str
    label: str
    definition: str = ""


@dataclass(frozen=True)
class Condition:
    """Condition that `question` was answered by one of `values` for `target`.

    If `target` is "", it is the target of the question that has the condition, or any of the question's targets if
    it doesn't have that one.
    """

    question: str
    values: tuple[str, ...]
    target: str = ""


@dataclass(frozen=True)
class Question:
    """A question, put once for each target. `wording` may hold {entity}, which is replaced by the target's name.

    `heading` is its short name on the page. Of a rating, the options of which are numbers from the lowest up, `better`
    says whether more or less of it is better. Neighbouring questions with `shuffle` come in an order drawn per item. A
    `timer` of this many seconds is shown with the question, to be started by annotators. `other_than` names an earlier
    question, whose answer (for the same target) can't be this one's too. Options whose values are "candidate:N" stand
    for the item's candidates, whose texts are shown instead of the labels.
    """

    name: str
    kind: Kind
    targets: tuple[str, ...]
    wording: str
    options: tuple[Option, ...] = ()
    help: str = ""
    required: bool = True
    after: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    heading: str = ""
    shuffle: bool = False
    timer: int = 0
    other_than: str = ""
    better: Literal["more", "less"] = "more"

    def __post_init__(self):
        if not self.targets or not all(TARGET.match(target) for target in self.targets):
            raise ValueError(
                f"question '{self.name}': targets are {self.targets!r}, "
                "expected entity:0, entity:1, pair, turn or conversation:N"
            )
        values = [option.value for option in self.options]
        if (self.kind == "free_text") == bool(values) or len(set(values)) != len(values):
            raise ValueError(
                f"question '{self.name}': options are {values!r}, "
                "expected different values (none for free_text, some for every other kind)"
            )

    @property
    def scale(self) -> tuple[float, ...]:
        """The values of its options, where these are different numbers from the lowest up; else ()."""
        try:
            values = tuple(float(option.value) for option in self.options)
        except ValueError:
            return ()
        if values != tuple(sorted(set(values))) or not all(map(math.isfinite, values)):
            return ()
        return values

    @property
    def is_likert(self) -> bool:
        """Return True if its options are the ratings from 1 to 5, of which more is better."""
        return self.better == "more" and tuple(option.value for option in self.options) == RATING_VALUES

    @property
    def of_candidates(self) -> bool:
        """Return True if the item's candidates are what one chooses from."""
        return bool(self.options) and all(CANDIDATE.match(option.value) for option in self.options)


@dataclass(frozen=True)
class Exercise:
    """A short transcript with known answers, for the example in the instructions and for onboarding.

    `turns` are (entity, text). `key` holds (question, target, accepted answers); questions that it doesn't name are not
    put. The key never reaches a browser before the exercise is answered (the example's is shown at once). `second`
    holds the turns of the other conversation where two stand side by side, `judged` for each conversation who is
    judged, `candidates` what may be its next turn.
    """

    turns: tuple[tuple[int, str], ...]
    key: tuple[tuple[str, str, tuple[str, ...]], ...]
    explanation: str
    second: tuple[tuple[int, str], ...] = ()
    judged: tuple[int, ...] = ()
    candidates: tuple[str, ...] = ()

    @property
    def transcripts(self) -> tuple[tuple[tuple[int, str], ...], ...]:
        """The turns of each conversation shown."""
        if self.second:
            return (self.turns, self.second)
        return (self.turns,)


@dataclass(frozen=True)
class Limits:
    """Limits that the server enforces: a survey's defaults; a launch may set others.

    `units_per_annotator`: handed out to one annotator, ever, given back or not. `onboarding_attempts`, and
    `onboarding_mistakes` that are allowed in one. `controls_per_unit` known segments are mixed into a unit, of which an
    annotator may miss `control_mistakes` in all. `comment_length` and `text_length` in characters.
    """

    units_per_annotator: int = 3
    minutes_per_unit: float = 60.0
    onboarding_attempts: int = 2
    onboarding_mistakes: int = 0
    controls_per_unit: int = 2
    control_mistakes: int = 1
    comment_length: int = 2000
    text_length: int = 5000


@dataclass(frozen=True)
class FeatureTexts:
    """Texts of a survey for other features than its `own`, for which its texts are written.

    `compare` stands instead of that `paragraph` of the instructions, counted from 0, with the headings of what is
    asked for {features}; with none the paragraph is left out. `consent` is the first paragraph of the consent where
    none is asked. The example's explanation is `example`, which says who is human, and what is `shown` of each feature
    that is asked: (name, sentence). A text that is "" leaves what stands there.
    """

    own: tuple[str, ...] = ()
    paragraph: int = 0
    compare: str = ""
    consent: str = ""
    example: str = ""
    shown: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class GameRules:
    """Points of a survey in which annotators open the dialogue themselves (paper, appendix B).

    `right` points for each entity called what it is, `wrong` for one called what it is not, 0 where unsure; less
    `penalty` for every exchange opened until that decision, beyond the first.
    """

    right: float = 10.0
    wrong: float = -10.0
    penalty: float = 1.0


@dataclass(frozen=True)
class ChatRules:
    """The rules of a survey in which annotators chat with contestants (ABC-Eval 2022, section 3: 30 messages at least).

    A chat may be rated from `messages` on, of both in all; at `most_messages` it ends.
    `message_length` in characters. With `answer_delay` no answer is shown before the time that it would take to type
    it, `longest_delay` seconds at most, which hides how fast a contestant is. A partner that failed `attempts` times to
    answer one message can't go on.
    """

    messages: int = 30
    most_messages: int = 100
    message_length: int = 1000
    answer_delay: bool = True
    longest_delay: float = 3.0
    attempts: int = 3

    SHOWN = ("messages", "most_messages", "message_length")
    """The rules that the page gets."""


@dataclass(frozen=True)
class Survey:
    """An evaluation method: what annotators read first, what they are asked about every item, and by which rules.

    `consent` are paragraphs that may hold {pay}, {minutes}, {contact}, {units}. `entities` are the neutral names, drawn
    again for every item. `onboarding` holds a tuple of exercises for each attempt. Where conversations stand side by
    side, `conversations` are their names and `speakers` those of the two who are judged, from left to right; where only
    one speaker of a conversation is judged, the other's turns are grey and bear the name `other`.

    The last fields say how it is packed: `packing` and `spread` as above; the questions `asked` unless others are named
    (empty: all); `unit_size` items in a unit, each by `annotators_per_item` people, a share `repeated` of the units by
    one more. With `control_first` the controls come in an annotator's first unit alone; their places are drawn. Of
    segments `judged` is the only entity that is asked about (empty: both).

    A survey of several `tasks` is annotated task by task: `task` narrows it to one, and then `training` holds the gold
    dialogues of that task, which no browser gets before they are annotated. `chat` holds the rules of a survey with the
    layout "chat". The `questionnaire` is put to an annotator once, about themselves; no answer to it is required.
    `features` says what texts become where not all features are asked. `about` is for reports, plans and launches.
    """

    name: str
    title: str
    instructions: str
    questions: tuple[Question, ...]
    layout: Layout = "dialogue"
    entities: tuple[str, ...] = ("Entity A", "Entity B")
    consent: tuple[str, ...] = ()
    example: Exercise | None = None
    onboarding: tuple[tuple[Exercise, ...], ...] = ()
    limits: Limits = Limits()
    game: GameRules | None = None
    thanks: str = "Your answers are stored."
    conversations: tuple[str, ...] = ("Conversation A", "Conversation B")
    speakers: tuple[str, ...] = ()
    other: str = ""
    packing: PackingName = "segments"
    spread: Spread = ""
    asked: tuple[str, ...] = ()
    unit_size: int = 20
    annotators_per_item: int = 2
    repeated: float = 0.0
    control_first: bool = False
    judged: Annotated[tuple[Literal[0, 1], ...], MaxLen(1)] = ()
    tasks: tuple[Task, ...] = ()
    training: tuple[GoldDialogue, ...] = ()
    chat: ChatRules | None = None
    questionnaire: tuple[Question, ...] = ()
    features: FeatureTexts = FeatureTexts()
    about: About = field(default_factory=About)

    def __post_init__(self):
        question_names: list[str] = []
        for question in self.questions:
            earlier = {*question.after, *(condition.question for condition in question.when), question.other_than} - {
                ""
            }
            if question.name in question_names or not earlier <= set(question_names):
                raise ValueError(
                    f"survey '{self.name}': question '{question.name}' stands twice, or comes after {sorted(earlier)}, "
                    "expected names of earlier questions"
                )
            question_names.append(question.name)
        layouts = LAYOUTS.get(self.packing, (self.layout,))
        if self.layout not in layouts or (self.layout == "opening") != bool(self.game):
            expected = " or ".join(layouts).replace("opening", "opening (with game=)")
            raise ValueError(
                f"survey '{self.name}': layout is {self.layout!r}, packing {self.packing!r}, expected {expected}"
            )
        object.__setattr__(self, "about", self.about.named(self.name))
        asked_names = [("asked", self.asked), *((f"task '{task.name}'", task.questions) for task in self.tasks)]
        for what, names in asked_names:
            if not set(names) <= set(question_names):
                raise ValueError(f"survey '{self.name}': {what} names {names!r}, expected names of its questions")
        for question in self.questionnaire:
            if question.required or question.name in question_names:
                raise ValueError(
                    f"survey '{self.name}': question '{question.name}' of the questionnaire, expected a name of its "
                    "own and required=False"
                )

    @property
    def known(self) -> bool:
        """Return whether anything is known of it but its name."""
        return bool(self.questions)

    @property
    def main(self) -> tuple[Question, ...]:
        """The questions that are dealt to items; free texts go with any of them."""
        return tuple(question for question in self.questions if question.kind != "free_text")

    @property
    def spots(self) -> bool:
        """Return True if it asks of entities whether they are human or bots."""
        return any(question.name == "nature" for question in self.questions)

    def question(self, name: str) -> Question:
        """Return the question of this name; an unknown one is a `ValueError`."""
        for question in self.questions:
            if question.name == name:
                return question
        names = ", ".join(question.name for question in self.questions)
        raise ValueError(f"question {name!r}: survey '{self.name}' has {names}")

    def task(self, name: str) -> Survey:
        """Return the survey narrowed to one task: its title, instructions, questions, definitions and training.

        A task that the survey has not, and a file of it that is missing or wrong, are `UserError`s.
        """
        tasks = {task.name: task for task in self.tasks}
        if name not in tasks:
            remedy = "Leave --task out."
            if tasks:
                remedy = nearest(name, tasks)
            raise UserError(f"--task {name}: survey {self.name} has no such task.", remedy)
        task = tasks[name]
        training = ()
        if task.read:
            about = task.read(name)
            training = about.dialogues
            task = replace(task, instructions=about.instructions, definitions=tuple(about.definitions.values()))
        return replace(
            self,
            title=task.title,
            instructions=task.instructions or self.instructions,
            questions=tuple(question for question in self.questions if question.name in task.questions),
            tasks=(task,),
            training=training,
        )

    def to_json(self) -> dict:
        """Return the survey as the web page gets it, with lists instead of tuples.

        Exercises, gold dialogues, packing, and limits on known segments are left out.
        """
        row = _lists(asdict(self))
        row = {name: row[name] for name in row if name not in HIDDEN}
        row["limits"] = {name: row["limits"][name] for name in row["limits"] if name not in HIDDEN_LIMITS}
        for task in row["tasks"]:
            del task["allowed"], task["read"], task["took"]
        for question in (*row["questions"], *row["questionnaire"]):
            del question["better"]
        for name in ("tasks", "questionnaire"):
            if not row[name]:
                del row[name]
        if row["example"] and not row["example"]["candidates"]:
            del row["example"]["candidates"]
        if self.chat:
            row["chat"] = {name: getattr(self.chat, name) for name in ChatRules.SHOWN}
        return row


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_lists(part) for part in value]
    return value
