"""ParlAI's teacher for ``-t spotbot:nuc``: a context, the true next turn as label, the candidates as label_candidates.

Every ranker that ParlAI knows is so evaluated by Recall@k, which ParlAI calls hits@k. Train, valid and test share no
conversation. Each question is an episode of its own.
"""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from parlai.core.teachers import DialogTeacher

from parlai_spotbot.nuc.corpora import FOLDS_OF, read_corpus
from parlai_spotbot.nuc.sampling import SamplingSettings, sample
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions

SETTINGS = SamplingSettings()
DRAWN_BY = {
    "candidates": "candidates of a question, the true next turn included",
    "max_context": "turns of a context, at most",
    "min_context": "turns of a context, at least",
    "lengths": "turns of a context: lowe2015 (drawn as Lowe et al. 2015 do) or a number",
    "distractors": "false candidates: random, or those most like the true turn: lexical (in words), embedding",
    "seed": "of all that is drawn",
}
"""Settings of the sample that are options of the teacher, with their help."""


class DefaultTeacher(DialogTeacher):
    """The questions of a corpus, or those of a file (``--nuc-questions``)."""

    def __init__(self, opt: Opt, shared=None):
        # No such file exists, but in stream mode ParlAI writes NAME.lengths beside it: not to where the user is.
        opt["datafile"] = str(Path(_folder(), fold_of(opt))) if "stream" in opt["datatype"] else fold_of(opt)
        self.id = "spotbot:nuc"
        super().__init__(opt, shared)

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        group = parser.add_argument_group("Next-Utterance Classification: the corpus")
        group.add_argument(
            "--nuc-task", type=str, default="spotbot:chitchat", help="a ParlAI task or a domain, as with -t"
        )
        group.add_argument(
            "--nuc-conversations",
            type=str,
            default=None,
            metavar="FILE",
            help="a file of conversations (JSON Lines), or a study's folder, instead of a task",
        )
        group.add_argument(
            "--nuc-questions",
            type=str,
            default=None,
            metavar="FILE",
            help="a file of questions that are made already; no other option counts then",
        )
        group.add_argument(
            "--nuc-fold",
            type=str,
            default=None,
            choices=tuple(FOLDS_OF),
            help="which conversations (default: those of the datatype)",
        )
        group = parser.add_argument_group("Next-Utterance Classification: the questions")
        for name, text in DRAWN_BY.items():
            default = getattr(SETTINGS, name)
            group.add_argument(f"--nuc-{name.replace('_', '-')}", type=type(default), default=default, help=text)
        group.add_argument(
            "--nuc-every-turn",
            type="bool",
            default=None,
            help="every turn is a next turn once (default: in training, and else windows that don't overlap)",
        )
        group.add_argument(
            "--nuc-number", type=int, default=0, help="most questions, from as many conversations as can be; 0: all"
        )
        return parser

    def setup_data(self, datafile: str) -> Iterator[tuple[dict, bool]]:
        """Yield (message, True) for every question of the fold `datafile`."""
        for question in questions_of(self.opt, Path(datafile).name):
            message = {
                "text": "\n".join(question.context),
                "labels": [question.answer],
                "label_candidates": question.candidates,
                "question_id": question.question_id,
                "conversation_id": question.conversation_id,
            }
            yield message, True


def _folder() -> str:
    """A new folder, for one teacher: other options give other numbers of questions."""
    folder = tempfile.mkdtemp(prefix="nuc-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def fold_of(opt: Opt) -> str:
    """The fold of the datatype, or the one that was asked for."""
    return opt.get("nuc_fold") or opt["datatype"].split(":")[0]


def settings_of(opt: Opt) -> SamplingSettings:
    """The settings that the options say; in training every turn is a next turn unless the options say otherwise."""
    every = opt.get("nuc_every_turn")
    return SamplingSettings(
        **{name: opt[f"nuc_{name}"] for name in DRAWN_BY},
        questions=opt["nuc_number"],
        every_turn=opt["datatype"].startswith("train") if every is None else every,
    )


def questions_of(opt: Opt, fold: str) -> Iterator[NucQuestion]:
    """Yield the questions that the options ask for.

    Raises `UserError` for what can't be, a file of questions without candidates included.
    """
    if opt.get("nuc_questions"):
        yield from read_questions(opt["nuc_questions"])
        return
    name = opt.get("nuc_conversations") or opt["nuc_task"]
    yield from sample(read_corpus(name, fold, opt.get("datapath")), settings_of(opt)).questions
