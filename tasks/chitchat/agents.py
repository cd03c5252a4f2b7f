"""ParlAI's teacher for ``-t spotbot:chitchat``: train is the bots' fold, valid the judges' and humans', test the seeds.

Every conversation is given twice, once for each side, as in ParlAI's dailydialog: so every turn is a label once, and
the side that begins answers ``__SILENCE__``.
"""

from collections.abc import Iterator
from pathlib import Path

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from parlai.core.teachers import DialogTeacher

from parlai_spotbot.tasks.chitchat import data

FOLDS_OF = {"train": ("bots",), "valid": ("judges", "humans"), "test": ("seeds",)}

SILENCE = "__SILENCE__"


class DefaultTeacher(DialogTeacher):
    """Both sides of every conversation of the datatype's folds, or of ``--chitchat-fold``."""

    def __init__(self, opt: Opt, shared=None):
        folds = FOLDS_OF[opt["datatype"].split(":")[0]]
        # No such file exists, but in stream mode ParlAI writes NAME.lengths beside it: not to where the user is.
        opt["datafile"] = str(data.folder() / (opt.get("chitchat_fold") or ",".join(folds)))
        self.id = "spotbot:chitchat"
        super().__init__(opt, shared)

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        group = parser.add_argument_group("Chitchat teacher arguments")
        group.add_argument(
            "--chitchat-fold",
            type=str,
            default=None,
            choices=data.FOLDS,
            help="one fold, whatever the datatype (default: train = bots, valid = judges and humans, test = seeds)",
        )
        return parser

    def setup_data(self, datafile: str) -> Iterator[tuple[dict, bool]]:
        """Yield (message, whether an episode begins) over the folds that `datafile`'s name has, with commas between."""
        for fold in Path(datafile).name.split(","):
            for chat in data.conversations(fold):
                yield from self._side(chat, fold, (SILENCE, *chat.turns))
                yield from self._side(chat, fold, chat.turns)

    @staticmethod
    def _side(chat: data.ChitchatConversation, fold: str, turns: tuple[str, ...]) -> Iterator[tuple[dict, bool]]:
        for i in range(0, len(turns) - 1, 2):
            message = {
                "text": turns[i],
                "labels": [turns[i + 1]],
                "conversation_id": chat.conversation_id,
                "fold": fold,
            }
            yield message, i == 0
