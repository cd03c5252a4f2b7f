"""Messages of chats, written into the collection's ledger before anybody sees them.

Turns have no gap and are never changed; a chat that is over gets no turn; a chat is rated once. The database
itself sees to that.
"""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.crowdsourcing.desk.contract import Troubles
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.ledger.tables import SCHEMA

TABLES = (
    """CREATE TABLE chats (
        handle TEXT NOT NULL REFERENCES handouts (handle),
        item INTEGER NOT NULL CHECK (item >= 0),
        chat_id TEXT NOT NULL UNIQUE,
        contestant TEXT NOT NULL,
        seed INTEGER NOT NULL,
        status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'failed', 'rated', 'withdrawn')),
        PRIMARY KEY (handle, item)
    )""",
    """CREATE TABLE chat_turns (
        chat_id TEXT NOT NULL REFERENCES chats (chat_id),
        number INTEGER NOT NULL,
        text TEXT NOT NULL,
        said_at REAL NOT NULL,
        shown_at REAL NOT NULL,
        PRIMARY KEY (chat_id, number)
    )""",
    """CREATE TRIGGER no_turn_is_skipped BEFORE INSERT ON chat_turns
        WHEN NEW.number <> (SELECT COUNT(*) FROM chat_turns WHERE chat_id = NEW.chat_id)
        BEGIN SELECT RAISE(ABORT, 'no turn of a chat is skipped'); END""",
    """CREATE TRIGGER nothing_after_the_end BEFORE INSERT ON chat_turns
        WHEN (SELECT status FROM chats WHERE chat_id = NEW.chat_id) <> 'open'
        BEGIN SELECT RAISE(ABORT, 'nothing is said in a chat that is over'); END""",
    """CREATE TABLE chat_ratings (
        chat_id TEXT PRIMARY KEY NOT NULL REFERENCES chats (chat_id),
        record TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        rated_at REAL NOT NULL
    )""",
    """CREATE TABLE chat_troubles (
        chat_id TEXT NOT NULL REFERENCES chats (chat_id),
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        message TEXT NOT NULL,
        at REAL NOT NULL
    )""",
)


@dataclass(frozen=True)
class ChatRecord:
    """One annotator's chat with one contestant; `item` is its place in the unit, `seed` where the bot's chance starts.

    `status` is "open", "failed" (the contestant can't go on), "rated", or "withdrawn": then nothing of it is left.
    """

    handle: str
    item: int
    chat_id: str
    contestant: str
    seed: int
    status: str = "open"


@dataclass(frozen=True)
class ChatMessage:
    """A turn: even numbers are the person's. It is shown from `shown_at` on. Times are seconds since the epoch."""

    chat_id: str
    number: int
    text: str
    said_at: float
    shown_at: float


@dataclass(frozen=True)
class ChatRating:
    """The clean answers to a chat's item (`answer_checks.check_item`), and the digest of the body."""

    chat_id: str
    record: dict
    sha256: str
    rated_at: float


class ChatLedger(Ledger):
    """The ledger of a survey in which people chat. Writing raises as `Ledger` does."""

    schema = (*SCHEMA, *TABLES)

    # -- writing -----------------------------------------------------------------------------------------------------
    def say(self, chat: ChatRecord, turn: ChatMessage, troubles: Troubles = ()) -> None:
        """Record a turn of a chat, which begins with the first, and the `troubles` (kind, message) before it."""
        with self._writing():
            if turn.number == 0:
                self._insert("chats", chat)
            self._insert("chat_turns", turn)
            self._troubles(chat.chat_id, turn.number, troubles, turn.said_at)

    def fail(self, chat_id: str, number: int, troubles: Troubles, now: float) -> None:
        """Record that the contestant can't give turn `number`, so the chat is over."""
        with self._writing():
            self._db.execute("UPDATE chats SET status = 'failed' WHERE chat_id = ? AND status = 'open'", (chat_id,))
            self._troubles(chat_id, number, troubles, now)

    def _troubles(self, chat_id: str, number: int, troubles: Troubles, now: float) -> None:
        rows = [(chat_id, number, kind, message, now) for kind, message in troubles]
        self._db.executemany("INSERT INTO chat_troubles VALUES (?, ?, ?, ?, ?)", rows)

    def reopen(self, chat_id: str) -> None:
        """Reopen a chat that failed: the contestant is there again."""
        with self._writing():
            self._db.execute("UPDATE chats SET status = 'open' WHERE chat_id = ? AND status = 'failed'", (chat_id,))

    def rate(self, rating: ChatRating) -> None:
        """Record the rating of a chat, which is over thereby; a second one raises `sqlite3.IntegrityError`."""
        with self._writing():
            self._insert("chat_ratings", rating)
            self._db.execute("UPDATE chats SET status = 'rated' WHERE chat_id = ?", (rating.chat_id,))

    # -- reading -----------------------------------------------------------------------------------------------------
    def chats(self, where: str = "1", *values: object) -> list[ChatRecord]:
        """Chats in the order in which they began, all or those for which the SQL condition `where` holds."""
        return self._entries(ChatRecord, "chats", where, *values)

    def turns(self, chat_id: str) -> list[ChatMessage]:
        """All turns of a chat, also those that are not shown yet."""
        return self._entries(ChatMessage, "chat_turns", "chat_id = ?", chat_id)

    def rating(self, chat_id: str) -> ChatRating | None:
        """Return the rating of a chat, None while there is none."""
        return next(iter(self._entries(ChatRating, "chat_ratings", "chat_id = ?", chat_id)), None)

    def troubles(self, chat_id: str) -> list[tuple[int, str, str]]:
        """Return what went wrong with the contestant: (number of the turn, kind, message)."""
        sql = "SELECT number, kind, message FROM chat_troubles WHERE chat_id = ? ORDER BY rowid"
        return self._rows(sql, chat_id)
