"""The ledger's tables. What may never happen is forbidden here, whatever the code above does.

`SCHEMA` makes a ledger.
"""

VERSION = 1

SCHEMA = (
    """CREATE TABLE settings (
        name TEXT PRIMARY KEY,
        value NOT NULL
    )""",
    """CREATE TABLE annotators (
        worker TEXT PRIMARY KEY NOT NULL CHECK (worker <> ''),
        first_seen REAL NOT NULL,
        consent TEXT NOT NULL DEFAULT '',
        consented_at REAL,
        standing TEXT NOT NULL DEFAULT 'new' CHECK (standing IN ('new', 'passed', 'stopped')),
        why TEXT NOT NULL DEFAULT '',
        told INTEGER NOT NULL DEFAULT 1 CHECK (told IN (0, 1))
    )""",
    """CREATE TABLE onboarding (
        worker TEXT NOT NULL REFERENCES annotators (worker),
        attempt INTEGER NOT NULL CHECK (attempt >= 0),
        body TEXT NOT NULL,
        mistakes INTEGER NOT NULL CHECK (mistakes >= 0),
        passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
        at REAL NOT NULL,
        PRIMARY KEY (worker, attempt)
    )""",
    # A block counts for ever, also for a hand-out that was given back, ran out of time or never arrived.
    """CREATE TABLE handouts (
        handle TEXT PRIMARY KEY NOT NULL CHECK (length(handle) = 32),
        worker TEXT NOT NULL REFERENCES annotators (worker),
        registration TEXT NOT NULL,
        slot INTEGER NOT NULL CHECK (slot >= 0),
        unit_id TEXT NOT NULL,
        block_id TEXT NOT NULL,
        items TEXT NOT NULL,
        chance TEXT NOT NULL,
        handed_at REAL NOT NULL,
        deadline REAL NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'done', 'returned', 'expired', 'void')),
        agent_id TEXT,
        finished_at REAL CHECK ((finished_at IS NULL) = (status = 'open')),
        told INTEGER NOT NULL CHECK (told IN (0, 1)),
        UNIQUE (worker, block_id)
    )""",
    "CREATE UNIQUE INDEX one_holder_a_unit ON handouts (unit_id) WHERE status IN ('open', 'done')",
    "CREATE UNIQUE INDEX one_open_unit_an_annotator ON handouts (worker) WHERE status = 'open'",
    "CREATE UNIQUE INDEX one_unit_a_slot ON handouts (worker, slot) WHERE status <> 'void'",
    "CREATE INDEX open_handouts ON handouts (deadline) WHERE status = 'open'",
    "CREATE INDEX untold_handouts ON handouts (handle) WHERE told = 0",
    """CREATE TRIGGER no_slot_beyond_the_limit BEFORE INSERT ON handouts
        WHEN NEW.slot >= COALESCE((SELECT value FROM settings WHERE name = 'units_per_annotator'), 0)
        BEGIN SELECT RAISE(ABORT, 'no slot beyond the limit of units an annotator'); END""",
    """CREATE TABLE seen_conversations (
        worker TEXT NOT NULL REFERENCES annotators (worker),
        conversation_id TEXT NOT NULL,
        handle TEXT NOT NULL REFERENCES handouts (handle),
        PRIMARY KEY (worker, conversation_id)
    )""",
    """CREATE TABLE seen_seeds (
        worker TEXT NOT NULL REFERENCES annotators (worker),
        seed_id TEXT NOT NULL,
        handle TEXT NOT NULL REFERENCES handouts (handle),
        PRIMARY KEY (worker, seed_id)
    )""",
    """CREATE TABLE submissions (
        handle TEXT PRIMARY KEY NOT NULL REFERENCES handouts (handle),
        record TEXT NOT NULL,
        body TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        received_at REAL NOT NULL
    )""",
    """CREATE TABLE grades (
        handle TEXT NOT NULL REFERENCES submissions (handle),
        item INTEGER NOT NULL CHECK (item >= 0),
        missed INTEGER NOT NULL CHECK (missed IN (0, 1)),
        PRIMARY KEY (handle, item)
    )""",
    # The first exchange is open from the start; the others open one after the other.
    """CREATE TABLE opened (
        handle TEXT NOT NULL REFERENCES handouts (handle),
        item INTEGER NOT NULL CHECK (item >= 0),
        exchange INTEGER NOT NULL CHECK (exchange >= 2),
        opened_at REAL NOT NULL,
        PRIMARY KEY (handle, item, exchange)
    )""",
    """CREATE TABLE decisions (
        handle TEXT NOT NULL REFERENCES handouts (handle),
        item INTEGER NOT NULL CHECK (item >= 0),
        target TEXT NOT NULL,
        question TEXT NOT NULL,
        answer TEXT NOT NULL,
        opened INTEGER NOT NULL CHECK (opened >= 1),
        seconds REAL,
        decided_at REAL NOT NULL,
        PRIMARY KEY (handle, item, target)
    )""",
    # Rounds of a training follow each other: none is skipped, none is taken twice, and nobody goes on who has passed.
    """CREATE TABLE training (
        worker TEXT NOT NULL REFERENCES annotators (worker),
        sitting INTEGER NOT NULL CHECK (sitting >= 0),
        dialogue TEXT NOT NULL,
        body TEXT NOT NULL,
        result TEXT NOT NULL,
        passed INTEGER CHECK (passed IN (0, 1)),
        team TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (worker, sitting),
        UNIQUE (worker, dialogue)
    )""",
    """CREATE TRIGGER no_round_is_skipped BEFORE INSERT ON training
        WHEN NEW.sitting <> (SELECT COUNT(*) FROM training WHERE worker = NEW.worker)
        BEGIN SELECT RAISE(ABORT, 'no round of a training is skipped'); END""",
    """CREATE TRIGGER no_round_after_passing BEFORE INSERT ON training
        WHEN EXISTS (SELECT 1 FROM training WHERE worker = NEW.worker AND passed = 1)
        BEGIN SELECT RAISE(ABORT, 'no round of a training after passing it'); END""",
)
