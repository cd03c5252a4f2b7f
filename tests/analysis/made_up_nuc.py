"""A study of next turns with answers by a rule: real units and checks, made-up annotators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml

from parlai_spotbot import files
from parlai_spotbot.nuc.corpora import Corpus, CorpusDialogue
from parlai_spotbot.nuc.sampling import SamplingSettings, sample
from parlai_spotbot.records import HUMAN, Contestant, Item, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions, write_questions
from parlai_spotbot.surveys.packing.candidates import key_of
from parlai_spotbot.surveys.packing.pack_study import pack_study

SKILL = {("paid", "movies"): 0.65, ("paid", "ubuntu"): 0.5, ("lab", "movies"): 0.9, ("lab", "ubuntu"): 0.85}
AGES = ("21-30", "21-30", "31-40", "21-30", "41-55", "31-40")


def questions(corpus: str, count: int) -> list[NucQuestion]:
    dialogues = tuple(
        CorpusDialogue(f"{corpus}{i}", tuple(f"{corpus} word{i}x{t} said" for t in range(7)), ("0", "1") * 3 + ("0",))
        for i in range(count)
    )
    return list(
        sample(Corpus(corpus, dialogues), SamplingSettings(candidates=5, lengths="2", questions=count)).questions
    )


def rows(
    annotation: str, unit: str, item: Item, answers: dict[str, str], worker: str, seconds: float | None = 20.0
) -> list[Judgement]:
    """An annotation's rows, as the server writes them."""
    return [
        Judgement(
            f"{annotation}-{name}",
            annotation,
            "nuc",
            unit,
            item.item_id,
            item.conversation_ids,
            item.exchanges,
            "conversation:0",
            name,
            value,
            worker,
            HUMAN,
            item.control,
            {},
            "",
            "",
            seconds,
        )
        for name, value in answers.items()
    ]


def said(worker: str, unit: str, **answers: str) -> list[Judgement]:
    """Rows of the questionnaire."""
    return [
        Judgement(
            f"q-{worker}-{name}",
            f"q-{worker}",
            "nuc",
            unit,
            "questionnaire",
            (),
            0,
            "annotator",
            name,
            value,
            worker,
            HUMAN,
        )
        for name, value in answers.items()
    ]


def made_up_study(path: Path, seed: int = 3) -> Study:
    """24 paid people, 8 of a lab, 12 questions each; one of the lab misses a check; the lab is better and slower."""
    pool = {name: Contestant(name, model=f"spotbot:{name}") for name in ("tfidf", "eliza")}
    study = Study.create(path, Plan("chitchat", pool, seed=5))
    asked = [*questions("movies", 40), *questions("ubuntu", 60)]
    write_questions(path / "nuc" / "questions.jsonl", asked)
    groups = {
        "paid": {"people": 24, "corpora": {"movies": 1, "ubuntu": 1}, "recruited": "paid"},
        "lab": {"people": 8, "corpora": {"movies": 1, "ubuntu": 2}, "recruited": "lab"},
    }
    (path / "groups.yaml").write_text(yaml.safe_dump({"subject": "Ubuntu", "groups": groups}), encoding="utf-8")
    pack_study(study, "nuc", unit_size=12, annotators_per_segment=2, groups=path / "groups.yaml")
    write_controls(study, "nuc")
    files.write_jsonl(study.judgements_path("nuc"), (row.to_json() for row in _answers(study, seed)))
    return study


def _answers(study: Study, seed: int) -> list[Judgement]:
    rng, key, made = np.random.default_rng(seed), key_of(study), []
    check = read_controls(study, "nuc")[0]
    for number, unit in enumerate(study.units("nuc")):
        worker = f"w{number:02d}"
        for place, item in enumerate(unit.items):
            question = key[item.item_id]
            order = [question.true, *rng.permutation([k for k in range(5) if k != question.true])]
            if rng.random() > SKILL[unit.group, question.corpus]:
                place_of_true = 1 if rng.random() < 0.5 else 2
                order[0], order[place_of_true] = order[place_of_true], order[0]
            answers = {"first": f"candidate:{order[0]}", "second": f"candidate:{order[1]}"}
            made += rows(
                f"a{number}-{place}", unit.unit_id, item, answers, worker, 30.0 if unit.group == "lab" else 20.0
            )
        right = check.control.removeprefix("known_")
        wrong = "candidate:0" if right != "candidate:0" else "candidate:1"
        first, second = (wrong, right) if number == 0 else (right, wrong)
        made += rows(f"c{number}", unit.unit_id, check, {"first": first, "second": second}, worker)
        if number % 3:
            expertise = "expert" if unit.group == "lab" else "none"
            made += said(worker, unit.unit_id, age=AGES[number % 6], gender="untold", expertise=expertise)
    return made


def scored(study: Study) -> None:
    """What spotbot_nuc leaves for two models: "tfidf" scores all candidates alike, "eliza" the true one highest in the
    first half of the questions."""
    asked = read_questions(study.path / "nuc" / "questions.jsonl")
    table = []
    for name, way in (("tfidf", "ranker"), ("eliza", "similarity")):
        lines = []
        for number, question in enumerate(asked):
            values = [0.0] * len(question.candidates)
            if name == "eliza":
                values[question.true] = 1.0 if number % 2 else -1.0
            lines.append({"question_id": question.question_id, "contestant": name, "way": way, "values": values})
        files.write_jsonl(study.path / "nuc" / "scores" / f"{name}.jsonl", lines)
        table.append({"contestant": name, "way": way, "main": True, "recall@1": {"estimate": 0.5}})
    ranking = {"contestants": table, "order": ["tfidf", "eliza"], "k": [1, 2], "made_by": {"seed": 0}}
    files.write_json(study.path / "nuc" / "analysis" / "ranking.json", ranking)
