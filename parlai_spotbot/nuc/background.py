"""Facts that the analysis of people's choices needs: the key, the groups, and what models made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from parlai_spotbot import files
from parlai_spotbot.nuc.scoring.scores import CAUTIONS, WAY_TITLES, CandidateScores
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions
from parlai_spotbot.surveys.packing.candidates import key_of
from parlai_spotbot.surveys.packing.units_file import packed_with
from parlai_spotbot.user_files import read_fields

REMEDY = "Run the same spotbot_nuc command again."


@dataclass(frozen=True)
class NucBackground:
    """Facts about a study's survey `nuc`.

    Attributes
    ----------
    questions : mapping of item_id to `NucQuestion`
        The answer key.
    groups : mapping of unit_id to str
        The group that each unit was packed for; "" where there is one group.
    about : mapping of group to {"expertise", "recruited"}
        What the study says of each group, "" where nothing.
    models : mapping of contestant to {item_id: float (n_candidates,)}
        Scores of the candidates as people saw them, in the question's order, by the way that stands for a contestant.
    ways : mapping of contestant to str
        That way, in words; a star marks one that isn't the contestant's own choice.
    unscored : mapping of contestant to int
        In how many of the questions some candidate has no score.
    cautions : tuple of str
        What is to be known of the ways.
    """

    questions: Mapping[str, NucQuestion]
    groups: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    ways: Mapping[str, str] = field(default_factory=dict)
    unscored: Mapping[str, int] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()


def background_of(data: SurveyFiles) -> NucBackground:
    """Everything that the analysis wants beside the answers; `UserError` where nothing is packed or a file is wrong."""
    key = key_of(data)
    groups = (packed_with(data) or {}).get("groups", [])
    models, ways, unscored = _models(data.study.path / "nuc", key)
    about = {}
    for row in groups:
        about[row["name"]] = {name: row.get(name, "") for name in ("expertise", "recruited")}
    return NucBackground(
        questions=key,
        groups={unit.unit_id: unit.group for unit in data.units},
        about=about,
        models=models,
        ways={name: WAY_TITLES[way] for name, way in ways.items()},
        unscored=unscored,
        cautions=tuple(CAUTIONS[way] for way in dict.fromkeys(ways.values()) if way in CAUTIONS),
    )


def _models(folder: Path, key: Mapping[str, NucQuestion]) -> tuple[dict, dict, dict]:
    """Scores by contestant and item, the way that stands for each contestant, and in how many items scores lack.

    `folder` has the questions, scores and results of the study's contestants.
    """
    ranking = folder / "analysis" / "ranking.json"
    if not ranking.exists() or not (folder / "questions.jsonl").exists():
        return {}, {}, {}
    questions = {question.question_id: question for question in read_questions(folder / "questions.jsonl")}
    models = {}
    ways = {}
    unscored = {}
    results = files.read_json(ranking, "file of results", REMEDY)
    for row in read_fields(results, str(ranking), contestants=list)[0]:
        path = folder / "scores" / f"{row['contestant']}.jsonl"
        if not row["main"] or not path.exists():
            continue
        scores = files.read_jsonl(path, CandidateScores.from_json, "file of scores", torn_tail=True)
        values = matched(key, questions, [score for score in scores if score.way == row["way"]])
        models[row["contestant"]] = values
        ways[row["contestant"]] = row["way"]
        unscored[row["contestant"]] = len(key) - len(values)
    return models, ways, unscored


def matched(
    key: Mapping[str, NucQuestion], questions: Mapping[str, NucQuestion], scores: Sequence[CandidateScores]
) -> dict[str, np.ndarray]:
    """A contestant's scores of each item's candidates, found by question and text: people may be shown fewer of them.

    Items of which a candidate has no score are left out.
    """
    by = {score.question_id: score.values for score in scores}
    scores_by_item = {}
    for item_id, question in key.items():
        other = questions.get(question.question_id)
        values = by.get(question.question_id)
        if other is None or values is None or len(values) != len(other.candidates):
            continue
        value_by_text = dict(zip(other.candidates, values, strict=True))
        if all(text in value_by_text for text in question.candidates):
            scores_by_item[item_id] = np.array([value_by_text[text] for text in question.candidates], dtype=float)
    return scores_by_item
