"""What a study knows of its survey `nuc`: the key, the groups, and the contestants' scores of the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from parlai_spotbot import files
from parlai_spotbot.nuc.facts import Facts
from parlai_spotbot.nuc.scoring.scores import CAUTIONS, SAID, Scores
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions
from parlai_spotbot.surveys.packing.candidates import key_of
from parlai_spotbot.surveys.packing.units_file import packed_with

REMEDY = "Run the same spotbot_nuc command again."


def facts_of(study: Study) -> Facts:
    """Everything that the analysis wants beside the answers; `UserError` where nothing is packed or a file is wrong."""
    key = key_of(study)
    groups = (packed_with(study, "nuc") or {}).get("groups", [])
    models, ways, unscored = _models(study, key)
    return Facts(
        questions=key,
        groups={unit.unit_id: unit.group for unit in study.units("nuc")},
        about={row["name"]: {name: row.get(name, "") for name in ("expertise", "recruited")} for row in groups},
        models=models,
        ways={name: SAID[way] for name, way in ways.items()},
        unscored=unscored,
        cautions=tuple(CAUTIONS[way] for way in dict.fromkeys(ways.values()) if way in CAUTIONS),
    )


def _models(study: Study, key: Mapping[str, NucQuestion]) -> tuple[dict, dict, dict]:
    """Scores by contestant and item, the way that stands for each contestant, and in how many items scores lack."""
    folder = study.path / "nuc"
    ranking = folder / "analysis" / "ranking.json"
    if not ranking.exists() or not (folder / "questions.jsonl").exists():
        return {}, {}, {}
    asked = {question.question_id: question for question in read_questions(folder / "questions.jsonl")}
    models, ways, unscored = {}, {}, {}
    for row in files.field(files.read_json(ranking, "file of results", REMEDY), "contestants", list, str(ranking)):
        path = folder / "scores" / f"{row['contestant']}.jsonl"
        if not row["main"] or not path.exists():
            continue
        scores = files.read_jsonl(path, Scores.from_json, "file of scores", torn_tail=True)
        own = matched(key, asked, [score for score in scores if score.way == row["way"]])
        models[row["contestant"]], ways[row["contestant"]] = own, row["way"]
        unscored[row["contestant"]] = len(key) - len(own)
    return models, ways, unscored


def matched(
    key: Mapping[str, NucQuestion], asked: Mapping[str, NucQuestion], scores: Sequence[Scores]
) -> dict[str, np.ndarray]:
    """A contestant's scores of each item's candidates, found by question and text: people may be shown fewer of them.

    Items of which a candidate has no score are left out.
    """
    by = {score.question_id: score.values for score in scores}
    found = {}
    for item_id, question in key.items():
        other, values = asked.get(question.question_id), by.get(question.question_id)
        if other is None or values is None or len(values) != len(other.candidates):
            continue
        of = dict(zip(other.candidates, values, strict=True))
        if all(text in of for text in question.candidates):
            found[item_id] = np.array([of[text] for text in question.candidates], dtype=float)
    return found
