"""What the tests of blindness share: invented conversations that show in the bytes, and a browser that keeps them.

The conversations name themselves in every turn (q12t3q is turn 3 of conversation 12), so that it shows which turns were
sent. Texts are drawn without regard to who is a bot, so whatever predicts it would be a leak.
"""

import re

from parlai_spotbot.crowdsourcing.platforms.tokens import in_house_link
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Utterance
from tests.crowdsourcing.asking import SECRET, Client

MARK = re.compile(rb"q(\d+)t(\d+)q")
BOTS = ("zzbotalpha", "zzbotbeta")
NATURES = ((HUMAN, HUMAN), BOTS, (HUMAN, BOTS[0]), (BOTS[1], HUMAN))
NAMES = (b"bot", b"opening", b"reply", b"talk", b"seed", b"domain", b"control")
WORDS = (
    "so well i think the weather music dogs is are was nice today my your house work never always maybe it".split()  # noqa: SIM905
)


def talk(number, entities, rng, exchanges=8):
    """A conversation whose texts are drawn alike whoever speaks."""
    turns = [Turn(HUMAN, f"zzopening{number}"), Turn(HUMAN, f"zzreply{number}")]
    for place in range(2 * exchanges):
        words = " ".join(rng.choices(WORDS, k=rng.randint(2, 12)))
        turns.append(Turn(entities[place % 2], f"q{number}t{place}q {words}"))
    pair = tuple(sorted(entities))
    return Conversation(f"zztalk{number}", "zzdomain", pair, number, entities, tuple(turns), 1, f"zzseed{number}")


def controls(first, count=12):
    """Known segments, named like the others."""
    kinds = ("known_human", "known_bot:0", "known_bot:1")
    return [
        Item(
            f"zzcontrol{number}",
            (f"zztalk{number}",),
            3,
            (tuple(Utterance(t % 2, f"q{number}t{t}q well") for t in range(6)),),
            kinds[number % 3],
        )
        for number in range(first, first + count)
    ]


class Browser(Client):
    """A browser of an annotator."""

    def __init__(self, server, worker):
        super().__init__(in_house_link(server.url, SECRET, worker))
        self.server, self.worker = server, worker

    def said(self, name, body=None):
        """The answer, granted or refused."""
        return self.ask(name, body)[1]

    def turns(self):
        """Which turns were seen: {(conversation, turn)}."""
        return {(int(talk), int(turn)) for talk, turn in MARK.findall(self.seen)}
