"""Commands as a user types them, in the test's own process: ParlAI and torch are imported once, not once a command.

What a test kills, limits or gives another environment it starts in a process of its own, by `subprocess`.
"""

from __future__ import annotations

import contextlib
import io

from parlai_spotbot.scripts.main import main


def spotbot(*words: object, code: int = 0) -> tuple[str, str]:
    """Run ``spotbot NAME …``; returns what it printed to stdout and to stderr. A wrong exit code fails."""
    out, err, ended = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(word) for word in words])
        except SystemExit as end:
            ended = end.code or 0
    assert ended == code, f"{' '.join(map(str, words))}\n{out.getvalue()}{err.getvalue()}"
    return out.getvalue(), err.getvalue()
