"""What is known of a study, gathered from its files for the texts of a paper's appendix: nothing is guessed.

Whatever a file does not say is None or empty here, and the texts leave it to the authors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.contents import Contents, surveys_of
from parlai_spotbot.findings.source_accounts import account_of
from parlai_spotbot.findings.whole_study import hygiene
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import Survey, about_of, survey_of
from parlai_spotbot.surveys.packing import packing_of

ENGLISH = ("chitchat", "dailydialog", "empathetic_dialogues", "empathetic", "convai2")
"""Domains whose conversations are known to be in English."""


@dataclass(frozen=True)
class SourceProfile:
    """What one source of a survey gave. Controls are no annotations; seconds are None where no time is known."""

    source: str
    annotations: int
    annotators: int
    items: int
    controls: int
    most: int
    median_seconds: float | None
    mean_seconds: float | None
    hours: float | None
    alpha: dict[str, tuple[float, list | None]]
    controls_sentence: str
    left_out: int
    with_everybody: str
    ranking: dict
    doubts: tuple[str, ...] = ()
    clusters: tuple[str, ...] | None = None
    """What votes are known to share; None of other surveys, whose ranking says it."""

    @property
    def human(self) -> bool:
        return self.source == HUMAN


@dataclass(frozen=True)
class SurveyProfile:
    """A survey of the study: what is asked (None where the survey isn't known here), and what came of it."""

    name: str
    survey: Survey | None
    units: int
    items: int
    lengths: tuple[int, ...]
    sources: tuple[SourceProfile, ...]
    packed: dict
    controls: dict
    collection: dict
    options: dict
    judges: dict[str, dict] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return about_of(self.name).in_text

    @property
    def people(self) -> SourceProfile | None:
        """What people gave, if they did."""
        return next((own for own in self.sources if own.human), None)

    @property
    def settings(self) -> dict:
        return self.collection.get("settings") or {}

    @property
    def limits(self) -> dict:
        """The limits in force: the launch's, else, where people were asked here, nothing is known."""
        return self.collection.get("limits") or {}


@dataclass(frozen=True)
class StudyProfile:
    """A study. `bots` and `people` count conversations with bots and between people; `kinds` those of each kind."""

    study: Study
    provenance: dict
    bots: int
    people: int
    with_people: int
    self_chats: int
    pairs: int
    turns: int
    surveys: tuple[SurveyProfile, ...]
    faults: tuple[str, ...] = ()

    @property
    def plan(self):
        return self.study.plan

    @property
    def imported(self) -> dict:
        return self.provenance.get("import") or {}

    @property
    def selfplay(self) -> dict:
        return self.provenance.get("selfplay") or {}

    @property
    def language(self) -> str | None:
        """The language of the conversations, where it is known."""
        return "English" if self.plan.domain in ENGLISH else None

    @property
    def spoken(self) -> bool:
        """Whether the study is one of conversations: votes come without."""
        return not all(own.survey is not None and packing_of(own.survey).comes_in for own in self.surveys)

    @property
    def human(self) -> bool:
        """Whether people judged anything."""
        return any(survey.people for survey in self.surveys)


NAMES = 50
"""Texts name so many contestants; of more they tell the number."""


def profile_of(study: Study, read: Iterable[Contents] = ()) -> StudyProfile:
    """Read everything but what has been `read` already; a malformed file is a `UserError`."""
    at_hand = {own.survey: own for own in read}
    found = next((own.conversations for own in at_hand.values()), None)
    conversations = study.conversations() if found is None else found
    bots = [c for c in conversations if not all(c.is_human)]
    return StudyProfile(
        study=study,
        provenance=study.provenance(),
        bots=len(bots),
        people=len(conversations) - len(bots),
        with_people=sum(any(c.is_human) for c in bots),
        self_chats=sum(c.entities[0] == c.entities[1] for c in bots),
        pairs=len({tuple(sorted(c.entities)) for c in bots}),
        turns=sum(len(c.turns) for c in conversations),
        surveys=tuple(_survey(study, name, at_hand.get(name)) for name in _begun(study)),
        faults=tuple(hygiene.careful_of(hygiene.read(study, surveys_of(study)))),
    )


def _begun(study: Study) -> list[str]:
    """Return the surveys that have units or judgements; of a study without any the plan's first."""
    names = surveys_of(study)
    paths = {name: (study.units_path(name), study.judgements_path(name)) for name in names}
    return [name for name in names if any(path.exists() for path in paths[name])] or names[:1]


def _survey(study: Study, name: str, read: Contents | None) -> SurveyProfile:
    provenance, known = study.provenance(), _known(study, name)
    units = study.units(name) if study.units_path(name).exists() else []
    counted = known is not None and packing_of(known).comes_in
    there = study.judgements_path(name).exists() and not counted
    rows = read.judgements if read else study.judgements(name) if there else []
    stems = {stem: _analysis(study, name, stem) for stem in ("ranking", "agreement", "annotators", "trust")}
    sources = sorted({row.source for row in rows}, key=lambda source: (source != HUMAN, source))
    shown = [item.exchanges for unit in units for item in unit.items] or [row.exchanges for row in rows]
    ranking = _read(study.analysis_path(name) / "ranking.json")
    packed = (provenance.get("pack") or {}).get(name) or {}
    return SurveyProfile(
        name=name,
        survey=known,
        units=len(units),
        items=len({item.item_id for unit in units for item in unit.items}),
        lengths=tuple(sorted(set(shown) - {0})),
        sources=_of_votes(study, name, stems["ranking"])
        if counted
        else tuple(_source(source, rows, {s: own.get(source, {}) for s, own in stems.items()}) for source in sources),
        packed=packed.get("options") or {},
        controls=(provenance.get("controls") or {}).get(name) or {},
        collection=(provenance.get("crowdsourcing") or {}).get(name) or {},
        options=(ranking.get("made_by") or {}).get("options") or {},
        judges=_judges(study, name),
        warnings=tuple(packed.get("warnings") or ()),
    )


def _of_votes(study: Study, name: str, ranking: dict[str, dict]) -> tuple[SourceProfile, ...]:
    """Of votes, which aren't read one by one, what their analysis says."""
    found = _analysis(study, name, "votes")
    return tuple(
        SourceProfile(
            source,
            annotations=own["n"],
            annotators=own["annotators"]["count"],
            items=own["prompts"]["count"] or own["n"],
            controls=0,
            most=own["annotators"]["most"],
            median_seconds=None,
            mean_seconds=None,
            hours=None,
            alpha={},
            controls_sentence="",
            left_out=0,
            with_everybody="",
            ranking=ranking.get(source, {}),
            clusters=tuple(what for what in ("prompts", "annotators") if 1 < own[what]["count"] < own[what]["known"]),
        )
        for source, own in sorted(found.items(), key=lambda entry: (entry[0] != HUMAN, entry[0]))
    )


def _known(study: Study, name: str) -> Survey | None:
    try:
        return survey_of(study, name)
    except UserError:
        return None


def _read(path: Path) -> dict:
    value = checksums.read_json(path, "analysis file") if path.exists() else {}
    return value if isinstance(value, dict) else {}


def _analysis(study: Study, name: str, stem: str) -> dict[str, dict]:
    return _read(study.analysis_path(name) / f"{stem}.json").get("by_source") or {}


def _judges(study: Study, name: str) -> dict[str, dict]:
    folder = study.survey_path(name) / "judges"
    return {
        f"judge:{own.get('judge', path.stem)}": own for path in sorted(folder.glob("*.json")) if (own := _read(path))
    }


def _source(source: str, rows: Iterable[Judgement], found: dict[str, dict]) -> SourceProfile:
    own = [row for row in rows if row.source == source]
    data = [row for row in own if row.control is None]
    seconds = list({r.annotation_id: r.seconds for r in data if r.seconds is not None}.values())
    by_worker: dict[str, set[str]] = {}
    for row in data:
        by_worker.setdefault(row.worker_id, set()).add(row.annotation_id)
    about = found["annotators"] if isinstance(found["annotators"], dict) else {}
    controls = about.get("controls") or {}
    return SourceProfile(
        source=source,
        annotations=len({row.annotation_id for row in data}),
        annotators=len(by_worker),
        items=len({row.item_id for row in data}),
        controls=len({row.annotation_id for row in own if row.control is not None}),
        most=max(map(len, by_worker.values()), default=0),
        median_seconds=median(seconds) if seconds else None,
        mean_seconds=mean(seconds) if seconds else None,
        hours=sum(seconds) / 3600 if seconds else None,
        alpha=_alphas(found["agreement"]),
        controls_sentence=controls.get("sentence", "") if controls.get("answered") else "",
        left_out=len({row.worker_id for row in data} & set(controls.get("failed", ()))),
        with_everybody=(about.get("with_everybody") or {}).get("sentence", ""),
        ranking=found["ranking"],
        doubts=tuple(_doubts(source, found)),
    )


def _doubts(source: str, found: dict[str, dict]) -> list[str]:
    """Return what to beware of in a judge's answers: what they are worth as a whole, and beside people's."""
    verdict = found["trust"].get("verdict") or {}
    beside = [verdict["sentence"]] if verdict.get("warning") else []
    return [*account_of(source, found["annotators"]).sentences, *beside]


def _alphas(agreement: dict) -> dict[str, tuple[float, list | None]]:
    """Krippendorff's alpha by question, with its interval, wherever it could be computed."""
    found = agreement.get("krippendorff_alpha") or {}
    return {
        question: (entry["alpha"], entry.get("ci"))
        for question, entry in found.items()
        if isinstance(entry, dict) and entry.get("alpha") is not None
    }
