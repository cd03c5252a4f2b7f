"""The demo study, whose judge has answered, with made-up people who agree with it so and so often."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np

import parlai_spotbot as sb
from parlai_spotbot import checksums
from parlai_spotbot.records import Judgement
from parlai_spotbot.study import Study

SURVEY = "spot_the_bot"
OPTIONS = {"human": "bot", "bot": "human", "unsure": "bot"}


def labelled_demo(path: Path, **labels: float) -> Study:
    """Return a copy of the demo in which people labelled, see `let_people`."""
    shutil.copytree(sb.demo().path, path)
    return let_people(Study.open(path), **labels)


def let_people(study: Study, right: float = 0.9, share: float = 1.0, people: int = 12, seed: int = 0) -> Study:
    """Let two of `people` label a `share` of a study's items, as its judge did with chance `right`."""
    rng = np.random.default_rng(seed)
    rows: list[Judgement] = []
    judged = [row for row in study.judgements(SURVEY) if row.control is None]
    first = {(row.item_id, row.target, row.question): row for row in judged}
    items = sorted({item for item, *_ in first})
    workers = {item: rng.choice(people, 2, replace=False) for item in items if rng.random() < share}
    for row in first.values():
        for worker in workers.get(row.item_id, ()):
            answer = row.answer
            if row.question == "nature" and rng.random() > right:
                answer = OPTIONS[str(answer)]
            name = f"{row.judgement_id}-{worker}"
            about = {"judgement_id": name, "annotation_id": f"{row.item_id}-{worker}", "worker_id": f"w{worker}"}
            rows.append(replace(row, **about, answer=answer, source="human"))
    with checksums.RecordedJournal(study.judgements_path(SURVEY)) as journal:
        journal.append(*rows)
    return Study.open(study.path)
