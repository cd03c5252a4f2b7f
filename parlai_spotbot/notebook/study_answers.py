"""A study as a notebook holds it, and the answers to one of its surveys, of one source or of all."""

from __future__ import annotations

import tempfile
import zipfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from parlai_spotbot import in_html
from parlai_spotbot.errors import nearest
from parlai_spotbot.notebook.calling import as_value_error
from parlai_spotbot.study import Study as StoredStudy
from parlai_spotbot.surveys import Survey, known_survey
from parlai_spotbot.wording import counted, listed, source_said

if TYPE_CHECKING:
    import pandas as pd

    from parlai_spotbot.findings.answers import Facts
    from parlai_spotbot.findings.survey_data import SurveyData


SHOWN = {
    "item_id": "about",
    "target": "target",
    "question": "question",
    "answer": "answer",
    "worker_id": "annotator",
    "source": "source",
}
"""Columns of answers that a notebook shows, and their headings; conversations replace an item's id."""
DEMO = Path(__file__).with_name("demo.zip")


class Study(StoredStudy):
    """A study, a folder with its plan and its conversations and judgements; with the answers to its surveys.

    Examples
    --------
    >>> study = sb.Study.open(sb.demo().path)
    >>> list(study.plan.contestants)
    ['tfidf', 'alice', 'eliza']
    >>> study.answers("spot_the_bot").sources
    ('judge:spotter',)
    """

    @classmethod
    def open(cls, path: Path | str, verify: bool = True) -> Self:
        """Read the study of a folder; a ValueError where there is none, or it is broken."""
        with as_value_error("path"):
            return super().open(path, verify)

    def answers(self, survey: str = "spot_the_bot") -> StudyAnswers:
        """The answers to a survey, without those on contestants left out; a ValueError where nobody has answered."""
        from parlai_spotbot.findings import findings_of
        from parlai_spotbot.findings.survey_data import begun

        names = sorted(data.survey for data in begun(self) if data.has_answers)
        if not findings_of(known_survey(self.load(survey))):
            raise ValueError(f"survey: there is no {survey!r}. {nearest(survey, names)}")
        if survey not in names:
            raise ValueError(f"survey: nobody has answered {survey!r} in {self.path}. {nearest(survey, names)}")
        return StudyAnswers(self.remaining(), survey)

    def _repr_html_(self) -> str:
        from parlai_spotbot.findings.survey_data import begun

        bots = [(name, bot.model or bot.model_file) for name, bot in self.plan.contestants.items()]
        answered = []
        for data in sorted(begun(self), key=lambda data: data.survey):
            if not data.has_answers:
                continue
            answers = self.answers(data.survey)
            answered.append((data.survey, f"{len(answers):,}", ", ".join(map(source_said, answers.sources))))
        talks = "votes"
        if self.conversations_path.exists():
            talks = counted(len(self.conversations()), "conversation")
        about = f"{self.plan.domain}: {talks} in {self.path}"
        tables: list[in_html.Table] = [("", ("Contestant", "What it is"), bots)]
        if answered:
            tables.append(("", ("Survey", "Answers", "By"), answered))
        return in_html.shown([about], tables)


@dataclass(frozen=True)
class StudyAnswers:
    """The answers to `survey` in `study`: of one `source`, "human" or "judge:NAME", or of all where it is "".

    `judgements` are a list of records; of votes, of which there may be millions, a table of codes.
    """

    study: Study
    survey: str
    source: str = ""

    @cached_property
    def data(self) -> SurveyData:
        from parlai_spotbot.findings.survey_data import SurveyData

        return SurveyData(self.study, self.survey)

    @property
    def asked(self) -> Survey:
        return self.data.asked

    @property
    def everybody(self) -> Any:
        with as_value_error("study"):
            return self.data.answered

    @property
    def facts(self) -> Facts:
        with as_value_error("study"):
            return self.data.facts

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Sources of the answers, people first."""
        from parlai_spotbot.findings.survey_data import sources_of

        return sources_of(self.everybody)

    @property
    def judgements(self) -> Any:
        if not self.source:
            return self.everybody
        if isinstance(self.everybody, list):
            return [row for row in self.everybody if row.source == self.source]
        return self.everybody[self.everybody["source"] == self.source].reset_index(drop=True)

    def of(self, source: str) -> StudyAnswers:
        """Return those of one source: "human", "judge:spotter", or a judge's name alone."""
        for name in self.sources:
            if source in (name, name.removeprefix("judge:")):
                return replace(self, source=name)
        raise ValueError(f"source: {source!r} gave no answers. {nearest(source, self.sources)}")

    @property
    def frame(self) -> pd.DataFrame:
        """One row an answer, as it is on disk."""
        import pandas as pd

        rows = self.judgements
        if isinstance(rows, list):
            return pd.DataFrame([row.to_json() for row in rows])
        return rows

    def __len__(self) -> int:
        return len(self.judgements)

    def __repr__(self) -> str:
        return f"<{len(self)} answers to {self.survey} by {self.source or ', '.join(self.sources)}>"

    def _repr_html_(self) -> str:
        frame = self.frame.head(in_html.MOST_ROWS)
        if "conversation_ids" in frame:
            frame = frame.assign(item_id=frame["conversation_ids"].map(", ".join))
        columns = [name for name in SHOWN if name in frame]
        rows = frame[columns].to_numpy().tolist()
        sources = [self.source] if self.source else self.sources
        caption = f"{counted(len(self), 'answer')} to {self.survey} by {listed(map(source_said, sources))}"
        title = ""
        if len(self) > len(rows):
            title = f"The first {len(rows)}"
        return in_html.shown([caption], [(title, [SHOWN[name] for name in columns], rows)])


def demo() -> Study:
    """A small study that comes with the package, in a folder of its own for as long as the program runs.

    Its bots are those of the pool of rules, its people the embedded domain's; the judge spotter answered, no person.
    ``.ci/demo_study`` made it.

    Returns
    -------
    Study
        Study of three bots, judged.

    Examples
    --------
    >>> sb.demo().answers()
    <960 answers to spot_the_bot by judge:spotter>
    """
    folder = temporary_folder()
    with zipfile.ZipFile(DEMO) as packed:
        packed.extractall(folder)
    return Study.open(folder / "demo")


_FOLDERS: list[tempfile.TemporaryDirectory] = []
"""Those of `temporary_folder`."""


def temporary_folder() -> Path:
    """An empty folder that goes when the program ends."""
    _FOLDERS.append(tempfile.TemporaryDirectory(prefix="spotbot-"))
    return Path(_FOLDERS[-1].name)
