"""Carry out the study and write its tables, the paper's beside ours."""

from pathlib import Path

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.projects.cells import PaperTable, write_tables
from parlai_spotbot.projects.next_utterance_classification import steps, tables
from parlai_spotbot.projects.next_utterance_classification.steps import NucStudySettings
from parlai_spotbot.study import Study
from parlai_spotbot.terminal import Say


def run(out: Path | str, settings: NucStudySettings | None = None, say: Say = print) -> dict[str, PaperTable]:
    """Everything, into `out`; what is done already is left as it is. Returns the tables by name.

    Raises `UserError` for what can't be carried out.
    """
    settings = settings or NucStudySettings()
    check(settings)
    out = Path(out).expanduser().resolve()
    with files.lock(out / ".lock", "next_utterance_classification"):
        study = steps.study_of(out, settings)
        say("scoring: every contestant picks the real next turn among five candidates")
        steps.score(study.path, settings)
        why = steps.pack(study)
        say(f"no survey for people: {why}" if why else told(study.path))
        return write(out, study, settings)


def check(settings: NucStudySettings) -> None:
    """Raise `UserError` for settings with which nothing can be done."""
    for name, least in {"questions": 2, "epochs": 1}.items():
        value = getattr(settings, name)
        if value < least:
            raise UserError(f"--{name} {value}: too few.", f"{least} at least.")


def told(path: Path) -> str:
    """Describe how people come in."""
    return (
        f"the survey for people is packed; to put it before them:\n"
        f"  {hints.command('crowdsource', path, 'nuc')}\n"
        f"  {hints.command('collect', path, 'nuc')}\n"
        "then run the same command again: the tables then have people's figures, too"
    )


def write(out: Path, study: Study, settings: NucStudySettings) -> dict[str, PaperTable]:
    """The tables from the study's results, in `out`."""
    ranking = files.read_json(study.path / "nuc" / "analysis" / "ranking.json", "file of results")
    people = steps.people(study, settings.seed)
    tables_by_name = {
        table.name: table for table in (tables.table2(ranking, people), tables.table1(people), tables.tests(ranking))
    }
    write_tables(out, tables_by_name)
    return tables_by_name
