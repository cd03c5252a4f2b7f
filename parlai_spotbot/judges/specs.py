"""Judges that a command names: by name, by a YAML file of language models, or by options.

Each name is a source of its own in the study (``judge:NAME``), so that several models can judge the same units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.judges import SPOTTED, Judge, get_judge, known_judges
from parlai_spotbot.names import STEM, plain
from parlai_spotbot.options import described, dest_of, option_values
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.sequential.settled_request import SettledRequest

if TYPE_CHECKING:
    from parlai_spotbot.surveys import Survey

LANGUAGE_MODEL = "language_model"
EXAMPLE = "Write for example 'large: {url: http://127.0.0.1:8000/v1, model: NAME}'."


@dataclass(frozen=True)
@described
class JudgeRequest:
    """Judges that a user asks for, and what they may cost; ``url`` and what follows describe one language model."""

    judge: str | Judge | None = None
    _: KW_ONLY
    max_cost: float | None = None
    yes: bool = False
    model: str | None = None
    url: str | None = None
    key: str | None = None
    name: str | None = None
    price_prompt: float | None = None
    price_completion: float | None = None
    one_request: str | None = None

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> JudgeRequest:
        """Return the request of a command's parsed options."""
        return cls(**option_values(cls, options))

    def given(self) -> dict[str, Any]:
        """Return the options that were given, as `hints.command` takes them, except --yes."""
        values = {dest_of(option): getattr(self, option.name) for option in fields(JudgeRequest)}
        return {name: value for name, value in values.items() if value and name != "yes"}

    def specs(self, survey: Survey, settled: SettledRequest | None = None) -> list[JudgeSpec]:
        """Return the judges, by default the spotter if it can answer `survey`; errors come before any work.

        With `settled` it is one, whose answers to the survey settle who is better.

        Raises
        ------
        UserError
            For an unknown name, a file that can't be read, an entry with a wrong key, and a name that stands twice.
        """
        if settled is None:
            return self._specs(survey)
        from parlai_spotbot.sequential.registration import check_request

        check_request(survey, settled)
        specs = self._specs(survey)
        if len(specs) != 1:
            raise UserError(f"--judges: {len(specs)} judges; --until 'settled' takes one.", "Name one, who decides.")
        return specs

    def _specs(self, survey: Survey) -> list[JudgeSpec]:
        from parlai_spotbot.judges.run import check_survey

        given = {name.removeprefix("judge_"): value for name, value in self.given().items() if "judge_" in name}
        words = [word.strip() for word in str(self.judge or "").split(",") if word.strip()]
        if words == ["none"]:
            return []
        check_survey(survey)
        only_named = set(given) == {"name"} and set(words) <= set(known_judges())
        if given and words and LANGUAGE_MODEL not in words and not only_named:
            option_name = f"--judge-{next(iter(given)).replace('_', '-')}"
            raise UserError(
                f"{option_name}: it goes with --judges {LANGUAGE_MODEL}, but --judges is {self.judge}.",
                "Leave --judges out, or write the options into the judges file.",
            )
        if not words and given and not only_named:
            words = [LANGUAGE_MODEL]
        elif not words and survey.name in SPOTTED:
            words = ["spotter"]
        if not words and self.judge is None:
            raise UserError(
                f"--survey {survey.name}: the judge spotter can't answer it.",
                "Name a language model behind a server: --judge-url http://127.0.0.1:8000/v1 --judge-model NAME.",
            )
        specs = [spec for word in words for spec in _named(word, given)]
        names = [spec.name for spec in specs]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise UserError(f"--judges {self.judge}: judge '{twice[0]}' stands twice.", "Give each another name.")
        self._check_cost(specs)
        return [replace(spec, max_cost=self.max_cost) for spec in specs]

    def _check_cost(self, specs: Sequence[JudgeSpec]) -> None:
        """Raise `UserError` for a limit of cost that is none, or of a judge without prices."""
        if self.max_cost is None:
            return
        if not self.max_cost > 0:
            raise UserError(f"--max-cost {self.max_cost:g}: expected more than 0.", "Leave it out for no limit.")
        for spec in specs:
            if spec.kind == LANGUAGE_MODEL and not spec.options.priced:
                raise UserError(
                    f"--max-cost {self.max_cost:g}: judge {spec.name} has no prices.",
                    "Give 'price_prompt' and 'price_completion' (for a million tokens) in the judges file.",
                )


@dataclass(frozen=True)
class JudgeSpec:
    """A judge that is asked for, checked as far as that goes without loading it."""

    name: str
    kind: str
    options: Any = None
    max_cost: float | None = None

    def make(self, seed: int) -> Judge:
        """Return the judge; `max_cost` bounds what it may cost in the study, if it costs anything."""
        if self.kind == LANGUAGE_MODEL:
            from parlai_spotbot.judges.language_model import LanguageModelJudge

            return LanguageModelJudge(seed, self.name, self.options, self.max_cost)
        judge = get_judge(self.kind)(seed)
        judge.name = self.name
        return judge


def _named(word: str, given: Mapping[str, Any]) -> list[JudgeSpec]:
    """Return the judges that one name or file stands for."""
    if word.endswith((".yaml", ".yml")) or Path(word).is_file():
        return read_judges(Path(word))
    if word != LANGUAGE_MODEL:
        get_judge(word)
        name = word
        if set(given) == {"name"}:
            name = given["name"]
        return [JudgeSpec(_checked_name(name, "--judge-name", word), word)]
    last = given.get("model", "").rstrip("/").rpartition("/")[2]
    name = given.get("name") or plain(last).strip("-._+") or "model"
    options = {key: value for key, value in given.items() if key != "name"}
    return [_entry(name, options, "--judges language_model")]


def read_judges(path: Path) -> list[JudgeSpec]:
    """The language models of a YAML file, name -> options, in the file's order."""
    entries = read_yaml(path, nearest(path.stem, known_judges()), EXAMPLE)
    if not isinstance(entries, dict) or not entries:
        raise UserError(f"{path}: expected names of judges, each with its options.", EXAMPLE)
    return [_entry(name, entry, f"{path}: judge '{name}'") for name, entry in entries.items()]


def _checked_name(name: Any, where: str, kind: str = "") -> str:
    """Return a name that a judge of this kind may have in a study; else raise `UserError`."""
    if not isinstance(name, str) or not STEM.match(name) or (name in known_judges() and name != kind):
        raise UserError(
            f"{where}: not a valid name.",
            "Use letters, digits and . _ + -; begin with a letter or digit; no other kind of judge has that name.",
        )
    return name


def _entry(name: Any, entry: Any, where: str) -> JudgeSpec:
    from parlai_spotbot.judges.language_model.options import read_options

    _checked_name(name, where)
    if not isinstance(entry, dict):
        raise UserError(f"{where}: expected keys and values, found {entry!r}.", EXAMPLE)
    if entry.get("kind", LANGUAGE_MODEL) != LANGUAGE_MODEL:
        raise UserError(
            f"{where}: kind is {entry['kind']!r}; a file holds judges of kind {LANGUAGE_MODEL} alone.",
            "Name others beside the file: --judges spotter,judges.yaml.",
        )
    options = {key: value for key, value in entry.items() if key != "kind"}
    return JudgeSpec(name, LANGUAGE_MODEL, read_options(options, where))
