"""Public functions whose arguments are the fields of a dataclass, the request that a command makes of its options.

One definition of an option, with type, default and help, gives the command's option, the function's argument and its
place in the docstring. Errors speak of arguments, where a command's speak of options.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from importlib import import_module
from inspect import cleandoc, signature
from itertools import chain
from textwrap import fill
from typing import Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from parlai_spotbot.errors import MissingPackage, UserError, nearest, packages_named, shown
from parlai_spotbot.hints import Remedy, Typed
from parlai_spotbot.options import flags_of
from parlai_spotbot.user_files import validated

Given = ParamSpec("Given")
Call = TypeVar("Call")
Returned = TypeVar("Returned")

FUNCTIONS = {
    **{name: name for name in ("analyze", "compare", "pack", "plan", "report")},
    **{"import": "import_study", "judge": "judge_study", "selfchat": "selfplay"},
}
"""Commands that are public functions, too, and how these are called."""

OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
PAIR = r"[^\s,;=']+=[^\s,;=']*[^\s,;=.:']"
MAPPING = re.compile(rf"(?<![\w-])(--(?:columns|names|answers|roles)) '?({PAIR}(?:,{PAIR})*)(,…)?'?")
"""An option with pairs, which as an argument is a mapping."""
INDENT = " " * 4


def takes(
    kind: Callable[Given, Call], subject: str = "study"
) -> Callable[[Callable[[Call], Returned]], Callable[Given, Returned]]:
    """Return a decorator: a function of a `kind`, a dataclass, becomes one with its fields as arguments.

    Its docstring gets their section; its errors are ValueErrors that begin with the argument's name, by default
    `subject`.
    """

    def decorated(function: Callable[[Call], Returned]) -> Callable[Given, Returned]:
        form = signature(kind)
        field_by_name = {one.name: one for one in fields(kind)}  # pyright: ignore
        names = names_of(kind)

        @wraps(function)
        def called(*args: Given.args, **given: Given.kwargs) -> Returned:
            for name in given:
                if name not in form.parameters:
                    raise ValueError(f"{name}: there is no such option. {nearest(name, form.parameters)}")
            try:
                call = kind(*args, **given)
            except TypeError as err:
                raise TypeError(str(err).replace(f"{kind.__name__}.__init__", function.__name__)) from None
            hints = get_type_hints(kind)
            with as_value_error(subject, names):
                checked = {name: _checked(hints[name], name, getattr(call, name)) for name in form.parameters}
                return function(kind(**checked))  # pyright: ignore[reportCallIssue]

        described = "\n".join(_described(field_by_name[name]) for name in form.parameters)
        parameters = f"Parameters\n----------\n{in_python(described, names)}\n\nReturns\n-------"
        called.__doc__ = cleandoc(function.__doc__ or "").replace("Returns\n-------", parameters, 1)
        vars(called)["kind"] = kind
        vars(called)["__signature__"] = form.replace(return_annotation=signature(function).return_annotation)
        return called

    return decorated


def names_of(kind: Any) -> dict[str, str]:
    """Return how the arguments of a function are named in a sentence, by their options."""
    return {flag: _spelt(one) for one in fields(kind) for flag in flags_of(one)}


def _spelt(one: Field) -> str:
    """Return how an argument is named in a sentence: a switch with its value."""
    if not str(one.type).startswith("bool"):
        return one.name
    return f"{one.name}={one.metadata.get('const', True)}"


def _described(one: Field) -> str:
    """Return an argument's entry in the docstring."""
    default = {None: ", optional", MISSING: ""}.get(one.default, f", default {one.default!r}")
    text = one.metadata["help"]
    if "const" in one.metadata:
        text = f"{one.metadata['const']}: {text}"
    about = fill(text, 108, initial_indent=INDENT, subsequent_indent=INDENT)
    return f"{one.name} : {str(one.type).removesuffix(' | None')}{default}\n{about}"


def _checked(hint: Any, name: str, value: Any) -> Any:
    """Return an argument's value, checked where it is plain; objects of our own kinds pass as they are."""
    from pydantic.errors import PydanticSchemaGenerationError
    from pydantic_core import PydanticSerializationError

    kinds = _kinds(hint)
    if is_dataclass(value) or any(get_origin(kind) is Callable for kind in kinds):
        return value
    plain = value
    if isinstance(value, str) and tuple[str, ...] in kinds:
        plain = tuple(value.split(","))
    try:
        return validated(hint, plain, name, "")
    except (PydanticSchemaGenerationError, PydanticSerializationError):
        return value


def _kinds(hint: Any) -> list:
    """Return a hint and all that it is made of."""
    return [hint, *chain.from_iterable(map(_kinds, get_args(hint)))]


@contextmanager
def as_value_error(subject: str, names: Mapping[str, str] | None = None) -> Iterator[None]:
    """Turn `UserError` into ValueError, as programs expect; it begins with an argument's name, by default `subject`.

    The lack of a package is an ImportError.
    """
    try:
        with packages_named():
            yield
    except MissingPackage:
        raise
    except UserError as err:
        text = shown(in_python(Remedy(*err.parts), names)).strip().removeprefix("what you asked for: ")
        begun = re.match(rf"(?:unknown )?({'|'.join([*(names or {}).values(), subject])})\b", text)
        if not begun and not str(err).startswith("--"):
            text = f"{subject}: {text}"
        raise ValueError(text) from None


def in_python(message: str, names: Mapping[str, str] | None = None) -> str:
    """Return a message with arguments in place of options, and with public functions in place of commands.

    `names` are those of arguments by their options; by default those of all public functions.
    """
    if names is None:
        names = {flag: name for function in FUNCTIONS.values() for flag, name in names_of(_kind(function)).items()}
    parts = [message]
    if isinstance(message, Remedy):
        parts = list(message.parts)
    for place, part in enumerate(parts):
        if isinstance(part, Typed):
            parts[place] = _called(part)
        else:
            parts[place] = _argued(part, names)
    return "".join(parts)


def _kind(function: str) -> Any:
    """Return the dataclass of a public function's arguments."""
    return getattr(import_module("parlai_spotbot"), function).kind


def _argued(text: str, names: Mapping[str, str]) -> str:
    """Return a text with arguments in place of options."""

    def mapped(found: re.Match) -> str:
        pairs = dict(pair.split("=") for pair in found[2].split(","))
        more = ", …" if found[3] else ""
        return f"{names[found[1]]}={str(pairs)[:-1]}{more}}}" if found[1] in names else found[0]

    text = MAPPING.sub(mapped, text)
    return OPTION.sub(lambda match: names.get(match[0], match[0]), text).replace("'key_variable'", "'key'")


def _called(command: Typed) -> str:
    """Return the call of a public function that does what a command does; the command itself where none does."""
    if command.name not in FUNCTIONS:
        return command
    function = FUNCTIONS[command.name]
    argument_by_option = {
        flag.removeprefix("--").replace("-", "_"): one for one in fields(_kind(function)) for flag in flags_of(one)
    }
    if not command.given.keys() <= argument_by_option.keys():
        return command
    arguments = []
    if function == "selfplay":
        arguments.append("None")  # the contestants that there are
    for option, value in command.given.items():
        one = argument_by_option[option]
        if "Study" in str(one.type).split(" | "):
            arguments.append(one.name)
        elif isinstance(value, (bool, int, float)):
            arguments.append(f"{one.name}={value!r}")
        else:
            arguments.append(f"{one.name}={str(value)!r}")
    return f"sb.{function}({', '.join(arguments)})"
