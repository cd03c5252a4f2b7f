"""Which wording do people answer alike, and rightly, on pairs of which the better one is known (Li et al. 2019)?"""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.choices import compare_wordings, known_pairs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Finding, Result, Rows, flat
from parlai_spotbot.findings.sections import Chart, Section, Table
from parlai_spotbot.wording import NONE, interval, number, p_said, p_value, percent, plainly, who

LEVEL = 0.05

ONE_PAIR = "All choices are about one pair of conversations: what is found speaks of this pair alone."


def compute(own: Answers) -> dict:
    """Agreement per wording on pairs whose better one is known, and which wordings differ.

    `texts` holds what was asked, by the question's name, where the survey is known.
    """
    compared = compare_wordings(own.rows, known_pairs(own.options.known_order), **own.hang)
    pairs, why = compared.pop("pairs"), compared.pop("why", None)
    found = compared | {"sentences": sentences(compared)}
    found |= {"why": why} if why else {"note": ONE_PAIR} if pairs == 1 else {}
    survey = own.facts.survey
    texts = {q.name: q.wording for q in survey.questions if q.name in found["wordings"]} if survey else {}
    return found | {"texts": texts}


def sentences(result: Mapping) -> list[str]:
    """Which wording has the highest agreement, and which do better than others; [] where none is known."""
    if not result["wordings"]:
        return []
    wordings, said = result["wordings"], []
    best = max(wordings, key=lambda name: wordings[name]["estimate"])
    (low, high), share = wordings[best]["ci"], wordings[best]["estimate"]
    said.append(
        f"The wording with the highest agreement is “{best}”: {share:.0%} of {wordings[best]['n']} choices went to the "
        f"better conversation ({low:.0%} to {high:.0%})."
    )
    clear = [row for row in result["differences"] if row["p_adjusted"] < LEVEL]
    for row in clear:
        better, worse = (row["a"], row["b"]) if row["estimate"] > 0 else (row["b"], row["a"])
        ends = sorted(abs(end) if row["estimate"] > 0 else -end for end in row["ci"])
        said.append(
            f"“{better}” does better than “{worse}” by {100 * abs(row['estimate']):.0f} points ({100 * ends[0]:.0f} to "
            f"{100 * ends[1]:.0f}, adjusted {p_said(row['p_adjusted'])})."
        )
    if result["differences"] and not clear:
        said.append("No difference between wordings is more than chance explains; more choices may tell them apart.")
    elif len(clear) < len(result["differences"]):
        rest = len(result["differences"]) - len(clear)
        which = "other difference" if rest == 1 else f"other {rest} differences"
        said.append(f"The {which} between wordings may be chance.")
    paired = [row["paired"] for row in result["differences"]]
    if paired and all(paired):
        said.append("Wordings are compared on the same pairs of conversations.")
    elif paired and not any(paired):
        said.append(
            "Each wording was put for pairs of its own; on the same pairs (spotbot_pack --same-pairs) differences "
            "would be surer."
        )
    return said


def tell(result: Result) -> list[Section]:
    """How the wordings do; nothing where no pair is known."""
    own = result.data
    if not own["wordings"]:
        return []
    rows = [
        {"label": plainly(name), "estimate": found["estimate"], "low": found["ci"][0], "high": found["ci"][1]}
        for name, found in sorted(own["wordings"].items(), key=lambda e: -e[1]["estimate"])
    ]
    known = ", ".join(f"{who(a)} over {who(b)}" for a, b in own["known"]) or "people over bots"
    chart = Chart(
        "wordings",
        "forest",
        "Agreement by wording",
        f"Share of choices for the better one ({known}).",
        {"rows": rows, "reference": 0.5, "x": "share of right choices"},
        own["sentences"][0],
    )
    agreed = Table(
        "Wordings",
        "Right: for the conversation that is known to be better. Alike: couples of answers about one pair.",
        ("wording", "right", "95 % interval", "n", "pairs", "alike", "alpha", "asked"),
        [
            (
                plainly(name),
                percent(f["estimate"], 1),
                interval(f["ci"], 1),
                str(f["n"]),
                str(f["pairs"]),
                percent(f["alike"]),
                number(f["alpha"]),
                own.get("texts", {}).get(name, NONE),
            )
            for name, f in own["wordings"].items()
        ],
    )
    differences = Table(
        "Differences between wordings",
        "On the pairs that both were put for, if most choices are about these; else on all.",
        ("wording", "against", "difference", "95 % interval", "pairs of conversations", "adjusted p"),
        [
            (
                plainly(row["a"]),
                plainly(row["b"]),
                percent(row["estimate"], 1),
                interval(row["ci"], 1),
                f"{row['pairs']}, the same for both" if row["paired"] else "each its own",
                p_value(row["p_adjusted"]),
            )
            for row in own["differences"]
        ],
        folded=len(own["differences"]) > LONG,
        method="Difference of shares over its standard error clustered by conversations and annotators; Holm-adjusted.",
        cite=("cameron2011", "holm1979"),
    )
    text = own["sentences"] + ([own["note"]] if "note" in own else [])
    tables = [agreed, differences] if own["differences"] else [agreed]
    return [Section("wordings", "Which wording do people answer alike?", text, [chart], tables)]


def rows(data: Mapping) -> Rows:
    """Rows of the tables wordings and wordings_differences."""
    for name, row in data["wordings"].items():
        yield "wordings", {"question": name, **flat(row)}
    for row in data["differences"]:
        yield "wordings_differences", flat(row)


def lines(result: Result) -> list[str]:
    return [f"  {sentence}" for sentence in result.data["sentences"]]


FINDING = Finding(
    "wordings", FORM, compute, tell, rows, lines, place=40, surveys=("acute_eval",), options=("known_order",)
)
