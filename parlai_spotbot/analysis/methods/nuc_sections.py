"""What the survey `nuc` tells a reader: people's recall beside models', tests, agreement, hard questions, people."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.methods.nuc_parts import ALL, EVERYBODY, KS
from parlai_spotbot.analysis.methods.shared_sections import LONG, annotators_section
from parlai_spotbot.analysis.sections import Chart, Name, Section, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import NONE, ends, interval, listed, number, p_value, percent, points

MEASURES = tuple(f"recall@{k}" for k in KS)
SHOWN = 30
"""So many of the questions in which people fail stand on the page; all are in hard.csv."""

HOW = "In brackets 95 % intervals that take answers to one conversation, and by one annotator, together."


def sections(analysis: Mapping[str, dict], source: str) -> list[Section]:
    """The sections, as data."""
    own, questions = analysis["recall"], analysis["questions"]
    made = [_recall(own), *_tests(own), _agreement(questions, own), _hard(questions)]
    made += [*_questionnaire(analysis), *annotators_section(dict(analysis), source), *_time(analysis)]
    return made


def _head(measure: str) -> str:
    return measure.replace("recall", "R")


def _who(row: Mapping) -> str:
    said = {"": row["who"], "group": f"group {row['who']}", "recruited": f"recruited: {row['who']}",
            "expertise": f"{row['who']}s", "by their own account": f"{row['who']}, as they say"}  # fmt: skip
    return said.get(row["by"], row["who"])


def _corpus(name: str) -> str:
    return "all corpora" if name == ALL else name


def _model(own: Mapping, name: str) -> str:
    """What stands beside a model's name: the way, which has a star where it isn't the model's own choice."""
    return own["ways"].get(name, "")


# -- Recall@k --------------------------------------------------------------------------------------------------------
def _recall(own: Mapping) -> Section:
    everybody = {row["corpus"]: row for row in own["people"] if row["who"] == EVERYBODY and not row["by"]}
    whole = everybody[own["corpora"][-1]]
    found = whole["recall@1"]
    guess = own["chance"][whole["corpus"]]["recall@1"]
    said = (
        f"People chose the real next turn first in {percent(found['estimate'], 1)} of {found['n']} answers to "
        f"{whole['questions']} questions ({interval(found['ci'], 1)}; {whole['annotators']} people), and first or "
        f"second in {percent(whole['recall@2']['estimate'], 1)}. Guessing finds it in {percent(guess, 1)}."
    )
    return Section("recall", "Can people find the real next turn?", [said, *_notes(own)], [_chart(own, everybody)],
                   [_wide(own), _long(own)])  # fmt: skip


def _notes(own: Mapping) -> list[str]:
    told = list(own["cautions"])
    if not own["models"]:
        told.append("No contestant has scored these questions yet: spotbot_nuc --study.")
    short = [f"{name}: {count}" for name, count in own["unscored"].items()]
    if short:
        told.append(f"Questions that a model has not scored with these candidates are left out: {', '.join(short)}.")
    return told


def _chart(own: Mapping, everybody: Mapping[str, Mapping]) -> Chart:
    rows = []
    for corpus in own["corpora"]:
        heading = {"group": _corpus(corpus)} if len(own["corpora"]) > 1 else {}
        for row in own["people"]:
            if row["corpus"] == corpus and (row["who"] == EVERYBODY or row["by"] == "group"):
                label = Name(HUMAN) if row["who"] == EVERYBODY else f"people: {row['who']}"
                rows.append({"label": label, **_point(row["recall@1"]), **heading})
        for row in own["models"]:
            if row["corpus"] == corpus and row["questions"]:
                rows.append({"label": Name(row["contestant"]), **_point(row["recall@1"]), **heading})
    whole = own["corpora"][-1]
    models = [row for row in own["models"] if row["corpus"] == whole and row["questions"]]
    sentence = ""
    if models:
        best = max(models, key=lambda row: row["recall@1"]["estimate"])
        found = best["recall@1"]
        sentence = (
            f"The best model on these questions is {best['contestant']} with {percent(found['estimate'], 1)} "
            f"({interval(found['ci'], 1)}); people have {percent(everybody[whole]['recall@1']['estimate'], 1)}."
        )
    alike = [row["contestant"] for row in models if "*" in _model(own, row["contestant"])]
    marked = f" * {listed(alike)}: by how like its reply each candidate is." if alike else ""
    chances = {round(row["recall@1"], 9) for row in own["chance"].values()}
    return Chart(
        "nuc_people", "forest", "Recall@1 of people and models on the same questions",
        "How often the real next turn is the first choice, with 95 % intervals that take questions of one "
        "conversation, and answers of one person, together. The line is guessing." + marked,
        {"rows": rows, "reference": chances.pop() if len(chances) == 1 else None, "x": "share of answers (Recall@1)"},
        sentence,
    )  # fmt: skip


def _point(found: Mapping) -> dict:
    return {"estimate": found["estimate"], "low": found["ci"][0], "high": found["ci"][1]}


def _cell(found: Mapping) -> str:
    return NONE if found["estimate"] is None else f"{percent(found['estimate'], 1)} ({interval(found['ci'])})"


def _wide(own: Mapping) -> Table:
    """The shape of the paper's Table 2."""
    corpora = own["corpora"]
    rows = []
    for by, who in dict.fromkeys((row["by"], row["who"]) for row in own["people"]):
        mine = {row["corpus"]: row for row in own["people"] if (row["by"], row["who"]) == (by, who)}
        most = max(row["annotators"] for row in mine.values())
        cells = [_cell(mine[corpus][name]) if corpus in mine else NONE for corpus in corpora for name in MEASURES]
        rows.append((_who({"by": by, "who": who}), str(most), *cells))
    for name in dict.fromkeys(row["contestant"] for row in own["models"]):
        mine = {row["corpus"]: row for row in own["models"] if row["contestant"] == name}
        rows.append((Name(name), _model(own, name), *(_cell(mine[c][m]) for c in corpora for m in MEASURES)))
    guess = [percent(own["chance"][corpus][name], 1) for corpus in corpora for name in MEASURES]
    rows.append(("guessing", "", *guess))
    head = [f"{_corpus(corpus)}, {_head(name)}" for corpus in corpora for name in MEASURES]
    return Table(
        "Recall of people and models", f"R@2: the real next turn is the first or the second choice. {HOW}",
        ("who", "people, or how asked", *head), rows,
        method="Wilson's interval of as many independent answers as would be as uncertain; two-way clustered variance, "
        "Student's t. A model's figures are of the questions that people answered, ties as expectations.",
    )  # fmt: skip


def _long(own: Mapping) -> Table:
    rows = []
    for row in [*own["people"], *own["models"]]:
        who = Name(row["contestant"]) if "contestant" in row else _who(row)
        for name in MEASURES:
            found = row[name]
            rows.append((who, _corpus(row["corpus"]), _head(name), percent(found["estimate"], 1),
                         interval(found["wilson"], 1), interval(found["ci"], 1), str(found["n"]),
                         str(found["conversations"])))  # fmt: skip
    return Table(
        "Recall, with both intervals",
        "Wilson's interval takes all answers as independent, as the paper's does; the clustered one takes answers to "
        "one conversation, and by one person, together, and is the one to go by.",
        ("who", "corpus", "measure", "recall", "Wilson", "clustered", "answers", "conversations"), rows, folded=True,
    )  # fmt: skip


def _points(share: float | None) -> str:
    return points(share, 1)


# -- tests -----------------------------------------------------------------------------------------------------------
def _tests(own: Mapping) -> list[Section]:
    made, text = [], []
    if own["against_models"]:
        made.append(_against(own))
        text.append(_clear(own))
    if own["between_groups"]:
        made.append(_between(own))
    return [Section("tests", "Do people and models, or groups of people, differ?", text, [], made)] if made else []


def _clear(own: Mapping) -> str:
    tests = [row for row in own["against_models"] if row["measure"] == "recall@1" and row["who"] == EVERYBODY
             and not row["by"] and row["corpus"] == own["corpora"][-1]]  # fmt: skip
    sure = [row for row in tests if row["p_adjusted"] is not None and row["p_adjusted"] < 0.05]
    better = [row["contestant"] for row in sure if row["difference"] > 0]
    worse = [row["contestant"] for row in sure if row["difference"] < 0]
    return (
        f"By Recall@1 people are better, by more than chance, than {listed(better) or 'no model'}"
        + (f", and worse than {listed(worse)}" if worse else "")
        + f" (of {len(tests)} models)."
    )


def _against(own: Mapping) -> Table:
    rows = [
        (_who(row), Name(row["contestant"]), _corpus(row["corpus"]), _head(row["measure"]), percent(row["people"], 1),
         percent(row["model"], 1), _points(row["difference"]), ends(row["ci"], _points), p_value(row["p"]),
         p_value(row["p_adjusted"]), str(row["n"]))
        for row in own["against_models"]
    ]  # fmt: skip
    return Table(
        "People against models on the same questions",
        "Differences in percentage points, of people less the model; the model's share is weighted as people's answers "
        "are, so it may differ a little from that above.",
        ("people", "model", "corpus", "measure", "people have", "model has", "difference", "95 % interval", "p",
         "p (Holm)", "answers"), rows, folded=len(rows) > LONG,
        method="Paired by question: the mean over people's answers of their hit less the model's, with a standard "
        "error clustered by conversation and annotator; Student's t; Holm's correction over all tests of a measure.",
    )  # fmt: skip


def _between(own: Mapping) -> Table:
    rows = [
        (_who({"by": row["by"], "who": row["a"]}), _who({"by": row["by"], "who": row["b"]}), _corpus(row["corpus"]),
         _head(row["measure"]), _points(row["difference"]), ends(row["ci"], _points), p_value(row["p"]),
         p_value(row["p_adjusted"]), str(row["n"]))
        for row in own["between_groups"]
    ]  # fmt: skip
    return Table(
        "Groups of people on the questions that both answered",
        "Differences in percentage points, of the first less the second. Without two people in each group there is no "
        "interval.",
        ("group", "and", "corpus", "measure", "difference", "95 % interval", "p", "p (Holm)", "questions"), rows,
        folded=len(rows) > LONG,
        method="The mean over questions of the difference of the groups' means; error two-way clustered by "
        "conversation and annotator; Student's t with one degree of freedom less than there are people in "
        "the smaller group; Holm's "
        "correction over all tests of a measure.",
    )  # fmt: skip


# -- agreement, ceiling, hard questions --------------------------------------------------------------------------------
def _agreement(questions: Mapping, own: Mapping) -> Section:
    rows = [
        (_who(row), _corpus(row["corpus"]), number(row["alpha"]), interval(row["ci"], 2, share=False),
         percent(row["alike"], 1), str(row["questions"]))
        for row in questions["agreement"]
    ]  # fmt: skip
    alphas = Table(
        "Agreement on the first choice",
        "1 is perfect agreement, 0 what chance would give; of questions that two or more answered.",
        ("people", "corpus", "alpha", "95 % interval", "couples of answers alike", "questions"), rows,
        folded=len(rows) > LONG, cite=("hayes2007",),
        method="Krippendorff's alpha, nominal; intervals over conversations and annotators.",
    )  # fmt: skip
    rows, text = [], []
    for row in questions["ceiling"]:
        if row["questions"]:
            rows.append((_corpus(row["corpus"]), *(_cell(row[name]) for name in MEASURES), _cell(row["somebody"]),
                         str(row["questions"]), number(row["answers"], 1)))  # fmt: skip
    whole = questions["ceiling"][-1]
    if whole["questions"]:
        text.append(
            f"By the votes of all who answered, people together find the real next turn in "
            f"{percent(whole['recall@1']['estimate'], 1)} of {whole['questions']} questions "
            f"({interval(whole['recall@1']['ci'], 1)}): what one could hope for from a careful reader of these texts. "
            f"Where even that fails, another reply may fit as well."
        )
    else:
        text.append("No question was answered by two people, so agreement and what people find together aren't known.")
    votes = Table(
        "What people find together",
        "By votes: the reply that most chose first, then second choices; ties count as the expectation. Somebody: at "
        "least one person chose the real turn first. More answers a question make both higher.",
        ("corpus", *(f"by votes, {_head(name)}" for name in MEASURES), "somebody", "questions", "answers each"), rows,
    )  # fmt: skip
    tables = [alphas, votes] if whole["questions"] else []
    return Section("agreement", "Do people agree, and how far could one get?", text, [], tables)


def _chosen(row: Mapping) -> str:
    instead = row["chosen"][row["rival"]] if row["rival"] >= 0 else 0
    return f"{row['chosen'][row['true']]} : {instead} of {row['answers']}"


def _hard(questions: Mapping) -> Section:
    hard = questions["hard"]
    rows = [
        (row["corpus"], _chosen(row), p_value(row["p"]), " / ".join(row["context"]), row["candidates"][row["true"]],
         row["candidates"][row["rival"]] if row["rival"] >= 0 else NONE, listed(row["models_right"]) or "none")
        for row in hard[:SHOWN]
    ]  # fmt: skip
    ambiguous = sum(row["ambiguous"] for row in hard)
    text = [
        f"In {len(hard)} of {questions['questions']} questions people fail: in {ambiguous} of them another reply was "
        "chosen at least as often as the real one, by two people or more."
    ]
    if ambiguous:
        text.append("Such a reply may answer as well as the real one, which is a limit of the method.")
    table = Table(
        "Questions in which people fail",
        "Turns are parted by a slash. Chosen: how many took the real one, and the other one. p: the probability that "
        "at least so many would take the other one if both fitted equally well; it doesn't allow for the other one "
        "having been picked out as the most popular. "
        + (f"The worst {SHOWN} of {len(hard)}; all are in hard.csv." if len(hard) > SHOWN else ""),
        ("corpus", "chosen", "p", "what was said", "the real next turn", "the other one", "models that find it"), rows,
        folded=len(rows) > LONG,
    )  # fmt: skip
    return Section("hard", "In which questions do people fail?", text, [], [table] if rows else [])


# -- people ----------------------------------------------------------------------------------------------------------
def _questionnaire(analysis: Mapping[str, dict]) -> list[Section]:
    own = analysis.get("questionnaire") or {}
    if not own.get("questions"):
        return []
    rows = [
        (question["heading"], cell["label"], percent(cell["share"], 1), interval(cell["ci"]))
        for question in own["questions"] for cell in question["answers"]
    ]  # fmt: skip
    table = Table(
        "What annotators say of themselves",
        "Shares of all annotators whose answers count; who gave no answer is with those who would rather not say. "
        "Answers that fewer than five people gave are taken together.",
        ("about", "answer", "share", "95 % interval"), rows,
    )  # fmt: skip
    text = f"{own['annotators']} annotators were asked; each question was voluntary."
    return [Section("questionnaire", "Who were the annotators?", [text], [], [table])]


def _time(analysis: Mapping[str, dict]) -> list[Section]:
    own = analysis.get("time") or {}
    if not own.get("by"):
        return []
    rows = [
        (_who(row), _corpus(row["corpus"]), number(row["median"], 1), number(row["mean"], 1),
         interval(row["ci"], 1, share=False), number(row["minutes"], 1), str(row["n"]), str(row["annotators"]))
        for row in own["by"]
    ]  # fmt: skip
    table = Table(
        "Seconds a question", "Minutes a person: the median of what each spent on these questions.",
        ("people", "corpus", "median", "mean", "95 % interval of the mean", "minutes a person", "answers", "how many"),
        rows, folded=len(rows) > LONG,
    )  # fmt: skip
    first = own["by"][0]
    text = (
        f"A question took {number(own['median'], 1)} seconds in the median; all took {number(own['hours'], 1)} hours."
    )
    groups = [row for row in own["by"] if row["by"] == "group" and row["corpus"] == first["corpus"]]
    if len(groups) == 2 and min(row["mean"] for row in groups) > 0:
        slow, quick = sorted(groups, key=lambda row: -row["mean"])
        more = percent(slow["mean"] / quick["mean"] - 1)
        text += f" Group {slow['who']} took {more} longer a question than {quick['who']}."
    return [Section("time", "How long does it take?", [text], [], [table])]
