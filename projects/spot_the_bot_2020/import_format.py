"""The released data of one domain as a study: packages become units, annotations become judgements."""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy, contestant
from parlai_spotbot.importers.judgements import wide_fields
from parlai_spotbot.projects.spot_the_bot_2020.dump import DEFAULT_LEAVE_OUT, DOMAINS, Dump, read_dump, select
from parlai_spotbot.projects.spot_the_bot_2020.oddities import oddities
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, Unit, indexed
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.units_file import in_turn

SURVEY = "spot_the_bot"
ANNOTATORS = 2
"""Annotators a segment, by the paper's plan."""

PREFERRED = {1: "entity:0", 0: "no_difference", -1: "entity:1"}


def spotbot2020(path: Path | str, domain: str, leave_out: Collection[str] = DEFAULT_LEAVE_OUT) -> ImportedStudy:
    """Read one domain of the released data, ready for `parlai_spotbot.importers.imported_study.write_study`."""
    dump = read_dump(path, domain)
    annotations = select(dump, leave_out)
    hits = annotations.drop_duplicates(["unit_id", "worker_id"])
    place = hits.groupby("unit_id").cumcount()  # which annotator of a package, in the order of the dump
    names = dict(zip(zip(hits["unit_id"], hits["worker_id"], strict=True), place, strict=True))
    rows = zip(annotations["unit_id"], annotations["worker_id"], strict=True)
    annotations = annotations.assign(unit_id=[f"{unit}-{names[unit, worker]}" for unit, worker in rows])
    table = oddities(dump, leave_out)
    about = {
        "format": "spotbot2020",
        "source": f"Deriu et al. 2020, released data, {domain}",
        "sha256": dump.sha256,
        "options": {"domain": domain, "leave_out": sorted(leave_out)},
        "conversations": len(dump.conversations),
        "annotations": len(annotations),
        "oddities": table.to_dict(orient="records"),
        "annotators": "annotators bear numbers, in the order of the dump; the platform's ids are not kept",
    }
    judgements = [judgement for row in annotations.to_dict(orient="records") for judgement in _answers(row)]
    units = _units(dump, hits["unit_id"].value_counts())
    return ImportedStudy(_plan(dump), dump.conversations, SURVEY, units, judgements, about)


def _plan(dump: Dump) -> Plan:
    name_by_entity = {}
    for c in dump.conversations:
        name_by_entity.update(zip(c.entities, c.provenance["system_name"], strict=True))
    return Plan(
        domain=dump.domain.name,
        contestants={
            bot: contestant(bot, f"released conversations of {name_by_entity[bot]}") for bot in dump.domain.bots
        },
        conversations_per_pair=45,
        exchanges=max(dump.domain.segments),
        segments=dump.domain.segments,
        human_conversations=sum(HUMAN in c.entities for c in dump.conversations),
    )


def _units(dump: Dump, annotators: pd.Series) -> list[Unit]:
    """One unit a package and annotator: two, or as many as there were; one block, for packages share conversations."""
    by_id = indexed(dump.conversations)
    return [
        Unit(
            f"{package}-{n}", SURVEY, dump.domain.name, rotation, n, tuple(_item(by_id[i], k) for i, k in shown.items())
        )
        for rotation, (package, shown) in enumerate(dump.packages.items())
        for n in range(max(ANNOTATORS, annotators.get(package, 0)))
    ]


def _item(conversation: Conversation, k: int) -> Item:
    shown = in_turn(turn.text for turn in conversation.segment(k))
    return Item(f"{conversation.conversation_id}-{k}", (conversation.conversation_id,), k, (shown,))


def _answers(row: dict) -> list[Judgement]:
    """The five answers of one annotation: the nature of each entity, then the three preferences."""
    return [
        Judgement(
            judgement_id=f"{row['annotation_id']}-{column}",
            annotation_id=row["annotation_id"],
            survey=SURVEY,
            unit_id=row["unit_id"],
            item_id=row["item_id"],
            conversation_ids=(row["conversation_id"],),
            exchanges=row["k"],
            target=target,
            question=question,
            answer=row[column] if question == "nature" else PREFERRED[row[column]],
            worker_id=row["worker_id"],
            source="human",
            presentation={"entity:0": "Entity 0", "entity:1": "Entity 1"},
            started_at=_iso(row["started"]),
            submitted_at=_iso(row["submitted"]),
            seconds=None if pd.isna(row["seconds"]) else row["seconds"],
        )
        for column, (question, target) in wide_fields(get_survey(SURVEY)).items()
    ]


def _iso(milliseconds: float) -> str:
    if pd.isna(milliseconds):
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def _checked_study(request: ImportRequest) -> ImportedStudy:
    if request.domain is None:
        raise UserError("--domain missing.", f"Name one of {', '.join(DOMAINS)}.")
    leave_out = [part.strip() for part in request.leave_out.split(",") if part.strip()]
    return spotbot2020(request.data, request.domain, [] if request.leave_out == "none" else leave_out)


FORMAT = study_format(_checked_study)
