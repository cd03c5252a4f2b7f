"""The section "How far to trust the judges": each judge beside people on the same items, the warning first."""

from __future__ import annotations

from parlai_spotbot.analysis.sections import Chart
from parlai_spotbot.analysis.trust.verdict import saving_sentence, self_sentence, speaker_sentence
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import charts, judge_rows
from parlai_spotbot.report.parts import Page, Part
from parlai_spotbot.wording import INTERVAL, asked, number, percent, to

GRIDS = 2
"""So many questions' answers are drawn; those of all are in the tables."""


def section(page: Page) -> list[Part]:
    """A part for each judge; none for people, and none of a judge that was not set beside them."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("trust", source)
        if source == HUMAN or not own:
            continue
        figures = [charts.figure(page, source, chart) for chart in drawn(own)]
        tables = [judge_rows.agreement(own), judge_rows.ranks(own), judge_rows.biases(own), judge_rows.flips(own),
                  judge_rows.likings(own), judge_rows.savings(own), judge_rows.means(own),
                  judge_rows.promises(own), judge_rows.styles(own)]  # fmt: skip
        tables += [judge_rows.confusion(q, entry) for q, entry in (own.get("questions") or {}).items()]
        parts.append(page.part(source, figures, tables, sentences(own)))
    return parts


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


def drawn(own: dict) -> list[Chart]:
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
                "trust_alpha", "forest", "Agreement of the judge with people, and of people with each other",
                "Krippendorff's alpha with 95 % intervals: 1 is perfect agreement, 0 what chance gives.",
                {"rows": rows, "reference": 0.0, "x": "alpha"}, " ".join(_said(own)), judge_rows.DRAWN,
                ("hayes2007", "cameron2011"),
            )
        )  # fmt: skip
    return found + [_grid(question, questions[question]) for question in list(questions)[:GRIDS]]


def _said(own: dict) -> list[str]:
    return [entry["sentence"] for entry in own["verdict"]["questions"].values()][:GRIDS]


def _grid(question: str, entry: dict) -> Chart:
    own = entry["confusion"]
    labels = [f"“{judge_rows.answer_said(answer)}”" for answer in own["answers"]]
    texts = [
        [
            "–" if share is None else f"{percent(share)}\n{number(count, 0)}"
            for share, count in zip(*cells, strict=True)
        ]
        for cells in zip(own["share_given_people"], own["counts"], strict=True)
    ]  # fmt: skip
    data = {"rows": labels, "columns": labels, "values": own["share_given_people"], "texts": texts,
            "x": "people say", "y": "the judge says"}  # fmt: skip
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
