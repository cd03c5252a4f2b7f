"""Options from words, without ParlAI: a command takes the same words as `spotbot NAME` and as `parlai spotbot_NAME`.

As ParlAI's own parser does, it takes no abbreviations, ``_`` for ``-`` in an option's name, and shows defaults.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from parlai_spotbot.errors import nearest

YES, NO = ("yes", "true", "t", "1", "y"), ("no", "false", "f", "n", "0")


class _Help(argparse.HelpFormatter):
    """Examples keep their lines; of an option the value is named once, and the default."""

    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=8)

    def _fill_text(self, text, width, indent):
        return "".join(indent + line for line in text.splitlines(keepends=True))

    def _format_action_invocation(self, action):
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"

    def _get_help_string(self, action):
        if not isinstance(action, argparse._StoreAction) or action.default in (argparse.SUPPRESS, ""):
            return action.help
        return f"{action.help} (default: %(default)s)"


class OptionParser(argparse.ArgumentParser):
    """A parser whose kind ``type="bool"`` takes yes and no; what is wrong is one error and exit code 2."""

    def __init__(self, description: str):
        super().__init__(description=description, formatter_class=_Help, allow_abbrev=False)
        self.register("type", "bool", _yes_or_no)

    def parse_known_args(self, args=None, namespace=None):
        words = sys.argv[1:] if args is None else args
        return super().parse_known_args([_with_hyphens(word) for word in words], namespace)

    def parse_args(self, args=None, namespace=None):
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            near = nearest(unknown[0].partition("=")[0], self._option_string_actions, most=0)
            self.error(f"{unknown[0]}: no such option.", near)
        return found

    def error(self, message: str, remedy: str = "") -> NoReturn:
        hint = f"{remedy} {self.prog} --help lists the options.".strip()
        self.exit(2, f"error: {message}\n  {hint}\n")

    def words(self, options: dict[str, Any]) -> list[str]:
        """The words that give `options`, by their names with ``_``; one that there is not is a `KeyError`."""
        known = {name.lstrip("-").replace("-", "_"): action for name, action in self._option_string_actions.items()}
        found = []
        for name, value in options.items():
            action = known[name]
            if action.nargs == 0:
                found += [action.option_strings[-1]] if value else []
            elif action.nargs in ("*", "+"):
                found += [action.option_strings[-1], *map(_word, value)]
            else:
                found += [action.option_strings[-1], _word(value)]
        return found


def _with_hyphens(word: str) -> str:
    name, equals, value = word.partition("=")
    return (name.replace("_", "-") if name.startswith("-") else name) + equals + value


def _word(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _yes_or_no(word: str) -> bool:
    if word.lower() not in YES + NO:
        raise argparse.ArgumentTypeError("expected yes or no")
    return word.lower() in YES
