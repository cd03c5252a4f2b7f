"""ParlAI's teacher for ``-t spotbot:nuc``: a context, the true next turn as label, the candidates as label_candidates.

Every ranker that ParlAI knows is so evaluated by Recall@k, which ParlAI calls hits@k. Train, valid and test share no
conversation. Each question is an episode of its own.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from parlai.core.teachers import DialogTeacher

from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.corpora import FOLDS_OF, read_corpus
from parlai_spotbot.nuc.sampling import WHOLE, SamplingSettings, sample
from parlai_spotbot.surveys.nuc_questions import KINDS, NucQuestion, read_questions

SETTINGS = SamplingSettings()


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
            help="a file of conversations (JSON Lines), or a study's folder, in the place of a task",
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
        group.add_argument(
            "--nuc-speakers",
            type=str,
            default="people",
            choices=("people", "all"),
            help="of a study: conversations between people, or all",
        )
        group.add_argument("--nuc-limit", type=int, default=0, help="at most so many conversations, drawn; 0: all")
        cls._add_settings(parser.add_argument_group("Next-Utterance Classification: the questions"))
        return parser

    @staticmethod
    def _add_settings(group) -> None:
        group.add_argument(
            "--nuc-candidates",
            type=int,
            default=SETTINGS.candidates,
            help="candidates of a question, the true next turn included; 0: every turn of the corpus",
        )
        group.add_argument(
            "--nuc-distractors",
            type=str,
            default=SETTINGS.distractors,
            metavar="KINDS",
            help=f"how hard they are: {', '.join(KINDS)}; or shares of several, uniform:0.5,lexical:0.5",
        )
        group.add_argument(
            "--nuc-close-to",
            type=str,
            default=SETTINGS.close_to,
            choices=("reply", "context"),
            help="what lexical and embedding distractors are close to",
        )
        group.add_argument(
            "--nuc-max-context", type=int, default=SETTINGS.max_context, help="turns of a context, at most"
        )
        group.add_argument(
            "--nuc-min-context", type=int, default=SETTINGS.min_context, help="turns of a context, at least"
        )
        group.add_argument(
            "--nuc-lengths",
            type=str,
            default=SETTINGS.lengths,
            help="the distribution of contexts' lengths: lowe2015, uniform, longest, a number, or lengths "
            "with shares (2:0.5,6:0.5)",
        )
        group.add_argument(
            "--nuc-every-turn",
            type="bool",
            default=None,
            help="every turn is a next turn once (default: in training, and else windows that don't overlap)",
        )
        group.add_argument(
            "--nuc-number",
            type=int,
            default=0,
            help="at most so many questions, from as many conversations as can be; 0: all",
        )
        group.add_argument(
            "--nuc-offensive-words",
            type=str,
            default="",
            metavar="FILE.txt",
            help="a word or phrase a line: turns with one are left out, beside those that are anyway",
        )
        group.add_argument("--nuc-seed", type=int, default=SETTINGS.seed, help="of all that is drawn")

    def setup_data(self, datafile: str) -> Iterator[tuple[dict, bool]]:
        """Yield (message, True) for every question of the fold `datafile`."""
        for question, candidates in questions_of(self.opt, Path(datafile).name):
            message = {
                "text": "\n".join(question.context),
                "labels": [question.answer],
                "label_candidates": candidates,
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
        candidates=opt["nuc_candidates"],
        max_context=opt["nuc_max_context"],
        min_context=opt["nuc_min_context"],
        lengths=opt["nuc_lengths"],
        distractors=opt["nuc_distractors"],
        close_to=opt["nuc_close_to"],
        questions=opt["nuc_number"],
        every_turn=opt["datatype"].startswith("train") if every is None else every,
        seed=opt["nuc_seed"],
        offensive_words=opt.get("nuc_offensive_words") or "",
    )


def questions_of(opt: Opt, fold: str) -> Iterator[tuple[NucQuestion, tuple[str, ...]]]:
    """The questions that the options ask for, and the candidates of each.

    Raises `UserError` for what can't be, a file of questions without candidates included.
    """
    if opt.get("nuc_questions"):
        for question in read_questions(opt["nuc_questions"]):
            if len(question.candidates) < 2:
                raise UserError(
                    f"{opt['nuc_questions']}: question {question.question_id} has no candidates but the true one.",
                    "Make the questions with two candidates or more.",
                )
            yield question, question.candidates
        return
    name = opt.get("nuc_conversations") or opt["nuc_task"]
    corpus = read_corpus(name, fold, opt["nuc_speakers"], opt["nuc_limit"], opt.get("datapath"))
    settings = settings_of(opt)
    drawn = sample(corpus, settings)
    for question in drawn.questions:
        if settings.candidates != WHOLE:
            yield question, question.candidates
            continue
        others = drawn.bank.others(question)
        yield question, (question.answer, *(drawn.bank.texts[place] for place in others))
