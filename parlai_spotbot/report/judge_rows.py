"""How a judge's answers agree with people's, from one judge's results as they stand in ``analysis/agreement.json``."""

from __future__ import annotations

from parlai_spotbot.report.rows import Table, between, num, percent
from parlai_spotbot.report.words import known


def with_people(own: dict) -> Table | None:
    """How often a judge agrees with people on the same items, beside how often people agree with each other."""
    found = (own.get("with_people") or {}).get("questions")
    if not found:
        return None
    rows = []
    variants = own["with_people"]["variants"]
    for question, e in found.items():
        cells = ("human or bot" if question == "nature" else question, str(e["pairs"]))
        cells += (percent(e["agree"]) + between(e["ci"]), percent(e["people"]) + between(e["people_ci"]))
        cells += (num(e["alpha"]) + between(e["alpha_ci"], num),)
        rows.append((*cells, *(percent(shares.get(question)) for shares in variants.values())))
    how = (
        f"Over the {own['with_people']['items']} items that both answered: how often the judge gives a person's "
        "answer, and how often a second person gives it; Krippendorff's alpha of the judge with people (1 is "
        "perfect, 0 chance). 95 % intervals by drawing conversations anew. Last, the agreement of each variant with "
        "people."
    )
    head = ("Question", "Pairs of answers", "Judge with people", "People with people", "alpha, judge with people")
    return Table("The judge and people", how, (*head, *(f"Variant {name}" for name in variants)), rows)


def with_people_sentence(own: dict) -> str:
    """On who is human: how often the judge and people say the same, and whether that is more than chance."""
    entry = ((own.get("with_people") or {}).get("questions") or {}).get("nature")
    if not entry or entry["agree"] is None:
        return ""
    text = f"On who is human the judge gives a person's answer in {percent(entry['agree'])} of cases"
    text += f" (95 % interval {percent(entry['ci'][0])} to {percent(entry['ci'][1])})" if known(entry["ci"]) else ""
    if entry["people"] is not None:
        text += f", a second person in {percent(entry['people'])}"
    if not known(entry["alpha_ci"]):
        return f"{text}."
    low, high = entry["alpha_ci"]
    more = (
        "more than chance gives"
        if low > 0
        else "less than chance gives"
        if high < 0
        else "no more than chance may give"
    )
    return f"{text}: {more} (alpha {num(entry['alpha'])}, {num(low)} to {num(high)})."
