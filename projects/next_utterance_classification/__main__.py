"""``python -m parlai_spotbot.projects.next_utterance_classification``: score, pack, tell."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from parlai_spotbot.options import described
from parlai_spotbot.projects import command
from parlai_spotbot.projects.next_utterance_classification.reproduce import run
from parlai_spotbot.projects.next_utterance_classification.steps import NucStudySettings


@dataclass(frozen=True)
@described
class ReproduceNextUtteranceClassification(NucStudySettings):
    """The study of Next-Utterance Classification (Lowe et al., 2016) on the embedded corpus and pool.

    Stopped, it continues with the same command. For a first look: --questions 24 --only tfidf eliza
    """

    out: str = ""


def main(words: Sequence[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    return command.run(__package__, ReproduceNextUtteranceClassification, _run, words)


def _run(options: ReproduceNextUtteranceClassification) -> None:
    for table in run(options.out, options).values():
        print(table.text() + "\n")
    print(f"written to {options.out}; the study is in {options.out}/study")


if __name__ == "__main__":
    sys.exit(main())
