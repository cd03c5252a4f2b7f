"""How far the judges can be trusted: each beside people on the same items, the warning first; for every survey."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from parlai_spotbot.analysis import trust
from parlai_spotbot.findings import judge_tables
from parlai_spotbot.findings.answers import Answers, Form
from parlai_spotbot.findings.finding import Finding, Result, with_width
from parlai_spotbot.findings.savings_words import savings_in_words
from parlai_spotbot.findings.sections import ALL, Chart, Section
from parlai_spotbot.findings.trust_rows import trust_rows
from parlai_spotbot.findings.verdict import saving_sentence, self_sentence, speaker_sentence, verdict
from parlai_spotbot.wording import INTERVAL, asked, number, percent, to

Frame = Callable[[pd.DataFrame], pd.DataFrame]

GRIDS = 2
"""So many questions' answers are drawn; those of all are in the tables."""

ANCHOR, HEADING = "trust", "How far to trust the judges"


def beside_people(
    own: Answers,
    *,
    contests: Frame | None = None,
    ratings: Frame | None = None,
    scales: Mapping[str, Sequence[str]] | None = None,
) -> dict:
    """A judge beside people on the same items, see `analysis.trust.trust_part`."""
    people, judge = (
        rows.assign(answer=rows["answer"].astype(str))[list(trust.COLUMNS)] for rows in (own.people.rows, own.rows)
    )
    found = trust.trust_part(
        people,
        judge,
        contests=contests,
        ratings=ratings,
        scales=scales,
        bounds={question: (float(scale[0]), float(scale[-1])) for question, scale in (scales or {}).items()},
        rng=own.rng("trust"),
        replicates=own.options.bootstraps,
        **own.facts.judges.get(own.source, {}),
    )
    return in_words(found)


def in_words(found: dict) -> dict:
    """What `trust_part` tells, with what savings assume, and what it all comes to."""
    if "questions" not in found:
        return found
    savings = {criterion: savings_in_words(own) for criterion, own in found["savings"].items()}
    return with_width(found | {"savings": savings, "verdict": verdict(found)})


def finding(form: Form, compute: Callable[[Answers], Mapping | None]) -> Finding:
    """The finding of a form of answers."""
    return Finding("trust", form, compute, tell, trust_rows, place=90)


def tell(result: Result) -> list[Section]:
    """Verdict, figures and tables; none for people, and none of a judge that was not set beside them."""
    own = result.data
    if result.people or not own:
        return []
    tables = judge_tables.of_trust(own)
    beware = (own["verdict"]["sentence"],) if own.get("verdict", {}).get("warning") else ()
    text = sentences(own)
    return [Section(ANCHOR, HEADING, text, charts(own), tables, careful=beware, open_charts=ALL, open_tables=ALL)]


def sentences(own: dict) -> list[str]:
    """The verdict, and what else there is to beware of."""
    if own.get("why"):
        return [f"Nothing can be said of this judge: {own['why']}."]
    found = [own["verdict"]["sentence"]]
    main = _main(own)
    speakers = (own.get("speakers") or {}).get(main)
    found.append(speaker_sentence(speakers) if speakers else "")
    found.append(self_sentence((own.get("favours") or {}).get(main, {})))
    found.append(saving_sentence((own.get("savings") or {}).get(main, {})))
    return [text for text in found if text]


def _main(own: dict) -> str:
    """The criterion that is told of first: who is human, or else the first."""
    criteria = own.get("ranks") or own.get("speakers") or {}
    return "nature" if "nature" in criteria or not criteria else next(iter(criteria))


def charts(own: dict) -> list[Chart]:
    """Alpha of the judge with people beside alpha between people; what the judge says where people say something."""
    questions = own.get("questions") or {}
    rows = []
    for question, entry in questions.items():
        for key, label in (("alpha", "judge with people"), ("people_alpha", "people with each other")):
            low, high = entry[f"{key}_ci"]
            rows.append({"label": label, "estimate": entry[key], "low": low, "high": high, "group": asked(question)})
    found = []
    if rows:
        found.append(
            Chart(
                "trust_alpha",
                "forest",
                "Agreement of the judge with people, and of people with each other",
                "Krippendorff's alpha with 95 % intervals: 1 is perfect agreement, 0 what chance gives.",
                {"rows": rows, "reference": 0.0, "x": "alpha"},
                " ".join(_said(own)),
                judge_tables.DRAWN,
                ("hayes2007", "cameron2011"),
            )
        )
    return found + [_grid(question, questions[question]) for question in list(questions)[:GRIDS]]


def _said(own: dict) -> list[str]:
    return [entry["sentence"] for entry in own["verdict"]["questions"].values()][:GRIDS]


def _grid(question: str, entry: dict) -> Chart:
    own = entry["confusion"]
    labels = [f"“{judge_tables.answer_said(answer)}”" for answer in own["answers"]]
    texts = [
        ["–" if share is None else f"{percent(share)}\n{number(count, 0)}" for share, count in zip(*cells, strict=True)]
        for cells in zip(own["share_given_people"], own["counts"], strict=True)
    ]
    data = {
        "rows": labels,
        "columns": labels,
        "values": own["share_given_people"],
        "texts": texts,
        "x": "people say",
        "y": "the judge says",
    }
    caption = (
        "Each column: of the answers of people that say so, the share of the judge's answers to the same, and how "
        "many. A judge that answers as people do has its shares on the diagonal; one that doesn't listen has equal "
        "columns."
    )
    agree = percent(entry["agree"]) + to(entry["agree_ci"], prefix=INTERVAL)
    sentence = f"On {asked(question)} the judge gives a person's answer in {agree} of {entry['n']} cases"
    if entry["people_agree"] is not None:
        among = percent(entry["people_agree"]) + to(entry["people_agree_ci"])
        sentence += f", another person in {among}"
    return Chart(f"trust_{question}", "grid", f"Answers on {asked(question)}", caption, data, f"{sentence}.")
