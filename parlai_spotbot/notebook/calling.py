"""Public functions whose arguments are the fields of a dataclass, the request that a command makes of its options.

One definition of an option, with type, default and help, gives the command's option, the function's argument and its
place in the docstring. Errors speak of arguments, where a command's speak of options.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import cleandoc, signature
from itertools import chain
from textwrap import fill
from typing import Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from parlai_spotbot.errors import MissingPackage, UserError, nearest, packages_named
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

VALUE = r"(?:'[^']*'\S*?|-?[^\s'-][^\s']*?)(?=[.,;:)]*(?:\s|$))"
OPTION = rf"(?<![\w-])--([a-z][\w-]*)(?:[ =]({VALUE}))?"
COMMAND = rf"(?:\S*\bparlai spotbot_|\S*\bspotbot |\bspotbot_)([a-z]+)\b((?: --[\w-]+(?: {VALUE})?)*)"
VALUE_IN_SENTENCE = re.compile(r"^(?:'.*|-?[\d.]+|[A-Z][A-Z_,=….]+|[^_/=\n]*[_/=].*)")
"""The word after an option that is its value, not the next word of the sentence."""
AS_IS = re.compile(r"-?[\d.]+|[A-Z][A-Z_,=….]+|True")
INDENT = " " * 4


def takes(
    kind: Callable[Given, Call], subject: str = "study"
) -> Callable[[Callable[[Call], Returned]], Callable[Given, Returned]]:
    """Return a decorator: a function of a `kind`, a dataclass, becomes one with its fields as arguments.

    Its docstring gets their section; its errors are ValueErrors that begin with the argument's name, by default
    `subject`.
    """

    def decorated(function: Callable[[Call], Returned]) -> Callable[Given, Returned]:
        form, field_by_name = signature(kind), {one.name: one for one in fields(kind)}  # pyright: ignore
        names = {flag: _spelt(one) for one in field_by_name.values() for flag in flags_of(one)}

        @wraps(function)
        def called(*args: Given.args, **given: Given.kwargs) -> Returned:
            for name in given:
                if name not in form.parameters:
                    raise ValueError(f"{name}: there is no such option. {nearest(name, form.parameters)}")
            call, hints = kind(*args, **given), get_type_hints(kind)
            with as_value_error(subject, names):
                checked = {name: _checked(hints[name], name, getattr(call, name)) for name in form.parameters}
                return function(kind(**checked))  # pyright: ignore[reportCallIssue]

        described = "\n".join(_described(field_by_name[name]) for name in form.parameters)
        parameters = f"Parameters\n----------\n{in_python(described, names)}\n\nReturns\n-------"
        called.__doc__ = cleandoc(function.__doc__ or "").replace("Returns\n-------", parameters, 1)
        vars(called)["__signature__"] = form.replace(return_annotation=signature(function).return_annotation)
        return called

    return decorated


def _spelt(one: Field) -> str:
    """Return how an argument is named in a sentence: a switch with its value."""
    return f"{one.name}={one.metadata.get('const', True)}" if str(one.type).startswith("bool") else one.name


def _described(one: Field) -> str:
    """Return an argument's entry in the docstring."""
    default = {None: ", optional", MISSING: ""}.get(one.default, f", default {one.default!r}")
    text = f"{one.metadata['const']}: " if "const" in one.metadata else ""
    about = fill(text + one.metadata["help"], 108, initial_indent=INDENT, subsequent_indent=INDENT)
    return f"{one.name} : {str(one.type).removesuffix(' | None')}{default}\n{about}"


def _checked(hint: Any, name: str, value: Any) -> Any:
    """Return an argument's value, checked where it is plain; objects of our own kinds pass as they are."""
    from pydantic.errors import PydanticSchemaGenerationError
    from pydantic_core import PydanticSerializationError

    kinds = _kinds(hint)
    if is_dataclass(value) or any(get_origin(kind) is Callable for kind in kinds):
        return value
    plain = tuple(value.split(",")) if isinstance(value, str) and tuple[str, ...] in kinds else value
    try:
        return validated(hint, plain, name, "")
    except (PydanticSchemaGenerationError, PydanticSerializationError):
        return value


def _kinds(hint: Any) -> list:
    """Return a hint and all that it is made of."""
    return [hint, *chain.from_iterable(map(_kinds, get_args(hint)))]


@contextmanager
def as_value_error(subject: str, names: Mapping[str, str] = {}) -> Iterator[None]:
    """Turn `UserError` into ValueError, as programs expect; it begins with an argument's name, by default `subject`.

    The lack of a package is an ImportError.
    """
    try:
        with packages_named():
            yield
    except MissingPackage:
        raise
    except UserError as err:
        text = in_python(str(err).removeprefix("what you asked for: "), names)
        begun = re.match(rf"(?:unknown )?({'|'.join([*names.values(), subject])})\b", text)
        raise ValueError(text if begun or str(err).startswith("--") else f"{subject}: {text}") from None


def in_python(text: str, names: Mapping[str, str] = {}) -> str:
    """Return a message with arguments in place of options, and with public functions in place of commands.

    `names` has the names of arguments by options, where they differ.
    """

    def translated(match: re.Match) -> str:
        command, options, flag, value = match.groups()
        if flag:
            name = named(flag)
            if value and ((match.end() < len(text) and text[match.end()] == ":") or VALUE_IN_SENTENCE.fullmatch(value)):
                return written(name, value)
            return name + "=" * ("=" not in name and match.start() > 0) + match[0].partition(flag)[2]
        given = [
            "study" if flag == "study" else written(named(flag), value) for flag, value in re.findall(OPTION, options)
        ]
        return f"sb.{FUNCTIONS[command]}({', '.join(given)})" if command in FUNCTIONS else match[0]

    def named(flag: str) -> str:
        return names.get(f"--{flag}", flag.replace("-", "_").removeprefix("judge_"))

    def written(name: str, value: str) -> str:
        return f"{name}={value if AS_IS.fullmatch(value) else repr(value.strip(chr(39)))}" if value else name

    return re.sub(f"{COMMAND}|{OPTION}", translated, text).replace("'key_variable'", "'key'")
