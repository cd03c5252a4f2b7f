"""The tables on how far a judge can be trusted, from what trust.json holds of one judge."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.wording import asked, between, number, percent

VERDICTS = {
    "constant": "always the same answer",
    "chance": "no more than chance",
    "below": "less than people",
    "unclear": "can't be told from people",
    "unknown": "people not known",
    "nobody": "people neither",
    "level": "no less than people",
}
CITE = ("cameron2011",)
DRAWN = (
    "95 % intervals: conversations drawn anew, people, and what one of them says of one conversation (the variances of "
    "the first two added, less the third's), by Student's t. The judge's variants are taken as they are."
)


def of_trust(own: Mapping) -> list[Table]:
    """All of them; those that have nothing to show are left out."""
    makers = (agreement, ranks, flips, means)
    found = [make(own) for make in makers]
    found += [confusion(question, entry) for question, entry in (own.get("questions") or {}).items()]
    return [table for table in found if table is not None]


def estimate(entry: Mapping, name: str, show=number) -> str:
    """An estimate with its interval in brackets; its interval stands as name_ci."""
    return show(entry.get(name)) + between(entry.get(f"{name}_ci"), show)


def agreement(own: Mapping) -> Table | None:
    """By question: how far the judge agrees with people, beside how far people agree with each other."""
    found = own.get("questions")
    if not found:
        return None
    levels = own["verdict"]["questions"]
    rows = [
        (
            asked(q),
            VERDICTS[levels[q]],
            str(e["n"]),
            estimate(e, "agree", percent),
            estimate(e, "people_agree", percent),
            *(estimate(e, key) for key in ("alpha", "people_alpha", "difference")),
        )
        for q, e in found.items()
    ]
    how = (
        f"Over the {own['items']} items that the judge and {own['people']} people answered: how often the judge, and "
        "how often another person, gives a person's answer; Krippendorff's alpha (1 is perfect, 0 what chance gives) "
        "of the judge with people, of people with each other, and the one less the other."
    )
    head = (
        "Question",
        "Judge agrees",
        "Answers of people",
        "Judge gives it too",
        "Another person does",
        "alpha, judge with people",
        "alpha between people",
        "Difference",
    )
    method = (
        f"Alpha is ordinal where answers are a scale, nominal elsewhere. Each answer of a person counts once. {DRAWN}"
    )
    return Table("The judge and people", how, head, rows, method=method, cite=("hayes2007", *CITE))


def confusion(question: str, entry: Mapping) -> Table:
    """What the judge answers where people gave an answer."""
    own = entry["confusion"]
    people = [sum(row[j] for row in own["counts"]) for j in range(len(own["answers"]))]
    rows = []
    for i, answer in enumerate(own["answers"]):
        cells = [
            number(own["counts"][i][j], 0) + (f" ({percent(own['share_given_people'][i][j])})" if total else "")
            for j, total in enumerate(people)
        ]
        rows.append((f"judge: {answer_said(answer)}", *cells))
    rows.append(("people in all", *(number(total, 0) for total in people)))
    how = (
        "Down: what people said; across: what the judge said of the same. In brackets, the share of the judge's "
        "answers where people said that; a judge that answers as people do has high shares on the diagonal. Where it "
        "answered an item several times, each of its answers counts in part."
    )
    head = ("", *(f"people: {answer_said(answer)}" for answer in own["answers"]))
    return Table(f"Answers on {asked(question)}", how, head, rows, folded=question != "nature")


def answer_said(answer: str) -> str:
    return answer.replace("_", " ").replace("entity:", "entity ").replace("conversation:", "conversation ")


def ranks(own: Mapping) -> Table | None:
    """By criterion: whether the judge ranks the contestants as people do."""
    found = {name: entry for name, entry in (own.get("ranks") or {}).items() if "tau" in entry}
    if not found:
        return None
    rows = [
        (asked(name), str(e["contestants"]), str(e["items"]), estimate(e, "tau"), estimate(e, "spearman"))
        for name, e in found.items()
    ]
    how = (
        "How alike the judge's and people's rankings of the contestants are, on items that both answered: 1 is the "
        "same, 0 no more than chance, −1 reversed. With few contestants only a few values are possible."
    )
    head = ("Ranked by", "Contestants", "Items", "Kendall's tau-b", "Spearman's rho")
    return Table("Rankings of the judge and of people", how, head, rows, method=DRAWN, cite=CITE)


def flips(own: Mapping) -> Table | None:
    """How often a language model answers otherwise when names and sides are exchanged, as it told itself."""
    found = own.get("flips") or {}
    rows = [
        (asked(name), str(e["n"]), str(e["flips"]), percent(e.get("rate")) + between(e.get("ci")))
        for name, e in {**(found.get("by_question") or {}), "all": found}.items()
        if e.get("n")
    ]
    if not rows:
        return None
    how = (
        "How often the judge changes its answer when who comes first is exchanged; one that goes by what is said "
        "never does."
    )
    return Table("Answers that turn with the order", how, ("Question", "Asked both ways", "Changed", "Share"), rows)


def means(own: Mapping) -> Table | None:
    """People's means alone and with the judge's help, by the criterion that comes first."""
    found = {name: entry for name, entry in (own.get("powered") or {}).items() if entry.get("means")}
    if not found:
        return None
    name, entry = next(iter(found.items()))
    rows = []
    for e in entry["means"]:
        who = Name(e["contestant"]) if "contestant" in e else f"{e['a']} – {e['b']}"
        shown = (str(e["n_people"]), str(e["n_judge_alone"]), estimate(e, "people"), estimate(e, "both"))
        rows.append((who, *shown, number(e["width"])))
    how = (
        "People's mean (of a pair: the first one's share of wins less that of losses), and the same with the judge's "
        f"answers to further items at λ = {number(entry['power'])}; last the second standard error by the first. "
        "Used in no other table. The assumption is that people were given their items at random among those "
        "that the judge rated; nothing is assumed of its errors."
    )
    head = ("", "Answers of people", "Items of the judge alone", "People", "With the judge", "Standard error")
    title = f"People's means with the judge's help, by {asked(name)}"
    method = (
        "Prediction-powered inference with power tuning; standard errors are clustered by conversations and people."
    )
    return Table(title, how, head, rows, True, method=method, cite=("angelopoulos2023", *CITE))
