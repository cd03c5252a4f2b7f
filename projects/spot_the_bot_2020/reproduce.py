"""The whole reproduction: reads the release, makes every table, writes them as CSV, JSON and text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from parlai_spotbot import files
from parlai_spotbot.analysis.frames import entities_frame
from parlai_spotbot.analysis.survival import events
from parlai_spotbot.importers.spotbot2020_dump import DOMAINS, Dump, read_dump, select
from parlai_spotbot.importers.spotbot2020_oddities import oddities
from parlai_spotbot.options import option
from parlai_spotbot.projects.cells import PaperTable, paper_values, reached, write_tables
from parlai_spotbot.projects.spot_the_bot_2020 import labels, survival, wins


@dataclass(frozen=True)
class SpotTheBotSettings:
    """Numbers behind the tables; `runs` are those of the paper's ranges."""

    seed: int = option(0, "where all chance starts")
    runs: int = 20
    stability: bool = option(False, "also Figures 3a and 3b (section 5.2)")
    repetitions: int = option(1000, "of Figures 3a and 3b (the paper's)")


@dataclass(frozen=True)
class DomainReproduction:
    """One domain: its annotated entities and its tables, in the paper's order."""

    entities: pd.DataFrame
    tables: dict[str, PaperTable]


def reproduce_domain(
    dump: Dump, settings: SpotTheBotSettings = SpotTheBotSettings(), progress: Callable[[str], None] = lambda _: None
) -> DomainReproduction:
    """Every table of one domain."""
    paper, domain = paper_values("spot_the_bot_2020"), dump.domain.name
    annotations = select(dump)
    annotations.attrs["domain"] = domain
    entities = entities_frame(annotations)
    rows = events(entities)
    printed = paper["win_tables"]

    def win_table(name: str) -> PaperTable:
        return wins.win_table(name, printed, annotations, domain, settings.runs, settings.seed)

    makers: dict[str, Callable[[], PaperTable]] = {
        "table1": lambda: win_table("table1"),
        "table2": lambda: wins.table2(paper, annotations, rows, domain),
        "figure2": lambda: survival.figure2(rows, dump.domain.bots, domain),
        "section42": lambda: survival.section42(paper, annotations, rows, dump.domain.bots),
        "table3": lambda: labels.table3_of(entities, domain),
        "footnote3": lambda: labels.footnote3(annotations, domain),
        "footnote9": lambda: labels.footnote9(entities, domain),
        "table4": lambda: labels.table4(paper, annotations, domain),
        "section53": lambda: labels.section53(paper, annotations, domain),
        "table5": lambda: win_table("table5"),
        "table6": lambda: win_table("table6"),
        "table7": lambda: labels.table7(paper, dump),
        "table8": lambda: labels.table8(paper, annotations, entities, dump),
        "table9": lambda: labels.table9(paper, entities, domain),
        "appendixG": lambda: labels.appendix_g(annotations, entities, dump.domain.bots, domain),
    }
    if settings.stability:
        from parlai_spotbot.projects.spot_the_bot_2020 import reliability

        makers |= reliability.makers(paper, annotations, dump.domain.bots, settings.repetitions, settings.seed)
    tables = {}
    for name, make in makers.items():
        progress(f"{domain}: {name}")
        tables[name] = make()
    return DomainReproduction(entities, tables)


def reproduce(
    data: Path | str,
    out: Path | str,
    domains: Sequence[str] = tuple(DOMAINS),
    settings: SpotTheBotSettings = SpotTheBotSettings(),
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, dict[str, PaperTable]]:
    """Reproduce `domains` and write everything under `out`; returns the tables by domain, "all" for those over all.

    All data are read, and bad ones refused, before anything is written.
    """
    dumps = [read_dump(data, domain) for domain in domains]
    out = Path(out)
    result: dict[str, dict[str, PaperTable]] = {}
    entities = {}
    for dump in dumps:
        done = reproduce_domain(dump, settings, progress)
        entities[dump.domain.name] = done.entities
        result[dump.domain.name] = done.tables
        odd = oddities(dump)
        files.write_text(out / dump.domain.name / "oddities.csv", files.frame_csv(odd))
        write_tables(out / dump.domain.name, done.tables, odd.to_dict(orient="records"))
    if set(domains) == set(DOMAINS):
        result["all"] = {"table3": labels.table3(paper_values("spot_the_bot_2020"), entities)}
        write_tables(out / "all", result["all"])
    files.write_text(out / "summary.txt", summary(result) + "\n")
    return result


def summary(result: dict[str, dict[str, PaperTable]]) -> str:
    """One line a table: how many of the paper's values come out."""
    lines = []
    for domain, tables in result.items():
        hit, total = reached(tables.values())
        lines.append(f"{domain}: {hit} of {total} values of the paper reached to their digits")
        lines += [f"  {name:<10} {table.verdict}" for name, table in tables.items()]
    return "\n".join(lines)
