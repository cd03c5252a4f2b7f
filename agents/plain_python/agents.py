"""A plain Python function, or class, as a ParlAI agent: ``-m spotbot:plain_python --plain-python my_bot:respond``."""

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser

from parlai_spotbot.agents.dialogue import Dialogue, DialogueAgent, isolated_random
from parlai_spotbot.errors import UserError
from parlai_spotbot.models import plain_python


class PlainPythonAgent(DialogueAgent):
    """Answers by a function of the user's, or by an object of a class of theirs for each conversation; what that may
    be says `models.plain_python`. Python's global generator is seeded for each answer."""

    NAME = "plain_python"

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        group = parser.add_argument_group("Plain Python")
        group.add_argument(
            "--plain-python", type=str, default=None, metavar="MODULE:NAME", help="a function or class that answers"
        )
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        self._called = str(opt.get("plain_python") or "")
        if ":" not in self._called:
            raise UserError(f"plain_python {self._called!r}: expected MODULE:NAME.", plain_python.SHAPE)
        self._thing = plain_python.imported(self._called)
        plain_python.check(self._thing, self._called)
        super().__init__(opt, shared)

    def _forget(self) -> None:
        super()._forget()
        self._talker: plain_python.Talker | None = None

    def answer(self, dialogue: Dialogue) -> str:
        with isolated_random(dialogue.chance()):
            if self._talker is None:
                self._talker = plain_python.Talker(self._thing, self._called)
            return self._talker.answer(dialogue.context, dialogue.turns, f"{dialogue.seed:x}")
