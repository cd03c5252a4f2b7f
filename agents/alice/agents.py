"""ALICE (Wallace, 2009) as a ParlAI agent: the AIML files that come with python-aiml, one session a conversation.

The AIML files are under the GPL and are read from the installed package. Where they have no answer, or only one that
she gave before, she changes the subject. Elements of AIML that would run commands, load files
or read the clock do nothing, or say a fixed date: what a partner says can do no harm, and the same seed gives the same
text.
"""

import functools
import gc
import itertools
import marshal
import random
import re
from pathlib import Path
from typing import Any

from parlai.core.opt import Opt

from parlai_spotbot.agents.dialogue import Dialogue, DialogueAgent, isolated_random
from parlai_spotbot.files import no_collection
from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.models.packages import package_folder, package_version
from parlai_spotbot.reading import own_data

DATE = "Mon Nov 23 12:00:00 2009"
"""ALICE's clock stands still: an answer that held the present time could not be reproduced."""


RULES = "rules"
"""The file in the cache: the tree of patterns and templates that python-aiml makes of the AIML files."""

HEARD = 2
"""Number of sentences that ALICE answers, the last ones of a turn; it answers each separately, which takes space."""


@functools.cache
def profile() -> dict[str, Any]:
    """Facts that the rules leave blank: "self", ALICE's; "partner", words for what the partner has not said.

    And what she says to change the subject, where her rules say nothing new; the original leaves that to its owner.
    """
    return own_data(__file__, "profile.yaml")


def _learn(folder: Path) -> None:
    """Read the AIML files (a second or two), and keep in `folder` what they become."""
    import aiml

    kernel = aiml.Kernel()
    kernel.verbose(False)
    with no_collection():
        for path in sorted((package_folder("aiml") / "botdata" / "alice").glob("*.aiml")):
            kernel.learn(str(path))
    folder.joinpath(RULES).write_bytes(marshal.dumps(kernel._brain._root))


def load_kernel():
    """ALICE's rules, quietly; they are read once and kept in the cache folder."""
    package_folder("aiml")
    import aiml

    kernel = aiml.Kernel()
    kernel.verbose(False)
    kept = cached_folder(f"alice-{package_version('python-aiml')}-{marshal.version}", _learn)
    with no_collection():
        kernel._brain._root = marshal.loads(kept.joinpath(RULES).read_bytes())
        gc.freeze()  # a hundred thousand dictionaries that stay: a search through them takes longer than reading them
    for name, value in profile()["self"].items():
        kernel.setBotPredicate(name, str(value))
    processors = kernel._elementProcessors
    for element in ("system", "learn", "javascript"):
        processors[element] = lambda elem, session: ""
    processors["date"] = lambda elem, session: DATE
    processors["id"] = lambda elem, session: "friend"
    return kernel


def last_sentences(text: str) -> str:
    """The sentences of a turn that ALICE answers."""
    return " ".join(re.split(r"(?<=[.!?])\s+", " ".join(text.split()))[-HEARD:])


def tidy(answer: str) -> str:
    """One line, without what blanks and joined answers leave behind: space before a mark, a mark twice, none at all."""
    answer = re.sub(r" ([.,!?])", r"\1", " ".join(answer.split()))
    answer = re.sub(r"([.,!?])(?:[.,](?=\s|$))+", r"\1", answer)
    return answer if re.search(r"\w", answer) else ""


class AliceAgent(DialogueAgent):
    """ALICE; answers in about a millisecond."""

    NAME = "alice"

    def __init__(self, opt: Opt, shared: dict | None = None):
        self._kernel, self._numbers = shared["kernel"] if shared else (load_kernel(), itertools.count())
        self._session = ""
        super().__init__(opt, shared)

    def share(self) -> dict:
        return {**super().share(), "kernel": (self._kernel, self._numbers)}

    def _forget(self) -> None:
        super()._forget()
        if self._session:
            self._kernel._deleteSession(self._session)
        self._session = f"conversation {next(self._numbers)}"
        self._kernel._addSession(self._session)
        for name, value in profile()["partner"].items():
            self._kernel.setPredicate(name, value, self._session)

    def answer(self, dialogue: Dialogue) -> str:
        kernel = self._kernel
        session = self._session
        # Turns given to ALICE count as its own: its rules look at its earlier turns.
        for is_own, key in ((True, kernel._outputHistory), (False, kernel._inputHistory)):
            texts = [turn.text for turn in dialogue.turns if turn.mine is is_own]
            heard = texts if is_own else texts[:-1]
            kernel.setPredicate(key, heard[-kernel._maxHistorySize :], session)
        with isolated_random(dialogue.chance()):
            answer = tidy(kernel.respond(last_sentences(dialogue.last) or "hello", session))
        given = {turn.text for turn in dialogue.turns if turn.mine}
        if answer and answer not in given:
            return answer
        changes = profile()["change the subject"]
        return random.Random(dialogue.chance()).choice([text for text in changes if text not in given] or changes)
