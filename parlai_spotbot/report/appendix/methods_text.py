"""The methods paragraph of a paper, one a survey, with the numbers of the study: conversations, answers, statistics.

The text is ``methods_text.jinja``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader, Template, select_autoescape

from parlai_spotbot.analysis.ranking.contrasts import MINIMUM
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.result import SETTLED, Result
from parlai_spotbot.findings.settled import summarise
from parlai_spotbot.findings.whole_study import hygiene
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.chapters import known_to
from parlai_spotbot.report.lead import begun
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.wording import asked, counted, listed, number, people_said, plainly, to, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

NAMES = 50
"""The paragraph names so many contestants; of more it states the number."""

FAVOURED = {"fluency": "more fluent", "sensibleness": "more sensible", "specificity": "more specific"}


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent, encoding="utf-8"),
        autoescape=select_autoescape(),  # none: it isn't HTML
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = (asked, counted, listed, number, people_said, upper_first)
    known = {"NAMES": NAMES, "MINIMUM": MINIMUM, **{word.__name__: word for word in words}}
    return environment.get_template("methods_text.jinja", globals=known)


def methods(read: Sequence[SurveyData]) -> list[str]:
    """Return one paragraph a survey; the first also describes the conversations."""
    told = begun(read)
    with known_to(told[0]):
        results = hygiene.read(told[0].study, [contents.survey for contents in read])
    first = _conversations(told) | {"faults": hygiene.careful_of(results.get("", Frames()))}
    paragraphs = []
    for contents in told:
        text = _template().render(contents=contents, **_survey(contents), **first)
        paragraphs.append(re.sub(r"[ \n]+", " ", text).strip())
        first = {}
    return paragraphs


def _conversations(read: Sequence[SurveyData]) -> dict[str, Any]:
    """Return what the first paragraph says of the study's conversations."""
    conversations = read[0].conversations
    return {
        "first": True,
        "plan": read[0].study.plan,
        "only_votes": all(contents.counted for contents in read),
        "kinds": Counter(c.kind for c in conversations),
        "bots": sum(c.kind != "people" for c in conversations),
        "pairs": len({frozenset(c.entities) for c in conversations if c.kind != "people"}),
    }


def _survey(contents: SurveyData) -> dict[str, Any]:
    """Return what a paragraph says of its survey, of the answers and of how they were analysed."""
    survey = contents.launched
    features: list[str] = []
    questions: list[str] = []
    if survey is not None:
        questions = [(one.heading or one.name).lower() for one in survey.questions if one.kind != "free_text"]
        if survey.spots:
            features = [FAVOURED.get(name, f"better in {plainly(name)}") for name in features_of(survey)]
    rows = [row for row in contents.judgements if row.source == HUMAN]
    failed = contents.of("annotators", HUMAN).one("controls").get("failed", ())
    return {
        "provenance": contents.study.provenance(),
        "survey": survey,
        "features": features,
        "questions": questions,
        "cuts": survey is not None and packing_of(survey).cuts,
        "sources": [_answers(contents, source) for source in contents.sources if contents.annotations(source)],
        "controls": len({row.annotation_id for row in rows if row.control}),
        "failed": len({row.worker_id for row in rows if row.control is None}.intersection(failed)),
        "settled": _settled(contents),
        **_ranking(contents),
    }


def _settled(contents: SurveyData) -> dict[str, Any]:
    """Return how a survey was served until settled, and what came of it; {} where it was not."""
    for source in contents.sources:
        frames = contents.of(SETTLED, source)
        if frames:
            sentences = summarise(Result(source, frames))
            return {**frames.one("whole"), "pairs": frames.rows("pairs"), "sentences": sentences}
    return {}


def _answers(contents: SurveyData, source: str) -> dict[str, Any]:
    """Return how many annotations of how many items a source gave, controls aside, and how accurate a judge is."""
    if contents.counted:
        annotations = contents.annotations(source)
        items = contents.of("votes", source).one("prompts")["count"] or annotations
    else:
        rows = [row for row in contents.judgements if row.source == source and row.control is None]
        annotations = len({row.annotation_id for row in rows})
        items = len({row.item_id for row in rows})
    right = []
    for variant in contents.judges.get(source, {}).get("variants", {}).values():
        if isinstance(variant, dict) and variant.get("balanced_accuracy") is not None:
            right.append(variant["balanced_accuracy"])
    return {"source": source, "annotations": annotations, "items": items, "right": sorted(right)}


def _ranking(contents: SurveyData) -> dict[str, Any]:
    """Return the ranking of the first source that has one, its clusters if it is of votes, and alpha of each
    question."""
    for source in contents.sources:
        ranking = contents.ranking(source)
        if contents.annotations(source) and ranking.compares:
            break
    else:
        return {}
    shared = ""
    if contents.counted:
        votes = contents.of("votes", source)
        clusters = [
            what for what in ("prompts", "annotators") if 1 < votes.one(what)["count"] < votes.one(what)["known"]
        ]
        shared = "votes as independent"
        if clusters:
            shared = f"{' and '.join(clusters)} as clusters"
    alphas = [
        f"{plainly(row['question'])} {number(row['alpha'])}{to([row['alpha_low'], row['alpha_high']], number)}"
        for row in contents.of("agreement", HUMAN).rows("alpha")
        if row["alpha"] is not None
    ]
    return {"ranking": ranking, "ranked_by": source, "shared": shared, "alphas": alphas}
