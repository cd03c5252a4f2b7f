"""The whole reproduction: reads the release, makes every table, writes them as CSV, JSON and text."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.analysis.frames import entities_frame
from parlai_spotbot.analysis.survival import events
from parlai_spotbot.projects.cells import PaperTable, paper_values, reached, write_tables
from parlai_spotbot.projects.spot_the_bot_2020 import labels, survival, wins
from parlai_spotbot.projects.spot_the_bot_2020.definitions import DomainData, SpotTheBotSettings
from parlai_spotbot.projects.spot_the_bot_2020.dump import DOMAINS, Dump, read_dump, select
from parlai_spotbot.projects.spot_the_bot_2020.oddities import oddities

MAKERS = {
    "table1": partial(wins.win_table, "table1"),
    "table2": wins.table2,
    "figure2": survival.figure2,
    "section42": survival.section42,
    "table3": labels.table3_of,
    "footnote3": labels.footnote3,
    "footnote9": labels.footnote9,
    "table4": labels.table4,
    "section53": labels.section53,
    "table5": partial(wins.win_table, "table5"),
    "table6": partial(wins.win_table, "table6"),
    "table7": labels.table7,
    "table8": labels.table8,
    "table9": labels.table9,
    "appendixG": labels.appendix_g,
}
"""Tables of a domain, in the paper's order."""


def reproduce_domain(
    dump: Dump, settings: SpotTheBotSettings, progress: Callable[[str], None] = lambda _: None
) -> tuple[DomainData, dict[str, PaperTable]]:
    """One domain and its tables."""
    annotations = select(dump)
    entities = entities_frame(annotations)
    data = DomainData(dump, annotations, entities, events(entities), paper_values("spot_the_bot_2020"), settings)
    makers = MAKERS
    if settings.stability:
        from parlai_spotbot.projects.spot_the_bot_2020 import reliability

        makers = makers | {"figure3a": reliability.figure3a}
        makers |= {"figure3b": reliability.figure3b} if data.domain == reliability.LEAVE_ONE_OUT else {}
    tables = {}
    for name, make in makers.items():
        progress(f"{data.domain}: {name}")
        tables[name] = make(data)
    return data, tables


def reproduce(
    data: Path | str,
    out: Path | str,
    domains: Sequence[str],
    settings: SpotTheBotSettings,
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
        data, result[dump.domain.name] = reproduce_domain(dump, settings, progress)
        entities[dump.domain.name] = data.entities
        odd = oddities(dump)
        files.write_text(out / dump.domain.name / "oddities.csv", files.frame_csv(odd))
        write_tables(out / dump.domain.name, result[dump.domain.name], odd.to_dict(orient="records"))
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
