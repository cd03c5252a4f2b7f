"""The one exception that a user can correct: every command turns it into one line and exit code 2."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

TWO_STOPS = re.compile(r"(?<=[^\s./\\])\.\.(?=\s|$)")
"""Where a message ends in another one, which has its own full stop; "…", "..." and paths are none."""


MOST = 4000
"""Characters of a problem, or of a remedy: they may quote what is in a file of any kind."""


class UserError(Exception):
    """Bad input or a state the user can put right.

    Parameters
    ----------
    problem : str
        What is wrong and where: file, line, field, offending value.
    remedy : str
        What to do about it, as an imperative sentence; a `hints.Remedy` where commands are in it.
    """

    def __init__(self, problem: str, remedy: str = ""):
        self.parts = (f"{problem} ".lstrip(), *getattr(remedy, "parts", (remedy,)))
        self.problem = shown(problem)
        self.remedy = shown(remedy)
        super().__init__(f"{self.problem} {self.remedy}".strip())

    @property
    def lines(self) -> str:
        """The error as commands print it, the remedy in a line of its own."""
        return f"error: {self.problem}\n  {self.remedy}".rstrip()


def shown(text: str) -> str:
    """Return a text without commands to a terminal and secrets, and without its middle where that is too long."""
    from parlai_spotbot.outside import cleaned
    from parlai_spotbot.secrecy import masked

    text = cleaned(text)
    return TWO_STOPS.sub(".", masked(text if len(text) <= MOST else f"{text[: MOST // 2]} … {text[-MOST // 4 :]}"))


class MissingPackage(UserError, ImportError):
    """A package that isn't installed; the remedy is the command that installs it."""


class NotVouched(UserError):
    """Nobody vouches for the judge that is to decide."""


@contextmanager
def packages_named() -> Iterator[None]:
    """Turn the lack of a package that one of our own modules imports into `MissingPackage`."""
    from parlai_spotbot import hints

    try:
        yield
    except ModuleNotFoundError as err:
        *_, (frame, _) = walk_tb(err.__traceback__)
        package = (err.name or "").partition(".")[0]
        own_package = "parlai_spotbot"
        if package == own_package or not frame.f_globals["__name__"].startswith(own_package):
            raise
        raise MissingPackage(f"this needs {package}, which isn't installed.", f"Run: {hints.bring(package)}") from None


def nearest(word: str, candidates, most: int | None = None) -> str:
    """Return ``"Did you mean 'x'? Known: …"`` for an unknown `word`; more than `most` known ones are not listed."""
    import difflib

    candidates = sorted(str(k) for k in candidates)
    close = difflib.get_close_matches(str(word), candidates, n=1, cutoff=0.5)
    hint = ""
    if close:
        hint = f"Did you mean '{close[0]}'? "
    listed = candidates and (most is None or len(candidates) <= most)
    if listed:
        return f"{hint}Known: {', '.join(candidates)}."
    return hint.strip()
