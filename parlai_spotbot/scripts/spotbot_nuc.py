"""``parlai spotbot_nuc``: can the contestants of a pool pick the real next turn of a conversation among candidates?"""

from __future__ import annotations

import os
from pathlib import Path

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.scripts.command import Command

WAYS = ("auto", "ranker", "likelihood", "similarity")


@register_script("spotbot_nuc")
class SpotbotNuc(Command):
    DESCRIPTION = (
        "Next-Utterance Classification: Recall@k of a pool's contestants, and how it falls with more candidates"
    )
    EPILOG = """\
  parlai spotbot_nuc --pool embedded --out nuc
      200 questions from conversations that none of these contestants has learnt from: which of ten candidates is the
      real next turn? Tables on the terminal; nuc/index.html, nuc/analysis/*.json and *.csv. Stopped, it goes on with
      the same command.
  parlai spotbot_nuc --study studies/mine --k 1 2 5
      The same for the contestants of a study, in its domain, into studies/mine/nuc; where its surveys are analysed,
      also how far the orders agree. spotbot_report then has a section of it.
  parlai spotbot_nuc --pool my_pool.yaml -t dailydialog --fold valid --distractors lexical:0.5,uniform:0.5
      Other conversations, and harder distractors.
  parlai spotbot_nuc --pool rules --conversations mine.jsonl --candidates 5 --questions 0 --out nuc-mine
      A file of conversations; all questions that can be made of it.
  How contestants are asked: rankers (and agents that answer label_candidates) by their own scores; generators by
  the likelihood of each candidate: sum, per byte, and over that without context (PMI); all others by how like
  their reply each candidate is, which is marked. --way asks all in one way."""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        group = parser.add_argument_group("Contestants and results")
        group.add_argument("--pool", type=str, default=None, help="embedded (default), rules, or a YAML file")
        group.add_argument("--study", type=str, default=None, metavar="DIR", help="a study's contestants and domain")
        group.add_argument("--only", type=str, nargs="+", default=None, metavar="NAME", help="these contestants only")
        group.add_argument("--out", type=str, default=None, metavar="DIR", help="results (default: STUDY/nuc, or nuc)")
        group.add_argument("--k", type=int, nargs="+", default=[1, 2, 5], help="Recall@k for each of these")
        group.add_argument(
            "--way", type=str, default="auto", choices=WAYS, help="how all are asked (auto: as suits each)"
        )
        group.add_argument("--likelihood", type=str, default="pmi", choices=("sum", "per_byte", "pmi"),
                           help="which likelihood stands for a generator in order, tests and agreement")  # fmt: skip
        group.add_argument("--curve", type="bool", default=True, nargs="?", const=True,
                           help="accuracy up to the whole corpus, of those that encode candidates apart")  # fmt: skip
        group.add_argument("--threads", type=int, default=None, help="of each contestant (default: all cores)")
        group = parser.add_argument_group("Questions")
        group.add_argument("-t", "--task", dest="corpus", type=str, default=None, help="a ParlAI task or a domain")
        group.add_argument("--conversations", type=str, default=None, metavar="FILE",
                           help="a file of conversations, or a study's folder, in the place of a task")  # fmt: skip
        group.add_argument("--questions-file", type=str, default=None, metavar="FILE", help="questions made already")
        group.add_argument("--fold", type=str, default=None, help="which conversations (test; of a file: all)")
        group.add_argument("--questions", type=int, default=200, help="at most so many; 0: all")
        group.add_argument("--candidates", type=int, default=10, help="of a question, the real next turn included")
        group.add_argument("--distractors", type=str, default="uniform",
                           help="uniform, lexical, embedding, speaker, dialogue; or shares of several")  # fmt: skip
        group.add_argument("--close-to", type=str, default="reply", choices=("reply", "context"),
                           help="what lexical and embedding distractors are close to")  # fmt: skip
        group.add_argument("--max-context", type=int, default=6, help="turns of a context, at most")
        group.add_argument("--lengths", type=str, default="lowe2015", help="of contexts: lowe2015, uniform, longest, …")
        group.add_argument(
            "--seed", type=int, default=None, help="where all chance starts (default: the study's, or 0)"
        )

    def execute(self) -> int:
        from parlai_spotbot import files
        from parlai_spotbot.nuc.results import analyse, check_k
        from parlai_spotbot.nuc.scoring.run import Task, score_all

        opt = self.opt
        self._check()
        study = self._study()
        contestants = self._contestants(study)
        self.seed = opt["seed"] if opt["seed"] is not None else (study.plan.seed if study else 0)
        out = Path(opt["out"] or (study.path / "nuc" if study else "nuc"))
        questions, bank, about = self._questions(study)
        ks = check_k(opt["k"], min(len(question.candidates) for question in questions))
        with files.lock(out / ".lock", "spotbot_nuc"):
            self._keep(out / "questions.jsonl", questions)
            bank = bank if opt["curve"] else None
            threads = opt["threads"] or os.cpu_count() or 1
            task = Task(questions, out, bank, opt["way"], threads)
            found = score_all(contestants, task)
            if not found:
                return 1
            results = analyse(questions, found, ks, opt["likelihood"])
            self._write(out, results, about, study)
        self._tell(out, results, study)
        return 0 if len(found) == len(contestants) else 1

    # -- what is asked for -----------------------------------------------------------------------------------------
    def _check(self) -> None:
        opt = self.opt
        sources = [f"--{name}" for name, key in (("task", "corpus"), ("conversations", "conversations"),
                   ("questions-file", "questions_file")) if opt[key]]  # fmt: skip
        if len(sources) > 1:
            raise UserError(f"{' and '.join(sources)}: questions come from one of them.", "Leave the others out.")
        if opt["candidates"] < 2:
            raise UserError(f"--candidates {opt['candidates']}: a question has at least two.", "Ask for 2 or more.")
        if opt["threads"] is not None and opt["threads"] < 1:
            raise UserError(f"--threads {opt['threads']}: expected a number from 1 up.", "Leave it out for all cores.")
        if not opt["questions_file"]:
            for k in opt["k"]:
                if not 1 <= k <= opt["candidates"]:
                    raise UserError(
                        f"--k {k}: a question has {opt['candidates']} candidates, so k goes from 1 to "
                        f"{opt['candidates']}.",
                        "Ask for a smaller k, or for more --candidates.",
                    )

    def _study(self):
        from parlai_spotbot.study import Study

        return Study.open(self.opt["study"]) if self.opt["study"] else None

    def _contestants(self, study) -> list:
        from parlai_spotbot.selfplay.plan import DEFAULT_POOL
        from parlai_spotbot.selfplay.pool import read_pool

        own = study.plan.contestants if study and not self.opt["pool"] else read_pool(self.opt["pool"] or DEFAULT_POOL)
        for name in self.opt["only"] or ():
            if name not in own:
                raise UserError(f"--only {name}: there is no such contestant.", nearest(name, own))
        return [own[name] for name in own if not self.opt["only"] or name in self.opt["only"]]

    def _questions(self, study) -> tuple:
        """The questions, the bank of their corpus (None where unknown), and what is told of them."""
        from parlai_spotbot.nuc.corpora import read_corpus
        from parlai_spotbot.nuc.sampling import Settings, sample
        from parlai_spotbot.surveys.nuc_questions import read_questions

        opt = self.opt
        if opt["questions_file"]:
            questions = read_questions(Path(opt["questions_file"]))
            lacking = [question for question in questions if len(question.candidates) < 2]
            if lacking or not questions:
                raise UserError(
                    f"{opt['questions_file']}: "
                    + (
                        f"question {lacking[0].question_id} has no candidates but the real one."
                        if lacking
                        else "empty."
                    ),
                    "Make the questions with two candidates or more.",
                )
            names = sorted({question.corpus for question in questions})
            return questions, None, {"corpus": ", ".join(names), "file": Path(opt["questions_file"]).name}
        settings = Settings(
            candidates=opt["candidates"], max_context=opt["max_context"], lengths=opt["lengths"],
            distractors=opt["distractors"], close_to=opt["close_to"], questions=opt["questions"], seed=self.seed,
        )  # fmt: skip
        settings.check()
        name = opt["conversations"] or opt["corpus"] or (study.plan.domain if study else "chitchat")
        fold = opt["fold"] or ("all" if opt["conversations"] else "test")
        print(f"reading {name} ({fold}) ...", flush=True)
        drawn = sample(read_corpus(name, fold), settings)
        about = {"corpus": drawn.questions[0].corpus, "fold": fold, "turns": len(drawn.bank), **settings.to_json()}
        about |= {"left_out": drawn.left_out, "filled": drawn.filled}
        return list(drawn.questions), drawn.bank, about

    @staticmethod
    def _keep(path: Path, questions: list) -> None:
        """Write the questions, or see that those that are there are the same."""
        from parlai_spotbot.surveys.nuc_questions import read_questions, write_questions

        if not path.exists():
            write_questions(path, questions)
        elif read_questions(path) != questions:
            raise UserError(
                f"{path}: there are other questions already.", "Choose another --out, or ask with the same options."
            )

    # -- what is told ------------------------------------------------------------------------------------------------
    def _write(self, out: Path, results: dict, about: dict, study) -> None:
        import pandas as pd

        import parlai_spotbot
        from parlai_spotbot import files
        from parlai_spotbot.nuc.results import curve_rows, table_rows
        from parlai_spotbot.report.nuc import agreement_of, analysed, write_page

        ranking = results["ranking"]
        ranking["questions"] |= {
            "corpus": about["corpus"],
            **({"distractors": about["distractors"]} if "distractors" in about else {}),
        }
        ranking["made_by"] = {"version": parlai_spotbot.__version__, "seed": self.seed, "questions": about}
        if study:
            results["agreement"] = agreement_of(analysed(study), ranking, self.seed)
        for name, value in results.items():
            files.write_json(out / "analysis" / f"{name}.json", value)
        tables = {
            "ranking": table_rows(ranking),
            "curve": curve_rows(results["curve"]),
            "tests": ranking["comparisons"],
        }
        for name, rows in tables.items():
            files.write_text(
                out / "analysis" / f"{name}.csv", pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")
            )
        write_page(out / "index.html", results)

    @staticmethod
    def _tell(out: Path, results: dict, study) -> None:
        import textwrap

        from tabulate import tabulate

        from parlai_spotbot.report.nuc import asked, sections

        print(f"\n{asked(results['ranking'])}")
        for section in sections(results):
            for table in section.tables:
                print(f"\n{table.title}\n")
                print(tabulate(table.rows, headers=table.head, disable_numparse=True))
                print("\n".join(["", *textwrap.wrap(table.how, 110)]))
            for sentence in [
                *section.text[1 if section.anchor == "ranking" else 0 :],
                *(c.sentence for c in section.charts),
            ]:
                print("\n".join(textwrap.wrap(sentence, 110)))
        print(f"\npage:    {out / 'index.html'}\nresults: {out / 'analysis'}\nscores:  {out / 'scores'}")
        if study:
            print(f"in the study's report: parlai spotbot_report --study {study.path}")
