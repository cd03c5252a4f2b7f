"""The console script `spotbot`: the same commands as under `parlai`, for those whose own parlai_internal hides ours."""

import os
import sys

from parlai_spotbot import __version__, scripts
from parlai_spotbot.errors import nearest
from parlai_spotbot.scripts.result import EXIT_CODES, STOPPED
from parlai_spotbot.terminal import print_plainly

PREFIX = "spotbot_"
MEPHISTO = "mephisto"
"""Not a command of ours and unknown to ParlAI: what follows goes to Mephisto's."""
CHAPTERS = {
    "Begin here": ("setup", "doctor", "tournament", "compare"),
    "Step by step": ("contestants", "plan", "selfchat", "pack", "crowdsource", "collect", "judge", "analyze", "report"),
    "Beside that": ("check", "import", "export", "nuc", MEPHISTO),
}
"""The commands in the order in which one learns them."""
HEADER = """usage: spotbot COMMAND ...

Spot The Bot (Deriu et al., 2020): find out which of your chatbots passes longest as human.
Each command is a ParlAI command too: `spotbot NAME` is `parlai spotbot_NAME`.
"""
FOOTER = """
`spotbot COMMAND --help` lists a command's options that matter most, with examples; --help-all all of them.
Every command takes --quiet (errors and the result alone) and --json (the result for scripts).
Exit codes:"""


def main(args: list[str] | None = None) -> None:
    """Run ``spotbot NAME …``, NAME with or without the prefix ``spotbot_``; exit code 2 for an unknown NAME."""
    print_plainly()
    try:
        try:
            if args is None:
                args = sys.argv[1:]
            _run(list(args))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # who reads it, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(STOPPED) from None


def _run(args: list[str]) -> None:
    if args[:1] == ["--version"]:
        print(f"parlai_spotbot {__version__}")
        return
    if args[:1] == [MEPHISTO]:
        from parlai_spotbot.crowdsourcing import mephisto_review as review

        return review.main(args[1:])
    if not args or args[0] in ("-h", "--help", "help"):
        print(_overview())
        return
    name = args[0].removeprefix(PREFIX)
    commands = [command.removeprefix(PREFIX) for command in scripts.COMMANDS]
    if name not in commands:
        near = nearest(name, [*commands, MEPHISTO], most=0)
        print(f"error: unknown command {args[0]}. {near}\n  spotbot --help lists the commands.", file=sys.stderr)
        raise SystemExit(2)
    loaded = scripts.load([PREFIX + name])
    if not loaded:  # why has been said
        raise SystemExit(2)
    [command] = loaded.values()
    parser = command.setup_args()
    parser.prog = f"spotbot {name}"
    command(vars(parser.parse_args(args[1:]))).run()


def _overview() -> str:
    commands = scripts.load(scripts.COMMANDS)
    descriptions = {name.removeprefix(PREFIX): command.about["description"] for name, command in commands.items()}
    descriptions[MEPHISTO] = "Mephisto's own command on a study's collection: review, approve, pay"
    width = max(map(len, descriptions))
    lines = [HEADER]
    for title, names in CHAPTERS.items():
        lines += [
            f"{title}:",
            *(f"  {name:{width}}  {descriptions[name]}" for name in names if name in descriptions),
            "",
        ]
    codes = [f"  {code:3}  {meaning}" for code, meaning in EXIT_CODES.items()]
    return "\n".join([*lines, FOOTER.lstrip(), *codes])
