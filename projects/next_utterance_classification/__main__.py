"""``python -m parlai_spotbot.projects.next_utterance_classification``: score, pack, tell."""

from __future__ import annotations

import argparse
import sys

from parlai_spotbot.projects.command import exit_code


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    result = argparse.ArgumentParser(
        prog="python -m parlai_spotbot.projects.next_utterance_classification",
        description="The study of Next-Utterance Classification (Lowe et al., 2016) on the embedded corpus and pool",
        epilog="Stopped, it continues with the same command. For a first look: --questions 24 --only tfidf eliza",
    )
    result.add_argument("--out", required=True, metavar="DIR", help="where the study, the model and the tables go")
    result.add_argument("--questions", type=int, default=200, help="number of questions (default 200)")
    result.add_argument(
        "--corpora",
        default="chitchat",
        metavar="TASKS",
        help="ParlAI tasks or domains joined by commas, as many questions of each (default chitchat)",
    )
    result.add_argument("--datapath", default="", metavar="DIR", help="where their downloads lie (default: ParlAI's)")
    result.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these contestants (default: all)")
    result.add_argument("--pool", default="embedded", help="embedded (default), rules, or a YAML file")
    result.add_argument("--epochs", type=int, default=6, help="of its training (default 6)")
    result.add_argument("--seed", type=int, default=0, help="where all chance starts (default 0)")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    options = parser().parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    from parlai_spotbot.projects.next_utterance_classification.reproduce import run
    from parlai_spotbot.projects.next_utterance_classification.steps import NucStudySettings

    settings = NucStudySettings(
        questions=options.questions,
        seed=options.seed,
        epochs=options.epochs,
        pool=options.pool,
        only=tuple(options.only),
        corpora=options.corpora,
        datapath=options.datapath,
    )
    for table in run(options.out, settings).values():
        print(table.text() + "\n")
    print(f"written to {options.out}; the study is in {options.out}/study")


if __name__ == "__main__":
    sys.exit(main())
