"""Entities of whole conversations that may be judged, for surveys such as ACUTE-Eval, Comparative and Likert.

A contestant appears in self-chats (either seat may be judged), in conversations with other bots (its own seat), and in
conversations with people (its own seat); people appear as a contestant in the conversations between people.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import HUMAN, Conversation, Item
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.units_file import canonical, check_options, in_turn
from parlai_spotbot.texts.surface import SURFACES

SOURCES = ("self", "human_model", "pairs")
"""Where bots are judged: talking to themselves, to people, or to other bots."""

MOST_RESERVED = 12
"""Most conversations between people that are kept for controls."""

SHARE_RESERVED = 4
"""One in this many conversations between people, at most, is kept for controls."""

FOLLOWS = ("companions", "everything", "groups", "led", "spread")
"""Options that follow from the survey and the others, and are not recorded."""
LATER = ("pairs", "same")
"""Options that are recorded only if they are chosen, as studies of earlier versions do not have them."""


@dataclass(frozen=True)
class WholeOptions:
    """Description of how whole conversations are packed; see `Survey` for what a survey says itself.

    `questions` are those that are put, `groups` how a survey of tasks deals them to the units on a conversation,
    `companions` the free texts that go with each; `comparisons` of each pair of
    contestants on each question (None: as many as the contestant with the fewest conversations has, 100 at most);
    `pairs`: "interactors" or "contexts" where given pairs are next to each other (`led_pairs`), which are `led`;
    `same`: whether each bot is compared with itself, too.
    """

    survey: str
    questions: tuple[str, ...]
    sources: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    companions: tuple[str, ...] = ()
    everything: bool = False
    spread: str = ""
    people: bool = True
    comparisons: int | None = None
    pairs: str = ""
    led: tuple[tuple[str, str], ...] = ()
    same: bool = False
    unit_size: int = 1
    annotators_per_item: int = 1
    repeated: float = 0.0
    seed: int = 0
    surface: str = "normalise"

    def __post_init__(self):
        numbers = {"--unit-size": self.unit_size, "--annotators-per-item": self.annotators_per_item}
        if self.comparisons is not None:
            numbers["--comparisons"] = self.comparisons
        check_options(numbers)
        if not 0 <= self.repeated <= 1:
            raise UserError(f"--repeated {self.repeated}: expected a share from 0 to 1.", "Write 0.25 for a quarter.")

    def recorded(self) -> dict:
        """Return the options as provenance.json has them."""
        row = vars(self) | {"questions": list(self.questions), "sources": list(self.sources)}
        return {key: value for key, value in row.items() if key not in FOLLOWS and (value or key not in LATER)}

    def lengths(self, conversation: Conversation) -> tuple[int, ...]:
        """Return the lengths at which a conversation is packed: its own, or none."""
        if not conversation.exchanges:
            return ()
        return (conversation.exchanges,)

    @property
    def dealt(self) -> tuple[tuple[str, ...], ...]:
        """The questions of each of the units on a conversation, with the free texts; empty where every unit has all."""
        groups = self.groups
        if self.spread == "units" and not groups:
            groups = tuple((name,) for name in self.questions)
        return tuple((*questions, *self.companions) for questions in groups)

    def put(self, questions: Sequence[str]) -> tuple[str, ...]:
        """Return the questions that an item names: none if it is asked everything."""
        if self.everything:
            return ()
        return (*questions, *self.companions)


def sources_of(conversations: Iterable[Conversation], requested: Sequence[str] | None) -> tuple[str, ...]:
    """Return the sources asked for, checked; by default self-chats and those with people, else between bots."""
    counts = Counter(c.kind for c in conversations if c.exchanges)
    if requested is None:
        sources = tuple(source for source in SOURCES[:2] if counts[source]) or ("pairs",)
        if not counts[sources[0]]:
            raise UserError("There is no conversation of bots to pack.", "Run spotbot_selfchat to the end.")
        return sources
    for source in requested:
        if source not in SOURCES:
            raise UserError(f"--source {source}: unknown.", nearest(source, SOURCES))
        if not counts[source]:
            raise UserError(f"--source {source}: the study has no such conversations.", "Play or import some.")
    return tuple(source for source in SOURCES if source in requested)


def usable(conversations: Iterable[Conversation]) -> list[Conversation]:
    """Return conversations by id, without those that have nothing to show."""
    return [c for c in canonical(conversations) if c.exchanges]


def reserved(people: Iterable[Conversation], shown: Collection[str], seed: int) -> set[str]:
    """Return the conversations between people that are kept for controls: the first by a hash, of those not `shown`.

    So which they are hardly changes where a study grows.
    """
    ids = [c.conversation_id for c in people]
    free = sorted((hashlib.sha256(f"control {seed} {i}".encode()).hexdigest(), i) for i in ids if i not in shown)
    return {i for _, i in free[: min(MOST_RESERVED, len(ids) // SHARE_RESERVED)]}


def kept_for_controls(people: Sequence[Conversation], shown: Collection[str], options: WholeOptions) -> set[str]:
    """Return the conversations between people that aren't packed; none in a survey of tasks, which has no controls."""
    if options.spread == "tasks":
        return set()
    return reserved(people, shown, options.seed)


def appearances(conversations: Iterable[Conversation], source: str) -> dict[str, dict[str, tuple[int, ...]]]:
    """By contestant: the ids of its conversations of this source ("people" too) and the seats that may be judged."""
    seats_by_name: dict[str, dict[str, tuple[int, ...]]] = {}
    for conversation in conversations:
        if conversation.kind != source:
            continue
        for name in dict.fromkeys(conversation.entities):
            if (name == HUMAN) == (source == "people"):
                seats = tuple(seat for seat in (0, 1) if conversation.entities[seat] == name)
                seats_by_name.setdefault(name, {})[conversation.conversation_id] = seats
    return seats_by_name


def whole_item(
    conversations: Sequence[Conversation], judged: Sequence[int], questions: Sequence[str], options: WholeOptions
) -> Item:
    """Return an item of whole conversations without their seed exchange; `exchanges` is the longest's."""
    return Item(
        item_id=whole_item_id(conversations, judged, questions, options.survey, options.seed),
        conversation_ids=tuple(c.conversation_id for c in conversations),
        exchanges=max(c.exchanges for c in conversations),
        transcripts=tuple(in_turn(SURFACES[options.surface](turn.text) for turn in c.shown) for c in conversations),
        judged=tuple(judged),
        questions=tuple(questions),
    )


def whole_item_id(
    conversations: Sequence[Conversation], judged: Sequence[int], questions: Sequence[str], survey: str, seed: int
) -> str:
    """Return the id of an item, made from hidden turns too, so that it can't be guessed."""
    texts = [text for c in conversations for turn in c.turns for text in (turn.speaker, turn.text)]
    return opaque(
        "whole",
        survey,
        seed,
        *[c.conversation_id for c in conversations],
        "judged",
        *judged,
        "asked",
        *questions,
        "said",
        *texts,
    )
