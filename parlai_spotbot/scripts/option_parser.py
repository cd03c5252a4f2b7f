"""Options from words, without ParlAI: a command takes the same words as `spotbot NAME` and as `parlai spotbot_NAME`.

As ParlAI's own parser does, it takes no abbreviations, ``_`` for ``-`` in an option's name, and shows defaults.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from parlai_spotbot import plugin
from parlai_spotbot.errors import nearest
from parlai_spotbot.options import TYPES, argument_of, dest_of, flags_of
from parlai_spotbot.reading import own_data

YES = ("yes", "true", "t", "1", "y")
NO = ("no", "false", "f", "n", "0")


EXAMPLES = "Examples"


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Formatter that shows defaults."""

    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=8)

    def _get_help_string(self, action):
        if not isinstance(action, argparse._StoreAction) or action.default in (argparse.SUPPRESS, "", ()):
            return action.help
        shown = "%(default)s"
        if isinstance(action.default, tuple):
            shown = ",".join(map(str, action.default))
        return f"{action.help} (default: {shown})"


class _Help(argparse.Action):
    """Shows the help of `owner`, also where ParlAI's parser has taken over its options."""

    def __init__(self, owner: OptionParser, whole: bool, **kwargs: Any):
        super().__init__(**{**kwargs, "dest": argparse.SUPPRESS, "default": argparse.SUPPRESS, "nargs": 0})
        self.owner = owner
        self.whole = whole

    def __call__(self, parser, namespace, values, option_string=None):
        self.owner.prog = parser.prog
        if self.whole:
            print(self.owner.format_help(), end="")
        else:
            print(self.owner.short_help(), end="")
        parser.exit()


class _Listed(argparse._StoreAction):
    """A list with commas, to which the option given again adds."""

    def __call__(self, parser, namespace, values, option_string=None):
        before = getattr(namespace, self.dest, None)
        if before and isinstance(values, str):
            values = f"{before},{values}"
        elif before:
            values = (*before, *values)
        setattr(namespace, self.dest, values)


class OptionParser(argparse.ArgumentParser):
    """A parser whose kind ``type="bool"`` takes yes and no, ``action="listed"`` a list with commas.

    What is wrong is one error and exit code 2. `first` names the options that matter most: --help shows these, in this
    order, and --help-all shows all.
    """

    def __init__(self, description: str):
        super().__init__(description=description, formatter_class=_Layout, allow_abbrev=False, add_help=False)
        self.register("type", "bool", _yes_or_no)
        self.register("action", "listed", _Listed)
        self.first: Sequence[str] = ()
        self.examples = self.codes = ""
        self.add_argument("-h", "--help", action=_Help, owner=self, whole=False, help="the options that matter most")
        self.add_argument("--help-all", action=_Help, owner=self, whole=True, help="all options and examples")

    def add_request(self, kind: type, only: Collection[str] = (), without: Collection[str] = ()) -> None:
        """Add an option for each field of the dataclass `kind` that has a help text (`parlai_spotbot.options`)."""
        title = "options"
        for option in fields(kind):
            title = option.metadata.get("group", title)
            if "help" in option.metadata and option.name not in without and (not only or option.name in only):
                self.add_table(title, {" ".join(flags_of(option)): {**argument_of(option), "dest": dest_of(option)}})

    def add_table(self, title: str, table: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Add the options of a group: how each is spelt, and what it changes of `shared_options.yaml`.

        `kind` is a key of `TYPES`; `names` a package and what its modules declare, whose names are the values.
        """
        for flags, given in table.items():
            about = {"kind": "str", **_shared().get(flags, {}), **(given or {})}
            if "names" in about:
                about["help"] = f"one of {', '.join(plugin.names(*about.pop('names')))}"
            self._group(title).add_argument(*flags.split(), **TYPES[about.pop("kind")], **about)

    def _group(self, title: str) -> argparse._ArgumentGroup:
        """Return the group with this heading, a new one where there is none."""
        return {group.title: group for group in self._action_groups}.get(title) or self.add_argument_group(title)

    def short_help(self) -> str:
        """Return what the command does, the options that matter most, examples, and where the rest is."""
        places = [action for action in self._actions if not action.option_strings]
        first = [*places, *(self._option_string_actions[name] for name in self.first)]
        return f"{self._help(places, {'options': first})}\nmore: {self.prog} --help-all\n"

    def format_help(self) -> str:
        return self._help(self._actions, {group.title: group._group_actions for group in self._action_groups})

    def _help(self, usage: list[argparse.Action], groups: dict[str, list[argparse.Action]]) -> str:
        layout = self._get_formatter()
        layout.add_usage(None, usage, [])
        layout.add_text(self.description)
        for title, actions in groups.items():
            layout.start_section(title)
            layout.add_arguments(actions)
            layout.end_section()
        if self.examples:
            layout.start_section(EXAMPLES)
            layout.add_text(self.examples.rstrip())
            layout.end_section()
        layout.add_text(self.codes)
        return layout.format_help()

    def parse_known_args(self, args=None, namespace=None):
        if args is None:
            args = sys.argv[1:]
        return super().parse_known_args([_with_hyphens(word) for word in args], namespace)

    def parse_args(self, args=None, namespace=None):
        results, unknown = self.parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].partition("=")[0]
            if word.startswith("-"):
                near = nearest(word, self._option_string_actions, most=0)
                self.error(f"unknown option {word}. {near}".strip())
            self.error(f"'{unknown[0]}' belongs to no option. {self._option_of(unknown[0])}".strip())
        return results

    def _option_of(self, word: str) -> str:
        """Return which option a path stands for that was written without one; "" for other words."""
        option = "--study" if Path(word).is_dir() else "--data"
        if option in self._option_string_actions and Path(word).exists():
            return f"Did you mean {option} {shlex.quote(word)}?"
        return ""

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            self.error(f"{_called(action)} {value}: unknown. {nearest(value, action.choices)}")

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (?:\S*/)?([^\s/:]+):", r"\1:", message)
        if not message.endswith((".", "?")):
            message = f"{message}."
        self.exit(2, f"error: {message}\n  {self.prog} --help-all lists the options.\n")


@cache
def _shared() -> dict[str, dict]:
    return own_data(__file__, "shared_options.yaml")


def _called(action: argparse.Action) -> str:
    if action.option_strings:
        return action.option_strings[-1]
    return str(action.metavar or action.dest)


def _with_hyphens(word: str) -> str:
    name, equals, value = word.partition("=")
    if not name.startswith("-"):
        return word
    return name.replace("_", "-") + equals + value


def _yes_or_no(word: str) -> bool:
    if word.lower() not in YES + NO:
        raise argparse.ArgumentTypeError("expected yes or no")
    return word.lower() in YES
