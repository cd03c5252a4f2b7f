"""Segments dealt to units: what one person does in one sitting (paper, section 4: a batch of 20 segments).

A *block* is up to 20 conversations of different seeds, 15 of bots and 5 of people by default. Its units are Latin
rotations: rotation r shows conversation i at the segment length numbered i + r, so that a unit mixes all lengths and
over the rotations every conversation is shown once at each; every rotation is given to `annotators_per_segment` people.
Nobody may do two units of a block, hence nobody sees two segments of one conversation (section 3.1, segmentation).

A conversation too short for a length is used for the others: its place in that rotation stays empty. A survey whose
annotators open the dialogue themselves (appendix B) gets each conversation once, at its longest segment, so that a
block has one rotation. Conversations of bots are all packed, in blocks as equal as can be; conversations between people
fill them up as far as there are any.
"""

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from typing import ClassVar

import numpy as np

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Item, Unit, Utterance
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.surveys.ids import joined, opaque
from parlai_spotbot.surveys.packing.units_file import blocks_of, canonical, check_options, in_turn, unit_of
from parlai_spotbot.texts.surface import SURFACES

BETWEEN_BOTS = ("pairs",)


@dataclass(frozen=True)
class PackOptions:
    """Description of how to pack. `unit_size` conversations make a block, `humans_per_unit` of them between people.

    `longest` and `judged` follow from the survey: each conversation is packed once, at the longest segment that it
    fills; the entity that is asked about, where it is not both.
    `sources` are the kinds of conversations in which bots are judged, `ask` the features where they were chosen.
    """

    survey: str = "spot_the_bot"
    segments: tuple[int, ...] = (2, 3, 5)
    unit_size: int = 20
    humans_per_unit: int = 5
    annotators_per_segment: int = 2
    seed: int = 0
    surface: str = "normalise"
    longest: bool = False
    sources: tuple[str, ...] = BETWEEN_BOTS
    ask: tuple[str, ...] | None = None
    judged: tuple[int, ...] = ()
    people: ClassVar[bool] = True

    def __post_init__(self):
        check_segments(list(self.segments), "--segments")
        numbers = {"--unit-size": self.unit_size, "--annotators-per-segment": self.annotators_per_segment}
        check_options(numbers)
        if not 0 <= self.humans_per_unit < self.unit_size:
            raise UserError(
                f"--humans-per-unit {self.humans_per_unit}: expected 0 to {self.unit_size - 1}, as a unit has "
                f"{self.unit_size} segments (--unit-size) and needs bots too.",
                "Lower it, or raise --unit-size.",
            )

    def recorded(self) -> dict:
        """Return the options as provenance.json has them; what is the survey's can't differ."""
        row = {key: value for key, value in vars(self).items() if key not in ("longest", "judged", "sources", "ask")}
        row["segments"] = list(self.segments)
        if self.sources != BETWEEN_BOTS:
            row["sources"] = list(self.sources)
        if self.ask is not None:
            row["ask"] = list(self.ask)
        return row

    @property
    def bots_per_unit(self) -> int:
        return self.unit_size - self.humans_per_unit

    def people_beside(self, bots: int) -> int:
        """Return how many conversations between people keep the proportion, at least one if any are asked for."""
        return max(round(bots * (self.humans_per_unit / self.bots_per_unit)), min(1, self.humans_per_unit))

    def fewer_people(self, bots: int, people: int) -> int | None:
        """Return the most `humans_per_unit`, below these, for which `people` conversations are enough."""
        for number in range(self.humans_per_unit - 1, 0, -1):
            fewer = replace(self, humans_per_unit=number)
            blocks = math.ceil(bots / fewer.bots_per_unit)
            if blocks and blocks * fewer.people_beside(math.ceil(bots / blocks)) <= people:
                return number
        return None

    def lengths(self, conversation: Conversation) -> tuple[int, ...]:
        """Return the segment lengths at which a conversation is packed: all that it fills, or the longest of them."""
        fills = tuple(k for k in self.segments if k <= conversation.exchanges)
        if self.longest:
            return fills[-1:]
        return fills

    @property
    def rotations(self) -> int:
        if self.longest:
            return 1
        return len(self.segments)

    def shown(self, conversation: Conversation, place: int, rotation: int) -> int | None:
        """Return the length at which the conversation of this place is shown in a rotation; None leaves it empty."""
        if self.longest:
            return next(iter(self.lengths(conversation)), None)
        k = self.segments[(place + rotation) % len(self.segments)]
        if k <= conversation.exchanges:
            return k
        return None


@dataclass
class BlockDraft:
    """The conversations of a block while it is being filled."""

    bots: list[Conversation] = field(default_factory=list)
    people: list[Conversation] = field(default_factory=list)

    @property
    def conversations(self) -> list[Conversation]:
        return self.bots + self.people

    def people_wanted(self, options: PackOptions) -> int:
        return options.people_beside(len(self.bots))

    def wants(self, options: PackOptions) -> bool:
        """Return True if there is room for one more conversation between people."""
        return len(self.people) < self.people_wanted(options)


def is_people(conversation: Conversation) -> bool:
    """Return True if both entities are human."""
    return all(conversation.is_human)


def seed_of(conversation: Conversation) -> str:
    """Return the key that no two conversations of a block may share."""
    if conversation.seed_id:
        return f"seed {conversation.seed_id}"
    return f"conversation {conversation.conversation_id}"


def pack(conversations: Iterable[Conversation], options: PackOptions, existing: Sequence[Unit] = ()) -> list[Unit]:
    """Return the units to add to `existing` for the conversations of bots that are in none of them.

    The result depends on the conversations and options only, not on their order. Conversations between people are used
    once; only a block that would have none takes those used least so far, from other blocks.

    Raises `UserError` where a conversation stands twice.
    """
    rng = random.Random(f"pack {options.survey} {options.seed}")
    usable = [c for c in canonical(conversations) if options.lengths(c)]
    rng.shuffle(usable)
    uses = Counter(used for ids in blocks_of(existing).values() for used in ids)
    bots = [c for c in usable if not is_people(c) and c.conversation_id not in uses]
    people = [c for c in usable if is_people(c)]
    blocks = deal(bots, options.bots_per_unit)
    add_people(blocks, people, uses, options, earlier=len(blocks_of(existing)))
    return [unit for block in blocks for unit in block_units(block.conversations, options, rng)]


# -- which conversations go together -------------------------------------------------------------------------------
def deal(bots: Sequence[Conversation], most: int) -> list[BlockDraft]:
    """Deal conversations into as few blocks as possible: at most `most` in each, all of different seeds.

    The conversations of one seed go to different blocks, the emptiest first, so sizes differ by one at most; among
    these the blocks with the fewest conversations of the same pair are taken, then those where the contestant who
    speaks first has done so least. With b bots and d of one seed, max(⌈b / most⌉, d) blocks are needed, and are enough.
    """
    from scipy.optimize import linear_sum_assignment  # who only launches doesn't wait for it

    groups: dict[str, list[Conversation]] = {}
    for conversation in sorted(bots, key=lambda c: sorted(c.entities)):  # stable: random within a pair
        groups.setdefault(seed_of(conversation), []).append(conversation)
    number = max([-(-len(bots) // most), *map(len, groups.values())])
    blocks = [BlockDraft() for _ in range(number)]
    load = np.zeros(number)
    pairs: dict[tuple[str, ...], np.ndarray] = {}
    firsts: dict[str, np.ndarray] = {}
    for group in groups.values():
        of_pair = [pairs.setdefault(tuple(sorted(c.entities)), np.zeros(number)) for c in group]
        of_first = [firsts.setdefault(c.entities[0], np.zeros(number)) for c in group]
        rows, columns = linear_sum_assignment(load * 1e9 + np.stack(of_pair) * 1e4 + np.stack(of_first))
        for row, column in zip(rows, columns, strict=True):
            blocks[column].bots.append(group[row])
            load[column] += 1
            of_pair[row][column] += 1
            of_first[row][column] += 1
    return blocks


def shared_seeds(
    blocks: Mapping[str, Collection[str]], by_id: Mapping[str, Conversation], options: PackOptions
) -> list[str]:
    """Return a warning where there are more units than their size needs, as one seed has many conversations: `deal`."""
    bots = [by_id[name] for names in blocks.values() for name in names if not is_people(by_id[name])]
    needed = -(-len(bots) // options.bots_per_unit)
    most = max(Counter(map(seed_of, bots)).values(), default=0)
    if most <= needed:
        return []
    each = options.rotations * options.annotators_per_segment
    items = sum(map(len, blocks.values()))
    more = (items - len(bots) - options.people_beside(len(bots))) * each
    warning = (
        f"{most} conversations have one seed, which a unit shows once: {len(blocks) * each:,} units of about "
        f"{items / len(blocks):.0f} segments, not {needed * each:,} of {options.unit_size}, so more people are trained"
    )
    if more > 0:
        warning += f", and {more:,} segments more are judged"
    remedy = f"without --paired-seeds, or with --conversations-per-pair {options.bots_per_unit}, units are full"
    return [f"{warning}; {remedy} (in another --study)"]


def add_people(
    blocks: list[BlockDraft], people: Sequence[Conversation], uses: Counter, options: PackOptions, earlier: int
) -> None:
    """Fill `blocks` up with conversations between people, evenly, those long enough for all segments first.

    `uses` counts the blocks that have each already (`earlier` blocks in all). A block that would get none takes used
    ones, least used first: as many as the others have on average, so that no annotator meets bots alone.
    """
    order = sorted(people, key=lambda c: -len(options.lengths(c)))  # stable: random within a length
    seeds = [set(map(seed_of, block.conversations)) for block in blocks]
    emptiest = [(len(b.people) / b.people_wanted(options), place) for place, b in enumerate(blocks) if b.wants(options)]
    heapify(emptiest)
    for conversation in order:
        if uses[conversation.conversation_id]:
            continue
        clashing = []
        while emptiest and seed_of(conversation) in seeds[emptiest[0][1]]:
            clashing.append(heappop(emptiest))
        if emptiest:
            _, place = heappop(emptiest)
            block = blocks[place]
            block.people.append(conversation)
            seeds[place].add(seed_of(conversation))
            uses[conversation.conversation_id] += 1
            if block.wants(options):
                heappush(emptiest, (len(block.people) / block.people_wanted(options), place))
        for entry in clashing:
            heappush(emptiest, entry)
    average = max(1, len(people) // max(1, earlier + len(blocks)))
    for block in blocks:
        if not block.people:
            least_used = sorted(order, key=lambda c: uses[c.conversation_id])
            block.people = _of_other_seeds(least_used, block)[: min(average, block.people_wanted(options))]
            uses.update(c.conversation_id for c in block.people)


def _of_other_seeds(conversations: Iterable[Conversation], block: BlockDraft) -> list[Conversation]:
    """Return the first conversation of each seed that the block has not."""
    present = set(map(seed_of, block.conversations))
    first: dict[str, Conversation] = {}
    for conversation in conversations:
        if seed_of(conversation) not in present:
            first.setdefault(seed_of(conversation), conversation)
    return list(first.values())


# -- from a block to its units ---------------------------------------------------------------------------------------
def block_units(conversations: Sequence[Conversation], options: PackOptions, rng: random.Random) -> list[Unit]:
    """Return the units of a block: one for each rotation and annotator, its items in an order of its own.

    Conversations of a kind that have the same lengths get their places one after the other, so that lengths, and the
    gaps of short conversations, are spread evenly over the rotations.
    """
    ids = sorted(c.conversation_id for c in conversations)
    block_id = opaque("block", options.survey, options.seed, *ids)
    placed = sorted(conversations, key=lambda c: c.conversation_id)
    rng.shuffle(placed)
    placed.sort(key=lambda c: (is_people(c), options.lengths(c)))
    shown = [as_shown(c, max(options.lengths(c)), options) for c in placed]
    turns = [_turns_in_id(c) for c in placed]
    units = []
    for rotation in range(options.rotations):
        items = []
        for place, conversation in enumerate(placed):
            k = options.shown(conversation, place, rotation)
            if k is not None:
                items.append(make_item(conversation, k, options, shown[place], turns[place]))
        for replicate in range(options.annotators_per_segment):
            if items:
                units.append(unit_of(options.survey, block_id, rotation, replicate, items))
    return units


def as_shown(conversation: Conversation, k: int, options: PackOptions) -> tuple[Utterance, ...]:
    """Return `k` exchanges as an annotator sees them: entity 0 or 1, and the text in its surface form."""
    show = SURFACES[options.surface]
    return in_turn(show(turn.text) for turn in conversation.segment(k))


def make_item(
    conversation: Conversation, k: int, options: PackOptions, shown: Sequence[Utterance], turns: str = ""
) -> Item:
    """Return the segment of `k` exchanges, the first of those that are `shown`; `turns` as in `item_id`."""
    return Item(
        item_id=item_id(conversation, k, options, turns),
        conversation_ids=(conversation.conversation_id,),
        exchanges=k,
        transcripts=(tuple(shown[: 2 * k]),),
        judged=options.judged,
    )


def item_id(conversation: Conversation, k: int, options: PackOptions, turns: str = "") -> str:
    """Return the id of a segment, made from hidden turns too, so that it can't be guessed.

    `turns` is `_turns_in_id` of the conversation, for whoever asks for several lengths.
    """
    turns = turns or _turns_in_id(conversation)
    return opaque("item", options.survey, options.seed, conversation.conversation_id, k, turns)


def _turns_in_id(conversation: Conversation) -> str:
    """Return all turns of a conversation, as `opaque` joins them."""
    return joined([text for turn in conversation.turns for text in (turn.speaker, turn.text)])
