"""Conversations of the study from chats, which every other survey may show.

A chat counts when it was rated and its unit was handed in. Ids follow from the hand-out, numbers from the order in
which chats began, so collecting again changes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from parlai_spotbot import checksums, hints
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.surveys import study_survey

HOW = "a person chatted in the browser (spotbot_crowdsource)"
ORIGIN = "collected"
"""The key of a conversation's provenance that names the survey whose chats it was collected from."""


@dataclass(frozen=True)
class ChatResult:
    """Results of collecting chats: the numbers of all conversations, of `added` and of `removed` ones, and of other
    surveys' units that still show removed ones (`shown`: by survey)."""

    conversations: int
    added: int
    removed: int
    shown: dict[str, int]


def collect_chats(data: SurveyFiles, names: Mapping[str, str], out: set[str]) -> ChatResult | None:
    """Bring the study's conversations up to date with the ledger; None where nobody chats.

    `names` leads from worker ids to pseudonyms. `out` are the handles whose work was rejected. The caller holds the
    study's lock, and writes the judgements next.
    """
    if study_survey(data).chat is None:
        return None
    with ChatLedger(CollectionPaths(data.study, data.survey).ledger) as ledger:
        chats = list(_rated_chats(ledger, data, names, out))
    added, gone = _bring(data, chats)
    shown_by: dict[str, int] = {}
    if gone:
        shown_by = _shown_by([data.study.load(name) for name in data.plan.surveys], gone)
    return ChatResult(len(chats), added, len(gone), shown_by)


def chat_ids(study: Study, where: str, *values: str) -> set[str]:
    """Return the ids of the chats for which an SQL condition holds, in all surveys of the study."""
    chats: set[str] = set()
    for path in study.path.glob("surveys/*/crowdsourcing/ledger.db"):
        if study_survey(study.load(path.parent.parent.name)).chat:
            with ChatLedger(path) as ledger:
                chats |= {chat.chat_id for chat in ledger.chats(where, *values)}
    return chats


def _rated_chats(
    ledger: ChatLedger, data: SurveyFiles, names: Mapping[str, str], out: set[str]
) -> Iterator[Conversation]:
    """Yield the rated chats of hand-outs that were handed in; the person is entity 0 and speaks first."""
    handouts = {handout.handle: handout for handout in ledger.handouts("status = 'done'")}
    about = data.recorded("crowdsourcing").get("chat", {}).get("contestants", {})
    numbers: Counter[str] = Counter()
    for chat in ledger.chats():
        bot = chat.contestant
        number = numbers[bot]
        numbers[bot] += 1
        if chat.status != "rated" or chat.handle not in handouts.keys() - out:
            continue
        turns = ledger.turns(chat.chat_id)
        turns = turns[: len(turns) // 2 * 2]
        provenance = {
            ORIGIN: data.survey,
            "how": HOW,
            "interactor": names[handouts[chat.handle].worker],
            "place_in_unit": chat.item,
            "seconds": round(turns[-1].shown_at - turns[0].said_at, 1),
            "failed_answers": len(ledger.troubles(chat.chat_id)),
        }
        prompt = about.get(bot, {}).get("system_prompt", "")
        if prompt:
            provenance["system_prompts"] = {bot: prompt}
        yield Conversation(
            conversation_id=chat.chat_id,
            domain=data.plan.domain,
            pair=(min(HUMAN, bot), max(HUMAN, bot)),
            number=number,
            entities=(HUMAN, bot),
            turns=tuple(Turn((HUMAN, bot)[turn.number % 2], turn.text) for turn in turns),
            seed_exchanges=0,
            provenance=provenance,
        )


def _bring(data: SurveyFiles, chats: Sequence[Conversation]) -> tuple[int, set[str]]:
    """Make conversations.jsonl hold these chats, once each, behind the bots' and before the people's.

    Returns how many came and the ids of those that went. Raises `UserError` where self-play was stopped before it had
    written the file.
    """
    study = data.study
    path = study.conversations_path
    if not path.exists() and study.journal_path.exists():
        raise UserError(
            f"{study.journal_path}: self-play of this study has not ended, and its conversations are not in place.",
            hints.Remedy("Run it to its end first: ", hints.command("selfchat", study.path)),
        )
    conversations = data.conversations
    others = [row for row in conversations if row.provenance.get(ORIGIN) != data.survey]
    before = {row.conversation_id for row in conversations if row.provenance.get(ORIGIN) == data.survey}
    order = {name: place for place, name in enumerate(study.plan.contestants)}
    rows = [
        *(row for row in others if sum(row.is_human) < 2),
        *sorted(chats, key=lambda row: (order.get(row.entities[1], len(order)), row.entities[1], row.number)),
        *(row for row in others if sum(row.is_human) == 2),
    ]
    if rows != conversations:
        checksums.write_jsonl(path, rows)
    now = {row.conversation_id for row in chats}
    return len(now - before), before - now


def _shown_by(surveys: Iterable[SurveyFiles], gone: set[str]) -> dict[str, int]:
    """Return how many units of each packed survey show one of these conversations."""
    counts: Counter[str] = Counter()
    for data in surveys:
        for unit in data.units:
            if not gone.isdisjoint(chain.from_iterable(item.conversation_ids for item in unit.items)):
                counts[data.survey] += 1
    return counts
