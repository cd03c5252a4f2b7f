"""The console script `spotbot`: the same commands as under `parlai`, for those whose own parlai_internal hides ours."""

from __future__ import annotations

import sys

from parlai_spotbot import __version__
from parlai_spotbot.errors import nearest

PREFIX = "spotbot_"
MEPHISTO = "mephisto"
"""Not a command of ours and unknown to ParlAI: what follows goes to Mephisto's."""
HEADER = """usage: spotbot COMMAND ...

Spot The Bot (Deriu et al., 2020): find out which of your chatbots passes longest as human.
Each command is a ParlAI command too: `spotbot NAME` is `parlai spotbot_NAME`.

Commands:
"""
FOOTER = "\n`spotbot COMMAND --help` lists a command's options with examples."


def main(args: list[str] | None = None) -> None:
    """Run ``spotbot NAME …``, NAME with or without the prefix ``spotbot_``; exit code 2 for an unknown NAME."""
    args = list(sys.argv[1:] if args is None else args)
    if args[:1] == ["--version"]:
        import parlai

        print(f"parlai_spotbot {__version__} (ParlAI {parlai.__version__})")
        return
    if args[:1] == [MEPHISTO]:
        from parlai_spotbot.crowdsourcing import review

        return review.main(args[1:])
    commands = _commands()
    if not args or args[0] in ("-h", "--help", "help"):
        print(_overview(commands))
        return
    name = args[0].removeprefix(PREFIX)
    if name not in commands:
        print(f"error: spotbot has no command '{args[0]}'. {nearest(name, commands)}", file=sys.stderr)
        raise SystemExit(2)
    command = commands[name]
    parser = command.setup_args()
    parser.prog = f"spotbot {name}"
    command._run_from_parser_and_opt(parser.parse_args(args[1:]), parser)


def _commands() -> dict[str, type]:
    """The commands that could be imported, by name without prefix."""
    from parlai.core.loader import SCRIPT_REGISTRY

    from parlai_spotbot import scripts

    registered = {name: SCRIPT_REGISTRY[name].klass for name in scripts.COMMANDS if name not in scripts.BROKEN}
    return {name.removeprefix(PREFIX): command for name, command in registered.items()}


def _overview(commands: dict[str, type]) -> str:
    told = {name: command.setup_args().description for name, command in commands.items()}
    told[MEPHISTO] = "Mephisto's own command on a study's collection: review, approve, pay"
    width = max(map(len, told), default=0)
    lines = [f"  {name:{width}}  {text}" for name, text in told.items()]
    return HEADER + "\n".join(lines) + "\n" + FOOTER
