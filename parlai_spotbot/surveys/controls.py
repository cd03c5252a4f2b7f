"""Control segments: known people and known bots that are mixed into units to find annotators who do not look.

They are never analysed as data. They come from conversations between people that no unit shows, have the surface form
and a length of the survey's other segments, and are chosen by `RULE` from the text alone, so that hardly anyone errs.
How often annotators of the paper's data erred on such segments is worked out by
``python -m parlai_spotbot.projects.spot_the_bot_2020.known_segments``: they called both people bots in 5 % of 110
annotations (9 % of the 746 of people's longest segments), and called a bot that loops over five exchanges anything but
a bot in 7 % of 714.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.domains import domain_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import Survey, nuc, own_questions, survey_of, whole_controls
from parlai_spotbot.surveys import known as by_kind
from parlai_spotbot.surveys.abc_eval.gold import GOLD_RULE, KNOWN_LABELS, gold_items, key_of
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.known import EVERY_KIND, KINDS, KNOWN_BOT, KNOWN_CHOICE, KNOWN_HUMAN, KNOWN_LOW, gradable
from parlai_spotbot.surveys.nuc_checks import CHECK_RULE, make_checks
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.blocks import PackOptions, is_people
from parlai_spotbot.surveys.packing.units_file import packed_with
from parlai_spotbot.surveys.scripted import SCRIPTS, replaced
from parlai_spotbot.texts.surface import SURFACES

WANTED = 18
"""Segments of people, and segments with a bot, to set aside."""

WORDS, TAKEN_UP = 7, 3

RULE = (
    "A control is the longest segment of the survey (two exchanges at least) that a conversation between people fills; "
    "no unit shows that conversation or another one of its seed. Known people: each of the two says on average "
    f"{WORDS} words a turn or more, takes up a word of the other's turn just before at least once, {TAKEN_UP} times or "
    "more in all, and nobody says a turn twice; those with most such turns come first. A word taken up has four "
    "letters or more, the same first six, and is not an everyday word. Known bot: one of the two is replaced by a "
    "script that says one sentence, or two, for ever, stutters, is stuck with its first turn, or parrots the other. "
    "Segments that speak of bots, robots, computers or tests are not used. A segment of known people is missed if both "
    "are called bots, a known bot if it is called anything but a bot."
)

EVERYDAY = frozenset(
    {
        "awesome", "cool", "don't", "doing", "good", "great", "haha", "hello", "just", "know", "kind", "like", "love",
        "maybe", "much", "nice", "okay", "people", "pretty", "really", "right", "sorry", "stuff", "sure", "thank",
        "thanks", "that's", "think", "thing", "things", "time", "very", "want", "what's", "yeah",
    }
)  # fmt: skip
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
GIVEN_AWAY = re.compile(r"\b(?:ai|bots?|chat ?bots?|robots?|robotic|computers?|algorithms?|testing|turing)\b")


# -- the rule -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Talk:
    """What the rule looks at: for each entity words a turn (mean) and turns that take up a word of the one before."""

    words: tuple[float, float]
    taken_up: tuple[int, int]
    repeats: bool

    @property
    def fits(self) -> bool:
        """Whether hardly anyone would take the two for bots."""
        enough = min(self.words) >= WORDS and min(self.taken_up) >= 1 and sum(self.taken_up) >= TAKEN_UP
        return enough and not self.repeats


def talk(turns: Sequence[str]) -> Talk:
    """Measure a segment: its turns in their surface form, entity 0 first."""
    counts = [len(WORD.findall(turn)) for turn in turns]
    telling = [telling_words(turn) for turn in turns]
    taken = [i % 2 for i in range(1, len(turns)) if telling[i] & telling[i - 1]]
    words = tuple(sum(counts[e::2]) / max(1, len(counts[e::2])) for e in (0, 1))
    return Talk((words[0], words[1]), (taken.count(0), taken.count(1)), len(set(turns)) < len(turns))


def telling_words(turn: str) -> set[str]:
    """The first six letters of its words of four letters or more that are not everyday words."""
    stems = {word.split("'")[0] for word in WORD.findall(turn) if word not in EVERYDAY}
    return {stem[:6] for stem in stems if len(stem) >= 4 and stem not in EVERYDAY and stem not in _function_words()}


@cache
def _function_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS


def missed(item: Item, answers: Mapping[tuple[str, str], object]) -> bool:
    """Whether an annotator missed this control, by the rule of its kind (`known.missed_by`); `answers` maps (question,
    target) to the answer.

    Raises `ValueError` for an item that is no control.
    """
    return by_kind.missed_by(item.control, answers)


def truth(item: Item) -> tuple[str, str]:
    """What the entities of a control are, or the judged ones of its two conversations: "human" or "bot"."""
    return by_kind.truth(item.control)


# -- making ---------------------------------------------------------------------------------------------------------
def make_controls(
    people: Sequence[Conversation], used: Collection[str], options: PackOptions, wanted: int = WANTED
) -> list[Item]:
    """Controls by `RULE` from the conversations of `people` whose id is not in `used`, each used once at most.

    Returns `wanted` segments of known people and as many with a known bot, each script and side equally often; fewer
    where there are fewer conversations: then both kinds get about half. The same input gives the same items.
    """
    rng = random.Random(f"controls {options.survey} {options.seed}")
    segments = candidates(people, used, options, rng)
    wanted = min(wanted, (len(segments) + 1) // 2)
    known = known_people(segments)[:wanted]
    chosen = {conversation.conversation_id for conversation, _ in known}
    rest = [s for s in segments if s[0].conversation_id not in chosen][:wanted]
    items = [_item(conversation, turns, KNOWN_HUMAN, options) for conversation, turns in known]
    for number, (conversation, turns) in enumerate(rest):
        entity = (number % len(SCRIPTS) + number // len(SCRIPTS)) % 2
        show = SURFACES[options.surface]
        said = [show(text) for text in replaced(rng, turns, entity, SCRIPTS[number % len(SCRIPTS)])]
        items.append(_item(conversation, said, KNOWN_BOT[entity], options))
    return items


def candidates(
    people: Sequence[Conversation], used: Collection[str], options: PackOptions, rng: random.Random
) -> list[whole_controls.Segment]:
    """The segments that may become controls, the longest first, in drawn order within a length."""
    free = [c for c in people if is_people(c) and c.conversation_id not in used]
    segments = [s for s in (_segment(c, options) for c in sorted(free, key=lambda c: c.conversation_id)) if s]
    rng.shuffle(segments)
    return sorted(segments, key=lambda s: -len(s[1]))


def known_people(segments: Sequence[whole_controls.Segment]) -> list[whole_controls.Segment]:
    """Those that fit `RULE`, the longest first, then those with most turns that take something up."""
    fitting = [s for s in segments if talk(s[1]).fits]
    return sorted(fitting, key=lambda s: (-len(s[1]), -sum(talk(s[1]).taken_up)))


def _segment(conversation: Conversation, options: PackOptions) -> tuple[Conversation, list[str]] | None:
    """The longest segment as annotators would see it; None where there is none, or where it speaks of bots."""
    k = max(options.lengths(conversation), default=0)
    if k < 2:
        return None
    turns = [SURFACES[options.surface](turn.text) for turn in conversation.segment(k)]
    return None if any(GIVEN_AWAY.search(turn.lower()) for turn in turns) else (conversation, turns)


def _item(conversation: Conversation, turns: Sequence[str], control: str, options: PackOptions) -> Item:
    said = tuple(Utterance(i % 2, text) for i, text in enumerate(turns))
    hidden = [turn.text for turn in conversation.turns]
    name = opaque("control", options.survey, options.seed, conversation.conversation_id, *turns, *hidden)
    return Item(name, (conversation.conversation_id,), len(turns) // 2, (said,), control)


# -- the study's controls -------------------------------------------------------------------------------------------
def controls_path(study: Study, survey: str) -> Path:
    return study.survey_path(survey) / "controls.jsonl"


def write_controls(study: Study, survey: str, seed: int | None = None) -> Path:
    """Set the controls of a packed survey aside in surveys/NAME/controls.jsonl; the caller holds the study's lock.

    The same call again changes nothing, and once units were handed out or judged by people, no call does; nor does any
    where the controls were imported. The file is empty where there is nothing to make controls of; `shortages` says so.
    What was done stands in provenance.json.
    """
    path = controls_path(study, survey)
    made_here = survey in study.provenance().get("controls", {})
    tasks = bool(survey_of(study, survey).tasks)
    if path.exists() and (not made_here or (_begun(study, survey) and not tasks)):
        return path
    if survey_of(study, survey).chat:  # nothing that people say in a chat of their own is known beforehand
        files.write_text(path, "")
        return path
    options = _options(study, survey, seed)
    if tasks:
        return _write_gold(study, survey, options)
    if packing_of(survey_of(study, survey)).grouped:
        return _write_checks(study, survey, options)
    shown, taken = _shown(study, survey)
    people = [c for c in study.conversations() if is_people(c) and not {c.conversation_id, c.seed_id} & (shown | taken)]
    about = survey_of(study, survey)
    make, wanted, kinds, rule = _maker(study, about, options, shown)
    from_domain: list[Conversation] = []
    items = make(people)
    if wanted and len(items) < wanted:
        from_domain = _people_of_domain(study, options)
        items = make([*people, *from_domain])
    _write(path, items)
    domains = {c.conversation_id for c in from_domain}
    if packing_of(about).cuts:
        said = shortages(items, about)
    else:
        said = whole_controls.shortage(items, about, _asked(study, about))
    study.record("controls", {**study.provenance().get("controls", {}), survey: {
        "rule": rule,
        "seed": options.seed,
        **{kind: sum(item.control == kind for item in items) for kind in kinds},
        "from_domain": sum(not domains.isdisjoint(item.conversation_ids) for item in items),
        "warnings": said,
    }})  # fmt: skip
    return path


def _write_gold(study: Study, survey: str, options: PackOptions) -> Path:
    """The gold dialogues of the tasks that the units ask, as they are; those of tasks that were added, behind."""
    path = controls_path(study, survey)
    asked = {question for unit in study.units(survey) for item in unit.items for question in item.questions}
    tasks = [task.name for task in survey_of(study, survey).tasks if asked & set(task.questions)]
    items = read_controls(study, survey) if _begun(study, survey) else []
    there = {key_of(item.control)[0] for item in items}
    missing = [task for task in tasks if task not in there]
    items += [item for task in missing for item in gold_items(task, options.seed, options.surface)]
    _write(path, items)
    done = {"rule": GOLD_RULE, "seed": options.seed, KNOWN_LABELS: len(items), "from_domain": 0, "warnings": []}
    study.record("controls", {**study.provenance().get("controls", {}), survey: done})
    return path


def _write_checks(study: Study, survey: str, options: PackOptions) -> Path:
    """The attention checks, which were written for it, with as many candidates as the study's questions have."""
    path = controls_path(study, survey)
    known = packed_with(study, survey) or {}
    items = make_checks(known.get("candidates", nuc.CANDIDATES), known.get("seed", study.plan.seed))
    _write(path, items)
    done = {"rule": CHECK_RULE, "seed": options.seed, "known_candidate": len(items), "from_domain": 0, "warnings": []}
    study.record("controls", {**study.provenance().get("controls", {}), survey: done})
    return path


def _write(path: Path, items: Sequence[Item]) -> None:
    text = "".join(files.dumps(item.to_json()) + "\n" for item in items)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        files.write_text(path, text)


def _maker(
    study: Study, survey: Survey, options: PackOptions, shown: Collection[str]
) -> tuple[Callable[[list[Conversation]], list[Item]], int, Sequence[str], str]:
    """What makes controls of conversations between people, how many it should make, their kinds, and the rule."""
    if packing_of(survey).cuts:
        wanted = 2 * WANTED if _asks_for_nature(survey) else 0
        return lambda people: make_controls(people, shown, options) if wanted else [], wanted, KINDS, RULE
    asked, rule = _asked(study, survey), whole_controls.rule_of(survey)

    def make(people: list[Conversation]) -> list[Item]:
        rng = random.Random(f"controls {options.survey} {options.seed}")
        segments = candidates(people, shown, options, rng)
        if not packing_of(survey).compares:
            return whole_controls.make_low(segments, asked, options)
        fitting = known_people(segments)
        chosen = {conversation.conversation_id for conversation, _ in fitting}
        return whole_controls.make_pairs(fitting, [s for s in segments if s[0].conversation_id not in chosen],
                                         asked, options)  # fmt: skip

    if packing_of(survey).compares:
        return make, whole_controls.WANTED if asked else 0, KNOWN_CHOICE, rule
    return make, whole_controls.WANTED * len(asked), KNOWN_LOW, rule


def _asked(study: Study, survey: Survey) -> list[tuple[str, ...]]:
    own = own_questions.questions_of_study(study, survey.name)
    untold = {name for name, row in own.items() if not row.get("control", True)}
    return whole_controls.questions_of_units(study.units(survey.name), survey, untold)


def read_controls(study: Study, survey: str) -> list[Item]:
    """The controls of a survey: [] where none were set aside. A file that holds anything else is a `UserError`.

    A study that grew may show the conversation of a control in a unit by now. That does no harm, as nobody is handed
    two segments of one conversation, controls included.
    """
    path = controls_path(study, survey)
    if not path.exists():
        return []
    remedy = "Remove the file before the first launch, or restore it after."
    items = files.read_jsonl(path, Item.from_json, "controls file", remedy)
    for number, item in enumerate(items, start=1):
        if not gradable(item.control):
            raise UserError(
                f"{path}, line {number}: field 'control' is {item.control!r}, expected {', '.join(EVERY_KIND)} or "
                f"{KNOWN_LABELS}:….", remedy
            )  # fmt: skip
    return items


def shortages(items: Sequence[Item], survey: Survey) -> list[str]:
    """What is to be said where there are too few controls for an annotator who does all units allowed."""
    if not _asks_for_nature(survey):
        return [f"survey '{survey.name}' doesn't ask who is human, so there are no control segments for it"]
    limits = survey.limits
    least = -(-limits.controls_per_unit * limits.units_per_annotator // 2)
    people = sum(item.control == KNOWN_HUMAN for item in items)
    short = [
        f"{n} control segments with {what}, where an annotator of {limits.units_per_annotator} units needs {least}"
        for n, what in ((people, "known people"), (len(items) - people, "a known bot"))
        if n < least
    ]
    remedy = (
        "careless annotators are found late or not at all; play the study with more --human-conversations than units "
        "show, or import more conversations between people"
    )
    return [f"{' and '.join(short)}: {remedy}"] if short else []


def _asks_for_nature(survey: Survey) -> bool:
    return any(q.name == "nature" and set(q.targets) == {"entity:0", "entity:1"} for q in survey.questions)


def _begun(study: Study, survey: str) -> bool:
    held = study.survey_path(survey) / "crowdsourcing"
    if (held / "ledger.db").exists() or any(held.glob("*/ledger.db")):
        return True
    judged = study.judgements_path(survey).exists()
    return judged and any(judgement.source == "human" for judgement in study.judgements(survey))


def _options(study: Study, survey: str, seed: int | None) -> PackOptions:
    """How the survey was packed; for units from elsewhere the lengths that they have."""
    lengths = {item.exchanges for unit in study.units(survey) for item in unit.items} or set(study.plan.segments)
    known = {"segments": sorted(lengths), "surface": "keep"}
    known |= study.provenance().get("pack", {}).get(survey, {}).get("options", {})
    return PackOptions(
        survey=survey,
        segments=tuple(known["segments"]),
        seed=study.plan.seed if seed is None else seed,
        surface=known["surface"],
    )


def _shown(study: Study, survey: str) -> tuple[set[str], set[str]]:
    """The conversations that units show, and all their seeds."""
    shown = {i for unit in study.units(survey) for item in unit.items for i in item.conversation_ids}
    return shown, {c.seed_id for c in study.conversations() if c.seed_id and c.conversation_id in shown}


def _people_of_domain(study: Study, options: PackOptions) -> list[Conversation]:
    """The people of the study's domain who are not in the study, without their first exchange.

    Only where reading them needs no network: the domain that comes with a package, or one that self-play has read.
    """
    if study.plan.domain != "chitchat" and "selfplay" not in study.provenance():
        return []
    try:
        episodes = domain_of(study.path, study.plan.domain).episodes("humans")
    except UserError:
        return []
    conversations = study.conversations()
    known = {c.seed_id for c in conversations} | {c.conversation_id for c in conversations}
    most = 2 * (1 + max(options.segments))
    return [
        Conversation(
            conversation_id=episode.episode_id, domain=study.plan.domain, pair=(HUMAN, HUMAN), number=number,
            entities=(HUMAN, HUMAN), turns=tuple(Turn(HUMAN, text) for text in episode.turns[:most]),
            seed_exchanges=1, seed_id=episode.episode_id,
        )
        for number, episode in enumerate(episodes) if episode.episode_id not in known
    ]  # fmt: skip
